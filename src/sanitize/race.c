/* racecheck: the lives of workgroups and waves, and their barriers and fences (race.h). race_access.c checks accesses. */
#include "sanitize/race.h"

#include "sanitize/race_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------- */

static bool make_unit(struct wl_race_group *group, uint32_t index) {
    if (index >= group->unit_count) {
        const uint32_t count = index + 1 > 2 * group->unit_count ? index + 1 : 2 * group->unit_count;
        uint32_t *units = realloc(group->units, count * sizeof *units);
        if (!units)
            return false;
        memset(units + group->unit_count, 0, (count - group->unit_count) * sizeof *units);
        group->units = units;
        group->unit_count = count;
    }
    const uint32_t number = wl_race_unit_make();
    if (!number)
        return false;
    struct wl_race_unit *unit = wl_race_unit_at(number);
    unit->launch = group->launch->number;
    unit->group = group->number;
    unit->uid = group->uid;
    unit->row = index << (6 - group->launch->shift);
    atomic_store_explicit(&unit->phase_row, group->phase_row, memory_order_relaxed);
    group->units[index] = number;
    return true;
}

bool wl_race_begin_row(struct wl_race_group *group, uint32_t index, uint32_t row) {
    struct wl_race_wave *wave = &group->waves[index];
    const uint32_t shift = group->launch->shift, at = row >> (6 - shift), in = row & ((UINT32_C(1) << (6 - shift)) - 1);
    wave->row = row;
    wave->used = false;
    wave->own = 0;
    if ((at >= group->unit_count || !group->units[at]) && !make_unit(group, at))
        return false;
    wave->own = (uint64_t)(group->units[at] * WL_RACE_UNIT + (in << shift) + index) << WL_RACE_SEGMENT_SHIFT;
    return true;
}

/* All waves go on in one new row, behind a barrier. */
static void begin_phase(struct wl_race_group *group, bool new_unit) {
    const uint32_t rows = UINT32_C(1) << (6 - group->launch->shift);
    struct wl_clock *known = NULL, *pending = NULL; /* what the next invalidation makes known, it does for all waves */
    bool dirty = false;
    uint32_t row = 0;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        struct wl_race_wave *wave = &group->waves[i];
        row = wave->row >= row ? wave->row + 1 : row;
        dirty |= wave->dirty;
        wl_clock_join(&known, wave->clock);
        wl_clock_join(&pending, wave->pending);
    }
    if (new_unit)
        row = (row + rows - 1) & ~(rows - 1);
    group->phase_row = row;
    wl_race_log_forget(group);
    for (uint32_t i = 0; i < group->wave_count; i++) {
        struct wl_race_wave *wave = &group->waves[i];
        wl_clock_join(&wave->clock, known);
        wl_clock_join(&wave->pending, pending);
        wl_race_begin_row(group, i, row);
        wave->stored_phase = wave->dirty_lds = false;
        if (group->launch->writes_back)
            wave->dirty = dirty; /* whoever writes the cache back does so for all */
        if (!wave->dirty)
            wave->agent_row = row;
    }
    wl_clock_drop(known);
    wl_clock_drop(pending);
    const uint32_t unit = group->units[row / rows];
    atomic_store_explicit(&wl_race_unit_at(unit)->phase_row, row, memory_order_relaxed);
    group->phase_first = group->waves[0].own;
    group->phase_unit = (uint64_t)(unit * WL_RACE_UNIT) << WL_RACE_SEGMENT_SHIFT;
}

/* ---- lives ------------------------------------------------------------------------------------ */

static void end_wave(struct wl_race_wave *wave) {
    wl_clock_drop(wave->clock);
    wl_clock_drop(wave->pending);
    struct wl_race_looks *looks = wave->looks;
    struct wl_race_strips *strips = wave->strips;
    memset(wave, 0, offsetof(struct wl_race_wave, deferred));
    wave->looks = looks;
    wave->strips = strips;
    if (looks)
        looks->count = looks->learnt = 0;
    if (strips)
        strips->site = NULL;
}

void wl_race_group_begin(struct wl_san_group *group) {
    static atomic_uint uids;
    struct wl_race_group *g = group->race;
    if (!g && (g = group->race = calloc(1, sizeof *g)))
        g->teller = wl_race_teller();
    if (!g)
        return;
    g->launch = group->launch->race;
    if (g->launch_number != g->launch->number)
        memset(g->numbers, 0, sizeof g->numbers); /* other code may be where the last launch's was */
    g->launch_number = g->launch->number;
    g->uid = atomic_fetch_add_explicit(&uids, 1, memory_order_relaxed) + 1;
    g->number = (uint32_t)group->number;
    g->wave_count = group->wave_count;
    g->phase_row = 0;
    wl_race_log_forget(g);
    g->grid_phase = atomic_load_explicit(&g->launch->grid_phase, memory_order_relaxed);
    if (group->launch->lds_size && !g->lds)
        g->lds = wl_race_lds_make();
    for (uint32_t i = 0; i < g->wave_count; i++)
        wl_race_begin_row(g, i, 0);
    g->phase_first = g->phase_unit = g->waves[0].own;
}

