/* Streams: life, order, queueing. How they are run and waited for is in stream_run.c. See context.h for the vocabulary. */
#include "base/assert.h"
#include "runtime/order.h"
#include "runtime/stream_internal.h"

#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/record.h"
#include "runtime/run_now.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"
#include "runtime/work.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t last_id;

/* ---- life ----------------------------------------------------------------------------------- */

static struct wl_stream *stream_new(struct wl_context *context, unsigned flags, int priority) {
    struct wl_stream *stream = aligned_alloc(_Alignof(struct wl_stream), sizeof *stream);
    if (!stream)
        return NULL;
    memset(stream, 0, sizeof *stream);
    stream->context = context;
    stream->id = atomic_fetch_add(&last_id, 1) + 1;
    stream->flags = flags;
    stream->priority = priority;
    atomic_init(&stream->references, 1);
    atomic_init(&stream->wake_at, UINT64_MAX);
    pthread_mutex_init(&stream->lock, NULL);
    return stream;
}

static void context_link(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    pthread_mutex_lock(&context->lock);
    stream->context_next = context->streams;
    if (context->streams)
        context->streams->context_previous = stream;
    context->streams = stream;
    pthread_mutex_unlock(&context->lock);
}

static bool is_idle(struct wl_stream *stream) { return atomic_load(&stream->completed) >= atomic_load(&stream->submitted); }

static void busy_push(struct wl_stream *stream) {
    wl_assert_held(&stream->context->lock);
    atomic_store(&stream->busy, true);
    stream->busy_next = atomic_load(&stream->context->busy);
    atomic_store(&stream->context->busy, stream);
}

/* Lists a stream as busy, if it is not. Its first command was counted before: whoever takes the stream out looks again
 * afterwards, so either he sees the command or this sees that the stream is not listed. */
static void enter_busy(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    if (atomic_load(&stream->busy) || stream == context->null_stream || !context->null_stream)
        return;
    pthread_mutex_lock(&context->lock);
    if (!atomic_load(&stream->busy))
        busy_push(stream);
    pthread_mutex_unlock(&context->lock);
}

struct wl_stream *wl_stream_busy_list(struct wl_context *context) {
    wl_assert_held(&context->lock);
    struct wl_stream *first = NULL;
    for (struct wl_stream *stream = atomic_load(&context->busy), *next; stream; stream = next) {
        next = stream->busy_next;
        if (is_idle(stream)) {
            atomic_store(&stream->busy, false);
            if (is_idle(stream))
                continue;
            atomic_store(&stream->busy, true);
        }
        stream->busy_next = first;
        first = stream;
    }
    atomic_store(&context->busy, first);
    return first;
}

static void context_unlink(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    pthread_mutex_lock(&context->lock);
    if (stream->context_previous)
        stream->context_previous->context_next = stream->context_next;
    else if (context->streams == stream)
        context->streams = stream->context_next;
    if (stream->context_next)
        stream->context_next->context_previous = stream->context_previous;
    stream->context_next = stream->context_previous = NULL;
    if (atomic_load(&stream->busy)) {
        struct wl_stream *first = wl_stream_busy_list(context), *before = first; /* without the idle ones: few */
        while (before && before != stream && before->busy_next != stream)
            before = before->busy_next;
        if (first == stream)
            atomic_store(&context->busy, stream->busy_next);
        else if (before)
            before->busy_next = stream->busy_next;
        atomic_store(&stream->busy, true); /* stays out: nothing is queued in it any more */
    }
    pthread_mutex_unlock(&context->lock);
}

/* Takes over the queue, also when it fails. */
static enum wl_status make(struct wl_context *context, unsigned flags, int priority, struct wl_device_queue *queue,
                           struct wl_stream **stream) {
    struct wl_stream *made = stream_new(context, flags, priority);
    if (!made) {
        if (queue)
            context->device->ops->queues->destroy(queue);
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a stream");
    }
    made->queue = queue;
    enum wl_status status = wl_handle_add(made, WL_HANDLE_STREAM);
    if (status != WL_OK) {
        wl_stream_release(made);
        return status;
    }
    if (context->null_stream) /* the null stream itself is in no list */
        context_link(made);
    if (wl_trace_runs())
        wl_record_stream(made);
    *stream = made;
    return WL_OK;
}

