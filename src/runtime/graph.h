/* Graphs: work described once and launched many times.
 *
 *   graph         nodes in the order they were added, and edges between them. Only what is made executable must have no cycles.
 *   node          one piece of work (a kernel, copy, fill, host function, another graph, event record or wait, allocation,
 *                 free, stream memory operations, external semaphores, or nothing) with the nodes it depends on.
 *   graph memory  what an allocation node allocates: its address is fixed when the node is made, and it lives as long as a
 *                 node or an executable graph refers to it.
 *   executable    a private copy of a graph, in an order and on lanes that are ready to be queued. Lane 0 is the stream it
 *                 is launched in, the others are streams of its own, so that branches run side by side.
 *   user object   a counted reference to something of the program, which graphs and executables keep alive.
 *
 * A graph is used by one thread at a time, as HIP says; nothing here locks it, except while a capture adds to it. Handles of
 * nodes and graphs are in the table of handles. */
#ifndef WL_RUNTIME_GRAPH_H
#define WL_RUNTIME_GRAPH_H

#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/stream.h"
#include "runtime/work.h"

enum wl_node_kind {
    WL_NODE_KERNEL,
    WL_NODE_COPY,
    WL_NODE_FILL,
    WL_NODE_HOST,
    WL_NODE_GRAPH,
    WL_NODE_EMPTY,
    WL_NODE_EVENT_WAIT,
    WL_NODE_EVENT_RECORD,
    WL_NODE_ALLOCATE,
    WL_NODE_FREE,
    WL_NODE_VALUES,
    WL_NODE_SIGNAL, /* of external semaphores */
    WL_NODE_WAIT
};

struct wl_graph;
struct wl_graph_memory;

#define WL_WORK_LIST 6

/* What a node does. */
struct wl_work {
    enum wl_node_kind kind;
    union {
        struct {
            /* `buffer` holds the packed arguments, `arguments` points into it, with room for WL_WORK_LIST more pointers; both owned. */
            struct wl_launch_request request;
            bool listed; /* the arguments were given as one buffer: they are shown in a list, not one by one */
            int priority;
            unsigned attribute; /* HIP's number of the attribute that was set last, 0: none; */
            int given;          /* and its value as it was given, of a window of accesses the description */
        } kernel;
        struct wl_copy copy;
        struct wl_fill fill;
        struct {
            void (*function)(void *argument);
            void *argument;
        } host;
        struct wl_graph *child; /* owned */
        struct wl_event *event;
        struct wl_graph_memory *memory; /* ALLOCATE: referenced */
        void *address;                  /* FREE */
        struct {
            struct wl_stream_value *values; /* owned */
            unsigned count;
        } values;
        unsigned semaphores; /* SIGNAL, WAIT: how many; the description has the parameters */
    };
    bool claims;                /* FREE: no other node may be added that frees the memory */
    struct wl_context *context; /* where it runs; NULL: where the graph is launched */
    void *description;          /* owned: what api/ keeps to answer questions about the node; NULL: none */
    size_t description_size;
};

struct wl_nodes { /* a set of nodes, in the order they were added */
    struct wl_node **at;
    size_t count, capacity;
};

struct wl_node {
    struct wl_graph *graph;
    uint64_t id, origin; /* of this node; of the node it is a copy of, 0: none */
    uint64_t identity;   /* the id of the node of which it is a copy of a copy ... */
    struct wl_work work;
    bool disabled; /* in executables: does nothing */
    struct wl_nodes dependencies, dependents;
    size_t index; /* in the graph's list */
    size_t mark;  /* scratch of walks over the graph */
};

struct wl_user_object;
struct wl_graph_reference;

struct wl_graph {
    struct wl_nodes nodes;
    struct wl_context *context; /* of the device that was current when it, or what it is a copy of, was made; may be NULL */
    atomic_uint changes;        /* of a graph that no node owns: counts what happened to work of its nodes and theirs */
    bool instantiated;          /* an executable was made of it */
    struct wl_node *parent;     /* the node that owns it; NULL: the program does */
    uint64_t id, origin;
    struct wl_graph_reference *references; /* to user objects */
};

/* ---- graphs and nodes (graph.c) --------------------------------------------------------------- */

enum wl_status wl_graph_create(struct wl_context *context, struct wl_graph **graph);
void wl_graph_destroy(struct wl_graph *graph);
/* A copy with the same nodes and edges; each node's `origin` is the id of the node it was made from. */
enum wl_status wl_graph_clone(const struct wl_graph *graph, struct wl_graph **clone);
/* Adds a node that depends on `dependencies`, which are of the graph. Takes over what `work` owns, also on failure. */
enum wl_status wl_graph_add(struct wl_graph *graph, struct wl_node *const *dependencies, size_t count, struct wl_work *work,
                            struct wl_node **node);
