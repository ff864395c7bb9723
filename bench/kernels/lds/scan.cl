#include "scan.h"

/* Inclusive prefix sums over the 256 items of a workgroup, in LDS. */
uint scan_items(local uint *part, uint item, uint sum) {
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step_ = 1; step_ < 256; step_ *= 2) {
        uint other = item >= step_ ? part[item - step_] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[item] = sum += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum;
}

/* Prefix sums of four numbers an item; `before` goes in front. */
void scan_four(local uint *part, global const uint *from, global uint *to, uint before) {
    uint item = get_local_id(0);
    uint4 four = ((global const uint4 *)from)[item];
    uint own = four.x + four.y + four.z + four.w;
    before += scan_items(part, item, own) - own;
    four.x += before;
    four.y += four.x;
    four.z += four.y;
    four.w += four.z;
    ((global uint4 *)to)[item] = four;
}

kernel void tile_sums(global const uint *numbers, global uint *tiles) {
    local uint part[256];
    uint item = get_local_id(0);
    uint4 four = ((global const uint4 *)(numbers + get_group_id(0) * TILE))[item];
    part[item] = four.x + four.y + four.z + four.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_ = 128; half_ > 0; half_ /= 2) {
        if (item < half_)
            part[item] += part[item + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        tiles[get_group_id(0)] = part[0];
}

kernel void scan_tile_sums(global uint *tiles) {
    local uint part[256];
    scan_four(part, tiles, tiles, 0);
}

kernel void scan_tiles(global const uint *numbers, global const uint *tiles, global uint *sums) {
    local uint part[256];
    uint tile = get_group_id(0);
    scan_four(part, numbers + tile * TILE, sums + tile * TILE, tile ? tiles[tile - 1] : 0);
}
