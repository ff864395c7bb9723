/* C = A B in f32 with tiles of 16 x 16 in LDS. */
#define KERNEL                   "sgemm16"
#define TILE                     16
#define N                        512
#define SCALAR                   float
#define MULTIPLY_ADD             fmaf
#define FILL(seed, array, count) random_floats(seed, array, count, 0, 1)
#include "product.h"

const struct benchmark bench_sgemm16 = PRODUCT("the native side is blocked for registers: better than what the kernel says");
