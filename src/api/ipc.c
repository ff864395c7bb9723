/* HIP reference: Memory management, memory of other processes. */
#include "api/api.h"
#include "runtime/context.h"
#include "runtime/share.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

#include <string.h>

_Static_assert(WL_SHARED_HANDLE == sizeof(((hipIpcMemHandle_t *)NULL)->reserved), "the runtime's handles are as long as HIP's");

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr) {
    unsigned char shared[WL_SHARED_HANDLE];
    API_REQUIRE(handle != NULL && devPtr != NULL, hipErrorInvalidValue);
    enum wl_status status = wl_share_handle_make(devPtr, shared);
    API_REQUIRE(status != WL_NOT_FOUND && status != WL_UNSUPPORTED, hipErrorInvalidValue);
    API_TRY(status);
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, shared, sizeof shared);
    API_SUCCESS();
}

hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
    static const hipIpcMemHandle_t none;
    API_REQUIRE(devPtr != NULL && (flags == hipIpcMemLazyEnablePeerAccess || flags == 0),
                hipErrorInvalidValue); /* in HIP 5 the flag is 0 */
    API_REQUIRE(memcmp(&handle, &none, sizeof handle) != 0, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    API_REQUIRE(!wl_share_handle_is_own(context, (const unsigned char *)handle.reserved), hipErrorInvalidContext);
    enum wl_status status = wl_share_handle_open(context, (const unsigned char *)handle.reserved, devPtr);
    API_REQUIRE(status != WL_ILLEGAL_STATE, hipErrorInvalidContext);
    API_REQUIRE(status != WL_INVALID_VALUE && status != WL_NOT_FOUND, hipErrorInvalidDevicePointer);
    API_RETURN(status);
}

hipError_t hipIpcCloseMemHandle(void *devPtr) {
    API_REQUIRE(devPtr != NULL, hipErrorInvalidValue);
    API_RETURN(wl_share_handle_close(devPtr));
}
