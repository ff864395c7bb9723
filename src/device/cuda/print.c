/* printf of code that was compiled with -mprintf-kind=buffered. Each launch has a buffer in pinned memory. A thread of the driver prints it
 * when the kernel has ended, before the stream goes on, and keeps it for another launch. */
#include "device/cuda/services.h"

#include <stdlib.h>
#include <string.h>

/* As soon as there are so many, a launch that finds none waits for the stream's earlier ones. */
enum { MANY = 32 };

struct wl_cuda_print {
    struct wl_cuda_device *device;
    const struct wl_codeobject *object;
    uint32_t generation; /* after a reset of the device the buffer is gone */
    void *buffer;
    struct wl_cuda_print *next;
};

static enum wl_status make(struct wl_cuda_device *device, struct wl_cuda_print **result) {
    struct wl_cuda_print *print = calloc(1, sizeof *print);
    if (!print)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for what a kernel prints");
    atomic_fetch_add(&device->print_count, 1);
    print->device = device;
    print->generation = atomic_load(&device->generation);
    enum wl_status status = wl_cuda_host_ops.allocate(&device->base, &print->buffer, WL_PRINT_BUFFER, 0);
    if (status != WL_OK) {
        atomic_fetch_sub(&device->print_count, 1);
        free(print);
        return status;
    }
    memset(print->buffer, 0, WL_PRINT_BUFFER);
    wl_print_buffer_init(print->buffer);
    *result = print;
    return WL_OK;
}

/* A kept one; NULL: there is none. */
static struct wl_cuda_print *take_kept(struct wl_cuda_device *device) {
    struct wl_cuda_print *print = NULL;
    pthread_mutex_lock(&device->print_lock);
    while (device->prints && !print) {
        print = device->prints;
        device->prints = print->next;
        if (print->generation != atomic_load(&device->generation)) {
            atomic_fetch_sub(&device->print_count, 1);
            free(print);
            print = NULL;
        }
    }
    pthread_mutex_unlock(&device->print_lock);
    return print;
}

enum wl_status wl_cuda_print_take(struct wl_cuda_device *device, const struct wl_codeobject *object, CUstream stream,
                                  struct wl_cuda_print **result, uint64_t *buffer) {
    struct wl_cuda_print *print = take_kept(device);
    enum wl_status status = WL_OK;
    if (!print && atomic_load(&device->print_count) >= MANY) {
        status = wl_cuda_result(device, device->driver->cuStreamSynchronize(stream), "waiting for what kernels print");
        print = status == WL_OK ? take_kept(device) : NULL;
    }
    if (!print && status == WL_OK)
        status = make(device, &print);
    if (status != WL_OK)
        return status;
    print->object = object;
    *result = print;
    *buffer = (uint64_t)(uintptr_t)print->buffer;
    return WL_OK;
}

void wl_cuda_print_keep(struct wl_cuda_print *print) {
    struct wl_cuda_device *device = print->device;
    pthread_mutex_lock(&device->print_lock);
    print->next = device->prints;
    device->prints = print;
    pthread_mutex_unlock(&device->print_lock);
}

/* In the driver's thread, which must not call the driver. */
static void finish(void *data) {
    struct wl_cuda_print *print = data;
    wl_print_buffer_flush(print->object, print->buffer);
    wl_print_buffer_clear(print->buffer);
    wl_cuda_print_keep(print);
}

/* If the driver refuses, the kernel may write to the buffer for as long as it runs: then it is never used again. */
enum wl_status wl_cuda_print_follow(struct wl_cuda_print *print, CUstream stream) {
    struct wl_cuda_device *device = print->device;
    return wl_cuda_result(device, device->driver->cuLaunchHostFunc(stream, finish, print), "cuLaunchHostFunc");
}

void wl_cuda_print_release(struct wl_cuda_device *device) {
    while (device->prints) {
        struct wl_cuda_print *print = device->prints;
        device->prints = print->next;
        if (print->generation == atomic_load(&device->generation))
            (void)device->driver->cuMemFreeHost(print->buffer);
        free(print);
    }
}
