/* Commands: their points, and the kinds of general use (copy, fill, host function). */
#include "base/assert.h"
#include "base/options.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/link.h"
#include "runtime/order.h"
#include "runtime/record.h"
#include "runtime/stream.h"
#include "runtime/stream_internal.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"
#include "sanitize/hooks.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* ---- commands ------------------------------------------------------------------------------- */

void *wl_command_new(size_t size, enum wl_status (*run)(struct wl_command *, struct wl_stream *), void (*dispose)(struct wl_command *)) {
    struct wl_command *command = calloc(1, size);
    if (!command) {
        wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a command of %zu bytes", size);
        return NULL;
    }
    command->run = run;
    command->dispose = dispose;
    command->points = command->inline_points;
    command->point_capacity = sizeof command->inline_points / sizeof command->inline_points[0];
    return command;
}

void wl_command_free(struct wl_command *command) {
    wl_assert(command->point_count <= command->point_capacity);
    for (unsigned i = 0; i < command->point_count; i++)
        wl_stream_release(command->points[i].stream);
    if (command->points != command->inline_points)
        free(command->points);
    if (command->dispose)
        command->dispose(command);
    if (command->home)
        wl_stream_keep(command->home, command);
    else
        free(command);
}

enum wl_status wl_command_wait_for(struct wl_command *command, struct wl_stream *stream, uint64_t sequence) {
    if (wl_stream_has_finished(stream, sequence, false) && !(sequence && wl_order_is_watched()))
        return WL_OK;
    if (command->point_count == command->point_capacity) {
        unsigned capacity = command->point_capacity * 2;
        struct wl_point *points = malloc(capacity * sizeof *points);
        if (!points)
            return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %u dependencies", capacity);
        memcpy(points, command->points, command->point_count * sizeof *points);
        if (command->points != command->inline_points)
            free(command->points);
        command->points = points;
        command->point_capacity = capacity;
    }
    wl_stream_retain(stream);
    command->points[command->point_count++] = (struct wl_point){stream, sequence};
    return WL_OK;
}

static enum wl_status submit(struct wl_stream *stream, struct wl_command *command, bool wait) {
    return wait ? wl_stream_execute(stream, command) : wl_stream_enqueue(stream, command, NULL);
}

/* ---- copies --------------------------------------------------------------------------------- */

struct copy_command {
    struct wl_command base;
    struct wl_copy copy;
    _Alignas(16) unsigned char staged[];
};

/* Gives a copy to the stream's queue. Slices that follow each other like rows are rows. */
static enum wl_status give_copy(struct wl_stream *stream, const struct wl_copy *copy) {
    enum wl_status status = WL_OK;
    const bool even = copy->target_slice == copy->rows * copy->target_pitch && copy->source_slice == copy->rows * copy->source_pitch;
    const size_t slices = even ? 1 : copy->slices, all = even ? copy->slices : 1;
    for (size_t slice = 0; slice < slices && status == WL_OK; slice++) {
        struct wl_rows rows = {.target = (char *)copy->target + slice * copy->target_slice,
                               .source = (const char *)copy->source + slice * copy->source_slice,
                               .width = copy->width,
                               .rows = copy->rows * all,
                               .target_pitch = copy->target_pitch,
                               .source_pitch = copy->source_pitch};
        status = stream->context->device->ops->queues->copy(stream->queue, &rows);
    }
    return status;
}

