#include "device/cpu/run/dispatch.h"

#include "base/assert.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/options.h"
#include "device/cpu/abi.h"
#include "device/cpu/code/units.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/helpers/helpers.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/clusters.h"
#include "device/cpu/run/counters.h"
#include "device/cpu/run/exits.h"
#include "device/cpu/run/groups.h"
#include "device/cpu/run/launch.h"
#include "device/cpu/run/parts.h"
#include "device/cpu/run/sanitize.h"
#include "device/cpu/run/schedule.h"
#include "machine/helpers.h"

#include <stdio.h>
#include <string.h>

/* ---- starting waves ------------------------------------------------------------------------- */

enum wl_status wl_dispatch_fit(struct wl_job *job, struct wl_group *group) {
    uint32_t states = job->may_wait || job->keeps_wave ? job->whole.waves : 1;
    const uint32_t row_items = job->whole.size[0] < job->whole.items ? job->whole.size[0] : 0;
    const struct wl_group_fit fit = {job->function->id, job->unit, states, job->rows, job->lds_size, job->scratch_size, row_items};
    const struct wl_group_fit *now = &group->fit;
    for (uint32_t i = 0; i < states; i++)
        group->runners[i].code = NULL; /* waves start anew */
    if (now->function == fit.function && now->unit == fit.unit && now->states == states && now->rows == fit.rows &&
        now->lds_size == fit.lds_size && now->scratch_size == fit.scratch_size && now->row_items == row_items)
        return WL_OK; /* from another launch of the kernel */
    group->fit.function = 0;
    group->workgroup_size[0] = 0;
    enum wl_status status =
        wl_group_fit(group, &(struct wl_group_needs){states, job->rows, job->wave_size, job->scratch_size, job->lds_size});
    if (status != WL_OK)
        return status;
    for (uint32_t i = 0; i < states; i++) {
        struct wl_wave *wave = wl_group_wave(group, i);
        memset(wave, 0, sizeof *wave);
        wave->image = (uint64_t)(uintptr_t)job->function->module->image;
        wave->lds = group->lds;
        wave->scratch = group->scratch ? group->scratch + i * group->scratch_stride : NULL;
        wave->helpers = job->sanitized || job->counts ? wl_sanitize_helpers() : &wl_helpers_table;
        wave->owner = &group->runners[i]; /* and its `barriers` */
        wave->lds_size = job->lds_size;
        wave->scratch_size = job->sanitized ? wl_sanitize_scratch(job) : job->scratch_size;
        wave->wave_size = job->wave_size;
        wave->vgprs = job->rows;
        wave->row_items = row_items;
        group->runners[i].group = group;
        group->runners[i].unit = job->unit;
    }
    group->fit = fit;
    return WL_OK;
}

/* The extent and the ids of a workgroup at the end of a grid, which may have fewer work items. */
static void start_partial(struct wl_job *job, struct wl_thread *thread, const uint32_t id[3]) {
    const struct wl_launch *l = job->launch;
    unsigned table = 0;
    thread->extent = job->whole;
    for (int d = 0; d < 3; d++) {
        if (l->remainder[d] && id[d] + 1 == l->grid[d]) {
            thread->extent.size[d] = l->remainder[d];
            wl_dispatch_measure(&thread->extent, job->wave_size);
            table = 1;
        }
    }
    thread->id_table = wl_abi_ids(&thread->ids[table], &job->function->abi, job->wave_size, thread->extent.size);
}

/* 64 bytes that are moved by the widest registers of the function's target. */
typedef uint32_t line __attribute__((vector_size(64), aligned(4), may_alias));

/* The workgroup that a wave belongs to. */
static inline void move_wave(const struct wl_abi *abi, struct wl_wave *wave, const uint32_t id[3]) {
    uint32_t *s = wave->sgpr;
    if (abi->group_x >= 0)
        s[abi->group_x] = id[0];
    if (abi->group_y >= 0)
        s[abi->group_y] = id[1];
    if (abi->group_z >= 0)
        s[abi->group_z] = id[2];
    if (abi->ttmp_groups) {
        s[WL_SGPR_TTMP + 9] = id[0];
        s[WL_SGPR_TTMP + 7] = (id[1] & 0xffff) | id[2] << 16;
    }
}

