/* Every kind of a graph's nodes: parameters, of the node and in executables, and what it does. */
#include "../bystander.h"
#include "graph_test.h"

#include <stdbool.h>
#include <unistd.h>

static void test_kernel_node(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    struct add_arguments arguments;
    hipKernelNodeParams params = add_params(&arguments, 0, 5), seen;
    hipGraphNode_t node = NULL, other = NULL;
    fails(hipErrorInvalidValue, hipGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    params.func = NULL;
    fails(hipErrorInvalidValue, hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    params.func = words;
    fails(hipErrorInvalidDeviceFunction, hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    params.func = (void *)(uintptr_t)stub_add; /* a host stub, as compilers know kernels */
    params.blockDim.x = 0;
    assert_int_not_equal(hipGraphAddKernelNode(&node, graph, NULL, 0, &params), hipSuccess);
    params.blockDim.x = 64;
    ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
    assert_int_equal(type_of(node), hipGraphNodeTypeKernel);
    ok(hipGraphKernelNodeGetParams(node, &seen));
    assert_ptr_equal(seen.func, (void *)(uintptr_t)stub_add);
    assert_int_equal(seen.gridDim.x, 1);
    assert_int_equal(seen.sharedMemBytes, 0);
    assert_ptr_equal(*(int **)seen.kernelParams[0], words);
    assert_int_equal(*(int *)seen.kernelParams[1], 5);
    /* What was asked for can be given back. */
    seen.gridDim.x = 2;
    ok(hipGraphKernelNodeSetParams(node, &seen));
    ok(hipGraphKernelNodeGetParams(node, &seen));
    assert_int_equal(seen.gridDim.x, 2);
    assert_int_equal(*(int *)seen.kernelParams[1], 5);
    params = add_params(&arguments, 1, 7);
    struct {
        int *values;
        int value, count;
    } packed = {&words[1], 7, 1};
    size_t size = sizeof packed;
    void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
    params.kernelParams = NULL;
    params.extra = extra;
    ok(hipGraphAddKernelNode(&other, graph, NULL, 0, &params));
    /* Arguments that were given as a list are shown as one; what was shown can be changed and given back again and again. */
    hipKernelNodeParams listed;
    ok(hipGraphKernelNodeGetParams(other, &listed));
    assert_null(listed.kernelParams);
    assert_ptr_equal(listed.extra[0], HIP_LAUNCH_PARAM_BUFFER_POINTER);
    assert_ptr_equal(listed.extra[2], HIP_LAUNCH_PARAM_BUFFER_SIZE);
    assert_int_equal(*(size_t *)listed.extra[3], size);
    assert_ptr_equal(listed.extra[4], HIP_LAUNCH_PARAM_END);
    assert_memory_equal(listed.extra[1], &packed, size);
    for (int value = 8; value < 10; value++) {
        memcpy((char *)listed.extra[1] + sizeof packed.values, &value, sizeof value);
        ok(hipGraphKernelNodeSetParams(other, &listed));
        *(int *)seen.kernelParams[1] = value;
        ok(hipGraphKernelNodeSetParams(node, &seen));
    }
    int changed = 10;
    seen.kernelParams[1] = &changed;
    ok(hipGraphKernelNodeSetParams(node, &seen));
    ok(hipGraphKernelNodeGetParams(node, &seen));
    assert_ptr_not_equal(seen.kernelParams[1], &changed);
    assert_int_equal(*(int *)seen.kernelParams[1], 10);
    changed = 5;
    seen.kernelParams[1] = &changed;
    ok(hipGraphKernelNodeSetParams(node, &seen));
    packed.value = 9;
    ok(hipGraphKernelNodeGetParams(other, &listed));
    assert_memory_equal(listed.extra[1], &packed, size);
    packed.value = 7;
    ok(hipGraphKernelNodeSetParams(other, &params));
    fails(hipErrorInvalidValue, hipGraphKernelNodeGetParams(node, NULL));
    fails(hipErrorInvalidValue, hipGraphKernelNodeGetParams(NULL, &seen));
    fails(hipErrorInvalidValue, hipGraphKernelNodeSetParams(node, NULL));
    /* Attributes. */
    hipKernelNodeAttrValue value;
    memset(&value, 0, sizeof value);
    ok(hipGraphKernelNodeGetAttribute(node, hipKernelNodeAttributeCooperative, &value));
    assert_int_equal(value.cooperative, 0);
    value.cooperative = 2;
    ok(hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeCooperative, &value));
    ok(hipGraphKernelNodeCopyAttributes(node, other));
    value.cooperative = 0;
    ok(hipGraphKernelNodeGetAttribute(other, hipKernelNodeAttributeCooperative, &value));
    assert_int_equal(value.cooperative, 2);                                                                     /* as it was given */
    fails(hipErrorInvalidValue, hipGraphKernelNodeGetAttribute(other, hipKernelNodeAttributePriority, &value)); /* another was set */
    value.priority = -9;
    ok(hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributePriority, &value));
    ok(hipGraphKernelNodeGetAttribute(node, hipKernelNodeAttributePriority, &value));
    assert_int_equal(value.priority, -1); /* clamped */
    fails(hipErrorInvalidContext, hipGraphKernelNodeCopyAttributes(node, other));
    value.accessPolicyWindow = (hipAccessPolicyWindow){words, hipAccessPropertyStreaming, 0.5f, hipAccessPropertyNormal, 0};
    ok(hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeAccessPolicyWindow, &value));
    memset(&value, 0, sizeof value);
    ok(hipGraphKernelNodeGetAttribute(node, hipKernelNodeAttributeAccessPolicyWindow, &value));
    assert_ptr_equal(value.accessPolicyWindow.base_ptr, words);
    value.accessPolicyWindow.num_bytes = 1; /* the device sets nothing aside */
    fails(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeAccessPolicyWindow, &value));
    value.accessPolicyWindow.num_bytes = 0;
    value.accessPolicyWindow.hitRatio = 2;
    fails(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeAccessPolicyWindow, &value));
    fails(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(node, (hipKernelNodeAttrID)77, &value));
    fails(hipErrorInvalidValue, hipGraphKernelNodeGetAttribute(node, hipKernelNodeAttributePriority, NULL));
    value.cooperative = 0;
    ok(hipGraphKernelNodeSetAttribute(node, hipKernelNodeAttributeCooperative, &value));
    ok(hipGraphKernelNodeSetAttribute(other, hipKernelNodeAttributeCooperative, &value));
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[0], 5);
    assert_int_equal(words[1], 7);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

