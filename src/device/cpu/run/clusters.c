#include "device/cpu/run/clusters.h"

#include "device/cpu/memory.h"
#include "device/cpu/run/dispatch.h"
#include "device/cpu/run/exits.h"
#include "device/cpu/run/groups.h"
#include "device/cpu/run/launch.h"
#include "device/cpu/run/workers.h"

#include <stdlib.h>

/* A cluster under way, or a place for one. */
struct wl_resident_cluster {
    struct wl_resident_cluster *next;  /* in the thread's list of those under way, or of free places */
    struct wl_resident_cluster *older; /* in the job's list of all */
    struct wl_cluster cluster;
    uint32_t left; /* workgroups that have not ended */
    struct wl_group groups[];
};

void wl_cluster_join(struct wl_group *group, struct wl_cluster *cluster, uint32_t rank) {
    group->cluster = cluster;
    group->cluster_rank = rank;
}

/* ttmp6: the workgroup's place by four bits a dimension, then the size in workgroups less 1, likewise, then the last rank. */
void wl_cluster_place(const struct wl_launch *launch, struct wl_wave *wave, const uint32_t id[3]) {
    enum { DIMENSION = 4, SIZE = 12, LAST = 24 };
    uint32_t *ttmp = &wave->sgpr[WL_SGPR_TTMP], at[3];
    ttmp[6] = (wl_cluster_workgroups(launch) - 1) << LAST;
    for (unsigned d = 0; d < 3; d++) {
        at[d] = id[d] / launch->cluster[d];
        ttmp[6] |= id[d] % launch->cluster[d] << DIMENSION * d | (launch->cluster[d] - 1) << (SIZE + DIMENSION * d);
    }
    ttmp[9] = at[0];
    ttmp[7] = (at[1] & 0xffff) | at[2] << 16;
}

/* ---- places ------------------------------------------------------------------------------------- */

static void release_groups(struct wl_resident_cluster *resident, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        wl_group_release(&resident->groups[i]);
}

static struct wl_resident_cluster *make_place(struct wl_job *job) {
    const uint32_t count = wl_cluster_workgroups(job->launch);
    struct wl_resident_cluster *made = calloc(1, sizeof *made + count * sizeof *made->groups);
    enum wl_status status = made ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for a cluster of %u workgroups", count);
    for (uint32_t i = 0; i < count && status == WL_OK; i++)
        status = wl_dispatch_fit(job, &made->groups[i]);
    if (status == WL_OK) {
        struct wl_resident_cluster *newest = atomic_load(&job->clusters);
        do
            made->older = newest;
        while (!atomic_compare_exchange_weak(&job->clusters, &newest, made));
        return made;
    }
    wl_job_fail(job, status);
    if (made)
        release_groups(made, count);
    free(made);
    return NULL;
}

void wl_clusters_release(struct wl_job *job) {
    for (struct wl_resident_cluster *resident = atomic_load(&job->clusters), *older; resident; resident = older) {
        older = resident->older;
        release_groups(resident, wl_cluster_workgroups(job->launch));
        free(resident);
    }
}

/* ---- running ------------------------------------------------------------------------------------ */

/* The first workgroup of a cluster. */
static void corner_of(const struct wl_launch *launch, uint64_t number, uint32_t id[3]) {
    for (unsigned d = 0; d < 3; d++) {
        const uint32_t clusters = launch->grid[d] / launch->cluster[d];
        id[d] = (uint32_t)(number % clusters) * launch->cluster[d];
        number /= clusters;
    }
}

