/* Which commands a thread is inside of. A host function must not wait for the stream that it runs in, nor for one that waits
 * for that stream: it would never return. */
#include "runtime/context.h"
#include "runtime/stream.h"
#include "runtime/stream_run.h"

static _Thread_local struct wl_frame *frames; /* the innermost first: a host function that waits may run other commands */

void wl_frame_enter(struct wl_frame *frame) {
    frame->outer = frames;
    frames = frame;
}

void wl_frame_leave(const struct wl_frame *frame) { frames = frame->outer; }

bool wl_stream_inside_command(void) { return frames != NULL; }

bool wl_stream_is_legacy_pair(const struct wl_stream *a, const struct wl_stream *b) {
    const struct wl_context *context = a->context;
    return context == b->context && !((a->flags | b->flags) & WL_STREAM_NON_BLOCKING) &&
           (a == context->null_stream || b == context->null_stream);
}

static enum wl_status refuse(void) { return wl_fail(WL_ILLEGAL_STATE, "a host function cannot wait for the stream that it runs in"); }

enum wl_status wl_stream_may_wait(const struct wl_stream *stream, uint64_t sequence) {
    for (const struct wl_frame *frame = frames; frame; frame = frame->outer)
        if (frame->stream == stream ? sequence >= frame->sequence : wl_stream_is_legacy_pair(frame->stream, stream))
            return refuse();
    return WL_OK;
}

enum wl_status wl_context_may_wait(const struct wl_context *context) {
    for (const struct wl_frame *frame = frames; frame; frame = frame->outer)
        if (frame->stream->context == context)
            return refuse();
    return WL_OK;
}
