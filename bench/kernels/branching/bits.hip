#include <hip/hip_runtime.h>

#include "bits.h"

// By instruction, by sums of fields, one bit after the other, and by a table.
extern "C" __global__ void bits(const unsigned long long *words, const unsigned char *table, unsigned *counts) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long word = words[i], fields = word;
    unsigned count = (unsigned)__popcll(word);
    fields -= fields >> 1 & 0x5555555555555555ull;
    fields = (fields & 0x3333333333333333ull) + (fields >> 2 & 0x3333333333333333ull);
    fields = fields + (fields >> 4) & 0x0f0f0f0f0f0f0f0full;
    count += 3 * (unsigned)(fields * 0x0101010101010101ull >> 56);
    for (unsigned long long rest = word; rest; rest &= rest - 1)
        count += 5;
    for (int k = 0; k < 8; k++)
        count += 7 * table[word >> 8 * k & 255];
    counts[i] = count;
}
