/* HIP reference: Memory management, copies to, from and between arrays; batches of copies. */
#include "api/copy.h"
#include "runtime/work.h"

/* ---- rectangles -------------------------------------------------------------------------------- */

/* What AMD's runtime looks at first of the memory, then of the array. */
static hipError_t check_plane(const char *function, const struct wl_side *memory, hipArray_const_t array, size_t width,
                              hipMemcpyKind kind) {
    if (!wl_api_is_kind(kind))
        return wl_api_fail(function, hipErrorInvalidMemcpyDirection, "not a copy kind");
    if (!memory->memory)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if (memory->pitch == 0 || memory->pitch < width)
        return wl_api_fail(function, hipErrorInvalidPitchValue, "the pitch is smaller than the width");
    if (!array)
        return wl_api_fail(function, hipErrorInvalidHandle, "a NULL array");
    return hipSuccess;
}

static hipError_t plane_to_array(const char *function, hipArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                 size_t height, hipMemcpyKind kind, hipStream_t stream, bool async) {
    struct wl_side target = {.array = dst, .x = x, .y = y}, source = {.memory = (void *)(uintptr_t)src, .pitch = pitch};
    hipError_t error = check_plane(function, &source, dst, width, kind);
    return error ? error : wl_api_copy_sides(function, &target, &source, width, height, 1, kind, stream, async);
}

static hipError_t plane_from_array(const char *function, void *dst, size_t pitch, hipArray_const_t src, size_t x, size_t y, size_t width,
                                   size_t height, hipMemcpyKind kind, hipStream_t stream, bool async) {
    struct wl_side target = {.memory = dst, .pitch = pitch}, source = {.array = (hipArray_t)(uintptr_t)src, .x = x, .y = y};
    hipError_t error = check_plane(function, &target, src, width, kind);
    return error ? error : wl_api_copy_sides(function, &target, &source, width, height, 1, kind, stream, async);
}

hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height,
                              hipMemcpyKind kind) {
    return plane_to_array(__func__, dst, wOffset, hOffset, src, spitch, width, height, kind, NULL, false);
}

hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                                   size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return plane_to_array(__func__, dst, wOffset, hOffset, src, spitch, width, height, kind, stream, true);
}

hipError_t hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
                                hipMemcpyKind kind) {
    return plane_from_array(__func__, dst, dpitch, src, wOffset, hOffset, width, height, kind, NULL, false);
}

hipError_t hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                                     size_t height, hipMemcpyKind kind, hipStream_t stream) {
    return plane_from_array(__func__, dst, dpitch, src, wOffset, hOffset, width, height, kind, stream, true);
}

hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst, hipArray_const_t src, size_t wOffsetSrc,
                                   size_t hOffsetSrc, size_t width, size_t height, hipMemcpyKind kind) {
    API_REQUIRE(wl_api_is_kind(kind), hipErrorInvalidMemcpyDirection);
    API_REQUIRE(dst != NULL && src != NULL, hipErrorInvalidHandle);
    struct wl_side target = {.array = dst, .x = wOffsetDst, .y = hOffsetDst};
    struct wl_side source = {.array = (hipArray_t)(uintptr_t)src, .x = wOffsetSrc, .y = hOffsetSrc};
    return wl_api_copy_sides(__func__, &target, &source, width, height, 1, kind, NULL, false);
}

/* ---- bytes in order of rows ---------------------------------------------------------------------- */

/* One end of a copy of bytes that go on in the next row: an array from byte `at` of its rows on, or memory. */
struct run {
    hipArray_t array;
    char *memory;
    size_t at;
};

/* Bytes to the end of the row. */
static size_t rest_of_row(const struct run *run) {
    size_t row = run->array ? wl_array_row_bytes(run->array) : SIZE_MAX;
    return run->array ? row - run->at % row : row;
}

static bool holds(const struct run *run, size_t count) {
    if (!run->array)
        return true;
    size_t all = wl_array_row_bytes(run->array) * wl_array_rows(run->array) * wl_array_slices(run->array);
    return run->at <= all && count <= all - run->at;
}

static struct wl_side side_of(const struct run *run, size_t width) {
    if (!run->array)
        return (struct wl_side){.memory = run->memory + run->at, .pitch = width};
    size_t row = wl_array_row_bytes(run->array), rows = wl_array_rows(run->array), line = run->at / row;
    return (struct wl_side){.array = run->array, .x = run->at % row, .y = line % rows, .z = line / rows};
}

