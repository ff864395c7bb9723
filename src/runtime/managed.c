/* Advice about managed memory: for each allocation that has any, its pages as pieces with the same advice, in order. */
#include "runtime/managed.h"
#include "base/array.h"
#include "base/assert.h"
#include "base/page.h"
#include "base/table.h"
#include "runtime/context.h"
#include "runtime/memory.h"

#include <stdlib.h>
#include <string.h>

struct piece {
    uint64_t begin, end; /* addresses, on pages */
    bool read_mostly, coarse_grain, accessed_by_host;
    int preferred, prefetched;
    uint64_t accessed_by;
};

struct record {
    unsigned count, capacity;
    struct piece *pieces; /* without gaps, the whole allocation */
};

static struct {
    pthread_mutex_t lock;
    struct wl_table table; /* by the allocation's id */
} records = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct piece nothing = {.preferred = WL_LOCATION_NONE, .prefetched = WL_LOCATION_NONE};

/* ---- records --------------------------------------------------------------------------------- */

static struct record *record_of(const struct wl_allocation *allocation) {
    wl_assert_held(&records.lock);
    struct record *known = wl_table_find(&records.table, allocation->id);
    if (known)
        return known;
    struct record *made = calloc(1, sizeof *made);
    struct piece *pieces = malloc(4 * sizeof *pieces);
    if (!made || !pieces || !wl_table_add(&records.table, allocation->id, made)) {
        free(made);
        free(pieces);
        return NULL;
    }
    *made = (struct record){.count = 1, .capacity = 4, .pieces = pieces};
    pieces[0] = nothing;
    pieces[0].begin = allocation->address;
    pieces[0].end = wl_page_up(allocation->address + allocation->size);
    return made;
}

/* Makes `address` the begin of a piece, whose index it returns. There is room for one more piece. */
static unsigned cut(struct record *record, uint64_t address) {
    unsigned i = 0;
    while (i < record->count && record->pieces[i].end <= address)
        i++;
    if (i == record->count || record->pieces[i].begin == address)
        return i;
    memmove(&record->pieces[i + 1], &record->pieces[i], (record->count - i) * sizeof record->pieces[0]);
    record->count++;
    record->pieces[i].end = address;
    record->pieces[i + 1].begin = address;
    return i + 1;
}

static bool same(const struct piece *a, const struct piece *b) {
    return a->read_mostly == b->read_mostly && a->coarse_grain == b->coarse_grain && a->preferred == b->preferred &&
           a->prefetched == b->prefetched && a->accessed_by == b->accessed_by && a->accessed_by_host == b->accessed_by_host;
}

static void join(struct record *record) {
    unsigned last = 0;
    for (unsigned i = 1; i < record->count; i++)
        if (same(&record->pieces[last], &record->pieces[i]))
            record->pieces[last].end = record->pieces[i].end;
        else
            record->pieces[++last] = record->pieces[i];
    record->count = last + 1;
}

/* ---- advice ---------------------------------------------------------------------------------- */

static void apply(struct piece *piece, enum wl_advice advice, int location, bool on) {
    switch (advice) {
    case WL_ADVICE_READ_MOSTLY:
        piece->read_mostly = on;
        break;
    case WL_ADVICE_PREFERRED:
        piece->preferred = on ? location : WL_LOCATION_NONE;
        break;
    case WL_ADVICE_ACCESSED_BY:
        if (location == WL_LOCATION_HOST)
            piece->accessed_by_host = on;
        else
            piece->accessed_by = (piece->accessed_by & ~(UINT64_C(1) << location)) | (uint64_t)on << location;
        break;
    case WL_ADVICE_COARSE_GRAIN:
        piece->coarse_grain = on;
        break;
    case WL_ADVICE_PREFETCHED:
        piece->prefetched = on ? location : WL_LOCATION_NONE;
        break;
    }
}

/* The device that the memory came from does what is advised. Devices of other kinds are the host to it. */
static enum wl_status tell_owner(struct wl_device *owner, const void *address, size_t size, enum wl_advice advice, int location, bool on) {
    const struct wl_context *context = location >= 0 ? wl_context_at((unsigned)location) : NULL;
    const struct wl_device *place = context && context->device->ops == owner->ops ? context->device : NULL;
    return owner->ops->host->managed_advise(owner, address, size, advice, place, on);
}

enum wl_status wl_managed_advise(const struct wl_allocation *allocation, const void *address, size_t size, enum wl_advice advice,
                                 int location, bool on) {
    uint64_t begin = wl_page_down((uint64_t)(uintptr_t)address), end = wl_page_up((uint64_t)(uintptr_t)address + size);
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&records.lock);
    struct record *record = record_of(allocation);
    if (!record || !WL_ARRAY_RESERVE_MORE(record->pieces, record->count, 2, record->capacity, 4)) {
        status = wl_fail(WL_OUT_OF_MEMORY, "out of host memory for advice");
    } else {
        unsigned first = cut(record, begin), past = cut(record, end);
        for (unsigned i = first; i < past; i++)
            apply(&record->pieces[i], advice, location, on);
        join(record);
    }
    pthread_mutex_unlock(&records.lock);
    if (status == WL_OK && allocation->owner)
        status = tell_owner(allocation->owner, address, size, advice, location, on);
    return status;
}

void wl_managed_system(struct wl_allocation *allocation) {
    *allocation = (struct wl_allocation){.size = UINT64_C(1) << 57, .kind = WL_MEMORY_MANAGED}; /* no allocation has the number 0 */
}

static void add_piece(struct wl_managed_summary *summary, const struct piece *piece, bool first) {
    if (first) {
        *summary = (struct wl_managed_summary){.read_mostly = piece->read_mostly,
                                               .preferred = piece->preferred,
                                               .prefetched = piece->prefetched,
                                               .accessed_by = piece->accessed_by,
                                               .accessed_by_host = piece->accessed_by_host,
                                               .coarse_grain = piece->coarse_grain};
        return;
    }
    summary->read_mostly &= piece->read_mostly;
    summary->preferred = summary->preferred == piece->preferred ? piece->preferred : WL_LOCATION_NONE;
    summary->prefetched = summary->prefetched == piece->prefetched ? piece->prefetched : WL_LOCATION_NONE;
    summary->accessed_by &= piece->accessed_by;
    summary->accessed_by_host &= piece->accessed_by_host;
    summary->mixed_grain |= summary->coarse_grain != piece->coarse_grain;
    summary->coarse_grain &= piece->coarse_grain;
}

void wl_managed_query(const struct wl_allocation *allocation, const void *address, size_t size, struct wl_managed_summary *summary) {
    uint64_t begin = wl_page_down((uint64_t)(uintptr_t)address), end = wl_page_up((uint64_t)(uintptr_t)address + size);
    bool first = true;
    add_piece(summary, &nothing, true);
    pthread_mutex_lock(&records.lock);
    const struct record *record = wl_table_find(&records.table, allocation->id);
    for (unsigned i = 0; record && i < record->count; i++)
        if (record->pieces[i].end > begin && record->pieces[i].begin < end) {
            add_piece(summary, &record->pieces[i], first);
            first = false;
        }
    pthread_mutex_unlock(&records.lock);
}

void wl_managed_forget(uint64_t id) {
    pthread_mutex_lock(&records.lock);
    struct record *record = wl_table_find(&records.table, id);
    if (record)
        (void)wl_table_remove(&records.table, id, record);
    pthread_mutex_unlock(&records.lock);
    if (record)
        free(record->pieces);
    free(record);
}

void wl_managed_after_fork(void) { pthread_mutex_init(&records.lock, NULL); }
