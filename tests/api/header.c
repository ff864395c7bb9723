/* The public headers in every language they are for; only compiled. */
#include <hip/driver_types.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <hip/linker_types.h>

int main(void) {
    hipDeviceProp_t properties;
    void *memory = NULL;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess || hipMalloc(&memory, 16) != hipSuccess)
        return 1;
    return hipFree(memory) == hipSuccess && properties.warpSize > 0 ? 0 : 1;
}
