/* What device.c needs of the CPU device. */
#ifndef WL_DEVICE_CPU_CPU_DEVICE_H
#define WL_DEVICE_CPU_CPU_DEVICE_H

#include "device/device.h"

/* One CPU device; its ops->destroy frees it. All CPU devices of a process share their worker threads. */
enum wl_status wl_cpu_device_create(struct wl_device **device, unsigned index);

#endif
