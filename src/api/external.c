/* HIP reference: External resource interoperability, memory and semaphores. No semaphore can be imported. */
#include "api/api.h"
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/virtual.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Imported memory: what a hipExternalMemory_t points to. The list of all of them tells live handles from others. */
struct external {
    struct external *next;
    struct wl_context *context; /* of the device whose memory it is, with `memory`; NULL: a file that can be mapped */
    uint64_t memory;
    int file;
    unsigned long long size;
};

static struct {
    pthread_mutex_t lock;
    struct external *first;
} externals = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The link to a handle's entry, or to the end of the list. The lock is held. */
static struct external **link_of(hipExternalMemory_t handle) {
    wl_assert_held(&externals.lock);
    struct external **link = &externals.first;
    while (*link && *link != (struct external *)handle)
        link = &(*link)->next;
    return link;
}

/* A descriptor that the device's driver knows, else a file that can be mapped; fills in `made`. */
static enum wl_status import_file(struct wl_context *context, const hipExternalMemoryHandleDesc *desc, struct external *made) {
    const struct wl_external_ops *ops = context->device->ops->external;
    struct stat status;
    *made = (struct external){.file = desc->handle.fd, .size = desc->size};
    if (fstat(made->file, &status) != 0)
        return wl_fail(WL_INVALID_VALUE, "descriptor %d: %m", made->file);
    if (S_ISREG(status.st_mode))
        return (unsigned long long)status.st_size >= desc->size ? WL_OK : wl_fail(WL_INVALID_VALUE, "the file is smaller than its memory");
    if (!ops)
        return wl_fail(WL_INVALID_VALUE, "descriptor %d is no file that can be mapped", made->file);
    made->context = context;
    return ops->import_file(context->device, made->file, made->size, (desc->flags & hipExternalMemoryDedicated) != 0, &made->memory);
}

hipError_t hipImportExternalMemory(hipExternalMemory_t *extMem, const hipExternalMemoryHandleDesc *memHandleDesc) {
    API_REQUIRE(extMem != NULL && memHandleDesc != NULL, hipErrorInvalidValue);
    API_REQUIRE(memHandleDesc->type >= hipExternalMemoryHandleTypeOpaqueFd && memHandleDesc->type <= hipExternalMemoryHandleTypeNvSciBuf,
                hipErrorInvalidValue);
    API_REQUIRE(memHandleDesc->type == hipExternalMemoryHandleTypeOpaqueFd, hipErrorNotSupported);
    API_REQUIRE(memHandleDesc->size > 0 && !(memHandleDesc->flags & ~hipExternalMemoryDedicated), hipErrorInvalidValue);
    API_CONTEXT(context);
    struct external *made = malloc(sizeof *made);
    API_REQUIRE(made != NULL, hipErrorOutOfMemory);
    enum wl_status status = import_file(context, memHandleDesc, made);
    if (status != WL_OK) {
        free(made);
        API_RETURN(status);
    }
    pthread_mutex_lock(&externals.lock);
    made->next = externals.first;
    externals.first = made;
    pthread_mutex_unlock(&externals.lock);
    *extMem = made;
    API_SUCCESS();
}

/* Pages of a file, which devices are told of that do not reach the host's by themselves. */
static enum wl_status map_file(const struct external *external, const hipExternalMemoryBufferDesc *desc, struct wl_allocation *made) {
    struct wl_context *context = made->context;
    void *address = mmap(NULL, desc->size, PROT_READ | PROT_WRITE, MAP_SHARED, external->file, (off_t)desc->offset);
    if (address == MAP_FAILED)
        return wl_fail(WL_INVALID_VALUE, "the descriptor cannot be mapped: %m");
    enum wl_status status = context->info.discrete ? wl_memory_enroll(context, address, desc->size, 0) : WL_OK;
    made->address = (uint64_t)(uintptr_t)address;
    made->enrolled = context->info.discrete && status == WL_OK;
    if (status == WL_OK)
        status = wl_memory_adopt(made);
    if (status == WL_OK)
        return WL_OK;
    if (made->enrolled)
        wl_memory_withdraw(context, address);
    munmap(address, desc->size);
    return status;
}

static enum wl_status map_device(const struct external *external, const hipExternalMemoryBufferDesc *desc, struct wl_allocation *made) {
    struct wl_device *device = external->context->device;
    void *address = NULL;
    enum wl_status status = device->ops->external->map(device, external->memory, desc->offset, desc->size, &address);
    if (status != WL_OK)
        return status;
    made->address = (uint64_t)(uintptr_t)address;
    made->context = external->context;
    made->owner = device;
    status = wl_memory_adopt(made);
    if (status != WL_OK)
        device->ops->release(device, address, desc->size);
    return status;
}

