/* Device memory between processes as handles of WL_SHARED_HANDLE bytes: a device's own, or a ticket (share.c) for all others. */
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/share.h"
#include "runtime/stream_run.h"
#include "runtime/virtual.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct wl_share_ticket) <= WL_SHARED_HANDLE, "a ticket fits into a handle");

/* Memory of a device that shares it by itself. */
static struct wl_device *sharer(const struct wl_context *context) { return context && context->device->ops->host ? context->device : NULL; }

/* A place within memory that a device shares, as a note has it. */
struct inner {
    unsigned char handle[WL_SHARED_HANDLE]; /* of the whole allocation */
    uint64_t offset;
};
_Static_assert(sizeof(struct inner) <= WL_SHARE_NOTE, "it fits into a note");

/* Of the start of an allocation the device's own handle, which other programs on the driver understand; else a ticket for a note. */
static enum wl_status share_of_device(struct wl_device *device, const void *memory, const struct wl_allocation *allocation,
                                      unsigned char *handle) {
    struct inner inner = {.offset = (uint64_t)(uintptr_t)memory - allocation->address};
    struct wl_share_ticket ticket;
    if (allocation->kind != WL_MEMORY_DEVICE)
        return wl_fail(WL_UNSUPPORTED, "only device memory can be shared");
    enum wl_status status =
        device->ops->host->share(device, (const void *)(uintptr_t)allocation->address, inner.offset ? inner.handle : handle);
    if (status != WL_OK || !inner.offset)
        return status;
    status = wl_share_note(&inner, sizeof inner, &ticket);
    if (status == WL_OK)
        memcpy(handle, &ticket, sizeof ticket);
    return status;
}

/* Memory of other processes that devices have opened: each once, however often it is asked for. */
struct import {
    struct import *next;
    unsigned char handle[WL_SHARED_HANDLE];
    struct wl_context *context;
    char *memory;
    unsigned uses;
};

static struct {
    pthread_mutex_t lock; /* over the list */
    struct import *first;
} imports = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Runs with the lock held. */
static enum wl_status open_import(struct wl_context *context, const unsigned char *handle, struct import **result) {
    wl_assert_held(&imports.lock);
    size_t size = 0;
    void *memory = NULL;
    struct import *made = calloc(1, sizeof *made);
    enum wl_status status = made ? context->device->ops->host->shared_open(context->device, handle, &memory, &size)
                                 : wl_fail(WL_OUT_OF_MEMORY, "no memory for an import");
    if (status == WL_OK) {
        status = wl_memory_register(context, WL_MEMORY_IMPORTED, memory, size, 0);
        if (status != WL_OK)
            context->device->ops->host->shared_close(context->device, memory);
    }
    if (status != WL_OK) {
        free(made);
        return status;
    }
    memcpy(made->handle, handle, sizeof made->handle);
    made->context = context;
    made->memory = memory;
    made->next = imports.first;
    imports.first = *result = made;
    return WL_OK;
}

static enum wl_status open_of_device(struct wl_context *context, const unsigned char *handle, void **memory) {
    struct inner inner = {.offset = 0};
    struct wl_share_ticket ticket;
    memcpy(&ticket, handle, sizeof ticket);
    enum wl_status status = wl_share_read_note(&ticket, &inner, sizeof inner);
    if (status == WL_INVALID_VALUE) { /* the device's own */
        memcpy(inner.handle, handle, sizeof inner.handle);
        status = WL_OK;
    }
    if (status != WL_OK)
        return status;
    pthread_mutex_lock(&imports.lock);
    struct import *import = imports.first;
    while (import && (import->context != context || memcmp(import->handle, inner.handle, sizeof inner.handle) != 0))
        import = import->next;
    if (!import)
        status = open_import(context, inner.handle, &import);
    if (status == WL_OK) {
        import->uses++;
        *memory = import->memory + inner.offset;
    }
    pthread_mutex_unlock(&imports.lock);
    return status;
}

/* `memory` is anywhere in what was opened. */
static enum wl_status close_of_device(const struct wl_allocation *allocation) {
    pthread_mutex_lock(&imports.lock);
    struct import **link = &imports.first;
    while (*link && (uint64_t)(uintptr_t)(*link)->memory != allocation->address)
        link = &(*link)->next;
    struct import *import = *link;
    enum wl_status status = import ? WL_OK : wl_fail(WL_INVALID_VALUE, "not memory of another process");
    if (import && --import->uses == 0) {
        *link = import->next;
        status = wl_memory_unregister(import->memory, WL_MEMORY_IMPORTED);
        import->context->device->ops->host->shared_close(import->context->device, import->memory);
        free(import);
    }
    pthread_mutex_unlock(&imports.lock);
    return status;
}

/* ---- handles ------------------------------------------------------------------------------------ */

static void wait_for_work(void) {
    if (!wl_stream_inside_command())
        wl_runtime_drain();
}

