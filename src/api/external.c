/* HIP reference: External resource interoperability, memory. Semaphores of other interfaces are not supported. */
#include "api/api.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Imported memory: what a hipExternalMemory_t points to. The list of all of them tells live handles from others. */
struct external {
    struct external *next;
    int file;
    unsigned long long size;
};

static struct {
    pthread_mutex_t lock;
    struct external *first;
} externals = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The link to a handle's entry, or to the end of the list. The lock is held. */
static struct external **link_of(hipExternalMemory_t handle) {
    struct external **link = &externals.first;
    while (*link && *link != (struct external *)handle)
        link = &(*link)->next;
    return link;
}

hipError_t hipImportExternalMemory(hipExternalMemory_t *extMem, const hipExternalMemoryHandleDesc *memHandleDesc) {
    struct stat status;
    API_REQUIRE(extMem != NULL && memHandleDesc != NULL, hipErrorInvalidValue);
    API_REQUIRE(memHandleDesc->type >= hipExternalMemoryHandleTypeOpaqueFd && memHandleDesc->type <= hipExternalMemoryHandleTypeNvSciBuf,
                hipErrorInvalidValue);
    API_REQUIRE(memHandleDesc->type == hipExternalMemoryHandleTypeOpaqueFd, hipErrorNotSupported);
    API_REQUIRE(memHandleDesc->size > 0 && !(memHandleDesc->flags & ~hipExternalMemoryDedicated), hipErrorInvalidValue);
    API_REQUIRE(fstat(memHandleDesc->handle.fd, &status) == 0 && (unsigned long long)status.st_size >= memHandleDesc->size,
                hipErrorInvalidValue);
    API_CONTEXT(context);
    API_REQUIRE(!context->info.discrete, hipErrorNotSupported); /* docs/NVIDIA.md */
    struct external *made = malloc(sizeof *made);
    API_REQUIRE(made != NULL, hipErrorOutOfMemory);
    pthread_mutex_lock(&externals.lock);
    *made = (struct external){externals.first, memHandleDesc->handle.fd, memHandleDesc->size};
    externals.first = made;
    pthread_mutex_unlock(&externals.lock);
    *extMem = made;
    API_SUCCESS();
}

/* Runs with the lock held. */
static enum wl_status map_buffer(const struct external *external, const hipExternalMemoryBufferDesc *desc, void **result) {
    struct wl_context *context = wl_context_current();
    if (desc->offset > external->size || desc->size > external->size - desc->offset)
        return wl_fail(WL_INVALID_VALUE, "the buffer does not lie in the memory");
    void *address = mmap(NULL, desc->size, PROT_READ | PROT_WRITE, MAP_SHARED, external->file, (off_t)desc->offset);
    if (address == MAP_FAILED)
        return wl_fail(WL_INVALID_VALUE, "the descriptor cannot be mapped: %m");
    enum wl_status status = wl_memory_register(context, WL_MEMORY_EXTERNAL, address, desc->size, 0);
    if (status != WL_OK)
        munmap(address, desc->size);
    else
        *result = address;
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
    close(external->file);
    free(external);
    API_SUCCESS();
}
