/* HIP reference: Memory management, copies of memory. */
#include "api/copy.h"
#include "api/checked.h"

#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/work.h"

#define STAGE_LIMIT (64u << 10) /* pageable sources up to this size are copied aside; larger ones are copied at once */

/* ---- every copy -------------------------------------------------------------------------------- */

bool wl_api_is_kind(hipMemcpyKind kind) { return (unsigned)kind <= hipMemcpyDefault || kind == hipMemcpyDeviceToDeviceNoCU; }

bool wl_api_reach(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *bytes) {
    size_t planes = 0, lines = 0;
    return !__builtin_mul_overflow(slices - 1, slice, &planes) && !__builtin_mul_overflow(rows - 1, pitch, &lines) &&
           !__builtin_add_overflow(planes, lines, bytes) && !__builtin_add_overflow(*bytes, width, bytes);
}

/* Memory that the program got from a GPU's driver is the GPU's all the same. */
static void ask_device(const struct wl_stream *stream, const void *address, struct wl_allocation *allocation) {
    const struct wl_device_ops *ops = stream->context->device->ops;
    void *begin = NULL;
    size_t size = 0;
    if (!allocation->size && ops->find && ops->find(stream->context->device, address, &begin, &size))
        *allocation = (struct wl_allocation){
            .address = (uint64_t)(uintptr_t)begin, .size = size, .kind = WL_MEMORY_DEVICE, .context = stream->context};
}

/* Whether the process has the memory of one side. Drivers do not ask. */
static bool is_there(const struct wl_copy *copy, bool source) {
    size_t bytes = 0;
    return wl_api_reach(copy->width, copy->rows, copy->slices, source ? copy->source_pitch : copy->target_pitch,
                        source ? copy->source_slice : copy->target_slice, &bytes) &&
           wl_memory_is_mapped(source ? copy->source : copy->target, bytes);
}

/* What is at the two ends. False: the copy would leave it. */
static bool find_ends(const struct wl_copy *copy, struct wl_allocation *target, struct wl_allocation *source) {
    size_t to = 0, from = 0;
    return wl_api_reach(copy->width, copy->rows, copy->slices, copy->target_pitch, copy->target_slice, &to) &&
           wl_api_reach(copy->width, copy->rows, copy->slices, copy->source_pitch, copy->source_slice, &from) &&
           wl_memory_check(copy->target, to, true, target) == WL_OK && wl_memory_check(copy->source, from, false, source) == WL_OK;
}

static const struct wl_copy nothing;

void wl_api_copy_resolve(bool on) {
    struct wl_api_thread *thread = wl_api_thread();
    if (thread) {
        thread->resolving = on;
        thread->resolved = nothing;
    }
}

const struct wl_copy *wl_api_copy_resolved(void) {
    const struct wl_api_thread *thread = wl_api_thread();
    return thread ? &thread->resolved : &nothing;
}

static bool left_to_thread(const struct wl_copy *copy) {
    struct wl_api_thread *thread = wl_api_thread();
    if (!thread || !thread->resolving)
        return false;
    thread->resolved = *copy;
    return true;
}

bool wl_api_is_devices_own(const struct wl_allocation *allocation) {
    const unsigned others = 1u << WL_MEMORY_HOST | 1u << WL_MEMORY_REGISTERED | 1u << WL_MEMORY_MANAGED | 1u << WL_MEMORY_ARRAY;
    return allocation->size && allocation->context && !(others >> allocation->kind & 1);
}

enum returning {
    WHEN_DONE,   /* the call is named synchronous */
    IN_A_STREAM, /* synchronous, in a stream that the caller names: the captures of other streams do not matter */
    AT_ONCE,     /* asynchronous */
    AMONG_PEERS  /* synchronous, between memory of two devices */
};

/* Whether a call that is named synchronous may return before the copy is done, as AMD's do between two places of the stream's device,
 * unless both are marked with HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, and hipMemcpyPeer between devices. */
