/* Managed memory, prefetch and advice, properties, occupancy, attributes of functions and pointers. */
#include <cstdio>
#include <cstdlib>

#define CUDA_CALL(x)                                                                                                                       \
    {                                                                                                                                      \
        const cudaError_t e = (x);                                                                                                         \
        if (cudaError::cudaSuccess != e) {                                                                                                 \
            printf("%s: %s\n", #x, cudaGetErrorString(e));                                                                                 \
            return EXIT_FAILURE;                                                                                                           \
        }                                                                                                                                  \
    }

struct Node {
    double value;
    Node *next;
};

__managed__ int counter = 5;

__global__ void sumList(const Node *list, double *sum) {
    double s = 0;
    for (; list; list = list->next)
        s += list->value;
    *sum = s;
    counter++;
}

int main(int argc, char **) {
    const int n = 1'000;
    Node *nodes;
    double *sum;
    int device = -1, value = 0;
    cudaDeviceProp properties;
    CUDA_CALL(cudaGetDevice(&device));
    CUDA_CALL(cudaGetDeviceProperties(&properties, device));
    CUDA_CALL(cudaDeviceGetAttribute(&value, cudaDevAttrManagedMemory, device));
    printf("warps: %s, managed: %d\n", properties.warpSize % 32 == 0 ? "good" : "bad", value);
    CUDA_CALL(cudaMallocManaged(&nodes, n * sizeof(Node)));
    CUDA_CALL(cudaMallocManaged(&sum, sizeof(double), cudaMemAttachGlobal));
    for (int i = 0; i < n; i++)
        nodes[i] = Node{0.5 * i, i + 1 < n ? &nodes[i + 1] : nullptr};
    CUDA_CALL(cudaMemAdvise(nodes, n * sizeof(Node), cudaMemAdviseSetReadMostly, device));
    CUDA_CALL(cudaMemPrefetchAsync(nodes, n * sizeof(Node), device, 0));
    sumList<<<1, 1>>>(nodes, sum);
    CUDA_CALL(cudaDeviceSynchronize());
    printf("sum: %.1f, counter: %d\n", *sum, counter);
    CUDA_CALL(cudaMemPrefetchAsync(nodes, n * sizeof(Node), cudaCpuDeviceId, 0));

    cudaFuncAttributes attributes;
    CUDA_CALL(cudaFuncGetAttributes(&attributes, sumList));
    CUDA_CALL(cudaFuncSetCacheConfig(sumList, cudaFuncCachePreferL1));
    printf("threads of a block: %s\n", attributes.maxThreadsPerBlock >= 256 ? "256 or more" : "fewer than 256");
    int blocks = 0, minGrid = 0, blockSize = 0;
    CUDA_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sumList, 128, 0));
    CUDA_CALL(cudaOccupancyMaxPotentialBlockSize(&minGrid, &blockSize, sumList, 0, 0));
    printf("occupancy: %s\n", blocks > 0 && minGrid > 0 && blockSize > 0 ? "positive" : "none");
    cudaPointerAttributes pointer;
    CUDA_CALL(cudaPointerGetAttributes(&pointer, nodes));
    printf("pointer: device %d\n", pointer.device);
    void *arguments[] = {&nodes, &sum};
    CUDA_CALL(cudaLaunchKernel(sumList, dim3(1), dim3(1), arguments));
    CUDA_CALL(cudaDeviceSynchronize());
    printf("counter: %d\n", counter);
    CUDA_CALL(cudaFree(nodes));
    CUDA_CALL(cudaFree(sum));
    return argc - 1;
}
