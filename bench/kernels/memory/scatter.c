/* Writes of an array in random order, each place once. */
#define KERNEL                   "scatter"
#define MOVE(from, index, to, i) (to)[(index)[i]] = (from)[i]
#include "permuted.h"

const struct benchmark bench_scatter = MOVED;
