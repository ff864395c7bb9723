/* Stream capture: what becomes a node, forks and joins, modes, every documented error. */
#include "api_test.h"

#include <pthread.h>
#include <unistd.h>

static int *words; /* pinned */

static int setup(void **state) {
    (void)state;
    ok(hipHostMalloc((void **)&words, 4096, 0));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    ok(hipHostFree(words));
    return 0;
}

static int clear(void **state) {
    (void)state;
    memset(words, 0, 4096);
    return 0;
}

static hipStream_t new_stream(unsigned flags) {
    hipStream_t stream = NULL;
    ok(hipStreamCreateWithFlags(&stream, flags));
    return stream;
}

static hipEvent_t new_event(void) {
    hipEvent_t event = NULL;
    ok(hipEventCreateWithFlags(&event, hipEventDisableTiming));
    return event;
}

static void launch_set(hipStream_t stream, int index, int value) {
    int *word = &words[index];
    launch("set", stream, 1, 64, &word, &value);
}

static void launch_add(hipStream_t stream, int index, int value) {
    int *word = &words[index], count = 1;
    launch("add", stream, 1, 64, &word, &value, &count);
}

static void begin(hipStream_t stream) { ok(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal)); }

static hipGraph_t end(hipStream_t stream) {
    hipGraph_t graph = NULL;
    ok(hipStreamEndCapture(stream, &graph));
    assert_non_null(graph);
    return graph;
}

static size_t node_count(hipGraph_t graph) {
    size_t count = 0;
    ok(hipGraphGetNodes(graph, NULL, &count));
    return count;
}

static size_t edge_count(hipGraph_t graph) {
    size_t count = 0;
    ok(hipGraphGetEdges(graph, NULL, NULL, &count));
    return count;
}

static void run_graph(hipGraph_t graph, hipStream_t stream, int times) {
    hipGraphExec_t exec = NULL;
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int i = 0; i < times; i++)
        ok(hipGraphLaunch(exec, stream));
    ok(hipStreamSynchronize(stream));
    ok(hipGraphExecDestroy(exec));
}

static hipStreamCaptureStatus status_of(hipStream_t stream) {
    hipStreamCaptureStatus status = (hipStreamCaptureStatus)9;
    ok(hipStreamIsCapturing(stream, &status));
    return status;
}

/* Ends a capture that an error has spoilt. */
static void end_invalid(hipStream_t stream) {
    hipGraph_t graph = (hipGraph_t)words;
    assert_int_equal(status_of(stream), hipStreamCaptureStatusInvalidated);
    fails(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(stream, &graph));
    assert_null(graph);
    assert_int_equal(status_of(stream), hipStreamCaptureStatusNone);
}

static void count_calls(void *argument) { ++*(int *)argument; }

/* Every kind of work; nothing runs while it is captured, all of it at each launch. */
static void test_kinds(void **state) {
    (void)state;
    static int calls;
    hipStream_t stream = new_stream(0);
    int *device = NULL, source[4] = {1, 2, 3, 4}, result[4] = {0};
    ok(hipMalloc((void **)&device, 64));
    begin(stream);
    ok(hipMemcpyAsync(device, source, sizeof source, hipMemcpyHostToDevice, stream));
    int value = 10, count = 4;
    launch("add", stream, 1, 64, &device, &value, &count);
    ok(hipMemsetAsync(device + 3, 0x11, 4, stream));
    ok(hipMemcpyAsync(result, device, sizeof result, hipMemcpyDeviceToHost, stream));
    ok(hipLaunchHostFunc(stream, count_calls, &calls));
    ok(hipStreamWriteValue32(stream, &words[5], 77, 0));
    hipGraph_t graph = end(stream);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(calls, 0);
    assert_int_equal(result[0], 0);
    assert_int_equal(words[5], 0);
    hipGraphNode_t nodes[8];
    size_t number = 8;
    ok(hipGraphGetNodes(graph, nodes, &number));
    static const hipGraphNodeType expected[] = {hipGraphNodeTypeMemcpy, hipGraphNodeTypeKernel, hipGraphNodeTypeMemset,
                                                hipGraphNodeTypeMemcpy, hipGraphNodeTypeHost,   hipGraphNodeTypeBatchMemOp};
    assert_int_equal(number, 6);
    for (int i = 0; i < 6; i++) {
        hipGraphNodeType type = hipGraphNodeTypeCount;
        ok(hipGraphNodeGetType(nodes[i], &type));
        assert_int_equal(type, expected[i]);
    }
    assert_int_equal(edge_count(graph), 5);
    hipGraphExec_t exec = NULL;
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    for (int round = 1; round <= 3; round++) {
        source[0] = round; /* read when the graph runs, not when it was captured */
        ok(hipGraphLaunch(exec, stream));
        ok(hipStreamSynchronize(stream));
        assert_int_equal(result[0], round + 10);
        assert_int_equal(result[2], 13);
        assert_int_equal(result[3], 0x11111111);
        assert_int_equal(calls, round);
        assert_int_equal(words[5], 77);
    }
    hipKernelNodeParams kernel;
    ok(hipGraphKernelNodeGetParams(nodes[1], &kernel));
    assert_ptr_equal(kernel.func, test_kernel("add"));
    assert_int_equal(kernel.blockDim.x, 64);
    assert_int_equal(*(int *)kernel.kernelParams[1], 10);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipFree(device));
    ok(hipStreamDestroy(stream));
}

