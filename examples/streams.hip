// Streams and events: two pipelines of asynchronous copies and kernels that meet through events, and a host callback.
#include "check.h"

#include <atomic>
#include <vector>

__global__ void multiply(unsigned *data, unsigned factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}
__global__ void combine(unsigned *to, const unsigned *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

static std::atomic<int> calls;
static void callback(hipStream_t, hipError_t status, void *data) { calls += status == hipSuccess ? *(int *)data : 1000; }

int main(int argc, char **argv) {
    check_name = "streams";
    int n = (int)argument(argc, argv, 1, 100000), one = 1;
    hipStream_t stream[2];
    hipEvent_t ready, start, stop;
    unsigned *host[2], *device[2];
    for (int i = 0; i < 2; i++) {
        HIP(hipStreamCreateWithFlags(&stream[i], hipStreamNonBlocking));
        HIP(hipHostMalloc((void **)&host[i], n * 4, 0));
        HIP(hipMalloc((void **)&device[i], n * 4));
        for (int j = 0; j < n; j++)
            host[i][j] = (unsigned)(j * (i + 2));
    }
    HIP(hipEventCreateWithFlags(&ready, hipEventDisableTiming));
    HIP(hipEventCreate(&start));
    HIP(hipEventCreate(&stop));

    HIP(hipEventRecord(start, stream[0]));
    for (int i = 0; i < 2; i++) {
        HIP(hipMemcpyAsync(device[i], host[i], n * 4, hipMemcpyHostToDevice, stream[i]));
        for (int round = 0; round < 5; round++)
            multiply<<<(n + 255) / 256, 256, 0, stream[i]>>>(device[i], 3 + i, n);
    }
    HIP(hipEventRecord(ready, stream[1]));
    HIP(hipStreamWaitEvent(stream[0], ready, 0));
    combine<<<(n + 255) / 256, 256, 0, stream[0]>>>(device[0], device[1], n);
    HIP(hipMemcpyAsync(host[0], device[0], n * 4, hipMemcpyDeviceToHost, stream[0]));
    HIP(hipStreamAddCallback(stream[0], callback, &one, 0));
    HIP(hipEventRecord(stop, stream[0]));
    HIP(hipEventSynchronize(stop));
    HIP(hipStreamSynchronize(stream[0]));
    HIP(hipStreamQuery(stream[1]));
    float ms = -1;
    HIP(hipEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0 && ms < 3600000, "elapsed time %g ms", ms);
    EXPECT(calls == 1, "the callback was called %d times", (int)calls);

    std::vector<unsigned> want(n);
    for (int j = 0; j < n; j++)
        want[j] = (unsigned)(j * 2) * 243u + (unsigned)(j * 3) * 1024u;
    compare("sum", host[0], want.data(), n);

    for (int i = 0; i < 2; i++) {
        HIP(hipStreamDestroy(stream[i]));
        HIP(hipHostFree(host[i]));
        HIP(hipFree(device[i]));
    }
    HIP(hipEventDestroy(ready));
    HIP(hipEventDestroy(start));
    HIP(hipEventDestroy(stop));
    return finish();
}