static inline __attribute__((always_inline)) void start_wave(const struct wl_job *job, struct wl_wave *wave, const uint32_t id[3],
                                                             uint32_t index, uint32_t items, const uint32_t *ids) {
    const struct wl_abi *abi = &job->function->abi;
    uint32_t wave_size = job->wave_size, *s = wave->sgpr, row_words = abi->id_rows * wave_size;
    for (uint32_t i = 0; i < job->sgpr_count; i += 16)
        *(line *)(s + i) = *(const line *)(job->sgprs + i);
    if (abi->private_buffer >= 0) {
        s[abi->private_buffer] = (uint32_t)(uintptr_t)wave->scratch;
        s[abi->private_buffer + 1] |= (uint32_t)((uint64_t)(uintptr_t)wave->scratch >> 32) & 0xffff;
    }
    move_wave(abi, wave, id);
    if (abi->group_info >= 0)
        s[abi->group_info] = (items + wave_size - 1) / wave_size | (uint32_t)(index == 0) << 31; /* waves; the first one */
    if (abi->ttmp_groups)
        s[WL_SGPR_TTMP + 8] = index << 25;
    uint32_t lanes = items - index * wave_size;
    uint64_t exec = lanes >= wave_size ? wl_full_exec(wave_size) : (UINT64_C(1) << lanes) - 1;
    s[WL_SGPR_EXEC] = (uint32_t)exec;
    s[WL_SGPR_EXEC + 1] = (uint32_t)(exec >> 32);
    s[WL_SGPR_M0] = UINT32_MAX; /* no limit on LDS addresses: code for gfx8 style DS instructions */
    s[WL_SGPR_SCC] = 0;
    s[WL_SGPR_VCC] = s[WL_SGPR_VCC + 1] = 0;
    ids += (size_t)index * row_words;
    for (uint32_t i = 0; i < row_words; i += 16) /* a strip at once: translated code loads it so, and would have to wait for two halves */
        *(line *)(wave->vgpr + i) = *(const line *)(ids + i);
    wave->resume = 0;
    wave->wave_index = index;
    wave->mode_register = job->function->kernel->float_mode;
    wave->fuel = WL_FUEL;
}

/* ---- running a wave to its end -------------------------------------------------------------- */

/* Answers a wave's exits until it ends, and gives the next one the kernel's floating-point mode. False: the job failed. */
static bool finish_plain_wave(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner, struct wl_wave *wave,
                              uint32_t reason) {
    enum wl_wave_state state = wl_wave_run_on(job, thread, runner, wave, reason);
    while (state == WL_WAVE_YIELDED && !wl_job_stopped(job))
        state = wl_wave_run_on(job, thread, runner, wave, runner->code(wave));
    if (wave->mode_register != job->function->kernel->float_mode)
        wl_float_enter(job->function->kernel->float_mode);
    if (state == WL_WAVE_BARRIER || state == WL_WAVE_NAMED || state == WL_WAVE_GRID)
        wl_job_fail(job, wl_fail(WL_INTERNAL, "kernel %s waits, but its translation says that it cannot", job->function->kernel->name));
    return state == WL_WAVE_ENDED;
}

/* Starts a wave and runs it to its end. False: the job failed. */
static inline __attribute__((always_inline)) bool run_plain_wave(struct wl_job *job, struct wl_thread *thread, struct wl_runner *runner,
                                                                 struct wl_wave *wave, const uint32_t id[3], uint32_t index) {
    uint32_t items = thread->extent.items;
    start_wave(job, wave, id, index, items, thread->id_table);
    enum wl_mode mode = (index + 1) * job->wave_size <= items ? WL_MODE_FULL : WL_MODE_MASKED;
    if (!wl_wave_is_ready(runner, job->unit, mode) && !wl_wave_enter(job, thread, runner, wave, job->unit, mode))
        return false;
    thread->running = runner;
    uint32_t reason = runner->code(wave);
    if (reason == WL_EXIT_END && wave->mode_register == job->function->kernel->float_mode)
        return true;
    return finish_plain_wave(job, thread, runner, wave, reason);
}

/* ---- kernels that keep their waves ---------------------------------------------------------- */

/* Gives a wave a state that stays its own. The stores that start a wave are what such kernels would wait for most. */
static inline __attribute__((always_inline)) bool start_kept_wave(struct wl_job *job, struct wl_thread *thread, const uint32_t id[3],
                                                                  uint32_t index) {
    struct wl_wave *wave = wl_group_wave(&thread->group, index);
    start_wave(job, wave, id, index, thread->extent.items, thread->id_table);
    return wl_wave_enter(job, thread, &thread->group.runners[index], wave, job->unit, WL_MODE_FULL);
}

/* Runs a wave in the state in which the last workgroup left it. A wave that exited before its end is started again. */
static inline __attribute__((always_inline)) bool run_kept_wave(struct wl_job *job, struct wl_thread *thread, const uint32_t id[3],
                                                                uint32_t index) {
    struct wl_runner *runner = &thread->group.runners[index];
    struct wl_wave *wave = wl_group_wave(&thread->group, index);
    if (runner->code)
        move_wave(&job->function->abi, wave, id);
    else if (!start_kept_wave(job, thread, id, index))
        return false;
    thread->running = runner;
    uint32_t reason = runner->code(wave);
    if (reason == WL_EXIT_END)
        return true;
    bool ended = finish_plain_wave(job, thread, runner, wave, reason);
    runner->code = NULL;
    return ended;
}

/* Runs `count` neighbouring workgroups of a row of the grid: the first wave of each, then the second wave of each, and so on. Each wave
 * goes on in a row of data where the same wave of the workgroup before has stopped, and the host's prefetcher follows. */