static bool goes_on(const struct wl_stream *stream, const struct wl_allocation *target, const struct wl_allocation *source,
                    enum returning returning) {
    if (returning == AT_ONCE || !wl_api_is_devices_own(target) || !wl_api_is_devices_own(source))
        return false;
    bool here = target->context == stream->context && source->context == stream->context;
    return here ? !(target->sync_copies && source->sync_copies) : returning == AMONG_PEERS;
}

/* Whether nothing is queued that the copy comes behind, so that it may as well be done at once. */
static bool is_next(struct wl_stream *stream, const struct wl_copy *copy) {
    bool next = !stream->queue && wl_stream_is_free(stream);
    for (int i = 0; i < 2; i++)
        next = next && (!copy->also[i] || wl_stream_is_free(copy->also[i]->null_stream));
    return next;
}

/* Queues a copy for which a synchronous call does not wait. Later work of the devices' null streams comes after it. */
static enum wl_status copy_behind(struct wl_stream *stream, const struct wl_copy *copy) {
    enum wl_status status = wl_command_copy(stream, copy, false);
    uint64_t sequence = atomic_load(&stream->submitted);
    if (status == WL_OK && stream->flags & WL_STREAM_NON_BLOCKING)
        status = wl_stream_wait_for(stream->context->null_stream, stream, sequence);
    for (int i = 0; i < 2 && status == WL_OK; i++)
        if (copy->also[i])
            status = wl_stream_wait_for(copy->also[i]->null_stream, stream, sequence);
    return status;
}

/* Memory that only its own device reaches is that device's to copy. */
static struct wl_context *copier(const struct wl_stream *stream, const struct wl_allocation *target, const struct wl_allocation *source) {
    if (stream->context->info.discrete)
        return NULL;
    if (target->context && target->context->info.discrete)
        return target->context;
    return source->context && source->context->info.discrete ? source->context : NULL;
}

static hipError_t copy_memory(const char *function, const struct wl_copy *copy, hipMemcpyKind kind, struct wl_stream *stream,
                              enum returning returning) {
    const bool async = returning == AT_ONCE;
    struct wl_allocation target, source;
    if (!async && returning != IN_A_STREAM && stream == stream->context->null_stream && wl_capture_excludes(WL_CAPTURE_IMPLICIT) != WL_OK)
        return wl_api_status(function, WL_CAPTURE_IMPLICIT);
    if (!wl_api_is_kind(kind))
        return wl_api_fail(function, hipErrorInvalidMemcpyDirection, "not a copy kind");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    if (!copy->width || !copy->rows || !copy->slices)
        return wl_api_success();
    if (!copy->target || !copy->source)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if ((copy->rows > 1 || copy->slices > 1) && (copy->target_pitch < copy->width || copy->source_pitch < copy->width))
        return wl_api_fail(function, hipErrorInvalidValue, "a pitch is smaller than the width");
    wl_checked_copy(function, copy);
    if (!find_ends(copy, &target, &source))
        return wl_api_fail(function, hipErrorInvalidValue, "the copy leaves its memory, or may not use it");
    ask_device(stream, copy->target, &target);
    ask_device(stream, copy->source, &source);
    if (stream->queue && ((!target.size && !is_there(copy, false)) || (!source.size && !is_there(copy, true))))
        return wl_api_fail(function, hipErrorInvalidValue, "not all of the host's memory is there");
    if (!target.size && !source.size && kind != hipMemcpyHostToHost && kind != hipMemcpyDefault)
        return wl_api_fail(function, hipErrorInvalidValue, "both pointers are host memory; the kind says otherwise");
    struct wl_copy request = *copy;
    request.given = kind;
    if (left_to_thread(&request))
        return wl_api_success();
    request.via = copier(stream, &target, &source);
    bool captured = async && wl_capture_active(stream); /* the graph reads and writes host memory when it is launched */
    /* An address that is not known is pageable memory. */
    bool wait = !async || (!captured && !target.size);
    if (!wait && !captured && !source.size) {
        request.stage = copy->width * copy->rows * copy->slices <= STAGE_LIMIT;
        wait = !request.stage;
    }
    /* A copy that is waited for also comes after what the devices of its memory have in their null streams. */
    if (!async) {
        request.also[0] = target.context == stream->context ? NULL : target.context;
        request.also[1] = source.context == stream->context ? NULL : source.context;
    }
    if (goes_on(stream, &target, &source, returning) && !is_next(stream, &request))
        return wl_api_status(function, copy_behind(stream, &request));
    return wl_api_status(function, wl_command_copy(stream, &request, wait));
}

