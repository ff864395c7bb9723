/* Events and their records. A record is shared by the event, and by the command that will stamp it, so that an event may
 * be recorded again, or destroyed, while an earlier record is still queued. Recording in a stream that has nothing to do
 * needs no command: the event keeps the time itself.
 *
 * An interprocess event has two counters in memory that processes share: records begun and records reached. Waiting for it
 * means waiting for the second to come up to what the first is now. */
#include "runtime/event.h"
#include "base/assert.h"
#include "base/clock.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/order.h"
#include "runtime/pool.h"
#include "runtime/record.h"
#include "runtime/stream.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct wl_record {
    atomic_uint references;
    _Atomic uint64_t time;       /* 0: not reached, or known only to `mark` */
    struct wl_device_mark *mark; /* in a queue of the device; NULL: the host keeps the time */
    atomic_bool placed;          /* the mark is there */
    bool foreign;                /* whoever placed it, it was no command of `stream` */
    struct wl_stream *stream;    /* referenced */
    _Atomic uint64_t sequence;   /* of the record's command */
    struct wl_context *context;
};

struct shared { /* one page, in all processes that have the event */
    _Atomic uint64_t begun;
    _Atomic uint32_t reached; /* futex; the low half of a count that is never 2^31 behind `begun` */
};

struct interprocess {
    atomic_uint references;
    struct shared *shared;
    int file;
};

struct wl_event {
    unsigned flags;
    struct wl_context *owner; /* where it may be recorded; NULL: anywhere */
    void *native;             /* the driver's event of `home` that this one stands for; NULL: none */
    struct wl_context *home;
    pthread_mutex_t lock;       /* guards what follows */
    struct wl_record *record;   /* the latest, if it was queued */
    uint64_t time;              /* of the latest, if it was not; 0: never recorded */
    struct wl_context *context; /* of `time` */
    struct interprocess *interprocess;
    struct wl_captured captured; /* the latest record, if it was captured */
    bool beside;                 /* the latest record was in another stream than the null stream */
};

static void record_release(struct wl_record *record) {
    const unsigned before = record ? atomic_fetch_sub(&record->references, 1) : 0;
    wl_assert(!record || before > 0);
    if (before != 1)
        return;
    if (record->mark)
        record->context->device->ops->queues->mark_destroy(record->mark);
    wl_stream_release(record->stream);
    free(record);
}

/* What the latest record is. `record`, if not NULL, is referenced. */
struct latest {
    struct wl_record *record;
    uint64_t time; /* 0: not reached, or never recorded */
    struct wl_context *context;
    bool captured;
};

static struct latest latest(struct wl_event *event) {
    pthread_mutex_lock(&event->lock);
    struct latest result = {event->record, event->time, event->context, wl_captured_is_open(&event->captured)};
    if (result.record) {
        atomic_fetch_add(&result.record->references, 1);
        result.time = atomic_load(&result.record->time);
        result.context = result.record->context;
    }
    pthread_mutex_unlock(&event->lock);
    return result;
}

static const struct wl_queue_ops *queues_of(const struct wl_record *record) { return record->context->device->ops->queues; }

/* WL_OK: reached, or never recorded; WL_NOT_READY; the fault of a device that has the record in a queue. */
static enum wl_status ask(const struct latest *last) {
    if (!last->record || last->time)
        return WL_OK;
    if (!last->record->mark || !atomic_load(&last->record->placed))
        return WL_NOT_READY;
    return wl_stream_given(last->record->stream, queues_of(last->record)->mark_query(last->record->mark));
}

/* ---- life ----------------------------------------------------------------------------------- */

static void interprocess_release(struct interprocess *interprocess) {
    if (!interprocess || atomic_fetch_sub(&interprocess->references, 1) != 1)
        return;
    munmap(interprocess->shared, sizeof *interprocess->shared);
    close(interprocess->file);
    free(interprocess);
}