static inline __attribute__((always_inline)) void kept_groups(struct wl_job *job, struct wl_thread *thread, const uint32_t first[3],
                                                              uint32_t count) {
    struct wl_group *group = &thread->group;
    uint32_t full = job->whole.items / job->wave_size;
    memcpy(group->id, first, sizeof group->id);
    for (uint32_t w = 0; w < job->whole.waves; w++) {
        for (uint32_t i = 0; i < count; i++) {
            group->id[0] = first[0] + i;
            if (w < full) {
                if (!run_kept_wave(job, thread, group->id, w))
                    return;
                continue;
            }
            if (!run_plain_wave(job, thread, &group->runners[w], wl_group_wave(group, w), group->id, w))
                return;
        }
    }
}

/* ---- kernels that cannot wait --------------------------------------------------------------- */

static inline __attribute__((always_inline)) void plain_groups(struct wl_job *job, struct wl_thread *thread, const uint32_t first[3],
                                                               uint32_t count) {
    struct wl_group *group = &thread->group;
    memcpy(group->id, first, sizeof group->id);
    for (uint32_t i = 0; i < count; i++) {
        group->id[0] = first[0] + i;
        if (job->partial)
            start_partial(job, thread, group->id);
        for (uint32_t w = 0; w < thread->extent.waves; w++)
            if (!run_plain_wave(job, thread, &group->runners[0], wl_group_wave(group, 0), group->id, w))
                return;
    }
}

/* Starting a wave is copying. Wider registers halve the time; and translated code loads strips, which would have to wait for stores of
 * their parts. */