static enum wl_status copy_rows(struct wl_stream *stream, const struct wl_copy *copy) {
    struct wl_device *device = (copy->via ? copy->via : stream->context)->device;
    bool dense = copy->rows == 1 || (copy->target_pitch == copy->width && copy->source_pitch == copy->width);
    size_t rows = dense ? 1 : copy->rows, width = dense ? copy->width * copy->rows : copy->width;
    for (size_t slice = 0; slice < copy->slices; slice++)
        for (size_t row = 0; row < rows; row++) {
            char *target = (char *)copy->target + slice * copy->target_slice + row * copy->target_pitch;
            const char *source = (const char *)copy->source + slice * copy->source_slice + row * copy->source_pitch;
            wl_san_host_access(wl_san_line, WL_SANITIZE_LOAD, (uint64_t)(uintptr_t)source, width, "hipMemcpy");
            wl_san_host_access(wl_san_line, WL_SANITIZE_STORE, (uint64_t)(uintptr_t)target, width, "hipMemcpy");
            wl_san_copied((uint64_t)(uintptr_t)target, (uint64_t)(uintptr_t)source, width, "hipMemcpy", copy->call_stack);
            enum wl_status status = device->ops->copy(device, target, source, width);
            if (status != WL_OK)
                return status;
        }
    return WL_OK;
}

enum wl_status wl_copy_run(struct wl_stream *stream, const struct wl_copy *copy) {
    if (wl_options()->link_bandwidth == 0)
        return copy_rows(stream, copy);
    const uint64_t arrival = wl_link_send(copy);
    const enum wl_status status = copy_rows(stream, copy);
    wl_link_arrive(arrival);
    return status;
}

static enum wl_status run_copy(struct wl_command *command, struct wl_stream *stream) {
    const struct wl_copy *copy = &((struct copy_command *)command)->copy;
    if (command->asker.recorded && !command->gives)
        return wl_record_copy(stream, copy, &command->asker);
    if (!command->gives)
        return wl_copy_run(stream, copy);
    struct wl_given *given = command->asker.recorded ? wl_record_give_copy(stream, copy, &command->asker) : NULL;
    const enum wl_status status = give_copy(stream, copy);
    wl_record_given(given, status);
    return status;
}

/* Packs the source densely behind the command. */
static enum wl_status stage(struct wl_device *device, struct copy_command *command) {
    struct wl_copy *copy = &command->copy;
    unsigned char *to = command->staged;
    for (size_t slice = 0; slice < copy->slices; slice++)
        for (size_t row = 0; row < copy->rows; row++, to += copy->width) {
            const char *from = (const char *)copy->source + slice * copy->source_slice + row * copy->source_pitch;
            enum wl_status status = WL_OK;
            if (device->ops->queues) /* no business of the device's; the caller has looked whether it is there */
                memcpy(to, from, copy->width);
            else
                status = device->ops->copy(device, to, from, copy->width);
            if (status != WL_OK)
                return status;
        }
    copy->source = command->staged;
    copy->source_pitch = copy->width;
    copy->source_slice = copy->width * copy->rows;
    return WL_OK;
}

enum wl_status wl_command_copy(struct wl_stream *stream, const struct wl_copy *copy, bool wait) {
    if (!wait && wl_capture_active(stream))
        return wl_capture_copy(stream, copy);
    bool staged = copy->stage && !wait;
    size_t extra = staged ? copy->width * copy->rows * copy->slices : 0;
    struct copy_command *command = wl_command_new(sizeof *command + extra, run_copy, NULL);
    if (!command)
        return WL_OUT_OF_MEMORY;
    command->copy = *copy;
    if (wl_trace_on())
        command->base.asker = wl_record_asked_copy(stream, copy);
    if (wl_san_tools() & WL_SANITIZE_INITCHECK)
        command->copy.call_stack = wl_san_stack();
    command->base.gives = stream->queue && !copy->via;
    enum wl_status status = staged ? stage((copy->via ? copy->via : stream->context)->device, command) : WL_OK;
    for (int i = 0; i < 2 && status == WL_OK; i++)
        if (copy->also[i])
            status = wl_command_wait_for_null(&command->base, copy->also[i]);
    if (status != WL_OK) {
        wl_command_free(&command->base);
        return status;
    }
    return submit(stream, &command->base, wait);
}

/* ---- fills ---------------------------------------------------------------------------------- */

struct fill_command {
    struct wl_command base;
    struct wl_fill fill;
};

