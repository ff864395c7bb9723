/* Instructions on register pairs that are done on the halves, since joining and parting the registers costs more than the
 * work: 64-bit shifts by constants (address arithmetic is full of them), packed f32, and products of which half is used. */
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <string.h>

static void emit_shift(struct wl_lift *l, struct wl_item *item) {
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

static bool record_shift(struct wl_item *item) {
    const struct wl_operand *op = item->inst->operands;
    if (item->inst->is_dpp || op[0].kind != WL_OPERAND_VGPR || op[1].kind != WL_OPERAND_IMM || op[1].is_float ||
        op[2].kind != WL_OPERAND_VGPR)
        return false;
    item->emit = emit_shift;
    return true;
}

/* ---- packed f32: item->scalar[2 * source + register] is what a source that is no VGPR holds ---- */

static LLVMValueRef packed_input(struct wl_lift *l, struct wl_item *item, unsigned source, unsigned half) {
    const struct wl_inst *inst = item->inst;
    const struct wl_operand *op = &inst->operands[1 + source];
    unsigned high_selects = inst->has_op_sel_hi ? inst->op_sel_hi : 7;
    unsigned part = (half ? high_selects : inst->op_sel) >> source & 1;
    bool negated = (half ? inst->neg_hi : inst->neg_lo) >> source & 1;
    LLVMValueRef bits = op->kind == WL_OPERAND_VGPR ? wl_strip_row(l, op->reg + part) : wl_strip_splat(l, item->scalar[2 * source + part]);
    LLVMValueRef value = LLVMBuildBitCast(l->b, bits, l->strip_f32, "");
    return negated ? LLVMBuildFNeg(l->b, value, "") : value;
}

static void emit_packed(struct wl_lift *l, struct wl_item *item) {
    LLVMValueRef function = wl_lift_semantics(l, item->sem), halves[2];
    if (!function)
        return;
    for (unsigned half = 0; half < 2; half++) {
        LLVMValueRef arguments[3];
        for (unsigned i = 0; i < item->sem->input_count; i++)
            arguments[i] = packed_input(l, item, i, half);
        LLVMValueRef value = LLVMBuildCall2(l->b, LLVMGlobalGetValueType(function), function, arguments, item->sem->input_count, "");
        halves[half] = LLVMBuildBitCast(l->b, value, l->strip_i32, "");
    }
    for (unsigned half = 0; half < 2; half++)
        wl_strip_set_row(l, item->inst->operands[0].reg + half, halves[half]);
}

static bool record_packed(struct wl_lift *l, struct wl_item *item, const char *plain) {
    const struct wl_inst *inst = item->inst;
    const struct wl_sem *sem = wl_lift_find_semantics(l, plain);
    if (!sem || inst->clamp || l->unit.splits_denormals || inst->operands[0].kind != WL_OPERAND_VGPR ||
        sem->input_count + 1u != inst->operand_count)
        return false;
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_operand *op = &inst->operands[1 + i];
        if (sem->inputs[i].type != WL_F32 || (op->kind != WL_OPERAND_VGPR && op->kind != WL_OPERAND_IMM && op->kind != WL_OPERAND_SGPR))
            return false;
        if (op->kind == WL_OPERAND_SGPR && (wl_region_mask_pending(l, op->reg) || wl_region_mask_pending(l, op->reg + 1)))
            return false;
    }
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_operand *op = &inst->operands[1 + i];
        if (op->kind == WL_OPERAND_SGPR) {
            item->scalar[2 * i] = wl_lift_sgpr(l, op->reg);
            item->scalar[2 * i + 1] = wl_lift_sgpr(l, op->reg + 1);
        } else if (op->kind == WL_OPERAND_IMM) {
            item->scalar[2 * i] = item->scalar[2 * i + 1] = wl_lift_scalar_operand(l, op, WL_F32);
        }
    }
    item->sem = sem;
    item->emit = emit_packed;
    return true;
}

/* ---- v_mqsad_u32_u8: four sums, each of the reference against four bytes of the first operand, one byte further on ---- */

