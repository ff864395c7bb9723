#include "fft.h"

#define QUARTER (POINTS / 4)

static float2 times(float2 x, float2 w) { return (float2)(fma(x.x, w.x, -(x.y * w.y)), fma(x.x, w.y, x.y * w.x)); }

static void pass(int p, float2 x[4], int i, global const float2 *factors) {
    int k = i & (p - 1);
    for (int q = 1; q < 4; q++)
        x[q] = times(x[q], factors[k * q * (QUARTER / p)]);
    float2 a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = x[1] - x[3];
    x[0] = a + c;
    x[1] = (float2)(b.x + d.y, b.y - d.x);
    x[2] = a - c;
    x[3] = (float2)(b.x - d.y, b.y + d.x);
}

kernel __attribute__((reqd_work_group_size(QUARTER, 1, 1))) void fft(global const float2 *in, global float2 *out, global const float2 *factors) {
    local float2 points[POINTS];
    int i = get_local_id(0);
    float2 x[4];
    in += get_group_id(0) * POINTS;
    out += get_group_id(0) * POINTS;
    for (int q = 0; q < 4; q++)
        x[q] = in[i + q * QUARTER];
#pragma unroll
    for (int p = 1; p < QUARTER; p *= 4) {
        int k = i & (p - 1), j = (i - k) * 4 + k;
        pass(p, x, i, factors);
        for (int q = 0; q < 4; q++)
            points[j + q * p] = x[q];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = 0; q < 4; q++)
            x[q] = points[i + q * QUARTER];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    pass(QUARTER, x, i, factors);
    for (int q = 0; q < 4; q++)
        out[i + q * QUARTER] = x[q];
}
