/* Stream memory operations: commands that wait for a word in memory, or write one. A batch is queued as one command for each
 * wait and the writes that follow it. */
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/stream.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value_command {
    struct wl_command base;
    const char *call; /* of HIP, and the host's stack at it, if synccheck runs */
    uint64_t stack;
    unsigned count;
    struct wl_stream_value values[]; /* only the first one may be a wait */
};

static uint64_t load(const struct wl_stream_value *value) {
    return value->size == 4 ? atomic_load((_Atomic uint32_t *)value->address) : atomic_load((_Atomic uint64_t *)value->address);
}

static bool holds(const struct wl_stream_value *value) {
    uint64_t all = value->size == 4 ? UINT32_MAX : UINT64_MAX;
    uint64_t memory = load(value) & value->mask & all, wanted = value->value & all;
    switch (value->operation) {
    case WL_VALUE_GEQ:
        return memory >= wanted;
    case WL_VALUE_EQ:
        return memory == wanted;
    case WL_VALUE_AND:
        return (memory & wanted) != 0;
    case WL_VALUE_NOR:
        return (~(memory | (wanted & value->mask)) & all) != 0;
    default:
        return true;
    }
}

static bool ready(struct wl_command *command) { return holds(&((struct value_command *)command)->values[0]); }

/* Words that only the device reaches are the queue's to wait for and to write. */
static bool is_queues(const struct wl_stream *stream, const struct wl_stream_value *value) {
    struct wl_allocation allocation;
    return stream->queue && value->operation != WL_VALUE_BARRIER && wl_memory_find(value->address, &allocation) && allocation.context &&
           allocation.context->info.discrete && allocation.kind != WL_MEMORY_HOST && allocation.kind != WL_MEMORY_MANAGED &&
           allocation.kind != WL_MEMORY_REGISTERED;
}

static enum wl_status give_values(struct wl_command *command, struct wl_stream *stream) {
    const struct value_command *values = (const struct value_command *)command;
    const struct wl_queue_ops *queues = stream->context->device->ops->queues;
    enum wl_status status = WL_OK;
    for (unsigned i = 0; i < values->count && status == WL_OK; i++) {
        const struct wl_stream_value *value = &values->values[i];
        status = queues->value(stream->queue, value->operation, value->address, value->size, value->value, value->mask);
    }
    return status;
}

static enum wl_status run_values(struct wl_command *command, struct wl_stream *stream) {
    const struct value_command *values = (const struct value_command *)command;
    (void)stream;
    for (unsigned i = 0; i < values->count; i++) {
        const struct wl_stream_value *value = &values->values[i];
        if (value->operation == WL_VALUE_WRITE && value->size == 4)
            atomic_store((_Atomic uint32_t *)value->address, (uint32_t)value->value);
        else if (value->operation == WL_VALUE_WRITE)
            atomic_store((_Atomic uint64_t *)value->address, value->value);
        else
            atomic_thread_fence(memory_order_seq_cst);
    }
    return WL_OK;
}

static bool is_wait(const struct wl_stream_value *value) { return value->operation <= WL_VALUE_NOR; }

enum wl_status wl_value_enqueue(struct wl_stream *stream, const struct wl_stream_value *values, unsigned count) {
    enum wl_status status = WL_OK;
    if (wl_capture_active(stream))
        return wl_capture_values(stream, values, count);
    for (unsigned first = 0, end; first < count && status == WL_OK; first = end) {
        bool queues = is_queues(stream, &values[first]);
        end = first + 1;
        while (end < count && !is_wait(&values[end]) && is_queues(stream, &values[end]) == queues)
            end++;
        struct value_command *command =
            wl_command_new(sizeof *command + (end - first) * sizeof values[0], queues ? give_values : run_values, NULL);
        if (!command)
            return WL_OUT_OF_MEMORY;
        command->count = end - first;
        if (wl_san_tools() & WL_SANITIZE_SYNCCHECK) {
            command->call = wl_san_call;
            command->stack = wl_san_stack();
        }
        memcpy(command->values, values + first, (end - first) * sizeof values[0]);
        command->base.gives = queues;
        command->base.ready = is_wait(&values[first]) && !queues ? ready : NULL;
        status = wl_stream_enqueue(stream, &command->base, NULL);
    }
    return status;
}

bool wl_value_describe(const struct wl_command *command, struct wl_san_finding *finding) {
    static const char *const conditions[] = {[WL_VALUE_GEQ] = "to become at least",
                                             [WL_VALUE_EQ] = "to become",
                                             [WL_VALUE_AND] = "to have one of the bits of",
                                             [WL_VALUE_NOR] = "to lack one of the bits of"};
    if (command->ready != ready)
        return false;
    const struct value_command *waits = (const struct value_command *)command;
    const struct wl_stream_value *value = &waits->values[0];
    finding->at = (struct wl_san_place){.call = waits->call, .stack = waits->stack};
    finding->address = (uint64_t)(uintptr_t)value->address;
    wl_san_find(finding->address, &finding->block);
    snprintf(finding->detail, sizeof finding->detail, "it waits for the %u bytes at 0x%" PRIx64 ", which are 0x%" PRIx64 ", %s 0x%" PRIx64,
             value->size, finding->address, load(value), conditions[value->operation], value->value);
    return true;
}
