/* HIP reference: Memory management, allocation and questions about pointers; Stream-ordered memory. */
#include "api/api.h"
#include "api/checked.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/pool.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

#include <stdlib.h>
#include <string.h>

#define PITCH_ALIGNMENT 256

/* What hipFree and hipHostFree take, as bits for wl_memory_free. */
#define FREED_KINDS (1u << WL_MEMORY_DEVICE | 1u << WL_MEMORY_MANAGED | 1u << WL_MEMORY_EXTERNAL | 1u << WL_MEMORY_HOST)

/* ---- allocating ------------------------------------------------------------------------------ */

static hipError_t allocate(const char *function, enum wl_memory_kind kind, void **ptr, size_t size, unsigned flags) {
    struct wl_context *context = wl_context_current();
    wl_checked_call(function);
    if (!ptr)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the pointer");
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (wl_context_fault(context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(context));
    *ptr = NULL;
    if (wl_capture_unsafe() != WL_OK)
        return wl_api_status(function, WL_CAPTURE_UNSUPPORTED);
    if (size == 0)
        return wl_api_success();
    return wl_api_status(function, wl_memory_allocate(context, kind, size, flags, ptr));
}

hipError_t hipMalloc(void **ptr, size_t size) { return allocate(__func__, WL_MEMORY_DEVICE, ptr, size, 0); }

hipError_t hipExtMallocWithFlags(void **ptr, size_t size, unsigned int flags) {
    API_REQUIRE(flags <= hipDeviceMallocContiguous, hipErrorInvalidValue);
    API_REQUIRE(flags != hipMallocSignalMemory || size == 8, hipErrorInvalidValue);
    if (flags == hipMallocSignalMemory) /* the host accesses it, too */
        return allocate(__func__, WL_MEMORY_HOST, ptr, size, 0);
    return allocate(__func__, WL_MEMORY_DEVICE, ptr, size, flags);
}

static hipError_t allocate_pitched(const char *function, void **ptr, size_t *pitch, size_t width, size_t rows) {
    if (!ptr || !pitch)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the result");
    if (width > SIZE_MAX - PITCH_ALIGNMENT)
        return wl_api_fail(function, hipErrorInvalidValue, "the width is too large");
    size_t rounded = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT, size = 0;
    if (__builtin_mul_overflow(rounded, rows, &size))
        return wl_api_fail(function, hipErrorOutOfMemory, "the size is too large");
    hipError_t error = allocate(function, WL_MEMORY_DEVICE, ptr, size, 0);
    if (error == hipSuccess)
        *pitch = rounded;
    return error;
}

hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height) {
    return allocate_pitched(__func__, ptr, pitch, width, height);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *ptr, size_t *pitch, size_t width, size_t height, unsigned int elementSize) {
    API_REQUIRE(width > 0 && height > 0, hipErrorInvalidValue);
    API_REQUIRE(elementSize == 4 || elementSize == 8 || elementSize == 16, hipErrorInvalidValue);
    return allocate_pitched(__func__, ptr, pitch, width, height);
}

hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent) {
    size_t rows = 0;
    API_REQUIRE(pitchedDevPtr != NULL, hipErrorInvalidValue);
    API_REQUIRE(!__builtin_mul_overflow(extent.height, extent.depth, &rows), hipErrorOutOfMemory);
    pitchedDevPtr->xsize = extent.width;
    pitchedDevPtr->ysize = extent.height;
    return allocate_pitched(__func__, &pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows);
}

hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags) {
    const unsigned both = hipHostMallocCoherent | hipHostMallocNonCoherent;
    API_REQUIRE((flags & both) != both, hipErrorInvalidValue);
    return allocate(__func__, WL_MEMORY_HOST, ptr, size, flags);
}

hipError_t hipExtHostAlloc(void **ptr, size_t size, unsigned int flags) { return hipHostMalloc(ptr, size, flags); }

hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags) {
    API_REQUIRE(!(flags & ~(hipHostAllocPortable | hipHostAllocMapped | hipHostAllocWriteCombined)), hipErrorInvalidValue);
    return allocate(__func__, WL_MEMORY_HOST, ptr, size, flags);
}

hipError_t hipMallocHost(void **ptr, size_t size) { return allocate(__func__, WL_MEMORY_HOST, ptr, size, 0); }

hipError_t hipMemAllocHost(void **ptr, size_t size) { return allocate(__func__, WL_MEMORY_HOST, ptr, size, 0); }

/* ---- freeing --------------------------------------------------------------------------------- */

/* Memory must outlive the work that uses it, on whichever device that runs. */
static hipError_t release(const char *function, void *ptr) {
    if (!ptr)
        return wl_api_success();
    struct wl_allocation allocation;
    if (!wl_memory_find(ptr, &allocation) || allocation.address != (uint64_t)(uintptr_t)ptr || !(FREED_KINDS >> allocation.kind & 1)) {
        wl_checked_bad_free(function, ptr);
        return wl_api_fail(function, hipErrorInvalidValue, "the pointer is not the start of such an allocation");
    }
    if (wl_capture_unsafe() != WL_OK)
        return wl_api_status(function, WL_CAPTURE_UNSUPPORTED);
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    return wl_api_status(function, wl_memory_free(ptr, FREED_KINDS));
}

/* Each frees what the others allocate, as with AMD's runtime. Memory of pools and of graphs is waited for like the rest, and goes back
 * to its owner. */
