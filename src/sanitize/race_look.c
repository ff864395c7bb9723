/* racecheck: what waves learn from each other: from the places that they read as atomic loads do, and from atomics. */
#include "sanitize/race_check.h"

#include "machine/operations.h"

#include <stdlib.h>

static uint64_t key_of(uint64_t address) { return address >> 2; }

/* A load that stands for an atomic one reads what `record` stored. */
static void learn_from(struct wl_race_group *group, struct wl_race_wave *w, bool lds, bool polls, uint64_t record) {
    const uint32_t number = wl_race_segment(record) / WL_RACE_UNIT;
    const struct wl_race_unit *unit = wl_race_unit_at(number);
    const struct wl_race_launch *launch = wl_race_launch_of(unit->launch);
    if (!launch)
        return;
    const uint32_t in = wl_race_segment(record) % WL_RACE_UNIT, row = unit->row + (in >> launch->shift);
    const uint32_t wave = in & ((1u << launch->shift) - 1);
    if (unit->uid == group->uid) {
        if (wave == (uint32_t)(w - group->waves))
            return; /* its own atomic */
        /* gfx9's waves of a workgroup share a cache that keeps the order of their stores; LDS does, too */
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

#define OF_LDS    (UINT64_C(1) << 63)
#define POLLED    (UINT64_C(1) << 62)
#define IN_MEMORY (UINT64_C(1) << 61) /* a workgroup's variable in global memory, by atomics for it alone */
#define CHANGED   (UINT64_C(1) << 60) /* by an atomic that changes what it finds, whatever that is */
#define ADDRESS   (CHANGED - 1)

static void learn_at(const struct wl_race_group *group, struct wl_race_wave *w, bool lds, bool narrow, uint64_t address) {
    if (!lds && !narrow)
        wl_race_variable_read(NULL, key_of(address), &w->pending);
    if (group->variables)
        wl_race_variable_read(group->variables, key_of(address) | (lds ? 0 : IN_MEMORY), &w->clock);
}

/* Whether a record is another workgroup's, and one of the two accesses is atomic for its own workgroup alone. */
bool wl_race_is_foreign(const struct check *c, uint64_t record) {
    return !c->lds && (c->narrow || record & WL_RACE_NARROW) && !is_fine(c, record) && wl_race_unit_of(record)->uid != c->group->uid;
}

/* A record as this access sees it. */
uint64_t wl_race_as_seen(const struct check *c, uint64_t record) {
    const uint64_t atomic = WL_RACE_ATOMIC | WL_RACE_STRONG | WL_RACE_RELEASED | WL_RACE_PUBLISHES;
    return wl_race_is_foreign(c, record) ? record & ~atomic : record;
}

/* Whether an atomic checks again what a load before it found. */
bool wl_race_checks_again(unsigned operation) {
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

void wl_race_look_at(const struct check *c, uint64_t record, uint64_t address) {
    struct wl_race_wave *w = c->wave;
    if (!is_fine(c, record))
        learn_from(c->group, w, c->lds, c->polls, wl_race_as_seen(c, record));
    learn_at(c->group, w, c->lds, c->narrow, address);
    if (!w->looks && !(w->looks = calloc(1, sizeof *w->looks)))
        return;
    const bool changes = c->access->site->kind == WL_SANITIZE_ATOMIC && !c->polls && !wl_race_checks_again(c->access->site->atomic);
    const uint64_t place = address | (c->lds ? OF_LDS : c->narrow ? IN_MEMORY : 0) | (c->polls ? POLLED : 0) | (changes ? CHANGED : 0);
    if (w->looks->count == w->looks->learnt || w->looks->address[(w->looks->count - 1) % WL_RACE_LOOKS] != place)
        w->looks->address[w->looks->count++ % WL_RACE_LOOKS] = place;
}

/* Whether the wave has lately read a place as atomic loads do. */
bool wl_race_has_looked(const struct check *c, uint64_t address, enum wl_race_look how) {
    const uint64_t without = how == WL_RACE_BY_READING ? CHANGED : 0, with = how == WL_RACE_BY_POLLING ? POLLED : 0;
    const struct wl_race_looks *looks = c->wave->looks;
    const uint32_t count = looks ? looks->count : 0, kept = count < WL_RACE_LOOKS ? count : WL_RACE_LOOKS;
    for (uint32_t i = 0; i < kept; i++)
        if ((looks->address[i] & (OF_LDS | ADDRESS)) == (address | (c->lds ? OF_LDS : 0)) && !(looks->address[i] & without) &&
            (looks->address[i] & with) == with)
            return true;
    return false;
}

void wl_race_learn(struct wl_race_group *group, uint32_t wave) {
    struct wl_race_wave *w = &group->waves[wave];
    if (w->looks->count - w->looks->learnt > WL_RACE_LOOKS)
        w->looks->learnt = w->looks->count - WL_RACE_LOOKS;
    for (; w->looks->learnt != w->looks->count; w->looks->learnt++) {
        const uint64_t place = w->looks->address[w->looks->learnt % WL_RACE_LOOKS], address = place & ADDRESS;
        const bool lds = place & OF_LDS, narrow = place & IN_MEMORY;
        const struct wl_race_block *block = lds ? group->lds + (address >> WL_RACE_BLOCK_SHIFT) : wl_race_block(address);
        const uint64_t record = block ? wl_race_write_at(block, address % (1u << WL_RACE_BLOCK_SHIFT)) : 0;
        const bool is_seen =
            lds ? record >= group->phase_first : !(narrow || record & WL_RACE_NARROW) || wl_race_unit_of(record)->uid == group->uid;
        if (record && is_seen)
            learn_from(group, w, lds, place & POLLED, record);
        learn_at(group, w, lds, narrow, address);
    }
}

/* ---- stores that stand for atomic ones ---------------------------------------------------------- */

/* Whether a store may stand for an atomic one. A change of a volatile value may not: changes that several make at once are lost, and no code that
 * is right makes them by atomic loads and stores. */
static bool may_be_atomic(uint64_t record) {
    const struct wl_race_site *site = wl_race_site_of(wl_race_site_number(record));
    return site->kind == WL_SANITIZE_STORE && !(site->is_volatile && site->updates);
}

static void set_atomic(uint64_t record) {
    atomic_bool *known = &wl_race_site_of(wl_race_site_number(record))->stands_for_atomic;
    if (!atomic_load_explicit(known, memory_order_relaxed))
        atomic_store_explicit(known, true, memory_order_relaxed);
}

static bool tells_scopes(const struct wl_race_launch *launch) { return launch->generation >= 12 || launch->writes_back; }

/* Records of what was ordered before the launch began are of other variables, as likely as not. */
static bool is_recent(const struct check *c, uint64_t record) {
    return record >= atomic_load_explicit(&c->group->launch->ordered, memory_order_relaxed);
}

bool wl_race_may_be_atomic(const struct check *c, uint64_t record) {
    return !c->lds && !tells_scopes(c->group->launch) && may_be_atomic(c->record) && (record & WL_RACE_ATOMIC || may_be_atomic(record));
}

void wl_race_find_atomic(const struct check *c, uint64_t record) {
    if (!c->lds && record && is_recent(c, record) && !tells_scopes(c->group->launch) && may_be_atomic(record))
        set_atomic(record);
}

static bool is_looked_at(const struct check *c, const struct cells *cells, unsigned i, uint64_t address) {
    for (unsigned r = 0; r < 2; r++)
        if (cells->read[r][i] & WL_RACE_STRONG && is_recent(c, cells->read[r][i]))
            return true;
    return wl_race_has_looked(c, address, WL_RACE_BY_ANY);
}

bool wl_race_stores_are_atomic(const struct check *c, const struct cells *cells, unsigned i, uint64_t address) {
    const uint64_t write = cells->write[i];
    if (!wl_race_may_be_atomic(c, write))
        return false;
    if (is_looked_at(c, cells, i, address)) {
        set_atomic(c->record);
        if (may_be_atomic(write))
            set_atomic(write);
    }
    return wl_race_is_known_atomic(c->record) || wl_race_is_known_atomic(write);
}

bool wl_race_lanes_are_atomic(const struct check *c, uint64_t address) {
    uint64_t size = 1;
    struct cells cells;
    if (c->record & WL_RACE_ATOMIC) /* it says so */
        return true;
    if (!wl_race_may_be_atomic(c, c->record) || wl_race_is_known_atomic(c->record) || !wl_race_find_cells(c, address, &size, &cells))
        return wl_race_is_known_atomic(c->record);
    if (is_looked_at(c, &cells, 0, address & ~UINT64_C(3)))
        set_atomic(c->record);
    wl_race_give_cells(c, address);
    return wl_race_is_known_atomic(c->record);
}

/* What the wave's atomics publish. */
struct wl_clock *wl_race_published(const struct check *c) {
    const struct wl_race_wave *wave = c->wave;
    struct wl_clock *clock = wl_clock_keep(wave->clock);
    wl_clock_add(&clock, wl_race_wave_key(c->group->uid, c->of->index), c->lds ? wave->row : wave->agent_row);
    wl_clock_add(&clock, wl_race_key(c->group->uid), c->group->phase_row);
    return clock;
}

void wl_race_release(const struct check *c, uint64_t address, struct wl_clock *clock) {
    const bool own = c->lds || c->narrow;
    wl_race_variable_release(own ? &c->group->variables : NULL, key_of(address) | (c->narrow ? IN_MEMORY : 0), clock);
}
