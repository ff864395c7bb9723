/* C = A B, A and B in fp8 (e4m3), C in f32, with matrix instructions. */
#define N      1024
#define KERNEL "gemm_fp8"
#define FACTOR uint8_t
#define SUM    float
#include "product.h"

static float value[256]; /* of each fp8 number */

#define WIDEN(x) value[x]
#include "panels.h"

/* OCP's e4m3. */
static float decode(int bits) {
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    float size = exponent ? ldexpf((float)(8 + fraction), exponent - 10) : ldexpf((float)fraction, -9);
    return bits & 128 ? -size : size;
}

/* 0.5 <= size < 4: the sums of products are exact in any order. */
static uint8_t number(struct random *random) { return (uint8_t)((random_below(random, 24) + (6 << 3)) | random_below(random, 2) << 7); }

static void prepare(void) {
    make_panels();
    for (int i = 0; i < 256; i++)
        value[i] = decode(i);
}

const struct benchmark bench_gemm_fp8 =
    PRODUCT("GFLOP", 20, "exact in any order; gfx942's fp8 has another bias, which the kernel corrects in the result");
