/* Virtual memory management: physicals are ranges of memory files, reservations are address ranges without access, mappings
 * put the ones into the others.
 *
 * A physical that can be exported has a memory file of its own. The others share one, in which every one gets a new range, so
 * that thousands of them need one descriptor; the range of a dead one is a hole. */
#include "runtime/virtual.h"
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/managed.h"
#include "runtime/memory.h"
#include "runtime/share.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct mapping {
    struct mapping *next; /* in order of addresses */
    char *address;
    size_t size;
    struct wl_physical *physical;
    uint64_t readers, writers; /* bit n: device n */
    bool host_reads, host_writes;
};

struct reservation {
    struct reservation *next;
    char *address;
    size_t size;
    struct wl_device *device; /* whose driver reserved it; NULL: pages of the process */
    struct mapping *mappings;
};

static struct {
    pthread_mutex_t lock; /* guards everything */
    struct reservation *reservations;
    atomic_uint count;   /* of reservations; read without the lock */
    int file;            /* of physicals that are not exportable; 0: not made yet */
    uint64_t file_bytes; /* handed out so far */
} space = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct wl_virtual_ops *ops_of(const struct wl_context *context) { return context->device->ops->virtual_memory; }

size_t wl_physical_granularity(const struct wl_context *context, bool recommended) {
    const size_t large = (size_t)2 << 20;
    if (ops_of(context))
        return ops_of(context)->granularity(context->device, recommended);
    return recommended ? large : WL_GRANULARITY;
}

/* ---- physicals ----------------------------------------------------------------------------------- */

/* A range of the common file. The lock is held. */
static enum wl_status take_range(struct wl_physical *physical) {
    wl_assert_held(&space.lock);
    enum wl_status status = space.file ? WL_OK : wl_share_create(0, 0, &space.file);
    if (status != WL_OK)
        return status;
    if (ftruncate(space.file, (off_t)(space.file_bytes + physical->size)) != 0)
        return wl_fail(WL_OUT_OF_MEMORY, "no room for %zu bytes of memory: %m", physical->size);
    physical->file = space.file;
    physical->offset = space.file_bytes;
    space.file_bytes += physical->size;
    return WL_OK;
}

static struct wl_physical *new_physical(struct wl_context *context, size_t size, unsigned flags) {
    struct wl_physical *made = calloc(1, sizeof *made);
    if (!made || wl_handle_add(made, WL_HANDLE_PHYSICAL) != WL_OK) {
        free(made);
        (void)wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a memory handle");
        return NULL;
    }
    *made = (struct wl_physical){.context = context, .size = size, .flags = flags, .handles = 1};
    return made;
}

/* The lock is held; nothing keeps it any more. */
static void free_physical(struct wl_physical *physical) {
    wl_assert_held(&space.lock);
    wl_handle_remove(physical);
    if (ops_of(physical->context)) {
        if (physical->memory)
            ops_of(physical->context)->release(physical->context->device, physical->memory);
    } else if (physical->exportable) {
        close(physical->file);
    } else if (physical->file && physical->file == space.file) { /* gives the pages back, unless they are a parent process's */
        (void)fallocate(physical->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)physical->offset, (off_t)physical->size);
    }
    if (!physical->imported)
        wl_memory_refund(physical->context, physical->size);
    free(physical);
}

enum wl_status wl_physical_create(struct wl_context *context, size_t size, bool exportable, unsigned flags, struct wl_physical **physical) {
    enum wl_status status = wl_memory_charge(context, size);
    if (status != WL_OK)
        return status;
    struct wl_physical *made = new_physical(context, size, flags);
    if (!made) {
        wl_memory_refund(context, size);
        return WL_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&space.lock);
    status = ops_of(context) ? ops_of(context)->create(context->device, size, exportable, &made->memory)
             : exportable    ? wl_share_create(context->device->index, size, &made->file)
                             : take_range(made);
    if (status != WL_OK)
        free_physical(made);
    else
        made->exportable = exportable;
    pthread_mutex_unlock(&space.lock);
    if (status == WL_OK)
        *physical = made;
    return status;
}

