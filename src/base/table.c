/* Open addressing: an item stands in the slot that its key names or, if that is taken, in one behind it, with no free slot between. */
#include "base/table.h"
#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 64 };

static size_t home_of(const struct wl_table *table, uint64_t key) {
    return (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (table->capacity - 1);
}

static size_t behind(const struct wl_table *table, size_t slot) { return (slot + 1) & (table->capacity - 1); }

static void put(struct wl_table *table, uint64_t key, const void *item) {
    wl_assert(item && table->count < table->capacity);
    size_t slot = home_of(table, key);
    while (table->slots[slot].item)
        slot = behind(table, slot);
    table->slots[slot] = (struct wl_table_slot){key, (void *)(uintptr_t)item};
    table->count++;
}

/* Items move in the order in which they stand, from a free slot on, so that those of one key stay in order. */
static bool grow(struct wl_table *table) {
    struct wl_table larger = {.capacity = table->capacity ? 2 * table->capacity : LEAST};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    size_t slot = 0;
    while (table->capacity && table->slots[slot].item)
        slot++;
    for (size_t i = 0; i < table->capacity; i++, slot = behind(table, slot))
        if (table->slots[slot].item)
            put(&larger, table->slots[slot].key, table->slots[slot].item);
    wl_assert(larger.count == table->count);
    free(table->slots);
    *table = larger;
    return true;
}

bool wl_table_add(struct wl_table *table, uint64_t key, const void *item) {
    if (2 * (table->count + 1) > table->capacity && !grow(table))
        return false;
    put(table, key, item);
    return true;
}

void *wl_table_make(struct wl_table *table, uint64_t key, size_t size) {
    void *item = calloc(1, size);
    if (item && wl_table_add(table, key, item))
        return item;
    free(item);
    return NULL;
}

void *wl_table_next(const struct wl_table *table, uint64_t key, size_t *at) {
    if (!table->capacity)
        return NULL;
    for (size_t slot = (home_of(table, key) + *at) & (table->capacity - 1); table->slots[slot].item; slot = behind(table, slot)) {
        ++*at;
        if (table->slots[slot].key == key)
            return table->slots[slot].item;
    }
    return NULL;
}

void *wl_table_find(const struct wl_table *table, uint64_t key) {
    size_t at = 0;
    return wl_table_next(table, key, &at);
}

bool wl_table_remove(struct wl_table *table, uint64_t key, const void *item) {
    if (!table->capacity)
        return false;
    size_t hole = home_of(table, key);
    while (table->slots[hole].item && (table->slots[hole].key != key || table->slots[hole].item != item))
        hole = behind(table, hole);
    if (!table->slots[hole].item)
        return false;
    /* What stands behind the hole moves into it, unless it would come before its home. */
    for (size_t slot = behind(table, hole); table->slots[slot].item; slot = behind(table, slot)) {
        const size_t mask = table->capacity - 1, home = home_of(table, table->slots[slot].key);
        if (((slot - home) & mask) < ((slot - hole) & mask))
            continue;
        table->slots[hole] = table->slots[slot];
        hole = slot;
    }
    table->slots[hole] = (struct wl_table_slot){0, NULL};
    table->count--;
    return true;
}

void *wl_table_each(const struct wl_table *table, size_t *at) {
    while (*at < table->capacity)
        if (table->slots[(*at)++].item)
            return table->slots[*at - 1].item;
    return NULL;
}

void wl_table_clear(struct wl_table *table) {
    if (table->count)
        memset(table->slots, 0, table->capacity * sizeof *table->slots);
    table->count = 0;
}

void wl_table_free(struct wl_table *table) {
    free(table->slots);
    *table = (struct wl_table){0};
}
