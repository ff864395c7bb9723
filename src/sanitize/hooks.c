#include "sanitize/hooks.h"

#include "sanitize/allocations.h"
#include "sanitize/init.h"
#include "sanitize/memcheck.h"
#include "sanitize/race.h"
#include "sanitize/report.h"
#include "sanitize/sync.h"

#include <stdatomic.h>

static bool races(const struct wl_san_launch *launch) { return launch->tools & WL_SANITIZE_RACECHECK; }
static bool inits(const struct wl_san_launch *launch) { return launch->tools & WL_SANITIZE_INITCHECK; }
static bool syncs(const struct wl_san_launch *launch) { return launch->tools & WL_SANITIZE_SYNCCHECK; }

/* ---- the life of a launch -------------------------------------------------------------------- */

void wl_san_launch_begin(struct wl_san_launch *launch) {
    static _Atomic uint64_t launches;
    launch->id = atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed) + 1;
    if (races(launch))
        wl_race_launch_begin(launch);
    wl_sync_progress();
}

void wl_san_launch_end(struct wl_san_launch *launch) {
    if (races(launch))
        wl_race_launch_end(launch);
    wl_sync_progress();
}

void wl_san_object_gone(const struct wl_codeobject *object) {
    if (wl_san_tools() & WL_SANITIZE_RACECHECK)
        wl_race_object_gone(object);
}

void wl_san_group_begin(struct wl_san_group *group) {
    const uint32_t *grid = group->launch->grid;
    group->number = group->id[0] + (uint64_t)grid[0] * (group->id[1] + (uint64_t)grid[1] * group->id[2]);
    group->phase = 0;
    if (races(group->launch))
        wl_race_group_begin(group);
    if (inits(group->launch))
        wl_init_group_begin(group);
    if (syncs(group->launch))
        wl_sync_group_begin(group);
}

void wl_san_group_end(struct wl_san_group *group) {
    if (races(group->launch))
        wl_race_group_end(group);
    if (syncs(group->launch))
        wl_sync_progress();
}

void wl_san_group_free(struct wl_san_group *group) {
    wl_race_group_free(group);
    wl_init_group_free(group);
    wl_sync_group_free(group);
}

void wl_san_wave_begin(struct wl_san_wave *wave) {
    wave->instructions = 0;
    wave->begun = 0;
    wave->call_count = 0;
    wave->race = wave->sync = wave->init = NULL;
    if (races(wave->group->launch))
        wl_race_wave_begin(wave);
    if (inits(wave->group->launch))
        wl_init_wave_begin(wave);
    if (syncs(wave->group->launch))
        wl_sync_wave_begin(wave);
}

void wl_san_wave_end(struct wl_san_wave *wave) {
    if (races(wave->group->launch))
        wl_race_wave_end(wave);
    if (syncs(wave->group->launch))
        wl_sync_wave_end(wave);
}

/* ---- what waves do --------------------------------------------------------------------------- */

uint64_t wl_san_access(struct wl_san_wave *wave, const struct wl_san_access *access) {
    struct wl_san_access good = *access;
    if (wave->group->launch->tools & WL_SANITIZE_MEMCHECK)
        good.lanes = wl_memcheck_access(wave, access);
    if (good.lanes && races(wave->group->launch))
        wl_race_access(wave, &good);
    if (good.lanes && inits(wave->group->launch))
        wl_init_access(wave, &good);
    if (good.lanes && syncs(wave->group->launch))
        wl_sync_access(wave, &good);
    return good.lanes;
}

/* Bytes from run->start on. */
static uint64_t extent_of(const struct wl_san_lanes *run) {
    return (63 - (uint64_t)__builtin_clzll(run->lanes)) * run->step + run->site->bytes;
}

bool wl_san_access_run(struct wl_san_wave *wave, const struct wl_san_lanes *run) {
    const struct wl_san_launch *launch = wave->group->launch;
    const bool argument = run->space == WL_SANITIZE_GLOBAL && run->start - launch->arguments < launch->arguments_size;
    if (races(launch) && run->space == WL_SANITIZE_GLOBAL && !argument)
        wl_race_expect(run->start);
    if (launch->tools & WL_SANITIZE_MEMCHECK && !wl_memcheck_run(launch, run, extent_of(run)))
        return false;
    if (inits(launch) && !wl_init_run(wave, run, extent_of(run)))
        return false;
    if (races(launch) && !argument && !wl_race_run(wave, run))
        return false;
    if (syncs(launch))
        wl_sync_run(wave, run);
    return true;
}

