/* The table of live handles: open addressing over words that hold an address and, in its low bits, what it is a handle of.
 *
 * Looking up takes no lock: a word is read and written whole, and a table that was outgrown stays readable (tables double,
 * so all old ones together are smaller than the current one). Changes are made under a lock. */
#include "runtime/handles.h"
#include "base/assert.h"

#include <stdlib.h>

#define KIND_BITS 4
#define KIND_MASK ((uintptr_t)((1u << KIND_BITS) - 1))
#define TOMBSTONE ((uintptr_t)1 << KIND_BITS) /* a removed handle; no handle has this address */

struct slots {
    struct slots *older;
    size_t capacity; /* a power of two */
    _Atomic uintptr_t words[];
};

static struct {
    pthread_mutex_t lock; /* over changes */
    _Atomic(struct slots *) slots;
    size_t used /* tombstones included */, live;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t hash(uintptr_t address) { return (size_t)(((uint64_t)address >> KIND_BITS) * UINT64_C(0x9E3779B97F4A7C15) >> 20); }

static uintptr_t word_at(struct slots *slots, size_t i) {
    return atomic_load_explicit(&slots->words[i & (slots->capacity - 1)], memory_order_acquire);
}

static void set_word(struct slots *slots, size_t i, uintptr_t word) {
    atomic_store_explicit(&slots->words[i & (slots->capacity - 1)], word, memory_order_release);
}

/* Puts a word into the first slot of its chain that is free. Returns whether that slot was never used. */
static bool insert(struct slots *slots, uintptr_t word) {
    wl_assert_held(&table.lock);
    size_t i = hash(word & ~KIND_MASK);
    while (word_at(slots, i) > TOMBSTONE)
        i++;
    bool fresh = word_at(slots, i) == 0;
    set_word(slots, i, word);
    return fresh;
}

static enum wl_status grow(struct slots *old) {
    size_t capacity = 256;
    while (capacity < table.live * 4)
        capacity *= 2;
    struct slots *made = calloc(1, sizeof *made + capacity * sizeof made->words[0]);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %zu handles", capacity);
    made->capacity = capacity;
    made->older = old;
    for (size_t i = 0; old && i < old->capacity; i++)
        if (word_at(old, i) > TOMBSTONE)
            (void)insert(made, word_at(old, i));
    table.used = table.live;
    atomic_store_explicit(&table.slots, made, memory_order_release);
    return WL_OK;
}

enum wl_status wl_handle_add(const void *handle, enum wl_handle_kind kind) {
    uintptr_t word = (uintptr_t)handle | (uintptr_t)kind;
    enum wl_status status = WL_OK;
    wl_assert(((uintptr_t)handle & KIND_MASK) == 0 && (uintptr_t)kind <= KIND_MASK && (uintptr_t)handle > TOMBSTONE);
    pthread_mutex_lock(&table.lock);
    struct slots *slots = atomic_load_explicit(&table.slots, memory_order_relaxed);
    if (!slots || (table.used + 1) * 2 > slots->capacity)
        status = grow(slots);
    if (status == WL_OK) {
        table.used += insert(atomic_load_explicit(&table.slots, memory_order_relaxed), word);
        table.live++;
    }
    pthread_mutex_unlock(&table.lock);
    return status;
}

void wl_handle_remove(const void *handle) {
    pthread_mutex_lock(&table.lock);
    struct slots *slots = atomic_load_explicit(&table.slots, memory_order_relaxed);
    size_t i = hash((uintptr_t)handle);
    while (slots && word_at(slots, i) && (word_at(slots, i) & ~KIND_MASK) != (uintptr_t)handle)
        i++;
    if (slots && word_at(slots, i)) {
        set_word(slots, i, TOMBSTONE);
        wl_assert(table.live > 0 && table.live <= table.used);
        table.live--;
        if (word_at(slots, i + 1) == 0) /* no chain goes on behind: tombstones at its end are free slots */
            for (; word_at(slots, i) == TOMBSTONE; i--, table.used--)
                set_word(slots, i, 0);
    }
    pthread_mutex_unlock(&table.lock);
}

bool wl_handle_is(const void *handle, enum wl_handle_kind kind) {
    uintptr_t word = (uintptr_t)handle | (uintptr_t)kind, found;
    struct slots *slots = atomic_load_explicit(&table.slots, memory_order_acquire);
    if (!slots || !handle || ((uintptr_t)handle & KIND_MASK))
        return false;
    for (size_t i = hash((uintptr_t)handle); (found = word_at(slots, i)) != 0; i++)
        if (found == word)
            return true;
    return false;
}

void wl_handle_each(enum wl_handle_kind kind, void (*visit)(const void *handle)) {
    struct slots *slots = atomic_load_explicit(&table.slots, memory_order_acquire);
    for (size_t i = 0; slots && i < slots->capacity; i++) {
        uintptr_t word = word_at(slots, i);
        if (word > TOMBSTONE && (word & KIND_MASK) == (uintptr_t)kind)
            visit((const void *)(word & ~KIND_MASK));
    }
}

void wl_handle_after_fork(void) { pthread_mutex_init(&table.lock, NULL); }
