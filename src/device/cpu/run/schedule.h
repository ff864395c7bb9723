/* Random schedules (WAVELIFT_SCHEDULE=random:SEED): the workgroups of a launch begin in a random order, and so do a workgroup's waves each
 * time that they take turns. A GPU may run them so, and finds what only happens when one comes before another. The same seed gives the same
 * order: of the launches of a process in the order in which they begin. Kernels whose workgroups wait for each other keep the order of
 * workgroups, which they may rely on. */
#ifndef WL_DEVICE_CPU_RUN_SCHEDULE_H
#define WL_DEVICE_CPU_RUN_SCHEDULE_H

#include "device/cpu/cpu.h"

/* The state of the numbers for the next launch; never 0. Thread-safe. */
uint64_t wl_schedule_begin(void);
/* The next number. */
uint64_t wl_schedule_next(uint64_t *state);
/* Gives the job a random order of its workgroups, which the caller frees behind the job. */
enum wl_status wl_schedule_order(struct wl_job *job, uint64_t **order);

#endif
