/* libamdhip64.so.5: what differs for programs of HIP 5. Everything else they import is found in libamdhip64.so.7, on which
 * this library depends, under the same names and versions.
 *
 * HIP 6 renumbered hipMemoryType, HIP 5.3 hipGraphNodeType; HIP 6 also widened HIP_MEMCPY3D
 * without giving the functions that take it a new name or version, so only the name of the library tells what a program means. */
#include "hip5_program.h"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum hip5_memory_type { HIP5_HOST = 0, HIP5_DEVICE = 1, HIP5_ARRAY = 2, HIP5_UNIFIED = 3 };

static struct {
    pthread_once_t once;
    hipError_t (*attributes)(hipPointerAttribute_t *, const void *);
    hipError_t (*attribute)(void *, hipPointer_attribute, hipDeviceptr_t);
    hipError_t (*plane)(const hip_Memcpy2D *), (*plane_unaligned)(const hip_Memcpy2D *);
    hipError_t (*plane_async)(const hip_Memcpy2D *, hipStream_t);
    hipError_t (*volume)(const HIP_MEMCPY3D *), (*volume_async)(const HIP_MEMCPY3D *, hipStream_t);
    hipError_t (*create)(hipMemGenericAllocationHandle_t *, size_t, const hipMemAllocationProp *, unsigned long long);
    hipError_t (*granularity)(size_t *, const hipMemAllocationProp *, hipMemAllocationGranularity_flags);
    hipError_t (*properties)(hipMemAllocationProp *, hipMemGenericAllocationHandle_t);
    hipError_t (*node_type)(hipGraphNode_t, hipGraphNodeType *);
} newer = {.once = PTHREAD_ONCE_INIT};

static void find_newer(void) {
    void *library = dlopen("libamdhip64.so.7", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    *(void **)&newer.attributes = dlvsym(library, "hipPointerGetAttributes", "hip_4.2");
    *(void **)&newer.attribute = dlvsym(library, "hipPointerGetAttribute", "hip_5.0");
    *(void **)&newer.plane = dlvsym(library, "hipMemcpyParam2D", "hip_4.2");
    *(void **)&newer.plane_async = dlvsym(library, "hipMemcpyParam2DAsync", "hip_4.2");
    *(void **)&newer.plane_unaligned = dlvsym(library, "hipDrvMemcpy2DUnaligned", "hip_4.3");
    *(void **)&newer.volume = dlvsym(library, "hipDrvMemcpy3D", "hip_4.2");
    *(void **)&newer.volume_async = dlvsym(library, "hipDrvMemcpy3DAsync", "hip_4.2");
    *(void **)&newer.create = dlvsym(library, "hipMemCreate", "hip_5.1");
    *(void **)&newer.granularity = dlvsym(library, "hipMemGetAllocationGranularity", "hip_5.1");
    *(void **)&newer.node_type = dlvsym(library, "hipGraphNodeGetType", "hip_4.5");
    *(void **)&newer.properties = dlvsym(library, "hipMemGetAllocationPropertiesFromHandle", "hip_5.1");
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

/* ---- copies that name memory types -------------------------------------------------------------- */

static hipMemoryType newer_type(hipMemoryType type) {
    static const hipMemoryType types[] = {[HIP5_HOST] = hipMemoryTypeHost,
                                          [HIP5_DEVICE] = hipMemoryTypeDevice,
                                          [HIP5_ARRAY] = hipMemoryTypeArray,
                                          [HIP5_UNIFIED] = hipMemoryTypeUnified};
    return (unsigned)type < sizeof types / sizeof *types ? types[(unsigned)type] : type;
}

/* The same copy with the newer types; NULL stays NULL. */
static const hip_Memcpy2D *newer_plane(const hip_Memcpy2D *old, hip_Memcpy2D *copy) {
    pthread_once(&newer.once, find_newer);
    if (!old)
        return NULL;
    *copy = *old;
    copy->srcMemoryType = newer_type(old->srcMemoryType);
    copy->dstMemoryType = newer_type(old->dstMemoryType);
    return copy;
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D *old) {
    hip_Memcpy2D copy;
    const hip_Memcpy2D *same = newer_plane(old, &copy);
    return newer.plane ? newer.plane(same) : hipErrorSharedObjectSymbolNotFound;
}

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *old, hipStream_t stream) {
    hip_Memcpy2D copy;
    const hip_Memcpy2D *same = newer_plane(old, &copy);
    return newer.plane_async ? newer.plane_async(same, stream) : hipErrorSharedObjectSymbolNotFound;
}

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *old) {
    hip_Memcpy2D copy;
    const hip_Memcpy2D *same = newer_plane(old, &copy);
    return newer.plane_unaligned ? newer.plane_unaligned(same) : hipErrorSharedObjectSymbolNotFound;
}

/* HIP_MEMCPY3D of HIP 5. */
struct hip5_side {
    unsigned x, y, z, level;
    hipMemoryType type;
    void *host, *device;
    hipArray_t array;
    unsigned pitch, height;
};

