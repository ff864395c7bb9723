/* C = A B in f32 with tiles of 64 x 64 in LDS. */
#include "bench.h"

#include <math.h>

#ifdef BENCH_LARGE
#define N 4096
#else
#define N 512
#endif
#define BYTES (sizeof(float) * N * N)

static float *a, *b, *c;
static struct buffer da, db, dc;

static void make(struct result *result) {
    a = host_array(BYTES);
    b = host_array(BYTES);
    c = host_array(BYTES);
    random_floats(1, a, (size_t)N * N, 0, 1);
    random_floats(2, b, (size_t)N * N, 0, 1);
    *result = (struct result){c, BYTES, BITS, 0, 0};
}

/* Blocked for registers: 4 rows of 64 columns. The sums run in the order of k, as in the kernels. */
static void product(const float *restrict x, const float *restrict y, float *restrict z) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int j0 = 0; j0 < N; j0 += 64)
        for (int i0 = 0; i0 < N; i0 += 4) {
            float sum[4][64] = {{0}};
            for (int k = 0; k < N; k++)
                for (int i = 0; i < 4; i++)
                    for (int j = 0; j < 64; j++)
                        sum[i][j] = fmaf(x[(i0 + i) * N + k], y[k * N + j0 + j], sum[i][j]);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 64; j++)
                    z[(i0 + i) * N + j0 + j] = sum[i][j];
        }
}

static void native(void) { product(a, b, c); }

static void upload(void) {
    da = new_buffer(BYTES, a);
    db = new_buffer(BYTES, b);
    dc = new_buffer(BYTES, NULL);
}

static void device(void) { LAUNCH("sgemm64", EXTENT(N / 64, N / 64), EXTENT(16, 16), BUFFER(da), BUFFER(db), BUFFER(dc), INT(N)); }

static void fetch(void) { read_buffer(c, dc, BYTES); }

const struct benchmark bench_sgemm64 = {make,    native, upload,
                                        device,  fetch,  2e-9 * N *N *N,
                                        "GFLOP", 0,      "the native side is blocked for registers: better than what the kernel says"};
