#include <hip/hip_runtime.h>

extern "C" __global__ void reduction(const float *terms, float *sums, int n) {
    __shared__ float part[256];
    int item = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 256 + item; i < n; i += gridDim.x * 256)
        sum += terms[i];
    part[item] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (item < half)
            part[item] += part[item + half];
        __syncthreads();
    }
    if (item == 0)
        sums[blockIdx.x] = part[0];
}
