/* HIP reference: Graph management, graphs: making, shape, copies, user objects, drawing. */
#include "api/graph_api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/user_object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

hipError_t hipGraphCreate(hipGraph_t *graph, unsigned int flags) {
    API_DEVICES();
    API_REQUIRE(graph != NULL && flags == 0, hipErrorInvalidValue);
    API_RETURN(wl_graph_create(wl_context_current(), (struct wl_graph **)graph));
}

hipError_t hipGraphDestroy(hipGraph_t graph) {
    API_REQUIRE(graph != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_handle_is(graph, WL_HANDLE_GRAPH), hipErrorIllegalState);
    struct wl_graph *doomed = (struct wl_graph *)graph;
    API_REQUIRE(doomed->parent == NULL, hipErrorInvalidValue); /* it belongs to a node */
    wl_graph_destroy(doomed);
    API_SUCCESS();
}

hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t original) {
    API_REQUIRE(clone != NULL, hipErrorInvalidValue);
    API_GRAPH(source, original);
    API_REQUIRE(!wl_graph_has_memory(source), hipErrorNotSupported);
    API_RETURN(wl_graph_clone(source, (struct wl_graph **)clone));
}

hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t clone) {
    API_REQUIRE(node != NULL, hipErrorInvalidValue);
    API_NODE(source, original);
    API_GRAPH(copy, clone);
    for (size_t i = 0; copy->origin && i < copy->nodes.count; i++)
        if (copy->nodes.at[i]->identity == source->identity) {
            *node = (hipGraphNode_t)copy->nodes.at[i];
            API_SUCCESS();
        }
    API_REQUIRE(!"a clone that has the node", hipErrorInvalidValue);
    API_SUCCESS();
}

hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
    API_NODE(doomed, node);
    API_REQUIRE(doomed->work.kind != WL_NODE_ALLOCATE && doomed->work.kind != WL_NODE_FREE, hipErrorNotSupported);
    wl_node_destroy(doomed);
    API_SUCCESS();
}

/* ---- edges ----------------------------------------------------------------------------------- */

static bool are_nodes(const struct wl_graph *graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!wl_handle_is(from[i], WL_HANDLE_NODE) || !wl_handle_is(to[i], WL_HANDLE_NODE) || ((struct wl_node *)from[i])->graph != graph ||
            ((struct wl_node *)to[i])->graph != graph)
            return false;
    return true;
}

/* Edges before one that fails are there, as in AMD's runtime. Cycles show when the graph is made executable. */
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count) {
    API_GRAPH(changed, graph);
    if (count == 0)
        API_SUCCESS();
    API_REQUIRE(from != NULL && to != NULL && are_nodes(changed, from, to, count), hipErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        API_REQUIRE(from[i] != to[i], hipErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        API_TRY(wl_graph_connect((struct wl_node *)from[i], (struct wl_node *)to[i]));
    API_SUCCESS();
}

hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count) {
    API_GRAPH(changed, graph);
    if (count == 0)
        API_SUCCESS();
    API_REQUIRE(from != NULL && to != NULL && are_nodes(changed, from, to, count), hipErrorInvalidValue);
    for (size_t i = 0; i < count; i++)
        API_TRY(wl_graph_disconnect((struct wl_node *)from[i], (struct wl_node *)to[i]));
    API_SUCCESS();
}

/* ---- lists ----------------------------------------------------------------------------------- */

hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count) {
    API_REQUIRE(count != NULL && !from == !to, hipErrorInvalidValue);
    API_GRAPH(asked, graph);
    size_t edges = wl_graph_edge_count(asked), written = 0;
    if (!from) {
        *count = edges;
        API_SUCCESS();
    }
    for (size_t i = 0; i < asked->nodes.count; i++) {
        const struct wl_node *node = asked->nodes.at[i];
        for (size_t j = 0; j < node->dependents.count && written < *count; j++, written++) {
            from[written] = (hipGraphNode_t)(uintptr_t)node;
            to[written] = (hipGraphNode_t)node->dependents.at[j];
        }
    }
    for (size_t i = written; i < *count; i++)
        from[i] = to[i] = NULL;
    *count = written;
    API_SUCCESS();
}

