#include <hip/hip_runtime.h>

#include "cipher.h"

extern "C" __global__ void cipher(const unsigned char *from, const unsigned short *keys, unsigned char *to) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short y = (unsigned short)(from[4 * i] | from[4 * i + 1] << 8), x = (unsigned short)(from[4 * i + 2] | from[4 * i + 3] << 8);
    for (int k = 0; k < ROUNDS; k++) {
        x = (unsigned short)(x >> 7 | x << 9);
        x = (unsigned short)((unsigned short)(x + y) ^ keys[k]);
        y = (unsigned short)(y << 2 | y >> 14);
        y = (unsigned short)(y ^ x);
    }
    to[4 * i] = (unsigned char)y;
    to[4 * i + 1] = (unsigned char)(y >> 8);
    to[4 * i + 2] = (unsigned char)x;
    to[4 * i + 3] = (unsigned char)(x >> 8);
}
