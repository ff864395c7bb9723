/* HIP reference: Event management. */
#include "api/api.h"

hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags) {
    const unsigned known = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess | hipEventDisableSystemFence |
                           hipEventReleaseToDevice | hipEventReleaseToSystem;
    const unsigned releases = hipEventReleaseToDevice | hipEventReleaseToSystem;
    API_REQUIRE(event != NULL && !(flags & ~known) && (flags & releases) != releases, hipErrorInvalidValue);
    API_REQUIRE(!(flags & hipEventInterprocess), hipErrorNotSupported);
    API_CONTEXT(context);
    API_HEALTHY(context);
    API_RETURN(wl_event_create(flags & hipEventDisableTiming ? WL_EVENT_NO_TIMING : 0, (struct wl_event **)event));
}

hipError_t hipEventCreate(hipEvent_t *event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
    API_EVENT(mark, event);
    API_STREAM(queue, stream);
    API_HEALTHY(queue->context);
    API_RETURN(wl_event_record(mark, queue));
}

hipError_t hipEventDestroy(hipEvent_t event) {
    API_EVENT(mark, event);
    wl_event_destroy(mark);
    API_SUCCESS();
}

hipError_t hipEventSynchronize(hipEvent_t event) {
    API_EVENT(mark, event);
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
    double elapsed = 0;
    enum wl_status status = wl_event_elapsed(first, second, &elapsed);
    API_REQUIRE(status != WL_INVALID_VALUE, hipErrorInvalidHandle);
    API_TRY(status);
    *ms = (float)elapsed;
    API_SUCCESS();
}
