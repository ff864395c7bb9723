/* Workgroups of a job that wait for others.
 *
 * A GPU runs many workgroups at once, and kernels rely on it: one workgroup may wait for what a later one writes. On the CPU a thread runs
 * one workgroup after the other. When all waves of a workgroup have done nothing but wait for a while, the thread *parks* the workgroup:
 * its waves keep their states, and the thread starts the next workgroup of the grid. There are at most as many workgroups under way as the
 * device's occupancy says can be resident. Parked workgroups belong to the job: any of its threads that is free gives one a turn. */
#ifndef WL_DEVICE_CPU_RUN_PARKED_H
#define WL_DEVICE_CPU_RUN_PARKED_H

#include "device/cpu/cpu.h"

/* Parks the workgroup in `group`, the thread's own place, as number `number` of the grid, and gives `group` fresh memory that fits the job.
 * False: there is no memory for one more, and nothing has changed. This function and all that follow are thread-safe. */
bool wl_parked_add(struct wl_job *job, struct wl_group *group, uint64_t number);

/* Takes a parked workgroup that has had no turn in this sweep over all of them. Sweeps go up and down in turn: a workgroup that waits for
 * one of its neighbours, whichever, comes soon after it. The workgroup is the caller's until the caller puts it back or says that it has
 * ended. NULL: there is none, or other threads have them all. */
struct wl_group *wl_parked_take(struct wl_job *job);
void wl_parked_put(struct wl_job *job, struct wl_group *group);
void wl_parked_end(struct wl_job *job, struct wl_group *group);

/* How many parked workgroups that no thread has come before this number of the grid. */
uint32_t wl_parked_before(struct wl_job *job, uint64_t number);
/* Whether a thread has each parked workgroup. One look at the list, where wl_parked_before counts. */
bool wl_parked_all_taken(struct wl_job *job);

/* Whether registers or scratch of the workgroup's waves have changed since the last call for this workgroup. A workgroup that only looks at
 * the same memory again and again has not changed. To be called by the thread that has it. */
bool wl_parked_changed(const struct wl_job *job, struct wl_group *group);

/* Returns all memory. No thread is in the job. */
void wl_parked_release(struct wl_job *job);

#endif
