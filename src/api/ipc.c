/* HIP reference: Memory management, memory of other processes. */
#include "api/api.h"

#include <string.h>

_Static_assert(sizeof(struct wl_share_ticket) <= sizeof(hipIpcMemHandle_t), "a ticket fits into a handle");

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr) {
    struct wl_share_ticket ticket;
    API_REQUIRE(handle != NULL && devPtr != NULL, hipErrorInvalidValue);
    if (!wl_stream_inside_command())
        wl_runtime_drain(); /* the memory moves when it is shared for the first time */
    enum wl_status status = wl_share_export(devPtr, &ticket);
    API_REQUIRE(status != WL_NOT_FOUND && status != WL_UNSUPPORTED, hipErrorInvalidDevicePointer);
    API_TRY(status);
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, &ticket, sizeof ticket);
    API_SUCCESS();
}

hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
    struct wl_share_ticket ticket;
    API_REQUIRE(devPtr != NULL && flags <= hipIpcMemLazyEnablePeerAccess, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
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
    API_RETURN(wl_share_close(devPtr));
}
