#include "black_scholes.h"

static float cumulative(float d) {
    float k = 1.0f / fma(0.2316419f, fabs(d), 1.0f);
    float poly = k * fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float tail = 0.39894228f * exp(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *s, global const float *k, global const float *t, global float *call, global float *put) {
    int i = get_global_id(0);
    float root = VOLATILITY * sqrt(t[i]);
    float d1 = (log(s[i] / k[i]) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t[i]) / root, d2 = d1 - root;
    float n1 = cumulative(d1), n2 = cumulative(d2), discounted = k[i] * exp(-RISK_FREE * t[i]);
    call[i] = s[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s[i] * (1.0f - n1);
}
