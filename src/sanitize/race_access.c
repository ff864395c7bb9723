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

bool wl_race_keeps_value(const struct check *c, unsigned lane, uint64_t lane_address, uint64_t cell_address) {
    const struct wl_san_access *a = c->access;
    const uint64_t from = lane_address > cell_address ? lane_address : cell_address;
    const uint64_t lane_end = lane_address + a->site->bytes, end = lane_end < cell_address + 4 ? lane_end : cell_address + 4;
    const uint8_t *memory = a->data && c->lds ? c->of->group->lds : NULL;
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
    atomic_bool waits; /* the workgroup waits for another one's store */
} told[TELLERS];
static atomic_uint tellers;

unsigned wl_race_teller(void) { return atomic_fetch_add_explicit(&tellers, 1, memory_order_relaxed) % TELLERS; }

static inline void tell_of(const struct wl_race_group *group, uint64_t record) {
    atomic_store_explicit(&told[group->teller].record, record, memory_order_release);
}

static bool is_told_by(unsigned teller, uint64_t record) {
    return (atomic_load_explicit(&told[teller].record, memory_order_acquire) ^ record) >> WL_RACE_SITE_SHIFT == 0;
}

/* Who has told of a store; TELLERS: nobody. */
static unsigned teller_of(uint64_t record) {
    const unsigned all = atomic_load_explicit(&tellers, memory_order_relaxed), count = all < TELLERS ? all : TELLERS;
    unsigned i = 0;
    while (i < count && !is_told_by(i, record))
        i++;
    return i < count ? i : TELLERS;
}

void wl_race_access_done(const struct wl_race_group *group) { tell_of(group, 0); }

/* Waits until another workgroup has made the store that it has told of. False: that one waits, too, maybe for this workgroup, and is the one to go on
 * waiting. */
static bool wait_for_store(const struct check *c, unsigned teller, uint64_t write) {
    enum { LONGEST_WAIT = 1000000000 }; /* ns: the other thread may not be running */
    const bool gives_way = c->group->uid < wl_race_unit_of(write)->uid;
    bool waits = true;
    atomic_store(&told[c->group->teller].waits, true);
    for (const uint64_t start = wl_now(); waits && is_told_by(teller, write) && wl_now() - start < LONGEST_WAIT;) {
        sched_yield();
        waits = !gives_way || !atomic_load(&told[teller].waits);
    }
    atomic_store(&told[c->group->teller].waits, false);
    return waits;
}

/* Whether the bytes are what another workgroup stored, or is about to store. Gives the cells to others while it waits: the other workgroup may
 * have to check more of what it stores before it does. Of two workgroups that wait for each other one has to tell. */
static bool comes_to_keep_value(const struct check *c, unsigned lane, uint64_t lane_address, uint64_t cell_address, uint64_t write) {
    if (wl_race_keeps_value(c, lane, lane_address, cell_address))
        return true;
    if (c->lds || wl_race_unit_of(write)->uid == c->group->uid)
        return false;
    const unsigned teller = teller_of(write);
    if (teller != TELLERS) {
        wl_race_unlock(cell_address);
        const bool waited = wait_for_store(c, teller, write);
        wl_race_lock(cell_address);
        if (!waited)
            return true;
    }
    return wl_race_keeps_value(c, lane, lane_address, cell_address); /* the store may have been made since the first look */
}

/* ---- loads ------------------------------------------------------------------------------------ */

static void report(const struct check *c, unsigned lane, uint64_t address, uint64_t earlier) {
    wl_race_report(c->of, c->access->site, lane, c->access->space, address, earlier);
}

static void defer(const struct check *c, uint32_t load, unsigned lane, uint64_t address, uint64_t earlier) {
    wl_race_defer(c->of, c->access->site, lane, address, earlier, load);
}

/* Which record of two reads gives way; 2: none, two waves that read at the same time are enough to find a store beside them. */
static inline unsigned slot_of(const struct check *c, const struct cells *cells, unsigned i) {
    return is_fine(c, cells->read[0][i]) ? 0 : is_fine(c, cells->read[1][i]) ? 1 : 2;
}

