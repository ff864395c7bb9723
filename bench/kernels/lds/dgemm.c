/* C = A B in f64 with tiles of 64 x 64 in LDS. */
#include "bench.h"

#include <math.h>

#define N     384
#define BYTES (sizeof(double) * N * N)

static double *a, *b, *c;
static struct buffer da, db, dc;

static void make(struct result *result) {
    a = host_array(BYTES);
    b = host_array(BYTES);
    c = host_array(BYTES);
    random_doubles(1, a, (size_t)N * N, -1, 1);
    random_doubles(2, b, (size_t)N * N, -1, 1);
    *result = (struct result){c, BYTES, BITS, 0, 0};
}

/* Blocked for registers: 4 rows of 32 columns. The sums run in the order of k, as in the kernels. */
static void product(const double *restrict x, const double *restrict y, double *restrict z) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int j0 = 0; j0 < N; j0 += 32)
        for (int i0 = 0; i0 < N; i0 += 4) {
            double sum[4][32] = {{0}};
            for (int k = 0; k < N; k++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 32; j++)
                        sum[i][j] = fma(x[(i0 + i) * N + k], y[k * N + j0 + j], sum[i][j]);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 32; j++)
                    z[(i0 + i) * N + j0 + j] = sum[i][j];
        }
}

static void native(void) { product(a, b, c); }

static void upload(void) {
    da = new_buffer(BYTES, a);
    db = new_buffer(BYTES, b);
    dc = new_buffer(BYTES, NULL);
}

static void device(void) { LAUNCH("dgemm", EXTENT(N / 64, N / 64), EXTENT(16, 16), BUFFER(da), BUFFER(db), BUFFER(dc), INT(N)); }

static void fetch(void) { read_buffer(c, dc, BYTES); }

const struct benchmark bench_dgemm = {
    make, native, upload, device, fetch, 2e-9 * N *N *N, "GFLOP", 0, "the native side is blocked for registers, in one level"};
