/* Grids whose workgroups may wait for each other, and cooperative launches (groups.h). */
#include "device/cpu/run/groups.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/exits.h"
#include "device/cpu/run/launch.h"
#include "device/cpu/run/parked.h"
#include "device/cpu/run/parts.h"
#include "device/cpu/run/sanitize.h"
#include "device/cpu/run/workers.h"

#include <sched.h>
#include <time.h>

enum { MOMENT = 50000 }; /* ns */

/* How long to sleep between rounds of waves that only look; 0: not yet. */
static uint64_t time_to_sleep(struct wl_wait *wait) {
    enum { FIRST = 1000000, SHORT = 2000000, LONGEST = 10000000, PART = 32, ROUNDS = 64, MOST_LOOKS = 4096 }; /* the first three in ns */
    const uint64_t now = wl_now();
    if (!wait->begin)
        wait->begin = wait->round = now;
    const uint64_t waited = now - wait->begin, worked = now - wait->round;
    wait->round = now;
    if (waited < FIRST)
        return 0;
    uint64_t time = worked * ROUNDS < SHORT ? SHORT : worked * ROUNDS < LONGEST ? worked * ROUNDS : LONGEST;
    time = time < waited / PART ? time : waited / PART;
    if (worked * ROUNDS * 2 < time && wait->looks < MOST_LOOKS) /* loops that give up after many looks get there as well */
        wait->looks = wait->looks * 2 + 1;
    else if (worked * ROUNDS > time)
        wait->looks /= 2;
    return time;
}

void wl_back_off(struct wl_wait *wait, enum wl_waiting waiting) {
    enum { EAGER = 64, PATIENT = 2048 };
    const unsigned rounds = wait->rounds++;
    uint64_t time = 0;
    if (rounds < EAGER) {
        wl_relax();
        return;
    }
    if (waiting == WL_WAITING_LOOK) {
        time = time_to_sleep(wait);
    } else {
        wait->begin = wait->looks = 0;
        time = rounds < PATIENT || waiting == WL_WAITING_COUNT ? 0 : MOMENT;
    }
    if (!time) {
        sched_yield();
        return;
    }
    const struct timespec moment = {0, (long)time};
    nanosleep(&moment, NULL);
    if (wait->begin)
        wait->round = wl_now();
}

bool wl_group_only_looks(const struct wl_group *group) {
    for (uint32_t w = 0; w < group->wave_count; w++) {
        const struct wl_runner *runner = &group->runners[w];
        if (runner->state == WL_WAVE_READY || (runner->state == WL_WAVE_YIELDED && !runner->only_looks))
            return false;
    }
    return true;
}

/* Whether sanitizers say that the workgroup will wait for ever. */
static bool is_stuck(struct wl_job *job, struct wl_group *group, enum wl_progress progress) {
    return job->follows_waves && progress == WL_GROUP_IDLE && wl_sanitize_stuck(job, group);
}

/* Runs a workgroup that was started until it ends, or has done nothing but wait for `patience` rounds, or its waves have met at many
 * barriers. In the last two cases it probably waits for other workgroups. */
static enum wl_progress run_started(struct wl_job *job, struct wl_thread *thread, struct wl_group *group, unsigned patience,
                                    enum wl_progress progress) {
    enum { PHASES_A_ROUND = 32 };
    uint32_t phases = job->in_order ? PHASES_A_ROUND * patience : UINT32_MAX;
    struct wl_wait wait = {0};
    while (progress != WL_GROUP_DONE && progress != WL_GROUP_FAILED) {
        progress = wl_group_step(job, thread, group, &phases);
        if (wl_job_stopped(job) || is_stuck(job, group, progress))
            return WL_GROUP_FAILED; /* also waves that meet at barriers for ever */
        if (phases == 0)
            return progress;
        if (progress != WL_GROUP_IDLE)
            wait.rounds = 0;
        else if (wait.rounds + 1 >= patience)
            return WL_GROUP_IDLE;
        else
            wl_back_off(&wait, WL_WAITING_MORE);
    }
    return progress;
}

/* Turns of parked workgroups, until each has had one. */
struct sweep {
    bool look;               /* whether `waiting` is asked for */
    enum wl_waiting waiting; /* what is known of those that had theirs */
    uint32_t looks;          /* for wl_group.looks */
};

