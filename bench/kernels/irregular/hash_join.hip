#include <hip/hip_runtime.h>

#include "hash_join.h"

extern "C" __global__ void join_build(const unsigned *keys, const unsigned *values, unsigned *table_keys, unsigned *table_values) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i], slot = HASH(key);
    while (atomicCAS(&table_keys[slot], 0u, key) != 0)
        slot = (slot + 1) & (SLOTS - 1);
    table_values[slot] = values[i];
}

extern "C" __global__ void join_probe(const unsigned *keys, const unsigned *table_keys, const unsigned *table_values, unsigned *joined) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i], slot = HASH(key), found;
    while ((found = table_keys[slot]) != 0 && found != key)
        slot = (slot + 1) & (SLOTS - 1);
    joined[i] = found ? table_values[slot] : 0;
}