enum { MQSAD_LOW, MQSAD_HIGH, MQSAD_REFERENCE, MQSAD_ADDENDS }; /* item->scalar of operands that are no VGPRs */

static LLVMValueRef mqsad_row(struct wl_lift *l, const struct wl_item *item, unsigned operand, unsigned slot, unsigned part) {
    const struct wl_operand *op = &item->inst->operands[operand];
    return op->kind == WL_OPERAND_VGPR ? wl_strip_row(l, op->reg + part) : wl_strip_splat(l, item->scalar[slot]);
}

static void emit_mqsad(struct wl_lift *l, struct wl_item *item) {
    LLVMValueRef function = wl_lift_semantics(l, item->sem), sums[4];
    if (!function)
        return;
    LLVMValueRef low = mqsad_row(l, item, 1, MQSAD_LOW, 0), high = mqsad_row(l, item, 1, MQSAD_HIGH, 1);
    LLVMValueRef reference = mqsad_row(l, item, 2, MQSAD_REFERENCE, 0);
    for (unsigned i = 0; i < 4; i++) {
        LLVMValueRef window[] = {high, low, wl_lift_int(l, l->strip_i32, 8 * i)};
        LLVMValueRef arguments[] = {i ? wl_lift_intrinsic(l, "llvm.fshr", &l->strip_i32, 1, window, 3) : low, reference,
                                    mqsad_row(l, item, 3, MQSAD_ADDENDS + i, i)};
        sums[i] = LLVMBuildCall2(l->b, LLVMGlobalGetValueType(function), function, arguments, 3, "");
    }
    for (unsigned i = 0; i < 4; i++)
        wl_strip_set_row(l, item->inst->operands[0].reg + i, sums[i]);
}

static bool record_mqsad(struct wl_lift *l, struct wl_item *item) {
    const struct wl_operand *op = item->inst->operands;
    if (item->inst->operand_count != 4 || op[0].kind != WL_OPERAND_VGPR) {
        wl_lift_error(l, item->inst, "has operands that are not implemented");
        return false;
    }
    for (unsigned i = 1; i < 4; i++)
        for (unsigned r = 0; r < op[i].count && op[i].kind == WL_OPERAND_SGPR; r++)
            if (wl_region_mask_pending(l, op[i].reg + r)) { /* flushed, and begun again with this item */
                struct wl_item again = *item;
                l->region.item_count--;
                wl_lift_flush(l);
                item = &l->region.items[l->region.item_count++];
                *item = again;
            }
    for (unsigned part = 0; part < 2 && op[1].kind != WL_OPERAND_VGPR; part++) {
        LLVMValueRef value = wl_lift_scalar_operand(l, &op[1], WL_U64), by = wl_lift_int(l, l->i64, 32 * part);
        item->scalar[MQSAD_LOW + part] = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, value, by, ""), l->i32, "");
    }
    if (op[2].kind != WL_OPERAND_VGPR)
        item->scalar[MQSAD_REFERENCE] = wl_lift_scalar_operand(l, &op[2], WL_U32);
    for (unsigned i = 0; i < 4 && op[3].kind != WL_OPERAND_VGPR; i++)
        item->scalar[MQSAD_ADDENDS + i] = op[3].kind == WL_OPERAND_SGPR && op[3].reg == WL_SGPR_SCC && i ? wl_lift_int(l, l->i32, 0)
                                          : op[3].kind == WL_OPERAND_SGPR
                                              ? wl_lift_sgpr(l, op[3].reg + i)
                                              : wl_lift_int(l, l->i32, i ? 0 : wl_operand_bits(&op[3], 32, false, true));
    item->sem = wl_lift_find_semantics(l, item->inst->sem->name);
    item->emit = emit_mqsad;
    return true;
}

/* ---- v_mad_u64_u32 of which the low half alone is used: how compilers for gfx10 and later make indices ---- */

enum { MAD_PRODUCT = 0, MAD_FACTOR = 1, MAD_ADDEND = 3 }; /* item->scalar: of two scalar factors, or of one; of the addend */

