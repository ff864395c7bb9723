#include <hip/hip_runtime.h>

#include "nbody.h"

extern "C" __global__ void nbody(const float4 *bodies, float4 *result, int n) {
    __shared__ float4 tile[256];
    float4 self = bodies[blockIdx.x * 256 + threadIdx.x];
    float sx = 0, sy = 0, sz = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float x = tile[j].x - self.x, y = tile[j].y - self.y, z = tile[j].z - self.z;
            float inverse = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
            float scale = tile[j].w * (inverse * inverse * inverse);
            sx = fmaf(x, scale, sx);
            sy = fmaf(y, scale, sy);
            sz = fmaf(z, scale, sz);
        }
        __syncthreads();
    }
    result[blockIdx.x * 256 + threadIdx.x] = make_float4(sx, sy, sz, 0);
}