hipError_t wl_api_copy(const char *function, const struct wl_copy *copy, hipMemcpyKind kind, struct wl_stream *stream, bool async) {
    return copy_memory(function, copy, kind, stream, async ? AT_ONCE : WHEN_DONE);
}

/* ---- one dimension ----------------------------------------------------------------------------- */

static struct wl_copy line(void *dst, const void *src, size_t size) {
    return (struct wl_copy){
        .target = dst, .source = src, .width = size, .rows = 1, .slices = 1, .target_pitch = size, .source_pitch = size};
}

static hipError_t copy_line(const char *function, void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t handle,
                            bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a stream");
    struct wl_copy copy = line(dst, src, size);
    return wl_api_copy(function, &copy, kind, stream, async);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t size, hipMemcpyKind kind) {
    return copy_line(__func__, dst, src, size, kind, NULL, false);
}

hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    API_STREAM(queue, stream);
    struct wl_copy copy = line(dst, src, size);
    return copy_memory(__func__, &copy, kind, queue, wl_capture_active(queue) ? AT_ONCE : IN_A_STREAM); /* captured like others */
}

hipError_t hipMemcpyAsync(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    return copy_line(__func__, dst, src, size, kind, stream, true);
}

/* The direction is in the name and the addresses speak for themselves: these take any memory, as AMD's do. */
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t size) {
    return copy_line(__func__, dst, src, size, hipMemcpyHostToDevice, NULL, false);
}

hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t size) {
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToHost, NULL, false);
}

hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size) {
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToDevice, NULL, false);
}

hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void *src, size_t size, hipStream_t stream) {
    return copy_line(__func__, dst, src, size, hipMemcpyHostToDevice, stream, true);
}

hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t size, hipStream_t stream) {
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToHost, stream, true);
}

hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size, hipStream_t stream) {
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToDevice, stream, true);
}

/* ---- between devices --------------------------------------------------------------------------- */

static struct wl_context *device_context(int device) { return device < 0 ? NULL : wl_context_at((unsigned)device); }

hipError_t hipMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t size) {
    API_REQUIRE(device_context(dstDevice) != NULL && device_context(srcDevice) != NULL, hipErrorInvalidDevice);
    API_STREAM(queue, NULL);
    struct wl_copy copy = line(dst, src, size);
    return copy_memory(__func__, &copy, hipMemcpyDeviceToDevice, queue, AMONG_PEERS);
}

hipError_t hipMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t size, hipStream_t stream) {
    API_REQUIRE(device_context(dstDevice) != NULL && device_context(srcDevice) != NULL, hipErrorInvalidDevice);
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToDevice, stream, true);
}

static hipError_t copy_peer_volume(const char *function, const hipMemcpy3DPeerParms *p, hipStream_t stream, bool async) {
    if (!p)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    struct wl_context *to = device_context(p->dstDevice), *from = device_context(p->srcDevice);
    if (!to || !from)
        return wl_api_fail(function, hipErrorInvalidDevice, "no such device");
    if (!async && (wl_context_synchronize(from) != WL_OK || wl_context_synchronize(to) != WL_OK))
        return wl_api_fault(function, wl_context_fault(from) != WL_OK ? wl_context_fault(from) : wl_context_fault(to));
    struct hipMemcpy3DParms parameters = {.srcArray = p->srcArray,
                                          .srcPos = p->srcPos,
                                          .srcPtr = p->srcPtr,
                                          .dstArray = p->dstArray,
                                          .dstPos = p->dstPos,
                                          .dstPtr = p->dstPtr,
                                          .extent = p->extent,
                                          .kind = hipMemcpyDefault};
    return wl_api_copy_volume(function, &parameters, stream, async);
}

hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms *p) { return copy_peer_volume(__func__, p, NULL, false); }

hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *p, hipStream_t stream) { return copy_peer_volume(__func__, p, stream, true); }

/* ---- two and three dimensions ---------------------------------------------------------------- */

/* The address of a side's begin. NULL with a message: the block is not within the array. */
static char *begin_of(const struct wl_side *side, size_t width, size_t rows, size_t slices) {
    const struct hipArray *array = side->array;
    if (!array)
        return (char *)side->memory + side->z * side->slice + side->y * side->pitch + side->x;
    size_t row = wl_array_row_bytes(array), height = wl_array_rows(array), depth = wl_array_slices(array);
    bool within = side->x <= row && width <= row - side->x && side->y <= height && rows <= height - side->y && side->z <= depth &&
                  slices <= depth - side->z;
    return within ? (char *)array->data + side->z * array->slice + side->y * array->pitch + side->x : NULL;
}

/* Whether the side is what the caller says. */
static bool is_as_said(const struct wl_stream *stream, const struct wl_side *side, bool device) {
    struct wl_allocation allocation = {0};
    if (side->array || !(device || side->device) || wl_memory_find(side->memory, &allocation))
        return true;
    ask_device(stream, side->memory, &allocation);
    return allocation.size > 0;
}

static bool are_as_said(const struct wl_stream *stream, const struct wl_side *target, const struct wl_side *source, hipMemcpyKind kind) {
    bool within = kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU;
    return is_as_said(stream, target, within || kind == hipMemcpyHostToDevice) &&
           is_as_said(stream, source, within || kind == hipMemcpyDeviceToHost);
}

hipError_t wl_api_copy_sides(const char *function, const struct wl_side *target, const struct wl_side *source, size_t width, size_t rows,
                             size_t slices, hipMemcpyKind kind, hipStream_t handle, bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a stream");
    if ((target->array && !wl_api_is_array(target->array)) || (source->array && !wl_api_is_array(source->array)))
        return wl_api_fail(function, hipErrorInvalidHandle, "not an array");
    if (!width || !rows || !slices)
        return wl_api_copy(function, &(struct wl_copy){0}, kind, stream, async);
    if ((!target->array && !target->memory) || (!source->array && !source->memory))
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if (!are_as_said(stream, target, source, kind))
        return wl_api_fail(function, hipErrorInvalidValue, "no device memory where the parameters say that there is");
    struct wl_copy copy = {.target = begin_of(target, width, rows, slices),
                           .source = begin_of(source, width, rows, slices),
                           .width = width,
                           .rows = rows,
                           .slices = slices,
                           .target_pitch = target->array ? target->array->pitch : target->pitch,
                           .source_pitch = source->array ? source->array->pitch : source->pitch,
                           .target_slice = target->array ? target->array->slice : target->slice,
                           .source_slice = source->array ? source->array->slice : source->slice};
    if (!copy.target || !copy.source) {
        const struct wl_side *side = copy.target ? source : target;
        wl_checked_outside(function, side->array->data, !copy.target, "%zu planes of %zu rows of %zu bytes, from (%zu, %zu, %zu) on",
                           slices, rows, width, side->x, side->y, side->z);
        return wl_api_fail(function, hipErrorInvalidValue, "the copy is not within the array");
    }
    return wl_api_copy(function, &copy, kind, stream, async);
}

