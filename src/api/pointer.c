/* HIP reference: Memory management, pointer attributes. */
#include "api/api.h"

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
    API_REQUIRE(attributes != NULL, hipErrorInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    if (!ptr || !wl_memory_find(ptr, &allocation)) {
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

/* An attribute's value: `size` bytes of it. */
struct value {
    size_t size;
    union {
        void *pointer;
        uint64_t u64;
        uint32_t u32;
        int32_t i32;
        unsigned char boolean;
    };
};

static struct value pointer(void *p) { return (struct value){.size = sizeof p, .pointer = p}; }
static struct value wide(uint64_t v) { return (struct value){.size = sizeof v, .u64 = v}; }
static struct value word(uint32_t v) { return (struct value){.size = sizeof v, .u32 = v}; }

/* What the current device may do; every device may do everything with memory that is not a mapping. */
static uint32_t access_of(const struct wl_allocation *allocation, const void *ptr) {
    bool readable = true, writable = true;
    const struct wl_context *context = wl_context_current();
    if (allocation->kind == WL_MEMORY_VIRTUAL && context)
        (void)wl_virtual_access(ptr, (int)context->index, &readable, &writable);
    return writable ? hipMemAccessFlagsProtReadWrite : readable ? hipMemAccessFlagsProtRead : hipMemAccessFlagsProtNone;
}

/* `allocation` is NULL for an address that nobody registered: the values that hipDrvPointerGetAttributes gives then. */
static hipError_t get_value(const struct wl_allocation *allocation, hipPointer_attribute attribute, void *ptr, struct value *value) {
    const struct wl_allocation unknown = {.kind = WL_MEMORY_REGISTERED};
    const struct wl_allocation *a = allocation ? allocation : &unknown;
    switch (attribute) {
    case HIP_POINTER_ATTRIBUTE_CONTEXT:
        *value = pointer(a->context);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *value = word(allocation ? (uint32_t)kinds[a->kind].type : hipMemoryTypeUnregistered);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *value = pointer(allocation ? ptr : NULL);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_HOST_POINTER: /* device memory has none */
        *value = pointer(allocation && kinds[a->kind].host ? ptr : NULL);
        return allocation && !kinds[a->kind].host ? hipErrorInvalidValue : hipSuccess;
    case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        *value = word(a->sync_copies);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
        *value = wide(a->id);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
        *value = word(a->kind == WL_MEMORY_MANAGED);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *value = word((uint32_t)(allocation ? device_of(a) : hipInvalidDeviceId));
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE:
        *value = word(a->kind == WL_MEMORY_DEVICE);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *value = pointer((void *)(uintptr_t)a->address);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
        *value = wide(a->size);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_MAPPED:
        *value = word(allocation != NULL);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *value = word(a->exportable ? hipMemHandleTypePosixFileDescriptor : hipMemHandleTypeNone);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        *value = word(0);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *value = word(allocation ? access_of(a, ptr) : hipMemAccessFlagsProtNone);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *value = pointer(a->pool);
        return hipSuccess;
    case HIP_POINTER_ATTRIBUTE_P2P_TOKENS: /* of a kernel driver that is not there */
        return hipErrorNotSupported;
    default:
        return hipErrorInvalidValue;
    }
}

static void store(void *data, const struct value *value) { memcpy(data, &value->u64, value->size); }

hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
    struct wl_allocation allocation;
    struct value value;
    API_REQUIRE(data != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorInvalidValue);
    hipError_t error = get_value(&allocation, attribute, ptr, &value);
    API_REQUIRE(error == hipSuccess, error);
    store(data, &value);
    API_SUCCESS();
}

hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute *attributes, void **data, hipDeviceptr_t ptr) {
    struct wl_allocation allocation;
    API_REQUIRE(count > 0 && attributes != NULL && data != NULL, hipErrorInvalidValue);
    bool known = wl_memory_find(ptr, &allocation);
    for (unsigned i = 0; i < count; i++) {
        struct value value = {0};
        API_REQUIRE(data[i] != NULL, hipErrorInvalidValue);
        hipError_t error = get_value(known ? &allocation : NULL, attributes[i], ptr, &value);
        if (error == hipSuccess || value.size) /* no host pointer is an answer here */
            store(data[i], &value);
        else
            return wl_api_fail(__func__, error, "not an attribute that is known");
    }
    API_SUCCESS();
}

hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute, hipDeviceptr_t ptr) {
    unsigned on = 0;
    API_REQUIRE(value != NULL && ptr != NULL, hipErrorInvalidValue);
    API_REQUIRE(attribute == HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, hipErrorInvalidValue);
    memcpy(&on, value, sizeof on);
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
    API_REQUIRE(ptr != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorNotFound);
    if (base)
        *base = (void *)(uintptr_t)allocation.address;
    if (size)
        *size = allocation.size;
    API_SUCCESS();
}