static void test_copy_nodes(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t node = NULL, second = NULL, third = NULL;
    static int source[6][8], result[6][8], line[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    void *device = NULL;
    size_t pitch = 0;
    for (int i = 0; i < 48; i++)
        source[i / 8][i % 8] = i + 1;
    ok(hipMallocPitch(&device, &pitch, 32, 6));
    hipMemcpy3DParms up = {
        .srcPtr = {source, 32, 32, 6}, .dstPtr = {device, pitch, 32, 6}, .extent = {32, 6, 1}, .kind = hipMemcpyHostToDevice};
    hipMemcpy3DParms down = {
        .srcPtr = {device, pitch, 32, 6}, .dstPtr = {result, 32, 32, 6}, .extent = {32, 6, 1}, .kind = hipMemcpyDeviceToHost};
    hipMemcpy3DParms seen;
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNode(&node, graph, NULL, 0, NULL));
    ok(hipGraphAddMemcpyNode(&node, graph, NULL, 0, &up));
    ok(hipGraphAddMemcpyNode1D(&second, graph, &node, 1, (char *)device + pitch, line, sizeof line, hipMemcpyHostToDevice));
    ok(hipGraphAddMemcpyNode(&third, graph, &second, 1, &down));
    assert_int_equal(type_of(second), hipGraphNodeTypeMemcpy);
    ok(hipGraphMemcpyNodeGetParams(node, &seen));
    assert_ptr_equal(seen.srcPtr.ptr, source);
    assert_ptr_equal(seen.dstPtr.ptr, device);
    assert_int_equal(seen.dstPtr.pitch, pitch);
    assert_int_equal(seen.extent.height, 6);
    assert_int_equal(seen.kind, hipMemcpyHostToDevice);
    ok(hipGraphMemcpyNodeGetParams(second, &seen));
    assert_ptr_equal(seen.srcPtr.ptr, line);
    assert_int_equal(seen.extent.width, sizeof line);
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(result[0][0], 1);
    assert_int_equal(result[1][7], 8);
    assert_int_equal(result[2][0], 17);
    assert_int_equal(result[5][7], 48);
    /* In the executable only. */
    ok(hipGraphExecMemcpyNodeSetParams1D(exec, second, (char *)device + 2 * pitch, line, sizeof line, hipMemcpyHostToDevice));
    source[1][7] = 1000;
    run(exec);
    assert_int_equal(result[1][7], 1000);
    assert_int_equal(result[2][0], 1);
    up.kind = hipMemcpyDefault; /* the direction stays, and in an executable whatever is wrong is the same error */
    fails(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams(exec, node, &up));
    up.kind = hipMemcpyHostToDevice;
    up.extent.width = 4096;
    fails(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams(exec, node, &up));
    up.extent.width = 32;
    fails(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams1D(exec, second, device, line, sizeof line, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams1D(exec, second, device, device, sizeof line, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParams1D(second, device, device, sizeof line, hipMemcpyDeviceToDevice));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParams1D(second, device, line, sizeof line, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&third, graph, NULL, 0, line, device, sizeof line, hipMemcpyHostToDevice));
    up.extent.height = 1;
    ok(hipGraphExecMemcpyNodeSetParams(exec, node, &up));
    source[1][7] = 2000;
    run(exec);
    assert_int_equal(result[1][7], 1000);
    /* In the graph, for later executables. */
    ok(hipGraphMemcpyNodeSetParams(node, &up));
    ok(hipGraphMemcpyNodeSetParams1D(second, (char *)device + 3 * pitch, line, 4, hipMemcpyHostToDevice));
    ok(hipGraphMemcpyNodeGetParams(second, &seen));
    assert_int_equal(seen.extent.width, 4);
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParams(node, NULL));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeGetParams(node, NULL));
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, NULL, line, 4, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, NULL, 4, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, line, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidMemcpyDirection, hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, line, 4, (hipMemcpyKind)99));
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, line, pitch * 6 + 1, hipMemcpyHostToDevice));
    HIP_MEMCPY3D driver, back;
    memset(&driver, 0, sizeof driver);
    driver.srcMemoryType = hipMemoryTypeHost;
    driver.srcHost = line;
    driver.dstMemoryType = hipMemoryTypeDevice;
    driver.dstDevice = device;
    driver.WidthInBytes = 32;
    driver.Height = driver.Depth = 1;
    hipGraph_t plain = new_graph();
    hipCtx_t context = NULL;
    ok(hipCtxGetCurrent(&context));
    fails(hipErrorInvalidValue, hipDrvGraphAddMemcpyNode(&node, plain, NULL, 0, &driver, NULL));
    ok(hipDrvGraphAddMemcpyNode(&node, plain, NULL, 0, &driver, context));
    ok(hipDrvGraphMemcpyNodeGetParams(node, &back));
    assert_int_equal(back.WidthInBytes, 32);
    assert_ptr_equal(back.dstDevice, device);
    assert_int_equal(back.srcMemoryType, hipMemoryTypeHost); /* as it was given */
    driver.WidthInBytes = 16;
    ok(hipDrvGraphMemcpyNodeSetParams(node, &driver));
    hipGraphExec_t other = instantiate(plain);
    ok(hipMemset(device, 0, 32));
    run(other);
    int check[8];
    ok(hipMemcpy(check, device, 32, hipMemcpyDeviceToHost));
    assert_int_equal(check[3], 4);
    assert_int_equal(check[4], 0);
    driver.WidthInBytes = 24;
    ok(hipDrvGraphExecMemcpyNodeSetParams(other, node, &driver, NULL));
    run(other);
    ok(hipMemcpy(check, device, 32, hipMemcpyDeviceToHost));
    assert_int_equal(check[5], 6);
    ok(hipGraphExecDestroy(other));
    ok(hipGraphDestroy(plain));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipFree(device));
}

