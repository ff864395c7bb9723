/* Scalar registers that are read as numbers. A mask is only ever combined with other masks, chosen by, branched on: then a lane's bit is all
 * that its thread needs of it. What an address, a count or a word of data is made of has to be the same in all threads. Registers are used
 * for both in turn, and constants look like both, so that this is found out backwards from the reads. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"
#include "translate/unit/mask_work.h"

#include <string.h>

static void put_operand(uint64_t set[2], const struct wl_operand *op) {
    for (unsigned i = 0; op->kind == WL_OPERAND_SGPR && i < op->count; i++)
        wl_set(set, op->reg + i);
}

/* The scalar registers that semantics of lanes take as masks. */
static void find_read_masks(const struct wl_inst *inst, unsigned registers, uint64_t masks[2]) {
    const struct wl_sem *sem = inst->sem;
    unsigned printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++)
        printed += sem->results[i].role == WL_ROLE_PRINTED;
    for (unsigned i = 0; i < sem->input_count; i++) {
        if (sem->inputs[i].role == WL_ROLE_VCC)
            wl_put_bits(masks, WL_SGPR_VCC, registers, true);
        if (sem->inputs[i].role != WL_ROLE_PRINTED)
            continue;
        if (sem->inputs[i].type == WL_MASK && printed < inst->operand_count)
            put_operand(masks, &inst->operands[printed]);
        printed++;
    }
}

/* What an instruction reads as masks alone, if what it writes is no number. */
static void find_masks(const struct wl_inst *inst, unsigned registers, const uint64_t data[2], uint64_t masks[2]) {
    struct wl_mask_work work;
    if (wl_mask_work(inst, registers * 32, &work)) {
        if (wl_any_bit(data, WL_SGPR_SCC, 1) || wl_any_bit(data, work.to, registers) ||
            (work.saves && wl_any_bit(data, work.saved, registers)))
            return;
        put_operand(masks, &work.a);
        put_operand(masks, &work.b);
    } else if (inst->isa && inst->isa->class == WL_ISA_CBRANCH) {
        wl_put_bits(masks, WL_SGPR_VCC, registers, true);
    } else if (inst->sem && !inst->sem->scalar) {
        find_read_masks(inst, registers, masks);
    }
    wl_put_bits(masks, WL_SGPR_EXEC, 2, true);
}

static void step_back(const struct wl_inst *inst, unsigned registers, uint64_t data[2]) {
    struct wl_effects effects;
    uint64_t masks[2] = {0};
    wl_inst_effects(inst, registers * 32, &effects);
    find_masks(inst, registers, data, masks);
    for (unsigned i = 0; i < 2; i++)
        data[i] = (data[i] & ~effects.def.scalar[i]) | (effects.use.scalar[i] & ~masks[i]);
}

void wl_ptx_find_data(const struct wl_unit *unit, unsigned registers, uint64_t (*data)[2]) {
    memset(data, 0, unit->block_count * sizeof *data);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = unit->block_count; p-- > 0;) {
            const struct wl_block *block = &unit->blocks[p];
            const uint32_t next[2] = {block->next, block->target};
            const bool leaves = block->end == WL_BLOCK_CALL || block->end == WL_BLOCK_JUMP;
            uint64_t now[2] = {leaves ? UINT64_MAX : 0, leaves ? UINT64_MAX : 0};
            for (unsigned i = 0; i < 2 && !leaves; i++)
                for (unsigned w = 0; w < 2 && next[i] != WL_NO_BLOCK; w++)
                    now[w] |= data[next[i]][w];
            for (uint32_t i = block->count; i-- > 0;)
                step_back(&unit->insts[block->first + i], registers, now);
            changed |= now[0] != data[p][0] || now[1] != data[p][1];
            memcpy(data[p], now, sizeof now);
        }
    }
}
