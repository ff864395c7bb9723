#include "device/cpu/helpers/barriers.h"

#include "device/cpu/helpers/lanes.h"

enum { OWN = -1, CLUSTER = WL_CLUSTER_BARRIER };

/* ---- the cluster's ------------------------------------------------------------------------------ */

#define MEMBERS UINT64_C(0xffff)
#define SIGNAL  UINT64_C(0x10000)
#define PHASE   (UINT64_C(1) << 32)

static uint32_t phase_of(const struct wl_cluster *cluster) { return (uint32_t)(atomic_load(&cluster->barrier) >> 32); }

static uint64_t open_if_complete(uint64_t state) {
    const uint64_t signals = state / SIGNAL & 0xffff;
    return signals && signals >= (state & MEMBERS) ? (state & ~(MEMBERS * SIGNAL)) + PHASE : state;
}

/* Adds to the barrier's word, and opens it if that was the last signal. Returns what the word was. */
static uint64_t change(struct wl_cluster *cluster, uint64_t difference) {
    uint64_t old = atomic_load(&cluster->barrier);
    while (!atomic_compare_exchange_weak(&cluster->barrier, &old, open_if_complete(old + difference)))
        ;
    return old;
}

const struct wl_cluster *wl_wave_cluster(const struct wl_wave *wave) {
    const struct wl_wave_barriers *barriers = wave->owner;
    return barriers && barriers->workgroup ? barriers->workgroup->cluster : NULL;
}

uint32_t wl_cluster_status(const struct wl_wave *wave) {
    enum { IN_CLUSTER = 1 << 6, RANK = 21 };
    const struct wl_wave_barriers *barriers = wave->owner;
    return wl_wave_cluster(wave) ? IN_CLUSTER | barriers->workgroup->rank << RANK : 0;
}

bool wl_cluster_takes(const struct wl_wave *wave, uint32_t mask) {
    const struct wl_wave_barriers *barriers = wave->owner;
    return !mask || !wl_wave_cluster(wave) || mask >> barriers->workgroup->rank & 1;
}

void wl_cluster_begin(struct wl_cluster *cluster, uint32_t workgroups) {
    *cluster = (struct wl_cluster){.count = workgroups};
    atomic_init(&cluster->barrier, workgroups);
}

/* ---- workgroups and waves ----------------------------------------------------------------------- */

void wl_barriers_begin(struct wl_barriers *barriers, uint32_t waves, struct wl_cluster *cluster, uint32_t rank) {
    *barriers = (struct wl_barriers){.waves = waves, .cluster = cluster, .rank = rank};
}

void wl_barriers_begin_wave(struct wl_wave_barriers *wave, struct wl_barriers *barriers) {
    *wave = (struct wl_wave_barriers){.workgroup = barriers};
}

bool wl_barriers_arrive(struct wl_wave_barriers *wave) {
    if (wave->passed) {
        wave->passed = false;
        return false;
    }
    wave->workgroup->signaled -= wave->signaled;
    wave->signaled = false;
    wave->workgroup->waiting++;
    return true;
}

void wl_barriers_end_wave(struct wl_wave_barriers *wave) {
    wave->workgroup->signaled -= wave->signaled;
    wave->signaled = false;
}

void wl_barriers_end(struct wl_barriers *barriers) {
    if (barriers->cluster)
        change(barriers->cluster, UINT64_MAX);
}

bool wl_barriers_pass(struct wl_wave_barriers *wave, uint32_t detail) {
    const int number = (int16_t)detail;
    const struct wl_cluster *cluster = wave->workgroup->cluster;
    const uint32_t phase = number == CLUSTER ? (cluster ? phase_of(cluster) : 0) : wave->workgroup->named[wave->joined].phase;
    uint32_t *seen = number == CLUSTER ? &wave->cluster_seen : &wave->seen;
    if (number == CLUSTER ? !cluster : number <= 0 || !wave->joined)
        return true;
    if (phase == *seen)
        return false;
    *seen = phase;
    return true;
}

