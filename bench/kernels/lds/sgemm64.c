/* C = A B in f32 with tiles of 64 x 64 in LDS. */
#ifdef BENCH_LARGE
#define N 4096
#else
#define N 512
#endif
#define KERNEL                   "sgemm64"
#define TILE                     64
#define SCALAR                   float
#define MULTIPLY_ADD             fmaf
#define FILL(seed, array, count) random_floats(seed, array, count, 0, 1)
#include "product.h"

const struct benchmark bench_sgemm64 = PRODUCT("the native side is blocked for registers: better than what the kernel says");
