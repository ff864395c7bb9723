/* Conditions of branches: votes of the warp, or a thread's own bit. */
#include "translate/lift/values.h"
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/ptx.h"

#include <string.h>

/* i1: a mask that has all lanes which are there or none, if threads part as they may, is not zero. */
static LLVMValueRef any_same(struct wl_lift *l, unsigned reg) {
    LLVMValueRef predicate = wl_ptx_predicate(l, reg);
    return wl_ptx_marker(l, "wl.any.same", l->i1, &predicate, 1, true);
}

static LLVMValueRef any_active(struct wl_lift *l) {
    const size_t block = (size_t)(l->unit.block - l->unit.code->blocks);
    if (l->ptx->own[block])
        return any_same(l, WL_SGPR_EXEC);
    return l->ptx->parts[block] ? wl_ptx_any_own(l, WL_SGPR_EXEC) : wl_ptx_any(l, WL_SGPR_EXEC);
}

/* i1: whether VCC has a lane, where it is EXEC and a scalar condition, or EXEC without that: some lane is on in such code. NULL: it is something
 * else. */
static LLVMValueRef scalar_condition(struct wl_lift *l) {
    const struct wl_unit *unit = l->unit.code;
    const struct wl_block *block = l->unit.block;
    const uint32_t number = (uint32_t)(block - unit->blocks);
    for (uint32_t i = block->count - 1; i-- > 0;) {
        const struct wl_inst *inst = &unit->insts[block->first + i];
        const struct wl_operand *op = inst->operands;
        struct wl_effects effects;
        wl_inst_effects(inst, l->wave_size, &effects);
        if (!wl_any_bit(effects.touch.scalar, WL_SGPR_VCC, 2))
            continue;
        const bool without = !strncmp(inst->mnemonic, "s_and_not1_b", 12), both = !strncmp(inst->mnemonic, "s_and_b", 7);
        if (!(without || both) || op[0].kind != WL_OPERAND_SGPR || op[0].reg != WL_SGPR_VCC || op[1].kind != WL_OPERAND_SGPR ||
            op[1].reg != WL_SGPR_EXEC || !wl_ptx_flow_whole(l->ptx->flow, number, i, &op[2]))
            return NULL;
        for (uint32_t j = i + 1; j + 1 < block->count; j++) { /* the condition is still there */
            wl_inst_effects(&unit->insts[block->first + j], l->wave_size, &effects);
            if (wl_any_bit(effects.touch.scalar, op[2].reg, op[2].count))
                return NULL;
        }
        LLVMValueRef holds = wl_ptx_predicate(l, op[2].reg);
        return without ? LLVMBuildNot(l->b, holds, "") : holds;
    }
    return NULL;
}

static LLVMValueRef any_of_vcc(struct wl_lift *l) {
    LLVMValueRef scalar = scalar_condition(l);
    if (scalar)
        return scalar;
    return l->ptx->own[l->unit.block - l->unit.code->blocks] ? any_same(l, WL_SGPR_VCC) : wl_ptx_any(l, WL_SGPR_VCC);
}

LLVMValueRef wl_ptx_condition(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef scc;
    switch (inst->isa->detail) {
    case WL_IF_SCC0:
    case WL_IF_SCC1:
        scc = wl_lift_sgpr(l, WL_SGPR_SCC);
        return LLVMBuildICmp(l->b, inst->isa->detail == WL_IF_SCC0 ? LLVMIntEQ : LLVMIntNE, scc, LLVMConstNull(l->i32), "");
    case WL_IF_VCCZ:
        return LLVMBuildNot(l->b, any_of_vcc(l), "");
    case WL_IF_VCCNZ:
        return any_of_vcc(l);
    case WL_IF_EXECZ:
        return LLVMBuildNot(l->b, any_active(l), "");
    default:
        return any_active(l);
    }
}
