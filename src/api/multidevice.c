/* HIP reference: Module management, launches on several devices. */
#include "api/api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/stream.h"

#include <stdlib.h>

/* A list of launches, resolved. */
struct grids {
    unsigned count;
    struct wl_stream **streams;
    struct wl_launch_request *requests;
};

static void release(struct grids *grids) {
    free((void *)grids->streams);
    free(grids->requests);
}

static hipError_t make(const char *name, const void *list, long long count, unsigned flags, hipError_t too_many, struct grids *grids) {
    const unsigned known = hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;
    if (!list || count <= 0 || (flags & ~known))
        return wl_api_fail(name, hipErrorInvalidValue, "no list, no entries or unknown flags");
    if (count > (long long)wl_context_count())
        return wl_api_fail(name, too_many, "more entries than devices");
    grids->count = (unsigned)count;
    grids->streams = (struct wl_stream **)calloc((size_t)count, sizeof *grids->streams);
    grids->requests = calloc((size_t)count, sizeof *grids->requests);
    if (!grids->streams || !grids->requests)
        return wl_api_fail(name, hipErrorOutOfMemory, "out of host memory for a list of launches");
    return hipSuccess;
}

/* The stream of entry `i`, which names its device. */
static hipError_t take_stream(const char *name, struct grids *grids, unsigned i, hipStream_t handle) {
    if (handle == NULL || handle == hipStreamLegacy)
        return wl_api_fail(name, hipErrorInvalidHandle, "a launch on several devices needs streams of its own");
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(name, hipErrorInvalidValue, "not a stream");
    for (unsigned j = 0; j < i; j++)
        if (grids->streams[j]->context == stream->context)
            return wl_api_fail(name, hipErrorInvalidDevice, "two entries have streams of the same device");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(name, wl_context_fault(stream->context));
    grids->streams[i] = stream;
    return hipSuccess;
}

static hipError_t take_stub(const char *name, struct grids *grids, unsigned i, const hipLaunchParams *entry) {
    struct wl_launch_request *request = &grids->requests[i];
    *request = (struct wl_launch_request){.grid = {entry->gridDim.x, entry->gridDim.y, entry->gridDim.z},
                                          .block = {entry->blockDim.x, entry->blockDim.y, entry->blockDim.z},
                                          .dynamic_lds = entry->sharedMem,
                                          .arguments = entry->args};
    hipError_t error = take_stream(name, grids, i, entry->stream);
    return error == hipSuccess ? wl_api_kernel(name, entry->func, grids->streams[i]->context, &request->kernel) : error;
}

static hipError_t take_function(const char *name, struct grids *grids, unsigned i, const hipFunctionLaunchParams *entry) {
    struct wl_launch_request *request = &grids->requests[i];
    *request = (struct wl_launch_request){.grid = {entry->gridDimX, entry->gridDimY, entry->gridDimZ},
                                          .block = {entry->blockDimX, entry->blockDimY, entry->blockDimZ},
                                          .dynamic_lds = entry->sharedMemBytes,
                                          .arguments = entry->kernelParams};
    if (!wl_handle_is(entry->function, WL_HANDLE_KERNEL))
        return wl_api_fail(name, hipErrorInvalidHandle, "not a function of a loaded module");
    request->kernel = (struct wl_loaded_kernel *)entry->function;
    return take_stream(name, grids, i, entry->hStream);
}

static hipError_t run(const char *name, struct grids *grids, unsigned flags, bool cooperative) {
    unsigned waits = (flags & hipCooperativeLaunchMultiDeviceNoPreSync ? 0 : WL_LAUNCH_WAIT_BEFORE) |
                     (flags & hipCooperativeLaunchMultiDeviceNoPostSync ? 0 : WL_LAUNCH_WAIT_AFTER);
    for (unsigned i = 0; i < grids->count; i++)
        if (!grids->requests[i].block[0] || !grids->requests[i].block[1] || !grids->requests[i].block[2])
            return wl_api_fail(name, hipErrorInvalidConfiguration, "a block has no work items");
    for (unsigned i = 0; i < grids->count; i++)
        grids->requests[i].cooperative = cooperative;
    return wl_api_status(name, wl_launch_enqueue_all(grids->streams, grids->requests, grids->count, waits));
}

static hipError_t launch_stubs(const char *name, const hipLaunchParams *list, int count, unsigned flags, bool cooperative) {
    struct grids grids = {0};
    hipError_t error = make(name, list, count, flags, hipErrorInvalidDevice, &grids);
    for (unsigned i = 0; i < grids.count && error == hipSuccess; i++)
        error = take_stub(name, &grids, i, &list[i]);
    if (error == hipSuccess)
        error = run(name, &grids, flags, cooperative);
    release(&grids);
    return error;
}

hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices, unsigned int flags) {
    return launch_stubs(__func__, launchParamsList, numDevices, flags, true);
}

hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices, unsigned int flags) {
    return launch_stubs(__func__, launchParamsList, numDevices, flags, false);
}

hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList, unsigned int numDevices,
                                                       unsigned int flags) {
    struct grids grids = {0};
    hipError_t error = make(__func__, launchParamsList, numDevices, flags, hipErrorInvalidValue, &grids);
    for (unsigned i = 0; i < grids.count && error == hipSuccess; i++)
        error = take_function(__func__, &grids, i, &launchParamsList[i]);
    if (error == hipSuccess)
        error = run(__func__, &grids, flags, true);
    release(&grids);
    return error;
}
