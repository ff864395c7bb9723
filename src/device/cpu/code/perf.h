/* Names and lines of native code for Linux's perf: the file /tmp/perf-PID.map, which perf reads by itself, and a jitdump file, from which
 * `perf inject --jit` takes source lines and the code as well. With WAVELIFT_PERF=on alone. (perf.c) */
#ifndef WL_DEVICE_CPU_CODE_PERF_H
#define WL_DEVICE_CPU_CODE_PERF_H

#include "device/cpu/code/loader.h"
#include "device/cpu/cpu.h"

/* Tells of a native copy of a unit, which has just been loaded; `copy` says which one it is. What cannot be written is logged once.
 * Thread-safe. */
void wl_perf_tell(const struct wl_device_module *module, const struct wl_cpu_unit *unit, const struct wl_native *native, const char *copy);

#endif
