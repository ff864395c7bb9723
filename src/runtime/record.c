#include "runtime/record.h"

#include "runtime/context.h"
#include "trace/trace.h"

static void put(struct wl_trace_record *record, enum wl_trace_kind kind, const struct wl_stream *stream, uint64_t call, uint64_t begin,
                uint64_t end) {
    record->begin = begin;
    record->end = end;
    record->correlation = call;
    record->device = (uint16_t)stream->context->index;
    record->stream = (uint32_t)stream->id;
    wl_trace_put(record, kind);
}

enum wl_status wl_record_launch(struct wl_stream *stream, struct wl_launch *launch, struct wl_loaded_kernel *kernel, uint64_t call) {
    struct wl_device *device = stream->context->device;
    const uint32_t name = wl_trace_name_kept(&kernel->trace_name, kernel->kernel->name);
    struct wl_launch_outcome outcome = {0};
    launch->outcome = &outcome;
    const uint64_t begin = wl_trace_now();
    enum wl_status status = device->ops->launch(device, launch);
    const uint64_t end = wl_trace_now();
    launch->outcome = NULL;
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return status;
    record->name = name;
    record->detail = outcome.threaded;
    for (int i = 0; i < 3; i++) {
        record->kernel.grid[i] = launch->grid[i];
        record->kernel.block[i] = (uint16_t)launch->block[i];
    }
    record->kernel.threads = (uint16_t)(outcome.threads < UINT16_MAX ? outcome.threads : UINT16_MAX);
    record->kernel.busy = (uint32_t)(outcome.busy / 16 < UINT32_MAX ? outcome.busy / 16 : UINT32_MAX);
    put(record, WL_TRACE_KERNEL, stream, call, begin, end);
    return status;
}

/* Whether an address is a device's, as far as the runtime knows of it. */
static bool is_device(const void *address) {
    struct wl_allocation at;
    if (!wl_memory_find(address, &at))
        return false;
    return at.kind != WL_MEMORY_HOST && at.kind != WL_MEMORY_REGISTERED;
}

enum wl_status wl_record_copy(struct wl_stream *stream, const struct wl_copy *copy, uint64_t call) {
    const bool from = is_device(copy->source), to = is_device(copy->target);
    const uint64_t begin = wl_trace_now();
    enum wl_status status = wl_copy_run(stream, copy);
    const uint64_t end = wl_trace_now();
    struct wl_trace_record *record = wl_trace_take();
    if (record) {
        record->detail = from ? to ? WL_TRACE_DEVICE_TO_DEVICE : WL_TRACE_DEVICE_TO_HOST
                         : to ? WL_TRACE_HOST_TO_DEVICE
                              : WL_TRACE_HOST_TO_HOST;
        record->bytes = (uint64_t)copy->width * copy->rows * copy->slices;
        put(record, WL_TRACE_COPY, stream, call, begin, end);
    }
    return status;
}

enum wl_status wl_record_fill(struct wl_stream *stream, const struct wl_fill *fill, uint64_t call) {
    const uint64_t begin = wl_trace_now();
    enum wl_status status = wl_fill_run(stream, fill);
    const uint64_t end = wl_trace_now();
    struct wl_trace_record *record = wl_trace_take();
    if (record) {
        record->bytes = (uint64_t)fill->width * fill->pattern_size * fill->rows * fill->slices;
        put(record, WL_TRACE_FILL, stream, call, begin, end);
    }
    return status;
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
