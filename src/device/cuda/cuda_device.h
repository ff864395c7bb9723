/* What device.c needs of the CUDA devices. */
#ifndef WL_DEVICE_CUDA_CUDA_DEVICE_H
#define WL_DEVICE_CUDA_CUDA_DEVICE_H

#include "device/device.h"

/* The device for the driver's GPU `ordinal`, with its primary context; its ops->destroy frees it. WL_NOT_FOUND with the reason:
 * there is no driver, no such GPU, or it is older than Wavelift's code. `index` as in struct wl_device. */
enum wl_status wl_cuda_device_create(struct wl_device **device, unsigned ordinal, unsigned index);

/* Whether there is a driver, which may show no GPU; opens it at the first call. */
bool wl_cuda_driver_opened(void);

#endif
