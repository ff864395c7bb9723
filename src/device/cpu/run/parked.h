/* Workgroups of a job that wait for others.
 *
 * A GPU has many workgroups at once, and kernels rely on it: one may wait for what a later one writes. Here a thread runs one workgroup
 * after the other. When all waves of one do nothing but wait for a while, the thread *parks* it, with its waves as they stand, and starts
 * the next one of the grid, until there are as many as the device's occupancy says that can be resident. Parked workgroups belong to
 * the job: whichever of its threads is free gives one a turn. */
#ifndef WL_DEVICE_CPU_RUN_PARKED_H
#define WL_DEVICE_CPU_RUN_PARKED_H

#include "device/cpu/cpu.h"

/* Parks what is in `group`, the thread's own, as number `number` of the grid, and gives `group` another workgroup's place, fit for the job.
 * False: there is no memory for one more, and nothing has changed. Thread-safe, as all that follows. */
bool wl_parked_add(struct wl_job *job, struct wl_group *group, uint64_t number);

/* Takes the one that has been without a turn for longest; it is the caller's until it is put back or has ended. NULL: others have
 * them, or there is none. */
struct wl_group *wl_parked_take(struct wl_job *job);
void wl_parked_put(struct wl_job *job, struct wl_group *group);
void wl_parked_end(struct wl_job *job, struct wl_group *group);

/* How many of those that nobody has come before a number of the grid. */
uint32_t wl_parked_before(struct wl_job *job, uint64_t number);

/* Whether anything of what its waves hold has changed since the last call for this workgroup: one that only looks at the same
 * memory again and again is found the same. For the thread that has it. */
bool wl_parked_changed(const struct wl_job *job, struct wl_group *group);

/* Returns all memory. No thread is in the job. */
void wl_parked_release(struct wl_job *job);

#endif
