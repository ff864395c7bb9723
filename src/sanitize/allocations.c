#include "sanitize/allocations.h"

#include "base/options.h"
#include "base/page.h"
#include "sanitize/init.h"
#include "sanitize/lazy.h"
#include "sanitize/race.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ADDRESS_BITS 47
#define SHADOW_BYTES ((size_t)1 << (ADDRESS_BITS - WL_SAN_SHADOW_SHIFT))
#define SLACK        ((size_t)1 << 16) /* bytes before and behind the shadow, which code may read */
#define HUGE_SHADOW  ((size_t)1 << 20) /* a shadow this large is given back to the system when it becomes 0 */

_Thread_local const char *wl_san_call = "";

/* ---- the shadow ------------------------------------------------------------------------------ */

static uint8_t *shadow;
static unsigned tools;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
    const unsigned wanted = wl_options()->sanitize;
    if (!wanted)
        return;
    void *memory = wl_san_map(SHADOW_BYTES + 2 * SLACK);
    if (!memory) {
        fprintf(stderr,
                "wavelift: the sanitizers need %zu GiB of address space, which this process may not reserve (ulimit -v); they are off\n",
                SHADOW_BYTES >> 30);
        return;
    }
    madvise(memory, SHADOW_BYTES, MADV_DONTDUMP);
    shadow = (uint8_t *)memory + SLACK;
    tools = wanted;
}

unsigned wl_san_tools(void) {
    pthread_once(&once, start);
    return tools;
}

uint8_t *wl_san_shadow(void) {
    pthread_once(&once, start);
    return shadow;
}

static bool has_shadow(uint64_t address, uint64_t size) {
    return shadow && address >> ADDRESS_BITS == 0 && size <= (UINT64_C(1) << ADDRESS_BITS) - address;
}

