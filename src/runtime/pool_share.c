/* Pools of several processes. A pool that can be shared lives in a file in memory, whose first page says so; an allocation is a
 * range of that file. What an importing process has mapped stays readable until it frees it, whatever the exporter does. */
#include "base/page.h"
#include "runtime/context.h"
#include "runtime/pool_internal.h"
#include "sanitize/allocations.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = "WLpool1";

struct exported {
    char magic[8];
    uint64_t device, inode, offset, size;
    int32_t process, file; /* the exporter's, through which the file can be opened as long as it keeps the pool */
};
_Static_assert(sizeof(struct exported) <= WL_POOL_EXPORT_SIZE, "hipMemPoolPtrExportData holds it");

static enum wl_status create_shared(struct wl_context *context, const struct wl_mempool_properties *properties, struct wl_mempool **pool) {
    const struct wl_pool_ops *ops = context->device->ops->pools;
    uint64_t shared = 0;
    enum wl_status status = ops->create(context->device, properties->max_size, &shared);
    if (status != WL_OK)
        return status;
    status = wl_mempool_make(context, pool);
    if (status != WL_OK) {
        ops->destroy(context->device, shared);
        return status;
    }
    (*pool)->shared = shared;
    (*pool)->max_size = properties->max_size;
    return WL_OK;
}

enum wl_status wl_mempool_create(struct wl_context *context, const struct wl_mempool_properties *properties, struct wl_mempool **pool) {
    int file = -1;
    if (properties->shareable && context->device->ops->pools)
        return create_shared(context, properties, pool);
    if (properties->shareable) {
        file = memfd_create("wavelift-pool", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, SEGMENT_BYTES) != 0 || pwrite(file, magic, sizeof magic, 0) != sizeof magic) {
            if (file >= 0)
                close(file);
            return wl_fail(WL_OUT_OF_MEMORY, "no file for a pool that can be shared");
        }
    }
    enum wl_status status = wl_mempool_make(context, pool);
    if (status != WL_OK) {
        if (file >= 0)
            close(file);
        return status;
    }
    (*pool)->file = file;
    (*pool)->file_size = SEGMENT_BYTES; /* allocations begin behind the first page */
    (*pool)->max_size = properties->max_size;
    return WL_OK;
}

