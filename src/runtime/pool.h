/* Memory pools: the stream-ordered allocator.
 *
 *   pool     memory of one device in segments. Every device has a default pool, made at its first use, and a current pool.
 *   segment  2 MiB aligned pages from the device, or, in a pool that can be shared, from the pool's file. Segments for pieces
 *            of up to 1 MiB are 2 MiB long; larger pieces have segments of their own size.
 *   block    a piece of a segment, used or free. A free block remembers in which stream, behind which command, it was freed,
 *            until that is known to be done.
 *   imported a pool of another process: it holds what was imported from it and allocates nothing.
 *
 * An allocation takes a free block if its stream comes behind the block's free: because it is the same stream, because the
 * program was told that the free is done, because of events or the null stream (policy FOLLOW_EVENTS), because it happens to be
 * done (OPPORTUNISTIC); else it makes a new segment; else, with INTERNAL, its stream is made to wait for a free.
 *
 * Segments without used blocks whose frees are done go back to the system when the program synchronizes and the pool holds more
 * than its release threshold, and when it is trimmed.
 *
 * Locks: a pool's own, under which only streams' locks are taken; the registry's, outside those of pools. Looking up an address
 * takes only the pool's lock. Pools and segments that are gone are used again, so that a look-up that comes too late finds one,
 * sees that the address is not its own, and says so. All functions are thread-safe. */
#ifndef WL_RUNTIME_POOL_H
#define WL_RUNTIME_POOL_H

#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

struct wl_mempool;

struct wl_mempool_properties {
    bool shareable;    /* can be exported by file descriptor */
    uint64_t max_size; /* bytes; 0: as much as the device has */
};

/* Policies and figures; the first three and the threshold can be set to any value, the high marks to 0. */
enum wl_mempool_attribute {
    WL_POOL_FOLLOW_EVENTS,
    WL_POOL_OPPORTUNISTIC,
    WL_POOL_INTERNAL,
    WL_POOL_RELEASE_THRESHOLD,
    WL_POOL_RESERVED,
    WL_POOL_RESERVED_HIGH,
    WL_POOL_USED,
    WL_POOL_USED_HIGH
};

enum wl_status wl_mempool_create(struct wl_context *context, const struct wl_mempool_properties *properties, struct wl_mempool **pool);
/* Gives the handle up; the pool goes when its last allocation is freed and that is done. A device's current pool becomes its
 * default pool. WL_INVALID_VALUE: it is a default pool. */
enum wl_status wl_mempool_destroy(struct wl_mempool *pool);
/* NULL: out of memory. */
struct wl_mempool *wl_mempool_default(struct wl_context *context);
struct wl_mempool *wl_mempool_current(struct wl_context *context);
/* WL_INVALID_VALUE: the pool is another device's, or imported. */
enum wl_status wl_mempool_set_current(struct wl_context *context, struct wl_mempool *pool);
struct wl_context *wl_mempool_context(const struct wl_mempool *pool);
bool wl_mempool_is_imported(const struct wl_mempool *pool);

/* Allocates in stream order. WL_INVALID_VALUE: an imported pool; WL_OUT_OF_MEMORY. */
enum wl_status wl_mempool_allocate(struct wl_mempool *pool, size_t size, struct wl_stream *stream, void **memory);
/* Frees in stream order; with `stream` NULL now, which the caller has made safe. WL_NOT_FOUND (without a sentence): the address
 * is in no pool; WL_INVALID_VALUE: it is not the start of an allocation. */
enum wl_status wl_mempool_free(void *memory, struct wl_stream *stream);
/* Gives segments back while at least `keep` bytes stay reserved. */
void wl_mempool_trim(struct wl_mempool *pool, uint64_t keep);

uint64_t wl_mempool_get(struct wl_mempool *pool, enum wl_mempool_attribute attribute);
/* WL_INVALID_VALUE: the attribute cannot have this value. */
enum wl_status wl_mempool_set(struct wl_mempool *pool, enum wl_mempool_attribute attribute, uint64_t value);
/* What a device may do with the pool's memory: 0 nothing, 1 read, 3 read and write. WL_INVALID_VALUE: less than everything for
 * the pool's own device. */
enum wl_status wl_mempool_set_access(struct wl_mempool *pool, unsigned device, unsigned access);
unsigned wl_mempool_access(struct wl_mempool *pool, unsigned device);

/* Whether an address lies in an allocation of a pool. */
bool wl_mempool_find(const void *address, struct wl_allocation *allocation);

/* The program has synchronized. Cheap unless a pool holds more than it should. */
extern atomic_uint wl_mempools_over; /* pools that may have something to give back */
void wl_mempool_release_excess(void);
static inline void wl_mempool_synchronized(void) {
    if (atomic_load_explicit(&wl_mempools_over, memory_order_relaxed))
        wl_mempool_release_excess();
}

/* hipDeviceReset: forgets all allocations and pools of the context but the default pool. */
void wl_mempool_reset(struct wl_context *context);
void wl_mempool_after_fork(void);

/* ---- between processes (pool_share.c) --------------------------------------------------------- */

#define WL_POOL_EXPORT_SIZE 64

/* A new descriptor of the pool's file. WL_INVALID_VALUE: the pool cannot be shared. */
enum wl_status wl_mempool_export(struct wl_mempool *pool, int *file);
/* The caller keeps its descriptor. WL_INVALID_VALUE: not the file of a pool. */
enum wl_status wl_mempool_import(struct wl_context *context, int file, struct wl_mempool **pool);
/* `data`: WL_POOL_EXPORT_SIZE bytes. WL_INVALID_VALUE: not an allocation of a pool that can be shared. */
enum wl_status wl_mempool_export_pointer(const void *memory, void *data);
/* Maps an allocation of the pool's original. WL_INVALID_VALUE: the pool was not imported, or the data is not of its original. */
enum wl_status wl_mempool_import_pointer(struct wl_mempool *pool, const void *data, void **memory);

#endif
