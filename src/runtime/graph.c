/* Graphs and their nodes: making, connecting, copying. See graph.h for the vocabulary. */
#include "runtime/graph.h"
#include "base/array.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/user_object.h"
#include "runtime/work.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t last_id;

/* ---- sets of nodes --------------------------------------------------------------------------- */

enum wl_status wl_nodes_add(struct wl_nodes *nodes, struct wl_node *node) {
    if (!WL_ARRAY_RESERVE(nodes->at, nodes->count, nodes->capacity, 4))
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %zu nodes", nodes->count + 1);
    nodes->at[nodes->count++] = node;
    return WL_OK;
}

bool wl_nodes_have(const struct wl_nodes *nodes, const struct wl_node *node) {
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->at[i] == node)
            return true;
    return false;
}

static bool remove_node(struct wl_nodes *nodes, const struct wl_node *node) {
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->at[i] == node) {
            memmove((void *)(nodes->at + i), (const void *)(nodes->at + i + 1), (nodes->count - i - 1) * sizeof(struct wl_node *));
            nodes->count--;
            return true;
        }
    return false;
}

void wl_nodes_clear(struct wl_nodes *nodes) {
    free((void *)nodes->at);
    *nodes = (struct wl_nodes){0};
}

/* ---- work ----------------------------------------------------------------------------------- */

void wl_work_clear(struct wl_work *work) {
    switch (work->kind) {
    case WL_NODE_KERNEL:
        free((void *)work->kernel.request.arguments); /* the packed arguments are in the same block */
        break;
    case WL_NODE_GRAPH:
        if (work->child)
            wl_graph_destroy(work->child);
        break;
    case WL_NODE_ALLOCATE:
        wl_graph_memory_release(work->memory);
        break;
    case WL_NODE_FREE:
        if (work->claims)
            wl_graph_memory_unclaim(wl_graph_memory_at(work->address));
        break;
    case WL_NODE_VALUES:
        free(work->values.values);
        break;
    default:
        break;
    }
    free(work->description);
    memset(work, 0, sizeof *work);
    work->kind = WL_NODE_EMPTY;
}

enum wl_status wl_work_describe(struct wl_work *work, const void *description, size_t size) {
    void *copy = malloc(size);
    if (!copy)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a node's parameters");
    memcpy(copy, description, size);
    free(work->description);
    work->description = copy;
    work->description_size = size;
    return WL_OK;
}

struct wl_event *wl_work_event(const struct wl_work *work) {
    if (work->kind == WL_NODE_KERNEL)
        return work->kernel.request.stop;
    return work->kind == WL_NODE_EVENT_RECORD || work->kind == WL_NODE_EVENT_WAIT ? work->event : NULL;
}

enum wl_status wl_work_copy_attributes(const struct wl_work *from, struct wl_work *to) {
    to->kernel.priority = from->kernel.priority;
    to->kernel.request.cooperative = from->kernel.request.cooperative;
    memcpy(to->kernel.request.cluster, from->kernel.request.cluster, sizeof to->kernel.request.cluster);
    to->kernel.attribute = from->kernel.attribute;
    to->kernel.given = from->kernel.given;
    return from->description ? wl_work_describe(to, from->description, from->description_size) : WL_OK;
}

static void point_at_arguments(struct wl_launch_request *request, const struct wl_loaded_kernel *kernel, unsigned char *packed) {
    unsigned index = 0;
    for (uint32_t i = 0; i < kernel->kernel->argument_count && index < kernel->explicit_count; i++)
        if (kernel->kernel->arguments[i].kind < WL_ARG_HIDDEN_GLOBAL_OFFSET_X)
            request->arguments[index++] = packed + kernel->kernel->arguments[i].offset;
}