/* One stream forks into two by an event and joins by another. */
static void test_fork_and_join(void **state) {
    (void)state;
    hipStream_t first = new_stream(hipStreamNonBlocking), second = new_stream(hipStreamNonBlocking);
    hipEvent_t fork_event = new_event(), join_event = new_event();
    unsigned long long id = 0, other = 1;
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    begin(first);
    launch_set(first, 0, 1);
    ok(hipEventRecord(fork_event, first));
    assert_int_equal(status_of(second), hipStreamCaptureStatusNone);
    ok(hipStreamWaitEvent(second, fork_event, 0));
    ok(hipStreamGetCaptureInfo(first, &status, &id));
    assert_int_equal(status, hipStreamCaptureStatusActive);
    ok(hipStreamGetCaptureInfo(second, &status, &other));
    assert_int_equal(status, hipStreamCaptureStatusActive);
    assert_true(id == other);
    launch_add(second, 0, 10);
    launch_set(first, 1, 5);
    ok(hipEventRecord(join_event, second));
    ok(hipStreamWaitEvent(first, join_event, 0));
    launch_add(first, 0, 100);
    hipGraph_t graph = end(first);
    assert_int_equal(status_of(second), hipStreamCaptureStatusNone); /* it left with the end */
    assert_int_equal(node_count(graph), 4);
    assert_int_equal(edge_count(graph), 4);
    run_graph(graph, second, 1);
    assert_int_equal(words[0], 111);
    assert_int_equal(words[1], 5);
    ok(hipGraphDestroy(graph));
    ok(hipEventRecord(join_event, first)); /* an ordinary record makes it an ordinary event */
    ok(hipEventSynchronize(join_event));
    ok(hipEventDestroy(fork_event));
    ok(hipEventDestroy(join_event));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

static void test_state_errors(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraph_t graph = NULL;
    hipStreamCaptureStatus status;
    fails(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(NULL, hipStreamCaptureModeGlobal));
    fails(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(hipStreamLegacy, hipStreamCaptureModeRelaxed));
    fails(hipErrorInvalidValue, hipStreamBeginCapture(stream, (hipStreamCaptureMode)3));
    fails(hipErrorContextIsDestroyed, hipStreamBeginCapture((hipStream_t)words, (hipStreamCaptureMode)3));
    fails(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(NULL, (hipStreamCaptureMode)3));
    fails(hipErrorIllegalState, hipStreamUpdateCaptureDependencies(stream, NULL, 1, 9));
    fails(hipErrorIllegalState, hipStreamEndCapture(stream, &graph));
    fails(hipErrorInvalidValue, hipStreamEndCapture(stream, NULL));
    fails(hipErrorInvalidValue, hipStreamIsCapturing(stream, NULL));
    fails(hipErrorInvalidValue, hipStreamGetCaptureInfo(stream, NULL, NULL));
    ok(hipStreamGetCaptureInfo(stream, &status, NULL));
    assert_int_equal(status, hipStreamCaptureStatusNone);
    begin(stream);
    fails(hipErrorIllegalState, hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    graph = end(stream); /* that error did no harm */
    assert_int_equal(node_count(graph), 0);
    run_graph(graph, stream, 2);
    ok(hipGraphDestroy(graph));
    ok(hipStreamBeginCapture(hipStreamPerThread, hipStreamCaptureModeThreadLocal));
    launch_set(hipStreamPerThread, 3, 4);
    ok(hipStreamEndCapture(hipStreamPerThread, &graph));
    run_graph(graph, hipStreamPerThread, 1);
    assert_int_equal(words[3], 4);
    ok(hipGraphDestroy(graph));
    begin(stream);
    void *memory = NULL;
    ok(hipMallocAsync(&memory, 64, stream)); /* a node's */
    ok(hipStreamDestroy(stream));            /* takes the capture with it */
    fails(hipErrorContextIsDestroyed, hipStreamEndCapture(stream, &graph));
    ok(hipDeviceSynchronize());
}

/* Calls that must not be made: the error, and the capture is spoilt. */
static void test_unsupported(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking), other = new_stream(hipStreamNonBlocking);
    int *device = NULL;
    void *memory = NULL;
    hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    hipArray_t array = NULL, made = NULL;
    ok(hipMalloc((void **)&device, 64));
    ok(hipMallocArray(&array, &desc, 16, 0, 0));
    for (int i = 0; i < 17; i++) {
        begin(stream);
        hipError_t expected = hipErrorStreamCaptureUnsupported;
        switch (i) {
        case 0:
            fails(expected, hipStreamSynchronize(stream));
            break;
        case 1:
            fails(expected, hipStreamQuery(stream));
            break;
        case 2: /* another stream that does not capture */
            fails(expected, hipStreamSynchronize(other));
            break;
        case 3:
            fails(expected, hipStreamQuery(other));
            break;
        case 4:
            fails(expected, hipMalloc(&memory, 64));
            break;
        case 5:
            fails(expected, hipFree(device));
            break;
        case 6:
            fails(expected, hipDeviceSynchronize());
            break;
        case 7:
            fails(expected, hipHostMalloc(&memory, 64, 0));
            break;
        case 8: { /* an event of outside */
            hipEvent_t event = new_event();
            ok(hipEventRecord(event, other));
            fails(expected, hipEventSynchronize(event));
            ok(hipEventDestroy(event));
            break;
        }
        case 9:
            fails(expected, hipMallocManaged(&memory, 64, hipMemAttachGlobal));
            break;
        case 10:
            fails(expected, hipMallocArray(&made, &desc, 16, 0, 0));
            break;
        case 11:
            fails(expected, hipFreeArray(array));
            break;
        case 12:
            fails(expected, hipHostRegister(words, 64, 0));
            break;
        case 13: /* copies and fills that wait, also with the null stream alone */
            fails(hipErrorStreamCaptureImplicit, hipMemcpy(device, words, 64, hipMemcpyHostToDevice));
            break;
        case 14:
            fails(hipErrorStreamCaptureImplicit, hipMemset(device, 0, 64));
            break;
        case 15:
            fails(hipErrorStreamCaptureImplicit, hipMemcpyDtoD(device, device + 8, 4));
            break;
        default:
            fails(hipErrorInvalidValue, hipFreeAsync(device, stream)); /* not a graph's: this call fails alone */
            ok(hipGraphDestroy(end(stream)));
            continue;
        }
        if (i == 0) { /* everything afterwards says so */
            int *word = words, one = 1;
            fails(hipErrorStreamCaptureInvalidated, try_launch("set", stream, 1, 64, (void *[]){&word, &one}));
            fails(hipErrorStreamCaptureInvalidated, hipMemsetAsync(device, 0, 4, stream));
        }
        if (i == 1) { /* beginning anew is another end */
            begin(stream);
            ok(hipGraphDestroy(end(stream)));
            continue;
        }
        end_invalid(stream);
    }
    ok(hipFree(device));
    ok(hipFreeArray(array));
    ok(hipStreamDestroy(stream));
    ok(hipStreamDestroy(other));
}

static void count_streams(hipStream_t stream, hipError_t error, void *argument) {
    (void)stream, (void)error;
    __atomic_fetch_add((int *)argument, 1, __ATOMIC_SEQ_CST);
}

/* What is done at once although the stream captures, or in a stream beside it: callbacks of streams, waits for events of outside, the null
 * stream. The capture goes on. */
static void test_beside(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamDefault), other = new_stream(hipStreamNonBlocking);
    hipEvent_t outside = new_event(), never = new_event(), before = new_event();
    int calls = 0, *device = NULL;
    ok(hipMalloc((void **)&device, 64));
    ok(hipEventRecord(before, stream));
    begin(stream);
    ok(hipStreamAddCallback(stream, count_streams, &calls, 0));
    while (!__atomic_load_n(&calls, __ATOMIC_SEQ_CST))
        ;
    launch_set(other, 1, 5);
    ok(hipEventRecord(outside, other));
    ok(hipStreamWaitEvent(stream, outside, 0));
    ok(hipStreamWaitEvent(stream, never, 0));
    ok(hipEventSynchronize(never));
    (void)hipEventQuery(outside); /* reached or not, no error of captures */
    launch_set(NULL, 2, 6);
    ok(hipEventRecord(never, NULL));
    ok(hipEventSynchronize(never));
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(words[2], 6);
    ok(hipMemcpyWithStream(device, words, 64, hipMemcpyHostToDevice, stream)); /* captured */
    /* At once: the captures of other streams do not matter. */
    ok(hipMemcpyWithStream(words + 3, words + 1, sizeof *words, hipMemcpyDefault, NULL));
    assert_int_equal(words[3], words[1]);
    launch_set(stream, 0, 3);
    hipGraph_t graph = end(stream);
    assert_int_equal(node_count(graph), 2);
    assert_int_equal(edge_count(graph), 1);
    ok(hipStreamSynchronize(stream));
    assert_int_equal(words[1], 5);
    ok(hipGraphDestroy(graph));
    ok(hipEventDestroy(outside));
    ok(hipEventDestroy(never));
    ok(hipEventDestroy(before));
    ok(hipFree(device));
    ok(hipStreamDestroy(stream));
    ok(hipStreamDestroy(other));
}

