/* Stream capture. See capture.h. */
#include "runtime/capture.h"
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/stream.h"
#include "runtime/work.h"

#include <stdlib.h>
#include <string.h>

struct member {               /* a stream that takes part */
    struct wl_stream *stream; /* referenced */
    struct wl_nodes next;     /* what its next node depends on */
    struct member *other;
};

struct wl_capture {
    unsigned references; /* the list of captures, and events */
    uint64_t id;
    enum wl_capture_state state; /* NONE: it has ended */
    enum wl_capture_mode mode;
    pthread_t thread;
    struct wl_stream *origin;
    struct wl_graph *graph;
    bool foreign; /* the graph is the program's */
    struct member *members;
    struct wl_capture *next;
};

static struct {
    pthread_mutex_t lock;
    struct wl_capture *first;
    atomic_uint count;
    uint64_t last_id;
} captures = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local enum wl_capture_mode thread_mode;

static void release(struct wl_capture *capture) {
    wl_assert(capture->references > 0);
    if (--capture->references == 0)
        free(capture);
}

void wl_captured_clear(struct wl_captured *captured) {
    if (!captured->capture)
        return;
    pthread_mutex_lock(&captures.lock);
    release(captured->capture);
    pthread_mutex_unlock(&captures.lock);
    captured->capture = NULL;
    wl_nodes_clear(&captured->nodes);
}

bool wl_captured_is_open(const struct wl_captured *captured) {
    if (!captured->capture)
        return false;
    pthread_mutex_lock(&captures.lock);
    bool open = captured->capture->state != WL_CAPTURE_NONE;
    pthread_mutex_unlock(&captures.lock);
    return open;
}

static void invalidate(struct wl_capture *capture) {
    if (capture->state == WL_CAPTURE_ACTIVE)
        capture->state = WL_CAPTURE_INVALID;
}

enum wl_status wl_captured_touch(const struct wl_captured *captured) {
    if (!captured->capture)
        return WL_OK;
    pthread_mutex_lock(&captures.lock);
    enum wl_capture_state state = captured->capture->state;
    invalidate(captured->capture);
    pthread_mutex_unlock(&captures.lock);
    if (state == WL_CAPTURE_ACTIVE)
        return wl_fail(WL_CAPTURED_EVENT, "the event was recorded in a capturing stream");
    return state == WL_CAPTURE_INVALID ? wl_fail(WL_CAPTURE_UNSUPPORTED, "the event was recorded in a capture that is invalid") : WL_OK;
}

static bool is_null_stream(const struct wl_stream *stream) { return stream == stream->context->null_stream; }

static struct member *member_of(struct wl_capture *capture, const struct wl_stream *stream) {
    struct member *member = capture->members;
    while (member && member->stream != stream)
        member = member->other;
    return member;
}

/* ---- what must not be done while something captures ------------------------------------------- */

static enum wl_status unsafe(bool concerned) {
    return concerned ? wl_fail(WL_CAPTURE_UNSUPPORTED, "a call that is unsafe while a stream is capturing") : WL_OK;
}

enum wl_status wl_capture_may_wait(struct wl_stream *stream) {
    bool concerned = false;
    if (!atomic_load_explicit(&captures.count, memory_order_relaxed) || (stream && is_null_stream(stream)))
        return WL_OK;
    pthread_mutex_lock(&captures.lock);
    struct wl_capture *own = stream ? atomic_load(&stream->capture) : NULL;
    for (struct wl_capture *capture = captures.first; capture; capture = capture->next) {
        bool mine = pthread_equal(capture->thread, pthread_self()) != 0, global = capture->mode == WL_CAPTURE_GLOBAL;
        if (own ? capture != own : thread_mode == WL_CAPTURE_RELAXED || !(global || (mine && capture->mode != WL_CAPTURE_RELAXED)))
            continue;
        invalidate(capture);
        concerned = true;
    }
    pthread_mutex_unlock(&captures.lock);
    return unsafe(concerned);
}

