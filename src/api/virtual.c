/* HIP reference: Virtual memory management. */
#include "runtime/virtual.h"
#include "api/api.h"
#include "api/checked.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/managed.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

#include <string.h>

#define LOWEST_ADDRESS 65536u /* that Linux maps anything at */

/* ---- addresses ---------------------------------------------------------------------------------- */

static bool is_granular(size_t size) { return size > 0 && size % WL_GRANULARITY == 0; }

hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr, unsigned long long flags) {
    API_REQUIRE(ptr != NULL && flags == 0, hipErrorInvalidValue);
    API_REQUIRE(is_granular(size) && (alignment & (alignment - 1)) == 0, hipErrorOutOfMemory);
    API_CONTEXT(context);
    API_REQUIRE(size % wl_physical_granularity(context, false) == 0, hipErrorOutOfMemory);
    API_RETURN(wl_virtual_reserve(context, size, alignment, addr, ptr));
}

hipError_t hipMemAddressFree(void *devPtr, size_t size) {
    API_REQUIRE(devPtr != NULL && size > 0, hipErrorInvalidValue);
    API_RETURN(wl_virtual_release(devPtr, size));
}

/* ---- memory ------------------------------------------------------------------------------------- */

/* The device of the properties; NULL if they describe nothing that can be made. */
static struct wl_context *context_of(const hipMemAllocationProp *prop) {
    bool known = prop && (prop->type == hipMemAllocationTypePinned || prop->type == hipMemAllocationTypeUncached) &&
                 prop->location.type == hipMemLocationTypeDevice && prop->location.id >= 0;
    return known ? wl_context_at((unsigned)prop->location.id) : NULL;
}

hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option) {
    API_REQUIRE(granularity != NULL && context_of(prop) != NULL, hipErrorInvalidValue);
    API_REQUIRE(option == hipMemAllocationGranularityMinimum || option == hipMemAllocationGranularityRecommended, hipErrorInvalidValue);
    *granularity = wl_physical_granularity(context_of(prop), option == hipMemAllocationGranularityRecommended);
    API_SUCCESS();
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *prop, unsigned long long flags) {
    struct wl_context *context = context_of(prop);
    struct wl_physical *physical = NULL;
    API_REQUIRE(handle != NULL && flags == 0 && context != NULL && is_granular(size), hipErrorInvalidValue);
    API_REQUIRE(prop->requestedHandleType == hipMemHandleTypeNone || prop->requestedHandleType == hipMemHandleTypePosixFileDescriptor,
                hipErrorNotSupported);
    API_HEALTHY(context);
    API_REQUIRE(size % wl_physical_granularity(context, false) == 0, hipErrorInvalidValue);
    API_TRY(wl_physical_create(context, size, prop->requestedHandleType != hipMemHandleTypeNone, (unsigned)prop->type, &physical));
    *handle = (hipMemGenericAllocationHandle_t)physical;
    API_SUCCESS();
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a name to declare */
#define API_PHYSICAL(name, handle)                                                                                                         \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_PHYSICAL), hipErrorInvalidValue);                                                         \
    struct wl_physical *name = (struct wl_physical *)(handle)
/* NOLINTEND(bugprone-macro-parentheses) */

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
    API_PHYSICAL(physical, handle);
    API_RETURN(wl_physical_release(physical));
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr) {
    API_REQUIRE(handle != NULL && addr != NULL, hipErrorInvalidValue);
    struct wl_physical *physical = wl_physical_at(addr);
    API_REQUIRE(physical != NULL, hipErrorInvalidValue);
    *handle = (hipMemGenericAllocationHandle_t)physical;
    API_SUCCESS();
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle) {
    API_REQUIRE(prop != NULL, hipErrorInvalidValue);
    API_PHYSICAL(physical, handle);
    memset(prop, 0, sizeof *prop);
    prop->type = physical->flags ? (hipMemAllocationType)physical->flags : hipMemAllocationTypePinned;
    prop->requestedHandleType = physical->exportable ? hipMemHandleTypePosixFileDescriptor : hipMemHandleTypeNone;
    prop->location = (hipMemLocation){hipMemLocationTypeDevice, (int)physical->context->index};
    API_SUCCESS();
}

