/* Graphs: their shape and order, executables, updates, memory, user objects, drawings; test_graph_node.c has the nodes. */
#include "../bystander.h"
#include "graph_test.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

/* ---- shape ----------------------------------------------------------------------------------- */

static void test_shape(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), other = new_graph();
    hipGraphNode_t a = NULL, b = NULL, c = NULL, d = NULL, foreign = NULL, list[8], to[8];
    size_t count = 8;
    fails(hipErrorInvalidValue, hipGraphCreate(NULL, 0));
    fails(hipErrorInvalidValue, hipGraphCreate(&other, 1));
    ok(hipGraphAddEmptyNode(&foreign, other, NULL, 0));
    ok(hipGraphAddEmptyNode(&a, graph, NULL, 0));
    ok(hipGraphAddEmptyNode(&b, graph, &a, 1));
    ok(hipGraphAddEmptyNode(&c, graph, &a, 1));
    ok(hipGraphAddEmptyNode(&d, graph, (hipGraphNode_t[]){b, c}, 2));
    fails(hipErrorInvalidValue, hipGraphAddEmptyNode(NULL, graph, NULL, 0));
    fails(hipErrorInvalidValue, hipGraphAddEmptyNode(&list[0], NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipGraphAddEmptyNode(&list[0], graph, NULL, 1));
    fails(hipErrorInvalidValue, hipGraphAddEmptyNode(&list[0], graph, &foreign, 1));
    fails(hipErrorInvalidValue, hipGraphAddEmptyNode(&list[0], graph, (hipGraphNode_t[]){a, a}, 2));
    fails(hipErrorInvalidValue, hipGraphAddEmptyNode(&list[0], graph, (hipGraphNode_t[]){(hipGraphNode_t)words}, 1));
    ok(hipGraphGetNodes(graph, list, &count));
    assert_int_equal(count, 4);
    assert_ptr_equal(list[3], d);
    assert_null(list[4]); /* the rest of the room */
    count = 2;
    ok(hipGraphGetNodes(graph, list, &count));
    assert_int_equal(count, 2);
    ok(hipGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 4);
    count = 8;
    ok(hipGraphGetRootNodes(graph, list, &count));
    assert_int_equal(count, 1);
    assert_ptr_equal(list[0], a);
    count = 8;
    ok(hipGraphGetEdges(graph, list, to, &count));
    assert_int_equal(count, 4);
    assert_ptr_equal(list[0], a);
    assert_ptr_equal(to[0], b);
    assert_null(list[4]);
    count = 8;
    ok(hipGraphNodeGetDependencies(d, list, &count));
    assert_int_equal(count, 2);
    assert_ptr_equal(list[1], c);
    count = 8;
    ok(hipGraphNodeGetDependentNodes(a, list, &count));
    assert_int_equal(count, 2);
    fails(hipErrorInvalidValue, hipGraphGetNodes(graph, list, NULL));
    fails(hipErrorInvalidValue, hipGraphGetRootNodes(NULL, list, &count));
    fails(hipErrorInvalidValue, hipGraphGetEdges(graph, list, NULL, &count));
    fails(hipErrorInvalidValue, hipGraphGetEdges(graph, NULL, NULL, NULL));
    fails(hipErrorInvalidValue, hipGraphNodeGetDependencies(NULL, list, &count));
    fails(hipErrorInvalidValue, hipGraphNodeGetDependentNodes(a, list, NULL));
    fails(hipErrorInvalidValue, hipGraphNodeGetType(a, NULL));
    /* Edges: no doubles, none to the node itself, none between graphs. */
    fails(hipErrorInvalidValue, hipGraphAddDependencies(graph, &a, &b, 1));
    fails(hipErrorInvalidValue, hipGraphAddDependencies(graph, &a, &a, 1));
    fails(hipErrorInvalidValue, hipGraphAddDependencies(graph, &a, &foreign, 1));
    fails(hipErrorInvalidValue, hipGraphAddDependencies(graph, NULL, &a, 1));
    ok(hipGraphAddDependencies(graph, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipGraphAddDependencies(graph, (hipGraphNode_t[]){b, c}, (hipGraphNode_t[]){c, c}, 2)); /* none of both */
    ok(hipGraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(count, 4);
    fails(hipErrorInvalidValue, hipGraphAddDependencies(graph, (hipGraphNode_t[]){b, a}, (hipGraphNode_t[]){c, b}, 2)); /* the first */
    ok(hipGraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(count, 5);
    ok(hipGraphAddDependencies(graph, &a, &d, 1));
    fails(hipErrorInvalidValue, hipGraphRemoveDependencies(graph, (hipGraphNode_t[]){b, b}, (hipGraphNode_t[]){c, c}, 2));
    fails(hipErrorInvalidValue, hipGraphRemoveDependencies(graph, &b, &c, 1));
    fails(hipErrorInvalidValue, hipGraphRemoveDependencies(graph, NULL, &c, 1));
    ok(hipGraphDestroyNode(b));
    fails(hipErrorInvalidValue, hipGraphDestroyNode(b));
    ok(hipGraphGetEdges(graph, NULL, NULL, &count));
    assert_int_equal(count, 3);
    ok(hipGraphDestroy(graph));
    fails(hipErrorIllegalState, hipGraphDestroy(graph));
    fails(hipErrorInvalidValue, hipGraphDestroy(NULL));
    fails(hipErrorInvalidValue, hipGraphNodeGetType(a, &(hipGraphNodeType){0}));
    ok(hipGraphDestroy(other));
}

/* A cycle is found when the graph is made executable, or asked for the order of its nodes. */
static void test_cycle(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), outer = new_graph();
    hipGraphNode_t root = add_node(graph, NULL, 0, 0, 1), a = add_node(graph, &root, 1, 0, 2), b = add_node(graph, &a, 1, 0, 4);
    hipGraphNode_t child = NULL, list[4];
    hipGraphExec_t exec = NULL;
    size_t count = 4;
    ok(hipGraphAddDependencies(graph, &b, &a, 1));
    fails(hipErrorInvalidValue, hipGraphGetNodes(graph, list, &count));
    ok(hipGraphGetRootNodes(graph, list, &count));
    assert_int_equal(count, 1);
    fails(hipErrorInvalidValue, hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    ok(hipGraphAddChildGraphNode(&child, outer, NULL, 0, graph));
    fails(hipErrorInvalidValue, hipGraphInstantiate(&exec, outer, NULL, NULL, 0));
    ok(hipGraphRemoveDependencies(graph, &b, &a, 1));
    exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[0], 7);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(outer)); /* with the cycle in it */
}

/* Nodes come in the order they can run in: first those without dependencies, then what these lead to. */
static void test_node_order(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t last = NULL, middle = NULL, first = NULL, other = NULL, list[4];
    size_t count = 4;
    ok(hipGraphAddEmptyNode(&last, graph, NULL, 0));
    ok(hipGraphAddEmptyNode(&middle, graph, NULL, 0));
    ok(hipGraphAddEmptyNode(&first, graph, NULL, 0));
    ok(hipGraphAddEmptyNode(&other, graph, NULL, 0));
    ok(hipGraphAddDependencies(graph, (hipGraphNode_t[]){middle, first}, (hipGraphNode_t[]){last, middle}, 2));
    ok(hipGraphGetNodes(graph, list, &count));
    assert_ptr_equal(list[0], first);
    assert_ptr_equal(list[1], other);
    assert_ptr_equal(list[2], middle);
    assert_ptr_equal(list[3], last);
    ok(hipGraphDestroy(graph));
}

/* Nodes that were added in another order than they must run in. */
static void test_order(void **state) {
    (void)state;
    enum { COUNT = 50 };
    hipGraph_t graph = new_graph();
    hipGraphNode_t nodes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        hipMemsetParams fill = {.dst = &words[0], .elementSize = 4, .height = 1, .value = (unsigned)i, .width = 1};
        ok(hipGraphAddMemsetNode(&nodes[i], graph, NULL, 0, &fill));
    }
    for (int i = 0; i + 1 < COUNT; i++) /* the last one runs first */
        ok(hipGraphAddDependencies(graph, &nodes[i + 1], &nodes[i], 1));
    words[0] = 99;
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[0], 0);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* Random graphs, run many times: each node checks that all it depends on has run. */
struct check {
    int done;
    struct check *before[6];
    int count, *errors;
};

