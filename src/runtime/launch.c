/* Kernel launches: limits, arguments, the kernel command. */
#include "runtime/runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kernel_command {
    struct wl_command base;
    struct wl_launch launch;
    _Alignas(64) unsigned char kernarg[];
};

static enum wl_status run_kernel(struct wl_command *command, struct wl_stream *stream) {
    struct wl_device *device = stream->context->device;
    return device->ops->launch(device, &((struct kernel_command *)command)->launch);
}

/* ---- limits --------------------------------------------------------------------------------- */

static enum wl_status check_shape(const struct wl_context *context, const struct wl_launch_request *request) {
    const struct wl_kernel *kernel = request->kernel->kernel;
    const struct wl_device_info *info = &context->info;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t grid = request->grid[i], block = request->block[i];
        if (!grid || !block)
            return wl_fail(WL_INVALID_VALUE, "%s: dimension %c of the grid or the block is 0", kernel->name, 'x' + i);
        if (grid > info->max_grid[i] || block > info->max_block[i] || grid * block > UINT32_MAX)
            return wl_fail(WL_INVALID_VALUE, "%s: %" PRIu64 " workgroups of %" PRIu64 " work items in dimension %c are too many",
                           kernel->name, grid, block, 'x' + i);
        items *= block; /* below 2^42 after two factors that are at most max_block */
    }
    if (items > info->max_workgroup_size)
        return wl_fail(WL_INVALID_VALUE, "%s: %" PRIu64 " work items in a workgroup, the device takes %u", kernel->name, items,
                       info->max_workgroup_size);
    if (kernel->max_workgroup_size && items > kernel->max_workgroup_size)
        return wl_fail(WL_INVALID_VALUE, "%s: %" PRIu64 " work items in a workgroup, the kernel was compiled for %u", kernel->name, items,
                       kernel->max_workgroup_size);
    for (int i = 0; i < 3; i++)
        if (kernel->required_workgroup_size[i] && kernel->required_workgroup_size[i] != request->block[i])
            return wl_fail(WL_INVALID_VALUE, "%s: the kernel was compiled for workgroups of %u x %u x %u", kernel->name,
                           kernel->required_workgroup_size[0], kernel->required_workgroup_size[1], kernel->required_workgroup_size[2]);
    return WL_OK;
}

static enum wl_status check_resources(const struct wl_context *context, const struct wl_launch_request *request) {
    const struct wl_kernel *kernel = request->kernel->kernel;
    uint64_t lds = (uint64_t)kernel->lds_size + request->dynamic_lds;
    if (request->dynamic_lds > context->info.lds_size || lds > context->info.lds_size)
        return wl_fail(WL_OUT_OF_RESOURCES, "%s: %u bytes of static and %zu bytes of dynamic LDS, a workgroup may have %u", kernel->name,
                       kernel->lds_size, request->dynamic_lds, context->info.lds_size);
    if (!request->cooperative)
        return WL_OK;
    uint64_t workgroups = (uint64_t)request->grid[0] * request->grid[1];
    uint32_t block = request->block[0] * request->block[1] * request->block[2];
    uint64_t resident = (uint64_t)context->info.compute_units * wl_launch_occupancy(request->kernel, block, request->dynamic_lds);
    if (workgroups > resident || workgroups * request->grid[2] > resident)
        return wl_fail(WL_OUT_OF_RESOURCES, "%s: a cooperative grid of %u x %u x %u workgroups, %" PRIu64 " can be resident", kernel->name,
                       request->grid[0], request->grid[1], request->grid[2], resident);
    return WL_OK;
}

uint32_t wl_launch_occupancy(struct wl_loaded_kernel *kernel, uint32_t block_size, size_t dynamic_lds) {
    struct wl_context *context = wl_module_context(kernel->module);
    uint32_t limit = kernel->kernel->max_workgroup_size ? kernel->kernel->max_workgroup_size : context->info.max_workgroup_size;
    if (!block_size || block_size > limit || block_size > context->info.max_workgroup_size || dynamic_lds > context->info.lds_size ||
        dynamic_lds + kernel->kernel->lds_size > context->info.lds_size)
        return 0;
    return context->device->ops->occupancy(kernel->function, block_size, dynamic_lds);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static enum wl_status pack_arguments(const struct wl_launch_request *request, unsigned char *kernarg, size_t size) {
    const struct wl_loaded_kernel *loaded = request->kernel;
    if (request->buffer) {
        memcpy(kernarg, request->buffer, request->buffer_size < size ? request->buffer_size : size);
        return WL_OK;
    }
    if (loaded->explicit_count && !request->arguments)
        return wl_fail(WL_INVALID_VALUE, "%s takes %u arguments and got none", loaded->kernel->name, loaded->explicit_count);
    uint32_t index = 0;
    for (uint32_t i = 0; i < loaded->kernel->argument_count; i++) {
        const struct wl_argument *argument = &loaded->kernel->arguments[i];
        if (argument->kind >= WL_ARG_HIDDEN_GLOBAL_OFFSET_X)
            continue;
        const void *value = request->arguments[index++];
        if (!value)
            return wl_fail(WL_INVALID_VALUE, "%s: the pointer to argument %u is NULL", loaded->kernel->name, index - 1);
        memcpy(kernarg + argument->offset, value, argument->size);
    }
    return WL_OK;
}

/* ---- launching ------------------------------------------------------------------------------ */

static enum wl_status make_command(const struct wl_stream *stream, const struct wl_launch_request *request,
                                   struct kernel_command **result) {
    size_t size = request->kernel->explicit_size;
    struct kernel_command *command = NULL;
    if (posix_memalign((void **)&command, _Alignof(struct kernel_command), sizeof *command + size))
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a launch with %zu bytes of arguments", size);
    memset(command, 0, sizeof *command + size);
    command->base.run = run_kernel;
    command->base.points = command->base.inline_points;
    command->base.point_room = sizeof command->base.inline_points / sizeof command->base.inline_points[0];
    command->launch = (struct wl_launch){
        .function = request->kernel->function,
        .dynamic_lds = (uint32_t)request->dynamic_lds,
        .kernarg = command->kernarg,
        .kernarg_size = size,
        .cooperative = request->cooperative,
        .worker_mask = stream->worker_mask,
    };
    memcpy(command->launch.grid, request->grid, sizeof request->grid);
    memcpy(command->launch.block, request->block, sizeof request->block);
    memcpy(command->launch.remainder, request->remainder, sizeof request->remainder);
    enum wl_status status = pack_arguments(request, command->kernarg, size);
    if (status == WL_OK)
        *result = command;
    else
        wl_command_free(&command->base);
    return status;
}

enum wl_status wl_launch_enqueue(struct wl_stream *stream, const struct wl_launch_request *request) {
    struct wl_context *context = stream->context;
    struct kernel_command *command = NULL;
    if (wl_module_context(request->kernel->module) != context)
        return wl_fail(WL_INVALID_VALUE, "%s was loaded on another device than its stream's", request->kernel->kernel->name);
    enum wl_status status = check_shape(context, request);
    if (status == WL_OK)
        status = check_resources(context, request);
    if (status == WL_OK)
        status = context->device->ops->prepare(request->kernel->function, request->block);
    if (status == WL_OK)
        status = make_command(stream, request, &command);
    if (status == WL_OK && request->start) {
        status = wl_event_record(request->start, stream);
        if (status != WL_OK)
            wl_command_free(&command->base);
    }
    if (status == WL_OK)
        status = wl_stream_enqueue(stream, &command->base, NULL);
    if (status == WL_OK && request->stop)
        status = wl_event_record(request->stop, stream);
    return status;
}
