/* The allocation map's nodes, for memory.c and share.c only.
 *
 * A node in the map is live (an allocation), or dead: a detached allocation or a cached block, which lookups do not see.
 * Its start and capacity stay as they are while it is in the map, so the tree is changed only when pages come or go. The
 * allocation and the state are guarded by the spin lock. */
#ifndef WL_RUNTIME_MAP_H
#define WL_RUNTIME_MAP_H

#include "runtime/memory.h"

enum wl_node_state { WL_NODE_DEAD, WL_NODE_LIVE };

struct wl_map_node {
    struct wl_allocation allocation;
    uint64_t start, capacity; /* addresses that no other node has; the same as long as the node is in the map */
    size_t skipped;           /* bytes of the block before the start, less than a page (memory.c) */
    enum wl_node_state state;
    int file; /* of shared memory, which is never cached; 0: none */
    atomic_flag lock;
    uint64_t weight;
    struct wl_map_node *less, *more; /* children */
    struct wl_map_node *next;        /* in a cache's list */
};

void wl_node_lock(struct wl_map_node *node);
void wl_node_unlock(struct wl_map_node *node);
/* Makes a dead node live again, with a new id. */
void wl_node_revive(struct wl_map_node *node, const struct wl_allocation *allocation);

/* Makes a live node of `capacity` bytes, whose allocation gets a new id. WL_INVALID_VALUE if it overlaps another node. */
enum wl_status wl_map_add(const struct wl_allocation *allocation, uint64_t capacity, struct wl_map_node **node);
/* Takes a dead node out and frees it. */
void wl_map_remove(struct wl_map_node *node);
/* Makes the live node that starts at `memory` dead, if its kind is in `kinds`. NULL: there is none. */
struct wl_map_node *wl_map_kill(const void *memory, unsigned kinds);
/* The node, live or dead, that starts at an address; NULL if there is none. */
struct wl_map_node *wl_map_at(uint64_t address);
/* The address of any live allocation of a kind in `kinds` and of the context; NULL if there is none. */
void *wl_map_any(const struct wl_context *context, unsigned kinds);
/* Calls visit(context, allocation) for each live allocation, in the order of addresses. It must not allocate or free memory of the map. */
void wl_map_visit(void (*visit)(void *context, const struct wl_allocation *allocation), void *context);
void wl_map_after_fork(void);

#endif
