/* initcheck: memory that is allocated, copied and filled. */
#include "sanitize/init.h"
#include "sanitize/init_state.h"

#include <string.h>

void wl_init_memory(uint64_t address, uint64_t size, enum wl_san_memory kind) {
    wl_init_mark(address, size, kind == WL_SAN_DEVICE || kind == WL_SAN_POOL || kind == WL_SAN_GRAPH || kind == WL_SAN_USER);
}

void wl_init_memory_gone(uint64_t address, uint64_t size) { wl_init_mark(address, size, false); }

void wl_init_filled(uint64_t target, uint64_t size) { wl_init_mark(target, size, false); }

/* Whether only kernels, copies and fills look at it. */
static bool is_of_device(uint64_t address) {
    struct wl_san_block block;
    if (!wl_san_find(address, &block) || address - block.address >= block.size)
        return false;
    return block.kind != WL_SAN_MANAGED && block.kind != WL_SAN_PINNED && block.kind != WL_SAN_REGISTERED && block.kind != WL_SAN_SYSTEM;
}

/* The next byte in [*at, end) that has undefined bits, as `counts` says. False: there is none. */
static bool find_undefined(uint64_t *at, uint64_t end, bool counts) {
    while (*at < end) {
        const uint64_t rest = WL_INIT_BLOCK - (*at & (WL_INIT_BLOCK - 1)), here = end - *at < rest ? end - *at : rest;
        const uint8_t *bits = wl_init_read(*at);
        for (uint64_t i = 0; bits && i < here; i++)
            if (counts ? wl_init_counts(bits[i]) : bits[i]) {
                *at += i;
                return true;
            }
        *at += here;
    }
    return false;
}

static uint64_t end_of_run(uint64_t at, uint64_t end) {
    for (const uint8_t *bits; at < end && (bits = wl_init_read(at)) && *bits;)
        at++;
    return at;
}

/* A few bytes in front of what has a larger alignment are padding, if the copy has many such places or is small. */
static void check_host(uint64_t source, uint64_t size, const char *call, uint64_t stack) {
    enum { DENSITY = 256 };
    uint64_t at = source, first = 0, first_size = 0, paddings = 0;
    const uint64_t end = source + size;
    while (find_undefined(&at, end, true)) {
        const uint64_t behind = end_of_run(at, end);
        if (!wl_init_can_be_padding(at, behind) || at == source) {
            wl_init_report_copy(at, behind - at, call, stack);
            wl_init_mark(source, size, false);
            return;
        }
        if (!paddings++) {
            first = at;
            first_size = behind - at;
        }
        at = behind;
    }
    if (paddings && paddings * DENSITY < size) {
        wl_init_report_copy(first, first_size, call, stack);
        wl_init_mark(source, size, false);
    }
}

static void copy_bits(uint64_t target, uint64_t source, uint64_t size) {
    uint64_t at = source;
    wl_init_mark(target, size, false);
    while (find_undefined(&at, source + size, false)) {
        const uint64_t behind = end_of_run(at, source + size);
        for (; at < behind; at++) {
            uint8_t *to = wl_init_write(target + (at - source));
            if (to)
                *to = *wl_init_read(at);
            if (at % 4 == 0 || behind - at < 4)
                wl_init_set_origin(target + (at - source), wl_init_origin(at));
        }
    }
}

void wl_init_copied(uint64_t target, uint64_t source, uint64_t size, const char *call, uint64_t stack) {
    if (!size || target == source)
        return;
    if (is_of_device(target))
        copy_bits(target, source, size);
    else if (is_of_device(source))
        check_host(source, size, call, stack);
}
