#include "translate/unit/mask_work.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t logic;
} mask_logic[] = {
    {"s_mov_b", WL_MASK_MOVE}, {"s_not_b", WL_MASK_NOT},        {"s_and_b", WL_MASK_AND},        {"s_and_not1_b", WL_MASK_AND_NOT},
    {"s_or_b", WL_MASK_OR},    {"s_or_not1_b", WL_MASK_OR_NOT}, {"s_xor_b", WL_MASK_XOR},        {"s_nand_b", WL_MASK_NAND},
    {"s_nor_b", WL_MASK_NOR},  {"s_xnor_b", WL_MASK_XNOR},      {"s_cselect_b", WL_MASK_SELECT},
};

static const struct {
    uint8_t logic;
    bool swapped; /* EXEC comes first */
} saving[] = {
    [WL_SAVE_AND] = {WL_MASK_AND, false},      [WL_SAVE_OR] = {WL_MASK_OR, false},          [WL_SAVE_XOR] = {WL_MASK_XOR, false},
    [WL_SAVE_ANDN1] = {WL_MASK_AND_NOT, true}, [WL_SAVE_ANDN2] = {WL_MASK_AND_NOT, false},  [WL_SAVE_ORN1] = {WL_MASK_OR_NOT, true},
    [WL_SAVE_ORN2] = {WL_MASK_OR_NOT, false},  [WL_SAVE_NAND] = {WL_MASK_NAND, false},      [WL_SAVE_NOR] = {WL_MASK_NOR, false},
    [WL_SAVE_XNOR] = {WL_MASK_XNOR, false},    [WL_WREXEC_ANDN1] = {WL_MASK_AND_NOT, true}, [WL_WREXEC_ANDN2] = {WL_MASK_AND_NOT, false},
};

static bool is_mask_operand(const struct wl_operand *operand, unsigned registers) {
    return operand->kind == WL_OPERAND_IMM || (operand->kind == WL_OPERAND_SGPR && operand->count == registers);
}

static bool saving_work(const struct wl_inst *inst, unsigned wave_size, struct wl_mask_work *work) {
    const struct wl_operand exec = {.kind = WL_OPERAND_SGPR, .reg = WL_SGPR_EXEC, .count = (uint8_t)(wave_size / 32)};
    unsigned detail = inst->isa->detail;
    if (inst->isa->bits != wave_size || inst->operands[0].kind != WL_OPERAND_SGPR)
        return false;
    work->logic = saving[detail].logic;
    work->a = saving[detail].swapped ? exec : inst->operands[1];
    work->b = saving[detail].swapped ? inst->operands[1] : exec;
    work->to = WL_SGPR_EXEC;
    work->saves = true;
    work->saves_new = detail == WL_WREXEC_ANDN1 || detail == WL_WREXEC_ANDN2;
    work->saved = inst->operands[0].reg;
    return is_mask_operand(&inst->operands[1], wave_size / 32);
}

bool wl_mask_work(const struct wl_inst *inst, unsigned wave_size, struct wl_mask_work *work) {
    *work = (struct wl_mask_work){0};
    if (inst->isa && inst->isa->class == WL_ISA_SAVEEXEC)
        return saving_work(inst, wave_size, work);
    if (!inst->sem || !inst->sem->scalar || inst->operand_count < 2 || inst->operand_count > 3)
        return false;
    for (size_t i = 0; i < sizeof mask_logic / sizeof *mask_logic; i++) {
        size_t length = strlen(mask_logic[i].name);
        if (strncmp(inst->mnemonic, mask_logic[i].name, length) != 0 || strcmp(inst->mnemonic + length, wave_size == 64 ? "64" : "32") != 0)
            continue;
        work->logic = (enum wl_mask_logic)mask_logic[i].logic;
        work->a = inst->operands[1];
        work->b = inst->operands[inst->operand_count - 1];
        work->to = inst->operands[0].reg;
        unsigned registers = wave_size / 32;
        return inst->operands[0].kind == WL_OPERAND_SGPR && inst->operands[0].count == registers && is_mask_operand(&work->a, registers) &&
               is_mask_operand(&work->b, registers);
    }
    return false;
}
