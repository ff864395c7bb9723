/* Does work of streams, and counts memory in use, as the function in each comment does, and also records it and tells tracers of it
 * (trace/trace.h). For devices without queues of their own. (record.c) */
#ifndef WL_RUNTIME_RECORD_H
#define WL_RUNTIME_RECORD_H

#include "runtime/module.h"
#include "runtime/stream.h"
#include "runtime/work.h"
#include "trace/run.h"

/* Who the calling thread's program is at work for: for commands, when they are queued while wl_trace_on(). `kind` is COPY or FILL. */
struct wl_asker wl_record_asker(enum wl_trace_kind kind);
/* The same for a graph with so many kernels and copies. */
struct wl_asker wl_record_graph(uint32_t kernels, uint32_t copies);

/* The same for a launch. */
struct wl_launch_request;
struct wl_asker wl_record_queued(const struct wl_stream *stream, const struct wl_launch_request *request);

/* The device's launch. */
enum wl_status wl_record_launch(struct wl_stream *stream, struct wl_launch *launch, struct wl_loaded_kernel *kernel,
                                const struct wl_asker *asker);
/* wl_copy_run */
enum wl_status wl_record_copy(struct wl_stream *stream, const struct wl_copy *copy, const struct wl_asker *asker);
/* wl_fill_run */
enum wl_status wl_record_fill(struct wl_stream *stream, const struct wl_fill *fill, const struct wl_asker *asker);
/* Records that so many bytes of the context's device memory are in use now. To be called while wl_trace_runs(). */
void wl_record_memory(const struct wl_context *context, uint64_t bytes);

#endif
