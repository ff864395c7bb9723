#include "runtime/order.h"

#include "runtime/context.h"
#include "sanitize/allocations.h"
#include "sanitize/hooks.h"

/* Marks: a context's, and one for each command that was queued, which is used once. Who waits for a command of a stream goes on behind what the
 * stream had done with that command. A mark of a context is what was done when somebody looks at it. */
enum { OF_ALL = 0, OF_BLOCKING = 1, OF_NULL = 2 };

bool wl_order_is_watched(void) { return wl_san_tools() & WL_SANITIZE_RACECHECK; }
static uint64_t id_of(const void *what) { return (uint64_t)(uintptr_t)what << 2; }
static uint64_t mark_of(const struct wl_context *context, unsigned which) { return id_of(context) | which; }
static bool is_blocking(const struct wl_stream *stream) { return !(stream->flags & WL_STREAM_NON_BLOCKING); }

void wl_order_submitted(struct wl_command *command) {
    static _Atomic uint64_t marks;
    command->order = 0;
    if (!wl_order_is_watched())
        return;
    command->order = WL_SAN_ONCE | (atomic_fetch_add_explicit(&marks, 1, memory_order_relaxed) + 1);
    wl_san_order(WL_SAN_RELEASE, 0, command->order);
}

uint64_t wl_order_begin(struct wl_stream *stream, struct wl_command *command) {
    const uint64_t before = wl_san_line, line = id_of(stream);
    if (!wl_order_is_watched())
        return 0;
    wl_san_line = line;
    if (command->order)
        wl_san_order(WL_SAN_ACQUIRE, line, command->order);
    for (unsigned i = 0; i < command->point_count; i++)
        wl_san_order_behind(line, id_of(command->points[i].stream), command->points[i].sequence);
    if (is_blocking(stream))
        wl_san_order(WL_SAN_ACQUIRE, line, mark_of(stream->context, stream == stream->context->null_stream ? OF_BLOCKING : OF_NULL));
    return before;
}

void wl_order_end(struct wl_stream *stream, const struct wl_command *command, uint64_t before) {
    const uint64_t line = id_of(stream);
    if (!wl_order_is_watched())
        return;
    wl_san_line = before;
    wl_san_order(WL_SAN_RELEASE, line, mark_of(stream->context, OF_ALL));
    if (is_blocking(stream))
        wl_san_order(WL_SAN_RELEASE, line, mark_of(stream->context, stream == stream->context->null_stream ? OF_NULL : OF_BLOCKING));
    wl_san_order_done(line, command->sequence);
}

void wl_order_seen(const struct wl_stream *stream, uint64_t sequence) {
    if (wl_order_is_watched() && sequence)
        wl_san_order_behind(wl_san_line, id_of(stream), sequence);
}

void wl_order_seen_all(struct wl_context *context) {
    if (wl_order_is_watched())
        wl_san_order(WL_SAN_ACQUIRE, 0, mark_of(context, OF_ALL));
}

void wl_order_stream_made(void) { wl_san_stream_made(); }

/* ---- branches of a graph ---------------------------------------------------------------------- */

enum { OF_BRANCH = 3 };

uint64_t wl_order_branch(const void *what) { return wl_order_is_watched() ? id_of(what) | OF_BRANCH : 0; }

uint64_t wl_order_enter(uint64_t line) {
    const uint64_t before = wl_san_line;
    wl_san_line = line;
    return before;
}

void wl_order_done(const void *what) { wl_san_order(WL_SAN_RELEASE, wl_san_line, id_of(what) | OF_BRANCH); }

void wl_order_behind(const void *what) { wl_san_order(WL_SAN_ACQUIRE, wl_san_line, id_of(what) | OF_BRANCH); }