static void check_order(void *argument) {
    struct check *check = argument;
    int mine = __atomic_load_n(&check->done, __ATOMIC_SEQ_CST);
    for (int i = 0; i < check->count; i++)
        if (__atomic_load_n(&check->before[i]->done, __ATOMIC_SEQ_CST) <= mine)
            __atomic_fetch_add(check->errors, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&check->done, 1, __ATOMIC_SEQ_CST);
}

static void test_random_graphs(void **state) {
    (void)state;
    enum { COUNT = 60, ROUNDS = 20 };
    static struct check checks[COUNT];
    unsigned seed = 99;
    int errors = 0;
    for (int trial = 0; trial < 10; trial++) {
        hipGraph_t graph = new_graph();
        hipGraphNode_t nodes[COUNT];
        memset(checks, 0, sizeof checks);
        for (int i = 0; i < COUNT; i++) {
            hipGraphNode_t before[6];
            hipHostNodeParams params = {check_order, &checks[i]};
            checks[i].errors = &errors;
            for (int j = 0; j < 6 && i; j++) {
                int candidate = rand_r(&seed) % (i * 2);
                bool twice = candidate >= i;
                for (int k = 0; k < checks[i].count && !twice; k++)
                    twice = checks[i].before[k] == &checks[candidate];
                if (!twice) {
                    before[checks[i].count] = nodes[candidate];
                    checks[i].before[checks[i].count++] = &checks[candidate];
                }
            }
            ok(hipGraphAddHostNode(&nodes[i], graph, before, (size_t)checks[i].count, &params));
        }
        hipGraphExec_t exec = instantiate(graph);
        for (int round = 0; round < ROUNDS; round++)
            ok(hipGraphLaunch(exec, round % 2 ? stream : NULL));
        ok(hipDeviceSynchronize());
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(checks[i].done, ROUNDS);
        assert_int_equal(errors, 0);
        ok(hipGraphExecDestroy(exec));
        ok(hipGraphDestroy(graph));
    }
}

