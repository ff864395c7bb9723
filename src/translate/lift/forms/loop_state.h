/* What lift/forms/loop.c and lift/forms/scalar_tail.c share. */
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
    bool halves;                         /* strips are of WL_GROUP lanes, which are the low ones of vectors; the others are off, and 0 */
    bool yields;                         /* strips may be left in the middle of the loop, others being done */
    bool occupied;                       /* EXEC has lanes in the piece at hand, until it changes */
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
    LLVMValueRef of_all, first_of_all;  /* i64: the strip's number, and its first lane's, among those of the gang */
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
    struct wl_lift_gang *gang;             /* of which it is a wave; NULL: of none. Within the loop l->gang is NULL */
    LLVMBasicBlockRef few;                 /* lift/forms/scalar_tail.c: where a strip with few lanes goes */
    LLVMBasicBlockRef strips, latch, done; /* the header over the strips, where the next begins; the end of one */
};

/* ---- lift/forms/scalar_tail.c: the few lanes that a strip has left, one after the other ---- */

/* Fills the block where a strip's rounds begin: goes to a new one, which is returned, or, with `most` lanes or less, to wl_lanes_lift's. */
LLVMBasicBlockRef wl_lanes_branch(struct wl_lift *l, LLVMBasicBlockRef header, unsigned most);
/* Lifts the loop for one lane at a time, as it is where a round begins, and goes to the strip's end. blocks: by piece, of the strip. */
void wl_lanes_lift(struct wl_lift *l, const LLVMBasicBlockRef *blocks);

/* ---- lift/forms/pairs.c: register pairs of one lane as numbers of 64 bits ---- */

/* Makes the alloca of a row of the loop that one lane has: in->row, or one in in->pair with the row behind it where the loop makes sums of
 * 64 bits in the two. Called in order of rows. */
void wl_pairs_make_row(struct wl_lift *l, unsigned row);
/* The lane's element of a row, i32. */
LLVMValueRef wl_pairs_load_row(struct wl_lift *l, unsigned row);
void wl_pairs_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value);

#endif
