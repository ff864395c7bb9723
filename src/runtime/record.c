#include "runtime/record.h"

#include "base/clock.h"
#include "machine/counters.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/record_span.h"
#include "trace/probe.h"

#include <string.h>

static struct wl_asker ask(void) { return (struct wl_asker){true, wl_trace_call(), wl_trace_asker(), 0}; }

struct wl_asker wl_record_asked_copy(const struct wl_stream *stream, const struct wl_copy *copy) {
    struct wl_asker asker = ask();
    if (wl_trace_tells()) {
        struct wl_trace_work work = {.kind = WL_TRACE_COPY};
        wl_span_describe_copy(&work, stream, copy);
        asker.queued = wl_trace_queued(&work);
    }
    return asker;
}

struct wl_asker wl_record_asked_fill(void) {
    struct wl_asker asker = ask();
    if (wl_trace_tells())
        asker.queued = wl_trace_queued(&(struct wl_trace_work){.kind = WL_TRACE_FILL});
    return asker;
}

void wl_span_describe_kernel(struct wl_trace_work *work, const struct wl_stream *stream, const struct wl_loaded_kernel *kernel,
                             const uint32_t grid[3], const uint32_t block[3], const uint32_t remainder[3], size_t dynamic_lds) {
    work->kind = WL_TRACE_KERNEL;
    work->device = stream->context->index;
    work->stream = stream->id;
    work->kernel = kernel->kernel->name;
    work->loaded = kernel;
    work->lds = kernel->kernel->lds_size + (uint32_t)dynamic_lds;
    work->scratch = kernel->kernel->scratch_size;
    for (unsigned i = 0; i < 3; i++) {
        work->block[i] = block[i];
        work->items[i] = grid[i] * block[i] - (remainder[i] ? block[i] - remainder[i] : 0);
    }
}

struct wl_asker wl_record_graph(uint32_t kernels, uint32_t copies) {
    struct wl_asker asker = ask();
    if (wl_trace_tells())
        asker.queued = wl_trace_queued(&(struct wl_trace_work){.kernels = kernels, .copies = copies});
    return asker;
}

struct wl_asker wl_record_queued(const struct wl_stream *stream, const struct wl_launch_request *request) {
    struct wl_asker asker = ask();
    WL_PROBE4(launch, (uintptr_t)request->kernel->kernel->name, stream->id, stream->context->index, (uintptr_t)request->grid);
    if (wl_trace_tells()) {
        struct wl_trace_work work = {0};
        wl_span_describe_kernel(&work, stream, request->kernel, request->grid, request->block, request->remainder, request->dynamic_lds);
        asker.queued = wl_trace_queued(&work);
    }
    return asker;
}

static void begin(struct wl_record_span *span) {
    *span = (struct wl_record_span){.wanted = atomic_load_explicit(&wl_trace_wanted.flags, memory_order_relaxed)};
    if (span->wanted & WL_TRACE_TELL)
        span->work.begin = wl_now();
    if (span->wanted & WL_TRACE_RUN)
        span->begin = wl_trace_now();
}

static void end(struct wl_record_span *span) {
    if (span->wanted & WL_TRACE_RUN)
        span->end = wl_trace_now();
    if (span->wanted & WL_TRACE_TELL)
        span->work.end = wl_now();
}

struct wl_trace_record *wl_span_take(const struct wl_record_span *span, const struct wl_context *context, uint64_t stream,
                                     const struct wl_asker *asker) {
    struct wl_trace_record *record = span->wanted & WL_TRACE_RUN ? wl_trace_take() : NULL;
    if (record) {
        record->begin = span->begin;
        record->end = span->end;
        record->correlation = asker->call;
        record->device = (uint16_t)context->index;
        record->stream = (uint32_t)stream;
        record->detail = span->work.detail;
        record->bytes = span->work.bytes;
    }
    return record;
}

void wl_span_tell(struct wl_record_span *span, enum wl_trace_kind kind, const struct wl_context *context, uint64_t stream,
                  const struct wl_asker *asker) {
    if (!(span->wanted & WL_TRACE_TELL))
        return;
    span->work.kind = kind;
    span->work.device = context->index;
    span->work.stream = stream;
    span->work.asker = asker->tracer;
    span->work.queued = asker->queued;
    wl_trace_tell(&span->work);
}

