#include "sanitize/user.h"

#include "base/array.h"
#include "sanitize/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct block {
    uint64_t address, size;
    char *name;
    bool freed;
    uint64_t made_stack, freed_stack;
};

struct pool {
    uint64_t address, size;
    struct block *blocks; /* sorted by address; no two overlap */
    size_t count, capacity;
};

static struct {
    pthread_mutex_t lock;
    struct pool *pools; /* in no order */
    size_t count, capacity;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) { return a < b + b_size && b < a + a_size; }

static bool is_within(uint64_t address, uint64_t size, uint64_t outer, uint64_t outer_size) {
    return size && address >= outer && address - outer <= outer_size && size <= outer_size - (address - outer);
}

static struct pool *pool_around(uint64_t address, uint64_t size) {
    for (size_t i = 0; i < all.count; i++)
        if (is_within(address, size, all.pools[i].address, all.pools[i].size))
            return &all.pools[i];
    return NULL;
}

/* ---- pools ----------------------------------------------------------------------------------- */

static void remove_pool(struct pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->blocks[i].name);
    free(pool->blocks);
    *pool = all.pools[--all.count];
}

static enum wl_status add_pool(uint64_t address, uint64_t size) {
    for (size_t i = all.count; i > 0; i--)
        if (overlap(address, size, all.pools[i - 1].address, all.pools[i - 1].size))
            remove_pool(&all.pools[i - 1]);
    if (!WL_ARRAY_RESERVE(all.pools, all.count, all.capacity, 8))
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a pool");
    all.pools[all.count++] = (struct pool){.address = address, .size = size};
    wl_san_excluded(address, size);
    return WL_OK;
}

enum wl_status wl_san_user_pool(uint64_t address, uint64_t size) {
    struct wl_san_block block;
    if (!wl_san_find(address, &block) || block.freed || !is_within(address, size, block.address, block.size))
        return wl_fail(WL_INVALID_VALUE, "a pool does not lie in an allocation");
    pthread_mutex_lock(&all.lock);
    enum wl_status status = add_pool(address, size);
    pthread_mutex_unlock(&all.lock);
    return status;
}

enum wl_status wl_san_user_pool_end(uint64_t address) {
    enum wl_status status = wl_fail(WL_INVALID_VALUE, "no pool begins there");
    struct wl_san_block block;
    bool lives = wl_san_find(address, &block) && !block.freed && is_within(address, 1, block.address, block.size);
    pthread_mutex_lock(&all.lock);
    struct pool *pool = pool_around(address, 1);
    if (pool && pool->address == address) {
        if (lives)
            wl_san_included(pool->address, pool->size);
        remove_pool(pool);
        status = WL_OK;
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Freed blocks that the new one overlaps are forgotten. False: one that is allocated is in the way. */
static bool make_way(struct pool *pool, uint64_t address, uint64_t size) {
    size_t kept = 0;
    for (size_t i = 0; i < pool->count; i++)
        if (!pool->blocks[i].freed && overlap(address, size, pool->blocks[i].address, pool->blocks[i].size))
            return false;
    for (size_t i = 0; i < pool->count; i++) {
        if (overlap(address, size, pool->blocks[i].address, pool->blocks[i].size))
            free(pool->blocks[i].name);
        else
            pool->blocks[kept++] = pool->blocks[i];
    }
    pool->count = kept;
    return true;
}

static enum wl_status add_block(struct pool *pool, const struct block *block) {
    if (!pool || !make_way(pool, block->address, block->size))
        return wl_fail(WL_INVALID_VALUE, "a block does not lie in a pool, or where another one is");
    if (!WL_ARRAY_RESERVE(pool->blocks, pool->count, pool->capacity, 16))
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a block");
    size_t at = pool->count++;
    for (; at > 0 && pool->blocks[at - 1].address > block->address; at--)
        pool->blocks[at] = pool->blocks[at - 1];
    pool->blocks[at] = *block;
    wl_san_included(block->address, block->size);
    return WL_OK;
}

enum wl_status wl_san_user_allocated(uint64_t address, uint64_t size, const char *name) {
    struct block block = {.address = address, .size = size, .name = name ? strdup(name) : NULL, .made_stack = wl_san_stack()};
    if (name && !block.name)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a name");
    pthread_mutex_lock(&all.lock);
    enum wl_status status = add_block(pool_around(address, size), &block);
    pthread_mutex_unlock(&all.lock);
    if (status != WL_OK)
        free(block.name);
    return status;
}

enum wl_status wl_san_user_freed(uint64_t address) {
    enum wl_status status = wl_fail(WL_INVALID_VALUE, "no block of a pool begins there");
    const uint64_t stack = wl_san_stack();
    pthread_mutex_lock(&all.lock);
    struct pool *pool = pool_around(address, 1);
    for (size_t i = 0; pool && i < pool->count; i++) {
        struct block *block = &pool->blocks[i];
        if (block->address != address || block->freed)
            continue;
        block->freed = true;
        block->freed_stack = stack;
        wl_san_excluded(block->address, block->size);
        status = WL_OK;
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

/* ---- findings -------------------------------------------------------------------------------- */

static uint64_t distance(const struct block *block, uint64_t address) {
    if (address < block->address)
        return block->address - address;
    return address - block->address < block->size ? 0 : address - block->address - block->size + 1;
}

static const struct block *nearest(const struct pool *pool, uint64_t address) {
    const struct block *best = NULL;
    for (size_t i = 0; i < pool->count; i++)
        if (!best || distance(&pool->blocks[i], address) < distance(best, address))
            best = &pool->blocks[i];
    return best;
}

/* The first byte of the access that is in no block. */
static uint64_t bad_byte(const struct pool *pool, uint64_t address, uint32_t bytes) {
    const struct block *block = nearest(pool, address);
    bool within = block && !block->freed && distance(block, address) == 0;
    return within && block->size - (address - block->address) < bytes ? block->address + block->size : address;
}

void wl_san_user_refine(struct wl_san_finding *finding, char **name) {
    *name = NULL;
    if (finding->tool != WL_SANITIZE_MEMCHECK || finding->space != WL_SANITIZE_GLOBAL || finding->block.freed || !finding->block.size)
        return;
    pthread_mutex_lock(&all.lock);
    const struct pool *pool = pool_around(finding->address, 1);
    const struct block *near = pool ? nearest(pool, finding->address) : NULL;
    if (near) {
        const struct block *in = nearest(pool, bad_byte(pool, finding->address, finding->bytes));
        if (in->freed && distance(in, bad_byte(pool, finding->address, finding->bytes)) == 0) {
            near = in;
            finding->kind = WL_SAN_USE_AFTER_FREE;
        }
        *name = near->name ? strdup(near->name) : NULL;
        finding->block = (struct wl_san_block){.address = near->address,
                                               .size = near->size,
                                               .kind = WL_SAN_USER,
                                               .freed = near->freed,
                                               .name = *name,
                                               .made_stack = near->made_stack,
                                               .freed_stack = near->freed_stack};
    }
    pthread_mutex_unlock(&all.lock);
}