static bool is_scalar_input(const struct wl_operand *op) { return op->kind == WL_OPERAND_SGPR || op->kind == WL_OPERAND_IMM; }

static LLVMValueRef mad_input(struct wl_lift *l, const struct wl_item *item, unsigned operand, unsigned slot) {
    const struct wl_operand *op = &item->inst->operands[operand];
    return op->kind == WL_OPERAND_VGPR ? wl_strip_row(l, op->reg) : wl_strip_splat(l, item->scalar[slot]);
}

static void emit_mad_low(struct wl_lift *l, struct wl_item *item) {
    LLVMValueRef product;
    if (item->scalar[MAD_PRODUCT])
        product = wl_strip_splat(l, item->scalar[MAD_PRODUCT]);
    else
        product = LLVMBuildMul(l->b, mad_input(l, item, 2, MAD_FACTOR), mad_input(l, item, 3, MAD_FACTOR + 1), "");
    wl_strip_set_row(l, item->inst->operands[0].reg, LLVMBuildAdd(l->b, product, mad_input(l, item, 4, MAD_ADDEND), ""));
}

/* Whether nobody reads what the instruction leaves in the high half and as its carry. */
static bool low_half_alone(const struct wl_lift *l, const struct wl_operand *op) {
    const struct wl_live *live = &l->unit.live_after[l->unit.at];
    unsigned high = op[0].reg + 1u;
    bool carry = op[1].kind == WL_OPERAND_SGPR;
    for (unsigned i = 0; carry && i < op[1].count; i++)
        if (op[1].reg + i < WL_SGPR_COUNT && wl_bit(live->scalar, op[1].reg + i))
            return false;
    return high < WL_VGPR_COUNT && !wl_bit(live->full, high) && !wl_bit(live->active, high) && !wl_bit(live->inactive, high);
}

static bool record_mad(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_operand *op = inst->operands;
    if (inst->operand_count != 5 || inst->clamp || inst->is_dpp || op[0].kind != WL_OPERAND_VGPR || op[4].is_float ||
        !low_half_alone(l, op))
        return false; /* a floating-point addend is a pattern of 64 bits */
    for (unsigned i = 2; i < 5; i++)
        if ((op[i].kind != WL_OPERAND_VGPR && !is_scalar_input(&op[i])) ||
            (op[i].kind == WL_OPERAND_SGPR && wl_region_mask_pending(l, op[i].reg)))
            return false;
    for (unsigned i = 2; i < 5; i++)
        if (is_scalar_input(&op[i]))
            item->scalar[MAD_FACTOR + i - 2] = wl_lift_scalar_operand(l, &op[i], WL_U32);
    if (is_scalar_input(&op[2]) && is_scalar_input(&op[3]))
        item->scalar[MAD_PRODUCT] = LLVMBuildMul(l->b, item->scalar[MAD_FACTOR], item->scalar[MAD_FACTOR + 1], "");
    item->emit = emit_mad_low;
    return true;
}

bool wl_wide_record_packed(struct wl_lift *l, struct wl_item *item) {
    static const struct {
        const char *packed, *plain;
    } packed[] = {{"v_pk_add_f32", "v_add_f32"}, {"v_pk_mul_f32", "v_mul_f32"}, {"v_pk_fma_f32", "v_fma_f32"}};
    const char *name = item->inst->mnemonic;
    if (!strcmp(name, "v_mqsad_u32_u8"))
        return record_mqsad(l, item);
    for (unsigned i = 0; i < sizeof packed / sizeof *packed; i++)
        if (!strcmp(name, packed[i].packed))
            return record_packed(l, item, packed[i].plain);
    return false;
}

bool wl_wide_record(struct wl_lift *l, struct wl_item *item) {
    const char *name = item->inst->mnemonic;
    if (!strcmp(name, "v_lshlrev_b64") || !strcmp(name, "v_lshrrev_b64"))
        return record_shift(item);
    return (!strcmp(name, "v_mad_u64_u32") && record_mad(l, item)) || wl_wide_record_packed(l, item);
}