enum wl_status wl_stream_create(struct wl_context *context, unsigned flags, int priority, struct wl_stream **stream) {
    const struct wl_queue_ops *queues = context->device->ops->queues;
    struct wl_device_queue *queue = NULL;
    enum wl_status status =
        queues ? queues->create(context->device, !context->null_stream, flags & WL_STREAM_NON_BLOCKING, priority, &queue) : WL_OK;
    if (context->null_stream)
        wl_order_stream_made();
    return status == WL_OK ? make(context, flags, priority, queue, stream) : status;
}

enum wl_status wl_stream_adopt(struct wl_context *context, void *native, struct wl_stream **stream) {
    const struct wl_native_ops *ops = context->device->ops->native;
    struct wl_device_queue *queue = NULL;
    bool non_blocking = false;
    enum wl_status status = ops ? ops->adopt_queue(context->device, native, &non_blocking, &queue) : WL_NOT_FOUND;
    return status == WL_OK ? make(context, non_blocking ? WL_STREAM_NON_BLOCKING : 0, 0, queue, stream) : status;
}

/* ---- commands whose memory is used again --------------------------------------------------------- */

/* A launch needs a command, which another thread drops soon after: an allocator would have to carry its memory from thread to thread.
 * Here whoever runs the stream puts it in one list, and whoever queues takes that whole list when his own is empty. */
enum { MOST_SPARES = 1024 };

static void free_spares(struct wl_command *first) {
    while (first) {
        struct wl_command *next = atomic_load_explicit(&first->next, memory_order_relaxed);
        free(first);
        first = next;
    }
}

void *wl_stream_spare(struct wl_stream *stream) {
    struct wl_command *first = NULL, *none = NULL;
    if (atomic_load_explicit(&stream->spare, memory_order_relaxed))
        first = atomic_exchange_explicit(&stream->spare, NULL, memory_order_acquire);
    if (!first && atomic_load_explicit(&stream->used, memory_order_relaxed))
        first = atomic_exchange_explicit(&stream->used, NULL, memory_order_acquire);
    if (!first)
        return malloc(WL_SPARE_BYTES);
    struct wl_command *rest = atomic_load_explicit(&first->next, memory_order_relaxed);
    if (rest && !atomic_compare_exchange_strong_explicit(&stream->spare, &none, rest, memory_order_release, memory_order_relaxed))
        free_spares(rest); /* another thread queues in the stream, too */
    return first;
}

void wl_stream_keep(struct wl_stream *stream, struct wl_command *command) {
    wl_assert(command->home == stream);
    struct wl_command *first = atomic_load_explicit(&stream->used, memory_order_relaxed);
    unsigned count = first ? atomic_load_explicit(&stream->used_count, memory_order_relaxed) : 0; /* about */
    if (count >= MOST_SPARES) {
        free(command);
        return;
    }
    atomic_store_explicit(&stream->used_count, count + 1, memory_order_relaxed);
    do
        atomic_store_explicit(&command->next, first, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&stream->used, &first, command, memory_order_release, memory_order_relaxed));
}

/* ---- references ------------------------------------------------------------------------------------ */

void wl_stream_retain(struct wl_stream *stream) { atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed); }

void wl_stream_release(struct wl_stream *stream) {
    const unsigned before = atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel);
    wl_assert(before > 0);
    if (before != 1)
        return;
    wl_assert(!stream->head && !atomic_load(&stream->parked)); /* what is queued or waits keeps a reference */
    if (stream->queue)
        stream->context->device->ops->queues->destroy(stream->queue);
    pthread_mutex_destroy(&stream->lock);
    free_spares(atomic_load(&stream->spare));
    free_spares(atomic_load(&stream->used));
    free(stream);
}

/* What is still queued must keep ordering the null stream, so a busy stream stays listed until it is empty. */
static void unlink_when_done(void *argument, enum wl_status fault) {
    (void)fault;
    struct wl_stream *stream = argument;
    context_unlink(stream);
    wl_stream_release(stream);
}

void wl_stream_destroy(struct wl_stream *stream) {
    wl_handle_remove(stream);
    if (wl_capture_active(stream))
        wl_capture_abandon(stream);
    wl_stream_retain(stream); /* the last command drops the handle's reference, perhaps before it is quite queued */
    if (is_idle(stream) || wl_command_host(stream, unlink_when_done, stream, true) != WL_OK) {
        wl_stream_wait_given(stream, atomic_load(&stream->submitted)); /* what its queue has, the device goes on with */
        unlink_when_done(stream, WL_OK);
    }
    wl_stream_release(stream);
}

