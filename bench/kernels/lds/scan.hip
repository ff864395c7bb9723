#include <hip/hip_runtime.h>

#include "scan.h"

/* Inclusive prefix sums over the 256 items of a workgroup, in LDS. */
static __device__ unsigned scan_items(unsigned *part, unsigned item, unsigned sum) {
    part[item] = sum;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        unsigned other = item >= step ? part[item - step] : 0;
        __syncthreads();
        part[item] = sum += other;
        __syncthreads();
    }
    return sum;
}

/* Prefix sums of four numbers an item; `before` goes in front. */
static __device__ void scan_four(const unsigned *from, unsigned *to, unsigned before) {
    __shared__ unsigned part[256];
    unsigned item = threadIdx.x;
    uint4 four = ((const uint4 *)from)[item];
    unsigned own = four.x + four.y + four.z + four.w;
    before += scan_items(part, item, own) - own;
    four.x += before;
    four.y += four.x;
    four.z += four.y;
    four.w += four.z;
    ((uint4 *)to)[item] = four;
}

extern "C" __global__ void tile_sums(const unsigned *numbers, unsigned *tiles) {
    __shared__ unsigned part[256];
    unsigned item = threadIdx.x;
    uint4 four = ((const uint4 *)(numbers + blockIdx.y * COUNT + blockIdx.x * TILE))[item];
    part[item] = four.x + four.y + four.z + four.w;
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (item < half)
            part[item] += part[item + half];
        __syncthreads();
    }
    if (item == 0)
        tiles[blockIdx.y * TILES + blockIdx.x] = part[0];
}

extern "C" __global__ void scan_tile_sums(unsigned *tiles) {
    tiles += blockIdx.y * TILES;
    scan_four(tiles, tiles, 0);
}

extern "C" __global__ void scan_tiles(const unsigned *numbers, const unsigned *tiles, unsigned *sums) {
    unsigned tile = blockIdx.x;
    unsigned first = blockIdx.y * COUNT + tile * TILE;
    scan_four(numbers + first, sums + first, tile ? tiles[blockIdx.y * TILES + tile - 1] : 0);
}
