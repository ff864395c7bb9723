/* HIP reference: Graph management, executable graphs; memory of graphs. */
#include "runtime/graph_exec.h"
#include "api/checked.h"
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/work.h"

/* ---- life ------------------------------------------------------------------------------------ */

static hipError_t instantiate(const char *function, hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags) {
    struct wl_graph_exec *made = NULL;
    if (!exec || !wl_handle_is(graph, WL_HANDLE_GRAPH))
        return wl_api_fail(function, hipErrorInvalidValue, "no place for the executable, or not a graph");
    enum wl_status status =
        wl_graph_exec_create((struct wl_graph *)graph, flags & hipGraphInstantiateFlagAutoFreeOnLaunch ? WL_GRAPH_AUTO_FREE : 0, &made);
    if (status != WL_OK)
        return wl_api_status(function, status);
    wl_graph_exec_set_given(made, flags);
    *exec = (hipGraphExec_t)made;
    return wl_api_success();
}

hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode, char *log, size_t logSize) {
    (void)errorNode, (void)log, (void)logSize;
    return instantiate(__func__, exec, graph, 0);
}

/* Flags come alone; two of them only with parameters. */
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags) {
    API_REQUIRE(flags == 0 || flags == hipGraphInstantiateFlagAutoFreeOnLaunch || flags == hipGraphInstantiateFlagUseNodePriority,
                hipErrorInvalidValue);
    return instantiate(__func__, exec, graph, flags);
}

hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph, hipGraphInstantiateParams *params) {
    API_REQUIRE(exec != NULL && graph != NULL && params != NULL, hipErrorInvalidValue);
    unsigned long long flags = params->flags;
    params->result_out = hipGraphInstantiateError;
    API_REQUIRE((flags & (flags - 1)) == 0 && flags <= hipGraphInstantiateFlagUseNodePriority, hipErrorInvalidValue);
    hipError_t error = instantiate(__func__, exec, graph, flags);
    if (error != hipSuccess)
        return error;
    params->result_out = hipGraphInstantiateSuccess;
    params->errNode_out = NULL;
    return flags == hipGraphInstantiateFlagUpload ? hipGraphUpload(*exec, params->uploadStream) : hipSuccess;
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
    wl_checked_call(__func__);
    API_RETURN(wl_graph_exec_launch(launched, queue));
}

/* Kernels were made ready when their nodes were added; nothing else has to be anywhere. */
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream) {
    API_REQUIRE(exec != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    API_REQUIRE(wl_handle_is(exec, WL_HANDLE_GRAPH_EXEC), hipErrorInvalidValue);
    API_HEALTHY(queue->context);
    API_SUCCESS();
}

/* ---- changing -------------------------------------------------------------------------------- */

hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *errorNode, hipGraphExecUpdateResult *result) {
    API_REQUIRE(errorNode != NULL && result != NULL, hipErrorInvalidValue);
    API_EXEC(changed, exec);
    API_GRAPH(source, graph);
    struct wl_node *culprit = NULL;
    *result = (hipGraphExecUpdateResult)wl_graph_exec_update(changed, source, &culprit);
    *errorNode = (hipGraphNode_t)culprit;
    API_REQUIRE(*result == hipGraphExecUpdateSuccess, hipErrorGraphExecUpdateFailure);
    API_SUCCESS();
}

/* Gives the executable's copy of a node, `copy`, the work that `make` makes into `work`. */
#define SET(make)                                                                                                                          \
    struct wl_work work;                                                                                                                   \
    struct wl_node *copy = NULL;                                                                                                           \
    hipError_t made = wl_api_check_exec_node(__func__, exec, node, &copy);                                                                 \
    if (made == hipSuccess)                                                                                                                \
        made = (make);                                                                                                                     \
    return wl_api_set_exec_node(__func__, copy, made, &work)

hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_REQUIRE(params->type != hipGraphNodeTypeMemAlloc && params->type != hipGraphNodeTypeMemFree, hipErrorNotSupported);
    if (params->type == hipGraphNodeTypeGraph)
        return hipGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
    SET(wl_api_work_any(__func__, params, &work));
}

hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams *params) {
    SET(wl_api_keep_attributes(__func__, copy, wl_api_work_kernel(__func__, params, &work), &work));
}