/* Takes over the file. */
static enum wl_status interprocess_map(int file, struct interprocess **result) {
    struct interprocess *made = calloc(1, sizeof *made);
    void *shared = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (!made || shared == MAP_FAILED) {
        free(made);
        if (file >= 0)
            close(file);
        return wl_fail(WL_OUT_OF_MEMORY, "no shared memory for an interprocess event");
    }
    made->shared = shared;
    made->file = file;
    atomic_init(&made->references, 1);
    *result = made;
    return WL_OK;
}

/* Takes over `interprocess`, which may be NULL. */
static enum wl_status make(struct wl_context *owner, unsigned flags, struct interprocess *interprocess, struct wl_event **event) {
    struct wl_event *made = calloc(1, sizeof *made);
    enum wl_status status = made ? wl_handle_add(made, WL_HANDLE_EVENT) : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an event");
    if (status != WL_OK) {
        free(made);
        interprocess_release(interprocess);
        return status;
    }
    made->owner = owner;
    made->flags = flags;
    made->interprocess = interprocess;
    pthread_mutex_init(&made->lock, NULL);
    *event = made;
    return WL_OK;
}

enum wl_status wl_event_create(struct wl_context *owner, unsigned flags, struct wl_event **event) {
    struct interprocess *interprocess = NULL;
    if (flags & WL_EVENT_INTERPROCESS) {
        int file = memfd_create("wavelift-event", MFD_CLOEXEC);
        if (file >= 0 && ftruncate(file, sizeof(struct shared)) != 0) {
            close(file);
            file = -1;
        }
        enum wl_status status = interprocess_map(file, &interprocess);
        if (status != WL_OK)
            return status;
    }
    return make(owner, flags, interprocess, event);
}

