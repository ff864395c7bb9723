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

/* Allocates and registers. HOST and MANAGED memory is page-aligned, DEVICE and ARRAY memory is aligned to 256 bytes. HOST and MANAGED memory is zeroed, other
 * memory is not. WL_OUT_OF_MEMORY if the device's size is exceeded or the system has none. */
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
/* Counts what was allocated, or with a negative number freed, for other processes to see: of a device, of the host, by device code.
 * `context` and `device` are of a kind whose memory is the host's. */
void wl_usage_add(const struct wl_context *context, int64_t bytes);
void wl_usage_add_host(int64_t bytes);
void wl_usage_add_heap(struct wl_device *device, int64_t bytes);
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
 * the end of an allocation, begins behind one's end or in memory that was freed and is kept for later, or runs over virtual addresses without memory or without that access. `allocation` receives what is
 * at `address`; its size is 0 if nothing is known there. */
enum wl_status wl_memory_check(const void *address, size_t size, bool write, struct wl_allocation *allocation);
/* A sentence about the nearest allocation; for faults, so it waits for no lock. */
void wl_memory_describe(uint64_t address, char *text, size_t size);

/* ---- managed memory (managed.c) ---------------------------------------------------------------- */

#define WL_MANAGED_GLOBAL 1u /* the flags of managed variables: hipMemAttachGlobal */

#define WL_LOCATION_HOST (-1)
#define WL_LOCATION_NONE (-2)

/* What was said about every page of a range. */
struct wl_managed_summary {
    bool read_mostly;          /* of all pages */
    int preferred, prefetched; /* the location that all pages have in common, else WL_LOCATION_NONE */
    uint64_t accessed_by;      /* bit n: device n; set for all pages */
    bool accessed_by_host;
    bool coarse_grain, mixed_grain; /* of all pages; of some but not all */
};

/* Records advice for the pages that [address, address + size) touches; `on` false takes it back. `location` is a device or
 * WL_LOCATION_HOST, of PREFERRED, PREFETCHED and ACCESSED_BY. The allocation is managed and holds the range. */
enum wl_status wl_managed_advise(const struct wl_allocation *allocation, const void *address, size_t size, enum wl_advice advice,
                                 int location, bool on);
/* Stands for all memory of the system, about which there may be advice as well: it is forgotten with the process. */
void wl_managed_system(struct wl_allocation *allocation);
void wl_managed_query(const struct wl_allocation *allocation, const void *address, size_t size, struct wl_managed_summary *summary);
/* Forgets a freed allocation's advice. */
void wl_managed_forget(uint64_t id);
void wl_managed_after_fork(void);

/* ---- memory files (share.c) ------------------------------------------------------------------- */

/* A ticket for device memory, good in any process of the same user while the allocation lives. */
struct wl_share_ticket {
    char magic[8];
    int32_t process, file;  /* the exporter, and its descriptor of the memory */
    uint64_t device, inode; /* of the file, against descriptors that were used again */
    uint64_t size, offset;  /* of the allocation; of the shared address in it */
    uint32_t owner;         /* device, by its index in the machine */
    uint32_t skipped;       /* bytes of the file before the allocation, less than a page */
};

/* Makes a memory file of `size` bytes for a device by its index in the machine. `file` is closed by the caller. */
enum wl_status wl_share_create(unsigned index, size_t size, int *file);
/* Whether a descriptor is such a file (of any process), its size and device. */
bool wl_share_describe(int file, size_t *size, unsigned *index);
/* Makes the DEVICE allocation at `address` shared: its contents move into a memory file at the same addresses. Nothing may be
 * using it. WL_NOT_FOUND: there is no such allocation; WL_UNSUPPORTED: it cannot be shared. */
enum wl_status wl_share_export(const void *address, struct wl_share_ticket *ticket);
/* Maps another process's memory, as an IMPORTED allocation of the context; again for the same memory: the same address.
 * WL_INVALID_VALUE: not a ticket, or this process's own; WL_NOT_FOUND: the memory or its process is gone. */
