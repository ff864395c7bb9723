// The program of README.md.
#include <cstdio>
#include <hip/hip_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

int main() {
    const int n = 1 << 20;
    float *x, *y;
    if (hipMallocManaged(&x, n * sizeof *x) || hipMallocManaged(&y, n * sizeof *y))
        return 1;
    for (int i = 0; i < n; i++)
        x[i] = i, y[i] = 1;
    saxpy<<<n / 256, 256>>>(n, 2, x, y);
    hipError_t status = hipDeviceSynchronize();
    printf("%s: y[1000] = %g\n", hipGetErrorString(status), y[1000]);
    return y[1000] != 2001;
}
