// Compiled with f32 denormals flushed to zero: those of f64 and f16 stay, also in code that mixes the types and across calls.
#include "check.h"

__device__ __attribute__((noinline)) double scaled(double x, float by) { return x * (double)by; }
__device__ __attribute__((noinline)) float halved(float x) { return x * 0.5f; }

__global__ void mixed(const float *tiny, const double *small, const _Float16 *half, float *f, double *d, _Float16 *h) {
    int i = threadIdx.x;
    f[i] = tiny[i] * 2.0f + (float)small[i];
    d[i] = scaled(small[i] + small[i], 2.0f) + (double)tiny[i];
    h[i] = half[i] + half[i];
}
__global__ void f32_alone(const float *normal, float *f) { f[threadIdx.x] = halved(normal[threadIdx.x]); }

int main() {
    enum { N = 100 };
    check_name = "denormals";
    float *tiny, *f;
    double *small, *d;
    _Float16 *half, *h;
    HIP(hipHostMalloc((void **)&tiny, N * sizeof *tiny, 0));
    HIP(hipHostMalloc((void **)&f, N * sizeof *f, 0));
    HIP(hipHostMalloc((void **)&small, N * sizeof *small, 0));
    HIP(hipHostMalloc((void **)&d, N * sizeof *d, 0));
    HIP(hipHostMalloc((void **)&half, N * sizeof *half, 0));
    HIP(hipHostMalloc((void **)&h, N * sizeof *h, 0));
    for (int i = 0; i < N; i++) {
        tiny[i] = (float)std::ldexp(i + 1, -149); // denormal in f32, normal in f64
        small[i] = std::ldexp(i + 1, -1074);      // denormal in f64
        half[i] = (_Float16)std::ldexp(i + 1, -24);
    }
    mixed<<<1, N>>>(tiny, small, half, f, d, h);
    HIP_FINISH();
    for (int i = 0; i < N; i++) {
        EXPECT(f[i] == 0, "f32 %d: %g", i, f[i]);
        EXPECT(d[i] == std::ldexp(4 * (i + 1), -1074), "f64 %d: %g", i, d[i]);
        EXPECT((double)h[i] == std::ldexp(2 * (i + 1), -24), "f16 %d: %g", i, (double)h[i]);
        tiny[i] = (float)std::ldexp(1 + i / 128.0, -126); // halved a denormal
    }
    f32_alone<<<1, N>>>(tiny, f);
    HIP_FINISH();
    for (int i = 0; i < N; i++)
        EXPECT(f[i] == 0, "halved %d: %g", i, f[i]);
    return finish();
}
