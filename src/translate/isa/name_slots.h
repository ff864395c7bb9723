/* Names of fixed rows, found by their hash: slots that hold numbers of rows, filled once. Needs no memory of its own. Two tables of instructions
 * are filled at every process's first launch. */
#ifndef WL_TRANSLATE_ISA_NAME_SLOTS_H
#define WL_TRANSLATE_ISA_NAME_SLOTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* By eight characters at a time. */
static inline uint32_t wl_name_hash(const char *name) {
    enum { PART = sizeof(uint64_t) };
    const size_t length = strlen(name);
    uint64_t hash = length, part = 0;
    for (size_t i = 0; i + PART <= length; i += PART) {
        memcpy(&part, name + i, PART);
        hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    if (length >= PART)
        memcpy(&part, name + length - PART, PART);
    for (size_t i = 0; i < length && length < PART; i++)
        part = part << 8 | (uint8_t)name[i];
    return (uint32_t)((hash ^ part) * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* `slots`: `count` of them, a power of two that is larger than the number of rows, all 0 at first. Rows of one name keep their order. */
static inline void wl_name_put(uint16_t *slots, uint32_t count, const char *name, uint32_t row) {
    uint32_t slot = wl_name_hash(name) & (count - 1);
    while (slots[slot])
        slot = (slot + 1) & (count - 1);
    slots[slot] = (uint16_t)(row + 1);
}

/* The first row of that name, which is the `size` bytes long row's first member; NULL: there is none. */
static inline const void *wl_name_find(const uint16_t *slots, uint32_t count, const char *name, const void *rows, size_t size) {
    for (uint32_t slot = wl_name_hash(name) & (count - 1); slots[slot]; slot = (slot + 1) & (count - 1)) {
        const void *row = (const char *)rows + (slots[slot] - 1) * size;
        const char *other;
        memcpy(&other, row, sizeof other);
        if (strcmp(other, name) == 0)
            return row;
    }
    return NULL;
}

#endif
