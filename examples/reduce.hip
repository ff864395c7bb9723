// Reductions of an array: shuffles inside a wave, LDS between waves, one atomic a workgroup. Also ballots.
#include "check.h"

#include <climits>
#include <vector>

template <class T, class Combine> __device__ T reduce_block(T value, Combine combine) {
    __shared__ T waves[32];
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value = combine(value, __shfl_down(value, offset));
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    __syncthreads(); // waves[] may still be read by an earlier reduction
    if (lane == 0)
        waves[wave] = value;
    __syncthreads();
    value = waves[0];
    for (int i = 1; i < (int)blockDim.x / warpSize; i++)
        value = combine(value, waves[i]);
    return value;
}

struct Result {
    unsigned long long sum;
    int least, greatest;
    unsigned bits, odd;
    float total;
    double exact;
};

__global__ void reduce(const int *values, size_t n, Result *result) {
    unsigned long long sum = 0;
    int least = INT_MAX, greatest = INT_MIN;
    unsigned bits = 0, odd = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        int value = values[i];
        sum += (unsigned)value;
        least = min(least, value);
        greatest = max(greatest, value);
        bits ^= (unsigned)value;
        unsigned long long votes = __ballot(value & 1); // one bit a lane that is still in the loop
        if (threadIdx.x % warpSize == (unsigned)__ffsll(__ballot(1)) - 1)
            odd += (unsigned)__popcll(votes);
    }
    sum = reduce_block(sum, [](unsigned long long a, unsigned long long b) { return a + b; });
    least = reduce_block(least, [](int a, int b) { return min(a, b); });
    greatest = reduce_block(greatest, [](int a, int b) { return max(a, b); });
    bits = reduce_block(bits, [](unsigned a, unsigned b) { return a ^ b; });
    odd = reduce_block(odd, [](unsigned a, unsigned b) { return a + b; });
    if (threadIdx.x == 0) {
        atomicAdd(&result->sum, sum);
        atomicMin(&result->least, least);
        atomicMax(&result->greatest, greatest);
        atomicXor(&result->bits, bits);
        atomicAdd(&result->odd, odd);
        atomicAdd(&result->total, (float)(threadIdx.x + 1)); // small whole numbers: exact in any order
        atomicAdd(&result->exact, (double)odd);
    }
}

int main(int argc, char **argv) {
    check_name = "reduce";
    size_t n = argument(argc, argv, 1, 1000003);
    const unsigned blocks = 24, threads = 256;
    std::vector<int> values(n);
    Result want = {0, INT_MAX, INT_MIN, 0, 0, (float)blocks, 0}, got = {0, INT_MAX, INT_MIN, 0, 0, 0, 0};
    Random random;
    for (int &value : values) {
        value = (int)random.next();
        want.sum += (unsigned)value;
        want.least = value < want.least ? value : want.least;
        want.greatest = value > want.greatest ? value : want.greatest;
        want.bits ^= (unsigned)value;
        want.odd += value & 1;
    }
    want.exact = want.odd;

    int *device_values;
    Result *result;
    HIP(hipMalloc((void **)&device_values, n * 4));
    HIP(hipMalloc((void **)&result, sizeof got));
    HIP(hipMemcpy(device_values, values.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(result, &got, sizeof got, hipMemcpyHostToDevice));
    reduce<<<blocks, threads>>>(device_values, n, result);
    HIP_FINISH();
    HIP(hipMemcpy(&got, result, sizeof got, hipMemcpyDeviceToHost));
    EXPECT(got.sum == want.sum, "sum %llu instead of %llu", got.sum, want.sum);
    EXPECT(got.least == want.least, "least %d instead of %d", got.least, want.least);
    EXPECT(got.greatest == want.greatest, "greatest %d instead of %d", got.greatest, want.greatest);
    EXPECT(got.bits == want.bits, "bits %x instead of %x", got.bits, want.bits);
    EXPECT(got.odd == want.odd, "odd %u instead of %u", got.odd, want.odd);
    EXPECT(got.total == want.total, "total %g instead of %g", got.total, want.total);
    EXPECT(got.exact == want.exact, "exact %g instead of %g", got.exact, want.exact);
    return finish();
}
