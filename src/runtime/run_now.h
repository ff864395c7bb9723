/* Commands that their thread runs itself (stream.c). */
#ifndef WL_RUNTIME_RUN_NOW_H
#define WL_RUNTIME_RUN_NOW_H

#include "runtime/stream.h"

/* Queues a command, and runs the stream up to its end in the calling thread, unless another thread runs the stream already. What becomes of
 * the command is told as of any other: a failure is the device's fault. To be called where wl_stream_may_wait allows it. */
enum wl_status wl_stream_run(struct wl_stream *stream, struct wl_command *command);

#endif
