/* Reads of an array in random order. */
#define KERNEL                   "gather"
#define MOVE(from, index, to, i) (to)[i] = (from)[(index)[i]]
#include "permuted.h"

const struct benchmark bench_gather = MOVED;
