/* HIP reference: Graph management. The parameters of nodes as work for the runtime. */
#include "api/copy.h"
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/graph_exec.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/program.h"
#include "runtime/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- kernels --------------------------------------------------------------------------------- */

hipError_t wl_api_work_kernel(const char *function, const hipKernelNodeParams *params, struct wl_work *work) {
    if (!params)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters");
    if (!params->func)
        return wl_api_fail(function, hipErrorInvalidValue, "the function is NULL");
    struct wl_launch_request request = {.grid = {params->gridDim.x, params->gridDim.y, params->gridDim.z},
                                        .block = {params->blockDim.x, params->blockDim.y, params->blockDim.z},
                                        .dynamic_lds = params->sharedMemBytes,
                                        .arguments = params->kernelParams,
                                        .handle = params->func};
    hipError_t error = wl_api_kernel(function, params->func, wl_context_current(), &request.kernel);
    if (error != hipSuccess)
        return error;
    if (params->kernelParams && params->extra)
        return wl_api_fail(function, hipErrorInvalidValue, "both kernelParams and extra");
    if (params->extra && !wl_api_read_extra(params->extra, &request))
        return wl_api_fail(function, hipErrorInvalidValue, "extra is not a list of buffer pointer, buffer size and end");
    return wl_api_status(function, wl_work_kernel(wl_module_context(request.kernel->module), &request, work));
}

hipError_t wl_api_keep_attributes(const char *function, const struct wl_node *node, hipError_t made, struct wl_work *work) {
    if (made != hipSuccess || node->work.kind != WL_NODE_KERNEL)
        return made;
    enum wl_status status = wl_work_copy_attributes(&node->work, work);
    if (status != WL_OK)
        wl_work_clear(work);
    return wl_api_status(function, status);
}

/* ---- copies and fills -------------------------------------------------------------------------- */

/* Copies are checked and resolved by the functions that queue them; these leave the result with the thread. */
static hipError_t resolved(hipError_t error, struct wl_work *work) {
    *work = (struct wl_work){.kind = WL_NODE_COPY, .context = wl_context_current()};
    work->copy = *wl_api_copy_resolved();
    return error;
}

#define RESOLVE(call) (wl_api_copy_resolve(true), resolved((call), work))

static hipError_t finish_copy(hipError_t error) {
    wl_api_copy_resolve(false);
    return error;
}

hipError_t wl_api_work_copy(const char *function, const hipMemcpy3DParms *params, struct wl_work *work) {
    hipError_t error = finish_copy(RESOLVE(wl_api_copy_volume(function, params, NULL, true)));
    if (error == hipSuccess)
        error = wl_api_status(function, wl_work_describe(work, params, sizeof *params));
    return error;
}

hipError_t wl_api_work_line(const char *function, void *dst, const void *src, size_t size, hipMemcpyKind kind, struct wl_work *work) {
    struct wl_context *context = wl_context_current();
    struct wl_allocation allocation;
    struct wl_copy copy = {.target = dst, .source = src, .width = size, .rows = 1, .slices = 1, .target_pitch = size, .source_pitch = size};
    if (!dst || !src || !size)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or nothing to copy");
    if (!context)
        return wl_api_fail(function, hipErrorNoDevice, wl_failure());
    hipError_t error = finish_copy(RESOLVE(wl_api_copy(function, &copy, kind, context->null_stream, true)));
    if (error != hipSuccess || kind == hipMemcpyDefault)
        return error;
    bool from = wl_memory_find(src, &allocation), to = wl_memory_find(dst, &allocation);
    if ((!from && to && kind != hipMemcpyHostToDevice) || (from && !to && kind != hipMemcpyDeviceToHost))
        return wl_api_fail(function, hipErrorInvalidValue, "the kind does not fit what the pointers are");
    return hipSuccess;
}

hipError_t wl_api_work_symbol(const char *function, const void *symbol, bool to, void *other, size_t size, size_t offset,
                              hipMemcpyKind kind, struct wl_work *work) {
    if (!other || !size)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or nothing to copy");
    return finish_copy(RESOLVE(to ? hipMemcpyToSymbolAsync(symbol, other, size, offset, kind, NULL)
                                  : hipMemcpyFromSymbolAsync(other, symbol, size, offset, kind, NULL)));
}