enum wl_status wl_physical_export(const struct wl_physical *physical, int *file) {
    if (!physical->exportable)
        return wl_fail(WL_UNSUPPORTED, "the memory was not made for file descriptors");
    if (ops_of(physical->context))
        return ops_of(physical->context)->export_file(physical->context->device, physical->memory, file);
    int copy = fcntl(physical->file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return wl_fail(WL_OUT_OF_MEMORY, "no file descriptor: %m");
    *file = copy;
    return WL_OK;
}

static enum wl_status import_from_device(struct wl_context *context, int file, struct wl_physical **physical) {
    uint64_t memory = 0;
    enum wl_status status = ops_of(context)->import_file(context->device, file, &memory);
    if (status != WL_OK)
        return status;
    struct wl_physical *made = new_physical(context, 0, 0);
    if (!made) {
        ops_of(context)->release(context->device, memory);
        return WL_OUT_OF_MEMORY;
    }
    made->memory = memory;
    made->exportable = made->imported = true;
    *physical = made;
    return WL_OK;
}

enum wl_status wl_physical_import(struct wl_context *context, int file, struct wl_physical **physical) {
    size_t size = 0;
    unsigned index = 0;
    if (ops_of(context))
        return import_from_device(context, file, physical);
    if (!wl_share_describe(file, &size, &index) || size == 0 || size % WL_GRANULARITY)
        return wl_fail(WL_INVALID_VALUE, "descriptor %d is not exported memory", file);
    for (unsigned i = 0; i < wl_context_count(); i++) /* of a device that is hidden here it is the given one's */
        if (wl_context_at(i)->device->index == index)
            context = wl_context_at(i);
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 3);
    struct wl_physical *made = copy < 0 ? NULL : new_physical(context, size, 0);
    if (!made) {
        if (copy >= 0)
            close(copy);
        return wl_fail(WL_OUT_OF_MEMORY, "no file descriptor or memory for an import");
    }
    made->file = copy;
    made->exportable = made->imported = true;
    *physical = made;
    return WL_OK;
}

static void free_if_unused(struct wl_physical *physical) {
    if (!physical->handles && !physical->mappings)
        free_physical(physical);
}

enum wl_status wl_physical_release(struct wl_physical *physical) {
    pthread_mutex_lock(&space.lock);
    bool held = wl_handle_is(physical, WL_HANDLE_PHYSICAL) && physical->handles > 0;
    if (held) {
        physical->handles--;
        free_if_unused(physical);
    }
    pthread_mutex_unlock(&space.lock);
    return held ? WL_OK : wl_fail(WL_INVALID_VALUE, "the handle was released before");
}

/* ---- finding; the lock is held -------------------------------------------------------------------- */

static struct reservation *reservation_at(const void *address) {
    wl_assert_held(&space.lock);
    const char *p = address;
    struct reservation *reservation = space.reservations;
    while (reservation && (p < reservation->address || (size_t)(p - reservation->address) >= reservation->size))
        reservation = reservation->next;
    return reservation;
}

static struct mapping *mapping_at(const void *address) {
    const char *p = address;
    const struct reservation *reservation = reservation_at(address);
    struct mapping *mapping = reservation ? reservation->mappings : NULL;
    while (mapping && (p < mapping->address || (size_t)(p - mapping->address) >= mapping->size))
        mapping = mapping->next;
    return mapping;
}

/* The first mapping of a range that whole mappings fill without a gap; NULL if they do not. */
static struct mapping *whole_mappings(const void *address, size_t size) {
    struct mapping *first = mapping_at(address);
    if (!first || first->address != (const char *)address)
        return NULL;
    size_t covered = 0;
    for (const struct mapping *mapping = first; mapping && covered < size; mapping = mapping->next) {
        if (mapping->address != first->address + covered)
            return NULL;
        covered += mapping->size;
    }
    return covered == size ? first : NULL;
}

