/* HIP reference: Managed memory. All memory is reachable from everywhere at any time, so that advice changes no access; it is
 * remembered, and hipMemRangeGetAttribute tells it. A prefetch makes the pages present. The system's memory is managed too. */
#include "runtime/managed.h"
#include "api/api.h"
#include "api/checked.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

hipError_t hipMallocManaged(void **ptr, size_t size, unsigned int flags) {
    API_REQUIRE(ptr != NULL && size > 0, hipErrorInvalidValue);
    API_REQUIRE(flags == hipMemAttachGlobal || flags == hipMemAttachHost, hipErrorInvalidValue);
    API_TRY(wl_capture_unsafe());
    API_CONTEXT(context);
    API_HEALTHY(context);
    wl_checked_call(__func__);
    API_RETURN(wl_memory_allocate(context, WL_MEMORY_MANAGED, size, flags, ptr));
}

/* A device number or hipCpuDeviceId of a location; hipInvalidDeviceId if there is no such place. */
static int place_of(hipMemLocation location) {
    switch (location.type) {
    case hipMemLocationTypeDevice:
        return location.id >= 0 && (unsigned)location.id < wl_context_count() ? location.id : hipInvalidDeviceId;
    case hipMemLocationTypeHost:
    case hipMemLocationTypeHostNuma:
    case hipMemLocationTypeHostNumaCurrent:
        return hipCpuDeviceId;
    default:
        return hipInvalidDeviceId;
    }
}

static hipMemLocation location_of(int device) {
    return (hipMemLocation){device == hipCpuDeviceId ? hipMemLocationTypeHost : hipMemLocationTypeDevice, device};
}

/* ---- prefetching ------------------------------------------------------------------------------ */

struct pages {
    void *address;
    size_t size;
};

/* Best effort: a page that cannot be had now is had at its first access, or fails there. */
static void populate(void *argument, enum wl_status fault) {
    const struct pages *pages = argument;
#ifdef MADV_POPULATE_WRITE
    uintptr_t begin = (uintptr_t)pages->address & ~(uintptr_t)4095,
              end = ((uintptr_t)pages->address + pages->size + 4095) & ~(uintptr_t)4095;
    if (fault == WL_OK && madvise((void *)begin, end - begin, MADV_POPULATE_WRITE) != 0)
        (void)madvise((void *)begin, end - begin, MADV_WILLNEED);
#else
    (void)fault;
#endif
    free(argument);
}

