// The wave sync unit's semaphores between workgroups: all wait until the first one has written a value and released them at
// once, then one by one.
#include "check.h"

enum { GROUPS = 12, ITEMS = 32, VALUE = 4711 }; // one wave each, wherever

#define GWS(operation, value, resource)                                                                                                    \
    asm volatile("s_mov_b32 m0, 0\nv_mov_b32 v4, %0\ns_nop 4\n" operation " v4 offset:" #resource                                          \
                 " gds\ns_waitcnt vmcnt(0) lgkmcnt(0)" ::"v"(value)                                                                        \
                 : "v4", "memory")
#define GWS_PLAIN(operation, resource)                                                                                                     \
    asm volatile("s_mov_b32 m0, 0\ns_nop 4\n" operation " offset:" #resource " gds\ns_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory")

__global__ void pass_on(volatile int *data, int *seen) {
    if (blockIdx.x == 0) {
        GWS("ds_gws_init", 0, 1);
        GWS("ds_gws_init", 0, 2);
    }
    GWS("ds_gws_barrier", (int)gridDim.x - 1, 0); // starts as a barrier of all workgroups
    if (blockIdx.x == 0) {
        *data = VALUE;
        __threadfence();
        GWS("ds_gws_sema_br", (int)gridDim.x - 1, 1);
        seen[threadIdx.x] = VALUE;
        GWS_PLAIN("ds_gws_sema_v", 2);
        return;
    }
    GWS_PLAIN("ds_gws_sema_p", 1);
    seen[blockIdx.x * ITEMS + threadIdx.x] = *data;
    GWS_PLAIN("ds_gws_sema_p", 2); // a token that goes from hand to hand
    if (threadIdx.x == 0)
        data[1]++;
    __threadfence();
    GWS_PLAIN("ds_gws_sema_v", 2);
}

int main() {
    check_name = "wave_sync";
    int *data, *seen, host[GROUPS * ITEMS], counted[2] = {0, 0};
    HIP(hipMalloc((void **)&data, sizeof counted));
    HIP(hipMalloc((void **)&seen, sizeof host));
    HIP(hipMemset(data, 0, sizeof counted));
    HIP(hipMemset(seen, 0, sizeof host));
    void *arguments[] = {&data, &seen};
    HIP(hipLaunchCooperativeKernel((const void *)pass_on, dim3(GROUPS), dim3(ITEMS), arguments, 0, 0));
    HIP(hipDeviceSynchronize());
    HIP(hipMemcpy(host, seen, sizeof host, hipMemcpyDeviceToHost));
    HIP(hipMemcpy(counted, data, sizeof counted, hipMemcpyDeviceToHost));
    for (int i = 0; i < GROUPS * ITEMS; i++)
        EXPECT(host[i] == VALUE, "item %d saw %d", i, host[i]);
    EXPECT(counted[1] == GROUPS - 1, "%d workgroups had the token", counted[1]);
    return finish();
}
