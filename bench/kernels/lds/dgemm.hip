#include <hip/hip_runtime.h>

extern "C" __global__ void dgemm(const double *a, const double *b, double *c, int n) {
    __shared__ double ta[16][64], tb[16][64];
    int x = threadIdx.x, y = threadIdx.y, item = y * 16 + x, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    double sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = item; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            tb[i / 64][i % 64] = b[(k0 + i / 64) * n + column0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            double fa[4], fb[4];
            for (int i = 0; i < 4; i++) {
                fa[i] = ta[k][y * 4 + i];
                fb[i] = tb[k][x * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fma(fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + y * 4 + i) * n + column0 + x * 4 + j] = sum[i][j];
}
