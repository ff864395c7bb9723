/* racecheck: accesses. An instruction's lanes are taken together where their addresses follow each other. */
#include "sanitize/race.h"

#include "sanitize/race_check.h"

#include "base/clock.h"
#include "machine/operations.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The bytes of cell `i` that [address, address + size) has. */
static uint64_t mask_of(uint64_t address, uint64_t size, unsigned i) {
    const uint64_t base = (address & ~UINT64_C(3)) + 4 * (uint64_t)i, end = address + size;
    const unsigned low = address > base ? (unsigned)(address - base) : 0, high = end < base + 4 ? (unsigned)(end - base) : 4;
    return (15u << low & 15u) & (15u >> (4 - high));
}

/* Waves that learn look at cells without a lock. */
static inline void put(uint64_t *cell, uint64_t record) { __atomic_store_n(cell, record, __ATOMIC_RELAXED); }

/* ---- values ----------------------------------------------------------------------------------- */

/* Whether the store of a lane leaves the bytes of a cell as they are. */
static bool keeps_value(const struct check *c, unsigned lane, uint64_t lane_address, uint64_t cell_address) {
    const struct wl_san_access *a = c->access;
    const uint64_t from = lane_address > cell_address ? lane_address : cell_address;
    const uint64_t lane_end = lane_address + a->site->bytes, end = lane_end < cell_address + 4 ? lane_end : cell_address + 4;
    const uint8_t *memory = c->lds ? c->of->group->lds : NULL;
    if (!a->data || (c->lds && !memory))
        return false;
    for (uint64_t at = from; at < end; at++) {
        const uint64_t offset = at - lane_address;
        const uint32_t word = a->data[offset / 4 * a->data_stride + (lane - a->first_lane)];
        const uint8_t now = c->lds ? memory[at] : *(const uint8_t *)(uintptr_t)at;
        if ((uint8_t)(word >> offset % 4 * 8) != now)
            return false;
    }
    return true;
}

/* What workgroups are about to store, each by its last record: what is told comes before what is done. */
enum { TELLERS = 1024 };
static struct {
    _Alignas(64) _Atomic uint64_t record;
} told[TELLERS];
static atomic_uint tellers;

unsigned wl_race_teller(void) { return atomic_fetch_add_explicit(&tellers, 1, memory_order_relaxed) % TELLERS; }

static inline void tell_of(const struct wl_race_group *group, uint64_t record) {
    atomic_store_explicit(&told[group->teller].record, record, memory_order_release);
}

static bool is_told(uint64_t record) {
    const unsigned count = atomic_load_explicit(&tellers, memory_order_relaxed);
    for (unsigned i = 0; i < TELLERS && i < count; i++)
        if ((atomic_load_explicit(&told[i].record, memory_order_acquire) ^ record) >> WL_RACE_SITE_SHIFT == 0)
            return true;
    return false;
}

void wl_race_access_done(const struct wl_race_group *group) { tell_of(group, 0); }

/* Whether the bytes are what another workgroup stored, or is about to store. */
static bool comes_to_keep_value(const struct check *c, unsigned lane, uint64_t lane_address, uint64_t cell_address, uint64_t write) {
    enum { LONGEST_WAIT = 100000000 }; /* ns: the other thread may not be running */
    if (keeps_value(c, lane, lane_address, cell_address))
        return true;
    if (c->lds || wl_race_unit_of(write)->uid == c->group->uid || !is_told(write))
        return false;
    for (const uint64_t start = wl_now(); is_told(write) && wl_now() - start < LONGEST_WAIT;)
        sched_yield();
    return keeps_value(c, lane, lane_address, cell_address);
}

/* ---- learning --------------------------------------------------------------------------------- */

