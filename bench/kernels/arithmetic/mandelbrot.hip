#include <hip/hip_runtime.h>

extern "C" __global__ void mandelbrot(int *counts, int width, int height, int limit) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.2f + 3.2f / (float)width * (float)px, cy = -1.3f + 2.6f / (float)height * (float)py, x = 0, y = 0;
    int count = 0;
    while (count < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = fmaf(x + x, y, cy);
        x = (xx - yy) + cx;
        count++;
    }
    counts[py * width + px] = count;
}