/* ---- queueing ------------------------------------------------------------------------------- */

/* Remembers, for the reuse of freed memory, that later commands run after command `sequence` of `other`. The stream's lock
 * is held. */
static void learn(struct wl_stream *stream, uint64_t other, uint64_t sequence) {
    wl_assert_held(&stream->lock);
    struct wl_known *entry = NULL;
    for (unsigned i = 0; i < WL_STREAM_KNOWN && !entry; i++)
        if (stream->known[i].other == other)
            entry = &stream->known[i];
    if (!entry)
        entry = &stream->known[stream->known_next++ % WL_STREAM_KNOWN];
    else if (entry->sequence >= sequence)
        return;
    *entry = (struct wl_known){other, sequence, atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1};
}

/* The points of a context's busy blocking streams. */
static enum wl_status wait_for_blocking(struct wl_command *command, struct wl_context *context) {
    if (!atomic_load(&context->busy))
        return WL_OK;
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&context->lock);
    for (struct wl_stream *other = wl_stream_busy_list(context); other && status == WL_OK; other = other->busy_next)
        if (!(other->flags & WL_STREAM_NON_BLOCKING) && !is_idle(other))
            status = wl_command_wait_for(command, other, atomic_load(&other->submitted));
    pthread_mutex_unlock(&context->lock);
    return status;
}

enum wl_status wl_command_wait_for_null(struct wl_command *command, struct wl_context *context) {
    enum wl_status status = wl_command_wait_for(command, context->null_stream, atomic_load(&context->null_stream->submitted));
    return status == WL_OK ? wait_for_blocking(command, context) : status;
}

/* HIP's legacy order: the null stream waits for all blocking streams, each of which waits for the null stream. */
static enum wl_status add_legacy_points(struct wl_stream *stream, struct wl_command *command) {
    struct wl_context *context = stream->context;
    if (stream->flags & WL_STREAM_NON_BLOCKING || !context->null_stream)
        return WL_OK;
    if (stream == context->null_stream)
        return wait_for_blocking(command, context);
    if (is_idle(context->null_stream)) /* what was given to its queue, the device keeps in order */
        return WL_OK;
    return wl_command_wait_for(command, context->null_stream, atomic_load(&context->null_stream->submitted));
}

/* Puts a command behind the others. The stream's lock is held. */
static void append(struct wl_stream *stream, struct wl_command *command) {
    wl_assert_held(&stream->lock);
    wl_assert(!atomic_load_explicit(&command->next, memory_order_relaxed));
    for (unsigned i = 0; i < command->point_count; i++)
        learn(stream, command->points[i].stream->id, command->points[i].sequence);
    wl_order_submitted(command);
    command->sequence = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    atomic_store(&stream->submitted, command->sequence);
    if (stream->tail) {
        atomic_store_explicit(&stream->tail->next, command, memory_order_release);
    } else {
        wl_assert(!stream->head);
        stream->head = command;
    }
    stream->tail = command;
}

bool wl_stream_make_ready(struct wl_stream *stream) {
    wl_assert_held(&stream->lock);
    if (stream->state != WL_STREAM_IDLE)
        return false;
    stream->state = WL_STREAM_READY;
    wl_stream_retain(stream);
    return true;
}

bool wl_stream_comes_first(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    if (!is_idle(stream))
        return false;
    if (stream->flags & WL_STREAM_NON_BLOCKING)
        return true;
    if (stream != context->null_stream)
        return is_idle(context->null_stream);
    bool free_now = true;
    if (atomic_load(&context->busy)) {
        pthread_mutex_lock(&context->lock);
        for (struct wl_stream *other = wl_stream_busy_list(context); other && free_now; other = other->busy_next)
            free_now = (other->flags & WL_STREAM_NON_BLOCKING) != 0;
        pthread_mutex_unlock(&context->lock);
    }
    return free_now;
}

bool wl_stream_is_free(struct wl_stream *stream) { return !stream->queue && wl_stream_comes_first(stream); }

static bool knows(struct wl_stream *stream, uint64_t other, uint64_t sequence) {
    bool known = false;
    pthread_mutex_lock(&stream->lock);
    for (unsigned i = 0; i < WL_STREAM_KNOWN && !known; i++)
        known = stream->known[i].other == other && stream->known[i].sequence >= sequence;
    pthread_mutex_unlock(&stream->lock);
    return known;
}