/* Branches run side by side: each waits for the other. */
static void meet(void *argument) {
    int *both = argument;
    __atomic_fetch_add(both, 1, __ATOMIC_SEQ_CST);
    for (int i = 0; i < PATIENCE * 1000 && __atomic_load_n(both, __ATOMIC_SEQ_CST) < 2; i++)
        usleep(1000);
    if (__atomic_load_n(both, __ATOMIC_SEQ_CST) < 2)
        both[1] = 1;
}

static void test_branches(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t root = NULL, a = NULL, b = NULL, last = NULL;
    int both[2] = {0, 0};
    hipHostNodeParams params = {meet, both};
    ok(hipGraphAddEmptyNode(&root, graph, NULL, 0));
    ok(hipGraphAddHostNode(&a, graph, &root, 1, &params));
    ok(hipGraphAddHostNode(&b, graph, &root, 1, &params));
    ok(hipGraphAddEmptyNode(&last, graph, (hipGraphNode_t[]){a, b}, 2));
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(both[0], 2);
    assert_int_equal(both[1], 0);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* Many small steps in branches, which threads share once it is known how long they take: fill, add, copy to a place of each step's own.
 * Between launches parameters change. */
static void test_small_steps(void **state) {
    (void)state;
    enum { BRANCHES = 9, STEPS = 30, RESULTS = 1024, LAUNCHES = 8 };
    hipGraph_t graph = new_graph();
    static hipGraphNode_t fills[BRANCHES][STEPS], last[BRANCHES];
    hipGraphNode_t joined = NULL, root = NULL;
    ok(hipGraphAddEmptyNode(&root, graph, NULL, 0));
    for (int step = 0; step < STEPS; step++)
        for (int branch = 0; branch < BRANCHES; branch++) {
            hipGraphNode_t before = step ? last[branch] : root, added = NULL;
            hipMemsetParams fill = {.dst = &words[branch * 16], .elementSize = 4, .height = 1, .width = 1};
            fill.value = (unsigned)(branch * STEPS + step);
            ok(hipGraphAddMemsetNode(&fills[branch][step], graph, &before, 1, &fill));
            struct add_arguments arguments;
            hipKernelNodeParams params = add_params(&arguments, branch * 16, 1000);
            params.gridDim = extent(128); /* long enough to be worth another thread */
            ok(hipGraphAddKernelNode(&added, graph, &fills[branch][step], 1, &params));
            ok(hipGraphAddMemcpyNode1D(&last[branch], graph, &added, 1, &words[RESULTS + branch * STEPS + step], &words[branch * 16], 4,
                                       hipMemcpyDeviceToDevice));
        }
    ok(hipGraphAddMemcpyNode1D(&joined, graph, last, BRANCHES, &words[RESULTS * 2], &words[RESULTS], sizeof(int) * BRANCHES * STEPS,
                               hipMemcpyDeviceToDevice));
    hipGraphExec_t exec = instantiate(graph);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        hipMemsetParams fill = {.dst = &words[(launch % BRANCHES) * 16], .elementSize = 4, .height = 1, .width = 1};
        fill.value = (unsigned)(5000 + launch);
        ok(hipGraphLaunch(exec, stream)); /* with what was set before */
        ok(hipGraphExecMemsetNodeSetParams(exec, fills[launch % BRANCHES][launch], &fill));
        if (launch % 3 == 0)
            ok(hipStreamSynchronize(stream));
    }
    ok(hipStreamSynchronize(stream));
    for (int branch = 0; branch < BRANCHES; branch++)
        for (int step = 0; step < STEPS; step++) {
            int filled = branch == step && step < LAUNCHES - 1 ? 5000 + step : branch * STEPS + step;
            assert_int_equal(words[RESULTS + branch * STEPS + step], filled + 1000);
            assert_int_equal(words[RESULTS * 2 + branch * STEPS + step], filled + 1000);
        }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* A kernel waits for what a kernel of another branch writes, whichever the graph has first. */
static void test_waiting_branches(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        hipGraph_t graph = new_graph();
        int *flag = &words[0], one = 1;
        void *arguments[] = {&flag, &one};
        hipKernelNodeParams params = {.gridDim = extent(1), .blockDim = extent(64), .kernelParams = arguments};
        words[0] = 0;
        for (int i = 0; i < 2; i++) {
            hipGraphNode_t node = NULL;
            params.func = test_kernel(i == first ? "wait_for" : "set");
            ok(hipGraphAddKernelNode(&node, graph, NULL, 0, &params));
        }
        hipGraphExec_t exec = instantiate(graph);
        run(exec);
        run(exec);
        assert_int_equal(words[0], 1);
        ok(hipGraphExecDestroy(exec));
        ok(hipGraphDestroy(graph));
    }
}

