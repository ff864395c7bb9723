/* Memory of other interfaces (Vulkan and its kin), by the file descriptors that they export. */
#include "base/options.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>

struct external {
    CUexternalMemory memory;
    uint32_t generation; /* of the device: a reset takes it away */
};

static struct external *external_of(uint64_t memory) {
    return (struct external *)(uintptr_t)memory; /* NOLINT(performance-no-int-to-ptr): the handle that import_file made */
}

/* CUDA 10 brought the functions, all of them together. */
static enum wl_status enter(struct wl_cuda_device *device) {
    if (!device->driver->cuImportExternalMemory || !device->driver->cuExternalMemoryGetMappedBuffer ||
        !device->driver->cuDestroyExternalMemory)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver takes no memory of other interfaces");
    return wl_cuda_enter(device);
}

static enum wl_status import_file(struct wl_device *base, int file, uint64_t size, bool dedicated, uint64_t *memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    const CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                                                   .handle.fd = file,
                                                   .size = size,
                                                   .flags = dedicated ? CUDA_EXTERNAL_MEMORY_DEDICATED : 0};
    enum wl_status status = enter(device);
    if (status != WL_OK)
        return status;
    struct external *made = malloc(sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the description of external memory");
    made->generation = atomic_load(&device->generation);
    CUresult result = device->driver->cuImportExternalMemory(&made->memory, &desc);
    if (result != CUDA_SUCCESS) {
        free(made);
        return wl_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? WL_OUT_OF_MEMORY : WL_INVALID_VALUE,
                       "the CUDA driver does not take descriptor %d as external memory (error %d)", file, (int)result);
    }
    *memory = (uint64_t)(uintptr_t)made;
    return WL_OK;
}

static void destroy(struct wl_device *base, uint64_t memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    struct external *external = external_of(memory);
    if (external->generation == atomic_load(&device->generation) && enter(device) == WL_OK &&
        wl_cuda_check(device->driver->cuDestroyExternalMemory(external->memory), "cuDestroyExternalMemory") != WL_OK)
        wl_log(2, "%s", wl_failure());
    free(external);
}

static enum wl_status map(struct wl_device *base, uint64_t memory, uint64_t offset, uint64_t size, void **address) {
    struct wl_cuda_device *device = wl_cuda(base);
    const struct external *external = external_of(memory);
    const CUDA_EXTERNAL_MEMORY_BUFFER_DESC desc = {.offset = offset, .size = size};
    CUdeviceptr place = 0;
    if (external->generation != atomic_load(&device->generation))
        return wl_fail(WL_ILLEGAL_STATE, "the external memory was imported before the device was reset");
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuExternalMemoryGetMappedBuffer(&place, external->memory, &desc),
                               "cuExternalMemoryGetMappedBuffer of %llu bytes", (unsigned long long)size);
    *address = (void *)(uintptr_t)place; /* NOLINT(performance-no-int-to-ptr): an address of the device */
    return status;
}

const struct wl_external_ops wl_cuda_external_ops = {.import_file = import_file, .destroy = destroy, .map = map};