hipError_t wl_api_copy_plane(const char *function, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                             hipMemcpyKind kind, hipStream_t stream, bool async) {
    if (width && height && (dpitch < width || spitch < width))
        return wl_api_fail(function, hipErrorInvalidPitchValue, "a pitch is smaller than the width");
    struct wl_side target = {.memory = dst, .pitch = dpitch}, source = {.memory = (void *)(uintptr_t)src, .pitch = spitch};
    return wl_api_copy_sides(function, &target, &source, width, height, 1, kind, stream, async);
}

hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind) {
    return wl_api_copy_plane(__func__, dst, dpitch, src, spitch, width, height, kind, NULL, false);
}

hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                            hipStream_t stream) {
    return wl_api_copy_plane(__func__, dst, dpitch, src, spitch, width, height, kind, stream, true);
}

/* ---- the driver's parameters ------------------------------------------------------------------- */

/* One side of hip_Memcpy2D and HIP_MEMCPY3D. */
struct driver_side {
    hipMemoryType type;
    const void *host;
    void *device;
    hipArray_t array;
    size_t pitch, height, x, y, z;
};

/* The member that the type names, and no other. */
static bool pick_member(const struct driver_side *from, struct wl_side *side) {
    *side = (struct wl_side){.x = from->x, .y = from->y, .z = from->z};
    switch (from->type) {
    case hipMemoryTypeHost:
        side->memory = (void *)(uintptr_t)from->host;
        return true;
    case hipMemoryTypeDevice:
        side->device = true;
        side->memory = from->device;
        return true;
    case hipMemoryTypeUnified:
        side->memory = from->device;
        return true;
    case hipMemoryTypeArray:
        side->array = from->array;
        return true;
    default:
        return false;
    }
}

static hipError_t pick_side(const char *function, const struct driver_side *from, size_t width, size_t rows, struct wl_side *side) {
    size_t plane = 0;
    if (!pick_member(from, side))
        return wl_api_fail(function, hipErrorInvalidValue, "not a type of memory that is copied");
    side->pitch = from->pitch ? from->pitch : width;
    if (__builtin_mul_overflow(side->pitch, rows, &plane) || __builtin_mul_overflow(from->pitch, from->height, &side->slice))
        return wl_api_fail(function, hipErrorInvalidValue, "more than there are addresses");
    side->slice = side->slice ? side->slice : plane;
    if (!side->array && (side->pitch < width || side->slice < plane))
        return wl_api_fail(function, hipErrorInvalidValue, "the copy is wider or higher than the memory");
    return hipSuccess;
}

static hipError_t copy_driver(const char *function, const struct driver_side *to, const struct driver_side *from, size_t width, size_t rows,
                              size_t slices, hipStream_t stream, bool async) {
    struct wl_side target = {0}, source = {0};
    hipError_t error = width && rows && slices ? pick_side(function, to, width, rows, &target) : hipSuccess;
    if (error == hipSuccess && width && rows && slices)
        error = pick_side(function, from, width, rows, &source);
    return error == hipSuccess ? wl_api_copy_sides(function, &target, &source, width, rows, slices, hipMemcpyDefault, stream, async)
                               : error;
}

static hipError_t copy_param(const char *function, const hip_Memcpy2D *p, hipStream_t stream, bool async) {
    if (!p)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    struct driver_side to = {
        .type = p->dstMemoryType, .host = p->dstHost, .device = p->dstDevice, .array = p->dstArray, .pitch = p->dstPitch};
    struct driver_side from = {
        .type = p->srcMemoryType, .host = p->srcHost, .device = p->srcDevice, .array = p->srcArray, .pitch = p->srcPitch};
    to.x = p->dstXInBytes, to.y = p->dstY;
    from.x = p->srcXInBytes, from.y = p->srcY;
    to.pitch = to.pitch ? to.pitch : to.x + p->WidthInBytes;
    from.pitch = from.pitch ? from.pitch : from.x + p->WidthInBytes;
    return copy_driver(function, &to, &from, p->WidthInBytes, p->Height, 1, stream, async);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D *copy) { return copy_param(__func__, copy, NULL, false); }

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *copy, hipStream_t stream) { return copy_param(__func__, copy, stream, true); }

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *copy) { return copy_param(__func__, copy, NULL, false); }

