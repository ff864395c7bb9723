/* One workgroup in a thread, and the grids that need more of it than to run each workgroup to its end.
 *
 * dispatch.c runs workgroups. waiting.c decides which one goes on where workgroups may wait for each other, or where all are resident. The
 * functions here are the calling thread's (`thread`), for a workgroup that is its alone. */
#ifndef WL_DEVICE_CPU_RUN_GROUPS_H
#define WL_DEVICE_CPU_RUN_GROUPS_H

#include "device/cpu/cpu.h"

/* What came of a turn. */
enum wl_progress {
    WL_GROUP_IDLE,   /* its waves did nothing but wait */
    WL_GROUP_MOVED,  /* some wave did more */
    WL_GROUP_DONE,   /* all have ended */
    WL_GROUP_FAILED, /* and so has the job */
};

/* ---- dispatch.c ---- */
/* Starts the waves of a workgroup, which then take turns. */
enum wl_progress wl_group_start(struct wl_job *job, struct wl_thread *thread, struct wl_group *group, const uint32_t id[3]);
/* Gives one turn to each wave of the group that can run; or, where all are ready, runs them from barrier to barrier. Counts *phases down at
 * each barrier at which all waves have arrived, and returns at 0. */
enum wl_progress wl_group_step(struct wl_job *job, struct wl_thread *thread, struct wl_group *group, uint32_t *phases);
/* Runs the waves of up to `count` neighbouring workgroups of a row of the grid to their ends, one after the other, until one of them yields.
 * *done: how many workgroups have ended; the result is about the next one, whose waves take turns from then on. Behind that one, the
 * states of waves have to be forgotten: they are in the middle of something. */
typedef enum wl_progress wl_group_try(struct wl_job *job, struct wl_thread *thread, const uint32_t first[3], uint32_t count,
                                      uint32_t *done);
wl_group_try *wl_group_choose_try(void); /* the one for this host */
void wl_group_forget_states(struct wl_thread *thread);
/* The kernel's code in workgroup mode, if this launch may use it, or NULL. A launch looks for it at each workgroup, because a long launch
 * may begin before there is any. */
wl_unit_code *wl_group_workgroup_code(struct wl_job *job);
/* Runs a workgroup's waves as one, to their end or until the workgroup is split. */
enum wl_progress wl_group_run_workgroup(struct wl_job *job, struct wl_thread *thread, wl_unit_code *code, const uint32_t id[3]);
/* Takes about `chunk` workgroups that nobody has taken: *first to *end - 1. False: there are none. */
bool wl_group_take_chunk(struct wl_job *job, const struct wl_thread *thread, uint64_t chunk, uint64_t *first, uint64_t *end);

/* ---- waiting.c ---- */
/* A wait of a thread, in whose rounds all waves only waited. Zeros: it begins. */
struct wl_wait {
    unsigned rounds;
    uint64_t begin; /* when it was found that waves only look; 0: they do more, or it is not known yet */
    uint64_t round; /* when the last round began */
    uint32_t looks; /* for wl_group.looks */
};
/* What the waves did in a round. MORE: some walked through memory, say. COUNT: some may count or look at a clock, so that the wait ends by
 * itself. LOOK: all of them did nothing but look at the same memory again (wl_runner.only_looks). */
enum wl_waiting { WL_WAITING_MORE, WL_WAITING_COUNT, WL_WAITING_LOOK };
/* Called after each round. Returns at once in the first rounds of a wait, lets other threads of the machine run in later ones, and sleeps
 * between still later ones, but not if waves count. If they only look it sleeps for up to 1/32 of the time that it has waited, as
 * long as many rounds take, and 10 ms at most: long waits take a few percent of a CPU. */
void wl_back_off(struct wl_wait *wait, enum wl_waiting waiting);
/* Whether all waves of a workgroup that have not ended only look, or wait to be let on. */
bool wl_group_only_looks(const struct wl_group *group);
/* Takes workgroups until none is left, and runs each until it ends or is parked. A thread that has nothing to start goes on with what is
 * parked. */
void wl_waiting_run_chunks(struct wl_job *job, struct wl_thread *thread);
/* All workgroups are resident. A free thread runs the next one that no other thread runs. Where all of them only wait, a worker leaves for
 * another launch that wants a thread: they may wait for that launch. */
void wl_waiting_run_resident(struct wl_job *job, struct wl_thread *thread);

/* ---- numbers of workgroups ---- */
static inline void wl_group_id(const struct wl_launch *l, uint64_t number, uint32_t id[3]) {
    uint64_t row = number / l->grid[0];
    id[0] = (uint32_t)(number % l->grid[0]);
    id[1] = (uint32_t)(row % l->grid[1]);
    id[2] = (uint32_t)(row / l->grid[1]);
}

/* The workgroup that the job runs as its `place`-th one. */
static inline void wl_group_at(const struct wl_job *job, uint64_t place, uint32_t id[3]) {
    wl_group_id(job->launch, job->order ? job->order[place] : place, id);
}

/* The workgroup that follows `count` behind one. */
static inline void wl_group_move_on(const uint32_t grid[3], uint32_t count, uint32_t id[3]) {
    id[0] += count - 1;
    for (int d = 0; d < 3 && ++id[d] == grid[d]; d++)
        id[d] = 0;
}

#endif
