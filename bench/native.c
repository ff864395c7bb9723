/* The native side: plain C with OpenMP, as one would write it for a CPU with a good vectorizer. */
#include "worker.h"

#include <math.h>

static const struct problem *problems[KERNELS];
static float *out[KERNELS];

static void prepare(enum kernel kernel, const struct problem *problem) {
    problems[kernel] = problem;
    out[kernel] = malloc(problem->outputs * 4);
    memset(out[kernel], 0, problem->outputs * 4);
}

static void triad_rounds(float *restrict a, const float *restrict b, const float *restrict c, float s, int n, int rounds) {
#pragma omp parallel
    for (int round = 0; round < rounds; round++)
#pragma omp for schedule(static) nowait
        for (int i = 0; i < n; i++)
            a[i] = fmaf(s, c[i], b[i]);
}

static void triad(float *restrict a, const float *restrict b, const float *restrict c, float s, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
        a[i] = fmaf(s, c[i], b[i]);
}

/* Blocked for registers: 4 rows of 64 columns. The sums run in the order of k, as in the kernels. */
static void sgemm(const float *restrict a, const float *restrict b, float *restrict c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int j0 = 0; j0 < n; j0 += 64)
        for (int i0 = 0; i0 < n; i0 += 4) {
            float sum[4][64] = {{0}};
            for (int k = 0; k < n; k++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 64; j++)
                        sum[i][j] = fmaf(a[(i0 + i) * n + k], b[k * n + j0 + j], sum[i][j]);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 64; j++)
                    c[(i0 + i) * n + j0 + j] = sum[i][j];
        }
}

static void nbody(const float *restrict bodies, float *restrict result, int n) {
#pragma omp parallel for schedule(static)
    for (int i0 = 0; i0 < n; i0 += 16) {
        float px[16], py[16], pz[16], sx[16] = {0}, sy[16] = {0}, sz[16] = {0};
        for (int i = 0; i < 16; i++) {
            px[i] = bodies[(i0 + i) * 4];
            py[i] = bodies[(i0 + i) * 4 + 1];
            pz[i] = bodies[(i0 + i) * 4 + 2];
        }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 16; i++) {
                float x = bodies[j * 4] - px[i], y = bodies[j * 4 + 1] - py[i], z = bodies[j * 4 + 2] - pz[i];
                float inverse = 1.0f / sqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
                float scale = bodies[j * 4 + 3] * (inverse * inverse * inverse);
                sx[i] = fmaf(x, scale, sx[i]);
                sy[i] = fmaf(y, scale, sy[i]);
                sz[i] = fmaf(z, scale, sz[i]);
            }
        for (int i = 0; i < 16; i++) {
            result[(i0 + i) * 4] = sx[i];
            result[(i0 + i) * 4 + 1] = sy[i];
            result[(i0 + i) * 4 + 2] = sz[i];
            result[(i0 + i) * 4 + 3] = 0;
        }
    }
}

/* Sixteen pixels at a time, until the last has escaped. */
static void mandelbrot(int *restrict counts, int width, int height, int limit) {
#pragma STDC FP_CONTRACT OFF
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px += 16) {
            float cx[16], x[16] = {0}, y[16] = {0}, cy = -1.3f + 2.6f / (float)height * (float)py;
            int count[16] = {0}, active = 1;
            for (int i = 0; i < 16; i++)
                cx[i] = -2.2f + 3.2f / (float)width * (float)(px + i);
            for (int step = 0; step < limit && active; step++) {
                active = 0;
                for (int i = 0; i < 16; i++) {
                    float xx = x[i] * x[i], yy = y[i] * y[i];
                    int inside = !(xx + yy > 4.0f);
                    float next_y = fmaf(x[i] + x[i], y[i], cy), next_x = (xx - yy) + cx[i];
                    x[i] = inside ? next_x : x[i];
                    y[i] = inside ? next_y : y[i];
                    count[i] += inside;
                    active |= inside;
                }
            }
            for (int i = 0; i < 16; i++)
                counts[py * width + px + i] = count[i];
        }
}

static inline float cumulative(float d) {
    float k = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
    float poly = k * fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

static void black_scholes(const float *restrict s, const float *restrict k, const float *restrict t, float *restrict call,
                          float *restrict put, int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        float root = VOLATILITY * sqrtf(t[i]);
        float d1 = (logf(s[i] / k[i]) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t[i]) / root, d2 = d1 - root;
        float n1 = cumulative(d1), n2 = cumulative(d2), discounted = k[i] * expf(-RISK_FREE * t[i]);
        call[i] = s[i] * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s[i] * (1.0f - n1);
    }
}

static void run(enum kernel kernel) {
    float *const *in = problems[kernel]->input, *o = out[kernel];
    switch (kernel) {
    case TRIAD_L2:
        triad_rounds(o, in[0], in[1], TRIAD_SCALE, TRIAD_SMALL, TRIAD_ROUNDS);
        break;
    case TRIAD:
        triad(o, in[0], in[1], TRIAD_SCALE, TRIAD_LARGE);
        break;
    case SGEMM16:
    case SGEMM64:
        sgemm(in[0], in[1], o, SGEMM_N);
        break;
    case NBODY:
        nbody(in[0], o, NBODY_N);
        break;
    case MANDELBROT:
        mandelbrot((int *)o, MANDEL_WIDTH, MANDEL_HEIGHT, MANDEL_LIMIT);
        break;
    case BLACK_SCHOLES:
        black_scholes(in[0], in[1], in[2], o, o + OPTIONS, OPTIONS);
        break;
    default:
        break;
    }
}

static void fetch(enum kernel kernel, float *result, size_t count) { memcpy(result, out[kernel], count * 4); }

int main(void) { return worker_main(); }
