// The clocks that kernels read run at the rates that the device tells, and waves that wait for a time do so at once.
#include "check.h"

#include <algorithm>
#include <chrono>
#include <vector>

enum { WALL_KHZ = 100000, WAIT_MS = 50, LONG_WAIT_MS = 400, GROUPS = 8, ITEMS = 256, WAVES = ITEMS / 32 };

__device__ long long wall() {
#if defined(__GFX11__) || defined(__GFX12__)
    return (long long)__builtin_readsteadycounter();
#else
    return (long long)__builtin_amdgcn_s_memrealtime();
#endif
}

// Of gfx11 it has 20 bits, which last for less than a millisecond.
__device__ long long core() { return (long long)__builtin_readcyclecounter(); }

__global__ void rates(long long *passed) {
    const long long wall_start = wall(), core_start = core();
    while (wall() - wall_start < WAIT_MS * WALL_KHZ) {
    }
    passed[1] = core() - core_start;
    passed[0] = wall() - wall_start;
}

__global__ void wait_for_core(long long ticks, long long *passed) {
    const long long start = core(), wall_start = wall();
    while (core() - start < ticks) {
    }
    *passed = wall() - wall_start;
}

__global__ void wait_together(long long *starts, long long *ends) {
    const unsigned i = blockIdx.x * WAVES + threadIdx.x / 32;
    const long long start = wall();
    starts[i] = start;
    while (wall() - start < (long long)LONG_WAIT_MS * WALL_KHZ) {
    }
    ends[i] = wall();
}

template <class T> static std::vector<T> values(const T *memory, size_t count) {
    std::vector<T> host(count);
    HIP(hipMemcpy(host.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost));
    return host;
}

static double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// A kernel may be kept from running between two looks at clocks, hence the allowance.
static void test_rates() {
    hipDeviceProp_t properties;
    int khz;
    HIP(hipGetDeviceProperties(&properties, 0));
    HIP(hipDeviceGetAttribute(&khz, hipDeviceAttributeClockRate, 0));
    EXPECT(khz == properties.clockRate, "two clock rates: %d and %d kHz", khz, properties.clockRate);
    long long *passed;
    HIP(hipMalloc((void **)&passed, 2 * sizeof *passed));
    const auto start = std::chrono::steady_clock::now();
    rates<<<1, 1>>>(passed);
    HIP_FINISH();
    EXPECT(milliseconds_since(start) > WAIT_MS * 0.99, "a wait of %d ms took %g", WAIT_MS, milliseconds_since(start));
    const std::vector<long long> both = values(passed, 2);
    const bool short_counter = strncmp(properties.gcnArchName, "gfx11", 5) == 0;
    const double expected = (double)both[0] * khz / WALL_KHZ;
    HIP(hipMemset(passed, 0, 2 * sizeof *passed));
    EXPECT(short_counter || std::abs((double)both[1] - expected) < expected * 0.1, "%lld ticks of clock64 instead of %g", both[1],
           expected);
    if (!short_counter)
        wait_for_core<<<1, 1>>>((long long)WAIT_MS * khz, passed);
    HIP_FINISH();
    const double waited = (double)values(passed, 1)[0] / WALL_KHZ;
    EXPECT(short_counter || waited > WAIT_MS * 0.95, "a wait for clock64 of %d ms took %g", WAIT_MS, waited);
    HIP(hipFree(passed));
}

static void test_together() {
    long long *starts, *ends;
    HIP(hipMalloc((void **)&starts, GROUPS * WAVES * sizeof *starts));
    HIP(hipMalloc((void **)&ends, GROUPS * WAVES * sizeof *ends));
    wait_together<<<GROUPS, ITEMS>>>(starts, ends);
    HIP_FINISH();
    const std::vector<long long> from = values(starts, GROUPS * WAVES), to = values(ends, GROUPS * WAVES);
    EXPECT(*std::max_element(from.begin(), from.end()) < *std::min_element(to.begin(), to.end()), "waves waited one after the other");
    HIP(hipFree(starts));
    HIP(hipFree(ends));
}

int main() {
    check_name = "clocks";
    test_rates();
    test_together();
    return finish();
}
