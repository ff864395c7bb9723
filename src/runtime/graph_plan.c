#include "runtime/graph_plan.h"

#include "base/cpu.h"
#include "runtime/context.h"
#include "runtime/launch.h"
#include "runtime/order.h"
#include "runtime/record.h"
#include "runtime/stream.h"
#include "runtime/stream_internal.h"
#include "runtime/work.h"
#include "sanitize/hooks.h"
#include "trace/trace.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_NS      UINT64_C(50000) /* a kernel that takes longer on one thread gets all of them */
#define TOGETHER_NS   UINT64_C(10000) /* less work than this is done before other threads have come */
#define SHARE_NS      UINT64_C(3000)  /* the least that is worth another thread */
#define STEP_NS       UINT64_C(400)   /* steps that take less on average are done before they have been shared out */
#define LOOKS         100             /* at a step that is not ready */
#define COPY_NS(size) (100 + (size) / 8)

enum { NONE = UINT32_MAX };

struct item {
    enum wl_node_kind kind; /* EMPTY: nothing to do */
    uint32_t level;         /* length of the longest way to it */
    uint32_t first, count;  /* its dependents, in plan->dependents */
    uint32_t first_edge;    /* to it, in plan->edges: up to those of the next step */
    uint32_t branch;        /* steps of one branch follow each other; 0: the first one */
    bool goes_on;           /* a step of the same branch follows */
    union {
        struct {
            struct wl_launch launch; /* with kernarg of its own */
            struct wl_loaded_kernel *kernel;
        };
        struct wl_copy copy;
        struct wl_fill fill;
        struct {
            void (*function)(void *argument);
            void *argument;
        } host;
    };
};

/* While the plan runs on several threads. */
struct progress {
    atomic_uint pending; /* steps it waits for */
    atomic_bool taken;
};

struct wl_plan {
    atomic_uint references;
    uint32_t count, edge_count, branches;
    struct item *items;
    struct edge {
        uint32_t from, to;
    } *edges;
    uint32_t *dependents;
    struct progress *progress;
};

/* ---- making one ------------------------------------------------------------------------------- */

static bool same_device(const struct wl_context *context, const struct wl_stream *stream) { return !context || context == stream->context; }

static bool may_poll(const struct wl_work *work, const struct wl_stream *stream) {
    const struct wl_device_ops *ops = stream->context->device->ops;
    struct wl_launch launch;
    wl_launch_describe(&work->kernel.request, NULL, 0, &launch);
    return !ops->may_poll || ops->may_poll(&launch);
}

bool wl_plan_takes(const struct wl_node *node, const struct wl_stream *stream, bool alone) {
    const struct wl_work *work = &node->work;
    if (stream->queue || !same_device(work->context, stream))
        return false;
    switch (work->kind) {
    case WL_NODE_KERNEL:
        return !work->kernel.request.stop && (alone || !may_poll(work, stream));
    case WL_NODE_FILL:
    case WL_NODE_EMPTY:
    case WL_NODE_SIGNAL: /* of no semaphore: others are not launched */
    case WL_NODE_WAIT:
        return true;
    case WL_NODE_COPY:
        return !work->copy.stage && same_device(work->copy.via, stream) && !work->copy.also[0] && !work->copy.also[1];
    case WL_NODE_HOST: /* as kernels that poll: several branches may wait for each other */
        return alone;
    default:
        return false;
    }
}

struct wl_plan *wl_plan_create(size_t steps, size_t edges) {
    struct wl_plan *plan = calloc(1, sizeof *plan);
    if (!plan || steps >= NONE || edges >= NONE) {
        free(plan);
        return NULL;
    }
    atomic_init(&plan->references, 1);
    plan->items = calloc(steps + 1, sizeof *plan->items);
    plan->edges = calloc(edges + 1, sizeof *plan->edges);
    plan->dependents = calloc(edges + 1, sizeof *plan->dependents);
    plan->progress = calloc(steps + 1, sizeof *plan->progress);
    if (plan->items && plan->edges && plan->dependents && plan->progress)
        return plan;
    wl_plan_release(plan);
    return NULL;
}

