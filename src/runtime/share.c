/* Device memory between processes. A shared allocation is a memory file (memfd) that its process maps; another process opens
 * that file through /proc, so that nothing is left behind when processes die, and the pages live as long as any mapping. */
#include "runtime/share.h"
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/map.h"
#include "runtime/memory.h"
#include "runtime/virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "wlshare";

/* One mapping of another process's memory. */
struct import {
    struct import *next;
    uint64_t device, inode;
    char *address;
    size_t size, skipped; /* of all of it; before the allocation */
    unsigned uses;
};

static struct {
    pthread_mutex_t lock;
    struct import *imports;
    int notes; /* a file; 0: none was made */
    uint64_t note_bytes;
} shares = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- memory files ------------------------------------------------------------------------------ */

enum wl_status wl_share_create(unsigned index, size_t size, int *file) {
    char name[32];
    snprintf(name, sizeof name, "wavelift-%u", index);
    int made = memfd_create(name, MFD_CLOEXEC);
    if (made >= 0 && made < 3) { /* 0 means none in nodes, and the standard descriptors are the program's */
        int moved = fcntl(made, F_DUPFD_CLOEXEC, 3);
        close(made);
        made = moved;
    }
    if (made < 0)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory file: %m");
    if (size && ftruncate(made, (off_t)size) != 0) {
        close(made);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory file of %zu bytes: %m", size);
    }
    *file = made;
    return WL_OK;
}

bool wl_share_describe(int file, size_t *size, unsigned *index) {
    static const char prefix[] = "/memfd:wavelift-";
    char link[48], name[64] = "", *end = NULL;
    struct stat status;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (file < 0 || fstat(file, &status) != 0 || readlink(link, name, sizeof name - 1) < 0)
        return false;
    *size = (size_t)status.st_size;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    *index = (unsigned)strtoul(name + sizeof prefix - 1, &end, 10);
    return end != name + sizeof prefix - 1;
}

/* ---- exporting ---------------------------------------------------------------------------------- */

static bool write_all(int file, const char *from, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = pwrite(file, from + done, size - done, (off_t)done);
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

/* Puts a memory file with the same contents under the node's pages. */
static enum wl_status move_to_file(struct wl_map_node *node) {
    size_t skipped = node->skipped, bytes = skipped + node->capacity;
    char *address = (char *)(uintptr_t)(node->start - skipped);
    int file = -1;
    if ((uintptr_t)address % WL_GRANULARITY || bytes % WL_GRANULARITY)
        return wl_fail(WL_UNSUPPORTED, "memory that does not consist of pages cannot be shared");
    enum wl_status status = wl_share_create(node->allocation.context->device->index, bytes, &file);
    if (status != WL_OK)
        return status;
    if (!write_all(file, address, skipped + node->allocation.size) ||
        mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
        close(file);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to share %zu bytes: %m", (size_t)node->capacity);
    }
    node->file = file;
    return WL_OK;
}

enum wl_status wl_share_export(const void *address, struct wl_share_ticket *ticket) {
    struct wl_allocation allocation;
    struct stat status;
    if (!wl_memory_find(address, &allocation))
        return wl_fail(WL_NOT_FOUND, "no device memory at %p", address);
    if (allocation.kind != WL_MEMORY_DEVICE)
        return wl_fail(WL_UNSUPPORTED, "only device memory can be shared");
    pthread_mutex_lock(&shares.lock);
    struct wl_map_node *node = wl_map_at(allocation.address);
    enum wl_status result = node ? WL_OK : wl_fail(WL_NOT_FOUND, "no device memory at %p", address);
    if (result == WL_OK && !node->file)
        result = move_to_file(node);
    if (result == WL_OK && fstat(node->file, &status) != 0)
        result = wl_fail(WL_INTERNAL, "no status of a memory file: %m");
    if (result == WL_OK) {
        *ticket = (struct wl_share_ticket){.process = (int32_t)getpid(),
                                           .file = node->file,
                                           .device = status.st_dev,
                                           .inode = status.st_ino,
                                           .size = allocation.size,
                                           .offset = (uint64_t)(uintptr_t)address - allocation.address,
                                           .owner = allocation.context->device->index,
                                           .skipped = (uint32_t)node->skipped};
        memcpy(ticket->magic, magic, sizeof magic);
    }
    pthread_mutex_unlock(&shares.lock);
    return result;
}

/* ---- importing ---------------------------------------------------------------------------------- */

static bool is_file(int file, const struct wl_share_ticket *ticket) {
    struct stat status;
    return fstat(file, &status) == 0 && status.st_dev == ticket->device && status.st_ino == ticket->inode;
}

bool wl_share_is_own(const struct wl_share_ticket *ticket) { return ticket->process == (int32_t)getpid() && is_file(ticket->file, ticket); }

enum wl_status wl_share_open_ticket(const struct wl_share_ticket *ticket, int *file, size_t *bytes) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", ticket->process, ticket->file);
    *file = open(path, O_RDWR | O_CLOEXEC);
    if (*file < 0)
        return wl_fail(WL_NOT_FOUND, "process %d does not share this memory any more: %m", ticket->process);
    if (!is_file(*file, ticket) || fstat(*file, &status) != 0 || (uint64_t)status.st_size < ticket->skipped ||
        (uint64_t)status.st_size - ticket->skipped < ticket->size) {
        close(*file);
        return wl_fail(WL_NOT_FOUND, "process %d has freed this memory", ticket->process);
    }
    *bytes = (size_t)status.st_size;
    return WL_OK;
}

