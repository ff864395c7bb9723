// A shared library with kernels and variables, which reload.c opens and closes again and again.
#include <hip/hip_runtime.h>

__device__ int counter = 40;
__constant__ int step = 2;
__managed__ int shared_value = 5;

__global__ void advance(int *out) {
    counter += step;
    shared_value++;
    out[0] = counter;
    out[1] = shared_value;
}

__global__ void wait_for(int *flag) {
    while (!__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
        __builtin_amdgcn_s_sleep(1);
}

// Runs twice and adds up what both runs saw; each load of the library starts from the first values.
extern "C" int plugin_run(int *out) {
    int sum = 0;
    for (int round = 0; round < 2; round++) {
        advance<<<1, 1>>>(out);
        if (hipDeviceSynchronize() != hipSuccess)
            return -1;
        sum += out[0] * 100 + out[1];
    }
    return sum;
}

// Leaves work behind.
extern "C" int plugin_leave(int *flag, int *out) {
    wait_for<<<1, 1>>>(flag);
    advance<<<1, 1>>>(out);
    return hipGetLastError() == hipSuccess ? 0 : -1;
}
