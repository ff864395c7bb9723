/* gfx12's barriers (enum wl_barrier_op): which waves they let pass.
 *
 * A barrier opens when all its signals have come: its phase grows. A wave that waits passes if the phase is another than when it joined or
 * passed last, so that it may signal first and wait later. All waves of a workgroup run on one thread; the workgroups of a cluster may run
 * on several. */
#ifndef WL_DEVICE_CPU_HELPERS_BARRIERS_H
#define WL_DEVICE_CPU_HELPERS_BARRIERS_H

#include "machine/processor.h"
#include "machine/wave.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Workgroups that are resident together, at most WL_CLUSTER_WORKGROUPS. */
struct wl_cluster {
    _Atomic uint64_t barrier; /* bits 15:0: workgroups that have not ended, 31:16: signals, 63:32: the phase */
    uint32_t count;
};

/* A workgroup's. The dispatcher counts the waves that wait at the workgroup's own barrier, and opens it. */
struct wl_barriers {
    struct {
        uint32_t members, signals, phase;
    } named[WL_NAMED_BARRIERS + 1]; /* by number; [0]: not used */
    uint32_t waves;
    uint32_t waiting;           /* waves at the workgroup's own barrier */
    uint32_t signaled;          /* waves that have signaled it, and do not wait yet */
    bool split;                 /* some wave has signaled it apart from waiting */
    uint32_t rank;              /* the workgroup's number in its cluster */
    struct wl_cluster *cluster; /* NULL: none */
};

/* A wave's. wl_wave.owner points to one, or is NULL: then barriers are nothing. */
struct wl_wave_barriers {
    struct wl_barriers *workgroup;
    uint32_t seen, cluster_seen; /* phases of the barrier that it joined last, and of the cluster's */
    uint8_t joined;              /* a named barrier; 0: none */
    bool signaled, passed;       /* the workgroup's own barrier: has signaled it and does not wait; it has opened since */
};

/* A workgroup of `waves` begins, or a wave of it. */
void wl_barriers_begin(struct wl_barriers *barriers, uint32_t waves, struct wl_cluster *cluster, uint32_t rank);
void wl_barriers_begin_wave(struct wl_wave_barriers *wave, struct wl_barriers *barriers);
/* Whether a wave passes the barrier of a WL_MESSAGE_BARRIER: a named one, or the cluster's. If so it does. */
bool wl_barriers_pass(struct wl_wave_barriers *wave, uint32_t detail);
/* A wave comes to the workgroup's own barrier. False: it passes. */
bool wl_barriers_arrive(struct wl_wave_barriers *wave);
/* A wave ends, or all waves of a workgroup have. */
void wl_barriers_end_wave(struct wl_wave_barriers *wave);
void wl_barriers_end(struct wl_barriers *barriers);

enum { WL_CLUSTER_BARRIER = -3 }; /* its number */

/* The cluster that a wave's workgroup is in, or NULL. */
const struct wl_cluster *wl_wave_cluster(const struct wl_wave *wave);
/* What HW_REG_IB_STS2 says of clusters: bits 9:6: not 0 in one; 24:21: the workgroup's rank there. */
uint32_t wl_cluster_status(const struct wl_wave *wave);
/* Whether the wave's workgroup takes part in a load for the workgroups of `mask`, a bit for each rank in the cluster. Each of these workgroups
 * issues the load itself and writes its own LDS alone; hardware reads memory once for all of them. Without a mask, or outside a cluster, a
 * workgroup loads for itself. */
bool wl_cluster_takes(const struct wl_wave *wave, uint32_t mask);
void wl_cluster_begin(struct wl_cluster *cluster, uint32_t workgroups);

#endif