enum wl_status wl_capture_excludes(enum wl_status error) {
    if (!atomic_load_explicit(&captures.count, memory_order_relaxed))
        return WL_OK;
    pthread_mutex_lock(&captures.lock);
    bool any = captures.first != NULL;
    for (struct wl_capture *capture = captures.first; capture; capture = capture->next)
        invalidate(capture);
    pthread_mutex_unlock(&captures.lock);
    return any ? wl_fail(error, "a call that must not be made while any stream is capturing") : WL_OK;
}

enum wl_status wl_capture_unsafe(void) {
    bool any = false;
    if (!atomic_load_explicit(&captures.count, memory_order_relaxed) || thread_mode == WL_CAPTURE_RELAXED)
        return WL_OK;
    pthread_mutex_lock(&captures.lock);
    for (struct wl_capture *capture = captures.first; capture; capture = capture->next) {
        bool own = pthread_equal(capture->thread, pthread_self()) != 0;
        bool concerned = own ? capture->mode != WL_CAPTURE_RELAXED : thread_mode == WL_CAPTURE_GLOBAL && capture->mode == WL_CAPTURE_GLOBAL;
        if (concerned)
            invalidate(capture);
        any |= concerned;
    }
    pthread_mutex_unlock(&captures.lock);
    return unsafe(any);
}

enum wl_capture_mode wl_capture_exchange_mode(enum wl_capture_mode mode) {
    enum wl_capture_mode before = thread_mode;
    thread_mode = mode;
    return before;
}

/* ---- begin and end --------------------------------------------------------------------------- */

static enum wl_status join(struct wl_capture *capture, struct wl_stream *stream, struct member **result) {
    struct member *member = calloc(1, sizeof *member);
    if (!member)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a capture");
    wl_stream_retain(stream);
    member->stream = stream;
    member->other = capture->members;
    capture->members = member;
    atomic_store(&stream->capture, capture);
    *result = member;
    return WL_OK;
}

static void leave_all(struct wl_capture *capture) {
    while (capture->members) {
        struct member *member = capture->members;
        capture->members = member->other;
        atomic_store(&member->stream->capture, NULL);
        wl_stream_release(member->stream);
        wl_nodes_clear(&member->next);
        free(member);
    }
}

static enum wl_status add_nodes(struct wl_nodes *nodes, struct wl_node *const *more, size_t count) {
    enum wl_status status = WL_OK;
    for (size_t i = 0; i < count && status == WL_OK; i++)
        if (!wl_nodes_have(nodes, more[i]))
            status = wl_nodes_add(nodes, more[i]);
    return status;
}

/* Takes the capture out of the list and ends it. Returns its graph, NULL if that is the program's. A graph that is not whole is
 * to be destroyed when the lock is not held any more: that may wait for work. */
static struct wl_graph *finish(struct wl_capture *capture) {
    wl_assert_held(&captures.lock);
    wl_assert(capture->state != WL_CAPTURE_NONE && capture->references > 0);
    struct wl_graph *graph = capture->foreign ? NULL : capture->graph;
    struct wl_capture **link = &captures.first;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    atomic_fetch_sub(&captures.count, 1);
    leave_all(capture);
    capture->state = WL_CAPTURE_NONE;
    release(capture);
    return graph;
}

static void unlock_and_destroy(struct wl_graph *doomed) {
    pthread_mutex_unlock(&captures.lock);
    if (doomed)
        wl_graph_destroy(doomed);
}

static enum wl_status begin(struct wl_stream *stream, enum wl_capture_mode mode, struct wl_graph *graph,
                            struct wl_node *const *dependencies, size_t count) {
    wl_assert_held(&captures.lock);
    struct wl_capture *capture = calloc(1, sizeof *capture);
    struct member *member = NULL;
    if (!capture)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a capture");
    capture->graph = graph;
    capture->foreign = graph != NULL;
    enum wl_status status = graph ? WL_OK : wl_graph_create(stream->context, &capture->graph);
    if (status != WL_OK) {
        free(capture);
        return status;
    }
    capture->references = 1;
    capture->id = ++captures.last_id;
    capture->state = WL_CAPTURE_ACTIVE;
    capture->mode = mode;
    capture->thread = pthread_self();
    capture->origin = stream;
    capture->next = captures.first;
    captures.first = capture;
    atomic_fetch_add(&captures.count, 1);
    status = join(capture, stream, &member);
    if (status == WL_OK)
        status = add_nodes(&member->next, dependencies, count);
    if (status != WL_OK && (graph = finish(capture)))
        wl_graph_destroy(graph); /* it is empty */
    return status;
}

