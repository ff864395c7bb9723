#include "strings.h"

kernel void strings(global const uint *begins, global const uchar *bytes, global ulong *hashes) {
    uint i = get_global_id(0), at = begins[i], end = begins[i + 1];
    ulong hash = 0xcbf29ce484222325ul ^ (end - at);
    for (; at + 8 <= end; at += 8) {
        ulong word = 0;
        for (int k = 0; k < 8; k++)
            word |= (ulong)bytes[at + k] << 8 * k;
        word *= 0x9fb21c651e98df25ul;
        word ^= word >> 47;
        hash = (hash ^ word) * 0x9fb21c651e98df25ul;
    }
    for (; at < end; at++)
        hash = (hash ^ bytes[at]) * 0x100000001b3ul;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93ul;
    hashes[i] = hash ^ hash >> 32;
}