/* Events around a kernel: a node for the first, the second is the kernel's. */
static void test_kernel_events(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipEvent_t start = NULL, stop = NULL;
    int *word = words, value = 9;
    ok(hipEventCreate(&start));
    ok(hipEventCreate(&stop));
    words[0] = 0;
    begin(stream);
    ok(hipExtModuleLaunchKernel(test_kernel("set"), 64, 1, 1, 64, 1, 1, 0, stream, (void *[]){&word, &value}, NULL, start, stop, 0));
    hipGraph_t graph = end(stream);
    assert_int_equal(node_count(graph), 2);
    hipGraphNode_t nodes[2];
    hipGraphNodeType type;
    size_t count = 2;
    ok(hipGraphGetNodes(graph, nodes, &count));
    ok(hipGraphNodeGetType(nodes[0], &type));
    assert_int_equal(type, hipGraphNodeTypeEventRecord);
    run_graph(graph, stream, 1);
    assert_int_equal(words[0], 9);
    float ms = -1;
    ok(hipEventElapsedTime(&ms, start, stop));
    assert_true(ms >= 0);
    ok(hipEventDestroy(stop));
    hipGraphExec_t exec = NULL;
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipGraphLaunch(exec, stream)); /* the event is gone */
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipEventDestroy(start));
    ok(hipStreamDestroy(stream));
}