/* A load that stands for an atomic one reads what `record` stored. */
static void learn_from(struct wl_race_group *group, struct wl_race_wave *w, bool lds, bool polls, uint64_t record) {
    const uint32_t number = wl_race_segment(record) / WL_RACE_UNIT;
    const struct wl_race_unit *unit = wl_race_unit_at(number);
    const struct wl_race_launch *launch = wl_race_launch_of(unit->launch);
    if (!launch)
        return;
    const uint32_t in = wl_race_segment(record) % WL_RACE_UNIT, row = unit->row + (in >> launch->shift);
    const uint32_t wave = in & ((1u << launch->shift) - 1);
    if (unit->uid == group->uid) { /* gfx9's waves of a workgroup share a cache that keeps the order of their stores; LDS does, too */
        const bool in_order = lds ? polls && record & WL_RACE_RELEASED : group->launch->generation == 9;
        wl_clock_add(&w->clock, wl_race_wave_key(unit->uid, wave), row + in_order);
        return;
    }
    if (!(record & WL_RACE_RELEASED))
        return;
    const uint32_t phase = atomic_load_explicit(&unit->phase_row, memory_order_relaxed);
    wl_clock_add(&w->pending, wl_race_wave_key(unit->uid, wave), row);
    wl_clock_add(&w->pending, wl_race_key(unit->uid), phase < row ? phase : row);
    wl_race_unit_learn(number, &w->pending);
}

static uint64_t key_of(uint64_t address) { return address >> 2; }

static void learn_at(const struct wl_race_group *group, struct wl_race_wave *w, bool lds, uint64_t address) {
    if (!lds)
        wl_race_variable_read(NULL, key_of(address), &w->pending);
    else if (group->variables)
        wl_race_variable_read(group->variables, key_of(address), &w->clock);
}

#define OF_LDS (UINT64_C(1) << 63)
#define POLLED (UINT64_C(1) << 62)

static void look_at(const struct check *c, uint64_t record, uint64_t address) {
    struct wl_race_wave *w = c->wave;
    if (!is_fine(c, record))
        learn_from(c->group, w, c->lds, c->polls, record);
    learn_at(c->group, w, c->lds, address);
    if (!w->looks && !(w->looks = calloc(1, sizeof *w->looks)))
        return;
    const uint64_t place = address | (c->lds ? OF_LDS : 0) | (c->polls ? POLLED : 0);
    if (w->looks->count == w->looks->learnt || w->looks->address[(w->looks->count - 1) % WL_RACE_LOOKS] != place)
        w->looks->address[w->looks->count++ % WL_RACE_LOOKS] = place;
}

/* Whether the wave has lately read a place as atomic loads do; `polled`: in a loop. */
static bool has_looked(const struct check *c, uint64_t address, bool polled) {
    const struct wl_race_looks *looks = c->wave->looks;
    const uint32_t count = looks ? looks->count : 0, kept = count < WL_RACE_LOOKS ? count : WL_RACE_LOOKS;
    for (uint32_t i = 0; i < kept; i++)
        if ((looks->address[i] & ~POLLED) == (address | (c->lds ? OF_LDS : 0)) && (!polled || looks->address[i] & POLLED))
            return true;
    return false;
}

void wl_race_learn(struct wl_race_group *group, uint32_t wave) {
    struct wl_race_wave *w = &group->waves[wave];
    if (w->looks->count - w->looks->learnt > WL_RACE_LOOKS)
        w->looks->learnt = w->looks->count - WL_RACE_LOOKS;
    for (; w->looks->learnt != w->looks->count; w->looks->learnt++) {
        const uint64_t place = w->looks->address[w->looks->learnt % WL_RACE_LOOKS], address = place & ~(OF_LDS | POLLED);
        const bool lds = place & OF_LDS;
        const struct wl_race_block *block = lds ? group->lds + (address >> WL_RACE_BLOCK_SHIFT) : wl_race_block(address);
        const uint64_t record = block ? wl_race_write_at(block, address % (1u << WL_RACE_BLOCK_SHIFT)) : 0;
        if (record && (!lds || record >= group->phase_first))
            learn_from(group, w, lds, place & POLLED, record);
        learn_at(group, w, lds, address);
    }
}

/* What the wave's atomics publish. */
static struct wl_clock *published(const struct check *c) {
    const struct wl_race_wave *wave = c->wave;
    struct wl_clock *clock = wl_clock_keep(wave->clock);
    wl_clock_add(&clock, wl_race_wave_key(c->group->uid, c->of->index), c->lds ? wave->row : wave->agent_row);
    wl_clock_add(&clock, wl_race_key(c->group->uid), c->group->phase_row);
    return clock;
}

/* ---- loads ------------------------------------------------------------------------------------ */

static void report(const struct check *c, unsigned lane, uint64_t address, uint64_t earlier) {
    wl_race_report(c->of, c->access->site, lane, c->access->space, address, earlier);
}

