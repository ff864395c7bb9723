// The kernels of guide.cpp.
#include <hip/hip_runtime.h>

// Copies an array to another, both behind the addresses of the host's pointers.
extern "C" __global__ void hello_world(float *const *a, float *const *b) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    (*b)[i] = (*a)[i];
}

texture<float, 2, hipReadModeElementType> tex;

extern "C" __global__ void tex2dKernel(float *outputData, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        outputData[y * width + x] = tex2D(tex, (float)x, (float)y);
}
