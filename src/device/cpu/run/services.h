/* What device code on the CPU asks of the host (device/hostcall.h). */
#ifndef WL_DEVICE_CPU_RUN_SERVICES_H
#define WL_DEVICE_CPU_RUN_SERVICES_H

#include "device/cpu/cpu.h"
#include "device/hostcall.h"

/* The device's hostcall services and its heap; made on first use. Thread-safe. */
enum wl_status wl_services_hostcall(struct wl_cpu_device *device, struct wl_hostcall **hostcall);
enum wl_status wl_services_heap(struct wl_cpu_device *device, const void **heap);
void wl_services_release(struct wl_cpu_device *device);

#endif
