/* HIP reference: Graph management, stream capture. */
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/handles.h"

static bool is_mode(hipStreamCaptureMode mode) { return (unsigned)mode <= hipStreamCaptureModeRelaxed; }

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
    API_STREAM(queue, stream);
    API_REQUIRE(queue != queue->context->null_stream, hipErrorStreamCaptureUnsupported);
    API_REQUIRE(is_mode(mode), hipErrorInvalidValue);
    API_RETURN(wl_capture_begin(queue, (enum wl_capture_mode)mode, NULL, NULL, 0));
}

hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                        const hipGraphEdgeData *dependencyData, size_t numDependencies, hipStreamCaptureMode mode) {
    API_REQUIRE(dependencyData == NULL, hipErrorNotSupported);
    API_GRAPH(target, graph);
    API_REQUIRE(!dependencies == !numDependencies, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_REQUIRE(queue != queue->context->null_stream, hipErrorStreamCaptureUnsupported);
    API_REQUIRE(is_mode(mode), hipErrorInvalidValue);
    for (size_t i = 0; i < numDependencies; i++)
        API_REQUIRE(wl_handle_is(dependencies[i], WL_HANDLE_NODE) && ((struct wl_node *)dependencies[i])->graph == target,
                    hipErrorInvalidValue);
    API_RETURN(
        wl_capture_begin(queue, (enum wl_capture_mode)mode, target, (struct wl_node *const *)(const void *)dependencies, numDependencies));
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
    API_REQUIRE(graph != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_RETURN(wl_capture_end(queue, (struct wl_graph **)graph));
}

static const hipStreamCaptureStatus states[] = {[WL_CAPTURE_NONE] = hipStreamCaptureStatusNone,
                                                [WL_CAPTURE_ACTIVE] = hipStreamCaptureStatusActive,
                                                [WL_CAPTURE_INVALID] = hipStreamCaptureStatusInvalidated};

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status) {
    struct wl_capture_info info;
    API_REQUIRE(status != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_TRY(wl_capture_ask(queue, &info));
    *status = states[info.state];
    API_SUCCESS();
}

hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph,
                                      const hipGraphNode_t **dependencies, size_t *numDependencies) {
    struct wl_capture_info info;
    API_REQUIRE(status != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_TRY(wl_capture_ask(queue, &info));
    *status = states[info.state];
    if (info.state != WL_CAPTURE_ACTIVE)
        API_SUCCESS();
    if (id)
        *id = info.id;
    if (graph)
        *graph = (hipGraph_t)info.graph;
    if (dependencies)
        *dependencies = (const hipGraphNode_t *)(const void *)info.nodes;
    if (numDependencies)
        *numDependencies = info.count;
    API_SUCCESS();
}

hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id) {
    return hipStreamGetCaptureInfo_v2(stream, status, id, NULL, NULL, NULL);
}

hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies, size_t numDependencies,
                                              unsigned int flags) {
    API_STREAM(queue, stream);
    API_REQUIRE(wl_capture_active(queue), hipErrorIllegalState);
    API_REQUIRE(flags <= hipStreamSetCaptureDependencies && (!numDependencies || dependencies), hipErrorInvalidValue);
    for (size_t i = 0; i < numDependencies; i++)
        API_REQUIRE(wl_handle_is(dependencies[i], WL_HANDLE_NODE), hipErrorInvalidValue);
    API_RETURN(wl_capture_depend(queue, (struct wl_node *const *)(const void *)dependencies, numDependencies,
                                 flags == hipStreamSetCaptureDependencies));
}

hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
    API_DEVICES();
    API_REQUIRE(mode != NULL && is_mode(*mode), hipErrorInvalidValue);
    *mode = (hipStreamCaptureMode)wl_capture_exchange_mode((enum wl_capture_mode) * mode);
    API_SUCCESS();
}
