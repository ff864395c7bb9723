/* C = A B, A and B in f16, C in f32, with matrix instructions. The second factor is stored by columns, as weights are. */
#include "bench.h"

#include <math.h>

#ifdef BENCH_LARGE
#define N 4096
#else
#define N 1024
#endif

static _Float16 *a, *b;
static float *c;
static float *wide_a, *panels; /* the native side's */
static struct buffer da, db, dc;

/* Multiples of 1/8: their sums are exact in any order. */
static void make(struct result *result) {
    struct random random = {1};
    a = host_array(sizeof(_Float16) * N * N);
    b = host_array(sizeof(_Float16) * N * N);
    c = host_array(sizeof(float) * N * N);
    wide_a = host_array(sizeof(float) * N * N);
    panels = host_array(sizeof(float) * N * N);
    for (size_t i = 0; i < (size_t)N * N; i++) {
        a[i] = (_Float16)(((int)random_below(&random, 65) - 32) * 0.125f);
        b[i] = (_Float16)(((int)random_below(&random, 65) - 32) * 0.125f);
    }
    *result = (struct result){c, sizeof(float) * N * N, BITS, 0, 0};
}

/* Converts both factors, the second one into panels of 64 columns, then sums 4 rows of 64 columns in registers. */
static void native(void) {
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N * N; i++)
            wide_a[i] = (float)a[i];
#pragma omp for schedule(static)
        for (int j0 = 0; j0 < N; j0 += 64)
            for (int j = 0; j < 64; j++)
                for (int k = 0; k < N; k++)
                    panels[(j0 * N) + k * 64 + j] = (float)b[(j0 + j) * N + k];
#pragma omp for collapse(2) schedule(static)
        for (int j0 = 0; j0 < N; j0 += 64)
            for (int i0 = 0; i0 < N; i0 += 4) {
                float sum[4][64] = {{0}};
                const float *panel = panels + j0 * N;
                for (int k = 0; k < N; k++)
                    for (int i = 0; i < 4; i++)
                        for (int j = 0; j < 64; j++)
                            sum[i][j] = fmaf(wide_a[(i0 + i) * N + k], panel[k * 64 + j], sum[i][j]);
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 64; j++)
                        c[(i0 + i) * N + j0 + j] = sum[i][j];
            }
    }
}

static void upload(void) {
    da = new_buffer(sizeof(_Float16) * N * N, a);
    db = new_buffer(sizeof(_Float16) * N * N, b);
    dc = new_buffer(sizeof(float) * N * N, NULL);
}

/* Workgroups of 256 items compute tiles of 64 x 64. */
static void device(void) { LAUNCH("gemm_f16", EXTENT(N / 64, N / 64), EXTENT(256), BUFFER(da), BUFFER(db), BUFFER(dc), INT(N)); }

static void fetch(void) { read_buffer(c, dc, sizeof(float) * N * N); }

const struct benchmark bench_gemm_f16 = {
    make, native, upload, device, fetch, 2e-9 * N *N *N, "GFLOP", 20, "exact in any order: multiples of 1/8"};
