#include <hip/hip_runtime.h>

#include "spmv.h"

extern "C" __global__ void spmv(const unsigned *begins, const unsigned *columns, const float *elements, const float *x, float *y) {
    __shared__ float part[256];
    unsigned item = threadIdx.x, row = (blockIdx.x * 256 + item) / EACH, end = begins[row + 1];
    float sum = 0;
    for (unsigned i = begins[row] + item % EACH; i < end; i += EACH)
        sum += elements[i] * x[columns[i]];
    part[item] = sum;
    __syncthreads();
    for (unsigned half = EACH / 2; half > 0; half /= 2) {
        if (item % EACH < half)
            part[item] += part[item + half];
        __syncthreads();
    }
    if (item % EACH == 0)
        y[row] = part[item];
}