/* Writes as many nodes as there is room for, NULL behind them. */
static void list(const struct wl_nodes *nodes, bool roots_only, hipGraphNode_t *to, size_t *count) {
    size_t written = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        if (roots_only && nodes->at[i]->dependencies.count)
            continue;
        if (to && written < *count)
            to[written] = (hipGraphNode_t)nodes->at[i];
        if (!to || written < *count)
            written++;
    }
    for (size_t i = written; to && i < *count; i++)
        to[i] = NULL;
    *count = written;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
    API_REQUIRE(count != NULL, hipErrorInvalidValue);
    API_GRAPH(asked, graph);
    struct wl_nodes order = {0};
    enum wl_status status = wl_graph_order(asked, &order);
    if (status == WL_OK)
        list(&order, false, nodes, count);
    wl_nodes_clear(&order);
    API_RETURN(status);
}

hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count) {
    API_REQUIRE(count != NULL, hipErrorInvalidValue);
    API_GRAPH(asked, graph);
    list(&asked->nodes, true, nodes, count);
    API_SUCCESS();
}

hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count) {
    API_REQUIRE(count != NULL, hipErrorInvalidValue);
    API_NODE(asked, node);
    list(&asked->dependencies, false, nodes, count);
    API_SUCCESS();
}

hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count) {
    API_REQUIRE(count != NULL, hipErrorInvalidValue);
    API_NODE(asked, node);
    list(&asked->dependents, false, nodes, count);
    API_SUCCESS();
}

hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type) {
    API_REQUIRE(type != NULL, hipErrorInvalidValue);
    API_NODE(asked, node);
    *type = wl_api_node_type(asked);
    API_SUCCESS();
}

/* ---- user objects ---------------------------------------------------------------------------- */

#define IS_COUNT(count) ((count) > 0 && (count) <= INT32_MAX)

/* NULL: the object has ended, which is no error in what follows, as in AMD's runtime. */
static struct wl_user_object *living(hipUserObject_t object) {
    return wl_handle_is(object, WL_HANDLE_USER_OBJECT) ? (struct wl_user_object *)object : NULL;
}