struct wl_physical *wl_physical_at(const void *address) {
    pthread_mutex_lock(&space.lock);
    const struct mapping *mapping = mapping_at(address);
    struct wl_physical *physical = mapping ? mapping->physical : NULL;
    if (physical)
        physical->handles++;
    pthread_mutex_unlock(&space.lock);
    return physical;
}

/* ---- reservations ---------------------------------------------------------------------------------- */

static char *reserve_pages(size_t size, size_t alignment, void *hint) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (alignment < WL_GRANULARITY)
        alignment = WL_GRANULARITY;
    if (hint && (uintptr_t)hint % alignment == 0) {
        void *there = mmap(hint, size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (there == hint)
            return there;
        if (there != MAP_FAILED) /* an older kernel took it as a wish */
            munmap(there, size);
    }
    size_t spare = alignment - WL_GRANULARITY, whole = 0;
    if (__builtin_add_overflow(size, spare, &whole))
        return NULL;
    char *pages = mmap(NULL, whole, PROT_NONE, flags, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    size_t skip = (alignment - (uintptr_t)pages % alignment) % alignment;
    if (skip)
        munmap(pages, skip);
    if (spare - skip)
        munmap(pages + skip + size, spare - skip);
    return pages + skip;
}

/* Addresses of the device's driver, or pages of the process. */
static enum wl_status reserve_addresses(const struct wl_context *context, size_t size, size_t alignment, void *hint, void **address) {
    if (ops_of(context))
        return ops_of(context)->reserve(context->device, size, alignment, hint, address);
    *address = reserve_pages(size, alignment, hint);
    return *address ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no %zu bytes of addresses", size);
}

enum wl_status wl_virtual_reserve(const struct wl_context *context, size_t size, size_t alignment, void *hint, void **address) {
    struct reservation *made = calloc(1, sizeof *made);
    void *pages = NULL;
    enum wl_status status =
        made ? reserve_addresses(context, size, alignment, hint, &pages) : wl_fail(WL_OUT_OF_MEMORY, "no memory for a reservation");
    if (status != WL_OK) {
        free(made);
        return status;
    }
    *made = (struct reservation){.address = pages, .size = size, .device = ops_of(context) ? context->device : NULL};
    pthread_mutex_lock(&space.lock);
    made->next = space.reservations;
    space.reservations = made;
    atomic_fetch_add(&space.count, 1);
    pthread_mutex_unlock(&space.lock);
    *address = pages;
    return WL_OK;
}

enum wl_status wl_virtual_release(void *address, size_t size) {
    struct reservation *ended = NULL;
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&space.lock);
    struct reservation **link = &space.reservations;
    while (*link && (*link)->address != (char *)address)
        link = &(*link)->next;
    if (*link && (*link)->size == size && !(*link)->mappings) {
        ended = *link;
        *link = ended->next;
        atomic_fetch_sub(&space.count, 1);
        if (ended->device)
            status = ended->device->ops->virtual_memory->unreserve(ended->device, address, size);
        else
            munmap(address, size);
    }
    pthread_mutex_unlock(&space.lock);
    free(ended);
    return ended ? status : wl_fail(WL_INVALID_VALUE, "not a whole reservation without mappings");
}

bool wl_virtual_is_reserved(const void *address) {
    if (!atomic_load_explicit(&space.count, memory_order_acquire))
        return false;
    pthread_mutex_lock(&space.lock);
    bool reserved = reservation_at(address) != NULL;
    pthread_mutex_unlock(&space.lock);
    return reserved;
}

/* ---- mappings ------------------------------------------------------------------------------------- */

