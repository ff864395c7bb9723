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

// Atomic operations of a block's and of the system's scope: each block's own sums, the lock's holder, the order of arrivals.
__global__ void scopes(unsigned *sums, int *wide, unsigned long long *products) {
    __shared__ unsigned lock, turns, least, most, bits;
    __shared__ float real;
    if (threadIdx.x == 0)
        lock = turns = most = bits = 0, least = 1000, real = 0;
    __syncthreads();
    atomicAdd_block(&real, 0.5f);
    atomicMax_block(&most, threadIdx.x);
    atomicMin_block(&least, threadIdx.x + 3);
    atomicOr_block(&bits, 1u << threadIdx.x % 8);
    atomicXor_block(&bits, 256u);
    atomicAnd_block(&bits, ~512u);
    atomicInc_block(&turns, 9);
    if (atomicCAS_block(&lock, 0, threadIdx.x + 1) == 0)
        atomicSub_block(wide, 1);
    unsigned long long seen = *products, was;
    do
        was = seen;
    while ((seen = atomicCAS_block(products, was, was + threadIdx.x)) != was);
    atomicInc_system(&sums[0], 99);
    atomicDec_system(&sums[1], 7);
    atomicAdd_system(&sums[2], 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned old = atomicExch_block(&sums[3], lock != 0);
        sums[4] = real, sums[5] = most, sums[6] = least, sums[7] = bits, sums[8] = turns, sums[9] = old;
        atomicDec_block(&sums[10], 5);
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

    unsigned sums[11] = {0};
    unsigned long long sum = 0;
    unsigned *places;
    CHECK(cudaMalloc(&places, 64));
    CHECK(cudaMemset(places, 0, 64));
    scopes<<<1, 64>>>(places, (int *)(places + 12), (unsigned long long *)(places + 14));
    CHECK(cudaMemcpy(sums, places, sizeof sums, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&sum, places + 14, sizeof sum, cudaMemcpyDeviceToHost));
    std::printf("scopes");
    for (unsigned value : sums)
        std::printf(" %u", value);
    std::printf(", %llu\n", sum);
    CHECK(cudaMemcpy(sums, places + 12, 4, cudaMemcpyDeviceToHost));
    std::printf("locked %d\n", (int)sums[0]);
    CHECK(cudaFree(places));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(data));
    CHECK(cudaDeviceReset());
    return 0;
}
