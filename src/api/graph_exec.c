/* HIP reference: Graph management, executable graphs; memory of graphs. */
#include "api/graph_api.h"

/* ---- life ------------------------------------------------------------------------------------ */

static const unsigned long long known_flags =
    hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUpload | hipGraphInstantiateFlagUseNodePriority;

static hipError_t instantiate(const char *function, hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags) {
    if (!exec || !wl_handle_is(graph, WL_HANDLE_GRAPH))
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the executable, or not a graph");
    if (flags == hipGraphInstantiateFlagDeviceLaunch)
        return wl_api_fail(function, hipErrorNotSupported, "graphs cannot be launched by kernels");
    if (flags & ~known_flags)
        return wl_api_fail(function, hipErrorInvalidValue, "unknown flags");
    struct wl_graph_exec *made = NULL;
    unsigned own = flags & hipGraphInstantiateFlagAutoFreeOnLaunch ? WL_GRAPH_AUTO_FREE : 0;
    enum wl_status status = wl_graph_exec_create((struct wl_graph *)graph, own, &made);
    if (status != WL_OK)
        return wl_api_status(function, status);
    wl_graph_exec_set_given(made, flags);
    *exec = (hipGraphExec_t)made;
    return wl_api_success();
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode, char *log, size_t logSize) {
    if (errorNode)
        *errorNode = NULL;
    if (log && logSize)
        *log = 0;
    return instantiate(__func__, exec, graph, 0);
}

hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags) {
    return instantiate(__func__, exec, graph, flags);
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph, hipGraphInstantiateParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    params->errNode_out = NULL;
    params->result_out = hipGraphInstantiateError;
    API_REQUIRE(!(params->flags & hipGraphInstantiateFlagUpload) || wl_api_stream(params->uploadStream), hipErrorInvalidHandle);
    hipError_t error = instantiate(__func__, exec, graph, params->flags);
    if (error == hipSuccess)
        params->result_out = hipGraphInstantiateSuccess;
    return error;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
    API_EXEC(doomed, exec);
    wl_graph_exec_destroy(doomed);
    API_SUCCESS();
}

hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags) {
    API_REQUIRE(flags != NULL, hipErrorInvalidValue);
    API_EXEC(asked, exec);
    *flags = wl_graph_exec_given(asked);
    API_SUCCESS();
}

/* ---- launching ------------------------------------------------------------------------------- */

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
    API_EXEC(launched, exec);
    API_STREAM(queue, stream);
    API_HEALTHY(queue->context);
    API_RETURN(wl_graph_exec_launch(launched, queue));
}

/* Kernels were made ready when their nodes were added; nothing else has to be anywhere. */
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
    API_EXEC(uploaded, exec);
    (void)uploaded;
    API_STREAM(queue, stream);
    API_HEALTHY(queue->context);
    API_SUCCESS();
}

/* ---- changing -------------------------------------------------------------------------------- */

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *errorNode, hipGraphExecUpdateResult *result) {
    API_REQUIRE(result != NULL, hipErrorInvalidValue);
    API_EXEC(changed, exec);
    API_GRAPH(source, graph);
    struct wl_node *culprit = NULL;
    *result = (hipGraphExecUpdateResult)wl_graph_exec_update(changed, source, &culprit);
    if (errorNode)
        *errorNode = (hipGraphNode_t)culprit;
    API_REQUIRE(*result == hipGraphExecUpdateSuccess, hipErrorGraphExecUpdateFailure);
    API_SUCCESS();
}

#define SET(make)                                                                                                                          \
    struct wl_work work;                                                                                                                   \
    hipError_t made = (make);                                                                                                              \
    return wl_api_set_exec_node(__func__, exec, node, made, &work)

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *params) {
    if (params && params->type == hipGraphNodeTypeGraph)
        return hipGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    SET(wl_api_work_any(__func__, params, &work));
}

