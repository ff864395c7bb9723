#include <hip/hip_runtime.h>

#include "sha256.h"

__device__ const unsigned k[64] = {CUBE_ROOTS};

__device__ static inline void compress(unsigned h[8], unsigned w[16]) {
    unsigned s[8];
    for (int j = 0; j < 8; j++)
        s[j] = h[j];
#pragma unroll
    for (int t = 0; t < 64; t++) {
        unsigned word = w[t % 16];
        unsigned sum = s[7] + LARGE_1(s[4]) + CHOOSE(s[4], s[5], s[6]) + k[t] + word;
        unsigned other = LARGE_0(s[0]) + MAJORITY(s[0], s[1], s[2]);
        s[7] = s[6];
        s[6] = s[5];
        s[5] = s[4];
        s[4] = s[3] + sum;
        s[3] = s[2];
        s[2] = s[1];
        s[1] = s[0];
        s[0] = sum + other;
        w[t % 16] = word + SMALL_0(w[(t + 1) % 16]) + w[(t + 9) % 16] + SMALL_1(w[(t + 14) % 16]);
    }
    for (int j = 0; j < 8; j++)
        h[j] += s[j];
}

extern "C" __global__ void sha256(const unsigned *__restrict messages, unsigned *__restrict digests) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h[8] = {SQUARE_ROOTS}, w[16];
    for (int j = 0; j < 16; j++)
        w[j] = messages[j * COUNT + i];
    compress(h, w);
    for (int j = 0; j < 16; j++)
        w[j] = j == 0 ? 0x80000000u : j == 15 ? 512 : 0;
    compress(h, w);
    for (int j = 0; j < 8; j++)
        digests[j * COUNT + i] = h[j];
}