void wl_san_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) {
    if (!races(wave->group->launch))
        return;
    if (fence->kind == WL_SANITIZE_EARLY_USE)
        wl_race_early_use(wave, fence);
    else if (fence->kind == WL_SANITIZE_ANEW)
        wl_race_anew(wave);
    else
        wl_race_fence(wave, fence);
}

/* A tail call finds the place of its caller, which is known already. */
void wl_san_jump(struct wl_san_wave *wave, uint64_t target, uint64_t back) {
    for (uint32_t i = wave->call_count; i > 0; i--)
        if (wave->calls[i - 1] == target) {
            wave->call_count = i - 1;
            return;
        }
    if (back && wave->call_count < WL_SAN_DEEPEST_CALLS && (!wave->call_count || wave->calls[wave->call_count - 1] != back))
        wave->calls[wave->call_count++] = back;
}

void wl_san_barrier_arrive(struct wl_san_wave *wave, uint64_t code, uint64_t exec) {
    if (races(wave->group->launch))
        wl_race_barrier_arrive(wave);
    if (syncs(wave->group->launch))
        wl_sync_barrier_arrive(wave, code, exec);
}

void wl_san_barrier_done(struct wl_san_group *group) {
    group->phase++;
    if (races(group->launch))
        wl_race_barrier_done(group);
    if (syncs(group->launch))
        wl_sync_barrier_done(group);
}

void wl_san_grid_barrier_done(struct wl_san_launch *launch) {
    if (races(launch))
        wl_race_grid_barrier_done(launch);
}

void wl_san_gws(struct wl_san_wave *wave, uint64_t code, uint32_t resource, bool barrier) {
    if (races(wave->group->launch))
        wl_race_gws(wave, resource);
    if (syncs(wave->group->launch))
        wl_sync_gws(wave, code, barrier);
}

void wl_san_gws_done(struct wl_san_wave *wave, uint32_t resource) {
    if (races(wave->group->launch))
        wl_race_gws_done(wave, resource);
    wl_sync_progress();
}

bool wl_san_stuck(struct wl_san_group *group) { return syncs(group->launch) && wl_sync_stuck(group); }

void wl_san_fill_place(const struct wl_san_wave *wave, uint64_t code, uint32_t lane, uint8_t access, struct wl_san_place *place) {
    const struct wl_san_group *group = wave->group;
    const uint32_t number = wave->index * group->launch->wave_size + lane, *size = group->size;
    *place = (struct wl_san_place){.kernel = group->launch->kernel,
                                   .object = group->launch->object,
                                   .code = code,
                                   .wave = wave->index,
                                   .lane = lane,
                                   .access = access,
                                   .has_item = true};
    while (place->caller_count < WL_SAN_MOST_CALLS && place->caller_count < wave->call_count) {
        place->callers[place->caller_count] = wave->calls[wave->call_count - 1 - place->caller_count] - 4; /* of the call itself */
        place->caller_count++;
    }
    for (unsigned d = 0; d < 3; d++)
        place->group[d] = group->id[d];
    place->item[0] = number % size[0];
    place->item[1] = number / size[0] % size[1];
    place->item[2] = number / size[0] / size[1];
}

/* ---- order between launches ------------------------------------------------------------------ */

_Thread_local uint64_t wl_san_line;

void wl_san_order(enum wl_san_edge edge, uint64_t line, uint64_t mark) {
    if (wl_san_tools() & WL_SANITIZE_RACECHECK)
        wl_race_order(edge, line, mark);
}

void wl_san_order_done(uint64_t line, uint64_t sequence) {
    if (wl_san_tools() & WL_SANITIZE_RACECHECK)
        wl_race_done(line, sequence);
}

void wl_san_order_behind(uint64_t line, uint64_t of, uint64_t sequence) {
    if (wl_san_tools() & WL_SANITIZE_RACECHECK)
        wl_race_behind(line, of, sequence);
}

void wl_san_stream_made(void) {
    if (wl_san_tools() & WL_SANITIZE_RACECHECK)
        wl_race_stream_made();
}

void wl_san_host_access(uint64_t line, enum wl_sanitize_kind kind, uint64_t address, uint64_t size, const char *call) {
    if (wl_san_tools() & WL_SANITIZE_RACECHECK)
        wl_race_host_access(line, kind, address, size, call);
    wl_sync_progress();
}

void wl_san_copied(uint64_t target, uint64_t source, uint64_t size, const char *call, uint64_t stack) {
    if (wl_san_tools() & WL_SANITIZE_INITCHECK)
        wl_init_copied(target, source, size, call, stack || wl_san_line ? stack : wl_san_stack());
}

void wl_san_filled(uint64_t target, uint64_t size) {
    if (wl_san_tools() & WL_SANITIZE_INITCHECK)
        wl_init_filled(target, size);
}
