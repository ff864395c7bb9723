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
/* Hostcall: writes out what kernels printed. Cheap when none did. Thread-safe. */
void wl_cuda_services_flush(struct wl_cuda_device *device);
/* Whether a kernel has printed a failed assertion. */
bool wl_cuda_services_asserted(struct wl_cuda_device *device);

/* print.c: a launch's buffer for printf, and the address that the hidden argument "printf buffer" gets; `object` has the format strings. */
struct wl_cuda_print;
enum wl_status wl_cuda_print_take(struct wl_cuda_device *device, const struct wl_codeobject *object, CUstream stream,
                                  struct wl_cuda_print **print, uint64_t *buffer);
/* Prints it when the kernel, which was the last work given to the stream, has ended. */
enum wl_status wl_cuda_print_follow(struct wl_cuda_print *print, CUstream stream);
/* For another launch: no kernel uses it. */
void wl_cuda_print_keep(struct wl_cuda_print *print);
/* Frees the buffers that are kept. */
void wl_cuda_print_release(struct wl_cuda_device *device);

#endif
