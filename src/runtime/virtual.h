/* Virtual memory management: reserved addresses, physical memory, mappings. (virtual.c) */
#ifndef WL_RUNTIME_VIRTUAL_H
#define WL_RUNTIME_VIRTUAL_H

#include "runtime/memory.h"

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
