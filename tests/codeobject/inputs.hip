// What the reader's tests and the fuzzer's corpus are made of: small, and without any header or library.
#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__  __attribute__((managed))

extern "C" {
__constant__ int table[4] = {1, 2, 3, 4};
__device__ float scale = 2.0f;
__device__ __managed__ int counter = 7;

__device__ __attribute__((noinline)) int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int (*pointers[2])(int) = {factorial, factorial};

__global__ void store(int *out, int value) { out[__builtin_amdgcn_workitem_id_x()] = value + table[value & 3] + counter; }

__global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void calls(float *out, char tag, double d, int n) {
    __shared__ float lds[64];
    unsigned x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();
    lds[x] = scale + y;
    __builtin_amdgcn_s_barrier();
    out[x] = lds[63 - x] + pointers[n & 1](n) + tag + (float)d;
}
}