/* ---- copies and executables ----------------------------------------------------------------------- */

static void test_clone(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), clone = NULL;
    hipGraphNode_t a = add_node(graph, NULL, 0, 0, 1), b = add_node(graph, &a, 1, 0, 2), found = NULL, list[4];
    size_t count = 4;
    ok(hipGraphClone(&clone, graph));
    ok(hipGraphNodeFindInClone(&found, b, clone));
    assert_ptr_not_equal(found, b);
    ok(hipGraphNodeGetDependencies(found, list, &count));
    assert_int_equal(count, 1);
    hipGraphNode_t late = add_node(graph, NULL, 0, 1, 1);
    fails(hipErrorInvalidValue, hipGraphNodeFindInClone(&found, late, clone)); /* was added later */
    fails(hipErrorInvalidValue, hipGraphNodeFindInClone(&late, found, graph)); /* no clone */
    hipGraph_t second = NULL;
    ok(hipGraphClone(&second, clone));
    ok(hipGraphNodeFindInClone(&late, b, second)); /* also in a clone's clone */
    ok(hipGraphDestroy(second));
    ok(hipGraphDestroy(graph));
    hipGraphExec_t exec = instantiate(clone);
    run(exec);
    assert_int_equal(words[0], 3);
    assert_int_equal(words[1], 0);
    fails(hipErrorInvalidValue, hipGraphClone(NULL, clone));
    fails(hipErrorInvalidValue, hipGraphClone(&graph, NULL));
    fails(hipErrorInvalidValue, hipGraphNodeFindInClone(NULL, found, clone));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(clone));
}

static void test_instantiate(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t a = add_node(graph, NULL, 0, 0, 1), error = a;
    hipGraphExec_t exec = NULL;
    char log[8] = "x";
    unsigned long long flags = 99;
    ok(hipGraphInstantiate(&exec, graph, &error, log, sizeof log));
    assert_ptr_equal(error, a); /* as they were */
    assert_int_equal(log[0], 'x');
    (void)add_node(graph, &a, 1, 0, 50); /* not in the executable */
    run(exec);
    assert_int_equal(words[0], 1);
    ok(hipGraphUpload(exec, stream));
    ok(hipGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, 0);
    ok(hipGraphExecDestroy(exec));
    fails(hipErrorInvalidValue, hipGraphExecDestroy(exec));
    fails(hipErrorInvalidValue, hipGraphLaunch(exec, stream));
    fails(hipErrorInvalidValue, hipGraphUpload(exec, stream));
    fails(hipErrorInvalidValue, hipGraphInstantiate(NULL, graph, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipGraphInstantiate(&exec, NULL, NULL, NULL, 0));
    fails(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&exec, graph, 0x100));
    fails(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagDeviceLaunch));
    fails(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagUpload));
    fails(hipErrorInvalidValue,
          hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagAutoFreeOnLaunch | hipGraphInstantiateFlagUseNodePriority));
    ok(hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagUseNodePriority));
    ok(hipGraphExecGetFlags(exec, &flags));
    assert_int_equal(flags, hipGraphInstantiateFlagUseNodePriority);
    fails(hipErrorInvalidValue, hipGraphExecGetFlags(exec, NULL));
    fails(hipErrorContextIsDestroyed, hipGraphLaunch(exec, (hipStream_t)words));
    ok(hipGraphExecDestroy(exec));
    hipGraphInstantiateParams params = {.flags = hipGraphInstantiateFlagUpload, .uploadStream = stream};
    ok(hipGraphInstantiateWithParams(&exec, graph, &params));
    assert_int_equal(params.result_out, hipGraphInstantiateSuccess);
    ok(hipGraphExecDestroy(exec));
    params.flags = hipGraphInstantiateFlagDeviceLaunch;
    ok(hipGraphInstantiateWithParams(&exec, graph, &params));
    ok(hipGraphExecDestroy(exec));
    for (int i = 0; i < 2; i++) {
        params.flags = i ? 0x200 : hipGraphInstantiateFlagUpload | hipGraphInstantiateFlagAutoFreeOnLaunch;
        params.result_out = hipGraphInstantiateSuccess;
        fails(hipErrorInvalidValue, hipGraphInstantiateWithParams(&exec, graph, &params));
        assert_int_equal(params.result_out, hipGraphInstantiateError);
    }
    fails(hipErrorInvalidValue, hipGraphInstantiateWithParams(&exec, graph, NULL));
    ok(hipGraphDestroy(graph));
}

