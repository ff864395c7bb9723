/* synccheck: barriers that some do not reach, and waits that cannot end. Each case has a process of its own: the kernel does not come to its
 * end. */
#include "catalogue.h"

/* ---- barriers that waves do not reach ------------------------------------------------------------ */

/* Waves and lanes that have ended count as arrived: no fault. */
KERNEL early_return(int *p, int n) {
    int i = threadIdx.x;
    if (F && i >= n)
        return;
    p[i] = i;
    __syncthreads();
    p[i] += 1;
}
CASE_ALONE(early_return) {
    Buffer<int> p(256);
    LAUNCH(early_return, 1, 256, p, 64);
}

KERNEL in_a_branch(int *p, int n) {
    p[threadIdx.x] = 1;
    if ((int)(threadIdx.x / 64) < (F ? n : 4))
        __syncthreads(); // FAULT: synccheck barrier-waves
    p[threadIdx.x] += 1;
}
CASE_ALONE(in_a_branch) {
    Buffer<int> p(256);
    LAUNCH(in_a_branch, 1, 256, p, 2);
}

KERNEL unequal_rounds(int *p, int n) {
    int rounds = F ? n + threadIdx.x / 64 : n;
    for (int i = 0; i < rounds; i++) {
        p[threadIdx.x] += i;
        __syncthreads(); // FAULT: synccheck barrier-waves
    }
}
CASE_ALONE(unequal_rounds) {
    Buffer<int> p(256);
    LAUNCH(unequal_rounds, 1, 256, p, 3);
}

template <bool F> __device__ __attribute__((noinline)) void meet() {
    __syncthreads(); // FAULT: synccheck barrier-waves
}
KERNEL in_a_function(int *p, int n) {
    p[threadIdx.x] = 1;
    if (!F || (int)threadIdx.x < n)
        meet<F>();
    p[threadIdx.x] += 1;
}
CASE_ALONE(in_a_function) {
    Buffer<int> p(256);
    LAUNCH(in_a_function, 1, 256, p, 128);
}

/* ---- barriers that lanes do not reach ------------------------------------------------------------ */

KERNEL half_a_wave(int *p, int n) {
    p[threadIdx.x] = 1;
    if ((int)threadIdx.x % 32 < (F ? n : 32))
        __syncthreads(); // FAULT: synccheck barrier-lanes|barrier-waves
    p[threadIdx.x] += 1;
}
CASE_ALONE(half_a_wave) {
    Buffer<int> p(256);
    LAUNCH(half_a_wave, 1, 256, p, 16);
}

KERNEL one_lane(int *p, int n) {
    p[threadIdx.x] = 1;
    if (!F || (int)threadIdx.x % 64 == n)
        __syncthreads(); // FAULT: synccheck barrier-lanes|barrier-waves
    p[threadIdx.x] += 1;
}
CASE_ALONE(one_lane) {
    Buffer<int> p(64);
    LAUNCH(one_lane, 1, 64, p, 3);
}

/* ---- waits that cannot end ----------------------------------------------------------------------- */

KERNEL for_a_flag(int *p) {
    __shared__ int flag;
    if (threadIdx.x == 0)
        flag = F ? 0 : 1;
    __syncthreads();
    while (__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) // FAULT: synccheck deadlock
        ;
    p[threadIdx.x] = 1;
}
CASE_ALONE(for_a_flag) {
    Buffer<int> p(256);
    LAUNCH(for_a_flag, 1, 256, p);
}

/* The counter never comes to the number of waves: one of them does not count. */
KERNEL for_a_count(int *p, int *count, int waves) {
    if (threadIdx.x % 64 == 0) {
        if (!F || threadIdx.x != 64)
            atomicAdd(count, 1);
        while (__hip_atomic_load(count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < waves) // FAULT: synccheck deadlock
            ;
        p[threadIdx.x] = 1;
    }
}
CASE_ALONE(for_a_count) {
    Buffer<int> p(256), count(1);
    LAUNCH(for_a_count, 1, 256, p, count, 4);
}

/* The second workgroup waits for a flag that the first one was to set. */
KERNEL for_a_group(int *p, int *flag) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0)
            atomicExch(flag, F ? 0 : 1);
        else
            while (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) // FAULT: synccheck deadlock
                ;
        p[blockIdx.x] = 1;
    }
}
CASE_ALONE(for_a_group) {
    Buffer<int> p(2), flag(1);
    LAUNCH(for_a_group, 2, 64, p, flag);
}
