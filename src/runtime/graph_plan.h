/* A plan: what a launch of an executable graph does, ready to be run as one command, without queueing its nodes one by one.
 *
 * Kernels stand in it with their packed arguments, steps in an order in which each comes behind what it depends on. One thread runs
 * them all; where small steps of several branches follow each other it asks the device for threads that share them. A kernel that
 * is worth several threads runs alone on all of them.
 *
 * A plan does not change: when the executable does, the next launch makes another one, and launches in flight keep theirs. Some nodes
 * (events, waits for memory, work of other devices, ...) need commands of their own; graphs with them have no plan. */
#ifndef WL_RUNTIME_GRAPH_PLAN_H
#define WL_RUNTIME_GRAPH_PLAN_H

#include "runtime/graph.h"

struct wl_plan;

/* Whether a node can be a step of a plan for this stream's device. `alone`: the graph is one chain. */
bool wl_plan_takes(const struct wl_node *node, const struct wl_stream *stream, bool alone);
/* An empty plan for `steps` steps with room for `edges` dependencies in all; one reference. NULL: out of memory. */
struct wl_plan *wl_plan_create(size_t steps, size_t edges);
/* Adds a step behind the steps with the given numbers. `node` NULL: it only joins them. The node's work is copied. */
enum wl_status wl_plan_add(struct wl_plan *plan, const struct wl_node *node, const size_t *dependencies, size_t count);
/* After the last step, before the first launch. */
void wl_plan_finish(struct wl_plan *plan);
void wl_plan_release(struct wl_plan *plan);
/* Queues the plan in a stream. Launches of one plan must not run beside each other. */
enum wl_status wl_plan_enqueue(struct wl_plan *plan, struct wl_stream *stream);

#endif