/* Whether a symbol stands for a variable of at least so many bytes. */
static bool is_variable(const void *symbol, size_t offset, size_t size) {
    struct wl_context *context = wl_context_current();
    void *address = NULL;
    size_t whole = 0;
    return context && wl_symbol_variable(symbol, context, &address, &whole) == WL_OK && offset <= whole && size <= whole - offset;
}

/* The kinds that go with the other side of a copy with a variable: memory of the device, the host's pageable memory, and what is both. */
static bool kind_fits(const void *other, bool to, hipMemcpyKind kind) {
    struct wl_allocation allocation;
    hipMemcpyKind host = to ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost;
    bool known = wl_memory_find(other, &allocation), inside = kind == hipMemcpyDeviceToDevice || kind == hipMemcpyDeviceToDeviceNoCU;
    if (kind == hipMemcpyDefault)
        return true;
    if (!known)
        return kind == host;
    return inside || (kind == host && allocation.kind != WL_MEMORY_DEVICE);
}

hipError_t wl_api_work_other_symbol(const char *function, const void *symbol, bool to, void *other, size_t size, size_t offset,
                                    hipMemcpyKind kind, struct wl_work *work) {
    if (!symbol)
        return wl_api_fail(function, hipErrorInvalidSymbol, "no symbol");
    if (other == symbol || is_variable(other, offset, size))
        return wl_api_fail(function, hipErrorInvalidValue, "both sides are symbols");
    hipError_t error = wl_api_work_symbol(function, symbol, to, other, size, offset, hipMemcpyDefault, work);
    if (error != hipSuccess)
        return error;
    if (!kind_fits(other, to, kind))
        return wl_api_fail(function, to ? hipErrorInvalidValue : hipErrorInvalidMemcpyDirection, "the kind does not fit the pointer");
    work->copy.given = kind;
    return hipSuccess;
}

hipError_t wl_api_work_driver_copy(const char *function, const HIP_MEMCPY3D *params, hipCtx_t context, struct wl_work *work) {
    if (!params)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters");
    hipError_t error = finish_copy(RESOLVE(hipDrvMemcpy3DAsync(params, NULL)));
    if (context)
        work->context = (struct wl_context *)context;
    if (error == hipSuccess)
        error = wl_api_status(function, wl_work_describe(work, params, sizeof *params));
    return error;
}

hipError_t wl_api_work_fill(const char *function, const hipMemsetParams *params, struct wl_work *work) {
    struct wl_allocation allocation;
    size_t width = 0, bytes = 0;
    if (!params || !params->dst || !params->width || !params->height)
        return wl_api_fail(function, hipErrorInvalidValue, "a NULL pointer, or nothing to fill");
    if (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4)
        return wl_api_fail(function, hipErrorInvalidValue, "elements have 1, 2 or 4 bytes");
    if ((uintptr_t)params->dst % params->elementSize || __builtin_mul_overflow(params->width, (size_t)params->elementSize, &width) ||
        (params->height > 1 && params->pitch < width) ||
        !wl_api_reach(width, params->height, 1, params->height > 1 ? params->pitch : width, 0, &bytes))
        return wl_api_fail(function, hipErrorInvalidValue, "the rows overlap, are too large, or are not aligned to the elements");
    if (wl_memory_check(params->dst, bytes, true, &allocation) != WL_OK || !allocation.size)
        return wl_api_fail(function, hipErrorInvalidValue, "the fill leaves its memory, or that is unknown");
    if (__builtin_mul_overflow(params->pitch, params->height, &bytes) || bytes > allocation.size)
        return wl_api_fail(function, hipErrorInvalidValue, "so many rows with this pitch are larger than the memory");
    *work = (struct wl_work){.kind = WL_NODE_FILL, .context = wl_context_current()};
    work->fill = (struct wl_fill){.target = params->dst,
                                  .pattern = params->value,
                                  .pattern_size = params->elementSize,
                                  .width = params->width,
                                  .rows = params->height,
                                  .slices = 1,
                                  .pitch = params->pitch};
    return hipSuccess;
}

