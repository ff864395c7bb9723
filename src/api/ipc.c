/* HIP reference: Memory management, memory of other processes. */
#include "api/api.h"
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/share.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct wl_share_ticket) <= sizeof(hipIpcMemHandle_t), "a ticket fits into a handle");

_Static_assert(WL_SHARED_HANDLE <= sizeof(((hipIpcMemHandle_t *)NULL)->reserved), "a device's handle fits into HIP's");

/* Memory of a device that shares it by itself. */
static struct wl_device *sharer(const struct wl_context *context) { return context && context->device->ops->host ? context->device : NULL; }

/* A place within memory that a device shares, as a note has it. */
struct inner {
    unsigned char handle[WL_SHARED_HANDLE]; /* of the whole allocation */
    uint64_t offset;
};
_Static_assert(sizeof(struct inner) <= WL_SHARE_NOTE, "it fits into a note");

/* Of the start of an allocation the device's own handle, which other programs on the driver understand; else a ticket for a note. */
static enum wl_status share_of_device(struct wl_device *device, const void *memory, const struct wl_allocation *allocation,
                                      hipIpcMemHandle_t *handle) {
    struct inner inner = {.offset = (uint64_t)(uintptr_t)memory - allocation->address};
    struct wl_share_ticket ticket;
    if (allocation->kind != WL_MEMORY_DEVICE)
        return wl_fail(WL_UNSUPPORTED, "only memory of hipMalloc can be shared");
    enum wl_status status = device->ops->host->share(device, (const void *)(uintptr_t)allocation->address,
                                                     inner.offset ? (void *)inner.handle : handle->reserved);
    if (status != WL_OK || !inner.offset)
        return status;
    status = wl_share_note(&inner, sizeof inner, &ticket);
    if (status == WL_OK) {
        memset(handle, 0, sizeof *handle);
        memcpy(handle->reserved, &ticket, sizeof ticket);
    }
    return status;
}

/* Memory of other processes that devices have opened: each once, however often it is asked for. */
struct import {
    struct import *next;
    unsigned char handle[WL_SHARED_HANDLE];
    struct wl_context *context;
    char *memory;
    unsigned uses;
};

static struct {
    pthread_mutex_t lock; /* over the list */
    struct import *first;
} imports = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Runs with the lock held. */
static enum wl_status open_import(struct wl_context *context, const unsigned char *handle, struct import **result) {
    wl_assert_held(&imports.lock);
    size_t size = 0;
    void *memory = NULL;
    struct import *made = calloc(1, sizeof *made);
    enum wl_status status = made ? context->device->ops->host->shared_open(context->device, handle, &memory, &size)
                                 : wl_fail(WL_OUT_OF_MEMORY, "no memory for an import");
    if (status == WL_OK) {
        status = wl_memory_register(context, WL_MEMORY_IMPORTED, memory, size, 0);
        if (status != WL_OK)
            context->device->ops->host->shared_close(context->device, memory);
    }
    if (status != WL_OK) {
        free(made);
        return status;
    }
    memcpy(made->handle, handle, sizeof made->handle);
    made->context = context;
    made->memory = memory;
    made->next = imports.first;
    imports.first = *result = made;
    return WL_OK;
}

static enum wl_status open_of_device(struct wl_context *context, const hipIpcMemHandle_t *handle, void **memory) {
    struct inner inner = {.offset = 0};
    struct wl_share_ticket ticket;
    memcpy(&ticket, handle->reserved, sizeof ticket);
    enum wl_status status = wl_share_read_note(&ticket, &inner, sizeof inner);
    if (status == WL_INVALID_VALUE) { /* the device's own */
        memcpy(inner.handle, handle->reserved, sizeof inner.handle);
        status = WL_OK;
    }
    if (status != WL_OK)
        return status;
    pthread_mutex_lock(&imports.lock);
    struct import *import = imports.first;
    while (import && (import->context != context || memcmp(import->handle, inner.handle, sizeof inner.handle) != 0))
        import = import->next;
    if (!import)
        status = open_import(context, inner.handle, &import);
    if (status == WL_OK) {
        import->uses++;
        *memory = import->memory + inner.offset;
    }
    pthread_mutex_unlock(&imports.lock);
    return status;
}

/* `memory` is anywhere in what was opened. */
static enum wl_status close_of_device(const struct wl_allocation *allocation) {
    pthread_mutex_lock(&imports.lock);
    struct import **link = &imports.first;
    while (*link && (uint64_t)(uintptr_t)(*link)->memory != allocation->address)
        link = &(*link)->next;
    struct import *import = *link;
    enum wl_status status = import ? WL_OK : wl_fail(WL_INVALID_VALUE, "not memory of another process");
    if (import && --import->uses == 0) {
        *link = import->next;
        status = wl_memory_unregister(import->memory, WL_MEMORY_IMPORTED);
        import->context->device->ops->host->shared_close(import->context->device, import->memory);
        free(import);
    }
    pthread_mutex_unlock(&imports.lock);
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
    enum wl_status status = device ? share_of_device(device, devPtr, &allocation, handle) : wl_share_export(devPtr, &ticket);
    API_REQUIRE(status != WL_NOT_FOUND && status != WL_UNSUPPORTED, hipErrorInvalidValue);
    API_TRY(status);
    if (device)
        API_SUCCESS();
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, &ticket, sizeof ticket);
    API_SUCCESS();
}

hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags) {
    struct wl_share_ticket ticket;
    static const hipIpcMemHandle_t none;
    API_REQUIRE(devPtr != NULL && (flags == hipIpcMemLazyEnablePeerAccess || flags == 0),
                hipErrorInvalidValue); /* in HIP 5 the flag is 0 */
    API_REQUIRE(memcmp(&handle, &none, sizeof handle) != 0, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    if (sharer(context)) {
        enum wl_status opened = open_of_device(context, &handle, devPtr);
        API_REQUIRE(opened != WL_ILLEGAL_STATE, hipErrorInvalidContext);
        API_REQUIRE(opened != WL_INVALID_VALUE && opened != WL_NOT_FOUND, hipErrorInvalidDevicePointer);
        API_RETURN(opened);
    }
    memcpy(&ticket, handle.reserved, sizeof ticket);
    API_REQUIRE(!wl_share_is_own(&ticket), hipErrorInvalidContext);
    enum wl_status status = wl_share_import(context, &ticket, devPtr);
    API_REQUIRE(status != WL_INVALID_VALUE && status != WL_NOT_FOUND, hipErrorInvalidDevicePointer);
    API_RETURN(status);
}

hipError_t hipIpcCloseMemHandle(void *devPtr) {
    struct wl_allocation allocation;
    API_REQUIRE(devPtr != NULL && wl_memory_find(devPtr, &allocation) && allocation.kind == WL_MEMORY_IMPORTED, hipErrorInvalidValue);
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    if (sharer(allocation.context))
        API_RETURN(close_of_device(&allocation));
    API_RETURN(wl_share_close(devPtr));
}