bool wl_stream_follows(struct wl_stream *stream, struct wl_stream *other, uint64_t sequence) {
    if (stream == other || atomic_load(&other->observed) >= sequence)
        return true;
    struct wl_stream *null_stream = stream->context->null_stream;
    if (wl_stream_is_legacy_pair(stream, other))
        return true;
    bool legacy = stream->context == other->context && !((stream->flags | other->flags) & WL_STREAM_NON_BLOCKING);
    return knows(stream, other->id, sequence) || (legacy && knows(null_stream, other->id, sequence));
}

/* `awaited`: the caller runs the command at once, and no executor is needed. */
static enum wl_status enqueue(struct wl_stream *stream, struct wl_command *command, uint64_t *sequence, bool awaited) {
    enum wl_status status = add_legacy_points(stream, command);
    if (status != WL_OK) {
        wl_command_free(command);
        return status;
    }
    pthread_mutex_lock(&stream->lock);
    append(stream, command);
    if (sequence)
        *sequence = command->sequence;
    bool give = !awaited && stream->queue && command->gives && stream->state == WL_STREAM_IDLE;
    struct wl_command *head = stream->head; /* another command if its thread has not come to run it yet */
    if (give)
        stream->state = WL_STREAM_RUNNING;
    bool push = !awaited && !give && wl_stream_make_ready(stream);
    pthread_mutex_unlock(&stream->lock);
    enter_busy(stream);
    if (push)
        wl_executor_push(stream);
    if (give)
        wl_stream_give_all(stream, head);
    return WL_OK;
}

enum wl_status wl_stream_enqueue(struct wl_stream *stream, struct wl_command *command, uint64_t *sequence) {
    return enqueue(stream, command, sequence, command->result);
}

enum wl_status wl_stream_run(struct wl_stream *stream, struct wl_command *command) {
    uint64_t sequence = 0;
    enum wl_status status = enqueue(stream, command, &sequence, true);
    if (status == WL_OK)
        (void)wl_stream_wait(stream, sequence);
    return status;
}

/* ---- several streams at one moment ----------------------------------------------------------- */

static int by_address(const void *a, const void *b) {
    const struct wl_stream *const *x = a, *const *y = b;
    return (*x > *y) - (*x < *y);
}

/* In the order of their addresses, so that two such calls never wait for each other; nothing else holds two stream locks. */
static void lock_all(struct wl_stream *const *streams, struct wl_stream **sorted, unsigned count) {
    memcpy((void *)sorted, (const void *)streams, count * sizeof *sorted);
    qsort((void *)sorted, count, sizeof *sorted, by_address);
    for (unsigned i = 0; i < count; i++)
        pthread_mutex_lock(&sorted[i]->lock);
}

/* Each command waits for the latest of every other stream, or for the `ahead`-th one to come. */
static enum wl_status wait_for_each_other(struct wl_stream *const *streams, struct wl_command *const *commands, unsigned count,
                                          unsigned ahead) {
    enum wl_status status = WL_OK;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count && status == WL_OK; j++)
            if (j != i)
                status = wl_command_wait_for(commands[i], streams[j], atomic_load(&streams[j]->submitted) + ahead);
    return status;
}

static void append_each(struct wl_stream *const *streams, struct wl_command **commands, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        append(streams[i], commands[i]);
        commands[i] = NULL;
    }
}

/* The streams' locks are held. On failure nothing is queued. */
static enum wl_status append_together(struct wl_stream *const *streams, struct wl_command **commands, struct wl_command **after,
                                      unsigned count, bool wait_before) {
    for (unsigned i = 0; i < count; i++)
        wl_assert_held(&streams[i]->lock);
    enum wl_status status = wait_before ? wait_for_each_other(streams, commands, count, 0) : WL_OK;
    if (status == WL_OK && after)
        status = wait_for_each_other(streams, after, count, 1);
    if (status != WL_OK)
        return status;
    append_each(streams, commands, count);
    if (after)
        append_each(streams, after, count);
    return WL_OK;
}