enum wl_status wl_record_launch(struct wl_stream *stream, struct wl_launch *launch, struct wl_loaded_kernel *kernel,
                                const struct wl_asker *asker) {
    struct wl_device *device = stream->context->device;
    const uint32_t name = wl_trace_runs() ? wl_trace_name_kept(&kernel->trace_name, kernel->kernel->name) : 0;
    struct wl_launch_outcome outcome = {0};
    struct wl_counts counts;
    struct wl_record_span span;
    launch->outcome = &outcome;
    if (wl_trace_tells() && wl_trace_counting(true)) {
        memset(&counts, 0, sizeof counts);
        outcome.counts = &counts;
    }
    begin(&span);
    WL_PROBE4(kernel_begin, (uintptr_t)kernel->kernel->name, stream->id, stream->context->index, (uintptr_t)launch->grid);
    enum wl_status status = device->ops->launch(device, launch);
    WL_PROBE4(kernel_end, (uintptr_t)kernel->kernel->name, stream->id, stream->context->index, status);
    end(&span);
    launch->outcome = NULL;
    struct wl_trace_record *record = wl_span_take(&span, stream->context, stream->id, asker);
    if (record) {
        record->name = name;
        record->detail = outcome.threaded;
        for (int i = 0; i < 3; i++) {
            record->kernel.grid[i] = launch->grid[i];
            record->kernel.block[i] = (uint16_t)launch->block[i];
        }
        record->kernel.threads = (uint16_t)(outcome.threads < UINT16_MAX ? outcome.threads : UINT16_MAX);
        record->kernel.busy = (uint32_t)(outcome.busy / 16 < UINT32_MAX ? outcome.busy / 16 : UINT32_MAX);
        wl_trace_put(record, WL_TRACE_KERNEL);
    }
    if (span.wanted & WL_TRACE_TELL)
        wl_span_describe_kernel(&span.work, stream, kernel, launch->grid, launch->block, launch->remainder, launch->dynamic_lds);
    span.work.counts = outcome.counts && counts.wave_size ? &counts : NULL;
    wl_span_tell(&span, WL_TRACE_KERNEL, stream->context, stream->id, asker);
    return status;
}

/* The device that an address is of, as far as the runtime knows of it; -1: it is the host's. */
static int device_of(const void *address, const struct wl_stream *stream) {
    struct wl_allocation at;
    if (!wl_memory_find(address, &at) || at.kind == WL_MEMORY_HOST || at.kind == WL_MEMORY_REGISTERED)
        return -1;
    return (int)(at.context ? at.context : stream->context)->index;
}

/* Records and tells of a copy or a fill. */
static void put(struct wl_record_span *span, enum wl_trace_kind kind, const struct wl_stream *stream, const struct wl_asker *asker) {
    struct wl_trace_record *record = wl_span_take(span, stream->context, stream->id, asker);
    if (record)
        wl_trace_put(record, kind);
    wl_span_tell(span, kind, stream->context, stream->id, asker);
}

void wl_span_describe_copy(struct wl_trace_work *work, const struct wl_stream *stream, const struct wl_copy *copy) {
    const int from = device_of(copy->source, stream), to = device_of(copy->target, stream);
    work->detail = from >= 0 ? to >= 0 ? WL_TRACE_DEVICE_TO_DEVICE : WL_TRACE_DEVICE_TO_HOST
                   : to >= 0 ? WL_TRACE_HOST_TO_DEVICE
                             : WL_TRACE_HOST_TO_HOST;
    work->target = copy->target;
    work->source = copy->source;
    work->target_device = to;
    work->source_device = from;
    work->bytes = (uint64_t)copy->width * copy->rows * copy->slices;
}

uint64_t wl_span_fill_bytes(const struct wl_fill *fill) { return (uint64_t)fill->width * fill->pattern_size * fill->rows * fill->slices; }

enum wl_status wl_record_copy(struct wl_stream *stream, const struct wl_copy *copy, const struct wl_asker *asker) {
    struct wl_trace_work described = {0};
    struct wl_record_span span;
    wl_span_describe_copy(&described, stream, copy); /* before the copy, which may free what it reads */
    begin(&span);
    enum wl_status status = wl_copy_run(stream, copy);
    end(&span);
    described.begin = span.work.begin;
    described.end = span.work.end;
    span.work = described;
    put(&span, WL_TRACE_COPY, stream, asker);
    return status;
}

enum wl_status wl_record_fill(struct wl_stream *stream, const struct wl_fill *fill, const struct wl_asker *asker) {
    struct wl_record_span span;
    begin(&span);
    enum wl_status status = wl_fill_run(stream, fill);
    end(&span);
    span.work.bytes = wl_span_fill_bytes(fill);
    put(&span, WL_TRACE_FILL, stream, asker);
    return status;
}

void wl_record_stream(const struct wl_stream *stream) {
    const uint64_t now = wl_trace_now();
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return;
    record->begin = record->end = now;
    record->device = (uint16_t)stream->context->index;
    record->stream = (uint32_t)stream->id;
    record->bytes = (uintptr_t)stream;
    wl_trace_put(record, WL_TRACE_STREAM);
}

void wl_record_memory(const struct wl_context *context, uint64_t bytes) {
    const uint64_t now = wl_trace_now();
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return;
    record->begin = record->end = now;
    record->correlation = wl_trace_call();
    record->device = (uint16_t)context->index;
    record->bytes = bytes;
    wl_trace_put(record, WL_TRACE_MEMORY);
}
