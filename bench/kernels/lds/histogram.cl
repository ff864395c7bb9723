#include "histogram.h"

kernel void histogram(global const uint *words, global uint *counts, int n) {
    local uint own[BINS];
    own[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint word = words[i];
        atomic_inc(&own[word & 255]);
        atomic_inc(&own[word >> 8 & 255]);
        atomic_inc(&own[word >> 16 & 255]);
        atomic_inc(&own[word >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[get_local_id(0)], own[get_local_id(0)]);
}