static void defer(const struct check *c, uint32_t load, unsigned lane, uint64_t address, uint64_t earlier) {
    wl_race_defer(c->of, &(struct wl_race_deferred){address, earlier, c->access->site, load, (uint8_t)lane});
}

/* Which record of two reads gives way; 2: none, two waves that read at the same time are enough to find a store beside them. */
static inline unsigned slot_of(const struct check *c, const struct cells *cells, unsigned i) {
    return is_fine(c, cells->read[0][i]) ? 0 : is_fine(c, cells->read[1][i]) ? 1 : 2;
}

static void check_load(const struct check *c, const struct cells *cells, unsigned i, uint64_t mask, unsigned lane, uint64_t address) {
    const uint64_t write = cells->write[i];
    if (!(wl_race_bytes(write) & mask) || is_ordered(c, write) || has_looked(c, address, false))
        return;
    if (write & WL_RACE_ATOMIC && !c->lds)
        defer(c, wl_race_site_number(c->record), lane, address, write);
    else
        report(c, lane, address, write);
}

/* ---- stores ----------------------------------------------------------------------------------- */

/* Whether both stand for atomic operations. */
static bool both_atomic(const struct check *c, uint64_t earlier) {
    if (earlier & WL_RACE_ATOMIC && earlier & WL_RACE_STRONG)
        return true; /* an atomic that polls waits for this store */
    return earlier & WL_RACE_ATOMIC && c->record & (WL_RACE_ATOMIC | WL_RACE_PUBLISHES);
}

/* False: the cell's record stays. */
static bool check_store(const struct check *c, const struct cells *cells, unsigned i, uint64_t mask, unsigned lane, uint64_t address,
                        uint64_t lane_address) {
    const uint64_t write = cells->write[i];
    const bool over = wl_race_bytes(write) & mask && !both_atomic(c, write) && !is_ordered(c, write);
    uint64_t other = over ? write : 0;
    for (unsigned r = 0; r < 2 && !other; r++) {
        const uint64_t read = cells->read[r][i];
        if (wl_race_bytes(read) & mask && !(read & WL_RACE_STRONG) && !is_ordered(c, read))
            other = read;
    }
    if (!other || (other == write && has_looked(c, address, !(other & (WL_RACE_ATOMIC | WL_RACE_PUBLISHES)))))
        return true;
    if (other == write && comes_to_keep_value(c, lane, lane_address, address, write))
        return false;
    report(c, lane, address, other);
    return true;
}

/* A store of a wave that did an atomic there before stands for an atomic one: it gives a lock back. */
static uint64_t stored_record(const struct check *c, uint64_t write, unsigned lane, uint64_t mask) {
    uint64_t record = record_at(c, lane, mask);
    if (write & WL_RACE_ATOMIC && is_own(c, write))
        record |= WL_RACE_ATOMIC;
    if ((write ^ record) >> WL_RACE_SITE_SHIFT == 0) /* bytes of one instruction */
        record |= write & bytes_of(15);
    return record;
}

/* ---- runs of lanes ---------------------------------------------------------------------------- */

static void load_run(struct check *c, const struct cells *cells, const struct run *run) {
    const bool look = !wl_race_are_fine(c, cells->write, cells->count, 0);
    for (unsigned i = 0; i < cells->count; i++) {
        const uint64_t mask = mask_of(run->address, run->size, i);
        const unsigned lane = lane_of(run, 4 * (uint64_t)i), slot = slot_of(c, cells, i);
        if (look)
            check_load(c, cells, i, mask, lane, (run->address & ~UINT64_C(3)) + 4 * (uint64_t)i);
        if (slot < 2)
            put(&cells->read[slot][i], record_at(c, lane, mask));
    }
}

static void store_run(struct check *c, const struct cells *cells, const struct run *run) {
    for (unsigned i = 0; i < cells->count; i++) {
        const uint64_t mask = mask_of(run->address, run->size, i), address = (run->address & ~UINT64_C(3)) + 4 * (uint64_t)i;
        const unsigned lane = lane_of(run, 4 * (uint64_t)i);
        const uint64_t lane_address = run->address + (uint64_t)(lane - run->lane) * c->access->site->bytes;
        c->meets |= ((cells->write[i] ^ c->record) & (c->same | WL_RACE_SITE_BITS)) == 0 && wl_race_lane(cells->write[i]) != lane;
        if (check_store(c, cells, i, mask, lane, address, lane_address))
            put(&cells->write[i], stored_record(c, cells->write[i], lane, mask));
    }
}

