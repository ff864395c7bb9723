// Kernels that touch memory that is not there: one readable paragraph, the HIP error, and a process that lives on.
// Each case runs in a process of its own, because the device keeps the error.
#include "check.h"
#include "child.h"

#include <string>

static const int store_line = __LINE__ + 3;
__global__ void wild_store(int *where, int lane) {
    if ((int)threadIdx.x == lane)
        where[0] = 1; // line of the wild store
}
__global__ void wild_load(const int *where, int *out) { out[threadIdx.x] = where[threadIdx.x]; }
__global__ void wild_atomic(int *where) { atomicAdd(where, 1); }
__global__ void beyond(int *array, long n) { array[n + threadIdx.x] = 5; }
__device__ __attribute__((noinline)) void inner(int *where) { *where = 2; }
__global__ void in_callee(int *where) { inner(where + threadIdx.x); }
__global__ void jump(void (*target)()) { target(); }
__global__ void gather(const int *from, const unsigned *index, int *out) {
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    out[i] = from[(size_t)index[i] * 1000003];
}
__global__ void scatter(int *to, const unsigned *index) {
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    to[index[i]] = (int)i;
}
/* Of a workgroup that may be run as one wave. */
__global__ void behind_barriers(int *where) {
    __shared__ int part[256];
    int i = threadIdx.x;
    part[i] = i;
    for (int half = 128; half > 16; half /= 2) {
        __syncthreads();
        if (i < half)
            part[i] += part[i + half];
        __syncthreads();
    }
    if (i == 200)
        where[part[5] & 1] = 1;
}
__global__ void sums(const int *from, const unsigned *index, int *out) {
    unsigned item = threadIdx.y * blockDim.x + threadIdx.x;
    int sum = 0;
    for (unsigned i = item; i < 64 * (1 + item % 5); i += 64)
        sum += from[index[i]];
    out[item] = sum;
}
__global__ void nothing() {}
/* One workgroup faults while the other does something for ever. */
enum Loop { SPIN, BARRIER, POLL, SLEEP };
__global__ void one_faults(Loop loop, unsigned faulting, int *wild, volatile int *started, volatile int *never) {
    if (blockIdx.x == faulting) {
        while (*started == 0) {
        }
        *wild = 1;
        return;
    }
    *started = 1;
    for (;;) {
        if (loop == BARRIER)
            __syncthreads();
        else if (loop == POLL && *never)
            break;
        else if (loop == SLEEP)
            __builtin_amdgcn_s_sleep(1);
        else
            asm volatile("");
    }
}

static int run(const std::string &which) {
    int *array;
    HIP(hipMalloc((void **)&array, 4096));
    int *wild = (int *)0x7123456789a0;
    if (which == "store")
        wild_store<<<3, 64>>>(wild, 37);
    else if (which == "null")
        wild_load<<<1, 64>>>(nullptr, array);
    else if (which == "load")
        wild_load<<<1, 64>>>(wild, array);
    else if (which == "atomic")
        wild_atomic<<<1, 64>>>(wild);
    else if (which == "beyond")
        beyond<<<1, 64>>>(array, 1L << 40);
    else if (which == "gather") { // one lane's index is wild
        unsigned index[64] = {}, *indices;
        for (unsigned i = 0; i < 64; i++)
            index[i] = i == 37 ? 250000u : 0;
        HIP(hipMalloc((void **)&indices, sizeof index));
        HIP(hipMemcpy(indices, index, sizeof index, hipMemcpyHostToDevice));
        gather<<<1, dim3(16, 4)>>>(array, indices, array + 64);
    } else if (which == "scatter" ||
               which == "scatter_far") { // the same of an index that is small enough for the host's, and of one that is not
        unsigned index[64] = {}, *indices;
        for (unsigned i = 0; i < 64; i++)
            index[i] = i != 37 ? 63 - i : which == "scatter" ? 0x7ffffff0u : 0xfffffff0u;
        HIP(hipMalloc((void **)&indices, sizeof index));
        HIP(hipMemcpy(indices, index, sizeof index, hipMemcpyHostToDevice));
        scatter<<<1, dim3(16, 4)>>>(array, indices);
    } else if (which == "barriers")
        behind_barriers<<<1, 256>>>(wild);
    else if (which == "sums" ||
             which == "few") { // one lane's index is wild, in the third round of a loop that others have left, or the fifth
        unsigned index[320] = {}, *indices;
        index[which == "few" ? 4 * 64 + 39 : 2 * 64 + 37] = 0x7ffffff0u;
        HIP(hipMalloc((void **)&indices, sizeof index));
        HIP(hipMemcpy(indices, index, sizeof index, hipMemcpyHostToDevice));
        sums<<<1, dim3(16, 4)>>>(array, indices, array + 64);
    } else if (which == "callee")
        in_callee<<<1, 64>>>(wild);
    else if (which.substr(0, 4) == "loop") {
        HIP(hipMemset(array, 0, 4096));
        one_faults<<<2, 128>>>((Loop)(which[4] - '0'), which[5] - '0', wild, array, array + 64);
    } else if (which == "jump")
        jump<<<1, 64>>>((void (*)())0x1234560);
    hipError_t first = hipDeviceSynchronize(), second;
    nothing<<<1, 1>>>();
    second = hipDeviceSynchronize();
    std::printf("\nfirst %d second %d\n", first, second);
    return 0;
}

