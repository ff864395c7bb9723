/* C = A B, A and B in f16, C in f32, with matrix instructions. */
#ifdef BENCH_LARGE
#define N 4096
#else
#define N 1024
#endif
#define KERNEL "gemm_f16"
#define FACTOR _Float16
#define SUM    float
#include "product.h"

#define WIDEN(x) (float)(x)
#include "panels.h"

/* Multiples of 1/8: their sums are exact in any order. */
static _Float16 number(struct random *random) { return (_Float16)(((int)random_below(random, 65) - 32) * 0.125f); }

static void prepare(void) { make_panels(); }

const struct benchmark bench_gemm_f16 = PRODUCT("GFLOP", 20, "exact in any order: multiples of 1/8");