struct hip5_volume {
    struct hip5_side source, target;
    unsigned width, height, depth;
};

static const HIP_MEMCPY3D *newer_volume(const HIP_MEMCPY3D *given, HIP_MEMCPY3D *copy) {
    struct hip5_volume old;
    pthread_once(&newer.once, find_newer);
    if (!given)
        return NULL;
    memcpy(&old, given, sizeof old);
    *copy = (HIP_MEMCPY3D){.srcXInBytes = old.source.x,
                           .srcY = old.source.y,
                           .srcZ = old.source.z,
                           .srcLOD = old.source.level,
                           .srcMemoryType = newer_type(old.source.type),
                           .srcHost = old.source.host,
                           .srcDevice = old.source.device,
                           .srcArray = old.source.array,
                           .srcPitch = old.source.pitch,
                           .srcHeight = old.source.height,
                           .dstXInBytes = old.target.x,
                           .dstY = old.target.y,
                           .dstZ = old.target.z,
                           .dstLOD = old.target.level,
                           .dstMemoryType = newer_type(old.target.type),
                           .dstHost = old.target.host,
                           .dstDevice = old.target.device,
                           .dstArray = old.target.array,
                           .dstPitch = old.target.pitch,
                           .dstHeight = old.target.height,
                           .WidthInBytes = old.width,
                           .Height = old.height,
                           .Depth = old.depth};
    return copy;
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *old) {
    HIP_MEMCPY3D copy;
    const HIP_MEMCPY3D *same = newer_volume(old, &copy);
    return newer.volume ? newer.volume(same) : hipErrorSharedObjectSymbolNotFound;
}

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *old, hipStream_t stream) {
    HIP_MEMCPY3D copy;
    const HIP_MEMCPY3D *same = newer_volume(old, &copy);
    return newer.volume_async ? newer.volume_async(same, stream) : hipErrorSharedObjectSymbolNotFound;
}

/* ---- properties of physical memory ---------------------------------------------------------------- */

/* hipMemAllocationProp of HIP 5.2. By 5.7 it has today's order. A program says which of them it has by the first properties that it hands
 * over: where 5.2 has the type, which has but one valid value, there is half of a pointer for Windows now. */
struct hip5_properties {
    unsigned char compression;
    hipMemLocation location;
    hipMemAllocationHandleType handle;
    hipMemAllocationType type;
    unsigned short usage;
    void *win32;
};

static atomic_bool has_todays_order;

static const hipMemAllocationProp *newer_properties(const hipMemAllocationProp *given, hipMemAllocationProp *properties) {
    struct hip5_properties old;
    pthread_once(&newer.once, find_newer);
    if (!given)
        return NULL;
    memcpy(&old, given, sizeof old);
    if (old.type != hipMemAllocationTypePinned && given->type == hipMemAllocationTypePinned) {
        has_todays_order = true;
        return given;
    }
    has_todays_order = false;
    *properties = (hipMemAllocationProp){.type = old.type, .requestedHandleType = old.handle, .location = old.location};
    return properties;
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *old, unsigned long long flags) {
    hipMemAllocationProp properties;
    const hipMemAllocationProp *same = newer_properties(old, &properties);
    return newer.create ? newer.create(handle, size, same, flags) : hipErrorSharedObjectSymbolNotFound;
}

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *old, hipMemAllocationGranularity_flags option) {
    hipMemAllocationProp properties;
    const hipMemAllocationProp *same = newer_properties(old, &properties);
    return newer.granularity ? newer.granularity(granularity, same, option) : hipErrorSharedObjectSymbolNotFound;
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *old, hipMemGenericAllocationHandle_t handle) {
    hipMemAllocationProp properties;
    pthread_once(&newer.once, find_newer);
    if (!newer.properties)
        return hipErrorSharedObjectSymbolNotFound;
    hipError_t error = newer.properties(old ? &properties : NULL, handle);
    if (error != hipSuccess)
        return error;
    if (has_todays_order) {
        *old = properties;
        return hipSuccess;
    }
    struct hip5_properties result;
    memset(&result, 0, sizeof result);
    result.location = properties.location;
    result.handle = properties.requestedHandleType;
    result.type = properties.type;
    memcpy(old, &result, sizeof result);
    return hipSuccess;
}

/* In HIP 5.2 the types counted from 1, and ended with event records; from HIP 5.3 on they have today's numbers. The program that calls says
 * which of them it has by what is in its file. */
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
    enum { HIP52_COUNT = 12 };
    pthread_once(&newer.once, find_newer);
    if (!newer.node_type)
        return hipErrorSharedObjectSymbolNotFound;
    hipError_t error = newer.node_type(node, type);
    if (error == hipSuccess && !wl_hip5_is_later(__builtin_return_address(0)))
        *type = (hipGraphNodeType)(*type <= hipGraphNodeTypeEventRecord ? *type + 1 : HIP52_COUNT);
    return error;
}