static hipError_t copy_driver_volume(const char *function, const HIP_MEMCPY3D *p, hipStream_t stream, bool async) {
    if (!p || p->srcLOD || p->dstLOD)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters, or a level that is not 0");
    struct driver_side to = {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, p->dstHeight, .x = p->dstXInBytes};
    struct driver_side from = {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, p->srcHeight, .x = p->srcXInBytes};
    to.y = p->dstY, to.z = p->dstZ;
    from.y = p->srcY, from.z = p->srcZ;
    return copy_driver(function, &to, &from, p->WidthInBytes, p->Height, p->Depth, stream, async);
}

hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *copy) { return copy_driver_volume(__func__, copy, NULL, false); }

hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *copy, hipStream_t stream) { return copy_driver_volume(__func__, copy, stream, true); }

/* ---- three dimensions ---------------------------------------------------------------------------- */

static bool volume_side(hipArray_t array, const hipPitchedPtr *pointer, const hipPos *position, struct wl_side *side) {
    size_t element = array ? array->element : 1, slice = 0;
    if (!array == !pointer->ptr || __builtin_mul_overflow(pointer->pitch, pointer->ysize, &slice))
        return false;
    *side = (struct wl_side){array, pointer->ptr, pointer->pitch, slice, position->x * element, position->y, position->z, false};
    return true;
}

/* An array's rows are looked at with the rest of it. */
static bool fits_row(const struct wl_side *side, size_t width) {
    return side->array || (side->x <= side->pitch && width <= side->pitch - side->x);
}

hipError_t wl_api_copy_volume(const char *function, const struct hipMemcpy3DParms *p, hipStream_t stream, bool async) {
    struct wl_side target, source;
    if (!p)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if ((p->srcArray && !wl_api_is_array(p->srcArray)) || (p->dstArray && !wl_api_is_array(p->dstArray)))
        return wl_api_fail(function, hipErrorInvalidHandle, "not an array");
    if (!volume_side(p->dstArray, &p->dstPtr, &p->dstPos, &target) || !volume_side(p->srcArray, &p->srcPtr, &p->srcPos, &source))
        return wl_api_fail(function, hipErrorInvalidValue, "each side is an array or a pointer");
    if (p->srcArray && p->dstArray && p->srcArray->element != p->dstArray->element)
        return wl_api_fail(function, hipErrorInvalidValue, "the arrays' elements have different sizes");
    size_t element = p->srcArray ? p->srcArray->element : p->dstArray ? p->dstArray->element : 1, width = 0;
    if (__builtin_mul_overflow(p->extent.width, element, &width))
        return wl_api_fail(function, hipErrorInvalidValue, "the extent is too wide");
    if (p->dstPtr.pitch < p->dstPtr.xsize || p->srcPtr.pitch < p->srcPtr.xsize)
        return wl_api_fail(function, hipErrorInvalidPitchValue, "a pitch is smaller than the rows of its memory");
    if (p->dstPtr.pitch >= INT32_MAX || p->srcPtr.pitch >= INT32_MAX)
        return wl_api_fail(function, hipErrorInvalidValue, "a pitch of 2 GiB");
    if (!fits_row(&target, width) || !fits_row(&source, width))
        return wl_api_fail(function, hipErrorInvalidValue, "a row of the copy is longer than the pitch");
    if (p->extent.depth > 1 &&
        ((target.memory && p->extent.height > p->dstPtr.ysize) || (source.memory && p->extent.height > p->srcPtr.ysize)))
        return wl_api_fail(function, hipErrorInvalidValue, "the extent is higher than the memory");
    return wl_api_copy_sides(function, &target, &source, width, p->extent.height, p->extent.depth, p->kind, stream, async);
}

hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *copy) { return wl_api_copy_volume(__func__, copy, NULL, false); }

hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *copy, hipStream_t stream) {
    return wl_api_copy_volume(__func__, copy, stream, true);
}