/* The last write of a cell, or an earlier atomic, that is in no order with an access to the bytes of `mask`; 0: there is none. */
static uint64_t unordered_write(const struct check *c, const struct cells *cells, unsigned i, uint64_t mask) {
    const uint64_t records[] = {cells->write[i], cells->read[0][i], cells->read[1][i]};
    for (unsigned r = 0; r < 3; r++)
        if ((r == 0 || records[r] & WL_RACE_ATOMIC) && wl_race_bytes(records[r]) & mask && !is_ordered(c, records[r]))
            return records[r];
    return 0;
}

static void check_load(const struct check *c, const struct cells *cells, unsigned i, uint64_t mask, unsigned lane, uint64_t address) {
    const uint64_t write = unordered_write(c, cells, i, mask);
    if (!write || wl_race_has_looked(c, address, WL_RACE_BY_READING))
        return;
    if (write & WL_RACE_ATOMIC && !c->lds)
        defer(c, wl_race_site_number(c->record), lane, address, write);
    else
        report(c, lane, address, write);
}

/* ---- stores ----------------------------------------------------------------------------------- */

/* Whether both stand for atomic operations. */
static bool both_atomic(const struct check *c, uint64_t record) {
    const uint64_t earlier = wl_race_as_seen(c, record);
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
    for (unsigned r = 0; r < WL_RACE_READS && !other; r++) {
        const uint64_t read = wl_race_as_seen(c, cells->read[r][i]);
        if (wl_race_bytes(read) & mask && !(read & WL_RACE_STRONG) && !both_atomic(c, read) && !is_ordered(c, read))
            other = read;
    }
    if (!other || ((other == write || other & WL_RACE_ATOMIC) &&
                   wl_race_has_looked(c, address, other & (WL_RACE_ATOMIC | WL_RACE_PUBLISHES) ? WL_RACE_BY_ANY : WL_RACE_BY_POLLING)))
        return true;
    if (other == write && wl_race_stores_are_atomic(c, cells, i, address))
        return true;
    if (other == write && !(write & WL_RACE_VARIED) && comes_to_keep_value(c, lane, lane_address, address, write))
        return false;
    if (other != write || !wl_race_may_be_atomic(c, write) || !wl_race_keep_stores(c->of, c->access->site, c->record, lane, address, write))
        report(c, lane, address, other);
    return true;
}

/* A store of a wave that did an atomic there before stands for an atomic one: it gives a lock back. */
static uint64_t stored_record(const struct check *c, uint64_t write, uint64_t address, unsigned lane, uint64_t mask) {
    uint64_t record = record_at(c, lane, mask);
    if (write & WL_RACE_ATOMIC && (is_own(c, write) || (!is_old(c, write) && !c->lds && wl_race_has_looked(c, address, WL_RACE_BY_ANY))))
        record |= WL_RACE_ATOMIC;
    if ((write ^ record) >> WL_RACE_SITE_SHIFT == 0) /* bytes of one instruction */
        record |= write & bytes_of(15);
    return record;
}

/* ---- runs of lanes ---------------------------------------------------------------------------- */

static void load_run(struct check *c, const struct cells *cells, const struct run *run) {
    const bool look = !wl_race_are_fine(c, cells->write, cells->count, 0) || wl_race_have_atomics(c, cells->read[0], cells->count) ||
                      wl_race_have_atomics(c, cells->read[1], cells->count);
    for (unsigned i = 0; i < cells->count; i++) {
        const uint64_t mask = mask_of(run->address, run->size, i);
        const unsigned lane = lane_of(run, 4 * (uint64_t)i), slot = slot_of(c, cells, i);
        if (look)
            check_load(c, cells, i, mask, lane, (run->address & ~UINT64_C(3)) + 4 * (uint64_t)i);
        if (slot < 2)
            put(&cells->read[slot][i], record_at(c, lane, mask));
    }
}

/* Whether another instruction of the wave has stored another value. */
static bool varies(const struct check *c, uint64_t write, unsigned lane, uint64_t lane_address, uint64_t address) {
    if (is_old(c, write) || !is_own(c, write) || write & WL_RACE_ATOMIC)
        return false;
    const bool same = wl_race_site_number(write) == wl_race_site_number(c->record);
    return write & WL_RACE_VARIED || (!same && c->access->data && !wl_race_keeps_value(c, lane, lane_address, address));
}

