#include <hip/hip_runtime.h>

#include "bfs.h"

extern "C" __global__ void bfs_start(unsigned *levels, unsigned *queue) {
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    levels[vertex] = vertex == 0 ? 0 : UNREACHED;
    if (vertex == 0)
        queue[0] = 0;
}

extern "C" __global__ void bfs_level(const unsigned *begins, const unsigned *targets, unsigned *levels, const unsigned *queue,
                                     unsigned count, unsigned *next, unsigned *found, unsigned depth) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned vertex = queue[i], end = begins[vertex + 1];
    for (unsigned e = begins[vertex]; e < end; e++) {
        unsigned target = targets[e];
        if (levels[target] == UNREACHED && atomicCAS(&levels[target], UNREACHED, depth) == UNREACHED)
            next[atomicAdd(found, 1u)] = target;
    }
}
