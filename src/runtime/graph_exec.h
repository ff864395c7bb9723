/* Executable graphs. (graph_exec.c) */
#ifndef WL_RUNTIME_GRAPH_EXEC_H
#define WL_RUNTIME_GRAPH_EXEC_H

#include "runtime/graph.h"

struct wl_graph_exec;

#define WL_GRAPH_AUTO_FREE 1u /* a launch first frees what the previous one left allocated */

/* WL_INVALID_VALUE: there is a cycle. WL_UNSUPPORTED: the graph allocates or frees memory, and an executable was made of it before. */
enum wl_status wl_graph_exec_create(struct wl_graph *graph, unsigned flags, struct wl_graph_exec **exec);
/* Launches in flight go on. */
void wl_graph_exec_destroy(struct wl_graph_exec *exec);
/* The flags as the program gave them, kept for it. */
void wl_graph_exec_set_given(struct wl_graph_exec *exec, unsigned long long flags);
unsigned long long wl_graph_exec_given(const struct wl_graph_exec *exec);
/* The executable's copy of a node. NULL: it has none. */
struct wl_node *wl_graph_exec_node(struct wl_graph_exec *exec, const struct wl_node *original);
/* Queues the graph in stream order. Returns when it has run if it copies to memory that HIP does not know, as copies to such memory do,
 * unless the call comes from a host function of a stream. WL_INVALID_VALUE: its memory is still allocated, or an event is gone. */
enum wl_status wl_graph_exec_launch(struct wl_graph_exec *exec, struct wl_stream *stream);

enum wl_graph_update { /* in the order of HIP's hipGraphExecUpdateResult */
                       WL_UPDATE_SUCCESS,
                       WL_UPDATE_ERROR,
                       WL_UPDATE_TOPOLOGY,
                       WL_UPDATE_KIND,
                       WL_UPDATE_FUNCTION,
                       WL_UPDATE_PARAMETERS,
                       WL_UPDATE_UNSUPPORTED,
                       WL_UPDATE_FUNCTION_UNSUPPORTED
};
/* Takes the parameters of a graph of the same shape over: nodes correspond that are at the same place in the orders of the two graphs
 * (wl_graph_order). Nothing changes unless all can. `culprit`: the node of `graph` that
 * cannot; NULL: none. */
enum wl_graph_update wl_graph_exec_update(struct wl_graph_exec *exec, const struct wl_graph *graph, struct wl_node **culprit);
/* The same for one graph node of the executable. */
enum wl_graph_update wl_graph_exec_update_child(struct wl_graph_exec *exec, struct wl_node *node, const struct wl_graph *graph);
/* Whether a node may come to do `work`: a kernel's context, what a copy was called, and memory of the graph must stay. */
enum wl_graph_update wl_node_may_become(const struct wl_node *node, const struct wl_work *work);

#endif
