#include <hip/hip_runtime.h>

#include "stencil2d.h"

extern "C" __global__ void step2d(const float *__restrict from, float *__restrict to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= N - 1 || y >= N - 1)
        return;
    const float *at = from + y * N + x;
    float around = (at[-1] + at[1]) + (at[-N] + at[N]);
    to[y * N + x] = fmaf(0.125f, around, 0.5f * at[0]);
}
