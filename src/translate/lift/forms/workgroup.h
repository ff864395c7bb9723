/* Workgroup mode (analysis/workgroup.h): what loops that are run strip by strip (lift/forms/loop.c) call for each of its waves. */
#ifndef WL_TRANSLATE_LIFT_FORMS_WORKGROUP_H
#define WL_TRANSLATE_LIFT_FORMS_WORKGROUP_H

#include "translate/lift/state.h"

/* At a basic block's start, behind what it spends of fuel. */
void wl_workgroup_start_block(struct wl_lift *l, uint32_t block);
/* Exits, for the waves to go on by themselves at a basic block with a resume point. */
void wl_workgroup_split(struct wl_lift *l, uint32_t block);
/* A loop over the waves, `step` of them side by side; in MASKED code over those that have lanes. The first function returns the loop's
 * latch, which the second is given. */
LLVMBasicBlockRef wl_workgroup_begin_waves(struct wl_lift *l, unsigned step);
void wl_workgroup_end_waves(struct wl_lift *l, LLVMBasicBlockRef latch);
/* Within that loop: the wave's state; the workgroup's number of a strip of the wave, or of the one that is `wave` waves behind it (i64). */
LLVMValueRef wl_workgroup_state(struct wl_lift *l);
LLVMValueRef wl_workgroup_strip(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave);
/* A mask goes to its variable; a wave's part of it (NULL: it is no mask), and back. */
void wl_workgroup_settle_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_workgroup_take_wave(struct wl_lift *l, const struct wl_lift_workgroup *workgroup, unsigned reg);
void wl_workgroup_give_mask(struct wl_lift *l, const struct wl_lift_workgroup *workgroup, unsigned reg, LLVMValueRef mask);

#endif
