/* The structures of pools, for pool.c, pool_segment.c and pool_share.c only. */
#ifndef WL_RUNTIME_POOL_INTERNAL_H
#define WL_RUNTIME_POOL_INTERNAL_H

#include "runtime/pool.h"

#define SEGMENT_SHIFT 21
#define SEGMENT_BYTES ((size_t)1 << SEGMENT_SHIFT)
#define SMALL_SHIFT   9 /* granule of small segments; large ones have SEGMENT_SHIFT */
#define SMALL_LIMIT   (SEGMENT_BYTES / 2)
#define BINS          256
#define MAX_DEVICES   64

struct wl_mempool_segment;

struct wl_mempool_block {
    struct wl_mempool_segment *segment; /* NULL: the structure is spare */
    size_t offset, size;                /* bytes in the segment */
    size_t requested;
    uint64_t id;
    size_t kept; /* free: bytes as they were asked for, of what was freed into it */
    bool used;
    struct wl_stream *freed_in; /* free: referenced; NULL: its free is done */
    uint64_t freed_at;
    struct wl_mempool_block *before, *after;  /* neighbours in the segment */
    struct wl_mempool_block *previous, *next; /* in its bin */
};

struct wl_mempool_segment {
    _Atomic(struct wl_mempool *) pool; /* NULL: gone */
    char *base;
    size_t size;
    uint64_t file_offset;         /* of imports from a GPU: of the memory in the segment */
    unsigned shift;               /* of the granule */
    size_t used;                  /* blocks */
    struct wl_mempool_block **at; /* the block that starts at a granule, or NULL */
    struct wl_mempool_block *first;
    struct wl_mempool_segment *previous, *next; /* in its pool */
};

struct bins {
    uint64_t filled[BINS / 64];
    struct wl_mempool_block *first[BINS];
};

struct wl_mempool {
    pthread_mutex_t lock; /* guards everything but `context`, `imported` and the registry's links */
    struct wl_context *context;
    bool alive, is_default, imported, destroyed;
    bool over;       /* counted in wl_mempools_over */
    bool unmerged;   /* something was freed since free blocks were last joined */
    int file;        /* of a pool that can be shared or was imported; -1 */
    uint64_t shared; /* the same of a GPU: the device's pool, whose allocations are segments with one block; 0 */
    uint64_t file_size, max_size;
    bool follow_events, opportunistic, internal;
    uint64_t threshold, reserved;              /* bytes, of segments */
    uint64_t used, kept, used_high, held_high; /* bytes as they were asked for: used, of freed blocks, and high marks of used and both */
    size_t empty;                              /* segments without used blocks */
    size_t count;                              /* used blocks */
    unsigned char access[MAX_DEVICES];
    struct bins small, large;
    struct wl_mempool_segment *segments;
    struct wl_mempool_block *spare;
    struct wl_mempool *next; /* in the registry, for ever */
};

/* All below: the pool's lock is held. */

/* Makes a segment of `size` bytes (a multiple of SEGMENT_BYTES) with one free block, which is in no bin. */
enum wl_status wl_segment_create(struct wl_mempool *pool, size_t size, unsigned shift, struct wl_mempool_segment **segment);
/* Registers pages at `base` as a segment with one block at `offset`. Takes over nothing on failure. */
enum wl_status wl_segment_adopt(struct wl_mempool *pool, char *base, size_t size, unsigned shift, size_t offset, size_t length,
                                struct wl_mempool_segment **segment);
/* Gives the pages back. Its blocks are in no bin. */
void wl_segment_destroy(struct wl_mempool_segment *segment);
/* The segment that has an address, or had: the caller checks under the lock of its pool. Takes no lock. */
struct wl_mempool_segment *wl_segment_at(const void *address);
/* The block that has an address, used or not; NULL: none. */
struct wl_mempool_block *wl_segment_block(const struct wl_mempool_segment *segment, const void *address);
struct wl_mempool_block *wl_block_new(struct wl_mempool *pool);
void wl_block_spare(struct wl_mempool *pool, struct wl_mempool_block *block);
/* A pool without a file, in the registry; its lock is not held. */
enum wl_status wl_mempool_make(struct wl_context *context, struct wl_mempool **pool);
/* Locks the pool that has an address. NULL: none has; nothing is locked. */
struct wl_mempool *wl_mempool_lock_at(const void *address, struct wl_mempool_segment **segment);
uint64_t wl_mempool_new_id(void);

#endif
