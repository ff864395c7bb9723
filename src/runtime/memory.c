/* Allocating and freeing. Device memory of up to 4 MiB comes in blocks of a few sizes, which are kept when freed. */
#include "runtime/memory.h"
#include "base/assert.h"
#include "base/options.h"
#include "base/page.h"
#include "base/region.h"
#include "runtime/context.h"

#include "runtime/link.h"
#include "runtime/managed.h"
#include "runtime/map.h"
#include "runtime/record.h"
#include "runtime/share.h"
#include "runtime/virtual.h"
#include "sanitize/allocations.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE_ALIGNMENT 256
#define HUGE             ((size_t)2 << 20)
#define FINE_CLASSES     16u                                              /* one page to 64 KiB, by pages */
#define LARGEST_BLOCK    (4u << 20)                                       /* the last class */
#define PLACES           16u                                              /* within a page, at which large blocks may begin */
#define SHARD_LIMIT      (8u << 20)                                       /* bytes that a shard keeps */
#define KEPT_HOST_BLOCKS 64u                                              /* most freed blocks of the host's pages that stay for a while */
#define KEPT_HOST_BYTES  ((size_t)2 << 20)                                /* together */
#define OWNED_PAGES      (1u << WL_MEMORY_DEVICE | 1u << WL_MEMORY_ARRAY) /* kinds that come from the device */

/* ---- classes of blocks ------------------------------------------------------------------------ */

/* The class whose blocks hold `size` bytes, and their size. WL_MEMORY_CLASSES: too large for one. */
static unsigned class_of(size_t size, size_t *block) {
    size_t pages = wl_page_up(size) / WL_PAGE;
    *block = pages * WL_PAGE;
    if (pages <= FINE_CLASSES)
        return (unsigned)pages - 1;
    if (size > LARGEST_BLOCK)
        return WL_MEMORY_CLASSES;
    unsigned power = 63u - (unsigned)__builtin_clzll((size - 1) | 1); /* 2^power < size <= 2^(power + 1) */
    size_t step = (size_t)1 << (power - 2), quarter = (size - ((size_t)1 << power) + step - 1) / step;
    *block = ((size_t)1 << power) + quarter * step;
    return FINE_CLASSES + (power - 16) * 4 + (unsigned)quarter - 1;
}

/* ---- places within pages ----------------------------------------------------------------------- */

/* Elements of the same number in several arrays share cache lines' places and the lower bits of addresses, by which hosts take a load
 * for one of what was just stored, unless arrays begin at different places of a page. */
static size_t next_place(const struct wl_allocation *allocation) {
    enum { STEP = 5 }; /* what lies beside each other is used together, several hundred bytes at a time */
    static atomic_uint places;
    if (allocation->size <= FINE_CLASSES * WL_PAGE || allocation->context->device->ops->host)
        return 0;
    return (size_t)(STEP * atomic_fetch_add_explicit(&places, 1, memory_order_relaxed) % PLACES) * DEVICE_ALIGNMENT;
}

/* Bytes of a block for an allocation, wherever it begins. */
static size_t room_for(const struct wl_allocation *allocation) {
    bool anywhere = allocation->size > FINE_CLASSES * WL_PAGE && !allocation->context->device->ops->host;
    return allocation->size + (anywhere ? (PLACES - 1) * DEVICE_ALIGNMENT : 0);
}

static size_t block_size(const struct wl_map_node *node) { return node->skipped + node->capacity; }

/* ---- the cache ------------------------------------------------------------------------------- */

void wl_memory_cache_init(struct wl_memory_cache *cache) {
    for (unsigned i = 0; i < WL_MEMORY_SHARDS; i++)
        pthread_mutex_init(&cache->shards[i].lock, NULL);
}

void wl_memory_cache_after_fork(struct wl_memory_cache *cache) { wl_memory_cache_init(cache); }

/* Threads take the shards in turn. */
static unsigned own_shard(void) {
    static atomic_uint threads;
    static _Thread_local unsigned mine; /* plus one */
    if (!mine)
        mine = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % WL_MEMORY_SHARDS + 1;
    return mine - 1;
}

