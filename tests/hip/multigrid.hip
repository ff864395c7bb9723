// Cooperative launches on four devices: grids that synchronize with each other, the order with other work, and the errors.
#include "check.h"

#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>

#include <thread>
#include <vector>

namespace cg = cooperative_groups;

enum { DEVICES = 4, BLOCKS = 6, THREADS = 64, ROUNDS = 5 };

// Each round: every block of every grid adds to its grid's word; behind the barrier every grid sees all words complete.
__global__ void rounds(unsigned *words, unsigned *facts, unsigned *wrong) {
    cg::multi_grid_group all = cg::this_multi_grid();
    cg::grid_group grid = cg::this_grid();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        if (threadIdx.x == 0)
            atomicAdd(&words[all.grid_rank()], 1u);
        all.sync();
        if (threadIdx.x == 0)
            for (unsigned g = 0; g < all.num_grids(); g++)
                if (__hip_atomic_load(&words[g], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) != round * gridDim.x)
                    atomicAdd(wrong, 1u);
        all.sync();
    }
    grid.sync();
    if (!all.is_valid() || !grid.is_valid())
        atomicAdd(wrong, 1u);
    if (all.thread_rank() == all.grid_rank() * gridDim.x * blockDim.x && blockIdx.x == 0 && threadIdx.x == 0) {
        facts[all.grid_rank() * 2] = all.num_grids();
        facts[all.grid_rank() * 2 + 1] = all.size();
    }
}

// The barrier of one grid as device libraries from ROCm 5.6 on make it: two words and the number of workgroups behind the
// pointer among the hidden arguments.
struct grid_info {
    uint64_t multi;
    uint32_t grid, grids;
    uint64_t before, all;
    uint32_t word, unused, workgroups;
};

__device__ void newer_sync(size_t slot) {
    __syncthreads();
    if (threadIdx.x == 0) {
        grid_info *info = ((grid_info **)__builtin_amdgcn_implicitarg_ptr())[slot];
        const bool first = blockIdx.x == 0;
        const uint32_t add = first ? 0x80000000u - (info->workgroups - 1) : 1;
        const uint32_t old = __hip_atomic_fetch_add(&info->word, add, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        while (!((__hip_atomic_load(&info->word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) ^ old) & 0x80000000u))
            __builtin_amdgcn_s_sleep(1);
    }
    __syncthreads();
}

__global__ void newer(unsigned *word, unsigned *wrong, size_t slot) {
    for (unsigned round = 1; round <= ROUNDS; round++) {
        if (threadIdx.x == 0)
            atomicAdd(word, 1u);
        newer_sync(slot);
        if (threadIdx.x == 0 && __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) != round * gridDim.x)
            atomicAdd(wrong, 1u);
        newer_sync(slot);
    }
}

