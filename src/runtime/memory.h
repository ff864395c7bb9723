/* Memory of the runtime: what is at an address, allocating and freeing, and what goes with an allocation.
 *
 *   allocation a range of addresses the runtime handed out or was told about. Kinds below.
 *   map        all allocations, ordered by address; answers "what is at p" (map.c).
 *   block      the pages behind a device allocation, which may be larger than it. A freed block stays in its context's
 *              cache, and in the map as a dead node, until it is used again or the cache is full (memory.c).
 *   advice     what hipMemAdvise and hipMemPrefetchAsync said about pieces of a managed allocation (managed.c).
 *   physical   memory without an address (hipMemCreate); a reservation is addresses without memory; a mapping joins the
 *              two and is an allocation of its own (virtual.c).
 *   shared     device memory that other processes can map, or have mapped into this one (share.c).
 *
 * Everything here is thread-safe. Locks: the map's read-write lock, then one node's spin lock; a cache shard's, the advice
 * lock and the lock of virtual.c are taken alone. Nothing else is taken under any of them. */
#ifndef WL_RUNTIME_MEMORY_H
#define WL_RUNTIME_MEMORY_H

#include "base/status.h"
#include "device/device.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_context;

enum wl_memory_kind {
    WL_MEMORY_DEVICE,
    WL_MEMORY_HOST,       /* pinned: hipHostMalloc */
    WL_MEMORY_REGISTERED, /* the program's own, hipHostRegister */
    WL_MEMORY_MANAGED,
    WL_MEMORY_VARIABLE, /* a variable of a module */
    WL_MEMORY_VIRTUAL,  /* a mapping of virtual.c */
    WL_MEMORY_IMPORTED, /* device memory of another process */
    WL_MEMORY_ARRAY,    /* the storage of an array */
    WL_MEMORY_POOL,     /* a piece of a memory pool, which owns the pages */
    WL_MEMORY_EXTERNAL, /* a mapping of another interface's memory; freeing unmaps it */
    WL_MEMORY_KINDS
};

/* What the map knows about an address: a copy, valid as long as the allocation lives. */
struct wl_allocation {
    uint64_t address, size;
    enum wl_memory_kind kind;
    unsigned flags;             /* as the program gave them */
    struct wl_context *context; /* NULL: of no particular device */
    uint64_t id;                /* unique in the process */
    void *pool;                 /* of WL_MEMORY_POOL: the pool's handle */
    bool sync_copies;           /* HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS */
    bool exportable;            /* a physical that may be shared by file descriptor */
    bool shared;                /* another process can map it */
    bool enrolled;              /* of MANAGED and EXTERNAL: pages of the system that devices were told of */
    struct wl_device *owner;    /* of HOST, MANAGED and EXTERNAL: the device that it came from; NULL: the system */
};

/* ---- allocating (memory.c) ------------------------------------------------------------------- */

#define WL_MEMORY_CLASSES 40 /* sizes of cached blocks: every page to 64 KiB, then four sizes a doubling, to 4 MiB */
#define WL_MEMORY_SHARDS  8  /* threads spread over these */

#define WL_MEMORY_WRITE_COMBINED 4u /* in the flags of HOST memory: hipHostMallocWriteCombined */

struct wl_map_node;

/* The free blocks of a context. */
struct wl_memory_cache {
    struct wl_memory_shard {
        pthread_mutex_t lock;
        size_t held; /* bytes */
        struct wl_map_node *blocks[WL_MEMORY_CLASSES];
    } shards[WL_MEMORY_SHARDS];
};

/* Prepares a zeroed cache. */
void wl_memory_cache_init(struct wl_memory_cache *cache);

/* Allocates and registers. HOST and MANAGED memory is page-aligned, DEVICE and ARRAY memory is aligned to 256 bytes. HOST and MANAGED
 * memory is zeroed, other memory is not. WL_OUT_OF_MEMORY if the device's size is exceeded or the system has none. */
enum wl_status wl_memory_allocate(struct wl_context *context, enum wl_memory_kind kind, size_t size, unsigned flags, void **memory);
/* Frees memory that starts at `memory` and has one of the kinds in the bit set `kinds` (1u << kind). WL_INVALID_VALUE if it
 * is not such an allocation. The caller has made sure that nothing queued uses it. */
