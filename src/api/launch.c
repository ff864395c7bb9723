/* HIP reference: Execution control and Module management, launches. */
#include "runtime/launch.h"
#include "api/api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/module.h"
#include "runtime/stream.h"

#include <stdlib.h>
#include <string.h>

/* ---- common ---------------------------------------------------------------------------------- */

static hipError_t launch(const char *function, const struct wl_launch_request *request, hipStream_t handle) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorInvalidValue, "not a stream");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    return wl_api_status(function, wl_launch_enqueue(stream, request));
}

/* The size is not looked at, as in AMD's runtime: programs pass sizes that are less than the kernel's arguments. */
bool wl_api_read_extra(void **extra, struct wl_launch_request *request) {
    request->buffer_size = SIZE_MAX;
    for (size_t i = 0; i < 5; i += 2) {
        if (extra[i] == HIP_LAUNCH_PARAM_END)
            return true;
        if (extra[i] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
            request->buffer = extra[i + 1];
        else if (extra[i] != HIP_LAUNCH_PARAM_BUFFER_SIZE)
            return false;
    }
    return false;
}

static hipError_t check_events(const char *function, hipEvent_t start, hipEvent_t stop, struct wl_launch_request *request) {
    if ((start && !wl_handle_is(start, WL_HANDLE_EVENT)) || (stop && !wl_handle_is(stop, WL_HANDLE_EVENT)))
        return wl_api_fail(function, hipErrorInvalidValue, "not an event");
    request->start = (struct wl_event *)start;
    request->stop = (struct wl_event *)stop;
    return hipSuccess;
}

/* ---- functions of modules -------------------------------------------------------------------- */

static hipError_t set_function(const char *name, hipFunction_t function, struct wl_launch_request *request) {
    if (!wl_handle_is(function, WL_HANDLE_KERNEL))
        return wl_api_fail(name, hipErrorInvalidHandle, "not a function of a loaded module");
    request->kernel = (struct wl_loaded_kernel *)function;
    request->handle = function;
    return hipSuccess;
}

/* `request` has its function. */
static hipError_t launch_function(const char *name, struct wl_launch_request *request, hipStream_t stream, void **params, void **extra) {
    if (params && extra)
        return wl_api_fail(name, hipErrorInvalidValue, "both kernelParams and extra");
    if (extra && !wl_api_read_extra(extra, request))
        return wl_api_fail(name, hipErrorInvalidValue, "extra is not a list of buffer pointer, buffer size and end");
    request->arguments = params;
    return launch(name, request, stream);
}

/* This function alone knows a limit of workgroups besides that of work items. */
static bool is_announced_grid(const struct wl_launch_request *request) {
    const uint32_t *grid = request->grid, *most = wl_module_context(request->kernel->module)->info.max_grid;
    return grid[0] <= most[0] && grid[1] <= most[1] && grid[2] <= most[2];
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                 unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                                 hipStream_t stream, void **kernelParams, void **extra) {
    struct wl_launch_request request = {
        .grid = {gridDimX, gridDimY, gridDimZ}, .block = {blockDimX, blockDimY, blockDimZ}, .dynamic_lds = sharedMemBytes};
    hipError_t error = set_function(__func__, function, &request);
    if (error != hipSuccess)
        return error;
    API_REQUIRE(is_announced_grid(&request), hipErrorInvalidValue);
    return launch_function(__func__, &request, stream, kernelParams, extra);
}

hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                            unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                            unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams) {
    struct wl_launch_request request = {.grid = {gridDimX, gridDimY, gridDimZ},
                                        .block = {blockDimX, blockDimY, blockDimZ},
                                        .dynamic_lds = sharedMemBytes,
                                        .cooperative = true};
    hipError_t error = set_function(__func__, function, &request);
    return error == hipSuccess ? launch_function(__func__, &request, stream, kernelParams, NULL) : error;
}

/* A grid in work items: the last block of a dimension may be partial; one that is larger than the grid is cut to it, if there may be such
 * blocks at all. */
static hipError_t launch_items(const char *name, hipFunction_t function, const uint32_t items[3], const uint32_t block[3], size_t shared,
                               hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop) {
    struct wl_launch_request request = {.dynamic_lds = shared};
    hipError_t error = set_function(name, function, &request);
    if (error != hipSuccess)
        return error;
    const uint64_t most = wl_module_context(request.kernel->module)->info.max_workgroup_size;
    uint64_t whole = 1;
    for (int i = 0; i < 3; i++) {
        if (!items[i])
            return wl_api_fail(name, hipErrorInvalidValue, "the grid has no work items");
        if (!block[i])
            return wl_api_fail(name, hipErrorInvalidConfiguration, "the block has no work items");
        whole *= block[i]; /* of factors below 2^32, the first of them not above `most` */
        if (whole > most)
            return wl_api_fail(name, hipErrorInvalidValue, "the block has more work items than the device takes");
        request.block[i] = block[i] < items[i] ? block[i] : items[i];
        request.grid[i] = items[i] / request.block[i] + (items[i] % request.block[i] != 0);
        request.remainder[i] = items[i] % request.block[i];
    }
    error = check_events(name, start, stop, &request);
    return error == hipSuccess ? launch_function(name, &request, stream, params, extra) : error;
}

hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t stream, void **kernelParams, void **extra, hipEvent_t startEvent, hipEvent_t stopEvent,
                                    uint32_t flags) {
    API_REQUIRE(!(flags & ~hipExtAnyOrderLaunch), hipErrorInvalidValue); /* in order is one of the orders */
    return launch_items(__func__, function, (uint32_t[3]){globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                        (uint32_t[3]){localWorkSizeX, localWorkSizeY, localWorkSizeZ}, sharedMemBytes, stream, kernelParams, extra,
                        startEvent, stopEvent);
}

hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t stream, void **kernelParams, void **extra, hipEvent_t startEvent, hipEvent_t stopEvent) {
    return launch_items(__func__, function, (uint32_t[3]){globalWorkSizeX, globalWorkSizeY, globalWorkSizeZ},
                        (uint32_t[3]){localWorkSizeX, localWorkSizeY, localWorkSizeZ}, sharedMemBytes, stream, kernelParams, extra,
                        startEvent, stopEvent);
}

/* HIP 5 exports these two under their C++ names. */
#define SAME_AS(original) __attribute__((alias(original), visibility("default")))
hipError_t wl_ext_module_launch_5(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void **,
                                  void **, hipEvent_t, hipEvent_t,
                                  uint32_t) __asm__("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_t"
                                                    "PPvS4_P11ihipEvent_tS6_j") SAME_AS("wl_api_hipExtModuleLaunchKernel");
hipError_t wl_hcc_module_launch_5(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t, hipStream_t, void **,
                                  void **, hipEvent_t,
                                  hipEvent_t) __asm__("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_t"
                                                      "PPvS4_P11ihipEvent_tS6_") SAME_AS("wl_api_hipHccModuleLaunchKernel");

/* ---- kernels by their host stub -------------------------------------------------------------- */

static hipError_t launch_stub(const char *name, const void *function, struct wl_launch_request *request, dim3 grid, dim3 block,
                              hipStream_t handle) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(name, request->cooperative ? hipErrorContextIsDestroyed : hipErrorInvalidValue, "not a stream");
    hipError_t error = wl_api_kernel(name, function, stream->context, &request->kernel);
    if (error != hipSuccess)
        return error;
    request->handle = function;
    memcpy(request->grid, (uint32_t[3]){grid.x, grid.y, grid.z}, sizeof request->grid);
    memcpy(request->block, (uint32_t[3]){block.x, block.y, block.z}, sizeof request->block);
    return launch(name, request, handle);
}

hipError_t hipLaunchKernel(const void *function, dim3 numBlocks, dim3 dimBlocks, void **args, size_t sharedMemBytes, hipStream_t stream) {
    struct wl_launch_request request = {.dynamic_lds = sharedMemBytes, .arguments = args};
    return launch_stub(__func__, function, &request, numBlocks, dimBlocks, stream);
}

hipError_t hipExtLaunchKernel(const void *function, dim3 numBlocks, dim3 dimBlocks, void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags) {
    API_REQUIRE(!((unsigned)flags & ~hipExtAnyOrderLaunch), hipErrorInvalidValue); /* in order is one of the orders */
    struct wl_launch_request request = {.dynamic_lds = sharedMemBytes, .arguments = args};
    hipError_t error = check_events(__func__, startEvent, stopEvent, &request);
    return error == hipSuccess ? launch_stub(__func__, function, &request, numBlocks, dimBlocks, stream) : error;
}

hipError_t hipLaunchCooperativeKernel(const void *function, dim3 gridDim, dim3 blockDim, void **kernelParams, unsigned int sharedMemBytes,
                                      hipStream_t stream) {
    struct wl_launch_request request = {.dynamic_lds = sharedMemBytes, .arguments = kernelParams, .cooperative = true};
    const struct wl_stream *queue = wl_api_stream(stream);
    if (queue && function) {
        const struct wl_device_info *info = &queue->context->info;
        API_REQUIRE((uint64_t)blockDim.x * blockDim.y <= info->max_workgroup_size &&
                        (uint64_t)blockDim.x * blockDim.y * blockDim.z <= info->max_workgroup_size,
                    hipErrorInvalidConfiguration);
        API_REQUIRE(sharedMemBytes <= wl_context_lds(queue->context), hipErrorCooperativeLaunchTooLarge);
    }
    return launch_stub(__func__, function, &request, gridDim, blockDim, stream);
}