void wl_race_group_end(struct wl_san_group *group) {
    struct wl_race_group *g = group->race;
    if (!g)
        return;
    for (uint32_t i = 0; i < g->wave_count; i++)
        end_wave(&g->waves[i]);
    wl_race_variables_free(g->variables);
    g->variables = NULL;
    if (g->unit_count)
        memset(g->units, 0, g->unit_count * sizeof *g->units);
}

void wl_race_group_free(struct wl_san_group *group) {
    struct wl_race_group *g = group->race;
    for (unsigned i = 0; g && i < sizeof g->waves / sizeof *g->waves; i++) {
        free(g->waves[i].looks);
        free(g->waves[i].strips);
    }
    if (g) {
        wl_race_lds_free(g->lds);
        wl_race_log_free(g);
        free(g->units);
    }
    free(g);
    group->race = NULL;
}

void wl_race_wave_begin(struct wl_san_wave *wave) {
    wave->race = wave->group->race ? &((struct wl_race_group *)wave->group->race)->waves[wave->index] : NULL;
}

void wl_race_wave_end(struct wl_san_wave *wave) {
    if (!wave->race)
        return;
    wl_race_access_done(wave->group->race);
    wl_race_flush(wave);
}

void wl_race_barrier_arrive(struct wl_san_wave *wave) { wl_race_wave_end(wave); }

void wl_race_barrier_done(struct wl_san_group *group) {
    if (group->race)
        begin_phase(group->race, false);
}

void wl_race_catch_up(struct wl_race_group *group) {
    const uint32_t phase = atomic_load_explicit(&group->launch->grid_phase, memory_order_relaxed);
    if (group->grid_phase == phase)
        return;
    group->grid_phase = phase;
    begin_phase(group, true);
}

/* ---- waits and caches ------------------------------------------------------------------------- */

static void acquire(struct wl_race_wave *wave) {
    wl_clock_join(&wave->clock, wave->pending);
    wl_clock_drop(wave->pending);
    wave->pending = NULL;
}

void wl_race_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) {
    struct wl_race_wave *w = wave->race;
    if (!w)
        return;
    const struct wl_race_launch *launch = wave->group->launch->race;
    if (w->looks && w->looks->count != w->looks->learnt)
        wl_race_learn(wave->group->race, wave->index);
    w->dirty_lds &= !(fence->effects & WL_SANITIZE_WAITS_LDS);
    if (fence->effects & WL_SANITIZE_WAITS_STORES && (w->written_back || !launch->writes_back))
        w->dirty = false;
    if (fence->effects & WL_SANITIZE_ACQUIRES)
        acquire(w);
    if (fence->effects & WL_SANITIZE_WRITES_BACK)
        w->written_back = true;
}

/* ---- the global wave sync unit ---------------------------------------------------------------- */

/* A resource of the launch, as a variable: no granule of memory has such a key. */
static uint64_t resource_key(const struct wl_race_group *group, uint32_t resource) {
    return UINT64_C(1) << 63 | (uint64_t)group->launch->number << 8 | resource;
}

void wl_race_gws(struct wl_san_wave *wave, uint32_t resource) {
    struct wl_race_group *group = wave->group->race;
    if (!group || !wl_race_begin_row(group, wave->index, group->waves[wave->index].row + 1))
        return;
    const struct wl_race_wave *w = &group->waves[wave->index];
    struct wl_clock *clock = wl_clock_keep(w->clock);
    wl_clock_add(&clock, wl_race_wave_key(group->uid, wave->index), w->row);
    wl_clock_add(&clock, wl_race_key(group->uid), group->phase_row);
    wl_race_variable_release(NULL, resource_key(group, resource), clock);
    wl_clock_drop(clock);
}

void wl_race_gws_done(struct wl_san_wave *wave, uint32_t resource) {
    struct wl_race_group *group = wave->group->race;
    if (group)
        wl_race_variable_read(NULL, resource_key(group, resource), &group->waves[wave->index].clock);
}

void wl_race_memory(uint64_t address, uint64_t size) { wl_race_forget(address, size); }
