#include <hip/hip_runtime.h>

extern "C" __global__ void copy(double *__restrict a, const double *__restrict b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = b[i];
}
