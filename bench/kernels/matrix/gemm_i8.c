/* C = A B, A and B in i8, C in i32, with matrix instructions. */
#define N      1024
#define KERNEL "gemm_i8"
#define FACTOR int8_t
#define SUM    int32_t
#include "product.h"

static int8_t number(struct random *random) { return (int8_t)random_bits(random); }

static void prepare(void) {}

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

const struct benchmark bench_gemm_i8 = PRODUCT("Gop", 0, NULL);
