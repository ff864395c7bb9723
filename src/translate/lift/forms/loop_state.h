/* What the files of loops share: lift/forms/loop.c, rounds.c, aggregate.c, scalar_tail.c and pairs.c. */
#ifndef WL_TRANSLATE_LIFT_FORMS_LOOP_STATE_H
#define WL_TRANSLATE_LIFT_FORMS_LOOP_STATE_H

#include "translate/analysis/strip_loop.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

/* What wl_lane_base has made: the registers and their kinds (wl_operand.kind), i64. */
struct wl_lane_base {
    unsigned low_kind, high_kind, low, high;
    LLVMValueRef value;
};
#define WL_LANE_BASES 8

struct wl_lift_loop {
    const struct wl_strip_loop *loop;
    const struct wl_form *outer;         /* that the loop stands in */
    bool yields;                         /* strips may be left in the middle of the loop, others being done */
    bool occupied;                       /* EXEC has lanes in the basic block at hand, until it changes */
    LLVMValueRef number, first_lane;     /* i64: the strip, or half of one */
    bool vectors;                        /* masks are <16 x i1> */
    LLVMValueRef mask[WL_SGPR_COUNT];    /* allocas of i32, or such vectors: the strip's part of masks */
    LLVMValueRef row[WL_VGPR_COUNT];     /* allocas of <16 x i32> */
    LLVMValueRef uniform[WL_VGPR_COUNT]; /* i32: what the strip's first active lane has of rows that the loop reads only */
    LLVMValueRef entered[WL_VGPR_COUNT]; /* <16 x i32>: what rows that count begin with */
    LLVMValueRef apart[WL_VGPR_COUNT];   /* of such a row, for the step that was asked about first; NULL */
    uint32_t apart_step[WL_VGPR_COUNT];
    LLVMBasicBlockRef run;              /* where a strip begins: ends with a branch to the header */
    LLVMValueRef before[WL_SGPR_COUNT]; /* masks of the wave where the loop begins; NULL: of no mask */
    LLVMValueRef result[WL_SGPR_COUNT]; /* allocas of mask_type: masks of the strips that are done, and the others' old ones */
    LLVMValueRef state;                 /* the struct wl_wave with the rows */
    LLVMValueRef of_all, first_of_all;  /* i64: the strip's number, and its first lane's, among those of the workgroup */
    LLVMValueRef rounds;                /* alloca of i64: how many more rounds it makes at least; NULL: nobody counts */
    LLVMValueRef limit, stay;           /* <16 x i32>, <16 x i1>: of a loop whose rounds are counted; lanes that may stay in it */
    LLVMValueRef head;                  /* alloca of i32: the counter that the first lane has in such a loop */
    LLVMValueRef lane;                  /* i64: the one lane of the strip whose turn it is, then lane 0 of vectors; NULL: all */
    LLVMValueRef lane_bit;              /* i32: its bit among the strip's */
    LLVMValueRef lane_in_wave;          /* i64: the same, in the wave */
    LLVMValueRef pair[WL_VGPR_COUNT];   /* with `lane`: allocas of i64 that hold rows n and n + 1; NULL */
    struct wl_lane_base bases[WL_LANE_BASES];
    unsigned base_count;
    uint64_t left[2];                      /* lift/forms/scalar_tail.c: masks that no lane is in that is still on when a round begins */
    struct wl_lift_workgroup *workgroup;   /* of which it is a wave; NULL: of none */
    LLVMBasicBlockRef few;                 /* lift/forms/scalar_tail.c: where a strip with few lanes goes */
    LLVMBasicBlockRef strips, latch, done; /* the header over the strips, where the next begins; the end of one */
};

/* ---- lift/forms/loop.c ---- */

