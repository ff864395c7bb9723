/* Does work of streams, and counts memory in use, as the function in each comment does, and also records it and tells tracers of it
 * (trace/trace.h). (record.c) */
#ifndef WL_RUNTIME_RECORD_H
#define WL_RUNTIME_RECORD_H

#include "runtime/module.h"
#include "runtime/stream.h"
#include "runtime/work.h"
#include "trace/run.h"

/* Who the calling thread's program is at work for: for copies and fills, when they are queued while wl_trace_on(). */
struct wl_asker wl_record_asked_copy(const struct wl_stream *stream, const struct wl_copy *copy);
struct wl_asker wl_record_asked_fill(void);
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
/* The same for devices with queues of their own: the work is given to the stream's queue between the two calls, and its times are read from the
 * device when it has ended. What is returned may be NULL: nothing is recorded, or there is no memory. (record_queue.c) */
struct wl_given *wl_record_give_launch(struct wl_stream *stream, const struct wl_launch *launch, const struct wl_loaded_kernel *kernel,
                                       const struct wl_asker *asker);
struct wl_given *wl_record_give_copy(struct wl_stream *stream, const struct wl_copy *copy, const struct wl_asker *asker);
struct wl_given *wl_record_give_fill(struct wl_stream *stream, const struct wl_fill *fill, const struct wl_asker *asker);
void wl_record_given(struct wl_given *given, enum wl_status status);
/* Records and tells of what the context's device has ended so far. To be called when somebody has waited for it. */
void wl_record_ended(const struct wl_context *context);
/* Records that a stream has been made. To be called while wl_trace_runs(). */
void wl_record_stream(const struct wl_stream *stream);
/* Records that so many bytes of the context's device memory are in use now. To be called while wl_trace_runs(). */
void wl_record_memory(const struct wl_context *context, uint64_t bytes);

#endif
