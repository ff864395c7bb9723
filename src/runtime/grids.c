/* What grids.h describes.
 *
 * Grids on CPU devices look at `failed` where they wait. Those on GPUs cannot: a thread watches them, and when one has failed lets the
 * others through their barriers until they end. AMD's device library counts arrivals in the low byte of the first word and rounds
 * above it. The words lie in the first GPU's memory where the others reach that, since links between GPUs have atomic operations; else
 * in pinned memory. */
#include "runtime/grids.h"

#include "base/options.h"
#include "runtime/context.h"
#include "runtime/stream.h"
#include "sanitize/allocations.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct grid {
    struct wl_context *context;
    struct wl_device *device;
    struct wl_device_mark *mark; /* behind the grid; NULL: not given to a queue */
};

struct wl_grids {
    atomic_uint references;
    struct wl_multigrid multigrid;
    _Atomic uint32_t own[2]; /* the barrier of CPU devices */
    struct wl_device *owner; /* of the barrier, of GPUs; else NULL */
    bool pinned;             /* the barrier is in pinned memory, not in the owner's */
    unsigned count;
    struct grid grids[];
};

static void destroy(struct wl_grids *grids) {
    for (unsigned i = 0; i < grids->count; i++)
        if (grids->grids[i].mark)
            grids->grids[i].device->ops->queues->mark_destroy(grids->grids[i].mark);
    if (grids->owner && grids->pinned)
        grids->owner->ops->host->release(grids->owner, grids->multigrid.barrier, 0);
    else if (grids->owner)
        grids->owner->ops->release(grids->owner, grids->multigrid.barrier, 0);
    wl_san_forgotten((uint64_t)(uintptr_t)grids->own, sizeof grids->own);
    free(grids);
}

/* Lets the devices of all streams use the first one's memory. False: some cannot. */
static bool join_peers(struct wl_stream *const *streams, unsigned count) {
    struct wl_device *first = streams[0]->context->device;
    for (unsigned i = 1; i < count; i++) {
        struct wl_device *device = streams[i]->context->device;
        if (!first->ops->host->peer_possible(device, first) || first->ops->host->peer_access(device, first) != WL_OK)
            return false;
    }
    return true;
}

static enum wl_status make_barrier(struct wl_grids *grids, struct wl_stream *const *streams, unsigned count) {
    enum { LINE = 256 };
    struct wl_device *first = streams[0]->context->device;
    grids->pinned = !join_peers(streams, count);
    enum wl_status status = grids->pinned ? first->ops->host->allocate(first, &grids->multigrid.barrier, LINE, 0)
                                          : first->ops->allocate(first, &grids->multigrid.barrier, LINE, LINE);
    if (status != WL_OK)
        return status;
    grids->owner = first;
    return first->ops->fill(first, grids->multigrid.barrier, 0, 4, LINE / 4);
}

enum wl_status wl_grids_create(struct wl_stream *const *streams, unsigned count, struct wl_grids **result, struct wl_multigrid **shared) {
    for (unsigned i = 1; i < count; i++)
        if ((streams[i]->queue != NULL) != (streams[0]->queue != NULL))
            return wl_fail(WL_UNSUPPORTED, "grids on GPUs and on CPU devices cannot synchronize with each other");
    struct wl_grids *grids = calloc(1, sizeof *grids + count * sizeof grids->grids[0]);
    if (!grids)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a launch on %u devices", count);
    grids->multigrid.barrier = (void *)grids->own;
    wl_san_allocated((uint64_t)(uintptr_t)grids->own, sizeof grids->own, WL_SAN_SYSTEM, NULL, NULL);
    if (streams[0]->queue) {
        enum wl_status status = make_barrier(grids, streams, count);
        if (status != WL_OK) {
            destroy(grids);
            return status;
        }
    }
    grids->multigrid.grids = grids->count = count;
    for (unsigned i = 0; i < count; i++)
        grids->grids[i] = (struct grid){.context = streams[i]->context, .device = streams[i]->context->device};
    atomic_init(&grids->references, count);
    *result = grids;
    *shared = &grids->multigrid;
    return WL_OK;
}

enum wl_status wl_grids_launched(struct wl_grids *grids, unsigned index, struct wl_stream *stream) {
    struct grid *grid = &grids->grids[index];
    const struct wl_queue_ops *queues = grid->device->ops->queues;
    enum wl_status status = queues->mark_create(grid->device, false, &grid->mark);
    return status == WL_OK ? queues->mark_place(grid->mark, stream->queue) : status;
}

/* Whether some grid is not done; *failed: one will never be, or has failed. */
static bool look(const struct wl_grids *grids, bool *failed) {
    bool pending = false;
    for (unsigned i = 0; i < grids->count; i++) {
        const struct grid *grid = &grids->grids[i];
        enum wl_status status = grid->mark ? grid->device->ops->queues->mark_query(grid->mark) : WL_ABORTED;
        pending |= status == WL_NOT_READY;
        *failed |= status != WL_OK && status != WL_NOT_READY;
    }
    return pending;
}

/* What waited for a grid that failed has failed as well, before it can end. */
static void fail_others(const struct wl_grids *grids) {
    wl_log(0, "a grid of a launch on %u devices failed; the barriers of the others let them pass", grids->count);
    for (unsigned i = 0; i < grids->count; i++) {
        const struct grid *grid = &grids->grids[i];
        const enum wl_status status = grid->mark ? grid->device->ops->queues->mark_query(grid->mark) : WL_OK;
        if (status == WL_OK || status == WL_NOT_READY)
            (void)atomic_compare_exchange_strong(&grid->context->fault, &(int){WL_OK}, (int)WL_ABORTED);
    }
}

/* One more round is over. */
static void pass_barriers(struct wl_grids *grids, uint32_t *rounds) {
    *rounds += 256;
    (void)grids->owner->ops->copy(grids->owner, grids->multigrid.barrier, rounds, sizeof *rounds);
}

static void *watch(void *argument) {
    struct wl_grids *grids = argument;
    bool failed = atomic_load(&grids->multigrid.failed), told = false;
    uint32_t rounds = 1u << 30; /* behind all that were */
    while (look(grids, &failed)) {
        const long pause_ns = failed ? 20000 : 500000;
        if (failed && !told)
            fail_others(grids);
        told |= failed;
        if (failed)
            pass_barriers(grids, &rounds);
        nanosleep(&(struct timespec){0, pause_ns}, NULL);
    }
    if (failed && !told)
        fail_others(grids);
    destroy(grids);
    return NULL;
}

static bool start_watch(struct wl_grids *grids) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, watch, grids) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

void wl_grids_leave(struct wl_grids *grids, bool finished) {
    if (!finished)
        atomic_store(&grids->multigrid.failed, true);
    if (atomic_fetch_sub(&grids->references, 1) != 1)
        return;
    if (!grids->owner)
        destroy(grids);
    else if (!start_watch(grids))
        (void)watch(grids); /* no thread is left: this one waits */
}