hipError_t wl_api_work_driver_fill(const char *function, const HIP_MEMSET_NODE_PARAMS *params, hipCtx_t context, struct wl_work *work) {
    if (!params)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters");
    hipMemsetParams same = {params->dst, params->elementSize, params->height, params->pitch, params->value, params->width};
    hipError_t error = wl_api_work_fill(function, &same, work);
    if (error == hipSuccess && context)
        work->context = (struct wl_context *)context;
    return error;
}

/* ---- host functions, graphs, events ------------------------------------------------------------ */

hipError_t wl_api_work_host(const char *function, const hipHostNodeParams *params, struct wl_work *work) {
    if (!params || !params->fn)
        return wl_api_fail(function, hipErrorInvalidValue, "no function");
    *work = (struct wl_work){.kind = WL_NODE_HOST};
    work->host.function = params->fn;
    work->host.argument = params->userData;
    return hipSuccess;
}

hipError_t wl_api_work_child(const char *function, hipGraph_t child, struct wl_work *work) {
    if (!wl_handle_is(child, WL_HANDLE_GRAPH))
        return wl_api_fail(function, hipErrorInvalidValue, "not a graph");
    *work = (struct wl_work){.kind = WL_NODE_GRAPH};
    return wl_api_status(function, wl_graph_clone((struct wl_graph *)child, &work->child));
}

hipError_t wl_api_work_event(const char *function, hipEvent_t event, bool record, struct wl_work *work) {
    if (!wl_handle_is(event, WL_HANDLE_EVENT))
        return wl_api_fail(function, hipErrorInvalidValue, "not an event");
    *work = (struct wl_work){.kind = record ? WL_NODE_EVENT_RECORD : WL_NODE_EVENT_WAIT};
    work->event = (struct wl_event *)event;
    return hipSuccess;
}

/* ---- memory ---------------------------------------------------------------------------------- */

hipError_t wl_api_work_allocate(const char *function, hipMemAllocNodeParams *params, struct wl_work *work) {
    if (!params || (params->accessDescCount && !params->accessDescs))
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters, or no list");
    params->dptr = NULL;
    if (!params->bytesize)
        return wl_api_fail(function, hipErrorInvalidValue, "no size");
    const hipMemPoolProps *pool = &params->poolProps;
    struct wl_context *context =
        pool->location.type == hipMemLocationTypeDevice && pool->location.id >= 0 ? wl_context_at((unsigned)pool->location.id) : NULL;
    if (pool->allocType != hipMemAllocationTypePinned || pool->handleTypes != hipMemHandleTypeNone || !context)
        return wl_api_fail(function, hipErrorInvalidValue, "memory of a graph is pinned memory of a device, for this process");
    *work = (struct wl_work){.kind = WL_NODE_ALLOCATE, .context = context};
    enum wl_status status = wl_graph_memory_create(context, params->bytesize, &work->memory);
    if (status != WL_OK)
        return wl_api_status(function, status);
    params->dptr = wl_graph_memory_address(work->memory);
    status = wl_work_describe(work, params, sizeof *params);
    if (status != WL_OK)
        wl_work_clear(work);
    return wl_api_status(function, status);
}

hipError_t wl_api_work_free(const char *function, void *ptr, struct wl_work *work) {
    if (!ptr || !wl_graph_memory_at(ptr))
        return wl_api_fail(function, hipErrorInvalidValue, "not memory that a graph allocates");
    *work = (struct wl_work){.kind = WL_NODE_FREE};
    work->address = ptr;
    return hipSuccess;
}

