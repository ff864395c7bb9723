/* Executable graphs: an order of steps, launches, updates.
 *
 * Graphs within a graph are laid open: such a node becomes a step before and a step after the steps of its graph. Steps are
 * spread over lanes when the executable is made: a step goes on in the lane whose last step it depends on, else it begins
 * another one. In a launch a lane is a stream; lane 0 is the one the program launches in.
 *
 * Most graphs need no lanes: they are launched as one command (graph_plan.h). */
#include "runtime/graph_exec.h"
#include "base/array.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/graph_plan.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/order.h"
#include "runtime/stream.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LANES 8

struct step {
    struct wl_node *node; /* NULL: only joins what it depends on */
    size_t *dependencies; /* indices of earlier steps */
    size_t count, capacity;
    unsigned lane;
    bool crosses;             /* steps of other lanes depend on it */
    struct wl_stream *stream; /* of the latest launch */
    uint64_t sequence;
    struct wl_event *reached; /* of steps that cross, in streams of devices with queues; NULL: there was no such launch yet */
};

struct lane_stream {
    unsigned lane;
    struct wl_context *context;
    struct wl_stream *stream;
    bool used; /* in the launch that is being queued */
};

struct wl_graph_exec {
    struct wl_graph *graph;
    unsigned flags;
    unsigned long long given;
    pthread_mutex_t lock; /* one launch is queued at a time */
    struct step *steps;
    size_t step_count, step_room;
    struct lane_stream *streams;
    size_t stream_count, stream_capacity;
    struct wl_event *begun;        /* like `reached`, for the launch itself */
    struct wl_stream *last_stream; /* of the latest launch; referenced */
    uint64_t last_sequence;
    struct wl_plan *plan; /* NULL: none was made yet, or it can have none */
    struct wl_context *plan_context;
    unsigned plan_changes; /* graph->changes when it was made, or could not be */
    bool planned;          /* the three say something */
    bool pageable;         /* as the plan: a copy goes to memory that HIP does not know */
    bool checked;          /* some nodes have to be looked at before each launch: events, memory */
};

/* ---- steps ----------------------------------------------------------------------------------- */

