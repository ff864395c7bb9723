/* HIP reference: Memory management, pointer attributes. */
#include "api/array.h"
#include "runtime/context.h"

#include <string.h>

/* ---- kinds of memory --------------------------------------------------------------------------- */

static const struct {
    hipMemoryType type;
    bool host; /* the program may use it without HIP functions */
} kinds[WL_MEMORY_KINDS] = {
    [WL_MEMORY_DEVICE] = {hipMemoryTypeDevice, false},   [WL_MEMORY_HOST] = {hipMemoryTypeHost, true},
    [WL_MEMORY_REGISTERED] = {hipMemoryTypeHost, true},  [WL_MEMORY_MANAGED] = {hipMemoryTypeManaged, true},
    [WL_MEMORY_VARIABLE] = {hipMemoryTypeDevice, false}, [WL_MEMORY_VIRTUAL] = {hipMemoryTypeDevice, false},
    [WL_MEMORY_IMPORTED] = {hipMemoryTypeDevice, false}, [WL_MEMORY_ARRAY] = {hipMemoryTypeArray, false},
    [WL_MEMORY_POOL] = {hipMemoryTypeDevice, false},     [WL_MEMORY_EXTERNAL] = {hipMemoryTypeDevice, false},
};

static int device_of(const struct wl_allocation *allocation) { return allocation->context ? (int)allocation->context->index : 0; }

hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr) {
    struct wl_allocation allocation;
    API_REQUIRE(attributes != NULL && ptr != NULL, hipErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    if (!wl_memory_find(ptr, &allocation)) {
        attributes->type = hipMemoryTypeUnregistered;
        attributes->device = hipInvalidDeviceId;
        API_SUCCESS();
    }
    attributes->type = kinds[allocation.kind].type;
    attributes->device = device_of(&allocation);
    attributes->devicePointer = (void *)(uintptr_t)ptr;
    attributes->hostPointer = kinds[allocation.kind].host ? (void *)(uintptr_t)ptr : NULL;
    attributes->isManaged = allocation.kind == WL_MEMORY_MANAGED;
    attributes->allocationFlags = allocation.flags;
    API_SUCCESS();
}

/* ---- single attributes ------------------------------------------------------------------------- */

/* An attribute's value, in as many bytes as AMD's runtime writes; callers have variables of that size. */
struct value {
    size_t size;
    union {
        void *pointer;
        uint32_t word;
        unsigned char boolean;
    };
};

static struct value pointer(const void *p) { return (struct value){.size = sizeof p, .pointer = (void *)(uintptr_t)p}; }
static struct value word(uint32_t v) { return (struct value){.size = sizeof v, .word = v}; }
static struct value truth(bool v) { return (struct value){.size = 1, .boolean = v}; }

/* The value for an address that nobody registered: the handle of an array has a type of memory, nothing else is known. */
static hipError_t get_unknown(hipPointer_attribute attribute, const void *ptr, struct value *value) {
    bool array = attribute == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE && wl_api_is_array(ptr);
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *value = pointer(NULL);
        break;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        *value = truth(false);
        break;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *value = word((uint32_t)hipInvalidDeviceId);
        break;
    default:
        *value = word(array ? hipMemoryTypeArray : 0);
        break;
    }
    return array || attribute == HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS ? hipSuccess : hipErrorInvalidValue;
}

static hipError_t get_known(const struct wl_allocation *a, hipPointer_attribute attribute, const void *ptr, struct value *value) {
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: /* managed memory is the host's here */
        *value = word((uint32_t)(a->kind == WL_MEMORY_MANAGED ? hipMemoryTypeHost : kinds[a->kind].type));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *value = pointer(ptr);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER: /* device memory has none */
        *value = pointer(kinds[a->kind].host ? ptr : NULL);
        return kinds[a->kind].host ? hipSuccess : hipErrorInvalidValue;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *value = truth(a->sync_copies);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        *value = word((uint32_t)a->id);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        *value = truth(a->kind == WL_MEMORY_MANAGED);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *value = word((uint32_t)device_of(a));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *value = pointer((void *)(uintptr_t)a->address);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        *value = word((uint32_t)a->size);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        *value = truth(true);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *value = word(a->flags);
        return hipSuccess;
    default:
        return hipErrorInvalidValue;
    }
}

static bool is_unsupported(hipPointer_attribute attribute) {
    return attribute == HIP_POINTER_ATTRIBUTE_CONTEXT || attribute == HIP_POINTER_ATTRIBUTE_P2P_TOKENS ||
           attribute == HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE || attribute == HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES ||
           attribute == HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE || attribute == HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
}

static bool is_attribute(hipPointer_attribute attribute) {
    return attribute >= HIP_POINTER_ATTRIBUTE_CONTEXT && attribute <= HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
}

/* Stores the attribute, or what stands for it where it is not known. */
static hipError_t get_value(void *data, hipPointer_attribute attribute, const void *ptr) {
    struct wl_allocation allocation;
    struct value value = {0};
    if (!is_attribute(attribute))
        return hipErrorInvalidValue;
    if (is_unsupported(attribute))
        return hipErrorNotSupported;
    bool known = wl_memory_find(ptr, &allocation);
    hipError_t error = known ? get_known(&allocation, attribute, ptr, &value) : get_unknown(attribute, ptr, &value);
    memcpy(data, &value.pointer, value.size);
    return error;
}

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
    API_REQUIRE(data != NULL && ptr != NULL, hipErrorInvalidValue);
    hipError_t error = get_value(data, attribute, ptr);
    API_REQUIRE(error == hipSuccess, error);
    API_SUCCESS();
}

hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute *attributes, void **data, hipDeviceptr_t ptr) {
    API_DEVICES();
    API_REQUIRE(count > 0 && attributes != NULL && data != NULL && ptr != NULL, hipErrorInvalidValue);
    for (unsigned i = 0; i < count; i++)
        if (data[i])
            (void)get_value(data[i], attributes[i], ptr);
    API_SUCCESS();
}

hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
    unsigned on = 0;
    API_REQUIRE(value != NULL && ptr != NULL, hipErrorInvalidValue);
    API_REQUIRE(attribute == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, hipErrorInvalidValue);
    memcpy(&on, value, sizeof on);
    API_REQUIRE(on <= 1, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_set(ptr, WL_MEMORY_SYNC, on), hipErrorInvalidDevicePointer);
    API_SUCCESS();
}

/* ---- ranges ------------------------------------------------------------------------------------ */

hipError_t hipMemPtrGetInfo(void *ptr, size_t *size) {
    struct wl_allocation allocation;
    API_REQUIRE(ptr != NULL && size != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorInvalidValue);
    *size = allocation.size;
    API_SUCCESS();
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t ptr) {
    struct wl_allocation allocation;
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorNotFound);
    if (base)
        *base = (void *)(uintptr_t)allocation.address;
    if (size)
        *size = allocation.size;
    API_SUCCESS();
}
