/* HIP reference: Stream ordered memory allocator. */
#include "runtime/pool.h"
#include "api/checked.h"
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/stream.h"
#include "runtime/work.h"

#include <stdlib.h>
#include <string.h>

#define API_POOL(name, handle)                                                                                                             \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_POOL), hipErrorInvalidValue);                                                             \
    struct wl_mempool *(name) = (struct wl_mempool *)(handle)

/* ---- allocating and freeing -------------------------------------------------------------------- */

/* While capturing: a node whose memory is the graph's. */
static enum wl_status capture_allocation(struct wl_stream *stream, struct wl_context *context, size_t size, void **ptr) {
    struct wl_work work = {.kind = WL_NODE_ALLOCATE};
    enum wl_status status = wl_graph_memory_create(context, size, &work.memory);
    if (status != WL_OK)
        return status;
    void *address = wl_graph_memory_address(work.memory);
    status = wl_capture_add(stream, &work, NULL);
    if (status == WL_OK)
        *ptr = address;
    return status;
}

/* `pool` NULL: the current pool of the stream's device. */
static hipError_t allocate(const char *function, void **ptr, size_t size, struct wl_mempool *pool, hipStream_t handle) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!ptr)
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the pointer");
    if (!stream)
        return wl_api_fail(function, hipErrorInvalidHandle, "not a stream");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    if (!pool && !(pool = wl_mempool_current(stream->context)))
        return wl_api_status(function, WL_OUT_OF_MEMORY);
    *ptr = NULL;
    if (size == 0)
        return wl_api_success();
    wl_checked_call(function);
    if (wl_capture_active(stream))
        return wl_api_status(function, capture_allocation(stream, wl_mempool_context(pool), size, ptr));
    return wl_api_status(function, wl_mempool_allocate(pool, size, stream, ptr));
}

hipError_t hipMallocAsync(void **ptr, size_t size, hipStream_t stream) { return allocate(__func__, ptr, size, NULL, stream); }

hipError_t hipMallocFromPoolAsync(void **ptr, size_t size, hipMemPool_t pool, hipStream_t stream) {
    API_POOL(source, pool);
    API_REQUIRE(!wl_mempool_is_imported(source), hipErrorInvalidValue);
    return allocate(__func__, ptr, size, source, stream);
}

static void discard(void *argument, enum wl_status fault) {
    (void)fault;
    wl_memory_discard(argument);
    free(argument);
}

/* Memory of hipMalloc, in stream order. */
static enum wl_status free_plain(void *ptr, struct wl_stream *stream) {
    struct wl_allocation *allocation = malloc(sizeof *allocation);
    if (!allocation)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a free");
    enum wl_status status = wl_memory_detach(ptr, 1u << WL_MEMORY_DEVICE | 1u << WL_MEMORY_MANAGED, allocation);
    if (status != WL_OK) {
        free(allocation);
        return status;
    }
    if (wl_command_host(stream, discard, allocation, true) != WL_OK) { /* nothing is queued: free after all that is */
        wl_runtime_drain();
        discard(allocation, WL_OK);
    }
    return WL_OK;
}

static enum wl_status capture_free(void *ptr, struct wl_stream *stream) {
    struct wl_work work = {.kind = WL_NODE_FREE};
    if (!wl_graph_memory_at(ptr))
        return wl_fail(WL_INVALID_VALUE, "%p was not allocated by a graph", ptr);
    work.address = ptr;
    return wl_capture_add(stream, &work, NULL);
}

static enum wl_status free_of_graph(struct wl_graph_memory *memory, struct wl_stream *stream) {
    const enum wl_status status = wl_graph_memory_end(memory);
    return status == WL_OK ? wl_graph_memory_tell(memory, false, stream) : status;
}