static struct wl_map_node *pop(struct wl_memory_shard *shard, unsigned class) {
    wl_assert_held(&shard->lock);
    struct wl_map_node *node = shard->blocks[class];
    if (node) {
        shard->blocks[class] = node->next;
        wl_assert(shard->held >= block_size(node));
        shard->held -= block_size(node);
    }
    return node;
}

static struct wl_map_node *cache_take(struct wl_memory_cache *cache, unsigned class) {
    unsigned own = own_shard();
    pthread_mutex_lock(&cache->shards[own].lock);
    struct wl_map_node *node = pop(&cache->shards[own], class);
    pthread_mutex_unlock(&cache->shards[own].lock);
    for (unsigned i = 1; i < WL_MEMORY_SHARDS && !node; i++) { /* one thread may free what another allocates */
        struct wl_memory_shard *shard = &cache->shards[(own + i) % WL_MEMORY_SHARDS];
        if (pthread_mutex_trylock(&shard->lock))
            continue;
        node = pop(shard, class);
        pthread_mutex_unlock(&shard->lock);
    }
    return node;
}

/* False: the shard is full. */
static bool cache_put(struct wl_memory_cache *cache, struct wl_map_node *node) {
    size_t block = 0;
    unsigned class = class_of(block_size(node), &block);
    if (class == WL_MEMORY_CLASSES || block != block_size(node))
        return false;
    struct wl_memory_shard *shard = &cache->shards[own_shard()];
    pthread_mutex_lock(&shard->lock);
    bool fits = shard->held + block <= SHARD_LIMIT;
    if (fits) {
        node->next = shard->blocks[class];
        shard->blocks[class] = node;
        shard->held += block;
    }
    pthread_mutex_unlock(&shard->lock);
    return fits;
}

static void give_back(struct wl_map_node *node) {
    struct wl_device *device = node->allocation.context->device;
    void *memory = (void *)(uintptr_t)(node->start - node->skipped);
    uint64_t capacity = block_size(node);
    int file = node->file;
    wl_map_remove(node); /* first, because the address may be handed out again at once */
    device->ops->release(device, memory, capacity);
    if (file)
        close(file);
}

size_t wl_memory_cached(struct wl_context *context) {
    size_t held = 0;
    for (struct wl_memory_shard *shard = context->cache.shards; shard < context->cache.shards + WL_MEMORY_SHARDS; shard++) {
        pthread_mutex_lock(&shard->lock);
        held += shard->held;
        pthread_mutex_unlock(&shard->lock);
    }
    return held;
}

