// Shared by the translation units of the -fgpu-rdc program.
#ifndef FILTER_H
#define FILTER_H
#include <hip/hip_runtime.h>
extern __constant__ float weights[5];
extern __device__ unsigned filtered;
__device__ float filter(const float *data, int i, int n);
__device__ float clamped(const float *data, int i, int n);
#endif
