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
    uint8_t wide;                         /* not 0: the elements of so many strips follow each other in memory. The item is a segment of
                                           * its own, which wl_memory_emit_wide emits for all strips at once */
    bool paired;                          /* first of a VOPD pair: its result is written after the next item has read its operands */
    uint8_t index_step;                   /* enum wl_index_step (lift/memory/index.c) */
    const struct wl_inst *maker;          /* WL_INDEX_HIGH: the instruction that made the low half */
    LLVMValueRef scalar[WL_ITEM_SCALARS]; /* scalar inputs, read when the item is recorded; `emit` knows what each is */
    struct wl_fact fact[3]; /* memory: what is known about its address operands, and an atomic's data (lift/memory/memory.c) */
    void (*emit)(struct wl_lift *l, struct wl_item *item);
};

/* Which step of address arithmetic an instruction does: none; the sign of an index as its high half; a shift of the pair; the low or the
 * high half of a sum. */
enum wl_index_step { WL_INDEX_NONE, WL_INDEX_SIGN, WL_INDEX_SHIFT, WL_INDEX_LOW, WL_INDEX_HIGH };

/* A register pair that is base + (index << shift) in the active lanes. */
struct wl_index {
    unsigned row; /* of the low half */
    unsigned shift;
    bool is_signed;      /* the index is extended by its sign, else by zeros */
    LLVMValueRef base;   /* i64; NULL: 0 */
    LLVMValueRef index;  /* <16 x i32> */
    LLVMValueRef head;   /* i32: the first lane's index, where it is known as a scalar; else NULL */
    unsigned source;     /* the row that it was read from; it may have been written since */
    struct wl_fact fact; /* of the index */
};

/* The sum of such a pair and a base, after its low half was emitted and before its high half is. */
struct wl_index_sum {
    const struct wl_inst *maker; /* NULL: there is none */
    unsigned low_row, high_row;  /* the rows with the sum's low half, and with the pair's high half */
    struct wl_index index;       /* the pair */
    LLVMValueRef low;            /* i32: the low half of the base */
    const struct wl_operand *of; /* the operand that `low` was read from */
};

/* The same for any sum of 64 bits in a loop's scalar tail, where code is for one lane (lift/forms/pairs.c). Arrays: by operand. */
struct wl_pair_sum {
    const struct wl_inst *maker; /* NULL: there is none */
    LLVMValueRef low[2];         /* i32: the low half */
    LLVMValueRef high[2];        /* <16 x i32>: what the row behind the operand's held then; NULL: the operand is no row */
    LLVMValueRef whole[2];       /* i64: low and high half together */
};

#define WL_INDEX_FORMS    12
#define WL_STRIPS_ABREAST 8 /* the most that are emitted side by side */

/* What is known of one strip while its code is built. */
struct wl_strip {
    LLVMBasicBlockRef start;                /* register loads go here, so that they dominate all of the strip's code */
    LLVMValueRef in_wave;                   /* i64: its number among the strips of its wave */
    unsigned wave;                          /* which of the workgroup's waves that are emitted side by side; else 0 */
    LLVMValueRef state;                     /* ptr: the struct wl_wave with its rows, unless the form keeps them elsewhere */
    LLVMValueRef number;                    /* i64: its number among all strips that the code is for */
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
    bool loads_same;                        /* some item loads from LDS with one of same_rows as the address */
    bool segmented;                         /* some item starts a segment */
    bool tells_order;                       /* for sanitizers: some item stores, or loads what others store: waits come behind it */
    uint32_t end;                           /* the last recorded instruction, within the basic block */
    struct wl_strip *strip_states;          /* WL_STRIPS_ABREAST of them: those being emitted */
    LLVMValueRef shared_row[WL_VGPR_COUNT]; /* of same_rows: loaded by the first strip, or NULL */
};

#endif
