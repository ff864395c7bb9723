#include "sanitize/leaks.h"

#include "base/array.h"
#include "sanitize/allocations.h"

#include <stdlib.h>
#include <string.h>

struct found {
    struct wl_san_block *blocks;
    size_t count, capacity;
};

/* What the program frees itself: not variables, code, and what the runtime has for itself. */
static bool is_the_programs(uint8_t kind) {
    const unsigned kinds = 1u << WL_SAN_DEVICE | 1u << WL_SAN_MANAGED | 1u << WL_SAN_PINNED | 1u << WL_SAN_POOL | 1u << WL_SAN_GRAPH |
                           1u << WL_SAN_ARRAY | 1u << WL_SAN_VIRTUAL;
    return kinds >> kind & 1;
}

/* The list is locked: reports come later. A block that finds no memory is left out. */
static void collect(const struct wl_san_block *block, void *context) {
    struct found *found = context;
    if (is_the_programs(block->kind) && WL_ARRAY_RESERVE(found->blocks, found->count, found->capacity, 64))
        found->blocks[found->count++] = *block;
}

void wl_san_report_leaks(void) {
    struct found found = {0};
    wl_san_each(collect, &found);
    for (size_t i = 0; i < found.count; i++) {
        struct wl_san_finding finding;
        memset(&finding, 0, sizeof finding);
        finding.tool = WL_SANITIZE_MEMCHECK;
        finding.kind = WL_SAN_LEAK;
        finding.address = found.blocks[i].address;
        finding.block = found.blocks[i];
        wl_san_report(&finding);
    }
    free(found.blocks);
}
