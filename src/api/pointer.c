/* HIP reference: Memory management, pointer attributes. */
#include "api/api.h"

#include <string.h>

static hipMemoryType type_of(enum wl_memory_kind kind) {
    static const hipMemoryType types[] = {
        [WL_MEMORY_DEVICE] = hipMemoryTypeDevice,   [WL_MEMORY_HOST] = hipMemoryTypeHost,       [WL_MEMORY_REGISTERED] = hipMemoryTypeHost,
        [WL_MEMORY_MANAGED] = hipMemoryTypeManaged, [WL_MEMORY_VARIABLE] = hipMemoryTypeDevice,
    };
    return types[kind];
}

static bool host_visible(enum wl_memory_kind kind) { return kind != WL_MEMORY_DEVICE && kind != WL_MEMORY_VARIABLE; }

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) {
    struct wl_allocation allocation;
    API_REQUIRE(attributes != NULL, hipErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    if (!ptr || !wl_memory_find(ptr, &allocation)) {
        attributes->type = hipMemoryTypeUnregistered;
        attributes->device = hipInvalidDeviceId;
        API_SUCCESS();
    }
    attributes->type = type_of(allocation.kind);
    attributes->device = allocation.context ? (int)allocation.context->index : 0;
    attributes->devicePointer = (void *)(uintptr_t)ptr;
    attributes->hostPointer = host_visible(allocation.kind) ? (void *)(uintptr_t)ptr : NULL;
    attributes->isManaged = allocation.kind == WL_MEMORY_MANAGED;
    attributes->allocationFlags = allocation.flags;
    API_SUCCESS();
}

/* One attribute into the caller's variable. False: not an attribute that exists here. */
static bool read_attribute(const struct wl_allocation *allocation, hipPointer_attribute attribute, void *ptr, void *data) {
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
        *(hipCtx_t *)data = (hipCtx_t)allocation->context;
        return true;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)data = (unsigned)type_of(allocation->kind);
        return true;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *(void **)data = ptr;
        return true;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)data = host_visible(allocation->kind) ? ptr : NULL;
        return host_visible(allocation->kind);
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = attribute == HIP_POINTER_ATTRIBUTE_IS_MANAGED && allocation->kind == WL_MEMORY_MANAGED;
        return true;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        *(uint64_t *)data = allocation->id;
        return true;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *(int *)data = allocation->context ? (int)allocation->context->index : 0;
        return true;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(void **)data = (void *)(uintptr_t)allocation->address;
        return true;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        *(size_t *)data = allocation->size;
        return true;
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        *(unsigned *)data = 1;
        return true;
    default:
        return false;
    }
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
    struct wl_allocation allocation;
    API_REQUIRE(data != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorInvalidValue);
    API_REQUIRE(read_attribute(&allocation, attribute, ptr, data), hipErrorInvalidValue);
    API_SUCCESS();
}

hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute *attributes, void **data, hipDeviceptr_t ptr) {
    struct wl_allocation allocation;
    API_REQUIRE(count > 0 && attributes != NULL && data != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorInvalidValue);
    for (unsigned i = 0; i < count; i++)
        API_REQUIRE(data[i] && read_attribute(&allocation, attributes[i], ptr, data[i]), hipErrorInvalidValue);
    API_SUCCESS();
}
