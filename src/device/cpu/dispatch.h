/* Runs a grid: workgroups in order, their waves one after the other or in turns.
 *
 * A kernel that cannot wait runs all its waves in one wave state, which stays in the cache; one whose code also leaves that
 * state as it was has a state for each wave of a workgroup, started once. One that can wait has a state for
 * each wave of the workgroup, and the waves take turns at their exits. A cooperative launch has all workgroups resident,
 * and the threads take turns among them. */
#ifndef WL_DEVICE_CPU_DISPATCH_H
#define WL_DEVICE_CPU_DISPATCH_H

#include "device/cpu/cpu.h"
#include "device/cpu/workers.h"

/* Takes chunks of the job until none is left or somebody failed; a wl_job_run. */
wl_job_run wl_dispatch_run;

/* The whole launch. Errors: of translation, of memory, and what the kernel did (reported on stderr). Thread-safe. */
enum wl_status wl_dispatch_launch(struct wl_cpu_device *device, const struct wl_launch *launch);

/* Shape of a launch, whose last workgroups may be smaller, and the unit for it with its FULL copy. */
enum wl_shape wl_dispatch_shape(const uint32_t block[3], const uint32_t remainder[3], uint32_t wave_size);
enum wl_status wl_dispatch_prepare(struct wl_device_function *function, enum wl_shape shape, struct wl_unit **unit);

#endif
