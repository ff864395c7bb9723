/* Pools: allocating and freeing in stream order, giving memory back. See pool.h for the vocabulary. */
#include "base/assert.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/pool_internal.h"
#include "runtime/stream.h"
#include "runtime/work.h"
#include "sanitize/allocations.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIN_LOOKS 16 /* blocks of a bin that are looked at before the next bin */

atomic_uint wl_mempools_over;

static struct {
    pthread_mutex_t lock; /* over the list and over making default pools */
    struct wl_mempool *first;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t last_id = UINT64_C(1) << 48; /* other allocations count from 1 */

uint64_t wl_mempool_new_id(void) { return atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1; }

/* ---- bins ------------------------------------------------------------------------------------ */

/* Eight bins a doubling; a bin has the sizes from its own up to the next one's. */
static unsigned bin_of(size_t granules) {
    if (granules < 8)
        return (unsigned)granules;
    unsigned power = 63u - (unsigned)__builtin_clzll(granules);
    unsigned bin = (power - 2) * 8 + (unsigned)(granules >> (power - 3) & 7);
    return bin < BINS ? bin : BINS - 1;
}

static struct bins *bins_of(struct wl_mempool *pool, const struct wl_mempool_segment *segment) {
    return segment->shift == SMALL_SHIFT ? &pool->small : &pool->large;
}

static void bin_add(struct wl_mempool *pool, struct wl_mempool_block *block) {
    wl_assert_held(&pool->lock);
    wl_assert(!block->used && block->size && atomic_load(&block->segment->pool) == pool);
    struct bins *bins = bins_of(pool, block->segment);
    unsigned bin = bin_of(block->size >> block->segment->shift);
    block->previous = NULL;
    block->next = bins->first[bin];
    if (block->next)
        block->next->previous = block;
    bins->first[bin] = block;
    bins->filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void bin_remove(struct wl_mempool *pool, struct wl_mempool_block *block) {
    wl_assert_held(&pool->lock);
    wl_assert(!block->used && atomic_load(&block->segment->pool) == pool);
    struct bins *bins = bins_of(pool, block->segment);
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous) {
        block->previous->next = block->next;
        return;
    }
    unsigned bin = bin_of(block->size >> block->segment->shift);
    wl_assert(bins->first[bin] == block);
    bins->first[bin] = block->next;
    if (!block->next)
        bins->filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

/* The first bin from `bin` on that has blocks; BINS: none. */
static unsigned next_bin(const struct bins *bins, unsigned bin) {
    for (unsigned word = bin / 64; word < BINS / 64; word++) {
        uint64_t filled = bins->filled[word] & (word == bin / 64 ? ~UINT64_C(0) << bin % 64 : ~UINT64_C(0));
        if (filled)
            return word * 64 + (unsigned)__builtin_ctzll(filled);
    }
    return BINS;
}

/* ---- who may use a free block ------------------------------------------------------------------ */

static bool is_done(const struct wl_mempool_block *block) {
    return !block->freed_in || wl_stream_has_finished(block->freed_in, block->freed_at, true);
}

static void forget_free(struct wl_mempool_block *block) {
    if (block->freed_in)
        wl_stream_release(block->freed_in);
    block->freed_in = NULL;
}

static bool may_use(const struct wl_mempool *pool, const struct wl_mempool_block *block, struct wl_stream *stream) {
    const struct wl_stream *other = block->freed_in;
    if (wl_san_tools()) /* they are told of the free when the stream comes to it */
        return is_done(block);
    if (!other || other == stream || atomic_load(&other->observed) >= block->freed_at)
        return true;
    if (pool->opportunistic && is_done(block))
        return true;
    return pool->follow_events && wl_stream_follows(stream, block->freed_in, block->freed_at);
}

/* ---- splitting and joining --------------------------------------------------------------------- */

/* Cuts a free block, in no bin, to `size`; the rest goes to its bin. Without memory for that the block stays whole. */
static void split(struct wl_mempool *pool, struct wl_mempool_block *block, size_t size) {
    wl_assert(!block->used && block->size >= size);
    struct wl_mempool_segment *segment = block->segment;
    struct wl_mempool_block *rest = block->size > size && !pool->shared ? wl_block_new(pool) : NULL;
    if (!rest)
        return;
    rest->segment = segment;
    rest->offset = block->offset + size;
    rest->size = block->size - size;
    rest->kept = block->kept > size ? block->kept - size : 0;
    block->kept -= rest->kept;
    rest->before = block;
    rest->after = block->after;
    rest->freed_in = block->freed_in;
    rest->freed_at = block->freed_at;
    if (rest->freed_in)
        wl_stream_retain(rest->freed_in);
    if (block->after)
        block->after->before = rest;
    block->after = rest;
    block->size = size;
    segment->at[rest->offset >> segment->shift] = rest;
    bin_add(pool, rest);
}

/* Whether two free neighbours can be one: their frees are one stream's, or done. */
static bool may_join(const struct wl_mempool *pool, struct wl_mempool_block *a, struct wl_mempool_block *b) {
    struct wl_mempool_block *both[] = {a, b};
    for (int i = 0; i < 2; i++)
        if (both[i]->freed_in &&
            ((pool->opportunistic && is_done(both[i])) || atomic_load(&both[i]->freed_in->observed) >= both[i]->freed_at))
            forget_free(both[i]);
    return !a->freed_in || !b->freed_in || a->freed_in == b->freed_in;
}

static void join_all(struct wl_mempool *pool) {
    for (struct wl_mempool_segment *segment = pool->segments; segment; segment = segment->next)
        for (struct wl_mempool_block *block = segment->first; block;) {
            struct wl_mempool_block *after = block->after;
            if (!after || block->used || after->used || !may_join(pool, block, after)) {
                block = after;
                continue;
            }
            wl_assert(after->before == block && after->offset == block->offset + block->size);
            bin_remove(pool, block);
            bin_remove(pool, after);
            if (!block->freed_in) {
                block->freed_in = after->freed_in;
                block->freed_at = after->freed_at;
            } else {
                block->freed_at = after->freed_in && after->freed_at > block->freed_at ? after->freed_at : block->freed_at;
                forget_free(after);
            }
            segment->at[after->offset >> segment->shift] = NULL;
            block->size += after->size;
            block->kept += after->kept;
            block->after = after->after;
            if (block->after)
                block->after->before = block;
            wl_block_spare(pool, after);
            bin_add(pool, block);
        }
    pool->unmerged = false;
}

/* ---- giving back ------------------------------------------------------------------------------- */

static bool all_done(const struct wl_mempool_segment *segment) {
    for (const struct wl_mempool_block *block = segment->first; block; block = block->after)
        if (block->used || !is_done(block))
            return false;
    return true;
}

static void drop_segment(struct wl_mempool *pool, struct wl_mempool_segment *segment) {
    wl_assert(segment->used > 0 || pool->empty > 0);
    wl_assert(pool->imported || pool->reserved >= segment->size);
    for (struct wl_mempool_block *block = segment->first; block; block = block->after)
        if (!block->used) {
            bin_remove(pool, block);
            wl_assert(pool->kept >= block->kept);
            pool->kept -= block->kept;
        }
    if (segment->used == 0)
        pool->empty--;
    if (!pool->imported)
        pool->reserved -= segment->size;
    wl_segment_destroy(segment);
}

/* Says whether the pool may have something to give back. */
static void update_over(struct wl_mempool *pool) {
    wl_assert_held(&pool->lock);
    bool over = pool->alive && pool->empty > 0 && (pool->destroyed || pool->imported || pool->reserved > pool->threshold);
    if (over != pool->over) {
        pool->over = over;
        if (over)
            atomic_fetch_add(&wl_mempools_over, 1);
        else
            atomic_fetch_sub(&wl_mempools_over, 1);
    }
}

/* Gives segments back while more than `limit` bytes are reserved; with `keep` not below it. */
static void give_back(struct wl_mempool *pool, uint64_t limit, bool keep) {
    for (struct wl_mempool_segment *segment = pool->segments, *next; segment && pool->empty && pool->reserved > limit; segment = next) {
        next = segment->next;
        if (segment->used == 0 && (!keep || pool->reserved - segment->size >= limit) && all_done(segment))
            drop_segment(pool, segment);
    }
}

/* What was imported and has been freed goes at once. */
static void drop_done(struct wl_mempool *pool) {
    for (struct wl_mempool_segment *segment = pool->segments, *next; segment; segment = next) {
        next = segment->next;
        if (segment->used == 0 && all_done(segment))
            drop_segment(pool, segment);
    }
}

/* A destroyed pool without segments is over; its structure waits for the next one. */
static void bury_if_empty(struct wl_mempool *pool) {
    if (pool->imported)
        drop_done(pool);
    else if (pool->destroyed)
        give_back(pool, 0, false);
    update_over(pool);
    if (!pool->destroyed || pool->segments || !pool->alive)
        return;
    wl_assert(pool->count == 0 && pool->used == 0);
    while (pool->spare) {
        struct wl_mempool_block *block = pool->spare;
        pool->spare = block->next;
        free(block);
    }
    if (pool->file >= 0)
        close(pool->file);
    if (pool->shared)
        pool->context->device->ops->pools->destroy(pool->context->device, pool->shared);
    pool->shared = 0;
    pool->file = -1;
    pool->alive = false;
}

void wl_mempool_release_excess(void) {
    pthread_mutex_lock(&registry.lock);
    for (struct wl_mempool *pool = registry.first; pool; pool = pool->next) {
        pthread_mutex_lock(&pool->lock);
        if (pool->over) {
            if (!pool->imported)
                give_back(pool, pool->threshold, false);
            bury_if_empty(pool);
        }
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_unlock(&registry.lock);
}

void wl_mempool_trim(struct wl_mempool *pool, uint64_t keep) {
    pthread_mutex_lock(&pool->lock);
    give_back(pool, keep, true);
    update_over(pool);
    pthread_mutex_unlock(&pool->lock);
}

/* What all pools of a context can spare, when there is no memory for a new segment. No pool's lock is held. */
static void trim_context(struct wl_context *context) {
    wl_assert_not_held(&registry.lock);
    pthread_mutex_lock(&registry.lock);
    for (struct wl_mempool *pool = registry.first; pool; pool = pool->next)
        if (pool->context == context)
            wl_mempool_trim(pool, 0);
    pthread_mutex_unlock(&registry.lock);
    wl_memory_trim(context);
}

/* ---- making and destroying --------------------------------------------------------------------- */

enum wl_status wl_mempool_make(struct wl_context *context, struct wl_mempool **result) {
    pthread_mutex_lock(&registry.lock);
    struct wl_mempool *pool = registry.first;
    for (; pool; pool = pool->next) {
        pthread_mutex_lock(&pool->lock);
        bool spare = !pool->alive;
        if (spare)
            pool->alive = true;
        pthread_mutex_unlock(&pool->lock);
        if (spare)
            break;
    }
    if (!pool && (pool = calloc(1, sizeof *pool))) {
        pthread_mutex_init(&pool->lock, NULL);
        pool->alive = true;
        pool->file = -1;
        pool->next = registry.first;
        registry.first = pool;
    }
    pthread_mutex_unlock(&registry.lock);
    if (!pool)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a pool");
    pthread_mutex_lock(&pool->lock);
    pool->context = context;
    pool->is_default = pool->imported = pool->destroyed = pool->unmerged = false;
    pool->follow_events = pool->opportunistic = pool->internal = true;
    pool->file_size = pool->max_size = pool->threshold = 0;
    pool->reserved = pool->used = pool->kept = pool->used_high = pool->held_high = 0;
    pool->empty = pool->count = 0;
    memset(pool->access, 0, sizeof pool->access);
    pool->access[context->index] = 3;
    pthread_mutex_unlock(&pool->lock);
    enum wl_status status = wl_handle_add(pool, WL_HANDLE_POOL);
    if (status == WL_OK)
        *result = pool;
    else
        pool->alive = false;
    return status;
}

enum wl_status wl_mempool_destroy(struct wl_mempool *pool) {
    if (pool->is_default)
        return wl_fail(WL_INVALID_VALUE, "a device's default pool cannot be destroyed");
    struct wl_mempool *expected = pool;
    wl_handle_remove(pool);
    (void)atomic_compare_exchange_strong(&pool->context->pool_current, &expected, NULL);
    pthread_mutex_lock(&pool->lock);
    pool->destroyed = true;
    bury_if_empty(pool);
    pthread_mutex_unlock(&pool->lock);
    return WL_OK;
}

struct wl_mempool *wl_mempool_default(struct wl_context *context) {
    struct wl_mempool *pool = atomic_load_explicit(&context->pool_default, memory_order_acquire);
    if (pool)
        return pool;
    struct wl_mempool *made = NULL;
    if (wl_mempool_make(context, &made) != WL_OK)
        return NULL;
    made->is_default = true;
    if (atomic_compare_exchange_strong(&context->pool_default, &pool, made))
        return made;
    made->is_default = false; /* another thread was first */
    (void)wl_mempool_destroy(made);
    return pool;
}

struct wl_mempool *wl_mempool_current(struct wl_context *context) {
    struct wl_mempool *pool = atomic_load_explicit(&context->pool_current, memory_order_acquire);
    return pool ? pool : wl_mempool_default(context);
}

enum wl_status wl_mempool_set_current(struct wl_context *context, struct wl_mempool *pool) {
    if (pool->context != context || pool->imported)
        return wl_fail(WL_INVALID_VALUE, "the pool is another device's, or was imported");
    atomic_store(&context->pool_current, pool->is_default ? NULL : pool);
    return WL_OK;
}

struct wl_context *wl_mempool_context(const struct wl_mempool *pool) { return pool->context; }

bool wl_mempool_is_imported(const struct wl_mempool *pool) { return pool->imported; }

/* ---- allocating -------------------------------------------------------------------------------- */

/* The first free block that fits and, if `stream` is not NULL, may be used by it. */
static struct wl_mempool_block *find(const struct wl_mempool *pool, const struct bins *bins, size_t granules, unsigned shift,
                                     struct wl_stream *stream) {
    size_t size = granules << shift;
    for (unsigned bin = next_bin(bins, bin_of(granules)); bin < BINS; bin = next_bin(bins, bin + 1)) {
        unsigned looks = BIN_LOOKS;
        for (struct wl_mempool_block *block = bins->first[bin]; block && looks--; block = block->next)
            if (block->size >= size && (!stream || may_use(pool, block, stream)))
                return block;
        if (bin == BINS - 1)
            break;
    }
    return NULL;
}

static void hand_out(struct wl_mempool *pool, struct wl_mempool_block *block, size_t size, size_t requested) {
    struct wl_mempool_segment *segment = block->segment;
    split(pool, block, size);
    wl_assert(pool->kept >= block->kept);
    forget_free(block);
    pool->kept -= block->kept;
    block->kept = 0;
    block->used = true;
    block->requested = requested;
    block->id = wl_mempool_new_id();
    wl_assert(segment->used > 0 || pool->empty > 0);
    if (segment->used++ == 0) {
        pool->empty--;
        update_over(pool);
    }
    pool->count++;
    wl_san_allocated((uint64_t)(uintptr_t)segment->base + block->offset, requested, WL_SAN_POOL, NULL, wl_san_call);
    pool->used += requested;
    if (pool->used > pool->used_high)
        pool->used_high = pool->used;
    if (pool->used + pool->kept > pool->held_high)
        pool->held_high = pool->used + pool->kept;
}

/* Whether the pool may have `more` bytes beside `held`. What pages and granules add does not count. */
static enum wl_status check_limit(const struct wl_mempool *pool, uint64_t held, size_t more) {
    if (!pool->max_size || (held <= pool->max_size && more <= pool->max_size - held))
        return WL_OK;
    return wl_fail(WL_OUT_OF_MEMORY, "the pool may not have more than %llu bytes", (unsigned long long)pool->max_size);
}

/* A new segment with one free block, which is in no bin. */
static enum wl_status grow(struct wl_mempool *pool, size_t size, unsigned shift, size_t requested, struct wl_mempool_block **block) {
    size_t bytes = shift == SMALL_SHIFT ? SEGMENT_BYTES : size;
    struct wl_mempool_segment *segment = NULL;
    enum wl_status status = check_limit(pool, pool->held_high, requested); /* AMD's rule: what was given back counts on */
    if (status == WL_OK)
        status = wl_segment_create(pool, bytes, shift, &segment);
    if (status != WL_OK)
        return status;
    pool->reserved += bytes;
    pool->empty++;
    *block = segment->first;
    return WL_OK;
}

/* With the pool's lock held. `wait_in` and `wait_at` receive what the stream must wait for, if it must. */
static enum wl_status allocate(struct wl_mempool *pool, size_t size, unsigned shift, struct wl_stream *stream, size_t requested, bool last,
                               struct wl_mempool_block **result, struct wl_stream **wait_in, uint64_t *wait_at) {
    wl_assert_held(&pool->lock);
    struct bins *bins = shift == SMALL_SHIFT ? &pool->small : &pool->large;
    struct wl_mempool_block *block = find(pool, bins, size >> shift, shift, stream);
    enum wl_status status = WL_OK;
    if (!block && pool->unmerged) {
        join_all(pool);
        block = find(pool, bins, size >> shift, shift, stream);
    }
    bool fresh = !block && (status = grow(pool, size, shift, requested, &block)) == WL_OK;
    if (!block && last && pool->internal && (block = find(pool, bins, size >> shift, shift, NULL))) {
        wl_stream_retain(*wait_in = block->freed_in);
        *wait_at = block->freed_at;
        status = WL_OK;
    }
    if (!block)
        return status;
    if (!fresh)
        bin_remove(pool, block);
    hand_out(pool, block, size, requested);
    *result = block;
    return WL_OK;
}

/* Bytes behind each block that belong to none, for sanitizers. */
static size_t red_zone(void) { return wl_san_tools() ? WL_SAN_RED_ZONE : 0; }

enum wl_status wl_mempool_allocate(struct wl_mempool *pool, size_t size, struct wl_stream *stream, void **memory) {
    if (pool->imported)
        return wl_fail(WL_INVALID_VALUE, "an imported pool allocates nothing");
    if (size > SIZE_MAX / 4)
        return wl_fail(WL_OUT_OF_MEMORY, "%zu bytes asked for", size);
    unsigned shift = size <= SMALL_LIMIT && !pool->shared ? SMALL_SHIFT : SEGMENT_SHIFT;
    size_t granule = (size_t)1 << shift, rounded = (size + red_zone() + granule - 1) & ~(granule - 1);
    struct wl_mempool_block *block = NULL;
    struct wl_stream *wait_in = NULL;
    uint64_t wait_at = 0;
    enum wl_status status = WL_OUT_OF_MEMORY;
    for (int attempt = 0; attempt < 2 && status == WL_OUT_OF_MEMORY; attempt++) {
        if (attempt)
            trim_context(pool->context);
        pthread_mutex_lock(&pool->lock);
        status = check_limit(pool, pool->used, size);
        if (status == WL_OK)
            status = allocate(pool, rounded, shift, stream, size, attempt == 1, &block, &wait_in, &wait_at);
        if (status == WL_OK)
            *memory = block->segment->base + block->offset;
        pthread_mutex_unlock(&pool->lock);
    }
    if (wait_in) {
        enum wl_status waited = wl_stream_wait_for(stream, wait_in, wait_at);
        wl_stream_release(wait_in);
        if (waited != WL_OK) {
            (void)wl_mempool_free(*memory, stream);
            return waited;
        }
    }
    return status;
}

/* ---- freeing ----------------------------------------------------------------------------------- */

struct wl_mempool *wl_mempool_lock_at(const void *address, struct wl_mempool_segment **segment) {
    struct wl_mempool_segment *found = wl_segment_at(address);
    struct wl_mempool *pool = found ? atomic_load_explicit(&found->pool, memory_order_acquire) : NULL;
    if (!pool)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    if (atomic_load(&found->pool) != pool || (const char *)address < found->base ||
        (size_t)((const char *)address - found->base) >= found->size) {
        pthread_mutex_unlock(&pool->lock);
        return NULL;
    }
    *segment = found;
    return pool;
}

static void reap(void *argument, enum wl_status fault) {
    struct wl_mempool *pool = argument;
    (void)fault;
    pthread_mutex_lock(&pool->lock);
    bury_if_empty(pool);
    pthread_mutex_unlock(&pool->lock);
}

/* The command of `stream` behind which memory freed now may be used again; 0: it may be now. */
static enum wl_status free_point(struct wl_stream *stream, uint64_t *sequence) {
    *sequence = 0;
    if (stream->queue) { /* which keeps the null stream's order by itself */
        *sequence = atomic_load(&stream->submitted);
        return WL_OK;
    }
    if (wl_stream_is_free(stream)) {
        *sequence = atomic_load(&stream->completed);
        return WL_OK;
    }
    struct wl_context *context = stream->context;
    bool null_orders =
        !(stream->flags & WL_STREAM_NON_BLOCKING) &&
        (stream == context->null_stream || atomic_load(&context->null_stream->completed) < atomic_load(&context->null_stream->submitted));
    if (null_orders)
        return wl_stream_mark(stream, sequence);
    *sequence = atomic_load(&stream->submitted);
    return WL_OK;
}

static void tell_freed(void *memory, enum wl_status fault) {
    (void)fault;
    wl_san_freed((uint64_t)(uintptr_t)memory, "hipFreeAsync");
}

/* Sanitizers are told that the memory is freed, in the stream's order. */
static enum wl_status tell_free(void *memory, struct wl_stream *stream) {
    struct wl_allocation allocation;
    if (!wl_san_tools() || !wl_mempool_find(memory, &allocation) || allocation.address != (uint64_t)(uintptr_t)memory)
        return WL_OK;
    if (stream)
        return wl_command_host(stream, tell_freed, memory, true);
    wl_san_freed(allocation.address, wl_san_call);
    return WL_OK;
}

enum wl_status wl_mempool_free(void *memory, struct wl_stream *stream) {
    struct wl_mempool_segment *segment = NULL;
    uint64_t sequence = 0;
    if (!wl_segment_at(memory))
        return WL_NOT_FOUND;
    enum wl_status status = tell_free(memory, stream);
    if (status == WL_OK && stream)
        status = free_point(stream, &sequence);
    if (status != WL_OK)
        return status;
    struct wl_mempool *pool = wl_mempool_lock_at(memory, &segment);
    if (!pool)
        return WL_NOT_FOUND;
    struct wl_mempool_block *block = wl_segment_block(segment, memory);
    if (!block || !block->used || segment->base + block->offset != (char *)memory) {
        pthread_mutex_unlock(&pool->lock);
        return wl_fail(WL_INVALID_VALUE, "%p is not the start of an allocation of a pool", memory);
    }
    wl_assert(segment->used > 0 && pool->count > 0 && pool->used >= block->requested && !block->freed_in);
    block->used = false;
    if (stream && !(pool->opportunistic && wl_stream_has_finished(stream, sequence, false))) {
        wl_stream_retain(stream);
        block->freed_in = stream;
        block->freed_at = sequence;
    }
    bin_add(pool, block);
    pool->unmerged = true;
    pool->count--;
    pool->used -= block->requested;
    pool->kept += block->kept = block->requested;
    if (--segment->used == 0) {
        pool->empty++;
        if (!pool->over)
            update_over(pool);
    }
    bool dead = pool->destroyed && pool->count == 0, wait = false;
    if (dead || pool->imported) {
        bury_if_empty(pool);
        wait = stream && pool->empty;
    }
    pthread_mutex_unlock(&pool->lock);
    if (wait)
        (void)wl_command_host(stream, reap, pool, true); /* else the next synchronization sees to it */
    return WL_OK;
}

bool wl_mempool_find(const void *address, struct wl_allocation *allocation) {
    struct wl_mempool_segment *segment = NULL;
    struct wl_mempool *pool = wl_mempool_lock_at(address, &segment);
    if (!pool)
        return false;
    const struct wl_mempool_block *block = wl_segment_block(segment, address);
    bool found = block && block->used && (size_t)((const char *)address - segment->base) - block->offset < block->requested;
    if (found)
        *allocation = (struct wl_allocation){.address = (uint64_t)(uintptr_t)segment->base + block->offset,
                                             .size = block->requested,
                                             .kind = WL_MEMORY_POOL,
                                             .context = pool->context,
                                             .id = block->id,
                                             .pool = pool,
                                             .shared = pool->file >= 0};
    pthread_mutex_unlock(&pool->lock);
    return found;
}

/* ---- attributes -------------------------------------------------------------------------------- */

uint64_t wl_mempool_get(struct wl_mempool *pool, enum wl_mempool_attribute attribute) {
    pthread_mutex_lock(&pool->lock);
    const uint64_t values[] = {
        [WL_POOL_FOLLOW_EVENTS] = pool->follow_events,
        [WL_POOL_OPPORTUNISTIC] = pool->opportunistic,
        [WL_POOL_INTERNAL] = pool->internal,
        [WL_POOL_RELEASE_THRESHOLD] = pool->threshold,
        [WL_POOL_RESERVED] = pool->imported ? 0 : pool->used + pool->kept,
        [WL_POOL_RESERVED_HIGH] = pool->held_high,
        [WL_POOL_USED] = pool->used,
        [WL_POOL_USED_HIGH] = pool->used_high,
    };
    pthread_mutex_unlock(&pool->lock);
    return values[attribute];
}

enum wl_status wl_mempool_set(struct wl_mempool *pool, enum wl_mempool_attribute attribute, uint64_t value) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&pool->lock);
    if (attribute == WL_POOL_FOLLOW_EVENTS)
        pool->follow_events = value != 0;
    else if (attribute == WL_POOL_OPPORTUNISTIC)
        pool->opportunistic = value != 0;
    else if (attribute == WL_POOL_INTERNAL)
        pool->internal = value != 0;
    else if (attribute == WL_POOL_RELEASE_THRESHOLD)
        pool->threshold = value;
    else if (attribute == WL_POOL_RESERVED_HIGH && value == 0)
        pool->held_high = 0; /* until the next allocation, as with AMD's runtime */
    else if (attribute == WL_POOL_USED_HIGH && value == 0)
        pool->used_high = 0;
    else
        status = wl_fail(WL_INVALID_VALUE, "the pool's attribute cannot be set to %llu", (unsigned long long)value);
    update_over(pool);
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/* Lets a device reach the memory of a pool's device. CPU devices reach all; a GPU needs the driver's leave, which is for all of that memory
 * and stays. The pool's lock is held. */
static enum wl_status let_in(const struct wl_mempool *pool, unsigned device) {
    const struct wl_context *owner = pool->context, *other = wl_context_at(device);
    const struct wl_host_memory_ops *host = owner->device->ops->host;
    if (other->device->ops != owner->device->ops || (host && !host->peer_possible(other->device, owner->device)))
        return wl_fail(WL_INVALID_VALUE, "device %u cannot reach the memory of device %u", device, owner->index);
    if (!host)
        return WL_OK;
    if (pool->shared)
        return wl_fail(WL_UNSUPPORTED, "a pool of several processes is for GPU %u alone", owner->index);
    return host->peer_access(other->device, owner->device);
}

enum wl_status wl_mempool_set_access(struct wl_mempool *pool, unsigned device, unsigned access) {
    const bool own = device == pool->context->index;
    if (own && access != 3)
        return wl_fail(WL_INVALID_VALUE, "a pool's own device always reads and writes it");
    pthread_mutex_lock(&pool->lock);
    enum wl_status status = own || pool->access[device] ? WL_OK : let_in(pool, device);
    if (status == WL_OK)
        pool->access[device] = (unsigned char)access;
    pthread_mutex_unlock(&pool->lock);
    return status;
}

unsigned wl_mempool_access(struct wl_mempool *pool, unsigned device) {
    pthread_mutex_lock(&pool->lock);
    unsigned access = pool->access[device];
    pthread_mutex_unlock(&pool->lock);
    return access;
}

/* ---- reset, fork ------------------------------------------------------------------------------- */

void wl_mempool_reset(struct wl_context *context) {
    atomic_store(&context->pool_current, NULL);
    pthread_mutex_lock(&registry.lock);
    for (struct wl_mempool *pool = registry.first; pool; pool = pool->next) {
        pthread_mutex_lock(&pool->lock);
        if (pool->alive && pool->context == context) {
            while (pool->segments)
                drop_segment(pool, pool->segments);
            pool->used = pool->kept = pool->count = pool->empty = 0;
            if (!pool->is_default && !pool->destroyed) {
                wl_handle_remove(pool);
                pool->destroyed = true;
            }
            bury_if_empty(pool);
        }
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_unlock(&registry.lock);
}

void wl_mempool_after_fork(void) {
    pthread_mutex_init(&registry.lock, NULL);
    for (struct wl_mempool *pool = registry.first; pool; pool = pool->next)
        pthread_mutex_init(&pool->lock, NULL);
}
