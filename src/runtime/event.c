/* Events and their records. A record is shared by the event, and by the command that will stamp it, so that an event may
 * be recorded again, or destroyed, while an earlier record is still queued. */
#include "runtime/runtime.h"

#include <stdlib.h>

struct wl_record {
    atomic_uint references;
    _Atomic uint64_t time;     /* 0: not reached */
    struct wl_stream *stream;  /* referenced */
    _Atomic uint64_t sequence; /* of the record's command */
    struct wl_context *context;
};

struct wl_event {
    unsigned flags;
    pthread_mutex_t lock;     /* guards `record` */
    struct wl_record *record; /* the latest; NULL: never recorded */
};

static void record_release(struct wl_record *record) {
    if (!record || atomic_fetch_sub(&record->references, 1) != 1)
        return;
    wl_stream_release(record->stream);
    free(record);
}

static struct wl_record *latest(struct wl_event *event) {
    pthread_mutex_lock(&event->lock);
    struct wl_record *record = event->record;
    if (record)
        atomic_fetch_add(&record->references, 1);
    pthread_mutex_unlock(&event->lock);
    return record;
}

enum wl_status wl_event_create(unsigned flags, struct wl_event **event) {
    struct wl_event *made = calloc(1, sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an event");
    made->flags = flags;
    pthread_mutex_init(&made->lock, NULL);
    enum wl_status status = wl_handle_add(made, WL_HANDLE_EVENT);
    if (status != WL_OK)
        free(made);
    else
        *event = made;
    return status;
}

void wl_event_destroy(struct wl_event *event) {
    wl_handle_remove(event);
    record_release(event->record);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

unsigned wl_event_flags(const struct wl_event *event) { return event->flags; }

struct record_command {
    struct wl_command base;
    struct wl_record *record;
};

static enum wl_status run_record(struct wl_command *command, struct wl_stream *stream) {
    (void)stream;
    atomic_store(&((struct record_command *)command)->record->time, wl_now());
    return WL_OK;
}

static void dispose_record(struct wl_command *command) { record_release(((struct record_command *)command)->record); }

enum wl_status wl_event_record(struct wl_event *event, struct wl_stream *stream) {
    struct wl_record *record = calloc(1, sizeof *record);
    struct record_command *command = record ? wl_command_new(sizeof *command, run_record, dispose_record) : NULL;
    if (!command) {
        free(record);
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an event record");
    }
    atomic_init(&record->references, 3); /* the command, the event, this function */
    wl_stream_retain(stream);
    record->stream = stream;
    record->context = stream->context;
    command->record = record;
    command->base.always = true;
    uint64_t sequence = 0;
    enum wl_status status = wl_stream_enqueue(stream, &command->base, &sequence);
    if (status != WL_OK) {
        record_release(record);
        record_release(record);
        return status;
    }
    atomic_store(&record->sequence, sequence);
    pthread_mutex_lock(&event->lock);
    struct wl_record *before = event->record;
    event->record = record;
    pthread_mutex_unlock(&event->lock);
    record_release(before);
    record_release(record);
    return WL_OK;
}

static enum wl_status run_nothing(struct wl_command *command, struct wl_stream *stream) {
    (void)command;
    (void)stream;
    return WL_OK;
}

enum wl_status wl_event_wait(struct wl_event *event, struct wl_stream *stream) {
    struct wl_record *record = latest(event);
    if (!record)
        return WL_OK;
    enum wl_status status = WL_OK;
    if (!atomic_load(&record->time) && record->stream != stream) {
        struct wl_command *command = wl_command_new(sizeof *command, run_nothing, NULL);
        status = command ? wl_command_wait_for(command, record->stream, atomic_load(&record->sequence)) : WL_OUT_OF_MEMORY;
        if (status == WL_OK)
            status = wl_stream_enqueue(stream, command, NULL);
        else if (command)
            wl_command_free(command);
    }
    record_release(record);
    return status;
}

enum wl_status wl_event_query(struct wl_event *event) {
    struct wl_record *record = latest(event);
    if (!record)
        return WL_OK;
    enum wl_status status = atomic_load(&record->time) ? wl_context_fault(record->context) : WL_NOT_READY;
    record_release(record);
    return status;
}

enum wl_status wl_event_synchronize(struct wl_event *event) {
    struct wl_record *record = latest(event);
    if (!record)
        return WL_OK;
    wl_stream_wait(record->stream, atomic_load(&record->sequence));
    enum wl_status status = wl_context_fault(record->context);
    record_release(record);
    return status;
}

enum wl_status wl_event_elapsed(struct wl_event *start, struct wl_event *stop, double *milliseconds) {
    if ((start->flags | stop->flags) & WL_EVENT_NO_TIMING)
        return wl_fail(WL_INVALID_VALUE, "an event without timing has no elapsed time");
    struct wl_record *first = latest(start), *second = latest(stop);
    enum wl_status status = WL_OK;
    if (!first || !second)
        status = wl_fail(WL_INVALID_VALUE, "an event was never recorded");
    else if (!atomic_load(&first->time) || !atomic_load(&second->time))
        status = WL_NOT_READY;
    else
        *milliseconds = ((double)atomic_load(&second->time) - (double)atomic_load(&first->time)) * 1e-6;
    record_release(first);
    record_release(second);
    return status;
}
