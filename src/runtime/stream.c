/* Streams: ordering, waiting by helping, parking. See runtime.h for the vocabulary.
 *
 * A stream is in one of four states. IDLE: its queue is empty. READY: it has work and sits in the executor's queue.
 * RUNNING: exactly one thread executes its head. PARKED: its head waits for a point of another stream, which makes it
 * READY again when it gets there. WATCHED: its head waits for a condition on memory, and only the watcher may touch it. A helping thread may take a READY or PARKED stream; the entry it leaves behind in the
 * executor's queue or in the other stream's list is recognized by the state and dropped. */
#include "runtime/runtime.h"

#include "base/cpu.h"
#include "base/options.h"
#include "runtime/capture.h"
#include "runtime/pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct wl_parked {
    struct wl_parked *next;
    struct wl_stream *stream; /* referenced */
    uint64_t sequence;
};

static _Atomic uint64_t last_id;
static atomic_bool exiting;

/* ---- life ----------------------------------------------------------------------------------- */

static struct wl_stream *stream_new(struct wl_context *context, unsigned flags, int priority) {
    struct wl_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->context = context;
    stream->id = atomic_fetch_add(&last_id, 1) + 1;
    stream->flags = flags;
    stream->priority = priority;
    atomic_init(&stream->references, 1);
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

/* Drops the idle streams and returns the first busy one. The context's lock is held. */
static struct wl_stream *busy_streams(struct wl_context *context) {
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
        struct wl_stream *first = busy_streams(context), *before = first; /* without the idle ones: few */
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

enum wl_status wl_stream_create(struct wl_context *context, unsigned flags, int priority, struct wl_stream **stream) {
    struct wl_stream *made = stream_new(context, flags, priority);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a stream");
    const struct wl_queue_ops *queues = context->device->ops->queues;
    enum wl_status status =
        queues ? queues->create(context->device, !context->null_stream, flags & WL_STREAM_NON_BLOCKING, priority, &made->queue) : WL_OK;
    if (status == WL_OK)
        status = wl_handle_add(made, WL_HANDLE_STREAM);
    if (status != WL_OK) {
        wl_stream_release(made);
        return status;
    }
    if (context->null_stream) /* the null stream itself is in no list */
        context_link(made);
    *stream = made;
    return WL_OK;
}

void wl_stream_retain(struct wl_stream *stream) { atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed); }

void wl_stream_release(struct wl_stream *stream) {
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) != 1)
        return;
    if (stream->queue)
        stream->context->device->ops->queues->destroy(stream->queue);
    pthread_mutex_destroy(&stream->lock);
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

static bool reached(struct wl_stream *stream, uint64_t sequence) {
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= sequence;
}

/* Remembers, for the reuse of freed memory, that later commands run after command `sequence` of `other`. The stream's lock
 * is held. */
static void learn(struct wl_stream *stream, uint64_t other, uint64_t sequence) {
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
    for (struct wl_stream *other = busy_streams(context); other && status == WL_OK; other = other->busy_next)
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
    for (unsigned i = 0; i < command->point_count; i++)
        learn(stream, command->points[i].stream->id, command->points[i].sequence);
    command->sequence = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
    atomic_store(&stream->submitted, command->sequence);
    *(stream->tail ? &stream->tail->next : &stream->head) = command;
    stream->tail = command;
}

/* IDLE -> READY; the caller then gives the stream to the executor. The stream's lock is held. */
static bool make_ready(struct wl_stream *stream) {
    if (stream->state != WL_STREAM_IDLE)
        return false;
    stream->state = WL_STREAM_READY;
    wl_stream_retain(stream);
    return true;
}

/* Whether nothing that must be given or run before is still queued. */
static bool comes_first(struct wl_stream *stream) {
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
        for (struct wl_stream *other = busy_streams(context); other && free_now; other = other->busy_next)
            free_now = (other->flags & WL_STREAM_NON_BLOCKING) != 0;
        pthread_mutex_unlock(&context->lock);
    }
    return free_now;
}

bool wl_stream_is_free(struct wl_stream *stream) { return !stream->queue && comes_first(stream); }

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

static void give_all(struct wl_stream *stream, struct wl_command *command);

