/* C = A B in f64 with tiles of 64 x 64 in LDS. */
#define KERNEL                   "dgemm"
#define TILE                     64
#define N                        384
#define SCALAR                   double
#define MULTIPLY_ADD             fma
#define FILL(seed, array, count) random_doubles(seed, array, count, -1, 1)
#include "product.h"

const struct benchmark bench_dgemm = PRODUCT("the native side is blocked for registers, in one level");
