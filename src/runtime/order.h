/* What racecheck has to know of the order of commands (sanitize/hooks.h): each stream is a line, the host's threads are one line together.
 * All calls do nothing where racecheck does not run. Thread-safe. */
#ifndef WL_RUNTIME_ORDER_H
#define WL_RUNTIME_ORDER_H

#include "runtime/stream.h"

struct wl_context;

/* Whether racecheck runs: then commands wait for others that have run already as well, so that the order is known. */
bool wl_order_is_watched(void);
/* The host queues a command: what it did before comes before it. */
void wl_order_submitted(struct wl_command *command);
/* The stream's next command runs, behind all that it waits for; it has run. Returns what the calling thread ran before, for the end. */
uint64_t wl_order_begin(struct wl_stream *stream, struct wl_command *command);
void wl_order_end(struct wl_stream *stream, const struct wl_command *command, uint64_t before);
/* The calling thread has seen that a stream's commands up to `sequence` are done; the host, that those of all streams of a context are. */
void wl_order_seen(const struct wl_stream *stream, uint64_t sequence);
void wl_order_seen_all(struct wl_context *context);
/* A stream beside a context's null stream is made. */
void wl_order_stream_made(void);

/* Branches of a graph that runs as one command: each is a line beside the stream's. 0: racecheck does not run. `what`: any address that
 * stands for the branch. */
uint64_t wl_order_branch(const void *what);
/* Makes `line` the calling thread's line. Returns the one that it had before. */
uint64_t wl_order_enter(uint64_t line);
/* The calling thread's line has done what `what` stands for, or goes on behind it. */
void wl_order_done(const void *what);
void wl_order_behind(const void *what);

#endif
