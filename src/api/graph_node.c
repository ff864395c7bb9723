/* HIP reference: Graph management, nodes: adding them, their parameters. */
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/work.h"

#include <string.h>

#define NODE_PARAMETERS hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count
/* Adds a node whose work `make` has made into `work`, or gives a node other work. */
#define ADD(make)                                                                                                                          \
    struct wl_work work;                                                                                                                   \
    hipError_t made = wl_api_check_place(__func__, node, graph, dependencies, count);                                                      \
    if (made == hipSuccess)                                                                                                                \
        made = (make);                                                                                                                     \
    return wl_api_add_node(__func__, node, graph, dependencies, count, made, &work)
#define SET(make)                                                                                                                          \
    struct wl_work work;                                                                                                                   \
    hipError_t made = wl_api_check_node(__func__, node);                                                                                   \
    if (made == hipSuccess)                                                                                                                \
        made = (make);                                                                                                                     \
    return wl_api_set_node(__func__, node, made, &work)

/* ---- any kind -------------------------------------------------------------------------------- */

hipError_t hipGraphAddNode(NODE_PARAMETERS, hipGraphNodeParams *params) { ADD(wl_api_work_any(__func__, params, &work)); }

hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_REQUIRE(params->type != hipGraphNodeTypeMemAlloc && params->type != hipGraphNodeTypeMemFree, hipErrorNotSupported);
    SET(wl_api_work_any(__func__, params, &work));
}

/* ---- kernels --------------------------------------------------------------------------------- */

hipError_t hipGraphAddKernelNode(NODE_PARAMETERS, const hipKernelNodeParams *params) { ADD(wl_api_work_kernel(__func__, params, &work)); }

hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *params) {
    const struct wl_node *before = (const struct wl_node *)node;
    SET(wl_api_keep_attributes(__func__, before, wl_api_work_kernel(__func__, params, &work), &work));
}

/* The list that `extra` points to, for a node that was made with one. It stands in the node's memory. */
static void **list_arguments(const struct wl_launch_request *request) {
    void **list = request->arguments + request->kernel->explicit_count;
    list[0] = HIP_LAUNCH_PARAM_BUFFER_POINTER;
    list[1] = (void *)(uintptr_t)request->buffer;
    list[2] = HIP_LAUNCH_PARAM_BUFFER_SIZE;
    list[3] = memcpy(&list[5], &request->buffer_size, sizeof request->buffer_size);
    list[4] = HIP_LAUNCH_PARAM_END;
    return list;
}

hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(kernel, node, WL_NODE_KERNEL);
    const struct wl_launch_request *request = &kernel->work.kernel.request;
    memset(params, 0, sizeof *params);
    params->blockDim = (dim3){request->block[0], request->block[1], request->block[2]};
    params->gridDim = (dim3){request->grid[0], request->grid[1], request->grid[2]};
    params->func = (void *)(uintptr_t)request->handle;
    if (kernel->work.kernel.listed)
        params->extra = list_arguments(request);
    else
        params->kernelParams = request->arguments;
    params->sharedMemBytes = (unsigned)request->dynamic_lds;
    API_SUCCESS();
}

static bool is_attribute(hipKernelNodeAttrID attribute) {
    return attribute == hipLaunchAttributeAccessPolicyWindow || attribute == hipLaunchAttributeCooperative ||
           attribute == hipLaunchAttributePriority;
}

/* A node has one attribute at a time, the one that was set last. */
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute, const hipKernelNodeAttrValue *value) {
    API_REQUIRE(value != NULL && is_attribute(attribute), hipErrorInvalidValue);
    API_NODE_OF(kernel, node, WL_NODE_KERNEL);
    if (attribute == hipLaunchAttributeCooperative) {
        kernel->work.kernel.request.cooperative = value->cooperative != 0;
        kernel->work.kernel.given = value->cooperative;
    } else if (attribute == hipLaunchAttributePriority) {
        kernel->work.kernel.priority = value->priority < -1 ? -1 : value->priority > 1 ? 1 : value->priority;
        kernel->work.kernel.given = kernel->work.kernel.priority;
    } else { /* a hint, kept for the program that asks; the device has no room to set aside */
        const hipAccessPolicyWindow *window = &value->accessPolicyWindow;
        API_REQUIRE(window->hitRatio >= 0 && window->hitRatio <= 1 && window->missProp != hipAccessPropertyPersisting &&
                        window->num_bytes == 0,
                    hipErrorInvalidValue);
        API_TRY(wl_work_describe(&kernel->work, window, sizeof *window));
    }
    kernel->work.kernel.attribute = attribute;
    API_SUCCESS();
}

hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute, hipKernelNodeAttrValue *value) {
    API_REQUIRE(value != NULL && is_attribute(attribute), hipErrorInvalidValue);
    API_NODE_OF(kernel, node, WL_NODE_KERNEL);
    unsigned set = kernel->work.kernel.attribute;
    API_REQUIRE(set == 0 || set == attribute, hipErrorInvalidValue);
    /* Only the member that is asked for: the union was smaller in HIP 5. */
    if (attribute == hipLaunchAttributeCooperative)
        value->cooperative = set ? kernel->work.kernel.given : kernel->work.kernel.request.cooperative;
    else if (attribute == hipLaunchAttributePriority)
        value->priority = set ? kernel->work.kernel.given : kernel->work.kernel.priority;
    else if (!kernel->work.description)
        memset(&value->accessPolicyWindow, 0, sizeof value->accessPolicyWindow);
    else
        memcpy(&value->accessPolicyWindow, kernel->work.description, sizeof value->accessPolicyWindow);
    API_SUCCESS();
}

hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to) {
    API_NODE_OF(source, from, WL_NODE_KERNEL);
    API_NODE_OF(target, to, WL_NODE_KERNEL);
    unsigned set = target->work.kernel.attribute;
    API_REQUIRE(set == 0 || set == source->work.kernel.attribute, hipErrorInvalidContext);
    API_RETURN(wl_work_copy_attributes(&source->work, &target->work));
}

/* ---- copies ---------------------------------------------------------------------------------- */

hipError_t hipGraphAddMemcpyNode(NODE_PARAMETERS, const hipMemcpy3DParms *params) { ADD(wl_api_work_copy(__func__, params, &work)); }

hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *params) {
    SET(wl_api_work_copy(__func__, params, &work));
}

/* As it was given; of a copy that was given otherwise, the same copy in these terms. */
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(copy, node, WL_NODE_COPY);
    const struct wl_copy *work = &copy->work.copy;
    if (copy->work.description_size == sizeof *params) {
        memcpy(params, copy->work.description, sizeof *params);
        API_SUCCESS();
    }
    memset(params, 0, sizeof *params);
    size_t source_rows = work->source_pitch && work->source_slice ? work->source_slice / work->source_pitch : work->rows;
    size_t target_rows = work->target_pitch && work->target_slice ? work->target_slice / work->target_pitch : work->rows;
    params->srcPtr = make_hipPitchedPtr((void *)(uintptr_t)work->source, work->source_pitch, work->width, source_rows);
    params->dstPtr = make_hipPitchedPtr(work->target, work->target_pitch, work->width, target_rows);
    params->extent = make_hipExtent(work->width, work->rows, work->slices);
    params->kind = (hipMemcpyKind)work->given;
    API_SUCCESS();
}

hipError_t hipGraphAddMemcpyNode1D(NODE_PARAMETERS, void *dst, const void *src, size_t size, hipMemcpyKind kind) {
    ADD(wl_api_work_line(__func__, dst, src, size, kind, &work));
}

hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src, size_t size, hipMemcpyKind kind) {
    API_REQUIRE(dst != src, hipErrorInvalidValue);
    SET(wl_api_work_line(__func__, dst, src, size, kind, &work));
}

hipError_t hipGraphAddMemcpyNodeFromSymbol(NODE_PARAMETERS, void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind) {
    ADD(wl_api_work_symbol(__func__, symbol, false, dst, size, offset, kind, &work));
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst, const void *symbol, size_t size, size_t offset,
                                                 hipMemcpyKind kind) {
    API_REQUIRE(symbol != NULL, hipErrorInvalidSymbol);
    SET(wl_api_work_other_symbol(__func__, symbol, false, dst, size, offset, kind, &work));
}

hipError_t hipGraphAddMemcpyNodeToSymbol(NODE_PARAMETERS, const void *symbol, const void *src, size_t size, size_t offset,
                                         hipMemcpyKind kind) {
    ADD(wl_api_work_symbol(__func__, symbol, true, (void *)(uintptr_t)src, size, offset, kind, &work));
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol, const void *src, size_t size, size_t offset,
                                               hipMemcpyKind kind) {
    API_REQUIRE(symbol != NULL, hipErrorInvalidSymbol);
    SET(wl_api_work_other_symbol(__func__, symbol, true, (void *)(uintptr_t)src, size, offset, kind, &work));
}

