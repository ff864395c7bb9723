// Shared memory, cooperative groups and launches; histogram and sum of a grid.
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

#ifdef __CUDACC__
#define COMPILER "a compiler for devices"
#else
#define COMPILER "a compiler for hosts"
#endif

__host__ __device__ static int where() {
#if defined(__CUDA_ARCH__)
    return 1;
#else
    return 2;
#endif
}

template <int kBlock>
__global__ void __launch_bounds__(kBlock) blockSums(const int *in, int *out, int n) {
    __shared__ int part[kBlock];
    extern __shared__ int bins[];
    cg::thread_block block = cg::this_thread_block();
    for (int i = block.thread_rank(); i < 16; i += kBlock)
        bins[i] = 0;
    block.sync();
    int i = blockIdx.x * kBlock + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    if (i < n)
        atomicAdd(&bins[in[i] & 15], where());
    __syncthreads();
    for (int half = kBlock / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        block.sync();
    }
    if (threadIdx.x == 0)
        atomicAdd(&out[16], part[0]);
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void rounds(int *data, int n, int count) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int round = 0; round < count; round++) {
        int neighbour = i < n ? data[(i + 1) % n] : 0;
        grid.sync();
        if (i < n)
            data[i] += neighbour;
        grid.sync();
    }
}

#define CHECK(...)                                                                                                                         \
    do {                                                                                                                                   \
        if (auto status = (__VA_ARGS__); status != cudaSuccess) {                                                                          \
            std::printf("%s: %s\n", #__VA_ARGS__, cudaGetErrorString(status));                                                             \
            return 1;                                                                                                                      \
        }                                                                                                                                  \
    } while (false)

int main() {
    const int n = 5000, m = 256;
    static int host[n], result[17], ring[m];
    int *in, *out, *data;
    std::printf("%s, %d\n", COMPILER, where());
    for (int i = 0; i < n; i++)
        host[i] = i;
    CHECK(cudaMalloc((void **)&in, sizeof host));
    CHECK(cudaMalloc(reinterpret_cast<void **>(&out), sizeof result));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, sizeof result));
    blockSums<256><<<(n + 255) / 256, 256, 16 * sizeof(int)>>>(in, out, n);
    CHECK(cudaPeekAtLastError());
    CHECK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("sum %d, bins", result[16]);
    for (int i = 0; i < 16; i++)
        std::printf(" %d", result[i]);
    std::printf("\n");

    for (int i = 0; i < m; i++)
        ring[i] = i == 100;
    CHECK(cudaMalloc(&data, sizeof ring));
    CHECK(cudaMemcpy(data, ring, sizeof ring, cudaMemcpyHostToDevice));
    int size = m, count = 4;
    void *arguments[] = {&data, &size, &count};
    CHECK(cudaLaunchCooperativeKernel(rounds, dim3(4), dim3(64), arguments));
    CHECK(cudaMemcpy(ring, data, sizeof ring, cudaMemcpyDeviceToHost));
    std::printf("ring");
    for (int i = 95; i <= 101; i++)
        std::printf(" %d", ring[i]);
    std::printf("\n");
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(data));
    CHECK(cudaDeviceReset());
    return 0;
}
