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

/* How a load is made whose lanes have unrelated addresses: a call of a slow function (lift/memory/slow.c); the host's gather instruction in
 * the unit itself; or a choice at run time between that and a shorter gather for few active lanes. */
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
    /* Called behind each instruction: brings up to date what the form keeps beside the registers, such as a strip's copies of masks. NULL:
     * there is nothing. */
    void (*step)(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
    /* Ends l->unit.block if that is this form's own matter. False: it ends as in a wave. NULL: all do. */
    bool (*finish_block)(struct wl_lift *l);
    void (*yield)(struct wl_lift *l, uint32_t block); /* leaves the unit for others to run, to come back at a basic block */
    /* Called behind a loop that was run strip by strip, when all strips are done: goes on at basic block `exit` with EXEC 0. `leave`: the
     * basic block of the loop that branches to `exit`. */
    void (*go_without_lanes)(struct wl_lift *l, uint32_t exit, uint32_t leave);

    /* ---- vector regions ---- */
    void (*emit)(struct wl_lift *l, const struct wl_region_masks *masks); /* the items collected, for all strips that there are */
    void (*begin_strip)(struct wl_lift *l); /* sets l->strip's number, first_lane and state, from its in_wave and wave */
    /* i64: a strip's number among all strips that the code is for; in_wave: its number in its wave. `wave`: which of the waves that are
     * emitted side by side. */
    LLVMValueRef (*strip_number)(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave);
    LLVMValueRef (*wave_exec)(struct wl_lift *l); /* wave_mask: EXEC of the wave at hand, in MASKED code */
    /* A mask that a vector region makes, in three steps. wants_mask: whether anybody needs it. gather_mask: adds one strip's lanes to
     * `sum`, a variable of type wave_mask. take_mask: behind the region, `sum` becomes the value of the scalar register. */
    bool (*wants_mask)(const struct wl_lift *l, unsigned reg);
    void (*gather_mask)(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef sum);
    void (*take_mask)(struct wl_lift *l, unsigned reg, LLVMValueRef sum);

    /* ---- vector registers ---- */
    /* load_row and store_row reach a register where it lies between vector regions, row and set_row its value in one: vectors of i32. */
    LLVMValueRef (*load_row)(struct wl_lift *l, unsigned row);
    void (*store_row)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    /* The same for rows n and n + 1 at once, as vectors of i64, where this form keeps the two together in memory. Where it does not, the
     * functions are NULL, or return NULL or false. */
    LLVMValueRef (*load_pair)(struct wl_lift *l, unsigned row);
    bool (*store_pair)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    LLVMValueRef (*join)(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high); /* two vectors of i32 become one of i64 */
    LLVMValueRef (*half)(struct wl_lift *l, LLVMValueRef pair, bool high);        /* the reverse, for one half */
    LLVMValueRef (*row)(struct wl_lift *l, unsigned row);
    LLVMValueRef (*row_all_lanes)(struct wl_lift *l, unsigned row); /* inactive lanes as well, which cross-lane operations read */
    LLVMValueRef (*pair)(struct wl_lift *l, unsigned row);          /* rows n and n + 1, as a vector of i64 */
    void (*set_row)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    void (*set_pair)(struct wl_lift *l, unsigned row, LLVMValueRef value);

    /* ---- masks in scalar registers ---- */
    LLVMValueRef (*mask)(struct wl_lift *l, unsigned reg);                 /* the register's value, of type mask_type */
    LLVMValueRef (*spread)(struct wl_lift *l, LLVMValueRef mask);          /* one wave's mask (wave_mask) for all waves, as a mask_type */
    LLVMValueRef (*test_mask)(struct wl_lift *l, unsigned reg, bool some); /* i1: whether a bit of it is set; not `some`: whether none is */
    /* A mask that an item reads: record_mask reads the register when the item is recorded, and of_mask makes the strip's `lanes` of the
     * result when the item is emitted. record_mask returns NULL for a mask that an earlier item of the same vector region makes: made_mask
     * has the lanes of such a one. */
    LLVMValueRef (*record_mask)(struct wl_lift *l, unsigned reg);
    LLVMValueRef (*of_mask)(struct wl_lift *l, LLVMValueRef mask);
    LLVMValueRef (*made_mask)(struct wl_lift *l, unsigned reg); /* NULL: no lane is on */
    /* A mask that an item makes: makes_mask announces it when the item is recorded, set_mask gives its lanes when the item is emitted. */
    void (*makes_mask)(struct wl_lift *l, unsigned reg);
    void (*set_mask)(struct wl_lift *l, unsigned reg, LLVMValueRef lanes);

    /* ---- scalars ---- */
    void (*scalar_written)(struct wl_lift *l, unsigned reg, LLVMValueRef value); /* behind each write of an SGPR; NULL: nothing */
    LLVMValueRef (*lds_direct)(struct wl_lift *l);                               /* i32: the LDS element that M0 names */
    LLVMValueRef (*image)(struct wl_lift *l);                                    /* i64: the address at which the code object is loaded */
    LLVMValueRef (*mode_register)(struct wl_lift *l);                            /* i32: MODE */

    /* ---- what is known of registers. The function is NULL, or returns NULL, where nothing is known ---- */
    LLVMValueRef (*uniform)(struct wl_lift *l, unsigned row);     /* i32: the value that the register has in all active lanes */
    LLVMValueRef (*first_index)(struct wl_lift *l, unsigned row); /* i32: the value that it has in the strip's first lane */
    /* i64: the number whose halves are these two operands, if it is the same in all lanes. */
    LLVMValueRef (*base)(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high);
    /* i1: whether lanes->index rises by `step` from each lane to the next, without a wrap, within each group of WL_GROUP lanes; inactive
     * lanes do not count. */
    LLVMValueRef (*index_in_groups)(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step);
    /* A sum of 64 bits that two items make, one half each. sum_low is called before the first item is emitted, and notes what is added.
     * sum_high is called before the second one, and returns the whole sum (i64). `known`: the sum as base and index, or NULL. */
    void (*sum_low)(struct wl_lift *l, const struct wl_item *item, struct wl_pair_sum *sum);
    LLVMValueRef (*sum_high)(struct wl_lift *l, const struct wl_item *item, const struct wl_index *known);

    /* ---- memory ---- */
    /* Makes the access in this form's own way; `rows` holds the data, and receives results. False, or NULL instead of a function: the form
     * has none, and the access is made with vectors as in a wave. */
    bool (*access)(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
    enum wl_gathers (*gathers)(const struct wl_lift *l);
    bool asks_ahead; /* prefetches what the next round of a loop with barriers will load (lift/memory/ahead.c) */
    /* For prefetches, i64: the distance in bytes from a strip's elements to those that the next workgroup will access, of `size` bytes
     * each. `tiled`: a workgroup accesses several rows that do not follow each other. NULL: the distance is not known. */
    LLVMValueRef (*to_next_workgroup)(struct wl_lift *l, uint64_t size, bool tiled);

    /* ---- instructions with semantics ---- */
    const struct wl_sem *(*find_semantics)(const struct wl_lift *l, const char *mnemonic); /* NULL: there are none */
    LLVMValueRef (*link_semantics)(struct wl_lift *l, const struct wl_sem *sem); /* their function in l->module; NULL: see l->status */
    LLVMValueRef (*change_sign)(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate); /* of floats or doubles */
    /* Returns the value, floats that were converted from halves, such that LLVM does not go back to arithmetic in halves. */
    LLVMValueRef (*keep_wide)(struct wl_lift *l, LLVMValueRef value);
    /* A copy of a row as it is now, from which an item can read lanes of other strips. NULL: this form needs no copy. */
    LLVMValueRef (*snapshot)(struct wl_lift *l, unsigned row, bool zero_inactive);
    /* DPP. dpp: the row as the instruction reads it; *valid receives the lanes that have a source, NULL for all. dpp_enabled: `enabled`
     * (NULL: all lanes) without those that row_mask and bank_mask leave out. */
    LLVMValueRef (*dpp)(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid);
    LLVMValueRef (*dpp_enabled)(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled);
};

extern const struct wl_form wl_wave_form, wl_workgroup_form, wl_loop_form, wl_tail_form;

#endif