/* Gives a turn to a parked workgroup. */
static enum wl_progress turn_of_parked(struct wl_job *job, struct wl_thread *thread, struct sweep *sweep) {
    enum { LEAST_FUEL = WL_FUEL / 32, MOST_FUEL = 64 * WL_FUEL };
    struct wl_group *group = wl_parked_take(job);
    if (!group)
        return WL_GROUP_IDLE;
    uint32_t phases = 1;
    for (uint32_t w = 0; w < group->wave_count; w++)
        wl_group_wave(group, w)->fuel = group->fuel < LEAST_FUEL ? LEAST_FUEL : group->fuel;
    group->looks = job->follows_waves ? 0 : sweep->looks;
    enum wl_progress progress = wl_group_step(job, thread, group, &phases);
    group->looks = 0;
    if (progress == WL_GROUP_MOVED)
        progress = run_started(job, thread, group, 1, progress);
    thread->running = NULL;
    if (progress == WL_GROUP_FAILED || is_stuck(job, group, progress))
        return WL_GROUP_FAILED;
    if (progress == WL_GROUP_DONE) {
        wl_parked_end(job, group);
        return progress;
    }
    if (!sweep->look || progress != WL_GROUP_IDLE || (!job->follows_waves && wl_group_only_looks(group))) {
        group->fuel = 0;
    } else if (!wl_parked_changed(job, group)) {
        group->fuel = 0;
        sweep->waiting = sweep->waiting == WL_WAITING_LOOK ? WL_WAITING_MORE : sweep->waiting;
    } else { /* the waves' registers change: they count, or read one place after the other, and get longer turns */
        group->fuel = group->fuel == 0 ? WL_FUEL : group->fuel < MOST_FUEL ? 2 * group->fuel : MOST_FUEL;
        sweep->waiting = WL_WAITING_COUNT;
    }
    wl_parked_put(job, group);
    return progress;
}

/* Runs a workgroup that was started until it ends or is parked. */
static void run_waiting_group(struct wl_job *job, struct wl_thread *thread, uint64_t number, enum wl_progress progress) {
    enum { PATIENCE = 128, LESS_PATIENCE = 8 }; /* the latter if there are others that may know more, or rounds take long */
    unsigned idle = 0;
    struct wl_wait wait = {0};
    while (progress != WL_GROUP_DONE && progress != WL_GROUP_FAILED) {
        const uint32_t others = atomic_load_explicit(&job->parked.count, memory_order_relaxed);
        progress = run_started(job, thread, &thread->group, others || job->follows_waves ? LESS_PATIENCE : PATIENCE, progress);
        if (progress == WL_GROUP_DONE || progress == WL_GROUP_FAILED)
            return;
        thread->running = NULL;
        if (wl_parked_add(job, &thread->group, number))
            return;
        /* There is no memory for one more: this one goes on, and so do the parked ones, for which it may wait. */
        const enum wl_progress other = turn_of_parked(job, thread, &(struct sweep){0});
        if (other == WL_GROUP_FAILED)
            return;
        idle = other == WL_GROUP_IDLE ? idle + 1 : 0;
        wait.rounds = idle / (others + 1);
        wl_back_off(&wait, WL_WAITING_MORE);
    }
}

/* Whether workgroup `number` would be resident on a GPU as large as the device says it is. A GPU starts workgroups in order. */
static bool may_start(struct wl_job *job, uint64_t number) {
    const uint32_t most = wl_cpu_residents(job);
    return atomic_load_explicit(&job->parked.count, memory_order_relaxed) < most || wl_parked_before(job, number) < most;
}

/* Gives turns to parked workgroups until workgroup `number` may be started. With UINT64_MAX: until all have ended, or, in threads other
 * than the launching one, until others have all of them. False: the thread has to leave the job, which has failed or has other threads. */
static bool serve_parked(struct wl_job *job, struct wl_thread *thread, uint64_t number, bool may_leave) {
    enum { LOOK = 64 }; /* after so many rounds without progress, turn_of_parked looks which workgroups do more than wait */
    unsigned idle = 0;
    struct wl_wait wait = {0};
    struct sweep sweep = {0};
    while (!wl_job_stopped(job)) {
        const uint32_t count = atomic_load_explicit(&job->parked.count, memory_order_acquire);
        if (number == UINT64_MAX ? count == 0 || (!thread->launches && wl_parked_all_taken(job)) : may_start(job, number))
            return true;
        enum wl_progress progress = turn_of_parked(job, thread, &sweep);
        if (progress == WL_GROUP_FAILED)
            return false;
        if (progress != WL_GROUP_IDLE) {
            idle = 0;
            wait = (struct wl_wait){0};
            sweep = (struct sweep){0};
            continue;
        }
        if (++idle < count)
            continue;
        if (may_leave && wait.rounds >= LOOK && wl_pool_wants(job->device->pool, thread->index, job)) {
            thread->leaves_early = true;
            return false;
        }
        wl_back_off(&wait, sweep.waiting);
        idle = 0;
        sweep = (struct sweep){wait.rounds >= LOOK, wait.rounds >= LOOK ? WL_WAITING_LOOK : WL_WAITING_MORE, wait.looks};
    }
    return false;
}

/* Starts a workgroup and runs it until it ends or is parked; with `try`, up to `count` workgroups of a row. Returns how many. */
static uint32_t start_waiting_groups(struct wl_job *job, struct wl_thread *thread, const uint32_t id[3], uint64_t number, uint32_t count,
                                     wl_group_try *try) {
    uint32_t done = 0;
    if (!try) {
        wl_unit_code *workgroup = wl_group_workgroup_code(job);
        run_waiting_group(job, thread, number,
                          workgroup ? wl_group_run_workgroup(job, thread, workgroup, id) : wl_group_start(job, thread, &thread->group, id));
        return 1;
    }
    const enum wl_progress progress = try(job, thread, id, count, &done);
    if (progress == WL_GROUP_DONE)
        return done;
    run_waiting_group(job, thread, number + done, progress);
    wl_group_forget_states(thread);
    return done + 1;
}