/* One block: a pointer to each argument, room for WL_WORK_LIST pointers, then the packed arguments. */
static enum wl_status kernel_block(struct wl_launch_request *request, const struct wl_loaded_kernel *kernel, unsigned char **packed) {
    size_t pointers = ((kernel->explicit_count + WL_WORK_LIST) * sizeof(void *) + 63) / 64 * 64;
    unsigned char *block = NULL;
    if (posix_memalign((void **)&block, 64, pointers + kernel->explicit_size + 1))
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for the arguments of a kernel node");
    memset(block, 0, pointers + kernel->explicit_size + 1);
    request->arguments = (void **)(void *)block;
    request->buffer = *packed = block + pointers;
    request->buffer_size = kernel->explicit_size;
    point_at_arguments(request, kernel, *packed);
    return WL_OK;
}

enum wl_status wl_work_kernel(struct wl_context *context, const struct wl_launch_request *request, struct wl_work *work) {
    unsigned char *packed = NULL;
    *work = (struct wl_work){.kind = WL_NODE_KERNEL, .context = context};
    work->kernel.request = *request;
    work->kernel.request.arguments = NULL;
    work->kernel.request.start = work->kernel.request.stop = NULL;
    work->kernel.listed = !request->arguments && request->buffer;
    enum wl_status status = wl_launch_check(context, request);
    if (status == WL_OK)
        status = kernel_block(&work->kernel.request, request->kernel, &packed);
    if (status == WL_OK)
        status = wl_launch_pack(request, packed, request->kernel->explicit_size);
    if (status != WL_OK)
        wl_work_clear(work);
    return status;
}

enum wl_status wl_work_values(const struct wl_stream_value *values, unsigned count, struct wl_work *work) {
    *work = (struct wl_work){.kind = WL_NODE_VALUES};
    work->values.values = malloc((count + 1) * sizeof *values);
    if (!work->values.values)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %u memory operations", count);
    memcpy(work->values.values, values, count * sizeof *values);
    work->values.count = count;
    return WL_OK;
}

static enum wl_status copy_kernel(const struct wl_work *work, struct wl_work *copy) {
    const struct wl_launch_request *request = &work->kernel.request;
    unsigned char *packed = NULL;
    enum wl_status status = kernel_block(&copy->kernel.request, request->kernel, &packed);
    if (status == WL_OK)
        memcpy(packed, request->buffer, request->buffer_size);
    else
        copy->kernel.request.arguments = NULL;
    return status;
}

