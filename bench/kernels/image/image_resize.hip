#include <hip/hip_runtime.h>

#include "image_resize.h"

extern "C" __global__ void image_resize(hipTextureObject_t image, uchar4 *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float4 v = tex2D<float4>(image, (x + 0.5f) / OUT_WIDTH, (y + 0.5f) / OUT_HEIGHT);
    out[y * OUT_WIDTH + x] = make_uchar4(v.x * 255 + 0.5f, v.y * 255 + 0.5f, v.z * 255 + 0.5f, v.w * 255 + 0.5f);
}
