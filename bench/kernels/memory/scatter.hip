#include <hip/hip_runtime.h>

extern "C" __global__ void scatter(const float *__restrict from, const unsigned *__restrict index, float *__restrict to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[index[i]] = from[i];
}