enum wl_status wl_fill_run(struct wl_stream *stream, const struct wl_fill *fill) {
    struct wl_device *device = (fill->via ? fill->via : stream->context)->device;
    for (size_t slice = 0; slice < fill->slices; slice++)
        for (size_t row = 0; row < fill->rows; row++) {
            char *target = (char *)fill->target + slice * fill->slice + row * fill->pitch;
            wl_san_host_access(wl_san_line, WL_SANITIZE_STORE, (uint64_t)(uintptr_t)target, fill->width * fill->pattern_size, "hipMemset");
            wl_san_filled((uint64_t)(uintptr_t)target, fill->width * fill->pattern_size);
            enum wl_status status = stream->queue && !fill->via
                                        ? device->ops->queues->fill(stream->queue, target, fill->pattern, fill->pattern_size, fill->width)
                                        : device->ops->fill(device, target, fill->pattern, fill->pattern_size, fill->width);
            if (status != WL_OK)
                return status;
        }
    return WL_OK;
}

static enum wl_status run_fill(struct wl_command *command, struct wl_stream *stream) {
    const struct wl_fill *fill = &((struct fill_command *)command)->fill;
    if (command->asker.recorded && !stream->queue)
        return wl_record_fill(stream, fill, &command->asker);
    struct wl_given *given = command->asker.recorded && command->gives ? wl_record_give_fill(stream, fill, &command->asker) : NULL;
    const enum wl_status status = wl_fill_run(stream, fill);
    wl_record_given(given, status);
    return status;
}

enum wl_status wl_command_fill(struct wl_stream *stream, const struct wl_fill *fill, bool wait) {
    if (!wait && wl_capture_active(stream))
        return wl_capture_fill(stream, fill);
    struct fill_command *command = wl_command_new(sizeof *command, run_fill, NULL);
    if (!command)
        return WL_OUT_OF_MEMORY;
    command->fill = *fill;
    if (wl_trace_on())
        command->base.asker = wl_record_asked_fill();
    command->base.gives = !fill->via;
    return submit(stream, &command->base, wait);
}

/* ---- prefetching ------------------------------------------------------------------------------ */

struct prefetch_command {
    struct wl_command base;
    const void *memory;
    size_t size;
    const struct wl_device *place;
};

static enum wl_status run_prefetch(struct wl_command *command, struct wl_stream *stream) {
    const struct prefetch_command *prefetch = (const struct prefetch_command *)command;
    return stream->context->device->ops->queues->prefetch(stream->queue, prefetch->memory, prefetch->size, prefetch->place);
}

enum wl_status wl_command_prefetch(struct wl_stream *stream, const void *memory, size_t size, int location) {
    const struct wl_device *own = stream->context->device;
    const struct wl_context *context = location >= 0 ? wl_context_at((unsigned)location) : NULL;
    struct prefetch_command *command = wl_command_new(sizeof *command, run_prefetch, NULL);
    if (!command)
        return WL_OUT_OF_MEMORY;
    command->memory = memory;
    command->size = size;
    command->place = context && context->device->ops == own->ops ? context->device : NULL;
    command->base.gives = true;
    return wl_stream_enqueue(stream, &command->base, NULL);
}

/* ---- host functions ------------------------------------------------------------------------- */

struct host_command {
    struct wl_command base;
    void (*function)(void *argument, enum wl_status fault);
    void *argument;
};

static enum wl_status run_host(struct wl_command *command, struct wl_stream *stream) {
    struct host_command *host = (struct host_command *)command;
    host->function(host->argument, wl_context_fault(stream->context));
    return WL_OK;
}

enum wl_status wl_command_host(struct wl_stream *stream, void (*function)(void *argument, enum wl_status fault), void *argument,
                               bool always) {
    struct host_command *command = wl_command_new(sizeof *command, run_host, NULL);
    if (!command)
        return WL_OUT_OF_MEMORY;
    command->function = function;
    command->argument = argument;
    command->base.always = always;
    return wl_stream_enqueue(stream, &command->base, NULL);
}