static void plain_run(struct check *c, struct run run) {
    const bool stores = c->access->site->kind == WL_SANITIZE_STORE;
    while (run.size) {
        uint64_t done = wl_race_run_quickly(c, &run, stores);
        if (!done) {
            struct cells cells;
            struct run here = run;
            if (!wl_race_find_cells(c, run.address, &here.size, &cells))
                return;
            (stores ? store_run : load_run)(c, &cells, &here);
            wl_race_give_cells(c, run.address);
            done = here.size;
        }
        advance(&run, done);
    }
}

/* ---- single lanes: atomics, and loads that stand for atomic ones ------------------------------ */

/* A store behind a wait, by another wave, stands for an atomic store if this wave polls for it or if it publishes. Whoever stores there later
 * may know of that store by other waves only. */
static void found_by_polling(const struct check *c, uint64_t *cell, uint64_t write) {
    uint64_t expected = write;
    if ((c->polls || write & WL_RACE_PUBLISHES) && write & WL_RACE_RELEASED && !(write & WL_RACE_ATOMIC) && !is_fine(c, write))
        __atomic_compare_exchange_n(cell, &expected, write | WL_RACE_ATOMIC, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void strong_load(const struct check *c, const struct cells *cells, unsigned i, unsigned lane, uint64_t address) {
    const uint64_t write = cells->write[i];
    look_at(c, write, address);
    found_by_polling(c, &cells->write[i], write);
    for (unsigned r = 0; r < 2; r++) {
        const uint64_t read = cells->read[r][i];
        if (is_old(c, read) || (is_own(c, read) && read & WL_RACE_STRONG)) {
            put(&cells->read[r][i], record_at(c, lane, 15));
            return;
        }
    }
}

/* Whether an atomic checks again what a load before it found. */
static bool checks_again(unsigned operation) {
    switch (operation) {
    case WL_ATOMIC_CMPSWAP:
    case WL_ATOMIC_FCMPSWAP:
    case WL_ATOMIC_SMIN:
    case WL_ATOMIC_UMIN:
    case WL_ATOMIC_SMAX:
    case WL_ATOMIC_UMAX:
    case WL_ATOMIC_FMIN:
    case WL_ATOMIC_FMAX:
    case WL_ATOMIC_AND:
    case WL_ATOMIC_OR:
        return true;
    default:
        return false;
    }
}

static void feed(uint32_t load) { atomic_store_explicit(&wl_race_site_of(load)->feeds, true, memory_order_relaxed); }

/* Loads of the wave from the place of its atomic were looks ahead. */
static void find_feeding(const struct check *c, const struct cells *cells, unsigned i, uint64_t address) {
    struct wl_race_wave *wave = c->wave;
    for (unsigned r = 0; r < 2; r++) {
        const uint64_t read = cells->read[r][i];
        if (read && is_own(c, read) && !(read & WL_RACE_STRONG))
            feed(wl_race_site_number(read));
    }
    for (uint32_t n = 0; n < wave->deferred_count; n++)
        if (wave->deferred[n].address == address && wave->deferred[n].site->kind == WL_SANITIZE_LOAD)
            feed(wave->deferred[n].load);
}

static void check_atomic(const struct check *c, const struct cells *cells, unsigned i, unsigned lane, uint64_t address) {
    const uint64_t write = cells->write[i];
    if (c->access->site->returns)
        look_at(c, write, address);
    if (!c->lds && checks_again(c->access->site->atomic))
        find_feeding(c, cells, i, address);
    const bool plain = !(write & (WL_RACE_ATOMIC | WL_RACE_PUBLISHES)) && !c->polls;
    uint64_t other = plain && write && !is_ordered(c, write) ? write : 0;
    for (unsigned r = 0; r < 2 && !other; r++) {
        const uint64_t read = cells->read[r][i];
        if (read && !(read & WL_RACE_STRONG) && !is_ordered(c, read))
            other = read;
    }
    if (other && other != write && !c->lds)
        defer(c, wl_race_site_number(other), lane, address, other);
    else if (other)
        report(c, lane, address, other);
    else if (plain && write && !is_old(c, write) && is_own(c, write))
        return; /* a store that other waves may not have seen: their atomics shall find it */
    /* a store that came meanwhile stays: this wave, or others, may wait for it */
    uint64_t expected = write;
    __atomic_compare_exchange_n(&cells->write[i], &expected, record_at(c, lane, 15), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool releases(const struct check *c) {
    const struct wl_race_wave *wave = c->wave;
    const bool few = __builtin_popcountll(c->access->lanes) <= 4;
    if (c->lds)
        return few || wave->stored_phase;
    return (wave->agent_row || wave->clock) && (few || c->access->site->returns || wave->stored);
}

static void single_lanes(const struct check *c) {
    const struct wl_san_access *a = c->access;
    const bool atomic = a->site->kind == WL_SANITIZE_ATOMIC;
    struct wl_clock *publish = atomic && releases(c) ? published(c) : NULL;
    uint64_t last = UINT64_MAX;
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(rest);
        const uint64_t address = a->address[bit];
        uint64_t size = a->site->bytes;
        struct cells cells;
        if (address == last || !wl_race_find_cells(c, address, &size, &cells))
            continue;
        last = address;
        for (unsigned i = 0; i < cells.count; i++) {
            const uint64_t at = (address & ~UINT64_C(3)) + 4 * (uint64_t)i;
            if (atomic)
                check_atomic(c, &cells, i, a->first_lane + bit, at);
            else
                strong_load(c, &cells, i, a->first_lane + bit, at);
            if (publish && i == 0)
                wl_race_variable_release(c->lds ? &c->group->variables : NULL, key_of(at), publish);
        }
        wl_race_give_cells(c, address);
    }
    wl_clock_drop(publish);
}

/* ---- lanes that store to one place ------------------------------------------------------------ */

static bool values_differ(const struct wl_san_access *a, unsigned one, unsigned two) {
    const uint32_t bytes = a->site->bytes;
    for (uint32_t d = 0; d < (bytes + 3) / 4; d++) {
        const uint32_t used = bytes - 4 * d < 4 ? (UINT32_C(1) << 8 * (bytes - 4 * d)) - 1 : UINT32_MAX;
        if ((a->data[d * a->data_stride + one] ^ a->data[d * a->data_stride + two]) & used)
            return true;
    }
    return false;
}

/* Lanes with one address and different values. Addresses that overlap in part are compared as if they did not. */
static void check_lanes(const struct check *c) {
    enum { SLOTS = 128 };
    const struct wl_san_access *a = c->access;
    uint8_t slots[SLOTS];
    if (!a->data)
        return;
    memset(slots, 0xff, sizeof slots);
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(rest);
        unsigned slot = (unsigned)(a->address[bit] * UINT64_C(0x9e3779b97f4a7c15) >> 57);
        while (slots[slot] != 0xff && a->address[slots[slot]] != a->address[bit])
            slot = (slot + 1) % SLOTS;
        if (slots[slot] == 0xff) {
            slots[slot] = (uint8_t)bit;
        } else if (values_differ(a, slots[slot], bit)) {
            wl_race_report_lanes(c->of, a->site, a->first_lane + bit, a->first_lane + slots[slot], a->space, a->address[bit]);
            return;
        }
    }
}

/* ---- strips ----------------------------------------------------------------------------------- */

/* Native code tells of an instruction strip by strip, each before its lanes access memory. Lanes of different strips that store to one place
 * are found by what the earlier ones were told to store to, and by what is there then. */
static void begin_strip(struct wl_race_wave *wave, const struct wl_sanitize_site *site, uint32_t first_lane) {
    struct wl_race_strips *strips = wave->strips;
    if (!strips && !(strips = wave->strips = calloc(1, sizeof *strips)))
        return;
    if (strips->site == site && first_lane > strips->last_lane) {
        strips->last_lane = first_lane;
        return;
    }
    strips->site = site;
    strips->last_lane = first_lane;
    strips->count = 0;
}

static void note_strip(struct wl_race_wave *wave, uint64_t address, uint32_t size, uint32_t lane) {
    struct wl_race_strips *strips = wave->strips;
    if (strips && strips->count < sizeof strips->runs / sizeof *strips->runs) {
        strips->runs[strips->count].address = address;
        strips->runs[strips->count].size = size;
        strips->runs[strips->count++].lane = lane;
    }
}

/* The lane of an earlier strip that stores there too; 64: none. */
static uint32_t lane_before(const struct wl_race_strips *strips, uint64_t address, uint32_t bytes, uint32_t before) {
    for (uint32_t i = 0; strips && i < strips->count; i++)
        if (strips->runs[i].lane < before && address < strips->runs[i].address + strips->runs[i].size &&
            strips->runs[i].address < address + bytes)
            return strips->runs[i].lane + (uint32_t)((address - strips->runs[i].address) / bytes) % 64;
    return 64;
}

/* Whether a lane stores another value than one of an earlier strip has stored there. */
static void check_strips(const struct check *c) {
    const struct wl_san_access *a = c->access;
    for (uint64_t rest = a->lanes; a->data && rest; rest &= rest - 1) {
        const unsigned bit = (unsigned)__builtin_ctzll(rest);
        const uint64_t address = a->address[bit];
        const uint32_t other = lane_before(c->wave->strips, address, a->site->bytes, a->first_lane);
        if (other == 64)
            continue;
        bool same = true;
        for (uint64_t cell = address & ~UINT64_C(3); same && cell < address + a->site->bytes; cell += 4)
            same = keeps_value(c, a->first_lane + bit, address, cell);
        if (same)
            continue;
        wl_race_report_lanes(c->of, a->site, a->first_lane + bit, other, a->space, address);
        return;
    }
}

void wl_race_anew(struct wl_san_wave *wave) {
    struct wl_race_wave *w = wave->race;
    if (w && w->strips)
        w->strips->site = NULL;
}

/* ---- an instruction --------------------------------------------------------------------------- */

/* From a lane on, those with consecutive addresses, or all with one: where they end; *size: the bytes that they access. */
static inline unsigned end_of_run(const struct wl_san_access *a, uint64_t rest, unsigned first, uint64_t *size) {
    const uint32_t bytes = a->site->bytes;
    unsigned end = first + 1;
    *size = bytes;
    if (end < 64 && rest >> end & 1 && a->address[end] == a->address[first]) {
        while (end < 64 && rest >> end & 1 && a->address[end] == a->address[first])
            end++;
        return end;
    }
    for (; end < 64 && rest >> end & 1 && a->address[end] == a->address[first] + *size; end++)
        *size += bytes;
    return end;
}

/* Lanes with consecutive addresses, or one address, become runs. */
static void plain_lanes(struct check *c) {
    const struct wl_san_access *a = c->access;
    const uint32_t bytes = a->site->bytes, scale = scale_of(bytes);
    const bool stores = a->site->kind == WL_SANITIZE_STORE;
    bool is_scattered = false, is_shared = false;
    for (uint64_t rest = a->lanes; rest;) {
        const unsigned first = (unsigned)__builtin_ctzll(rest);
        uint64_t size;
        const unsigned end = end_of_run(a, rest, first, &size);
        rest = end == 64 ? 0 : rest >> end << end;
        if (rest && !is_scattered && !c->lds)
            wl_race_prefetch(a->address, rest, stores);
        is_scattered |= rest != 0;
        is_shared |= end - first > 1 && size == bytes;
        plain_run(c, (struct run){a->address[first], size, a->first_lane + first, scale});
        if (c->is_strip && stores)
            note_strip(c->wave, a->address[first], (uint32_t)size, a->first_lane + first);
    }
    if (stores && (is_shared || (is_scattered && (!c->is_strip || c->meets))))
        check_lanes(c);
    if (c->is_strip && c->meets)
        check_strips(c);
}

static bool has_one_address(const struct wl_san_access *a) {
    const uint64_t first = a->address[(unsigned)__builtin_ctzll(a->lanes)];
    for (uint64_t rest = a->lanes; rest; rest &= rest - 1)
        if (a->address[(unsigned)__builtin_ctzll(rest)] != first)
            return false;
    return true;
}

/* Whether the instruction looks for what others store. Of loads that may look at one flag after the other those do that have one address for
 * all lanes. */
static bool does_poll(const struct wl_san_access *a) {
    return a->site->polls == WL_SANITIZE_MAY_POLL ? has_one_address(a) : a->site->polls;
}

/* Whether a load that does not poll stands for an atomic one. Of LDS those with an address for each lane do not: they are volatile. */
static bool is_strong(const struct wl_sanitize_site *site, const struct wl_san_access *access, bool lds) {
    return wl_sanitize_is_strong(site, lds) && !(lds && access && !has_one_address(access));
}

/* A store behind a wait begins a row: it may tell other waves of what came before. */
static void begin_row_of_store(struct wl_race_group *group, uint32_t index, bool lds) {
    struct wl_race_wave *wave = &group->waves[index];
    if (lds ? wave->dirty_lds : wave->dirty)
        return;
    const bool clean = !wave->dirty;
    if (wave->used && !wl_race_begin_row(group, index, wave->row + 1))
        return;
    if (!clean)
        return;
    wave->agent_row = wave->row;
    wave->published = wave->stored || wave->written_back || group->phase_row || wave->clock;
    if (wave->clock)
        wl_race_unit_publish(wl_race_segment(wave->own) / WL_RACE_UNIT, wave->clock);
}

static void note_store(struct wl_race_wave *wave, bool lds, bool atomic) {
    if (lds) {
        wave->dirty_lds = true;
    } else {
        wave->dirty = true;
        wave->written_back = false;
        wave->stored |= !atomic;
    }
    wave->stored_phase |= !atomic;
}

static uint64_t flags_of(const struct wl_race_group *group, const struct wl_race_wave *wave, const struct wl_sanitize_site *site,
                         uint8_t space, bool strong, bool polls) {
    uint64_t flags = site->kind == WL_SANITIZE_ATOMIC ? WL_RACE_ATOMIC : 0;
    if (site->kind == WL_SANITIZE_LOAD)
        return strong ? WL_RACE_STRONG : 0;
    if (polls)
        flags |= WL_RACE_STRONG;
    if (space == WL_SANITIZE_LDS)
        return flags | (wave->dirty && group->launch->generation > 9 ? 0 : WL_RACE_RELEASED);
    /* with both bits, of system scope: volatile */
    if (site->kind == WL_SANITIZE_STORE && group->launch->writes_back &&
        (site->cache & (WL_SANITIZE_SC0 | WL_SANITIZE_SC1)) == WL_SANITIZE_SC1)
        flags |= WL_RACE_ATOMIC;
    if (wave->agent_row == wave->row)
        flags |= WL_RACE_RELEASED | (wave->published ? WL_RACE_PUBLISHES : 0);
    return flags;
}

static inline uint32_t number_of(struct wl_race_group *group, const struct wl_sanitize_site *site) {
    struct wl_race_number *known = &group->numbers[(uintptr_t)site / 32 % WL_RACE_NUMBERS];
    if (known->site != site)
        *known = (struct wl_race_number){site, wl_race_site(group->launch->object, site)};
    return known->number;
}

/* The bits in which the records of one wave are alike. */
static inline uint64_t same_wave(const struct wl_race_group *group) {
    const uint32_t waves = (1u << group->launch->shift) - 1;
    return (uint64_t)~((WL_RACE_UNIT - 1u) & ~waves) << WL_RACE_SEGMENT_SHIFT;
}

/* Whether a load is only noted; the workgroup's last access has been made. */
static bool is_logged(struct wl_san_wave *wave, const struct wl_sanitize_site *site, const struct wl_san_access *access,
                      const struct wl_san_lanes *run, const struct run *lanes) {
    struct wl_race_group *group = wave->group->race;
    if (!group || site->kind != WL_SANITIZE_LOAD || group->lds_stored)
        return false;
    if (access ? access->space != WL_SANITIZE_LDS || !access->is_strip || does_poll(access) || is_strong(site, access, true)
               : run->space != WL_SANITIZE_LDS || is_strong(site, NULL, true))
        return false;
    wl_race_access_done(group);
    if (group->grid_phase != atomic_load_explicit(&group->launch->grid_phase, memory_order_relaxed))
        wl_race_catch_up(group);
    return access ? wl_race_log_strip(group, wave->index, access)
                  : wl_race_log_run(group, wave->index, site, lanes->address, (uint32_t)lanes->size, lanes->lane);
}

void wl_race_record_load(struct wl_race_group *group, uint64_t own, const struct wl_san_access *access, uint64_t start, uint32_t size) {
    const struct wl_san_wave wave = {.index = wl_race_segment(own) & ((1u << group->launch->shift) - 1)};
    struct check c = {.of = (struct wl_san_wave *)&wave, /* nothing is reported: it came before all stores */
                      .access = access,
                      .group = group,
                      .wave = &group->waves[wave.index],
                      .record = own | (uint64_t)number_of(group, access->site) << WL_RACE_SITE_SHIFT | bytes_of(15),
                      .below = group->phase_first,
                      .same = same_wave(group),
                      .lds = true};
    if (access->lanes)
        plain_lanes(&c);
    else
        plain_run(&c, (struct run){start, size, access->first_lane, scale_of(access->site->bytes)});
}

/* Prepares the check of an access in `space`. False: there is nothing to check. */
static bool begin_check(struct check *c, struct wl_san_wave *wave, const struct wl_sanitize_site *site, const struct wl_san_access *access,
                        uint8_t space, bool polls) {
    struct wl_race_group *group = wave->group->race;
    const bool lds = space == WL_SANITIZE_LDS, writes = site->kind != WL_SANITIZE_LOAD;
    if (!group || space == WL_SANITIZE_SCRATCH || (lds && !group->lds))
        return false;
    struct wl_race_wave *w = &group->waves[wave->index];
    wl_race_access_done(group);
    if (group->grid_phase != atomic_load_explicit(&group->launch->grid_phase, memory_order_relaxed))
        wl_race_catch_up(group);
    if (writes && lds && !group->lds_stored) {
        wl_race_log_flush(group);
        group->lds_stored = true;
    }
    if (writes)
        begin_row_of_store(group, wave->index, lds);
    if (!w->own)
        return false;
    const bool strong = polls || is_strong(site, access, lds);
    *c = (struct check){
        .of = wave,
        .access = access,
        .group = group,
        .wave = w,
        .record =
            w->own | (uint64_t)number_of(group, site) << WL_RACE_SITE_SHIFT | bytes_of(15) | flags_of(group, w, site, space, strong, polls),
        .below = lds ? group->phase_first : atomic_load_explicit(&group->launch->ordered, memory_order_relaxed),
        .phase_unit = lds ? 0 : group->phase_unit,
        .phase_first = lds ? 0 : group->phase_first,
        .same = same_wave(group),
        .lds = lds,
        .polls = polls,
        .strong = strong,
    };
    w->used = true;
    if (writes && !lds)
        tell_of(group, c->record);
    return true;
}

void wl_race_access(struct wl_san_wave *wave, const struct wl_san_access *access) {
    const struct wl_sanitize_site *site = access->site;
    const bool writes = site->kind != WL_SANITIZE_LOAD, atomic = site->kind == WL_SANITIZE_ATOMIC;
    struct check c;
    if (is_logged(wave, site, access, NULL, NULL))
        return;
    if (!begin_check(&c, wave, site, access, access->space, does_poll(access)))
        return;
    c.is_strip = access->is_strip;
    if (c.is_strip && writes && !atomic)
        begin_strip(c.wave, site, access->first_lane);
    if (atomic || (!writes && c.strong))
        single_lanes(&c);
    else
        plain_lanes(&c);
    if (writes)
        note_store(c.wave, c.lds, atomic);
}

/* All of it at once, or nothing. */
bool wl_race_run(struct wl_san_wave *wave, const struct wl_san_lanes *run) {
    const struct wl_sanitize_site *site = run->site;
    const unsigned first = (unsigned)__builtin_ctzll(run->lanes),
                   count = 64 - (unsigned)__builtin_clzll(run->lanes) - first; /* without gaps */
    const bool stores = site->kind == WL_SANITIZE_STORE;
    struct run left = {.address = run->start + (run->uniform ? 0 : (uint64_t)first * site->bytes),
                       .size = run->uniform ? site->bytes : (uint64_t)count * site->bytes,
                       .lane = run->first_lane + first,
                       .scale = scale_of(site->bytes)};
    struct check c;
    if (site->polls && (run->uniform || count == 1))
        return false; /* it may look for what others store */
    if ((left.address | left.size) & 3 || (!run->uniform && run->lanes >> first != UINT64_MAX >> (64 - count)))
        return false;
    if (is_logged(wave, site, NULL, run, &left) || !begin_check(&c, wave, site, NULL, run->space, false))
        return true;
    c.is_strip = stores;
    const struct run all = left;
    while (left.size) {
        const uint64_t done = wl_race_run_quickly(&c, &left, stores);
        if (!done)
            return false;
        advance(&left, done);
    }
    if (stores) {
        begin_strip(c.wave, site, run->first_lane);
        note_strip(c.wave, all.address, (uint32_t)all.size, all.lane);
        note_store(c.wave, c.lds, false);
    }
    return true;
}
