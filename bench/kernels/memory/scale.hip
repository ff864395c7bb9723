#include <hip/hip_runtime.h>

extern "C" __global__ void scale(double *__restrict a, const double *__restrict b, double s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = s * b[i];
}
