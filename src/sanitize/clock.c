#include "sanitize/clock.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* A radix tree of two branches a node. `bit` is the highest bit in which the keys below differ; a leaf has LEAF. */
enum { LEAF = 64 };

struct wl_clock {
    atomic_uint references;
    uint32_t bit, time;
    uint64_t key; /* of a leaf; of others, the bits above `bit` */
    struct wl_clock *child[2];
};

struct wl_clock *wl_clock_keep(struct wl_clock *clock) {
    if (clock)
        atomic_fetch_add_explicit(&clock->references, 1, memory_order_relaxed);
    return clock;
}

void wl_clock_drop(struct wl_clock *clock) {
    while (clock && atomic_fetch_sub_explicit(&clock->references, 1, memory_order_acq_rel) == 1) {
        struct wl_clock *rest = clock->child[1];
        wl_clock_drop(clock->child[0]); /* as deep as a key has bits, at most */
        free(clock);
        clock = rest;
    }
}

static struct wl_clock *make_leaf(uint64_t key, uint32_t time) {
    struct wl_clock *leaf = calloc(1, sizeof *leaf);
    if (leaf)
        *leaf = (struct wl_clock){.references = 1, .bit = LEAF, .time = time, .key = key};
    return leaf;
}

static uint64_t above(uint64_t key, uint32_t bit) { return bit >= 63 ? 0 : key >> (bit + 1) << (bit + 1); }
static bool holds(const struct wl_clock *node, uint64_t key) { return node->bit != LEAF && above(key, node->bit) == node->key; }
static unsigned side(const struct wl_clock *node, uint64_t key) { return key >> node->bit & 1; }

/* Takes both children. NULL: no memory. */
static struct wl_clock *make_node(uint32_t bit, uint64_t key, struct wl_clock *low, struct wl_clock *high) {
    struct wl_clock *node = low && high ? calloc(1, sizeof *node) : NULL;
    if (!node) {
        wl_clock_drop(low);
        wl_clock_drop(high);
        return NULL;
    }
    *node = (struct wl_clock){.references = 1, .bit = bit, .key = above(key, bit), .child = {low, high}};
    return node;
}

/* Two trees none of whose prefixes holds the other's. */
static struct wl_clock *beside(struct wl_clock *a, struct wl_clock *b) {
    const uint32_t bit = 63 - (uint32_t)__builtin_clzll(a->key ^ b->key);
    const bool swap = a->key >> bit & 1;
    return make_node(bit, a->key, wl_clock_keep(swap ? b : a), wl_clock_keep(swap ? a : b));
}

static struct wl_clock *joined(struct wl_clock *a, struct wl_clock *b);

/* `node` with `other` joined to the side that it belongs to. */
static struct wl_clock *joined_below(struct wl_clock *node, struct wl_clock *other) {
    const unsigned s = side(node, other->key);
    struct wl_clock *child = joined(node->child[s], other);
    if (child == node->child[s]) {
        wl_clock_drop(child);
        return wl_clock_keep(node);
    }
    struct wl_clock *rest = wl_clock_keep(node->child[!s]);
    return s ? make_node(node->bit, node->key, rest, child) : make_node(node->bit, node->key, child, rest);
}

static struct wl_clock *joined_equal(struct wl_clock *a, struct wl_clock *b) {
    struct wl_clock *low = joined(a->child[0], b->child[0]), *high = joined(a->child[1], b->child[1]);
    for (unsigned i = 0; i < 2; i++) {
        struct wl_clock *same = i ? b : a;
        if (low == same->child[0] && high == same->child[1]) {
            wl_clock_drop(low);
            wl_clock_drop(high);
            return wl_clock_keep(same);
        }
    }
    return make_node(a->bit, a->key, low, high);
}

/* A reference to the join; NULL: no memory. */
static struct wl_clock *joined(struct wl_clock *a, struct wl_clock *b) {
    if (a == b)
        return wl_clock_keep(a);
    if (a->bit == LEAF && b->bit == LEAF && a->key == b->key)
        return wl_clock_keep(a->time >= b->time ? a : b);
    if (a->bit == b->bit && a->bit != LEAF && a->key == b->key)
        return joined_equal(a, b);
    if (holds(a, b->key) && (b->bit == LEAF || b->bit < a->bit))
        return joined_below(a, b);
    if (holds(b, a->key) && (a->bit == LEAF || a->bit < b->bit))
        return joined_below(b, a);
    return beside(a, b);
}

uint32_t wl_clock_get(const struct wl_clock *clock, uint64_t key) {
    while (clock && clock->bit != LEAF) {
        if (!holds(clock, key))
            return 0;
        clock = clock->child[side(clock, key)];
    }
    return clock && clock->key == key ? clock->time : 0;
}

void wl_clock_join(struct wl_clock **clock, struct wl_clock *other) {
    if (!other || *clock == other)
        return;
    struct wl_clock *result = *clock ? joined(*clock, other) : wl_clock_keep(other);
    if (result) {
        wl_clock_drop(*clock);
        *clock = result;
    }
}

void wl_clock_add(struct wl_clock **clock, uint64_t key, uint32_t time) {
    if (wl_clock_get(*clock, key) >= time)
        return;
    struct wl_clock *leaf = make_leaf(key, time);
    wl_clock_join(clock, leaf);
    wl_clock_drop(leaf);
}
