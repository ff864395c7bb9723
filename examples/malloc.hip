// malloc and free in kernels: lists built by one kernel, read and freed by the next.
#include "check.h"

#include <vector>

struct Node {
    Node *next;
    unsigned value;
    unsigned char padding[40];
};

__global__ void build(Node **lists, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Node *list = nullptr;
    for (int j = 0; j < i % 5 + 1; j++) {
        Node *node = (Node *)malloc(sizeof(Node));
        if (node) {
            node->next = list;
            node->value = (unsigned)(i * 10 + j);
            for (unsigned char &byte : node->padding)
                byte = (unsigned char)i;
            list = node;
        }
    }
    lists[i] = list;
}

__global__ void consume(Node **lists, unsigned *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned sum = 0;
    for (Node *node = lists[i]; node;) {
        Node *next = node->next;
        bool whole = true;
        for (unsigned char byte : node->padding)
            whole = whole && byte == (unsigned char)i;
        sum += whole ? node->value : 0x10000000;
        free(node);
        node = next;
    }
    sums[i] = sum;
}

__global__ void large(unsigned *sums) { // one big block, shared by the workgroup
    __shared__ unsigned *block;
    if (threadIdx.x == 0)
        block = (unsigned *)malloc(100000);
    __syncthreads();
    if (!block)
        return;
    for (unsigned i = threadIdx.x; i < 25000; i += blockDim.x)
        block[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned i = 0; i < 25000; i++)
            sum += block[i];
        sums[0] = sum;
        free(block);
    }
}

int main(int argc, char **argv) {
    check_name = "malloc";
    int n = (int)argument(argc, argv, 1, 2000);
    std::vector<unsigned> want(n), got(n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i % 5 + 1; j++)
            want[i] += (unsigned)(i * 10 + j);
    Node **lists;
    unsigned *sums;
    HIP(hipMalloc((void **)&lists, n * sizeof *lists));
    HIP(hipMalloc((void **)&sums, n * 4));
    for (int round = 0; round < 3; round++) {
        build<<<(n + 63) / 64, 64>>>(lists, n);
        HIP_FINISH();
        size_t left = 0, total = 0, nodes = 0; // what kernels allocate is the device's memory as well
        for (int i = 0; i < n; i++)
            nodes += i % 5 + 1;
        HIP(hipMemGetInfo(&left, &total));
        EXPECT(total - left >= nodes * sizeof(Node), "%zu of %zu bytes are free", left, total);
        consume<<<(n + 63) / 64, 64>>>(lists, sums, n);
        HIP_FINISH();
        HIP(hipMemcpy(got.data(), sums, n * 4, hipMemcpyDeviceToHost));
        compare("sum", got.data(), want.data(), n);
    }
    large<<<1, 128>>>(sums);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), sums, 4, hipMemcpyDeviceToHost));
    EXPECT(got[0] == 25000u * 24999u / 2u, "large block: %u", got[0]);
    return finish();
}
