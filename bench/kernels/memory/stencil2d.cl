#include "stencil2d.h"

kernel void step2d(global const float *restrict from, global float *restrict to) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= N - 1 || y >= N - 1)
        return;
    global const float *at = from + y * N + x;
    float around = (at[-1] + at[1]) + (at[-N] + at[N]);
    to[y * N + x] = fma(0.125f, around, 0.5f * at[0]);
}
