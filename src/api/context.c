/* HIP reference: Context management. A hipCtx_t is a device's primary context; each thread has a stack of them. */
#include "runtime/context.h"
#include "api/api.h"

static struct wl_context *context_of(hipDevice_t device) { return device < 0 ? NULL : wl_context_at((unsigned)device); }

struct wl_context *wl_api_context(hipCtx_t handle) {
    for (unsigned i = 0; i < wl_context_count(); i++)
        if ((struct wl_context *)handle == wl_context_at(i))
            return (struct wl_context *)handle;
    return NULL;
}

static bool is_context(hipCtx_t handle) { return wl_api_context(handle) != NULL; }

static bool push(struct wl_context *context) {
    struct wl_api_thread *thread = wl_api_thread();
    if (!thread || thread->context_count == WL_API_CONTEXTS)
        return false;
    thread->contexts[thread->context_count++] = wl_context_current();
    wl_context_set(context);
    return true;
}

#define KNOWN_FLAGS (hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax)

hipError_t hipCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device) {
    API_REQUIRE(context != NULL && !(flags & ~KNOWN_FLAGS), hipErrorInvalidValue);
    struct wl_context *primary = context_of(device);
    API_REQUIRE(primary != NULL, hipErrorInvalidValue);
    API_REQUIRE(push(primary), hipErrorOutOfMemory);
    primary->flags = flags;
    atomic_fetch_add(&primary->retained, 1);
    *context = (hipCtx_t)primary;
    API_SUCCESS();
}

hipError_t hipCtxDestroy(hipCtx_t context) {
    API_REQUIRE(is_context(context), hipErrorInvalidValue);
    struct wl_context *primary = (struct wl_context *)context;
    if (atomic_load(&primary->retained))
        atomic_fetch_sub(&primary->retained, 1);
    API_THREAD(thread);
    if (thread->context_count && wl_context_current() == primary)
        wl_context_set(thread->contexts[--thread->context_count]);
    API_SUCCESS();
}

hipError_t hipCtxPushCurrent(hipCtx_t context) {
    API_REQUIRE(is_context(context), hipErrorInvalidContext);
    API_REQUIRE(push((struct wl_context *)context), hipErrorOutOfMemory);
    API_SUCCESS();
}

hipError_t hipCtxPopCurrent(hipCtx_t *context) {
    API_THREAD(thread);
    API_REQUIRE(thread->context_count > 0, hipErrorInvalidContext);
    if (context)
        *context = (hipCtx_t)wl_context_current();
    wl_context_set(thread->contexts[--thread->context_count]);
    API_SUCCESS();
}

/* Replaces the top of the stack. NULL takes it away: what is under it becomes current, or, in the end, the first device's
 * primary context again. */
hipError_t hipCtxSetCurrent(hipCtx_t context) {
    API_REQUIRE(context == NULL || is_context(context), hipErrorInvalidContext);
    API_THREAD(thread);
    if (context)
        wl_context_set((struct wl_context *)context);
    else
        wl_context_set(thread->context_count ? thread->contexts[--thread->context_count] : NULL);
    API_SUCCESS();
}

hipError_t hipCtxGetCurrent(hipCtx_t *context) {
    API_REQUIRE(context != NULL, hipErrorInvalidValue);
    *context = (hipCtx_t)wl_context_current();
    API_REQUIRE(*context != NULL, hipErrorNoDevice);
    API_SUCCESS();
}

hipError_t hipCtxGetDevice(hipDevice_t *device) {
    API_REQUIRE(device != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    *device = (hipDevice_t)context->index;
    API_SUCCESS();
}

hipError_t hipCtxGetApiVersion(hipCtx_t context, unsigned int *apiVersion) {
    API_REQUIRE(apiVersion != NULL, hipErrorInvalidValue);
    API_REQUIRE(context == NULL || is_context(context), hipErrorInvalidContext);
    *apiVersion = 4;
    API_SUCCESS();
}

hipError_t hipCtxGetFlags(unsigned int *flags) {
    API_REQUIRE(flags != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    *flags = context->flags;
    API_SUCCESS();
}

hipError_t hipCtxSynchronize(void) { return hipDeviceSynchronize(); }

/* A context is its device, so that what is asked of one holds for the other. */
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *config) { return hipDeviceGetCacheConfig(config); }

hipError_t hipCtxSetCacheConfig(hipFuncCache_t config) { return hipDeviceSetCacheConfig(config); }

hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config) { return hipDeviceGetSharedMemConfig(config); }

hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config) { return hipDeviceSetSharedMemConfig(config); }

hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned int flags) {
    API_REQUIRE(is_context(peer), hipErrorInvalidContext);
    return hipDeviceEnablePeerAccess((int)((const struct wl_context *)peer)->index, flags);
}

hipError_t hipCtxDisablePeerAccess(hipCtx_t peer) {
    API_REQUIRE(is_context(peer), hipErrorInvalidContext);
    return hipDeviceDisablePeerAccess((int)((const struct wl_context *)peer)->index);
}

/* ---- primary contexts ------------------------------------------------------------------------ */

hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device) {
    struct wl_context *primary = context_of(device);
    API_REQUIRE(primary != NULL, hipErrorInvalidDevice);
    API_REQUIRE(context != NULL, hipErrorInvalidValue);
    atomic_fetch_add(&primary->retained, 1);
    atomic_store(&primary->active, true);
    *context = (hipCtx_t)primary;
    API_SUCCESS();
}

hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
    struct wl_context *primary = context_of(device);
    API_REQUIRE(primary != NULL, hipErrorInvalidDevice);
    if (atomic_load(&primary->retained))
        atomic_fetch_sub(&primary->retained, 1);
    API_SUCCESS();
}

hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int *flags, int *active) {
    struct wl_context *primary = context_of(device);
    API_REQUIRE(primary != NULL, hipErrorInvalidDevice);
    if (flags)
        *flags = 0;
    if (active)
        *active = atomic_load(&primary->active);
    API_SUCCESS();
}

/* AMD's runtime has every primary context in use from its start, and so never takes its flags. */
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags) {
    (void)flags;
    API_REQUIRE(context_of(device) != NULL, hipErrorInvalidDevice);
    return wl_api_fail(__func__, hipErrorContextAlreadyInUse, "primary contexts are in use from the start");
}

hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) {
    struct wl_context *primary = context_of(device);
    API_REQUIRE(primary != NULL, hipErrorInvalidDevice);
    API_RETURN(wl_api_reset(primary));
}