static enum wl_status add_kernel(struct item *item, const struct wl_work *work) {
    const struct wl_launch_request *request = &work->kernel.request;
    unsigned char *kernarg = malloc(request->buffer_size + 1);
    if (!kernarg)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for the arguments of a graph's kernel");
    memcpy(kernarg, request->buffer, request->buffer_size);
    wl_launch_describe(request, kernarg, request->buffer_size, &item->launch);
    item->kernel = request->kernel;
    return WL_OK;
}

enum wl_status wl_plan_add(struct wl_plan *plan, const struct wl_node *node, const size_t *dependencies, size_t count) {
    struct item *item = &plan->items[plan->count];
    enum wl_status status = WL_OK;
    item->kind = node && !node->disabled ? node->work.kind : WL_NODE_EMPTY;
    item->first_edge = plan->edge_count;
    item->branch = NONE;
    for (size_t i = 0; i < count; i++) {
        struct item *before = &plan->items[dependencies[i]];
        plan->edges[plan->edge_count++] = (struct edge){(uint32_t)dependencies[i], plan->count};
        before->count++;
        if (item->level <= before->level)
            item->level = before->level + 1;
        if (item->branch == NONE && !before->goes_on) {
            before->goes_on = true;
            item->branch = before->branch;
        }
    }
    if (item->branch == NONE)
        item->branch = plan->branches++;
    plan->count++;
    if (item->kind == WL_NODE_KERNEL)
        status = add_kernel(item, &node->work);
    else if (item->kind == WL_NODE_COPY)
        item->copy = node->work.copy;
    else if (item->kind == WL_NODE_FILL)
        item->fill = node->work.fill;
    else if (item->kind == WL_NODE_HOST)
        item->host.function = node->work.host.function, item->host.argument = node->work.host.argument;
    if (status != WL_OK)
        item->kind = WL_NODE_EMPTY;
    return status;
}

void wl_plan_finish(struct wl_plan *plan) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->items[i].first = next;
        next += plan->items[i].count;
        plan->items[i].count = 0;
    }
    for (uint32_t i = 0; i < plan->edge_count; i++) {
        struct item *from = &plan->items[plan->edges[i].from];
        plan->dependents[from->first + from->count++] = plan->edges[i].to;
    }
}

void wl_plan_release(struct wl_plan *plan) {
    if (atomic_fetch_sub(&plan->references, 1) != 1)
        return;
    for (uint32_t i = 0; plan->items && i < plan->count; i++)
        if (plan->items[i].kind == WL_NODE_KERNEL)
            free((void *)(uintptr_t)plan->items[i].launch.kernarg);
    free(plan->items);
    free(plan->edges);
    free(plan->dependents);
    free(plan->progress);
    free(plan);
}

/* ---- running it --------------------------------------------------------------------------------- */

/* A launch of a plan. */
struct run {
    struct wl_plan *plan;
    struct wl_stream *stream;
    struct wl_asker asker; /* who asked for the graph's launch: the plan's command's */
    uint32_t first_kernel; /* the one that looks whether the program has set signal handlers; NONE: none has to */
    uint32_t end;          /* of the steps that are shared */
    uint64_t line;         /* of the stream, if racecheck follows branches; else 0 */
    bool together;         /* several threads are at work: a kernel has one of them */
    _Atomic uint32_t next;
    atomic_int status;
};

static enum wl_status run_kernel(const struct run *run, uint32_t index) {
    struct wl_device *device = run->stream->context->device;
    struct wl_launch launch = run->plan->items[index].launch;
    launch.worker_mask = run->stream->worker_mask;
    launch.batched = index != run->first_kernel;
    launch.alone = run->together;
    if (run->asker.recorded)
        return wl_record_launch(run->stream, &launch, run->plan->items[index].kernel, &run->asker);
    return device->ops->launch(device, &launch);
}

static enum wl_status do_item(const struct run *run, uint32_t index) {
    const struct item *item = &run->plan->items[index];
    switch (item->kind) {
    case WL_NODE_KERNEL:
        return run_kernel(run, index);
    case WL_NODE_COPY:
        return run->asker.recorded ? wl_record_copy(run->stream, &item->copy, &run->asker) : wl_copy_run(run->stream, &item->copy);
    case WL_NODE_FILL:
        return run->asker.recorded ? wl_record_fill(run->stream, &item->fill, &run->asker) : wl_fill_run(run->stream, &item->fill);
    case WL_NODE_HOST:
        item->host.function(item->host.argument);
        return WL_OK;
    default:
        return WL_OK;
    }
}

