// C = A B in single precision through LDS: one element a work item (16x16 tiles), and a 4x4 block a work item (64x64 tiles).
// The products are summed in the same order, with fused multiply-adds, on both sides: the results are equal bit for bit.
#include "check.h"

#include <vector>

__global__ void sgemm16(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        ta[y][x] = a[row * n + k0 + x];
        tb[y][x] = b[(k0 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum = fmaf(ta[y][k], tb[k][x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void sgemm64(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][64], tb[16][64]; // ta is transposed: ta[k][row]
    int x = threadIdx.x, y = threadIdx.y, item = y * 16 + x;
    int row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = item; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            tb[i / 64][i % 64] = b[(k0 + i / 64) * n + column0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float fa[4], fb[4];
            for (int i = 0; i < 4; i++) {
                fa[i] = ta[k][y * 4 + i];
                fb[i] = tb[k][x * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fmaf(fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + y * 4 + i) * n + column0 + x * 4 + j] = sum[i][j];
}

int main(int argc, char **argv) {
    check_name = "sgemm";
    int n = (int)argument(argc, argv, 1, 512) / 64 * 64;
    size_t count = (size_t)n * n;
    std::vector<float> a(count), b(count), c(count), want(count, 0.0f);
    Random random;
    for (size_t i = 0; i < count; i++) {
        a[i] = random.uniform() - 0.5f;
        b[i] = random.uniform() - 0.5f;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                want[(size_t)i * n + j] = std::fma(a[(size_t)i * n + k], b[(size_t)k * n + j], want[(size_t)i * n + j]);

    float *da, *db, *dc;
    HIP(hipMalloc((void **)&da, count * 4));
    HIP(hipMalloc((void **)&db, count * 4));
    HIP(hipMalloc((void **)&dc, count * 4));
    HIP(hipMemcpy(da, a.data(), count * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(db, b.data(), count * 4, hipMemcpyHostToDevice));

    sgemm16<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
    HIP_FINISH();
    HIP(hipMemcpy(c.data(), dc, count * 4, hipMemcpyDeviceToHost));
    compare("sgemm16 c", c.data(), want.data(), count);

    HIP(hipMemset(dc, 0, count * 4));
    sgemm64<<<dim3(n / 64, n / 64), dim3(16, 16)>>>(da, db, dc, n);
    HIP_FINISH();
    HIP(hipMemcpy(c.data(), dc, count * 4, hipMemcpyDeviceToHost));
    compare("sgemm64 c", c.data(), want.data(), count);

    HIP(hipFree(da));
    HIP(hipFree(db));
    HIP(hipFree(dc));
    return finish();
}