int main(int argc, char **argv) {
    check_name = "fault";
    if (argc > 1)
        return run(argv[1]);
    static const struct {
        const char *which, *kernel;
        int error;
    } cases[] = {
        {"store", "wild_store", hipErrorIllegalAddress},
        {"null", "wild_load", hipErrorIllegalAddress},
        {"load", "wild_load", hipErrorIllegalAddress},
        {"atomic", "wild_atomic", hipErrorIllegalAddress},
        {"beyond", "beyond", hipErrorIllegalAddress},
        {"gather", "gather", hipErrorIllegalAddress},
        {"scatter", "scatter", hipErrorIllegalAddress},
        {"scatter_far", "scatter", hipErrorIllegalAddress},
        {"barriers", "behind_barriers", hipErrorIllegalAddress},
        {"sums", "sums", hipErrorIllegalAddress},
        {"few", "sums", hipErrorIllegalAddress},
        {"callee", "in_callee", hipErrorIllegalAddress},
        {"loop00", "one_faults", hipErrorIllegalAddress},
        {"loop01", "one_faults", hipErrorIllegalAddress},
        {"loop10", "one_faults", hipErrorIllegalAddress},
        {"loop21", "one_faults", hipErrorIllegalAddress},
        {"loop31", "one_faults", hipErrorIllegalAddress},
        {"jump", "jump", 0 /* any error */},
    };
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    bool details = properties.isLargeBar; // the driver of a GPU tells that a kernel failed, and no more
    // Not the machine's processors: affinity or a cgroup may leave the device one of them.
    bool parallel = properties.multiProcessorCount > 1;
    for (auto &test : cases) {
        if (!parallel && std::string(test.which).substr(0, 4) == "loop")
            continue; // the other workgroup would never start
        std::string text;
        int status = run_again(argv[0], test.which, text), first = -1, second = -1;
        size_t at = text.find("\nfirst ");
        if (at != std::string::npos)
            std::sscanf(text.c_str() + at, " first %d second %d", &first, &second);
        EXPECT(status == 0, "%s: the process ended with status %x: %s", test.which, status, text.c_str());
        // A GPU's driver says now and then that a wild address was an illegal instruction.
        EXPECT(test.error ? first == test.error || (!details && first == hipErrorLaunchFailure) : first > 0, "%s: error %d: %s", test.which,
               first, text.c_str());
        EXPECT(second > 0, "%s: the error did not stay: %d", test.which, second);
        EXPECT(text.find(test.kernel) != std::string::npos, "%s: the kernel is not named: %s", test.which, text.c_str());
        if (!details)
            continue;
        if (test.error)
            EXPECT(text.find("fault.hip:") != std::string::npos || text.find("amd_hip_atomic.h:") != std::string::npos,
                   "%s: the source line is missing: %s", test.which, text.c_str());
        if (std::string(test.which) == "gather" || std::string(test.which) == "sums" || std::string(test.kernel) == "scatter")
            EXPECT(text.find("work item (5, 2, 0)") != std::string::npos, "the work item is not named: %s", text.c_str());
        if (std::string(test.which) == "few")
            EXPECT(text.find("work item (7, 2, 0)") != std::string::npos, "the work item is not named: %s", text.c_str());
        if (std::string(test.which) == "barriers" && !std::strstr(argv[0], "-O0"))
            EXPECT(text.find("work item (200, 0, 0)") != std::string::npos, "the work item is not named: %s", text.c_str());
        if (std::string(test.which) == "store" && !std::strstr(argv[0], "-O0")) // there a whole strip is stored at once
            EXPECT(text.find("work item (37, 0, 0)") != std::string::npos, "the work item is not named: %s", text.c_str());
        if (std::string(test.which) == "store")
            EXPECT(text.find("fault.hip:" + std::to_string(store_line)) != std::string::npos &&
                       text.find("7123456789a0") != std::string::npos,
                   "the source line or the address is missing: %s", text.c_str());
    }
    return finish();
}
