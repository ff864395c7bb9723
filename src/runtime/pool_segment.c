/* Segments of pools: pages, the table from addresses to segments, and blocks. */
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/pool_internal.h"
#include "runtime/stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the table ------------------------------------------------------------------------------- */

/* Two levels over 47 bits of address in steps of 2 MiB: read without a lock; leaves stay. */
#define LEAF_BITS 14
#define TOP_BITS  12

struct leaf {
    _Atomic(struct wl_mempool_segment *) segments[1 << LEAF_BITS];
};

static struct {
    pthread_mutex_t lock; /* over making leaves and over spare segments */
    _Atomic(struct leaf *) leaves[1 << TOP_BITS];
    struct wl_mempool_segment *spare; /* through `next` */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct wl_mempool_segment *wl_segment_at(const void *address) {
    uint64_t slot = (uint64_t)(uintptr_t)address >> SEGMENT_SHIFT;
    if (slot >> LEAF_BITS >> TOP_BITS)
        return NULL;
    struct leaf *leaf = atomic_load_explicit(&table.leaves[slot >> LEAF_BITS], memory_order_acquire);
    return leaf ? atomic_load_explicit(&leaf->segments[slot & ((1 << LEAF_BITS) - 1)], memory_order_acquire) : NULL;
}

static enum wl_status enter(struct wl_mempool_segment *segment) {
    uint64_t first = (uint64_t)(uintptr_t)segment->base >> SEGMENT_SHIFT;
    for (uint64_t slot = first; slot < first + (segment->size >> SEGMENT_SHIFT); slot++) {
        if (slot >> LEAF_BITS >> TOP_BITS)
            return wl_fail(WL_OUT_OF_MEMORY, "memory at %p is out of the range of pools", (void *)segment->base);
        _Atomic(struct leaf *) *place = &table.leaves[slot >> LEAF_BITS];
        pthread_mutex_lock(&table.lock);
        struct leaf *leaf = atomic_load(place);
        if (!leaf && (leaf = calloc(1, sizeof *leaf)))
            atomic_store(place, leaf);
        pthread_mutex_unlock(&table.lock);
        if (!leaf)
            return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for the table of pools");
        atomic_store_explicit(&leaf->segments[slot & ((1 << LEAF_BITS) - 1)], segment, memory_order_release);
    }
    return WL_OK;
}

static void leave(const struct wl_mempool_segment *segment) {
    uint64_t first = (uint64_t)(uintptr_t)segment->base >> SEGMENT_SHIFT;
    for (uint64_t slot = first; slot < first + (segment->size >> SEGMENT_SHIFT); slot++) {
        struct leaf *leaf = slot >> LEAF_BITS >> TOP_BITS ? NULL : atomic_load(&table.leaves[slot >> LEAF_BITS]);
        if (leaf)
            atomic_store(&leaf->segments[slot & ((1 << LEAF_BITS) - 1)], NULL);
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct wl_mempool_block *wl_block_new(struct wl_mempool *pool) {
    wl_assert_held(&pool->lock);
    struct wl_mempool_block *block = pool->spare;
    if (block) {
        wl_assert(!block->segment);
        pool->spare = block->next;
        memset(block, 0, sizeof *block);
        return block;
    }
    return calloc(1, sizeof *block);
}

void wl_block_spare(struct wl_mempool *pool, struct wl_mempool_block *block) {
    wl_assert_held(&pool->lock);
    block->segment = NULL;
    block->next = pool->spare;
    pool->spare = block;
}

/* Blocks start at granules; the one that has an address starts at its granule or at one before. */
struct wl_mempool_block *wl_segment_block(const struct wl_mempool_segment *segment, const void *address) {
    size_t offset = (size_t)((const char *)address - segment->base), granule = offset >> segment->shift;
    wl_assert(offset < segment->size);
    while (granule && !segment->at[granule])
        granule--;
    struct wl_mempool_block *block = segment->at[granule];
    return block && offset >= block->offset && offset - block->offset < block->size ? block : NULL;
}

/* ---- segments -------------------------------------------------------------------------------- */

/* Structures are never freed: see pool.h about look-ups that come too late. */
static struct wl_mempool_segment *new_structure(void) {
    pthread_mutex_lock(&table.lock);
    struct wl_mempool_segment *segment = table.spare;
    if (segment)
        table.spare = segment->next;
    pthread_mutex_unlock(&table.lock);
    return segment ? segment : calloc(1, sizeof *segment);
}

static void spare_structure(struct wl_mempool_segment *segment) {
    pthread_mutex_lock(&table.lock);
    segment->next = table.spare;
    table.spare = segment;
    pthread_mutex_unlock(&table.lock);
}

enum wl_status wl_segment_adopt(struct wl_mempool *pool, char *base, size_t size, unsigned shift, size_t offset, size_t length,
                                struct wl_mempool_segment **result) {
    wl_assert_held(&pool->lock);
    wl_assert((uintptr_t)base % SEGMENT_BYTES == 0 && size % SEGMENT_BYTES == 0 && offset + length <= size);
    struct wl_mempool_segment *segment = new_structure();
    struct wl_mempool_block *block = wl_block_new(pool);
    struct wl_mempool_block **at = (struct wl_mempool_block **)calloc(size >> shift, sizeof *at);
    enum wl_status status = segment && block && at ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a segment of a pool");
    if (status == WL_OK) {
        segment->base = base;
        segment->size = size;
        segment->shift = shift;
        segment->file_offset = 0;
        segment->used = 0;
        segment->at = at;
        segment->first = block;
        atomic_store(&segment->pool, pool);
        status = enter(segment);
        if (status != WL_OK) {
            leave(segment);
            atomic_store(&segment->pool, NULL);
        }
    }
    if (status != WL_OK) {
        if (segment)
            spare_structure(segment);
        if (block)
            wl_block_spare(pool, block);
        free((void *)at);
        return status;
    }
    block->segment = segment;
    block->offset = offset;
    block->size = length;
    at[offset >> shift] = block;
    segment->previous = NULL;
    segment->next = pool->segments;
    if (pool->segments)
        pool->segments->previous = segment;
    pool->segments = segment;
    *result = segment;
    return WL_OK;
}

static enum wl_status map_file(struct wl_mempool *pool, size_t size, char **base, uint64_t *offset) {
    uint64_t start = pool->file_size;
    if (ftruncate(pool->file, (off_t)(start + size)) != 0)
        return wl_fail(WL_OUT_OF_MEMORY, "the file of a pool cannot grow to %llu bytes", (unsigned long long)start + size);
    char *around = mmap(NULL, size + SEGMENT_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (around == MAP_FAILED)
        return wl_fail(WL_OUT_OF_MEMORY, "no addresses for %zu bytes", size);
    char *aligned = (char *)(((uintptr_t)around + SEGMENT_BYTES - 1) & ~(uintptr_t)(SEGMENT_BYTES - 1));
    if (aligned > around)
        munmap(around, (size_t)(aligned - around));
    if (around + SEGMENT_BYTES > aligned)
        munmap(aligned + size, (size_t)(around + SEGMENT_BYTES - aligned));
    if (mmap(aligned, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, pool->file, (off_t)start) == MAP_FAILED) {
        munmap(aligned, size);
        return wl_fail(WL_OUT_OF_MEMORY, "the file of a pool cannot be mapped");
    }
    pool->file_size = start + size;
    *base = aligned;
    *offset = start;
    return WL_OK;
}

/* Segments begin at multiples of their size's unit, which is what the driver gives to memory of that size. */
static enum wl_status take_shared(struct wl_mempool *pool, size_t size, char **base) {
    struct wl_device *device = pool->context->device;
    void *memory = NULL;
    enum wl_status status = device->ops->pools->allocate(device, pool->shared, size, &memory);
    if (status == WL_OK && (uintptr_t)memory % SEGMENT_BYTES) {
        device->ops->pools->release(device, memory);
        status = wl_fail(WL_OUT_OF_MEMORY, "the driver's pool gave memory at %p, no multiple of %zu", memory, SEGMENT_BYTES);
    }
    *base = memory;
    return status;
}

static void unmap(struct wl_mempool *pool, char *base, size_t size, uint64_t offset) {
    struct wl_device *device = pool->context->device;
    if (pool->shared) {
        device->ops->pools->release(device, base + offset);
        return;
    }
    if (pool->file < 0) {
        device->ops->release(device, base, size);
        return;
    }
    munmap(base, size);
    if (!pool->imported) /* other processes that still have it mapped see zeros: it was freed */
        (void)fallocate(pool->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)size);
}

enum wl_status wl_segment_create(struct wl_mempool *pool, size_t size, unsigned shift, struct wl_mempool_segment **segment) {
    struct wl_device *device = pool->context->device;
    char *base = NULL;
    uint64_t offset = 0;
    enum wl_status status = wl_memory_charge(pool->context, size);
    if (status != WL_OK)
        return status;
    if (pool->shared)
        status = take_shared(pool, size, &base);
    else if (pool->file >= 0)
        status = map_file(pool, size, &base, &offset);
    else
        status = device->ops->allocate(device, (void **)&base, size, SEGMENT_BYTES);
    if (status == WL_OK) {
        status = wl_segment_adopt(pool, base, size, shift, 0, size, segment);
        if (status != WL_OK)
            unmap(pool, base, size, offset);
        else
            (*segment)->file_offset = offset;
    }
    if (status != WL_OK)
        wl_memory_refund(pool->context, size);
    return status;
}

void wl_segment_destroy(struct wl_mempool_segment *segment) {
    struct wl_mempool *pool = atomic_load(&segment->pool);
    wl_assert_held(&pool->lock);
    leave(segment);
    atomic_store(&segment->pool, NULL);
    if (segment->previous)
        segment->previous->next = segment->next;
    else
        pool->segments = segment->next;
    if (segment->next)
        segment->next->previous = segment->previous;
    unmap(pool, segment->base, segment->size, segment->file_offset);
    if (!pool->imported)
        wl_memory_refund(pool->context, segment->size);
    while (segment->first) {
        struct wl_mempool_block *block = segment->first;
        segment->first = block->after;
        if (block->freed_in)
            wl_stream_release(block->freed_in);
        wl_block_spare(pool, block);
    }
    free((void *)segment->at);
    segment->at = NULL;
    spare_structure(segment);
}