enum wl_status wl_capture_begin(struct wl_stream *stream, enum wl_capture_mode mode, struct wl_graph *graph,
                                struct wl_node *const *dependencies, size_t count) {
    if (is_null_stream(stream))
        return wl_fail(WL_CAPTURE_UNSUPPORTED, "the null stream cannot capture");
    struct wl_graph *doomed = NULL;
    pthread_mutex_lock(&captures.lock);
    struct wl_capture *before = atomic_load(&stream->capture);
    if (before && before->state == WL_CAPTURE_INVALID && before->origin == stream) {
        doomed = finish(before);
        before = NULL;
    }
    enum wl_status status =
        before ? wl_fail(WL_ILLEGAL_STATE, "the stream is capturing already") : begin(stream, mode, graph, dependencies, count);
    unlock_and_destroy(doomed);
    return status;
}

/* Marks the nodes from which a path leads to one of `ends`, those included. */
static bool mark_ancestors(struct wl_graph *graph, const struct wl_nodes *ends) {
    struct wl_nodes stack = {0};
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.at[i]->mark = 0;
    bool good = add_nodes(&stack, ends->at, ends->count) == WL_OK;
    while (good && stack.count) {
        struct wl_node *node = stack.at[--stack.count];
        if (node->mark == SIZE_MAX)
            continue;
        node->mark = SIZE_MAX;
        for (size_t i = 0; i < node->dependencies.count && good; i++)
            good = node->dependencies.at[i]->mark == SIZE_MAX || wl_nodes_add(&stack, node->dependencies.at[i]) == WL_OK;
    }
    wl_nodes_clear(&stack);
    return good;
}

static bool all_joined(struct wl_capture *capture) {
    if (!mark_ancestors(capture->graph, &member_of(capture, capture->origin)->next))
        return false;
    bool joined = true;
    for (const struct member *member = capture->members; member; member = member->other)
        for (size_t i = 0; i < member->next.count; i++)
            joined = joined && member->next.at[i]->mark == SIZE_MAX;
    for (size_t i = 0; i < capture->graph->nodes.count; i++) /* the mark is scratch; a large value would outlive its meaning */
        capture->graph->nodes.at[i]->mark = 0;
    return joined;
}