/* The strip's part of a mask, as the loop's variables hold it; as i32. */
LLVMValueRef wl_loop_load_slot(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_loop_load_mask(struct wl_lift *l, unsigned reg);
/* Where the strip's part of a row lies in the wave, and what lies in such a place. */
LLVMValueRef wl_loop_row_in_wave(struct wl_lift *l, unsigned row);
LLVMValueRef wl_loop_load_lanes(struct wl_lift *l, LLVMValueRef from);
/* EXEC of the strip, or of the lane whose turn it is, as i32; branches to `after` if it has no lanes. */
LLVMValueRef wl_loop_enter_strip(struct wl_lift *l, LLVMBasicBlockRef after);
bool wl_loop_finish_exec(struct wl_lift *l); /* at a change of EXEC */
/* For the form of a strip, and of a lane (form.h). Masks are in the low bits of mask_type. */
void wl_loop_begin_block(struct wl_lift *l, uint32_t block);
bool wl_loop_instruction(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
void wl_loop_step(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
void wl_loop_yield(struct wl_lift *l, uint32_t block);
void wl_loop_take_mask(struct wl_lift *l, unsigned reg, LLVMValueRef sum);
LLVMValueRef wl_loop_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_loop_spread(struct wl_lift *l, LLVMValueRef mask);
LLVMValueRef wl_loop_uniform(struct wl_lift *l, unsigned row);
LLVMValueRef wl_loop_first_index(struct wl_lift *l, unsigned row);
enum wl_gathers wl_loop_gathers(const struct wl_lift *l);

/* ---- lift/forms/rounds.c ---- */

/* Decides how the loop is run: for how many lanes at a time (l->strip_lanes), and whether rounds are counted. */
void wl_rounds_choose(struct wl_lift *l);
/* How many rounds the strip makes at least whose first lane this is; `masks`: of the wave where the loop begins, NULL: of no mask. */
LLVMValueRef wl_rounds_count(struct wl_lift *l, LLVMValueRef *masks, LLVMValueRef first_lane);
/* Where a strip begins that makes so many. */
void wl_rounds_begin(struct wl_lift *l, LLVMValueRef count);
/* The strip's EXEC behind a round. */
LLVMValueRef wl_rounds_still_on(struct wl_lift *l, LLVMValueRef exec);
/* Ends the basic block at hand if it is where a strip may leave the loop and rounds are counted. False: it ends as others do. */
bool wl_rounds_leave(struct wl_lift *l);
LLVMValueRef wl_rounds_index_in_groups(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step); /* form.h */

/* ---- lift/forms/aggregate.c ---- */

/* Lifts an instruction marked as part of an aggregated atomic, but for stores. */
void wl_loop_aggregate(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);

/* ---- lift/forms/scalar_tail.c: the few lanes that a strip has left, one after the other ---- */

/* Fills the block where a strip's rounds begin: goes to a new one, which is returned, or, with `most` lanes or less, to wl_lanes_lift's. */
LLVMBasicBlockRef wl_lanes_branch(struct wl_lift *l, LLVMBasicBlockRef header, unsigned most);
/* Lifts the loop for one lane at a time, as it is where a round begins, and goes to the strip's end. blocks: by basic block, of the strip.
 */
void wl_lanes_lift(struct wl_lift *l, const LLVMBasicBlockRef *ir_blocks);

/* The lane's element as a vector, and of one. */
LLVMValueRef wl_lane_vector(struct wl_lift *l, LLVMValueRef element);
LLVMValueRef wl_lane_value(struct wl_lift *l, LLVMValueRef vector);

/* ---- lift/forms/pairs.c: register pairs of one lane as numbers of 64 bits ---- */

/* Makes the alloca of a row of the loop that one lane has: in->row, or one in in->pair with the row behind it where the loop makes sums of
 * 64 bits in the two. Called in order of rows. */
void wl_pairs_make_row(struct wl_lift *l, unsigned row);
/* The lane's element of a row, i32. */
LLVMValueRef wl_pairs_load_row(struct wl_lift *l, unsigned row);
void wl_pairs_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
/* For the form (form.h). */
LLVMValueRef wl_pairs_load(struct wl_lift *l, unsigned row);
bool wl_pairs_store(struct wl_lift *l, unsigned row, LLVMValueRef pair);
void wl_pairs_sum_low(struct wl_lift *l, const struct wl_item *item, struct wl_pair_sum *sum);
LLVMValueRef wl_pairs_sum_high(struct wl_lift *l, const struct wl_item *item, const struct wl_index *known);

#endif