void wl_memory_trim(struct wl_context *context) {
    for (unsigned i = 0; i < WL_MEMORY_SHARDS; i++) {
        struct wl_memory_shard *shard = &context->cache.shards[i];
        for (unsigned class = 0; class < WL_MEMORY_CLASSES; class ++) {
            struct wl_map_node *node;
            do {
                pthread_mutex_lock(&shard->lock);
                node = pop(shard, class);
                pthread_mutex_unlock(&shard->lock);
                if (node)
                    give_back(node);
            } while (node);
        }
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Large blocks get huge pages where there are any, since kernels stream through many arrays at once. */
static enum wl_status host_pages(size_t size, void **memory) {
    size_t bytes = wl_page_up(size), spare = size >= 2 * HUGE ? HUGE - WL_PAGE : 0;
    char *pages = mmap(wl_region_hint(bytes + spare), bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %zu bytes", size);
    if (spare) {
        size_t skip = (HUGE - (uintptr_t)pages % HUGE) % HUGE;
        if (skip)
            munmap(pages, skip);
        if (spare - skip)
            munmap(pages + skip + bytes, spare - skip);
        pages += skip;
        (void)madvise(pages, bytes, MADV_HUGEPAGE); /* a wish: it works without */
    }
    *memory = pages;
    return WL_OK;
}

/* The pages of pinned memory that was freed last, oldest first. AMD's runtime cuts small pinned blocks from pages that it keeps, and programs
 * have come to rely on it: RCCL's proxy thread looks at a flag until it is told to end, which is after the flag was freed. */
static struct {
    pthread_mutex_t lock;
    struct kept_pages {
        void *memory;
        size_t size;
    } blocks[KEPT_HOST_BLOCKS];
    unsigned first, count;
    size_t bytes;
} kept_pages = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct kept_pages take_oldest(void) {
    wl_assert_held(&kept_pages.lock);
    const struct kept_pages oldest = kept_pages.blocks[kept_pages.first];
    kept_pages.first = (kept_pages.first + 1) % KEPT_HOST_BLOCKS;
    kept_pages.count--;
    kept_pages.bytes -= oldest.size;
    return oldest;
}

static void release_pages(void *memory, size_t size) {
    if (size > KEPT_HOST_BYTES / 2 || wl_san_tools()) { /* sanitizers: what device code does with freed memory is found */
        munmap(memory, size);
        return;
    }
    pthread_mutex_lock(&kept_pages.lock);
    while (kept_pages.count == KEPT_HOST_BLOCKS || kept_pages.bytes + size > KEPT_HOST_BYTES) {
        const struct kept_pages oldest = take_oldest();
        munmap(oldest.memory, oldest.size);
    }
    kept_pages.blocks[(kept_pages.first + kept_pages.count++) % KEPT_HOST_BLOCKS] = (struct kept_pages){memory, size};
    kept_pages.bytes += size;
    pthread_mutex_unlock(&kept_pages.lock);
}

enum wl_status wl_memory_charge(struct wl_context *context, size_t size) {
    uint64_t total = context->info.memory_size, used = atomic_fetch_add(&context->memory_used, size);
    if (context->info.host_memory && wl_options()->device_memory) /* a device of that size, for all that use it */
        used += wl_usage_of_others(context);
    if (size <= total && used <= total - size) {
        if (wl_trace_runs())
            wl_record_memory(context, used + size);
        if (context->info.host_memory)
            wl_usage_add(context, (int64_t)size);
        return WL_OK;
    }
    atomic_fetch_sub(&context->memory_used, size);
    return wl_fail(WL_OUT_OF_MEMORY, "%zu bytes asked for, %" PRIu64 " of %" PRIu64 " bytes of device memory in use", size, used, total);
}

void wl_memory_refund(struct wl_context *context, size_t size) {
    uint64_t used = atomic_fetch_sub(&context->memory_used, size);
    if (wl_trace_runs())
        wl_record_memory(context, used - size);
    if (context->info.host_memory)
        wl_usage_add(context, -(int64_t)size);
}

/* ---- allocating ------------------------------------------------------------------------------ */

/* New pages for an allocation that the cache has none for. */
static enum wl_status new_block(struct wl_allocation *allocation, size_t block) {
    struct wl_context *context = allocation->context;
    void *memory = NULL;
    enum wl_status status = context->device->ops->allocate(context->device, &memory, block, DEVICE_ALIGNMENT);
    if (status == WL_OUT_OF_MEMORY) { /* what the cache keeps may be what is missing */
        wl_memory_trim(context);
        status = context->device->ops->allocate(context->device, &memory, block, DEVICE_ALIGNMENT);
    }
    if (status != WL_OK)
        return status;
    size_t place = next_place(allocation);
    allocation->address = (uint64_t)(uintptr_t)memory + place;
    struct wl_map_node *node;
    status = wl_map_add(allocation, block - place, &node);
    if (status == WL_OK)
        node->skipped = place;
    else
        context->device->ops->release(context->device, memory, block);
    return status;
}

static enum wl_status device_memory(struct wl_allocation *allocation) {
    struct wl_context *context = allocation->context;
    enum wl_status status = wl_memory_charge(context, allocation->size);
    if (status != WL_OK)
        return status;
    size_t block = 0;
    unsigned class = class_of(room_for(allocation), &block);
    struct wl_map_node *node = class < WL_MEMORY_CLASSES ? cache_take(&context->cache, class) : NULL;
    if (node) {
        allocation->address = node->start;
        wl_node_revive(node, allocation);
        return WL_OK;
    }
    status = new_block(allocation, block);
    if (status != WL_OK)
        wl_memory_refund(context, allocation->size);
    return status;
}

/* Pinned and managed memory is reached by every device, so it comes from the one that is hardest to please: the current one, else
 * the first, of those that do not reach the host's pages by themselves. NULL: there is none, any page will do. */
static struct wl_device *host_device(const struct wl_context *current) {
    if (current && current->device->ops->host)
        return current->device;
    if (!wl_runtime_started()) /* managed variables are registered before; modules enroll them */
        return NULL;
    for (unsigned i = 0; i < wl_context_count(); i++)
        if (wl_context_at(i)->device->ops->host)
            return wl_context_at(i)->device;
    return NULL;
}

static void release_host(const struct wl_allocation *allocation, void *memory, size_t size) {
    struct wl_device *device = allocation->owner;
    if (!device) {
        release_pages(memory, wl_page_up(size));
        wl_usage_add_host(-(int64_t)wl_page_up(size));
    } else if (allocation->kind == WL_MEMORY_MANAGED)
        device->ops->host->managed_release(device, memory);
    else /* what is kept is like any other */
        device->ops->host->release(device, memory, allocation->flags & WL_MEMORY_WRITE_COMBINED ? 0 : wl_page_up(size));
}

static enum wl_status host_memory(struct wl_allocation *allocation, unsigned hints) {
    void *memory = NULL;
    struct wl_device *device = host_device(allocation->context);
    enum wl_status status = WL_OK;
    if (!device)
        status = host_pages(allocation->size, &memory);
    else if (allocation->kind == WL_MEMORY_MANAGED)
        status = device->ops->host->managed_allocate(device, &memory, wl_page_up(allocation->size));
    else
        status = device->ops->host->allocate(device, &memory, wl_page_up(allocation->size), hints);
    if (status != WL_OK)
        return status;
    if (device)
        memset(memory, 0, wl_page_up(allocation->size));
    else
        wl_usage_add_host((int64_t)wl_page_up(allocation->size));
    allocation->address = (uint64_t)(uintptr_t)memory;
    allocation->owner = device;
    status = wl_map_add(allocation, wl_page_up(allocation->size), NULL);
    if (status != WL_OK)
        release_host(allocation, memory, allocation->size);
    return status;
}

enum wl_status wl_memory_allocate(struct wl_context *context, enum wl_memory_kind kind, size_t size, unsigned flags, void **memory) {
    if (size == 0 || size > SIZE_MAX / 2)
        return wl_fail(size ? WL_OUT_OF_MEMORY : WL_INVALID_VALUE, "%zu bytes asked for", size);
    struct wl_allocation allocation = {.size = size, .kind = kind, .flags = flags, .context = context};
    unsigned hints = kind == WL_MEMORY_HOST && flags & WL_MEMORY_WRITE_COMBINED ? WL_HOST_WRITE_COMBINED : 0;
    enum wl_status status = OWNED_PAGES >> kind & 1 ? device_memory(&allocation) : host_memory(&allocation, hints);
    if (status == WL_OK)
        *memory = (void *)(uintptr_t)allocation.address;
    return status;
}

/* ---- freeing --------------------------------------------------------------------------------- */

/* Ends the life of a dead node. */
static void release(struct wl_map_node *node) {
    const struct wl_allocation allocation = node->allocation;
    void *memory = (void *)(uintptr_t)allocation.address;
    uint64_t capacity = node->capacity;
    if (OWNED_PAGES >> allocation.kind & 1) {
        wl_memory_refund(allocation.context, allocation.size);
        if (node->file || wl_san_tools() || !cache_put(&allocation.context->cache, node)) /* sanitizers: no block is used again soon */
            give_back(node);
        return;
    }
    wl_map_remove(node);
    if (allocation.kind == WL_MEMORY_MANAGED)
        wl_managed_forget(allocation.id);
    if (allocation.enrolled)
        wl_memory_withdraw(NULL, memory);
    if (allocation.kind == WL_MEMORY_HOST || allocation.kind == WL_MEMORY_MANAGED)
        release_host(&allocation, memory, capacity);
    else if (allocation.kind == WL_MEMORY_EXTERNAL && allocation.owner)
        allocation.owner->ops->release(allocation.owner, memory, capacity);
    else if (allocation.kind == WL_MEMORY_EXTERNAL)
        munmap(memory, wl_page_up(capacity));
}

enum wl_status wl_memory_detach(void *memory, unsigned kinds, struct wl_allocation *detached) {
    const struct wl_map_node *node = wl_map_kill(memory, kinds);
    if (!node)
        return wl_fail(WL_INVALID_VALUE, "%p is not the start of such an allocation", memory);
    *detached = node->allocation;
    return WL_OK;
}

void wl_memory_discard(const struct wl_allocation *detached) {
    struct wl_map_node *node = wl_map_at(detached->address);
    if (node)
        release(node);
}

enum wl_status wl_memory_free(void *memory, unsigned kinds) {
    struct wl_map_node *node = wl_map_kill(memory, kinds);
    if (!node)
        return wl_fail(WL_INVALID_VALUE, "%p is not the start of such an allocation", memory);
    release(node);
    return WL_OK;
}

enum wl_status wl_memory_register(struct wl_context *context, enum wl_memory_kind kind, void *memory, size_t size, unsigned flags) {
    return wl_memory_adopt(
        &(struct wl_allocation){.address = (uint64_t)(uintptr_t)memory, .size = size, .kind = kind, .flags = flags, .context = context});
}

enum wl_status wl_memory_enroll(struct wl_context *context, void *memory, size_t size, unsigned flags) {
    struct wl_device *device = host_device(context);
    return device ? device->ops->host->enroll(device, memory, size, flags) : WL_OK;
}

void wl_memory_withdraw(struct wl_context *context, void *memory) {
    struct wl_device *device = host_device(context);
    if (device)
        device->ops->host->withdraw(device, memory);
}

enum wl_status wl_memory_adopt(const struct wl_allocation *allocation) { return wl_map_add(allocation, allocation->size, NULL); }

enum wl_status wl_memory_unregister(void *memory, enum wl_memory_kind kind) {
    struct wl_map_node *node = wl_map_kill(memory, 1u << kind);
    if (!node)
        return wl_fail(WL_INVALID_VALUE, "no such range begins at %p", memory);
    wl_map_remove(node);
    return WL_OK;
}

void wl_memory_free_context(struct wl_context *context) {
    const unsigned kinds = OWNED_PAGES | (context->info.discrete ? 1u << WL_MEMORY_EXTERNAL : 0);
    for (void *memory; (memory = wl_map_any(context, kinds));)
        (void)wl_memory_free(memory, kinds);
    wl_memory_trim(context);
}

void wl_memory_free_host(struct wl_context *context) {
    const unsigned kinds = 1u << WL_MEMORY_HOST | 1u << WL_MEMORY_MANAGED;
    for (void *memory; (memory = wl_map_any(context, kinds));)
        (void)wl_memory_free(memory, kinds);
}

bool wl_memory_is_mapped(const void *address, size_t size) {
    uintptr_t begin = wl_page_down((uintptr_t)address), end = (uintptr_t)address + size;
    return size && end > begin && msync((void *)begin, wl_page_up(end - begin), MS_ASYNC) == 0;
}

void wl_memory_after_fork(void) {
    pthread_mutex_init(&kept_pages.lock, NULL);
    wl_map_after_fork();
    wl_managed_after_fork();
    wl_share_after_fork();
    wl_virtual_after_fork();
    wl_usage_after_fork();
    wl_link_after_fork();
}