static hipError_t prefetch(const char *function, const void *ptr, size_t count, hipMemLocation location, hipStream_t stream) {
    struct wl_allocation allocation;
    struct wl_stream *queue = wl_api_stream(stream);
    if (!ptr || count == 0)
        return wl_api_fail(function, hipErrorInvalidValue, "an empty range");
    if (!queue)
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a stream");
    int place = place_of(location);
    if (place == hipInvalidDeviceId)
        return wl_api_fail(function, hipErrorInvalidDevice, "no such device");
    enum wl_status status = wl_memory_check(ptr, count, false, &allocation);
    if (status != WL_OK)
        return wl_api_status(function, status);
    bool managed = allocation.size && allocation.kind == WL_MEMORY_MANAGED;
    if (allocation.size && !managed)
        return wl_api_fail(function, hipErrorInvalidValue, "neither managed memory nor the system's");
    if (!managed && !wl_memory_is_mapped(ptr, count))
        return wl_api_fail(function, hipErrorInvalidValue, "no memory there");
    if (wl_context_fault(queue->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(queue->context));
    if (managed && allocation.owner) { /* a device's driver moves it; a stream of another device has nothing to do with that */
        status = wl_managed_advise(&allocation, ptr, count, WL_ADVICE_PREFETCHED, place, true);
        if (status == WL_OK && queue->queue)
            status = wl_command_prefetch(queue, ptr, count, place == hipCpuDeviceId ? WL_LOCATION_HOST : place);
        return wl_api_status(function, status);
    }
    struct pages *pages = malloc(sizeof *pages);
    if (!pages)
        return wl_api_fail(function, hipErrorOutOfMemory, "out of host memory");
    *pages = (struct pages){(void *)(uintptr_t)ptr, count};
    status = managed ? wl_managed_advise(&allocation, ptr, count, WL_ADVICE_PREFETCHED, place, true) : WL_OK;
    if (status == WL_OK)
        status = wl_command_host(queue, populate, pages, true);
    if (status != WL_OK)
        free(pages);
    return wl_api_status(function, status);
}

hipError_t hipMemPrefetchAsync(const void *ptr, size_t count, int device, hipStream_t stream) {
    return prefetch(__func__, ptr, count, location_of(device), stream);
}

hipError_t hipMemPrefetchAsync_v2(const void *ptr, size_t count, hipMemLocation location, unsigned int flags, hipStream_t stream) {
    API_REQUIRE(flags == 0, hipErrorInvalidValue);
    return prefetch(__func__, ptr, count, location, stream);
}

hipError_t hipMemPrefetchBatchAsync(void **ptrs, size_t *sizes, size_t count, hipMemLocation *locs, size_t *locIdxs, size_t numLocs,
                                    unsigned long long flags, hipStream_t stream) {
    API_REQUIRE(ptrs != NULL && sizes != NULL && count > 0 && flags == 0, hipErrorInvalidValue);
    API_REQUIRE(locs != NULL && locIdxs != NULL && numLocs > 0 && numLocs <= count && locIdxs[0] == 0, hipErrorInvalidValue);
    for (size_t k = 1; k < numLocs; k++)
        API_REQUIRE(locIdxs[k] > locIdxs[k - 1] && locIdxs[k] < count, hipErrorInvalidValue);
    for (size_t i = 0, k = 0; i < count; i++) {
        if (k + 1 < numLocs && locIdxs[k + 1] == i)
            k++;
        hipError_t error = prefetch(__func__, ptrs[i], sizes[i], locs[k], stream);
        if (error != hipSuccess)
            return error;
    }
    API_SUCCESS();
}

/* ---- advice ----------------------------------------------------------------------------------- */

struct advice_row {
    hipMemoryAdvise advice;
    enum wl_advice what;
    bool on;
};

static const struct advice_row advice_table[] = {
    {hipMemAdviseSetReadMostly, WL_ADVICE_READ_MOSTLY, true},      {hipMemAdviseUnsetReadMostly, WL_ADVICE_READ_MOSTLY, false},
    {hipMemAdviseSetPreferredLocation, WL_ADVICE_PREFERRED, true}, {hipMemAdviseUnsetPreferredLocation, WL_ADVICE_PREFERRED, false},
    {hipMemAdviseSetAccessedBy, WL_ADVICE_ACCESSED_BY, true},      {hipMemAdviseUnsetAccessedBy, WL_ADVICE_ACCESSED_BY, false},
    {hipMemAdviseSetCoarseGrain, WL_ADVICE_COARSE_GRAIN, true},    {hipMemAdviseUnsetCoarseGrain, WL_ADVICE_COARSE_GRAIN, false},
};

/* The managed allocation that holds a range; for memory of the system that it has pages for, all of that. */
static bool find_managed(const void *ptr, size_t count, struct wl_allocation *allocation) {
    if (!ptr || count == 0 || wl_memory_check(ptr, count, false, allocation) != WL_OK)
        return false;
    if (allocation->size && allocation->kind != WL_MEMORY_REGISTERED)
        return allocation->kind == WL_MEMORY_MANAGED;
    wl_managed_system(allocation);
    return wl_memory_is_mapped(ptr, count);
}

static hipError_t advise(const char *function, const void *ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location) {
    struct wl_allocation allocation;
    const struct advice_row *row = NULL;
    for (size_t i = 0; i < sizeof advice_table / sizeof *advice_table && !row; i++)
        if (advice_table[i].advice == advice)
            row = &advice_table[i];
    if (!row)
        return wl_api_fail(function, hipErrorInvalidValue, "not an advice");
    int place = row->what == WL_ADVICE_READ_MOSTLY ? 0 : place_of(location); /* of no particular device */
    if (place == hipInvalidDeviceId)
        return wl_api_fail(function, hipErrorInvalidDevice, "no such device");
    if (!find_managed(ptr, count, &allocation))
        return wl_api_fail(function, hipErrorInvalidValue, "the range lies neither in managed memory nor in the system's");
    return wl_api_status(function, wl_managed_advise(&allocation, ptr, count, row->what, place, row->on));
}

hipError_t hipMemAdvise(const void *ptr, size_t count, hipMemoryAdvise advice, int device) {
    return advise(__func__, ptr, count, advice, location_of(device));
}

hipError_t hipMemAdvise_v2(const void *ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location) {
    return advise(__func__, ptr, count, advice, location);
}

/* ---- questions -------------------------------------------------------------------------------- */

/* The devices, then the host; the rest of the list is invalid. */
static void list_accessors(const struct wl_managed_summary *summary, int *ids, size_t capacity) {
    size_t count = 0;
    for (int device = 0; device < 64 && count < capacity; device++)
        if (summary->accessed_by >> device & 1)
            ids[count++] = device;
    if (summary->accessed_by_host && count < capacity)
        ids[count++] = hipCpuDeviceId;
    while (count < capacity)
        ids[count++] = hipInvalidDeviceId;
}

/* False: not an attribute, or not its size. */
static bool answer(const struct wl_managed_summary *summary, hipMemRangeAttribute attribute, void *data, size_t size) {
    if (attribute == hipMemRangeAttributeAccessedBy) {
        if (size == 0 || size % sizeof(int) != 0)
            return false;
        list_accessors(summary, data, size / sizeof(int));
        return true;
    }
    int value = 0;
    switch (attribute) {
    case hipMemRangeAttributeReadMostly:
        value = summary->read_mostly;
        break;
    case hipMemRangeAttributePreferredLocation:
        value = summary->preferred;
        break;
    case hipMemRangeAttributeLastPrefetchLocation:
        value = summary->prefetched;
        break;
    case hipMemRangeAttributeCoherencyMode:
        value = summary->mixed_grain    ? hipMemRangeCoherencyModeIndeterminate
                : summary->coarse_grain ? hipMemRangeCoherencyModeCoarseGrain
                                        : hipMemRangeCoherencyModeFineGrain;
        break;
    default:
        return false;
    }
    if (size != sizeof value)
        return false;
    memcpy(data, &value, sizeof value);
    return true;
}

/* The one thing to know of memory that nobody can give advice about: hipMalloc's is coarse-grained unless made otherwise, the host's
 * is not unless made so. */
static struct wl_managed_summary summary_of_plain(const struct wl_allocation *allocation) {
    bool host = allocation->kind == WL_MEMORY_HOST;
    bool fine = host ? !(allocation->flags & hipHostMallocNonCoherent)
                     : allocation->kind == WL_MEMORY_DEVICE &&
                           (allocation->flags == hipDeviceMallocFinegrained || allocation->flags == hipDeviceMallocUncached);
    return (struct wl_managed_summary){.coarse_grain = !fine};
}

static hipError_t get_attributes(const char *function, void **data, const size_t *sizes, const hipMemRangeAttribute *attributes,
                                 size_t num_attributes, const void *ptr, size_t count) {
    struct wl_allocation allocation;
    struct wl_managed_summary summary;
    bool managed = find_managed(ptr, count, &allocation);
    if (managed)
        wl_managed_query(&allocation, ptr, count, &summary);
    else if (!ptr || count == 0 || wl_memory_check(ptr, count, false, &allocation) != WL_OK || !allocation.size)
        return wl_api_fail(function, hipErrorInvalidValue, "no memory that something is known about");
    else
        summary = summary_of_plain(&allocation);
    for (size_t i = 0; i < num_attributes; i++)
        if (!data[i] || (!managed && attributes[i] != hipMemRangeAttributeCoherencyMode) ||
            !answer(&summary, attributes[i], data[i], sizes[i]))
            return wl_api_fail(function, hipErrorInvalidValue, "not an attribute of such memory, or not its size");
    return wl_api_success();
}

hipError_t hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute, const void *ptr, size_t count) {
    return get_attributes(__func__, &data, &data_size, &attribute, 1, ptr, count);
}

