/* The global wave sync unit: counters with queues of waves, which all waves of a launch share (ds_gws_*).
 *
 * A launch's resources start as the driver leaves them for a cooperative kernel: a barrier that one wave of each workgroup
 * takes part in. What the operations do: enum wl_gws_op in machine/wave.h. */
#ifndef WL_DEVICE_CPU_RUN_GWS_H
#define WL_DEVICE_CPU_RUN_GWS_H

#include "machine/wave.h"

#include <stdbool.h>
#include <stdint.h>

struct wl_gws;

/* What a wave waits for. */
struct wl_gws_wait {
    uint8_t operation, resource; /* enum wl_gws_op */
    uint32_t phase;
};

/* The unit of a launch of `workgroups`, made by the first thread that needs it; *unit is NULL before. NULL: no memory.
 * Thread-safe. Free with wl_gws_destroy when no wave runs any more. */
struct wl_gws *wl_gws_get(struct wl_gws *_Atomic *unit, uint64_t workgroups);
void wl_gws_destroy(struct wl_gws *unit);

/* Does the operation of a WL_MESSAGE_GWS (`detail`, with its operand). True: done; false: the wave has to wait until
 * wl_gws_released(unit, wait) is true, which it then is once. Thread-safe. */
bool wl_gws_message(struct wl_gws *unit, uint32_t detail, uint32_t value, struct wl_gws_wait *wait);
bool wl_gws_released(struct wl_gws *unit, const struct wl_gws_wait *wait);

#endif
