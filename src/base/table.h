/* A hash table: items by keys of 64 bits, which are addresses, numbers, or hashes of what the caller compares itself. Several items may
 * have one key. All zeros is an empty table. Not thread-safe.
 *
 * Tables that are read without a lock while they grow are none of these (runtime/handles.c, device/cpu/code/units.c), nor are two of fixed
 * rows that need no memory: names that are looked up for each word of a source (hipify/mapping.c), and matrix instructions
 * (device/cpu/helpers/matrix.c). */
#ifndef WL_BASE_TABLE_H
#define WL_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_table_slot {
    uint64_t key;
    void *item; /* NULL: the slot is free */
};

struct wl_table {
    struct wl_table_slot *slots;
    size_t capacity, count; /* capacity: a power of two, or 0 */
};

/* Adds an item, which is not NULL and stays the caller's, behind others of the key. False: there is no memory, and nothing has changed. */
bool wl_table_add(struct wl_table *table, uint64_t key, const void *item);
/* Makes an item of `size` bytes, all zero, which the caller frees, and adds it in the same way. NULL: there is no memory. */
void *wl_table_make(struct wl_table *table, uint64_t key, size_t size);
/* The first item of the key that was added; NULL: there is none. */
void *wl_table_find(const struct wl_table *table, uint64_t key);
/* The items of a key one after the other, in the order in which they were added: begins with *at = 0; NULL: there are no more. */
void *wl_table_next(const struct wl_table *table, uint64_t key, size_t *at);
/* Takes an item of a key out. False: it is not there. */
bool wl_table_remove(struct wl_table *table, uint64_t key, const void *item);
/* All items, in any order: begins with *at = 0; NULL: there are no more. */
void *wl_table_each(const struct wl_table *table, size_t *at);
/* Takes all items out; the memory stays. */
void wl_table_clear(struct wl_table *table);
/* The same, and gives the memory back. */
void wl_table_free(struct wl_table *table);

#endif
