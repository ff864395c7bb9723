// Inclusive prefix sum in a single pass: each tile publishes its sum, then looks back over the tiles before it until it
// finds a full prefix. Ends only if workgroups start in order and a waiting wave lets others run.
#include "check.h"

#include <vector>

constexpr int threads = 256, per_thread = 4, tile = threads * per_thread;

// A tile's word: state in the upper half, value in the lower.
constexpr unsigned long long aggregate = 1ull << 32, prefix = 2ull << 32;

__device__ unsigned scan_wave(unsigned value) {
    int lane = threadIdx.x % warpSize;
    for (int offset = 1; offset < warpSize; offset *= 2) {
        unsigned below = __shfl_up(value, offset);
        if (lane >= offset)
            value += below;
    }
    return value;
}

__global__ void scan(const unsigned *in, unsigned *out, size_t n, unsigned long long *tiles, unsigned *ticket) {
    __shared__ unsigned my_tile, before, waves[threads / 32];
    if (threadIdx.x == 0)
        my_tile = atomicAdd(ticket, 1u);
    __syncthreads();
    size_t first = (size_t)my_tile * tile + threadIdx.x * per_thread;
    unsigned value[per_thread], sum = 0;
    for (int i = 0; i < per_thread; i++) {
        sum += first + i < n ? in[first + i] : 0;
        value[i] = sum;
    }

    unsigned inclusive = scan_wave(sum);
    int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    if (lane == warpSize - 1)
        waves[wave] = inclusive;
    __syncthreads();
    unsigned offset = inclusive - sum, total = 0;
    for (int i = 0; i < threads / warpSize; i++) {
        if (i < wave)
            offset += waves[i];
        total += waves[i];
    }

    if (threadIdx.x == 0) {
        unsigned long long state = my_tile == 0 ? prefix : aggregate;
        __hip_atomic_store(&tiles[my_tile], state | total, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        unsigned sum_before = 0;
        for (int i = (int)my_tile - 1; i >= 0;) {
            unsigned long long word = __hip_atomic_load(&tiles[i], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
            if (word < aggregate)
                continue; // not there yet
            sum_before += (unsigned)word;
            if (word >= prefix)
                break;
            i--;
        }
        if (my_tile != 0)
            __hip_atomic_store(&tiles[my_tile], prefix | (sum_before + total), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        before = sum_before;
    }
    __syncthreads();
    for (int i = 0; i < per_thread; i++)
        if (first + i < n)
            out[first + i] = before + offset + value[i];
}

int main(int argc, char **argv) {
    check_name = "scan";
    size_t n = argument(argc, argv, 1, 2000003), tiles = (n + tile - 1) / tile;
    std::vector<unsigned> in(n), want(n), got(n);
    Random random;
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++)
        want[i] = sum += in[i] = random.next() & 0xffff;

    unsigned *device_in, *device_out, *ticket;
    unsigned long long *states;
    HIP(hipMalloc((void **)&device_in, n * 4));
    HIP(hipMalloc((void **)&device_out, n * 4));
    HIP(hipMalloc((void **)&states, tiles * 8));
    HIP(hipMalloc((void **)&ticket, 4));
    HIP(hipMemcpy(device_in, in.data(), n * 4, hipMemcpyHostToDevice));
    for (int round = 0; round < 3; round++) {
        HIP(hipMemset(states, 0, tiles * 8));
        HIP(hipMemset(ticket, 0, 4));
        HIP(hipMemset(device_out, 0, n * 4));
        scan<<<tiles, threads>>>(device_in, device_out, n, states, ticket);
        HIP_FINISH();
        HIP(hipMemcpy(got.data(), device_out, n * 4, hipMemcpyDeviceToHost));
        compare("out", got.data(), want.data(), n);
    }
    return finish();
}
