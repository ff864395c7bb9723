/* Work of streams, and memory in use, with records of them (trace/trace.h); for devices without queues. Each function does what the one
 * in its comment does. `call`: the number of the program's call that asked for it. (record.c) */
#ifndef WL_RUNTIME_RECORD_H
#define WL_RUNTIME_RECORD_H

#include "runtime/module.h"
#include "runtime/stream.h"
#include "runtime/work.h"

/* The device's launch. */
enum wl_status wl_record_launch(struct wl_stream *stream, struct wl_launch *launch, struct wl_loaded_kernel *kernel, uint64_t call);
/* wl_copy_run */
enum wl_status wl_record_copy(struct wl_stream *stream, const struct wl_copy *copy, uint64_t call);
/* wl_fill_run */
enum wl_status wl_record_fill(struct wl_stream *stream, const struct wl_fill *fill, uint64_t call);
/* Records that so many bytes of the context's device memory are in use now. To be called while wl_trace_on(). */
void wl_record_memory(const struct wl_context *context, uint64_t bytes);

#endif
