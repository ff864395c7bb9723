#include <hip/hip_runtime.h>

extern "C" __global__ void add(double *__restrict a, const double *__restrict b, const double *__restrict c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i] + c[i];
}
