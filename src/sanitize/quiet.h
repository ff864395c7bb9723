/* How long nothing has happened: after WL_SAN_PATIENCE_NS synccheck says that what waits will wait for ever. */
#ifndef WL_SANITIZE_QUIET_H
#define WL_SANITIZE_QUIET_H

#include "base/clock.h"

#define WL_SAN_PATIENCE_NS UINT64_C(3000000000)

/* Begins as all zeros. Several threads need a lock. */
struct wl_san_quiet {
    uint64_t seen, since;
};

/* Nanoseconds since a look at the count of what happens first found the number that it has now. */
static inline uint64_t wl_san_quiet_for(struct wl_san_quiet *quiet, uint64_t count) {
    const uint64_t now = wl_now();
    if (count != quiet->seen || !quiet->since) {
        quiet->seen = count;
        quiet->since = now;
    }
    return now - quiet->since;
}

#endif
