#include <hip/hip_runtime.h>

extern "C" __global__ void transpose(const float *from, float *to, int n) {
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
    for (int i = 0; i < 32; i += 8)
        tile[y + i][x] = from[(y0 + y + i) * n + x0 + x];
    __syncthreads();
    for (int i = 0; i < 32; i += 8)
        to[(x0 + y + i) * n + y0 + x] = tile[x][y + i];
}
