#include <hip/hip_runtime.h>

#include "black_scholes.h"

__device__ inline float cumulative(float d) {
    float k = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
    float poly = k * fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float *s, const float *k, const float *t, float *call, float *put) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float root = VOLATILITY * sqrtf(t[i]);
    float d1 = (logf(s[i] / k[i]) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t[i]) / root, d2 = d1 - root;
    float n1 = cumulative(d1), n2 = cumulative(d2), discounted = k[i] * expf(-RISK_FREE * t[i]);
    call[i] = s[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s[i] * (1.0f - n1);
}
