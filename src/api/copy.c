/* HIP reference: Memory management, copies and fills. */
#include "api/api.h"
#include "runtime/capture.h"

#define STAGE_LIMIT (64u << 10) /* pageable sources up to this size are copied aside; larger ones are copied at once */

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_kind(hipMemcpyKind kind) { return (unsigned)kind <= hipMemcpyDefault || kind == hipMemcpyDeviceToDeviceNoCU; }

/* Bytes from the first to the last one that a side of the copy touches. */
static size_t reach(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice) {
    return (slices - 1) * slice + (rows - 1) * pitch + width;
}

static bool is_pageable(const void *ptr) {
    struct wl_allocation allocation;
    return !wl_memory_find(ptr, &allocation);
}

hipError_t wl_api_copy(const char *function, const struct wl_copy *copy, hipMemcpyKind kind, struct wl_stream *stream, bool async) {
    if (!is_kind(kind))
        return wl_api_fail(function, hipErrorInvalidMemcpyDirection, "not a copy kind");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    if (!copy->width || !copy->rows || !copy->slices)
        return wl_api_success();
    if (!copy->target || !copy->source)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if ((copy->rows > 1 || copy->slices > 1) && (copy->target_pitch < copy->width || copy->source_pitch < copy->width))
        return wl_api_fail(function, hipErrorInvalidPitchValue, "a pitch is smaller than the width");
    if (wl_memory_overruns(copy->target, reach(copy->width, copy->rows, copy->slices, copy->target_pitch, copy->target_slice)) ||
        wl_memory_overruns(copy->source, reach(copy->width, copy->rows, copy->slices, copy->source_pitch, copy->source_slice)))
        return wl_api_fail(function, hipErrorInvalidValue, "the copy runs over the end of an allocation");
    struct wl_copy request = *copy;
    bool captured = async && wl_capture_active(stream); /* the graph reads and writes host memory when it is launched */
    bool wait = !async || (!captured && is_pageable(copy->target));
    if (!wait && !captured && is_pageable(copy->source)) {
        request.stage = copy->width * copy->rows * copy->slices <= STAGE_LIMIT;
        wait = !request.stage;
    }
    return wl_api_status(function, wl_command_copy(stream, &request, wait));
}

static hipError_t copy_line(const char *function, void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t handle,
                            bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorInvalidHandle, "not a stream");
    struct wl_copy copy = {.target = dst, .source = src, .width = size, .rows = 1, .slices = 1, .target_pitch = size, .source_pitch = size};
    return wl_api_copy(function, &copy, kind, stream, async);
}

hipError_t hipMemcpy(void *dst, const void *src, size_t size, hipMemcpyKind kind) {
    return copy_line(__func__, dst, src, size, kind, NULL, false);
}

hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    return copy_line(__func__, dst, src, size, kind, stream, false);
}

hipError_t hipMemcpyAsync(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream) {
    return copy_line(__func__, dst, src, size, kind, stream, true);
}

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

static bool is_device(int device) { return device >= 0 && (unsigned)device < wl_context_count(); }

hipError_t hipMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t size) {
    API_REQUIRE(is_device(dstDevice) && is_device(srcDevice), hipErrorInvalidDevice);
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToDevice, NULL, false);
}

hipError_t hipMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t size, hipStream_t stream) {
    API_REQUIRE(is_device(dstDevice) && is_device(srcDevice), hipErrorInvalidDevice);
    return copy_line(__func__, dst, src, size, hipMemcpyDeviceToDevice, stream, true);
}

/* ---- two and three dimensions ---------------------------------------------------------------- */

static hipError_t copy_plane(const char *function, void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                             hipMemcpyKind kind, hipStream_t handle, bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorInvalidHandle, "not a stream");
    if (width && height && (dpitch < width || spitch < width))
        return wl_api_fail(function, hipErrorInvalidPitchValue, "a pitch is smaller than the width");
    struct wl_copy copy = {
        .target = dst, .source = src, .width = width, .rows = height, .slices = 1, .target_pitch = dpitch, .source_pitch = spitch};
    return wl_api_copy(function, &copy, kind, stream, async);
}

hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind) {
    return copy_plane(__func__, dst, dpitch, src, spitch, width, height, kind, NULL, false);
}

hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                            hipStream_t stream) {
    return copy_plane(__func__, dst, dpitch, src, spitch, width, height, kind, stream, true);
}

