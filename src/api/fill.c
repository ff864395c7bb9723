/* HIP reference: Memory management, fills. */
#include "api/checked.h"
#include "api/copy.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/work.h"

/* The context whose device has to fill memory that a stream's may not reach: another GPU's, or of the other kind; else NULL. */
static struct wl_context *filler(const struct wl_stream *stream, const struct wl_allocation *target) {
    const unsigned shared = 1u << WL_MEMORY_HOST | 1u << WL_MEMORY_MANAGED | 1u << WL_MEMORY_REGISTERED;
    if (!target->context || target->context == stream->context || shared >> target->kind & 1)
        return NULL;
    if (!target->context->info.discrete && !stream->context->info.discrete)
        return NULL;
    return target->kind == WL_MEMORY_EXTERNAL && !target->owner ? NULL : target->context; /* files are everybody's */
}

/* Whether a call that is named synchronous may return before the fill is done: AMD's do where it begins with an allocation of
 * coarse-grained device memory. */
static bool goes_on(struct wl_stream *stream, const struct wl_fill *fill, const struct wl_allocation *target) {
    bool fine = target->kind == WL_MEMORY_DEVICE && target->flags != hipDeviceMallocDefault && target->flags != hipDeviceMallocContiguous;
    return wl_api_is_devices_own(target) && !fine && !target->sync_copies && target->context == stream->context &&
           target->address == (uint64_t)(uintptr_t)fill->target && (stream->queue || !wl_stream_is_free(stream));
}

hipError_t wl_api_fill(const char *function, const struct wl_fill *fill, hipStream_t handle, bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a stream");
    if (!async && stream == stream->context->null_stream && wl_capture_excludes(WL_CAPTURE_IMPLICIT) != WL_OK)
        return wl_api_status(function, WL_CAPTURE_IMPLICIT);
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    struct wl_allocation target;
    size_t width = 0, bytes = 0;
    if (!fill->width || !fill->rows || !fill->slices)
        return wl_api_success();
    if (!fill->target || __builtin_mul_overflow(fill->width, fill->pattern_size, &width))
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or too large");
    if ((uintptr_t)fill->target % fill->pattern_size)
        return wl_api_fail(function, hipErrorInvalidValue, "the pointer is not aligned to the elements");
    if ((fill->rows > 1 || fill->slices > 1) && fill->pitch < width)
        return wl_api_fail(function, hipErrorInvalidValue, "the pitch is smaller than the width");
    wl_checked_piece(function, &(struct wl_checked_piece){fill->target, width, fill->rows, fill->slices, fill->pitch, fill->slice, true});
    if (!wl_api_reach(width, fill->rows, fill->slices, fill->pitch, fill->slice, &bytes) ||
        wl_memory_check(fill->target, bytes, true, &target) != WL_OK)
        return wl_api_fail(function, hipErrorInvalidValue, "the fill leaves its memory, or may not write it");
    if (!target.size)
        return wl_api_fail(function, hipErrorInvalidValue, "not memory that HIP knows");
    struct wl_fill request = *fill;
    request.via = filler(stream, &target);
    return wl_api_status(function, wl_command_fill(stream, &request, !async && !goes_on(stream, fill, &target)));
}

static hipError_t fill_line(const char *function, void *dst, uint32_t value, unsigned size, size_t count, hipStream_t stream, bool async) {
    struct wl_fill fill = {.target = dst, .pattern = value, .pattern_size = size, .width = count, .rows = 1, .slices = 1};
    return wl_api_fill(function, &fill, stream, async);
}

hipError_t hipMemset(void *dst, int value, size_t size) { return fill_line(__func__, dst, (uint8_t)value, 1, size, NULL, false); }

hipError_t hipMemsetAsync(void *dst, int value, size_t size, hipStream_t stream) {
    return fill_line(__func__, dst, (uint8_t)value, 1, size, stream, true);
}

hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count) {
    return fill_line(__func__, dst, value, 1, count, NULL, false);
}

hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream) {
    return fill_line(__func__, dst, value, 1, count, stream, true);
}

hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count) {
    return fill_line(__func__, dst, value, 2, count, NULL, false);
}

hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream) {
    return fill_line(__func__, dst, value, 2, count, stream, true);
}

hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count) {
    return fill_line(__func__, dst, (uint32_t)value, 4, count, NULL, false);
}

hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream) {
    return fill_line(__func__, dst, (uint32_t)value, 4, count, stream, true);
}

/* Rows with a pitch, be it only one. */
static hipError_t fill_rows(const char *function, const struct wl_fill *fill, hipStream_t stream, bool async) {
    if (fill->width && fill->rows && fill->slices && fill->pitch / fill->pattern_size < fill->width)
        return wl_api_fail(function, hipErrorInvalidValue, "the pitch is smaller than the width");
    return wl_api_fill(function, fill, stream, async);
}

hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
    struct wl_fill fill = {dst, (uint8_t)value, 1, width, height, 1, pitch, 0, NULL};
    return fill_rows(__func__, &fill, NULL, false);
}

hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
    struct wl_fill fill = {dst, (uint8_t)value, 1, width, height, 1, pitch, 0, NULL};
    return fill_rows(__func__, &fill, stream, true);
}

hipError_t wl_api_fill_volume(const char *function, const hipPitchedPtr *pointer, int value, const hipExtent *extent, hipStream_t stream,
                              bool async) {
    size_t slice = pointer->pitch * pointer->ysize;
    struct wl_fill fill = {pointer->ptr, (uint8_t)value, 1, extent->width, extent->height, extent->depth, pointer->pitch, slice, NULL};
    return fill_rows(function, &fill, stream, async);
}

hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
    return wl_api_fill_volume(__func__, &pitchedDevPtr, value, &extent, NULL, false);
}

hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream) {
    return wl_api_fill_volume(__func__, &pitchedDevPtr, value, &extent, stream, true);
}

/* ---- planes of larger elements ------------------------------------------------------------------- */

static hipError_t fill_plane(const char *function, void *dst, size_t pitch, uint32_t value, unsigned size, size_t width, size_t height,
                             hipStream_t stream, bool async) {
    if (pitch % size)
        return wl_api_fail(function, hipErrorInvalidValue, "the pitch is not a multiple of the element's size");
    struct wl_fill fill = {dst, value, size, width, height, 1, pitch, 0, NULL};
    return fill_rows(function, &fill, stream, async);
}

hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t pitch, unsigned char value, size_t width, size_t height) {
    return fill_plane(__func__, dst, pitch, value, 1, width, height, NULL, false);
}

hipError_t hipMemsetD2D8Async(hipDeviceptr_t dst, size_t pitch, unsigned char value, size_t width, size_t height, hipStream_t stream) {
    return fill_plane(__func__, dst, pitch, value, 1, width, height, stream, true);
}

hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width, size_t height) {
    return fill_plane(__func__, dst, pitch, value, 2, width, height, NULL, false);
}

hipError_t hipMemsetD2D16Async(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width, size_t height, hipStream_t stream) {
    return fill_plane(__func__, dst, pitch, value, 2, width, height, stream, true);
}

hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t pitch, unsigned int value, size_t width, size_t height) {
    return fill_plane(__func__, dst, pitch, value, 4, width, height, NULL, false);
}

hipError_t hipMemsetD2D32Async(hipDeviceptr_t dst, size_t pitch, unsigned int value, size_t width, size_t height, hipStream_t stream) {
    return fill_plane(__func__, dst, pitch, value, 4, width, height, stream, true);
}
