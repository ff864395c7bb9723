/* What the lifter knows while it works: the unit, the piece and the stretch at hand, the strip that code is built for. */
#ifndef WL_TRANSLATE_LIFT_STATE_H
#define WL_TRANSLATE_LIFT_STATE_H

#include "translate/analysis/affine.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"
#include "translate/lift/form.h"
#include "translate/unit/unit.h"

#include <llvm-c/Core.h>

#define WL_ITEM_SCALARS 8

struct wl_lift;
struct wl_lift_loop; /* lift/forms/loop.c */
struct wl_lift_gang; /* lift/forms/gang.c */
struct wl_ptx;       /* nvptx/ptx.h */

struct wl_item {
    const struct wl_inst *inst;
    const struct wl_sem *sem;             /* lift/inst/valu.c: what it computes */
    bool starts_segment;                  /* must see all strips of the items before (lift/stretch.c) */
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
    unsigned wave;                          /* of those of a gang that go side by side */
    LLVMValueRef number;                    /* the same, or of a gang's strips */
    LLVMValueRef first_lane;                /* i64: number * 16 */
    LLVMValueRef row_value[WL_VGPR_COUNT];  /* <16 x i32> known so far, or NULL */
    LLVMValueRef pair_value[WL_VGPR_COUNT]; /* <16 x i64> of rows n, n + 1 known so far, or NULL */
    LLVMValueRef mask_value[WL_SGPR_COUNT]; /* <16 x i1> made by this stretch, by first register */
    uint64_t row_dirty[8];                  /* written in this stretch */
    struct wl_index index[WL_INDEX_FORMS];  /* pairs that are addresses of that form */
    unsigned index_count;
    struct wl_index_sum sum;
    struct wl_pair_sum pair_sum;
};

struct wl_lift {
    const struct wl_translate_request *request;
    const struct wl_unit *unit;
    const struct wl_affine *affine; /* NULL: nothing is known of registers */
    enum wl_mode mode;
    unsigned wave_size, strips; /* 32 or 64; 2 or 4 */
    unsigned gang_lanes;        /* with `gang`: of all waves */
    bool lays_out;              /* a gang's waves may be laid out */
    const struct wl_form *form;
    unsigned lanes;        /* of a strip: WL_STRIP; 1: the one-lane form, for a thread of a GPU: a strip is a warp, and each instruction is
                         * emitted at once (nvptx/ptx.h) */
    struct wl_ptx *ptx;    /* of that form alone */
    unsigned generation;   /* 9 to 12 */
    bool splits_denormals; /* lift/inst/denormal.c */
    bool splits_rounding;  /* lift/inst/rounding.c */
    bool has_avx512;       /* the host gathers, scatters and masks natively */
    bool has_masks;        /* the host loads and stores dwords under a mask natively */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function, wave; /* wave: the function's parameter, struct wl_wave * */
    LLVMBasicBlockRef entry;     /* holds the allocas; ends in a branch */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f16, bf16, f32, f64, ptr, void_type;
    LLVMTypeRef mask_type; /* i32 or i64: a wave-wide mask; of a gang a vector of them */
    LLVMTypeRef wave_mask; /* i32 or i64 */
    LLVMTypeRef strip_i1, strip_i8, strip_i16, strip_i32, strip_i64, strip_f16, strip_f32, strip_f64; /* <16 x ...> */
    LLVMValueRef sgpr[WL_SGPR_COUNT];             /* pointers to i32: allocas, or the wave's own (in_memory) */
    bool in_memory;                               /* scalars stay in the wave: units with very many resume points */
    LLVMValueRef fuel;                            /* alloca: what is left of the wave's fuel; NULL: nothing yields */
    LLVMValueRef *row_slots;                      /* allocas of vector registers, see wl_rows_slot; NULL: they are in the wave */
    uint64_t rows_written[8];                     /* with row_slots: by the whole unit */
    uint64_t scalars_used[2], scalars_written[2]; /* by the whole unit */
    LLVMBasicBlockRef *blocks;                    /* by piece */
    LLVMMetadataRef subprogram;                   /* for debug locations */

    /* The piece being lifted. */
    const struct wl_piece *piece;
    struct wl_live *live_after;       /* by instruction of the piece */
    const struct wl_effects *effects; /* the same */
    uint32_t at;                      /* the instruction being recorded, within the piece */
    uint64_t matrices_done;           /* matrix instructions behind `at` that were done with an earlier one: bit n is that of at + n */

    /* The buffer descriptor that was read last in this piece (lift/memory/buffer.c); base is NULL if its registers changed. */
    struct {
        unsigned reg;
        LLVMValueRef base, records, flags, raw;
    } descriptor;

    /* The stretch being collected. */
    struct wl_item *items;
    unsigned item_count, item_capacity;
    uint64_t pending_masks[2];             /* scalar registers whose value the stretch will make */
    uint8_t stretch_loads, stretch_stores; /* WL_CONFLICT_*, of the last segment */
    uint64_t same_rows[8];                 /* registers that are the same in all strips where the stretch begins */
    bool loads_same;                       /* some item loads from such an address */
    bool segmented;                        /* some item starts a segment */
    uint32_t stretch_end;                  /* the last recorded instruction, within the piece */

    bool aside;           /* lift/exec.c: MASKED pieces are lifted within FULL code */
    unsigned aside_items; /* so far */

    struct wl_lift_loop *in_loop; /* lift/forms/loop.c: the loop whose pieces are lifted for one strip; NULL: none */
    struct wl_lift_gang *gang;    /* lift/forms/gang.c: all waves of a workgroup; mask_type is a vector of their masks; NULL: one wave */

    /* The strips of the stretch being emitted, and the one at hand (valid within an item's emit). */
    struct wl_strip *strip_states; /* WL_STRIPS_ABREAST of them */
    struct wl_strip *strip;
    LLVMValueRef shared_row[WL_VGPR_COUNT]; /* of same_rows: loaded by the first strip, or NULL */
    LLVMValueRef strip_trace;               /* alloca: a struct wl_strip_trace, or NULL while no loop needed one */
    LLVMValueRef access_trace;       /* alloca: a struct wl_access_trace, or NULL as long as no access of the unit's own needed one */
    LLVMMetadataRef access_location; /* of the access that the trace is of */
    LLVMValueRef lane_offsets, spare_place; /* allocas of lift/memory/spread.c, or NULL as long as no access needed one */
    LLVMValueRef exec;                      /* <16 x i1> of active lanes; NULL in FULL code: all are */
    LLVMValueRef exec_bits;                 /* the same as i16, where there is an exec */

    struct wl_facts *facts; /* at the instruction being recorded; NULL if not tracked */
    enum wl_status status;  /* first error */
};

/* Whether a strip is one lane: then nothing is shared between lanes, and nothing is put off. */
static inline bool wl_is_one_lane(const struct wl_lift *l) { return l->lanes == 1; }

#endif