/* Launches follow the stream's order and each other's, also in different streams; destroying lets them finish. */
static void test_launch_order(void **state) {
    (void)state;
    struct bystander bystander = bystander_new();
    hipGraph_t graph = new_graph();
    hipGraphNode_t root = add_node(graph, NULL, 0, 0, 1);
    for (int i = 1; i < 6; i++)
        (void)add_node(graph, &root, 1, i, 1);
    hipGraphExec_t exec = instantiate(graph);
    hipStream_t other = NULL;
    ok(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    ok(hipStreamWaitValue32(stream, &words[20], 1, hipStreamWaitValueEq, UINT32_MAX));
    for (int i = 0; i < 50; i++)
        ok(hipGraphLaunch(exec, i % 2 ? other : stream));
    bystander_runs(&bystander);
    assert_int_equal(words[0], 0); /* even those in the other stream wait */
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    __atomic_store_n(&words[20], 1, __ATOMIC_SEQ_CST);
    ok(hipStreamSynchronize(stream));
    ok(hipStreamSynchronize(other));
    for (int i = 0; i < 6; i++)
        assert_int_equal(words[i], 50);
    ok(hipStreamDestroy(other));
    bystander_end(&bystander);
}

static void test_update(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), changed = new_graph(), other = new_graph();
    hipGraphNode_t a = add_node(graph, NULL, 0, 0, 1), error = NULL, b = NULL;
    (void)add_node(graph, &a, 1, 1, 2);
    hipGraphExec_t exec = instantiate(graph);
    hipGraphExecUpdateResult result = hipGraphExecUpdateError;
    a = add_node(changed, NULL, 0, 0, 10);
    b = add_node(changed, &a, 1, 1, 20);
    ok(hipGraphExecUpdate(exec, changed, &error, &result));
    assert_int_equal(result, hipGraphExecUpdateSuccess);
    assert_null(error);
    run(exec);
    assert_int_equal(words[0], 10);
    assert_int_equal(words[1], 20);
    /* Another edge, another number of nodes, another type. */
    ok(hipGraphRemoveDependencies(changed, &a, &b, 1));
    fails(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, changed, &error, &result));
    assert_int_equal(result, hipGraphExecUpdateErrorTopologyChanged);
    assert_ptr_equal(error, b);
    (void)add_node(changed, NULL, 0, 2, 1);
    fails(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, changed, &error, &result));
    assert_int_equal(result, hipGraphExecUpdateErrorTopologyChanged);
    a = add_node(other, NULL, 0, 0, 1000);
    ok(hipGraphAddEmptyNode(&b, other, &a, 1));
    fails(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, other, &error, &result));
    assert_int_equal(result, hipGraphExecUpdateErrorNodeTypeChanged);
    assert_ptr_equal(error, b);
    run(exec);
    assert_int_equal(words[0], 20); /* nothing had changed */
    fails(hipErrorInvalidValue, hipGraphExecUpdate(NULL, graph, &error, &result));
    fails(hipErrorInvalidValue, hipGraphExecUpdate(exec, NULL, &error, &result));
    fails(hipErrorInvalidValue, hipGraphExecUpdate(exec, graph, &error, NULL));
    fails(hipErrorInvalidValue, hipGraphExecUpdate(exec, graph, NULL, &result));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(changed));
    ok(hipGraphDestroy(other));
}

