#include <hip/hip_runtime.h>

#include "boxes.h"

// The node of the points `begin` to `end` is the middle one; those before it are not greater in the level's coordinate.
extern "C" __global__ void boxes(const float *points, const float *queries, unsigned *counts) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, ends[DEPTH], begins[DEPTH], axes[DEPTH], depth = 1, inside = 0;
    float x = queries[3 * i], y = queries[3 * i + 1], size = queries[3 * i + 2];
    begins[0] = 0;
    ends[0] = POINTS;
    axes[0] = 0;
    while (depth > 0) {
        depth--;
        unsigned begin = begins[depth], end = ends[depth], axis = axes[depth], middle = (begin + end) / 2;
        float px = points[2 * middle], py = points[2 * middle + 1];
        if (px >= x && px < x + size && py >= y && py < y + size)
            inside++;
        float p = axis ? py : px, low = axis ? y : x;
        if (middle > begin && p >= low) {
            begins[depth] = begin;
            ends[depth] = middle;
            axes[depth++] = !axis;
        }
        if (middle + 1 < end && p < low + size) {
            begins[depth] = middle + 1;
            ends[depth] = end;
            axes[depth++] = !axis;
        }
    }
    counts[i] = inside;
}
