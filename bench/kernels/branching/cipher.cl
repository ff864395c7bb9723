#include "cipher.h"

kernel void cipher(global const uchar *from, global const ushort *keys, global uchar *to) {
    uint i = get_global_id(0);
    ushort y = (ushort)(from[4 * i] | from[4 * i + 1] << 8), x = (ushort)(from[4 * i + 2] | from[4 * i + 3] << 8);
    for (int k = 0; k < ROUNDS; k++) {
        x = (ushort)(x >> 7 | x << 9);
        x = (ushort)((ushort)(x + y) ^ keys[k]);
        y = (ushort)(y << 2 | y >> 14);
        y = (ushort)(y ^ x);
    }
    to[4 * i] = (uchar)y;
    to[4 * i + 1] = (uchar)(y >> 8);
    to[4 * i + 2] = (uchar)x;
    to[4 * i + 3] = (uchar)(x >> 8);
}