static void test_enabled(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    hipGraphNode_t a = add_node(graph, NULL, 0, 0, 1), b = add_node(graph, &a, 1, 1, 1), empty = NULL;
    unsigned enabled = 9;
    ok(hipGraphAddEmptyNode(&empty, graph, &b, 1));
    hipGraphExec_t exec = instantiate(graph);
    ok(hipGraphNodeGetEnabled(exec, a, &enabled));
    assert_int_equal(enabled, 1);
    ok(hipGraphNodeSetEnabled(exec, a, 0));
    ok(hipGraphNodeGetEnabled(exec, a, &enabled));
    assert_int_equal(enabled, 0);
    run(exec);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 1);
    ok(hipGraphNodeSetEnabled(exec, a, 1));
    run(exec);
    assert_int_equal(words[0], 1);
    fails(hipErrorInvalidValue, hipGraphNodeSetEnabled(exec, empty, 0));
    fails(hipErrorInvalidValue, hipGraphNodeGetEnabled(exec, a, NULL));
    fails(hipErrorInvalidValue, hipGraphNodeSetEnabled(NULL, a, 0));
    struct add_arguments arguments;
    hipKernelNodeParams params = add_params(&arguments, 0, 100);
    ok(hipGraphExecKernelNodeSetParams(exec, a, &params));
    run(exec);
    assert_int_equal(words[0], 101);
    fails(hipErrorInvalidValue, hipGraphExecKernelNodeSetParams(exec, empty, &params));
    fails(hipErrorInvalidValue, hipGraphExecKernelNodeSetParams(exec, a, NULL));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint64_t graph_memory(hipGraphMemAttributeType attribute) {
    uint64_t value = 77;
    ok(hipDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

static hipGraphNode_t allocation(hipGraph_t graph, size_t size, void **memory) {
    hipMemAllocNodeParams params;
    hipGraphNode_t node = NULL;
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = hipMemAllocationTypePinned;
    params.poolProps.location.type = hipMemLocationTypeDevice;
    params.bytesize = size;
    ok(hipGraphAddMemAllocNode(&node, graph, NULL, 0, &params));
    assert_non_null(params.dptr);
    *memory = params.dptr;
    return node;
}

/* The type of a node counts before its edges, the direction of a copy before them, too; nodes correspond by their place in the order. */
static void test_update_copies(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), back = new_graph(), turned = new_graph();
    hipGraphNode_t node = NULL, second = NULL, error = NULL;
    hipGraphExecUpdateResult result = hipGraphExecUpdateSuccess;
    int line[2] = {7, 8};
    void *device = NULL;
    ok(hipMalloc(&device, sizeof line));
    ok(hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, device, line, sizeof line, hipMemcpyHostToDevice));
    (void)add_node(graph, &node, 1, 0, 1);
    hipGraphExec_t exec = instantiate(graph);
    ok(hipGraphAddMemcpyNode1D(&node, back, NULL, 0, line, device, sizeof line, hipMemcpyDeviceToHost));
    (void)add_node(back, &node, 1, 0, 1);
    fails(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, back, &error, &result));
    assert_int_equal(result, hipGraphExecUpdateErrorParametersChanged);
    assert_ptr_equal(error, node);
    second = add_node(turned, NULL, 0, 1, 5); /* added before what it depends on */
    ok(hipGraphAddMemcpyNode1D(&node, turned, NULL, 0, device, line + 1, 4, hipMemcpyHostToDevice));
    fails(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, turned, &error, &result));
    assert_int_equal(result, hipGraphExecUpdateErrorNodeTypeChanged);
    assert_ptr_equal(error, second);
    ok(hipGraphAddDependencies(turned, &node, &second, 1));
    ok(hipGraphExecUpdate(exec, turned, &error, &result));
    run(exec);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 5);
    assert_int_equal(int_at(device), 8);
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    ok(hipGraphDestroy(back));
    ok(hipGraphDestroy(turned));
    ok(hipFree(device));
}

static void test_memory(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    void *memory = NULL, *asked = NULL;
    hipGraphNode_t node = allocation(graph, 1 << 20, &memory), fill = NULL, copy = NULL, release = NULL;
    hipMemsetParams params = {.dst = memory, .elementSize = 4, .height = 1, .value = 42, .width = 1 << 18};
    hipMemAllocNodeParams seen;
    uint64_t zero = 0, one = 1;
    ok(hipGraphAddMemsetNode(&fill, graph, &node, 1, &params));
    ok(hipGraphAddMemcpyNode1D(&copy, graph, &fill, 1, words, memory, 64, hipMemcpyDeviceToHost));
    assert_int_equal(type_of(node), hipGraphNodeTypeMemAlloc);
    ok(hipGraphMemAllocNodeGetParams(node, &seen));
    assert_ptr_equal(seen.dptr, memory);
    assert_int_equal(seen.bytesize, 1 << 20);
    ok(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &zero));
    assert_int_equal(graph_memory(hipGraphMemAttrUsedMemCurrent), 0);
    hipGraphExec_t exec = instantiate(graph);
    run(exec);
    assert_int_equal(words[15], 42);
    assert_int_equal(graph_memory(hipGraphMemAttrUsedMemCurrent), 1 << 20);
    fails(hipErrorInvalidValue, hipGraphLaunch(exec, stream)); /* still allocated */
    ok(hipFreeAsync(memory, stream));
    assert_int_equal(graph_memory(hipGraphMemAttrUsedMemCurrent), 0);
    assert_int_equal(graph_memory(hipGraphMemAttrUsedMemHigh), 1 << 20);
    assert_int_equal(graph_memory(hipGraphMemAttrReservedMemCurrent), 1 << 20);
    fails(hipErrorInvalidValue, hipFreeAsync(memory, stream));
    run(exec);
    ok(hipFree(memory));
    ok(hipDeviceGraphMemTrim(0));
    assert_int_equal(graph_memory(hipGraphMemAttrReservedMemCurrent), 0);
    /* There is one executable; the nodes stay in their graph. */
    hipGraphExec_t another = NULL;
    hipGraph_t clone = NULL;
    fails(hipErrorNotSupported, hipGraphInstantiate(&another, graph, NULL, NULL, 0));
    fails(hipErrorNotSupported, hipGraphClone(&clone, graph));
    fails(hipErrorNotSupported, hipGraphDestroyNode(node));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    /* Freed by the next launch. */
    graph = new_graph();
    (void)allocation(graph, 1 << 20, &memory);
    ok(hipGraphInstantiateWithFlags(&exec, graph, hipGraphInstantiateFlagAutoFreeOnLaunch));
    run(exec);
    run(exec);
    ok(hipFree(memory));
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
    /* Freed by the graph itself. */
    graph = new_graph();
    node = allocation(graph, 1 << 20, &memory);
    params.dst = memory;
    ok(hipGraphAddMemsetNode(&fill, graph, &node, 1, &params));
    ok(hipGraphAddMemcpyNode1D(&copy, graph, &fill, 1, words, memory, 64, hipMemcpyDeviceToHost));
    ok(hipGraphAddMemFreeNode(&release, graph, &copy, 1, memory));
    fails(hipErrorInvalidValue, hipGraphAddMemFreeNode(&fill, graph, &copy, 1, memory)); /* once */
    fails(hipErrorNotSupported, hipGraphDestroyNode(release));
    assert_int_equal(type_of(release), hipGraphNodeTypeMemFree);
    ok(hipGraphMemFreeNodeGetParams(release, &asked));
    assert_ptr_equal(asked, memory);
    exec = instantiate(graph);
    for (int i = 0; i < 3; i++)
        run(exec);
    assert_int_equal(graph_memory(hipGraphMemAttrUsedMemCurrent), 0);
    fails(hipErrorInvalidValue, hipGraphAddMemFreeNode(&release, graph, NULL, 0, words));
    fails(hipErrorInvalidValue, hipGraphAddMemFreeNode(&release, graph, NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipGraphMemFreeNodeGetParams(release, NULL));
    fails(hipErrorInvalidValue, hipGraphMemAllocNodeGetParams(release, &seen));
    seen.bytesize = 0;
    fails(hipErrorInvalidValue, hipGraphAddMemAllocNode(&node, graph, NULL, 0, &seen));
    fails(hipErrorInvalidValue, hipGraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
    fails(hipErrorInvalidValue, hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &one));
    fails(hipErrorInvalidValue, hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &zero));
    fails(hipErrorInvalidValue, hipDeviceGetGraphMemAttribute(0, (hipGraphMemAttributeType)9, &zero));
    fails(hipErrorInvalidValue, hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, NULL));
    fails(hipErrorInvalidDevice, hipDeviceGetGraphMemAttribute(99, hipGraphMemAttrUsedMemHigh, &zero));
    fails(hipErrorInvalidDevice, hipDeviceGraphMemTrim(99));
    ok(hipGraphDestroy(graph)); /* the executable keeps the memory */
    run(exec);
    assert_int_equal(words[15], 42);
    ok(hipGraphExecDestroy(exec));
    hipPointerAttribute_t attributes;
    ok(hipPointerGetAttributes(&attributes, memory));
    assert_int_equal(attributes.type, hipMemoryTypeUnregistered);
}

