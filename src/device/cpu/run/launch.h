/* run/: runs a launch on the CPU device.
 *
 *   in    struct wl_launch; the code of its kernel, from code/
 *   out   every wave of the grid has run to its end, or the launch has failed with the first failure of any wave
 *
 *   launch.h    the way in: checks and plans a launch, which becomes a struct wl_job (cpu.h); what is left to do behind it
 *   workers.h   the pool of threads, and the jobs that they share
 *   parts.h     which thread gets which workgroups
 *   dispatch.h  one thread's share: workgroup after workgroup, and within each wave after wave
 *   groups.h    one workgroup in a thread, and grids whose workgroups may wait for each other
 *   exits.h     one wave: enters translated code, and does what its exits ask for
 *   parked.h    workgroups that wait for others
 *   gws.h       the global wave sync unit
 *   services.h  what device code asks of the host */
#ifndef WL_DEVICE_CPU_RUN_LAUNCH_H
#define WL_DEVICE_CPU_RUN_LAUNCH_H

#include "device/cpu/cpu.h"

/* The whole launch. Errors: of translation, of memory, and what the kernel did (reported on stderr). Thread-safe. */
enum wl_status wl_cpu_launch(struct wl_cpu_device *device, const struct wl_launch *launch);

/* Shape of a launch, whose last workgroups may be smaller, and the unit for it with its FULL copy. Thread-safe. */
enum wl_shape wl_cpu_launch_shape(const uint32_t block[3], const uint32_t remainder[3], uint32_t wave_size);
enum wl_status wl_cpu_launch_prepare(struct wl_device_function *function, enum wl_shape shape, struct wl_cpu_unit **unit);

/* How many workgroups of so many work items a compute unit has at once; 0: none fits. A compute unit has 2048 work items and its LDS, as on
 * a GPU, so that programs which size grids by this figure behave as there. Thread-safe. */
uint32_t wl_cpu_occupancy(const struct wl_device_function *function, uint32_t items, size_t dynamic_lds);
/* How many workgroups of a job are resident at once: that figure times the number of compute units. */
uint32_t wl_cpu_residents(const struct wl_job *job);

#endif
