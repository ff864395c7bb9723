// Cooperative launch: a reduction and a prefix of the whole grid in one kernel, with grid.sync() between the phases.
#include "check.h"

#include <hip/hip_cooperative_groups.h>

#include <algorithm>
#include <vector>

namespace cg = cooperative_groups;

// partial[b] becomes block b's sum, then offsets[b] the sum of the blocks before b, then out the inclusive prefix sums.
__global__ void prefix(const int *in, int *partial, int *offsets, int *out, int n, int rounds) {
    cg::grid_group grid = cg::this_grid();
    __shared__ int sums[256];
    const int thread = threadIdx.x, index = blockIdx.x * blockDim.x + thread;
    for (int round = 0; round < rounds; round++) {
        int value = index < n ? in[index] + round : 0;
        sums[thread] = value;
        __syncthreads();
        for (int step = 1; step < (int)blockDim.x; step *= 2) {
            const int before = thread >= step ? sums[thread - step] : 0;
            __syncthreads();
            sums[thread] += before;
            __syncthreads();
        }
        if (thread == (int)blockDim.x - 1)
            partial[blockIdx.x] = sums[thread];
        grid.sync();
        if (blockIdx.x == 0 && thread == 0)
            for (int b = 0, sum = 0; b < (int)gridDim.x; sum += partial[b++])
                offsets[b] = sum;
        grid.sync();
        if (index < n)
            out[index] = sums[thread] + offsets[blockIdx.x];
        grid.sync();
    }
}

int main(int argc, char **argv) {
    check_name = "grid_sync";
    const int block = 256;
    int device, units, blocks_a_unit, rounds = 3;
    HIP(hipGetDevice(&device));
    HIP(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device));
    HIP(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_a_unit, (const void *)prefix, block, 0));
    // All blocks of a cooperative launch must fit the device at once.
    const int blocks = std::min((int)argument(argc, argv, 1, 40), units * blocks_a_unit), n = blocks * block - 17;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i % 23 - 7;
    int *d_in, *d_partial, *d_offsets, *d_out, size = n;
    HIP(hipMalloc(&d_in, n * sizeof(int)));
    HIP(hipMalloc(&d_out, n * sizeof(int)));
    HIP(hipMalloc(&d_partial, blocks * sizeof(int)));
    HIP(hipMalloc(&d_offsets, blocks * sizeof(int)));
    HIP(hipMemcpy(d_in, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
    void *arguments[] = {&d_in, &d_partial, &d_offsets, &d_out, &size, &rounds};
    HIP(hipLaunchCooperativeKernel((const void *)prefix, dim3(blocks), dim3(block), arguments, 0, nullptr));
    HIP_FINISH();
    HIP(hipMemcpy(out.data(), d_out, n * sizeof(int), hipMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += in[i] + rounds - 1;
        EXPECT(out[i] == sum, "out[%d] = %d, not %d", i, out[i], sum);
    }
    return finish();
}