/* ---- user objects ---------------------------------------------------------------------------- */

static void test_user_objects(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), clone = NULL;
    hipUserObject_t object = NULL;
    (void)add_node(graph, NULL, 0, 0, 1);
    fails(hipErrorInvalidValue, hipUserObjectCreate(NULL, words, add_one, 1, hipUserObjectNoDestructorSync));
    fails(hipErrorInvalidValue, hipUserObjectCreate(&object, words, NULL, 1, hipUserObjectNoDestructorSync));
    fails(hipErrorInvalidValue, hipUserObjectCreate(&object, words, add_one, 0, hipUserObjectNoDestructorSync));
    fails(hipErrorInvalidValue, hipUserObjectCreate(&object, words, add_one, 1, 0));
    ok(hipUserObjectCreate(&object, &words[9], add_one, 2, hipUserObjectNoDestructorSync));
    ok(hipUserObjectRelease(object, 1));
    ok(hipUserObjectRetain(object, 2));
    ok(hipUserObjectRelease(object, 9));                                    /* more than there are: nothing happens */
    ok(hipGraphRetainUserObject(graph, object, 2, hipGraphUserObjectMove)); /* 1 is the program's */
    ok(hipGraphRetainUserObject(graph, object, 1, 0));
    ok(hipUserObjectRelease(object, 1));
    ok(hipGraphReleaseUserObject(graph, object, 4)); /* nothing again */
    ok(hipGraphReleaseUserObject(graph, object, 2));
    assert_int_equal(words[9], 0);
    fails(hipErrorInvalidValue, hipGraphRetainUserObject(graph, object, 0, 0));
    fails(hipErrorInvalidValue, hipGraphRetainUserObject(graph, object, 1, 2));
    fails(hipErrorInvalidValue, hipGraphRetainUserObject(NULL, object, 1, 0));
    fails(hipErrorInvalidValue, hipGraphRetainUserObject(graph, NULL, 1, 0));
    ok(hipGraphClone(&clone, graph));
    hipGraphExec_t exec = instantiate(graph);
    ok(hipGraphDestroy(graph));
    assert_int_equal(words[9], 0);
    ok(hipGraphDestroy(clone));
    assert_int_equal(words[9], 0);
    run(exec);
    ok(hipGraphExecDestroy(exec)); /* the last one */
    assert_int_equal(words[9], 1);
    ok(hipUserObjectRetain(object, 1)); /* it has ended, which is no error */
    ok(hipUserObjectRelease(object, 1));
    fails(hipErrorInvalidValue, hipUserObjectRetain(NULL, 1));
    fails(hipErrorInvalidValue, hipUserObjectRelease(NULL, 1));
}

