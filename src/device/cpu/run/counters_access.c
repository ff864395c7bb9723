/* Accesses to memory, as an AMD processor would make them: pieces of 64 bytes, and cycles of LDS. */
#include "device/cpu/run/counters.h"

#include "base/table.h"
#include "machine/sanitize.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 64, /* bytes that memory is counted in */
    BANKS = 32, /* of LDS, each of a dword */
    MOST_LANES = 64,
};

/* ---- what an access touches ---------------------------------------------------------------------- */

static void sort(uint64_t *values, unsigned count) {
    for (unsigned i = 1; i < count; i++) { /* nearly always in order */
        const uint64_t value = values[i];
        unsigned to = i;
        for (; to > 0 && values[to - 1] > value; to--)
            values[to] = values[to - 1];
        values[to] = value;
    }
}

/* Pieces that elements of `bytes` bytes at `values`, which are sorted, lie in. */
static uint64_t pieces_of(uint64_t *values, unsigned count, uint32_t bytes) {
    uint64_t next = 0, pieces = 0;
    sort(values, count);
    for (unsigned i = 0; i < count; i++) {
        const uint64_t first = values[i] / PIECE < next ? next : values[i] / PIECE, last = (values[i] + bytes - 1) / PIECE;
        if (last < first)
            continue;
        pieces += last - first + 1;
        next = last + 1;
    }
    return pieces;
}

static uint64_t memory_pieces(const struct wl_access_counter *c) {
    uint64_t values[MOST_LANES];
    unsigned count = 0;
    for (uint64_t left = c->lanes; left; left &= left - 1)
        values[count++] = c->at[__builtin_ctzll(left)];
    return pieces_of(values, count, c->bytes);
}

/* Private memory is interleaved by dwords. */
static uint64_t scratch_pieces(const struct wl_access_counter *c) {
    uint64_t values[MOST_LANES], pieces = 0;
    for (uint32_t d = 0; d < c->bytes; d += 4) {
        unsigned count = 0;
        for (uint64_t left = c->lanes; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctzll(left);
            values[count++] = ((c->at[l] + d) / 4 * c->wave_size + l) * 4;
        }
        pieces += pieces_of(values, count, 4);
    }
    return pieces;
}

/* Cycles that a few lanes take which LDS serves at once: as many as there are different dwords in the bank with the most. */
static unsigned bank_cycles(uint64_t *dwords, unsigned count) {
    uint8_t wanted[BANKS] = {0};
    unsigned most = 0;
    sort(dwords, count);
    for (unsigned i = 0; i < count; i++) {
        if (i && dwords[i] == dwords[i - 1])
            continue;
        const unsigned now = ++wanted[dwords[i] % BANKS];
        most = now > most ? now : most;
    }
    return most;
}

/* 128 bytes a cycle: 32 lanes with a dword, 16 with two, 8 with more. */
static void add_lds(const struct wl_access_counter *c, struct wl_trace_record *record) {
    const unsigned together = c->bytes <= 4 ? 32 : c->bytes <= 8 ? 16 : 8, most_dwords = (c->bytes + 3) / 4;
    for (unsigned first = 0; first < c->wave_size; first += together) {
        uint64_t dwords[4 * 32];
        unsigned count = 0;
        for (unsigned l = first; l < first + together; l++)
            for (unsigned d = 0; c->lanes >> l & 1 && d < most_dwords && count < sizeof dwords / sizeof *dwords; d++)
                dwords[count++] = c->at[l] / 4 + d;
        const unsigned cycles = bank_cycles(dwords, count);
        record->access.pieces += cycles != 0;
        record->access.conflicts += cycles ? cycles - 1 : 0;
    }
}

/* Whether lanes are neither side by side nor at one place. */
static bool is_scattered(const struct wl_access_counter *c) {
    const unsigned first = (unsigned)__builtin_ctzll(c->lanes);
    bool same = true, follows = true;
    for (uint64_t left = c->lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        same &= c->at[l] == c->at[first];
        follows &= c->at[l] == c->at[first] + (uint64_t)(l - first) * c->bytes;
    }
    return !same && !follows;
}

