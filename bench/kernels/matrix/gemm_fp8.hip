#include <hip/hip_runtime.h>

/* Workgroups of 256 items compute tiles of 64 x 64 from pieces of 64 bytes of 64 rows and columns, which are in LDS; a wave
 * of 64 lanes computes 32 x 32, one of 32 lanes 16 x 32. Numbers are OCP's e4m3, which gfx942 reads as halves of what they
 * are: there the result is multiplied by 4. */
typedef int int2v __attribute__((ext_vector_type(2)));
typedef float float8v __attribute__((ext_vector_type(8)));
typedef float float16v __attribute__((ext_vector_type(16)));

enum { PITCH = 5 }; /* in 16 bytes, one of which only keeps banks apart */

extern "C" __global__ void gemm_fp8(const unsigned char *a, const unsigned char *b, float *c, int n) {
    __shared__ uint4 ta[64 * PITCH], tb[64 * PITCH];
    int item = threadIdx.x, wave = item / warpSize, lane = item % warpSize, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    int piece = item / 4 * PITCH + item % 4;
    const uint4 *from_a = (const uint4 *)(a + (row0 + item / 4) * n) + item % 4,
                *from_b = (const uint4 *)(b + (column0 + item / 4) * n) + item % 4;
#if defined(__gfx942__)
    int row = wave % 2 * 32, column = wave / 2 * 32;
    float16v sum = {};
#else
    int row = wave % 4 * 16, column = wave / 4 * 32;
    float8v sum[2] = {};
#endif
    for (int k = 0; k < n * (int)sizeof(*a) / 16; k += 4) {
        ta[piece] = from_a[k];
        tb[piece] = from_b[k];
        __syncthreads();
#if defined(__gfx942__)
        for (int i = 0; i < 4; i++) {
            long x = *(const long *)((const char *)(ta + (row + lane % 32) * PITCH + i) + lane / 32 * 8);
            long y = *(const long *)((const char *)(tb + (column + lane % 32) * PITCH + i) + lane / 32 * 8);
            sum = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x, y, sum, 0, 0, 0);
        }
#else
        for (int i = 0; i < 4; i++) {
            int2v x = *(const int2v *)((const char *)(ta + (row + lane % 16) * PITCH + i) + lane / 16 * 8);
            for (int tile = 0; tile < 2; tile++) {
                int2v y = *(const int2v *)((const char *)(tb + (column + tile * 16 + lane % 16) * PITCH + i) + lane / 16 * 8);
                sum[tile] = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(x, y, sum[tile]);
            }
        }
#endif
        __syncthreads();
    }
#if defined(__gfx942__)
    for (int i = 0; i < 16; i++)
        c[(row0 + row + i / 4 * 8 + lane / 32 * 4 + i % 4) * n + column0 + column + lane % 32] = sum[i] * 4;
#else
    for (int tile = 0; tile < 2; tile++)
        for (int i = 0; i < 8; i++)
            c[(row0 + row + lane / 16 * 8 + i) * n + column0 + column + tile * 16 + lane % 16] = sum[tile][i];
#endif
}
