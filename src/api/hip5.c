/* libamdhip64.so.5: what differs for programs of HIP 5. Everything else they import is found in libamdhip64.so.7, on which
 * this library depends, under the same names and versions.
 *
 * HIP 6 renumbered hipMemoryType without giving hipPointerGetAttributes a new name or version, so only the name of the
 * library tells which numbers a program means. */
#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <pthread.h>

enum hip5_memory_type { HIP5_HOST = 0, HIP5_DEVICE = 1, HIP5_ARRAY = 2, HIP5_UNIFIED = 3 };

static struct {
    pthread_once_t once;
    hipError_t (*attributes)(hipPointerAttribute_t *, const void *);
    hipError_t (*attribute)(void *, hipPointer_attribute, hipDeviceptr_t);
} newer = {.once = PTHREAD_ONCE_INIT};

static void find_newer(void) {
    void *library = dlopen("libamdhip64.so.7", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    *(void **)&newer.attributes = dlvsym(library, "hipPointerGetAttributes", "hip_4.2");
    *(void **)&newer.attribute = dlvsym(library, "hipPointerGetAttribute", "hip_5.0");
}

static enum hip5_memory_type type_of(unsigned type) {
    switch (type) {
    case hipMemoryTypeDevice:
    case hipMemoryTypeManaged: /* HIP 5 calls managed memory device memory and sets isManaged */
        return HIP5_DEVICE;
    case hipMemoryTypeArray:
        return HIP5_ARRAY;
    case hipMemoryTypeUnified:
        return HIP5_UNIFIED;
    default:
        return HIP5_HOST;
    }
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
    pthread_once(&newer.once, find_newer);
    if (!newer.attribute)
        return hipErrorSharedObjectSymbolNotFound;
    hipError_t error = newer.attribute(data, attribute, ptr);
    if (error == hipSuccess && attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *(unsigned *)data = type_of(*(unsigned *)data);
    return error;
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) {
    pthread_once(&newer.once, find_newer);
    if (!newer.attributes)
        return hipErrorSharedObjectSymbolNotFound;
    hipError_t error = newer.attributes(attributes, ptr);
    if (error != hipSuccess)
        return error;
    if (attributes->type == hipMemoryTypeUnregistered) { /* an error in HIP 5; asking for one attribute records it */
        void *start = NULL;
        return newer.attribute((void *)&start, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, (hipDeviceptr_t)(uintptr_t)ptr);
    }
    attributes->type = (hipMemoryType)type_of((unsigned)attributes->type);
    return hipSuccess;
}
