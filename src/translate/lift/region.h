/* Vector regions: runs of vector instructions that become one loop over the wave's strips. */
#ifndef WL_TRANSLATE_LIFT_REGION_H
#define WL_TRANSLATE_LIFT_REGION_H

#include "translate/lift/state.h"

/* Emits the vector region collected so far. (lift/region.c) */
void wl_lift_flush(struct wl_lift *l);

/* ---- what forms emit it by (form.h) ---- */
/* The masks that the vector region makes, and the variables where they are gathered. */
struct wl_region_masks {
    unsigned count;
    unsigned reg[WL_SGPR_COUNT];
    LLVMValueRef sum[WL_SGPR_COUNT];
};
void wl_region_emit_wave(struct wl_lift *l, const struct wl_region_masks *masks); /* all strips of the wave at hand */
/* One strip, which l->strip is to tell of. The builder stands where l->exec holds. */
void wl_region_emit_strip(struct wl_lift *l, LLVMValueRef in_wave, const struct wl_region_masks *masks);
/* Whether strips may go side by side, instruction by instruction; whether those of so many waves may; and that. */
bool wl_region_goes_abreast(const struct wl_lift *l, const struct wl_region_masks *masks);
bool wl_region_fits_abreast(const struct wl_lift *l, unsigned waves);
void wl_region_emit_abreast(struct wl_lift *l, const struct wl_region_masks *masks, unsigned waves);
/* Whether some item may fault. Then, in a loop, the stack tells which strip it was, and which lanes were on: for those of l->exec in the
 * strip of this number (i64, of all strips); for these lanes (i32) of the one that wl_strip_trace_first has told. */
bool wl_region_has_accesses(const struct wl_lift *l);
void wl_strip_trace(struct wl_lift *l, LLVMValueRef number);
void wl_strip_trace_lanes(struct wl_lift *l, LLVMValueRef lanes);

/* Whether nothing is left to emit. Behind an error what is recorded does not matter: the unit is dropped. */
static inline bool wl_region_is_flushed(const struct wl_lift *l) { return !l->region.item_count || l->status; }

/* ---- recording ---- */
/* Whether the vector region, with its last item, is such that it may have segments. */
bool wl_region_may_segment(const struct wl_lift *l);
/* Adds an item to the vector region, flushing first if the instruction's memory accesses conflict with the vector region's. */
struct wl_item *wl_region_add(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Declares that the vector region's last item makes the mask in scalar register(s) `reg`. */
static inline void wl_region_makes_mask(struct wl_lift *l, unsigned reg) { l->form->makes_mask(l, reg); }
bool wl_region_mask_pending(const struct wl_lift *l, unsigned reg);
/* Where a loop's rounds for one strip begin, whose first lane has this number (i64) among all there are: for fault reports. */
void wl_strip_trace_first(struct wl_lift *l, LLVMValueRef first_lane);

/* ---- memory/order.c ---- */
/* Whether a store may follow those of the vector region's last segment strip by strip: the order of stores to one address by lanes
 * of different strips stays. `effects`: the store's. */
bool wl_store_may_join(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

/* Whether a store may follow the vector region's loads strip by strip: no strip loads what an earlier one has stored. */
bool wl_store_follows_loads(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

#endif
