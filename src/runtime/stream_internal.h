/* What stream.c and stream_run.c share; nothing else includes it. */
#ifndef WL_RUNTIME_STREAM_INTERNAL_H
#define WL_RUNTIME_STREAM_INTERNAL_H

#include "runtime/context.h"
#include "runtime/stream.h"

/* Whether the stream has run its command `sequence`, or given it to its device's queue. */
static inline bool wl_stream_reached(struct wl_stream *stream, uint64_t sequence) {
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= sequence;
}

/* ---- stream.c ---- */
/* Drops the idle streams and returns the first busy one. The context's lock is held. */
struct wl_stream *wl_stream_busy_list(struct wl_context *context);
/* IDLE -> READY; the caller then gives the stream to the executor. The stream's lock is held. */
bool wl_stream_make_ready(struct wl_stream *stream);
/* Whether nothing that must be given or run before is still queued. */
bool wl_stream_comes_first(struct wl_stream *stream);

/* Keeps the memory of a command that is done, for wl_stream_spare. For the thread that runs the stream. */
void wl_stream_keep(struct wl_stream *stream, struct wl_command *command);

/* ---- stream_run.c ---- */
/* Gives the work of a RUNNING stream, from `command`, its head, on, to its queue, as long as nothing has to be waited for. */
void wl_stream_give_all(struct wl_stream *stream, struct wl_command *command);

#endif
