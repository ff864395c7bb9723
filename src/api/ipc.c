/* HIP reference: Memory management, memory of other processes. */
#include "api/api.h"

#include <string.h>

_Static_assert(sizeof(struct wl_share_ticket) <= sizeof(hipIpcMemHandle_t), "a ticket fits into a handle");

_Static_assert(WL_SHARED_HANDLE <= sizeof(((hipIpcMemHandle_t *)NULL)->reserved), "a device's handle fits into HIP's");

/* Memory of a device that shares it by itself. */
static struct wl_device *sharer(const struct wl_context *context) { return context && context->device->ops->host ? context->device : NULL; }

static enum wl_status share_of_device(struct wl_device *device, const void *memory, const struct wl_allocation *allocation, void *handle) {
    if (allocation->kind != WL_MEMORY_DEVICE || allocation->address != (uint64_t)(uintptr_t)memory)
        return wl_fail(WL_UNSUPPORTED, "only the start of memory of hipMalloc can be shared");
    return device->ops->host->share(device, memory, handle);
}

static enum wl_status open_of_device(struct wl_context *context, const void *handle, void **memory) {
    size_t size = 0;
    enum wl_status status = context->device->ops->host->shared_open(context->device, handle, memory, &size);
    if (status != WL_OK)
        return status;
    status = wl_memory_register(context, WL_MEMORY_IMPORTED, *memory, size, 0);
    if (status != WL_OK)
        context->device->ops->host->shared_close(context->device, *memory);
    return status;
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr) {
    struct wl_share_ticket ticket;
    API_REQUIRE(handle != NULL && devPtr != NULL, hipErrorInvalidValue);
    if (!wl_stream_inside_command())
        wl_runtime_drain(); /* the memory moves when it is shared for the first time */
    struct wl_allocation allocation;
    struct wl_device *device = wl_memory_find(devPtr, &allocation) ? sharer(allocation.context) : NULL;
    memset(&ticket, 0, sizeof ticket);
    enum wl_status status = device ? share_of_device(device, devPtr, &allocation, handle->reserved) : wl_share_export(devPtr, &ticket);
    API_REQUIRE(status != WL_NOT_FOUND && status != WL_UNSUPPORTED, hipErrorInvalidDevicePointer);
    API_TRY(status);
    if (device)
        API_SUCCESS();
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, &ticket, sizeof ticket);
    API_SUCCESS();
}

hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
    struct wl_share_ticket ticket;
    API_REQUIRE(devPtr != NULL && flags <= hipIpcMemLazyEnablePeerAccess, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    if (sharer(context)) {
        enum wl_status opened = open_of_device(context, handle.reserved, devPtr);
        API_REQUIRE(opened != WL_INVALID_VALUE, hipErrorInvalidHandle);
        API_REQUIRE(opened != WL_ILLEGAL_STATE, hipErrorInvalidContext);
        API_RETURN(opened);
    }
    memcpy(&ticket, handle.reserved, sizeof ticket);
    API_REQUIRE(!wl_share_is_own(&ticket), hipErrorInvalidContext);
    enum wl_status status = wl_share_import(context, &ticket, devPtr);
    API_REQUIRE(status != WL_INVALID_VALUE, hipErrorInvalidHandle);
    API_REQUIRE(status != WL_NOT_FOUND, hipErrorMapFailed);
    API_RETURN(status);
}

hipError_t hipIpcCloseMemHandle(void *devPtr) {
    struct wl_allocation allocation;
    API_REQUIRE(devPtr != NULL && wl_memory_find(devPtr, &allocation), hipErrorInvalidValue);
    API_REQUIRE(allocation.kind == WL_MEMORY_IMPORTED, hipErrorInvalidHandle);
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    if (sharer(allocation.context)) {
        API_TRY(wl_memory_unregister(devPtr, WL_MEMORY_IMPORTED));
        allocation.context->device->ops->host->shared_close(allocation.context->device, devPtr);
        API_SUCCESS();
    }
    API_RETURN(wl_share_close(devPtr));
}
