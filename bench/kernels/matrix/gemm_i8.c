/* C = A B, A and B in i8, C in i32, with matrix instructions. The second factor is stored by columns, as weights are. */
#include "bench.h"

#define N 1024

static int8_t *a, *b;
static int32_t *c;
static struct buffer da, db, dc;

static void make(struct result *result) {
    struct random random = {1};
    a = host_array(sizeof(int8_t) * N * N);
    b = host_array(sizeof(int8_t) * N * N);
    c = host_array(sizeof(int32_t) * N * N);
    for (size_t i = 0; i < (size_t)N * N; i++) {
        a[i] = (int8_t)random_bits(&random);
        b[i] = (int8_t)random_bits(&random);
    }
    *result = (struct result){c, sizeof(int32_t) * N * N, BITS, 0, 0};
}

/* 4 sums at a time, along k, which the compiler vectorizes. */
static void native(void) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int j0 = 0; j0 < N; j0 += 64)
        for (int i = 0; i < N; i++)
            for (int j = j0; j < j0 + 64; j += 4) {
                const int8_t *row = a + i * N, *column = b + j * N;
                int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
                for (int k = 0; k < N; k++) {
                    s0 += row[k] * column[k];
                    s1 += row[k] * column[N + k];
                    s2 += row[k] * column[2 * N + k];
                    s3 += row[k] * column[3 * N + k];
                }
                int32_t *to = c + i * N + j;
                to[0] = s0;
                to[1] = s1;
                to[2] = s2;
                to[3] = s3;
            }
}

static void upload(void) {
    da = new_buffer(sizeof(int8_t) * N * N, a);
    db = new_buffer(sizeof(int8_t) * N * N, b);
    dc = new_buffer(sizeof(int32_t) * N * N, NULL);
}

/* Workgroups of 256 items compute tiles of 64 x 64. */
static void device(void) { LAUNCH("gemm_i8", EXTENT(N / 64, N / 64), EXTENT(256), BUFFER(da), BUFFER(db), BUFFER(dc), INT(N)); }

static void fetch(void) { read_buffer(c, dc, sizeof(int32_t) * N * N); }

const struct benchmark bench_gemm_i8 = {make, native, upload, device, fetch, 2e-9 * N *N *N, "Gop", 0, NULL};
