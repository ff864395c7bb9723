/* What the files of the graph chapter share: HIP's parameters of nodes as the runtime's work. */
#ifndef WL_API_GRAPH_API_H
#define WL_API_GRAPH_API_H

#include "api/api.h"
#include "runtime/capture.h"

#define WL_API_BATCH 256 /* operations of hipStreamBatchMemOp */

/* HIP's operations as the runtime's. False: one of them is unknown. */
bool wl_api_values(const hipStreamBatchMemOpParams *params, unsigned count, struct wl_stream_value *values);

/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument is the name of a variable to declare. */
#define API_GRAPH(name, handle)                                                                                                            \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_GRAPH), hipErrorInvalidValue);                                                            \
    struct wl_graph *name = (struct wl_graph *)(handle)
#define API_NODE(name, handle)                                                                                                             \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_NODE), hipErrorInvalidValue);                                                             \
    struct wl_node *name = (struct wl_node *)(handle)
#define API_NODE_OF(name, handle, wanted)                                                                                                  \
    API_NODE(name, handle);                                                                                                                \
    API_REQUIRE(name->work.kind == (wanted), hipErrorInvalidValue)
#define API_EXEC(name, handle)                                                                                                             \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_GRAPH_EXEC), hipErrorInvalidValue);                                                       \
    struct wl_graph_exec *name = (struct wl_graph_exec *)(handle)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Work of each kind (graph_work.c). On failure, which is recorded as `function`'s, nothing is left to clear. */
hipError_t wl_api_work_kernel(const char *function, const hipKernelNodeParams *params, struct wl_work *work);
/* Gives work that a kernel node is to get the node's attributes, if `made` is hipSuccess; else returns it. */
hipError_t wl_api_keep_attributes(const char *function, const struct wl_node *node, hipError_t made, struct wl_work *work);
hipError_t wl_api_work_copy(const char *function, const hipMemcpy3DParms *params, struct wl_work *work);
hipError_t wl_api_work_line(const char *function, void *dst, const void *src, size_t size, hipMemcpyKind kind, struct wl_work *work);
hipError_t wl_api_work_symbol(const char *function, const void *symbol, bool to, void *other, size_t size, size_t offset,
                              hipMemcpyKind kind, struct wl_work *work);
/* The same for a node that is there already: stricter, as in AMD's runtime. */
hipError_t wl_api_work_other_symbol(const char *function, const void *symbol, bool to, void *other, size_t size, size_t offset,
                                    hipMemcpyKind kind, struct wl_work *work);
hipError_t wl_api_work_driver_copy(const char *function, const HIP_MEMCPY3D *params, hipCtx_t context, struct wl_work *work);
hipError_t wl_api_work_fill(const char *function, const hipMemsetParams *params, struct wl_work *work);
hipError_t wl_api_work_driver_fill(const char *function, const HIP_MEMSET_NODE_PARAMS *params, hipCtx_t context, struct wl_work *work);
hipError_t wl_api_work_host(const char *function, const hipHostNodeParams *params, struct wl_work *work);
hipError_t wl_api_work_child(const char *function, hipGraph_t child, struct wl_work *work);
hipError_t wl_api_work_event(const char *function, hipEvent_t event, bool record, struct wl_work *work);
hipError_t wl_api_work_allocate(const char *function, hipMemAllocNodeParams *params, struct wl_work *work);
hipError_t wl_api_work_free(const char *function, void *ptr, struct wl_work *work);
hipError_t wl_api_work_values(const char *function, const hipBatchMemOpNodeParams *params, struct wl_work *work);
hipError_t wl_api_work_signal(const char *function, const hipExternalSemaphoreSignalNodeParams *params, struct wl_work *work);
hipError_t wl_api_work_wait(const char *function, const hipExternalSemaphoreWaitNodeParams *params, struct wl_work *work);
/* By the type in the parameters. */
hipError_t wl_api_work_any(const char *function, hipGraphNodeParams *params, struct wl_work *work);

/* hipErrorInvalidValue: no place for the node, no graph, or dependencies that are no nodes. */
hipError_t wl_api_check_place(const char *function, hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                              size_t count);
/* hipErrorInvalidValue: not a node. */
hipError_t wl_api_check_node(const char *function, hipGraphNode_t node);
/* hipErrorInvalidValue: the executable has no copy of the node. */
hipError_t wl_api_check_exec_node(const char *function, hipGraphExec_t exec, hipGraphNode_t node, struct wl_node **copy);
/* Adds, or replaces, what `work` says if `made` is hipSuccess, else returns it. Takes over what `work` owns. What the functions above
 * check was checked. */
hipError_t wl_api_add_node(const char *function, hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                           hipError_t made, struct wl_work *work);
hipError_t wl_api_set_node(const char *function, hipGraphNode_t node, hipError_t made, struct wl_work *work);
hipError_t wl_api_set_exec_node(const char *function, struct wl_node *copy, hipError_t made, struct wl_work *work);

/* HIP's type of a node. */
hipGraphNodeType wl_api_node_type(const struct wl_node *node);

#endif
