// An instruction that Wavelift does not implement: the launch returns an error that names it, and nothing runs, although no
// lane would reach it.
#include "check.h"
#include "child.h"

#include <string>

__global__ void has_rfe(int *out, int n) {
    out[threadIdx.x] = 1;
    if (n < 0)
        asm volatile("s_rfe_b64 s[0:1]");
}
// A word that is no instruction is a trap where control comes to it, and `wavelift check` counts it.
__global__ void has_unknown_word(int *out, int n) {
    out[threadIdx.x] = 1;
    if (n < 0)
        asm volatile(".long 0xfc000000");
}
__global__ void good(int *out) { out[threadIdx.x] += 2; }

static int run() {
    int *out, host[64] = {};
    HIP(hipMalloc((void **)&out, sizeof host));
    HIP(hipMemset(out, 0, sizeof host));
    has_rfe<<<1, 64>>>(out, 5);
    hipError_t launch = hipGetLastError();
    has_unknown_word<<<1, 64>>>(out, 5);
    HIP(hipDeviceSynchronize());
    HIP(hipMemset(out, 0, sizeof host));
    good<<<1, 64>>>(out); // the device is as good as before
    hipError_t after = hipDeviceSynchronize();
    HIP(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
    std::printf("\nlaunch %d after %d value %d\n", launch, after, host[13]);
    return 0;
}

int main(int argc, char **argv) {
    check_name = "unsupported";
    if (argc > 1)
        return run();
    std::string text;
    int status = run_again(argv[0], "run", text), launch = -1, after = -1, value = -1;
    size_t at = text.find("\nlaunch ");
    if (at != std::string::npos)
        std::sscanf(text.c_str() + at, " launch %d after %d value %d", &launch, &after, &value);
    EXPECT(status == 0, "the process ended with status %x: %s", status, text.c_str());
    EXPECT(launch > 0, "the launch succeeded: %s", text.c_str());
    EXPECT(after == 0 && value == 2, "later work: error %d, value %d: %s", after, value, text.c_str());
    EXPECT(text.find("s_rfe_b64") != std::string::npos && text.find("has_rfe") != std::string::npos,
           "instruction or kernel is not named: %s", text.c_str());
    return finish();
}
