/* The allocation map: a treap ordered by address, under one read-write lock. */
#include "runtime/map.h"
#include "base/assert.h"

#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/pool.h"
#include "runtime/virtual.h"
#include "sanitize/allocations.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    pthread_rwlock_t lock;
    struct wl_map_node *root;
    uint64_t random;
    _Atomic uint64_t next_id;
} map = {.lock = PTHREAD_RWLOCK_INITIALIZER, .random = UINT64_C(0x2545F4914F6CDD1D)};

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool try_lock(struct wl_map_node *node) { return !atomic_flag_test_and_set_explicit(&node->lock, memory_order_acquire); }

void wl_node_lock(struct wl_map_node *node) {
    for (unsigned tries = 1; !try_lock(node); tries++)
        if (tries % 64 == 0)
            sched_yield();
}

void wl_node_unlock(struct wl_map_node *node) { atomic_flag_clear_explicit(&node->lock, memory_order_release); }

static uint64_t new_id(void) { return atomic_fetch_add_explicit(&map.next_id, 1, memory_order_relaxed) + 1; }

/* Sanitizers know what kernels may access. Variables are told of by the device, which has their names. */
static void tell_made(const struct wl_allocation *allocation) {
    static const enum wl_san_memory kinds[WL_MEMORY_KINDS] = {
        [WL_MEMORY_DEVICE] = WL_SAN_DEVICE,   [WL_MEMORY_HOST] = WL_SAN_PINNED,     [WL_MEMORY_REGISTERED] = WL_SAN_REGISTERED,
        [WL_MEMORY_MANAGED] = WL_SAN_MANAGED, [WL_MEMORY_VIRTUAL] = WL_SAN_VIRTUAL, [WL_MEMORY_IMPORTED] = WL_SAN_IMPORTED,
        [WL_MEMORY_ARRAY] = WL_SAN_ARRAY,     [WL_MEMORY_POOL] = WL_SAN_POOL,       [WL_MEMORY_EXTERNAL] = WL_SAN_IMPORTED,
    };
    if (allocation->kind != WL_MEMORY_VARIABLE)
        wl_san_allocated(allocation->address, allocation->size, kinds[allocation->kind], NULL, wl_san_call);
}

void wl_node_revive(struct wl_map_node *node, const struct wl_allocation *allocation) {
    wl_node_lock(node);
    node->allocation = *allocation;
    node->allocation.id = new_id();
    node->state = WL_NODE_LIVE;
    wl_node_unlock(node);
    tell_made(allocation);
}

/* ---- the treap ------------------------------------------------------------------------------ */

static uint64_t next_weight(void) {
    map.random ^= map.random << 13;
    map.random ^= map.random >> 7;
    map.random ^= map.random << 17;
    return map.random;
}

/* The last node that begins at or below `address`. */
static struct wl_map_node *floor_node(uint64_t address) {
    struct wl_map_node *best = NULL;
    for (struct wl_map_node *node = map.root; node;)
        if (node->start <= address) {
            best = node;
            node = node->more;
        } else {
            node = node->less;
        }
    return best;
}

static struct wl_map_node *ceiling_node(uint64_t address) {
    struct wl_map_node *best = NULL;
    for (struct wl_map_node *node = map.root; node;)
        if (node->start > address) {
            best = node;
            node = node->less;
        } else {
            node = node->more;
        }
    return best;
}

