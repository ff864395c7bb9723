#include <hip/hip_runtime.h>

extern "C" __global__ void triad(double *__restrict a, const double *__restrict b, const double *__restrict c, double s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = fma(s, c[i], b[i]);
}
