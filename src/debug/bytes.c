#include "debug/bytes.h"

void wl_bytes_add(struct wl_bytes *b, const void *data, size_t size) {
    if (b->bad || size == 0)
        return;
    if (b->capacity - b->size < size) {
        const size_t capacity = (b->size + size) * 2 + 64;
        uint8_t *larger = realloc(b->data, capacity);
        if (!larger) {
            b->bad = true;
            return;
        }
        b->data = larger;
        b->capacity = capacity;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void wl_bytes_number(struct wl_bytes *b, uint64_t value, unsigned size) { wl_bytes_add(b, &value, size); }

void wl_bytes_uleb(struct wl_bytes *b, uint64_t value) {
    do {
        const uint8_t byte = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        wl_bytes_add(b, &byte, 1);
        value >>= 7;
    } while (value);
}

void wl_bytes_sleb(struct wl_bytes *b, int64_t value) {
    for (bool more = true; more;) {
        const int64_t rest = value >> 7;
        more = !(rest == (value & 0x40 ? -1 : 0));
        const uint8_t byte = (uint8_t)((value & 0x7f) | (more ? 0x80 : 0));
        wl_bytes_add(b, &byte, 1);
        value = rest;
    }
}