static bool is_free(const struct reservation *reservation, const char *address, size_t size) {
    if (!reservation || size > reservation->size - (size_t)(address - reservation->address))
        return false;
    for (const struct mapping *mapping = reservation->mappings; mapping; mapping = mapping->next)
        if (address < mapping->address + mapping->size && mapping->address < address + size)
            return false;
    return true;
}

static void link_mapping(struct reservation *reservation, struct mapping *mapping) {
    struct mapping **link = &reservation->mappings;
    while (*link && (*link)->address < mapping->address)
        link = &(*link)->next;
    mapping->next = *link;
    *link = mapping;
}

/* Puts a physical's memory where the mapping is. */
static enum wl_status map_memory(const struct reservation *reservation, const struct mapping *mapping) {
    const struct wl_physical *physical = mapping->physical;
    if (reservation->device)
        return ops_of(physical->context)->map(physical->context->device, mapping->address, mapping->size, physical->memory);
    if (mmap(mapping->address, mapping->size, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->file, (off_t)physical->offset) == MAP_FAILED)
        return wl_fail(WL_OUT_OF_MEMORY, "the memory cannot be mapped: %m");
    return WL_OK;
}

static enum wl_status map_locked(struct reservation *reservation, struct mapping *mapping) {
    wl_assert_held(&space.lock);
    const struct wl_physical *physical = mapping->physical;
    if (!is_free(reservation, mapping->address, mapping->size))
        return wl_fail(WL_INVALID_VALUE, "not a range of one reservation that is free");
    if ((reservation->device != NULL) != (ops_of(physical->context) != NULL))
        return wl_fail(WL_INVALID_VALUE, "the addresses were reserved on a device of another kind than the memory's");
    enum wl_status status = wl_memory_adopt(&(struct wl_allocation){.address = (uint64_t)(uintptr_t)mapping->address,
                                                                    .size = mapping->size,
                                                                    .kind = WL_MEMORY_VIRTUAL,
                                                                    .flags = physical->flags,
                                                                    .context = physical->context,
                                                                    .exportable = physical->exportable});
    if (status != WL_OK)
        return status;
    status = map_memory(reservation, mapping);
    if (status != WL_OK)
        (void)wl_memory_unregister(mapping->address, WL_MEMORY_VIRTUAL);
    else
        link_mapping(reservation, mapping);
    return status;
}