/* ---- what does not wait ------------------------------------------------------------------------- */

static bool signal_own(struct wl_wave_barriers *wave) {
    struct wl_barriers *barriers = wave->workgroup;
    const bool first = !barriers->waiting && !barriers->signaled;
    barriers->split = true;
    barriers->signaled += !wave->signaled;
    wave->signaled = true;
    return first;
}

static void open_named(struct wl_barriers *barriers, unsigned number) {
    if (!barriers->named[number].signals || barriers->named[number].signals < barriers->named[number].members)
        return;
    barriers->named[number].signals = 0;
    barriers->named[number].phase++;
}

static bool signal_named(struct wl_barriers *barriers, unsigned number, uint32_t members) {
    const bool first = !barriers->named[number].signals;
    if (members)
        barriers->named[number].members = members;
    barriers->named[number].signals++;
    if (barriers->named[number].members)
        open_named(barriers, number);
    return first;
}

static uint32_t signal(struct wl_wave_barriers *wave, int number, uint32_t members) {
    struct wl_barriers *barriers = wave->workgroup;
    if (number == OWN)
        return signal_own(wave);
    if (number == CLUSTER)
        return barriers->cluster ? !(change(barriers->cluster, SIGNAL) / SIGNAL & 0xffff) : 0;
    return number >= 1 && number <= WL_NAMED_BARRIERS ? signal_named(barriers, (unsigned)number, members) : 0;
}

static uint32_t leave(struct wl_wave_barriers *wave) {
    struct wl_barriers *barriers = wave->workgroup;
    const unsigned number = wave->joined;
    wave->joined = 0;
    if (!number || !barriers->named[number].members)
        return 0;
    barriers->named[number].members--;
    open_named(barriers, number);
    return !barriers->named[number].members;
}

static uint32_t state_of(const struct wl_barriers *barriers, int number) {
    uint32_t members, signals;
    if (number == OWN) {
        members = barriers->waves;
        signals = barriers->waiting + barriers->signaled;
    } else if (number == CLUSTER && barriers->cluster) {
        const uint64_t word = atomic_load(&barriers->cluster->barrier);
        members = word & MEMBERS;
        signals = word / SIGNAL & 0xffff;
    } else if (number >= 1 && number <= WL_NAMED_BARRIERS) {
        members = barriers->named[number].members;
        signals = barriers->named[number].signals;
    } else {
        return 0;
    }
    return 1 | (members & 0x7f) << 4 | (signals & 0x7f) << 16;
}

/* The low five bits of a number: 1 to 16, or from -3 on. */
static int number_of(uint32_t bits) { return (bits & 31) > WL_NAMED_BARRIERS ? (int)(bits & 31) - 32 : (int)(bits & 31); }

uint32_t wl_help_barrier(struct wl_wave *state, uint32_t operation, uint32_t bits, uint32_t m0) {
    struct wl_wave_barriers *wave = state->owner;
    const int number = number_of(bits);
    const uint32_t members = m0 >> 16 & 0x7f;
    if (!wave)
        return 0;
    const bool named = number >= 1 && number <= WL_NAMED_BARRIERS;
    switch ((enum wl_barrier_op)(operation & ~(uint32_t)WL_BARRIER_BY_M0)) {
    case WL_BARRIER_INIT:
        if (named && members)
            wave->workgroup->named[number].members = members;
        if (named)
            wave->workgroup->named[number].signals = 0;
        return 0;
    case WL_BARRIER_JOIN:
        wave->joined = named ? (uint8_t)number : 0;
        wave->seen = wave->workgroup->named[wave->joined].phase;
        return 0;
    case WL_BARRIER_SIGNAL:
    case WL_BARRIER_FIRST:
        return signal(wave, number, operation & WL_BARRIER_BY_M0 ? members : 0);
    case WL_BARRIER_LEAVE:
        return leave(wave);
    case WL_BARRIER_STATE:
        return state_of(wave->workgroup, number);
    }
    return 0;
}