static hipError_t copy_run(const char *function, struct run target, struct run source, size_t count, hipMemcpyKind kind, hipStream_t stream,
                           bool async) {
    if ((!target.array && !target.memory) || (!source.array && !source.memory))
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    if ((target.array && !wl_api_is_array(target.array)) || (source.array && !wl_api_is_array(source.array)))
        return wl_api_fail(function, hipErrorInvalidHandle, "not an array");
    if (!holds(&target, count) || !holds(&source, count))
        return wl_api_fail(function, hipErrorInvalidValue, "the copy is not within the array");
    const struct wl_side nothing = {0};
    hipError_t error = count ? hipSuccess : wl_api_copy_sides(function, &nothing, &nothing, 0, 0, 0, kind, stream, async);
    while (count && error == hipSuccess) { /* row by row, since the rows of arrays do not touch */
        size_t to = rest_of_row(&target), from = rest_of_row(&source), width = to < from ? to : from;
        width = width < count ? width : count;
        struct wl_side to_side = side_of(&target, width), from_side = side_of(&source, width);
        error = wl_api_copy_sides(function, &to_side, &from_side, width, 1, 1, kind, stream, async);
        target.at += width;
        source.at += width;
        count -= width;
    }
    return error;
}

/* Bytes of an array's first row, all in that row. */
static hipError_t copy_row(const char *function, struct run target, struct run source, size_t count, hipMemcpyKind kind, hipStream_t stream,
                           bool async) {
    if ((!target.array && !target.memory) || (!source.array && !source.memory) || count == 0)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or nothing to copy");
    struct wl_side to = {.array = target.array, .memory = target.memory, .x = target.at, .pitch = count};
    struct wl_side from = {.array = source.array, .memory = source.memory, .x = source.at, .pitch = count};
    return wl_api_copy_sides(function, &to, &from, count, 1, 1, kind, stream, async);
}

static struct run in_memory(const void *memory) { return (struct run){.memory = (char *)(uintptr_t)memory}; }

static struct run in_array(hipArray_const_t array, size_t at) { return (struct run){.array = (hipArray_t)(uintptr_t)array, .at = at}; }

/* From row `y` on; the array may be anything yet. */
static struct run in_rows(hipArray_const_t array, size_t x, size_t y) {
    return in_array(array, x + (wl_api_is_array(array) ? y * wl_array_row_bytes(array) : 0));
}

hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, hipMemcpyKind kind) {
    API_REQUIRE(dst != NULL && src != NULL, hipErrorInvalidValue);
    return copy_run(__func__, in_rows(dst, wOffset, hOffset), in_memory(src), count, kind, NULL, false);
}

hipError_t hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset, size_t count, hipMemcpyKind kind) {
    API_REQUIRE(dst != NULL && srcArray != NULL, hipErrorInvalidValue);
    return copy_run(__func__, in_memory(dst), in_rows(srcArray, wOffset, hOffset), count, kind, NULL, false);
}

hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count) {
    return copy_row(__func__, in_memory(dst), in_array(srcArray, srcOffset), count, hipMemcpyDeviceToHost, NULL, false);
}

hipError_t hipMemcpyAtoHAsync(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count, hipStream_t stream) {
    return copy_row(__func__, in_memory(dst), in_array(srcArray, srcOffset), count, hipMemcpyDeviceToHost, stream, true);
}

hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *src, size_t count) {
    return copy_row(__func__, in_array(dstArray, dstOffset), in_memory(src), count, hipMemcpyHostToDevice, NULL, false);
}

hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *src, size_t count, hipStream_t stream) {
    return copy_row(__func__, in_array(dstArray, dstOffset), in_memory(src), count, hipMemcpyHostToDevice, stream, true);
}

hipError_t hipMemcpyAtoD(hipDeviceptr_t dst, hipArray_t srcArray, size_t srcOffset, size_t count) {
    return copy_row(__func__, in_memory(dst), in_array(srcArray, srcOffset), count, hipMemcpyDeviceToDevice, NULL, false);
}

hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t src, size_t count) {
    return copy_row(__func__, in_array(dstArray, dstOffset), in_memory(src), count, hipMemcpyDeviceToDevice, NULL, false);
}

hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray, size_t srcOffset, size_t count) {
    return copy_row(__func__, in_array(dstArray, dstOffset), in_array(srcArray, srcOffset), count, hipMemcpyDeviceToDevice, NULL, false);
}

/* ---- batches ------------------------------------------------------------------------------------ */

static bool is_order(hipMemcpySrcAccessOrder order) {
    return order >= hipMemcpySrcAccessOrderStream && order <= hipMemcpySrcAccessOrderAny;
}