hipError_t hipFreeAsync(void *ptr, hipStream_t stream) {
    API_REQUIRE(ptr != NULL, hipErrorInvalidValue);
    API_STREAM_OR(queue, stream, hipErrorInvalidHandle);
    if (wl_capture_active(queue))
        API_RETURN(capture_free(ptr, queue));
    wl_checked_call(__func__);
    enum wl_status status = wl_mempool_free(ptr, queue);
    struct wl_graph_memory *memory = status == WL_NOT_FOUND ? wl_graph_memory_at(ptr) : NULL;
    if (memory)
        status = free_of_graph(memory, queue);
    else if (status == WL_NOT_FOUND)
        status = free_plain(ptr, queue);
    if (status == WL_INVALID_VALUE)
        wl_checked_bad_free(__func__, ptr);
    API_RETURN(status);
}

/* ---- the pools of a device --------------------------------------------------------------------- */

#define API_DEVICE(name, index)                                                                                                            \
    struct wl_context *(name) = (index) < 0 ? NULL : wl_context_at((unsigned)(index));                                                     \
    API_REQUIRE((name) != NULL, hipErrorInvalidDevice)

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device) {
    API_REQUIRE(pool != NULL, hipErrorInvalidValue);
    API_DEVICE(context, device);
    *pool = (hipMemPool_t)wl_mempool_default(context);
    API_REQUIRE(*pool != NULL, hipErrorOutOfMemory);
    API_SUCCESS();
}

hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device) {
    struct wl_context *context = device < 0 ? NULL : wl_context_at((unsigned)device);
    API_REQUIRE(pool != NULL && context != NULL, hipErrorInvalidValue);
    *pool = (hipMemPool_t)wl_mempool_current(context);
    API_REQUIRE(*pool != NULL, hipErrorOutOfMemory);
    API_SUCCESS();
}

hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
    struct wl_context *context = device < 0 ? NULL : wl_context_at((unsigned)device);
    API_REQUIRE(context != NULL, hipErrorInvalidValue);
    API_POOL(made, pool);
    API_REQUIRE(wl_mempool_context(made) == context, hipErrorInvalidDevice);
    API_RETURN(wl_mempool_set_current(context, made));
}

static bool is_device(const hipMemLocation *location) {
    return location && location->type == hipMemLocationTypeDevice && location->id >= 0 && (unsigned)location->id < wl_context_count();
}

hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location, hipMemAllocationType type) {
    API_REQUIRE(pool != NULL && is_device(location) && type == hipMemAllocationTypePinned, hipErrorInvalidValue);
    return hipDeviceGetMemPool(pool, location->id);
}

hipError_t hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool) {
    API_REQUIRE(is_device(location) && type == hipMemAllocationTypePinned, hipErrorInvalidValue);
    return hipDeviceSetMemPool(location->id, pool);
}

/* ---- pools ------------------------------------------------------------------------------------- */

hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *props) {
    API_REQUIRE(pool != NULL && props != NULL, hipErrorInvalidValue);
    API_REQUIRE(props->allocType == hipMemAllocationTypePinned && is_device(&props->location), hipErrorInvalidValue);
    /* Other handles are no error until the pool is to be exported; programs that export none leave the member unset. */
    struct wl_mempool_properties properties = {.shareable = props->handleTypes == hipMemHandleTypePosixFileDescriptor,
                                               .max_size = props->maxSize};
    struct wl_mempool *made = NULL;
    API_TRY(wl_mempool_create(wl_context_at((unsigned)props->location.id), &properties, &made));
    *pool = (hipMemPool_t)made;
    API_SUCCESS();
}

hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
    API_POOL(doomed, pool);
    API_RETURN(wl_mempool_destroy(doomed));
}

hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t minBytesToHold) {
    API_POOL(trimmed, pool);
    wl_mempool_trim(trimmed, minBytesToHold);
    API_SUCCESS();
}

/* HIP's attributes in their order, from 1; the first three are of type int. */
static const enum wl_mempool_attribute attributes[] = {
    [hipMemPoolReuseFollowEventDependencies] = WL_POOL_FOLLOW_EVENTS,
    [hipMemPoolReuseAllowOpportunistic] = WL_POOL_OPPORTUNISTIC,
    [hipMemPoolReuseAllowInternalDependencies] = WL_POOL_INTERNAL,
    [hipMemPoolAttrReleaseThreshold] = WL_POOL_RELEASE_THRESHOLD,
    [hipMemPoolAttrReservedMemCurrent] = WL_POOL_RESERVED,
    [hipMemPoolAttrReservedMemHigh] = WL_POOL_RESERVED_HIGH,
    [hipMemPoolAttrUsedMemCurrent] = WL_POOL_USED,
    [hipMemPoolAttrUsedMemHigh] = WL_POOL_USED_HIGH,
};