static hipError_t free_memory(const char *function, void *ptr) {
    struct wl_allocation allocation;
    struct wl_graph_memory *memory = ptr ? wl_graph_memory_at(ptr) : NULL;
    bool pooled = ptr && wl_mempool_find(ptr, &allocation);
    wl_checked_call(function);
    if (!memory && !pooled)
        return release(function, ptr);
    if (wl_capture_unsafe() != WL_OK)
        return wl_api_status(function, WL_CAPTURE_UNSUPPORTED);
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    enum wl_status status = memory ? wl_graph_memory_end(memory) : wl_mempool_free(ptr, NULL);
    if (memory && status == WL_OK)
        status = wl_graph_memory_tell(memory, false, NULL);
    if (status == WL_INVALID_VALUE)
        wl_checked_bad_free(function, ptr);
    return wl_api_status(function, status);
}

hipError_t hipFree(void *ptr) { return free_memory(__func__, ptr); }

hipError_t hipHostFree(void *ptr) { return free_memory(__func__, ptr); }

hipError_t hipFreeHost(void *ptr) { return free_memory(__func__, ptr); }

/* ---- pinned memory of the program ------------------------------------------------------------ */

static unsigned enroll_flags(unsigned flags) {
    return (flags & hipHostRegisterIoMemory ? WL_HOST_IO : 0) | (flags & hipHostRegisterReadOnly ? WL_HOST_READ_ONLY : 0);
}

/* Whether there is a registration that begins at the address: of this size, or, for memory that was freed meanwhile, of another one,
 * which is taken back. */
static bool is_registered(void *hostPtr, size_t size) {
    struct wl_allocation allocation;
    if (!wl_memory_find(hostPtr, &allocation) || allocation.kind != WL_MEMORY_REGISTERED ||
        allocation.address != (uint64_t)(uintptr_t)hostPtr)
        return false;
    if (size <= allocation.size)
        return true;
    if (wl_memory_unregister(hostPtr, WL_MEMORY_REGISTERED) == WL_OK)
        wl_memory_withdraw(allocation.context, hostPtr);
    return false;
}

hipError_t hipHostRegister(void *hostPtr, size_t size, unsigned int flags) {
    API_TRY(wl_capture_unsafe());
    const unsigned known = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory | hipHostRegisterReadOnly;
    API_REQUIRE(hostPtr != NULL && size > 0 && !(flags & ~known), hipErrorInvalidValue);
    API_REQUIRE(wl_memory_is_mapped(hostPtr, size), hipErrorInvalidValue);
    API_CONTEXT(context);
    if (is_registered(hostPtr, size)) /* once more is as good as once */
        API_SUCCESS();
    wl_checked_call(__func__);
    enum wl_status status = wl_memory_register(context, WL_MEMORY_REGISTERED, hostPtr, size, flags);
    API_REQUIRE(status != WL_INVALID_VALUE, hipErrorHostMemoryAlreadyRegistered);
    API_TRY(status);
    status = wl_memory_enroll(context, hostPtr, size, enroll_flags(flags));
    if (status != WL_OK)
        (void)wl_memory_unregister(hostPtr, WL_MEMORY_REGISTERED);
    API_REQUIRE(status != WL_ILLEGAL_STATE, hipErrorHostMemoryAlreadyRegistered);
    API_RETURN(status);
}

hipError_t hipHostUnregister(void *hostPtr) {
    API_TRY(wl_capture_unsafe());
    API_REQUIRE(hostPtr != NULL, hipErrorInvalidValue);
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    struct wl_allocation allocation;
    struct wl_context *owner = wl_memory_find(hostPtr, &allocation) ? allocation.context : NULL;
    wl_checked_call(__func__);
    enum wl_status status = wl_memory_unregister(hostPtr, WL_MEMORY_REGISTERED);
    if (status != WL_OK)
        wl_checked_bad_unregister(__func__, hostPtr);
    API_REQUIRE(status == WL_OK, hipErrorHostMemoryNotRegistered);
    wl_memory_withdraw(owner, hostPtr);
    API_SUCCESS();
}

hipError_t hipHostGetDevicePointer(void **devPtr, void *hostPtr, unsigned int flags) {
    struct wl_allocation allocation;
    API_REQUIRE(devPtr != NULL && hostPtr != NULL && flags == 0, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(hostPtr, &allocation), hipErrorInvalidValue);
    *devPtr = hostPtr;
    API_SUCCESS();
}

hipError_t hipHostGetFlags(unsigned int *flags, void *hostPtr) {
    struct wl_allocation allocation;
    API_REQUIRE(flags != NULL && hostPtr != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(hostPtr, &allocation), hipErrorInvalidValue);
    API_REQUIRE(allocation.kind == WL_MEMORY_HOST || allocation.kind == WL_MEMORY_MANAGED, hipErrorInvalidValue);
    *flags = allocation.kind == WL_MEMORY_HOST ? allocation.flags : 0;
    API_SUCCESS();
}

/* ---- questions ------------------------------------------------------------------------------- */

/* HIP_HIDDEN_FREE_MEM: mebibytes that are told to be in use, as by AMD's runtime. */
static size_t hidden_memory(void) {
    const char *text = getenv("HIP_HIDDEN_FREE_MEM"); /* NOLINT(concurrency-mt-unsafe): the program must not change it beside HIP calls */
    unsigned long long size = text ? strtoull(text, NULL, 10) : 0;
    return size > SIZE_MAX >> 20 ? SIZE_MAX : (size_t)size << 20;
}

hipError_t hipMemGetInfo(size_t *free, size_t *total) {
    API_CONTEXT(context);
    uint64_t size = 0, left = 0;
    wl_memory_info(context, &left, &size);
    size_t hidden = hidden_memory();
    if (free)
        *free = left > hidden ? left - hidden : 0;
    if (total)
        *total = size;
    API_SUCCESS();
}
