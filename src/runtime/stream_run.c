/* Streams: how they are run, parked, given to a device's queue, and waited for by helping.
 *
 * A stream is in one of five states. IDLE: its queue is empty. READY: it has work and sits in the executor's queue.
 * RUNNING: exactly one thread executes its head. PARKED: its head waits for a point of another stream, which makes it
 * READY again when it gets there. WATCHED: its head waits for a condition on memory, and only the watcher may touch it. A helping
 * thread may take a READY or PARKED stream; the entry it leaves behind in the executor's queue or in the other stream's list is
 * recognized by the state and dropped. */
#include "runtime/stream_internal.h"

#include "base/assert.h"
#include "base/cpu.h"
#include "base/options.h"
#include "runtime/context.h"
#include "runtime/order.h"
#include "runtime/pool.h"
#include "runtime/record.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"
#include "trace/trace.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct wl_parked_stream {
    struct wl_parked_stream *next;
    struct wl_stream *stream; /* referenced */
    uint64_t sequence;
};

static atomic_bool exiting;

/* ---- parking -------------------------------------------------------------------------------- */

/* Wakes all threads that sleep_for_progress, if one of them waits for `completed` or less; UINT64_MAX: any. A thread that is about to
 * sleep says for what first and looks then; here `completed` was written first. */
