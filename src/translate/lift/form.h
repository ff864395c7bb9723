/* A form of translated code: how the lifter reaches what the lanes of a strip have, and what is special about its instructions.
 *
 *   wl_strip_form   forms/strip.c: vectors of 16 lanes on a CPU; a strip of a wave, of a loop's, or of a workgroup's waves
 *   wl_ptx_form     nvptx/form.c: one lane, the thread of a GPU
 *
 * The lifter of an instruction calls these (l->form) and never asks which form it is in. Values of a strip are vectors of
 * wl_lift.lanes elements; `lanes` below is such a vector of i1. All functions build code where l->b stands, for l->strip. */
#ifndef WL_TRANSLATE_LIFT_FORM_H
#define WL_TRANSLATE_LIFT_FORM_H

#include <llvm-c/Core.h>
#include <stdbool.h>

struct wl_inst;
struct wl_lift;
struct wl_sem;

struct wl_form {
    /* ---- vector registers ---- */
    LLVMValueRef (*row)(struct wl_lift *l, unsigned row);           /* of i32 */
    LLVMValueRef (*row_all_lanes)(struct wl_lift *l, unsigned row); /* the inactive ones too, as cross-lane operations read it */
    LLVMValueRef (*pair)(struct wl_lift *l, unsigned row);          /* of i64: rows n and n + 1 */
    void (*set_row)(struct wl_lift *l, unsigned row, LLVMValueRef value);
    void (*set_pair)(struct wl_lift *l, unsigned row, LLVMValueRef value);

    /* ---- masks in scalar registers ---- */
    LLVMValueRef (*of_mask)(struct wl_lift *l, LLVMValueRef mask); /* the lanes of a mask that was read as a scalar */
    LLVMValueRef (*made_mask)(struct wl_lift *l, unsigned reg);    /* the lanes of a mask that this code makes; NULL: none are on */
    void (*makes_mask)(struct wl_lift *l, unsigned reg);           /* the item at hand will make that mask */
    void (*set_mask)(struct wl_lift *l, unsigned reg, LLVMValueRef lanes);
    LLVMValueRef (*is_zero_mask)(struct wl_lift *l, unsigned reg); /* i1, of the whole wave's mask */

    /* ---- scalars ---- */
    void (*scalar_written)(struct wl_lift *l, unsigned reg, LLVMValueRef value); /* behind each write of an SGPR */
    LLVMValueRef (*lds_direct)(struct wl_lift *l);                               /* i32: the LDS element that M0 names */
    LLVMValueRef (*image)(struct wl_lift *l);                                    /* i64: where the code object lies */
    LLVMValueRef (*mode_register)(struct wl_lift *l);                            /* i32: MODE */

    /* ---- instructions with semantics ---- */
    const struct wl_sem *(*find_semantics)(const struct wl_lift *l, const char *mnemonic); /* NULL: there are none */
    LLVMValueRef (*link_semantics)(struct wl_lift *l, const struct wl_sem *sem); /* their function in l->module; NULL: l->status */
    LLVMValueRef (*change_sign)(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate); /* of floats or doubles */
    LLVMValueRef (*keep_wide)(struct wl_lift *l, LLVMValueRef value);                               /* floats made of halves stay floats */
    /* DPP: the value that is read of a row, *valid: the lanes that have a source (NULL: all); `enabled` without the lanes that row_mask and
     * bank_mask leave out (NULL: all). */
    LLVMValueRef (*dpp)(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid);
    LLVMValueRef (*dpp_enabled)(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled);
};

extern const struct wl_form wl_strip_form;

#endif
