/* Conjugate gradients in f64 for Poisson's equation on a square, five points, zero outside. No value goes to the host between. */
#include "cg.h"
#include "bench.h"

#include <math.h>
#include <string.h>

#define BYTES (sizeof(double) * COUNT)

static double *right, *x, *r, *p, *q;
static struct buffer dright, dx, dr, dp, dq, dpartial, dwords;

static void make(struct result *result) {
    right = host_array(BYTES);
    x = host_array(BYTES);
    r = host_array(BYTES);
    p = host_array(BYTES);
    q = host_array(BYTES);
    random_doubles(1, right, COUNT, -1, 1);
    *result = (struct result){x, BYTES, DOUBLES, 0, 1e-10}; /* sums in different orders */
}

/* to = A from; returns from . to */
static double apply(const double *restrict from, double *restrict to) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int row = 0; row < N; row++)
        for (int column = 0; column < N; column++) {
            const double *at = from + row * N + column;
            double left = column > 0 ? at[-1] : 0, east = column < N - 1 ? at[1] : 0;
            double up = row > 0 ? at[-N] : 0, down = row < N - 1 ? at[N] : 0;
            double value = fma(4.0, at[0], -((left + east) + (up + down)));
            to[row * N + column] = value;
            sum += at[0] * value;
        }
    return sum;
}

/* x += alpha p, r -= alpha q; returns r . r */
static double update(double alpha, double *restrict to, double *restrict rest, const double *restrict along, const double *restrict image) {
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int i = 0; i < COUNT; i++) {
        to[i] = fma(alpha, along[i], to[i]);
        double value = fma(-alpha, image[i], rest[i]);
        rest[i] = value;
        sum += value * value;
    }
    return sum;
}

static double start(void) {
    double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int i = 0; i < COUNT; i++) {
        double value = right[i];
        x[i] = 0;
        r[i] = value;
        p[i] = value;
        sum += value * value;
    }
    return sum;
}

static void native(void) {
    double rr = start();
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        double next = update(rr / apply(p, q), x, r, p, q), beta = next / rr;
        rr = next;
#pragma omp parallel for schedule(static)
        for (int i = 0; i < COUNT; i++)
            p[i] = fma(beta, p[i], r[i]);
    }
}

static void upload(void) {
    dright = new_buffer(BYTES, right);
    dx = new_buffer(BYTES, NULL);
    dr = new_buffer(BYTES, NULL);
    dp = new_buffer(BYTES, NULL);
    dq = new_buffer(BYTES, NULL);
    dpartial = new_buffer(GROUPS * sizeof(double), NULL);
    dwords = new_buffer(WORDS * sizeof(double), NULL);
}

static void device(void) {
    struct extent groups = EXTENT(GROUPS), items = EXTENT(GROUP), one = EXTENT(1);
    LAUNCH("cg_start", groups, items, BUFFER(dright), BUFFER(dx), BUFFER(dr), BUFFER(dp), BUFFER(dpartial));
    LAUNCH("cg_first", one, items, BUFFER(dpartial), BUFFER(dwords));
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        LAUNCH("cg_apply", groups, items, BUFFER(dp), BUFFER(dq), BUFFER(dpartial));
        LAUNCH("cg_alpha", one, items, BUFFER(dpartial), BUFFER(dwords));
        LAUNCH("cg_update", groups, items, BUFFER(dx), BUFFER(dr), BUFFER(dp), BUFFER(dq), BUFFER(dpartial), BUFFER(dwords));
        LAUNCH("cg_beta", one, items, BUFFER(dpartial), BUFFER(dwords));
        LAUNCH("cg_direction", EXTENT(COUNT / GROUP), items, BUFFER(dp), BUFFER(dr), BUFFER(dwords));
    }
}

static void fetch(void) { read_buffer(x, dx, BYTES); }

const struct benchmark bench_cg = {
    make, native, upload, device, fetch, 18e-9 * COUNT *ITERATIONS, "GFLOP", 0, "101 small launches; the solution within 1e-10"};