/* Runs with the lock held. */
static enum wl_status map_buffer(const struct external *external, const hipExternalMemoryBufferDesc *desc, void **result) {
    wl_assert_held(&externals.lock);
    struct wl_allocation made = {.kind = WL_MEMORY_EXTERNAL, .size = desc->size, .context = wl_context_current()};
    if (desc->offset > external->size || desc->size > external->size - desc->offset)
        return wl_fail(WL_INVALID_VALUE, "the buffer does not lie in the memory");
    enum wl_status status = external->context ? map_device(external, desc, &made) : map_file(external, desc, &made);
    if (status == WL_OK)
        *result = (void *)(uintptr_t)made.address;
    return status;
}

hipError_t hipExternalMemoryGetMappedBuffer(void **devPtr, hipExternalMemory_t extMem, const hipExternalMemoryBufferDesc *bufferDesc) {
    API_REQUIRE(devPtr != NULL && bufferDesc != NULL, hipErrorInvalidValue);
    API_REQUIRE(bufferDesc->size > 0 && bufferDesc->offset % WL_GRANULARITY == 0 && bufferDesc->flags == 0, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    pthread_mutex_lock(&externals.lock);
    const struct external *external = *link_of(extMem);
    enum wl_status status = external ? map_buffer(external, bufferDesc, devPtr) : WL_NOT_FOUND;
    pthread_mutex_unlock(&externals.lock);
    API_REQUIRE(status != WL_NOT_FOUND, hipErrorInvalidHandle);
    API_RETURN(status);
}

hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem) {
    pthread_mutex_lock(&externals.lock);
    struct external **link = link_of(extMem), *external = *link;
    if (external)
        *link = external->next;
    pthread_mutex_unlock(&externals.lock);
    API_REQUIRE(external != NULL, hipErrorInvalidHandle);
    if (external->context)
        external->context->device->ops->external->destroy(external->context->device, external->memory);
    else
        close(external->file);
    free(external);
    API_SUCCESS();
}

/* ---- semaphores ----------------------------------------------------------------------------------- */

#define PUBLIC __attribute__((visibility("default"))) /* no public header declares these */

/* The beginning of hipExternalSemaphoreHandleDesc. */
struct semaphore_description {
    int type;
    union {
        int file;
        void *object;
    } handle;
};

enum { FIRST_TYPE = 1, LAST_TYPE = 4 }; /* those that AMD's runtime looks at: descriptors of files, and Windows' */

PUBLIC hipError_t hipImportExternalSemaphore(void **semaphore, const struct semaphore_description *description);
PUBLIC hipError_t hipDestroyExternalSemaphore(const void *semaphore);
PUBLIC hipError_t hipSignalExternalSemaphoresAsync(const void *const *semaphores, const void *params, unsigned count, hipStream_t stream);
PUBLIC hipError_t hipWaitExternalSemaphoresAsync(const void *const *semaphores, const void *params, unsigned count, hipStream_t stream);

hipError_t hipImportExternalSemaphore(void **semaphore, const struct semaphore_description *description) {
    API_REQUIRE(semaphore != NULL && description != NULL, hipErrorInvalidValue);
    API_REQUIRE(description->type >= FIRST_TYPE && description->type <= LAST_TYPE, hipErrorInvalidValue);
    API_REQUIRE(description->handle.file != 0, hipErrorInvalidValue);
    return wl_api_fail(__func__, hipErrorNotSupported, "semaphores of other interfaces are not supported");
}

hipError_t hipDestroyExternalSemaphore(const void *semaphore) {
    API_REQUIRE(semaphore != NULL, hipErrorInvalidValue);
    return wl_api_fail(__func__, hipErrorNotSupported, "semaphores of other interfaces are not supported");
}

/* No handle is one, so that only a list of none can be used. */
static hipError_t use_semaphores(const char *function, const void *const *semaphores, const void *params, unsigned count,
                                 hipStream_t stream) {
    bool missing = !semaphores || !params || !wl_api_stream(stream);
    for (unsigned i = 0; i < count && !missing; i++)
        missing = !semaphores[i];
    if (missing)
        return wl_api_fail(function, hipErrorInvalidValue, "no semaphore, no parameters, or no stream");
    if (count)
        return wl_api_fail(function, hipErrorNotSupported, "semaphores of other interfaces are not supported");
    return wl_api_success_of(function);
}

hipError_t hipSignalExternalSemaphoresAsync(const void *const *semaphores, const void *params, unsigned count, hipStream_t stream) {
    return use_semaphores(__func__, semaphores, params, count, stream);
}

hipError_t hipWaitExternalSemaphoresAsync(const void *const *semaphores, const void *params, unsigned count, hipStream_t stream) {
    return use_semaphores(__func__, semaphores, params, count, stream);
}