typedef void groups_fn(struct wl_job *, struct wl_thread *, const uint32_t[3], uint32_t);
#if defined(__x86_64__)
#define GROUPS_FN(name, level)                                                                                                             \
    __attribute__((target(#level))) static void name##_##level(struct wl_job *job, struct wl_thread *thread, const uint32_t first[3],      \
                                                               uint32_t count) {                                                           \
        name(job, thread, first, count);                                                                                                   \
    }
GROUPS_FN(plain_groups, avx2)
GROUPS_FN(plain_groups, avx512f)
GROUPS_FN(kept_groups, avx2)
GROUPS_FN(kept_groups, avx512f)
#undef GROUPS_FN

static groups_fn *choose_groups(bool keeps_wave) {
    static groups_fn *const plain[] = {
        [WL_CPU_BASE] = plain_groups, [WL_CPU_AVX2] = plain_groups_avx2, [WL_CPU_AVX512] = plain_groups_avx512f};
    static groups_fn *const kept[] = {[WL_CPU_BASE] = kept_groups, [WL_CPU_AVX2] = kept_groups_avx2, [WL_CPU_AVX512] = kept_groups_avx512f};
    return (keeps_wave ? kept : plain)[wl_cpu_level()];
}
#else
static groups_fn *choose_groups(bool keeps_wave) { return keeps_wave ? kept_groups : plain_groups; }
#endif

/* ---- kernels that can ----------------------------------------------------------------------- */

static void begin_barriers(struct wl_group *group) {
    wl_barriers_begin(&group->barriers, group->wave_count, group->cluster, group->cluster_rank);
    for (uint32_t w = 0; w < group->wave_count; w++)
        wl_barriers_begin_wave(&group->runners[w].barriers, &group->barriers);
}

/* Whether waves may run from barrier to barrier one after the other. Those of resident workgroups take turns as well. */
static bool runs_in_step(const struct wl_job *job) { return !job->groups && !job->follows_waves && !job->random; }

enum wl_progress wl_group_start(struct wl_job *job, struct wl_thread *thread, struct wl_group *group, const uint32_t id[3]) {
    wl_assert(job->may_wait && group->fit.states >= thread->extent.waves);
    const struct wl_extent *extent = &thread->extent;
    if (job->partial)
        start_partial(job, thread, id);
    memcpy(group->id, id, sizeof group->id);
    group->wave_count = extent->waves;
    group->ended = 0;
    begin_barriers(group);
    group->workgroup_size[0] = 0;
    group->first_leads = false;
    group->in_step = runs_in_step(job);
    for (uint32_t w = 0; w < extent->waves; w++) {
        struct wl_wave *wave = wl_group_wave(group, w);
        struct wl_runner *runner = &group->runners[w];
        start_wave(job, wave, id, w, extent->items, thread->id_table);
        if (job->clustered)
            wl_cluster_place(job->launch, wave, id);
        runner->state = WL_WAVE_READY;
        enum wl_mode mode = (w + 1) * job->wave_size <= extent->items ? WL_MODE_FULL : WL_MODE_MASKED;
        if (!wl_wave_is_ready(runner, job->unit, mode) && !wl_wave_enter(job, thread, runner, wave, job->unit, mode))
            return WL_GROUP_FAILED;
    }
    if (job->follows_waves && !wl_sanitize_start(job, group, extent)) {
        wl_job_fail(job, WL_OUT_OF_MEMORY);
        return WL_GROUP_FAILED;
    }
    return WL_GROUP_MOVED;
}

static void set_float_mode(struct wl_thread *thread, uint32_t mode) {
    if (thread->float_mode != mode) {
        wl_float_enter(mode);
        thread->float_mode = mode;
    }
}

/* Changes to the FULL or MASKED copy for a wave whose EXEC became full or partial, if the copy exists, as it nearly always does. */
static inline bool change_copy(struct wl_runner *runner, const struct wl_wave *wave) {
    enum wl_mode mode = wl_wave_mode(wave);
    struct wl_cpu_unit *unit = runner->unit;
    wl_unit_code *code = atomic_load_explicit(&unit->code[mode], memory_order_acquire);
    if (!code || atomic_load_explicit(&unit->loop_code[mode], memory_order_relaxed) ||
        atomic_load_explicit(&unit->info[mode], memory_order_acquire)->rows > wave->vgprs)
        return false;
    runner->mode = mode;
    runner->code = code;
    return true;
}

/* Waves take turns from 1 to their number; the first wave takes the last turn. On a GPU the waves run side by side. There a kernel may
 * lack the barrier between what all waves read and what the first work item then writes to the same place (rocSOLVER's potrf does). */
static inline uint32_t wave_of_turn(const struct wl_group *group, uint32_t turn) {
    return group->first_leads ? turn - 1 : turn < group->wave_count ? turn : 0;
}

/* All waves go on behind a barrier: the translator says which one first (translate/unit/turns.h). */
static inline void choose_turns(struct wl_group *group) {
    const struct wl_cpu_unit *unit = group->runners[0].unit;
    const struct wl_unit_info *info = atomic_load_explicit(&unit->info[WL_MODE_FULL], memory_order_acquire);
    const uint32_t resume = wl_group_wave(group, 0)->resume;
    group->first_leads = info && resume < info->resume_count && info->resume[resume].first_leads;
}

/* Called when all waves have come to a barrier: the first turn behind it, or 0 if *phases, counted down, is 0. */
static inline uint32_t next_phase(struct wl_group *group, uint32_t *phases) {
    choose_turns(group);
    return --*phases != 0;
}

/* All waves are ready: gives each a turn, as long as each comes to a barrier. Returns the turn of the first wave that did something else,
 * and in *reason what it did; the waves of earlier turns are at a barrier then, those of later turns ready. 0: *phases is 0, and all are
 * ready again. */
static uint32_t run_in_step(struct wl_job *job, struct wl_thread *thread, struct wl_group *group, uint32_t *phases, uint32_t *reason) {
    wl_assert(group->wave_count > 0 && group->ended == 0 && group->barriers.waiting == 0);
    for (uint32_t turn = 1; turn; turn = turn < group->wave_count ? turn + 1 : next_phase(group, phases)) {
        const uint32_t i = wave_of_turn(group, turn);
        struct wl_runner *runner = &group->runners[i];
        struct wl_wave *wave = wl_group_wave(group, i);
        set_float_mode(thread, wave->mode_register);
        thread->running = runner;
        do
            *reason = runner->code(wave);
        while (*reason == WL_EXIT_MODE && change_copy(runner, wave));
        if (*reason != WL_EXIT_BARRIER || group->barriers.split || wl_job_stopped(job))
            return turn;
        thread->float_mode = wave->mode_register;
        wave->fuel = WL_FUEL;
    }
    return 0;
}

/* All waves that have not ended have signaled the workgroup's own barrier: those that wait go on, the others will not have to wait. */
static void open_barrier(struct wl_group *group) {
    for (uint32_t i = 0; i < group->wave_count; i++) {
        struct wl_runner *runner = &group->runners[i];
        if (runner->state == WL_WAVE_BARRIER)
            runner->state = WL_WAVE_READY;
        runner->barriers.passed |= runner->barriers.signaled;
        runner->barriers.signaled = false;
    }
    group->barriers.waiting = group->barriers.signaled = 0;
}

/* An order of a workgroup's waves: of turn t, wave (first + t * step) % count. */
struct turns {
    uint32_t first, step;
};

static struct turns random_turns(struct wl_job *job, uint32_t count) {
    static const uint8_t steps[] = {1, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31};
    const uint64_t random = wl_schedule_next(&job->random);
    const uint32_t step = steps[(random >> 32) % sizeof steps];
    if (step > 1 && count % step == 0) /* it would leave waves out: the steps are primes */
        return (struct turns){(uint32_t)random % count, 1};
    return (struct turns){(uint32_t)random % count, step};
}

enum wl_progress wl_group_step(struct wl_job *job, struct wl_thread *thread, struct wl_group *group, uint32_t *phases) {
    enum wl_progress progress = WL_GROUP_IDLE;
    const struct turns random = job->random ? random_turns(job, group->wave_count) : (struct turns){0, 0};
    uint32_t first = 0, first_reason = 0; /* the turn that run_in_step began already */
    if (group->in_step) {
        group->in_step = false;
        first = run_in_step(job, thread, group, phases, &first_reason);
        if (first == 0) {
            group->in_step = true;
            return WL_GROUP_MOVED;
        }
        for (uint32_t turn = 1; turn < first; turn++)
            group->runners[wave_of_turn(group, turn)].state = WL_WAVE_BARRIER;
        group->barriers.waiting = first - 1;
    }
    for (uint32_t turn = 1; turn <= group->wave_count; turn++) {
        const uint32_t i = job->random ? (random.first + turn * random.step) % group->wave_count : wave_of_turn(group, turn);
        struct wl_runner *runner = &group->runners[i];
        if (runner->state == WL_WAVE_ENDED || runner->state == WL_WAVE_BARRIER)
            continue;
        if (runner->state == WL_WAVE_NAMED && !wl_barriers_pass(&runner->barriers, wl_group_wave(group, i)->exit_detail))
            continue;
        if (runner->state == WL_WAVE_GRID) {
            if (!wl_gws_released(atomic_load(&job->gws), &runner->gws_wait))
                continue;
            if (job->follows_waves)
                wl_sanitize_gws_done(runner);
        }
        struct wl_wave *wave = wl_group_wave(group, i);
        if (turn != first)
            set_float_mode(thread, wave->mode_register);
        thread->running = runner;
        uint32_t reason = turn == first ? first_reason : runner->code(wave);
        if (reason == WL_EXIT_BARRIER) {
            wave->fuel = WL_FUEL;
            runner->state = WL_WAVE_BARRIER;
        } else {
            runner->state = wl_wave_run_on(job, thread, runner, wave, reason);
        }
        thread->float_mode = wave->mode_register;
        if (job->follows_waves)
            wl_sanitize_wave(group, i, runner->state);
        switch (runner->state) {
        case WL_WAVE_BARRIER:
            if (!wl_barriers_arrive(&runner->barriers))
                runner->state = WL_WAVE_READY;
            break;
        case WL_WAVE_ENDED:
            wl_barriers_end_wave(&runner->barriers);
            group->ended++;
            break;
        case WL_WAVE_NAMED:
        case WL_WAVE_GRID:
            break;
        case WL_WAVE_FAILED:
            return WL_GROUP_FAILED;
        default:
            continue; /* yielded: no progress that others could see for sure */
        }
        progress = WL_GROUP_MOVED;
    }
    const uint32_t here = group->barriers.waiting + group->barriers.signaled;
    wl_assert(here + group->ended <= group->wave_count);
    if (group->ended == group->wave_count) {
        wl_barriers_end(&group->barriers);
        if (job->follows_waves)
            wl_sanitize_done(group);
        return WL_GROUP_DONE;
    }
    if (here && here + group->ended == group->wave_count) {
        open_barrier(group);
        if (job->follows_waves)
            wl_sanitize_released(group);
        choose_turns(group);
        group->in_step = runs_in_step(job) && !group->ended && !group->barriers.split;
        --*phases;
        progress = WL_GROUP_MOVED;
    }
    return progress;
}

/* ---- workgroups whose waves may wait for each other, but mostly do not ------------------------- */

/* The waves of this workgroup were run to their ends, one after the other, and one of them has to wait. Those that are left take
 * turns. */
static enum wl_progress take_turns(struct wl_job *job, struct wl_thread *thread, uint32_t at) {
    wl_assert(job->tries && at < thread->extent.waves && thread->extent.waves <= thread->group.fit.states);
    struct wl_group *group = &thread->group;
    const uint32_t items = thread->extent.items;
    group->wave_count = thread->extent.waves;
    begin_barriers(group);
    group->ended = at;
    group->workgroup_size[0] = 0;
    group->in_step = false;
    for (uint32_t w = 0; w < group->wave_count; w++) {
        struct wl_runner *runner = &group->runners[w];
        const enum wl_mode mode = (w + 1) * job->wave_size <= items ? WL_MODE_FULL : WL_MODE_MASKED;
        runner->state = w < at ? WL_WAVE_ENDED : WL_WAVE_READY;
        if (w <= at)
            continue;
        start_wave(job, wl_group_wave(group, w), group->id, w, items, thread->id_table);
        if (!wl_wave_enter(job, thread, runner, wl_group_wave(group, w), job->unit, mode))
            return WL_GROUP_FAILED;
    }
    return WL_GROUP_MOVED;
}

/* Runs the waves of a workgroup to their ends, one after the other, until one of them yields. */
static inline __attribute__((always_inline)) enum wl_progress try_group(struct wl_job *job, struct wl_thread *thread,
                                                                        const uint32_t id[3]) {
    struct wl_group *group = &thread->group;
    const uint32_t float_mode = job->function->kernel->float_mode;
    if (job->partial)
        start_partial(job, thread, id);
    const uint32_t full = thread->extent.items / job->wave_size, kept = job->keeps_trying ? full : 0;
    memcpy(group->id, id, sizeof group->id);
    for (uint32_t w = 0; w < thread->extent.waves; w++) {
        struct wl_runner *runner = &group->runners[w];
        struct wl_wave *wave = wl_group_wave(group, w);
        if (w < kept && runner->code) {
            move_wave(&job->function->abi, wave, id);
        } else {
            const enum wl_mode mode = w < full ? WL_MODE_FULL : WL_MODE_MASKED;
            start_wave(job, wave, id, w, thread->extent.items, thread->id_table);
            if (!wl_wave_is_ready(runner, job->unit, mode) && !wl_wave_enter(job, thread, runner, wave, job->unit, mode))
                return WL_GROUP_FAILED;
        }
        thread->running = runner;
        const uint32_t reason = runner->code(wave);
        if (reason == WL_EXIT_END && wave->mode_register == float_mode)
            continue;
        const enum wl_wave_state state = wl_wave_run_on(job, thread, runner, wave, reason);
        thread->float_mode = wave->mode_register;
        if (state == WL_WAVE_FAILED)
            return WL_GROUP_FAILED;
        if (state != WL_WAVE_ENDED)
            return take_turns(job, thread, w);
        set_float_mode(thread, float_mode);
        runner->code = NULL; /* the wave is not as it began */
    }
    return WL_GROUP_DONE;
}

/* Does that for up to `count` neighbouring workgroups of a row of the grid. *done: how many have ended; the result is about the next
 * one. */
static inline __attribute__((always_inline)) enum wl_progress try_groups(struct wl_job *job, struct wl_thread *thread,
                                                                         const uint32_t first[3], uint32_t count, uint32_t *done) {
    uint32_t id[3] = {first[0], first[1], first[2]};
    enum wl_progress progress = WL_GROUP_DONE;
    set_float_mode(thread, job->function->kernel->float_mode);
    for (*done = 0; *done < count; ++*done, id[0]++)
        if ((progress = try_group(job, thread, id)) != WL_GROUP_DONE)
            break;
    return progress;
}

#define TRY_FN(name, target)                                                                                                               \
    target static enum wl_progress name(struct wl_job *job, struct wl_thread *thread, const uint32_t first[3], uint32_t count,             \
                                        uint32_t *done) {                                                                                  \
        return try_groups(job, thread, first, count, done);                                                                                \
    }
TRY_FN(try_groups_base, )
#if defined(__x86_64__)
TRY_FN(try_groups_avx2, __attribute__((target("avx2"))))
TRY_FN(try_groups_avx512f, __attribute__((target("avx512f"))))

wl_group_try *wl_group_choose_try(void) {
    static wl_group_try *const functions[] = {
        [WL_CPU_BASE] = try_groups_base, [WL_CPU_AVX2] = try_groups_avx2, [WL_CPU_AVX512] = try_groups_avx512f};
    return functions[wl_cpu_level()];
}
#else
wl_group_try *wl_group_choose_try(void) { return try_groups_base; }
#endif
#undef TRY_FN

void wl_group_forget_states(struct wl_thread *thread) {
    for (uint32_t w = 0; w < thread->group.fit.states; w++)
        thread->group.runners[w].code = NULL;
}

/* ---- workgroup mode: all waves as one ------------------------------------------------------------------ */

/* The waves of a workgroup go on by themselves. */
static enum wl_progress split_workgroup(struct wl_job *job, struct wl_thread *thread) {
    wl_assert(job->fits_workgroup_mode && job->whole.waves <= thread->group.fit.states);
    struct wl_group *group = &thread->group;
    const struct wl_wave *first = wl_group_wave(group, 0);
    const struct wl_abi *abi = &job->function->abi;
    uint32_t step = job->wave_size / 32;
    group->wave_count = job->whole.waves;
    group->ended = 0;
    begin_barriers(group);
    group->in_step = true;
    group->first_leads = false;
    group->workgroup_size[0] = 0;
    thread->splits++;
    for (uint32_t w = 0; w < job->whole.waves; w++) {
        struct wl_wave *wave = wl_group_wave(group, w);
        struct wl_runner *runner = &group->runners[w];
        for (uint32_t reg = 0; reg < WL_SGPR_COUNT && w; reg += step)
            if (!(first->workgroup_masks[reg / 64] >> reg % 64 & 1))
                memcpy(&wave->sgpr[reg], &first->sgpr[reg], step * sizeof *wave->sgpr);
        if (abi->ttmp_groups) {
            move_wave(abi, wave, group->id);
            wave->sgpr[WL_SGPR_TTMP + 8] = w << 25;
        }
        wave->resume = first->resume;
        wave->wave_index = w;
        wave->mode_register = first->mode_register;
        wave->fuel = WL_FUEL;
        runner->state = WL_WAVE_READY;
        enum wl_mode mode = wl_wave_mode(wave);
        if (!wl_wave_is_ready(runner, job->unit, mode) && !wl_wave_enter(job, thread, runner, wave, job->unit, mode))
            return WL_GROUP_FAILED;
    }
    return WL_GROUP_MOVED;
}

/* Starts all waves of a workgroup as one. */
static void start_workgroup(struct wl_job *job, struct wl_thread *thread, const uint32_t id[3], bool keeps_ids) {
    enum { WORKGROUP_FUEL = 1 << 16 };
    struct wl_group *group = &thread->group;
    struct wl_wave *wave = wl_group_wave(group, 0);
    uint32_t row_words = job->function->abi.id_rows * job->wave_size, *s = wave->sgpr;
    for (uint32_t i = 0; i < job->sgpr_count; i += 16)
        *(line *)(s + i) = *(const line *)(job->sgprs + i);
    move_wave(&job->function->abi, wave, id);
    s[WL_SGPR_M0] = UINT32_MAX;
    s[WL_SGPR_SCC] = 0;
    s[WL_SGPR_VCC] = s[WL_SGPR_VCC + 1] = 0;
    wave->resume = 0;
    wave->wave_index = 0;
    wave->workgroup_stride = group->wave_stride;
    wave->mode_register = job->function->kernel->float_mode;
    wave->fuel = WORKGROUP_FUEL;
    memcpy(group->id, id, sizeof group->id);
    if (keeps_ids && memcmp(group->workgroup_size, job->whole.size, sizeof group->workgroup_size) == 0)
        return;
    for (uint32_t w = 0; w < job->whole.waves; w++)
        memcpy(wl_group_wave(group, w)->vgpr, thread->id_table + (size_t)w * row_words, row_words * sizeof(uint32_t));
    memcpy(group->workgroup_size, job->whole.size, sizeof group->workgroup_size);
}

wl_unit_code *wl_group_workgroup_code(struct wl_job *job) {
    struct wl_cpu_unit *unit = NULL;
    wl_unit_code *code = atomic_load_explicit(&job->workgroup, memory_order_acquire);
    if (code || !job->fits_workgroup_mode ||
        !atomic_load_explicit(&job->unit->info[WL_MODE_FULL], memory_order_acquire)->may_workgroup_mode)
        return code;
    code = wl_units_workgroup(job->function->module, job->unit, job->whole.size, &unit);
    if (!code)
        return NULL;
    atomic_store_explicit(&job->workgroup_unit, unit, memory_order_relaxed); /* all threads find the same */
    atomic_store_explicit(&job->workgroup, code, memory_order_release);
    return code;
}

enum wl_progress wl_group_run_workgroup(struct wl_job *job, struct wl_thread *thread, wl_unit_code *code, const uint32_t id[3]) {
    struct wl_wave *wave = wl_group_wave(&thread->group, 0);
    struct wl_runner *runner = &thread->group.runners[0];
    struct wl_cpu_unit *unit = atomic_load_explicit(&job->workgroup_unit, memory_order_relaxed);
    const struct wl_unit_info *info = atomic_load_explicit(&unit->info[WL_MODE_WORKGROUP], memory_order_acquire);
    wl_assert(info && memcmp(unit->workgroup_size, job->whole.size, sizeof unit->workgroup_size) == 0);
    start_workgroup(job, thread, id, info->keeps_wave);
    set_float_mode(thread, wave->mode_register);
    runner->unit = unit;
    runner->code = code;
    runner->mode = WL_MODE_WORKGROUP;
    thread->running = runner;
    uint32_t reason = code(wave);
    if (reason == WL_EXIT_END)
        return WL_GROUP_DONE;
    if (reason == WL_EXIT_SPLIT)
        return split_workgroup(job, thread);
    wl_wave_illegal(job, thread, runner, wave);
    return WL_GROUP_FAILED;
}

/* ---- grids ---------------------------------------------------------------------------------- */

bool wl_group_take_chunk(struct wl_job *job, const struct wl_thread *thread, uint64_t chunk, uint64_t *first, uint64_t *end) {
    if (job->parts)
        return wl_parts_take(job->parts, thread->part, chunk, first, end);
    if (job->limit == 1) { /* no other thread takes any */
        *first = atomic_load_explicit(&job->next, memory_order_relaxed);
        atomic_store_explicit(&job->next, *first + chunk, memory_order_relaxed);
    } else {
        *first = atomic_fetch_add_explicit(&job->next, chunk, memory_order_relaxed);
    }
    if (*first >= job->total) {
        *first = *end;
        return false;
    }
    *end = job->total - *first < chunk ? job->total : *first + chunk;
    return true;
}

/* How many workgroups a thread runs together, the waves of one number one after the other. Several only where the waves of a workgroup lie
 * beside each other in y and z, and without LDS, which each workgroup has for itself. */
static uint32_t groups_at_once(const struct wl_job *job) {
    enum { AT_ONCE = 64 };
    return job->keeps_wave && job->lds_size == 0 && job->whole.size[0] <= job->wave_size ? AT_ONCE : 1;
}

static void run_chunks(struct wl_job *job, struct wl_thread *thread) {
    const uint32_t *grid = job->launch->grid;
    groups_fn *run = choose_groups(job->keeps_wave);
    uint32_t at_once = groups_at_once(job), id[3];
    uint64_t first, end;
    while (!wl_job_stopped(job) && wl_group_take_chunk(job, thread, job->chunk, &first, &end)) {
        wl_group_id(job->launch, first, id);
        for (uint64_t n = first; n < end && !wl_job_stopped(job);) {
            uint64_t count = end - n < at_once ? end - n : at_once;
            if (grid[0] - id[0] < count)
                count = grid[0] - id[0];
            run(job, thread, id, (uint32_t)count);
            n += count;
            wl_group_move_on(grid, (uint32_t)count, id);
        }
    }
}

/* Whether workgroups are columns of work items: what a workgroup has in memory goes on in the next one in y, not in x. */
static bool has_columns(const struct wl_job *job) {
    return job->whole.size[0] == 1 && job->whole.size[1] > 1 && job->launch->grid[0] > 1 && job->launch->grid[1] > 1;
}

/* The same, in y before x. */
static void run_columns(struct wl_job *job, struct wl_thread *thread) {
    const uint32_t *grid = job->launch->grid;
    groups_fn *run = choose_groups(job->keeps_wave);
    uint64_t first, end;
    while (!wl_job_stopped(job) && wl_group_take_chunk(job, thread, job->chunk, &first, &end))
        for (uint64_t n = first; n < end && !wl_job_stopped(job); n++) {
            const uint64_t column = n / grid[1];
            const uint32_t id[3] = {(uint32_t)(column % grid[0]), (uint32_t)(n % grid[1]), (uint32_t)(column / grid[0])};
            run(job, thread, id, 1);
        }
}

/* The same, in an order that the launch or a random schedule gives. */
static void run_ordered(struct wl_job *job, struct wl_thread *thread) {
    groups_fn *run = choose_groups(job->keeps_wave);
    uint64_t first, end;
    while (!wl_job_stopped(job) && wl_group_take_chunk(job, thread, job->chunk, &first, &end)) {
        for (uint64_t n = first; n < end && !wl_job_stopped(job); n++) {
            uint32_t id[3];
            wl_group_at(job, n, id);
            run(job, thread, id, 1);
        }
    }
}

/* Separate from the caller of sigsetjmp, so that no variable of the loops lives across it. */
__attribute__((noinline)) static void run_guarded(struct wl_job *job, struct wl_thread *thread) {
    thread->stack_top = __builtin_frame_address(0);
    if (sigsetjmp(thread->jump, 0) == 0) {
        if (job->groups)
            wl_waiting_run_resident(job, thread);
        else if (job->clustered)
            wl_clusters_run(job, thread);
        else if (job->may_wait)
            wl_waiting_run_chunks(job, thread);
        else if (job->order)
            run_ordered(job, thread);
        else if (has_columns(job))
            run_columns(job, thread);
        else
            run_chunks(job, thread);
        return;
    }
    struct wl_runner *runner = thread->running;
    thread->running = NULL;
    thread->group.fit.function = 0; /* the states may be in the middle of something */
    wl_fault_recover();
    wl_float_enter(0xf0);
    if (thread->fault.signal == 0)
        return; /* cancelled */
    int expected = WL_OK;
    bool memory = thread->fault.signal == SIGSEGV || thread->fault.signal == SIGBUS;
    if (atomic_compare_exchange_strong(&job->status, &expected, memory ? WL_ILLEGAL_ADDRESS : WL_ILLEGAL_INSTRUCTION)) {
        wl_fault_report(thread, job, runner);
        snprintf(job->failure->text, sizeof job->failure->text, "%s", wl_failure());
    }
}

void wl_dispatch_run(struct wl_job *job, struct wl_thread *thread) {
    wl_assert(!thread->job && !thread->running);
    uint64_t start = job->timed ? wl_now() : wl_ticks();
    if (!job->groups) {
        enum wl_status status = wl_dispatch_fit(job, &thread->group);
        if (status != WL_OK) { /* without a worker the others have more to do */
            if (thread->launches)
                wl_job_fail(job, status);
            return;
        }
    }
    thread->extent = job->whole;
    thread->id_table = wl_abi_ids(&thread->ids[0], &job->function->abi, job->wave_size, job->whole.size);
    thread->float_mode = job->function->kernel->float_mode;
    uint32_t control = wl_float_enter(thread->float_mode);
    thread->job = job;
    wl_jumps_begin(job, thread);
    thread->lds_bounds.seen = false;
    thread->splits = 0;
    run_guarded(job, thread);
    if (job->counts)
        wl_counters_leave(job);
    if (job->follows_waves)
        wl_sanitize_drop(&thread->group);
    if (thread->splits)
        atomic_fetch_add_explicit(&job->splits, thread->splits, memory_order_relaxed);
    thread->running = NULL;
    if (thread->lds_bounds.seen && !atomic_exchange(&job->lds_bounds, true))
        wl_log(2, "kernel %s: accesses outside the workgroup's %u bytes of LDS read 0 and were not stored", job->function->kernel->name,
               job->lds_size);
    thread->job = NULL;
    wl_float_restore(control);
    if (job->timed)
        atomic_fetch_add_explicit(&job->busy_ns, wl_now() - start, memory_order_relaxed);
    else if (wl_ticks() - start > WL_TICKS_LONG)
        atomic_store_explicit(&job->function->launches, 0, memory_order_relaxed); /* it is not as short as it was: the next one is timed */
}
