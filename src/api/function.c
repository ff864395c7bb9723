/* HIP reference: Execution control, attributes of functions; Occupancy. */
#include "api/api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/library.h"
#include "runtime/module.h"
#include "runtime/program.h"

#include <limits.h>
#include <string.h>

hipError_t wl_api_kernel(const char *function, const void *host, struct wl_context *context, struct wl_loaded_kernel **kernel) {
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (!host)
        return wl_api_fail(function, hipErrorInvalidDeviceFunction, "the function is NULL");
    enum wl_status status = wl_symbol_kernel(host, context, kernel);
    if (status == WL_NOT_FOUND && wl_handle_is(host, WL_HANDLE_KERNEL)) { /* some programs pass a hipFunction_t */
        *kernel = (struct wl_loaded_kernel *)(uintptr_t)host;
        status = WL_OK;
    } else if (status == WL_NOT_FOUND && wl_handle_is(host, WL_HANDLE_LIBRARY_KERNEL)) {
        status = wl_library_kernel_load((struct wl_library_kernel *)(uintptr_t)host, context, kernel);
    }
    if (status == WL_NOT_FOUND)
        return wl_api_fail(function, hipErrorInvalidDeviceFunction, wl_failure());
    return wl_api_status(function, status);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a name to declare */
#define API_KERNEL(name, host)                                                                                                             \
    struct wl_loaded_kernel *name = NULL;                                                                                                  \
    do {                                                                                                                                   \
        hipError_t error_ = wl_api_kernel(__func__, (host), wl_context_current(), &name);                                                  \
        if (error_ != hipSuccess)                                                                                                          \
            return error_;                                                                                                                 \
    } while (0)
#define API_FUNCTION(name, handle)                                                                                                         \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_KERNEL), hipErrorInvalidDeviceFunction);                                                  \
    struct wl_loaded_kernel *name = (struct wl_loaded_kernel *)(handle)
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- attributes ------------------------------------------------------------------------------ */

static int dynamic_limit(const struct wl_loaded_kernel *loaded) {
    const uint32_t most = wl_launch_lds(loaded, 0), own = loaded->kernel->lds_size, capacity = most > own ? most - own : 0;
    return (int)(loaded->max_dynamic_lds < capacity ? loaded->max_dynamic_lds : capacity);
}

static void read_attributes(const struct wl_loaded_kernel *loaded, hipFuncAttributes *attributes) {
    const struct wl_kernel *kernel = loaded->kernel;
    const struct wl_target *target = wl_runtime_target();
    memset(attributes, 0, sizeof *attributes);
    attributes->binaryVersion = (int)(target->major * 10 + target->minor);
    attributes->ptxVersion = attributes->binaryVersion;
    attributes->localSizeBytes = kernel->scratch_size;
    attributes->sharedSizeBytes = kernel->lds_size;
    attributes->maxDynamicSharedSizeBytes = dynamic_limit(loaded);
    attributes->maxThreadsPerBlock = (int)kernel->max_workgroup_size;
    attributes->numRegs = (int)kernel->vgprs;
    attributes->preferredShmemCarveout = loaded->carveout;
    const struct wl_device *device = wl_module_context(loaded->module)->device;
    struct wl_function_info info = {0};
    if (!device->ops->function_info || !device->ops->function_info(loaded->function, &info))
        return;
    attributes->numRegs = (int)info.registers;
    attributes->localSizeBytes = info.local_size;
    attributes->constSizeBytes = info.constant_size;
    attributes->binaryVersion = (int)info.binary_version;
    attributes->ptxVersion = (int)info.ptx_version;
    if ((int)info.max_threads < attributes->maxThreadsPerBlock)
        attributes->maxThreadsPerBlock = (int)info.max_threads;
}

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attributes, const void *function) {
    API_REQUIRE(attributes != NULL, hipErrorInvalidValue);
    API_KERNEL(kernel, function);
    read_attributes(kernel, attributes);
    API_SUCCESS();
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function) {
    hipFuncAttributes all;
    API_REQUIRE(value != NULL, hipErrorInvalidValue);
    API_FUNCTION(kernel, function);
    read_attributes(kernel, &all);
    const int values[HIP_FUNC_ATTRIBUTE_MAX] = {
        [HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
        [HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
        [HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
        [HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
        [HIP_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
        [HIP_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
        [HIP_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
        [HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
        [HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
        [HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout,
    };
    API_REQUIRE((unsigned)attribute < HIP_FUNC_ATTRIBUTE_MAX, hipErrorInvalidValue);
    *value = values[attribute];
    API_SUCCESS();
}

hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value) {
    API_KERNEL(kernel, function);
    API_REQUIRE(attribute == hipFuncAttributeMaxDynamicSharedMemorySize || attribute == hipFuncAttributePreferredSharedMemoryCarveout,
                hipErrorInvalidValue);
    if (attribute == hipFuncAttributePreferredSharedMemoryCarveout) { /* percent, or -1: the default. A hint */
        API_REQUIRE(value >= -1 && value <= 100, hipErrorInvalidValue);
        kernel->carveout = value;
        API_SUCCESS();
    }
    uint32_t capacity = wl_module_lds(kernel->module) - kernel->kernel->lds_size;
    API_REQUIRE(value >= 0 && (uint32_t)value <= capacity, hipErrorInvalidValue);
    kernel->max_dynamic_lds = (uint32_t)value;
    API_SUCCESS();
}

hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config) {
    API_REQUIRE((unsigned)config <= hipFuncCachePreferEqual, hipErrorInvalidValue);
    API_KERNEL(kernel, function);
    (void)kernel; /* a hint */
    API_SUCCESS();
}

hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config) {
    API_REQUIRE((unsigned)config <= hipSharedMemBankSizeEightByte, hipErrorInvalidValue);
    API_KERNEL(kernel, function);
    (void)kernel; /* a hint */
    API_SUCCESS();
}

hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol) {
    API_REQUIRE(function != NULL, hipErrorInvalidDeviceFunction);
    API_KERNEL(kernel, symbol);
    *function = (hipFunction_t)kernel;
    API_SUCCESS();
}

const char *hipKernelNameRef(const hipFunction_t function) {
    return wl_handle_is(function, WL_HANDLE_KERNEL) ? ((const struct wl_loaded_kernel *)function)->kernel->name : NULL;
}

const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream) {
    (void)stream;
    return hostFunction ? wl_symbol_name(hostFunction) : NULL;
}

/* ---- occupancy ------------------------------------------------------------------------------- */

static hipError_t active_blocks(const char *function, int *count, struct wl_loaded_kernel *kernel, int block_size, size_t lds) {
    if (!count || block_size <= 0)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the result, or no block size");
    *count = (int)wl_launch_occupancy(kernel, (uint32_t)block_size, lds);
    return wl_api_success();
}

/* The block size with the most resident work items; the larger one if several have it. */
static hipError_t best_block(const char *function, int *grid, int *block, struct wl_loaded_kernel *kernel, size_t lds, int limit) {
    if (!grid || !block)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the result");
    const struct wl_context *context = wl_module_context(kernel->module);
    uint32_t wave = kernel->kernel->wave_size ? kernel->kernel->wave_size : 64;
    uint32_t most = kernel->kernel->max_workgroup_size ? kernel->kernel->max_workgroup_size : context->info.max_workgroup_size;
    if (limit > 0 && (uint32_t)limit < most)
        most = (uint32_t)limit;
    uint64_t best = 0;
    *grid = *block = 0;
    for (uint32_t size = most; size; size = size > wave ? (size - 1) / wave * wave : 0) {
        uint32_t resident = wl_launch_occupancy(kernel, size, lds);
        if ((uint64_t)resident * size <= best)
            continue;
        best = (uint64_t)resident * size;
        *block = (int)size;
        *grid = (int)(resident * context->info.compute_units);
    }
    return wl_api_success();
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *function, int blockSize, size_t dynamicSharedMem) {
    API_KERNEL(kernel, function);
    return active_blocks(__func__, numBlocks, kernel, blockSize, dynamicSharedMem);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *function, int blockSize,
                                                                 size_t dynamicSharedMem, unsigned int flags) {
    API_REQUIRE(flags <= hipOccupancyDisableCachingOverride, hipErrorInvalidValue);
    API_KERNEL(kernel, function);
    return active_blocks(__func__, numBlocks, kernel, blockSize, dynamicSharedMem);
}

hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function, size_t dynamicSharedMem,
                                             int blockSizeLimit) {
    API_KERNEL(kernel, function);
    return best_block(__func__, gridSize, blockSize, kernel, dynamicSharedMem, blockSizeLimit);
}

hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *function, int numBlocks, int blockSize) {
    API_REQUIRE(dynamicSmemSize != NULL && numBlocks > 0 && blockSize > 0, hipErrorInvalidValue);
    API_KERNEL(kernel, function);
    size_t share = wl_module_usual_lds(kernel->module) / (unsigned)numBlocks, own = kernel->kernel->lds_size;
    API_REQUIRE(share >= own && wl_launch_occupancy(kernel, (uint32_t)blockSize, share - own) >= (uint32_t)numBlocks, hipErrorInvalidValue);
    *dynamicSmemSize = share - own;
    API_SUCCESS();
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, hipFunction_t function, int blockSize,
                                                              size_t dynamicSharedMem) {
    API_FUNCTION(kernel, function);
    return active_blocks(__func__, numBlocks, kernel, blockSize, dynamicSharedMem);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, hipFunction_t function, int blockSize,
                                                                       size_t dynamicSharedMem, unsigned int flags) {
    API_REQUIRE(flags <= hipOccupancyDisableCachingOverride, hipErrorInvalidValue);
    API_FUNCTION(kernel, function);
    return active_blocks(__func__, numBlocks, kernel, blockSize, dynamicSharedMem);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicSharedMem,
                                                   int blockSizeLimit) {
    API_FUNCTION(kernel, function);
    return best_block(__func__, gridSize, blockSize, kernel, dynamicSharedMem, blockSizeLimit);
}

hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicSharedMem,
                                                            int blockSizeLimit, unsigned int flags) {
    API_REQUIRE(flags <= hipOccupancyDisableCachingOverride, hipErrorInvalidValue);
    API_FUNCTION(kernel, function);
    return best_block(__func__, gridSize, blockSize, kernel, dynamicSharedMem, blockSizeLimit);
}
