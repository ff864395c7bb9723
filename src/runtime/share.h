/* Memory files: allocations that other processes map (share.c), and handles of them (share_handle.c). */
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
 * WL_INVALID_VALUE: not a ticket; WL_NOT_FOUND: the memory or its process is gone. */
enum wl_status wl_share_import(struct wl_context *context, const struct wl_share_ticket *ticket, void **address);
/* Opens the file of a ticket, of `bytes` bytes; the caller closes it. WL_NOT_FOUND: the memory or its process is gone. */
enum wl_status wl_share_open_ticket(const struct wl_share_ticket *ticket, int *file, size_t *bytes);
/* Whether this process made the ticket. */
bool wl_share_is_own(const struct wl_share_ticket *ticket);
/* Takes one import back; the last one unmaps. WL_NOT_FOUND: not an imported address. */
enum wl_status wl_share_close(void *address);
/* Memory of devices that share by handles of their own (wl_host_memory_ops.share): the handle of an allocation and a place in it, which
 * together are too long for HIP's handle, are left in a file of this process, which the ticket names. `record` has at most
 * WL_SHARE_NOTE bytes. */
#define WL_SHARE_NOTE       128
#define WL_SHARE_NOTE_MAGIC "wlnote1" /* of its ticket */
enum wl_status wl_share_note(const void *record, size_t size, struct wl_share_ticket *ticket);
/* WL_INVALID_VALUE: not such a ticket; WL_NOT_FOUND: its process is gone. */
enum wl_status wl_share_read_note(const struct wl_share_ticket *ticket, void *record, size_t size);
void wl_share_after_fork(void);

/* ---- handles (share_handle.c) ------------------------------------------------------------------- */

/* A handle of WL_SHARED_HANDLE bytes for device memory, of which `memory` is any address, for processes of the same user. What streams do is
 * waited for. Errors as wl_share_export's. */
enum wl_status wl_share_handle_make(const void *memory, unsigned char *handle);
/* Whether this process made the handle. Of devices that share by themselves the driver knows, and says WL_ILLEGAL_STATE in wl_share_handle_open. */
bool wl_share_handle_is_own(const struct wl_context *context, const unsigned char *handle);
/* Maps what a handle stands for, for a context. Each time that it is opened it is closed once. Errors as wl_share_import's. */
enum wl_status wl_share_handle_open(struct wl_context *context, const unsigned char *handle, void **memory);
/* Takes one opening back. WL_INVALID_VALUE: not such memory. */
enum wl_status wl_share_handle_close(void *memory);

#define WL_SHARE_SHORT 32
/* A handle in WL_SHARE_SHORT bytes, which are good as long as this process lives; and back. */
enum wl_status wl_share_shorten(const unsigned char *handle, void *shortened);
enum wl_status wl_share_lengthen(const void *shortened, unsigned char *handle);
/* A page of zeros that other processes can map by a short handle while this one has not closed it; such a page of another process; either is
 * closed with its short handle. */
enum wl_status wl_share_page(void **page, void *shortened);
enum wl_status wl_share_open_page(const void *shortened, void **page);
void wl_share_close_page(void *page, const void *shortened);

#endif
