/* Kernels of which the test knows what is counted: instructions by assembly, accesses and branches by their formulas. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        if ((call) != hipSuccess) {                                                                                                        \
            printf("%s failed\n", #call);                                                                                                  \
            exit(3);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

/* Loads and stores a float each: all lanes side by side. */
__global__ void copy(float *to, const float *from) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

/* Each lane's float lies in a piece of 64 bytes of its own. */
__global__ void strided(float *to, const float *from) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i * 16];
}

/* `rounds` times three fused multiply-adds, two additions, a product and a reciprocal. */
__global__ void arithmetic(float *p, int rounds) {
    float x = p[threadIdx.x];
    for (int i = 0; i < rounds; i++)
        asm volatile(
            "v_fma_f32 %0, %0, %0, %0\n v_fma_f32 %0, %0, %0, %0\n v_fma_f32 %0, %0, %0, %0\n v_add_f32 %0, %0, %0\n v_add_f32 %0, %0, %0\n"
            "v_mul_f32 %0, %0, %0\n v_rcp_f32 %0, %0\n"
            : "+v"(x));
    p[threadIdx.x] = x;
}

/* Of each wave the first `lanes` lanes make two additions. */
__global__ void some(float *p, unsigned lanes) {
    float x = p[threadIdx.x];
    if (__lane_id() < lanes)
        asm volatile("v_add_f32 %0, %0, %0\n v_add_f32 %0, %0, %0\n" : "+v"(x));
    p[threadIdx.x] = x;
}

/* Work item i stores and loads a dword of LDS that is `stride` from its neighbour's: lanes meet in a bank if stride is even. */
__global__ void banks(unsigned *p, unsigned stride) {
    __shared__ unsigned lds[64 * 4];
    lds[threadIdx.x * stride] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = lds[(63 - threadIdx.x) * stride];
}

int main() {
    float *a = nullptr, *b = nullptr;
    CHECK(hipMalloc(reinterpret_cast<void **>(&a), 1 << 20));
    CHECK(hipMalloc(reinterpret_cast<void **>(&b), 1 << 20));
    CHECK(hipMemset(b, 0, 1 << 20));
    CHECK(hipMemset(a, 0, 1 << 20));
    for (int i = 0; i < 3; i++)
        copy<<<7, 256>>>(a, b);
    strided<<<2, 128>>>(a, b);
    arithmetic<<<2, 192>>>(a, 100);
    some<<<1, 256>>>(a, 5);
    banks<<<1, 64>>>(reinterpret_cast<unsigned *>(a), 1);
    CHECK(hipDeviceSynchronize());
    banks<<<1, 64>>>(reinterpret_cast<unsigned *>(a), 4);
    CHECK(hipDeviceSynchronize());
    return puts("done"), 0;
}
