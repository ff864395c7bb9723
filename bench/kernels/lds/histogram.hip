#include <hip/hip_runtime.h>

#include "histogram.h"

extern "C" __global__ void histogram(const unsigned *words, unsigned *counts, int n) {
    __shared__ unsigned own[BINS];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned word = words[i];
        atomicAdd(&own[word & 255], 1u);
        atomicAdd(&own[word >> 8 & 255], 1u);
        atomicAdd(&own[word >> 16 & 255], 1u);
        atomicAdd(&own[word >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
