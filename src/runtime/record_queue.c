/* Records work of devices with queues of their own. The work is given to its queue between two marks with times. When the second one is reached, the
 * times of both are read, as distances from a mark of which the host's time is known. */
#include "runtime/record_span.h"

#include "base/clock.h"
#include "runtime/context.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/* A mark, and the host's time when the device came to it. */
struct base {
    struct wl_device_mark *mark;
    int64_t nanoseconds; /* of CLOCK_MONOTONIC: the earliest time that it can have been */
    unsigned uses;       /* pieces of work that are measured from it, and 1 while it is the newest one */
};

/* A piece of work while the queue has it. */
struct wl_given {
    struct wl_given *next;
    const struct wl_context *context;
    struct wl_device_queue *queue;
    struct base *base; /* NULL: the device tells no times */
    struct wl_device_mark *start, *stop;
    enum wl_trace_kind kind;
    uint64_t stream, asked; /* the stream's id; the host's time before the work was given */
    struct wl_asker asker;
    struct wl_record_span span;
    bool timed;
    int64_t from, to; /* nanoseconds from the base */
    uint64_t known;   /* the host's time when it knew of the end */
    uint32_t name, grid[3];
};

enum { STREAMS = 64 };

/* Of each device. */
struct device {
    pthread_mutex_t lock;
    struct wl_given *first, **last; /* in the order in which they were given */
    struct base *base;              /* the newest one; NULL: none yet */
    struct wl_device_queue *queue;  /* for bases */
    size_t count;
    struct {
        uint64_t stream, end; /* of what the stream has ended last */
    } ends[STREAMS];          /* by the stream's number, as far as there is room */
};

enum { MANY = 1000 };                          /* pieces after which whoever gives one looks for those that have ended */
enum { BASE_TRIES = 10, BASE_SPREAD = 50000 }; /* nanoseconds that are good enough */
#define BASE_AGE UINT64_C(1000000000)          /* nanoseconds; the driver's distances are single-precision milliseconds, and clocks drift */

static struct device devices[WL_MAX_DEVICES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
    for (unsigned i = 0; i < WL_MAX_DEVICES; i++) {
        pthread_mutex_init(&devices[i].lock, NULL);
        devices[i].last = &devices[i].first;
    }
}

static struct device *device_of(const struct wl_context *context) {
    pthread_once(&once, start);
    return &devices[context->index];
}

static const struct wl_queue_ops *queues_of(const struct wl_context *context) { return context->device->ops->queues; }

/* ---- times ------------------------------------------------------------------------------------------------ */

static void release_base(const struct wl_context *context, struct base *base) {
    if (!base || --base->uses)
        return;
    queues_of(context)->mark_destroy(base->mark);
    free(base);
}

/* Places the mark, and asks until it is reached: that was within `spread` nanoseconds. */
static bool place_base(const struct device *device, const struct wl_queue_ops *queues, struct base *base, uint64_t *spread) {
    const uint64_t before = wl_now();
    enum wl_status status = queues->mark_place(base->mark, device->queue);
    while (status == WL_OK && (status = queues->mark_query(base->mark)) == WL_NOT_READY && wl_now() - before < BASE_AGE) {
        sched_yield();
        status = WL_OK;
    }
    *spread = wl_now() - before;
    base->nanoseconds = (int64_t)before;
    return status == WL_OK;
}

/* Makes a base, if there is none or it is old; only while nothing is measured from it, so that the device is not waited for. The lock is held. */
static void renew_base(struct device *device, const struct wl_context *context) {
    const struct wl_queue_ops *queues = queues_of(context);
    struct base *made = NULL;
    if (device->base && (int64_t)wl_now() - device->base->nanoseconds < (int64_t)BASE_AGE)
        return;
    if (!device->queue && queues->create(context->device, false, true, 0, &device->queue) != WL_OK)
        device->queue = NULL;
    if (!device->queue || !(made = calloc(1, sizeof *made)) || queues->mark_create(context->device, true, &made->mark) != WL_OK) {
        free(made);
        return;
    }
    bool reached = false;
    uint64_t spread = UINT64_MAX;
    for (unsigned tries = 0; tries < BASE_TRIES && (!reached || spread > BASE_SPREAD); tries++)
        reached = place_base(device, queues, made, &spread);
    if (!reached) {
        queues->mark_destroy(made->mark);
        free(made);
        return;
    }
    made->uses = 1;
    release_base(context, device->base);
    device->base = made;
}

