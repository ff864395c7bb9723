/* The allocation map: a treap ordered by address, under one read-write lock, and allocating through it. */
#include "runtime/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE_ALIGNMENT 256

struct node {
    struct wl_allocation allocation;
    uint64_t weight;
    struct node *less, *more;
};

static struct {
    pthread_rwlock_t lock;
    struct node *root;
    uint64_t next_id, random;
} map = {.lock = PTHREAD_RWLOCK_INITIALIZER, .random = UINT64_C(0x2545F4914F6CDD1D)};

/* ---- the treap ------------------------------------------------------------------------------ */

static uint64_t next_weight(void) {
    map.random ^= map.random << 13;
    map.random ^= map.random >> 7;
    map.random ^= map.random << 17;
    return map.random;
}

/* The last allocation that begins at or below `address`. */
static struct node *floor_node(uint64_t address) {
    struct node *best = NULL;
    for (struct node *node = map.root; node;)
        if (node->allocation.address <= address) {
            best = node;
            node = node->more;
        } else {
            node = node->less;
        }
    return best;
}

static struct node *ceiling_node(uint64_t address) {
    struct node *best = NULL;
    for (struct node *node = map.root; node;)
        if (node->allocation.address > address) {
            best = node;
            node = node->less;
        } else {
            node = node->more;
        }
    return best;
}

static void split(struct node *node, uint64_t address, struct node **less, struct node **more) {
    while (node) {
        if (node->allocation.address < address) {
            *less = node;
            less = &node->more;
            node = node->more;
        } else {
            *more = node;
            more = &node->less;
            node = node->less;
        }
    }
    *less = *more = NULL;
}

static void insert(struct node *node) {
    struct node **link = &map.root;
    while (*link && (*link)->weight > node->weight)
        link = (*link)->allocation.address < node->allocation.address ? &(*link)->more : &(*link)->less;
    split(*link, node->allocation.address, &node->less, &node->more);
    *link = node;
}

static void take_out(struct node *node) {
    struct node **link = &map.root;
    while (*link != node)
        link = (*link)->allocation.address < node->allocation.address ? &(*link)->more : &(*link)->less;
    struct node *less = node->less, *more = node->more;
    while (less && more) {
        if (less->weight > more->weight) {
            *link = less;
            link = &less->more;
            less = less->more;
        } else {
            *link = more;
            link = &more->less;
            more = more->less;
        }
    }
    *link = less ? less : more;
}

static bool overlaps(uint64_t address, uint64_t size) {
    const struct node *below = floor_node(address), *above = ceiling_node(address);
    return (below && address - below->allocation.address < below->allocation.size) || (above && above->allocation.address - address < size);
}

static enum wl_status add(struct wl_context *context, enum wl_memory_kind kind, void *memory, size_t size, unsigned flags) {
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for the record of an allocation");
    uint64_t address = (uint64_t)(uintptr_t)memory;
    enum wl_status status = WL_OK;
    pthread_rwlock_wrlock(&map.lock);
    if (overlaps(address, size)) {
        status = wl_fail(WL_INVALID_VALUE, "%zu bytes at %p overlap memory that is already registered", size, memory);
        free(node);
    } else {
        node->allocation = (struct wl_allocation){address, size, kind, flags, context, ++map.next_id};
        node->weight = next_weight();
        insert(node);
    }
    pthread_rwlock_unlock(&map.lock);
    return status;
}

static bool remove_at(void *memory, unsigned kinds, struct wl_allocation *removed) {
    pthread_rwlock_wrlock(&map.lock);
    struct node *node = floor_node((uint64_t)(uintptr_t)memory);
    bool found = node && node->allocation.address == (uint64_t)(uintptr_t)memory && kinds >> node->allocation.kind & 1;
    if (found) {
        *removed = node->allocation;
        take_out(node);
        free(node);
    }
    pthread_rwlock_unlock(&map.lock);
    return found;
}

/* ---- looking up ----------------------------------------------------------------------------- */

bool wl_memory_find(const void *address, struct wl_allocation *allocation) {
    uint64_t value = (uint64_t)(uintptr_t)address;
    pthread_rwlock_rdlock(&map.lock);
    const struct node *node = floor_node(value);
    bool found = node && value - node->allocation.address < node->allocation.size;
    if (found)
        *allocation = node->allocation;
    pthread_rwlock_unlock(&map.lock);
    return found;
}

bool wl_memory_overruns(const void *address, size_t size) {
    struct wl_allocation allocation;
    return wl_memory_find(address, &allocation) && size > allocation.size - ((uint64_t)(uintptr_t)address - allocation.address);
}

