// Compiled with -fgpu-default-stream=per-thread: the NULL stream of every call is the calling thread's own, so that a thread's
// work neither waits for another thread's nor for the legacy stream.
#include "check.h"

#include <thread>

__device__ unsigned symbol;

__global__ void wait_for(unsigned *flag) {
    while (!__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM))
        __builtin_amdgcn_s_sleep(1);
}

__global__ void add(unsigned *value, unsigned amount) { *value += amount; }

static unsigned *memory; // [0]: the flag

static void work(unsigned *value) {
    unsigned back = 0, five = 5;
    HIP(hipMemset(value, 0, 64));
    add<<<1, 1>>>(value, 7);
    HIP(hipGetLastError());
    HIP(hipMemcpy(&back, value, 4, hipMemcpyDeviceToHost)); // waits for this thread's stream alone
    EXPECT(back == 7, "%u", back);
    HIP(hipMemcpyToSymbol((const void *)&symbol, &five, 4, 0, hipMemcpyHostToDevice));
    HIP(hipMemcpyFromSymbol(&back, (const void *)&symbol, 4, 0, hipMemcpyDeviceToHost));
    EXPECT(back == 5, "%u behind the symbol", back);
    HIP(hipStreamSynchronize(nullptr));
    EXPECT(hipStreamQuery(nullptr) == hipSuccess, "the thread's own stream is not idle");
    unsigned flags = 99;
    HIP(hipStreamGetFlags(nullptr, &flags));
}

int main() {
    check_name = "per_thread";
    HIP(hipHostMalloc((void **)&memory, 4096));
    memset(memory, 0, 4096);
    add<<<1, 1>>>(memory + 512, 0); // translated before anything waits
    wait_for<<<1, 1>>>(memory);     // in this thread's stream
    HIP(hipGetLastError());
    std::thread(work, memory + 64).join(); // would never end behind the kernel above
    std::thread(work, memory + 128).join();
    EXPECT(hipStreamQuery(nullptr) == hipErrorNotReady, "this thread's stream is idle");
    __atomic_store_n(memory, 1u, __ATOMIC_RELEASE);
    HIP(hipStreamSynchronize(nullptr));
    work(memory + 192);
    return finish();
}
