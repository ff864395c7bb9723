/* 64-bit shifts by a constant on the two halves, which spares joining them: address arithmetic is full of these. */
#include "translate/lift.h"

#include <string.h>

static void emit_shift(struct wl_lift *l, struct wl_item *item)
{
    const struct wl_operand *op = item->inst->operands;
    unsigned count = op[1].bits & 63;
    bool left = strcmp(item->inst->mnemonic, "v_lshlrev_b64") == 0;
    LLVMValueRef low = wl_strip_row(l, op[2].reg), high = wl_strip_row(l, op[2].reg + 1), zero = LLVMConstNull(l->strip_i32);
    LLVMValueRef by = wl_lift_int(l, l->strip_i32, count & 31), parts[] = {high, low, by};
    if (count >= 32 && left) {
        high = LLVMBuildShl(l->b, low, by, "");
        low = zero;
    } else if (count >= 32) {
        low = LLVMBuildLShr(l->b, high, by, "");
        high = zero;
    } else if (count && left) {
        high = wl_lift_intrinsic(l, "llvm.fshl", &l->strip_i32, 1, parts, 3);
        low = LLVMBuildShl(l->b, low, by, "");
    } else if (count) {
        low = wl_lift_intrinsic(l, "llvm.fshr", &l->strip_i32, 1, parts, 3);
        high = LLVMBuildLShr(l->b, high, by, "");
    }
    wl_strip_set_row(l, op[0].reg, low);
    wl_strip_set_row(l, op[0].reg + 1, high);
}

bool wl_wide_shift_record(struct wl_lift *l, struct wl_item *item)
{
    const struct wl_inst *inst = item->inst;
    (void)l;
    if (strcmp(inst->mnemonic, "v_lshlrev_b64") != 0 && strcmp(inst->mnemonic, "v_lshrrev_b64") != 0)
        return false;
    const struct wl_operand *op = inst->operands;
    if (inst->is_dpp || op[0].kind != WL_OPERAND_VGPR || op[1].kind != WL_OPERAND_IMM || op[1].is_float || op[2].kind != WL_OPERAND_VGPR)
        return false;
    item->emit = emit_shift;
    return true;
}
