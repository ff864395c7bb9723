#include <hip/hip_runtime.h>

#include "stencil3d.h"

extern "C" __global__ void step3d(const float *__restrict from, float *__restrict to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= N - 1 || y >= N - 1 || z >= N - 1)
        return;
    const float *at = from + z * PLANE + y * N + x;
    float around = ((at[-1] + at[1]) + (at[-N] + at[N])) + (at[-PLANE] + at[PLANE]);
    to[z * PLANE + y * N + x] = fmaf(0.1f, around, 0.4f * at[0]);
}
