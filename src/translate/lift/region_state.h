/* The vector region at hand: the items that it collects, and what is known of its strips while their code is built. */
#ifndef WL_TRANSLATE_LIFT_REGION_STATE_H
#define WL_TRANSLATE_LIFT_REGION_STATE_H

#include "translate/analysis/affine.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <llvm-c/Core.h>

#define WL_ITEM_SCALARS 8

struct wl_lift;

struct wl_item {
    const struct wl_inst *inst;
    const struct wl_sem *sem;             /* lift/inst/valu.c: what it computes */
    bool starts_segment;                  /* must see all strips of the items before (lift/region.c) */
    uint8_t wide;                         /* not 0: a segment of its own, emitted for all strips at once by wl_memory_emit_wide; so
                                           * many strips' elements follow each other */
    bool paired;                          /* first of a VOPD pair: writes after the next item has read */
    uint8_t index_step;                   /* enum wl_index_step (lift/memory/index.c) */
    const struct wl_inst *maker;          /* WL_INDEX_HIGH: the instruction that made the low half */
    LLVMValueRef scalar[WL_ITEM_SCALARS]; /* inputs read at record time; meaning is the emitter's */
    struct wl_fact fact[3]; /* memory: what is known about its address operands, and an atomic's data (lift/memory/memory.c) */
    void (*emit)(struct wl_lift *l, struct wl_item *item);
};

/* What an instruction is in address arithmetic. */
enum wl_index_step { WL_INDEX_NONE, WL_INDEX_SIGN, WL_INDEX_SHIFT, WL_INDEX_LOW, WL_INDEX_HIGH };

/* A register pair that is base + (index << shift) in the active lanes. */
struct wl_index {
    unsigned row; /* of the low half */
    unsigned shift;
    bool is_signed;      /* the index is extended by its sign, else by zeros */
    LLVMValueRef base;   /* i64; NULL: 0 */
    LLVMValueRef index;  /* <16 x i32> */
    LLVMValueRef head;   /* i32: the first lane's, where it is known as a scalar; NULL: it is not */
    unsigned source;     /* the row that it was read from; it may have been written since */
    struct wl_fact fact; /* of the index */
};

/* The low half of a sum of such a pair and a base, until the high one comes. */
struct wl_index_sum {
    const struct wl_inst *maker; /* NULL: there is none */
    unsigned low_row, high_row;  /* of the sum's low half; of the pair's high half */
    struct wl_index index;       /* the pair */
    LLVMValueRef low;            /* i32: of the base */
    const struct wl_operand *of; /* what `low` is */
};

/* The low half of a sum of 64 bits that one lane makes, until the high one comes (lift/forms/pairs.c). */
struct wl_pair_sum {
    const struct wl_inst *maker; /* NULL: there is none */
    LLVMValueRef low[2];         /* i32: what was added */
    LLVMValueRef high[2];        /* <16 x i32>: the row behind that of an operand then; NULL: it is none */
    LLVMValueRef whole[2];       /* i64: both */
};

#define WL_INDEX_FORMS    12
#define WL_STRIPS_ABREAST 8 /* the most that are emitted side by side */

/* What is known of one strip while its code is built. */
struct wl_strip {
    LLVMBasicBlockRef start;                /* register loads go here, so that they dominate all of the strip's code */
    LLVMValueRef in_wave;                   /* i64 */
    unsigned wave;                          /* of those of a workgroup that go side by side */
    LLVMValueRef state;                     /* the struct wl_wave where its rows are, unless the form keeps them elsewhere */
    LLVMValueRef number;                    /* in_wave, or of a workgroup's strips */
    LLVMValueRef first_lane;                /* i64: number * 16 */
    LLVMValueRef row_value[WL_VGPR_COUNT];  /* <16 x i32> known so far, or NULL */
    LLVMValueRef pair_value[WL_VGPR_COUNT]; /* <16 x i64> of rows n, n + 1 known so far, or NULL */
    LLVMValueRef mask_value[WL_SGPR_COUNT]; /* <16 x i1> made by this vector region, by first register */
    uint64_t row_dirty[WL_ROW_WORDS];       /* written in this vector region */
    struct wl_index index[WL_INDEX_FORMS];  /* pairs that are addresses of that form */
    unsigned index_count;
    struct wl_index_sum sum;
    struct wl_pair_sum pair_sum;
};

/* wl_lift.region */
struct wl_lift_region {
    struct wl_item *items;
    unsigned item_count, item_capacity;
    uint64_t pending_masks[2];              /* scalar registers whose value the vector region will make */
    uint8_t loads, stores;                  /* WL_CONFLICT_*, of the last segment */
    uint64_t same_rows[WL_ROW_WORDS];       /* registers that are the same in all strips where the vector region begins */
    bool loads_same;                        /* some item loads from such an address */
    bool segmented;                         /* some item starts a segment */
    uint32_t end;                           /* the last recorded instruction, within the basic block */
    struct wl_strip *strip_states;          /* WL_STRIPS_ABREAST of them: those being emitted */
    LLVMValueRef shared_row[WL_VGPR_COUNT]; /* of same_rows: loaded by the first strip, or NULL */
};

#endif