/* ---- with attributes --------------------------------------------------------------------------- */

static hipError_t read_attributes(const char *name, const hipLaunchAttribute *attributes, unsigned count,
                                  struct wl_launch_request *request) {
    if (count && !attributes)
        return wl_api_fail(name, hipErrorInvalidValue, "no attributes where some are counted");
    for (unsigned i = 0; i < count; i++) {
        const hipLaunchAttributeValue *value = &attributes[i].value;
        switch (attributes[i].id) {
        case hipLaunchAttributeIgnore:
        case hipLaunchAttributePriority: /* a hint */
            break;
        case hipLaunchAttributeCooperative:
            request->cooperative = value->cooperative != 0;
            break;
        case hipLaunchAttributeClusterDimension:
            if (!value->clusterDim.x || !value->clusterDim.y || !value->clusterDim.z)
                return wl_api_fail(name, hipErrorInvalidClusterSize, "a cluster without workgroups");
            memcpy(request->cluster, (uint32_t[3]){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z}, sizeof request->cluster);
            break;
        default:
            return wl_api_fail(name, hipErrorInvalidValue, "an attribute that launches do not have");
        }
    }
    return hipSuccess;
}

hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *function, void **args) {
    API_REQUIRE(config != NULL, hipErrorInvalidConfiguration);
    struct wl_launch_request request = {.dynamic_lds = config->dynamicSmemBytes, .arguments = args};
    hipError_t error = read_attributes(__func__, config->attrs, config->numAttrs, &request);
    return error == hipSuccess ? launch_stub(__func__, function, &request, config->gridDim, config->blockDim, config->stream) : error;
}

hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t function, void **params, void **extra) {
    API_REQUIRE(config != NULL, hipErrorInvalidValue);
    struct wl_launch_request request = {.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                                        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                                        .dynamic_lds = config->sharedMemBytes};
    hipError_t error = read_attributes(__func__, config->attrs, config->numAttrs, &request);
    if (error == hipSuccess)
        error = set_function(__func__, function, &request);
    return error == hipSuccess ? launch_function(__func__, &request, config->hStream, params, extra) : error;
}

/* What hipLaunchKernelGGL of HIP 5 calls: extents by reference. */
void wl_launch_ggl(uintptr_t function, const dim3 *grid, const dim3 *block, uint32_t shared, hipStream_t stream,
                   void **params) __asm__("_ZN8hip_impl22hipLaunchKernelGGLImplEmRK4dim3S2_jP12ihipStream_tPPv")
    __attribute__((visibility("default")));
void wl_launch_ggl(uintptr_t function, const dim3 *grid, const dim3 *block, uint32_t shared, hipStream_t stream, void **params) {
    (void)hipLaunchKernel((const void *)function, *grid, *block, params, shared, stream); /* hipGetLastError tells */
}

/* ---- configure, set up arguments, launch ------------------------------------------------------ */

hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
    API_THREAD(thread);
    API_REQUIRE(wl_api_configure(thread, gridDim, blockDim, sharedMem, stream), hipErrorOutOfMemory);
    API_SUCCESS();
}

hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset) {
    API_REQUIRE(arg != NULL, hipErrorInvalidValue);
    API_THREAD(thread);
    API_REQUIRE(thread->configuration_count > 0, hipErrorMissingConfiguration);
    API_REQUIRE(offset <= WL_API_ARGUMENTS && size <= WL_API_ARGUMENTS - offset, hipErrorInvalidValue);
    struct wl_api_configuration *call = &thread->configurations[thread->configuration_count - 1];
    if (!call->arguments)
        call->arguments = calloc(1, WL_API_ARGUMENTS);
    API_REQUIRE(call->arguments != NULL, hipErrorOutOfMemory);
    memcpy(call->arguments + offset, arg, size);
    call->argument_size = call->argument_size > offset + size ? call->argument_size : offset + size;
    API_SUCCESS();
}

hipError_t hipLaunchByPtr(const void *function) {
    API_THREAD(thread);
    API_REQUIRE(thread->configuration_count > 0, hipErrorMissingConfiguration);
    const struct wl_api_configuration call = thread->configurations[--thread->configuration_count];
    struct wl_launch_request request = {.dynamic_lds = call.shared, .buffer = call.arguments, .buffer_size = call.argument_size};
    hipError_t error = launch_stub(__func__, function, &request, call.grid, call.block, call.stream);
    free(call.arguments);
    return error;
}