/* The list stands behind the parameters. */
hipError_t wl_api_work_values(const char *function, const hipBatchMemOpNodeParams *params, struct wl_work *work) {
    struct wl_stream_value values[WL_API_BATCH];
    if (!params || !params->paramArray || params->count == 0 || params->count > WL_API_BATCH || params->flags)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters, or not 1 to 256 operations, or flags");
    if (!wl_api_values(params->paramArray, params->count, values))
        return wl_api_fail(function, hipErrorInvalidValue, "not an operation");
    struct wl_allocation allocation;
    for (unsigned i = 0; i < params->count; i++)
        if (values[i].operation != WL_VALUE_BARRIER &&
            (!values[i].address || (uintptr_t)values[i].address % values[i].size || !wl_memory_find(values[i].address, &allocation)))
            return wl_api_fail(function, hipErrorInvalidValue, "the address is not aligned, or not memory that HIP knows");
    enum wl_status status = wl_work_values(values, params->count, work);
    size_t list = params->count * sizeof *params->paramArray;
    char *bytes = status == WL_OK ? malloc(sizeof *params + list) : NULL;
    if (bytes) {
        memcpy(bytes, params, sizeof *params);
        memcpy(bytes + sizeof *params, params->paramArray, list);
        status = wl_work_describe(work, bytes, sizeof *params + list);
        free(bytes);
    } else if (status == WL_OK) {
        status = wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a node's parameters");
    }
    if (status != WL_OK)
        wl_work_clear(work);
    work->context = (struct wl_context *)params->ctx;
    return wl_api_status(function, status);
}

/* ---- external semaphores ----------------------------------------------------------------------- */

static hipError_t semaphores(const char *function, enum wl_node_kind kind, unsigned count, const void *params, size_t size,
                             struct wl_work *work) {
    *work = (struct wl_work){.kind = kind};
    work->semaphores = count;
    return wl_api_status(function, wl_work_describe(work, params, size));
}

hipError_t wl_api_work_signal(const char *function, const hipExternalSemaphoreSignalNodeParams *params, struct wl_work *work) {
    if (!params)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters");
    return semaphores(function, WL_NODE_SIGNAL, params->numExtSems, params, sizeof *params, work);
}

hipError_t wl_api_work_wait(const char *function, const hipExternalSemaphoreWaitNodeParams *params, struct wl_work *work) {
    if (!params)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters");
    return semaphores(function, WL_NODE_WAIT, params->numExtSems, params, sizeof *params, work);
}

/* ---- any kind -------------------------------------------------------------------------------- */

hipError_t wl_api_work_any(const char *function, hipGraphNodeParams *params, struct wl_work *work) {
    if (!params)
        return wl_api_fail(function, hipErrorInvalidValue, "no parameters");
    switch (params->type) {
    case hipGraphNodeTypeKernel:
        return wl_api_work_kernel(function, &params->kernel, work);
    case hipGraphNodeTypeMemcpy:
        return wl_api_work_copy(function, &params->memcpy.copyParams, work);
    case hipGraphNodeTypeMemset:
        return wl_api_work_fill(function, &params->memset, work);
    case hipGraphNodeTypeHost:
        return wl_api_work_host(function, &params->host, work);
    case hipGraphNodeTypeGraph:
        return wl_api_work_child(function, params->graph.graph, work);
    case hipGraphNodeTypeEmpty:
        *work = (struct wl_work){.kind = WL_NODE_EMPTY};
        return hipSuccess;
    case hipGraphNodeTypeWaitEvent:
    case hipGraphNodeTypeEventRecord:
        return wl_api_work_event(function, params->eventWait.event, params->type == hipGraphNodeTypeEventRecord, work);
    case hipGraphNodeTypeMemAlloc:
        return wl_api_work_allocate(function, &params->alloc, work);
    case hipGraphNodeTypeMemFree:
        return wl_api_work_free(function, params->free.dptr, work);
    case hipGraphNodeTypeExtSemaphoreSignal:
    case hipGraphNodeTypeExtSemaphoreWait:
        return wl_api_fail(function, hipErrorNotSupported, "external semaphores are not supported");
    default:
        return wl_api_fail(function, hipErrorInvalidValue, "not a type of node");
    }
}

/* ---- into graphs ----------------------------------------------------------------------------- */

