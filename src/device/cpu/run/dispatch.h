/* Runs a grid: workgroups in order, their waves one after the other or in turns.
 *
 * A kernel that cannot wait runs all its waves in one wave state, which stays in the cache; one whose code also leaves that
 * state as it was has a state for each wave of a workgroup, started once. One that can wait has a state for
 * each wave of the workgroup, and the waves take turns at their exits; a workgroup that waits for others makes place for the next one
 * (parked.h). A cooperative launch has all workgroups resident, and the threads take turns among them. */
#ifndef WL_DEVICE_CPU_RUN_DISPATCH_H
#define WL_DEVICE_CPU_RUN_DISPATCH_H

#include "device/cpu/cpu.h"
#include "device/cpu/run/workers.h"

/* Takes chunks of the job until none is left or somebody failed; a wl_job_run. */
wl_job_run wl_dispatch_run;

/* Makes a workgroup large enough for the job and writes what stays the same for all waves that ever run in its states. Fails for
 * want of memory. The workgroup is the caller's alone. */
enum wl_status wl_dispatch_fit(struct wl_job *job, struct wl_group *group);

/* The items and waves of an extent, from its sizes. */
static inline void wl_dispatch_measure(struct wl_extent *extent, uint32_t wave_size) {
    extent->items = extent->size[0] * extent->size[1] * extent->size[2];
    extent->waves = (extent->items + wave_size - 1) / wave_size;
}

#endif
