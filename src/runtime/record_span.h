/* A piece of work that is recorded and told of: for record.c and record_queue.c. */
#ifndef WL_RUNTIME_RECORD_SPAN_H
#define WL_RUNTIME_RECORD_SPAN_H

#include "runtime/record.h"
#include "trace/trace.h"

/* What is known of it, and its times by the clocks of those who want to know. */
struct wl_record_span {
    unsigned wanted; /* WL_TRACE_* at its beginning */
    uint64_t begin, end;
    struct wl_trace_work work;
};

/* The place for the work's record, with what all kinds have; NULL: nobody records, or there is no room. */
struct wl_trace_record *wl_span_take(const struct wl_record_span *span, const struct wl_context *context, uint64_t stream,
                                     const struct wl_asker *asker);
void wl_span_tell(struct wl_record_span *span, enum wl_trace_kind kind, const struct wl_context *context, uint64_t stream,
                  const struct wl_asker *asker);
/* Of a kernel: what is known before it runs. Of a copy: its direction and the rest. */
void wl_span_describe_kernel(struct wl_trace_work *work, const struct wl_stream *stream, const struct wl_loaded_kernel *kernel,
                             const uint32_t grid[3], const uint32_t block[3], const uint32_t remainder[3], size_t dynamic_lds);
void wl_span_describe_copy(struct wl_trace_work *work, const struct wl_stream *stream, const struct wl_copy *copy);
uint64_t wl_span_fill_bytes(const struct wl_fill *fill);

#endif
