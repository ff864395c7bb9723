#include "device/cpu/run/gws.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct resource {
    uint32_t counter, waiting /* at semaphores */, phase /* of the barrier: grows when it opens */;
};

struct wl_gws {
    pthread_mutex_t lock; /* over the resources; a leaf */
    struct resource resources[WL_GWS_RESOURCES];
};

struct wl_gws *wl_gws_get(struct wl_gws *_Atomic *unit, uint64_t workgroups) {
    struct wl_gws *known = atomic_load_explicit(unit, memory_order_acquire);
    if (known)
        return known;
    struct wl_gws *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    pthread_mutex_init(&made->lock, NULL);
    for (unsigned i = 0; i < WL_GWS_RESOURCES; i++)
        made->resources[i].counter = (uint32_t)(workgroups - 1);
    if (atomic_compare_exchange_strong(unit, &known, made))
        return made;
    wl_gws_destroy(made);
    return known;
}

void wl_gws_destroy(struct wl_gws *unit) {
    if (!unit)
        return;
    pthread_mutex_destroy(&unit->lock);
    free(unit);
}

/* The wave that finds the counter at 0 opens the barrier, and leaves its operand as the count of the next barrier. */
static bool arrive(struct resource *resource, uint32_t value, struct wl_gws_wait *wait) {
    wait->phase = resource->phase;
    if (resource->counter) {
        resource->counter--;
        return false;
    }
    resource->counter = value;
    resource->phase++;
    return true;
}

static bool take(struct resource *resource) {
    if (!resource->counter)
        return false;
    resource->counter--;
    return true;
}

static bool operate(struct resource *resource, uint32_t value, struct wl_gws_wait *wait) {
    switch ((enum wl_gws_op)wait->operation) {
    case WL_GWS_INIT:
        resource->counter = value;
        break;
    case WL_GWS_BARRIER:
        return arrive(resource, value, wait);
    case WL_GWS_SEMA_V:
        resource->counter++;
        break;
    case WL_GWS_SEMA_BR:
        resource->counter += value;
        break;
    case WL_GWS_SEMA_P:
        if (take(resource))
            return true;
        resource->waiting++;
        return false;
    case WL_GWS_SEMA_RELEASE_ALL:
        resource->counter = resource->waiting;
        break;
    }
    return true;
}

bool wl_gws_message(struct wl_gws *unit, uint32_t detail, uint32_t value, struct wl_gws_wait *wait) {
    wait->operation = (uint8_t)(detail >> 8 & 0xff);
    wait->resource = (uint8_t)(detail % WL_GWS_RESOURCES);
    pthread_mutex_lock(&unit->lock);
    bool done = operate(&unit->resources[wait->resource], value, wait);
    pthread_mutex_unlock(&unit->lock);
    return done;
}

bool wl_gws_released(struct wl_gws *unit, const struct wl_gws_wait *wait) {
    struct resource *resource = &unit->resources[wait->resource];
    pthread_mutex_lock(&unit->lock);
    bool released = wait->operation == WL_GWS_BARRIER ? resource->phase != wait->phase : take(resource);
    if (released && wait->operation == WL_GWS_SEMA_P)
        resource->waiting--;
    pthread_mutex_unlock(&unit->lock);
    return released;
}