enum wl_status wl_share_import(struct wl_context *context, const struct wl_share_ticket *ticket, void **address);
/* Whether this process made the ticket. */
bool wl_share_is_own(const struct wl_share_ticket *ticket);
/* Takes one import back; the last one unmaps. WL_NOT_FOUND: not an imported address. */
enum wl_status wl_share_close(void *address);
/* Memory of devices that share by handles of their own (wl_host_memory_ops.share): the handle of an allocation and a place in it, which
 * together are too long for HIP's handle, are left in a file of this process, which the ticket names. `record` has at most
 * WL_SHARE_NOTE bytes. */
#define WL_SHARE_NOTE 128
enum wl_status wl_share_note(const void *record, size_t size, struct wl_share_ticket *ticket);
/* WL_INVALID_VALUE: not such a ticket; WL_NOT_FOUND: its process is gone. */
enum wl_status wl_share_read_note(const struct wl_share_ticket *ticket, void *record, size_t size);
void wl_share_after_fork(void);

/* ---- virtual memory management (virtual.c) ------------------------------------------------------ */

#define WL_GRANULARITY 4096u

/* Memory without addresses. A handle of kind WL_HANDLE_PHYSICAL. */
struct wl_physical {
    _Alignas(16) struct wl_context *context;
    size_t size; /* 0: not known, of an import from such a device */
    int file;    /* its own if exportable, else everybody's */
    bool exportable, imported;
    uint64_t offset;            /* in the file */
    uint64_t memory;            /* of a device with memory of its own (wl_virtual_ops): its handle, instead of the file */
    unsigned flags;             /* the caller's */
    unsigned handles, mappings; /* what keeps it; guarded by virtual.c */
};

/* The granularity of a context's virtual memory. */
size_t wl_physical_granularity(const struct wl_context *context, bool recommended);
/* Makes one with one handle. `size` is a multiple of the granularity. Zeroed where the memory is the host's. */
enum wl_status wl_physical_create(struct wl_context *context, size_t size, bool exportable, unsigned flags, struct wl_physical **physical);
/* A duplicate of its descriptor, the caller's. WL_UNSUPPORTED if it is not exportable. */
enum wl_status wl_physical_export(const struct wl_physical *physical, int *file);
/* The physical behind a descriptor of wl_physical_export, of this or another process, of a device of `context`'s kind; the descriptor
 * stays the caller's. */
enum wl_status wl_physical_import(struct wl_context *context, int file, struct wl_physical **physical);
/* Gives one handle back. WL_INVALID_VALUE if there is none. The memory goes with the last handle and mapping. */
enum wl_status wl_physical_release(struct wl_physical *physical);
/* The physical that is mapped at an address, with one more handle. NULL: none. */
struct wl_physical *wl_physical_at(const void *address);

/* Reserves addresses for memory of devices of `context`'s kind, at `hint` if they are free. */
enum wl_status wl_virtual_reserve(const struct wl_context *context, size_t size, size_t alignment, void *hint, void **address);
/* Gives a whole reservation back; WL_INVALID_VALUE if it is not one or something is mapped there. */
enum wl_status wl_virtual_release(void *address, size_t size);
/* Maps the first `size` bytes of a physical; without access until wl_virtual_protect. */
enum wl_status wl_virtual_map(void *address, size_t size, struct wl_physical *physical);
/* Unmaps a range that consists of whole mappings. Nothing may be using it. */
enum wl_status wl_virtual_unmap(void *address, size_t size);
/* Lets a device (or WL_LOCATION_HOST) read and write a range that consists of whole mappings. The process may do what any of
 * them may. WL_UNSUPPORTED: host and CPU devices do not reach a GPU's memory, nor it theirs. */
enum wl_status wl_virtual_protect(void *address, size_t size, int location, bool readable, bool writable);
/* What it may do at an address. False: nothing is mapped there. */
bool wl_virtual_access(const void *address, int location, bool *readable, bool *writable);
/* Whether an address is reserved. Costs nothing as long as nothing was ever reserved. */
bool wl_virtual_is_reserved(const void *address);
/* Whether the process may read or write all of a range of mappings. */
bool wl_virtual_allows(const void *address, size_t size, bool write);
void wl_virtual_after_fork(void);

#endif
