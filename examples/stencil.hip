// Five-point Jacobi iteration on a grid with fixed borders, tiles with halo in LDS. Equal to the host bit for bit.
#include "check.h"

#include <utility>
#include <vector>

constexpr int tile_x = 32, tile_y = 8;

__host__ __device__ inline float step(float left, float right, float up, float down, float centre) {
    return fmaf(0.2f, left + right, fmaf(0.2f, up + down, 0.2f * centre));
}

__global__ void jacobi(const float *in, float *out, int width, int height) {
    __shared__ float tile[tile_y + 2][tile_x + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * tile_x + threadIdx.x, y = blockIdx.y * tile_y + threadIdx.y;
    auto load = [&](int column, int row) {
        return column >= 0 && column < width && row >= 0 && row < height ? in[row * width + column] : 0.0f;
    };
    tile[ty][tx] = load(x, y);
    if (threadIdx.x == 0)
        tile[ty][0] = load(x - 1, y);
    if (threadIdx.x == tile_x - 1)
        tile[ty][tile_x + 1] = load(x + 1, y);
    if (threadIdx.y == 0)
        tile[0][tx] = load(x, y - 1);
    if (threadIdx.y == tile_y - 1)
        tile[tile_y + 1][tx] = load(x, y + 1);
    __syncthreads();
    if (x >= width || y >= height)
        return;
    bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    out[y * width + x] = border ? tile[ty][tx] : step(tile[ty][tx - 1], tile[ty][tx + 1], tile[ty - 1][tx], tile[ty + 1][tx], tile[ty][tx]);
}

int main(int argc, char **argv) {
    check_name = "stencil";
    int width = (int)argument(argc, argv, 1, 1000), height = (int)argument(argc, argv, 2, 700), steps = (int)argument(argc, argv, 3, 20);
    size_t count = (size_t)width * height;
    std::vector<float> now(count), next(count), got(count);
    Random random;
    for (float &value : now)
        value = random.uniform();
    float *a, *b;
    HIP(hipMalloc((void **)&a, count * 4));
    HIP(hipMalloc((void **)&b, count * 4));
    HIP(hipMemcpy(a, now.data(), count * 4, hipMemcpyHostToDevice));
    for (int i = 0; i < steps; i++) {
        jacobi<<<dim3((width + tile_x - 1) / tile_x, (height + tile_y - 1) / tile_y), dim3(tile_x, tile_y)>>>(a, b, width, height);
        std::swap(a, b);
    }
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), a, count * 4, hipMemcpyDeviceToHost));

    for (int i = 0; i < steps; i++) {
        next = now;
        for (int y = 1; y < height - 1; y++)
            for (int x = 1; x < width - 1; x++) {
                const float *p = &now[(size_t)y * width + x];
                next[(size_t)y * width + x] = step(p[-1], p[1], p[-width], p[width], p[0]);
            }
        std::swap(now, next);
    }
    compare("value", got.data(), now.data(), count);
    return finish();
}
