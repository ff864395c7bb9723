#include "runtime/debugger.h"

#include "device/debugger.h"
#include "runtime/context.h"
#include "runtime/stream.h"

/* Names and layout are gdb's. Another library of the process may have such, LLVM's; gdb reads the descriptor of each. So ours are not to be
 * replaced. */
__attribute__((visibility("protected"))) struct wl_jit_descriptor __jit_debug_descriptor = {
    .version = 1};                    /* NOLINT(bugprone-reserved-identifier) */
void __jit_debug_register_code(void); /* NOLINT(bugprone-reserved-identifier) */

/* gdb has a breakpoint here. */
__attribute__((visibility("protected"), noinline)) void __jit_debug_register_code(void) { /* NOLINT(bugprone-reserved-identifier) */
    __asm__ volatile("" ::: "memory");
}

void wl_debugger_begin(void) {
    static const struct wl_jit_interface interface = {&__jit_debug_descriptor, __jit_debug_register_code};
    wl_jit_interface = &interface;
}

/* ---- streams -------------------------------------------------------------------------------------------------------------------------- */

#define EXPORT __attribute__((visibility("protected"))) /* the command `wavelift` has the same names, which must not take their place */

EXPORT volatile struct wl_debug_queue wl_debug_queues[WL_DEBUG_QUEUES];

static void list_stream(const struct wl_context *context, const struct wl_stream *stream, const void *handle, uint32_t *count) {
    if (*count == WL_DEBUG_QUEUES)
        return;
    volatile struct wl_debug_queue *queue = &wl_debug_queues[(*count)++];
    queue->handle = handle;
    queue->device = context->index;
    queue->done = atomic_load(&stream->completed);
    queue->queued = atomic_load(&stream->submitted);
    queue->runs = stream->state == WL_STREAM_RUNNING;
}

EXPORT int wl_debug_list_queues(void) {
    uint32_t count = 0;
    for (unsigned i = 0; i < wl_context_count(); i++) {
        const struct wl_context *context = wl_context_at(i);
        list_stream(context, context->null_stream, NULL, &count);
        for (const struct wl_stream *stream = context->streams; stream && count < WL_DEBUG_QUEUES; stream = stream->context_next)
            list_stream(context, stream, stream, &count);
    }
    return (int)count;
}
