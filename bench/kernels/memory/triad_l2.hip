#include <hip/hip_runtime.h>

extern "C" __global__ void triad_passes(float *__restrict a, const float *__restrict b, const float *__restrict c, float s, int n,
                                        int passes) {
    for (int pass = 0; pass < passes; pass++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            a[i] = fmaf(s, c[i], b[i]);
}