static void test_symbol_nodes(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t to = NULL, from = NULL;
    static int values[4] = {10, 20, 30, 40}, result[4];
    ok(hipGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, shadow_table, values, 8, 8, hipMemcpyHostToDevice));
    ok(hipGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, result, shadow_table, 16, 0, hipMemcpyDeviceToHost));
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(result[0], 1);
    assert_int_equal(result[2], 10);
    assert_int_equal(result[3], 20);
    ok(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, shadow_table, values, 4, 0, hipMemcpyHostToDevice));
    ok(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, result, shadow_table, 4, 0, hipMemcpyDeviceToHost));
    run(exec);
    assert_int_equal(result[0], 10);
    /* The kind stays and fits the pointer, and not both sides are symbols. */
    fails(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParamsToSymbol(exec, to, shadow_table, values, 4, 0, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, from, result, shadow_table, 4, 0, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParamsToSymbol(to, shadow_table, shadow_table, 4, 0, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParamsToSymbol(to, shadow_table, &shadow_counter, 4, 0, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParamsFromSymbol(from, &shadow_counter, shadow_table, 4, 0, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParamsToSymbol(to, shadow_table, values, 4, 0, hipMemcpyDeviceToDevice));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParamsToSymbol(to, shadow_table, values, 4, 0, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidMemcpyDirection, hipGraphMemcpyNodeSetParamsFromSymbol(from, result, shadow_table, 4, 0, hipMemcpyDeviceToDevice));
    fails(hipErrorInvalidSymbol, hipGraphMemcpyNodeSetParamsFromSymbol(NULL, result, NULL, 4, 0, hipMemcpyDeviceToHost));
    void *device = NULL;
    ok(hipMalloc(&device, 16));
    fails(hipErrorInvalidMemcpyDirection, hipGraphMemcpyNodeSetParamsFromSymbol(from, device, shadow_table, 4, 0, hipMemcpyDeviceToHost));
    ok(hipGraphMemcpyNodeSetParamsFromSymbol(from, device, shadow_table, 4, 0, hipMemcpyDeviceToDevice));
    ok(hipGraphMemcpyNodeSetParamsFromSymbol(from, words, shadow_table, 4, 0, hipMemcpyDeviceToHost)); /* pinned: both */
    ok(hipFree(device));
    ok(hipGraphMemcpyNodeSetParamsToSymbol(to, &shadow_counter, values, 4, 0, hipMemcpyHostToDevice));
    ok(hipGraphMemcpyNodeSetParamsFromSymbol(from, result, &shadow_counter, 4, 0, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidSymbol, hipGraphMemcpyNodeSetParamsToSymbol(to, words, values, 4, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipGraphMemcpyNodeSetParamsToSymbol(to, &shadow_counter, values, 8, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipGraphAddMemcpyNodeToSymbol(&to, graph, NULL, 0, &shadow_counter, NULL, 4, 0, hipMemcpyHostToDevice));
    fails(hipErrorInvalidMemcpyDirection,
          hipGraphAddMemcpyNodeFromSymbol(&to, graph, NULL, 0, result, &shadow_counter, 4, 0, hipMemcpyHostToDevice));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

static void test_fill_node(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t node = NULL, second = NULL;
    unsigned char *device = NULL, result[96];
    ok(hipMalloc((void **)&device, 96));
    ok(hipMemset(device, 0, 96));
    hipMemsetParams params = {.dst = device, .elementSize = 2, .height = 3, .pitch = 32, .value = 0xa1b2, .width = 4}, seen;
    ok(hipGraphAddMemsetNode(&node, graph, NULL, 0, &params));
    ok(hipGraphMemsetNodeGetParams(node, &seen));
    assert_ptr_equal(seen.dst, device);
    assert_int_equal(seen.elementSize, 2);
    assert_int_equal(seen.height, 3);
    assert_int_equal(seen.pitch, 32);
    assert_int_equal(seen.value, 0xa1b2);
    assert_int_equal(seen.width, 4);
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    ok(hipMemcpy(result, device, 96, hipMemcpyDeviceToHost));
    assert_int_equal(result[0], 0xb2);
    assert_int_equal(result[7], 0xa1);
    assert_int_equal(result[8], 0);
    assert_int_equal(result[64 + 7], 0xa1);
    params.value = 0x3344;
    ok(hipGraphExecMemsetNodeSetParams(exec, node, &params));
    run(exec);
    ok(hipMemcpy(result, device, 96, hipMemcpyDeviceToHost));
    assert_int_equal(result[33], 0x33);
    HIP_MEMSET_NODE_PARAMS driver = {device, 32, 0x5566, 2, 4, 3};
    ok(hipDrvGraphExecMemsetNodeSetParams(exec, node, &driver, NULL));
    run(exec);
    ok(hipMemcpy(result, device, 96, hipMemcpyDeviceToHost));
    assert_int_equal(result[32], 0x66);
    assert_int_equal(result[39], 0x55);
    assert_int_equal(result[40], 0);
    /* Several rows stay the same in an executable. */
    params.width = 2;
    fails(hipErrorInvalidValue, hipGraphExecMemsetNodeSetParams(exec, node, &params));
    params.width = 4;
    params.height = 2;
    fails(hipErrorInvalidValue, hipGraphExecMemsetNodeSetParams(exec, node, &params));
    params.height = 1;
    ok(hipGraphExecMemsetNodeSetParams(exec, node, &params));
    params.pitch = 97; /* rows with this pitch would leave the memory */
    fails(hipErrorInvalidValue, hipGraphExecMemsetNodeSetParams(exec, node, &params));
    params.pitch = 32;
    params.height = 3;
    params.elementSize = 3;
    fails(hipErrorInvalidValue, hipGraphAddMemsetNode(&second, graph, NULL, 0, &params));
    params.elementSize = 2;
    params.pitch = 4;
    fails(hipErrorInvalidValue, hipGraphAddMemsetNode(&second, graph, NULL, 0, &params));
    params.pitch = 32;
    params.height = 4;
    fails(hipErrorInvalidValue, hipGraphAddMemsetNode(&second, graph, NULL, 0, &params)); /* runs over the end */
    params.dst = NULL;
    fails(hipErrorInvalidValue, hipGraphMemsetNodeSetParams(node, &params));
    fails(hipErrorInvalidValue, hipGraphMemsetNodeSetParams(node, NULL));
    fails(hipErrorInvalidValue, hipGraphMemsetNodeGetParams(node, NULL));
    params = (hipMemsetParams){.dst = device, .elementSize = 4, .height = 1, .value = 9, .width = 1};
    driver.elementSize = 4;
    driver.height = driver.width = 1;
    ok(hipDrvGraphAddMemsetNode(&second, graph, &node, 1, &driver, NULL));
    ok(hipGraphMemsetNodeGetParams(second, &seen));
    assert_int_equal(seen.elementSize, 4);
    assert_int_equal(seen.value, 0x5566);
    fails(hipErrorInvalidValue, hipDrvGraphAddMemsetNode(&second, graph, &node, 1, NULL, NULL));
    ok(hipGraphMemsetNodeSetParams(node, &params));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipFree(device));
}

static void add_hundred(void *argument) { *(int *)argument += 100; }

static void test_host_event_and_empty_nodes(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t node = NULL, record = NULL, wait = NULL, empty = NULL;
    hipHostNodeParams params = {add_one, &words[0]}, seen;
    hipEvent_t event = NULL, other = NULL, asked = NULL;
    ok(hipEventCreate(&event));
    ok(hipEventCreate(&other));
    ok(hipGraphAddHostNode(&node, graph, NULL, 0, &params));
    ok(hipGraphAddEventRecordNode(&record, graph, &node, 1, event));
    ok(hipGraphAddEventWaitNode(&wait, graph, &record, 1, event));
    ok(hipGraphAddEmptyNode(&empty, graph, &wait, 1));
    assert_int_equal(type_of(node), hipGraphNodeTypeHost);
    assert_int_equal(type_of(record), hipGraphNodeTypeEventRecord);
    assert_int_equal(type_of(wait), hipGraphNodeTypeWaitEvent);
    assert_int_equal(type_of(empty), hipGraphNodeTypeEmpty);
    ok(hipGraphHostNodeGetParams(node, &seen));
    assert_ptr_equal(seen.userData, &words[0]);
    ok(hipGraphEventRecordNodeGetEvent(record, &asked));
    assert_ptr_equal(asked, event);
    ok(hipGraphEventWaitNodeGetEvent(wait, &asked));
    assert_ptr_equal(asked, event);
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[0], 1);
    ok(hipEventQuery(event));
    params.fn = add_hundred;
    ok(hipGraphExecHostNodeSetParams(exec, node, &params));
    ok(hipGraphExecEventRecordNodeSetEvent(exec, record, other));
    ok(hipGraphExecEventWaitNodeSetEvent(exec, wait, other));
    run(exec);
    assert_int_equal(words[0], 101);
    float ms = -1;
    ok(hipEventElapsedTime(&ms, event, other)); /* both were recorded */
    assert_true(ms >= 0);
    ok(hipGraphHostNodeSetParams(node, &params));
    ok(hipGraphEventRecordNodeSetEvent(record, other));
    ok(hipGraphEventWaitNodeSetEvent(wait, other));
    params.fn = NULL;
    fails(hipErrorInvalidValue, hipGraphHostNodeSetParams(node, &params));
    fails(hipErrorInvalidValue, hipGraphAddHostNode(&node, graph, NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipGraphAddEventRecordNode(&record, graph, NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipGraphAddEventWaitNode(&record, graph, NULL, 0, (hipEvent_t)words));
    fails(hipErrorInvalidValue, hipGraphEventRecordNodeGetEvent(wait, &asked)); /* another type */
    fails(hipErrorInvalidValue, hipGraphEventWaitNodeSetEvent(record, other));
    fails(hipErrorInvalidValue, hipGraphExecEventWaitNodeSetEvent(exec, record, other));
    ok(hipEventDestroy(other));
    fails(hipErrorInvalidValue, hipGraphLaunch(exec, stream)); /* the event is gone */
    ok(hipEventDestroy(event));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

static void test_batch_node(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipGraph_t graph = new_graph();
    hipGraphNode_t node = NULL;
    hipStreamBatchMemOpParams operations[2];
    memset(operations, 0, sizeof operations);
    operations[0].waitValue.operation = hipStreamMemOpWaitValue32;
    operations[0].waitValue.address = &words[0];
    operations[0].waitValue.value = 3;
    operations[1].writeValue.operation = hipStreamMemOpWriteValue32;
    operations[1].writeValue.address = &words[1];
    operations[1].writeValue.value = 4;
    hipBatchMemOpNodeParams params = {.count = 2, .paramArray = operations}, seen;
    ok(hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    assert_int_equal(type_of(node), hipGraphNodeTypeBatchMemOp);
    ok(hipGraphBatchMemOpNodeGetParams(node, &seen));
    assert_int_equal(seen.count, 2);
    assert_int_equal(seen.paramArray[1].writeValue.value, 4);
    hipGraphExec_t exec = instantiate(graph);
    ok(hipGraphLaunch(exec, stream));
    bystander_runs(&bystander);
    assert_int_equal(words[1], 0);
    __atomic_store_n(&words[0], 3, __ATOMIC_SEQ_CST);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(words[1], 4);
    operations[1].writeValue.value = 5;
    ok(hipGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    run(exec);
    assert_int_equal(words[1], 5);
    ok(hipGraphBatchMemOpNodeSetParams(node, &params));
    params.count = 0;
    fails(hipErrorInvalidValue, hipGraphAddBatchMemOpNode(&node, graph, NULL, 0, &params));
    fails(hipErrorInvalidValue, hipGraphBatchMemOpNodeGetParams(node, NULL));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    bystander_end(&bystander);
}

static void test_child_graph(void **state) {
    (void)state;
    hipGraph_t inner = new_graph(), outer = new_graph(), owned = NULL, empty = new_graph();
    hipGraphNode_t first = add_node(inner, NULL, 0, 0, 1), second = NULL, child = NULL, hollow = NULL, last = NULL, found = NULL;
    second = add_node(inner, &first, 1, 1, 10);
    ok(hipGraphAddChildGraphNode(&child, outer, NULL, 0, inner));
    ok(hipGraphAddChildGraphNode(&hollow, outer, &child, 1, empty));
    last = add_node(outer, &hollow, 1, 2, 100);
    assert_int_equal(type_of(child), hipGraphNodeTypeGraph);
    ok(hipGraphChildGraphNodeGetGraph(child, &owned));
    assert_ptr_not_equal(owned, inner);
    fails(hipErrorInvalidValue, hipGraphDestroy(owned)); /* the node's */
    ok(hipGraphNodeFindInClone(&found, second, owned));
    struct add_arguments arguments;
    hipKernelNodeParams params = add_params(&arguments, 1, 20);
    ok(hipGraphKernelNodeSetParams(found, &params)); /* changes the outer graph */
    hipGraphExec_t exec = instantiate(outer);
    run(exec);
    assert_int_equal(words[0], 1);
    assert_int_equal(words[1], 20);
    assert_int_equal(words[2], 100);
    params = add_params(&arguments, 1, 30);
    ok(hipGraphExecKernelNodeSetParams(exec, found, &params)); /* a node within */
    run(exec);
    assert_int_equal(words[1], 50);
    ok(hipGraphExecChildGraphNodeSetParams(exec, child, inner)); /* 10 again */
    run(exec);
    assert_int_equal(words[1], 60);
    fails(hipErrorUnknown, hipGraphExecChildGraphNodeSetParams(exec, child, outer)); /* the node's own graph */
    fails(hipErrorUnknown, hipGraphExecChildGraphNodeSetParams(exec, child, empty)); /* another shape */
    fails(hipErrorInvalidValue, hipGraphExecChildGraphNodeSetParams(exec, last, inner));
    fails(hipErrorInvalidValue, hipGraphAddChildGraphNode(&child, outer, NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipGraphChildGraphNodeGetGraph(last, &owned));
    fails(hipErrorInvalidValue, hipGraphChildGraphNodeGetGraph(child, NULL));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(inner));
    ok(hipGraphDestroy(empty));
    ok(hipGraphDestroy(outer));
}

/* There are no external semaphores, so that only empty lists can be launched. */
static void test_semaphore_nodes(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t signal = NULL, wait = NULL;
    hipExternalSemaphore_t list[1] = {NULL};
    hipExternalSemaphoreSignalParams values[1];
    hipExternalSemaphoreSignalNodeParams signals = {NULL, NULL, 0}, seen_signals;
    hipExternalSemaphoreWaitNodeParams waits = {NULL, NULL, 0}, seen_waits;
    memset(values, 0, sizeof values);
    ok(hipGraphAddExternalSemaphoresSignalNode(&signal, graph, NULL, 0, &signals));
    ok(hipGraphAddExternalSemaphoresWaitNode(&wait, graph, &signal, 1, &waits));
    (void)add_node(graph, &wait, 1, 0, 1);
    assert_int_equal(type_of(signal), hipGraphNodeTypeExtSemaphoreSignal);
    assert_int_equal(type_of(wait), hipGraphNodeTypeExtSemaphoreWait);
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[0], 1);
    signals = (hipExternalSemaphoreSignalNodeParams){list, values, 1};
    ok(hipGraphExternalSemaphoresSignalNodeSetParams(signal, &signals));
    ok(hipGraphExternalSemaphoresSignalNodeGetParams(signal, &seen_signals));
    assert_ptr_equal(seen_signals.extSemArray, list);
    assert_int_equal(seen_signals.numExtSems, 1);
    run(exec); /* as it was */
    ok(hipGraphExecExternalSemaphoresSignalNodeSetParams(exec, signal, &signals));
    fails(hipErrorInvalidValue, hipGraphLaunch(exec, stream));
    ok(hipGraphExternalSemaphoresWaitNodeSetParams(wait, &waits));
    ok(hipGraphExternalSemaphoresWaitNodeGetParams(wait, &seen_waits));
    assert_int_equal(seen_waits.numExtSems, 0);
    ok(hipGraphExecExternalSemaphoresWaitNodeSetParams(exec, wait, &waits));
    fails(hipErrorInvalidValue, hipGraphAddExternalSemaphoresWaitNode(&wait, graph, NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipGraphExternalSemaphoresSignalNodeGetParams(wait, &seen_signals));
    fails(hipErrorInvalidValue, hipGraphExternalSemaphoresWaitNodeSetParams(wait, NULL));
    fails(hipErrorInvalidValue, hipGraphExecExternalSemaphoresWaitNodeSetParams(NULL, wait, &waits));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* hipGraphAddNode knows every type. */
static void test_any_node(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), inner = new_graph();
    hipGraphNode_t nodes[8];
    struct add_arguments arguments;
    hipEvent_t event = NULL;
    ok(hipEventCreate(&event));
    hipGraphNodeParams params;
    memset(&params, 0, sizeof params);
    (void)add_node(inner, NULL, 0, 3, 1);
    params.type = hipGraphNodeTypeKernel;
    params.kernel = add_params(&arguments, 0, 2);
    ok(hipGraphAddNode(&nodes[0], graph, NULL, 0, &params));
    memset(&params, 0, sizeof params);
    params.type = hipGraphNodeTypeMemset;
    params.memset = (hipMemsetParams){.dst = &words[1], .elementSize = 4, .height = 1, .value = 6, .width = 1};
    ok(hipGraphAddNode(&nodes[1], graph, &nodes[0], 1, &params));
    memset(&params, 0, sizeof params);
    params.type = hipGraphNodeTypeMemcpy;
    params.memcpy.copyParams =
        (hipMemcpy3DParms){.srcPtr = {&words[1], 4, 4, 1}, .dstPtr = {&words[2], 4, 4, 1}, .extent = {4, 1, 1}, .kind = hipMemcpyDefault};
    ok(hipGraphAddNode(&nodes[2], graph, &nodes[1], 1, &params));
    memset(&params, 0, sizeof params);
    params.type = hipGraphNodeTypeHost;
    params.host = (hipHostNodeParams){add_one, &words[2]};
    ok(hipGraphAddNode(&nodes[3], graph, &nodes[2], 1, &params));
    memset(&params, 0, sizeof params);
    params.type = hipGraphNodeTypeGraph;
    params.graph.graph = inner;
    ok(hipGraphAddNode(&nodes[4], graph, &nodes[3], 1, &params));
    params.type = hipGraphNodeTypeEventRecord;
    params.eventRecord.event = event;
    ok(hipGraphAddNode(&nodes[5], graph, &nodes[4], 1, &params));
    params.type = hipGraphNodeTypeWaitEvent;
    ok(hipGraphAddNode(&nodes[6], graph, &nodes[5], 1, &params));
    params.type = hipGraphNodeTypeEmpty;
    ok(hipGraphAddNode(&nodes[7], graph, &nodes[6], 1, &params));
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[0], 2);
    assert_int_equal(words[2], 7);
    assert_int_equal(words[3], 1);
    memset(&params, 0, sizeof params);
    params.type = hipGraphNodeTypeMemset;
    params.memset = (hipMemsetParams){.dst = &words[1], .elementSize = 4, .height = 1, .value = 60, .width = 1};
    ok(hipGraphExecNodeSetParams(exec, nodes[1], &params));
    ok(hipGraphNodeSetParams(nodes[1], &params));
    run(exec);
    assert_int_equal(words[2], 61);
    fails(hipErrorInvalidValue, hipGraphExecNodeSetParams(exec, nodes[0], &params));
    fails(hipErrorInvalidValue, hipGraphNodeSetParams(nodes[0], &params));
    params.type = hipGraphNodeTypeMemAlloc;
    fails(hipErrorNotSupported, hipGraphNodeSetParams(nodes[0], &params));
    fails(hipErrorNotSupported, hipGraphExecNodeSetParams(exec, nodes[0], &params));
    params.type = hipGraphNodeTypeExtSemaphoreWait;
    fails(hipErrorNotSupported, hipGraphAddNode(&nodes[0], graph, NULL, 0, &params));
    params.type = (hipGraphNodeType)55;
    fails(hipErrorInvalidValue, hipGraphAddNode(&nodes[0], graph, NULL, 0, &params));
    fails(hipErrorInvalidValue, hipGraphAddNode(&nodes[0], graph, NULL, 0, NULL));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(inner));
    ok(hipEventDestroy(event));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_kernel_node, clear),
        cmocka_unit_test_setup(test_copy_nodes, clear),
        cmocka_unit_test_setup(test_symbol_nodes, clear),
        cmocka_unit_test_setup(test_fill_node, clear),
        cmocka_unit_test_setup(test_host_event_and_empty_nodes, clear),
        cmocka_unit_test_setup(test_batch_node, clear),
        cmocka_unit_test_setup(test_child_graph, clear),
        cmocka_unit_test_setup(test_semaphore_nodes, clear),
        cmocka_unit_test_setup(test_any_node, clear),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
