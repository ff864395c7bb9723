/* What the files of loops share: lift/forms/loop.c, rounds.c, aggregate.c, scalar_tail.c and pairs.c. */
#ifndef WL_TRANSLATE_LIFT_FORMS_LOOP_STATE_H
#define WL_TRANSLATE_LIFT_FORMS_LOOP_STATE_H

#include "translate/analysis/strip_loop.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

/* An address that wl_lane_base has computed (i64), and the two registers that it is made of, with their kinds (wl_operand.kind). */
struct wl_lane_base {
    unsigned low_kind, high_kind, low, high;
    LLVMValueRef value;
};
#define WL_LANE_BASES 8

/* A loop while it is lifted. The code that is made has a loop over the strips around it: "the strip" is the one whose turn it is there. */
struct wl_lift_loop {
    const struct wl_strip_loop *loop;
    const struct wl_form *outer; /* the form of the code around the loop */
    bool yields;                 /* the wave may yield in a round of one strip, when some strips are done and others have not begun */
    bool occupied;               /* EXEC is known to have lanes in the basic block at hand, until it changes */

    /* The strip: its number and that of its first lane, in the wave, and among all strips and lanes of the workgroup. All are i64. A loop
     * may be run for half a strip at a time (l->strip_lanes); then these are of the half. */
    LLVMValueRef number, first_lane, of_all, first_of_all;
    LLVMValueRef state; /* the struct wl_wave that has its registers */

    /* Its registers. */
    bool vectors;                        /* masks are <16 x i1>, else i32 */
    LLVMValueRef mask[WL_SGPR_COUNT];    /* allocas: the strip's part of each mask */
    LLVMValueRef row[WL_VGPR_COUNT];     /* allocas of <16 x i32> */
    LLVMValueRef uniform[WL_VGPR_COUNT]; /* i32: of rows that the loop does not write, the value in the strip's first active lane */
    LLVMValueRef entered[WL_VGPR_COUNT]; /* <16 x i32>: of rows that count (rows_counting), the value before the first round */
    /* i32: of such a row, a bit for each lane whose value is not that of the first lane of its group of eight plus `apart_step` for each lane
     * in between. For the step that was asked for first; NULL: nobody has asked yet. */
    LLVMValueRef apart[WL_VGPR_COUNT];
    uint32_t apart_step[WL_VGPR_COUNT];

    /* Masks of the whole wave. */
    LLVMValueRef before[WL_SGPR_COUNT]; /* where the loop begins; NULL: the register holds no mask */
    /* Allocas of mask_type: strips that are done have their new bits there, the others their old ones. */
    LLVMValueRef result[WL_SGPR_COUNT];

    /* A loop whose rounds are counted (struct wl_strip_rounds). */
    LLVMValueRef rounds; /* alloca of i64: how many more rounds the strip makes at least; NULL: rounds are not counted */
    LLVMValueRef limit;  /* <16 x i32> */
    LLVMValueRef stay;   /* <16 x i1>: lanes that were not in the mask `left` before the first round */
    LLVMValueRef head;   /* alloca of i32: the counter of the strip's first lane */

    /* The scalar tail (lift/forms/scalar_tail.c), which runs the last lanes of a strip one after the other. */
    LLVMValueRef lane;                /* i64: the lane of the strip whose turn it is, which is lane 0 of vectors then; NULL: all lanes */
    LLVMValueRef lane_bit;            /* i32: that lane's bit in masks of the strip */
    LLVMValueRef lane_in_wave;        /* i64: that lane's number in the wave */
    LLVMValueRef pair[WL_VGPR_COUNT]; /* allocas of i64 that hold rows n and n + 1 of that lane; NULL: they are in row[n] and row[n + 1] */
    struct wl_lane_base bases[WL_LANE_BASES];
    unsigned base_count;
    uint64_t left[2];      /* masks that, where a round begins, have none of the lanes that are still on */
    LLVMBasicBlockRef few; /* where a strip goes that has few lanes left */

    struct wl_lift_workgroup *workgroup; /* the workgroup that the wave is one of, in workgroup mode; else NULL */
    LLVMBasicBlockRef run;               /* where the rounds of a strip are prepared; it ends with a branch to the header */
    LLVMBasicBlockRef strips;            /* the header of the loop over strips */
    LLVMBasicBlockRef latch;             /* where the next strip's turn begins, or the loop over strips ends */
    LLVMBasicBlockRef done;              /* behind the loop over strips */
};

/* ---- lift/forms/loop.c ---- */

/* The strip's part of a mask: as the loop's variables hold it (`vectors`), and as i32. */
LLVMValueRef wl_loop_load_slot(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_loop_load_mask(struct wl_lift *l, unsigned reg);
/* A mask (i32) as variables of a loop hold it, and back. `vectors`: they hold <16 x i1>. */
LLVMValueRef wl_loop_to_slot(struct wl_lift *l, bool vectors, LLVMValueRef bits);
LLVMValueRef wl_loop_from_slot(struct wl_lift *l, bool vectors, LLVMValueRef mask);
/* Where the wave's state has the strip's part of a row; and a load of a strip's lanes from such a place. */
LLVMValueRef wl_loop_row_in_wave(struct wl_lift *l, unsigned row);
LLVMValueRef wl_loop_load_lanes(struct wl_lift *l, LLVMValueRef from);
/* EXEC of the strip, or of the lane whose turn it is, as i32. The code that is made goes to `after` if no lane is on. */
LLVMValueRef wl_loop_enter_strip(struct wl_lift *l, LLVMBasicBlockRef after);
bool wl_loop_finish_exec(struct wl_lift *l); /* ends a basic block that changed EXEC */
/* Functions of struct wl_form (form.h) that the forms of a strip and of a lane share. Masks are in the low bits of mask_type. */
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
/* How many rounds the strip that begins with lane `first_lane` makes at least. `masks`: of the wave where the loop begins; NULL: of no mask. */
LLVMValueRef wl_rounds_count(struct wl_lift *l, LLVMValueRef *masks, LLVMValueRef first_lane);
/* Prepares the rounds of a strip that makes `count` rounds at least. */
void wl_rounds_begin(struct wl_lift *l, LLVMValueRef count);
/* The strip's EXEC behind a round. */
LLVMValueRef wl_rounds_still_on(struct wl_lift *l, LLVMValueRef exec);
/* Ends the basic block at hand if it is where a strip may leave the loop and rounds are counted. False: it ends as others do. */
bool wl_rounds_leave(struct wl_lift *l);
/* index_in_groups of struct wl_form (form.h). */
LLVMValueRef wl_rounds_index_in_groups(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step);

/* ---- lift/forms/aggregate.c ---- */

/* Lifts an instruction that is marked as a part of an aggregated atomic (enum wl_aggregate), stores aside. */
void wl_loop_aggregate(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);

/* ---- lift/forms/scalar_tail.c: the few lanes that a strip has left, one after the other ---- */

/* Fills `header`, where each round begins: with at most `most` lanes left it goes to the code that wl_lanes_lift makes, else to a new LLVM
 * block, which is returned. */
LLVMBasicBlockRef wl_lanes_branch(struct wl_lift *l, LLVMBasicBlockRef header, unsigned most);
/* Makes the code that runs the rounds that are left for one lane after the other, and then goes to the end of the strip. ir_blocks: the LLVM
 * blocks of the strip's code, by basic block. */
void wl_lanes_lift(struct wl_lift *l, const LLVMBasicBlockRef *ir_blocks);

/* A vector with an element in the lane whose turn it is; and that element of a vector. */
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
