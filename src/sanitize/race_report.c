/* racecheck: findings. */
#include "sanitize/race.h"
#include "sanitize/race_state.h"

#include "base/array.h"
#include "base/text.h"
#include "sanitize/allocations.h"
#include "sanitize/names.h"

#include <pthread.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void items_of(const struct wl_race_launch *launch, uint32_t wave, uint32_t lane, struct wl_san_place *place) {
    uint64_t number = (uint64_t)wave * launch->wave_size + lane;
    for (unsigned d = 0; d < 3; d++) {
        const bool is_last = launch->remainder[d] && place->group[d] + 1 == launch->grid[d];
        const uint32_t size = is_last ? launch->remainder[d] : launch->block[d];
        place->item[d] = d == 2 ? (uint32_t)number : (uint32_t)(number % size);
        number /= size;
    }
}

/* Where an earlier access was made. */
static void fill_earlier(uint64_t record, struct wl_san_place *place) {
    const struct wl_race_unit *unit = wl_race_unit_of(record);
    const struct wl_race_launch *launch = wl_race_launch_of(unit->launch);
    const struct wl_race_site *site = wl_race_site_of(wl_race_site_number(record));
    *place = (struct wl_san_place){.access = site->kind};
    if (!launch)
        return;
    if (launch->call) {
        place->call = launch->call;
        place->stack = launch->stack;
        place->access = record & WL_RACE_RELEASED ? WL_SANITIZE_STORE : WL_SANITIZE_LOAD;
        return;
    }
    place->kernel = launch->kernel;
    place->object = launch->object;
    place->code = site->code;
    place->group[0] = unit->group % launch->grid[0];
    place->group[1] = unit->group / launch->grid[0] % launch->grid[1];
    place->group[2] = unit->group / launch->grid[0] / launch->grid[1];
    place->wave = wl_race_segment(record) & ((1u << launch->shift) - 1);
    place->lane = wl_race_lane(record);
    place->has_item = true;
    items_of(launch, place->wave, place->lane, place);
}

/* Code of device malloc, which knows what it has in its own variables. */
static bool is_of_malloc(const struct wl_san_place *place) {
    char name[256];
    if (!place->object)
        return false;
    wl_san_code_name(place->object, place->code, name, sizeof name);
    return wl_starts_with(name, "__ockl_dm_");
}

/* False: the memory goes from hand to hand by other means than kernels' code shows: device malloc's, or the runtime's own. */
static bool find_block(struct wl_san_finding *finding) {
    if (finding->space != WL_SANITIZE_GLOBAL || !wl_san_find(finding->address, &finding->block))
        return true;
    if (finding->block.kind == WL_SAN_CODE && is_of_malloc(&finding->at) && is_of_malloc(&finding->second))
        return false;
    return finding->block.kind != WL_SAN_HEAP && finding->block.kind != WL_SAN_SYSTEM;
}

static struct wl_san_finding describe(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint8_t space,
                                      uint64_t address, uint64_t earlier) {
    const struct wl_race_group *group = wave->group->race;
    const struct wl_race_unit *unit = wl_race_unit_of(earlier);
    struct wl_san_finding finding = {.tool = WL_SANITIZE_RACECHECK,
                                     .kind = unit->launch != group->launch->number ? WL_SAN_RACE_LAUNCHES
                                             : unit->uid != group->uid             ? WL_SAN_RACE_GROUPS
                                                                                   : WL_SAN_RACE_WAVES,
                                     .has_second = true,
                                     .space = space,
                                     .bytes = site->bytes,
                                     .address = address};
    wl_san_fill_place(wave, site->address, lane, site->kind, &finding.at);
    fill_earlier(earlier, &finding.second);
    return finding;
}

void wl_race_report(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint8_t space, uint64_t address,
                    uint64_t earlier) {
    struct wl_san_finding finding = describe(wave, site, lane, space, address, earlier);
    if (find_block(&finding))
        wl_san_report(&finding);
}

void wl_race_report_host(const struct wl_race_launch *launch, enum wl_sanitize_kind kind, uint64_t address, uint64_t earlier) {
    struct wl_san_finding finding = {.tool = WL_SANITIZE_RACECHECK,
                                     .kind = WL_SAN_RACE_LAUNCHES,
                                     .has_second = true,
                                     .space = WL_SANITIZE_GLOBAL,
                                     .bytes = 4,
                                     .address = address};
    finding.at = (struct wl_san_place){.access = (uint8_t)kind, .call = launch->call, .stack = launch->stack};
    fill_earlier(earlier, &finding.second);
    if (find_block(&finding))
        wl_san_report(&finding);
}

/* ---- waits --------------------------------------------------------------------------------------- */

static void report_early_use(const struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) {
    struct wl_san_finding finding = {.tool = WL_SANITIZE_RACECHECK, .kind = WL_SAN_MISSING_WAIT, .has_second = true};
    wl_san_fill_place(wave, fence->address, 0, WL_SANITIZE_LOAD, &finding.at);
    wl_san_fill_place(wave, fence->address - (uint64_t)fence->distance, 0, WL_SANITIZE_LOAD, &finding.second);
    finding.at.has_item = finding.second.has_item = false;
    wl_san_report(&finding);
}

void wl_race_early_use(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) {
    if (fence->uses == UINT64_MAX || fence->uses & wave->begun)
        report_early_use(wave, fence);
    wave->begun = (wave->begun & ~fence->ended) | fence->begun;
}

/* ---- loads beside atomics --------------------------------------------------------------------- */