/* The lowest workgroup that nobody has begun, of those that this thread may begin: its own next one, or one of any part. */
static uint64_t lowest_to_start(struct wl_job *job, uint64_t own) {
    const uint64_t other = job->parts ? wl_parts_lowest(job->parts) : atomic_load_explicit(&job->next, memory_order_relaxed);
    return own < other ? own : other < job->total ? other : job->total;
}

/* Starts workgroup `number`, which is in no thread's hands yet, in the midst of what the thread has taken otherwise. */
static void start_lowest(struct wl_job *job, struct wl_thread *thread, uint64_t number, wl_group_try *try) {
    uint64_t end;
    if (!wl_parts_take_lowest(job->parts, number, &end))
        return;
    for (; number < end && !wl_job_stopped(job); number++) {
        uint32_t id[3];
        wl_group_at(job, number, id);
        start_waiting_groups(job, thread, id, number, 1, try);
    }
}

void wl_waiting_run_chunks(struct wl_job *job, struct wl_thread *thread) {
    enum { MOST_TRIED = 64 };
    const bool may_leave = !thread->launches && job->in_order;
    wl_group_try *const try = job->tries ? wl_group_choose_try() : NULL;
    uint64_t first = 0, end = 0;
    uint32_t id[3];
    while (!wl_job_stopped(job)) {
        const bool parked = atomic_load_explicit(&job->parked.count, memory_order_relaxed);
        if (parked) {
            struct sweep sweep = {0};
            const uint64_t own = first < end ? first : job->total, next = lowest_to_start(job, own);
            if (turn_of_parked(job, thread, &sweep) == WL_GROUP_FAILED)
                return;
            if (next < job->total && !serve_parked(job, thread, next, may_leave && first == end))
                return;
            if (job->parts && next < own) {
                start_lowest(job, thread, next, try);
                continue;
            }
        }
        if (first == end) {
            if (!wl_group_take_chunk(job, thread, parked ? 1 : job->chunk, &first, &end))
                break;
            wl_group_at(job, first, id);
        } else if (job->order) {
            wl_group_at(job, first, id);
        }
        uint32_t count = parked || job->order ? 1 : end - first < MOST_TRIED ? (uint32_t)(end - first) : MOST_TRIED;
        if (job->launch->grid[0] - id[0] < count)
            count = job->launch->grid[0] - id[0];
        count = start_waiting_groups(job, thread, id, first, count, try);
        first += count;
        wl_group_move_on(job->launch->grid, count, id);
    }
    serve_parked(job, thread, UINT64_MAX, may_leave);
}

void wl_waiting_run_resident(struct wl_job *job, struct wl_thread *thread) {
    enum { LOOK = 64 }; /* rounds without progress before it does */
    struct wl_wait wait = {0};
    uint64_t offset = thread->index * job->total / wl_pool_size(job->device->pool);
    while (atomic_load(&job->groups_done) < job->total && !wl_job_stopped(job)) {
        bool moved = false, looks = !job->follows_waves;
        for (uint64_t n = 0; n < job->total && !wl_job_stopped(job); n++) {
            uint64_t number = (n + offset) % job->total;
            struct wl_group *group = &job->groups[number];
            if (atomic_flag_test_and_set_explicit(&group->claimed, memory_order_acquire))
                continue;
            enum wl_progress progress = WL_GROUP_IDLE;
            uint32_t phases = 1;
            if (!group->done && group->wave_count == 0) {
                uint32_t id[3];
                wl_group_id(job->launch, number, id);
                thread->running = &group->runners[0];
                progress = wl_group_start(job, thread, group, id);
            }
            group->looks = job->follows_waves ? 0 : wait.looks;
            if (!group->done && progress != WL_GROUP_FAILED)
                progress = wl_group_step(job, thread, group, &phases);
            if (progress == WL_GROUP_DONE) {
                group->done = true;
                atomic_fetch_add(&job->groups_done, 1);
            }
            looks &= group->done || wl_group_only_looks(group);
            moved |= progress != WL_GROUP_IDLE || (!group->done && is_stuck(job, group, progress));
            thread->running = NULL;
            atomic_flag_clear_explicit(&group->claimed, memory_order_release);
        }
        if (moved) {
            wait = (struct wl_wait){0};
            continue;
        }
        if (!thread->launches && wait.rounds >= LOOK && wl_pool_wants(job->device->pool, thread->index, job)) {
            thread->leaves_early = true;
            return;
        }
        wl_back_off(&wait, looks ? WL_WAITING_LOOK : WL_WAITING_MORE);
    }
}