/* A step of one of several branches, as racecheck sees it: behind the steps that it waits for, and the first ones behind the plan's start. The
 * first branch is the stream's line. */
static enum wl_status run_item(const struct run *run, uint32_t index) {
    const struct wl_plan *plan = run->plan;
    const struct item *item = &plan->items[index];
    const uint32_t end = index + 1 < plan->count ? plan->items[index + 1].first_edge : plan->edge_count;
    if (!run->line)
        return do_item(run, index);
    const uint64_t before = wl_order_enter(item->branch ? wl_order_branch(&plan->progress[item->branch]) : run->line);
    if (item->branch && item->first_edge == end)
        wl_order_behind(plan);
    for (uint32_t i = item->first_edge; i < end; i++)
        wl_order_behind(&plan->items[plan->edges[i].from]);
    const enum wl_status status = do_item(run, index);
    wl_order_done(item);
    (void)wl_order_enter(before);
    return status;
}

/* The step is done. Returns one of those that waited for it alone, which is then the caller's; NONE: there is none. */
static uint32_t finish_item(struct run *run, uint32_t index) {
    const struct item *item = &run->plan->items[index];
    uint32_t follower = NONE;
    for (uint32_t i = 0; i < item->count; i++) {
        uint32_t dependent = run->plan->dependents[item->first + i];
        if (dependent >= run->end)
            continue;
        struct progress *progress = &run->plan->progress[dependent];
        if (atomic_fetch_sub_explicit(&progress->pending, 1, memory_order_acq_rel) == 1 && follower == NONE &&
            !atomic_exchange_explicit(&progress->taken, true, memory_order_relaxed))
            follower = dependent;
    }
    return follower;
}

/* Takes steps in their order, and goes on with what follows them as long as it waits for nothing else. Who takes a step that is not ready
 * waits: what it depends on comes before it, so somebody is at it. */
static void share_items(void *argument) {
    struct run *run = argument;
    for (;;) {
        uint32_t index = atomic_fetch_add_explicit(&run->next, 1, memory_order_relaxed);
        if (index >= run->end)
            return;
        struct progress *progress = &run->plan->progress[index];
        if (atomic_exchange_explicit(&progress->taken, true, memory_order_relaxed))
            continue;
        for (unsigned looks = 0; atomic_load_explicit(&progress->pending, memory_order_acquire); looks++) {
            if (atomic_load_explicit(&run->status, memory_order_relaxed) != WL_OK)
                return;
            if (looks < LOOKS)
                wl_relax();
            else
                sched_yield(); /* who is at it may have lost its CPU */
        }
        while (index != NONE) {
            int expected = WL_OK;
            enum wl_status status = run_item(run, index);
            if (status != WL_OK)
                atomic_compare_exchange_strong(&run->status, &expected, (int)status);
            if (atomic_load_explicit(&run->status, memory_order_relaxed) != WL_OK)
                return;
            index = finish_item(run, index);
        }
    }
}

static enum wl_status run_together(struct run *run, uint32_t begin, uint32_t end, unsigned threads) {
    struct wl_plan *plan = run->plan;
    struct wl_device *device = run->stream->context->device;
    for (uint32_t i = begin; i < end; i++) {
        atomic_store_explicit(&plan->progress[i].pending, 0, memory_order_relaxed);
        atomic_store_explicit(&plan->progress[i].taken, false, memory_order_relaxed);
    }
    for (uint32_t i = begin; i < end; i++)
        for (uint32_t j = 0; j < plan->items[i].count; j++) {
            uint32_t dependent = plan->dependents[plan->items[i].first + j];
            if (dependent < end)
                atomic_fetch_add_explicit(&plan->progress[dependent].pending, 1, memory_order_relaxed);
        }
    run->end = end;
    run->together = true;
    atomic_store_explicit(&run->next, begin, memory_order_relaxed);
    device->ops->together(device, threads, run->stream->worker_mask, share_items, run);
    run->together = false;
    return (enum wl_status)atomic_load(&run->status);
}

