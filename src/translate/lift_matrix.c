/* Matrix instructions: calls of one helper, whose kernels know all shapes (device/cpu/matrix.h). */
#include "translate/lift.h"

#include "device/cpu/helpers.h"
#include "device/cpu/matrix.h"

#include <stddef.h>
#include <string.h>

uint64_t wl_matrix_constant(const struct wl_operand *operand, unsigned kind) {
    switch (kind) {
    case WL_MATRIX_F64:
        return wl_operand_bits(operand, 64, true, false);
    case WL_MATRIX_F16:
        return wl_operand_bits(operand, 16, true, false);
    case WL_MATRIX_BF16:
        return operand->is_float ? wl_operand_bits(operand, 32, true, false) >> 16 : wl_operand_bits(operand, 16, true, false);
    default:
        return wl_operand_bits(operand, 32, kind == WL_MATRIX_F32, kind == WL_MATRIX_I32);
    }
}

uint32_t wl_matrix_shape(const struct wl_inst *inst, unsigned generation) {
    uint32_t shape = inst->isa->matrix;
    if (generation == 11)
        shape = WL_MATRIX_SHAPE(WL_MATRIX_A(shape), WL_MATRIX_B(shape), WL_MATRIX_D(shape), WL_MATRIX_M(shape), WL_MATRIX_K(shape), 1,
                                WL_MATRIX_WMMA11, 0);
    return shape;
}

uint32_t wl_matrix_modifiers(const struct wl_inst *inst, const char *processor, uint32_t shape) {
    const unsigned a = WL_MATRIX_A(shape);
    uint32_t modifiers = 0;
    if (WL_MATRIX_LAYOUT(shape) == WL_MATRIX_MFMA) {
        modifiers =
            (uint32_t)inst->cbsz << WL_MATRIX_CBSZ | (uint32_t)inst->abid << WL_MATRIX_ABID | (uint32_t)inst->blgp << WL_MATRIX_BLGP;
        if (!strcmp(processor, "gfx90a") && (a == WL_MATRIX_F16 || a == WL_MATRIX_BF16))
            modifiers |= WL_MATRIX_FLUSH;
        if (!strcmp(processor, "gfx950"))
            modifiers |= WL_MATRIX_OCP;
        return modifiers;
    }
    modifiers = (uint32_t)(inst->neg_lo & 7) << WL_MATRIX_NEG_LO | (uint32_t)(inst->neg_hi & 7) << WL_MATRIX_NEG_HI;
    if (WL_MATRIX_SPARSE(shape))
        modifiers |= (uint32_t)(inst->abid & 3) << WL_MATRIX_KEY;
    if (inst->clamp)
        modifiers |= WL_MATRIX_CLAMP;
    if (WL_MATRIX_LAYOUT(shape) == WL_MATRIX_WMMA11 && (inst->op_sel & 4))
        modifiers |= WL_MATRIX_HIGH;
    return modifiers;
}

bool wl_matrix_is_known(const struct wl_inst *inst, unsigned generation) {
    const struct wl_operand *op = inst->operands;
    if (inst->operand_count != 4)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (op[i].kind != WL_OPERAND_VGPR)
            return false;
    return op[3].kind == WL_OPERAND_VGPR || (op[3].kind == WL_OPERAND_IMM && !WL_MATRIX_SPARSE(wl_matrix_shape(inst, generation)));
}

void wl_lift_matrix(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    if (!wl_matrix_is_known(inst, l->generation)) {
        wl_lift_error(l, inst, "has matrices that are not in vector registers");
        return;
    }
    const uint32_t shape = wl_matrix_shape(inst, l->generation), modifiers = wl_matrix_modifiers(inst, l->request->processor, shape);
    wl_lift_flush(l);
    const bool in_registers = op[3].kind == WL_OPERAND_VGPR;
    LLVMValueRef arguments[] = {
        l->wave,
        wl_lift_row_address(l, op[0].reg),
        wl_lift_row_address(l, op[1].reg),
        wl_lift_row_address(l, op[2].reg),
        in_registers ? wl_lift_row_address(l, op[3].reg) : LLVMConstNull(l->ptr),
        wl_lift_int(l, l->i64, in_registers ? 0 : wl_matrix_constant(&op[3], WL_MATRIX_D(shape))),
        wl_lift_int(l, l->i32, shape),
        wl_lift_int(l, l->i32, modifiers),
    };
    wl_lift_call_helper(l, offsetof(struct wl_helpers, matrix), l->void_type, arguments, sizeof arguments / sizeof *arguments);
}
