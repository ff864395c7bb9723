#include <hip/hip_runtime.h>

extern "C" __global__ void sgemm16(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        ta[y][x] = a[row * n + k0 + x];
        tb[y][x] = b[(k0 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum = fmaf(ta[y][k], tb[k][x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}
