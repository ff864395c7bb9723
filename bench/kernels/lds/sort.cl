#include "sort.h"

/* Exclusive prefix sums over the 256 items of a workgroup, in LDS. */
uint scan_items(local uint *part, uint item, uint own) {
    uint sum = own;
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step_ = 1; step_ < 256; step_ *= 2) {
        uint other = item >= step_ ? part[item - step_] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[item] = sum += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return sum - own;
}

kernel void sort_count(global const uint *keys, global uint *counts, int shift) {
    local uint own[DIGITS];
    uint item = get_local_id(0);
    if (item < DIGITS)
        own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < EACH; i++)
        atomic_inc(&own[keys[get_group_id(0) * TILE + i * 256 + item] >> shift & (DIGITS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < DIGITS)
        counts[item * TILES + get_group_id(0)] = own[item];
}

/* Exclusive prefix sums of all counters. */
kernel void sort_sum(global uint *counts) {
    local uint part[256];
    uint item = get_local_id(0), first = item * (COUNTERS / 256), sum = 0, own[COUNTERS / 256];
    for (uint i = 0; i < COUNTERS / 256; i++)
        sum += own[i] = counts[first + i];
    sum = scan_items(part, item, sum);
    for (uint i = 0; i < COUNTERS / 256; i++) {
        counts[first + i] = sum;
        sum += own[i];
    }
}

/* Each item counts its keys' digits; the prefix sums of these counters, digit by digit and item by item, are the keys' places. */
kernel void sort_move(global const uint *keys, global const uint *counts, global uint *to, int shift) {
    local uint tile[TILE], counters[DIGITS * 256], part[256], first[DIGITS];
    uint item = get_local_id(0), own[EACH], sum = 0, each[DIGITS];
    for (uint i = 0; i < EACH; i++)
        tile[i * 256 + item] = keys[get_group_id(0) * TILE + i * 256 + item];
    for (uint i = 0; i < DIGITS; i++)
        counters[i * 256 + item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < EACH; i++) {
        own[i] = tile[item * EACH + i];
        counters[(own[i] >> shift & (DIGITS - 1)) * 256 + item]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < DIGITS; i++)
        sum += each[i] = counters[item * DIGITS + i];
    sum = scan_items(part, item, sum);
    for (uint i = 0; i < DIGITS; i++) {
        counters[item * DIGITS + i] = sum;
        sum += each[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < DIGITS)
        first[item] = counts[item * TILES + get_group_id(0)] - counters[item * 256];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < EACH; i++) {
        uint digit = own[i] >> shift & (DIGITS - 1);
        to[first[digit] + counters[digit * 256 + item]++] = own[i];
    }
}
