#include "bits.h"

kernel void bits(global const ulong *words, global const uchar *table, global uint *counts) {
    uint i = get_global_id(0);
    ulong word = words[i], fields = word;
    uint count = (uint)popcount(word);
    fields -= fields >> 1 & 0x5555555555555555ul;
    fields = (fields & 0x3333333333333333ul) + (fields >> 2 & 0x3333333333333333ul);
    fields = fields + (fields >> 4) & 0x0f0f0f0f0f0f0f0ful;
    count += 3 * (uint)(fields * 0x0101010101010101ul >> 56);
    for (ulong rest = word; rest; rest &= rest - 1)
        count += 5;
    for (int k = 0; k < 8; k++)
        count += 7 * table[word >> 8 * k & 255];
    counts[i] = count;
}