enum wl_status wl_mempool_export(struct wl_mempool *pool, int *file) {
    if ((pool->file < 0 && !pool->shared) || pool->imported)
        return wl_fail(WL_INVALID_VALUE, "the pool was not made for sharing");
    if (pool->shared)
        return pool->context->device->ops->pools->export_file(pool->context->device, pool->shared, file);
    int copy = fcntl(pool->file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return wl_fail(WL_OUT_OF_MEMORY, "no file descriptor is left");
    pthread_mutex_lock(&pool->lock);
    ssize_t written = pwrite(copy, pool->access, sizeof pool->access, sizeof magic); /* as it is now: importers have it so */
    pthread_mutex_unlock(&pool->lock);
    if (written != sizeof pool->access) {
        close(copy);
        return wl_fail(WL_OUT_OF_MEMORY, "the pool's file cannot be written");
    }
    *file = copy;
    return WL_OK;
}

static enum wl_status import_shared(struct wl_context *context, int file, struct wl_mempool **pool) {
    const struct wl_pool_ops *ops = context->device->ops->pools;
    uint64_t shared = 0;
    enum wl_status status = ops->import_file(context->device, file, &shared);
    if (status != WL_OK)
        return status;
    status = wl_mempool_make(context, pool);
    if (status != WL_OK) {
        ops->destroy(context->device, shared);
        return status;
    }
    (*pool)->shared = shared;
    (*pool)->imported = true;
    return WL_OK;
}

enum wl_status wl_mempool_import(struct wl_context *context, int file, struct wl_mempool **pool) {
    char start[sizeof magic] = "";
    unsigned char access[MAX_DEVICES];
    if (context->device->ops->pools)
        return import_shared(context, file, pool);
    if (file < 0 || pread(file, start, sizeof start, 0) != sizeof start || memcmp(start, magic, sizeof magic) != 0)
        return wl_fail(WL_INVALID_VALUE, "descriptor %d is not a pool's", file);
    if (pread(file, access, sizeof access, sizeof magic) != sizeof access)
        return wl_fail(WL_INVALID_VALUE, "descriptor %d is not a whole pool's", file);
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return wl_fail(WL_OUT_OF_MEMORY, "no file descriptor is left");
    enum wl_status status = wl_mempool_make(context, pool);
    if (status != WL_OK) {
        close(copy);
        return status;
    }
    (*pool)->file = copy;
    (*pool)->imported = true;
    for (unsigned i = 0; i < MAX_DEVICES; i++)
        (*pool)->access[i] |= access[i];
    return WL_OK;
}

static bool same_file(int file, struct exported *exported, bool fill) {
    struct stat info;
    if (fstat(file, &info) != 0)
        return false;
    if (fill) {
        exported->device = info.st_dev;
        exported->inode = info.st_ino;
    }
    return exported->device == info.st_dev && exported->inode == info.st_ino;
}

enum wl_status wl_mempool_export_pointer(const void *memory, void *data) {
    struct exported exported = {.offset = 0};
    struct wl_mempool_segment *segment = NULL;
    struct wl_mempool *pool = wl_mempool_lock_at(memory, &segment);
    enum wl_status status = WL_INVALID_VALUE;
    if (pool) {
        const struct wl_mempool_block *block = wl_segment_block(segment, memory);
        if (pool->shared) {
            status = block && block->used && !pool->imported && segment->base == (const char *)memory
                         ? pool->context->device->ops->pools->export_memory(pool->context->device, memory, data)
                         : WL_INVALID_VALUE;
            pthread_mutex_unlock(&pool->lock);
            return status == WL_INVALID_VALUE ? wl_fail(status, "%p is not an allocation of a pool that can be shared", memory) : status;
        }
        if (block && block->used && pool->file >= 0 && !pool->imported && segment->base + block->offset == (const char *)memory &&
            same_file(pool->file, &exported, true)) {
            exported.offset = segment->file_offset + block->offset;
            exported.size = block->requested;
            exported.process = (int32_t)getpid();
            exported.file = pool->file;
            status = WL_OK;
        }
        pthread_mutex_unlock(&pool->lock);
    }
    if (status != WL_OK)
        return wl_fail(status, "%p is not an allocation of a pool that can be shared", memory);
    memcpy(exported.magic, magic, sizeof magic);
    memset(data, 0, WL_POOL_EXPORT_SIZE);
    memcpy(data, &exported, sizeof exported);
    return WL_OK;
}

/* Maps a range of the pool's file, from the page it begins in, at a 2 MiB boundary. */
static char *map_range(int file, uint64_t offset, uint64_t size, size_t *mapped) {
    uint64_t start = wl_page_down(offset), length = offset + size - start;
    *mapped = (length + SEGMENT_BYTES - 1) & ~(SEGMENT_BYTES - 1);
    char *around = mmap(NULL, *mapped + SEGMENT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (around == MAP_FAILED)
        return NULL;
    char *base = (char *)(((uintptr_t)around + SEGMENT_BYTES - 1) & ~(uintptr_t)(SEGMENT_BYTES - 1));
    if (base > around)
        munmap(around, (size_t)(base - around));
    if (around + SEGMENT_BYTES > base)
        munmap(base + *mapped, (size_t)(around + SEGMENT_BYTES - base));
    if (mmap(base, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, (off_t)start) != MAP_FAILED)
        return base;
    munmap(base, *mapped);
    return NULL;
}

/* Registers memory of another process as a segment with one used block. */
static enum wl_status adopt(struct wl_mempool *pool, char *base, size_t mapped, size_t lead, uint64_t size) {
    struct wl_mempool_segment *segment = NULL;
    pthread_mutex_lock(&pool->lock);
    enum wl_status status = wl_segment_adopt(pool, base, mapped, SMALL_SHIFT, lead, mapped - lead, &segment);
    if (status == WL_OK) {
        segment->first->used = true;
        wl_san_allocated((uint64_t)(uintptr_t)base + lead, size, WL_SAN_POOL, NULL, wl_san_call);
        segment->first->requested = size;
        segment->first->id = wl_mempool_new_id();
        segment->file_offset = pool->shared ? lead : 0;
        segment->used = 1;
        pool->count++;
        pool->used += size;
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}

static enum wl_status import_memory(struct wl_mempool *pool, const void *data, void **memory) {
    struct wl_device *device = pool->context->device;
    size_t size = 0;
    enum wl_status status = device->ops->pools->import_memory(device, pool->shared, data, memory, &size);
    if (status != WL_OK)
        return status;
    const size_t lead = (uintptr_t)*memory % SEGMENT_BYTES, mapped = (lead + size + SEGMENT_BYTES - 1) & ~(SEGMENT_BYTES - 1);
    status = adopt(pool, (char *)*memory - lead, mapped, lead, size);
    if (status != WL_OK)
        device->ops->pools->release(device, *memory);
    return status;
}

/* Into a pool that was made here to be shared, as HIP allows: by way of the exporter's pool, which is imported for this and stays
 * until the memory is freed. */
static enum wl_status import_directly(struct wl_mempool *pool, const struct exported *exported, void **memory) {
    struct wl_mempool *other = NULL;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", exported->process, exported->file);
    int file = exported->process > 0 && exported->file >= 0 ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return wl_fail(WL_INVALID_VALUE, "process %d does not share this memory any more", exported->process);
    enum wl_status status = wl_mempool_import(pool->context, file, &other);
    close(file);
    if (status == WL_OK) {
        status = wl_mempool_import_pointer(other, exported, memory);
        wl_mempool_destroy(other);
    }
    return status;
}

enum wl_status wl_mempool_import_pointer(struct wl_mempool *pool, const void *data, void **memory) {
    struct exported exported;
    struct stat info;
    memcpy(&exported, data, sizeof exported);
    if (!pool->imported && pool->file >= 0 && memcmp(exported.magic, magic, sizeof magic) == 0)
        return import_directly(pool, &exported, memory);
    if (!pool->imported)
        return wl_fail(WL_INVALID_VALUE, "pointers are imported into imported pools and into those made for sharing");
    if (pool->shared)
        return import_memory(pool, data, memory);
    if (memcmp(exported.magic, magic, sizeof magic) != 0 || !same_file(pool->file, &exported, false))
        return wl_fail(WL_INVALID_VALUE, "not what hipMemPoolExportPointer wrote for an allocation of this pool");
    if (fstat(pool->file, &info) != 0 || exported.size == 0 || exported.offset < SEGMENT_BYTES || exported.offset % 512 ||
        exported.offset > (uint64_t)info.st_size || exported.size > (uint64_t)info.st_size - exported.offset)
        return wl_fail(WL_INVALID_VALUE, "the allocation does not lie in the pool");
    size_t mapped = 0, lead = exported.offset % WL_PAGE;
    char *base = map_range(pool->file, exported.offset, exported.size, &mapped);
    if (!base)
        return wl_fail(WL_OUT_OF_MEMORY, "no addresses for %llu bytes", (unsigned long long)exported.size);
    enum wl_status status = adopt(pool, base, mapped, lead, exported.size);
    if (status == WL_OK)
        *memory = base + lead;
    else
        munmap(base, mapped);
    return status;
}
