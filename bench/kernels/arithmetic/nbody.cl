#include "nbody.h"

kernel void nbody(global const float4 *bodies, global float4 *result, int n) {
    local float4 tile[256];
    int item = get_local_id(0);
    float4 self = bodies[get_global_id(0)];
    float sx = 0, sy = 0, sz = 0;
    for (int first = 0; first < n; first += 256) {
        tile[item] = bodies[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float x = tile[j].x - self.x, y = tile[j].y - self.y, z = tile[j].z - self.z;
            float inverse = rsqrt(fma(x, x, fma(y, y, fma(z, z, SOFTENING))));
            float scale = tile[j].w * (inverse * inverse * inverse);
            sx = fma(x, scale, sx);
            sy = fma(y, scale, sy);
            sz = fma(z, scale, sz);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    result[get_global_id(0)] = (float4)(sx, sy, sz, 0);
}