/* Whatever is wrong with the parameters. */
static hipError_t only_invalid(const char *function, hipError_t made) {
    return made == hipSuccess ? made : wl_api_fail(function, hipErrorInvalidValue, "the parameters describe no copy");
}

hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms *params) {
    SET(only_invalid(__func__, wl_api_work_copy(__func__, params, &work)));
}

hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *src, size_t size,
                                             hipMemcpyKind kind) {
    API_REQUIRE(dst != src, hipErrorInvalidValue);
    SET(wl_api_work_line(__func__, dst, src, size, kind, &work));
}

/* Whether two addresses, if HIP knows both, are memory of one device. */
static bool same_device(const void *a, const void *b) {
    struct wl_allocation first, second;
    return !wl_memory_find(a, &first) || !wl_memory_find(b, &second) || first.context == second.context;
}

/* The kind, and the device of the memory that is no variable, stay. */
static hipError_t set_symbol(const char *function, const struct wl_node *copy, const void *symbol, bool to, void *other, size_t size,
                             size_t offset, hipMemcpyKind kind, struct wl_work *work) {
    if (copy->work.kind != WL_NODE_COPY || copy->work.copy.given != (int)kind ||
        !same_device(other, to ? copy->work.copy.source : copy->work.copy.target))
        return wl_api_fail(function, hipErrorInvalidValue, "the node copies in another direction, or memory of another device");
    return wl_api_work_other_symbol(function, symbol, to, other, size, offset, kind, work);
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *symbol, size_t size,
                                                     size_t offset, hipMemcpyKind kind) {
    API_REQUIRE(symbol != NULL, hipErrorInvalidSymbol);
    SET(set_symbol(__func__, copy, symbol, false, dst, size, offset, kind, &work));
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node, const void *symbol, const void *src,
                                                   size_t size, size_t offset, hipMemcpyKind kind) {
    API_REQUIRE(symbol != NULL, hipErrorInvalidSymbol);
    SET(set_symbol(__func__, copy, symbol, true, (void *)(uintptr_t)src, size, offset, kind, &work));
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const HIP_MEMCPY3D *params, hipCtx_t context) {
    SET(only_invalid(__func__, wl_api_work_driver_copy(__func__, params, context, &work)));
}

/* Several rows must be what they were; the memory stays with its device. */
static hipError_t same_rows(const char *function, const struct wl_node *copy, hipError_t made, const struct wl_work *work) {
    const struct wl_fill *before = &copy->work.fill, *after = &work->fill;
    if (made != hipSuccess || copy->work.kind != WL_NODE_FILL)
        return made;
    if (after->rows > 1 &&
        (before->width * before->pattern_size != after->width * after->pattern_size || before->rows != after->rows || before->slices != 1))
        return wl_api_fail(function, hipErrorInvalidValue, "the node fills other rows");
    return same_device(before->target, after->target) ? made : wl_api_fail(function, hipErrorInvalidValue, "memory of another device");
}

hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *params) {
    SET(same_rows(__func__, copy, wl_api_work_fill(__func__, params, &work), &work));
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const HIP_MEMSET_NODE_PARAMS *params,
                                              hipCtx_t context) {
    SET(same_rows(__func__, copy, wl_api_work_driver_fill(__func__, params, context, &work), &work));
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

hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                             const hipExternalSemaphoreSignalNodeParams *params) {
    SET(wl_api_work_signal(__func__, params, &work));
}

hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                           const hipExternalSemaphoreWaitNodeParams *params) {
    SET(wl_api_work_wait(__func__, params, &work));
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
    API_NODE(original, node);
    API_REQUIRE(source != original->graph, hipErrorUnknown);
    API_EXEC_NODE(target, exec, node);
    API_REQUIRE(target->work.kind == WL_NODE_GRAPH, hipErrorInvalidValue);
    enum wl_graph_update result = wl_graph_exec_update_child(executable_, target, source);
    API_REQUIRE(result != WL_UPDATE_TOPOLOGY && result != WL_UPDATE_KIND, hipErrorUnknown);
    API_REQUIRE(result == WL_UPDATE_SUCCESS, hipErrorInvalidValue);
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
