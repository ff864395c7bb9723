/* Bits of lanes in masks, as far as they follow from those before: of one lane, or of all lanes that are at a place together. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <string.h>

static bool is_mask(unsigned registers, const struct wl_operand *op) { return op->kind == WL_OPERAND_SGPR && op->count == registers; }

uint8_t wl_ptx_bits_of(const uint8_t *bits, unsigned registers, const struct wl_operand *op) {
    if (op->kind == WL_OPERAND_IMM && !op->is_float)
        return op->bits == 0 ? WL_PTX_ZERO : op->bits == UINT64_MAX || op->bits == UINT32_MAX ? WL_PTX_ONE : WL_PTX_VARIES;
    return is_mask(registers, op) ? bits[op->reg] : (uint8_t)WL_PTX_VARIES;
}

static uint8_t bit_not(uint8_t a) { return a == WL_PTX_ZERO ? WL_PTX_ONE : a == WL_PTX_ONE ? WL_PTX_ZERO : a; }

static uint8_t bit_and(uint8_t a, uint8_t b) {
    if (a == WL_PTX_ZERO || b == WL_PTX_ZERO)
        return WL_PTX_ZERO;
    return a == WL_PTX_ONE ? b : b == WL_PTX_ONE ? a : a == b ? a : (uint8_t)WL_PTX_VARIES;
}

static uint8_t bit_or(uint8_t a, uint8_t b) { return bit_not(bit_and(bit_not(a), bit_not(b))); }

static uint8_t bit_xor(uint8_t a, uint8_t b) {
    if (a == WL_PTX_VARIES || b == WL_PTX_VARIES)
        return WL_PTX_VARIES;
    if (a == WL_PTX_SAME || b == WL_PTX_SAME)
        return WL_PTX_SAME;
    return a == b ? WL_PTX_ZERO : WL_PTX_ONE;
}

static bool named(const struct wl_inst *inst, unsigned registers, const char *stem) {
    size_t length = strlen(stem);
    return !strncmp(inst->mnemonic, stem, length) && !strcmp(inst->mnemonic + length, registers == 2 ? "_b64" : "_b32");
}

/* Of a scalar instruction's result. */
static uint8_t logic(const uint8_t *bits, unsigned registers, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    if (inst->operand_count < 2)
        return WL_PTX_VARIES;
    uint8_t a = wl_ptx_bits_of(bits, registers, &op[1]), b = WL_PTX_VARIES;
    if (inst->operand_count > 2)
        b = wl_ptx_bits_of(bits, registers, &op[2]);
    if (named(inst, registers, "s_mov"))
        return a;
    if (named(inst, registers, "s_not"))
        return bit_not(a);
    if (named(inst, registers, "s_and"))
        return bit_and(a, b);
    if (named(inst, registers, "s_and_not1"))
        return bit_and(a, bit_not(b));
    if (named(inst, registers, "s_or"))
        return bit_or(a, b);
    if (named(inst, registers, "s_or_not1"))
        return bit_or(a, bit_not(b));
    if (named(inst, registers, "s_xor"))
        return bit_xor(a, b);
    if (!named(inst, registers, "s_cselect"))
        return WL_PTX_VARIES;
    return a == WL_PTX_VARIES || b == WL_PTX_VARIES ? WL_PTX_VARIES : a == b ? a : WL_PTX_SAME;
}

/* EXEC behind an instruction that saves it. */
static uint8_t saved(const struct wl_inst *inst, uint8_t source, uint8_t exec) {
    switch (inst->isa->detail) {
    case WL_SAVE_AND:
        return bit_and(source, exec);
    case WL_SAVE_OR:
        return bit_or(source, exec);
    case WL_SAVE_XOR:
        return bit_xor(source, exec);
    case WL_SAVE_ANDN2:
        return bit_and(source, bit_not(exec));
    case WL_SAVE_ANDN1:
        return bit_and(exec, bit_not(source));
    default:
        return WL_PTX_VARIES;
    }
}

void wl_ptx_bits_step(uint8_t *bits, unsigned registers, const struct wl_inst *inst, uint8_t comparison) {
    const struct wl_operand *op = inst->operands;
    const unsigned class = inst->isa ? inst->isa->class : WL_ISA_NOP;
    const bool save = class == WL_ISA_SAVEEXEC, compares = !strncmp(inst->mnemonic, "v_cmp_", 6);
    const uint8_t exec = bits[WL_SGPR_EXEC], source = save ? wl_ptx_bits_of(bits, registers, &op[1]) : WL_PTX_VARIES;
    uint8_t result = WL_PTX_VARIES;
    struct wl_effects effects;
    if (wl_inst_is_scalar(inst) && !save)
        result = logic(bits, registers, inst);
    else if (compares) /* lanes that are off get 0 */
        result = bit_and(exec, comparison);
    wl_inst_effects(inst, registers * 32, &effects);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        for (unsigned i = 0; i < registers && i <= reg && wl_bit(effects.touch.scalar, reg); i++)
            bits[reg - i] = WL_PTX_VARIES;
    if (save && inst->isa->bits == registers * 32) {
        if (is_mask(registers, &op[0]) && inst->isa->detail < WL_WREXEC_ANDN1)
            bits[op[0].reg] = exec;
        bits[WL_SGPR_EXEC] = saved(inst, source, exec);
    } else if (class == WL_ISA_CMPX) {
        bits[WL_SGPR_EXEC] = exec == WL_PTX_ZERO ? WL_PTX_ZERO : WL_PTX_VARIES;
    } else if (inst->operand_count && is_mask(registers, &op[0])) {
        bits[op[0].reg] = result;
    }
}

void wl_ptx_bits_forget(uint8_t *bits, const uint64_t *live) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (!wl_bit(live, reg) && reg != WL_SGPR_EXEC)
            bits[reg] = WL_PTX_VARIES;
}
