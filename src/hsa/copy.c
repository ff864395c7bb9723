/* HSA: copies and fills. A copy that need not wait is made by the thread that asks for it; the others by a thread that waits for what they
 * depend on. */
#include "hsa/hsa.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The device that copies: the one that owns a side, if host and devices do not share memory; else any. */
static struct wl_device *copier(const void *target, const void *source) {
    struct wl_allocation allocation;
    const void *sides[] = {target, source};
    for (unsigned i = 0; i < 2; i++)
        if (wl_core.memory_find(sides[i], &allocation) && allocation.context && allocation.context->info.discrete)
            return allocation.context->device;
    return wl_core.context_at(0)->device;
}

static hsa_status_t copy_now(void *target, const void *source, size_t size) {
    struct wl_device *device = copier(target, source);
    return wl_hsa_status(device->ops->copy(device, target, source, size), "hsa_amd_memory_async_copy");
}

HSA hsa_memory_copy(void *dst, const void *src, size_t size) {
    HSA_STARTED();
    HSA_REQUIRE(size == 0 || (dst && src), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return size ? copy_now(dst, src, size) : HSA_STATUS_SUCCESS;
}

HSA hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count) {
    HSA_STARTED();
    HSA_REQUIRE(ptr && (uintptr_t)ptr % 4 == 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct wl_device *device = copier(ptr, ptr);
    return count ? wl_hsa_status(device->ops->fill(device, ptr, value, 4, count), __func__) : HSA_STATUS_SUCCESS;
}

/* ---- copies that wait ------------------------------------------------------------------------------------ */

struct copy {
    struct copy *next;
    struct wl_hsa_rows what;
    hsa_signal_t completion;
    uint32_t count;
    hsa_signal_t dependencies[];
};

static struct {
    pthread_mutex_t lock; /* over the members below */
    struct copy *fresh;   /* the newest first */
    bool running;
    _Atomic bool changed;
} copies = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_ready(const struct copy *copy) {
    for (uint32_t i = 0; i < copy->count; i++) {
        struct wl_hsa_signal *signal = (struct wl_hsa_signal *)(uintptr_t)copy->dependencies[i].handle;
        if (signal && atomic_load(&signal->value) != 0)
            return false;
    }
    return true;
}

hsa_status_t wl_hsa_copy_rows(const struct wl_hsa_rows *what) {
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (size_t s = 0; s < what->slices && status == HSA_STATUS_SUCCESS; s++)
        for (size_t r = 0; r < what->rows && status == HSA_STATUS_SUCCESS; r++)
            status = copy_now(what->target + s * what->target_slice + r * what->target_pitch,
                              what->source + s * what->source_slice + r * what->source_pitch, what->width);
    return status;
}

/* A copy that fails leaves a negative value in its signal, as AMD's library does. */
static hsa_status_t run(const struct copy *copy) {
    const uint64_t start = wl_now();
    const hsa_status_t status = wl_hsa_copy_rows(&copy->what);
    struct wl_hsa_signal *signal = (struct wl_hsa_signal *)(uintptr_t)copy->completion.handle;
    if (signal && status != HSA_STATUS_SUCCESS) {
        atomic_store(&signal->value, -1);
        wl_hsa_signal_changed(signal);
    } else {
        wl_hsa_signal_complete(copy->completion, start, wl_now());
    }
    return status;
}

/* Appends the copies that were enqueued since the previous call to the list, oldest first. `last`: where the list ends. */
static void take_fresh(struct copy **last) {
    pthread_mutex_lock(&copies.lock);
    struct copy *fresh = copies.fresh, *in_order = NULL;
    copies.fresh = NULL;
    atomic_store(&copies.changed, false);
    pthread_mutex_unlock(&copies.lock);
    while (fresh) {
        struct copy *next = fresh->next;
        fresh->next = in_order;
        in_order = fresh;
        fresh = next;
    }
    *last = in_order;
}

/* Waits for any dependency of the copies, or for more of them. */
static void wait_for_some(const struct copy *pending) {
    enum { MOST = 64 };
    hsa_signal_t signals[MOST];
    int conditions[MOST];
    int64_t values[MOST], value;
    unsigned count = 0;
    for (; pending && count < MOST; pending = pending->next)
        for (uint32_t i = 0; i < pending->count && count < MOST; i++) {
            struct wl_hsa_signal *signal = (struct wl_hsa_signal *)(uintptr_t)pending->dependencies[i].handle;
            if (!signal || atomic_load(&signal->value) == 0)
                continue;
            signals[count] = pending->dependencies[i];
            conditions[count] = HSA_SIGNAL_CONDITION_EQ;
            values[count++] = 0;
        }
    (void)wl_hsa_wait_any(count, signals, conditions, values, UINT64_MAX, false, &copies.changed, &value);
}

static void *serve(void *argument) {
    struct copy *pending = NULL;
    (void)argument;
    for (;;) {
        struct copy **place = &pending;
        bool some = false;
        while (*place) {
            struct copy *copy = *place;
            if (is_ready(copy)) {
                *place = copy->next;
                (void)run(copy);
                free(copy);
                some = true;
            } else {
                place = &copy->next;
            }
        }
        take_fresh(place);
        if (!some && !*place)
            wait_for_some(pending);
    }
    return NULL;
}

static hsa_status_t enqueue(struct copy *copy) {
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&copies.lock);
    if (!copies.running)
        status = wl_hsa_thread(serve, NULL, "hsa-copies");
    copies.running = status == HSA_STATUS_SUCCESS;
    if (copies.running) {
        copy->next = copies.fresh;
        copies.fresh = copy;
        atomic_store(&copies.changed, true);
    }
    pthread_mutex_unlock(&copies.lock);
    if (status == HSA_STATUS_SUCCESS)
        wl_hsa_wake_all();
    else
        free(copy);
    return status;
}