static void split(struct wl_map_node *node, uint64_t address, struct wl_map_node **less, struct wl_map_node **more) {
    while (node) {
        if (node->start < address) {
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

static void insert(struct wl_map_node *node) {
    wl_assert_write_held(&map.lock);
    struct wl_map_node **link = &map.root;
    while (*link && (*link)->weight > node->weight)
        link = (*link)->start < node->start ? &(*link)->more : &(*link)->less;
    split(*link, node->start, &node->less, &node->more);
    *link = node;
}

static void take_out(struct wl_map_node *node) {
    wl_assert_write_held(&map.lock);
    struct wl_map_node **link = &map.root;
    while (*link != node)
        link = (*link)->start < node->start ? &(*link)->more : &(*link)->less;
    struct wl_map_node *less = node->less, *more = node->more;
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
    const struct wl_map_node *below = floor_node(address), *above = ceiling_node(address);
    return (below && address - below->start < below->capacity) || (above && above->start - address < size);
}

enum wl_status wl_map_add(const struct wl_allocation *allocation, uint64_t capacity, struct wl_map_node **node) {
    struct wl_map_node *made = calloc(1, sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for the record of an allocation");
    made->allocation = *allocation;
    made->allocation.id = new_id();
    made->start = allocation->address;
    made->capacity = capacity;
    made->state = WL_NODE_LIVE;
    atomic_flag_clear(&made->lock);
    pthread_rwlock_wrlock(&map.lock);
    bool free_range = !overlaps(allocation->address, capacity);
    if (free_range) {
        made->weight = next_weight();
        insert(made);
    }
    pthread_rwlock_unlock(&map.lock);
    if (!free_range) {
        free(made);
        return wl_fail(WL_INVALID_VALUE, "%" PRIu64 " bytes at 0x%" PRIx64 " overlap memory that is already registered", allocation->size,
                       allocation->address);
    }
    tell_made(allocation);
    if (node)
        *node = made;
    return WL_OK;
}

void wl_map_remove(struct wl_map_node *node) {
    pthread_rwlock_wrlock(&map.lock);
    take_out(node);
    pthread_rwlock_unlock(&map.lock);
    free(node);
}

struct wl_map_node *wl_map_kill(const void *memory, unsigned kinds) {
    struct wl_map_node *killed = NULL;
    pthread_rwlock_rdlock(&map.lock);
    struct wl_map_node *node = floor_node((uint64_t)(uintptr_t)memory);
    if (node && node->start == (uint64_t)(uintptr_t)memory) {
        wl_node_lock(node);
        if (node->state == WL_NODE_LIVE && kinds >> node->allocation.kind & 1) {
            node->state = WL_NODE_DEAD;
            killed = node;
            if (node->allocation.kind != WL_MEMORY_VARIABLE)
                wl_san_freed(node->start, wl_san_call);
        }
        wl_node_unlock(node);
    }
    pthread_rwlock_unlock(&map.lock);
    return killed;
}

struct wl_map_node *wl_map_at(uint64_t address) {
    pthread_rwlock_rdlock(&map.lock);
    struct wl_map_node *node = floor_node(address);
    pthread_rwlock_unlock(&map.lock);
    return node && node->start == address ? node : NULL;
}

static struct wl_map_node *any_of(struct wl_map_node *node, const struct wl_context *context, unsigned kinds) {
    if (!node)
        return NULL;
    wl_node_lock(node);
    bool is = node->state == WL_NODE_LIVE && node->allocation.context == context && kinds >> node->allocation.kind & 1;
    wl_node_unlock(node);
    if (is)
        return node;
    struct wl_map_node *found = any_of(node->less, context, kinds);
    return found ? found : any_of(node->more, context, kinds);
}

static void visit_all(struct wl_map_node *node, void (*visit)(void *context, const struct wl_allocation *allocation), void *context) {
    if (!node)
        return;
    visit_all(node->less, visit, context);
    wl_node_lock(node);
    const struct wl_allocation allocation = node->allocation;
    const bool live = node->state == WL_NODE_LIVE;
    wl_node_unlock(node);
    if (live)
        visit(context, &allocation);
    visit_all(node->more, visit, context);
}

void wl_map_visit(void (*visit)(void *context, const struct wl_allocation *allocation), void *context) {
    pthread_rwlock_rdlock(&map.lock);
    visit_all(map.root, visit, context);
    pthread_rwlock_unlock(&map.lock);
}

void *wl_map_any(const struct wl_context *context, unsigned kinds) {
    pthread_rwlock_rdlock(&map.lock);
    const struct wl_map_node *node = any_of(map.root, context, kinds);
    void *memory = node ? (void *)(uintptr_t)node->start : NULL;
    pthread_rwlock_unlock(&map.lock);
    return memory;
}

static void unlock_all(struct wl_map_node *node) {
    if (!node)
        return;
    atomic_flag_clear(&node->lock);
    unlock_all(node->less);
    unlock_all(node->more);
}

void wl_map_after_fork(void) {
    pthread_rwlock_init(&map.lock, NULL);
    unlock_all(map.root);
}

/* ---- looking up ----------------------------------------------------------------------------- */

/* Runs with the map's lock held. */
static bool look_up(uint64_t address, struct wl_allocation *allocation) {
    if (wl_mempool_find((const void *)(uintptr_t)address, allocation)) /* pools keep their own books */
        return true;
    struct wl_map_node *node = floor_node(address);
    if (!node)
        return false;
    wl_node_lock(node);
    bool found = node->state == WL_NODE_LIVE && address - node->start < node->allocation.size;
    if (found)
        *allocation = node->allocation;
    if (found)
        allocation->shared |= node->file != 0;
    wl_node_unlock(node);
    return found;
}

bool wl_memory_find(const void *address, struct wl_allocation *allocation) {
    pthread_rwlock_rdlock(&map.lock);
    bool found = look_up((uint64_t)(uintptr_t)address, allocation);
    pthread_rwlock_unlock(&map.lock);
    return found;
}

bool wl_memory_set(const void *address, enum wl_memory_member member, unsigned value) {
    bool found = false;
    pthread_rwlock_rdlock(&map.lock);
    struct wl_map_node *node = floor_node((uint64_t)(uintptr_t)address);
    if (node) {
        wl_node_lock(node);
        found = node->state == WL_NODE_LIVE && (uint64_t)(uintptr_t)address - node->start < node->allocation.size;
        if (found && member == WL_MEMORY_FLAGS)
            node->allocation.flags = value;
        else if (found && member == WL_MEMORY_SYNC)
            node->allocation.sync_copies = value != 0;
        else if (found)
            node->allocation.enrolled = value != 0;
        wl_node_unlock(node);
    }
    pthread_rwlock_unlock(&map.lock);
    return found;
}

/* Whether an address lies in a node's pages without being part of a live allocation: behind its end, or freed. */
static bool is_stray(uint64_t address) {
    pthread_rwlock_rdlock(&map.lock);
    struct wl_map_node *node = floor_node(address);
    bool stray = node && address - node->start < node->capacity;
    pthread_rwlock_unlock(&map.lock);
    return stray;
}

/* Bytes behind `address` that are known without a gap, as far as `size` asks. */
static uint64_t known_bytes(uint64_t address, uint64_t size, struct wl_allocation *first) {
    struct wl_allocation allocation;
    uint64_t known = 0;
    pthread_rwlock_rdlock(&map.lock);
    while (known < size || !known) {
        if (!look_up(address + known, &allocation))
            break;
        if (!known)
            *first = allocation;
        else if (allocation.kind != WL_MEMORY_VIRTUAL || first->kind != WL_MEMORY_VIRTUAL)
            break;
        known = allocation.address + allocation.size - address;
    }
    pthread_rwlock_unlock(&map.lock);
    return known;
}

bool wl_memory_overruns(const void *address, size_t size) {
    struct wl_allocation allocation;
    uint64_t known = known_bytes((uint64_t)(uintptr_t)address, size, &allocation);
    return known && size > known;
}

enum wl_status wl_memory_check(const void *address, size_t size, bool write, struct wl_allocation *allocation) {
    uint64_t known = known_bytes((uint64_t)(uintptr_t)address, size, allocation);
    if (!known) {
        *allocation = (struct wl_allocation){.address = (uint64_t)(uintptr_t)address};
        if (wl_virtual_is_reserved(address))
            return wl_fail(WL_INVALID_VALUE, "nothing is mapped at the reserved address %p", address);
        if (is_stray((uint64_t)(uintptr_t)address))
            return wl_fail(WL_INVALID_VALUE, "%p lies behind the end of an allocation, or in memory that was freed", address);
        return WL_OK;
    }
    if (size > known)
        return wl_fail(WL_INVALID_VALUE, "%zu bytes at %p, of which %" PRIu64 " lie in the allocation", size, address, known);
    if (allocation->kind == WL_MEMORY_VIRTUAL && !wl_virtual_allows(address, size, write))
        return wl_fail(WL_INVALID_VALUE, "the mapping at %p may not be %s", address, write ? "written" : "read");
    return WL_OK;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const char *const names[WL_MEMORY_KINDS] = {
    [WL_MEMORY_DEVICE] = "device allocation",   [WL_MEMORY_HOST] = "host allocation",      [WL_MEMORY_REGISTERED] = "registered host range",
    [WL_MEMORY_MANAGED] = "managed allocation", [WL_MEMORY_VARIABLE] = "device variable",  [WL_MEMORY_VIRTUAL] = "virtual memory mapping",
    [WL_MEMORY_IMPORTED] = "imported mapping",  [WL_MEMORY_ARRAY] = "storage of an array", [WL_MEMORY_POOL] = "pool allocation",
    [WL_MEMORY_EXTERNAL] = "external memory",
};

/* A node as the sentence needs it. False: its lock is taken. */
static bool peek(struct wl_map_node *node, struct wl_allocation *allocation, const char **freed) {
    if (!try_lock(node))
        return false;
    *allocation = node->allocation;
    *freed = node->state == WL_NODE_LIVE ? "" : "freed ";
    wl_node_unlock(node);
    return true;
}

void wl_memory_describe(uint64_t address, char *text, size_t size) {
    struct wl_allocation low = {0}, high = {0};
    const char *low_freed = "", *high_freed = "";
    if (wl_mempool_find((const void *)(uintptr_t)address, &low)) {
        snprintf(text, size, "at byte %" PRIu64 " of a %" PRIu64 "-byte allocation of a pool at 0x%" PRIx64, address - low.address,
                 low.size, low.address);
        return;
    }
    if (pthread_rwlock_tryrdlock(&map.lock)) {
        snprintf(text, size, "the allocation map is being changed");
        return;
    }
    struct wl_map_node *below = floor_node(address), *above = ceiling_node(address);
    bool readable = (!below || peek(below, &low, &low_freed)) && (!above || peek(above, &high, &high_freed));
    pthread_rwlock_unlock(&map.lock);
    uint64_t behind = below ? address - low.address - low.size : UINT64_MAX;
    uint64_t before = above ? high.address - address : UINT64_MAX;
    if (!readable)
        snprintf(text, size, "the nearest allocation is being changed");
    else if (below && address - low.address < low.size)
        snprintf(text, size, "at byte %" PRIu64 " of a %s%" PRIu64 "-byte %s at 0x%" PRIx64, address - low.address, low_freed, low.size,
                 names[low.kind], low.address);
    else if (below && behind <= before)
        snprintf(text, size, "%" PRIu64 " bytes behind a %s%" PRIu64 "-byte %s at 0x%" PRIx64, behind, low_freed, low.size, names[low.kind],
                 low.address);
    else if (above)
        snprintf(text, size, "%" PRIu64 " bytes before a %s%" PRIu64 "-byte %s at 0x%" PRIx64, before, high_freed, high.size,
                 names[high.kind], high.address);
    else
        snprintf(text, size, "there are no allocations");
}
