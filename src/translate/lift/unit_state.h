/* The unit that is being lifted: what was asked for, the variables of its function, and the basic block that is being lifted. */
#ifndef WL_TRANSLATE_LIFT_UNIT_STATE_H
#define WL_TRANSLATE_LIFT_UNIT_STATE_H

#include "translate/analysis/affine.h"
#include "translate/isa/isa.h"
#include "translate/unit/unit.h"

#include <llvm-c/Core.h>

/* wl_lift.unit */
struct wl_lift_unit {
    const struct wl_translate_request *request;
    const struct wl_unit *code;
    const struct wl_affine *affine; /* NULL: nothing is known of registers */
    enum wl_mode mode;
    unsigned all_strips;      /* strips of all waves that the code is for */
    unsigned workgroup_lanes; /* lanes of all waves, in workgroup mode */
    bool unrolls;             /* a workgroup's waves may be unrolled */
    bool compact;             /* the strips of a wave are a loop, even where that is short */
    bool splits_denormals;    /* f32 and f64 treat denormals differently (lift/inst/denormal.c) */
    bool splits_rounding;     /* f32 and f64 round differently (lift/inst/rounding.c) */
    bool keeps_wave;          /* a wave's state after the unit's end is what it was at the start, so that it can serve the next wave */

    /* The function's variables. */
    LLVMValueRef sgpr[WL_SGPR_COUNT];             /* pointers to i32: allocas, or the wave's own (in_memory) */
    bool unoptimized;                             /* wl_unit_is_unoptimized */
    bool in_memory;                               /* scalars stay in the wave, as in units with very many resume points */
    LLVMValueRef fuel;                            /* alloca: what is left of the wave's fuel; NULL: nothing yields */
    LLVMValueRef *row_slots;                      /* allocas of vector registers, see wl_rows_slot; NULL: they are in the wave */
    uint64_t rows_written[WL_ROW_WORDS];          /* with row_slots: the vector registers that the unit writes anywhere */
    uint64_t scalars_used[2], scalars_written[2]; /* the scalar registers that the unit reads, and writes, anywhere */
    LLVMBasicBlockRef *ir_blocks;                 /* by basic block */
    unsigned ir_block_count;                      /* LLVM's blocks so far */
    LLVMMetadataRef subprogram;                   /* for debug locations */
    LLVMValueRef strip_trace;                     /* alloca: a struct wl_strip_trace, or NULL while no loop needed one */
    LLVMValueRef access_trace;       /* alloca: a struct wl_access_trace, or NULL as long as no access of the unit's own needed one */
    LLVMMetadataRef access_location; /* the debug location of the access that access_trace describes */
    LLVMValueRef lane_offsets, spare_place; /* allocas of lift/memory/spread.c, or NULL as long as no access needed one */

    /* The basic block being lifted. */
    const struct wl_block *block;
    struct wl_live *live_after;       /* by instruction of the basic block */
    const struct wl_effects *effects; /* by instruction of the basic block */
    uint32_t at;                      /* the instruction being recorded, within the basic block */
    uint64_t matrices_done;           /* matrix instructions behind `at` that were done with an earlier one: bit n is that of at + n */
    struct wl_facts *facts;           /* at the instruction being recorded; NULL if not tracked */
    bool aside;                       /* lift/exec.c: MASKED basic blocks are lifted within FULL code */
    unsigned aside_items;             /* so far */

    /* The buffer descriptor that was read last in this basic block (lift/memory/buffer.c); base is NULL if its registers changed. */
    struct {
        unsigned reg;
        LLVMValueRef base, records, flags, raw;
    } descriptor;
};

#endif
