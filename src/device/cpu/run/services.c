#include "device/cpu/run/services.h"
#include "device/cpu/memory.h"
#include "sanitize/allocations.h"

void (*wl_device_count_memory)(struct wl_device *device, int64_t bytes);

#define PACKETS 1024 /* more packets than waves can hold at once: a wave has one only between two of its exits */

/* Sanitizers know what kernels may access. */
static void *tell(void *memory, size_t size, enum wl_san_memory kind) {
    if (memory)
        wl_san_allocated((uint64_t)(uintptr_t)memory, size, kind, NULL, NULL);
    return memory;
}

static void *allocate(void *owner, size_t size, size_t alignment) {
    (void)owner;
    return tell(wl_pages_allocate(size, alignment), size, WL_SAN_SYSTEM);
}

static void release(void *owner, void *memory, size_t size) {
    (void)owner;
    wl_san_forgotten((uint64_t)(uintptr_t)memory, size);
    wl_pages_release(memory, size);
}

/* Device code's own: `owner` is the device. */
static void *allocate_block(void *owner, size_t size, size_t alignment) {
    void *memory = tell(wl_pages_allocate(size, alignment), size, WL_SAN_HEAP);
    if (memory && wl_device_count_memory)
        wl_device_count_memory(owner, (int64_t)size);
    return memory;
}

static void release_block(void *owner, void *memory, size_t size) {
    wl_san_freed((uint64_t)(uintptr_t)memory, NULL);
    wl_pages_release(memory, size);
    if (wl_device_count_memory)
        wl_device_count_memory(owner, -(int64_t)size);
}

/* The thread that runs the wave serves the packet itself when it sees the message. */
enum wl_status wl_services_hostcall(struct wl_cpu_device *device, struct wl_hostcall **hostcall) {
    static const struct wl_hostcall_memory pages = {allocate, release, NULL};
    const struct wl_hostcall_memory blocks = {allocate_block, release_block, &device->base};
    struct wl_hostcall *h = atomic_load(&device->hostcall);
    if (!h) {
        pthread_mutex_lock(&device->lock);
        h = atomic_load(&device->hostcall);
        if (!h && (h = wl_hostcall_create(PACKETS, true, &pages, &blocks)))
            atomic_store(&device->hostcall, h);
        pthread_mutex_unlock(&device->lock);
    }
    *hostcall = h;
    return h ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for the hostcall buffer");
}

enum wl_status wl_services_heap(struct wl_cpu_device *device, const void **heap) {
    void *memory = atomic_load(&device->heap);
    if (!memory) {
        pthread_mutex_lock(&device->lock);
        memory = atomic_load(&device->heap);
        if (!memory && (memory = tell(wl_pages_allocate(WL_HOSTCALL_HEAP, WL_HOSTCALL_HEAP), WL_HOSTCALL_HEAP, WL_SAN_SYSTEM)))
            atomic_store(&device->heap, memory);
        pthread_mutex_unlock(&device->lock);
    }
    *heap = memory;
    return memory ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for the device heap");
}

void wl_services_release(struct wl_cpu_device *device) {
    wl_pages_release(atomic_load(&device->heap), WL_HOSTCALL_HEAP);
    wl_hostcall_destroy(atomic_load(&device->hostcall));
}
