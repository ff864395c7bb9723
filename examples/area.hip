// AML's HIP areas: memory of each device, unified memory and mapped host memory, filled by a kernel and read back.
#include "check.h"

#include <aml/area/hip.h>

#include <vector>

__global__ void fill(int *out, int n, int start) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = start + 3 * i;
}

// Maps n ints of an area, lets a device fill them, and looks at them from the host.
static void use(const char *what, const struct aml_area *area, void *host, int n, int device) {
    struct aml_area_hip_mmap_options options = {device, host};
    const size_t size = n * sizeof(int);
    int *memory = (int *)aml_area_mmap(area, size, (struct aml_area_mmap_options *)&options);
    EXPECT(memory, "%s on device %d: %s", what, device, aml_strerror(aml_errno));
    if (!memory)
        return;
    int *on_device = memory;
    if (host)
        HIP(hipHostGetDevicePointer((void **)&on_device, memory, 0));
    HIP(hipSetDevice(device));
    fill<<<(n + 255) / 256, 256>>>(on_device, n, device);
    HIP_FINISH();
    std::vector<int> seen(n);
    HIP(hipMemcpy(seen.data(), memory, size, hipMemcpyDefault));
    for (int i = 0; i < n; i++)
        EXPECT(seen[i] == device + 3 * i, "%s on device %d: [%d] = %d", what, device, i, seen[i]);
    EXPECT(aml_area_munmap(area, memory, size) == AML_SUCCESS, "%s is not unmapped", what);
}

int main(int argc, char **argv) {
    check_name = "area";
    const int n = (int)argument(argc, argv, 1, 1 << 20);
    int devices;
    aml_init(&argc, &argv);
    HIP(hipGetDeviceCount(&devices));
    struct aml_area *mapped;
    EXPECT(aml_area_hip_create(&mapped, -1, AML_AREA_HIP_FLAG_ALLOC_MAPPED) == AML_SUCCESS, "no area for mapped memory");
    for (int device = 0; device < devices; device++) {
        std::vector<int> host(n);
        struct aml_area *own;
        EXPECT(aml_area_hip_create(&own, device, AML_AREA_HIP_FLAG_DEFAULT) == AML_SUCCESS, "no area for device %d", device);
        use("device memory", own, nullptr, n, device);
        use("unified memory", &aml_area_hip_unified, nullptr, n, device);
        use("mapped memory", mapped, host.data(), n, device);
        EXPECT(host[n - 1] == device + 3 * (n - 1), "the host's memory was not written");
        aml_area_hip_destroy(&own);
    }
    aml_area_hip_destroy(&mapped);
    aml_finalize();
    return finish();
}
