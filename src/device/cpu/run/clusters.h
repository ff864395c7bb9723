/* Launches in clusters: workgroups that are resident together and share a barrier (gfx1250).
 *
 * A thread takes a cluster at a time and gives turns to its workgroups until all have ended. Clusters may wait for others, as workgroups may:
 * if nothing moves, the thread begins one more beside those that it has. In a cooperative launch all workgroups are resident anyhow, and any
 * thread runs them (waiting.c). */
#ifndef WL_DEVICE_CPU_RUN_CLUSTERS_H
#define WL_DEVICE_CPU_RUN_CLUSTERS_H

#include "device/cpu/cpu.h"

/* The cluster and the place in it of a workgroup. */
static inline uint64_t wl_cluster_number(const struct wl_launch *launch, const uint32_t id[3]) {
    const uint32_t *size = launch->cluster, *grid = launch->grid;
    return id[0] / size[0] + (uint64_t)(grid[0] / size[0]) * (id[1] / size[1] + (uint64_t)(grid[1] / size[1]) * (id[2] / size[2]));
}

static inline uint32_t wl_cluster_rank(const struct wl_launch *launch, const uint32_t id[3]) {
    const uint32_t *size = launch->cluster;
    return id[0] % size[0] + size[0] * (id[1] % size[1] + size[1] * (id[2] % size[2]));
}

static inline uint32_t wl_cluster_workgroups(const struct wl_launch *launch) {
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

/* Makes a fitted workgroup one of a cluster. */
void wl_cluster_join(struct wl_group *group, struct wl_cluster *cluster, uint32_t rank);
/* The registers that tell a wave its cluster and its workgroup's place there. */
void wl_cluster_place(const struct wl_launch *launch, struct wl_wave *wave, const uint32_t id[3]);
/* Runs clusters until none is left. The calling thread's. */
void wl_clusters_run(struct wl_job *job, struct wl_thread *thread);
/* Frees what the job's clusters had. */
void wl_clusters_release(struct wl_job *job);

#endif