hipError_t hipDrvGraphAddMemcpyNode(NODE_PARAMETERS, const HIP_MEMCPY3D *params, hipCtx_t context) {
    API_REQUIRE(context != NULL, hipErrorInvalidValue);
    ADD(wl_api_work_driver_copy(__func__, params, context, &work));
}

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *params) {
    SET(wl_api_work_driver_copy(__func__, params, NULL, &work));
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(copy, node, WL_NODE_COPY);
    const struct wl_copy *work = &copy->work.copy;
    if (copy->work.description_size == sizeof *params) {
        memcpy(params, copy->work.description, sizeof *params);
        API_SUCCESS();
    }
    memset(params, 0, sizeof *params);
    params->srcMemoryType = params->dstMemoryType = hipMemoryTypeUnified;
    params->srcDevice = (hipDeviceptr_t)(uintptr_t)work->source;
    params->dstDevice = work->target;
    params->srcPitch = work->source_pitch;
    params->dstPitch = work->target_pitch;
    params->srcHeight = work->source_pitch && work->source_slice ? work->source_slice / work->source_pitch : work->rows;
    params->dstHeight = work->target_pitch && work->target_slice ? work->target_slice / work->target_pitch : work->rows;
    params->WidthInBytes = work->width;
    params->Height = work->rows;
    params->Depth = work->slices;
    API_SUCCESS();
}

/* ---- fills ----------------------------------------------------------------------------------- */

hipError_t hipGraphAddMemsetNode(NODE_PARAMETERS, const hipMemsetParams *params) { ADD(wl_api_work_fill(__func__, params, &work)); }

hipError_t hipDrvGraphAddMemsetNode(NODE_PARAMETERS, const HIP_MEMSET_NODE_PARAMS *params, hipCtx_t context) {
    ADD(wl_api_work_driver_fill(__func__, params, context, &work));
}

hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *params) {
    SET(wl_api_work_fill(__func__, params, &work));
}

hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(fill, node, WL_NODE_FILL);
    const struct wl_fill *work = &fill->work.fill;
    memset(params, 0, sizeof *params);
    params->dst = work->target;
    params->elementSize = work->pattern_size;
    params->height = work->rows;
    params->pitch = work->pitch;
    params->value = work->pattern;
    params->width = work->width;
    API_SUCCESS();
}

/* ---- host functions, graphs, nothing ----------------------------------------------------------- */

hipError_t hipGraphAddHostNode(NODE_PARAMETERS, const hipHostNodeParams *params) { ADD(wl_api_work_host(__func__, params, &work)); }

hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *params) {
    SET(wl_api_work_host(__func__, params, &work));
}

hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(host, node, WL_NODE_HOST);
    *params = (hipHostNodeParams){host->work.host.function, host->work.host.argument};
    API_SUCCESS();
}

hipError_t hipGraphAddChildGraphNode(NODE_PARAMETERS, hipGraph_t child) { ADD(wl_api_work_child(__func__, child, &work)); }

hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph) {
    API_REQUIRE(graph != NULL, hipErrorInvalidValue);
    API_NODE_OF(child, node, WL_NODE_GRAPH);
    *graph = (hipGraph_t)child->work.child;
    API_SUCCESS();
}

hipError_t hipGraphAddEmptyNode(NODE_PARAMETERS) { ADD((work = (struct wl_work){.kind = WL_NODE_EMPTY}, hipSuccess)); }

/* ---- events ---------------------------------------------------------------------------------- */

hipError_t hipGraphAddEventRecordNode(NODE_PARAMETERS, hipEvent_t event) { ADD(wl_api_work_event(__func__, event, true, &work)); }

hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event) { SET(wl_api_work_event(__func__, event, true, &work)); }

hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {
    API_REQUIRE(event != NULL, hipErrorInvalidValue);
    API_NODE_OF(record, node, WL_NODE_EVENT_RECORD);
    *event = (hipEvent_t)record->work.event;
    API_SUCCESS();
}

hipError_t hipGraphAddEventWaitNode(NODE_PARAMETERS, hipEvent_t event) { ADD(wl_api_work_event(__func__, event, false, &work)); }

hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event) { SET(wl_api_work_event(__func__, event, false, &work)); }

hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event) {
    API_REQUIRE(event != NULL, hipErrorInvalidValue);
    API_NODE_OF(wait, node, WL_NODE_EVENT_WAIT);
    *event = (hipEvent_t)wait->work.event;
    API_SUCCESS();
}

/* ---- memory ---------------------------------------------------------------------------------- */

hipError_t hipGraphAddMemAllocNode(NODE_PARAMETERS, hipMemAllocNodeParams *params) { ADD(wl_api_work_allocate(__func__, params, &work)); }

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(allocation, node, WL_NODE_ALLOCATE);
    memset(params, 0, sizeof *params);
    if (allocation->work.description) {
        memcpy(params, allocation->work.description, sizeof *params);
    } else { /* captured */
        params->poolProps.allocType = hipMemAllocationTypePinned;
        params->poolProps.location.type = hipMemLocationTypeDevice;
        params->poolProps.location.id = (int)allocation->work.context->index;
        params->bytesize = wl_graph_memory_size(allocation->work.memory);
        params->dptr = wl_graph_memory_address(allocation->work.memory);
    }
    API_SUCCESS();
}

