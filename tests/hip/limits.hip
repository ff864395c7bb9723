// Limits of a device, with kernels that run into them: the stack of a lane, the buffer of printf.
#include "check.h"

#include <dlfcn.h>

// What HIP 5.2's headers lack.
static const hipLimit_t stack_limit = (hipLimit_t)0;

static hipError_t set_limit(hipLimit_t limit, size_t value) {
    hipError_t (*set)(hipLimit_t, size_t) = nullptr;
    *(void **)&set = dlsym(RTLD_DEFAULT, "hipDeviceSetLimit");
    return set ? set(limit, value) : hipErrorSharedObjectSymbolNotFound;
}

// Each level keeps a quarter KiB that cannot live in registers.
__device__ __attribute__((noinline)) unsigned descend(unsigned depth, unsigned seed) {
    volatile unsigned frame[64];
    for (unsigned i = 0; i < 64; i++)
        frame[i] = seed + i;
    if (depth == 0)
        return frame[seed % 64];
    const unsigned below = descend(depth - 1, seed + 1);
    return below + frame[(seed + depth) % 64];
}

__global__ void recurse(unsigned *out, unsigned depth) { out[threadIdx.x] = descend(depth, threadIdx.x); }

static unsigned descend_on_host(unsigned depth, unsigned seed) {
    const unsigned below = depth == 0 ? 0 : descend_on_host(depth - 1, seed + 1);
    return depth == 0 ? seed + seed % 64 : below + seed + (seed + depth) % 64;
}

__global__ void print_lines(int lines) {
    for (int i = 0; i < lines; i++)
        printf("%063d\n", i);
}

static void test_stack() {
    const unsigned depth = 200; // 50 KiB and more
    unsigned *out;
    size_t before = 0, now = 0;
    HIP(hipDeviceGetLimit(&before, stack_limit));
    EXPECT(before < 50 * 1024, "a stack of %zu bytes from the start", before);
    HIP(hipHostMalloc((void **)&out, 64 * sizeof *out));
    recurse<<<1, 64>>>(out, depth);
    HIP(hipGetLastError());
    hipError_t error = hipDeviceSynchronize(); // too deep: an error, and the process lives
    EXPECT(error == hipErrorIllegalAddress, "%s", hipGetErrorName(error));
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    if (hipDeviceReset() != hipSuccess && !properties.isLargeBar)
        return; // the driver of a GPU may keep a fault for the rest of the process
    (void)hipGetLastError();
    HIP(hipHostMalloc((void **)&out, 64 * sizeof *out));
    HIP(set_limit(stack_limit, 128 * 1024));
    HIP(hipDeviceGetLimit(&now, stack_limit));
    EXPECT(now == 128 * 1024, "%zu", now);
    recurse<<<1, 64>>>(out, depth);
    HIP_FINISH();
    for (unsigned i = 0; i < 64; i++)
        EXPECT(out[i] == descend_on_host(depth, i), "lane %u: %u instead of %u", i, out[i], descend_on_host(depth, i));
    HIP(hipHostFree(out));
}

// A lot of text is passed on as it comes; there is no buffer whose size could be set.
static void test_printf() {
    EXPECT(set_limit(hipLimitPrintfFifoSize, 1 << 12) == hipErrorUnsupportedLimit, "a limit for printf");
    (void)hipGetLastError();
    print_lines<<<1, 1>>>(200); // 12 KiB
    HIP_FINISH();
}

int main() {
    check_name = "limits";
    test_printf();
    test_stack(); // the last one: see there
    return finish();
}
