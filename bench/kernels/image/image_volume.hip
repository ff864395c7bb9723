#include <hip/hip_runtime.h>

#include "image_volume.h"

extern "C" __global__ void image_volume(hipTextureObject_t volume, const float *at, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex3D<float>(volume, at[i], at[COUNT + i], at[2 * COUNT + i]);
}
