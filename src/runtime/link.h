/* Links of a given speed: with WAVELIFT_LINK a copy takes as long as it would over the links of the devices that it leaves and comes to.
 *
 *   in    a copy, before its bytes are moved
 *   out   when it would have arrived; a wait until then
 *
 * Each CPU device has one link, with both directions at once; copies in one direction follow each other. The host has as many links as it needs.
 * What kernels load and store in the memory of others takes no time beside its own. Thread-safe. */
#ifndef WL_RUNTIME_LINK_H
#define WL_RUNTIME_LINK_H

#include "runtime/work.h"

#include <stdint.h>

/* Takes the links for a copy. Returns when the copy arrives, in nanoseconds of CLOCK_MONOTONIC; 0: it takes no link. */
uint64_t wl_link_send(const struct wl_copy *copy);
/* Waits until then. */
void wl_link_arrive(uint64_t arrival);
/* In a forked child: no other thread holds the lock. */
void wl_link_after_fork(void);

#endif