/* Nanoseconds that a step takes on one thread; UINT64_MAX: it has to run alone. */
static uint64_t cost_of(const struct wl_device *device, const struct item *item) {
    uint64_t cost;
    switch (item->kind) {
    case WL_NODE_KERNEL:
        cost = item->launch.cooperative ? 0 : device->ops->estimate(&item->launch);
        return cost && (cost < LARGE_NS || (item->launch.grid[0] == 1 && item->launch.grid[1] == 1 && item->launch.grid[2] == 1))
                   ? cost
                   : UINT64_MAX;
    case WL_NODE_COPY:
        return COPY_NS(item->copy.width * item->copy.rows * item->copy.slices);
    case WL_NODE_FILL:
        return COPY_NS(item->fill.width * item->fill.pattern_size * item->fill.rows * item->fill.slices);
    case WL_NODE_HOST:
        return UINT64_MAX;
    default:
        return 0;
    }
}

/* From `begin` on: where the steps end that several threads may share, and how many threads they are worth. */
static uint32_t find_shared(const struct run *run, uint32_t begin, unsigned *threads) {
    const struct wl_plan *plan = run->plan;
    const struct wl_device *device = run->stream->context->device;
    uint64_t sum = 0, cost;
    uint32_t end = begin, in_level = 0, width = 0;
    for (; end < plan->count && (cost = cost_of(device, &plan->items[end])) != UINT64_MAX; end++) {
        in_level = end > begin && plan->items[end].level == plan->items[end - 1].level ? in_level + 1 : 1;
        width = in_level > width ? in_level : width;
        sum += cost;
    }
    uint64_t worth = sum < TOGETHER_NS || sum / STEP_NS < end - begin ? 1 : sum / SHARE_NS;
    *threads = worth < width ? (unsigned)worth : width;
    return end;
}

struct plan_command {
    struct wl_command base;
    struct wl_plan *plan;
};

static void look_at_handlers(struct run *run, struct wl_command *command, struct wl_stream *stream) {
    run->first_kernel = NONE;
    if (command->sequence <= stream->batch)
        return;
    stream->batch = atomic_load(&stream->submitted);
    for (uint32_t i = 0; i < run->plan->count && run->first_kernel == NONE; i++)
        if (run->plan->items[i].kind == WL_NODE_KERNEL)
            run->first_kernel = i;
}

static void begin_branches(struct run *run) {
    if (run->plan->branches < 2 || !wl_order_branch(run->plan))
        return;
    run->line = wl_san_line;
    wl_order_done(run->plan);
}

static void end_branches(struct run *run) {
    for (uint32_t i = 0; run->line && i < run->plan->count; i++)
        wl_order_behind(&run->plan->items[i]);
}

static enum wl_status run_plan(struct wl_command *command, struct wl_stream *stream) {
    struct run run = {.plan = ((struct plan_command *)command)->plan, .stream = stream, .asker = command->asker};
    const struct wl_device_ops *ops = stream->context->device->ops;
    bool may_share = ops->together && ops->estimate && stream->context->info.compute_units > 1;
    enum wl_status status = WL_OK;
    look_at_handlers(&run, command, stream);
    begin_branches(&run);
    for (uint32_t i = 0, end; i < run.plan->count && status == WL_OK; i = end) {
        unsigned threads = 1;
        end = may_share ? find_shared(&run, i, &threads) : i;
        if (threads > 1) {
            status = run_together(&run, i, end, threads);
            continue;
        }
        end = end > i ? end : i + 1;
        for (uint32_t n = i; n < end && status == WL_OK; n++)
            status = run_item(&run, n);
    }
    end_branches(&run);
    return status;
}

static void dispose_plan(struct wl_command *command) { wl_plan_release(((struct plan_command *)command)->plan); }

static struct wl_asker record_plan(const struct wl_plan *plan) {
    uint32_t kernels = 0, copies = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        kernels += plan->items[i].kind == WL_NODE_KERNEL;
        copies += plan->items[i].kind == WL_NODE_COPY;
    }
    return wl_record_graph(kernels, copies);
}

enum wl_status wl_plan_enqueue(struct wl_plan *plan, struct wl_stream *stream) {
    struct plan_command *command = wl_command_new(sizeof *command, run_plan, dispose_plan);
    if (!command)
        return WL_OUT_OF_MEMORY;
    atomic_fetch_add(&plan->references, 1);
    command->plan = plan;
    if (wl_trace_on())
        command->base.asker = record_plan(plan);
    return wl_stream_enqueue(stream, &command->base, NULL);
}