enum wl_status wl_share_handle_make(const void *memory, unsigned char *handle) {
    struct wl_share_ticket ticket;
    struct wl_allocation allocation;
    wait_for_work(); /* the memory moves when it is shared for the first time */
    memset(handle, 0, WL_SHARED_HANDLE);
    struct wl_device *device = wl_memory_find(memory, &allocation) ? sharer(allocation.context) : NULL;
    if (device)
        return share_of_device(device, memory, &allocation, handle);
    memset(&ticket, 0, sizeof ticket);
    enum wl_status status = wl_share_export(memory, &ticket);
    if (status == WL_OK)
        memcpy(handle, &ticket, sizeof ticket);
    return status;
}

bool wl_share_handle_is_own(const struct wl_context *context, const unsigned char *handle) {
    struct wl_share_ticket ticket;
    memcpy(&ticket, handle, sizeof ticket);
    return !sharer(context) && wl_share_is_own(&ticket);
}

enum wl_status wl_share_handle_open(struct wl_context *context, const unsigned char *handle, void **memory) {
    struct wl_share_ticket ticket;
    if (sharer(context))
        return open_of_device(context, handle, memory);
    memcpy(&ticket, handle, sizeof ticket);
    return wl_share_import(context, &ticket, memory);
}

enum wl_status wl_share_handle_close(void *memory) {
    struct wl_allocation allocation;
    if (!wl_memory_find(memory, &allocation) || allocation.kind != WL_MEMORY_IMPORTED)
        return wl_fail(WL_INVALID_VALUE, "%p is not memory of another process", memory);
    wait_for_work();
    return sharer(allocation.context) ? close_of_device(&allocation) : wl_share_close(memory);
}

/* ---- short handles -------------------------------------------------------------------------------- */

struct short_handle {
    char magic[4];
    int32_t process, file;
    uint32_t number; /* of the note */
    uint64_t device, inode;
};
_Static_assert(sizeof(struct short_handle) == WL_SHARE_SHORT, "it fits");
static const char note_magic[] = "wlSn", page_magic[] = "wlSp";

enum wl_status wl_share_shorten(const unsigned char *handle, void *shortened) {
    struct wl_share_ticket ticket;
    enum wl_status status = wl_share_note(handle, WL_SHARED_HANDLE, &ticket);
    if (status != WL_OK)
        return status;
    struct short_handle made = {.process = ticket.process,
                                .file = ticket.file,
                                .number = (uint32_t)(ticket.offset / WL_SHARE_NOTE),
                                .device = ticket.device,
                                .inode = ticket.inode};
    memcpy(made.magic, note_magic, sizeof made.magic);
    memcpy(shortened, &made, sizeof made);
    return WL_OK;
}

enum wl_status wl_share_lengthen(const void *shortened, unsigned char *handle) {
    struct short_handle from;
    memcpy(&from, shortened, sizeof from);
    if (memcmp(from.magic, note_magic, sizeof from.magic) != 0)
        return wl_fail(WL_INVALID_VALUE, "not a handle of shared memory");
    return wl_share_read_note(&(struct wl_share_ticket){.magic = WL_SHARE_NOTE_MAGIC,
                                                        .process = from.process,
                                                        .file = from.file,
                                                        .device = from.device,
                                                        .inode = from.inode,
                                                        .size = WL_SHARED_HANDLE,
                                                        .offset = (uint64_t)from.number * WL_SHARE_NOTE},
                              handle, WL_SHARED_HANDLE);
}

/* ---- pages ------------------------------------------------------------------------------------------ */

enum wl_status wl_share_page(void **page, void *shortened) {
    struct stat facts;
    int file = -1;
    enum wl_status status = wl_share_create(0, WL_GRANULARITY, &file);
    if (status != WL_OK)
        return status;
    void *memory = mmap(NULL, WL_GRANULARITY, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED || fstat(file, &facts) != 0) {
        if (memory != MAP_FAILED)
            munmap(memory, WL_GRANULARITY);
        close(file);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a page that processes share: %m");
    }
    struct short_handle made = {.process = (int32_t)getpid(), .file = file, .device = facts.st_dev, .inode = facts.st_ino};
    memcpy(made.magic, page_magic, sizeof made.magic);
    memcpy(shortened, &made, sizeof made);
    *page = memory;
    return WL_OK;
}

enum wl_status wl_share_open_page(const void *shortened, void **page) {
    struct short_handle from;
    int file = -1;
    size_t bytes = 0;
    memcpy(&from, shortened, sizeof from);
    if (memcmp(from.magic, page_magic, sizeof from.magic) != 0)
        return wl_fail(WL_INVALID_VALUE, "not a handle of a shared page");
    enum wl_status status = wl_share_open_ticket(
        &(struct wl_share_ticket){
            .process = from.process, .file = from.file, .device = from.device, .inode = from.inode, .size = WL_GRANULARITY},
        &file, &bytes);
    if (status != WL_OK)
        return status;
    void *memory = mmap(NULL, WL_GRANULARITY, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a shared page: %m");
    *page = memory;
    return WL_OK;
}

void wl_share_close_page(void *page, const void *shortened) {
    struct short_handle from;
    memcpy(&from, shortened, sizeof from);
    munmap(page, WL_GRANULARITY);
    if (from.process == (int32_t)getpid())
        close(from.file);
}