static enum wl_status no_memory(void) { return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an executable graph"); }

static enum wl_status add_step(struct wl_graph_exec *exec, struct wl_node *node, size_t *index) {
    if (!WL_ARRAY_RESERVE(exec->steps, exec->step_count, exec->step_room, 16))
        return no_memory();
    exec->steps[exec->step_count] = (struct step){.node = node};
    *index = exec->step_count++;
    return WL_OK;
}

static enum wl_status add_dependency(struct wl_graph_exec *exec, size_t step, size_t on) {
    struct step *to = &exec->steps[step];
    if (!WL_ARRAY_RESERVE(to->dependencies, to->count, to->capacity, 4))
        return no_memory();
    to->dependencies[to->count++] = on;
    return WL_OK;
}

static enum wl_status lay_open(struct wl_graph_exec *exec, struct wl_graph *graph, size_t before, size_t *after);

/* The step, or the steps, of one node. `ends`: of each node of the graph, the step that others wait for. */
static enum wl_status add_node(struct wl_graph_exec *exec, struct wl_node *node, size_t before, size_t *ends) {
    size_t first = 0;
    bool nested = node->work.kind == WL_NODE_GRAPH;
    enum wl_status status = add_step(exec, nested ? NULL : node, &first);
    for (size_t i = 0; i < node->dependencies.count && status == WL_OK; i++)
        status = add_dependency(exec, first, ends[node->dependencies.at[i]->index]);
    if (status == WL_OK && node->dependencies.count == 0 && before != SIZE_MAX)
        status = add_dependency(exec, first, before);
    ends[node->index] = first;
    if (status == WL_OK && nested)
        status = lay_open(exec, node->work.child, first, &ends[node->index]);
    return status;
}

/* Adds the steps of a graph, all behind step `before`, and a last one behind them all. */
static enum wl_status lay_open(struct wl_graph_exec *exec, struct wl_graph *graph, size_t before, size_t *after) {
    size_t count = graph->nodes.count, *ends = calloc(count + 1, sizeof *ends);
    struct wl_nodes order = {0};
    enum wl_status status = ends ? wl_graph_order(graph, &order) : no_memory();
    for (size_t i = 0; i < count && status == WL_OK; i++)
        status = add_node(exec, order.at[i], before, ends);
    if (status == WL_OK)
        status = add_step(exec, NULL, after);
    for (size_t i = 0; i < count && status == WL_OK; i++)
        if (graph->nodes.at[i]->dependents.count == 0)
            status = add_dependency(exec, *after, ends[i]);
    if (status == WL_OK && count == 0 && before != SIZE_MAX)
        status = add_dependency(exec, *after, before);
    wl_nodes_clear(&order);
    free(ends);
    return status;
}

static void choose_lanes(struct wl_graph_exec *exec) {
    size_t last[MAX_LANES];
    unsigned lanes = 0, turn = 0;
    for (size_t i = 0; i < exec->step_count; i++) {
        struct step *step = &exec->steps[i];
        unsigned lane = MAX_LANES;
        for (size_t j = 0; j < step->count && lane == MAX_LANES; j++) {
            unsigned candidate = exec->steps[step->dependencies[j]].lane;
            if (last[candidate] == step->dependencies[j])
                lane = candidate;
        }
        if (lane == MAX_LANES)
            lane = lanes < MAX_LANES ? lanes++ : turn++ % MAX_LANES;
        step->lane = lane;
        last[lane] = i;
    }
    exec->steps[exec->step_count - 1].lane = 0; /* the end is the launching stream's */
    for (size_t i = 0; i < exec->step_count; i++)
        for (size_t j = 0; j < exec->steps[i].count; j++)
            exec->steps[exec->steps[i].dependencies[j]].crosses |= exec->steps[exec->steps[i].dependencies[j]].lane != exec->steps[i].lane;
}

static bool is_memory(const struct wl_node *node) {
    return node && (node->work.kind == WL_NODE_ALLOCATE || node->work.kind == WL_NODE_FREE);
}

static bool is_semaphores(const struct wl_node *node) { return node->work.kind == WL_NODE_SIGNAL || node->work.kind == WL_NODE_WAIT; }

static bool is_checked(const struct wl_graph *graph) {
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct wl_node *node = graph->nodes.at[i];
        if (is_memory(node) || is_semaphores(node) || wl_work_event(&node->work) ||
            (node->work.kind == WL_NODE_GRAPH && is_checked(node->work.child)))
            return true;
    }
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

enum wl_status wl_graph_exec_create(struct wl_graph *graph, unsigned flags, struct wl_graph_exec **exec) {
    size_t end = 0;
    if (graph->instantiated && wl_graph_has_memory(graph))
        return wl_fail(WL_UNSUPPORTED, "a graph that allocates or frees memory can be made executable once");
    struct wl_graph_exec *made = calloc(1, sizeof *made);
    if (!made)
        return no_memory();
    pthread_mutex_init(&made->lock, NULL);
    made->flags = flags;
    enum wl_status status = wl_graph_clone(graph, &made->graph);
    if (status == WL_OK)
        status = lay_open(made, made->graph, SIZE_MAX, &end);
    if (status == WL_OK) {
        choose_lanes(made);
        made->checked = is_checked(made->graph);
        status = wl_handle_add(made, WL_HANDLE_GRAPH_EXEC);
    }
    if (status != WL_OK)
        wl_graph_exec_destroy(made);
    else
        *exec = made;
    graph->instantiated |= status == WL_OK;
    return status;
}

void wl_graph_exec_destroy(struct wl_graph_exec *exec) {
    wl_handle_remove(exec);
    if (exec->last_stream) {
        if (exec->graph && exec->graph->references) /* the program's objects outlive what was launched with them */
            (void)wl_stream_wait(exec->last_stream, exec->last_sequence);
        wl_stream_release(exec->last_stream);
    }
    for (size_t i = 0; i < exec->stream_count; i++)
        wl_stream_destroy(exec->streams[i].stream);
    for (size_t i = 0; i < exec->step_count; i++) {
        free(exec->steps[i].dependencies);
        if (exec->steps[i].reached)
            wl_event_destroy(exec->steps[i].reached);
    }
    if (exec->begun)
        wl_event_destroy(exec->begun);
    if (exec->plan)
        wl_plan_release(exec->plan);
    if (exec->graph)
        wl_graph_destroy(exec->graph);
    free(exec->steps);
    free(exec->streams);
    pthread_mutex_destroy(&exec->lock);
    free(exec);
}

void wl_graph_exec_set_given(struct wl_graph_exec *exec, unsigned long long flags) { exec->given = flags; }

unsigned long long wl_graph_exec_given(const struct wl_graph_exec *exec) { return exec->given; }

struct wl_node *wl_graph_exec_node(struct wl_graph_exec *exec, const struct wl_node *original) {
    return wl_graph_find_copy(exec->graph, original->id);
}

/* ---- launching ------------------------------------------------------------------------------- */

/* What can be wrong with a launch, and what a launch before left allocated. Nothing is queued yet. */
static enum wl_status check(struct wl_graph_exec *exec, const struct wl_graph *graph) {
    enum wl_status status = WL_OK;
    for (size_t i = 0; i < graph->nodes.count && status == WL_OK; i++) {
        const struct wl_work *work = &graph->nodes.at[i]->work;
        if (work->kind == WL_NODE_GRAPH)
            status = check(exec, work->child);
        else if (is_semaphores(graph->nodes.at[i]) && work->semaphores)
            status = wl_fail(WL_INVALID_VALUE, "not an external semaphore");
        else if (wl_work_event(work) && !wl_handle_is(wl_work_event(work), WL_HANDLE_EVENT))
            status = wl_fail(WL_INVALID_VALUE, "an event of the graph was destroyed");
        else if (work->kind == WL_NODE_ALLOCATE && wl_graph_memory_is_live(work->memory))
            status = exec->flags & WL_GRAPH_AUTO_FREE
                         ? wl_graph_memory_end(work->memory)
                         : wl_fail(WL_INVALID_VALUE, "memory that the graph allocated in an earlier launch was not freed");
    }
    return status;
}

/* The stream of a lane on a device. */
static struct wl_stream *lane_stream(struct wl_graph_exec *exec, const struct step *step, struct wl_stream *launched, bool *first) {
    struct wl_context *context = step->node && step->node->work.context ? step->node->work.context : launched->context;
    *first = false;
    if (context == launched->context && step->lane == 0)
        return launched;
    for (size_t i = 0; i < exec->stream_count; i++) {
        struct lane_stream *known = &exec->streams[i];
        if (known->lane == step->lane && known->context == context) {
            *first = !known->used;
            known->used = true;
            return known->stream;
        }
    }
    struct wl_stream *made = NULL;
    if (!WL_ARRAY_RESERVE(exec->streams, exec->stream_count, exec->stream_capacity, 4))
        return NULL;
    if (wl_stream_create(context, WL_STREAM_NON_BLOCKING, launched->priority, &made) != WL_OK)
        return NULL;
    exec->streams[exec->stream_count++] = (struct lane_stream){step->lane, context, made, true};
    *first = true;
    return made;
}

struct call {
    void (*function)(void *argument);
    void *argument;
};

static void call(void *argument, enum wl_status fault) {
    const struct call *call = argument;
    if (fault == WL_OK)
        call->function(call->argument);
    free(argument);
}

static enum wl_status queue_host(struct wl_stream *stream, const struct wl_work *work) {
    struct call *made = malloc(sizeof *made);
    if (!made)
        return no_memory();
    *made = (struct call){work->host.function, work->host.argument};
    enum wl_status status = wl_command_host(stream, call, made, true);
    if (status != WL_OK)
        free(made);
    return status;
}

static enum wl_status queue_free(void *address, struct wl_stream *stream) {
    struct wl_graph_memory *memory = wl_graph_memory_at(address);
    const enum wl_status status =
        memory ? wl_graph_memory_end(memory) : wl_fail(WL_INVALID_VALUE, "%p was not allocated by a graph", address);
    return status == WL_OK ? wl_graph_memory_tell(memory, false, stream) : status;
}

static enum wl_status queue_work(struct wl_stream *stream, const struct wl_work *work) {
    switch (work->kind) {
    case WL_NODE_KERNEL: {
        struct wl_launch_request request = work->kernel.request;
        request.arguments = NULL; /* the packed ones are ready */
        return wl_launch_enqueue(stream, &request);
    }
    case WL_NODE_COPY:
        return wl_command_copy(stream, &work->copy, false);
    case WL_NODE_FILL:
        return wl_command_fill(stream, &work->fill, false);
    case WL_NODE_HOST:
        return queue_host(stream, work);
    case WL_NODE_EVENT_RECORD:
        return wl_event_record(work->event, stream);
    case WL_NODE_EVENT_WAIT:
        return wl_event_wait(work->event, stream);
    case WL_NODE_VALUES:
        return wl_value_enqueue(stream, work->values.values, work->values.count);
    case WL_NODE_ALLOCATE:
        wl_graph_memory_begin(work->memory);
        return wl_graph_memory_tell(work->memory, true, stream);
    case WL_NODE_FREE:
        return queue_free(work->address, stream);
    default:
        return WL_OK;
    }
}

static enum wl_status run_nothing(struct wl_command *command, struct wl_stream *stream) {
    (void)command;
    (void)stream;
    return WL_OK;
}

/* Where queues of devices are concerned, what a step waits for is an event at the right place: a stream's sequence number alone would stand
 * for all that the stream's queue has when the wait is given, kernels that wait for this very step among them. */
static enum wl_status place(struct wl_event **event, struct wl_stream *stream) {
    enum wl_status status = *event ? WL_OK : wl_event_create(NULL, WL_EVENT_NO_TIMING, event);
    return status == WL_OK ? wl_event_record(*event, stream) : status;
}

/* The stream waits for the launch's start, if `start` is not 0, and for the steps it depends on in other streams. */
static enum wl_status queue_waits(struct wl_graph_exec *exec, const struct step *step, struct wl_stream *stream, struct wl_stream *launched,
                                  uint64_t start) {
    struct wl_command *command = NULL;
    enum wl_status status = WL_OK;
    for (size_t i = 0; i <= step->count && status == WL_OK; i++) {
        const struct step *before = i < step->count ? &exec->steps[step->dependencies[i]] : NULL;
        struct wl_stream *other = before ? before->stream : launched;
        struct wl_event *event = before ? before->reached : exec->begun;
        uint64_t sequence = before ? before->sequence : start;
        if (other == stream || !sequence || (wl_stream_has_finished(other, sequence, false) && !wl_order_is_watched()))
            continue;
        if (other->queue && stream->queue && event) {
            status = wl_event_wait(event, stream);
            continue;
        }
        if (!command && !(command = wl_command_new(sizeof *command, run_nothing, NULL)))
            return WL_OUT_OF_MEMORY;
        command->always = true;
        command->gives = true;
        status = wl_command_wait_for(command, other, sequence);
    }
    if (!command)
        return status;
    if (status == WL_OK)
        return wl_stream_enqueue(stream, command, NULL);
    wl_command_free(command);
    return status;
}

static enum wl_status queue_step(struct wl_graph_exec *exec, struct step *step, struct wl_stream *launched, uint64_t start) {
    bool first = false;
    struct wl_stream *stream = lane_stream(exec, step, launched, &first);
    if (!stream)
        return no_memory();
    if (stream != launched)
        stream->worker_mask = launched->worker_mask;
    enum wl_status status = queue_waits(exec, step, stream, launched, first ? start : 0);
    if (status == WL_OK && step->node && !step->node->disabled)
        status = queue_work(stream, &step->node->work);
    if (status == WL_OK && step->crosses && stream->queue)
        status = place(&step->reached, stream);
    step->stream = stream;
    step->sequence = atomic_load(&stream->submitted);
    return status;
}

static bool can_be_planned(const struct wl_graph_exec *exec, const struct wl_stream *stream, size_t *edges) {
    bool alone = true;
    *edges = 0;
    for (size_t i = 0; i < exec->step_count; i++)
        alone = alone && exec->steps[i].lane == 0;
    for (size_t i = 0; i < exec->step_count; i++) {
        const struct wl_node *node = exec->steps[i].node;
        *edges += exec->steps[i].count;
        if (node && (is_memory(node) ? wl_san_tools() != 0 : !wl_plan_takes(node, stream, alone)))
            return false; /* sanitizers are told where in the stream memory comes and goes */
    }
    return true;
}

static bool reaches_pageable(const struct wl_graph_exec *exec) {
    struct wl_allocation allocation;
    for (size_t i = 0; i < exec->step_count; i++) {
        const struct wl_node *node = exec->steps[i].node;
        if (node && node->work.kind == WL_NODE_COPY && !wl_memory_find(node->work.copy.target, &allocation))
            return true;
    }
    return false;
}

/* Makes the plan for launches in a stream's context, if there can be one and the present one is not it. */
static enum wl_status make_plan(struct wl_graph_exec *exec, const struct wl_stream *stream) {
    unsigned changes = atomic_load(&exec->graph->changes);
    size_t edges = 0;
    if (exec->planned && exec->plan_context == stream->context && exec->plan_changes == changes)
        return WL_OK;
    if (exec->plan)
        wl_plan_release(exec->plan);
    exec->plan = NULL;
    exec->planned = true;
    exec->plan_context = stream->context;
    exec->plan_changes = changes;
    exec->pageable = reaches_pageable(exec);
    if (!can_be_planned(exec, stream, &edges))
        return WL_OK;
    struct wl_plan *plan = wl_plan_create(exec->step_count, edges);
    enum wl_status status = plan ? WL_OK : no_memory();
    for (size_t i = 0; i < exec->step_count && status == WL_OK; i++) {
        const struct step *step = &exec->steps[i];
        status = wl_plan_add(plan, is_memory(step->node) ? NULL : step->node, step->dependencies, step->count);
    }
    if (status == WL_OK) {
        wl_plan_finish(plan);
        exec->plan = plan;
    } else if (plan) {
        wl_plan_release(plan);
    }
    exec->planned = status == WL_OK;
    return status;
}

/* What a launch allocates and frees, in the order of the steps. */
static enum wl_status note_memory(struct wl_graph_exec *exec, struct wl_stream *stream) {
    enum wl_status status = WL_OK;
    for (size_t i = 0; exec->checked && i < exec->step_count && status == WL_OK; i++)
        if (is_memory(exec->steps[i].node))
            status = queue_work(stream, &exec->steps[i].node->work);
    return status;
}

/* Queues each node by itself. */
static enum wl_status queue_steps(struct wl_graph_exec *exec, struct wl_stream *stream) {
    uint64_t start = 0;
    enum wl_status status = WL_OK;
    bool alone = true;
    for (size_t i = 0; i < exec->step_count; i++) {
        const struct wl_node *node = exec->steps[i].node;
        alone = alone && exec->steps[i].lane == 0 && (!node || !node->work.context || node->work.context == stream->context);
    }
    if (!alone)
        status = wl_stream_mark(stream, &start);
    if (!alone && status == WL_OK && stream->queue)
        status = place(&exec->begun, stream);
    for (size_t i = 0; i < exec->stream_count; i++)
        exec->streams[i].used = false;
    for (size_t i = 0; i < exec->step_count && status == WL_OK; i++)
        status = queue_step(exec, &exec->steps[i], stream, start);
    return status;
}

static enum wl_status launch(struct wl_graph_exec *exec, struct wl_stream *stream) {
    enum wl_status status = exec->checked ? check(exec, exec->graph) : WL_OK;
    if (status == WL_OK && exec->last_stream && exec->last_stream != stream) /* launches of one executable follow each other */
        status = wl_stream_wait_for(stream, exec->last_stream, exec->last_sequence);
    if (status == WL_OK)
        status = make_plan(exec, stream);
    if (status == WL_OK && exec->plan) {
        status = note_memory(exec, stream);
        if (status == WL_OK)
            status = wl_plan_enqueue(exec->plan, stream);
    } else if (status == WL_OK) {
        status = queue_steps(exec, stream);
    }
    if (exec->last_stream)
        wl_stream_release(exec->last_stream);
    wl_stream_retain(exec->last_stream = stream);
    exec->last_sequence = atomic_load(&stream->submitted);
    return status;
}

enum wl_status wl_graph_exec_launch(struct wl_graph_exec *exec, struct wl_stream *stream) {
    if (wl_capture_active(stream)) {
        struct wl_work work = {.kind = WL_NODE_GRAPH};
        enum wl_status status = wl_graph_clone(exec->graph, &work.child);
        return status == WL_OK ? wl_capture_add(stream, &work, NULL) : status;
    }
    pthread_mutex_lock(&exec->lock);
    enum wl_status status = launch(exec, stream);
    uint64_t sequence = status == WL_OK && exec->pageable ? exec->last_sequence : 0;
    pthread_mutex_unlock(&exec->lock);
    if (sequence && wl_stream_may_wait(stream, sequence) == WL_OK)
        (void)wl_stream_wait(stream, sequence); /* a fault is for the call that waits for the stream */
    return status;
}

/* ---- updating -------------------------------------------------------------------------------- */

enum wl_graph_update wl_node_may_become(const struct wl_node *node, const struct wl_work *work) {
    const struct wl_work *now = &node->work;
    if (now->kind != work->kind)
        return WL_UPDATE_KIND;
    if (now->kind == WL_NODE_KERNEL && now->context != work->context)
        return WL_UPDATE_FUNCTION_UNSUPPORTED;
    if (now->kind == WL_NODE_COPY && now->copy.given != work->copy.given)
        return WL_UPDATE_PARAMETERS;
    if ((now->kind == WL_NODE_ALLOCATE && now->memory != work->memory) || (now->kind == WL_NODE_FREE && now->address != work->address))
        return WL_UPDATE_UNSUPPORTED;
    return WL_UPDATE_SUCCESS;
}

/* Nodes carry their place in the order of their graph as a mark. */
static bool same_edges(const struct wl_node *a, const struct wl_node *b) {
    if (a->dependencies.count != b->dependencies.count)
        return false;
    for (size_t i = 0; i < a->dependencies.count; i++) {
        bool found = false;
        for (size_t j = 0; j < b->dependencies.count && !found; j++)
            found = a->dependencies.at[i]->mark == b->dependencies.at[j]->mark;
        if (!found)
            return false;
    }
    return true;
}

/* Two graphs whose nodes correspond, each in its order. */
struct pair {
    struct wl_nodes mine, others;
};

static void clear_pair(struct pair *pair) {
    wl_nodes_clear(&pair->mine);
    wl_nodes_clear(&pair->others);
}

static bool order_pair(const struct wl_graph *mine, const struct wl_graph *other, struct pair *pair) {
    *pair = (struct pair){0};
    if (mine->nodes.count != other->nodes.count || wl_graph_order(mine, &pair->mine) != WL_OK ||
        wl_graph_order(other, &pair->others) != WL_OK)
        return false;
    for (size_t i = 0; i < pair->mine.count; i++)
        pair->mine.at[i]->mark = pair->others.at[i]->mark = i;
    return true;
}

static enum wl_graph_update compare(const struct wl_graph *mine, const struct wl_graph *other, struct wl_node **culprit);

static enum wl_graph_update compare_nodes(const struct wl_node *node, const struct wl_node *update, struct wl_node **culprit) {
    enum wl_node_kind kind = node->work.kind;
    if (kind != update->work.kind)
        return WL_UPDATE_KIND;
    if (node->graph->context != update->graph->context && kind != WL_NODE_HOST && kind != WL_NODE_EMPTY)
        return WL_UPDATE_FUNCTION_UNSUPPORTED;
    enum wl_graph_update result = wl_node_may_become(node, &update->work);
    if (result == WL_UPDATE_SUCCESS && !same_edges(node, update))
        result = WL_UPDATE_TOPOLOGY;
    return result == WL_UPDATE_SUCCESS && kind == WL_NODE_GRAPH ? compare(node->work.child, update->work.child, culprit) : result;
}

static enum wl_graph_update compare(const struct wl_graph *mine, const struct wl_graph *other, struct wl_node **culprit) {
    struct pair pair;
    enum wl_graph_update result = order_pair(mine, other, &pair) ? WL_UPDATE_SUCCESS : WL_UPDATE_TOPOLOGY;
    for (size_t i = 0; result == WL_UPDATE_SUCCESS && i < pair.mine.count; i++) {
        result = compare_nodes(pair.mine.at[i], pair.others.at[i], culprit);
        if (result != WL_UPDATE_SUCCESS && !*culprit)
            *culprit = pair.others.at[i];
    }
    clear_pair(&pair);
    return result;
}

static bool take_over(struct wl_graph *mine, const struct wl_graph *other) {
    struct pair pair;
    bool good = order_pair(mine, other, &pair);
    for (size_t i = 0; good && i < pair.mine.count; i++) {
        struct wl_node *node = pair.mine.at[i], *update = pair.others.at[i];
        struct wl_work work;
        if (node->work.kind == WL_NODE_GRAPH) {
            good = take_over(node->work.child, update->work.child);
        } else {
            good = wl_work_copy(&update->work, &work) == WL_OK;
            if (good)
                wl_node_replace(node, &work);
        }
    }
    clear_pair(&pair);
    return good;
}

static enum wl_graph_update update(struct wl_graph *mine, const struct wl_graph *other, struct wl_node **culprit) {
    *culprit = NULL;
    enum wl_graph_update result = compare(mine, other, culprit);
    if (result == WL_UPDATE_SUCCESS && !take_over(mine, other))
        result = WL_UPDATE_ERROR;
    return result;
}

enum wl_graph_update wl_graph_exec_update(struct wl_graph_exec *exec, const struct wl_graph *graph, struct wl_node **culprit) {
    pthread_mutex_lock(&exec->lock);
    enum wl_graph_update result = update(exec->graph, graph, culprit);
    pthread_mutex_unlock(&exec->lock);
    return result;
}

enum wl_graph_update wl_graph_exec_update_child(struct wl_graph_exec *exec, struct wl_node *node, const struct wl_graph *graph) {
    struct wl_node *culprit = NULL;
    pthread_mutex_lock(&exec->lock);
    enum wl_graph_update result = update(node->work.child, graph, &culprit);
    pthread_mutex_unlock(&exec->lock);
    return result;
}