static void set_bits(uint8_t *byte, uint8_t bits, bool on) {
    if (on)
        __atomic_fetch_or(byte, bits, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(byte, (uint8_t)~bits, __ATOMIC_RELAXED);
}

/* Clears whole bytes of the shadow. Pages of a large range go back to the system. */
static void clear_bytes(uint8_t *from, size_t size) {
    const uintptr_t first = wl_page_up((uintptr_t)from), last = wl_page_down((uintptr_t)from + size);
    if (size < HUGE_SHADOW || last <= first || madvise((void *)first, last - first, MADV_DONTNEED) != 0) {
        memset(from, 0, size);
        return;
    }
    memset(from, 0, first - (uintptr_t)from);
    memset((void *)last, 0, (uintptr_t)from + size - last);
}

static void mark(uint64_t address, uint64_t size, bool on) {
    if (!size || !has_shadow(address, size))
        return;
    uint64_t first = address >> WL_SAN_SHADOW_SHIFT, last = (address + size - 1) >> WL_SAN_SHADOW_SHIFT;
    const uint8_t low = (uint8_t)(0xff << (address & 7)), high = (uint8_t)(0xff >> (7 - ((address + size - 1) & 7)));
    if (first == last) {
        set_bits(&shadow[first], low & high, on);
        return;
    }
    set_bits(&shadow[first], low, on);
    set_bits(&shadow[last], high, on);
    if (on)
        memset(&shadow[first + 1], 0xff, last - first - 1);
    else
        clear_bytes(&shadow[first + 1], last - first - 1);
}

/* A word of the shadow. Other threads may change bits of it meanwhile: those of memory that they allocate or free. A program that is right does not
 * access such memory at that moment. */
static inline uint64_t word_at(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* The bits of the bytes from `address` on, of 57 at least. */
static inline uint64_t bits_from(uint64_t address) { return word_at(&shadow[address >> WL_SAN_SHADOW_SHIFT]) >> (address & 7); }

/* Whether `size` bytes, 64 or more, from `address` on may be accessed, and those as well that share a byte of the shadow with the first or the last. */
static inline bool are_set(uint64_t address, uint64_t size) {
    const uint8_t *from = &shadow[address >> WL_SAN_SHADOW_SHIFT], *last = &shadow[(address + size - 1) >> WL_SAN_SHADOW_SHIFT] - 7;
    uint64_t all = word_at(last);
    for (; from < last && all == UINT64_MAX; from += sizeof all)
        all = word_at(from);
    return all == UINT64_MAX;
}

bool wl_san_may_access(uint64_t address, uint64_t size, uint64_t *bad) {
    if (!has_shadow(address, size)) {
        *bad = address;
        return false;
    }
    __builtin_prefetch(
        (const void *)((uintptr_t)shadow + ((address + 3 * size) >> WL_SAN_SHADOW_SHIFT))); /* where the waves behind go on */
    if (size >= 64 && are_set(address, size))
        return true;
    for (uint64_t at = address, end = address + size, here; at < end; at += here) {
        here = 64 - (at & 7);
        here = end - at < here ? end - at : here;
        const uint64_t missing = ~bits_from(at) << (64 - here);
        if (missing) {
            *bad = at + here - 64 + (unsigned)__builtin_ctzll(missing);
            return false;
        }
    }
    return true;
}

uint64_t wl_san_accessible(const uint64_t *address, uint64_t lanes, uint32_t bytes) {
    const uint64_t all = (UINT64_C(1) << bytes) - 1;
    uint64_t good = 0;
    for (uint64_t left = shadow ? lanes : 0; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const uint64_t at = address[i] & ((UINT64_C(1) << ADDRESS_BITS) - 1);
        good |= (uint64_t)((at == address[i]) & ((bits_from(at) & all) == all)) << i;
    }
    return good;
}

/* ---- the list of blocks ---------------------------------------------------------------------- */

enum { KEPT_FREED = 1 << 16 }; /* freed blocks that are remembered */

struct block {
    struct wl_san_block is;
    char *name;
};

/* Sorted by address. No two overlap. There is room on both sides: new blocks come at either end, mostly below all others. */
struct list {
    struct block **memory, **blocks; /* blocks: within memory, which has `capacity` places */
    size_t count, capacity, freed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards both lists */
static struct list outer, inner;                         /* inner: blocks within others: variables, the program's own */

static struct list *list_of(enum wl_san_memory kind) { return kind == WL_SAN_VARIABLE || kind == WL_SAN_USER ? &inner : &outer; }

/* The number of blocks that begin at or below `address`. */
static size_t rank(const struct list *list, uint64_t address) {
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->blocks[middle]->is.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void destroy(struct list *list, struct block *block) {
    list->freed -= block->is.freed;
    free(block->name);
    free(block);
}

static void take_out(struct list *list, size_t from, size_t to) {
    if (from == to)
        return;
    for (size_t i = from; i < to; i++)
        destroy(list, list->blocks[i]);
    if (from < list->count - to) {
        memmove(&list->blocks[to - from], list->blocks, from * sizeof *list->blocks);
        list->blocks += to - from;
    } else {
        memmove(&list->blocks[from], &list->blocks[to], (list->count - to) * sizeof *list->blocks);
    }
    list->count -= to - from;
}

/* Makes room for one more block on both sides. */
static bool reserve(struct list *list) {
    const size_t before = (size_t)(list->blocks - list->memory);
    if (before > 0 && before + list->count < list->capacity)
        return true;
    const size_t capacity = 2 * list->count + 256, middle = (capacity - list->count) / 2;
    struct block **larger = malloc(capacity * sizeof *larger);
    if (!larger)
        return false;
    if (list->count)
        memcpy(larger + middle, list->blocks, list->count * sizeof *larger);
    free(list->memory);
    list->memory = larger;
    list->blocks = larger + middle;
    list->capacity = capacity;
    return true;
}

/* Moves the shorter side. */
static void put_in(struct list *list, size_t at, struct block *block) {
    if (at < list->count - at) {
        memmove(list->blocks - 1, list->blocks, at * sizeof *list->blocks);
        list->blocks--;
    } else {
        memmove(&list->blocks[at + 1], &list->blocks[at], (list->count - at) * sizeof *list->blocks);
    }
    list->blocks[at] = block;
    list->count++;
}

/* Takes out the blocks that overlap [address, address + size). Returns their place. */
static size_t clear(struct list *list, uint64_t address, uint64_t size) {
    size_t from = rank(list, address), to = rank(list, address + (size ? size - 1 : 0));
    if (from && address - list->blocks[from - 1]->is.address < list->blocks[from - 1]->is.size)
        from--;
    if (to < from)
        to = from;
    take_out(list, from, to);
    return from;
}

/* Half of the freed blocks are forgotten, without regard to their age. */
static void forget_freed(struct list *list) {
    size_t kept = 0, count = list->count;
    for (size_t i = 0; i < count; i++) {
        struct block *block = list->blocks[i];
        if (block->is.freed && i % 2)
            destroy(list, block);
        else
            list->blocks[kept++] = block;
    }
    list->count = kept;
}

static bool insert(struct list *list, struct block *block) {
    if (list->freed > KEPT_FREED)
        forget_freed(list);
    if (!reserve(list))
        return false;
    if (list == &outer) /* what was in a block that is gone */
        clear(&inner, block->is.address, block->is.size);
    const size_t at = clear(list, block->is.address, block->is.size);
    put_in(list, at, block);
    return true;
}

/* The block that begins at `address` and is live. */
static struct block *live_at(struct list *list, uint64_t address) {
    size_t at = rank(list, address);
    struct block *block = at ? list->blocks[at - 1] : NULL;
    return block && block->is.address == address && !block->is.freed ? block : NULL;
}

void wl_san_allocated(uint64_t address, uint64_t size, enum wl_san_memory kind, const char *name, const char *call) {
    if (!wl_san_tools())
        return;
    struct block *block = calloc(1, sizeof *block);
    if (block) {
        block->is = (struct wl_san_block){.address = address, .size = size, .kind = (uint8_t)kind, .made_by = call};
        const bool is_launch = kind == WL_SAN_KERNARG || kind == WL_SAN_SYSTEM;
        block->is.made_stack = is_launch ? 0 : wl_san_stack();
        block->name = name ? strdup(name) : NULL;
        block->is.name = block->name;
        pthread_mutex_lock(&lock);
        bool inserted = insert(list_of(kind), block);
        pthread_mutex_unlock(&lock);
        if (!inserted) {
            free(block->name);
            free(block);
        }
    }
    if (tools & WL_SANITIZE_RACECHECK && kind != WL_SAN_KERNARG && kind != WL_SAN_SYSTEM)
        wl_race_memory(address, size);
    if (tools & WL_SANITIZE_INITCHECK)
        wl_init_memory(address, size, kind);
    mark(address, size, true); /* without memory for the list, reports say less */
}

bool wl_san_freed(uint64_t address, const char *call) {
    if (!wl_san_tools())
        return true;
    const uint64_t stack = wl_san_stack();
    pthread_mutex_lock(&lock);
    struct list *list = &inner;
    struct block *block = live_at(&inner, address);
    if (!block || block->is.kind == WL_SAN_VARIABLE) {
        list = &outer;
        block = live_at(&outer, address);
    }
    if (block) {
        block->is.freed = true;
        block->is.freed_by = call;
        block->is.freed_stack = stack;
        list->freed++;
        mark(address, block->is.size, false);
        if (list == &outer)
            clear(&inner, address, block->is.size);
    }
    pthread_mutex_unlock(&lock);
    return block;
}

void wl_san_forgotten(uint64_t address, uint64_t size) {
    if (!wl_san_tools() || !size)
        return;
    pthread_mutex_lock(&lock);
    clear(&inner, address, size);
    clear(&outer, address, size);
    mark(address, size, false);
    pthread_mutex_unlock(&lock);
    if (tools & WL_SANITIZE_INITCHECK)
        wl_init_memory_gone(address, size);
}

void wl_san_excluded(uint64_t address, uint64_t size) {
    if (wl_san_tools())
        mark(address, size, false);
}

void wl_san_included(uint64_t address, uint64_t size) {
    if (wl_san_tools())
        mark(address, size, true);
}

static uint64_t distance(const struct block *block, uint64_t address) {
    if (address < block->is.address)
        return block->is.address - address;
    const uint64_t offset = address - block->is.address;
    return offset < block->is.size ? 0 : offset - block->is.size + 1;
}

/* Of the blocks beside `address`, the one that is nearest. */
static const struct block *nearest(const struct list *list, uint64_t address) {
    const size_t at = rank(list, address);
    const struct block *below = at ? list->blocks[at - 1] : NULL, *above = at < list->count ? list->blocks[at] : NULL;
    if (!below || !above)
        return below ? below : above;
    return distance(below, address) <= distance(above, address) ? below : above;
}

bool wl_san_find(uint64_t address, struct wl_san_block *found) {
    pthread_mutex_lock(&lock);
    const struct block *within = nearest(&inner, address), *best = nearest(&outer, address);
    /* Beside a variable or a program's own block, and not in another one: that is what the access is about. */
    if (within && (!best || distance(within, address) <= distance(best, address) ||
                   (distance(best, address) == 0 && within->is.address - best->is.address < best->is.size &&
                    !wl_san_may_access(address, 1, &(uint64_t){0}))))
        best = within;
    if (best)
        *found = best->is;
    pthread_mutex_unlock(&lock);
    return best;
}

void wl_san_each(void (*visit)(const struct wl_san_block *block, void *context), void *context) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < outer.count; i++)
        if (!outer.blocks[i]->is.freed)
            visit(&outer.blocks[i]->is, context);
    pthread_mutex_unlock(&lock);
}