hipError_t hipMemRangeGetAttributes(void **data, size_t *data_sizes, hipMemRangeAttribute *attributes, size_t num_attributes,
                                    const void *ptr, size_t count) {
    struct wl_allocation allocation;
    API_REQUIRE(data != NULL && data_sizes != NULL && attributes != NULL && num_attributes > 0, hipErrorInvalidValue);
    API_REQUIRE(wl_memory_find(ptr, &allocation), hipErrorInvalidValue);
    API_REQUIRE(allocation.kind == WL_MEMORY_MANAGED || allocation.kind == WL_MEMORY_HOST, hipErrorInvalidValue);
    return get_attributes(__func__, data, data_sizes, attributes, num_attributes, ptr, count);
}

/* ---- attaching -------------------------------------------------------------------------------- */

struct attachment {
    void *address;
    unsigned flags;
};

static void attach(void *argument, enum wl_status fault) {
    const struct attachment *attachment = argument;
    if (fault == WL_OK)
        (void)wl_memory_set(attachment->address, WL_MEMORY_FLAGS, attachment->flags);
    free(argument);
}

hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *ptr, size_t length, unsigned int flags) {
    struct wl_allocation allocation;
    API_REQUIRE(ptr != NULL, hipErrorInvalidValue);
    struct wl_stream *queue = wl_api_stream(stream);
    API_REQUIRE(queue != NULL, hipErrorContextIsDestroyed);
    API_REQUIRE(flags == hipMemAttachGlobal || flags == hipMemAttachHost || flags == hipMemAttachSingle, hipErrorInvalidValue);
    API_REQUIRE(flags != hipMemAttachSingle || (stream != NULL && stream != hipStreamLegacy), hipErrorInvalidValue);
    API_HEALTHY(queue->context);
    const bool known = wl_memory_find(ptr, &allocation);
    if (!known || allocation.kind == WL_MEMORY_REGISTERED) { /* the system's memory: nothing to note */
        API_REQUIRE(known || queue->context->info.pageable_access, hipErrorInvalidValue);
        API_REQUIRE(length > 0 && wl_memory_is_mapped(ptr, length), hipErrorInvalidValue);
        API_SUCCESS();
    }
    API_REQUIRE(allocation.kind == WL_MEMORY_MANAGED, hipErrorInvalidValue);
    API_REQUIRE(length == 0 || length == allocation.size, hipErrorInvalidValue);
    struct attachment *attachment = malloc(sizeof *attachment);
    API_REQUIRE(attachment != NULL, hipErrorOutOfMemory);
    *attachment = (struct attachment){ptr, flags};
    enum wl_status status = wl_command_host(queue, attach, attachment, true);
    if (status != WL_OK)
        free(attachment);
    API_RETURN(status);
}