/* The node's attributes stay. */
static hipError_t keep_attributes(hipGraphExec_t exec, hipGraphNode_t node, hipError_t made, struct wl_work *work) {
    const struct wl_node *before = made == hipSuccess && wl_handle_is(exec, WL_HANDLE_GRAPH_EXEC) && wl_handle_is(node, WL_HANDLE_NODE)
                                       ? wl_graph_exec_node((struct wl_graph_exec *)exec, (struct wl_node *)node)
                                       : NULL;
    if (before && before->work.kind == WL_NODE_KERNEL) {
        work->kernel.priority = before->work.kernel.priority;
        work->kernel.request.cooperative = before->work.kernel.request.cooperative;
    }
    return made;
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams *params) {
    SET(keep_attributes(exec, node, wl_api_work_kernel(__func__, params, &work), &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms *params) {
    SET(wl_api_work_copy(__func__, params, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *src, size_t size,
                                             hipMemcpyKind kind) {
    SET(wl_api_work_line(__func__, dst, src, size, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *symbol, size_t size,
                                                     size_t offset, hipMemcpyKind kind) {
    SET(wl_api_work_symbol(__func__, symbol, false, dst, size, offset, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node, const void *symbol, const void *src,
                                                   size_t size, size_t offset, hipMemcpyKind kind) {
    SET(wl_api_work_symbol(__func__, symbol, true, (void *)(uintptr_t)src, size, offset, kind, &work));
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const HIP_MEMCPY3D *params, hipCtx_t context) {
    SET(wl_api_work_driver_copy(__func__, params, context, &work));
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *params) {
    SET(wl_api_work_fill(__func__, params, &work));
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *params, hipCtx_t context) {
    struct wl_work work;
    hipError_t made = wl_api_work_fill(__func__, params, &work);
    if (made == hipSuccess && context)
        work.context = (struct wl_context *)context;
    return wl_api_set_exec_node(__func__, exec, node, made, &work);
}

hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipHostNodeParams *params) {
    SET(wl_api_work_host(__func__, params, &work));
}

hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event) {
    SET(wl_api_work_event(__func__, event, true, &work));
}

hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event) {
    SET(wl_api_work_event(__func__, event, false, &work));
}

hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipBatchMemOpNodeParams *params) {
    SET(wl_api_work_values(__func__, params, &work));
}

/* The executable's copy of a node; declares it. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument is the name of a variable to declare. */
#define API_EXEC_NODE(name, exec, node)                                                                                                    \
    API_EXEC(executable_, exec);                                                                                                           \
    API_NODE(original_, node);                                                                                                             \
    struct wl_node *name = wl_graph_exec_node(executable_, original_);                                                                     \
    API_REQUIRE(name != NULL, hipErrorInvalidValue)
/* NOLINTEND(bugprone-macro-parentheses) */

hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraph_t child) {
    API_GRAPH(source, child);
    API_EXEC_NODE(target, exec, node);
    API_REQUIRE(target->work.kind == WL_NODE_GRAPH, hipErrorInvalidValue);
    API_REQUIRE(wl_graph_exec_update_child(executable_, target, source) == WL_UPDATE_SUCCESS, hipErrorInvalidValue);
    API_SUCCESS();
}

static bool can_be_disabled(const struct wl_node *node) {
    return node->work.kind == WL_NODE_KERNEL || node->work.kind == WL_NODE_COPY || node->work.kind == WL_NODE_FILL;
}

hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int enabled) {
    API_EXEC_NODE(target, exec, node);
    API_REQUIRE(can_be_disabled(target), hipErrorInvalidValue);
    wl_node_enable(target, enabled);
    API_SUCCESS();
}

hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int *enabled) {
    API_REQUIRE(enabled != NULL, hipErrorInvalidValue);
    API_EXEC_NODE(target, exec, node);
    API_REQUIRE(can_be_disabled(target), hipErrorInvalidValue);
    *enabled = !target->disabled;
    API_SUCCESS();
}

/* ---- memory of graphs -------------------------------------------------------------------------- */

static const enum wl_graph_memory_figure figures[] = {[hipGraphMemAttrUsedMemCurrent] = WL_GRAPH_USED,
                                                      [hipGraphMemAttrUsedMemHigh] = WL_GRAPH_USED_HIGH,
                                                      [hipGraphMemAttrReservedMemCurrent] = WL_GRAPH_RESERVED,
                                                      [hipGraphMemAttrReservedMemHigh] = WL_GRAPH_RESERVED_HIGH};

/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument is the name of a variable to declare. */
#define API_DEVICE(name, index)                                                                                                            \
    struct wl_context *name = (index) < 0 ? NULL : wl_context_at((unsigned)(index));                                                       \
    API_REQUIRE(name != NULL, hipErrorInvalidDevice)
/* NOLINTEND(bugprone-macro-parentheses) */

hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void *value) {
    API_DEVICE(context, device);
    API_REQUIRE(value != NULL && (unsigned)attribute < sizeof figures / sizeof *figures, hipErrorInvalidValue);
    *(uint64_t *)value = wl_graph_memory_figure(context, figures[attribute]);
    API_SUCCESS();
}

hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void *value) {
    API_DEVICE(context, device);
    API_REQUIRE(value != NULL && (attribute == hipGraphMemAttrUsedMemHigh || attribute == hipGraphMemAttrReservedMemHigh) &&
                    *(const uint64_t *)value == 0,
                hipErrorInvalidValue);
    wl_graph_memory_reset(context, figures[attribute]);
    API_SUCCESS();
}

hipError_t hipDeviceGraphMemTrim(int device) {
    API_DEVICE(context, device);
    wl_graph_memory_trim(context);
    API_SUCCESS();
}
