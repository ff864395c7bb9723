/* The public headers in every language they are for; only compiled. */
#include <hip/driver_types.h>
#include <hip/hip_cuda_interop.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>
#include <hip/linker_types.h>

#ifdef __cplusplus
static inline hipError_t typed_forms(void) {
    float *memory = NULL;
    static int symbol[4];
    void *address = NULL;
    size_t size = 0;
    hipMemPool_t pool = NULL;
    hipError_t errors[] = {hipMalloc(&memory, 16),
                           hipHostMalloc(&memory, 16),
                           hipMallocManaged(&memory, 16),
                           hipMallocAsync(&memory, 16, NULL),
                           hipMallocAsync(&memory, 16, pool, NULL),
                           hipMallocFromPoolAsync(&memory, 16, pool, NULL),
                           hipGetSymbolAddress(&address, symbol),
                           hipGetSymbolSize(&size, symbol)};
    return errors[0];
}
#endif

int main(void) {
#ifdef __cplusplus
    (void)typed_forms;
#endif
    hipDeviceProp_t properties;
    void *memory = NULL;
    if (hipGetDeviceProperties(&properties, 0) != hipSuccess || hipMalloc(&memory, 16) != hipSuccess)
        return 1;
    return hipFree(memory) == hipSuccess && properties.warpSize > 0 ? 0 : 1;
}
