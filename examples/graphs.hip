// Graphs and pools: a captured fork and join of two streams, launched many times, then changed and launched again; memory of a
// pool is used in stream order.
#include "check.h"

#include <vector>

__global__ void scale(unsigned *data, unsigned factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= factor;
}
__global__ void add(unsigned *to, const unsigned *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[i];
}

static unsigned *host, *left, *right, *sum;
static int n;

// sum += left * factor + right * 3, where left and right begin as the host's numbers.
static hipGraph_t capture(hipStream_t first, hipStream_t second, unsigned factor) {
    hipEvent_t forked, joined;
    hipGraph_t graph;
    int blocks = (n + 255) / 256;
    HIP(hipEventCreateWithFlags(&forked, hipEventDisableTiming));
    HIP(hipEventCreateWithFlags(&joined, hipEventDisableTiming));
    HIP(hipStreamBeginCapture(first, hipStreamCaptureModeGlobal));
    HIP(hipEventRecord(forked, first));
    HIP(hipStreamWaitEvent(second, forked, 0));
    HIP(hipMemcpyAsync(left, host, n * 4, hipMemcpyHostToDevice, first));
    scale<<<blocks, 256, 0, first>>>(left, factor, n);
    HIP(hipMemcpyAsync(right, host, n * 4, hipMemcpyHostToDevice, second));
    scale<<<blocks, 256, 0, second>>>(right, 3, n);
    HIP(hipEventRecord(joined, second));
    add<<<blocks, 256, 0, first>>>(sum, left, n);
    HIP(hipStreamWaitEvent(first, joined, 0));
    add<<<blocks, 256, 0, first>>>(sum, right, n);
    HIP(hipStreamEndCapture(first, &graph));
    HIP(hipEventDestroy(forked));
    HIP(hipEventDestroy(joined));
    return graph;
}

int main(int argc, char **argv) {
    check_name = "graphs";
    n = (int)argument(argc, argv, 1, 100000);
    hipStream_t first, second;
    HIP(hipStreamCreate(&first));
    HIP(hipStreamCreateWithFlags(&second, hipStreamNonBlocking));
    HIP(hipHostMalloc((void **)&host, n * 4, 0));
    HIP(hipMallocAsync((void **)&left, n * 4, first));
    HIP(hipMallocAsync((void **)&right, n * 4, first));
    HIP(hipMallocAsync((void **)&sum, n * 4, first));
    HIP(hipMemsetAsync(sum, 0, n * 4, first));
    for (int i = 0; i < n; i++)
        host[i] = (unsigned)i * 7 + 1;

    hipGraph_t graph = capture(first, second, 2), other = capture(first, second, 10);
    hipGraphExec_t exec;
    size_t count = 0;
    HIP(hipGraphGetNodes(graph, nullptr, &count));
    EXPECT(count == 6, "%zu nodes", count);
    HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int round = 0; round < 20; round++)
        HIP(hipGraphLaunch(exec, first));
    hipGraphNode_t culprit;
    hipGraphExecUpdateResult result;
    HIP(hipGraphExecUpdate(exec, other, &culprit, &result));
    for (int round = 0; round < 5; round++)
        HIP(hipGraphLaunch(exec, first));

    std::vector<unsigned> got(n), want(n);
    HIP(hipMemcpyAsync(got.data(), sum, n * 4, hipMemcpyDeviceToHost, first));
    HIP(hipFreeAsync(left, first));
    HIP(hipFreeAsync(right, first));
    HIP(hipFreeAsync(sum, first));
    HIP(hipStreamSynchronize(first));
    for (int i = 0; i < n; i++)
        want[i] = host[i] * (20u * 5u + 5u * 13u);
    compare("sum", got.data(), want.data(), n);

    HIP(hipGraphExecDestroy(exec));
    HIP(hipGraphDestroy(graph));
    HIP(hipGraphDestroy(other));
    HIP(hipStreamDestroy(first));
    HIP(hipStreamDestroy(second));
    HIP(hipHostFree(host));
    return finish();
}
