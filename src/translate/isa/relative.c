#include "translate/isa/relative.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <string.h>

/* The operand at which the sources begin. GFX10 and newer v_cmpx print no result. */
static unsigned first_source(const struct wl_inst *inst) {
    unsigned first = inst->sem ? 0 : 1;
    if (inst->isa && inst->isa->class == WL_ISA_CMPX && inst->operand_count < 3)
        return 0;
    for (unsigned i = 0; inst->sem && i < inst->sem->result_count; i++)
        first += inst->sem->results[i].role == WL_ROLE_PRINTED;
    return first;
}

bool wl_relative_operand(const struct wl_inst *inst, unsigned mode, unsigned i, bool *result) {
    const unsigned first = first_source(inst);
    *result = i < first;
    return inst->operands[i].kind == WL_OPERAND_VGPR && (*result ? mode & WL_INDEX_DST : i - first < 3 && mode >> (i - first) & 1);
}

static bool is_named(const struct wl_inst *inst, unsigned row, unsigned count) {
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const struct wl_operand *op = &inst->operands[i];
        if (op->kind == WL_OPERAND_VGPR && op->reg < row + count && row < op->reg + (unsigned)op->count)
            return true;
    }
    return false;
}

unsigned wl_relative_copy(const struct wl_inst *inst, unsigned count, unsigned limit) {
    unsigned row = limit - count;
    while (row && is_named(inst, row, count))
        row--;
    return row;
}

unsigned wl_relative_move(struct wl_inst *move, const struct wl_inst *inst) {
    static const uint8_t modes[] = {[WL_MOVREL_VGPR_TO] = WL_INDEX_DST,
                                    [WL_MOVREL_VGPR_FROM] = WL_INDEX_SRC0,
                                    [WL_MOVREL_VGPR_BOTH] = WL_INDEX_SRC0 | WL_INDEX_DST,
                                    [WL_MOVREL_VGPR_BOTH_2] = WL_INDEX_SRC0 | WL_INDEX_DST};
    *move = *inst;
    move->sem = wl_sem_find("v_mov_b32", NULL);
    move->isa = NULL;
    memcpy(move->mnemonic, "v_mov_b32", sizeof "v_mov_b32");
    return modes[inst->isa->detail];
}