/* Reads how far both ends are from the base, and what that says of the base's own time: the device did not begin before it was asked. So times only
 * move to later ones, and what is read later does not come before what was. */
static void read_times(struct wl_given *given) {
    const struct wl_queue_ops *queues = queues_of(given->context);
    struct base *base = given->base;
    double from = 0, to = 0;
    given->known = wl_now();
    given->timed = base && queues->mark_elapsed(base->mark, given->start, &from) == WL_OK &&
                   queues->mark_elapsed(base->mark, given->stop, &to) == WL_OK && from <= to;
    if (!given->timed)
        return;
    given->from = (int64_t)(from * 1e6);
    given->to = (int64_t)(to * 1e6);
    const int64_t least = (int64_t)given->asked - given->from;
    base->nanoseconds = least > base->nanoseconds ? least : base->nanoseconds;
}

/* Sets the times that are told. A device's clock that is faster than the host's makes times come later and later: an end is not later than the host's
 * knowing of it, and a begin not earlier than the end of the stream's work before. */
static void settle(struct device *device, struct wl_given *given) {
    const uint64_t base = given->timed ? (uint64_t)given->base->nanoseconds : given->asked;
    uint64_t begin = given->timed ? base + (uint64_t)given->from : base, end = given->timed ? base + (uint64_t)given->to : base;
    const unsigned place = given->stream % STREAMS;
    end = end < given->known ? end : given->known;
    if (device->ends[place].stream == given->stream && begin < device->ends[place].end)
        begin = device->ends[place].end;
    end = end > begin ? end : begin;
    device->ends[place].stream = given->stream;
    device->ends[place].end = end;
    given->span.work.begin = begin;
    given->span.work.end = end;
}

/* ---- giving ------------------------------------------------------------------------------------------------- */

static void drop(struct wl_given *given) {
    if (given->start)
        queues_of(given->context)->mark_destroy(given->start);
    if (given->stop)
        queues_of(given->context)->mark_destroy(given->stop);
    free(given);
}

static void end_all(struct device *device, const struct wl_context *context);

static struct wl_given *give(struct wl_stream *stream, enum wl_trace_kind kind, const struct wl_asker *asker) {
    const struct wl_context *context = stream->context;
    const struct wl_queue_ops *queues = queues_of(context);
    struct device *device = device_of(context);
    struct wl_given *given = calloc(1, sizeof *given);
    if (!given)
        return NULL;
    pthread_mutex_lock(&device->lock);
    if (device->count >= MANY)
        end_all(device, context);
    if (!device->count)
        renew_base(device, context);
    given->base = device->base;
    if (given->base)
        given->base->uses++;
    device->count++;
    pthread_mutex_unlock(&device->lock);
    given->context = context;
    given->queue = stream->queue;
    given->kind = kind;
    given->stream = stream->id;
    given->asker = *asker;
    given->span.wanted = atomic_load_explicit(&wl_trace_wanted.flags, memory_order_relaxed);
    if (queues->mark_create(context->device, true, &given->start) != WL_OK)
        given->start = NULL;
    if (queues->mark_create(context->device, true, &given->stop) != WL_OK)
        given->stop = NULL;
    return given;
}

/* Places the first mark, when all is known that could take time. */
static struct wl_given *begin(struct wl_given *given) {
    given->asked = wl_now();
    if (given->start)
        (void)queues_of(given->context)->mark_place(given->start, given->queue);
    return given;
}

struct wl_given *wl_record_give_launch(struct wl_stream *stream, const struct wl_launch *launch, const struct wl_loaded_kernel *kernel,
                                       const struct wl_asker *asker) {
    struct wl_given *given = give(stream, WL_TRACE_KERNEL, asker);
    if (!given)
        return NULL;
    given->name = given->span.wanted & WL_TRACE_RUN
                      ? wl_trace_name_kept((_Atomic uint32_t *)(uintptr_t)&kernel->trace_name, kernel->kernel->name)
                      : 0;
    wl_span_describe_kernel(&given->span.work, stream, kernel, launch->grid, launch->block, launch->remainder, launch->dynamic_lds);
    for (unsigned i = 0; i < 3; i++)
        given->grid[i] = launch->grid[i];
    return begin(given);
}

