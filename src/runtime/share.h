/* Memory files: allocations that other processes map. (share.c) */
#ifndef WL_RUNTIME_SHARE_H
#define WL_RUNTIME_SHARE_H

#include "runtime/memory.h"

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

#endif