enum wl_status wl_memory_free(void *memory, unsigned kinds);
/* Makes an allocation unknown for freeing it later with wl_memory_discard (hipFreeAsync). */
enum wl_status wl_memory_detach(void *memory, unsigned kinds, struct wl_allocation *detached);
void wl_memory_discard(const struct wl_allocation *detached);
/* Registers foreign memory (hipHostRegister, variables of modules). WL_INVALID_VALUE if it overlaps a known range. */
enum wl_status wl_memory_register(struct wl_context *context, enum wl_memory_kind kind, void *memory, size_t size, unsigned flags);
/* Makes pages of the program, or of the runtime, known to devices that do not reach the host's memory by themselves; flags are
 * WL_HOST_*. Nothing to do where there are none. WL_ILLEGAL_STATE: some of them are known already; the device's errors. */
enum wl_status wl_memory_enroll(struct wl_context *context, void *memory, size_t size, unsigned flags);
void wl_memory_withdraw(struct wl_context *context, void *memory);
/* wl_memory_register with every member of `allocation` but `id`, for the owners of other kinds. */
enum wl_status wl_memory_adopt(const struct wl_allocation *allocation);
/* Takes foreign memory out. WL_INVALID_VALUE if no such range begins there. */
enum wl_status wl_memory_unregister(void *memory, enum wl_memory_kind kind);
/* Counts bytes of the context's device memory. WL_OUT_OF_MEMORY if there are not as many. */
enum wl_status wl_memory_charge(struct wl_context *context, size_t size);
void wl_memory_refund(struct wl_context *context, size_t size);
/* What hipMemGetInfo tells of a context's device. Where its memory is the host's, `free` counts what this and other processes of the
 * user have allocated of it (device, pinned and managed memory, and device code's), and what the machine can still give (usage.c). */
void wl_memory_info(struct wl_context *context, uint64_t *free, uint64_t *total);
/* Bytes of the context's device that other processes of the user have. */
uint64_t wl_usage_of_others(const struct wl_context *context);
/* Counts what was allocated, or with a negative number freed, for other processes to see: of a device, of the host, by device code.
 * `context` and `device` are of a kind whose memory is the host's. */
void wl_usage_add(const struct wl_context *context, int64_t bytes);
void wl_usage_add_host(int64_t bytes);
void wl_usage_add_heap(struct wl_device *device, int64_t bytes);
/* What a process has of devices' memory: this user's processes on devices whose memory is the host's. */
struct wl_usage_process {
    int process;
    uint64_t bytes[WL_MAX_DEVICES]; /* of a device, by its index in the machine */
    uint64_t host;                  /* pinned and managed */
};
/* Those that have some, but this one, at most `capacity`; how many there are. */
unsigned wl_usage_processes(struct wl_usage_process *processes, unsigned capacity);
void wl_usage_after_fork(void);
/* Frees every device allocation of a context and its cache (hipDeviceReset), and external memory that the device was told of. */
void wl_memory_free_context(struct wl_context *context);
/* Frees the pinned and managed memory that was allocated in a context. */
void wl_memory_free_host(struct wl_context *context);
/* Bytes of the cached blocks of a context. */
size_t wl_memory_cached(struct wl_context *context);
/* Gives the cached blocks of a context back to the device. */
void wl_memory_trim(struct wl_context *context);
/* In a forked child: no other thread holds a lock. */
void wl_memory_after_fork(void);
void wl_memory_cache_after_fork(struct wl_memory_cache *cache);

/* ---- looking up (map.c) ---------------------------------------------------------------------- */

/* Looks an address up. False: nothing known there. */
bool wl_memory_find(const void *address, struct wl_allocation *allocation);
/* Sets `flags` (FLAGS), `sync_copies` (SYNC) or `enrolled` (ENROLLED) of the allocation at an address. False: nothing known there. */
enum wl_memory_member { WL_MEMORY_FLAGS, WL_MEMORY_SYNC, WL_MEMORY_ENROLLED };
bool wl_memory_set(const void *address, enum wl_memory_member member, unsigned value);
/* Whether the process has pages at all of [address, address + size). Asks the system. */
bool wl_memory_is_mapped(const void *address, size_t size);
/* Whether [address, address + size) runs over the end of a known allocation. Unknown memory is the program's business;
 * mappings of virtual.c that follow each other count as one. */
bool wl_memory_overruns(const void *address, size_t size);
/* Whether runtime functions may read or write all of [address, address + size): WL_INVALID_VALUE for a range that runs over
 * the end of an allocation, begins behind one's end or in memory that was freed and is kept for later, or runs over virtual addresses
 * without memory or without that access. `allocation` receives what is at `address`; its size is 0 if nothing is known there. */
enum wl_status wl_memory_check(const void *address, size_t size, bool write, struct wl_allocation *allocation);
/* A sentence about the nearest allocation; for faults, so it waits for no lock. */
void wl_memory_describe(uint64_t address, char *text, size_t size);

#endif
