/* Stream capture: what is queued in a capturing stream becomes nodes of a graph instead. What AMD's runtime does not capture (callbacks
 * of streams, waits for events of outside, prefetches, ...) is queued in the stream at once, as there; other streams, the null stream
 * included, go on.
 *
 *   capture   one sequence from begin to end: its graph, its mode, the thread and stream that began it, and the streams that
 *             joined it, each with the nodes that its next one depends on. A stream joins by waiting for an event that was
 *             recorded in the capture.
 *
 * All of it is guarded by one lock, which is inside the locks of events and outside all others. Streams that do not capture
 * pay one load. */
#ifndef WL_RUNTIME_CAPTURE_H
#define WL_RUNTIME_CAPTURE_H

#include "runtime/graph.h"

enum wl_capture_mode { WL_CAPTURE_GLOBAL, WL_CAPTURE_THREAD_LOCAL, WL_CAPTURE_RELAXED };
enum wl_capture_state { WL_CAPTURE_NONE, WL_CAPTURE_ACTIVE, WL_CAPTURE_INVALID };

/* An event's record in a capturing stream. */
struct wl_captured {
    struct wl_capture *capture; /* referenced; NULL: the event was not captured */
    struct wl_nodes nodes;
};
void wl_captured_clear(struct wl_captured *captured);
/* Whether the capture goes on, be it spoilt; a record in one that has ended is none. */
bool wl_captured_is_open(const struct wl_captured *captured);
/* Somebody asks for, or waits for, such a record. WL_CAPTURED_EVENT: the capture becomes invalid by that; WL_CAPTURE_UNSUPPORTED: it is
 * invalid already. */
enum wl_status wl_captured_touch(const struct wl_captured *captured);

/* Whether the stream takes part in a capture. */
static inline bool wl_capture_active(struct wl_stream *stream) {
    return atomic_load_explicit(&stream->capture, memory_order_acquire) != NULL;
}

/* For calls that make the program wait for a stream, or ask whether it is done: WL_CAPTURE_UNSUPPORTED if the stream captures, or if the
 * calling thread, in global mode any thread, does, unless the calling thread is relaxed. The captures concerned become invalid. The null
 * stream may always be waited for. NULL: another stream that is not known. */
enum wl_status wl_capture_may_wait(struct wl_stream *stream);
/* For calls that wait for all of a device, whatever any thread captures in whatever mode: `error` if there is a capture. All become
 * invalid. */
enum wl_status wl_capture_excludes(enum wl_status error);
/* For calls that are unsafe while the calling thread, or in global mode any thread, captures: WL_CAPTURE_UNSUPPORTED, and the
 * captures concerned become invalid. */
enum wl_status wl_capture_unsafe(void);
/* Exchanges the calling thread's mode. */
enum wl_capture_mode wl_capture_exchange_mode(enum wl_capture_mode mode);

/* WL_ILLEGAL_STATE: the stream captures already; an invalid capture that began in it is over by this. WL_CAPTURE_UNSUPPORTED: it is the
 * null stream. `graph` NULL: a new one. */
enum wl_status wl_capture_begin(struct wl_stream *stream, enum wl_capture_mode mode, struct wl_graph *graph,
                                struct wl_node *const *dependencies, size_t count);
/* Ends the capture that began in the stream; it is over in any case but that of WL_ILLEGAL_STATE, WL_CAPTURE_UNMATCHED and
 * WL_CAPTURE_WRONG_THREAD. `graph` receives NULL on failure. */
enum wl_status wl_capture_end(struct wl_stream *stream, struct wl_graph **graph);
/* What is known of a stream's capture. `nodes` points to memory that stays until the stream's next captured call. */
struct wl_capture_info {
    enum wl_capture_state state;
    uint64_t id;
    struct wl_graph *graph;
    struct wl_node *const *nodes;
    size_t count;
};
/* WL_CAPTURE_IMPLICIT: the null stream, and a blocking stream captures on some device. */
enum wl_status wl_capture_ask(struct wl_stream *stream, struct wl_capture_info *info);
/* Adds to, or with `replace` sets, the nodes that the stream's next node depends on. */
enum wl_status wl_capture_depend(struct wl_stream *stream, struct wl_node *const *nodes, size_t count, bool replace);
/* A stream that captures is destroyed: the capture that began in it is over; one that it joined goes on without it, and fails at its
 * end if the stream's work was not joined before. */
void wl_capture_abandon(struct wl_stream *stream);
void wl_capture_after_fork(void);

/* Adds a node to a capturing stream's graph; takes over what `work` owns. `node` may be NULL. */
enum wl_status wl_capture_add(struct wl_stream *stream, struct wl_work *work, struct wl_node **node);
enum wl_status wl_capture_kernel(struct wl_stream *stream, const struct wl_launch_request *request);
enum wl_status wl_capture_copy(struct wl_stream *stream, const struct wl_copy *copy);
enum wl_status wl_capture_fill(struct wl_stream *stream, const struct wl_fill *fill);
enum wl_status wl_capture_host(struct wl_stream *stream, void (*function)(void *argument), void *argument);
enum wl_status wl_capture_values(struct wl_stream *stream, const struct wl_stream_value *values, unsigned count);
/* Records into `captured`, replacing what it held. */
enum wl_status wl_capture_record(struct wl_stream *stream, struct wl_captured *captured);
/* The stream waits for a captured record, and joins its capture if it has none. WL_CAPTURE_IMPLICIT: it is the null stream. */
enum wl_status wl_capture_wait(struct wl_stream *stream, const struct wl_captured *captured);

#endif
