/* HIP reference: Stream management. */
#include "runtime/stream.h"
#include "api/api.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/work.h"

#include <stdlib.h>
#include <string.h>

struct wl_stream *wl_api_stream(hipStream_t handle) {
    if (handle == NULL || handle == hipStreamLegacy) {
        struct wl_context *context = wl_context_current();
        return context ? context->null_stream : NULL;
    }
    if (handle == hipStreamPerThread) {
        struct wl_context *context = wl_context_current();
        return context ? wl_stream_per_thread(context) : NULL;
    }
    return wl_handle_is(handle, WL_HANDLE_STREAM) ? (struct wl_stream *)handle : NULL;
}

/* ---- making and destroying ------------------------------------------------------------------- */

static hipError_t create(const char *function, hipStream_t *handle, unsigned flags, int priority) {
    struct wl_context *context = wl_context_current();
    struct wl_stream *stream = NULL;
    if (!handle || (flags & ~hipStreamNonBlocking))
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the handle, or unknown flags");
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    if (wl_context_fault(context) != WL_OK)
        return wl_api_fault(function, wl_context_fault(context));
    int clamped = priority < -1 ? -1 : priority > 1 ? 1 : priority;
    enum wl_status status = wl_stream_create(context, flags & hipStreamNonBlocking ? WL_STREAM_NON_BLOCKING : 0, clamped, &stream);
    if (status != WL_OK)
        return wl_api_status(function, status);
    *handle = (hipStream_t)stream;
    return wl_api_success();
}

hipError_t hipStreamCreate(hipStream_t *stream) { return create(__func__, stream, hipStreamDefault, 0); }

hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) { return create(__func__, stream, flags, 0); }

hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority) {
    return create(__func__, stream, flags, priority);
}

/* Bits of the compute units that the device has, of one word of a mask. */
static uint32_t units_of_word(const struct wl_context *context, uint32_t word) {
    uint32_t units = context->info.compute_units, before = word * 32;
    return units >= before + 32 ? UINT32_MAX : units > before ? (UINT32_C(1) << (units - before)) - 1 : 0;
}

/* Bits of units that the device does not have are ignored; a mask without any other is no mask. */
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize, const uint32_t *cuMask) {
    API_REQUIRE(stream != NULL, hipErrorInvalidHandle);
    API_REQUIRE(cuMaskSize > 0 && cuMask != NULL, hipErrorInvalidValue);
    hipError_t error = create(__func__, stream, hipStreamDefault, 0);
    if (error != hipSuccess)
        return error;
    struct wl_stream *made = (struct wl_stream *)*stream;
    for (uint32_t i = 0; i < cuMaskSize && i < WL_STREAM_MASK_WORDS; i++) {
        made->unit_mask[i] = cuMask[i] & units_of_word(made->context, i);
        made->masked = made->masked || made->unit_mask[i];
    }
    made->worker_mask = made->unit_mask[0] | (uint64_t)made->unit_mask[1] << 32;
    return hipSuccess;
}

hipError_t hipStreamDestroy(hipStream_t stream) {
    API_REQUIRE(stream != NULL && stream != hipStreamLegacy && stream != hipStreamPerThread, hipErrorInvalidHandle);
    API_STREAM(queue, stream);
    API_REQUIRE(queue != queue->context->null_stream && !queue->per_thread, hipErrorInvalidHandle);
    wl_stream_destroy(queue);
    API_SUCCESS();
}

/* ---- waiting --------------------------------------------------------------------------------- */

hipError_t hipStreamSynchronize(hipStream_t stream) {
    API_STREAM(queue, stream);
    API_TRY(wl_capture_may_wait(queue));
    enum wl_status fault = wl_stream_synchronize(queue);
    return fault == WL_OK ? wl_api_success() : wl_api_fault(__func__, fault);
}

hipError_t hipStreamQuery(hipStream_t stream) {
    API_STREAM(queue, stream);
    API_HEALTHY(queue->context);
    API_TRY(wl_capture_may_wait(queue));
    API_RETURN(wl_stream_query(queue));
}

/* ---- questions ------------------------------------------------------------------------------- */

hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags) {
    API_REQUIRE(flags != NULL && stream != NULL, hipErrorInvalidValue); /* AMD's runtime answers for the null stream's other name alone */
    API_STREAM(queue, stream);
    *flags = queue->flags & WL_STREAM_NON_BLOCKING ? hipStreamNonBlocking : hipStreamDefault;
    API_SUCCESS();
}

