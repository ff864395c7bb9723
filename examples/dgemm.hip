// C = alpha A B + beta C in double precision: 16x16 tiles in LDS, two rows a work item. Equal to the host bit for bit.
#include "check.h"

#include <vector>

constexpr int tile = 16;

__global__ void dgemm(int m, int n, int k, double alpha, const double *a, const double *b, double beta, double *c) {
    __shared__ double ta[2 * tile][tile], tb[tile][tile];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * tile + x, row = blockIdx.y * 2 * tile + y;
    double low = 0, high = 0;
    for (int k0 = 0; k0 < k; k0 += tile) {
        // Outside the matrices there are zeros, so that any size works.
        ta[y][x] = row < m && k0 + x < k ? a[(size_t)row * k + k0 + x] : 0.0;
        ta[y + tile][x] = row + tile < m && k0 + x < k ? a[(size_t)(row + tile) * k + k0 + x] : 0.0;
        tb[y][x] = k0 + y < k && column < n ? b[(size_t)(k0 + y) * n + column] : 0.0;
        __syncthreads();
        for (int i = 0; i < tile; i++) {
            low = fma(ta[y][i], tb[i][x], low);
            high = fma(ta[y + tile][i], tb[i][x], high);
        }
        __syncthreads();
    }
    if (column < n) {
        if (row < m)
            c[(size_t)row * n + column] = fma(alpha, low, beta * c[(size_t)row * n + column]);
        if (row + tile < m)
            c[(size_t)(row + tile) * n + column] = fma(alpha, high, beta * c[(size_t)(row + tile) * n + column]);
    }
}

int main(int argc, char **argv) {
    check_name = "dgemm";
    int m = (int)argument(argc, argv, 1, 250), n = (int)argument(argc, argv, 2, 331), k = (int)argument(argc, argv, 3, 197);
    const double alpha = 1.25, beta = -0.75;
    std::vector<double> a((size_t)m * k), b((size_t)k * n), c((size_t)m * n), want, got((size_t)m * n);
    Random random;
    for (auto *matrix : {&a, &b, &c})
        for (double &value : *matrix)
            value = random.uniform() - 0.5;
    want = c;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum = std::fma(a[(size_t)i * k + l], b[(size_t)l * n + j], sum);
            want[(size_t)i * n + j] = std::fma(alpha, sum, beta * c[(size_t)i * n + j]);
        }

    double *da, *db, *dc;
    HIP(hipMalloc((void **)&da, a.size() * 8));
    HIP(hipMalloc((void **)&db, b.size() * 8));
    HIP(hipMalloc((void **)&dc, c.size() * 8));
    HIP(hipMemcpy(da, a.data(), a.size() * 8, hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), b.size() * 8, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dc, c.data(), c.size() * 8, hipMemcpyHostToDevice));
    dgemm<<<dim3((n + tile - 1) / tile, (m + 2 * tile - 1) / (2 * tile)), dim3(tile, tile)>>>(m, n, k, alpha, da, db, beta, dc);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), dc, got.size() * 8, hipMemcpyDeviceToHost));
    compare("c", got.data(), want.data(), got.size());
    return finish();
}
