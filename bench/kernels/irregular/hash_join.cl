#include "hash_join.h"

kernel void join_build(global const uint *keys, global const uint *values, global uint *table_keys, global uint *table_values) {
    uint i = get_global_id(0), key = keys[i], slot = HASH(key);
    while (atomic_cmpxchg(&table_keys[slot], 0u, key) != 0)
        slot = (slot + 1) & (SLOTS - 1);
    table_values[slot] = values[i];
}

kernel void join_probe(global const uint *keys, global const uint *table_keys, global const uint *table_values, global uint *joined) {
    uint i = get_global_id(0), key = keys[i], slot = HASH(key), found;
    while ((found = table_keys[slot]) != 0 && found != key)
        slot = (slot + 1) & (SLOTS - 1);
    joined[i] = found ? table_values[slot] : 0;
}
