/* Kernel launches: limits, arguments, the kernel command. */
#include "runtime/launch.h"
#include "base/assert.h"
#include "device/debugger.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/grids.h"
#include "runtime/module.h"
#include "runtime/record.h"
#include "runtime/run_now.h"
#include "runtime/stream.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kernel_command {
    struct wl_command base;
    struct wl_launch launch;
    const char *name;                  /* the kernel's */
    struct wl_loaded_kernel *recorded; /* NULL: the launch is not recorded */
    struct wl_grids *shared;           /* NULL: an ordinary launch */
    bool finished;                     /* it ran, and did not fail */
    _Alignas(16) unsigned char kernarg[];
};

static enum wl_status run_kernel(struct wl_command *command, struct wl_stream *stream) {
    struct kernel_command *kernel = (struct kernel_command *)command;
    struct wl_device *device = stream->context->device;
    kernel->launch.batched = command->sequence <= stream->batch;
    if (!kernel->launch.batched)
        stream->batch = atomic_load(&stream->submitted);
    enum wl_status status;
    struct wl_given *given = NULL;
    if (kernel->recorded && stream->queue)
        given = wl_record_give_launch(stream, &kernel->launch, kernel->recorded, &command->asker);
    if (kernel->recorded && !stream->queue)
        status = wl_record_launch(stream, &kernel->launch, kernel->recorded, &command->asker);
    else
        status = stream->queue ? device->ops->queues->launch(stream->queue, &kernel->launch) : device->ops->launch(device, &kernel->launch);
    wl_record_given(given, status);
    if (status == WL_OK && kernel->shared && stream->queue)
        status = wl_grids_launched(kernel->shared, kernel->launch.grid_index, stream);
    kernel->finished = status == WL_OK;
    return status;
}

const char *wl_launch_kernel_of(const struct wl_command *command) {
    return command->run == run_kernel ? ((const struct kernel_command *)command)->name : NULL;
}

