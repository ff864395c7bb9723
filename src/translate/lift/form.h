/* A form of translated code: how the lifter reaches what the lanes of a strip have, and what is special about its basic blocks.
 *
 *   wl_wave_form        forms/wave.c: a wave, its strips of 16 lanes one after the other, in vectors of a CPU
 *   wl_workgroup_form   forms/workgroup.c: all waves of a workgroup as one
 *   wl_loop_form        forms/loop.c: a loop that is run to its end for one strip, or half of one, after the other
 *   wl_tail_form        forms/scalar_tail.c: the few lanes that a strip has left in such a loop, one by one; lane 0 of vectors is the lane
 *   wl_ptx_form         nvptx/form.c: one lane, the thread of a GPU
 *
 * The lifter of an instruction calls these (l->form) and never asks which form it is in. Values of a strip are vectors of
 * wl_lift.lanes elements; `lanes` below is such a vector of i1. All functions build code where l->b stands, for l->strip.
 *
 * Forms nest: a loop sets l->form while it is lifted, the scalar tail of a loop does so within it, and each restores the form
 * that it found. What the first four share is in forms/strip.c. wl_ptx_form has the functions that instructions call; the frame of its
 * function is nvptx/frame.c's, so that its functions of units, basic blocks, vector regions and memory are NULL. */
#ifndef WL_TRANSLATE_LIFT_FORM_H
#define WL_TRANSLATE_LIFT_FORM_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

struct wl_access;
struct wl_effects;
struct wl_index;
struct wl_inst;
struct wl_item;
struct wl_lanes;
struct wl_lift;
struct wl_operand;
struct wl_pair_sum;
struct wl_region_masks;
struct wl_sem;

/* How gathers stand in the unit: as calls of a function; as one gather of the host; beside it, as one for few lanes. */
enum wl_gathers { WL_GATHERS_CALL, WL_GATHERS_INLINE, WL_GATHERS_BY_COUNT };

struct wl_form {
    /* ---- the unit: the two forms that a unit can start in; NULL in those that nest ---- */
    bool (*create)(struct wl_lift *l); /* makes the IR blocks of basic blocks. False: out of memory, or l->status says why not */
    void (*enter)(struct wl_lift *l, LLVMValueRef resume); /* ends the entry block: goes to where the unit starts, or to a resume point */
    void (*lift_blocks)(struct wl_lift *l);                /* lifts all basic blocks */
    void (*release)(struct wl_lift *l);                    /* frees what `create` made; NULL: nothing */
    /* The most vector instructions * strips of a unit whose vector registers are values (lift/rows.c); 0: they never are. */
    unsigned (*row_budget)(const struct wl_lift *l);
    LLVMValueRef (*state_of)(struct wl_lift *l, unsigned wave); /* ptr: the struct wl_wave of the n-th of the waves that the code is for */