enum wl_status wl_work_copy(const struct wl_work *work, struct wl_work *copy) {
    enum wl_status status = WL_OK;
    *copy = *work;
    copy->description = NULL;
    copy->claims = false;
    if (work->kind == WL_NODE_KERNEL) {
        status = copy_kernel(work, copy);
    } else if (work->kind == WL_NODE_GRAPH) {
        copy->child = NULL;
        status = wl_graph_clone(work->child, &copy->child);
    } else if (work->kind == WL_NODE_ALLOCATE) {
        wl_graph_memory_retain(work->memory);
    } else if (work->kind == WL_NODE_VALUES) {
        status = wl_work_values(work->values.values, work->values.count, copy);
        copy->context = work->context;
    }
    if (status == WL_OK && work->description)
        status = wl_work_describe(copy, work->description, work->description_size);
    if (status != WL_OK)
        wl_work_clear(copy);
    return status;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static void adopt(struct wl_node *node) {
    if (node->work.kind == WL_NODE_GRAPH)
        node->work.child->parent = node;
}

static void note_change(const struct wl_node *node) {
    struct wl_graph *graph = node->graph;
    while (graph->parent)
        graph = graph->parent->graph;
    atomic_fetch_add(&graph->changes, 1);
}

/* A program may go on using the memory of the arguments that it was shown, so the new ones go there if they fit. */
static void keep_block(struct wl_work *before, struct wl_work *work) {
    struct wl_launch_request *old = &before->kernel.request, *new = &work->kernel.request;
    if (before->kind != WL_NODE_KERNEL || work->kind != WL_NODE_KERNEL || old->buffer_size != new->buffer_size ||
        old->kernel->explicit_count != new->kernel->explicit_count)
        return;
    unsigned char *packed = (unsigned char *)(uintptr_t)old->buffer;
    memcpy(packed, new->buffer, new->buffer_size);
    free((void *)new->arguments);
    new->arguments = old->arguments;
    new->buffer = packed;
    old->arguments = NULL;
    point_at_arguments(new, new->kernel, packed);
}

void wl_node_replace(struct wl_node *node, struct wl_work *work) {
    keep_block(&node->work, work);
    wl_work_clear(&node->work);
    node->work = *work;
    adopt(node);
    note_change(node);
}

void wl_node_enable(struct wl_node *node, bool enabled) {
    node->disabled = !enabled;
    note_change(node);
}

static bool connected(const struct wl_node *from, const struct wl_node *to) {
    return from->dependents.count < to->dependencies.count ? wl_nodes_have(&from->dependents, to) : wl_nodes_have(&to->dependencies, from);
}

bool wl_graph_connected(const struct wl_node *from, const struct wl_node *to) { return connected(from, to); }

static enum wl_status link_nodes(struct wl_node *from, struct wl_node *to) {
    enum wl_status status = wl_nodes_add(&from->dependents, to);
    if (status == WL_OK) {
        status = wl_nodes_add(&to->dependencies, from);
        if (status != WL_OK)
            from->dependents.count--;
    }
    return status;
}

enum wl_status wl_graph_connect(struct wl_node *from, struct wl_node *to) {
    if (from->graph != to->graph || from == to)
        return wl_fail(WL_INVALID_VALUE, "the nodes are of different graphs, or the same node");
    if (connected(from, to))
        return wl_fail(WL_INVALID_VALUE, "the edge exists already");
    return link_nodes(from, to);
}

enum wl_status wl_graph_disconnect(struct wl_node *from, struct wl_node *to) {
    if (!remove_node(&from->dependents, to))
        return wl_fail(WL_INVALID_VALUE, "there is no such edge");
    (void)remove_node(&to->dependencies, from);
    return WL_OK;
}

static void free_node(struct wl_node *node) {
    wl_handle_remove(node);
    wl_nodes_clear(&node->dependencies);
    wl_nodes_clear(&node->dependents);
    wl_work_clear(&node->work);
    free(node);
}

void wl_node_destroy(struct wl_node *node) {
    while (node->dependents.count)
        (void)wl_graph_disconnect(node, node->dependents.at[0]);
    while (node->dependencies.count)
        (void)wl_graph_disconnect(node->dependencies.at[0], node);
    struct wl_nodes *nodes = &node->graph->nodes;
    memmove((void *)(nodes->at + node->index), (const void *)(nodes->at + node->index + 1),
            (nodes->count - node->index - 1) * sizeof(struct wl_node *));
    nodes->count--;
    for (size_t i = node->index; i < nodes->count; i++)
        nodes->at[i]->index = i;
    free_node(node);
}

enum wl_status wl_graph_add(struct wl_graph *graph, struct wl_node *const *dependencies, size_t count, struct wl_work *work,
                            struct wl_node **node) {
    struct wl_node *made = calloc(1, sizeof *made);
    enum wl_status status = made ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a node");
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        if (dependencies[i]->graph != graph)
            status = wl_fail(WL_INVALID_VALUE, "a dependency is of another graph");
        for (size_t j = 0; j < i && status == WL_OK && count < 64; j++)
            if (dependencies[i] == dependencies[j])
                status = wl_fail(WL_INVALID_VALUE, "a dependency is given twice");
    }
    if (status == WL_OK)
        status = wl_nodes_add(&graph->nodes, made);
    if (status == WL_OK) {
        status = wl_handle_add(made, WL_HANDLE_NODE);
        if (status != WL_OK)
            graph->nodes.count--;
    }
    if (status != WL_OK) {
        wl_work_clear(work);
        free(made);
        return status;
    }
    made->graph = graph;
    made->id = made->identity = atomic_fetch_add(&last_id, 1) + 1;
    made->index = graph->nodes.count - 1;
    made->work = *work;
    adopt(made);
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = link_nodes(dependencies[i], made);
    if (status != WL_OK)
        wl_node_destroy(made);
    else
        *node = made;
    return status;
}

/* ---- graphs --------------------------------------------------------------------------------- */

