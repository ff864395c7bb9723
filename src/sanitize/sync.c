/* synccheck.
 *
 * Hardware counts the waves that come to a barrier: lanes that are off, and waves that have ended, are not missed. A kernel relies on that
 * where work items return early. So a lane or a wave is only said to have missed a barrier if it goes on behind it: a lane that was off there
 * accesses memory later, or a wave has made an access behind the barrier's place in the code and ended, or it has been at the barrier before,
 * in fewer rounds of a loop. */
#include "sanitize/sync.h"

#include "machine/operations.h"
#include "sanitize/allocations.h"
#include "sanitize/quiet.h"
#include "sanitize/report.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The last places that a wave has looked at. One that waits looks at few, again and again; one that looks at others goes on. */
enum { PLACES = 16, OTHERS = 64 };

struct sync_wave {
    uint64_t places[PLACES]; /* a ring */
    uint32_t place_count;
    uint64_t lanes;  /* that it began with */
    uint64_t missed; /* of these, off at its last barriers */
    struct wl_san_place missed_at;
    struct wl_san_place barrier; /* the last one it came to */
    uint64_t barrier_code;       /* in the kernel itself: the call, if a function has the barrier; 0: none */
    uint64_t behind;             /* the last code in the kernel that accessed memory since then */
    uint64_t last, address;      /* its last load or atomic, and where */
    uint32_t lane;
    uint8_t space, kind;
    bool ended, told;
};
struct sync_group {
    uint64_t odd_code; /* a barrier at which waves met others that were at another one; 0: none */
    struct wl_san_place odd;
    struct sync_wave waves[32];
};

/* ---- lives ------------------------------------------------------------------------------------ */

/* Lost counts do no harm. */
static atomic_ullong done;

void wl_sync_progress(void) { atomic_store_explicit(&done, atomic_load_explicit(&done, memory_order_relaxed) + 1, memory_order_relaxed); }

/* The places count where there is a code for them. */
static void begin_wave(struct sync_wave *wave, uint64_t lanes) {
    wave->lanes = lanes;
    wave->missed = wave->barrier_code = wave->behind = wave->last = wave->address = 0;
    wave->lane = wave->space = wave->kind = 0;
    memset(wave->places, 0, sizeof wave->places);
    wave->place_count = 0;
    wave->ended = wave->told = false;
}

void wl_sync_group_begin(struct wl_san_group *group) {
    struct sync_group *g = group->sync;
    if (!g)
        g = group->sync = calloc(1, sizeof *g);
    if (g)
        g->odd_code = 0;
    wl_sync_progress();
}

void wl_sync_group_free(struct wl_san_group *group) {
    free(group->sync);
    group->sync = NULL;
}

void wl_sync_wave_begin(struct wl_san_wave *wave) {
    const struct wl_san_group *group = wave->group;
    const uint32_t size = group->launch->wave_size;
    const uint64_t items = (uint64_t)group->size[0] * group->size[1] * group->size[2], first = (uint64_t)wave->index * size;
    struct sync_wave *w = group->sync ? &((struct sync_group *)group->sync)->waves[wave->index] : NULL;
    wave->sync = w;
    const uint64_t lanes = items - first >= 64 ? UINT64_MAX : (UINT64_C(1) << (items - first)) - 1;
    if (w)
        begin_wave(w, size == 32 ? lanes & UINT32_MAX : lanes);
}

void wl_sync_wave_end(struct wl_san_wave *wave) {
    struct sync_wave *w = wave->sync;
    if (w)
        w->ended = true;
    wl_sync_progress();
}

/* ---- findings --------------------------------------------------------------------------------- */

static void to_item(const struct wl_san_wave *wave, uint32_t lane, struct wl_san_place *place) {
    struct wl_san_place item;
    wl_san_fill_place(wave, place->code, lane, place->access, &item);
    for (unsigned d = 0; d < 3; d++)
        place->item[d] = item.item[d];
    place->wave = item.wave;
    place->lane = lane;
}