static bool is_attribute(hipMemPoolAttr attribute) {
    return (unsigned)attribute >= 1 && (unsigned)attribute < sizeof attributes / sizeof *attributes;
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
    API_POOL(changed, pool);
    API_REQUIRE(value != NULL && is_attribute(attribute), hipErrorInvalidValue);
    uint64_t number = attribute < hipMemPoolAttrReleaseThreshold ? (uint64_t)(*(const int *)value != 0) : *(const uint64_t *)value;
    API_RETURN(wl_mempool_set(changed, attributes[attribute], number));
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value) {
    API_POOL(asked, pool);
    API_REQUIRE(value != NULL && is_attribute(attribute), hipErrorInvalidValue);
    uint64_t number = wl_mempool_get(asked, attributes[attribute]);
    if (attribute < hipMemPoolAttrReleaseThreshold)
        *(int *)value = (int)number;
    else
        *(uint64_t *)value = number;
    API_SUCCESS();
}

hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count) {
    API_POOL(changed, pool);
    API_REQUIRE(list != NULL, hipErrorInvalidValue);
    API_REQUIRE(count <= wl_context_count(), hipErrorInvalidDevice);
    for (size_t i = 0; i < count; i++) {
        API_REQUIRE(list[i].location.type == hipMemLocationTypeDevice, hipErrorInvalidValue);
        API_REQUIRE(is_device(&list[i].location) && list[i].flags != hipMemAccessFlagsProtNone, hipErrorInvalidDevice);
        API_REQUIRE(list[i].flags == hipMemAccessFlagsProtRead || list[i].flags == hipMemAccessFlagsProtReadWrite, hipErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) /* a device may do everything with its own */
        if ((unsigned)list[i].location.id != wl_mempool_context(changed)->index)
            API_TRY(wl_mempool_set_access(changed, (unsigned)list[i].location.id, (unsigned)list[i].flags));
    API_SUCCESS();
}

hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool, hipMemLocation *location) {
    API_POOL(asked, pool);
    API_REQUIRE(flags != NULL && is_device(location), hipErrorInvalidValue);
    *flags = (hipMemAccessFlags)wl_mempool_access(asked, (unsigned)location->id);
    API_SUCCESS();
}

/* ---- between processes ------------------------------------------------------------------------- */

hipError_t hipMemPoolExportToShareableHandle(void *handle, hipMemPool_t pool, hipMemAllocationHandleType type, unsigned int flags) {
    API_REQUIRE(handle != NULL && flags == 0 && type == hipMemHandleTypePosixFileDescriptor, hipErrorInvalidValue);
    API_POOL(shared, pool);
    API_RETURN(wl_mempool_export(shared, handle));
}

hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle, hipMemAllocationHandleType type, unsigned int flags) {
    API_REQUIRE(pool != NULL && flags == 0 && type == hipMemHandleTypePosixFileDescriptor, hipErrorInvalidValue);
    API_REQUIRE(handle != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_RETURN(wl_mempool_import(context, (int)(intptr_t)handle /* the upper half may be anything */, (struct wl_mempool **)pool));
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *data, void *ptr) {
    API_REQUIRE(data != NULL && ptr != NULL, hipErrorInvalidValue);
    API_RETURN(wl_mempool_export_pointer(ptr, data));
}

hipError_t hipMemPoolImportPointer(void **ptr, hipMemPool_t pool, hipMemPoolPtrExportData *data) {
    API_REQUIRE(ptr != NULL && data != NULL, hipErrorInvalidValue);
    API_POOL(target, pool);
    API_RETURN(wl_mempool_import_pointer(target, data, ptr));
}