/* Asking for the null stream's capture while a blocking stream captures; with a non-blocking one there is an answer. */
static void test_implicit(void **state) {
    (void)state;
    hipStream_t blocking = new_stream(hipStreamDefault), other = new_stream(hipStreamNonBlocking);
    hipStreamCaptureStatus status;
    begin(blocking);
    fails(hipErrorStreamCaptureImplicit, hipStreamIsCapturing(NULL, &status));
    fails(hipErrorStreamCaptureImplicit, hipStreamGetCaptureInfo(NULL, &status, NULL));
    assert_int_equal(status_of(blocking), hipStreamCaptureStatusActive); /* asking is harmless */
    fails(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(blocking));
    ok(hipStreamIsCapturing(NULL, &status)); /* it is spoilt */
    end_invalid(blocking);
    begin(other);
    launch_set(NULL, 0, 3);
    ok(hipStreamIsCapturing(NULL, &status));
    assert_int_equal(status, hipStreamCaptureStatusNone);
    ok(hipGraphDestroy(end(other)));
    ok(hipStreamSynchronize(NULL));
    assert_int_equal(words[0], 3);
    ok(hipStreamDestroy(blocking));
    ok(hipStreamDestroy(other));
}

/* A stream that joined may be destroyed before the capture ends; its work has to be joined nevertheless. */
static void test_destroyed_member(void **state) {
    (void)state;
    hipStream_t first = new_stream(hipStreamNonBlocking);
    for (int joined = 0; joined < 2; joined++) {
        hipStream_t second = new_stream(joined ? hipStreamDefault : hipStreamNonBlocking);
        hipEvent_t event = new_event(), back = new_event();
        hipGraph_t graph = NULL;
        hipGraphExec_t exec = NULL;
        begin(first);
        launch_set(first, 0, 1);
        ok(hipEventRecord(event, first));
        ok(hipStreamWaitEvent(second, event, 0));
        launch_set(second, 1, 7);
        ok(hipEventRecord(back, second));
        if (joined)
            ok(hipStreamWaitEvent(first, back, 0));
        ok(hipStreamDestroy(second));
        launch_set(first, 2, 3);
        if (joined) {
            graph = end(first);
            assert_int_equal(node_count(graph), 3);
            ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
            words[1] = words[2] = 0;
            ok(hipGraphLaunch(exec, first));
            ok(hipStreamSynchronize(first));
            assert_int_equal(words[1], 7);
            assert_int_equal(words[2], 3);
            ok(hipGraphExecDestroy(exec));
            ok(hipGraphDestroy(graph));
        } else {
            fails(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(first, &graph));
        }
        ok(hipStreamSynchronize(NULL)); /* no blocking stream captures any more */
        ok(hipEventDestroy(event));
        ok(hipEventDestroy(back));
    }
    ok(hipStreamDestroy(first));
}