hipError_t wl_api_check_place(const char *function, hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies,
                              size_t count) {
    bool good = node && wl_handle_is(graph, WL_HANDLE_GRAPH) && (!count || dependencies);
    for (size_t i = 0; i < count && good; i++)
        good = wl_handle_is(dependencies[i], WL_HANDLE_NODE);
    return good ? hipSuccess
                : wl_api_fail(function, hipErrorInvalidValue, "no place for the node, not a graph, or dependencies that are no nodes");
}

hipError_t wl_api_add_node(const char *function, hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                           hipError_t made, struct wl_work *work) {
    struct wl_node *added = NULL;
    if (made != hipSuccess)
        return made;
    enum wl_status status =
        wl_graph_add((struct wl_graph *)graph, (struct wl_node *const *)(const void *)dependencies, count, work, &added);
    if (status == WL_OK)
        *node = (hipGraphNode_t)added;
    return wl_api_status(function, status);
}

hipError_t wl_api_check_node(const char *function, hipGraphNode_t node) {
    return wl_handle_is(node, WL_HANDLE_NODE) ? hipSuccess : wl_api_fail(function, hipErrorInvalidValue, "not a node");
}

hipError_t wl_api_set_node(const char *function, hipGraphNode_t node, hipError_t made, struct wl_work *work) {
    if (made != hipSuccess)
        return made;
    struct wl_node *target = (struct wl_node *)node;
    if (target->work.kind != work->kind) {
        wl_work_clear(work);
        return wl_api_fail(function, hipErrorInvalidValue, "not a node of this type");
    }
    wl_node_replace(target, work);
    return wl_api_success();
}

hipError_t wl_api_check_exec_node(const char *function, hipGraphExec_t exec, hipGraphNode_t node, struct wl_node **copy) {
    bool good = wl_handle_is(exec, WL_HANDLE_GRAPH_EXEC) && wl_handle_is(node, WL_HANDLE_NODE);
    *copy = good ? wl_graph_exec_node((struct wl_graph_exec *)exec, (struct wl_node *)node) : NULL;
    return *copy ? hipSuccess : wl_api_fail(function, hipErrorInvalidValue, "the executable has no such node");
}

/* Copies and fills stay with the device that they were added for. */
hipError_t wl_api_set_exec_node(const char *function, struct wl_node *copy, hipError_t made, struct wl_work *work) {
    if (made != hipSuccess)
        return made;
    if (wl_node_may_become(copy, work) != WL_UPDATE_SUCCESS) {
        wl_work_clear(work);
        return wl_api_fail(function, hipErrorInvalidValue, "the node cannot become that");
    }
    if (work->kind == WL_NODE_COPY || work->kind == WL_NODE_FILL)
        work->context = copy->work.context;
    wl_node_replace(copy, work);
    return wl_api_success();
}

hipGraphNodeType wl_api_node_type(const struct wl_node *node) {
    static const hipGraphNodeType types[] = {
        [WL_NODE_KERNEL] = hipGraphNodeTypeKernel,         [WL_NODE_COPY] = hipGraphNodeTypeMemcpy,
        [WL_NODE_FILL] = hipGraphNodeTypeMemset,           [WL_NODE_HOST] = hipGraphNodeTypeHost,
        [WL_NODE_GRAPH] = hipGraphNodeTypeGraph,           [WL_NODE_EMPTY] = hipGraphNodeTypeEmpty,
        [WL_NODE_EVENT_WAIT] = hipGraphNodeTypeWaitEvent,  [WL_NODE_EVENT_RECORD] = hipGraphNodeTypeEventRecord,
        [WL_NODE_ALLOCATE] = hipGraphNodeTypeMemAlloc,     [WL_NODE_FREE] = hipGraphNodeTypeMemFree,
        [WL_NODE_VALUES] = hipGraphNodeTypeBatchMemOp,     [WL_NODE_SIGNAL] = hipGraphNodeTypeExtSemaphoreSignal,
        [WL_NODE_WAIT] = hipGraphNodeTypeExtSemaphoreWait,
    };
    return types[node->work.kind];
}
