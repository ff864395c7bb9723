/* forms/: the forms of code for CPUs.
 *
 *   in    what instructions and the frame of a unit's function ask through struct wl_form (form.h says what each function does)
 *   out   LLVM IR that reaches registers and masks where this form keeps them
 *
 *   wave.c         a wave                          loop.h         a loop that is run strip by strip, rounds.c, aggregate.c: its rounds,
 *   workgroup.h    a workgroup's waves as one                     and its aggregated atomics; loop_state.h: struct wl_lift_loop
 *   scalar_tail.c  a loop's last lanes             pairs.c        their sums of 64 bits
 *
 * This header is what all of them share: vectors of 16 lanes for a strip. */
#ifndef WL_TRANSLATE_LIFT_FORMS_STRIP_H
#define WL_TRANSLATE_LIFT_FORMS_STRIP_H

#include "translate/lift/inst/inst.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

/* The functions of such forms that are the same in all of them. */
#define WL_FORM_OF_STRIPS                                                                                                                  \
    .row = wl_strip_row_value, .row_all_lanes = wl_strip_every_lane, .pair = wl_strip_pair_value, .set_row = wl_strip_put_row,             \
    .set_pair = wl_strip_put_pair, .made_mask = wl_strip_made_mask, .makes_mask = wl_strip_makes_mask, .set_mask = wl_strip_note_mask,     \
    .record_mask = wl_strip_record_mask, .lds_direct = wl_lane_lds_direct, .image = wl_strip_image,                                        \
    .mode_register = wl_strip_mode_register, .find_semantics = wl_strip_find_semantics, .link_semantics = wl_lift_link_semantics,          \
    .change_sign = wl_strip_change_sign, .keep_wide = wl_strip_keep_wide, .snapshot = wl_lane_snapshot, .dpp = wl_dpp_source,              \
    .dpp_enabled = wl_dpp_enabled

LLVMValueRef wl_strip_row_value(struct wl_lift *l, unsigned row);
LLVMValueRef wl_strip_every_lane(struct wl_lift *l, unsigned row);
LLVMValueRef wl_strip_pair_value(struct wl_lift *l, unsigned row);
void wl_strip_put_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
void wl_strip_put_pair(struct wl_lift *l, unsigned row, LLVMValueRef value);
LLVMValueRef wl_strip_made_mask(struct wl_lift *l, unsigned reg);
void wl_strip_makes_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_strip_record_mask(struct wl_lift *l, unsigned reg);
void wl_strip_note_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes);
LLVMValueRef wl_strip_image(struct wl_lift *l);
LLVMValueRef wl_strip_mode_register(struct wl_lift *l);
const struct wl_sem *wl_strip_find_semantics(const struct wl_lift *l, const char *mnemonic);
LLVMValueRef wl_strip_change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate);
LLVMValueRef wl_strip_keep_wide(struct wl_lift *l, LLVMValueRef value);

/* Those that are the same in some. Rows in the state of the strip's wave, or in their slots. */
LLVMValueRef wl_strip_load_row(struct wl_lift *l, unsigned row);
void wl_strip_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
LLVMValueRef wl_strip_join_rows(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high);
LLVMValueRef wl_strip_half(struct wl_lift *l, LLVMValueRef pair, bool high);
LLVMValueRef wl_strip_spread_none(struct wl_lift *l, LLVMValueRef mask);            /* one wave: its mask */
LLVMValueRef wl_strip_test_mask(struct wl_lift *l, unsigned reg, bool some);        /* mask_type is an integer */
bool wl_strip_wants_mask(const struct wl_lift *l, unsigned reg);                    /* all are wanted: passes drop what nobody uses */
void wl_strip_gather_mask(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef sum); /* at the strip's place in the wave */

enum wl_gathers wl_strip_gathers(const struct wl_lift *l);

/* Two masks combined (enum wl_mask_logic), of any type. */
LLVMValueRef wl_mask_combine(struct wl_lift *l, unsigned logic, LLVMValueRef a, LLVMValueRef b);

/* The active lanes among these, as i16; bits like wave_mask put with those that `sum` has. */
LLVMValueRef wl_strip_mask_bits(struct wl_lift *l, LLVMValueRef lanes);
void wl_strip_add_bits(struct wl_lift *l, LLVMValueRef bits, LLVMValueRef sum);

#endif
