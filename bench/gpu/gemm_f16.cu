/* The tiling of kernels/matrix/gemm_f16.hip with CUDA's matrix API: workgroups of 256 compute 64 x 64, a warp 16 x 32, from pieces of
 * 32 columns of A and B in shared memory. */
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

enum { PITCH = 40 }; /* halves; 8 of them only keep banks apart */

extern "C" __global__ void gemm_f16(const half *a, const half *b, float *c, int n) {
    __shared__ __align__(32) half ta[64 * PITCH], tb[64 * PITCH];
    int item = threadIdx.x, warp = item / 32, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    int row = warp % 4 * 16, column = warp / 4 * 32, place = item / 4 * PITCH + item % 4 * 8;
    const uint4 *from_a = (const uint4 *)(a + (row0 + item / 4) * n) + item % 4, *from_b = (const uint4 *)(b + (column0 + item / 4) * n) + item % 4;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];
    wmma::fill_fragment(sum[0], 0.0f);
    wmma::fill_fragment(sum[1], 0.0f);
    for (int k = 0; k < n / 8; k += 4) {
        *(uint4 *)(ta + place) = from_a[k];
        *(uint4 *)(tb + place) = from_b[k];
        __syncthreads();
        for (int i = 0; i < 32; i += 16) {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
            wmma::load_matrix_sync(x, ta + row * PITCH + i, PITCH);
            for (int tile = 0; tile < 2; tile++) {
                wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
                wmma::load_matrix_sync(y, tb + (column + tile * 16) * PITCH + i, PITCH);
                wmma::mma_sync(sum[tile], x, y, sum[tile]);
            }
        }
        __syncthreads();
    }
    for (int tile = 0; tile < 2; tile++)
        wmma::store_matrix_sync(c + (size_t)(row0 + row) * n + column0 + column + tile * 16, sum[tile], n, wmma::mem_row_major);
}
