#include "device/cpu/run/parked.h"
#include "base/assert.h"

#include "device/cpu/memory.h"
#include "device/cpu/run/dispatch.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* Two workgroups exchange their contents. The pointers from waves to their workgroup are set anew. */
static void settle(struct wl_group *group) {
    for (uint32_t i = 0; i < group->fit.states; i++) {
        group->runners[i].group = group;
        group->runners[i].barriers.workgroup = &group->barriers;
        wl_group_wave(group, i)->owner = &group->runners[i];
    }
}

static void exchange(struct wl_group *a, struct wl_group *b) {
    struct wl_group *older = b->older, kept = *a;
    *a = *b;
    *b = kept;
    a->older = a->next = NULL;
    b->older = older;
    settle(a);
    settle(b);
}

/* A place for a workgroup, fit for the job. */
static struct wl_group *make_place(struct wl_job *job) {
    struct wl_parked_groups *parked = &job->parked;
    pthread_mutex_lock(&parked->lock);
    struct wl_group *group = parked->spare;
    if (group)
        parked->spare = group->next;
    pthread_mutex_unlock(&parked->lock);
    if (group)
        return group;
    group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    if (wl_dispatch_fit(job, group) != WL_OK) {
        wl_group_release(group);
        free(group);
        return NULL;
    }
    pthread_mutex_lock(&parked->lock);
    group->older = parked->newest;
    parked->newest = group;
    pthread_mutex_unlock(&parked->lock);
    return group;
}

bool wl_parked_add(struct wl_job *job, struct wl_group *group, uint64_t number) {
    struct wl_group *place = make_place(job);
    if (!place)
        return false;
    exchange(group, place);
    place->number = number;
    place->print = 0;
    place->fuel = 0;
    atomic_fetch_add_explicit(&job->parked.count, 1, memory_order_relaxed);
    wl_parked_put(job, place);
    return true;
}

struct wl_group *wl_parked_take(struct wl_job *job) {
    struct wl_parked_groups *parked = &job->parked;
    pthread_mutex_lock(&parked->lock);
    if (!parked->first) {
        parked->first = parked->after;
        parked->after = NULL;
    }
    struct wl_group *group = parked->first;
    if (group)
        parked->first = group->next;
    pthread_mutex_unlock(&parked->lock);
    return group;
}

void wl_parked_put(struct wl_job *job, struct wl_group *group) {
    struct wl_parked_groups *parked = &job->parked;
    pthread_mutex_lock(&parked->lock);
    wl_assert(!group->done && group->ended < group->wave_count);
    group->next = parked->after;
    parked->after = group;
    pthread_mutex_unlock(&parked->lock);
}

void wl_parked_end(struct wl_job *job, struct wl_group *group) {
    struct wl_parked_groups *parked = &job->parked;
    pthread_mutex_lock(&parked->lock);
    group->next = parked->spare;
    parked->spare = group;
    pthread_mutex_unlock(&parked->lock);
    const uint32_t before = atomic_fetch_sub_explicit(&parked->count, 1, memory_order_relaxed);
    wl_assert(before > 0);
}

uint32_t wl_parked_before(struct wl_job *job, uint64_t number) {
    uint32_t count = 0;
    pthread_mutex_lock(&job->parked.lock);
    for (const struct wl_group *group = job->parked.first; group; group = group->next)
        count += group->number < number;
    for (const struct wl_group *group = job->parked.after; group; group = group->next)
        count += group->number < number;
    pthread_mutex_unlock(&job->parked.lock);
    return count;
}

bool wl_parked_all_taken(struct wl_job *job) {
    pthread_mutex_lock(&job->parked.lock);
    const bool none = !job->parked.first && !job->parked.after;
    pthread_mutex_unlock(&job->parked.lock);
    return none;
}

bool wl_parked_changed(const struct wl_job *job, struct wl_group *group) {
    enum { MOST_SCRATCH = 1 << 16 }; /* of unoptimized code, which has all that it counts there */
    uint64_t print = 1;
    for (uint32_t i = 0; i < group->wave_count; i++) {
        const struct wl_wave *wave = wl_group_wave(group, i);
        if (group->runners[i].state == WL_WAVE_ENDED)
            continue;
        print = XXH3_64bits_withSeed(wave->sgpr, sizeof wave->sgpr + (size_t)wave->vgprs * job->wave_size * sizeof *wave->vgpr,
                                     print + wave->resume);
        if (job->scratch_size)
            print = XXH3_64bits_withSeed(wave->scratch, group->scratch_used < MOST_SCRATCH ? group->scratch_used : MOST_SCRATCH, print);
    }
    bool changed = print != group->print;
    group->print = print;
    return changed;
}

void wl_parked_release(struct wl_job *job) {
    for (struct wl_group *group = job->parked.newest, *older; group; group = older) {
        older = group->older;
        wl_group_release(group);
        free(group);
    }
}