hipError_t hipStreamGetPriority(hipStream_t stream, int *priority) {
    API_REQUIRE(priority != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    *priority = queue->priority;
    API_SUCCESS();
}

hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device) {
    API_REQUIRE(device != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    *device = (hipDevice_t)queue->context->index;
    API_SUCCESS();
}

hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId) {
    API_REQUIRE(streamId != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    *streamId = queue->id;
    API_SUCCESS();
}

int hipGetStreamDeviceId(hipStream_t stream) {
    const struct wl_stream *queue = wl_api_stream(stream);
    return queue ? (int)queue->context->index : -1;
}

hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask) {
    API_REQUIRE(cuMaskSize > 0 && cuMask != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_REQUIRE(cuMaskSize >= (queue->context->info.compute_units + 31) / 32, hipErrorInvalidValue);
    for (uint32_t i = 0; i < cuMaskSize; i++)
        cuMask[i] = !queue->masked ? units_of_word(queue->context, i) : i < WL_STREAM_MASK_WORDS ? queue->unit_mask[i] : 0;
    API_SUCCESS();
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Hints, kept for the program that asks; the priority is fixed when the stream is made. */
hipError_t hipStreamSetAttribute(hipStream_t stream, hipStreamAttrID attribute, const hipStreamAttrValue *value) {
    API_REQUIRE(value != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    if (attribute == hipLaunchAttributeAccessPolicyWindow) {
        const hipAccessPolicyWindow *window = &value->accessPolicyWindow;
        API_REQUIRE(window->hitRatio >= 0 && window->hitRatio <= 1 && window->missProp != hipAccessPropertyPersisting,
                    hipErrorInvalidValue);
        queue->window = (struct wl_stream_window){window->base_ptr, window->num_bytes, window->hitRatio, (unsigned)window->hitProp,
                                                  (unsigned)window->missProp};
    } else if (attribute == hipLaunchAttributeSynchronizationPolicy) {
        API_REQUIRE(value->syncPolicy >= hipSyncPolicyAuto && value->syncPolicy <= hipSyncPolicyBlockingSync, hipErrorInvalidValue);
        queue->waiting = (unsigned)value->syncPolicy;
    } else {
        API_REQUIRE(!"an attribute of streams that can be set", hipErrorInvalidValue);
    }
    API_SUCCESS();
}

hipError_t hipStreamGetAttribute(hipStream_t stream, hipStreamAttrID attribute, hipStreamAttrValue *value) {
    API_REQUIRE(value != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    switch (attribute) {
    case hipLaunchAttributeAccessPolicyWindow:
        value->accessPolicyWindow = (hipAccessPolicyWindow){queue->window.base, (hipAccessProperty)queue->window.hit, queue->window.ratio,
                                                            (hipAccessProperty)queue->window.miss, queue->window.size};
        API_SUCCESS();
    case hipLaunchAttributeSynchronizationPolicy:
        value->syncPolicy = queue->waiting ? (hipSynchronizationPolicy)queue->waiting : hipSyncPolicyAuto;
        API_SUCCESS();
    case hipLaunchAttributePriority:
        value->priority = queue->priority;
        API_SUCCESS();
    default:
        API_REQUIRE(!"an attribute of streams", hipErrorInvalidValue);
    }
    API_SUCCESS();
}

hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src) {
    API_STREAM(target, dst);
    API_STREAM(source, src);
    target->window = source->window;
    target->waiting = source->waiting;
    API_SUCCESS();
}

/* ---- host functions -------------------------------------------------------------------------- */

struct callback {
    hipStream_t stream;
    hipStreamCallback_t function;
    hipHostFn_t plain;
    void *argument;
};

static void call_back(void *argument, enum wl_status fault) {
    struct callback *callback = argument;
    if (callback->function)
        callback->function(callback->stream, wl_api_error_of(fault), callback->argument);
    else if (fault == WL_OK)
        callback->plain(callback->argument);
    free(callback);
}

static enum wl_status queue_callback(struct wl_stream *queue, const struct callback *model) {
    struct callback *callback = malloc(sizeof *callback);
    if (!callback)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a callback");
    *callback = *model;
    enum wl_status status = wl_command_host(queue, call_back, callback, true);
    if (status != WL_OK)
        free(callback);
    return status;
}

hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData, unsigned int flags) {
    API_REQUIRE(callback != NULL && flags == 0, hipErrorInvalidValue);
    API_STREAM(queue, stream); /* which may capture: callbacks of streams are not captured */
    API_RETURN(queue_callback(queue, &(struct callback){.stream = stream, .function = callback, .argument = userData}));
}

hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData) {
    API_REQUIRE(fn != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_HEALTHY(queue->context);
    if (wl_capture_active(queue))
        API_RETURN(wl_capture_host(queue, fn, userData));
    API_RETURN(queue_callback(queue, &(struct callback){.stream = stream, .plain = fn, .argument = userData}));
}
