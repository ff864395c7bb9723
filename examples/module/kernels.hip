// Kernels of the module-loading example; a code object without host code.
#include <hip/hip_runtime.h>

__device__ int offset = 5;
__constant__ int table[4] = {1, 10, 100, 1000};

struct Odd { // an argument whose layout has holes
    char tag;
    double scale;
    short shift;
};

extern "C" __global__ void transform(const int *in, long long *out, Odd odd, unsigned short step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (long long)((double)in[i] * odd.scale) + table[i & 3] + offset * step + odd.shift + odd.tag;
}

extern "C" __global__ void copy_reversed(const int *in, int *out, int n) {
    extern __shared__ int lds[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        lds[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = lds[n - 1 - i];
}