/* Runs with the lock held. */
static enum wl_status map_ticket(struct wl_context *context, const struct wl_share_ticket *ticket, struct import **result) {
    wl_assert_held(&shares.lock);
    size_t bytes = 0;
    int file = -1;
    enum wl_status status = wl_share_open_ticket(ticket, &file, &bytes);
    if (status != WL_OK)
        return status;
    struct import *made = malloc(sizeof *made);
    char *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (!made || address == MAP_FAILED) {
        status = wl_fail(WL_OUT_OF_MEMORY, "no memory to map %zu bytes", bytes);
    } else {
        status = wl_memory_register(context, WL_MEMORY_IMPORTED, address + ticket->skipped, ticket->size, 0);
        *made = (struct import){shares.imports, ticket->device, ticket->inode, address, bytes, ticket->skipped, 0};
    }
    if (status != WL_OK) {
        if (address != MAP_FAILED)
            munmap(address, bytes);
        free(made);
        return status;
    }
    *result = shares.imports = made;
    return WL_OK;
}

/* ---- notes ---------------------------------------------------------------------------------------- */

static const char note_magic[8] = WL_SHARE_NOTE_MAGIC;

enum wl_status wl_share_note(const void *record, size_t size, struct wl_share_ticket *ticket) {
    struct stat status;
    pthread_mutex_lock(&shares.lock);
    enum wl_status result = shares.notes ? WL_OK : wl_share_create(0, 0, &shares.notes);
    if (result == WL_OK &&
        (pwrite(shares.notes, record, size, (off_t)shares.note_bytes) != (ssize_t)size || fstat(shares.notes, &status) != 0))
        result = wl_fail(WL_OUT_OF_MEMORY, "no memory for a note of %zu bytes: %m", size);
    if (result == WL_OK) {
        *ticket = (struct wl_share_ticket){.process = (int32_t)getpid(),
                                           .file = shares.notes,
                                           .device = status.st_dev,
                                           .inode = status.st_ino,
                                           .size = size,
                                           .offset = shares.note_bytes};
        memcpy(ticket->magic, note_magic, sizeof note_magic);
        shares.note_bytes += WL_SHARE_NOTE;
    }
    pthread_mutex_unlock(&shares.lock);
    return result;
}

enum wl_status wl_share_read_note(const struct wl_share_ticket *ticket, void *record, size_t size) {
    int file = -1;
    size_t bytes = 0;
    if (memcmp(ticket->magic, note_magic, sizeof note_magic) != 0 || ticket->size != size)
        return wl_fail(WL_INVALID_VALUE, "not a handle of shared memory");
    enum wl_status status = wl_share_open_ticket(ticket, &file, &bytes);
    if (status != WL_OK)
        return status;
    if (pread(file, record, size, (off_t)ticket->offset) != (ssize_t)size)
        status = wl_fail(WL_INVALID_VALUE, "not a handle of shared memory");
    close(file);
    return status;
}

/* ---- mapping -------------------------------------------------------------------------------------- */

enum wl_status wl_share_import(struct wl_context *context, const struct wl_share_ticket *ticket, void **address) {
    if (memcmp(ticket->magic, magic, sizeof magic) != 0 || ticket->size == 0 || ticket->offset >= ticket->size ||
        ticket->skipped >= WL_GRANULARITY)
        return wl_fail(WL_INVALID_VALUE, "not a handle of shared memory");
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&shares.lock);
    struct import *import = shares.imports;
    while (import && (import->device != ticket->device || import->inode != ticket->inode))
        import = import->next;
    if (!import)
        status = map_ticket(context, ticket, &import);
    if (status == WL_OK) {
        import->uses++;
        *address = import->address + import->skipped + ticket->offset;
    }
    pthread_mutex_unlock(&shares.lock);
    return status;
}

enum wl_status wl_share_close(void *address) {
    struct import *ended = NULL;
    bool found = false;
    pthread_mutex_lock(&shares.lock);
    for (struct import **link = &shares.imports; *link && !found; link = found ? link : &(*link)->next) {
        struct import *import = *link;
        found = (char *)address >= import->address && (size_t)((char *)address - import->address) < import->size;
        if (found && --import->uses == 0) {
            ended = import;
            *link = import->next;
            (void)wl_memory_unregister(import->address + import->skipped, WL_MEMORY_IMPORTED);
            munmap(import->address, import->size);
        }
    }
    pthread_mutex_unlock(&shares.lock);
    free(ended);
    return found ? WL_OK : wl_fail(WL_NOT_FOUND, "%p is not an address of imported memory", address);
}

void wl_share_after_fork(void) {
    pthread_mutex_init(&shares.lock, NULL);
    shares.notes = 0; /* the parent's */
    shares.note_bytes = 0;
}
