// assert() and abort() in kernels: the launch's error reaches the host, the message reaches stderr, and the process lives.
// Each case runs in a process of its own, since the device is unusable afterwards.
#include "check.h"
#include "child.h"

#include <cassert>
#include <string>

__global__ void asserting(int limit) { assert((int)threadIdx.x < limit && "lane too high"); }
__global__ void aborting(int at) {
    if ((int)threadIdx.x == at)
        abort();
}
__global__ void nothing() {}

static int run(const std::string &which) {
    if (which == "assert")
        asserting<<<2, 64>>>(63);
    else if (which == "hold")
        asserting<<<2, 64>>>(64);
    else
        aborting<<<1, 64>>>(5);
    hipError_t first = hipDeviceSynchronize();
    nothing<<<1, 1>>>();
    hipError_t second = hipDeviceSynchronize(); // the error stays
    std::printf("\nfirst %d second %d\n", first, second);
    return 0;
}

int main(int argc, char **argv) {
    check_name = "assert";
    if (argc > 1)
        return run(argv[1]);
    for (const char *which : {"hold", "assert", "abort"}) {
        std::string text;
        int status = run_again(argv[0], which, text);
        int first = -1, second = -1;
        size_t at = text.find("\nfirst ");
        if (at != std::string::npos)
            std::sscanf(text.c_str() + at, " first %d second %d", &first, &second);
        bool good = std::string(which) == "hold";
        EXPECT(status == 0, "%s: the process ended with status %x: %s", which, status, text.c_str());
        EXPECT(good ? first == hipSuccess : first != hipSuccess, "%s: error %d: %s", which, first, text.c_str());
        EXPECT(good ? second == hipSuccess : second != hipSuccess, "%s: later error %d", which, second);
        if (std::string(which) == "assert")
            EXPECT(text.find("lane too high") != std::string::npos, "no message of assert: %s", text.c_str());
    }
    return finish();
}