static void settle(struct wl_access_counter *c) {
    struct wl_trace_record *record = c->record;
    record->correlation++;
    record->end += (uint64_t)__builtin_popcountll(c->lanes) * c->bytes;
    if (c->space == WL_SANITIZE_LDS)
        add_lds(c, record);
    else
        record->access.pieces += c->space == WL_SANITIZE_SCRATCH ? scratch_pieces(c) : memory_pieces(c);
    if (c->space != WL_SANITIZE_SCRATCH)
        record->access.scattered += is_scattered(c);
    c->lanes = 0;
}

void wl_counters_settle(struct wl_thread_counters *counters) {
    for (; counters->pending; counters->pending = counters->pending->next)
        settle(counters->pending);
}

/* ---- what code tells ----------------------------------------------------------------------------- */

static struct wl_access_counter *find(struct wl_thread_counters *counters, const struct wl_job *job, const struct wl_sanitize_site *site,
                                      uint8_t space) {
    const uint32_t what = (uint32_t)(site->kind << 8 | space << 1 | site->second);
    const uint64_t key = site->address * 0x9e3779b97f4a7c15u ^ job->function->id << 16 ^ what;
    struct wl_access_counter *found;
    size_t at = 0;
    while ((found = wl_table_next(&counters->accesses, key, &at)))
        if (found->function == job->function->id && found->address == site->address && found->what == what)
            return found;
    if (!(found = wl_table_make(&counters->accesses, key, sizeof *found)))
        return NULL;
    found->function = job->function->id;
    found->address = site->address;
    found->what = what;
    found->space = space;
    found->wave_size = job->wave_size;
    found->record = wl_counters_record(job, site->address, &found->sink);
    found->record->detail = space == WL_SANITIZE_LDS ? WL_TRACE_LDS : space == WL_SANITIZE_SCRATCH ? WL_TRACE_SCRATCH : WL_TRACE_GLOBAL;
    found->record->device = site->kind == WL_SANITIZE_LOAD    ? WL_TRACE_LOAD
                            : site->kind == WL_SANITIZE_STORE ? WL_TRACE_STORE
                                                              : WL_TRACE_ATOMIC;
    wl_trace_put(found->record, WL_TRACE_ACCESS);
    return found;
}

/* The counter that the lanes are to be added to; NULL: they are not counted. Scalar loads are instructions alone. */
static struct wl_access_counter *begin(const struct wl_job *job, const struct wl_sanitize_site *site, uint8_t space) {
    struct wl_thread_counters *counters = site->scalar ? NULL : wl_thread_counters();
    struct wl_access_counter *found = counters ? find(counters, job, site, space) : NULL;
    if (found && !found->lanes) {
        found->next = counters->pending;
        counters->pending = found;
    }
    if (found && !found->touched && wl_counters_told(job)) {
        found->before = *found->record;
        found->touched = true;
        found->next_touched = counters->touched_accesses;
        counters->touched_accesses = found;
    }
    if (found)
        found->bytes = site->bytes;
    return found;
}

void wl_counters_access(const struct wl_job *job, const struct wl_san_access *access) {
    struct wl_access_counter *found = access->lanes ? begin(job, access->site, access->space) : NULL;
    if (!found)
        return;
    if (!access->is_strip && found->lanes) /* of all lanes again: an instruction that accesses several places */
        settle(found);
    const unsigned from = access->is_strip ? access->first_lane : 0;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        found->at[from + l] = access->address[l];
    }
    found->lanes |= access->lanes << from;
}

void wl_counters_run(const struct wl_job *job, const struct wl_san_lanes *run) {
    struct wl_access_counter *found = run->lanes ? begin(job, run->site, run->space) : NULL;
    if (!found)
        return;
    for (uint64_t left = run->lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctzll(left);
        found->at[run->first_lane + l] = run->start + (uint64_t)l * run->step;
    }
    found->lanes |= run->lanes << run->first_lane;
}