enum wl_status wl_graph_create(struct wl_context *context, struct wl_graph **graph) {
    struct wl_graph *made = calloc(1, sizeof *made);
    enum wl_status status = made ? wl_handle_add(made, WL_HANDLE_GRAPH) : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a graph");
    if (status != WL_OK) {
        free(made);
        return status;
    }
    made->id = atomic_fetch_add(&last_id, 1) + 1;
    made->context = context;
    *graph = made;
    return WL_OK;
}

void wl_graph_destroy(struct wl_graph *graph) {
    wl_handle_remove(graph);
    for (size_t i = 0; i < graph->nodes.count; i++)
        free_node(graph->nodes.at[i]);
    wl_nodes_clear(&graph->nodes);
    wl_graph_drop_objects(graph);
    free(graph);
}

/* The same nodes of a copy of their graph, in the same order. */
static enum wl_status copy_set(const struct wl_nodes *from, const struct wl_graph *graph, struct wl_nodes *to) {
    enum wl_status status = WL_OK;
    for (size_t i = 0; i < from->count && status == WL_OK; i++)
        status = wl_nodes_add(to, graph->nodes.at[from->at[i]->index]);
    return status;
}

enum wl_status wl_graph_clone(const struct wl_graph *graph, struct wl_graph **clone) {
    struct wl_graph *made = NULL;
    enum wl_status status = wl_graph_create(graph->context, &made);
    if (status != WL_OK)
        return status;
    made->origin = graph->id;
    for (size_t i = 0; i < graph->nodes.count && status == WL_OK; i++) {
        struct wl_node *copy = NULL;
        struct wl_work work;
        status = wl_work_copy(&graph->nodes.at[i]->work, &work);
        if (status == WL_OK)
            status = wl_graph_add(made, NULL, 0, &work, &copy);
        if (status == WL_OK) {
            copy->origin = graph->nodes.at[i]->id;
            copy->identity = graph->nodes.at[i]->identity;
            copy->disabled = graph->nodes.at[i]->disabled;
        }
    }
    for (size_t i = 0; i < graph->nodes.count && status == WL_OK; i++) {
        status = copy_set(&graph->nodes.at[i]->dependencies, made, &made->nodes.at[i]->dependencies);
        if (status == WL_OK)
            status = copy_set(&graph->nodes.at[i]->dependents, made, &made->nodes.at[i]->dependents);
    }
    if (status == WL_OK)
        status = wl_graph_copy_objects(graph, made);
    if (status != WL_OK)
        wl_graph_destroy(made);
    else
        *clone = made;
    return status;
}

struct wl_node *wl_graph_find_copy(struct wl_graph *graph, uint64_t id) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        struct wl_node *node = graph->nodes.at[i];
        if (node->origin == id)
            return node;
        struct wl_node *within = node->work.kind == WL_NODE_GRAPH ? wl_graph_find_copy(node->work.child, id) : NULL;
        if (within)
            return within;
    }
    return NULL;
}

enum wl_status wl_graph_order(const struct wl_graph *graph, struct wl_nodes *order) {
    enum wl_status status = WL_OK;
    size_t begin = order->count;
    for (size_t i = 0; i < graph->nodes.count && status == WL_OK; i++) {
        struct wl_node *node = graph->nodes.at[i];
        node->mark = node->dependencies.count; /* that are not in the order yet */
        if (!node->mark)
            status = wl_nodes_add(order, node);
    }
    for (size_t next = begin; next < order->count && status == WL_OK; next++) {
        const struct wl_nodes *after = &order->at[next]->dependents;
        for (size_t i = 0; i < after->count && status == WL_OK; i++)
            if (--after->at[i]->mark == 0)
                status = wl_nodes_add(order, after->at[i]);
    }
    if (status == WL_OK && order->count - begin != graph->nodes.count)
        status = wl_fail(WL_INVALID_VALUE, "the graph has a cycle");
    return status;
}

bool wl_graph_has_memory(const struct wl_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.at[i]->work.kind == WL_NODE_ALLOCATE || graph->nodes.at[i]->work.kind == WL_NODE_FREE)
            return true;
    return false;
}

size_t wl_graph_edge_count(const struct wl_graph *graph) {
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes.count; i++)
        count += graph->nodes.at[i]->dependencies.count;
    return count;
}
