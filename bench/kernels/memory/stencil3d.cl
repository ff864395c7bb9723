#include "stencil3d.h"

kernel void step3d(global const float *restrict from, global float *restrict to) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x < 1 || y < 1 || z < 1 || x >= N - 1 || y >= N - 1 || z >= N - 1)
        return;
    global const float *at = from + z * PLANE + y * N + x;
    float around = ((at[-1] + at[1]) + (at[-N] + at[N])) + (at[-PLANE] + at[PLANE]);
    to[z * PLANE + y * N + x] = fma(0.1f, around, 0.4f * at[0]);
}