/* Lanes that missed a barrier go on. */
static void tell_lanes(struct wl_san_wave *wave, uint64_t lanes) {
    struct sync_wave *w = wave->sync;
    struct wl_san_finding finding = {.tool = WL_SANITIZE_SYNCCHECK, .kind = WL_SAN_BARRIER_LANES, .at = w->missed_at};
    to_item(wave, (uint32_t)__builtin_ctzll(lanes & w->missed), &finding.at);
    snprintf(finding.detail, sizeof finding.detail, "%d of the wave's lanes were off at the barrier and went on behind it",
             __builtin_popcountll(w->missed));
    w->missed = 0;
    wl_san_report(&finding);
}

static void tell_wave(const struct wl_san_group *group, uint32_t missing, const struct wl_san_place *barrier) {
    const struct sync_group *g = group->sync;
    const struct wl_san_wave wave = {.group = (struct wl_san_group *)group, .index = missing};
    struct wl_san_finding finding = {.tool = WL_SANITIZE_SYNCCHECK, .kind = WL_SAN_BARRIER_WAVES, .at = g->odd_code ? g->odd : *barrier};
    to_item(&wave, 0, &finding.at);
    snprintf(finding.detail, sizeof finding.detail, "wave %u of the workgroup went on behind the barrier, and ended, without coming to it",
             missing);
    wl_san_report(&finding);
}

/* ---- what waves do ---------------------------------------------------------------------------- */

/* The place in the kernel itself. */
static uint64_t outermost(const struct wl_san_wave *wave, uint64_t code) { return wave->call_count ? wave->calls[0] - 4 : code; }

static void note_place(struct sync_wave *w) {
    for (unsigned i = 0; i < PLACES; i++)
        if (w->places[i] == w->address)
            return;
    w->places[w->place_count % PLACES] = w->address;
    if (++w->place_count % OTHERS == 0)
        wl_sync_progress();
}

void wl_sync_access(struct wl_san_wave *wave, const struct wl_san_access *access) {
    struct sync_wave *w = wave->sync;
    const struct wl_sanitize_site *site = access->site;
    if (!w || access->space == WL_SANITIZE_SCRATCH) /* compilers keep registers there, on the way to the wave's end as well */
        return;
    const uint64_t lanes = site->scalar ? 0 : access->lanes << access->first_lane;
    if (lanes & w->missed)
        tell_lanes(wave, lanes);
    const bool polls = site->kind == WL_SANITIZE_LOAD || site->polls || site->atomic == WL_ATOMIC_CMPSWAP;
    if (!site->scalar)
        w->behind = outermost(wave, site->address);
    if (!polls) {
        wl_sync_progress();
        return;
    }
    const unsigned first = (unsigned)__builtin_ctzll(access->lanes);
    w->last = site->address;
    w->address = access->address[first];
    note_place(w);
    w->lane = access->first_lane + first;
    w->space = access->space;
    w->kind = site->kind;
}

void wl_sync_run(struct wl_san_wave *wave, const struct wl_san_lanes *run) {
    const unsigned first = (unsigned)__builtin_ctzll(run->lanes);
    uint64_t address[64];
    address[first] = run->start + (uint64_t)first * run->step;
    wl_sync_access(wave,
                   &(struct wl_san_access){
                       .site = run->site, .space = run->space, .first_lane = run->first_lane, .lanes = run->lanes, .address = address});
}

void wl_sync_barrier_arrive(struct wl_san_wave *wave, uint64_t code, uint64_t exec) {
    struct sync_wave *w = wave->sync;
    if (!w)
        return;
    if (exec & w->missed)
        tell_lanes(wave, exec);
    wl_san_fill_place(wave, code, exec ? (uint32_t)__builtin_ctzll(exec) : 0, WL_SANITIZE_LOAD, &w->barrier);
    w->barrier_code = outermost(wave, code);
    w->behind = 0;
    if (exec && w->lanes & ~exec) {
        w->missed = w->lanes & ~exec;
        w->missed_at = w->barrier;
    }
}