/* Makes the copy at once, or has it made once its dependencies are 0. */
static hsa_status_t submit(const struct copy *asked, uint32_t count, const hsa_signal_t *dependencies) {
    struct copy *copy = malloc(sizeof *copy + count * sizeof *dependencies);
    HSA_REQUIRE(copy, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    *copy = *asked;
    copy->count = count;
    if (count)
        memcpy(copy->dependencies, dependencies, count * sizeof *dependencies);
    if (!is_ready(copy))
        return enqueue(copy);
    const hsa_status_t status = run(copy);
    free(copy);
    return status;
}

HSA hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent, size_t size,
                              uint32_t num_dep_signals, const hsa_signal_t *dep_signals, hsa_signal_t completion_signal) {
    HSA_STARTED();
    HSA_REQUIRE(dst && src && (num_dep_signals == 0) == !dep_signals, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(wl_hsa_agent(dst_agent) && wl_hsa_agent(src_agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(wl_hsa_signal(completion_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
    const struct copy copy = {.what = {.target = dst, .source = src, .width = size, .rows = size > 0, .slices = 1},
                              .completion = completion_signal};
    return submit(&copy, num_dep_signals, dep_signals);
}

/* All engines are as good as each other. */
HSA hsa_amd_memory_async_copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src, hsa_agent_t src_agent, size_t size,
                                        uint32_t num_dep_signals, const hsa_signal_t *dep_signals, hsa_signal_t completion_signal,
                                        int engine_id, bool force_copy_on_sdma) {
    (void)engine_id, (void)force_copy_on_sdma;
    return hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, size, num_dep_signals, dep_signals, completion_signal);
}

static hsa_status_t engines(hsa_agent_t target, hsa_agent_t source, uint32_t *mask) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(target) && wl_hsa_agent(source), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(mask, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *mask = 1;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent, uint32_t *engine_ids_mask) {
    return engines(dst_agent, src_agent, engine_ids_mask);
}

HSA hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent, uint32_t *recommended_ids_mask) {
    return engines(dst_agent, src_agent, recommended_ids_mask);
}

HSA hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset, const hsa_pitched_ptr_t *src,
                                   const hsa_dim3_t *src_offset, const hsa_dim3_t *range, hsa_agent_t copy_agent, int dir,
                                   uint32_t num_dep_signals, const hsa_signal_t *dep_signals, hsa_signal_t completion_signal) {
    HSA_STARTED();
    (void)dir;
    HSA_REQUIRE(dst && dst_offset && src && src_offset && range && (num_dep_signals == 0) == !dep_signals,
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(wl_hsa_agent(copy_agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(wl_hsa_signal(completion_signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
    const struct copy copy = {
        .what = {.target = (char *)dst->base + dst_offset->x + dst_offset->y * dst->pitch + dst_offset->z * dst->slice,
                 .source = (const char *)src->base + src_offset->x + src_offset->y * src->pitch + src_offset->z * src->slice,
                 .width = range->x,
                 .rows = range->x ? range->y : 0,
                 .slices = range->z,
                 .target_pitch = dst->pitch,
                 .source_pitch = src->pitch,
                 .target_slice = dst->slice,
                 .source_slice = src->slice},
        .completion = completion_signal,
    };
    return submit(&copy, num_dep_signals, dep_signals);
}