// Ends when the host sets the flag.
__global__ void wait_for(unsigned *flag) {
    while (!__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
        __builtin_amdgcn_s_sleep(1);
}

// Writes one more than what it finds.
__global__ void step(unsigned *value, unsigned *copy) { *copy = ++*value; }

__global__ void fault_or_wait(unsigned *nowhere, unsigned *unused) {
    cg::multi_grid_group all = cg::this_multi_grid();
    if (all.grid_rank() == 2)
        *nowhere = (unsigned)(size_t)unused;
    all.sync();
}

static hipStream_t streams[DEVICES];
static unsigned *memory;

static hipError_t launch_all(const void *kernel, void **arguments, unsigned flags) {
    hipLaunchParams list[DEVICES];
    for (int d = 0; d < DEVICES; d++)
        list[d] = {const_cast<void *>(kernel), dim3(BLOCKS), dim3(THREADS), arguments, 0, streams[d]};
    return hipLaunchCooperativeKernelMultiDevice(list, DEVICES, flags);
}

static void finish_all() {
    for (int d = 0; d < DEVICES; d++)
        HIP(hipStreamSynchronize(streams[d]));
}

static void test_barriers(unsigned flags) {
    unsigned *words = memory, *facts = memory + 16, *wrong = memory + 32;
    memset(memory, 0, 4096);
    void *arguments[] = {&words, &facts, &wrong};
    HIP(launch_all((const void *)rounds, arguments, flags));
    finish_all();
    EXPECT(*wrong == 0, "%u wrong words", *wrong);
    for (int d = 0; d < DEVICES; d++) {
        EXPECT(words[d] == ROUNDS * BLOCKS, "grid %d counted %u", d, words[d]);
        EXPECT(facts[2 * d] == DEVICES && facts[2 * d + 1] == DEVICES * BLOCKS * THREADS, "grid %d saw %u grids of %u items", d,
               facts[2 * d], facts[2 * d + 1]);
    }
}

static void test_newer_barrier(size_t slot) {
    unsigned *word = memory, *wrong = memory + 32;
    memset(memory, 0, 4096);
    void *arguments[] = {&word, &wrong, &slot};
    HIP(hipSetDevice(1));
    HIP(hipLaunchCooperativeKernel((const void *)newer, dim3(BLOCKS), dim3(THREADS), arguments, 0, nullptr));
    HIP_FINISH();
    HIP(hipSetDevice(0));
    EXPECT(*word == ROUNDS * BLOCKS && *wrong == 0, "%u, %u wrong", *word, *wrong);
}

// No grid starts before earlier work of all streams; later work of every stream waits for all grids.
static void test_order() {
    unsigned *flag = memory + 64, *values = memory + 128, *words = memory, *facts = memory + 16, *wrong = memory + 32;
    memset(memory, 0, 4096);
    HIP(hipSetDevice(3));
    wait_for<<<1, 1, 0, streams[3]>>>(flag);
    HIP(hipSetDevice(0));
    void *arguments[] = {&words, &facts, &wrong};
    HIP(launch_all((const void *)rounds, arguments, 0));
    for (int d = 0; d < DEVICES; d++) {
        HIP(hipSetDevice(d));
        step<<<1, 1, 0, streams[d]>>>(&words[d], &values[d]);
    }
    HIP(hipSetDevice(0));
    for (int d = 0; d < DEVICES; d++)
        EXPECT(hipStreamQuery(streams[d]) == hipErrorNotReady && words[d] == 0, "stream %d did not wait", d);
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
    finish_all();
    for (int d = 0; d < DEVICES; d++)
        EXPECT(values[d] == ROUNDS * BLOCKS + 1 && *wrong == 0, "stream %d: %u, %u wrong", d, values[d], *wrong);
}

static void test_errors() {
    unsigned *words = memory, *facts = memory + 16, *wrong = memory + 32;
    void *arguments[] = {&words, &facts, &wrong};
    hipLaunchParams good[DEVICES + 1], list[DEVICES + 1];
    for (int d = 0; d <= DEVICES; d++)
        good[d] = {(void *)rounds, dim3(BLOCKS), dim3(THREADS), arguments, 0, streams[d % DEVICES]};
    struct {
        hipError_t wanted;
        int count;
        unsigned flags;
        void (*spoil)(hipLaunchParams *);
    } cases[] = {
        {hipErrorInvalidValue, 0, 0, [](hipLaunchParams *) {}},
        {hipErrorInvalidValue, -1, 0, [](hipLaunchParams *) {}},
        {hipErrorInvalidDevice, DEVICES + 1, 0, [](hipLaunchParams *) {}},
        {hipErrorInvalidValue, DEVICES, 4, [](hipLaunchParams *) {}},
        {hipErrorInvalidHandle, DEVICES, 0, [](hipLaunchParams *l) { l[1].stream = nullptr; }},
        {hipErrorInvalidValue, DEVICES, 0, [](hipLaunchParams *l) { l[2].stream = (hipStream_t)l; }},
        {hipErrorInvalidDevice, DEVICES, 0, [](hipLaunchParams *l) { l[3].stream = l[0].stream; }},
        {hipErrorInvalidValue, DEVICES, 0, [](hipLaunchParams *l) { l[2].args = nullptr; }},
        {hipErrorInvalidDeviceFunction, DEVICES, 0, [](hipLaunchParams *l) { l[1].func = l; }},
        {hipErrorInvalidDeviceFunction, DEVICES, 0, [](hipLaunchParams *l) { l[1].func = nullptr; }},
        {hipErrorInvalidConfiguration, DEVICES, 0,
         [](hipLaunchParams *l) {
             for (int d = 0; d < DEVICES; d++)
                 l[d].blockDim.x = 0;
         }},
        {hipErrorInvalidValue, DEVICES, 0,
         [](hipLaunchParams *l) {
             for (int d = 0; d < DEVICES; d++)
                 l[d].blockDim.x = 2048;
         }},
        {hipErrorCooperativeLaunchTooLarge, DEVICES, 0,
         [](hipLaunchParams *l) {
             for (int d = 0; d < DEVICES; d++)
                 l[d].gridDim.x = 60000;
         }},
    };
    memset(memory, 0, 4096);
    for (auto &c : cases) {
        memcpy(list, good, sizeof list);
        c.spoil(list);
        hipError_t error = hipLaunchCooperativeKernelMultiDevice(list, c.count, c.flags);
        EXPECT(error == c.wanted, "case %d: %s instead of %s", int(&c - cases), hipGetErrorName(error), hipGetErrorName(c.wanted));
    }
    EXPECT(hipLaunchCooperativeKernelMultiDevice(nullptr, 1, 0) == hipErrorInvalidValue, "no list");
    finish_all();
    for (int d = 0; d < DEVICES; d++)
        EXPECT(words[d] == 0, "a refused launch ran on device %d", d);
    (void)hipGetLastError();
}

// Different kernels and sizes, without a barrier between them.
static void test_extended() {
    unsigned *value = memory, *copy = memory + 8, *one = memory + 16, *wrong = memory + 32, *facts = memory + 48;
    memset(memory, 0, 4096);
    void *first[] = {&value, &copy}, *second[] = {&one, &facts};
    (void)wrong;
    hipLaunchParams list[2] = {{(void *)step, dim3(1), dim3(1), first, 0, streams[0]},
                               {(void *)step, dim3(1), dim3(2), second, 0, streams[1]}};
    HIP(hipExtLaunchMultiKernelMultiDevice(list, 2, 0));
    finish_all();
    EXPECT(*copy == 1 && *facts == 1, "%u and %u", *copy, *facts);
}

// Writes its number behind what other launches wrote on the same device.
__global__ void note(unsigned *count, unsigned *log, unsigned number) { log[(*count)++] = number; }

// Four threads launch on the same streams: on every stream the launches come in the same order.
static void test_extended_order() {
    enum { THREADS_OF_HOST = 4, LAUNCHES = 60, ALL = THREADS_OF_HOST * LAUNCHES };
    static unsigned counts[DEVICES * 64], logs[DEVICES][ALL];
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < THREADS_OF_HOST; t++)
        threads.emplace_back([t] {
            for (unsigned i = 0; i < LAUNCHES; i++) {
                unsigned number = t * LAUNCHES + i, *count[DEVICES], *log[DEVICES];
                void *arguments[DEVICES][3];
                hipLaunchParams list[DEVICES];
                for (int d = 0; d < DEVICES; d++) {
                    count[d] = &counts[d * 64];
                    log[d] = logs[d];
                    arguments[d][0] = &count[d], arguments[d][1] = &log[d], arguments[d][2] = &number;
                    list[d] = {(void *)note, dim3(1), dim3(1), arguments[d], 0, streams[d]};
                }
                HIP(hipExtLaunchMultiKernelMultiDevice(
                    list, DEVICES, hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync));
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    finish_all();
    for (int d = 0; d < DEVICES; d++) {
        EXPECT(counts[d * 64] == ALL, "device %d ran %u of %d", d, counts[d * 64], ALL);
        EXPECT(memcmp(logs[d], logs[0], sizeof logs[0]) == 0, "device %d has another order than device 0", d);
    }
}

// One grid faults; the others end instead of waiting for it, and every device says so.
static void test_fault() {
    unsigned *nowhere = nullptr, *unused = nullptr;
    void *arguments[] = {&nowhere, &unused};
    HIP(launch_all((const void *)fault_or_wait, arguments, 0));
    for (int d = 0; d < DEVICES; d++) {
        hipError_t error = hipStreamSynchronize(streams[d]), wanted = d == 2 ? hipErrorIllegalAddress : hipErrorLaunchFailure;
        EXPECT(error == wanted, "device %d: %s instead of %s", d, hipGetErrorName(error), hipGetErrorName(wanted));
    }
}

__global__ void fault(unsigned *nowhere) { *nowhere = 1; }

static void make_streams() {
    for (int d = 0; d < DEVICES; d++) {
        HIP(hipSetDevice(d));
        HIP(hipDeviceReset());
        HIP(hipStreamCreate(&streams[d]));
    }
    HIP(hipSetDevice(0));
    (void)hipGetLastError();
}

// A grid that is dropped before it runs, because of a fault before it in its stream, does not let the others wait for ever.
static void test_dropped_grid() {
    unsigned *words = memory, *facts = memory + 16, *wrong = memory + 32, *flag = memory + 64;
    memset(memory, 0, 4096);
    make_streams();
    HIP(hipSetDevice(1));
    wait_for<<<1, 1, 0, streams[1]>>>(flag);
    fault<<<1, 1, 0, streams[1]>>>(nullptr);
    HIP(hipGetLastError());
    HIP(hipSetDevice(0));
    void *arguments[] = {&words, &facts, &wrong};
    HIP(launch_all((const void *)rounds, arguments, hipCooperativeLaunchMultiDeviceNoPreSync));
    __atomic_store_n(flag, 1u, __ATOMIC_RELEASE);
    for (int d = 0; d < DEVICES; d++) {
        hipError_t error = hipStreamSynchronize(streams[d]), wanted = d == 1 ? hipErrorIllegalAddress : hipErrorLaunchFailure;
        EXPECT(error == wanted, "device %d: %s instead of %s", d, hipGetErrorName(error), hipGetErrorName(wanted));
    }
    make_streams(); // and everything works again
    test_barriers(0);
}

int main() {
    check_name = "multigrid";
    setenv("WAVELIFT_DEVICES", "4", 1);
    int devices = 0, able = 0;
    HIP(hipGetDeviceCount(&devices));
    EXPECT(devices == DEVICES, "%d devices", devices);
    HIP(hipDeviceGetAttribute(&able, hipDeviceAttributeCooperativeMultiDeviceLaunch, 0));
    EXPECT(able == 1, "no cooperative launches on several devices");
    HIP(hipHostMalloc((void **)&memory, 4096));
    for (int d = 0; d < DEVICES; d++) {
        HIP(hipSetDevice(d));
        HIP(hipStreamCreate(&streams[d]));
    }
    HIP(hipSetDevice(0));
    for (unsigned flags = 0; flags < 4; flags++)
        test_barriers(flags);
#if defined(__clang_major__) && __clang_major__ >= 18
    test_newer_barrier(11); // code object version 5
#else
    test_newer_barrier(6); // version 4
#endif
    test_order();
    test_errors();
    test_extended();
    test_extended_order();
    test_fault();
    test_dropped_grid();
    return finish();
}
