#include "runtime/link.h"

#include "base/clock.h"
#include "base/options.h"
#include "runtime/context.h"
#include "runtime/memory.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

enum direction { OUT, IN };

static struct {
    pthread_mutex_t lock;
    uint64_t free_at[WL_MAX_DEVICES][2]; /* by the device's index: when the last copy in that direction has left */
} links = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wl_link_after_fork(void) { pthread_mutex_init(&links.lock, NULL); }

/* The CPU device whose memory it is; NULL: the host's, or a GPU's. */
static const struct wl_device *owner_of(const void *address) {
    const unsigned of_host = 1u << WL_MEMORY_HOST | 1u << WL_MEMORY_REGISTERED | 1u << WL_MEMORY_MANAGED;
    struct wl_allocation allocation;
    if (!wl_memory_find(address, &allocation) || of_host >> allocation.kind & 1 || !allocation.context ||
        !allocation.context->info.host_memory)
        return NULL;
    return allocation.context->device;
}

static void wait_for(uint64_t *time, const struct wl_device *device, enum direction direction) {
    if (device && links.free_at[device->index][direction] > *time)
        *time = links.free_at[device->index][direction];
}

uint64_t wl_link_send(const struct wl_copy *copy) {
    const struct wl_device *source = owner_of(copy->source), *target = owner_of(copy->target);
    if (source == target)
        return 0;
    const double bytes = (double)copy->width * (double)copy->rows * (double)copy->slices;
    uint64_t time = wl_now();
    pthread_mutex_lock(&links.lock);
    wait_for(&time, source, OUT);
    wait_for(&time, target, IN);
    time += (uint64_t)(bytes / wl_options()->link_bandwidth); /* 1 GB/s is a byte a nanosecond */
    if (source)
        links.free_at[source->index][OUT] = time;
    if (target)
        links.free_at[target->index][IN] = time;
    pthread_mutex_unlock(&links.lock);
    return time + (uint64_t)(wl_options()->link_latency * 1000);
}

void wl_link_arrive(uint64_t arrival) {
    const struct timespec time = {.tv_sec = (time_t)(arrival / 1000000000u), .tv_nsec = (long)(arrival % 1000000000u)};
    while (arrival && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
        ;
}
