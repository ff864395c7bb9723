// WAVELIFT_MATH: gfx90a sums f16 as the processor does unless it is "exact", gfx942 where it is "hardware". A sum of eight ones is added to
// 2^24 one by one, each of which is rounded away, or in fours or eights. The kinds of native code share a cache folder.
#include "check.h"

#include <cstdlib>
#include <cstring>

typedef _Float16 half4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

__global__ void add(float *out, float start) {
#if defined(__gfx90a__) || defined(__gfx942__)
    const half4 ones = {1, 1, 1, 1};
    float16 sum;
    for (int i = 0; i < 16; i++)
        sum[i] = start;
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(ones, ones, sum, 0, 0, 0);
    for (int i = 0; i < 16; i++)
        out[i * 64 + threadIdx.x] = sum[i];
#endif
}

int main() {
    enum { COUNT = 16 * 64 };
    const float start = 16777216;
    const char *math = getenv("WAVELIFT_MATH") ? getenv("WAVELIFT_MATH") : "";
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const bool hardware = !strncmp(properties.gcnArchName, "gfx90a", 6) ? strcmp(math, "exact") != 0 : !strcmp(math, "hardware");
    float *device, got[COUNT], expected[COUNT];
    HIP(hipMalloc(&device, sizeof got));
    add<<<1, 64>>>(device, start);
    HIP(hipMemcpy(got, device, sizeof got, hipMemcpyDeviceToHost));
    for (float &number : expected)
        number = hardware ? start + 8 : start;
    compare("sum", got, expected, COUNT, 0);
    return finish();
}
