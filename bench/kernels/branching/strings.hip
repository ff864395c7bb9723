#include <hip/hip_runtime.h>

#include "strings.h"

// Eight bytes at a time, then byte by byte; each step multiplies by a 64-bit constant.
extern "C" __global__ void strings(const unsigned *begins, const unsigned char *bytes, unsigned long long *hashes) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, at = begins[i], end = begins[i + 1];
    unsigned long long hash = 0xcbf29ce484222325ull ^ (end - at);
    for (; at + 8 <= end; at += 8) {
        unsigned long long word = 0;
        for (int k = 0; k < 8; k++)
            word |= (unsigned long long)bytes[at + k] << 8 * k;
        word *= 0x9fb21c651e98df25ull;
        word ^= word >> 47;
        hash = (hash ^ word) * 0x9fb21c651e98df25ull;
    }
    for (; at < end; at++)
        hash = (hash ^ bytes[at]) * 0x100000001b3ull;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ull;
    hashes[i] = hash ^ hash >> 32;
}
