/* Vector regions: runs of vector instructions that become one loop over the wave's strips. */
#ifndef WL_TRANSLATE_LIFT_REGION_H
#define WL_TRANSLATE_LIFT_REGION_H

#include "translate/lift/state.h"

/* Emits the vector region collected so far. (lift/region.c) */
void wl_lift_flush(struct wl_lift *l);

/* ---- for the forms' functions `emit` (form.h) ---- */
/* The masks that the vector region makes, and the variables where they are gathered. */
struct wl_region_masks {
    unsigned count;
    unsigned reg[WL_SGPR_COUNT];
    LLVMValueRef sum[WL_SGPR_COUNT];
};
void wl_region_emit_wave(struct wl_lift *l, const struct wl_region_masks *masks); /* all strips of the wave at hand */
/* Emits one strip, the wave's strip number `in_wave`; l->strip points to the structure to use for it. The builder must stand where l->exec
 * is computed already. */
void wl_region_emit_strip(struct wl_lift *l, LLVMValueRef in_wave, const struct wl_region_masks *masks);
/* Emitting all strips side by side, that is, each item for all strips before the next item: whether the region allows it; whether it is
 * small enough to do so for this many waves at once; and doing it. */
bool wl_region_goes_abreast(const struct wl_lift *l, const struct wl_region_masks *masks);
bool wl_region_fits_abreast(const struct wl_lift *l, unsigned waves);
void wl_region_emit_abreast(struct wl_lift *l, const struct wl_region_masks *masks, unsigned waves);
/* Whether some item accesses memory, which may fault. For the report of a fault within a loop over strips, code leaves on the stack which
 * strip it is at and which lanes are active. wl_strip_trace notes the strip of this number (i64, among all strips) with the lanes of
 * l->exec; wl_strip_trace_lanes these lanes (i32) of the strip that wl_strip_trace_first has noted. */
bool wl_region_has_accesses(const struct wl_lift *l);
void wl_strip_trace(struct wl_lift *l, LLVMValueRef number);
void wl_strip_trace_lanes(struct wl_lift *l, LLVMValueRef lanes);

/* Whether nothing is left to emit. After an error the answer is yes: the unit is dropped, with what is recorded. */
static inline bool wl_region_is_flushed(const struct wl_lift *l) { return !l->region.item_count || l->status; }

/* ---- recording ---- */
/* Whether the vector region, with its last item, may be divided into segments: it is FULL code, and not too long. */
bool wl_region_may_segment(const struct wl_lift *l);
/* Adds an item to the vector region, flushing first if the instruction's memory accesses conflict with the vector region's. */
struct wl_item *wl_region_add(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Declares that the vector region's last item makes the mask in scalar register(s) `reg`. */
static inline void wl_region_makes_mask(struct wl_lift *l, unsigned reg) { l->form->makes_mask(l, reg); }
bool wl_region_mask_pending(const struct wl_lift *l, unsigned reg);
/* For fault reports, called where a loop that is run strip by strip begins with a strip: notes the number (i64) of the strip's first lane
 * among all lanes that the code is for. */
void wl_strip_trace_first(struct wl_lift *l, LLVMValueRef first_lane);

/* ---- memory/order.c ---- */
/* Whether a store may follow those of the vector region's last segment strip by strip: the order of stores to one address by lanes
 * of different strips stays. `effects`: the store's. */
bool wl_store_may_join(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

/* Whether a store may follow the vector region's loads strip by strip: no strip loads what an earlier one has stored. */
bool wl_store_follows_loads(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

#endif
