/* Loops that are run for one strip after the other (analysis/strip_loop.h): all but the first function within one (l->in_loop). */
#ifndef WL_TRANSLATE_LIFT_FORMS_LOOP_H
#define WL_TRANSLATE_LIFT_FORMS_LOOP_H

#include "translate/analysis/strip_loop.h"
#include "translate/lift/state.h"

/* Lifts such a loop behind its header's block; the builder is left where it is over for all strips, with EXEC 0. */
void wl_lift_strip_loop(struct wl_lift *l, const struct wl_strip_loop *loop);
/* A mask of the strip's lanes, in the low bits of mask_type; of a scalar register, or of a wave's mask. */
LLVMValueRef wl_loop_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_loop_slice(struct wl_lift *l, LLVMValueRef mask);
/* Two masks combined, for gangs too. */
LLVMValueRef wl_mask_combine(struct wl_lift *l, unsigned logic, LLVMValueRef a, LLVMValueRef b);
void wl_loop_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask);
/* Lifts an instruction marked on_strip_masks. */
void wl_loop_mask_work(struct wl_lift *l, const struct wl_inst *inst);
/* Behind each instruction: masks follow the scalars that it wrote. */
void wl_loop_step(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Rows between stretches. Inactive lanes keep what they have where that is used. */
LLVMValueRef wl_loop_load_row(struct wl_lift *l, unsigned row);
void wl_loop_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
/* What the first lane has of a row, as an i32, if that is followed as a scalar: the counter of a loop whose rounds are counted; else NULL. */
LLVMValueRef wl_loop_head(struct wl_lift *l, unsigned row);
/* The one value (i32) of a row that is the same in all active lanes, if the loop does not write it; else NULL. */
LLVMValueRef wl_loop_uniform(const struct wl_lift *l, unsigned row);
/* Sets l->exec for the strip; branches to `after` if it has no lanes. */
void wl_loop_strip(struct wl_lift *l, LLVMBasicBlockRef after);
/* Of a row that counts in the loop (rows_counting; else NULL): the lanes, in the low bits of an i32, that do not have what the first lane of
 * their group of eight says, `step` more for each lane behind it. That stays so in all rounds, and is looked at where they begin. */
LLVMValueRef wl_loop_apart(struct wl_lift *l, unsigned row, uint32_t step);
/* The same for all active lanes and all rounds, as an i1 from before the first one, where rounds are counted by this row: `true` if they
 * have what their group's first lane says, with no wrap on the way to it (as numbers with a sign, or without). NULL: it is another row. */
LLVMValueRef wl_loop_in_groups(struct wl_lift *l, unsigned row, uint32_t step, bool is_signed);
LLVMValueRef wl_loop_strip_number(const struct wl_lift *l);
LLVMValueRef wl_loop_strip_of_all(const struct wl_lift *l); /* of a gang's */
LLVMValueRef wl_loop_first_lane(const struct wl_lift *l);   /* its first lane's number, of a gang's; i64 */
/* Whether the loop is run for half a strip at a time: lanes from WL_GROUP on are off, and their registers 0. */
bool wl_loop_halves(const struct wl_lift *l);
/* Ends the piece at hand if it is where a strip may leave the loop and rounds are counted. False: it ends as others do. */
bool wl_loop_leave(struct wl_lift *l);
/* lift/forms/scalar_tail.c: whether one lane's turn it is. It is lane 0 of vectors then; nobody wants the others. */
bool wl_lane_alone(const struct wl_lift *l);
/* Its number, among those of all strips, as i64, and its bit among the strip's, as i32. */
LLVMValueRef wl_lane_number(const struct wl_lift *l);
LLVMValueRef wl_lane_bit(const struct wl_lift *l);
/* Two halves as i64, made where the lanes' turns begin, if the loop does not change them: scalars, or rows that the caller knows to be
 * the same in all active lanes. NULL: it may. */
LLVMValueRef wl_lane_base(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high);
/* Its element as a vector, and of one. */
LLVMValueRef wl_lane_vector(struct wl_lift *l, LLVMValueRef element);
LLVMValueRef wl_lane_value(struct wl_lift *l, LLVMValueRef vector);
/* lift/forms/pairs.c: whether rows n and n + 1 of the lane lie together, and those as one number, as a vector of it. */
bool wl_pairs_has(const struct wl_lift *l, unsigned row);
LLVMValueRef wl_pairs_load(struct wl_lift *l, unsigned row);
void wl_pairs_store(struct wl_lift *l, unsigned row, LLVMValueRef pair);
/* Before the instruction is emitted that makes the low half of a sum: what it adds. */
struct wl_pair_sum wl_pairs_low(struct wl_lift *l, const struct wl_item *item);
/* Before the one that makes the high half: the sum, as a vector; NULL: it does not belong to the low half. `known`: the same as an
 * index, or NULL. */
LLVMValueRef wl_pairs_sum(struct wl_lift *l, const struct wl_item *item, const struct wl_index *known);
/* Whether the loop writes to memory (wl_strip_loop.writes). */
bool wl_loop_writes(const struct wl_lift *l);
/* lift/forms/ticket.c: lifts an instruction marked as part of a ticket, but for stores. */
void wl_loop_ticket(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Puts the wave together as it is when this strip is at `piece`: to exit there. True: it was a gang's, which has been split. */
bool wl_loop_yield(struct wl_lift *l, uint32_t piece);

#endif
