#include "device/cpu/run/parts.h"

static uint64_t span_of(uint64_t begin, uint64_t end) { return begin << 32 | end; }
static uint32_t begin_of(uint64_t span) { return (uint32_t)(span >> 32); }
static uint32_t end_of(uint64_t span) { return (uint32_t)span; }

void wl_parts_init(struct wl_parts *parts, uint64_t total, uint32_t count) {
    parts->total = total;
    parts->unit = (uint32_t)(total >> 32) + 1;
    parts->count = count;
    uint64_t units = (total + parts->unit - 1) / parts->unit, begin = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = begin + (units - begin) / (count - i);
        atomic_store_explicit(&parts->part[i].span, span_of(begin, end), memory_order_relaxed);
        begin = end;
    }
}

/* Takes at most `most` units from the front, and so few that a thread that comes late still finds some. */
static bool take_front(struct wl_part *part, uint64_t most, uint64_t *first, uint64_t *end) {
    uint64_t span = atomic_load_explicit(&part->span, memory_order_relaxed), run;
    do {
        uint32_t left = end_of(span) - begin_of(span);
        if (!left)
            return false;
        run = left / 4 + 1;
        run = run < most ? run : most;
    } while (!atomic_compare_exchange_weak_explicit(&part->span, &span, span + (run << 32), memory_order_relaxed, memory_order_relaxed));
    *first = begin_of(span);
    *end = begin_of(span) + run;
    return true;
}

/* The back half of what is left becomes the part of the thread that takes it. That part is empty, so that no other thread writes to it. */
static bool steal(struct wl_part *own, struct wl_part *victim) {
    uint64_t span = atomic_load_explicit(&victim->span, memory_order_relaxed), kept;
    do {
        uint32_t left = end_of(span) - begin_of(span);
        if (!left)
            return false;
        kept = span_of(begin_of(span), begin_of(span) + left / 2);
    } while (!atomic_compare_exchange_weak_explicit(&victim->span, &span, kept, memory_order_relaxed, memory_order_relaxed));
    atomic_store_explicit(&own->span, span_of(end_of(kept), end_of(span)), memory_order_relaxed);
    return true;
}

bool wl_parts_take(struct wl_parts *parts, uint32_t own, uint64_t most, uint64_t *first, uint64_t *end) {
    uint64_t units = most / parts->unit;
    units = units ? units : 1;
    bool found = take_front(&parts->part[own], units, first, end);
    while (!found) {
        uint32_t distance = 1;
        while (distance < parts->count && !steal(&parts->part[own], &parts->part[(own + distance) % parts->count]))
            distance++;
        if (distance >= parts->count)
            return false;
        found = take_front(&parts->part[own], units, first, end); /* unless another thief was quicker */
    }
    *first *= parts->unit;
    *end *= parts->unit;
    if (*end > parts->total)
        *end = parts->total;
    return true;
}

uint64_t wl_parts_lowest(const struct wl_parts *parts) {
    uint64_t lowest = UINT64_MAX;
    for (uint32_t i = 0; i < parts->count; i++) {
        uint64_t span = atomic_load_explicit(&parts->part[i].span, memory_order_relaxed);
        if (begin_of(span) != end_of(span) && begin_of(span) < lowest)
            lowest = begin_of(span);
    }
    return lowest == UINT64_MAX ? parts->total : lowest * parts->unit;
}

bool wl_parts_take_lowest(struct wl_parts *parts, uint64_t first, uint64_t *end) {
    for (uint32_t i = 0; i < parts->count; i++) {
        uint64_t span = atomic_load_explicit(&parts->part[i].span, memory_order_relaxed);
        if (begin_of(span) == end_of(span) || (uint64_t)begin_of(span) * parts->unit != first ||
            !atomic_compare_exchange_strong_explicit(&parts->part[i].span, &span, span + (1ull << 32), memory_order_relaxed,
                                                     memory_order_relaxed))
            continue;
        *end = first + parts->unit < parts->total ? first + parts->unit : parts->total;
        return true;
    }
    return false;
}