hipError_t hipUserObjectCreate(hipUserObject_t *object, void *pointer, hipHostFn_t destroy, unsigned int initialRefcount,
                               unsigned int flags) {
    API_DEVICES();
    API_REQUIRE(object != NULL && destroy != NULL && IS_COUNT(initialRefcount) && flags == hipUserObjectNoDestructorSync,
                hipErrorInvalidValue);
    API_RETURN(wl_user_object_create(pointer, destroy, initialRefcount, (struct wl_user_object **)object));
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count) {
    API_REQUIRE(object != NULL && IS_COUNT(count), hipErrorInvalidValue);
    if (living(object))
        wl_user_object_retain(living(object), count);
    API_SUCCESS();
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count) {
    API_REQUIRE(object != NULL && IS_COUNT(count), hipErrorInvalidValue);
    if (living(object))
        wl_user_object_release(living(object), count);
    API_SUCCESS();
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count, unsigned int flags) {
    API_REQUIRE(object != NULL && IS_COUNT(count) && !(flags & ~(unsigned)hipGraphUserObjectMove), hipErrorInvalidValue);
    API_GRAPH(holder, graph);
    if (living(object))
        API_RETURN(wl_graph_retain_object(holder, living(object), count, flags == hipGraphUserObjectMove));
    API_SUCCESS();
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count) {
    API_REQUIRE(object != NULL && IS_COUNT(count), hipErrorInvalidValue);
    API_GRAPH(holder, graph);
    if (living(object))
        wl_graph_release_object(holder, living(object), count);
    API_SUCCESS();
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* An array, memory that HIP knows, or the host's. */
static char side_letter(const struct wl_work *work, bool target) {
    struct wl_allocation allocation;
    const hipMemcpy3DParms *params = work->description;
    if (params && work->description_size == sizeof *params && (target ? params->dstArray : params->srcArray))
        return 'A';
    return wl_memory_find(target ? work->copy.target : work->copy.source, &allocation) ? 'D' : 'H';
}

static void draw_parameters(FILE *file, const struct wl_work *work, unsigned flags) {
    const struct wl_launch_request *kernel = &work->kernel.request;
    bool all = flags & hipGraphDebugDotFlagsVerbose;
    if (work->kind == WL_NODE_KERNEL && (all || flags & hipGraphDebugDotFlagsKernelNodeParams))
        fprintf(file, "\\ngrid %u x %u x %u, block %u x %u x %u, LDS %zu", kernel->grid[0], kernel->grid[1], kernel->grid[2],
                kernel->block[0], kernel->block[1], kernel->block[2], kernel->dynamic_lds);
    if (work->kind == WL_NODE_KERNEL && (all || flags & hipGraphDebugDotFlagsKernelNodeAttributes))
        fprintf(file, "\\ncooperative %d, priority %d", kernel->cooperative, work->kernel.priority);
    if (work->kind == WL_NODE_COPY)
        fprintf(file, "\\n(%cto%c)", side_letter(work, false), side_letter(work, true));
    if (work->kind == WL_NODE_COPY && (all || flags & hipGraphDebugDotFlagsMemcpyNodeParams))
        fprintf(file, "\\n%p to %p\\n%zu bytes x %zu rows x %zu slices", work->copy.source, work->copy.target, work->copy.width,
                work->copy.rows, work->copy.slices);
    if (work->kind == WL_NODE_FILL && (all || flags & hipGraphDebugDotFlagsMemsetNodeParams))
        fprintf(file, "\\n%p, value 0x%x\\n%zu elements of %u bytes x %zu rows", work->fill.target, work->fill.pattern, work->fill.width,
                work->fill.pattern_size, work->fill.rows);
    if (work->kind == WL_NODE_HOST && (all || flags & hipGraphDebugDotFlagsHostNodeParams))
        fprintf(file, "\\nfunction %p, argument %p", (void *)(uintptr_t)work->host.function, work->host.argument);
    if ((work->kind == WL_NODE_EVENT_RECORD || work->kind == WL_NODE_EVENT_WAIT) && (all || flags & hipGraphDebugDotFlagsEventNodeParams))
        fprintf(file, "\\nevent %p", (void *)work->event);
    if (work->kind == WL_NODE_ALLOCATE && all)
        fprintf(file, "\\n%zu bytes at %p", wl_graph_memory_size(work->memory), wl_graph_memory_address(work->memory));
    if (work->kind == WL_NODE_FREE && all)
        fprintf(file, "\\n%p", work->address);
}

static void draw(FILE *file, const struct wl_graph *graph, unsigned flags, unsigned depth) {
    static const char *const names[] = {[WL_NODE_KERNEL] = "KERNEL",
                                        [WL_NODE_COPY] = "MEMCPY",
                                        [WL_NODE_FILL] = "MEMSET",
                                        [WL_NODE_HOST] = "HOST",
                                        [WL_NODE_GRAPH] = "GRAPH",
                                        [WL_NODE_EMPTY] = "EMPTY",
                                        [WL_NODE_EVENT_WAIT] = "EVENT_WAIT",
                                        [WL_NODE_EVENT_RECORD] = "EVENT_RECORD",
                                        [WL_NODE_ALLOCATE] = "MEM_ALLOC",
                                        [WL_NODE_FREE] = "MEM_FREE",
                                        [WL_NODE_VALUES] = "BATCH_MEM_OP",
                                        [WL_NODE_SIGNAL] = "EXTERNAL_SEMAPHORE_SIGNAL",
                                        [WL_NODE_WAIT] = "EXTERNAL_SEMAPHORE_WAIT"};
    fprintf(file, "%*ssubgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", (int)depth, "",
            (unsigned long long)graph->id, (unsigned long long)graph->id);
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_node *node = graph->nodes.at[i];
        fprintf(file, "\"node_%llu\"[shape=\"%s\" label=\"%zu\\n%s", (unsigned long long)node->id,
                node->work.kind == WL_NODE_KERNEL ? "octagon" : "rectangle", i, names[node->work.kind]);
        if (node->work.kind == WL_NODE_KERNEL)
            fprintf(file, "\\n%s", node->work.kernel.request.kernel->kernel->name);
        draw_parameters(file, &node->work, flags);
        if (flags & hipGraphDebugDotFlagsHandles)
            fprintf(file, "\\nhandle %p", (const void *)node);
        fprintf(file, "\"];\n");
        if (node->work.kind == WL_NODE_GRAPH)
            draw(file, node->work.child, flags, depth + 1);
    }
    for (size_t i = 0; i < graph->nodes.count; i++)
        for (size_t j = 0; j < graph->nodes.at[i]->dependents.count; j++)
            fprintf(file, "\"node_%llu\" -> \"node_%llu\";\n", (unsigned long long)graph->nodes.at[i]->id,
                    (unsigned long long)graph->nodes.at[i]->dependents.at[j]->id);
    fprintf(file, "}\n");
}

hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned int flags) {
    API_REQUIRE(path != NULL, hipErrorInvalidValue);
    API_GRAPH(drawn, graph);
    FILE *file = fopen(path, "we");
    API_REQUIRE(file != NULL, hipErrorOperatingSystem);
    fprintf(file, "digraph dot {\n");
    draw(file, drawn, flags, 0);
    fprintf(file, "}\n");
    bool failed = ferror(file) != 0;
    failed |= fclose(file) != 0;
    API_REQUIRE(!failed, hipErrorOperatingSystem);
    API_SUCCESS();
}