hipError_t hipMemExportToShareableHandle(void *shareableHandle, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType, unsigned long long flags) {
    API_REQUIRE(shareableHandle != NULL && flags == 0, hipErrorInvalidValue);
    API_PHYSICAL(physical, handle);
    API_REQUIRE(handleType == hipMemHandleTypePosixFileDescriptor && physical->exportable, hipErrorInvalidValue);
    int file = -1;
    API_TRY(wl_physical_export(physical, &file));
    memcpy(shareableHandle, &file, sizeof file);
    API_SUCCESS();
}

/* The descriptor that a handle means: AMD's runtime takes the address of one, CUDA's takes its number as a pointer, of which the
 * upper half may be anything. No memory begins at addresses that are numbers of descriptors. */
static int descriptor_of(void *handle) {
    int file = (int)(intptr_t)handle;
    if ((uintptr_t)handle >= LOWEST_ADDRESS && wl_memory_is_mapped(handle, sizeof file))
        memcpy(&file, handle, sizeof file);
    return file;
}

hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *osHandle,
                                           hipMemAllocationHandleType shHandleType) {
    struct wl_physical *physical = NULL;
    API_REQUIRE(handle != NULL && osHandle != NULL && shHandleType == hipMemHandleTypePosixFileDescriptor, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_TRY(wl_physical_import(context, descriptor_of(osHandle), &physical));
    *handle = (hipMemGenericAllocationHandle_t)physical;
    API_SUCCESS();
}

/* ---- mapping ------------------------------------------------------------------------------------ */

static bool is_page(const void *ptr) { return ptr && (uintptr_t)ptr % WL_GRANULARITY == 0; }

hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle, unsigned long long flags) {
    API_REQUIRE(is_page(ptr) && is_granular(size) && offset == 0 && flags == 0, hipErrorInvalidValue);
    API_PHYSICAL(physical, handle);
    wl_checked_call(__func__);
    API_RETURN(wl_virtual_map(ptr, size, physical));
}

hipError_t hipMemUnmap(void *ptr, size_t size) {
    API_REQUIRE(is_page(ptr) && is_granular(size), hipErrorInvalidValue);
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    wl_checked_call(__func__);
    API_RETURN(wl_virtual_unmap(ptr, size));
}

/* A device, or WL_LOCATION_HOST; WL_LOCATION_NONE if it is neither. */
static int place_of(const hipMemLocation *location) {
    if (location->type == hipMemLocationTypeHost)
        return WL_LOCATION_HOST;
    bool device = location->type == hipMemLocationTypeDevice && location->id >= 0 && (unsigned)location->id < wl_context_count();
    return device ? location->id : WL_LOCATION_NONE;
}

hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count) {
    API_REQUIRE(is_page(ptr) && is_granular(size) && desc != NULL && count > 0, hipErrorInvalidValue);
    for (size_t i = 0; i < count; i++) { /* all or nothing */
        hipMemAccessFlags flags = desc[i].flags;
        API_REQUIRE(place_of(&desc[i].location) != WL_LOCATION_NONE, hipErrorInvalidValue);
        API_REQUIRE(flags == hipMemAccessFlagsProtNone || flags == hipMemAccessFlagsProtRead || flags == hipMemAccessFlagsProtReadWrite,
                    hipErrorInvalidValue);
    }
    if (!wl_stream_inside_command())
        wl_runtime_drain();
    for (size_t i = 0; i < count; i++)
        API_TRY(wl_virtual_protect(ptr, size, place_of(&desc[i].location), desc[i].flags != hipMemAccessFlagsProtNone,
                                   desc[i].flags == hipMemAccessFlagsProtReadWrite));
    API_SUCCESS();
}

hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr) {
    bool readable = false, writable = false;
    API_REQUIRE(flags != NULL && location != NULL && ptr != NULL && place_of(location) != WL_LOCATION_NONE, hipErrorInvalidValue);
    API_REQUIRE(wl_virtual_access(ptr, place_of(location), &readable, &writable), hipErrorInvalidValue);
    *flags = writable ? hipMemAccessFlagsProtReadWrite : readable ? hipMemAccessFlagsProtRead : hipMemAccessFlagsProtNone;
    API_SUCCESS();
}
