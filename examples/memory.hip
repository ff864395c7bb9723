// Where variables live: __constant__, __device__, __managed__, static and dynamic LDS, symbols, private arrays, templates.
#include "check.h"

#include <vector>

__constant__ float coefficients[8];
__constant__ int fixed[4] = {10, 20, 30, 40};
__device__ int counters[64];
__device__ double seeded = 2.5;
__managed__ int shared_with_host[16] = {1, 2, 3};
struct Pair {
    const int *first;
    double second;
};
__device__ Pair pair = {&fixed[2], 7.0}; // a relocation

template <int degree> __host__ __device__ float polynomial(const float *c, float x) {
    return fmaf(polynomial<degree - 1>(c + 1, x), x, c[0]);
}
template <> __host__ __device__ float polynomial<0>(const float *c, float) { return c[0]; }

template <int degree> __global__ void evaluate(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = polynomial<degree>(coefficients, (float)i * 0.01f);
}

__global__ void symbols(double *out) {
    int i = threadIdx.x;
    atomicAdd(&counters[i], fixed[i % 4]);
    if (i < 16)
        shared_with_host[i] += 100 + i;
    if (i == 0)
        *out = seeded * *pair.first + pair.second;
}

template <class T> __global__ void reverse(T *data, int n) {
    extern __shared__ unsigned char raw[];
    __shared__ T carried[1];
    T *lds = (T *)raw;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        lds[i] = data[blockIdx.x * n + i];
    if (threadIdx.x == 0)
        carried[0] = data[blockIdx.x * n];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[blockIdx.x * n + i] = lds[n - 1 - i] + carried[0];
}

__global__ void private_arrays(int *out, int n) { // indices that no compiler knows: scratch
    int i = blockIdx.x * blockDim.x + threadIdx.x, order[16];
    if (i >= n)
        return;
    for (int j = 0; j < 16; j++)
        order[j] = j;
    for (int j = 0; j < 16; j++) {
        int other = (i * 7 + j * 5) & 15, kept = order[j];
        order[j] = order[other];
        order[other] = kept;
    }
    int code = 0;
    for (int j = 0; j < 16; j++)
        code = code * 3 + order[(j + i) & 15];
    out[i] = code;
}

template <class T> static void test_reverse(int n, int blocks) {
    std::vector<T> data(n * blocks), want(n * blocks);
    for (int i = 0; i < n * blocks; i++)
        data[i] = (T)(i * 3);
    for (int i = 0; i < n * blocks; i++)
        want[i] = (T)(data[i / n * n + n - 1 - i % n] + data[i / n * n]);
    T *device;
    HIP(hipMalloc((void **)&device, data.size() * sizeof(T)));
    HIP(hipMemcpy(device, data.data(), data.size() * sizeof(T), hipMemcpyHostToDevice));
    reverse<T><<<blocks, 64, n * sizeof(T)>>>(device, n);
    HIP_FINISH();
    HIP(hipMemcpy(data.data(), device, data.size() * sizeof(T), hipMemcpyDeviceToHost));
    compare(sizeof(T) == 1 ? "reversed char" : sizeof(T) == 4 ? "reversed int" : "reversed double", data.data(), want.data(), data.size());
    HIP(hipFree(device));
}

int main() {
    check_name = "memory";
    const int n = 300;
    float host[8] = {1.0f, -0.5f, 0.25f, 0.125f, -2.0f, 0.75f, 3.0f, -1.0f};
    std::vector<float> got(n), want(n);
    float *out;
    HIP(hipMalloc((void **)&out, n * 4));
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host, sizeof host));
    evaluate<7><<<3, 100>>>(out, n);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), out, n * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        want[i] = polynomial<7>(host, (float)i * 0.01f);
    compare("degree 7", got.data(), want.data(), n);
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(coefficients), host + 4, 8, 4)); // two elements at offset 4
    host[1] = host[4];
    host[2] = host[5];
    evaluate<3><<<3, 100>>>(out, n);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), out, n * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        want[i] = polynomial<3>(host, (float)i * 0.01f);
    compare("degree 3", got.data(), want.data(), n);

    double *sum, value = 0;
    int counts[64];
    HIP(hipMalloc((void **)&sum, 8));
    shared_with_host[2] = 50;
    symbols<<<1, 64>>>(sum);
    symbols<<<1, 64>>>(sum);
    HIP_FINISH();
    HIP(hipMemcpy(&value, sum, 8, hipMemcpyDeviceToHost));
    EXPECT(value == 2.5 * 30 + 7.0, "pair: %g", value);
    HIP(hipMemcpyFromSymbol(counts, HIP_SYMBOL(counters), sizeof counts));
    for (int i = 0; i < 64; i++)
        EXPECT(counts[i] == 2 * (i % 4 + 1) * 10, "counters[%d] = %d", i, counts[i]);
    for (int i = 0; i < 16; i++) {
        int before = i == 2 ? 50 : i < 2 ? i + 1 : 0;
        EXPECT(shared_with_host[i] == before + 2 * (100 + i), "managed[%d] = %d", i, shared_with_host[i]);
    }
    void *address = nullptr;
    size_t size = 0;
    HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(seeded)));
    HIP(hipGetSymbolSize(&size, HIP_SYMBOL(counters)));
    EXPECT(size == sizeof counts, "size of counters: %zu", size);
    HIP(hipMemcpy(&value, address, 8, hipMemcpyDeviceToHost));
    EXPECT(value == 2.5, "seeded: %g", value);

    test_reverse<int>(200, 5);
    test_reverse<double>(1000, 3);
    test_reverse<unsigned char>(61, 4);

    int *codes;
    std::vector<int> got_codes(n), want_codes(n);
    HIP(hipMalloc((void **)&codes, n * 4));
    private_arrays<<<3, 128>>>(codes, n);
    HIP_FINISH();
    HIP(hipMemcpy(got_codes.data(), codes, n * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int order[16], code = 0;
        for (int j = 0; j < 16; j++)
            order[j] = j;
        for (int j = 0; j < 16; j++)
            std::swap(order[j], order[(i * 7 + j * 5) & 15]);
        for (int j = 0; j < 16; j++)
            code = code * 3 + order[(j + i) & 15];
        want_codes[i] = code;
    }
    compare("code", got_codes.data(), want_codes.data(), n);
    return finish();
}
