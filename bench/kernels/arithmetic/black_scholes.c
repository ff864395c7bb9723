/* Prices of European options: logarithms, exponentials, divisions, square roots. */
#include "black_scholes.h"
#include "bench.h"

#include <math.h>

#define BYTES (COUNT * sizeof(float))

static float *s, *k, *t, *prices; /* calls, then puts */
static struct buffer ds, dk, dt, dcall, dput;

static void make(struct result *result) {
    s = host_array(BYTES);
    k = host_array(BYTES);
    t = host_array(BYTES);
    prices = host_array(2 * BYTES);
    random_floats(1, s, COUNT, 5, 30);
    random_floats(2, k, COUNT, 1, 100);
    random_floats(3, t, COUNT, 0.25f, 10);
    *result = (struct result){prices, 2 * BYTES, FLOATS, 0, 4e-4}; /* differences of numbers up to 100 */
}

static inline float cumulative(float d) {
    float x = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
    float poly = x * fmaf(x, fmaf(x, fmaf(x, fmaf(x, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

static void native(void) {
    float *restrict call = prices, *restrict put = prices + COUNT;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < COUNT; i++) {
        float root = VOLATILITY * sqrtf(t[i]);
        float d1 = (logf(s[i] / k[i]) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t[i]) / root, d2 = d1 - root;
        float n1 = cumulative(d1), n2 = cumulative(d2), discounted = k[i] * expf(-RISK_FREE * t[i]);
        call[i] = s[i] * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s[i] * (1.0f - n1);
    }
}

static void upload(void) {
    ds = new_buffer(BYTES, s);
    dk = new_buffer(BYTES, k);
    dt = new_buffer(BYTES, t);
    dcall = new_buffer(BYTES, NULL);
    dput = new_buffer(BYTES, NULL);
}

static void device(void) {
    LAUNCH("black_scholes", EXTENT(COUNT / 256), EXTENT(256), BUFFER(ds), BUFFER(dk), BUFFER(dt), BUFFER(dcall), BUFFER(dput));
}

static void fetch(void) {
    read_buffer(prices, dcall, BYTES);
    read_buffer(prices + COUNT, dput, BYTES);
}

const struct benchmark bench_black_scholes = {
    make,      native, upload,
    device,    fetch,  1e-9 * COUNT,
    "Goption", 0,      "the native side calls libm's scalar functions; prices within 4e-4 of up to 100"};
