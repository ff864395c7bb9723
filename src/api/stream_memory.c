/* HIP reference: Stream memory operations. */
#include "api/api.h"
#include "api/checked.h"
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/work.h"

static bool is_known(const void *ptr, unsigned size) {
    struct wl_allocation allocation;
    return ptr && (uintptr_t)ptr % size == 0 && wl_memory_find(ptr, &allocation) && !wl_memory_overruns(ptr, size);
}

static hipError_t queue(const char *function, hipStream_t handle, const struct wl_stream_value *values, unsigned count) {
    struct wl_stream *stream = wl_api_stream(handle);
    if (!stream)
        return wl_api_fail(function, hipErrorContextIsDestroyed, "not a stream");
    if (wl_context_fault(stream->context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(stream->context));
    for (unsigned i = 0; i < count; i++)
        if (values[i].operation != WL_VALUE_BARRIER && !is_known(values[i].address, values[i].size))
            return wl_api_fail(function, hipErrorInvalidValue, "the address is not aligned, or not memory that HIP knows");
    wl_checked_call(function);
    return wl_api_status(function, wl_value_enqueue(stream, values, count));
}

static bool find_condition(unsigned flags, enum wl_value_operation *operation) {
    static const enum wl_value_operation conditions[] = {[hipStreamWaitValueGte] = WL_VALUE_GEQ,
                                                         [hipStreamWaitValueEq] = WL_VALUE_EQ,
                                                         [hipStreamWaitValueAnd] = WL_VALUE_AND,
                                                         [hipStreamWaitValueNor] = WL_VALUE_NOR};
    if (flags > hipStreamWaitValueNor)
        return false;
    *operation = conditions[flags];
    return true;
}

static hipError_t wait_value(const char *function, hipStream_t stream, void *ptr, unsigned size, uint64_t value, unsigned flags,
                             uint64_t mask) {
    struct wl_stream_value operation = {.size = size, .address = ptr, .value = value, .mask = mask};
    if (!ptr || !find_condition(flags, &operation.operation))
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or not a condition");
    return queue(function, stream, &operation, 1);
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags, uint32_t mask) {
    return wait_value(__func__, stream, ptr, 4, value, flags, mask);
}

hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags, uint64_t mask) {
    return wait_value(__func__, stream, ptr, 8, value, flags, mask);
}

static hipError_t write_value(const char *function, hipStream_t stream, void *ptr, unsigned size, uint64_t value) {
    struct wl_stream_value operation = {.operation = WL_VALUE_WRITE, .size = size, .address = ptr, .value = value};
    if (!ptr)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer");
    return queue(function, stream, &operation, 1);
}

hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags) {
    (void)flags; /* reserved */
    return write_value(__func__, stream, ptr, 4, value);
}

hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags) {
    (void)flags;
    return write_value(__func__, stream, ptr, 8, value);
}

bool wl_api_values(const hipStreamBatchMemOpParams *params, unsigned count, struct wl_stream_value *values) {
    for (unsigned i = 0; i < count; i++) {
        const hipStreamBatchMemOpParams *from = &params[i];
        unsigned size = from->operation == hipStreamMemOpWaitValue64 || from->operation == hipStreamMemOpWriteValue64 ? 8 : 4;
        values[i] = (struct wl_stream_value){.size = size, .mask = UINT64_MAX};
        switch (from->operation) {
        case hipStreamMemOpWaitValue32:
        case hipStreamMemOpWaitValue64:
            values[i].address = from->waitValue.address;
            values[i].value = size == 8 ? from->waitValue.value64 : from->waitValue.value;
            if (!find_condition(from->waitValue.flags, &values[i].operation))
                return false;
            break;
        case hipStreamMemOpWriteValue32:
        case hipStreamMemOpWriteValue64:
            values[i].operation = WL_VALUE_WRITE;
            values[i].address = from->writeValue.address;
            values[i].value = size == 8 ? from->writeValue.value64 : from->writeValue.value;
            break;
        case hipStreamMemOpBarrier:
        case hipStreamMemOpFlushRemoteWrites:
            values[i].operation = WL_VALUE_BARRIER;
            break;
        default:
            return false;
        }
    }
    return true;
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams *paramArray, unsigned int flags) {
    struct wl_stream_value values[WL_API_BATCH];
    API_REQUIRE(paramArray != NULL && count > 0 && count <= WL_API_BATCH && flags == 0, hipErrorInvalidValue);
    API_REQUIRE(wl_api_values(paramArray, count, values), hipErrorInvalidValue);
    return queue(__func__, stream, values, count);
}
