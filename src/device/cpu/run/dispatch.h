/* Runs one thread's share of a grid: workgroup after workgroup, and the waves of each one after the other or in turns.
 *
 * How a workgroup's waves are kept depends on the kernel:
 *
 *   - its waves cannot wait: all waves run in one wave state, one after the other, so that the state stays in the host's cache. If the code
 *     also leaves the state as it was, there is a state for each wave of a workgroup, which is started once
 *   - its waves can wait: there is a state for each wave of the workgroup, and the waves take turns at their exits. A workgroup that
 *     waits for other workgroups makes place for the next one (parked.h)
 *   - a cooperative launch: all workgroups are resident, and the threads take turns among them */
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
