// A trap is the last instruction of a kernel, and each kernel has a section of its own: the padding between them is no instruction on gfx10.
// Only who comes to the trap is stopped.
#include "check.h"

template <unsigned step> __global__ void count(unsigned *values, unsigned limit) {
    if (blockDim.x > limit) // of all lanes: the branch is a scalar one
        __builtin_trap();
    values[threadIdx.x] += step;
}

int main() {
    check_name = "trap_last";
    unsigned values[64], *on_device;
    for (unsigned i = 0; i < 64; i++)
        values[i] = i;
    HIP(hipMalloc(&on_device, sizeof values));
    HIP(hipMemcpy(on_device, values, sizeof values, hipMemcpyHostToDevice));
    count<1><<<1, 64>>>(on_device, 64);
    count<2><<<1, 64>>>(on_device, 64);
    count<3><<<1, 64>>>(on_device, 64);
    HIP_FINISH();
    HIP(hipMemcpy(values, on_device, sizeof values, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; i++)
        EXPECT(values[i] == i + 6, "item %u: %u", i, values[i]);
    count<1><<<1, 64>>>(on_device, 63);
    EXPECT(hipDeviceSynchronize() != hipSuccess, "nobody came to the trap");
    return finish();
}
