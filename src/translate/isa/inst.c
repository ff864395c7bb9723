/* The values of immediate operands. */
#include "translate/isa/inst.h"

#include "machine/wave.h"
#include "translate/isa/isa.h"

static uint64_t float_bits(double number, unsigned width) {
    /* The one inline constant that is not exact: 1 / (2 * pi), rounded for each width. */
    const double tiny = 0.15915494309189532;
    union {
        double d;
        uint64_t u;
    } wide = {number};
    union {
        float f;
        uint32_t u;
    } single = {(float)number};
    const bool inexact = number == tiny || number == -tiny;

    if (width == 64)
        return wide.u;
    if (width == 32)
        return single.u;
    /* 0.5, 1, 2 and 4 have no fraction bits: rebias the exponent. */
    if (inexact)
        return number < 0 ? 0xb118 : 0x3118;
    if (number == 0)
        return single.u >> 16 & 0x8000;
    return (single.u >> 16 & 0x8000) | ((single.u >> 23 & 0xff) - 127 + 15) << 10;
}

bool wl_operand_same(const struct wl_operand *a, const struct wl_operand *b) {
    return a->kind == b->kind && a->reg == b->reg && a->bank == b->bank && a->count == b->count &&
           (a->kind != WL_OPERAND_IMM || a->bits == b->bits);
}

uint64_t wl_operand_bits(const struct wl_operand *operand, unsigned width, bool as_float, bool as_signed) {
    uint64_t bits = operand->bits;

    if (operand->kind == WL_OPERAND_IMM && operand->is_float)
        return float_bits(operand->number, width);
    if (operand->kind == WL_OPERAND_IMM && operand->literal && width == 64) {
        if (as_float)
            return bits << 32;
        return as_signed ? (uint64_t)(int64_t)(int32_t)bits : bits;
    }
    if (width >= 64)
        return bits;
    return bits & ((1ull << width) - 1);
}

unsigned wl_inst_offset_unit(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;

    if (!inst->scale_offset)
        return 1;
    return isa->class == WL_ISA_ATOMIC || isa->class == WL_ISA_SMEM_ATOMIC || isa->bits < 32 ? isa->bits / 8u : isa->dwords * 4u;
}

uint32_t wl_inst_barrier(const struct wl_inst *inst, uint32_t *number) {
    const unsigned first = inst->isa->detail == WL_BARRIER_STATE ? 1 : 0;
    const bool constant = first >= inst->operand_count || inst->operands[first].kind == WL_OPERAND_IMM;

    *number = first < inst->operand_count && constant ? (uint32_t)inst->operands[first].bits : 0;
    return inst->isa->detail | (constant ? 0u : (uint32_t)WL_BARRIER_BY_M0);
}

bool wl_inst_branch_target(const struct wl_inst *inst, uint64_t *target) {
    const unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    const struct wl_operand *op = &inst->operands[0];

    if (class == WL_ISA_BRANCH || class == WL_ISA_CBRANCH)
        *target = op->bits;
    else if (class == WL_ISA_SETPC && op->kind == WL_OPERAND_IMM)
        *target = inst->address + inst->size + wl_operand_bits(op, 64, false, true);
    else
        return false;
    return true;
}
