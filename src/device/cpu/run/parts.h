/* How the workgroups of a job are handed out to threads.
 *
 * Each participating thread has a part of the grid. It takes runs of workgroups from the front of its part. When its part is empty, it
 * takes half of what another thread has left. So threads share a cache line only when work moves from one to another, neighbours in
 * the grid run on the same thread, and a grid that is launched again finds its memory in the caches where it was.
 *
 * If workgroups of a job may wait for earlier ones, they are handed out in order instead, from one counter. If workgroups wait of which that
 * was not known, threads begin the lowest one that nobody has begun, whoever's part it is in. */
#ifndef WL_DEVICE_CPU_RUN_PARTS_H
#define WL_DEVICE_CPU_RUN_PARTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { WL_MAX_PARTS = 256 };

struct wl_part {
    _Alignas(64) _Atomic uint64_t span; /* what is left: first unit << 32 | unit behind the last one */
};

struct wl_parts {
    uint64_t total; /* workgroups */
    uint32_t unit;  /* workgroups in a unit, mostly 1: spans have 32 bits for each end */
    uint32_t count; /* parts */
    struct wl_part part[WL_MAX_PARTS];
};

/* Spreads `total` workgroups over `count` parts, 1 to WL_MAX_PARTS. */
void wl_parts_init(struct wl_parts *parts, uint64_t total, uint32_t count);
/* Takes the next run of at most about `most` workgroups for the owner of a part, from another's part if its own is empty. Several
 * threads may call it at once, each with a part of its own. False: nothing is left. */
bool wl_parts_take(struct wl_parts *parts, uint32_t own, uint64_t most, uint64_t *first, uint64_t *end);

/* The lowest workgroup that nobody has taken; `total` if there is none. Others may take it meanwhile. */
uint64_t wl_parts_lowest(const struct wl_parts *parts);
/* Takes the unit that begins with workgroup `first`. False: somebody else has taken it. Any thread may call it. */
bool wl_parts_take_lowest(struct wl_parts *parts, uint64_t first, uint64_t *end);

#endif
