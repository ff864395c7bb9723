// Histogram of bytes: counters in LDS, updated with atomics, added to the global ones at the end.
#include "check.h"

#include <vector>

constexpr int bins = 256;

__global__ void histogram(const unsigned char *data, size_t n, unsigned *counts) {
    __shared__ unsigned local[bins];
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (local[i])
            atomicAdd(&counts[i], local[i]);
}

// The same for a few wide bins, where every lane of a wave meets every other: returns matter here.
__global__ void rank(const unsigned char *data, size_t n, unsigned *ranks) {
    __shared__ unsigned local[4];
    if (threadIdx.x < 4)
        local[threadIdx.x] = 0;
    __syncthreads();
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        ranks[i] = atomicAdd(&local[data[i] & 3], 1u);
}

int main(int argc, char **argv) {
    check_name = "histogram";
    size_t n = argument(argc, argv, 1, 3000001);
    std::vector<unsigned char> data(n);
    std::vector<unsigned> want(bins, 0u), got(bins), ranks(n);
    Random random;
    for (unsigned char &value : data) {
        value = (unsigned char)((random.next() & 255) * (random.next() & 255) / 255);
        want[value]++;
    }

    unsigned char *device_data;
    unsigned *counts, *device_ranks;
    HIP(hipMalloc((void **)&device_data, n));
    HIP(hipMalloc((void **)&counts, bins * 4));
    HIP(hipMalloc((void **)&device_ranks, n * 4));
    HIP(hipMemcpy(device_data, data.data(), n, hipMemcpyHostToDevice));
    HIP(hipMemset(counts, 0, bins * 4));
    histogram<<<16, 256>>>(device_data, n, counts);
    rank<<<(n + 127) / 128, 128>>>(device_data, n, device_ranks);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), counts, bins * 4, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(ranks.data(), device_ranks, n * 4, hipMemcpyDeviceToHost));
    compare("count", got.data(), want.data(), bins);

    // The ranks of one bin in one workgroup are 0, 1, 2, ... in some order.
    for (size_t block = 0; block < n; block += 128)
        for (int bin = 0; bin < 4; bin++) {
            std::vector<bool> seen(129);
            size_t count = 0;
            for (size_t i = block; i < n && i < block + 128; i++)
                if ((data[i] & 3) == bin) {
                    count++;
                    unsigned r = ranks[i] < 128 ? ranks[i] : 128;
                    EXPECT(r < 128 && !seen[r], "rank[%zu] = %u comes twice or is out of range", i, ranks[i]);
                    seen[r] = true;
                }
            for (size_t r = 0; r < count; r++)
                EXPECT(seen[r], "block %zu, bin %d: no rank %zu of %zu", block / 128, bin, r, count);
        }
    return finish();
}