static void test_unjoined(void **state) {
    (void)state;
    hipStream_t first = new_stream(hipStreamNonBlocking), second = new_stream(hipStreamNonBlocking);
    hipEvent_t event = new_event();
    hipGraph_t graph = NULL;
    begin(first);
    launch_set(first, 0, 1);
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    fails(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(second, &graph));
    launch_set(second, 1, 1);
    fails(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(first, &graph));
    assert_null(graph);
    assert_int_equal(status_of(first), hipStreamCaptureStatusNone);
    assert_int_equal(status_of(second), hipStreamCaptureStatusNone);
    /* A stream that joined and did nothing need not come back. */
    begin(first);
    launch_set(first, 0, 1);
    ok(hipEventRecord(event, first));
    ok(hipStreamWaitEvent(second, event, 0));
    graph = end(first);
    assert_int_equal(node_count(graph), 1);
    ok(hipGraphDestroy(graph));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

static void test_isolation_and_merge(void **state) {
    (void)state;
    hipStream_t first = new_stream(hipStreamNonBlocking), second = new_stream(hipStreamNonBlocking);
    hipEvent_t outside = new_event(), inside = new_event();
    /* The event's stream captures now, the record was before. */
    words[0] = 0;
    ok(hipStreamWaitValue32(second, &words[0], 1, hipStreamWaitValueEq, 0xffffffff));
    ok(hipEventRecord(outside, second));
    begin(second);
    fails(hipErrorStreamCaptureIsolation, hipStreamWaitEvent(first, outside, 0));
    __atomic_store_n(&words[0], 1, __ATOMIC_SEQ_CST);
    ok(hipGraphDestroy(end(second))); /* no harm */
    ok(hipStreamSynchronize(second));
    begin(first);
    begin(second);
    launch_set(first, 0, 1);
    ok(hipEventRecord(inside, first));
    fails(hipErrorStreamCaptureMerge, hipStreamWaitEvent(second, inside, 0));
    end_invalid(first);
    end_invalid(second);
    /* The null stream cannot join. Who asks for the event, or waits for it, spoils the capture. */
    for (int i = 0; i < 2; i++) {
        begin(first);
        ok(hipEventRecord(inside, first));
        fails(hipErrorInvalidHandle, hipStreamWaitEvent(NULL, inside, 0));
        assert_int_equal(status_of(first), hipStreamCaptureStatusActive);
        fails(hipErrorCapturedEvent, i ? hipEventQuery(inside) : hipEventSynchronize(inside));
        fails(hipErrorStreamCaptureUnsupported, hipEventSynchronize(inside));
        end_invalid(first);
    }
    /* When the capture is over, the event was never recorded. */
    ok(hipStreamWaitEvent(second, inside, 0));
    ok(hipStreamSynchronize(second));
    ok(hipEventQuery(inside));
    ok(hipEventSynchronize(inside));
    ok(hipEventDestroy(outside));
    ok(hipEventDestroy(inside));
    ok(hipStreamDestroy(first));
    ok(hipStreamDestroy(second));
}

static hipStream_t shared_stream;

static void *end_elsewhere(void *argument) {
    hipGraph_t graph = NULL;
    (void)argument;
    return (void *)(intptr_t)hipStreamEndCapture(shared_stream, &graph);
}

static void *allocate_elsewhere(void *mode) {
    void *memory = NULL;
    if (mode) {
        hipStreamCaptureMode wanted = *(hipStreamCaptureMode *)mode;
        if (hipThreadExchangeStreamCaptureMode(&wanted) != hipSuccess || wanted != hipStreamCaptureModeGlobal)
            return (void *)999;
    }
    hipError_t error = hipMalloc(&memory, 64);
    if (error == hipSuccess)
        error = hipFree(memory);
    return (void *)(intptr_t)error;
}

static hipError_t elsewhere(void *(*function)(void *), void *argument) {
    pthread_t thread;
    void *result = NULL;
    pthread_create(&thread, NULL, function, argument);
    pthread_join(thread, &result);
    return (hipError_t)(intptr_t)result;
}

static void test_threads_and_modes(void **state) {
    (void)state;
    hipStream_t stream = shared_stream = new_stream(hipStreamNonBlocking);
    hipStreamCaptureMode relaxed = hipStreamCaptureModeRelaxed, local = hipStreamCaptureModeThreadLocal, mode = relaxed;
    void *memory = NULL;
    fails(hipErrorInvalidValue, hipThreadExchangeStreamCaptureMode(NULL));
    mode = (hipStreamCaptureMode)7;
    fails(hipErrorInvalidValue, hipThreadExchangeStreamCaptureMode(&mode));
    /* Global: other threads' unsafe calls are errors too, unless they say they are relaxed or look at themselves only. */
    begin(stream);
    fails(hipErrorStreamCaptureWrongThread, elsewhere(end_elsewhere, NULL));
    fails(hipSuccess, elsewhere(allocate_elsewhere, &relaxed));
    fails(hipSuccess, elsewhere(allocate_elsewhere, &local));
    ok(hipGraphDestroy(end(stream)));
    begin(stream);
    fails(hipErrorStreamCaptureUnsupported, elsewhere(allocate_elsewhere, NULL));
    end_invalid(stream);
    /* Thread-local: only this thread's. */
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
    fails(hipSuccess, elsewhere(allocate_elsewhere, NULL));
    fails(hipErrorStreamCaptureUnsupported, hipMalloc(&memory, 64));
    end_invalid(stream);
    /* Relaxed: nobody's, and any thread may end it. Devices are not waited for all the same. */
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    fails(hipErrorStreamCaptureUnsupported, hipDeviceSynchronize());
    end_invalid(stream);
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    fails(hipErrorStreamCaptureImplicit, hipMemset(words, 0, 4));
    end_invalid(stream);
    ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    ok(hipMalloc(&memory, 64));
    ok(hipFree(memory));
    fails(hipSuccess, elsewhere(end_elsewhere, NULL));
    /* The thread's own mode. */
    mode = relaxed;
    ok(hipThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, hipStreamCaptureModeGlobal);
    begin(stream);
    ok(hipMalloc(&memory, 64));
    ok(hipFree(memory));
    ok(hipGraphDestroy(end(stream)));
    ok(hipThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, relaxed);
    ok(hipStreamDestroy(stream));
}

static void test_dependencies(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraph_t graph = NULL;
    const hipGraphNode_t *next = NULL;
    hipGraphNode_t first = NULL, second = NULL, extra = NULL;
    hipStreamCaptureStatus status;
    unsigned long long id = 0;
    size_t count = 9;
    fails(hipErrorIllegalState, hipStreamUpdateCaptureDependencies(stream, NULL, 0, 0));
    begin(stream);
    ok(hipStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &next, &count));
    assert_int_equal(count, 0);
    launch_set(stream, 0, 1);
    ok(hipStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &next, &count));
    assert_int_equal(count, 1);
    first = next[0];
    ok(hipStreamUpdateCaptureDependencies(stream, NULL, 0, hipStreamSetCaptureDependencies));
    launch_set(stream, 1, 1); /* a second root */
    ok(hipStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &next, &count));
    second = next[0];
    size_t before = 9;
    ok(hipGraphNodeGetDependencies(second, NULL, &before));
    assert_int_equal(before, 0);
    ok(hipGraphAddEmptyNode(&extra, graph, &first, 1)); /* the program adds to the graph itself */
    ok(hipStreamUpdateCaptureDependencies(stream, &extra, 1, hipStreamAddCaptureDependencies));
    launch_add(stream, 0, 5);
    ok(hipStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &next, &count));
    ok(hipGraphNodeGetDependencies(next[0], NULL, &before));
    assert_int_equal(before, 2);
    fails(hipErrorInvalidValue, hipStreamUpdateCaptureDependencies(stream, &extra, 1, 2));
    fails(hipErrorInvalidValue, hipStreamUpdateCaptureDependencies(stream, NULL, 1, 0));
    hipGraph_t captured = end(stream);
    assert_ptr_equal(captured, graph);
    run_graph(graph, stream, 1);
    assert_int_equal(words[0], 6);
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
}