/* The program may give back references of graphs, which forget the object when it ends; copies of graphs have one reference each. */
static void test_other_references(void **state) {
    (void)state;
    hipGraph_t graph = new_graph(), clone = NULL;
    hipUserObject_t object = NULL;
    ok(hipUserObjectCreate(&object, &words[9], add_one, 1, hipUserObjectNoDestructorSync));
    ok(hipGraphRetainUserObject(graph, object, 3, 0));
    ok(hipUserObjectRelease(object, 4));
    assert_int_equal(words[9], 1);
    ok(hipGraphReleaseUserObject(graph, object, 1));
    ok(hipGraphDestroy(graph));
    assert_int_equal(words[9], 1);
    graph = new_graph();
    ok(hipUserObjectCreate(&object, &words[9], add_one, 1, hipUserObjectNoDestructorSync));
    ok(hipGraphRetainUserObject(graph, object, 5, 0));
    ok(hipGraphClone(&clone, graph)); /* 7 in all */
    ok(hipGraphReleaseUserObject(clone, object, 4));
    ok(hipGraphDestroy(clone)); /* has nothing left to give */
    ok(hipUserObjectRelease(object, 2));
    assert_int_equal(words[9], 1);
    ok(hipUserObjectRelease(object, 1));
    assert_int_equal(words[9], 2);
    ok(hipGraphDestroy(graph));
    assert_int_equal(words[9], 2);
}

/* A launch returns when copies to the host's pageable memory are done. */
static void test_pageable(void **state) {
    (void)state;
    hipGraph_t graph = new_graph();
    static int result;
    hipGraphNode_t node = NULL, copy = NULL;
    hipHostNodeParams params = {add_one, &words[0]};
    ok(hipGraphAddHostNode(&node, graph, NULL, 0, &params));
    ok(hipGraphAddMemcpyNode1D(&copy, graph, &node, 1, &result, words, sizeof result, hipMemcpyDeviceToHost));
    hipGraphExec_t exec = instantiate(graph);
    for (int i = 1; i <= 100; i++) {
        ok(hipGraphLaunch(exec, stream));
        assert_int_equal(result, i);
    }
    ok(hipGraphExecDestroy(exec));
    ok(hipGraphDestroy(graph));
}

static void test_drawing(void **state) {
    (void)state;
    char path[] = "/tmp/wavelift-graph-XXXXXX", *text = NULL;
    size_t size = 0;
    int file = mkstemp(path);
    hipGraph_t graph = new_graph();
    hipGraphNode_t a = add_node(graph, NULL, 0, 0, 1);
    int line = 0;
    void *device = NULL;
    ok(hipMalloc(&device, sizeof line));
    (void)add_node(graph, &a, 1, 0, 2);
    ok(hipGraphAddMemcpyNode1D(&a, graph, NULL, 0, device, &line, sizeof line, hipMemcpyHostToDevice));
    ok(hipGraphDebugDotPrint(graph, path, hipGraphDebugDotFlagsVerbose));
    text = read_file(path, &size);
    text = realloc(text, size + 1);
    text[size] = 0;
    assert_non_null(strstr(text, "digraph"));
    assert_non_null(strstr(text, "->"));
    assert_non_null(strstr(text, "add"));
    assert_non_null(strstr(text, "HtoD"));
    fails(hipErrorInvalidValue, hipGraphDebugDotPrint(graph, NULL, 0));
    fails(hipErrorOperatingSystem, hipGraphDebugDotPrint(graph, "/nonexistent/folder/file", 0));
    free(text);
    close(file);
    unlink(path);
    ok(hipGraphDestroy(graph));
    ok(hipFree(device));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_shape, clear),
        cmocka_unit_test_setup(test_cycle, clear),
        cmocka_unit_test_setup(test_node_order, clear),
        cmocka_unit_test_setup(test_order, clear),
        cmocka_unit_test_setup(test_random_graphs, clear),
        cmocka_unit_test_setup(test_branches, clear),
        cmocka_unit_test_setup(test_small_steps, clear),
        cmocka_unit_test_setup(test_waiting_branches, clear),
        cmocka_unit_test_setup(test_clone, clear),
        cmocka_unit_test_setup(test_instantiate, clear),
        cmocka_unit_test_setup(test_launch_order, clear),
        cmocka_unit_test_setup(test_update, clear),
        cmocka_unit_test_setup(test_update_copies, clear),
        cmocka_unit_test_setup(test_enabled, clear),
        cmocka_unit_test_setup(test_memory, clear),
        cmocka_unit_test_setup(test_user_objects, clear),
        cmocka_unit_test_setup(test_other_references, clear),
        cmocka_unit_test_setup(test_pageable, clear),
        cmocka_unit_test_setup(test_drawing, clear),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
