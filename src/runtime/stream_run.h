/* How streams are run: frames of commands, the executor's threads, the watcher of memory. (stream_run.c, executor.c, watch.c, stuck.c,
 * inside.c) */
#ifndef WL_RUNTIME_STREAM_RUN_H
#define WL_RUNTIME_STREAM_RUN_H

#include "runtime/stream.h"

/* Around a command's `run`; the frame lives on the caller's stack. */
struct wl_frame {
    struct wl_stream *stream;
    uint64_t sequence;
    struct wl_frame *outer;
};
void wl_frame_enter(struct wl_frame *frame);
void wl_frame_leave(const struct wl_frame *frame);
/* True in a thread that is inside a command's `run`. */
bool wl_stream_inside_command(void);

/* Executor pool. `wl_executor_push` takes over a reference to a READY stream. */
void wl_executor_push(struct wl_stream *stream);
/* Runs a READY stream until it is empty or parked; for the executor threads. Consumes the reference. */
void wl_stream_run_ready(struct wl_stream *stream);
void wl_executor_after_fork(void);

/* Watcher (watch.c): one thread for all streams whose next command waits for a condition on memory. It sleeps between looks,
 * longer each time nothing has changed. wl_watch_add takes over a reference to a WATCHED stream; wl_stream_watched_ready
 * gives the stream back to the executor. */
void wl_watch_add(struct wl_stream *stream);
void wl_stream_watched_ready(struct wl_stream *stream);
/* Whether the stream's head has to wait for its condition. What a fault of the context makes the stream skip has not. */
bool wl_stream_has_to_watch(const struct wl_stream *stream, struct wl_command *command);
/* Something may have written what streams wait for. Cheap when none does. */
void wl_watch_kick(void);
void wl_watch_after_fork(void);
/* For the watcher, which has found nothing to do: whether all streams of its list wait for ever, which synccheck was told then; their contexts
 * have a fault now. `progress` changes when something happens in any stream. (stuck.c) */
bool wl_stuck_streams(struct wl_stream *first, unsigned progress);
/* In a forked child: no other thread exists, what was queued or running is dropped. */
void wl_stream_after_fork(struct wl_stream *stream);

#endif
