/* Stretches: runs of vector instructions that become one loop over the wave's strips. */
#ifndef WL_TRANSLATE_LIFT_STRETCH_H
#define WL_TRANSLATE_LIFT_STRETCH_H

#include "translate/lift/state.h"

/* Emits the stretch collected so far. (lift/stretch.c) */
void wl_lift_flush(struct wl_lift *l);
/* Whether the stretch, with its last item, is such that it may have segments. */
bool wl_stretch_may_segment(const struct wl_lift *l);
/* Adds an item to the stretch, flushing first if the instruction's memory accesses conflict with the stretch's. */
struct wl_item *wl_stretch_add(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Declares that the stretch's last item makes the mask in scalar register(s) `reg`. */
static inline void wl_stretch_makes_mask(struct wl_lift *l, unsigned reg) { l->form->makes_mask(l, reg); }
bool wl_stretch_mask_pending(const struct wl_lift *l, unsigned reg);
/* Where a loop's rounds for one strip begin, whose first lane has this number (i64) among all there are: for fault reports. */
void wl_strip_trace_first(struct wl_lift *l, LLVMValueRef first_lane);

/* ---- memory/order.c ---- */
/* Whether a store may follow those of the stretch's last segment strip by strip: the order of stores to one address by lanes
 * of different strips stays. `effects`: the store's. */
bool wl_store_may_join(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

/* Whether a store may follow the stretch's loads strip by strip: no strip loads what an earlier one has stored. */
bool wl_store_follows_loads(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

#endif
