/* A launch: what is checked and planned before workgroups run, and what is left to do behind them. */
#ifndef WL_DEVICE_CPU_RUN_LAUNCH_H
#define WL_DEVICE_CPU_RUN_LAUNCH_H

#include "device/cpu/cpu.h"

/* The whole launch. Errors: of translation, of memory, and what the kernel did (reported on stderr). Thread-safe. */
enum wl_status wl_cpu_launch(struct wl_cpu_device *device, const struct wl_launch *launch);

/* Shape of a launch, whose last workgroups may be smaller, and the unit for it with its FULL copy. Thread-safe. */
enum wl_shape wl_cpu_launch_shape(const uint32_t block[3], const uint32_t remainder[3], uint32_t wave_size);
enum wl_status wl_cpu_launch_prepare(struct wl_device_function *function, enum wl_shape shape, struct wl_cpu_unit **unit);

/* Workgroups of so many items that a compute unit has at once; 0: none fits. As on a GPU: 2048 work items and the LDS of a compute unit, so
 * that programs that size grids by it behave as there. Thread-safe. */
uint32_t wl_cpu_occupancy(const struct wl_device_function *function, uint32_t items, size_t dynamic_lds);
/* Workgroups of a job that are resident at once: by this figure, on all compute units. */
uint32_t wl_cpu_residents(const struct wl_job *job);

#endif