static enum wl_status end(struct wl_stream *stream, struct wl_graph **graph, struct wl_graph **doomed) {
    struct wl_capture *capture = atomic_load(&stream->capture);
    if (!capture)
        return wl_fail(WL_ILLEGAL_STATE, "the stream is not capturing");
    if (capture->origin != stream)
        return wl_fail(WL_CAPTURE_UNMATCHED, "the capture began in another stream");
    if (capture->mode != WL_CAPTURE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
        return wl_fail(WL_CAPTURE_WRONG_THREAD, "the capture was begun by another thread");
    enum wl_status status = WL_OK;
    if (capture->state == WL_CAPTURE_INVALID)
        status = wl_fail(WL_CAPTURE_INVALIDATED, "an earlier error has invalidated the capture");
    else if (!all_joined(capture))
        status = wl_fail(WL_CAPTURE_UNJOINED, "work of another stream was not joined to the stream that began the capture");
    struct wl_graph *whole = capture->graph, *own = finish(capture);
    if (status == WL_OK)
        *graph = whole;
    else
        *doomed = own;
    return status;
}

enum wl_status wl_capture_end(struct wl_stream *stream, struct wl_graph **graph) {
    struct wl_graph *doomed = NULL;
    *graph = NULL;
    pthread_mutex_lock(&captures.lock);
    enum wl_status status = end(stream, graph, &doomed);
    unlock_and_destroy(doomed);
    return status;
}

/* A stream that joined stays among the members, which keep it: what was captured in it has to be joined all the same. */
void wl_capture_abandon(struct wl_stream *stream) {
    struct wl_graph *doomed = NULL;
    pthread_mutex_lock(&captures.lock);
    struct wl_capture *capture = atomic_load(&stream->capture);
    if (capture && capture->origin == stream)
        doomed = finish(capture);
    unlock_and_destroy(doomed);
}

/* The parent's captures are the parent's; its streams forget theirs (wl_stream_after_fork). */
void wl_capture_after_fork(void) {
    pthread_mutex_init(&captures.lock, NULL);
    captures.first = NULL;
    atomic_store(&captures.count, 0);
}

/* ---- questions ------------------------------------------------------------------------------- */

static bool has_blocking(void) {
    for (const struct wl_capture *capture = captures.first; capture; capture = capture->next)
        for (const struct member *member = capture->members; member && capture->state == WL_CAPTURE_ACTIVE; member = member->other)
            if (!(member->stream->flags & WL_STREAM_NON_BLOCKING))
                return true;
    return false;
}

enum wl_status wl_capture_ask(struct wl_stream *stream, struct wl_capture_info *info) {
    enum wl_status status = WL_OK;
    *info = (struct wl_capture_info){0};
    pthread_mutex_lock(&captures.lock);
    struct wl_capture *capture = atomic_load(&stream->capture);
    if (capture) {
        const struct member *member = member_of(capture, stream);
        *info = (struct wl_capture_info){capture->state, capture->id, capture->graph, member->next.at, member->next.count};
    } else if (is_null_stream(stream) && has_blocking()) {
        status = wl_fail(WL_CAPTURE_IMPLICIT, "a blocking stream is capturing");
    }
    pthread_mutex_unlock(&captures.lock);
    return status;
}

/* The stream's capture, if it can take more; else an error. */
static enum wl_status usable(struct wl_stream *stream, struct wl_capture **capture) {
    *capture = atomic_load(&stream->capture);
    if (!*capture)
        return wl_fail(WL_ILLEGAL_STATE, "the stream is not capturing");
    if ((*capture)->state == WL_CAPTURE_INVALID)
        return wl_fail(WL_CAPTURE_INVALIDATED, "an earlier error has invalidated the stream's capture");
    return WL_OK;
}

enum wl_status wl_capture_depend(struct wl_stream *stream, struct wl_node *const *nodes, size_t count, bool replace) {
    struct wl_capture *capture = NULL;
    pthread_mutex_lock(&captures.lock);
    enum wl_status status = usable(stream, &capture);
    for (size_t i = 0; i < count && status == WL_OK; i++)
        if (nodes[i]->graph != capture->graph)
            status = wl_fail(WL_INVALID_VALUE, "a node is not of the graph that is being captured");
    if (status == WL_OK) {
        struct wl_nodes *next = &member_of(capture, stream)->next;
        if (replace)
            next->count = 0;
        status = add_nodes(next, nodes, count);
    }
    pthread_mutex_unlock(&captures.lock);
    return status;
}

/* ---- adding ---------------------------------------------------------------------------------- */

enum wl_status wl_capture_add(struct wl_stream *stream, struct wl_work *work, struct wl_node **node) {
    struct wl_capture *capture = NULL;
    struct wl_node *made = NULL;
    pthread_mutex_lock(&captures.lock);
    enum wl_status status = usable(stream, &capture);
    if (status == WL_OK) {
        struct wl_nodes *next = &member_of(capture, stream)->next;
        if (!work->context)
            work->context = stream->context;
        status = wl_graph_add(capture->graph, next->at, next->count, work, &made);
        if (status == WL_OK) {
            next->count = 0;
            status = wl_nodes_add(next, made);
        }
        if (status != WL_OK)
            invalidate(capture);
        pthread_mutex_unlock(&captures.lock);
    } else {
        pthread_mutex_unlock(&captures.lock);
        wl_work_clear(work);
    }
    if (node)
        *node = made;
    return status;
}

/* A call that fails in a capture invalidates it. */
static enum wl_status spoil(struct wl_stream *stream, enum wl_status status) {
    pthread_mutex_lock(&captures.lock);
    struct wl_capture *capture = atomic_load(&stream->capture);
    if (capture)
        invalidate(capture);
    pthread_mutex_unlock(&captures.lock);
    return status;
}

/* The event before the kernel is a node of its own, the one behind it the kernel's. */
enum wl_status wl_capture_kernel(struct wl_stream *stream, const struct wl_launch_request *request) {
    struct wl_work work, start = {.kind = WL_NODE_EVENT_RECORD};
    enum wl_status status = wl_work_kernel(stream->context, request, &work);
    if (status != WL_OK)
        return spoil(stream, status);
    work.kernel.priority = stream->priority;
    work.kernel.request.stop = request->stop;
    start.event = request->start;
    if (request->start && (status = wl_capture_add(stream, &start, NULL)) != WL_OK)
        wl_work_clear(&work);
    return status == WL_OK ? wl_capture_add(stream, &work, NULL) : status;
}

enum wl_status wl_capture_copy(struct wl_stream *stream, const struct wl_copy *copy) {
    struct wl_work work = {.kind = WL_NODE_COPY};
    work.copy = *copy;
    work.copy.stage = false;
    return wl_capture_add(stream, &work, NULL);
}

enum wl_status wl_capture_fill(struct wl_stream *stream, const struct wl_fill *fill) {
    struct wl_work work = {.kind = WL_NODE_FILL};
    work.fill = *fill;
    return wl_capture_add(stream, &work, NULL);
}

enum wl_status wl_capture_host(struct wl_stream *stream, void (*function)(void *argument), void *argument) {
    struct wl_work work = {.kind = WL_NODE_HOST};
    work.host.function = function;
    work.host.argument = argument;
    return wl_capture_add(stream, &work, NULL);
}

enum wl_status wl_capture_values(struct wl_stream *stream, const struct wl_stream_value *values, unsigned count) {
    struct wl_work work;
    enum wl_status status = wl_work_values(values, count, &work);
    return status == WL_OK ? wl_capture_add(stream, &work, NULL) : spoil(stream, status);
}

enum wl_status wl_capture_record(struct wl_stream *stream, struct wl_captured *captured) {
    struct wl_capture *capture = NULL;
    wl_captured_clear(captured);
    pthread_mutex_lock(&captures.lock);
    enum wl_status status = usable(stream, &capture);
    if (status == WL_OK) {
        const struct wl_nodes *next = &member_of(capture, stream)->next;
        status = add_nodes(&captured->nodes, next->at, next->count);
    }
    if (status == WL_OK) {
        captured->capture = capture;
        capture->references++;
    } else {
        wl_nodes_clear(&captured->nodes);
    }
    pthread_mutex_unlock(&captures.lock);
    return status;
}

static enum wl_status wait_for_captured(struct wl_stream *stream, const struct wl_captured *captured) {
    struct wl_capture *own = atomic_load(&stream->capture), *capture = captured->capture;
    if (is_null_stream(stream))
        return wl_fail(WL_CAPTURE_IMPLICIT, "the null stream cannot join a capture");
    if (own && own->state == WL_CAPTURE_INVALID)
        return wl_fail(WL_CAPTURE_INVALIDATED, "an earlier error has invalidated the stream's capture");
    if (capture->state == WL_CAPTURE_NONE)
        return WL_OK; /* it ended just now */
    if (capture->state == WL_CAPTURE_INVALID)
        return wl_fail(WL_CAPTURE_INVALIDATED, "the capture in which the event was recorded is invalid");
    if (own && own != capture) {
        invalidate(own);
        invalidate(capture);
        return wl_fail(WL_CAPTURE_MERGE, "the event and the stream are of different captures");
    }
    struct member *member = own ? member_of(capture, stream) : NULL;
    enum wl_status status = member ? WL_OK : join(capture, stream, &member);
    return status == WL_OK ? add_nodes(&member->next, captured->nodes.at, captured->nodes.count) : status;
}

enum wl_status wl_capture_wait(struct wl_stream *stream, const struct wl_captured *captured) {
    pthread_mutex_lock(&captures.lock);
    enum wl_status status = wait_for_captured(stream, captured);
    pthread_mutex_unlock(&captures.lock);
    return status;
}