static void wake_sleepers(struct wl_stream *stream, uint64_t completed) {
    uint64_t wanted = atomic_load(&stream->wake_at);
    if (wanted == UINT64_MAX || wanted > completed)
        return;
    atomic_store(&stream->wake_at, UINT64_MAX);
    atomic_fetch_add(&stream->progress, 1);
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

/* Takes the parked entries that `completed` frees. The stream's lock is held. */
static struct wl_parked_stream *take_parked(struct wl_stream *stream, uint64_t completed) {
    wl_assert_held(&stream->lock);
    struct wl_parked_stream *taken = NULL, *left = NULL;
    for (struct wl_parked_stream *entry = atomic_load_explicit(&stream->parked, memory_order_relaxed), *next; entry; entry = next) {
        struct wl_parked_stream **list = entry->sequence > completed ? &left : &taken;
        next = entry->next;
        entry->next = *list;
        *list = entry;
    }
    atomic_store(&stream->parked, left);
    return taken;
}

static void fire_parked(struct wl_parked_stream *entry) {
    while (entry) {
        struct wl_parked_stream *next = entry->next;
        unpark(entry->stream);
        wl_stream_release(entry->stream);
        free(entry);
        entry = next;
    }
}

/* RUNNING -> PARKED until `point` is reached. */
static void park(struct wl_stream *stream, const struct wl_point *point) {
    struct wl_stream *other = point->stream;
    uint64_t sequence = point->sequence;
    struct wl_parked_stream *entry = malloc(sizeof *entry);
    if (!entry) { /* without memory to park, wait in place: slower, still right */
        wl_stream_wait_given(other, sequence);
        pthread_mutex_lock(&stream->lock);
        wl_assert(stream->state == WL_STREAM_RUNNING);
        stream->state = WL_STREAM_PARKED;
        pthread_mutex_unlock(&stream->lock);
        unpark(stream);
        return;
    }
    /* The point may be dropped by another thread as soon as the stream is not RUNNING any more. */
    wl_stream_retain(other);
    wl_stream_retain(stream);
    *entry = (struct wl_parked_stream){.stream = stream, .sequence = sequence};
    pthread_mutex_lock(&stream->lock);
    wl_assert(stream->state == WL_STREAM_RUNNING && stream->head);
    stream->state = WL_STREAM_PARKED;
    pthread_mutex_unlock(&stream->lock);
    pthread_mutex_lock(&other->lock);
    entry->next = atomic_load_explicit(&other->parked, memory_order_relaxed);
    atomic_store(&other->parked, entry); /* before it is asked how far the other one is: who runs it looks in the other order */
    struct wl_parked_stream *late = take_parked(other, atomic_load(&other->completed));
    pthread_mutex_unlock(&other->lock);
    wake_sleepers(stream, UINT64_MAX); /* a thread that waits for this stream can help the other one */
    fire_parked(late);
    wl_stream_release(other);
}

bool wl_stream_has_to_watch(const struct wl_stream *stream, struct wl_command *command) {
    const bool is_skipped = !command->always && wl_context_fault(stream->context) != WL_OK;
    return command->ready && !is_skipped && !command->ready(command);
}

/* RUNNING -> WATCHED: the head's condition does not hold yet. */
static void watch(struct wl_stream *stream) {
    wl_stream_retain(stream);
    pthread_mutex_lock(&stream->lock);
    wl_assert(stream->state == WL_STREAM_RUNNING && stream->head);
    stream->state = WL_STREAM_WATCHED;
    pthread_mutex_unlock(&stream->lock);
    wl_watch_add(stream);
}

void wl_stream_watched_ready(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    wl_assert(stream->state == WL_STREAM_WATCHED && stream->head);
    stream->state = WL_STREAM_READY;
    pthread_mutex_unlock(&stream->lock);
    wake_sleepers(stream, UINT64_MAX);
    wl_executor_push(stream);
}

/* Nobody waits for the command, so its failure becomes the context's. Devices report what kernels did; the rest is said here. */
static void first_fault(struct wl_context *context, enum wl_status status) {
    bool first = atomic_compare_exchange_strong(&context->fault, &(int){WL_OK}, (int)status);
    if (first && status != WL_ILLEGAL_ADDRESS && status != WL_ILLEGAL_INSTRUCTION && status != WL_ASSERT && status != WL_ABORTED &&
        status != WL_TIMED_OUT)
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
    if (status == WL_ILLEGAL_ADDRESS || status == WL_ILLEGAL_INSTRUCTION || status == WL_ASSERT || status == WL_ABORTED ||
        status == WL_TIMED_OUT)
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
    if (!stream->queue || !wl_stream_comes_first(stream))
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
    wl_assert(stream->state == WL_STREAM_RUNNING && atomic_load(&stream->completed) == sequence - 1);
    atomic_store(&stream->completed, sequence);
    struct wl_parked_stream *freed = atomic_load(&stream->parked) ? take_parked(stream, sequence) : NULL;
    stream->state = WL_STREAM_IDLE;
    if (stream->head)
        push = wl_stream_make_ready(stream);
    pthread_mutex_unlock(&stream->lock);
    wake_sleepers(stream, UINT64_MAX);
    if (push)
        wl_executor_push(stream);
    fire_parked(freed);
}

/* ---- running -------------------------------------------------------------------------------- */

/* Takes the head out of a RUNNING stream's queue; returns the next one. As long as there is one, whoever queues does not touch the head:
 * no lock. */
static struct wl_command *take_head(struct wl_stream *stream, const struct wl_command *command) {
    struct wl_command *next = atomic_load_explicit(&command->next, memory_order_acquire);
    if (next) {
        stream->head = next;
        return next;
    }
    pthread_mutex_lock(&stream->lock);
    next = atomic_load_explicit(&command->next, memory_order_relaxed);
    stream->head = next;
    if (!next) {
        wl_assert(stream->tail == command && stream->state == WL_STREAM_RUNNING);
        stream->tail = NULL;
    }
    pthread_mutex_unlock(&stream->lock);
    return next;
}

static const struct wl_point *unreached_point(const struct wl_command *command) {
    for (unsigned i = 0; i < command->point_count; i++)
        if (!wl_stream_reached(command->points[i].stream, command->points[i].sequence))
            return &command->points[i];
    return NULL;
}

/* Runs the head command of a RUNNING stream, takes it out and tells everybody. Returns the next head. */
static struct wl_command *run_head(struct wl_stream *stream, struct wl_command *command) {
    wl_assert(stream->head == command && command->sequence == atomic_load(&stream->completed) + 1);
    wl_assert(!unreached_point(command));
    wl_assert_not_held(&stream->lock);
    wl_assert_not_held(&stream->context->lock);
    struct wl_context *context = stream->context;
    enum wl_status fault = wl_context_fault(context);
    enum wl_status status = fault;
    if (fault == WL_OK || command->always) {
        struct wl_frame frame = {stream, command->sequence, NULL};
        wl_frame_enter(&frame);
        const uint64_t before = wl_order_begin(stream, command);
        status = stream->queue || command->point_count ? settle(stream, command) : WL_OK;
        if (status == WL_OK || command->always)
            status = command->run(command, stream);
        wl_order_end(stream, command, before);
        wl_frame_leave(&frame);
    }
    if (command->result)
        *command->result = status;
    else if (status != WL_OK && fault == WL_OK)
        first_fault(context, status);
    if (stream->queue && !command->gives && status == WL_OK)
        raise_to(&stream->emptied, command->sequence);

    struct wl_command *next = take_head(stream, command);
    atomic_store(&stream->completed, command->sequence);
    if (atomic_load(&stream->parked)) {
        pthread_mutex_lock(&stream->lock);
        struct wl_parked_stream *freed = take_parked(stream, command->sequence);
        pthread_mutex_unlock(&stream->lock);
        fire_parked(freed);
    }
    wake_sleepers(stream, command->sequence);
    wl_command_free(command);
    wl_watch_kick();
    return next;
}

/* Ends RUNNING. What is left goes to the executor. */
static void stop_running(struct wl_stream *stream) {
    bool push = false;
    pthread_mutex_lock(&stream->lock);
    wl_assert(stream->state == WL_STREAM_RUNNING);
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
    wake_sleepers(stream, UINT64_MAX); /* a thread that waits for a later command takes over */
}

/* RUNNING -> IDLE, unless there is more, which is returned. */
static struct wl_command *next_or_idle(struct wl_stream *stream) {
    pthread_mutex_lock(&stream->lock);
    wl_assert(stream->state == WL_STREAM_RUNNING);
    struct wl_command *command = stream->head;
    if (!command)
        stream->state = WL_STREAM_IDLE;
    pthread_mutex_unlock(&stream->lock);
    return command;
}

void wl_stream_give_all(struct wl_stream *stream, struct wl_command *command) {
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
        if (wl_stream_has_to_watch(stream, command)) {
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
        if (wl_stream_reached(stream, sequence))
            return;
        wl_relax();
    }
    pthread_mutex_lock(&stream->lock); /* pairs with stop_running: either it sees that we wait or we see the state */
    bool running = stream->state == WL_STREAM_RUNNING || (stream->state == WL_STREAM_WATCHED && !atomic_load(&exiting));
    uint64_t wanted = atomic_load(&stream->wake_at);
    while (running && wanted > sequence && !atomic_compare_exchange_weak(&stream->wake_at, &wanted, sequence))
        ;
    pthread_mutex_unlock(&stream->lock);
    if (running && atomic_load(&stream->completed) < sequence)
        syscall(SYS_futex, &stream->progress, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
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
    while (!wl_stream_reached(stream, sequence)) {
        if (atomic_load(&exiting) && is_watched(stream))
            return false;
        struct wl_command *command = take_over(stream);
        if (!command) {
            sleep_for_progress(stream, sequence);
            continue;
        }
        bool watched = false, stuck = false;
        while (command && !wl_stream_reached(stream, sequence) && !watched && !stuck) {
            const struct wl_point *blocker;
            while (!stuck && (blocker = unreached_point(command)))
                stuck = !wait_until(blocker->stream, blocker->sequence);
            watched = !stuck && wl_stream_has_to_watch(stream, command);
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
    const bool reached = wait_until(stream, sequence);
    enum wl_status status = WL_OK;
    if (reached)
        wl_order_seen(stream, sequence);
    if (reached && !wl_stream_has_finished(stream, sequence, false))
        status = empty_queue(stream);
    if (wl_trace_on() && stream->queue)
        wl_record_ended(stream->context);
    return status;
}

void wl_stream_exiting(void) { atomic_store(&exiting, true); }

void wl_stream_observe(struct wl_stream *stream, uint64_t sequence) {
    uint64_t before = atomic_load(&stream->observed);
    wl_order_seen(stream, sequence);
    while (before < sequence && !atomic_compare_exchange_weak(&stream->observed, &before, sequence))
        ;
}

/* Any stream that the null stream waits for; referenced. NULL: none. */
static struct wl_stream *busy_blocking(struct wl_context *context) {
    struct wl_stream *busy = NULL;
    pthread_mutex_lock(&context->lock);
    for (struct wl_stream *other = wl_stream_busy_list(context); other && !busy; other = other->busy_next)
        if (!(other->flags & WL_STREAM_NON_BLOCKING))
            wl_stream_retain(busy = other);
    pthread_mutex_unlock(&context->lock);
    return busy;
}

/* The same where streams have queues. One that has given all its work to its queue is not busy any more, and the device's null stream
 * waits for it. */
static enum wl_status synchronize_null_queue(struct wl_stream *stream) {
    const uint64_t submitted = atomic_load(&stream->submitted);
    bool given = wait_until(stream, submitted);
    struct wl_stream *busy;
    while (given && (busy = busy_blocking(stream->context))) {
        given = wait_until(busy, atomic_load(&busy->submitted));
        wl_stream_release(busy);
    }
    if (!given) /* the process exits: what cannot finish is left */
        return WL_OK;
    enum wl_status status = wl_stream_given(stream, queues_of(stream)->synchronize(stream->queue));
    if (status == WL_OK)
        raise_to(&stream->emptied, submitted);
    return status;
}

enum wl_status wl_stream_synchronize(struct wl_stream *stream) {
    struct wl_context *context = stream->context;
    uint64_t submitted = atomic_load(&stream->submitted);
    enum wl_status status = wl_stream_may_wait(stream, submitted);
    if (status != WL_OK)
        return status;
    const bool null = stream == context->null_stream;
    status = null && stream->queue ? synchronize_null_queue(stream) : wl_stream_wait(stream, submitted);
    if (status == WL_OK)
        wl_stream_observe(stream, submitted);
    if (null)
        wl_order_seen_all(context);
    while (null && !stream->queue && atomic_load(&context->busy)) {
        struct wl_stream *busy = busy_blocking(context);
        if (!busy)
            break;
        submitted = atomic_load(&busy->submitted);
        bool done = wait_until(busy, submitted);
        if (done)
            wl_stream_observe(busy, submitted);
        wl_stream_release(busy);
        if (!done)
            break;
    }
    if (wl_trace_on() && stream->queue)
        wl_record_ended(context);
    wl_mempool_synchronized();
    return wl_context_fault(context) != WL_OK ? wl_context_fault(context) : status;
}

void wl_stream_wait_others(struct wl_context *context) {
    struct wl_point points[64];
    bool more = true;
    while (more) {
        unsigned count = 0;
        pthread_mutex_lock(&context->lock);
        for (struct wl_stream *other = wl_stream_busy_list(context); other && count < 64; other = other->busy_next) {
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
    if (!wl_stream_reached(stream, submitted))
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