enum wl_status wl_virtual_map(void *address, size_t size, struct wl_physical *physical) {
    struct mapping *made = calloc(1, sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a mapping");
    *made = (struct mapping){.address = address, .size = size, .physical = physical};
    pthread_mutex_lock(&space.lock);
    enum wl_status status = physical->size && size > physical->size ? wl_fail(WL_INVALID_VALUE, "the memory is smaller than the mapping")
                                                                    : map_locked(reservation_at(address), made);
    if (status == WL_OK)
        physical->mappings++;
    pthread_mutex_unlock(&space.lock);
    if (status != WL_OK)
        free(made);
    return status;
}

static enum wl_status unmap_memory(const struct reservation *reservation, const struct mapping *mapping) {
    const struct wl_context *context = mapping->physical->context;
    if (reservation->device)
        return ops_of(context)->unmap(context->device, mapping->address, mapping->size);
    if (mmap(mapping->address, mapping->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        (void)mprotect(mapping->address, mapping->size, PROT_NONE); /* too many mappings: the pages stay a while longer */
    return WL_OK;
}

enum wl_status wl_virtual_unmap(void *address, size_t size) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&space.lock);
    struct mapping *mapping = whole_mappings(address, size);
    bool whole = mapping != NULL;
    struct reservation *reservation = whole ? reservation_at(address) : NULL;
    size_t left = size;
    while (left && mapping) {
        struct mapping **link = &reservation->mappings, *next = mapping->next;
        while (*link != mapping)
            link = &(*link)->next;
        *link = next;
        (void)wl_memory_unregister(mapping->address, WL_MEMORY_VIRTUAL);
        const enum wl_status unmapped = unmap_memory(reservation, mapping);
        status = status == WL_OK ? unmapped : status;
        mapping->physical->mappings--;
        free_if_unused(mapping->physical);
        left -= mapping->size;
        free(mapping);
        mapping = next;
    }
    pthread_mutex_unlock(&space.lock);
    return whole ? status : wl_fail(WL_INVALID_VALUE, "not a range of whole mappings");
}

/* ---- access --------------------------------------------------------------------------------------- */

static bool may_read(const struct mapping *mapping) { return mapping->readers || mapping->host_reads; }
static bool may_write(const struct mapping *mapping) { return mapping->writers || mapping->host_writes; }

static void set_access(struct mapping *mapping, int location, bool readable, bool writable) {
    if (location == WL_LOCATION_HOST) {
        mapping->host_reads = readable;
        mapping->host_writes = writable;
        return;
    }
    uint64_t bit = UINT64_C(1) << location;
    mapping->readers = readable ? mapping->readers | bit : mapping->readers & ~bit;
    mapping->writers = writable ? mapping->writers | bit : mapping->writers & ~bit;
}

/* The device's page tables, or the process's, which may do what any of its CPU devices may. */
static enum wl_status protect_memory(const struct mapping *mapping, int location, bool readable, bool writable) {
    const struct wl_context *context = location == WL_LOCATION_HOST ? NULL : wl_context_at((unsigned)location);
    const struct wl_virtual_ops *ops = ops_of(mapping->physical->context);
    if (ops && context && ops_of(context) == ops)
        return ops->protect(context->device, mapping->address, mapping->size, readable, writable);
    if (ops || (context && ops_of(context)))
        return readable ? wl_fail(WL_UNSUPPORTED, "the host and CPU devices do not reach a GPU's memory, nor it theirs") : WL_OK;
    int protection = may_write(mapping) ? PROT_READ | PROT_WRITE : may_read(mapping) ? PROT_READ : PROT_NONE;
    return mprotect(mapping->address, mapping->size, protection) == 0 ? WL_OK
                                                                      : wl_fail(WL_OUT_OF_MEMORY, "the access cannot be changed: %m");
}

enum wl_status wl_virtual_protect(void *address, size_t size, int location, bool readable, bool writable) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&space.lock);
    struct mapping *mapping = whole_mappings(address, size);
    if (!mapping)
        status = wl_fail(WL_INVALID_VALUE, "not a range of whole mappings");
    for (size_t left = size; status == WL_OK && left; left -= mapping->size, mapping = left ? mapping->next : NULL) {
        const struct mapping before = *mapping;
        set_access(mapping, location, readable, writable);
        status = protect_memory(mapping, location, readable, writable);
        if (status == WL_UNSUPPORTED)
            *mapping = before;
    }
    pthread_mutex_unlock(&space.lock);
    return status;
}

bool wl_virtual_access(const void *address, int location, bool *readable, bool *writable) {
    pthread_mutex_lock(&space.lock);
    const struct mapping *mapping = mapping_at(address);
    if (mapping) {
        *readable = location == WL_LOCATION_HOST ? mapping->host_reads : mapping->readers >> location & 1;
        *writable = location == WL_LOCATION_HOST ? mapping->host_writes : mapping->writers >> location & 1;
    }
    pthread_mutex_unlock(&space.lock);
    return mapping != NULL;
}

bool wl_virtual_allows(const void *address, size_t size, bool write) {
    bool allowed = true;
    pthread_mutex_lock(&space.lock);
    const struct mapping *mapping = mapping_at(address);
    const char *end = (const char *)address + size;
    for (; allowed && mapping && mapping->address < end; mapping = mapping->next)
        allowed = write ? may_write(mapping) : may_read(mapping);
    pthread_mutex_unlock(&space.lock);
    return allowed;
}

void wl_virtual_after_fork(void) {
    pthread_mutex_init(&space.lock, NULL);
    space.file = 0; /* the parent goes on with it */
    space.file_bytes = 0;
}