static void test_to_graph(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraph_t graph = NULL, again = NULL;
    hipGraphNode_t root = NULL;
    ok(hipGraphCreate(&graph, 0));
    ok(hipGraphAddEmptyNode(&root, graph, NULL, 0));
    ok(hipStreamBeginCaptureToGraph(stream, graph, &root, NULL, 1, hipStreamCaptureModeGlobal));
    launch_set(stream, 0, 8);
    ok(hipStreamEndCapture(stream, &again));
    assert_ptr_equal(again, graph);
    assert_int_equal(node_count(graph), 2);
    assert_int_equal(edge_count(graph), 1);
    fails(hipErrorInvalidValue, hipStreamBeginCaptureToGraph(stream, NULL, NULL, NULL, 0, hipStreamCaptureModeGlobal));
    fails(hipErrorInvalidValue, hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 1, hipStreamCaptureModeGlobal));
    /* A spoilt capture leaves the program its graph. */
    ok(hipStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0, hipStreamCaptureModeGlobal));
    fails(hipErrorStreamCaptureUnsupported, hipStreamSynchronize(stream));
    end_invalid(stream);
    run_graph(graph, stream, 1);
    assert_int_equal(words[0], 8);
    ok(hipGraphDestroy(graph));
    ok(hipStreamDestroy(stream));
}