/* The attributes of copy `i`: those whose first index is the last one at or below it. */
static const hipMemcpyAttributes *attributes_of(const hipMemcpyAttributes *attrs, const size_t *firsts, size_t count, size_t i) {
    size_t k = 0;
    while (k + 1 < count && firsts[k + 1] <= i)
        k++;
    return &attrs[k];
}

static bool are_attributes(const hipMemcpyAttributes *attrs, const size_t *firsts, size_t count, size_t copies) {
    if (!attrs || !firsts || count == 0 || count > copies || firsts[0] != 0)
        return false;
    for (size_t k = 0; k < count; k++)
        if (!is_order(attrs[k].srcAccessOrder) || (attrs[k].flags & ~(unsigned)hipMemcpyFlagPreferOverlapWithCompute) ||
            firsts[k] >= copies || (k > 0 && firsts[k] <= firsts[k - 1]))
            return false;
    return true;
}

hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count, hipMemcpyAttributes *attrs, size_t *attrsIdxs,
                               size_t numAttrs, size_t *failIdx, hipStream_t stream) {
    if (failIdx)
        *failIdx = SIZE_MAX;
    API_REQUIRE(dsts != NULL && srcs != NULL && sizes != NULL && count > 0, hipErrorInvalidValue);
    API_REQUIRE(are_attributes(attrs, attrsIdxs, numAttrs, count), hipErrorInvalidValue);
    API_STREAM(queue, stream);
    for (size_t i = 0; i < count; i++) {
        bool now = attributes_of(attrs, attrsIdxs, numAttrs, i)->srcAccessOrder == hipMemcpySrcAccessOrderDuringApiCall;
        struct wl_copy copy = {.target = dsts[i],
                               .source = srcs[i],
                               .width = sizes[i],
                               .rows = 1,
                               .slices = 1,
                               .target_pitch = sizes[i],
                               .source_pitch = sizes[i]};
        hipError_t error = wl_api_copy(__func__, &copy, hipMemcpyDefault, queue, !now);
        if (error != hipSuccess) {
            if (failIdx)
                *failIdx = i;
            return error;
        }
    }
    API_SUCCESS();
}

/* One operand of a 3D copy as its parameters. */
static bool operand(const hipMemcpy3DOperand *operand, const hipExtent *extent, size_t element, hipArray_t *array, hipPos *position,
                    hipPitchedPtr *pointer) {
    if (operand->type == hipMemcpyOperandTypeArray) {
        *array = operand->op.array.array;
        *position = (hipPos){operand->op.array.offset.x, operand->op.array.offset.y, operand->op.array.offset.z};
        return true;
    }
    size_t row = operand->op.ptr.rowLength ? operand->op.ptr.rowLength : extent->width;
    size_t rows = operand->op.ptr.layerHeight ? operand->op.ptr.layerHeight : extent->height;
    *pointer = (hipPitchedPtr){operand->op.ptr.ptr, row * element, row * element, rows};
    return operand->type == hipMemcpyOperandTypePointer;
}

static size_t operand_element(const hipMemcpy3DOperand *operand) {
    bool is_array = operand->type == hipMemcpyOperandTypeArray && wl_api_is_array(operand->op.array.array);
    return is_array ? operand->op.array.array->element : 0;
}

static hipError_t copy_operation(const char *function, const hipMemcpy3DBatchOp *op, hipStream_t stream) {
    struct hipMemcpy3DParms p = {.extent = op->extent, .kind = hipMemcpyDefault};
    size_t element = operand_element(&op->src);
    element = element ? element : operand_element(&op->dst);
    element = element ? element : 1;
    if (!is_order(op->srcAccessOrder) || !operand(&op->src, &op->extent, element, &p.srcArray, &p.srcPos, &p.srcPtr) ||
        !operand(&op->dst, &op->extent, element, &p.dstArray, &p.dstPos, &p.dstPtr))
        return wl_api_fail(function, hipErrorInvalidValue, "not an operation");
    return wl_api_copy_volume(function, &p, stream, op->srcAccessOrder != hipMemcpySrcAccessOrderDuringApiCall);
}

hipError_t hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx, unsigned long long flags,
                                 hipStream_t stream) {
    if (failIdx)
        *failIdx = SIZE_MAX;
    API_REQUIRE(numOps > 0 && opList != NULL && flags == 0, hipErrorInvalidValue);
    for (size_t i = 0; i < numOps; i++) {
        hipError_t error = copy_operation(__func__, &opList[i], stream);
        if (error != hipSuccess) {
            if (failIdx)
                *failIdx = i;
            return error;
        }
    }
    API_SUCCESS();
}
