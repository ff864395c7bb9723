// Kernels whose first arguments are in SGPRs when they start: waves begin 256 bytes behind the entry, where firmware that does not preload
// finds a trap, or loads. The last arguments do not fit and are in memory as ever.
#include "check.h"

__global__ void sum(int *out, int a, int b, long c, const float *f, int d) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a + 10 * b + 100 * (int)c + 1000 * (int)f[i] + 10000 * d;
}

struct large {
    int values[12];
};
__global__ void last(int *out, int first, large many, int end) { out[threadIdx.x] = first + many.values[threadIdx.x % 12] + end; }

__device__ __attribute__((noinline)) int twice(int x) { return 2 * x; }
__global__ void calls(int *out, int x) { out[threadIdx.x] = twice(x + (int)threadIdx.x); }

int main() {
    check_name = "preload";
    const int n = 256;
    int *out, host[n];
    float *floats, values[n];
    large many;
    for (int i = 0; i < n; i++)
        values[i] = i % 7;
    for (int i = 0; i < 12; i++)
        many.values[i] = i * i;
    HIP(hipMalloc((void **)&out, sizeof host));
    HIP(hipMalloc((void **)&floats, sizeof values));
    HIP(hipMemcpy(floats, values, sizeof values, hipMemcpyHostToDevice));
    for (int size : {64, 40}) { // full and partial waves
        sum<<<n / size, size>>>(out, 1, 2, 3, floats, 4);
        HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
        for (int i = 0; i < n / size * size; i++)
            EXPECT(host[i] == 40321 + 1000 * (i % 7), "sum %d: %d", i, host[i]);
    }
    last<<<1, n>>>(out, 5, many, 700);
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 705 + i % 12 * (i % 12), "last %d: %d", i, host[i]);
    calls<<<1, n>>>(out, 30);
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT(host[i] == 60 + 2 * i, "calls %d: %d", i, host[i]);
    return finish();
}