/* An atomic beside an earlier load of another wave; or two stores, of which `load` is 0. */
struct kept {
    uint32_t launch, load;
    uint64_t stores[2];
    const struct wl_sanitize_site *site;
    uint64_t times; /* it has come again */
    struct wl_san_finding finding;
};
static struct {
    pthread_mutex_t lock;
    struct kept *items;
    size_t count, capacity;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool feeds(uint32_t load) { return atomic_load_explicit(&wl_race_site_of(load)->feeds, memory_order_relaxed); }

static bool are_alike(const struct kept *a, const struct kept *b) {
    const struct wl_san_place *at = &a->finding.at, *other = &b->finding.at;
    return a->launch == b->launch && a->load == b->load && a->site == b->site && a->finding.kind == b->finding.kind &&
           at->caller_count == other->caller_count && !memcmp(at->callers, other->callers, at->caller_count * sizeof at->callers[0]) &&
           wl_race_site_number(a->stores[0]) == wl_race_site_number(b->stores[0]) &&
           wl_race_site_number(a->stores[1]) == wl_race_site_number(b->stores[1]);
}

/* False: there is no memory. */
static bool keep(const struct kept *one) {
    pthread_mutex_lock(&kept.lock);
    size_t i = 0;
    while (i < kept.count && !are_alike(&kept.items[i], one))
        i++;
    const bool done = i < kept.count || WL_ARRAY_RESERVE(kept.items, kept.count, kept.capacity, 16);
    if (done && i == kept.count)
        kept.items[kept.count++] = *one;
    else if (done)
        kept.items[i].times++;
    pthread_mutex_unlock(&kept.lock);
    return done;
}

bool wl_race_is_known_atomic(uint64_t record) {
    return atomic_load_explicit(&wl_race_site_of(wl_race_site_number(record))->stands_for_atomic, memory_order_relaxed);
}

bool wl_race_keep_stores(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint64_t record, uint32_t lane,
                         uint64_t address, uint64_t earlier) {
    const struct wl_race_group *group = wave->group->race;
    const struct wl_san_finding finding = describe(wave, site, lane, WL_SANITIZE_GLOBAL, address, earlier);
    struct kept one = {.launch = group->launch->number, .stores = {record, earlier}, .site = site, .finding = finding};
    return !find_block(&one.finding) || keep(&one);
}

void wl_race_report_lanes(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint32_t other, uint8_t space,
                          uint64_t address, uint64_t record) {
    struct wl_san_finding finding = {.tool = WL_SANITIZE_RACECHECK,
                                     .kind = WL_SAN_RACE_LANES,
                                     .has_second = true,
                                     .space = space,
                                     .bytes = site->bytes,
                                     .address = address};
    wl_san_fill_place(wave, site->address, lane, site->kind, &finding.at);
    wl_san_fill_place(wave, site->address, other, site->kind, &finding.second);
    const struct wl_race_group *group = wave->group->race;
    struct kept one = {.launch = group->launch->number, .stores = {record, record}, .site = site, .finding = finding};
    if (find_block(&one.finding) && (!record || !keep(&one)))
        wl_san_report(&one.finding);
}

/* Frees the finding. */
static void tell(const struct wl_san_wave *wave, const struct wl_race_deferred *d) {
    const struct wl_race_group *group = wave->group->race;
    const struct kept one = {.launch = group->launch->number, .load = d->load, .site = d->site, .finding = *d->finding};
    free(d->finding);
    if (!feeds(d->load) && (d->site->kind == WL_SANITIZE_LOAD || !keep(&one)))
        wl_san_report(&one.finding);
}

/* Takes out a finding of the launch. False: there is none. */
static bool take(uint32_t launch, struct kept *taken) {
    pthread_mutex_lock(&kept.lock);
    size_t i = 0;
    while (i < kept.count && kept.items[i].launch != launch)
        i++;
    const bool found = i < kept.count;
    if (found) {
        *taken = kept.items[i];
        kept.items[i] = kept.items[--kept.count];
    }
    pthread_mutex_unlock(&kept.lock);
    return found;
}

void wl_race_flush_launch(uint32_t launch) {
    struct kept taken;
    while (take(launch, &taken))
        if (taken.load ? !feeds(taken.load) : !wl_race_is_known_atomic(taken.stores[0]) && !wl_race_is_known_atomic(taken.stores[1]))
            for (uint64_t i = 0; i <= taken.times; i++)
                wl_san_report(&taken.finding);
}

void wl_race_defer(const struct wl_san_wave *wave, const struct wl_sanitize_site *site, uint32_t lane, uint64_t address, uint64_t earlier,
                   uint32_t load) {
    struct wl_race_wave *w = wave->race;
    for (uint32_t i = 0; i < w->deferred_count; i++)
        if (w->deferred[i].load == load && w->deferred[i].site == site)
            return;
    struct wl_san_finding finding = describe(wave, site, lane, WL_SANITIZE_GLOBAL, address, earlier);
    if (!find_block(&finding))
        return;
    struct wl_san_finding *kept_one = malloc(sizeof *kept_one);
    if (!kept_one)
        return;
    *kept_one = finding;
    const struct wl_race_deferred deferred = {site, load, address, kept_one};
    if (w->deferred_count == sizeof w->deferred / sizeof *w->deferred) {
        tell(wave, &w->deferred[0]);
        w->deferred[0] = deferred;
        return;
    }
    w->deferred[w->deferred_count++] = deferred;
}

void wl_race_flush(const struct wl_san_wave *wave) {
    struct wl_race_wave *w = wave->race;
    for (uint32_t i = 0; i < w->deferred_count; i++)
        tell(wave, &w->deferred[i]);
    w->deferred_count = 0;
}
