/* A workgroup as one wave (analysis/gang.h): all but the first two functions with l->gang. */
#ifndef WL_TRANSLATE_LIFT_FORMS_GANG_H
#define WL_TRANSLATE_LIFT_FORMS_GANG_H

#include "translate/lift/state.h"

/* Prepares l for it. False: l->status says why not, or there is no memory. */
bool wl_gang_create(struct wl_lift *l);
void wl_gang_release(struct wl_lift *l);
/* Ends the entry block: loads what the unit starts with. */
void wl_gang_enter(struct wl_lift *l);
/* Lifts all pieces, in both forms. */
void wl_gang_lift(struct wl_lift *l);
/* Masks of the gang, vectors of the waves' masks: of a scalar register; of one wave's mask that all waves have. */
LLVMValueRef wl_gang_mask(struct wl_lift *l, unsigned reg);
void wl_gang_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask);
LLVMValueRef wl_gang_spread(struct wl_lift *l, LLVMValueRef mask);
/* Whether EXEC has some lanes, or none. */
LLVMValueRef wl_gang_has_lanes(struct wl_lift *l, bool some);
/* A loop over the waves; in MASKED code over those that have lanes. The first function returns the loop's latch,
 * which the second is given. */
LLVMBasicBlockRef wl_gang_begin_waves(struct wl_lift *l, unsigned step);
void wl_gang_end_waves(struct wl_lift *l, LLVMBasicBlockRef latch);
/* With l->row_slots the waves' code stands one behind the other, each wave's between these two: the wave's number is a constant. The
 * first function returns the block behind the wave's code, which the second is given. */
LLVMBasicBlockRef wl_gang_begin_wave(struct wl_lift *l, unsigned wave);
void wl_gang_end_wave(struct wl_lift *l, LLVMBasicBlockRef after);
/* The work items' ids that a register has in a strip when the kernel starts; NULL: it has none. */
LLVMValueRef wl_gang_ids(struct wl_lift *l, unsigned row, unsigned strip);
/* The state of a wave, anywhere. */
LLVMValueRef wl_gang_state_of(struct wl_lift *l, unsigned wave);
/* For lift/forms/loop.c, which runs each wave's strips: a mask goes to its variable; a wave's part of it (NULL: it is no mask), and back. */
void wl_gang_settle_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_gang_take_wave(struct wl_lift *l, const struct wl_lift_gang *gang, unsigned reg);
void wl_gang_give_mask(struct wl_lift *l, const struct wl_lift_gang *gang, unsigned reg, LLVMValueRef mask);
/* Where MASKED code of a piece begins. */
LLVMBasicBlockRef wl_gang_masked_block(const struct wl_lift *l, uint32_t piece);
/* Within the loop: the wave's state; the gang's number of a strip of the wave (i64); the wave's part of a mask, and of EXEC. */
LLVMValueRef wl_gang_state(struct wl_lift *l, unsigned wave);
LLVMValueRef wl_gang_strip(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave);
LLVMValueRef wl_gang_wave_mask(struct wl_lift *l, LLVMValueRef mask);
LLVMValueRef wl_gang_wave_exec(struct wl_lift *l);
/* Puts the wave's part of a mask that the loop makes (0 for those left out), and behind the loop takes all of them as the register's. */
void wl_gang_put_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask);
void wl_gang_take_mask(struct wl_lift *l, unsigned reg);
/* Behind a plain write to a scalar register. */
void wl_gang_written(struct wl_lift *l, unsigned reg);
/* Lifts an instruction if it works on masks; steps over any, behind it. */
bool wl_gang_instruction(struct wl_lift *l, const struct wl_inst *inst);
void wl_gang_step_over(struct wl_lift *l, const struct wl_inst *inst);
/* At a piece's start; at its end, where EXEC changed. */
void wl_gang_begin_piece(struct wl_lift *l, uint32_t piece);
void wl_gang_finish_exec(struct wl_lift *l);
/* Exits, for the waves to go on by themselves at a piece with a resume point. */
void wl_gang_split(struct wl_lift *l, uint32_t piece);

#endif