/* Only for launches with shared grids: those that wait for this one learn that they wait in vain. */
static void dispose_kernel(struct wl_command *command) {
    struct kernel_command *kernel = (struct kernel_command *)command;
    wl_grids_leave(kernel->shared, kernel->finished);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* Work items of a dimension; the last workgroup may be a partial one. */
static uint64_t items_of(const struct wl_launch_request *request, int dimension) {
    uint64_t all = (uint64_t)request->grid[dimension] * request->block[dimension];
    return request->remainder[dimension] ? all - request->block[dimension] + request->remainder[dimension] : all;
}

/* Whether the grid has more workgroups than can be counted. Three factors below 2^21 make fewer. */
static bool is_beyond_count(const uint32_t grid[3]) {
    uint64_t layer = (uint64_t)grid[0] * grid[1], all;
    return (grid[0] | grid[1] | grid[2]) >> 21 && __builtin_mul_overflow(layer, grid[2], &all);
}

static enum wl_status check_shape(const struct wl_context *context, const struct wl_launch_request *request) {
    const struct wl_kernel *kernel = request->kernel->kernel;
    const struct wl_device_info *info = &context->info;
    uint64_t items = 1;
    for (int i = 0; i < 3; i++) {
        uint64_t grid = request->grid[i], block = request->block[i];
        if (!grid || !block)
            return wl_fail(WL_INVALID_VALUE, "%s: dimension %c of the grid or the block is 0", kernel->name, 'x' + i);
        if ((grid > info->max_grid[i] && !info->any_grid) || items_of(request, i) > UINT32_MAX)
            return wl_fail(WL_INVALID_SHAPE, "%s: %" PRIu64 " workgroups of %" PRIu64 " work items in dimension %c are too many",
                           kernel->name, grid, block, 'x' + i);
        if (block > info->max_block[i])
            return wl_fail(WL_INVALID_VALUE, "%s: %" PRIu64 " work items in dimension %c of a workgroup, the device takes %u", kernel->name,
                           block, 'x' + i, info->max_block[i]);
        wl_assert(request->remainder[i] < block);
        items *= block; /* below 2^42 after two factors that are at most max_block */
    }
    if (is_beyond_count(request->grid))
        return wl_fail(WL_INVALID_SHAPE, "%s: %u x %u x %u workgroups are more than can be counted", kernel->name, request->grid[0],
                       request->grid[1], request->grid[2]);
    if (items > info->max_workgroup_size)
        return wl_fail(WL_INVALID_VALUE, "%s: %" PRIu64 " work items in a workgroup, the device takes %u", kernel->name, items,
                       info->max_workgroup_size);
    if (kernel->max_workgroup_size && items > kernel->max_workgroup_size)
        return wl_fail(WL_KERNEL_BOUNDS, "%s: %" PRIu64 " work items in a workgroup, the kernel was compiled for %u", kernel->name, items,
                       kernel->max_workgroup_size);
    for (int i = 0; i < 3; i++) {
        if (kernel->required_workgroup_size[i] && kernel->required_workgroup_size[i] != request->block[i])
            return wl_fail(WL_KERNEL_BOUNDS, "%s: the kernel was compiled for workgroups of %u x %u x %u", kernel->name,
                           kernel->required_workgroup_size[0], kernel->required_workgroup_size[1], kernel->required_workgroup_size[2]);
        if (kernel->uniform_workgroup_size && request->remainder[i])
            return wl_fail(WL_INVALID_VALUE, "%s: the grid leaves a partial workgroup, the kernel was compiled for full ones alone",
                           kernel->name);
    }
    return WL_OK;
}

enum { LAUNCH_SAYS = 1024 }; /* in a kernel's metadata, where the size of a cluster is */

/* The clusters of a launch: what it says, else what the kernel was compiled for. */
static void cluster_of(const struct wl_launch_request *request, uint32_t cluster[3]) {
    for (int i = 0; i < 3; i++) {
        const uint32_t own = request->kernel->kernel->cluster_size[i];
        cluster[i] = request->cluster[i] ? request->cluster[i] : own && own != LAUNCH_SAYS ? own : 1;
    }
}

static enum wl_status check_cluster(const struct wl_launch_request *request) {
    const struct wl_kernel *kernel = request->kernel->kernel;
    const uint32_t *own = kernel->cluster_size;
    uint32_t cluster[3];
    cluster_of(request, cluster);
    const uint64_t workgroups = (uint64_t)cluster[0] * cluster[1];
    for (int i = 0; i < 3; i++)
        if (own[i] && own[i] != LAUNCH_SAYS && own[i] != cluster[i])
            return wl_fail(WL_INVALID_CLUSTER, "%s: the kernel was compiled for clusters of %u x %u x %u workgroups", kernel->name, own[0],
                           own[1], own[2]);
    if ((cluster[0] | cluster[1] | cluster[2]) == 1)
        return WL_OK;
    if (!wl_module_has(request->kernel->module, WL_HAS_CLUSTERS))
        return wl_fail(WL_INVALID_CLUSTER, "%s: the processor that the kernel is for has no clusters of workgroups", kernel->name);
    if (workgroups > WL_CLUSTER_WORKGROUPS || workgroups * cluster[2] > WL_CLUSTER_WORKGROUPS)
        return wl_fail(WL_INVALID_CLUSTER, "%s: a cluster of %u x %u x %u workgroups, there can be %u", kernel->name, cluster[0],
                       cluster[1], cluster[2], (unsigned)WL_CLUSTER_WORKGROUPS);
    for (int i = 0; i < 3; i++)
        if (request->grid[i] % cluster[i])
            return wl_fail(WL_INVALID_CLUSTER, "%s: %u workgroups in dimension %c are no whole number of clusters of %u", kernel->name,
                           request->grid[i], 'x' + i, cluster[i]);
    return WL_OK;
}

uint32_t wl_launch_lds(const struct wl_loaded_kernel *kernel, size_t dynamic_lds) {
    const bool allowed = kernel->max_dynamic_lds != UINT32_MAX && dynamic_lds <= kernel->max_dynamic_lds;
    return allowed ? wl_module_lds(kernel->module) : wl_module_usual_lds(kernel->module);
}

static enum wl_status check_resources(const struct wl_launch_request *request) {
    const struct wl_kernel *kernel = request->kernel->kernel;
    const uint32_t lds = wl_launch_lds(request->kernel, request->dynamic_lds);
    if (request->dynamic_lds > lds)
        return wl_fail(WL_INVALID_VALUE, "%s: %zu bytes of dynamic LDS, a workgroup may have %u", kernel->name, request->dynamic_lds, lds);
    if (kernel->lds_size + request->dynamic_lds > lds)
        return wl_fail(WL_OUT_OF_RESOURCES, "%s: %u bytes of static and %zu bytes of dynamic LDS, a workgroup may have %u", kernel->name,
                       kernel->lds_size, request->dynamic_lds, lds);
    return WL_OK;
}

/* Asked of a kernel that is ready, since devices may have to make its code to know. */
static enum wl_status check_residency(const struct wl_context *context, const struct wl_launch_request *request) {
    const struct wl_kernel *kernel = request->kernel->kernel;
    if (!request->cooperative)
        return WL_OK;
    uint64_t workgroups = (uint64_t)request->grid[0] * request->grid[1];
    uint32_t block = request->block[0] * request->block[1] * request->block[2];
    uint64_t resident = (uint64_t)context->info.compute_units * wl_launch_occupancy(request->kernel, block, request->dynamic_lds);
    if (workgroups > resident || workgroups * request->grid[2] > resident)
        return wl_fail(WL_TOO_MANY_RESIDENT, "%s: a cooperative grid of %u x %u x %u workgroups, %" PRIu64 " can be resident", kernel->name,
                       request->grid[0], request->grid[1], request->grid[2], resident);
    return WL_OK;
}

uint32_t wl_launch_occupancy(struct wl_loaded_kernel *kernel, uint32_t block_size, size_t dynamic_lds) {
    struct wl_context *context = wl_module_context(kernel->module);
    const uint32_t lds = wl_launch_lds(kernel, dynamic_lds);
    uint32_t limit = kernel->kernel->max_workgroup_size ? kernel->kernel->max_workgroup_size : context->info.max_workgroup_size;
    if (!block_size || block_size > limit || block_size > context->info.max_workgroup_size || dynamic_lds > lds ||
        dynamic_lds + kernel->kernel->lds_size > lds)
        return 0;
    const uint32_t resident = context->device->ops->occupancy(kernel->function, block_size, dynamic_lds);
    const uint32_t most =
        context->info.items_per_unit / block_size; /* a GPU that runs two work items in a thread could hold twice as many */
    return context->info.items_per_unit && most < resident ? most : resident;
}

/* ---- arguments ------------------------------------------------------------------------------ */

enum wl_status wl_launch_pack(const struct wl_launch_request *request, unsigned char *kernarg, size_t size) {
    const struct wl_loaded_kernel *loaded = request->kernel;
    if (request->buffer) {
        if (request->buffer_size < size)
            return wl_fail(WL_INVALID_VALUE, "%s takes %zu bytes of arguments and got %zu", loaded->kernel->name, size,
                           request->buffer_size);
        memcpy(kernarg, request->buffer, size);
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

void wl_launch_describe(const struct wl_launch_request *request, const unsigned char *kernarg, size_t size, struct wl_launch *launch) {
    *launch = (struct wl_launch){
        .function = request->kernel->function,
        .dynamic_lds = (uint32_t)request->dynamic_lds,
        .kernarg = kernarg,
        .kernarg_size = size,
        .cooperative = request->cooperative,
    };
    cluster_of(request, launch->cluster);
    memcpy(launch->grid, request->grid, sizeof request->grid);
    memcpy(launch->block, request->block, sizeof request->block);
    memcpy(launch->remainder, request->remainder, sizeof request->remainder);
}

static enum wl_status make_command(struct wl_stream *stream, const struct wl_launch_request *request, struct kernel_command **result) {
    size_t size = request->kernel->explicit_size;
    bool spare = sizeof(struct kernel_command) + size <= WL_SPARE_BYTES;
    struct kernel_command *command = spare ? wl_stream_spare(stream) : malloc(sizeof *command + size);
    if (!command)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a launch with %zu bytes of arguments", size);
    memset(command, 0, sizeof *command + size);
    command->base.home = spare ? stream : NULL;
    command->base.run = run_kernel;
    command->base.gives = true;
    command->base.points = command->base.inline_points;
    command->base.point_capacity = sizeof command->base.inline_points / sizeof command->base.inline_points[0];
    wl_launch_describe(request, command->kernarg, size, &command->launch);
    command->name = request->kernel->kernel->name;
    command->launch.worker_mask = stream->worker_mask;
    if (wl_trace_on()) {
        command->base.asker = wl_record_queued(stream, request);
        command->recorded = request->kernel;
    }
    enum wl_status status = wl_launch_pack(request, command->kernarg, size);
    if (status == WL_OK)
        *result = command;
    else
        wl_command_free(&command->base);
    return status;
}

enum wl_status wl_launch_check(struct wl_context *context, const struct wl_launch_request *request) {
    if (wl_module_context(request->kernel->module) != context)
        return wl_fail(WL_INVALID_VALUE, "%s was loaded on another device than its stream's", request->kernel->kernel->name);
    enum wl_status status = check_shape(context, request);
    if (status == WL_OK)
        status = check_cluster(request);
    if (status == WL_OK)
        status = check_resources(request);
    if (status == WL_OK)
        status = context->device->ops->prepare(request->kernel->function, request->block, request->remainder);
    if (status == WL_OK)
        status = check_residency(context, request);
    return status;
}

#define DIRECT_BYTES 4096 /* of arguments that a launch without a command may have */

/* Gives a launch that was checked to the stream's queue at once, if nothing is before it. True: done, and `*status` says how. */
static bool launch_directly(struct wl_stream *stream, const struct wl_launch_request *request, enum wl_status *status) {
    _Alignas(64) unsigned char kernarg[DIRECT_BYTES];
    uint64_t sequence = 0;
    size_t size = request->kernel->explicit_size;
    if (!stream->queue || request->start || request->stop || size > sizeof kernarg)
        return false;
    *status = wl_launch_pack(request, kernarg, size);
    if (*status != WL_OK)
        return true;
    struct wl_launch launch;
    wl_launch_describe(request, kernarg, size, &launch);
    launch.worker_mask = stream->worker_mask;
    if (!wl_stream_give_begin(stream, &sequence))
        return false;
    struct wl_given *given = NULL;
    if (wl_trace_on()) {
        const struct wl_asker asker = wl_record_queued(stream, request);
        given = wl_record_give_launch(stream, &launch, request->kernel, &asker);
    }
    *status = wl_stream_given(stream, stream->context->device->ops->queues->launch(stream->queue, &launch));
    wl_record_given(given, *status);
    wl_stream_give_end(stream, sequence);
    return true;
}

/* Whether the calling thread runs the kernel at once: where a debugger may stop in it, so that the launch is in the kernel's backtrace. What
 * becomes of the kernel is told later, as ever. */
static bool runs_for_debugger(const struct wl_stream *stream, const struct wl_launch_request *request) {
    const struct wl_device *device = stream->context->device;
    return device->ops->stops && device->ops->stops(request->kernel->function) && wl_stream_may_wait(stream, UINT64_MAX) == WL_OK;
}

static enum wl_status enqueue(struct wl_stream *stream, const struct wl_launch_request *request, struct kernel_command *command) {
    return wl_debugger && runs_for_debugger(stream, request) ? wl_stream_run(stream, &command->base)
                                                             : wl_stream_enqueue(stream, &command->base, NULL);
}

enum wl_status wl_launch_enqueue(struct wl_stream *stream, const struct wl_launch_request *request) {
    struct kernel_command *command = NULL;
    enum wl_status direct = WL_OK;
    if (wl_capture_active(stream))
        return wl_capture_kernel(stream, request);
    enum wl_status status = wl_launch_check(stream->context, request);
    if (status == WL_OK && launch_directly(stream, request, &direct))
        return direct;
    if (status == WL_OK)
        status = make_command(stream, request, &command);
    if (status == WL_OK && request->start) {
        status = wl_event_record(request->start, stream);
        if (status != WL_OK)
            wl_command_free(&command->base);
    }
    if (status == WL_OK)
        status = enqueue(stream, request, command);
    if (status == WL_OK && request->stop)
        status = wl_event_record(request->stop, stream);
    return status;
}

/* ---- several devices ------------------------------------------------------------------------ */

static enum wl_status share_grids(struct wl_stream *const *streams, struct wl_command **commands, const struct wl_launch_request *requests,
                                  unsigned count) {
    struct wl_grids *shared = NULL;
    struct wl_multigrid *grids = NULL;
    enum wl_status status = wl_grids_create(streams, count, &shared, &grids);
    for (unsigned i = 0; i < count && status == WL_OK; i++) {
        struct kernel_command *command = (struct kernel_command *)commands[i];
        command->shared = shared;
        command->base.dispose = dispose_kernel;
        command->launch.multigrid = grids;
        command->launch.grid_index = i;
        command->launch.items_before = grids->items;
        grids->items += items_of(&requests[i], 0) * items_of(&requests[i], 1) * items_of(&requests[i], 2);
    }
    return status;
}

static enum wl_status run_nothing(struct wl_command *command, struct wl_stream *stream) {
    (void)command, (void)stream;
    return WL_OK;
}

enum wl_status wl_launch_enqueue_all(struct wl_stream *const *streams, const struct wl_launch_request *requests, unsigned count,
                                     unsigned flags) {
    struct wl_command **commands = (struct wl_command **)calloc(2 * (size_t)count, sizeof *commands), **after = NULL;
    enum wl_status status = commands ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a launch on %u devices", count);
    for (unsigned i = 0; i < count && status == WL_OK; i++) {
        struct kernel_command *command = NULL;
        status = wl_launch_check(streams[i]->context, &requests[i]);
        if (status == WL_OK)
            status = make_command(streams[i], &requests[i], &command);
        commands[i] = command ? &command->base : NULL;
    }
    if (flags & WL_LAUNCH_WAIT_AFTER)
        after = commands + count;
    for (unsigned i = 0; after && i < count && status == WL_OK; i++) {
        after[i] = wl_command_new(sizeof *after[i], run_nothing, NULL);
        status = after[i] ? WL_OK : WL_OUT_OF_MEMORY;
        if (after[i])
            after[i]->gives = true;
    }
    if (status == WL_OK && requests[0].cooperative)
        status = share_grids(streams, commands, requests, count);
    if (status == WL_OK)
        status = wl_stream_enqueue_together(streams, commands, after, count, flags & WL_LAUNCH_WAIT_BEFORE);
    for (unsigned i = 0; commands && i < 2 * count; i++)
        if (commands[i])
            wl_command_free(commands[i]);
    free((void *)commands);
    return status;
}
