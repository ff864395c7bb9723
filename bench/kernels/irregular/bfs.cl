#include "bfs.h"

kernel void bfs_start(global uint *levels, global uint *queue_) {
    uint vertex = get_global_id(0);
    levels[vertex] = vertex == 0 ? 0 : UNREACHED;
    if (vertex == 0)
        queue_[0] = 0;
}

kernel void bfs_level(global const uint *begins, global const uint *targets, global uint *levels, global const uint *queue_, uint count,
                      global uint *next, global uint *found, uint depth) {
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint vertex = queue_[i], end = begins[vertex + 1];
    for (uint e = begins[vertex]; e < end; e++) {
        uint target = targets[e];
        if (levels[target] == UNREACHED && atomic_cmpxchg(&levels[target], UNREACHED, depth) == UNREACHED)
            next[atomic_inc(found)] = target;
    }
}
