// Vector add: the smallest complete HIP program.
#include "check.h"

#include <vector>

__global__ void vadd(const float *a, const float *b, float *c, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
    check_name = "vadd";
    size_t n = argument(argc, argv, 1, 1 << 20);
    std::vector<float> a(n), b(n), c(n), want(n);
    Random random;
    for (size_t i = 0; i < n; i++) {
        a[i] = random.uniform();
        b[i] = random.uniform() * 1e-3f;
        want[i] = a[i] + b[i];
    }

    float *da, *db, *dc;
    HIP(hipMalloc((void **)&da, n * 4));
    HIP(hipMalloc((void **)&db, n * 4));
    HIP(hipMalloc((void **)&dc, n * 4));
    HIP(hipMemcpy(da, a.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemset(dc, 0xff, n * 4));
    vadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    HIP_FINISH();
    HIP(hipMemcpy(c.data(), dc, n * 4, hipMemcpyDeviceToHost));
    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));

    compare("c", c.data(), want.data(), n);
    return finish();
}
