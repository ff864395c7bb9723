#include <hip/hip_runtime.h>

#include "fft.h"

#define QUARTER (POINTS / 4)

__device__ static inline float2 times(float2 x, float2 w) { return make_float2(fmaf(x.x, w.x, -(x.y * w.y)), fmaf(x.x, w.y, x.y * w.x)); }

// One work item has four points in registers; between passes they change hands in LDS.
__device__ static inline void pass(int p, float2 x[4], int i, const float2 *factors) {
    int k = i & (p - 1);
    for (int q = 1; q < 4; q++)
        x[q] = times(x[q], factors[k * q * (QUARTER / p)]);
    float2 a = make_float2(x[0].x + x[2].x, x[0].y + x[2].y), b = make_float2(x[0].x - x[2].x, x[0].y - x[2].y);
    float2 c = make_float2(x[1].x + x[3].x, x[1].y + x[3].y), d = make_float2(x[1].x - x[3].x, x[1].y - x[3].y);
    x[0] = make_float2(a.x + c.x, a.y + c.y);
    x[1] = make_float2(b.x + d.y, b.y - d.x);
    x[2] = make_float2(a.x - c.x, a.y - c.y);
    x[3] = make_float2(b.x - d.y, b.y + d.x);
}

extern "C" __global__ void __launch_bounds__(QUARTER) fft(const float2 *in, float2 *out, const float2 *factors) {
    __shared__ float2 points[POINTS];
    int i = threadIdx.x;
    float2 x[4];
    in += blockIdx.x * POINTS;
    out += blockIdx.x * POINTS;
    for (int q = 0; q < 4; q++)
        x[q] = in[i + q * QUARTER];
#pragma unroll
    for (int p = 1; p < QUARTER; p *= 4) {
        int k = i & (p - 1), j = (i - k) * 4 + k;
        pass(p, x, i, factors);
        for (int q = 0; q < 4; q++)
            points[j + q * p] = x[q];
        __syncthreads();
        for (int q = 0; q < 4; q++)
            x[q] = points[i + q * QUARTER];
        __syncthreads();
    }
    pass(QUARTER, x, i, factors);
    for (int q = 0; q < 4; q++)
        out[i + q * QUARTER] = x[q];
}