/* Memory has one such node at a time. */
static hipError_t claim(const char *function, hipError_t made, struct wl_work *work) {
    if (made != hipSuccess)
        return made;
    work->claims = wl_graph_memory_claim(wl_graph_memory_at(work->address));
    return work->claims ? hipSuccess : wl_api_fail(function, hipErrorInvalidValue, "another node frees the memory");
}

hipError_t hipGraphAddMemFreeNode(NODE_PARAMETERS, void *ptr) {
    API_REQUIRE(dependencies == NULL || count > 0, hipErrorInvalidValue);
    ADD(claim(__func__, wl_api_work_free(__func__, ptr, &work), &work));
}

hipError_t hipDrvGraphAddMemFreeNode(NODE_PARAMETERS, hipDeviceptr_t ptr) {
    API_REQUIRE(dependencies == NULL || count > 0, hipErrorInvalidValue);
    ADD(wl_api_work_free(__func__, ptr, &work));
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *ptr) {
    API_REQUIRE(ptr != NULL, hipErrorInvalidValue);
    API_NODE_OF(release, node, WL_NODE_FREE);
    *(void **)ptr = release->work.address;
    API_SUCCESS();
}

/* ---- stream memory operations ------------------------------------------------------------------ */

hipError_t hipGraphAddBatchMemOpNode(NODE_PARAMETERS, const hipBatchMemOpNodeParams *params) {
    ADD(wl_api_work_values(__func__, params, &work));
}

hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *params) {
    SET(wl_api_work_values(__func__, params, &work));
}

static void describe_value(const struct wl_stream_value *value, hipStreamBatchMemOpParams *params) {
    static const unsigned conditions[] = {[WL_VALUE_GEQ] = hipStreamWaitValueGte,
                                          [WL_VALUE_EQ] = hipStreamWaitValueEq,
                                          [WL_VALUE_AND] = hipStreamWaitValueAnd,
                                          [WL_VALUE_NOR] = hipStreamWaitValueNor};
    memset(params, 0, sizeof *params);
    if (value->operation == WL_VALUE_BARRIER) {
        params->operation = hipStreamMemOpBarrier;
        return;
    }
    bool wide = value->size == 8, write = value->operation == WL_VALUE_WRITE;
    params->waitValue.address = value->address;
    params->waitValue.value64 = value->value;
    params->waitValue.flags = write ? 0 : conditions[value->operation];
    params->waitValue.operation = write ? (wide ? hipStreamMemOpWriteValue64 : hipStreamMemOpWriteValue32)
                                        : (wide ? hipStreamMemOpWaitValue64 : hipStreamMemOpWaitValue32);
}

/* The list stays the node's. A captured operation gets its description now. */
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(batch, node, WL_NODE_VALUES);
    if (!batch->work.description) {
        struct {
            hipBatchMemOpNodeParams params;
            hipStreamBatchMemOpParams list[WL_API_BATCH];
        } made;
        memset(&made, 0, sizeof made);
        made.params.count = batch->work.values.count;
        for (unsigned i = 0; i < made.params.count; i++)
            describe_value(&batch->work.values.values[i], &made.list[i]);
        API_TRY(wl_work_describe(&batch->work, &made, sizeof made.params + made.params.count * sizeof made.list[0]));
    }
    memcpy(params, batch->work.description, sizeof *params);
    params->paramArray = (hipStreamBatchMemOpParams *)(void *)((char *)batch->work.description + sizeof *params);
    API_SUCCESS();
}

/* ---- external semaphores ----------------------------------------------------------------------- */

hipError_t hipGraphAddExternalSemaphoresSignalNode(NODE_PARAMETERS, const hipExternalSemaphoreSignalNodeParams *params) {
    ADD(wl_api_work_signal(__func__, params, &work));
}

hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(hipGraphNode_t node, const hipExternalSemaphoreSignalNodeParams *params) {
    SET(wl_api_work_signal(__func__, params, &work));
}

hipError_t hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t node, hipExternalSemaphoreSignalNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(signal, node, WL_NODE_SIGNAL);
    memcpy(params, signal->work.description, sizeof *params);
    API_SUCCESS();
}

hipError_t hipGraphAddExternalSemaphoresWaitNode(NODE_PARAMETERS, const hipExternalSemaphoreWaitNodeParams *params) {
    ADD(wl_api_work_wait(__func__, params, &work));
}

hipError_t hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t node, const hipExternalSemaphoreWaitNodeParams *params) {
    SET(wl_api_work_wait(__func__, params, &work));
}

hipError_t hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t node, hipExternalSemaphoreWaitNodeParams *params) {
    API_REQUIRE(params != NULL, hipErrorInvalidValue);
    API_NODE_OF(wait, node, WL_NODE_WAIT);
    memcpy(params, wait->work.description, sizeof *params);
    API_SUCCESS();
}
