/* What may be under way, such as stores that nobody has waited for, along all ways through a unit. (spread.c) */
#ifndef WL_TRANSLATE_REWRITE_SPREAD_H
#define WL_TRANSLATE_REWRITE_SPREAD_H

#include "translate/unit/unit.h"

/* What may be under way behind a basic block if this was at its begin: bits, each of a kind of work. More at the begin never makes less behind. The
 * function may mark instructions: it is called for each block until nothing changes, the last time with what is right. */
typedef uint8_t wl_unit_follow(struct wl_unit *unit, const struct wl_block *block, uint8_t under_way);

/* Follows all basic blocks until nothing changes. `anything`: what callers may have left under way where the unit is no kernel. WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_spread(struct wl_unit *unit, uint8_t anything, wl_unit_follow *follow);

#endif
