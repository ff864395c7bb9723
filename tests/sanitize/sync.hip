/* synccheck: barriers that some do not reach, and waits that cannot end. Each case has a process of its own: the kernel does not come to its
 * end. */
#include "catalogue.h"

#include <chrono>
#include <thread>

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

/* ---- streams that wait for what nobody will do -------------------------------------------------- */

KERNEL behind(int *p) { p[threadIdx.x] = 1; }

/* The word is device memory that the program has forgotten to write. */
CASE_ALONE(for_a_value) {
    Buffer<int> p(64), word(1);
    hipStream_t stream;
    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    OK(hipStreamWaitValue32(stream, word, 1, hipStreamWaitValueGte)); // FAULT: synccheck stream-deadlock
    LAUNCH_IN(behind, 1, 64, 0, stream, p);
    if (!faulty)
        OK(hipMemset(word, 1, 4));
    if (hipStreamSynchronize(stream) != (faulty ? hipErrorLaunchTimeOut : hipSuccess))
        std::exit(97);
}

/* Each stream writes what the other one waits for, behind its own wait. */
CASE_ALONE(for_each_other) {
    Buffer<int> p(64), word(2);
    hipStream_t one, two;
    OK(hipStreamCreateWithFlags(&one, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&two, hipStreamNonBlocking));
    if (!faulty)
        OK(hipStreamWriteValue32(two, word, 1, 0));
    OK(hipStreamWaitValue32(one, word, 1, hipStreamWaitValueEq)); // FAULT: synccheck stream-deadlock
    LAUNCH_IN(behind, 1, 64, 0, one, p);
    OK(hipStreamWriteValue32(one, word + 1, 1, 0));
    OK(hipStreamWaitValue32(two, word + 1, 1, hipStreamWaitValueEq)); // FAULT: synccheck stream-deadlock
    if (faulty)
        OK(hipStreamWriteValue32(two, word, 1, 0));
    MAY(hipDeviceSynchronize());
}

/* The kernel that sets the word waits for the stream that waits for the word. */
KERNEL set(uint64_t *word) { *word = 4; }
CASE_ALONE(for_its_follower) {
    Buffer<uint64_t> word(1);
    hipStream_t stream, other;
    hipEvent_t event;
    OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    OK(hipEventCreate(&event));
    if (!faulty)
        LAUNCH_IN(set, 1, 1, 0, other, word);
    OK(hipStreamWaitValue64(stream, word, 4, hipStreamWaitValueAnd)); // FAULT: synccheck stream-deadlock
    OK(hipEventRecord(event, stream));
    OK(hipStreamWaitEvent(other, event, 0));
    if (faulty)
        LAUNCH_IN(set, 1, 1, 0, other, word);
    MAY(hipStreamSynchronize(other));
}

/* Another thread sets the word, after longer than synccheck's patience; or is joined before it could. */
CASE_ALONE(for_a_thread) {
    Buffer<int> p(64);
    int *word = nullptr;
    OK(hipExtMallocWithFlags((void **)&word, 8, hipMallocSignalMemory));
    OK(hipMemset(word, 0, 8));
    OK(hipDeviceSynchronize());
    hipStream_t stream;
    OK(hipStreamCreate(&stream));
    std::thread thread([=] {
        std::this_thread::sleep_for(std::chrono::milliseconds(faulty ? 10 : 5000));
        if (!faulty)
            __atomic_store_n(word, 1, __ATOMIC_RELEASE);
    });
    OK(hipStreamWaitValue32(stream, word, 1, hipStreamWaitValueGte)); // FAULT: synccheck stream-deadlock
    LAUNCH_IN(behind, 1, 64, 0, stream, p);
    MAY(hipStreamSynchronize(stream));
    thread.join();
    MAY(hipFree(word));
}
