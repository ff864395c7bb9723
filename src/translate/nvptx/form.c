/* The one-lane form as the lifter knows it (lift/form.h). */
#include "translate/lift/forms/strip.h"
#include "translate/lift/inst/inst.h"
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

static void makes_mask(struct wl_lift *l, unsigned reg) { /* at once */
    (void)l;
    (void)reg;
}

static LLVMValueRef test_mask(struct wl_lift *l, unsigned reg, bool some) {
    LLVMValueRef any = wl_ptx_any(l, reg);
    return some ? any : LLVMBuildNot(l->b, any, "");
}

static const struct wl_sem *find_semantics(const struct wl_lift *l, const char *mnemonic) {
    (void)l;
    return wl_sem_find_lane(mnemonic);
}

static LLVMValueRef link_semantics(struct wl_lift *l, const struct wl_sem *sem) {
    const unsigned rounding = wl_ptx_rounding_of(l, sem);
    if (rounding)
        return wl_ptx_rounded_semantics(l, sem, rounding);
    LLVMValueRef linked = LLVMGetNamedFunction(l->module, sem->name);
    if (linked)
        return linked;
    linked = wl_lift_link_semantics(l, sem);
    return linked ? wl_ptx_keep_call(l, sem->name, linked) : NULL;
}

static LLVMValueRef change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate) {
    return l->ptx->keeps_nan ? wl_ptx_change_sign(l, value, absolute, negate) : wl_strip_change_sign(l, value, absolute, negate);
}

static LLVMValueRef keep_wide(struct wl_lift *l, LLVMValueRef value) { /* a lane's arithmetic is in floats anyway */
    (void)l;
    return value;
}

const struct wl_form wl_ptx_form = {
    .row = wl_ptx_row,
    .row_all_lanes = wl_ptx_row,
    .pair = wl_ptx_pair,
    .set_row = wl_ptx_set_row,
    .set_pair = wl_ptx_set_pair,
    .mask = wl_lift_wide_scalar,
    .spread = wl_strip_spread_none,
    .of_mask = wl_ptx_of_mask,
    .made_mask = wl_ptx_mask,
    .makes_mask = makes_mask,
    .set_mask = wl_ptx_set_mask,
    .test_mask = test_mask,
    .scalar_written = wl_ptx_scalar_written,
    .lds_direct = wl_ptx_lds_direct,
    .image = wl_ptx_image,
    .mode_register = wl_ptx_mode,
    .find_semantics = find_semantics,
    .link_semantics = link_semantics,
    .change_sign = change_sign,
    .keep_wide = keep_wide,
    .dpp = wl_ptx_dpp,
    .dpp_enabled = wl_ptx_dpp_enabled,
};
