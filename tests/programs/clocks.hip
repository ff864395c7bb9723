// The clocks that kernels read run at the rates that the device tells, and waves that wait for a time do so at once.
#include "check.h"

#include <algorithm>
#include <chrono>
#include <vector>

enum { WALL_KHZ = 100000, WAIT_MS = 50, FIRST_LONG_WAIT_MS = 100, LAST_LONG_WAIT_MS = 25600, GROUPS = 8, ITEMS = 256, WAVES = ITEMS / 32 };

__device__ long long wall() {
#if defined(__GFX11__) || defined(__GFX12__)
    return (long long)__builtin_readsteadycounter();
#else
    return (long long)__builtin_amdgcn_s_memrealtime();
#endif
}

// Of gfx11 it has 20 bits, which last for less than a millisecond.
__device__ long long core() { return (long long)__builtin_readcyclecounter(); }

// However long a kernel is kept from running between two looks at clocks: core's time lies between the shortest and the longest one of wall.
__global__ void rates(long long *passed) {
    const long long before_start = wall(), core_start = core(), behind_start = wall();
    while (wall() - behind_start < WAIT_MS * WALL_KHZ) {
    }
    const long long before_end = wall(), core_end = core(), behind_end = wall();
    passed[0] = core_end - core_start;
    passed[1] = before_end - behind_start;
    passed[2] = behind_end - before_start;
}

__global__ void wait_for_core(long long ticks, long long *passed) {
    const long long wall_start = wall(), start = core();
    while (core() - start < ticks) {
    }
    *passed = wall() - wall_start;
}

__global__ void wait_together(long long ticks, long long *starts, long long *ends) {
    const unsigned i = blockIdx.x * WAVES + threadIdx.x / 32;
    const long long start = wall();
    starts[i] = start;
    while (wall() - start < ticks) {
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

static void test_rates() {
    hipDeviceProp_t properties;
    int khz;
    HIP(hipGetDeviceProperties(&properties, 0));
    HIP(hipDeviceGetAttribute(&khz, hipDeviceAttributeClockRate, 0));
    EXPECT(khz == properties.clockRate, "two clock rates: %d and %d kHz", khz, properties.clockRate);
    long long *passed;
    HIP(hipMalloc((void **)&passed, 3 * sizeof *passed));
    const auto start = std::chrono::steady_clock::now();
    rates<<<1, 1>>>(passed);
    HIP_FINISH();
    EXPECT(milliseconds_since(start) > WAIT_MS * 0.99, "a wait of %d ms took %g", WAIT_MS, milliseconds_since(start));
    const std::vector<long long> times = values(passed, 3);
    const bool short_counter = strncmp(properties.gcnArchName, "gfx11", 5) == 0;
    const double rate = (double)khz / WALL_KHZ, least = (double)times[1] * rate, most = (double)times[2] * rate;
    HIP(hipMemset(passed, 0, sizeof *passed));
    EXPECT(short_counter || ((double)times[0] > least * 0.98 && (double)times[0] < most * 1.02),
           "%lld ticks of clock64 instead of %g to %g", times[0], least, most);
    if (!short_counter)
        wait_for_core<<<1, 1>>>((long long)WAIT_MS * khz, passed);
    HIP_FINISH();
    const double waited = (double)values(passed, 1)[0] / WALL_KHZ;
    EXPECT(short_counter || waited > WAIT_MS * 0.95, "a wait for clock64 of %d ms took %g", WAIT_MS, waited);
    HIP(hipFree(passed));
}

// Waves that wait one after the other never wait all at once, however long they wait. On a busy machine it may take seconds until all run.
static void test_together() {
    long long *starts, *ends;
    bool together = false;
    HIP(hipMalloc((void **)&starts, GROUPS * WAVES * sizeof *starts));
    HIP(hipMalloc((void **)&ends, GROUPS * WAVES * sizeof *ends));
    for (long long wait = FIRST_LONG_WAIT_MS; !together && wait <= LAST_LONG_WAIT_MS; wait *= 4) {
        wait_together<<<GROUPS, ITEMS>>>(wait * WALL_KHZ, starts, ends);
        HIP_FINISH();
        const std::vector<long long> from = values(starts, GROUPS * WAVES), to = values(ends, GROUPS * WAVES);
        together = *std::max_element(from.begin(), from.end()) < *std::min_element(to.begin(), to.end());
    }
    EXPECT(together, "waves waited one after the other");
    HIP(hipFree(starts));
    HIP(hipFree(ends));
}

int main() {
    check_name = "clocks";
    test_rates();
    test_together();
    return finish();
}
