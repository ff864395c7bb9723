// Streams, events, pinned memory, asynchronous copies, symbols, callbacks.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check_(cudaError_t error, const char *what, int line) {
    if (error != cudaSuccess) {
        std::printf("line %d: %s: %s (cudaError_t %s)\n", line, what, cudaGetErrorString(error), cudaGetErrorName(error));
        std::exit(1);
    }
}
#define check(x) check_((x), #x, __LINE__)

__constant__ int factors[4];
__device__ unsigned done;

template <typename T>
__global__ void multiply(T *data, int count, int which) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        data[i] = data[i] * factors[which] + 1;
    if (threadIdx.x == 0)
        atomicAdd(&done, 1u);
}

static void count(cudaStream_t, cudaError_t status, void *counter) { *static_cast<int *>(counter) += status == cudaSuccess; }

namespace mine {
// A function with a name of CUDA's, which is not CUDA's.
struct allocator {
    int cudaMalloc(int n) { return n + 1; }
};
static int cudaFree(int n) { return n * 2; }
} // namespace mine

int main() {
    constexpr int kStreams = 4, kCount = 10'000;
    cudaStream_t streams[kStreams];
    cudaEvent_t copied[kStreams], all;
    int *host = nullptr, *device = nullptr;
    const int values[4] = {2, 3, 5, 7};
    int calls[kStreams] = {};

    check(cudaMemcpyToSymbol(factors, values, sizeof values));
    check(cudaMallocHost(&host, kStreams * kCount * sizeof(int)));
    check(cudaMalloc(&device, kStreams * kCount * sizeof(*device)));
    check(cudaEventCreateWithFlags(&all, cudaEventDisableTiming | cudaEventBlockingSync));
    for (int i = 0; i < kStreams * kCount; i++)
        host[i] = i % kCount;
    for (int s = 0; s < kStreams; s++) {
        check(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        check(cudaEventCreate(&copied[s]));
        int *part = device + s * kCount;
        check(cudaMemcpyAsync(part, host + s * kCount, kCount * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
        multiply<int><<<dim3(8), dim3(128), 0, streams[s]>>>(part, kCount, s);
        check(cudaGetLastError());
        check(cudaMemcpyAsync(host + s * kCount, part, kCount * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
        check(cudaStreamAddCallback(streams[s], count, &calls[s], 0));
        check(cudaEventRecord(copied[s], streams[s]));
        if (s > 0)
            check(cudaStreamWaitEvent(streams[s], copied[s - 1]));
    }
    check(cudaEventRecord(all, streams[kStreams - 1]));
    check(::cudaEventSynchronize(all));
    check(cudaDeviceSynchronize());
    for (int s = 0; s < kStreams; s++) {
        long sum = 0;
        for (int i = 0; i < kCount; i++)
            sum += host[s * kCount + i];
        std::printf("stream %d: %ld\n", s, sum);
        check(cudaEventQuery(copied[s]));
        check(cudaEventDestroy(copied[s]));
        check(cudaStreamDestroy(streams[s]));
    }
    unsigned blocks = 0;
    check(cudaMemcpyFromSymbol(&blocks, done, sizeof blocks, 0, cudaMemcpyDeviceToHost));
    std::printf("blocks: %u, calls: %d\n", blocks, calls[0] + calls[1] + calls[2] + calls[3]);
    int *pitched;
    size_t pitch;
    check(cudaMallocPitch(&pitched, &pitch, 100 * sizeof(int), 10));
    check(cudaMemcpy2D(pitched, pitch, host, 100 * sizeof(int), 100 * sizeof(int), 10, cudaMemcpyHostToDevice));
    std::vector<int> back(1000);
    check(cudaMemcpy2D(back.data(), 100 * sizeof(int), pitched, pitch, 100 * sizeof(int), 10, cudaMemcpyDefault));
    std::printf("2D: %d %d\n", back[0], back[999]);
    if (cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice) != cudaSuccess)
        std::printf("\"cudaMemcpy\" to nowhere: %s\n", cudaGetLastError() == cudaErrorInvalidValue ? "invalid value" : "another error");
    mine::allocator x;
    std::printf("mine: %d\n", mine::cudaFree(x.cudaMalloc(20)));
    check(cudaFree(pitched));
    check(cudaFree(device));
    check(cudaFreeHost(host));
    return 0;
}
