/* A launch: its parameters, and what of it has to lie in device memory. */
#include "device/cuda/cuda.h"
#include "device/cuda/services.h"
#include "device/kernarg.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARAMETERS 4352 /* bytes: a launch record, and what the driver takes at most */

/* ---- memory of a launch ------------------------------------------------------------------------------- */

/* A ring of device memory for what few kernels need: pointers to their dispatch packet, kernarg segment or barrier. A part is used
 * again only when all work of the device is done, once a round. */
#define RING_BYTES (UINT32_C(1) << 20)

struct wl_cuda_ring {
    CUdeviceptr memory;
    uint32_t next;
};

static enum wl_status ring_take(struct wl_cuda_device *device, uint32_t bytes, CUdeviceptr *memory) {
    enum wl_status status = WL_OK;
    bytes = (bytes + 255) & ~255u;
    pthread_mutex_lock(&device->lock);
    if (!device->ring) {
        device->ring = calloc(1, sizeof *device->ring);
        status = device->ring
                     ? wl_cuda_check(device->driver->cuMemAlloc(&device->ring->memory, RING_BYTES), "cuMemAlloc of %u bytes", RING_BYTES)
                     : wl_fail(WL_OUT_OF_MEMORY, "no memory for a ring");
        if (status != WL_OK) {
            free(device->ring);
            device->ring = NULL;
        }
    }
    if (status == WL_OK && device->ring->next + bytes > RING_BYTES) {
        status = wl_cuda_result(device, device->driver->cuCtxSynchronize(), "waiting for the device");
        device->ring->next = 0;
    }
    if (status == WL_OK) {
        *memory = device->ring->memory + device->ring->next;
        device->ring->next += bytes;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

void wl_cuda_ring_release(struct wl_cuda_device *device) {
    if (device->ring)
        (void)device->driver->cuMemFree(device->ring->memory);
    free(device->ring);
}

/* The memory is gone. Under the device's lock. */
void wl_cuda_ring_forget(struct wl_cuda_device *device) {
    free(device->ring);
    device->ring = NULL;
}

/* What a launch keeps in device memory, in one copy: the parts follow each other. */
struct extras {
    struct wl_dispatch_packet packet;
    struct wl_queue queue;
    struct wl_grid_sync sync;
    uint64_t counter;
    struct wl_ptx_gws gws[WL_GWS_RESOURCES];
    _Alignas(64) uint8_t kernarg[];
};

/* The kernarg segment. Whoever wrote the dispatch packet wrote the whole segment, and serves what its hidden arguments point to. */
static void fill_kernarg(const struct wl_kernel *kernel, const struct wl_launch *launch, const struct wl_hidden *hidden, uint8_t *kernarg) {
    if (!launch->packet) {
        wl_kernarg_fill(kernel, launch, hidden, kernarg);
        return;
    }
    if (launch->kernarg_size)
        memcpy(kernarg, launch->kernarg, launch->kernarg_size);
    memset(kernarg + launch->kernarg_size, 0, wl_kernarg_size(kernel, launch) - launch->kernarg_size);
}

/* The dispatch packet that goes along by value: the program's own, or one without addresses. */
static void fill_packet(const struct wl_launch *launch, uint32_t scratch, uint32_t lds, struct wl_dispatch_packet *packet) {
    if (launch->packet)
        *packet = *launch->packet;
    else
        wl_packet_fill(packet, launch, scratch, lds);
}

/* Puts the extras where `record` says, in stream order before the kernel. `hidden` lacks nothing but their addresses. */
static enum wl_status place_extras(struct wl_cuda_device *device, CUstream stream, const struct wl_launch *launch,
                                   const struct wl_cuda_variant *variant, struct wl_hidden *hidden, struct wl_ptx_launch *record,
                                   uint8_t *kernarg, size_t size) {
    const struct wl_device_function *function = launch->function;
    CUdeviceptr memory = 0;
    struct extras *extras = calloc(1, sizeof *extras + size);
    enum wl_status status =
        extras ? ring_take(device, (uint32_t)(sizeof *extras + size), &memory) : wl_fail(WL_OUT_OF_MEMORY, "no memory for a launch");
    if (status == WL_OK) {
        record->dispatch_packet = memory + offsetof(struct extras, packet);
        record->queue = launch->packet ? (uint64_t)(uintptr_t)launch->queue : memory + offsetof(struct extras, queue);
        record->kernarg = launch->packet ? launch->packet->kernarg_address : memory + offsetof(struct extras, kernarg);
        record->gws = memory + offsetof(struct extras, gws);
        for (unsigned i = 0; i < WL_GWS_RESOURCES; i++)
            extras->gws[i].counter = launch->grid[0] * launch->grid[1] * launch->grid[2] - 1;
        fill_packet(launch, variant->info.scratch_size, record->lds_size, &extras->packet);
        if (!launch->packet) {
            extras->packet.kernel_object = record->image + function->kernel->descriptor;
            extras->packet.kernarg_address = record->kernarg;
        }
        extras->queue.size = 1;
        extras->queue.group_segment_aperture_base_hi = WL_SHARED_APERTURE_HI;
        extras->queue.private_segment_aperture_base_hi = WL_PRIVATE_APERTURE_HI;
        wl_grid_sync_fill(&extras->sync, launch,
                          launch->multigrid ? (uint64_t)(uintptr_t)launch->multigrid->barrier : memory + offsetof(struct extras, counter));
        hidden->queue = record->queue;
        hidden->sync = memory + offsetof(struct extras, sync);
        fill_kernarg(function->kernel, launch, hidden, kernarg);
        memcpy(extras->kernarg, kernarg, size);
        status =
            wl_cuda_result(device, device->driver->cuMemcpyAsync(memory, (CUdeviceptr)(uintptr_t)extras, sizeof *extras + size, stream),
                           "copying a launch's memory");
    }
    free(extras); /* the driver has copied pageable memory when it returns */
    return status;
}

/* ---- launching ------------------------------------------------------------------------------------------ */

struct shape {
    uint32_t threads[3];
    uint32_t shared;
};

static enum wl_status give(struct wl_cuda_device *device, CUstream stream, const struct wl_launch *launch, CUfunction function,
                           const struct shape *shape, void **parameters, void **extra) {
    const struct wl_cuda_driver *driver = device->driver;
    const uint32_t *grid = launch->grid, *threads = shape->threads;
    CUresult result = launch->cooperative && !extra
                          ? driver->cuLaunchCooperativeKernel(function, grid[0], grid[1], grid[2], threads[0], threads[1], threads[2],
                                                              shape->shared, stream, parameters)
                          : driver->cuLaunchKernel(function, grid[0], grid[1], grid[2], threads[0], threads[1], threads[2], shape->shared,
                                                   stream, parameters, extra);
    return result == CUDA_SUCCESS ? WL_OK : wl_cuda_result(device, result, "a launch");
}

/* An image of the driver's: the arguments are in its own layout. Cooperative launches take pointers to them. */
static enum wl_status launch_native(struct wl_cuda_device *device, CUstream stream, const struct wl_launch *launch) {
    struct wl_device_function *function = launch->function;
    const struct wl_kernel *kernel = function->kernel;
    struct shape shape = {{launch->block[0], launch->block[1], launch->block[2]}, launch->dynamic_lds};
    size_t size = launch->kernarg_size;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)launch->kernarg, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    if (launch->remainder[0] || launch->remainder[1] || launch->remainder[2])
        return wl_fail(WL_UNSUPPORTED, "%s: CUDA code has no partial workgroups", kernel->name);
    if (launch->multigrid)
        return wl_fail(WL_UNSUPPORTED, "%s: CUDA code cannot synchronize the grids of several devices", kernel->name);
    enum wl_status status = wl_cuda_allow_shared(device, function->native, launch->dynamic_lds, &function->shared_given);
    if (status != WL_OK)
        return status;
    if (!launch->cooperative)
        return give(device, stream, launch, function->native, &shape, NULL, extra);
    void **parameters = (void **)calloc(kernel->argument_count + 1, sizeof *parameters);
    if (!parameters)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u parameters", kernel->argument_count);
    for (uint32_t i = 0; i < kernel->argument_count; i++)
        parameters[i] = (char *)(uintptr_t)launch->kernarg + kernel->arguments[i].offset;
    status = give(device, stream, launch, function->native, &shape, parameters, NULL);
    free((void *)parameters);
    return status;
}

static enum wl_status launch_translated(struct wl_cuda_device *device, CUstream stream, const struct wl_launch *launch) {
    const struct wl_device_function *function = launch->function;
    const struct wl_kernel *kernel = function->kernel;
    struct wl_cuda_variant *variant = NULL;
    _Alignas(16) uint8_t kernarg[MOST_PARAMETERS];
    bool partial = launch->remainder[0] || launch->remainder[1] || launch->remainder[2];
    if (launch->multigrid && atomic_load(&launch->multigrid->failed))
        return wl_fail(WL_ABORTED, "%s: another device's grid of the same launch failed", kernel->name);
    enum wl_status status = wl_cuda_variant(launch->function, launch->block, partial, &variant);
    if (status != WL_OK)
        return status;
    size_t size = wl_kernarg_size(kernel, launch);
    size = size > variant->info.kernarg_size ? size : variant->info.kernarg_size;
    if (size > sizeof kernarg)
        return wl_fail(WL_UNSUPPORTED, "%s: %zu bytes of arguments; the GPU takes %d", kernel->name, size, MOST_PARAMETERS);
    uint32_t lds = kernel->lds_size + launch->dynamic_lds;
    struct wl_ptx_launch record = {.image = function->module->image, .lds_size = lds};
    memcpy(record.block, launch->block, sizeof record.block);
    memcpy(record.remainder, launch->remainder, sizeof record.remainder);
    struct wl_dispatch_packet packet;
    static_assert(sizeof packet == sizeof record.packet, "the packet goes along by value");
    fill_packet(launch, variant->info.scratch_size, lds, &packet);
    memcpy(record.packet, &packet, sizeof packet);
    memset(kernarg + wl_kernarg_size(kernel, launch), 0, size - wl_kernarg_size(kernel, launch));
    struct wl_hidden hidden = {0};
    const bool serves = !launch->packet; /* else the program does */
    if (function->uses_hostcall && serves)
        status = wl_cuda_services_buffer(device, &hidden.hostcall);
    struct wl_cuda_print *print = NULL;
    if (function->uses_print_buffer && serves && status == WL_OK)
        status = wl_cuda_print_take(device, function->module->object, stream, &print, &hidden.print_buffer);
    if (function->uses_heap && serves && status == WL_OK)
        status = wl_cuda_services_heap(device, &hidden.heap);
    if (variant->info.needs_borders && status == WL_OK)
        status = wl_cuda_borders(device, &record.borders);
    bool extras =
        variant->info.needs_kernarg_memory || variant->info.needs_packet_memory || variant->info.needs_queue || variant->info.needs_gws;
    if (status == WL_OK && (extras || (function->uses_sync && launch->cooperative)))
        status = place_extras(device, stream, launch, variant, &hidden, &record, kernarg, size);
    else
        fill_kernarg(kernel, launch, &hidden, kernarg);
    struct shape shape = {
        {wl_ptx_threads(launch->block[0] * launch->block[1] * launch->block[2], kernel->wave_size, variant->info.wave_threads), 1, 1},
        variant->info.uses_lds ? lds : 0};
    if (status == WL_OK)
        status = wl_cuda_allow_shared(device, variant->function, shape.shared, &variant->shared_given);
    void *parameters[] = {&record, kernarg};
    if (status == WL_OK)
        status = give(device, stream, launch, variant->function, &shape, parameters, NULL);
    if (print && status != WL_OK)
        wl_cuda_print_keep(print);
    if (print && status == WL_OK)
        status = wl_cuda_print_follow(print, stream);
    return status == WL_OK && function->uses_hostcall && serves ? wl_cuda_services_follow(device, stream) : status;
}

enum wl_status wl_cuda_launch(struct wl_cuda_device *device, CUstream stream, const struct wl_launch *launch) {
    const struct wl_device_function *function = launch->function;
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK && function->module->generation != atomic_load_explicit(&device->generation, memory_order_relaxed))
        status = wl_fail(WL_INVALID_VALUE, "%s: its module went when the device was reset", function->kernel->name);
    if (status != WL_OK)
        return status;
    uint64_t number = atomic_fetch_add_explicit(&device->launches, 1, memory_order_relaxed);
    atomic_store_explicit(&device->recent[number % WL_CUDA_RECENT], function, memory_order_relaxed);
    return function->native ? launch_native(device, stream, launch) : launch_translated(device, stream, launch);
}
