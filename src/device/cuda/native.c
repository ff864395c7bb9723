/* The driver's handles, for programs that use the driver as well. */
#include "device/cuda/cuda.h"

#include <stdlib.h>

/* ---- what things are to the driver ------------------------------------------------------------- */

static void *context(const struct wl_device *device) { return wl_cuda(device)->context; }
static void *queue(const struct wl_device_queue *queue) { return queue->stream; }
static void *mark(const struct wl_device_mark *mark) { return mark->event; }
static void *module(const struct wl_device_module *module) { return module->native; }
static void *function(const struct wl_device_function *function) { return function->native; }

/* ---- what the program made --------------------------------------------------------------------- */

static enum wl_status adopt_queue(struct wl_device *base, void *native, bool *non_blocking, struct wl_device_queue **result) {
    struct wl_cuda_device *device = wl_cuda(base);
    const struct wl_cuda_driver *driver = device->driver;
    CUcontext context = NULL;
    unsigned flags = 0;
    if (!driver->cuStreamGetCtx)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver does not tell a stream's context");
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(driver->cuStreamGetCtx(native, &context), "the context of a CUstream");
    if (status == WL_OK && context != device->context)
        return WL_NOT_FOUND;
    if (status == WL_OK)
        status = wl_cuda_check(driver->cuStreamGetFlags(native, &flags), "the flags of a CUstream");
    struct wl_device_queue *made = status == WL_OK ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return status == WL_OK ? wl_fail(WL_OUT_OF_MEMORY, "no memory for a queue") : status;
    *non_blocking = flags & CU_STREAM_NON_BLOCKING;
    *made = (struct wl_device_queue){
        .device = device, .stream = native, .adopted = true, .non_blocking = *non_blocking, .generation = atomic_load(&device->generation)};
    *result = made;
    return WL_OK;
}

/* Whether the event has timing, only the driver knows. */
static enum wl_status adopt_mark(struct wl_device *base, void *native, struct wl_device_mark **result) {
    struct wl_cuda_device *device = wl_cuda(base);
    struct wl_device_mark *made = calloc(1, sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a mark");
    *made = (struct wl_device_mark){
        .device = device, .event = native, .generation = atomic_load(&device->generation), .timing = true, .adopted = true};
    *result = made;
    return WL_OK;
}

static enum wl_status adopt_module(struct wl_device *base, void *native, struct wl_device_module **result) {
    struct wl_cuda_device *device = wl_cuda(base);
    struct wl_device_module *made = calloc(1, sizeof *made);
    if (!made)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a module");
    *made = (struct wl_device_module){.device = device, .generation = atomic_load(&device->generation), .native = native, .adopted = true};
    pthread_mutex_init(&made->lock, NULL);
    *result = made;
    return WL_OK;
}

const struct wl_native_ops wl_cuda_native_ops = {
    .context = context,
    .queue = queue,
    .mark = mark,
    .module = module,
    .function = function,
    .adopt_queue = adopt_queue,
    .adopt_mark = adopt_mark,
    .adopt_module = adopt_module,
};
