// Thousands of functions that are reached through pointers alone: a launch translates those that are called, and no others. One of them has
// an instruction that Wavelift does not implement, which is an error of the launch that calls it.
#include "check.h"
#include "child.h"

#include <string>

typedef int function(int);

template <int N> __device__ __attribute__((noinline)) int mix(int x) { return (x + N) * (2 * N + 1) ^ N >> 3; }
static int mix_on_host(int n, int x) { return (x + n) * (2 * n + 1) ^ n >> 3; }

__device__ __attribute__((noinline)) int has_rfe(int x) {
    asm volatile("s_rfe_b64 s[0:1]");
    return x;
}

#define F4(n)    mix<n>, mix<n + 1>, mix<n + 2>, mix<n + 3>
#define F16(n)   F4(n), F4(n + 4), F4(n + 8), F4(n + 12)
#define F64(n)   F16(n), F16(n + 16), F16(n + 32), F16(n + 48)
#define F256(n)  F64(n), F64(n + 64), F64(n + 128), F64(n + 192)
#define F1024(n) F256(n), F256(n + 256), F256(n + 512), F256(n + 768)

enum { FUNCTIONS = 3072 };
__device__ function *const table[FUNCTIONS + 1] = {F1024(0), F1024(1024), F1024(2048), has_rfe};

__global__ void call(int *out, const int *which, int count) {
    int x = threadIdx.x;
    for (int i = 0; i < count; i++)
        x = table[which[i]](x);
    out[threadIdx.x] = x;
}

static int which[] = {5, 3071, 1000, 5, 2222}, out[64], *device_out, *device_which;

static hipError_t run(int count) {
    HIP(hipMemset(device_out, 0, sizeof out));
    HIP(hipMemcpy(device_which, which, sizeof which, hipMemcpyHostToDevice));
    call<<<1, 64>>>(device_out, device_which, count);
    HIP(hipGetLastError()); // a launch is no error before something is called
    return hipDeviceSynchronize();
}

static int call_rfe() {
    which[1] = FUNCTIONS;
    hipError_t error = run(2);
    std::printf("\nerror %d\n", error);
    return 0;
}

int main(int argc, char **argv) {
    check_name = "pointers";
    HIP(hipMalloc((void **)&device_out, sizeof out));
    HIP(hipMalloc((void **)&device_which, sizeof which));
    if (argc > 1)
        return call_rfe();
    const int count = sizeof which / sizeof *which;
    EXPECT(run(count) == hipSuccess, "the launch failed");
    HIP(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) {
        int x = i;
        for (int n : which)
            x = mix_on_host(n, x);
        EXPECT(out[i] == x, "item %d: %d instead of %d", i, out[i], x);
    }
    std::string text;
    int status = run_again(argv[0], "run", text), error = -1;
    size_t at = text.find("\nerror ");
    if (at != std::string::npos)
        std::sscanf(text.c_str() + at, " error %d", &error);
    EXPECT(status == 0, "the process ended with status %x: %s", status, text.c_str());
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    if (!properties.isLargeBar) { // a GPU's driver tells that a kernel failed, and no more
        EXPECT(error > 0, "error %d: %s", error, text.c_str());
        return finish();
    }
    EXPECT(error == hipErrorNotSupported, "error %d: %s", error, text.c_str());
    EXPECT(text.find("s_rfe_b64") != std::string::npos && text.find("has_rfe") != std::string::npos,
           "instruction or function is not named: %s", text.c_str());
    return finish();
}