void wl_memory_describe(uint64_t address, char *text, size_t size) {
    static const char *const names[] = {
        [WL_MEMORY_DEVICE] = "device allocation",         [WL_MEMORY_HOST] = "host allocation",
        [WL_MEMORY_REGISTERED] = "registered host range", [WL_MEMORY_MANAGED] = "managed allocation",
        [WL_MEMORY_VARIABLE] = "device variable",
    };
    if (pthread_rwlock_tryrdlock(&map.lock)) {
        snprintf(text, size, "the allocation map is being changed");
        return;
    }
    const struct node *below = floor_node(address), *above = ceiling_node(address);
    uint64_t behind = below ? address - below->allocation.address - below->allocation.size : UINT64_MAX;
    uint64_t before = above ? above->allocation.address - address : UINT64_MAX;
    if (below && address - below->allocation.address < below->allocation.size)
        snprintf(text, size, "at byte %" PRIu64 " of a %" PRIu64 "-byte %s at 0x%" PRIx64, address - below->allocation.address,
                 below->allocation.size, names[below->allocation.kind], below->allocation.address);
    else if (below && behind <= before)
        snprintf(text, size, "%" PRIu64 " bytes behind a %" PRIu64 "-byte %s at 0x%" PRIx64, behind, below->allocation.size,
                 names[below->allocation.kind], below->allocation.address);
    else if (above)
        snprintf(text, size, "%" PRIu64 " bytes before a %" PRIu64 "-byte %s at 0x%" PRIx64, before, above->allocation.size,
                 names[above->allocation.kind], above->allocation.address);
    else
        snprintf(text, size, "there are no allocations");
    pthread_rwlock_unlock(&map.lock);
}

/* ---- allocating ----------------------------------------------------------------------------- */

static size_t page_round(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

static enum wl_status host_pages(size_t size, void **memory) {
    *memory = mmap(NULL, page_round(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return *memory == MAP_FAILED ? wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %zu bytes", size) : WL_OK;
}

static void release(const struct wl_allocation *allocation) {
    void *memory = (void *)(uintptr_t)allocation->address;
    if (allocation->kind == WL_MEMORY_DEVICE) {
        struct wl_device *device = allocation->context->device;
        device->ops->release(device, memory, allocation->size);
        atomic_fetch_sub(&allocation->context->memory_used, allocation->size);
    } else if (allocation->kind == WL_MEMORY_HOST || allocation->kind == WL_MEMORY_MANAGED) {
        munmap(memory, page_round(allocation->size));
    }
}

static enum wl_status device_memory(struct wl_context *context, size_t size, void **memory) {
    uint64_t total = context->info.memory_size, used = atomic_fetch_add(&context->memory_used, size);
    enum wl_status status;
    if (size > total || used > total - size)
        status =
            wl_fail(WL_OUT_OF_MEMORY, "%zu bytes asked for, %" PRIu64 " of %" PRIu64 " bytes of device memory in use", size, used, total);
    else
        status = context->device->ops->allocate(context->device, memory, size, DEVICE_ALIGNMENT);
    if (status != WL_OK)
        atomic_fetch_sub(&context->memory_used, size);
    return status;
}

enum wl_status wl_memory_allocate(struct wl_context *context, enum wl_memory_kind kind, size_t size, unsigned flags, void **memory) {
    void *made = NULL;
    if (size > SIZE_MAX / 2)
        return wl_fail(WL_OUT_OF_MEMORY, "%zu bytes asked for", size);
    enum wl_status status = kind == WL_MEMORY_DEVICE ? device_memory(context, size, &made) : host_pages(size, &made);
    if (status != WL_OK)
        return status;
    status = add(context, kind, made, size, flags);
    if (status != WL_OK) {
        release(&(struct wl_allocation){(uint64_t)(uintptr_t)made, size, kind, flags, context, 0});
        return status;
    }
    *memory = made;
    return WL_OK;
}

enum wl_status wl_memory_detach(void *memory, unsigned kinds, struct wl_allocation *detached) {
    if (remove_at(memory, kinds, detached))
        return WL_OK;
    return wl_fail(WL_INVALID_VALUE, "%p is not the start of such an allocation", memory);
}

void wl_memory_discard(const struct wl_allocation *detached) { release(detached); }

enum wl_status wl_memory_free(void *memory, unsigned kinds) {
    struct wl_allocation allocation;
    enum wl_status status = wl_memory_detach(memory, kinds, &allocation);
    if (status == WL_OK)
        release(&allocation);
    return status;
}

enum wl_status wl_memory_register(struct wl_context *context, enum wl_memory_kind kind, void *memory, size_t size, unsigned flags) {
    return add(context, kind, memory, size, flags);
}

enum wl_status wl_memory_unregister(void *memory, enum wl_memory_kind kind) {
    struct wl_allocation allocation;
    return wl_memory_detach(memory, 1u << kind, &allocation);
}

/* Any node of the context's device memory; the tree changes between calls, so it is searched anew each time. */
static struct node *any_of(struct node *node, const struct wl_context *context) {
    if (!node)
        return NULL;
    if (node->allocation.context == context && node->allocation.kind == WL_MEMORY_DEVICE)
        return node;
    struct node *found = any_of(node->less, context);
    return found ? found : any_of(node->more, context);
}

void wl_memory_free_context(struct wl_context *context) {
    for (;;) {
        pthread_rwlock_rdlock(&map.lock);
        struct node *node = any_of(map.root, context);
        void *memory = node ? (void *)(uintptr_t)node->allocation.address : NULL;
        pthread_rwlock_unlock(&map.lock);
        if (!memory)
            return;
        (void)wl_memory_free(memory, 1u << WL_MEMORY_DEVICE);
    }
}

void wl_memory_after_fork(void) { pthread_rwlock_init(&map.lock, NULL); }