/* False: the job failed. */
static bool start(struct wl_job *job, struct wl_thread *thread, struct wl_resident_cluster *resident, uint64_t number) {
    const uint32_t *size = job->launch->cluster, count = wl_cluster_workgroups(job->launch);
    uint32_t corner[3];
    corner_of(job->launch, number, corner);
    wl_cluster_begin(&resident->cluster, count);
    resident->left = count;
    for (uint32_t rank = 0; rank < count; rank++)
        wl_cluster_join(&resident->groups[rank], &resident->cluster, rank);
    for (uint32_t rank = 0; rank < count; rank++) {
        struct wl_group *group = &resident->groups[rank];
        const uint32_t id[3] = {corner[0] + rank % size[0], corner[1] + rank / size[0] % size[1], corner[2] + rank / size[0] / size[1]};
        group->done = false;
        thread->running = &group->runners[0];
        if (wl_group_start(job, thread, group, id) == WL_GROUP_FAILED)
            return false;
    }
    return true;
}

/* One turn for each workgroup. DONE: all have ended. */
static enum wl_progress turn(struct wl_job *job, struct wl_thread *thread, struct wl_resident_cluster *resident) {
    enum { PHASES = 32 }; /* of the workgroup's own barrier */
    const uint32_t count = wl_cluster_workgroups(job->launch);
    enum wl_progress all = WL_GROUP_IDLE;
    for (uint32_t rank = 0; rank < count; rank++) {
        struct wl_group *group = &resident->groups[rank];
        uint32_t phases = PHASES;
        if (group->done)
            continue;
        const enum wl_progress progress = wl_group_step(job, thread, group, &phases);
        if (progress == WL_GROUP_FAILED || wl_job_stopped(job))
            return WL_GROUP_FAILED;
        if (progress == WL_GROUP_DONE) {
            group->done = true;
            resident->left--;
        }
        if (progress != WL_GROUP_IDLE)
            all = WL_GROUP_MOVED;
    }
    return resident->left ? all : WL_GROUP_DONE;
}

/* What a thread has: clusters under way, and free places. */
struct clusters {
    struct wl_resident_cluster *running, *spare;
    uint32_t count;
};

/* Begins the next cluster, if there is one. False: the job failed. */
static bool start_next(struct wl_job *job, struct wl_thread *thread, struct clusters *mine) {
    const uint64_t number = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
    if (number >= job->total / wl_cluster_workgroups(job->launch))
        return true;
    struct wl_resident_cluster *resident = mine->spare, **last = &mine->running;
    if (resident)
        mine->spare = resident->next;
    else if (!(resident = make_place(job)))
        return false;
    while (*last)
        last = &(*last)->next;
    *last = resident;
    resident->next = NULL;
    mine->count++;
    return start(job, thread, resident, number);
}

/* One turn for each cluster. */
static enum wl_progress turns(struct wl_job *job, struct wl_thread *thread, struct clusters *mine) {
    enum wl_progress all = WL_GROUP_IDLE;
    for (struct wl_resident_cluster **at = &mine->running, *resident; (resident = *at);) {
        const enum wl_progress progress = turn(job, thread, resident);
        if (progress == WL_GROUP_FAILED)
            return progress;
        if (progress != WL_GROUP_IDLE)
            all = WL_GROUP_MOVED;
        if (progress != WL_GROUP_DONE) {
            at = &resident->next;
            continue;
        }
        *at = resident->next;
        resident->next = mine->spare;
        mine->spare = resident;
        mine->count--;
    }
    return all;
}

void wl_clusters_run(struct wl_job *job, struct wl_thread *thread) {
    enum { PATIENCE = 128 };
    const uint32_t most = wl_cpu_residents(job) / wl_pool_size(job->device->pool) / wl_cluster_workgroups(job->launch);
    struct clusters mine = {NULL, NULL, 0};
    struct wl_wait wait = {0};
    while (!wl_job_stopped(job)) {
        if (!mine.count || (wait.rounds >= PATIENCE && mine.count < most)) {
            if (!start_next(job, thread, &mine))
                return;
            wait = (struct wl_wait){0};
        }
        if (!mine.count)
            return;
        const enum wl_progress progress = turns(job, thread, &mine);
        thread->running = NULL;
        if (progress == WL_GROUP_FAILED)
            return;
        if (progress == WL_GROUP_IDLE)
            wl_back_off(&wait, WL_WAITING_MORE);
        else
            wait = (struct wl_wait){0};
    }
}