/* A launch that is captured is a child graph; allocations and external records are nodes. */
static void test_nested(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamNonBlocking);
    hipGraphExec_t exec = NULL;
    hipEvent_t event = new_event();
    begin(stream);
    launch_add(stream, 0, 1);
    hipGraph_t inner = end(stream);
    ok(hipGraphInstantiate(&exec, inner, NULL, NULL, 0));
    begin(stream);
    ok(hipGraphLaunch(exec, stream));
    ok(hipGraphLaunch(exec, stream));
    int *memory = NULL, value = 9, count = 4;
    ok(hipMallocAsync((void **)&memory, 64, stream));
    ok(hipMemsetAsync(memory, 0, 64, stream));
    launch("add", stream, 1, 64, &memory, &value, &count);
    ok(hipMemcpyAsync(&words[8], memory, 16, hipMemcpyDeviceToHost, stream));
    ok(hipFreeAsync(memory, stream));
    ok(hipEventRecordWithFlags(event, stream, hipEventRecordExternal));
    ok(hipStreamWaitEvent(stream, event, hipEventWaitExternal));
    hipGraph_t outer = end(stream);
    assert_int_equal(node_count(outer), 9);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(inner)); /* the outer graph has its own copy */
    run_graph(outer, stream, 3);
    assert_int_equal(words[0], 6);
    assert_int_equal(words[11], 9);
    ok(hipEventQuery(event));
    ok(hipGraphDestroy(outer));
    ok(hipEventDestroy(event));
    ok(hipStreamDestroy(stream));
}