    /* ---- basic blocks ---- */
    void (*begin_block)(struct wl_lift *l, uint32_t block);
    /* Lifts an instruction that is this form's own matter. False: it is lifted as in a wave. NULL: there are none. */
    bool (*instruction)(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
    /* Behind each instruction: what the form keeps beside registers follows. NULL: nothing. */
    void (*step)(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
    /* Ends l->unit.block if that is this form's own matter. False: it ends as in a wave. NULL: all do. */
    bool (*finish_block)(struct wl_lift *l);
    void (*yield)(struct wl_lift *l, uint32_t block); /* leaves the unit for others to run, to come back at a basic block */
    /* Behind a loop that was run for all strips: goes on at `exit` without active lanes. `leave`: the basic block that left the loop. */
    void (*go_without_lanes)(struct wl_lift *l, uint32_t exit, uint32_t leave);

    /* ---- vector regions ---- */
    void (*emit)(struct wl_lift *l, const struct wl_region_masks *masks); /* the items collected, for all strips that there are */
    void (*begin_strip)(struct wl_lift *l);                               /* fills in where l->strip is, but for in_wave and wave */
    /* i64: a strip's number among all; `wave`: of those side by side. */
    LLVMValueRef (*strip_number)(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave);
    LLVMValueRef (*wave_exec)(struct wl_lift *l); /* wave_mask: EXEC of the wave at hand, in MASKED code */
    /* Masks that a region makes: whether one has to be made; a strip's lanes of one go to `sum`, the variable of wave_mask that gathers
     * them; behind the region they become the register's. */
    bool (*wants_mask)(const struct wl_lift *l, unsigned reg);
    void (*gather_mask)(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef sum);
    void (*take_mask)(struct wl_lift *l, unsigned reg, LLVMValueRef sum);

    /* ---- vector registers ---- */
    LLVMValueRef (*load_row)(struct wl_lift *l, unsigned row); /* between regions: of i32 */
    void (*store_row)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    /* Rows n and n + 1 where they lie together, as i64. NULL, the function or what it returns; false: they do not. */
    LLVMValueRef (*load_pair)(struct wl_lift *l, unsigned row);
    bool (*store_pair)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    LLVMValueRef (*join)(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high); /* of i64: two rows */
    LLVMValueRef (*half)(struct wl_lift *l, LLVMValueRef pair, bool high);        /* of i32 */
    LLVMValueRef (*row)(struct wl_lift *l, unsigned row);                         /* of i32 */
    LLVMValueRef (*row_all_lanes)(struct wl_lift *l, unsigned row); /* the inactive ones too, as cross-lane operations read it */
    LLVMValueRef (*pair)(struct wl_lift *l, unsigned row);          /* of i64: rows n and n + 1 */
    void (*set_row)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    void (*set_pair)(struct wl_lift *l, unsigned row, LLVMValueRef value);

    /* ---- masks in scalar registers ---- */
    LLVMValueRef (*mask)(struct wl_lift *l, unsigned reg);                 /* mask_type */
    LLVMValueRef (*spread)(struct wl_lift *l, LLVMValueRef mask);          /* mask_type: where each wave has this mask, of wave_mask */
    LLVMValueRef (*test_mask)(struct wl_lift *l, unsigned reg, bool some); /* i1: whether any lane at all is in it; not `some`: none is */
    LLVMValueRef (*record_mask)(struct wl_lift *l, unsigned reg);  /* what of_mask takes when the item is emitted; NULL: made_mask knows */
    LLVMValueRef (*of_mask)(struct wl_lift *l, LLVMValueRef mask); /* the lanes of a mask that was read as a scalar */
    LLVMValueRef (*made_mask)(struct wl_lift *l, unsigned reg);    /* the lanes of a mask that this code makes; NULL: none are on */
    void (*makes_mask)(struct wl_lift *l, unsigned reg);           /* the item at hand will make that mask */
    void (*set_mask)(struct wl_lift *l, unsigned reg, LLVMValueRef lanes);

    /* ---- scalars ---- */
    void (*scalar_written)(struct wl_lift *l, unsigned reg, LLVMValueRef value); /* behind each write of an SGPR; NULL: nothing */
    LLVMValueRef (*lds_direct)(struct wl_lift *l);                               /* i32: the LDS element that M0 names */
    LLVMValueRef (*image)(struct wl_lift *l);                                    /* i64: where the code object lies */
    LLVMValueRef (*mode_register)(struct wl_lift *l);                            /* i32: MODE */

    /* ---- what is known of registers; NULL, the function or what it returns: nothing ---- */
    LLVMValueRef (*uniform)(struct wl_lift *l, unsigned row);     /* i32: what all active lanes have of it */
    LLVMValueRef (*first_index)(struct wl_lift *l, unsigned row); /* i32: what the strip's first lane has of it */
    LLVMValueRef (*base)(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high); /* i64: of two uniform halves */
    /* i1: whether the index of such addresses goes up by `step` from lane to lane, without a wrap, over each WL_GROUP active lanes. */
    LLVMValueRef (*index_in_groups)(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step);
    /* Sums of 64 bits whose halves two items make: before the low half is emitted, what it adds; before the high half, the sum, of i64.
     * `known`: the same as an index, or NULL. */
    void (*sum_low)(struct wl_lift *l, const struct wl_item *item, struct wl_pair_sum *sum);
    LLVMValueRef (*sum_high)(struct wl_lift *l, const struct wl_item *item, const struct wl_index *known);

    /* ---- memory ---- */
    /* Accesses memory in a way of its own: `rows` are data and results. False, or NULL: as vectors do. */
    bool (*access)(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
    enum wl_gathers (*gathers)(const struct wl_lift *l);
    /* i64: how far behind a strip's elements those of the workgroup lie that follows, where the host does not see them coming; `tiled`: a
     * workgroup's elements do not follow each other. NULL: nobody knows. */
    LLVMValueRef (*to_next_workgroup)(struct wl_lift *l, uint64_t size, bool tiled);

    /* ---- instructions with semantics ---- */
    const struct wl_sem *(*find_semantics)(const struct wl_lift *l, const char *mnemonic); /* NULL: there are none */
    LLVMValueRef (*link_semantics)(struct wl_lift *l, const struct wl_sem *sem); /* their function in l->module; NULL: l->status */
    LLVMValueRef (*change_sign)(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate); /* of floats or doubles */
    LLVMValueRef (*keep_wide)(struct wl_lift *l, LLVMValueRef value);                               /* floats made of halves stay floats */
    /* A copy of a row as it is now, of which an item reads lanes of other strips; NULL: strips see all lanes of the wave. */
    LLVMValueRef (*snapshot)(struct wl_lift *l, unsigned row, bool zero_inactive);
    /* DPP: the value that is read of a row, *valid: the lanes that have a source (NULL: all); `enabled` without the lanes that row_mask and
     * bank_mask leave out (NULL: all). */
    LLVMValueRef (*dpp)(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid);
    LLVMValueRef (*dpp_enabled)(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled);
};

extern const struct wl_form wl_wave_form, wl_workgroup_form, wl_loop_form, wl_tail_form;

#endif