void wl_sync_barrier_done(struct wl_san_group *group) {
    struct sync_group *g = group->sync;
    wl_sync_progress();
    if (!g)
        return;
    const struct sync_wave *first = NULL, *other = NULL;
    bool some_ended = false;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        const struct sync_wave *w = &g->waves[i];
        some_ended |= w->ended;
        if (!w->ended && first && w->barrier_code != first->barrier_code)
            other = w;
        if (!w->ended && !first)
            first = w;
    }
    if (other && !g->odd_code) { /* whichever comes first in the code is the one that the others did not come to */
        const struct sync_wave *odd = other->barrier_code < first->barrier_code ? other : first;
        g->odd_code = odd->barrier_code;
        g->odd = odd->barrier;
    }
    for (uint32_t i = 0; some_ended && first && i < group->wave_count; i++) {
        struct sync_wave *w = &g->waves[i];
        const uint64_t missed = g->odd_code ? g->odd_code : first->barrier_code;
        const bool fewer = w->barrier_code && w->barrier_code == first->barrier_code;
        if (!w->ended || w->told || (w->behind <= missed && !fewer && !g->odd_code))
            continue;
        w->told = true;
        tell_wave(group, i, &first->barrier);
    }
}

/* ---- waits that do not end -------------------------------------------------------------------- */

void wl_sync_gws(struct wl_san_wave *wave, uint64_t code, bool barrier) {
    struct sync_wave *w = wave->sync;
    wl_sync_progress();
    if (w)
        w->last = code;
    if (!barrier || wave->group->launch->cooperative || !w || w->told)
        return;
    w->told = true;
    struct wl_san_finding finding = {.tool = WL_SANITIZE_SYNCCHECK, .kind = WL_SAN_GRID_BARRIER};
    wl_san_fill_place(wave, code, 0, WL_SANITIZE_LOAD, &finding.at);
    wl_san_report(&finding);
}

/* Whether somebody beside the device's kernels may end a wait for this memory. */
static bool is_shared(const struct sync_wave *wave) {
    struct wl_san_block block;
    if (wave->space != WL_SANITIZE_GLOBAL || !wl_san_find(wave->address, &block))
        return false;
    return block.kind == WL_SAN_MANAGED || block.kind == WL_SAN_PINNED || block.kind == WL_SAN_REGISTERED ||
           block.kind == WL_SAN_IMPORTED || block.kind == WL_SAN_SYSTEM || block.kind == WL_SAN_VIRTUAL;
}

/* A wave that waits: one in a loop, else any that has not ended. */
static uint32_t find_waiting(const struct wl_san_group *group) {
    const struct sync_group *g = group->sync;
    uint32_t found = 0;
    for (uint32_t i = 0; i < group->wave_count; i++)
        if (!g->waves[i].ended && g->waves[i].last)
            found = i;
    return found;
}

static uint64_t processor_time(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Whether nothing has happened for long enough. Where other processes have the processors, waves need longer. Several threads look. */
static bool is_quiet(void) {
    enum { MUCH_LONGER = 10 };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct wl_san_quiet quiet;
    static uint64_t used;
    pthread_mutex_lock(&lock);
    const uint64_t since = quiet.since, time = wl_san_quiet_for(&quiet, atomic_load_explicit(&done, memory_order_relaxed));
    if (quiet.since != since)
        used = processor_time();
    const bool is_long = time >= WL_SAN_PATIENCE_NS; /* before that there is no need to ask the system */
    const bool has_run = is_long && (processor_time() - used >= WL_SAN_PATIENCE_NS / 2 || time >= MUCH_LONGER * WL_SAN_PATIENCE_NS);
    pthread_mutex_unlock(&lock);
    return has_run;
}

bool wl_sync_stuck(struct wl_san_group *group) {
    if (!is_quiet() || !group->sync)
        return false;
    const struct sync_wave *w = &((struct sync_group *)group->sync)->waves[find_waiting(group)];
    if (is_shared(w))
        return false;
    const struct wl_san_wave wave = {.group = group, .index = find_waiting(group)};
    struct wl_san_finding finding = {
        .tool = WL_SANITIZE_SYNCCHECK, .kind = WL_SAN_DEADLOCK, .space = w->space, .address = w->address, .bytes = 4};
    wl_san_fill_place(&wave, w->last, w->lane, w->kind, &finding.at);
    if (w->space == WL_SANITIZE_GLOBAL)
        wl_san_find(w->address, &finding.block);
    snprintf(finding.detail, sizeof finding.detail, "for %llu s all waves of the process have only looked at memory that nobody changes",
             (unsigned long long)(WL_SAN_PATIENCE_NS / 1000000000));
    wl_san_report(&finding);
    return true;
}
