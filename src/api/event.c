/* HIP reference: Event management. */
#include "runtime/event.h"
#include "api/api.h"
#include "runtime/capture.h"
#include "runtime/stream.h"

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | hipEventDisableSystemFence |
                           hipEventReleaseToDevice | hipEventReleaseToSystem;
    const unsigned releases = flags & (hipEventReleaseToDevice | hipEventReleaseToSystem | hipEventDisableSystemFence);
    API_REQUIRE(event != NULL && !(flags & ~known) && (releases & (releases - 1)) == 0, hipErrorInvalidValue); /* one kind of release */
    API_REQUIRE(!(flags & hipEventInterprocess) || (flags & hipEventDisableTiming), hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    unsigned made = (flags & hipEventDisableTiming ? WL_EVENT_NO_TIMING : 0) | (flags & hipEventInterprocess ? WL_EVENT_INTERPROCESS : 0);
    API_RETURN(wl_event_create(context, made, (struct wl_event **)event));
}

hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, hipEventDefault); }

/* An event is recorded on its own device alone; a capture records nothing yet. */
static bool may_record(const struct wl_event *event, struct wl_stream *stream) {
    return !wl_event_owner(event) || wl_event_owner(event) == stream->context || wl_capture_active(stream);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    API_EVENT(mark, event);
    API_STREAM(queue, stream);
    API_REQUIRE(may_record(mark, queue), hipErrorInvalidHandle);
    API_HEALTHY(queue->context);
    API_RETURN(wl_event_record(mark, queue));
}

/* An external record, or wait, in a capture is a node of the graph. */
static hipError_t external(const char *function, struct wl_stream *stream, enum wl_node_kind kind, struct wl_event *event) {
    struct wl_work work = {.kind = kind};
    work.event = event;
    return wl_api_status(function, wl_capture_add(stream, &work, NULL));
}

hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
    API_REQUIRE(!(flags & ~hipEventRecordExternal), hipErrorInvalidValue);
    API_EVENT(mark, event);
    API_STREAM(queue, stream);
    API_REQUIRE(may_record(mark, queue), hipErrorInvalidHandle);
    API_HEALTHY(queue->context);
    if (flags == hipEventRecordExternal && wl_capture_active(queue))
        return external(__func__, queue, WL_NODE_EVENT_RECORD, mark);
    API_RETURN(wl_event_record(mark, queue));
}

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
    API_REQUIRE(event != NULL, hipErrorInvalidHandle);
    API_STREAM_OR(queue, stream, hipErrorInvalidHandle);
    API_REQUIRE(flags == 0 || (flags == hipEventWaitExternal && wl_capture_active(queue)), hipErrorInvalidValue);
    API_EVENT(mark, event);
    if (flags == hipEventWaitExternal)
        return external(__func__, queue, WL_NODE_EVENT_WAIT, mark);
    API_TRY(wl_event_may_wait(mark));
    enum wl_status status = wl_event_wait(mark, queue);
    API_REQUIRE(status != WL_CAPTURE_IMPLICIT, hipErrorInvalidHandle);
    API_RETURN(status);
}

hipError_t hipEventDestroy(hipEvent_t event) {
    API_EVENT(mark, event);
    wl_event_destroy(mark);
    API_SUCCESS();
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    API_EVENT(mark, event);
    API_TRY(wl_event_may_synchronize(mark));
    enum wl_status fault = wl_event_synchronize(mark);
    return fault == WL_OK ? wl_api_success() : wl_api_fault(__func__, fault);
}

hipError_t hipEventQuery(hipEvent_t event) {
    API_EVENT(mark, event);
    API_RETURN(wl_event_query(mark));
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop) {
    API_REQUIRE(ms != NULL, hipErrorInvalidValue);
    API_EVENT(first, start);
    API_EVENT(second, stop);
    API_REQUIRE(wl_event_owner(first) == wl_event_owner(second), hipErrorInvalidHandle);
    double elapsed = 0;
    enum wl_status status = wl_event_elapsed(first, second, &elapsed);
    API_REQUIRE(status != WL_INVALID_VALUE, hipErrorInvalidHandle);
    API_TRY(status);
    *ms = (float)elapsed;
    API_SUCCESS();
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event) {
    API_REQUIRE(handle != NULL && event != NULL, hipErrorInvalidValue);
    API_EVENT(mark, event);
    enum wl_status status = wl_event_export(mark, handle, sizeof *handle);
    API_REQUIRE(status != WL_INVALID_VALUE, hipErrorInvalidConfiguration);
    API_RETURN(status);
}

hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle) {
    API_REQUIRE(event != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    enum wl_status status = wl_event_import(context, &handle, (struct wl_event **)event);
    API_REQUIRE(status != WL_ILLEGAL_STATE, hipErrorInvalidContext);
    API_RETURN(status);
}
