// Iteration counts of the Mandelbrot set: long divergent loops.
#include "check.h"

#include <vector>

#pragma clang fp contract(off) // the host has no fused multiply-add of its own accord

__host__ __device__ inline int iterate(float cx, float cy, int limit) {
    float x = 0, y = 0;
    int count = 0;
    while (count < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        float two_x = x + x;
        y = fmaf(two_x, y, cy);
        x = (xx - yy) + cx;
        count++;
    }
    return count;
}

__global__ void mandelbrot(int *counts, int width, int height, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        counts[y * width + x] = iterate(-2.2f + 3.2f * (float)x / (float)width, -1.3f + 2.6f * (float)y / (float)height, limit);
}

int main(int argc, char **argv) {
    check_name = "mandelbrot";
    int width = (int)argument(argc, argv, 1, 800), height = (int)argument(argc, argv, 2, 600), limit = (int)argument(argc, argv, 3, 500);
    size_t count = (size_t)width * height;
    std::vector<int> want(count), got(count);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[(size_t)y * width + x] = iterate(-2.2f + 3.2f * (float)x / (float)width, -1.3f + 2.6f * (float)y / (float)height, limit);

    int *counts;
    HIP(hipMalloc((void **)&counts, count * 4));
    mandelbrot<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(counts, width, height, limit);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), counts, count * 4, hipMemcpyDeviceToHost));
    compare("count", got.data(), want.data(), count);
    return finish();
}
