/* Services for device code on a GPU. Device code may use them as long as the device lives: nothing here is freed before. */
#ifndef WL_DEVICE_CUDA_SERVICES_H
#define WL_DEVICE_CUDA_SERVICES_H

#include "device/cuda/cuda.h"
#include "device/hostcall.h"

/* The addresses that the hidden arguments "hostcall buffer" and "heap v1" get; made on first use. Thread-safe. */
enum wl_status wl_cuda_services_buffer(struct wl_cuda_device *device, uint64_t *buffer);
enum wl_status wl_cuda_services_heap(struct wl_cuda_device *device, uint64_t *heap);
/* Serves what the last kernel of a stream asks, until it has ended. After wl_cuda_services_buffer. Thread-safe. */
enum wl_status wl_cuda_services_follow(struct wl_cuda_device *device, CUstream stream);
/* Their memory is gone: the next launch that needs them makes new ones. */
void wl_cuda_services_forget(struct wl_cuda_device *device);
/* Writes out what kernels printed. Cheap when none did. Thread-safe. */
void wl_cuda_services_flush(struct wl_cuda_device *device);
/* Whether a kernel has printed a failed assertion. */
bool wl_cuda_services_asserted(struct wl_cuda_device *device);

#endif
