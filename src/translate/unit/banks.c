#include "translate/unit/banks.h"

#include "translate/isa/isa.h"

#include <string.h>

enum { FIELDS = 4, FIRST_BIT = 12, HWREG_MODE = 1 };

bool wl_banks_apply(struct wl_inst *inst, wl_banks banks) {
    for (unsigned i = 0; i < inst->operand_count; i++) {
        struct wl_operand *operand = &inst->operands[i];
        if (operand->kind != WL_OPERAND_VGPR || operand->bank == WL_BANK_NONE)
            continue;
        operand->reg = (uint16_t)(operand->reg % WL_AGPR + WL_AGPR * (banks >> 2 * (operand->bank - WL_BANK_SRC0) & 3u));
        if (operand->reg + operand->count > WL_TEMPORARY)
            return false;
    }
    return true;
}

/* MODE has the destination's bits lowest, s_set_vgpr_msb highest. */
static wl_banks of_mode(uint32_t bits) { return (wl_banks)(bits >> 2 | (bits & 3) << 6); }
static uint32_t to_mode(wl_banks banks) { return (banks << 2 & 0xfcu) | banks >> 6; }

wl_banks wl_banks_after(const struct wl_inst *inst, wl_banks banks, bool clobbers) {
    if (!inst->isa)
        return banks;
    if (inst->isa->class == WL_ISA_NOP && strcmp(inst->mnemonic, "s_set_vgpr_msb") == 0)
        return (wl_banks)inst->operands[0].bits;
    if (inst->isa->class != WL_ISA_SETREG || inst->isa->detail != WL_REG_SET || (inst->operands[0].bits & 63) != HWREG_MODE ||
        inst->operands[1].kind != WL_OPERAND_IMM)
        return banks;
    const uint32_t hwreg = (uint32_t)inst->operands[0].bits, value = (uint32_t)inst->operands[1].bits;
    if (clobbers)
        return of_mode(value >> FIRST_BIT & 0xff);
    const unsigned offset = hwreg >> 6 & 31, size = (hwreg >> 11 & 31) + 1;
    const uint64_t mask = ((UINT64_C(1) << size) - 1) << offset;
    const uint64_t mode = ((uint64_t)to_mode(banks) << FIRST_BIT & ~mask) | ((uint64_t)value << offset & mask);
    return of_mode((uint32_t)(mode >> FIRST_BIT) & 0xff);
}