void wl_event_destroy(struct wl_event *event) {
    wl_handle_remove(event);
    record_release(event->record);
    interprocess_release(event->interprocess);
    wl_captured_clear(&event->captured);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

unsigned wl_event_flags(const struct wl_event *event) { return event->flags; }

struct wl_context *wl_event_owner(const struct wl_event *event) { return event->owner; }

/* ---- between processes ----------------------------------------------------------------------- */

static const char magic[8] = "WLevent";

struct description {
    char magic[8];
    uint32_t process;
    int32_t file;
    uint64_t device, inode;
};

enum wl_status wl_event_export(struct wl_event *event, void *handle, size_t size) {
    struct stat info;
    if (!event->interprocess)
        return wl_fail(WL_INVALID_VALUE, "the event was not made for several processes");
    if (fstat(event->interprocess->file, &info) != 0)
        return wl_fail(WL_INTERNAL, "no information about an event's shared memory");
    struct description description = {
        .process = (uint32_t)getpid(), .file = event->interprocess->file, .device = info.st_dev, .inode = info.st_ino};
    memcpy(description.magic, magic, sizeof magic);
    memset(handle, 0, size);
    memcpy(handle, &description, sizeof description);
    return WL_OK;
}

enum wl_status wl_event_import(struct wl_context *owner, const void *handle, struct wl_event **event) {
    struct description description;
    char path[64];
    struct stat info;
    memcpy(&description, handle, sizeof description);
    if (memcmp(description.magic, magic, sizeof magic) != 0)
        return wl_fail(WL_INVALID_VALUE, "not the handle of an interprocess event");
    if (description.process == (uint32_t)getpid())
        return wl_fail(WL_ILLEGAL_STATE, "the event belongs to this process");
    snprintf(path, sizeof path, "/proc/%u/fd/%d", description.process, description.file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0 || info.st_dev != description.device || info.st_ino != description.inode) {
        if (file >= 0)
            close(file);
        return wl_fail(WL_INVALID_VALUE, "the event of process %u does not exist any more", description.process);
    }
    struct interprocess *interprocess = NULL;
    enum wl_status status = interprocess_map(file, &interprocess);
    return status == WL_OK ? make(owner, WL_EVENT_NO_TIMING | WL_EVENT_INTERPROCESS, interprocess, event) : status;
}

/* `sequence` is the low half of a count. */
static bool shared_reached(const struct shared *shared, uint32_t sequence) {
    return (int32_t)(atomic_load(&shared->reached) - sequence) >= 0;
}

struct interprocess_command {
    struct wl_command base;
    struct interprocess *interprocess; /* referenced */
    uint32_t sequence;
};

static void dispose_interprocess(struct wl_command *command) {
    interprocess_release(((struct interprocess_command *)command)->interprocess);
}

/* Records run in the order of their streams, so a later one may be reached first; it stands for the earlier ones too. */
static enum wl_status run_reached(struct wl_command *command, struct wl_stream *stream) {
    const struct interprocess_command *reached = (const struct interprocess_command *)command;
    struct shared *shared = reached->interprocess->shared;
    uint32_t before = atomic_load(&shared->reached);
    (void)stream;
    while ((int32_t)(before - reached->sequence) < 0 && !atomic_compare_exchange_weak(&shared->reached, &before, reached->sequence))
        ;
    syscall(SYS_futex, &shared->reached, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    return WL_OK;
}

static enum wl_status run_nothing(struct wl_command *command, struct wl_stream *stream) {
    (void)command;
    (void)stream;
    return WL_OK;
}

static bool ready_interprocess(struct wl_command *command) {
    const struct interprocess_command *wait = (const struct interprocess_command *)command;
    return shared_reached(wait->interprocess->shared, wait->sequence);
}

/* The latest record of any process so far. */
static uint32_t latest_interprocess(const struct interprocess *interprocess) { return (uint32_t)atomic_load(&interprocess->shared->begun); }

static enum wl_status queue_interprocess(struct wl_event *event, struct wl_stream *stream, bool record) {
    struct interprocess_command *command = wl_command_new(sizeof *command, record ? run_reached : run_nothing, dispose_interprocess);
    if (!command)
        return WL_OUT_OF_MEMORY;
    struct interprocess *interprocess = event->interprocess;
    atomic_fetch_add(&interprocess->references, 1);
    command->interprocess = interprocess;
    command->base.always = true;
    command->base.ready = record ? NULL : ready_interprocess;
    command->sequence = record ? (uint32_t)atomic_fetch_add(&interprocess->shared->begun, 1) + 1 : latest_interprocess(interprocess);
    if (!record && shared_reached(interprocess->shared, command->sequence)) {
        wl_command_free(&command->base);
        return WL_OK;
    }
    return wl_stream_enqueue(stream, &command->base, NULL);
}

static void wait_interprocess(struct interprocess *interprocess, uint32_t sequence) {
    struct shared *shared = interprocess->shared;
    while (!shared_reached(shared, sequence)) {
        uint32_t seen = atomic_load(&shared->reached);
        struct timespec timeout = {0, 50000000}; /* the other process may have died: its streams are nobody's to run */
        if (!shared_reached(shared, sequence))
            syscall(SYS_futex, &shared->reached, FUTEX_WAIT, seen, &timeout, NULL, 0);
    }
}

/* ---- recording ------------------------------------------------------------------------------- */

struct record_command {
    struct wl_command base;
    struct wl_record *record;
};

static enum wl_status run_record(struct wl_command *command, struct wl_stream *stream) {
    struct wl_record *record = ((struct record_command *)command)->record;
    if (record->mark) {
        enum wl_status status = queues_of(record)->mark_place(record->mark, stream->queue);
        atomic_store(&record->placed, status == WL_OK);
        if (status != WL_OK) /* the device will never say */
            atomic_store(&record->time, wl_now());
        return status;
    }
    atomic_store(&((struct record_command *)command)->record->time, wl_now());
    return WL_OK;
}

static void dispose_record(struct wl_command *command) { record_release(((struct record_command *)command)->record); }

/* Makes `record`, or if that is NULL the time, the latest record. */
static void replace(struct wl_event *event, struct wl_record *record, uint64_t time, struct wl_context *context) {
    pthread_mutex_lock(&event->lock);
    struct wl_record *before = event->record;
    event->record = record;
    event->time = time;
    event->context = context;
    if (event->captured.capture)
        wl_captured_clear(&event->captured);
    pthread_mutex_unlock(&event->lock);
    record_release(before);
}

static enum wl_status queue_record(struct wl_event *event, struct wl_stream *stream) {
    struct wl_record *record = calloc(1, sizeof *record);
    struct record_command *command = record ? wl_command_new(sizeof *command, run_record, dispose_record) : NULL;
    if (!command) {
        free(record);
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an event record");
    }
    atomic_init(&record->references, 2); /* the command, the event */
    wl_stream_retain(stream);
    record->stream = stream;
    record->context = stream->context;
    command->record = record;
    command->base.always = true;
    command->base.gives = true;
    if (stream->queue) {
        bool timing = !(event->flags & WL_EVENT_NO_TIMING);
        struct wl_device *device = stream->context->device;
        enum wl_status made = event->native ? device->ops->native->adopt_mark(device, event->native, &record->mark)
                                            : queues_of(record)->mark_create(device, timing, &record->mark);
        if (made != WL_OK) {
            record_release(record);
            wl_command_free(&command->base); /* releases the record once more */
            return made;
        }
    }
    uint64_t sequence = 0;
    atomic_fetch_add(&record->references, 1);
    enum wl_status status = wl_stream_enqueue(stream, &command->base, &sequence);
    if (status != WL_OK) {
        record_release(record);
        record_release(record);
        return status;
    }
    atomic_store(&record->sequence, sequence);
    replace(event, record, 0, NULL);
    record_release(record);
    return WL_OK;
}

enum wl_status wl_event_record(struct wl_event *event, struct wl_stream *stream) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&event->lock);
    bool captured = wl_capture_active(stream);
    event->beside = stream != stream->context->null_stream;
    if (captured)
        status = wl_capture_record(stream, &event->captured);
    pthread_mutex_unlock(&event->lock);
    if (captured)
        return status;
    if (event->interprocess) {
        status = queue_interprocess(event, stream, true);
        return status == WL_OK ? queue_record(event, stream) : status; /* the record is for those who can help its stream */
    }
    if (event->native && event->home != stream->context)
        return wl_fail(WL_INVALID_VALUE, "the driver's event is of another device than the stream");
    if (event->native || !wl_stream_is_free(stream) || wl_order_is_watched())
        return queue_record(event, stream);
    replace(event, NULL, wl_now(), stream->context);
    return WL_OK;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* In the device, where both streams have queues. */
static enum wl_status run_follow(struct wl_command *command, struct wl_stream *stream) {
    const struct wl_record *record = ((const struct record_command *)command)->record;
    return atomic_load(&record->placed) ? queues_of(record)->mark_wait(record->mark, stream->queue) : WL_OK;
}

static enum wl_status run_await(struct wl_command *command, struct wl_stream *stream) {
    const struct wl_record *record = ((const struct record_command *)command)->record;
    (void)stream;
    return queues_of(record)->mark_synchronize(record->mark);
}

static enum wl_status wait_for_record(struct wl_record *record, struct wl_stream *stream) {
    uint64_t sequence = atomic_load(&record->sequence);
    if (!record->foreign && (!record->mark || !stream->queue))
        return wl_stream_wait_for(stream, record->stream, sequence);
    struct record_command *command = wl_command_new(sizeof *command, stream->queue ? run_follow : run_await, dispose_record);
    if (!command)
        return WL_OUT_OF_MEMORY;
    atomic_fetch_add(&record->references, 1);
    command->record = record;
    if (record->foreign) {
        command->base.gives = stream->queue != NULL;
        return wl_stream_enqueue(stream, &command->base, NULL);
    }
    command->base.follows = true;
    return wl_stream_wait_by(stream, &command->base, record->stream, sequence);
}

enum wl_status wl_event_wait(struct wl_event *event, struct wl_stream *stream) {
    pthread_mutex_lock(&event->lock);
    bool captured = wl_captured_is_open(&event->captured);
    enum wl_status status = captured ? wl_capture_wait(stream, &event->captured) : WL_OK;
    pthread_mutex_unlock(&event->lock);
    if (captured)
        return status;
    if (event->interprocess)
        return queue_interprocess(event, stream, false);
    struct latest last = latest(event);
    if (last.record && (!last.time || wl_order_is_watched()) && (last.record->foreign || last.record->stream != stream))
        status = wait_for_record(last.record, stream);
    record_release(last.record);
    return status;
}

/* A captured record spoils the capture if it is open. */
static enum wl_status touch(struct wl_event *event) {
    pthread_mutex_lock(&event->lock);
    enum wl_status status = wl_captured_touch(&event->captured);
    pthread_mutex_unlock(&event->lock);
    return status;
}

/* The stream of the latest record, if that was queued; it is the record's. */
static struct wl_stream *stream_of(const struct latest *last) {
    return last->record && !last->record->foreign ? last->record->stream : NULL;
}

enum wl_status wl_event_may_synchronize(struct wl_event *event) {
    enum wl_status status = touch(event);
    struct latest last = latest(event);
    pthread_mutex_lock(&event->lock);
    bool beside = event->beside;
    pthread_mutex_unlock(&event->lock);
    if (status == WL_OK && last.context && beside)
        status = wl_capture_may_wait(stream_of(&last));
    record_release(last.record);
    return status;
}

enum wl_status wl_event_may_wait(struct wl_event *event) {
    struct latest last = latest(event);
    struct wl_stream *stream = last.captured ? NULL : stream_of(&last);
    enum wl_status status = stream && wl_capture_active(stream)
                                ? wl_fail(WL_CAPTURE_ISOLATION, "the event's stream is capturing, and recorded the event before")
                                : WL_OK;
    record_release(last.record);
    return status;
}

enum wl_status wl_event_query(struct wl_event *event) {
    enum wl_status touched = touch(event);
    if (touched == WL_CAPTURED_EVENT)
        return touched;
    if (event->interprocess) {
        const struct interprocess *interprocess = event->interprocess;
        return shared_reached(interprocess->shared, latest_interprocess(interprocess)) ? WL_OK : WL_NOT_READY;
    }
    struct latest last = latest(event);
    enum wl_status status = ask(&last);
    if (status == WL_OK && last.context)
        status = wl_context_fault(last.context);
    if (last.record && status == WL_OK)
        wl_stream_observe(last.record->stream, atomic_load(&last.record->sequence));
    record_release(last.record);
    return status;
}

static enum wl_status wait_until_reached(struct wl_record *record, uint64_t sequence) {
    if (!record->mark)
        return wl_stream_wait(record->stream, sequence);
    wl_stream_wait_given(record->stream, sequence);
    if (!atomic_load(&record->placed))
        return WL_OK;
    return wl_stream_given(record->stream, queues_of(record)->mark_synchronize(record->mark));
}

enum wl_status wl_event_synchronize(struct wl_event *event) {
    /* Taken before any waiting: what others record meanwhile is not waited for. */
    uint32_t interprocess_sequence = event->interprocess ? latest_interprocess(event->interprocess) : 0;
    struct latest last = latest(event);
    enum wl_status status = last.context ? wl_context_fault(last.context) : WL_OK;
    if (last.record) {
        uint64_t sequence = atomic_load(&last.record->sequence);
        status = wl_stream_may_wait(last.record->stream, sequence);
        if (status == WL_OK) {
            status = wait_until_reached(last.record, sequence);
            if (status == WL_OK)
                wl_stream_observe(last.record->stream, sequence);
            if (wl_trace_on() && last.record->stream->queue)
                wl_record_ended(last.record->context);
            if (wl_context_fault(last.record->context) != WL_OK)
                status = wl_context_fault(last.record->context);
        }
    }
    if (event->interprocess)
        wait_interprocess(event->interprocess, interprocess_sequence);
    wl_mempool_synchronized();
    record_release(last.record);
    return status;
}

/* The device knows the time. */
static bool has_mark(const struct latest *last) {
    return last->record && last->record->mark && !last->time && atomic_load(&last->record->placed);
}

enum wl_status wl_event_elapsed(struct wl_event *start, struct wl_event *stop, double *milliseconds) {
    if ((start->flags | stop->flags) & WL_EVENT_NO_TIMING)
        return wl_fail(WL_INVALID_VALUE, "an event without timing has no elapsed time");
    struct latest first = latest(start), second = latest(stop);
    enum wl_status status = WL_OK;
    if (first.captured || second.captured)
        status = wl_fail(WL_CAPTURED_EVENT, "an event was recorded in a capturing stream");
    else if ((!first.record && !first.time) || (!second.record && !second.time))
        status = wl_fail(WL_INVALID_VALUE, "an event was never recorded");
    else if (has_mark(&first) && has_mark(&second))
        status = queues_of(first.record)->mark_elapsed(first.record->mark, second.record->mark, milliseconds);
    else if ((has_mark(&first) || has_mark(&second)) && ask(&first) == WL_OK && ask(&second) == WL_OK)
        status = wl_fail(WL_INVALID_VALUE, "the events' devices have no clock in common");
    else if (!first.time || !second.time)
        status = WL_NOT_READY;
    else
        *milliseconds = ((double)second.time - (double)first.time) * 1e-6;
    if (status == WL_OK && second.record && !second.record->foreign)
        wl_order_seen(second.record->stream, atomic_load(&second.record->sequence));
    record_release(first.record);
    record_release(second.record);
    return status;
}

/* ---- the driver's events --------------------------------------------------------------------- */

/* A record of `event` with this mark, which it takes over, as if placed by somebody else; the latest from now on. */
static enum wl_status place_foreign(struct wl_event *event, struct wl_context *context, struct wl_device_mark *mark, uint64_t time) {
    struct wl_record *record = calloc(1, sizeof *record);
    if (!record) {
        context->device->ops->queues->mark_destroy(mark);
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an event record");
    }
    wl_stream_retain(context->null_stream);
    *record = (struct wl_record){
        .references = 1, .time = time, .mark = mark, .placed = true, .foreign = true, .stream = context->null_stream, .context = context};
    replace(event, record, time, context);
    return WL_OK;
}

enum wl_status wl_event_adopt(struct wl_context *context, void *native, struct wl_event **event) {
    const struct wl_native_ops *ops = context->device->ops->native;
    struct wl_device_mark *mark = NULL;
    enum wl_status status = ops ? ops->adopt_mark(context->device, native, &mark)
                                : wl_fail(WL_UNSUPPORTED, "a %s has no events of a driver's", context->device->ops->kind);
    if (status == WL_OK && (status = make(context, 0, NULL, event)) != WL_OK)
        context->device->ops->queues->mark_destroy(mark);
    if (status != WL_OK)
        return status;
    (*event)->native = native;
    (*event)->home = context;
    status = place_foreign(*event, context, mark, 0);
    if (status != WL_OK)
        wl_event_destroy(*event);
    return status;
}

/* An event that was never recorded, or whose time the host knows, has nothing in the device: a mark that nobody places has passed. */
enum wl_status wl_event_native(struct wl_event *event, struct wl_context *context, void **native) {
    struct latest last = latest(event);
    if (last.context)
        context = last.context;
    const struct wl_native_ops *ops = context->device->ops->native;
    enum wl_status status = WL_OK;
    if (last.captured)
        status = wl_fail(WL_CAPTURED_EVENT, "the event was recorded in a capturing stream");
    else if (!ops || event->interprocess)
        status = wl_fail(WL_UNSUPPORTED, "the device's driver has no such event");
    else if (!last.record || !last.record->mark) {
        struct wl_device_mark *mark = NULL;
        record_release(last.record);
        status = context->device->ops->queues->mark_create(context->device, !(event->flags & WL_EVENT_NO_TIMING), &mark);
        *native = status == WL_OK ? ops->mark(mark) : NULL;
        return status == WL_OK ? place_foreign(event, context, mark, last.time) : status;
    } else {
        wl_stream_wait_given(last.record->stream, atomic_load(&last.record->sequence));
        *native = ops->mark(last.record->mark);
    }
    record_release(last.record);
    return status;
}