/* Replaces what a node does; the kind stays. Takes over what `work` owns. */
void wl_node_replace(struct wl_node *node, struct wl_work *work);
/* Whether a node of an executable does its work. */
void wl_node_enable(struct wl_node *node, bool enabled);
/* WL_INVALID_VALUE: the edge exists, leads to the node itself, or out of the graph. It may close a cycle. */
enum wl_status wl_graph_connect(struct wl_node *from, struct wl_node *to);
/* WL_INVALID_VALUE: there is no such edge. */
enum wl_status wl_graph_disconnect(struct wl_node *from, struct wl_node *to);
bool wl_graph_connected(const struct wl_node *from, const struct wl_node *to);
void wl_node_destroy(struct wl_node *node);
/* The node of `graph`, or of a graph within it, that was copied from the node with this id. NULL: none. */
struct wl_node *wl_graph_find_copy(struct wl_graph *graph, uint64_t id);
/* Appends the nodes to `order`, each behind all it depends on: first those without dependencies in the order they were added, then what
 * each of these leads to in the order of its edges, and so on. WL_INVALID_VALUE: there is a cycle. */
enum wl_status wl_graph_order(const struct wl_graph *graph, struct wl_nodes *order);
/* Whether the graph itself, not a graph within it, has nodes that allocate or free. */
bool wl_graph_has_memory(const struct wl_graph *graph);
size_t wl_graph_edge_count(const struct wl_graph *graph);

enum wl_status wl_nodes_add(struct wl_nodes *nodes, struct wl_node *node);
bool wl_nodes_have(const struct wl_nodes *nodes, const struct wl_node *node);
void wl_nodes_clear(struct wl_nodes *nodes);

/* Copies of what a node does. wl_work_kernel checks the launch, makes the kernel ready, and packs the arguments. */
enum wl_status wl_work_kernel(struct wl_context *context, const struct wl_launch_request *request, struct wl_work *work);
enum wl_status wl_work_values(const struct wl_stream_value *values, unsigned count, struct wl_work *work);
enum wl_status wl_work_describe(struct wl_work *work, const void *description, size_t size);
/* The event that the work records or waits for, be it behind a kernel; NULL: none. */
struct wl_event *wl_work_event(const struct wl_work *work);
/* Gives a kernel's work the attributes of another's. */
enum wl_status wl_work_copy_attributes(const struct wl_work *from, struct wl_work *to);
enum wl_status wl_work_copy(const struct wl_work *work, struct wl_work *copy);
void wl_work_clear(struct wl_work *work);

/* ---- graph memory (graph_memory.c) ------------------------------------------------------------- */

/* Fixes the address for `size` bytes on the context's device; one reference. */
enum wl_status wl_graph_memory_create(struct wl_context *context, size_t size, struct wl_graph_memory **memory);
void wl_graph_memory_retain(struct wl_graph_memory *memory);
void wl_graph_memory_release(struct wl_graph_memory *memory);
void *wl_graph_memory_address(const struct wl_graph_memory *memory);
size_t wl_graph_memory_size(const struct wl_graph_memory *memory);
/* The graph memory that begins at an address; NULL: none. Not referenced. */
struct wl_graph_memory *wl_graph_memory_at(const void *address);
/* Claims the memory for one node that frees it. False: it is claimed. A memory that is NULL is not to be had and never claimed. */
bool wl_graph_memory_claim(struct wl_graph_memory *memory);
void wl_graph_memory_unclaim(struct wl_graph_memory *memory);
/* Notes, in the order of the program's calls, that a launch allocates or frees it. */
bool wl_graph_memory_is_live(const struct wl_graph_memory *memory);
void wl_graph_memory_begin(struct wl_graph_memory *memory);
/* WL_INVALID_VALUE: it is not allocated now. */
enum wl_status wl_graph_memory_end(struct wl_graph_memory *memory);
/* Tells sanitizers of that, in the stream's order. `stream` NULL: at once. */
enum wl_status wl_graph_memory_tell(struct wl_graph_memory *memory, bool live, struct wl_stream *stream);
enum wl_graph_memory_figure { WL_GRAPH_USED, WL_GRAPH_USED_HIGH, WL_GRAPH_RESERVED, WL_GRAPH_RESERVED_HIGH };
uint64_t wl_graph_memory_figure(struct wl_context *context, enum wl_graph_memory_figure figure);
/* Sets a high mark back to the current value. */
void wl_graph_memory_reset(struct wl_context *context, enum wl_graph_memory_figure figure);
/* Gives the pages of memory that is not allocated now back to the system. */
void wl_graph_memory_trim(struct wl_context *context);

#endif
