// A first program, and one whose meaning depends on the version of HIP's headers: enum hipMemoryType has other numbers from HIP 6 on, so
// that it must be linked to the functions of the version that it was compiled for.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

#if HIP_VERSION_MAJOR < 6
#define TYPE(attributes) (attributes).memoryType
#else
#define TYPE(attributes) (attributes).type
#endif

int main() {
    int host[64], *device = nullptr;
    hipPointerAttribute_t attributes;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    if (hipMalloc(&device, sizeof host) != hipSuccess || hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice) != hipSuccess)
        return 1;
    twice<<<1, 64>>>(device);
    if (hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost) != hipSuccess ||
        hipPointerGetAttributes(&attributes, device) != hipSuccess)
        return 2;
    for (int i = 0; i < 64; i++)
        if (host[i] != 2 * i)
            return 3;
    if (TYPE(attributes) != hipMemoryTypeDevice) {
        std::printf("memory of a device is told to be of type %d, which is %d\n", (int)TYPE(attributes), (int)hipMemoryTypeDevice);
        return 4;
    }
    return hipFree(device) != hipSuccess;
}