/* The record that stays then: the first instruction's. */
static uint64_t varied(uint64_t write, uint64_t record) {
    const uint64_t who = WL_RACE_SITE_BITS | (uint64_t)63 << WL_RACE_LANE_SHIFT;
    return (record & ~who) | (write & who) | WL_RACE_VARIED;
}

static void store_run(struct check *c, const struct cells *cells, const struct run *run) {
    for (unsigned i = 0; i < cells->count; i++) {
        const uint64_t mask = mask_of(run->address, run->size, i), address = (run->address & ~UINT64_C(3)) + 4 * (uint64_t)i;
        const unsigned lane = lane_of(run, 4 * (uint64_t)i);
        const uint64_t lane_address = run->address + (uint64_t)(lane - run->lane) * c->access->site->bytes;
        c->meets |= ((cells->write[i] ^ c->record) & (c->same | WL_RACE_SITE_BITS)) == 0 && wl_race_lane(cells->write[i]) != lane;
        if (!check_store(c, cells, i, mask, lane, address, lane_address))
            continue;
        const uint64_t record = stored_record(c, cells->write[i], address, lane, mask);
        put(&cells->write[i], varies(c, cells->write[i], lane, lane_address, address) ? varied(cells->write[i], record) : record);
    }
}

static void plain_run(struct check *c, struct run run) {
    const bool stores = c->access->site->kind == WL_SANITIZE_STORE;
    while (run.size) {
        struct cells cells;
        if (wl_race_run_quickly(c, &run, stores))
            continue;
        struct run here = run;
        if (!wl_race_find_cells(c, run.address, &here.size, &cells))
            return;
        (stores ? store_run : load_run)(c, &cells, &here);
        wl_race_give_cells(c, run.address);
        advance(&run, here.size);
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

/* Whether a record is another workgroup's plain store. gfx12 and gfx940 give stores that stand for atomic ones a scope, so that a store without one
 * which publishes nothing is surely plain. */
static bool is_plain_store(const struct check *c, uint64_t record) {
    const struct wl_race_launch *launch = c->group->launch;
    const struct wl_race_site *site = wl_race_site_of(wl_race_site_number(record));
    return (launch->generation >= 12 || launch->writes_back) && !c->lds && !c->polls && record && site->kind == WL_SANITIZE_STORE &&
           !site->scope && !(record & (WL_RACE_ATOMIC | WL_RACE_PUBLISHES | WL_RACE_STRONG)) &&
           wl_race_unit_of(record)->uid != c->group->uid;
}

static void strong_load(const struct check *c, const struct cells *cells, unsigned i, unsigned lane, uint64_t address) {
    const uint64_t write = cells->write[i];
    wl_race_look_at(c, write, address);
    wl_race_find_atomic(c, write);
    if ((wl_race_is_foreign(c, write) || is_plain_store(c, write)) && !is_ordered(c, write))
        report(c, lane, address, write);
    found_by_polling(c, &cells->write[i], write);
    for (unsigned r = 0; r < 2; r++) {
        const uint64_t read = cells->read[r][i];
        if (is_old(c, read) || (is_own(c, read) && read & WL_RACE_STRONG)) {
            put(&cells->read[r][i], record_at(c, lane, 15));
            return;
        }
    }
}

static void feed(uint32_t load) { atomic_store_explicit(&wl_race_site_of(load)->feeds, true, memory_order_relaxed); }

/* Loads of the wave from the place of its atomic were looks ahead. */
static void find_feeding(const struct check *c, const struct cells *cells, unsigned i, uint64_t address) {
    struct wl_race_wave *wave = c->wave;
    for (unsigned r = 0; r < WL_RACE_READS; r++) {
        const uint64_t read = cells->read[r][i];
        if (read && is_own(c, read) && !(read & WL_RACE_STRONG))
            feed(wl_race_site_number(read));
    }
    for (uint32_t n = 0; n < wave->deferred_count; n++)
        if (wave->deferred[n].address == address && wave->deferred[n].site->kind == WL_SANITIZE_LOAD)
            feed(wave->deferred[n].load);
}

/* An atomic of another wave, that this one's is about to replace, stays where a read would be: accesses that are no atomics conflict with both. */
static void keep_atomic(const struct check *c, const struct cells *cells, unsigned i) {
    const uint64_t write = cells->write[i];
    if (!(write & WL_RACE_ATOMIC) || is_fine(c, write))
        return;
    for (unsigned r = 0; r < 2; r++)
        if (cells->read[r][i] & WL_RACE_ATOMIC && !is_old(c, cells->read[r][i]))
            return; /* one is enough */
    const unsigned slot = slot_of(c, cells, i);
    if (slot < 2)
        put(&cells->read[slot][i], write);
}

static void check_atomic(const struct check *c, const struct cells *cells, unsigned i, unsigned lane, uint64_t address) {
    const uint64_t write = cells->write[i];
    if (c->access->site->returns)
        wl_race_look_at(c, write, address);
    if (!c->lds && wl_race_checks_again(c->access->site->atomic))
        find_feeding(c, cells, i, address);
    const bool plain = !(wl_race_as_seen(c, write) & (WL_RACE_ATOMIC | WL_RACE_PUBLISHES)) && (!c->polls || wl_race_is_foreign(c, write));
    uint64_t other = plain && write && !is_ordered(c, write) ? write : 0;
    for (unsigned r = 0; r < WL_RACE_READS && !other; r++) {
        const uint64_t read = wl_race_as_seen(c, cells->read[r][i]);
        if (read && !(read & (WL_RACE_STRONG | WL_RACE_ATOMIC)) && !is_ordered(c, read))
            other = cells->read[r][i];
    }
    if (other && other != write && !c->lds)
        defer(c, wl_race_site_number(other), lane, address, other);
    else if (other)
        report(c, lane, address, other);
    else if (plain && write && !is_old(c, write) && is_own(c, write))
        return; /* a store that other waves may not have seen: their atomics shall find it */
    keep_atomic(c, cells, i);
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
    struct wl_clock *publish = atomic && releases(c) ? wl_race_published(c) : NULL;
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
                wl_race_release(c, at, publish);
        }
        wl_race_give_cells(c, address);
    }
    wl_clock_drop(publish);
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

/* From a lane on, those whose elements overlap, each `step` bytes behind the one before: where they end. */
static inline unsigned end_of_overlap(const struct wl_san_access *a, uint64_t rest, unsigned first, uint64_t *step) {
    unsigned end = first + 1;
    *step = end < 64 && rest >> end & 1 ? a->address[end] - a->address[first] : 0;
    if (*step % 4 || *step >= a->site->bytes)
        return end;
    while (*step && end < 64 && rest >> end & 1 && a->address[end] - a->address[end - 1] == *step)
        end++;
    return end;
}

/* Whether more than every third lane begins a run of its own. */
static bool lie_apart(const struct wl_san_access *a) {
    const unsigned first = (unsigned)__builtin_ctzll(a->lanes), end = 64 - (unsigned)__builtin_clzll(a->lanes);
    const uint64_t pairs = a->lanes & a->lanes >> 1; /* lanes behind which the next one is on, too */
    unsigned joined = 0;
    uint64_t size, step;
    if (end - first <= 2 || end_of_overlap(a, a->lanes, first, &step) > first + 1)
        return false;
    for (unsigned i = first; i + 1 < end; i++)
        joined += (pairs >> i & 1) && a->address[i + 1] - a->address[i] == a->site->bytes;
    const unsigned count = (unsigned)__builtin_popcountll(a->lanes);
    return 3 * (count - joined) > count + 3 && end_of_run(a, a->lanes, first, &size) < end;
}

/* Lanes with consecutive addresses, or one address, become runs. Of a load's lanes that overlap, each has the first bytes alone, but for the
 * last one. */
static void plain_lanes(struct check *c) {
    const struct wl_san_access *a = c->access;
    const uint32_t bytes = a->site->bytes, scale = scale_of(bytes);
    const bool stores = a->site->kind == WL_SANITIZE_STORE;
    bool is_scattered = false, is_shared = false;
    uint64_t all = a->lanes;
    if (lie_apart(a)) {
        if (!c->lds)
            wl_race_prefetch(a->address, all, stores);
        all = wl_race_lanes_quickly(c, all, stores);
        is_scattered = true;
        for (uint64_t done = a->lanes & ~all; c->is_strip && stores && done; done &= done - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(done);
            wl_race_strip_add(c->wave, a->address[bit], bytes, a->first_lane + bit);
        }
    }
    for (uint64_t rest = all; rest;) {
        const unsigned first = (unsigned)__builtin_ctzll(rest);
        uint64_t size, step = 0;
        unsigned end = stores || bytes <= 4 ? first : end_of_overlap(a, rest, first, &step);
        if (end > first + 1) {
            const unsigned last = end - 1;
            plain_run(c, (struct run){a->address[first], (last - first) * step, a->first_lane + first, scale_of((uint32_t)step)});
            rest = end == 64 ? 0 : rest >> end << end;
            plain_run(c, (struct run){a->address[last], bytes, a->first_lane + last, scale});
            continue;
        }
        end = end_of_run(a, rest, first, &size);
        rest = end == 64 ? 0 : rest >> end << end;
        if (rest && !is_scattered && !c->lds)
            wl_race_prefetch(a->address, rest, stores);
        is_scattered |= rest != 0;
        is_shared |= end - first > 1 && size == bytes;
        plain_run(c, (struct run){a->address[first], size, a->first_lane + first, scale});
        if (c->is_strip && stores)
            wl_race_strip_add(c->wave, a->address[first], (uint32_t)size, a->first_lane + first);
    }
    if (stores && (is_shared || (is_scattered && (!c->is_strip || c->meets))))
        wl_race_check_lanes(c);
    if (c->is_strip && c->meets)
        wl_race_check_strips(c);
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

/* Whether an access of global memory is atomic for its workgroup alone: it says so, or it looks again and again at what its cache has.
 * (Of scalar loads the cache is emptied in between.) */
static bool is_narrow(const struct wl_sanitize_site *site, bool polls) {
    const bool looks_in_cache = polls && site->kind == WL_SANITIZE_LOAD && !site->scalar && !wl_sanitize_is_strong(site, false);
    return site->scope == WL_SANITIZE_OF_GROUP || looks_in_cache;
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
        return strong ? WL_RACE_STRONG | (space != WL_SANITIZE_LDS && is_narrow(site, polls) ? WL_RACE_NARROW : 0) : 0;
    if (polls)
        flags |= WL_RACE_STRONG;
    if (space == WL_SANITIZE_LDS)
        return flags | (wave->dirty && group->launch->generation > 9 ? 0 : WL_RACE_RELEASED);
    if (site->scope && !site->is_volatile)
        flags |= WL_RACE_ATOMIC;
    if (is_narrow(site, polls))
        flags |= WL_RACE_NARROW;
    if (wave->agent_row == wave->row)
        flags |= WL_RACE_RELEASED | (wave->published ? WL_RACE_PUBLISHES : 0);
    return flags;
}

static inline struct wl_race_number *number_of(struct wl_race_group *group, const struct wl_sanitize_site *site) {
    struct wl_race_number *known = &group->numbers[(uintptr_t)site / 32 % WL_RACE_NUMBERS];
    if (known->site != site)
        *known = (struct wl_race_number){.site = site, .number = wl_race_site(group->launch->object, site)};
    return known;
}

/* The bits in which the records of one wave are alike. */
static inline uint64_t same_wave(const struct wl_race_group *group) {
    const uint32_t waves = (1u << group->launch->shift) - 1;
    return (uint64_t)~((WL_RACE_UNIT - 1u) & ~waves) << WL_RACE_SEGMENT_SHIFT;
}

static inline void follow_grid(struct wl_race_group *group) {
    if (group->grid_phase != atomic_load_explicit(&group->launch->grid_phase, memory_order_relaxed))
        wl_race_catch_up(group);
}

/* An access of LDS, where waves have stored: whether it is only noted. By lanes side by side, or of a strip. */
static bool is_filtered_run(struct wl_race_group *group, uint32_t wave, const struct wl_sanitize_site *site, const struct wl_san_lanes *run,
                            const struct run *lanes) {
    struct wl_race_wave *w = &group->waves[wave];
    bool again = false;
    if (!wl_race_filter(group, wave, site, lanes, &again) || (again && wl_race_meets_strip(w, site, run->first_lane, lanes)))
        return false;
    wl_race_note_run(group, wave, site, lanes, flags_of(group, w, site, WL_SANITIZE_LDS, false, false));
    if (site->kind == WL_SANITIZE_STORE) {
        wl_race_strip_begin(w, site, run->first_lane);
        wl_race_strip_add(w, lanes->address, (uint32_t)lanes->size, lanes->lane);
    }
    return true;
}

static bool is_filtered_strip(struct wl_race_group *group, uint32_t wave, const struct wl_san_access *a) {
    enum { FEW = 4 };
    const bool stores = a->site->kind == WL_SANITIZE_STORE;
    struct wl_race_wave *w = &group->waves[wave];
    struct run runs[16];
    unsigned count = 0;
    bool again = false;
    for (uint64_t rest = a->lanes; rest;) {
        const unsigned first = (unsigned)__builtin_ctzll(rest);
        struct run *run = &runs[count++];
        *run = (struct run){.address = a->address[first], .lane = a->first_lane + first};
        const unsigned end = end_of_run(a, rest, first, &run->size);
        rest = end == 64 ? 0 : rest >> end << end;
        if (stores && end - first > 1 && run->size == a->site->bytes)
            return false; /* to one place */
        bool stored = false;
        if (!wl_race_filter(group, wave, a->site, run, &stored) || (stored && wl_race_meets_strip(w, a->site, a->first_lane, run)))
            return false;
        again |= stored;
    }
    if (again && stores && wl_race_meets_lane(a))
        return false;
    const uint64_t flags = flags_of(group, w, a->site, WL_SANITIZE_LDS, false, false);
    if (count > FEW)
        wl_race_note_strip(group, wave, a, flags);
    for (unsigned i = 0; count <= FEW && i < count; i++)
        wl_race_note_run(group, wave, a->site, &runs[i], flags);
    if (stores)
        wl_race_strip_begin(w, a->site, a->first_lane);
    for (unsigned i = 0; stores && i < count; i++)
        wl_race_strip_add(w, runs[i].address, (uint32_t)runs[i].size, runs[i].lane);
    return true;
}

/* Whether an access of LDS is only noted; the workgroup's last access has been made. */
static bool is_logged(struct wl_san_wave *wave, const struct wl_sanitize_site *site, const struct wl_san_access *access,
                      const struct wl_san_lanes *run, const struct run *lanes) {
    struct wl_race_group *group = wave->group->race;
    const bool stores = site->kind == WL_SANITIZE_STORE;
    if (!group || site->kind == WL_SANITIZE_ATOMIC || group->lds_state == WL_RACE_LDS_RECORDED)
        return false;
    if (access ? access->space != WL_SANITIZE_LDS || !access->is_strip || access->lanes >> 16 || does_poll(access)
               : run->space != WL_SANITIZE_LDS)
        return false;
    if (!stores && is_strong(site, access, true))
        return false;
    wl_race_access_done(group);
    follow_grid(group);
    if (!stores && group->lds_state == WL_RACE_LDS_LOADED)
        return access ? wl_race_note_strip(group, wave->index, access, 0)
                      : wl_race_log_run(group, wave->index, site, lanes->address, (uint32_t)lanes->size, lanes->lane);
    if (stores)
        begin_row_of_store(group, wave->index, true);
    if (!(access ? is_filtered_strip(group, wave->index, access) : is_filtered_run(group, wave->index, site, run, lanes)))
        return false;
    if (stores)
        note_store(&group->waves[wave->index], true, false);
    return true;
}

void wl_race_record_noted(struct wl_race_group *group, uint64_t own, const struct wl_san_access *access, uint64_t start, uint32_t size) {
    const struct wl_san_wave wave = {.index = wl_race_segment(own) & ((1u << group->launch->shift) - 1)};
    struct wl_race_number *instruction = number_of(group, access->site);
    struct check c = {.of = (struct wl_san_wave *)&wave, /* nothing is reported: no two waves were in one place, or all loaded */
                      .access = access,
                      .group = group,
                      .wave = &group->waves[wave.index],
                      .instruction = instruction,
                      .record = own | (uint64_t)instruction->number << WL_RACE_SITE_SHIFT | bytes_of(15),
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
    const bool lds = space == WL_SANITIZE_LDS, writes = site->kind != WL_SANITIZE_LOAD, tells = writes && !lds;
    if (!group || space == WL_SANITIZE_SCRATCH || (lds && !group->lds))
        return false;
    struct wl_race_wave *w = &group->waves[wave->index];
    if (!tells || !w->own) /* else it stays told that the wave stores, if this is another strip of that store */
        wl_race_access_done(group);
    follow_grid(group);
    if (lds && (group->lds_state == WL_RACE_LDS_FILTERED || (writes && group->lds_state == WL_RACE_LDS_LOADED)))
        wl_race_log_flush(group);
    if (writes)
        begin_row_of_store(group, wave->index, lds);
    if (!w->own)
        return false;
    const bool strong = polls || is_strong(site, access, lds);
    struct wl_race_number *instruction = number_of(group, site);
    *c = (struct check){
        .of = wave,
        .access = access,
        .group = group,
        .wave = w,
        .instruction = instruction,
        .record =
            w->own | (uint64_t)instruction->number << WL_RACE_SITE_SHIFT | bytes_of(15) | flags_of(group, w, site, space, strong, polls),
        .below = lds ? group->phase_first : atomic_load_explicit(&group->launch->ordered, memory_order_relaxed),
        .phase_unit = lds ? 0 : group->phase_unit,
        .phase_first = lds ? 0 : group->phase_first,
        .same = same_wave(group),
        .lds = lds,
        .polls = polls,
        .strong = strong,
        .narrow = !lds && is_narrow(site, polls),
        /* Written out, too: where a member is left out compilers clear the structure first, which takes longer than all of this. */
        .is_strip = false,
        .meets = false,
    };
    w->used = true;
    if (tells)
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
        wl_race_strip_begin(c.wave, site, access->first_lane);
    if (atomic || (!writes && c.strong))
        single_lanes(&c);
    else
        plain_lanes(&c);
    if (writes)
        note_store(c.wave, c.lds, atomic);
}

/* Loads of LDS at steps are only noted, as long as nobody has stored. */
static bool is_logged_by_steps(struct wl_san_wave *wave, const struct wl_san_lanes *run) {
    struct wl_race_group *group = wave->group->race;
    if (!group)
        return true;
    if (group->lds_state != WL_RACE_LDS_LOADED || is_strong(run->site, NULL, true))
        return false;
    wl_race_access_done(group);
    follow_grid(group);
    return wl_race_log_steps(group, wave->index, run);
}

/* All of it at once, or nothing. */
bool wl_race_run(struct wl_san_wave *wave, const struct wl_san_lanes *run) {
    const struct wl_sanitize_site *site = run->site;
    const unsigned first = (unsigned)__builtin_ctzll(run->lanes),
                   count = 64 - (unsigned)__builtin_clzll(run->lanes) - first; /* without gaps */
    const bool stores = site->kind == WL_SANITIZE_STORE;
    struct run left = {.address = run->start + (uint64_t)first * run->step,
                       .size = run->step ? (uint64_t)count * site->bytes : site->bytes,
                       .lane = run->first_lane + first,
                       .scale = scale_of(site->bytes)};
    struct check c;
    if (site->polls && (!run->step || count == 1))
        return false; /* it may look for what others store */
    if (run->step > site->bytes)
        return is_logged_by_steps(wave, run);
    if (site->updates && !run->step && count > 1)
        return false; /* all lanes make the same change */
    if ((left.address | left.size) & 3 || (run->step && run->lanes >> first != UINT64_MAX >> (64 - count)))
        return false;
    if (is_logged(wave, site, NULL, run, &left) || !begin_check(&c, wave, site, NULL, run->space, false))
        return true;
    c.is_strip = stores;
    const uint64_t start = left.address, size = left.size;
    while (left.size)
        if (!wl_race_run_quickly(&c, &left, stores))
            return false;
    if (stores) {
        wl_race_strip_begin(c.wave, site, run->first_lane);
        wl_race_strip_add(c.wave, start, (uint32_t)size, run->first_lane + first);
        note_store(c.wave, c.lds, false);
    }
    return true;
}
