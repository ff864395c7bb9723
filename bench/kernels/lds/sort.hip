#include <hip/hip_runtime.h>

#include "sort.h"

/* Exclusive prefix sums over the 256 items of a workgroup, in LDS. */
static __device__ unsigned scan_items(unsigned *part, unsigned item, unsigned own) {
    unsigned sum = own;
    part[item] = sum;
    __syncthreads();
    for (unsigned step = 1; step < 256; step *= 2) {
        unsigned other = item >= step ? part[item - step] : 0;
        __syncthreads();
        part[item] = sum += other;
        __syncthreads();
    }
    return sum - own;
}

extern "C" __global__ void sort_count(const unsigned *keys, unsigned *counts, int shift) {
    __shared__ unsigned own[DIGITS];
    unsigned item = threadIdx.x;
    keys += blockIdx.y * COUNT;
    counts += blockIdx.y * COUNTERS;
    if (item < DIGITS)
        own[item] = 0;
    __syncthreads();
    for (unsigned i = 0; i < EACH; i++)
        atomicAdd(&own[keys[blockIdx.x * TILE + i * 256 + item] >> shift & (DIGITS - 1)], 1u);
    __syncthreads();
    if (item < DIGITS)
        counts[item * TILES + blockIdx.x] = own[item];
}

/* Exclusive prefix sums of all counters. */
extern "C" __global__ void sort_sum(unsigned *counts) {
    __shared__ unsigned part[256];
    unsigned item = threadIdx.x, first = item * (COUNTERS / 256), sum = 0, own[COUNTERS / 256];
    counts += blockIdx.y * COUNTERS;
    for (unsigned i = 0; i < COUNTERS / 256; i++)
        sum += own[i] = counts[first + i];
    sum = scan_items(part, item, sum);
    for (unsigned i = 0; i < COUNTERS / 256; i++) {
        counts[first + i] = sum;
        sum += own[i];
    }
}

/* Each item counts its keys' digits; the prefix sums of these counters, digit by digit and item by item, are the keys' places. */
extern "C" __global__ void sort_move(const unsigned *keys, const unsigned *counts, unsigned *to, int shift) {
    __shared__ unsigned tile[TILE], counters[DIGITS * 256], part[256], first[DIGITS];
    unsigned item = threadIdx.x, own[EACH], sum = 0, each[DIGITS];
    keys += blockIdx.y * COUNT;
    counts += blockIdx.y * COUNTERS;
    to += blockIdx.y * COUNT;
    for (unsigned i = 0; i < EACH; i++)
        tile[i * 256 + item] = keys[blockIdx.x * TILE + i * 256 + item];
    for (unsigned i = 0; i < DIGITS; i++)
        counters[i * 256 + item] = 0;
    __syncthreads();
    for (unsigned i = 0; i < EACH; i++) {
        own[i] = tile[item * EACH + i];
        counters[(own[i] >> shift & (DIGITS - 1)) * 256 + item]++;
    }
    __syncthreads();
    for (unsigned i = 0; i < DIGITS; i++)
        sum += each[i] = counters[item * DIGITS + i];
    sum = scan_items(part, item, sum);
    for (unsigned i = 0; i < DIGITS; i++) {
        counters[item * DIGITS + i] = sum;
        sum += each[i];
    }
    __syncthreads();
    if (item < DIGITS)
        first[item] = counts[item * TILES + blockIdx.x] - counters[item * 256];
    __syncthreads();
    for (unsigned i = 0; i < EACH; i++) {
        unsigned digit = own[i] >> shift & (DIGITS - 1);
        to[first[digit] + counters[digit * 256 + item]++] = own[i];
    }
}