struct wl_given *wl_record_give_copy(struct wl_stream *stream, const struct wl_copy *copy, const struct wl_asker *asker) {
    struct wl_given *given = give(stream, WL_TRACE_COPY, asker);
    if (!given)
        return NULL;
    wl_span_describe_copy(&given->span.work, stream, copy);
    return begin(given);
}

struct wl_given *wl_record_give_fill(struct wl_stream *stream, const struct wl_fill *fill, const struct wl_asker *asker) {
    struct wl_given *given = give(stream, WL_TRACE_FILL, asker);
    if (!given)
        return NULL;
    given->span.work.bytes = wl_span_fill_bytes(fill);
    return begin(given);
}

void wl_record_given(struct wl_given *given, enum wl_status status) {
    if (!given)
        return;
    struct device *device = device_of(given->context);
    const bool placed =
        status == WL_OK && given->start && given->stop && queues_of(given->context)->mark_place(given->stop, given->queue) == WL_OK;
    pthread_mutex_lock(&device->lock);
    if (placed) {
        *device->last = given;
        device->last = &given->next;
    } else {
        device->count--;
        release_base(given->context, given->base);
    }
    pthread_mutex_unlock(&device->lock);
    if (!placed)
        drop(given);
}

/* ---- the end ------------------------------------------------------------------------------------------------ */

static void record(struct wl_given *given) {
    if (given->span.wanted & WL_TRACE_RUN && wl_trace_runs()) {
        given->span.begin = wl_trace_at(given->span.work.begin);
        given->span.end = wl_trace_at(given->span.work.end);
        struct wl_trace_record *record = wl_span_take(&given->span, given->context, given->stream, &given->asker);
        if (record && given->kind == WL_TRACE_KERNEL) {
            record->name = given->name;
            record->detail = 0;
            record->kernel.threads = 0;
            record->kernel.busy = 0;
            for (int i = 0; i < 3; i++) {
                record->kernel.grid[i] = given->grid[i];
                record->kernel.block[i] = (uint16_t)given->span.work.block[i];
            }
        }
        if (record)
            wl_trace_put(record, given->kind);
    }
    wl_span_tell(&given->span, given->kind, given->context, given->stream, &given->asker);
}

/* Takes what has ended from the list; the lock is held. What a stream does later may have ended by the time it is asked about: it stays as long as
 * what is before it. */
static struct wl_given *take_ended(struct device *device, const struct wl_context *context) {
    struct wl_given *ended = NULL, **last = &ended;
    bool stays[STREAMS] = {false};
    for (struct wl_given **place = &device->first; *place;) {
        struct wl_given *given = *place;
        bool *stream_stays = &stays[given->stream % STREAMS];
        if (*stream_stays || queues_of(context)->mark_query(given->stop) == WL_NOT_READY) {
            *stream_stays = true;
            place = &given->next;
            continue;
        }
        *place = given->next;
        given->next = NULL;
        *last = given;
        last = &given->next;
        device->count--;
    }
    device->last = &device->first;
    while (*device->last)
        device->last = &(*device->last)->next;
    return ended;
}

/* The lock is held, but not while tracers are told, who may call HIP. */
static void end_all(struct device *device, const struct wl_context *context) {
    struct wl_given *ended = take_ended(device, context);
    for (struct wl_given *each = ended; each; each = each->next)
        read_times(each);
    for (struct wl_given *each = ended; each; each = each->next)
        settle(device, each);
    pthread_mutex_unlock(&device->lock);
    for (struct wl_given *each = ended; each; each = each->next)
        record(each);
    pthread_mutex_lock(&device->lock);
    while (ended) {
        struct wl_given *next = ended->next;
        release_base(context, ended->base);
        drop(ended);
        ended = next;
    }
}

void wl_record_ended(const struct wl_context *context) {
    struct device *device = device_of(context);
    pthread_mutex_lock(&device->lock);
    if (device->first)
        end_all(device, context);
    pthread_mutex_unlock(&device->lock);
}
