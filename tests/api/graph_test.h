/* What the tests of graphs share: pinned words that kernels add to, a stream, and building graphs of such additions. */
#ifndef WL_TEST_GRAPH_H
#define WL_TEST_GRAPH_H

#include "api_test.h"

static int *words; /* pinned */
static hipStream_t stream;

/* A registered program, for symbols. */
static struct {
    uint32_t magic, version;
    const void *binary;
    void *unused;
} wrapper = {0x48495046, 1, NULL, NULL};
static int shadow_counter, shadow_table[4];
static inline void stub_add(void) {}

static inline int setup(void **state) {
    (void)state;
    size_t size = 0;
    wrapper.binary = read_file(API_TEST_OBJECT, &size);
    void **handle = __hipRegisterFatBinary(&wrapper);
    static char add[] = "add", counter[] = "counter", table[] = "table";
    __hipRegisterFunction(handle, (const void *)(uintptr_t)stub_add, add, add, ~0u, NULL, NULL, NULL, NULL, NULL);
    __hipRegisterVar(handle, &shadow_counter, counter, counter, 0, 4, 0, 0);
    __hipRegisterVar(handle, shadow_table, table, table, 0, 16, 1, 0);
    ok(hipHostMalloc((void **)&words, 65536, 0));
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    return 0;
}

static inline int teardown(void **state) {
    (void)state;
    ok(hipStreamDestroy(stream));
    ok(hipHostFree(words));
    return 0;
}

static inline int clear(void **state) {
    (void)state;
    memset(words, 0, 65536);
    return 0;
}

static inline hipGraph_t new_graph(void) {
    hipGraph_t graph = NULL;
    ok(hipGraphCreate(&graph, 0));
    return graph;
}

static inline hipGraphExec_t instantiate(hipGraph_t graph) {
    hipGraphExec_t exec = NULL;
    ok(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
    return exec;
}

static inline void run(hipGraphExec_t exec) {
    ok(hipGraphLaunch(exec, stream));
    ok(hipStreamSynchronize(stream));
}

static inline dim3 extent(unsigned x) { return (dim3){x, 1, 1}; }

struct add_arguments {
    int *values;
    int value, count;
    void *pointers[3];
};

static inline hipKernelNodeParams add_params(struct add_arguments *arguments, int index, int value) {
    *arguments = (struct add_arguments){&words[index], value, 1, {&arguments->values, &arguments->value, &arguments->count}};
    return (hipKernelNodeParams){
        .func = test_kernel("add"), .gridDim = extent(1), .blockDim = extent(64), .kernelParams = arguments->pointers};
}

static inline hipGraphNode_t add_node(hipGraph_t graph, const hipGraphNode_t *before, size_t count, int index, int value) {
    struct add_arguments arguments;
    hipKernelNodeParams params = add_params(&arguments, index, value);
    hipGraphNode_t node = NULL;
    ok(hipGraphAddKernelNode(&node, graph, before, count, &params));
    memset(&arguments, 0xee, sizeof arguments); /* they were copied */
    return node;
}

static inline hipGraphNodeType type_of(hipGraphNode_t node) {
    hipGraphNodeType type = hipGraphNodeTypeCount;
    ok(hipGraphNodeGetType(node, &type));
    return type;
}

/* For nodes and objects that call the host. */
static inline void add_one(void *argument) { ++*(int *)argument; }

#endif