enum wl_status wl_stream_enqueue_together(struct wl_stream *const *streams, struct wl_command **commands, struct wl_command **after,
                                          unsigned count, bool wait_before) {
    struct wl_stream **sorted = (struct wl_stream **)malloc(count * sizeof *sorted);
    bool *push = calloc(count, sizeof *push);
    enum wl_status status = sorted && push ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %u streams", count);
    for (unsigned i = 0; i < count && status == WL_OK; i++)
        status = add_legacy_points(streams[i], commands[i]);
    if (status == WL_OK) {
        lock_all(streams, sorted, count);
        status = append_together(streams, commands, after, count, wait_before);
        for (unsigned i = 0; i < count; i++) {
            push[i] = streams[i]->state == WL_STREAM_IDLE && streams[i]->head && wl_stream_make_ready(streams[i]);
            pthread_mutex_unlock(&streams[i]->lock);
        }
        for (unsigned i = 0; i < count; i++) {
            enter_busy(streams[i]);
            if (push[i])
                wl_executor_push(streams[i]);
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (commands[i])
            wl_command_free(commands[i]);
        if (after && after[i])
            wl_command_free(after[i]);
        commands[i] = NULL;
        if (after)
            after[i] = NULL;
    }
    free((void *)sorted);
    free(push);
    return status;
}

/* ---- waiting in stream order ------------------------------------------------------------------- */

static enum wl_status run_nothing(struct wl_command *command, struct wl_stream *stream) {
    (void)command;
    (void)stream;
    return WL_OK;
}

enum wl_status wl_stream_wait_for(struct wl_stream *stream, struct wl_stream *other, uint64_t sequence) {
    if (stream == other)
        return WL_OK;
    struct wl_command *command = wl_command_new(sizeof *command, run_nothing, NULL);
    return command ? wl_stream_wait_by(stream, command, other, sequence) : WL_OUT_OF_MEMORY;
}

enum wl_status wl_stream_wait_by(struct wl_stream *stream, struct wl_command *command, struct wl_stream *other, uint64_t sequence) {
    command->always = true;
    command->gives = true;
    enum wl_status status = wl_command_wait_for(command, other, sequence);
    if (status != WL_OK || command->point_count == 0) {
        wl_command_free(command);
        return status;
    }
    pthread_mutex_lock(&other->lock); /* what the other stream had waited for by then, this one has too */
    struct wl_known inherited[WL_STREAM_KNOWN];
    memcpy(inherited, other->known, sizeof inherited);
    pthread_mutex_unlock(&other->lock);
    pthread_mutex_lock(&stream->lock);
    for (unsigned i = 0; i < WL_STREAM_KNOWN; i++)
        if (inherited[i].other && inherited[i].other != stream->id && inherited[i].since <= sequence)
            learn(stream, inherited[i].other, inherited[i].sequence);
    pthread_mutex_unlock(&stream->lock);
    return wl_stream_enqueue(stream, command, NULL);
}

enum wl_status wl_stream_mark(struct wl_stream *stream, uint64_t *sequence) {
    struct wl_command *command = wl_command_new(sizeof *command, run_nothing, NULL);
    if (!command)
        return WL_OUT_OF_MEMORY;
    command->always = true;
    command->gives = true;
    return wl_stream_enqueue(stream, command, sequence);
}

enum wl_status wl_stream_execute(struct wl_stream *stream, struct wl_command *command) {
    enum wl_status result = wl_stream_may_wait(stream, UINT64_MAX);
    uint64_t sequence = 0;
    if (result != WL_OK) {
        wl_command_free(command);
        return result;
    }
    result = WL_INTERNAL;
    command->result = &result;
    enum wl_status status = wl_stream_enqueue(stream, command, &sequence);
    if (status != WL_OK)
        return status;
    status = wl_stream_wait(stream, sequence);
    return result == WL_OK ? status : result;
}

/* ---- fork ---------------------------------------------------------------------------------- */

void wl_stream_after_fork(struct wl_stream *stream) {
    pthread_mutex_init(&stream->lock, NULL);
    stream->forgotten = stream->head; /* the parent's work: kept, for what it refers to may be in any state */
    stream->head = stream->tail = NULL;
    atomic_store(&stream->parked, NULL);
    stream->ready_next = stream->watch_next = NULL;
    stream->state = WL_STREAM_IDLE;
    atomic_store(&stream->capture, NULL);
    atomic_store(&stream->busy, false);
    atomic_store(&stream->completed, atomic_load(&stream->submitted));
    atomic_store(&stream->wake_at, UINT64_MAX);
}
