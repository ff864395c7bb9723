// The four STREAM kernels, with events for the bandwidth.
#include "check.h"

#include <vector>

__global__ void copy(double *c, const double *a, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        c[i] = a[i];
}
__global__ void scale(double *b, const double *c, double s, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        b[i] = s * c[i];
}
__global__ void add(double *c, const double *a, const double *b, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}
__global__ void triad(double *a, const double *b, const double *c, double s, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        a[i] = fma(s, c[i], b[i]);
}

int main(int argc, char **argv) {
    check_name = "stream";
    size_t n = argument(argc, argv, 1, 4 << 20);
    const double s = 0.4;
    std::vector<double> a(n), b(n), c(n);
    for (size_t i = 0; i < n; i++)
        a[i] = 1.0 + 1.0 / (double)(i + 1);

    double *da, *db, *dc;
    HIP(hipMalloc((void **)&da, n * 8));
    HIP(hipMalloc((void **)&db, n * 8));
    HIP(hipMalloc((void **)&dc, n * 8));
    HIP(hipMemcpy(da, a.data(), n * 8, hipMemcpyHostToDevice));

    hipEvent_t mark[5];
    for (auto &event : mark)
        HIP(hipEventCreate(&event));
    const unsigned grid = (unsigned)((n + 1023) / 1024);
    for (int round = 0; round < 2; round++) { // the first round translates
        HIP(hipEventRecord(mark[0], 0));
        copy<<<grid, 256>>>(dc, da, n);
        HIP(hipEventRecord(mark[1], 0));
        scale<<<grid, 256>>>(db, dc, s, n);
        HIP(hipEventRecord(mark[2], 0));
        add<<<grid, 256>>>(dc, da, db, n);
        HIP(hipEventRecord(mark[3], 0));
        triad<<<grid, 256>>>(da, db, dc, s, n);
        HIP(hipEventRecord(mark[4], 0));
        HIP_FINISH();
    }
    static const struct {
        const char *name;
        unsigned arrays;
    } kernels[] = {{"copy", 2}, {"scale", 2}, {"add", 3}, {"triad", 3}};
    for (int i = 0; i < 4; i++) {
        float ms = 0;
        HIP(hipEventElapsedTime(&ms, mark[i], mark[i + 1]));
        EXPECT(ms > 0, "%s took %g ms", kernels[i].name, ms);
        std::printf("%-5s %8.2f GB/s\n", kernels[i].name, kernels[i].arrays * 8e-6 * (double)n / ms);
    }

    std::vector<double> ga(n), gb(n), gc(n);
    HIP(hipMemcpy(ga.data(), da, n * 8, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(gb.data(), db, n * 8, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(gc.data(), dc, n * 8, hipMemcpyDeviceToHost));
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < n; i++) {
            c[i] = a[i];
            b[i] = s * c[i];
            c[i] = a[i] + b[i];
            a[i] = std::fma(s, c[i], b[i]);
        }
    }
    compare("a", ga.data(), a.data(), n);
    compare("b", gb.data(), b.data(), n);
    compare("c", gc.data(), c.data(), n);
    for (auto &event : mark)
        HIP(hipEventDestroy(event));
    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));
    return finish();
}
