/* Border colours of textures: a copy of the host's table in device memory, which grows as that does. */
#include "device/cuda/cuda.h"
#include "machine/image.h"

#include <assert.h>

static enum wl_status make_table(struct wl_cuda_device *device) {
    void *memory = NULL;
    if (device->borders)
        return WL_OK;
    enum wl_status status = wl_cuda_allocate(&device->base, &memory, WL_PTX_BORDERS_SIZE, WL_IMAGE_BASE_ALIGNMENT);
    if (status == WL_OK)
        device->borders = (CUdeviceptr)(uintptr_t)memory;
    return status;
}

/* Colours that kernels know already do not change, and the number is written last: kernels may be running. */
static enum wl_status copy_table(struct wl_cuda_device *device, const float (*colors)[4], uint32_t count) {
    char *memory = (char *)(uintptr_t)device->borders;
    enum wl_status status = wl_cuda_copy(&device->base, memory, colors, count * sizeof *colors);
    return status == WL_OK ? wl_cuda_copy(&device->base, memory + WL_PTX_BORDERS_COUNT, &count, sizeof count) : status;
}

enum wl_status wl_cuda_borders(struct wl_cuda_device *device, uint64_t *borders) {
    static_assert(sizeof(float[WL_IMAGE_BORDERS][4]) == WL_PTX_BORDERS_COUNT, "the table is full when its number begins");
    enum wl_status status = WL_OK;
    uint32_t count = 0;
    const float(*colors)[4] = wl_image_borders(&count);
    if (atomic_load_explicit(&device->border_count, memory_order_acquire) != count + 1) {
        pthread_mutex_lock(&device->services_lock);
        status = make_table(device);
        colors = wl_image_borders(&count);
        if (status == WL_OK && atomic_load(&device->border_count) != count + 1)
            status = copy_table(device, colors, count);
        if (status == WL_OK)
            atomic_store_explicit(&device->border_count, count + 1, memory_order_release);
        pthread_mutex_unlock(&device->services_lock);
    }
    *borders = device->borders;
    return status;
}

void wl_cuda_borders_forget(struct wl_cuda_device *device) {
    pthread_mutex_lock(&device->services_lock);
    device->borders = 0;
    atomic_store(&device->border_count, 0);
    pthread_mutex_unlock(&device->services_lock);
}