/* In programs of HIP 5 the memory types have other numbers (host 0, device 1), so the pointers decide. */
static hipError_t copy_param(const char *function, const hip_Memcpy2D *param, hipStream_t stream, bool async) {
    if (!param)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if (param->srcArray || param->dstArray)
        return wl_api_fail(function, hipErrorNotSupported, "copies of arrays are not implemented");
    const char *source = param->srcHost ? param->srcHost : param->srcDevice;
    char *target = param->dstHost ? param->dstHost : param->dstDevice;
    if (!source || !target)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    size_t spitch = param->srcPitch ? param->srcPitch : param->srcXInBytes + param->WidthInBytes;
    size_t dpitch = param->dstPitch ? param->dstPitch : param->dstXInBytes + param->WidthInBytes;
    return copy_plane(function, target + param->dstY * dpitch + param->dstXInBytes, dpitch,
                      source + param->srcY * spitch + param->srcXInBytes, spitch, param->WidthInBytes, param->Height, hipMemcpyDefault,
                      stream, async);
}

hipError_t hipMemcpyParam2D(const hip_Memcpy2D *copy) { return copy_param(__func__, copy, NULL, false); }

hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *copy, hipStream_t stream) { return copy_param(__func__, copy, stream, true); }

hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *copy) { return copy_param(__func__, copy, NULL, false); }

static char *position(const struct hipPitchedPtr *pointer, const struct hipPos *pos) {
    return (char *)pointer->ptr + (pos->z * pointer->ysize + pos->y) * pointer->pitch + pos->x;
}

static hipError_t copy_volume(const char *function, const struct hipMemcpy3DParms *param, hipStream_t handle, bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorInvalidHandle, "not a stream");
    if (!param)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if (param->srcArray || param->dstArray)
        return wl_api_fail(function, hipErrorNotSupported, "copies of arrays are not implemented");
    if (!param->srcPtr.ptr || !param->dstPtr.ptr)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    const struct hipExtent *extent = &param->extent;
    if (extent->depth > 1 && (extent->height > param->srcPtr.ysize || extent->height > param->dstPtr.ysize))
        return wl_api_fail(function, hipErrorInvalidValue, "the extent is higher than the memory");
    struct wl_copy copy = {.target = position(&param->dstPtr, &param->dstPos),
                           .source = position(&param->srcPtr, &param->srcPos),
                           .width = extent->width,
                           .rows = extent->height,
                           .slices = extent->depth,
                           .target_pitch = param->dstPtr.pitch,
                           .source_pitch = param->srcPtr.pitch,
                           .target_slice = param->dstPtr.pitch * param->dstPtr.ysize,
                           .source_slice = param->srcPtr.pitch * param->srcPtr.ysize};
    return wl_api_copy(function, &copy, param->kind, stream, async);
}

hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *copy) { return copy_volume(__func__, copy, NULL, false); }

hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *copy, hipStream_t stream) { return copy_volume(__func__, copy, stream, true); }

/* ---- fills ----------------------------------------------------------------------------------- */

static hipError_t fill_memory(const char *function, const struct wl_fill *fill, hipStream_t handle, bool async) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorInvalidHandle, "not a stream");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    size_t width = 0;
    if (!fill->width || !fill->rows || !fill->slices)
        return wl_api_success();
    if (!fill->target || __builtin_mul_overflow(fill->width, fill->pattern_size, &width))
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or too large");
    if ((uintptr_t)fill->target % fill->pattern_size)
        return wl_api_fail(function, hipErrorInvalidValue, "the pointer is not aligned to the elements");
    if (fill->rows > 1 && fill->pitch < width)
        return wl_api_fail(function, hipErrorInvalidPitchValue, "the pitch is smaller than the width");
    if (wl_memory_overruns(fill->target, reach(width, fill->rows, fill->slices, fill->pitch, fill->slice)))
        return wl_api_fail(function, hipErrorInvalidValue, "the fill runs over the end of an allocation");
    return wl_api_status(function, wl_command_fill(stream, fill, !async));
}

static hipError_t fill_line(const char *function, void *dst, uint32_t value, unsigned size, size_t count, hipStream_t stream, bool async) {
    struct wl_fill fill = {.target = dst, .pattern = value, .pattern_size = size, .width = count, .rows = 1, .slices = 1};
    return fill_memory(function, &fill, stream, async);
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

hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
    struct wl_fill fill = {dst, (uint8_t)value, 1, width, height, 1, pitch, 0};
    return fill_memory(__func__, &fill, NULL, false);
}

hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream) {
    struct wl_fill fill = {dst, (uint8_t)value, 1, width, height, 1, pitch, 0};
    return fill_memory(__func__, &fill, stream, true);
}

static struct wl_fill volume(const hipPitchedPtr *pointer, int value, const hipExtent *extent) {
    return (struct wl_fill){
        pointer->ptr, (uint8_t)value, 1, extent->width, extent->height, extent->depth, pointer->pitch, pointer->pitch * pointer->ysize};
}

hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent) {
    struct wl_fill fill = volume(&pitchedDevPtr, value, &extent);
    return fill_memory(__func__, &fill, NULL, false);
}

hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream) {
    struct wl_fill fill = volume(&pitchedDevPtr, value, &extent);
    return fill_memory(__func__, &fill, stream, true);
}