enum wl_status wl_stream_enqueue(struct wl_stream *stream, struct wl_command *command, uint64_t *sequence) {
    enum wl_status status = wl_capture_forbids(stream);
    if (status == WL_OK)
        status = add_legacy_points(stream, command);
    if (status != WL_OK) {
        wl_command_free(command);
        return status;
    }
    bool somebody_waits = command->result != NULL; /* the caller runs it at once: no executor needed */
    pthread_mutex_lock(&stream->lock);
    append(stream, command);
    if (sequence)
        *sequence = command->sequence;
    bool give = !somebody_waits && stream->queue && command->gives && stream->state == WL_STREAM_IDLE;
    if (give)
        stream->state = WL_STREAM_RUNNING;
    bool push = !somebody_waits && !give && make_ready(stream);
    pthread_mutex_unlock(&stream->lock);
    enter_busy(stream);
    if (push)
        wl_executor_push(stream);
    if (give)
        give_all(stream, command);
    return WL_OK;
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
        if ((status = wl_capture_forbids(streams[i])) == WL_OK)
            status = add_legacy_points(streams[i], commands[i]);
    if (status == WL_OK) {
        lock_all(streams, sorted, count);
        status = append_together(streams, commands, after, count, wait_before);
        for (unsigned i = 0; i < count; i++) {
            push[i] = streams[i]->head && make_ready(streams[i]);
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

/* ---- parking -------------------------------------------------------------------------------- */

static void wake_sleepers(struct wl_stream *stream) {
    atomic_fetch_add(&stream->progress, 1);
    if (atomic_load(&stream->sleepers))
        syscall(SYS_futex, &stream->progress, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* PARKED -> READY, if it still is. */
static void unpark(struct wl_stream *stream) {
    bool push = false;
    pthread_mutex_lock(&stream->lock);
    if (stream->state == WL_STREAM_PARKED) {
        stream->state = WL_STREAM_READY;
        wl_stream_retain(stream);
        push = true;
    }
    pthread_mutex_unlock(&stream->lock);
    if (push)
        wl_executor_push(stream);
}

/* RUNNING -> PARKED until `point` is reached. */
static void park(struct wl_stream *stream, const struct wl_point *point) {
    struct wl_stream *other = point->stream;
    uint64_t sequence = point->sequence;
    struct wl_parked *entry = malloc(sizeof *entry);
    if (!entry) { /* without memory to park, wait in place: slower, still right */
        wl_stream_wait_given(other, sequence);
        pthread_mutex_lock(&stream->lock);
        stream->state = WL_STREAM_PARKED;
        pthread_mutex_unlock(&stream->lock);
        unpark(stream);
        return;
    }
    /* The point may be dropped by another thread as soon as the stream is not RUNNING any more. */
    wl_stream_retain(other);
    wl_stream_retain(stream);
    *entry = (struct wl_parked){.stream = stream, .sequence = sequence};
    pthread_mutex_lock(&stream->lock);
    stream->state = WL_STREAM_PARKED;
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_lock(&other->lock);
    bool late = reached(other, sequence);
    if (!late) {
        entry->next = other->parked;
        other->parked = entry;
    }
    pthread_mutex_unlock(&other->lock);
    if (atomic_load(&stream->sleepers))
        wake_sleepers(stream); /* a thread that waits for this stream can help the other one */
    if (late) {
        unpark(stream);
        wl_stream_release(stream);
        free(entry);
    }
    wl_stream_release(other);
}

/* Takes the parked entries that `completed` frees. The stream's lock is held. */
static struct wl_parked *take_parked(struct wl_stream *stream, uint64_t completed) {
    struct wl_parked *taken = NULL;
    for (struct wl_parked **link = &stream->parked; *link;) {
        struct wl_parked *entry = *link;
        if (entry->sequence > completed) {
            link = &entry->next;
            continue;
        }
        *link = entry->next;
        entry->next = taken;
        taken = entry;
    }
    return taken;
}

static void fire_parked(struct wl_parked *entry) {
    while (entry) {
        struct wl_parked *next = entry->next;
        unpark(entry->stream);
        wl_stream_release(entry->stream);
        free(entry);
        entry = next;
    }
}

/* RUNNING -> WATCHED: the head's condition does not hold yet. */
static void watch(struct wl_stream *stream) {
    wl_stream_retain(stream);
    pthread_mutex_lock(&stream->lock);
    stream->state = WL_STREAM_WATCHED;
    pthread_mutex_unlock(&stream->lock);
    wl_watch_add(stream);
}

void wl_stream_watched_ready(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    stream->state = WL_STREAM_READY;
    pthread_mutex_unlock(&stream->lock);
    if (atomic_load(&stream->sleepers))
        wake_sleepers(stream);
    wl_executor_push(stream);
}

/* Nobody waits for the command, so its failure becomes the context's. Devices report what kernels did; the rest is said here. */
static void first_fault(struct wl_context *context, enum wl_status status) {
    bool first = atomic_compare_exchange_strong(&context->fault, &(int){WL_OK}, (int)status);
    if (first && status != WL_ILLEGAL_ADDRESS && status != WL_ILLEGAL_INSTRUCTION && status != WL_ASSERT && status != WL_ABORTED)
        wl_log(1, "queued work of device %u failed: %s", context->index, *wl_failure() ? wl_failure() : wl_status_name(status));
}

/* ---- queues ---------------------------------------------------------------------------------- */

static const struct wl_queue_ops *queues_of(const struct wl_stream *stream) { return stream->context->device->ops->queues; }

static void raise_to(_Atomic uint64_t *number, uint64_t least) {
    uint64_t before = atomic_load(number);
    while (before < least && !atomic_compare_exchange_weak(number, &before, least))
        ;
}

enum wl_status wl_stream_given(const struct wl_stream *stream, enum wl_status status) {
    if (status == WL_ILLEGAL_ADDRESS || status == WL_ILLEGAL_INSTRUCTION || status == WL_ASSERT || status == WL_ABORTED)
        first_fault(stream->context, status);
    return status;
}

/* Waits until the queue has done what it was given so far. */
static enum wl_status empty_queue(struct wl_stream *stream) {
    uint64_t given = atomic_load(&stream->completed);
    if (!stream->queue || atomic_load(&stream->emptied) >= given)
        return WL_OK;
    enum wl_status status = wl_stream_given(stream, queues_of(stream)->synchronize(stream->queue));
    if (status == WL_OK)
        raise_to(&stream->emptied, given);
    return status;
}

bool wl_stream_has_finished(struct wl_stream *stream, uint64_t sequence, bool ask) {
    uint64_t completed = atomic_load_explicit(&stream->completed, memory_order_acquire);
    if (!stream->queue)
        return completed >= sequence;
    if (atomic_load(&stream->emptied) >= sequence)
        return true;
    if (!ask || completed < sequence || queues_of(stream)->query(stream->queue) != WL_OK)
        return false;
    raise_to(&stream->emptied, completed);
    return true;
}

/* What is given to the stream's queue from now on runs behind what the other's has now. */
static enum wl_status follow(struct wl_stream *stream, struct wl_stream *other) {
    const struct wl_queue_ops *queues = queues_of(other);
    struct wl_device_mark *mark = NULL;
    enum wl_status status = queues->mark_create(other->context->device, false, &mark);
    if (status == WL_OK)
        status = queues->mark_place(mark, other->queue);
    if (status == WL_OK)
        status = queues->mark_wait(mark, stream->queue);
    if (mark)
        queues->mark_destroy(mark);
    return status;
}

/* The points are reached, so all that they stand for was given to queues. Makes the command come behind it: in the device if the
 * command gives work to a queue, else by waiting. The null stream's order with the others of its context is the device's own. */
static enum wl_status settle(struct wl_stream *stream, const struct wl_command *command) {
    enum wl_status status = WL_OK;
    for (unsigned i = 0; i < command->point_count && status == WL_OK; i++) {
        struct wl_stream *other = command->points[i].stream;
        if (!other->queue || other == stream || wl_stream_has_finished(other, command->points[i].sequence, false))
            continue;
        if (!stream->queue)
            status = empty_queue(other);
        else if (!command->follows && !wl_stream_is_legacy_pair(stream, other))
            status = follow(stream, other);
    }
    if (status == WL_OK && stream->queue && !command->gives) {
        status = wl_stream_given(stream, queues_of(stream)->synchronize(stream->queue));
        if (status == WL_OK)
            raise_to(&stream->emptied, command->sequence - 1);
    }
    return status;
}

/* Whether the stream's queue may be given work now; then the stream is RUNNING and the work's number counts. */
bool wl_stream_give_begin(struct wl_stream *stream, uint64_t *sequence) {
    if (!stream->queue || !comes_first(stream))
        return false;
    pthread_mutex_lock(&stream->lock);
    bool mine = stream->state == WL_STREAM_IDLE && !stream->head;
    if (mine) {
        stream->state = WL_STREAM_RUNNING;
        *sequence = atomic_load_explicit(&stream->submitted, memory_order_relaxed) + 1;
        atomic_store(&stream->submitted, *sequence);
    }
    pthread_mutex_unlock(&stream->lock);
    return mine;
}

void wl_stream_give_end(struct wl_stream *stream, uint64_t sequence) {
    bool push = false;
    pthread_mutex_lock(&stream->lock);
    atomic_store_explicit(&stream->completed, sequence, memory_order_release);
    struct wl_parked *freed = stream->parked ? take_parked(stream, sequence) : NULL;
    stream->state = WL_STREAM_IDLE;
    if (stream->head)
        push = make_ready(stream);
    pthread_mutex_unlock(&stream->lock);
    wake_sleepers(stream);
    if (push)
        wl_executor_push(stream);
    fire_parked(freed);
}

/* ---- running -------------------------------------------------------------------------------- */

/* Runs the head command of a RUNNING stream, takes it out and tells everybody. Returns the next head. */
static struct wl_command *run_head(struct wl_stream *stream, struct wl_command *command) {
    struct wl_context *context = stream->context;
    enum wl_status fault = wl_context_fault(context);
    enum wl_status status = fault;
    if (fault == WL_OK || command->always) {
        struct wl_frame frame = {stream, command->sequence, NULL};
        wl_frame_enter(&frame);
        status = stream->queue || command->point_count ? settle(stream, command) : WL_OK;
        if (status == WL_OK || command->always)
            status = command->run(command, stream);
        wl_frame_leave(&frame);
    }
    if (command->result)
        *command->result = status;
    else if (status != WL_OK && fault == WL_OK)
        first_fault(context, status);
    if (stream->queue && !command->gives && status == WL_OK)
        raise_to(&stream->emptied, command->sequence);

    pthread_mutex_lock(&stream->lock);
    struct wl_command *next = command->next;
    stream->head = next;
    if (!next)
        stream->tail = NULL;
    atomic_store_explicit(&stream->completed, command->sequence, memory_order_release);
    struct wl_parked *freed = stream->parked ? take_parked(stream, command->sequence) : NULL;
    pthread_mutex_unlock(&stream->lock);
    wake_sleepers(stream);
    fire_parked(freed);
    wl_command_free(command);
    wl_watch_kick();
    return next;
}

static const struct wl_point *unreached_point(const struct wl_command *command) {
    for (unsigned i = 0; i < command->point_count; i++)
        if (!reached(command->points[i].stream, command->points[i].sequence))
            return &command->points[i];
    return NULL;
}

/* Ends RUNNING. What is left goes to the executor. */
static void stop_running(struct wl_stream *stream) {
    bool push = false;
    pthread_mutex_lock(&stream->lock);
    if (stream->head) {
        stream->state = WL_STREAM_READY;
        wl_stream_retain(stream);
        push = true;
    } else {
        stream->state = WL_STREAM_IDLE;
    }
    pthread_mutex_unlock(&stream->lock);
    if (push)
        wl_executor_push(stream);
    if (atomic_load(&stream->sleepers))
        wake_sleepers(stream); /* a thread that waits for a later command takes over */
}

/* RUNNING -> IDLE, unless there is more, which is returned. */
static struct wl_command *next_or_idle(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    struct wl_command *command = stream->head;
    if (!command)
        stream->state = WL_STREAM_IDLE;
    pthread_mutex_unlock(&stream->lock);
    return command;
}

/* Gives the work of a RUNNING stream to its queue, as long as nothing has to be waited for. */
static void give_all(struct wl_stream *stream, struct wl_command *command) {
    while (command) {
        const struct wl_point *blocker = unreached_point(command);
        if (blocker) {
            park(stream, blocker);
            return;
        }
        if (!command->gives) {
            stop_running(stream);
            return;
        }
        command = run_head(stream, command);
        if (!command)
            command = next_or_idle(stream);
    }
}

void wl_stream_run_ready(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    struct wl_command *command = stream->state == WL_STREAM_READY ? stream->head : NULL;
    if (command)
        stream->state = WL_STREAM_RUNNING;
    pthread_mutex_unlock(&stream->lock);
    if (!command) {
        wl_stream_release(stream);
        return;
    }
    for (;;) {
        const struct wl_point *blocker = unreached_point(command);
        if (blocker) {
            park(stream, blocker);
            break;
        }
        if (command->ready && !command->ready(command)) {
            watch(stream);
            break;
        }
        command = run_head(stream, command);
        if (!command && !(command = next_or_idle(stream)))
            break;
    }
    wl_stream_release(stream);
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* Waits a while for another thread to finish something in this stream. */
static void sleep_for_progress(struct wl_stream *stream, uint64_t sequence) {
    unsigned seen = atomic_load(&stream->progress);
    for (unsigned i = 0; i < 2000; i++) {
        if (reached(stream, sequence))
            return;
        wl_relax();
    }
    atomic_fetch_add(&stream->sleepers, 1);
    pthread_mutex_lock(&stream->lock); /* pairs with stop_running: either it sees the sleeper or we see the state */
    bool running = stream->state == WL_STREAM_RUNNING || (stream->state == WL_STREAM_WATCHED && !atomic_load(&exiting));
    pthread_mutex_unlock(&stream->lock);
    if (running && !reached(stream, sequence))
        syscall(SYS_futex, &stream->progress, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&stream->sleepers, 1);
}

static bool is_watched(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    bool watched = stream->state == WL_STREAM_WATCHED;
    pthread_mutex_unlock(&stream->lock);
    return watched;
}

/* Takes an idle stream's head to run it; NULL: another thread or the watcher has it. */
static struct wl_command *take_over(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    bool taken = stream->state == WL_STREAM_RUNNING || stream->state == WL_STREAM_WATCHED;
    struct wl_command *command = taken ? NULL : stream->head;
    if (command)
        stream->state = WL_STREAM_RUNNING;
    pthread_mutex_unlock(&stream->lock);
    return command;
}

/* False: the process is about to exit and the stream waits for a condition that may never come true. */
static bool wait_until(struct wl_stream *stream, uint64_t sequence) {
    while (!reached(stream, sequence)) {
        if (atomic_load(&exiting) && is_watched(stream))
            return false;
        struct wl_command *command = take_over(stream);
        if (!command) {
            sleep_for_progress(stream, sequence);
            continue;
        }
        bool watched = false, stuck = false;
        while (command && !reached(stream, sequence) && !watched && !stuck) {
            const struct wl_point *blocker;
            while (!stuck && (blocker = unreached_point(command)))
                stuck = !wait_until(blocker->stream, blocker->sequence);
            watched = !stuck && command->ready && !command->ready(command);
            if (!stuck && !watched)
                command = run_head(stream, command);
        }
        if (watched)
            watch(stream);
        else
            stop_running(stream);
        if (stuck)
            return false;
    }
    return true;
}

void wl_stream_wait_given(struct wl_stream *stream, uint64_t sequence) { (void)wait_until(stream, sequence); }

enum wl_status wl_stream_wait(struct wl_stream *stream, uint64_t sequence) {
    if (!wait_until(stream, sequence) || wl_stream_has_finished(stream, sequence, false))
        return WL_OK;
    return empty_queue(stream);
}

void wl_stream_exiting(void) { atomic_store(&exiting, true); }

void wl_stream_observe(struct wl_stream *stream, uint64_t sequence) {
    uint64_t before = atomic_load(&stream->observed);
    while (before < sequence && !atomic_compare_exchange_weak(&stream->observed, &before, sequence))
        ;
}

/* Any stream that the null stream waits for; referenced. NULL: none. */
static struct wl_stream *busy_blocking(struct wl_context *context) {
    struct wl_stream *busy = NULL;
    pthread_mutex_lock(&context->lock);
    for (struct wl_stream *other = busy_streams(context); other && !busy; other = other->busy_next)
        if (!(other->flags & WL_STREAM_NON_BLOCKING))
            wl_stream_retain(busy = other);
    pthread_mutex_unlock(&context->lock);
    return busy;
}

enum wl_status wl_stream_synchronize(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    uint64_t submitted = atomic_load(&stream->submitted);
    enum wl_status status = wl_stream_may_wait(stream, submitted);
    if (status != WL_OK)
        return status;
    status = wl_stream_wait(stream, submitted);
    if (status == WL_OK)
        wl_stream_observe(stream, submitted);
    while (stream == context->null_stream && atomic_load(&context->busy)) {
        struct wl_stream *busy = busy_blocking(context);
        if (!busy)
            break;
        submitted = atomic_load(&busy->submitted);
        bool done = wait_until(busy, submitted);
        if (done && empty_queue(busy) == WL_OK)
            wl_stream_observe(busy, submitted);
        wl_stream_release(busy);
        if (!done)
            break;
    }
    wl_mempool_synchronized();
    return wl_context_fault(context) != WL_OK ? wl_context_fault(context) : status;
}

void wl_stream_wait_others(struct wl_context *context) {
    struct wl_point points[64];
    bool more = true;
    while (more) {
        unsigned count = 0;
        pthread_mutex_lock(&context->lock);
        for (struct wl_stream *other = busy_streams(context); other && count < 64; other = other->busy_next) {
            wl_stream_retain(other);
            points[count++] = (struct wl_point){other, atomic_load(&other->submitted)};
        }
        pthread_mutex_unlock(&context->lock);
        more = count == 64;
        for (unsigned i = 0; i < count; i++) {
            if (!wait_until(points[i].stream, points[i].sequence))
                more = false; /* the process exits: what cannot finish is left */
            else if (empty_queue(points[i].stream) == WL_OK)
                wl_stream_observe(points[i].stream, points[i].sequence);
            wl_stream_release(points[i].stream);
        }
    }
}

/* Whether the stream's queue, and for the null stream those that it is in order with, have nothing left to do. */
static enum wl_status query_queues(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    if (!stream->queue)
        return WL_OK;
    enum wl_status status = wl_stream_given(stream, queues_of(stream)->query(stream->queue));
    if (stream != context->null_stream || status != WL_OK)
        return status;
    pthread_mutex_lock(&context->lock);
    for (struct wl_stream *other = context->streams; other && status == WL_OK; other = other->context_next)
        if (!(other->flags & WL_STREAM_NON_BLOCKING))
            status = queues_of(other)->query(other->queue);
    pthread_mutex_unlock(&context->lock);
    return wl_stream_given(stream, status);
}

enum wl_status wl_stream_query(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    enum wl_status fault = wl_context_fault(context);
    if (fault != WL_OK)
        return fault;
    uint64_t submitted = atomic_load(&stream->submitted);
    if (!reached(stream, submitted))
        return WL_NOT_READY;
    fault = query_queues(stream);
    if (fault != WL_OK)
        return fault;
    wl_stream_observe(stream, submitted);
    if (stream == context->null_stream && atomic_load(&context->busy)) {
        struct wl_stream *busy = busy_blocking(context);
        if (busy) {
            wl_stream_release(busy);
            return WL_NOT_READY;
        }
    }
    return WL_OK;
}

void wl_stream_after_fork(struct wl_stream *stream) {
    pthread_mutex_init(&stream->lock, NULL);
    stream->forgotten = stream->head; /* the parent's work: kept, for what it refers to may be in any state */
    stream->head = stream->tail = NULL;
    stream->parked = NULL;
    stream->ready_next = stream->watch_next = NULL;
    stream->state = WL_STREAM_IDLE;
    atomic_store(&stream->capture, NULL);
    atomic_store(&stream->busy, false);
    atomic_store(&stream->completed, atomic_load(&stream->submitted));
    atomic_store(&stream->sleepers, 0);
}