/* What programs with per-thread default streams call: NULL is the thread's stream. */
hipError_t hipStreamBeginCapture_spt(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture_spt(hipStream_t stream, hipGraph_t *graph);
hipError_t hipStreamIsCapturing_spt(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipStreamGetCaptureInfo_spt(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id);
hipError_t hipStreamGetCaptureInfo_v2_spt(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph,
                                          const hipGraphNode_t **dependencies, size_t *count);
hipError_t hipGraphLaunch_spt(hipGraphExec_t exec, hipStream_t stream);

static void test_per_thread_names(void **state) {
    (void)state;
    hipStreamCaptureStatus status;
    hipGraph_t graph = NULL, asked = NULL;
    hipGraphExec_t exec = NULL;
    unsigned long long id = 0, again = 1;
    size_t count = 9;
    ok(hipStreamBeginCapture_spt(NULL, hipStreamCaptureModeThreadLocal));
    assert_int_equal(status_of(hipStreamPerThread), hipStreamCaptureStatusActive);
    launch_set(hipStreamPerThread, 0, 6);
    ok(hipStreamIsCapturing_spt(NULL, &status));
    assert_int_equal(status, hipStreamCaptureStatusActive);
    ok(hipStreamGetCaptureInfo_spt(NULL, &status, &id));
    ok(hipStreamGetCaptureInfo_v2_spt(NULL, &status, &again, &asked, NULL, &count));
    assert_true(id == again);
    assert_int_equal(count, 1);
    ok(hipStreamEndCapture_spt(NULL, &graph));
    assert_ptr_equal(graph, asked);
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(hipGraphLaunch_spt(exec, NULL));
    ok(hipStreamSynchronize(hipStreamPerThread));
    assert_int_equal(words[0], 6);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* A reset ends captures with their streams. */
static void test_reset(void **state) {
    (void)state;
    hipStream_t stream = new_stream(hipStreamDefault);
    hipGraph_t graph = NULL;
    void *memory = NULL;
    begin(stream);
    ok(hipMallocAsync(&memory, 64, stream));
    ok(hipDeviceReset());
    fails(hipErrorContextIsDestroyed, hipStreamEndCapture(stream, &graph));
    ok(hipDeviceSynchronize()); /* nothing captures any more */
    ok(hipMalloc(&memory, 64));
    ok(hipFree(memory));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_kinds, clear),
        cmocka_unit_test_setup(test_fork_and_join, clear),
        cmocka_unit_test_setup(test_state_errors, clear),
        cmocka_unit_test_setup(test_unsupported, clear),
        cmocka_unit_test_setup(test_beside, clear),
        cmocka_unit_test_setup(test_kernel_events, clear),
        cmocka_unit_test_setup(test_implicit, clear),
        cmocka_unit_test_setup(test_unjoined, clear),
        cmocka_unit_test_setup(test_destroyed_member, clear),
        cmocka_unit_test_setup(test_isolation_and_merge, clear),
        cmocka_unit_test_setup(test_threads_and_modes, clear),
        cmocka_unit_test_setup(test_dependencies, clear),
        cmocka_unit_test_setup(test_to_graph, clear),
        cmocka_unit_test_setup(test_nested, clear),
        cmocka_unit_test_setup(test_per_thread_names, clear),
        cmocka_unit_test_setup(test_reset, clear),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
