/* Buffer instructions that surely access the lanes' private memory.
 *
 * Before gfx11 compilers reach private memory through a descriptor that a kernel finds in four SGPRs. The kernel adds its wave's offset to
 * the base, moves the descriptor where it likes, and leaves it alone. So a forward analysis tells which SGPRs hold which of its dwords.
 * Nothing is known behind calls, and in device functions. */
#include "translate/isa/isa.h"
#include "translate/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { FOLLOWED = WL_SGPR_FLAT_SCRATCH, NONE = 0, BASE_LOW = 1, BASE_HIGH = 2, DWORDS = 4 };

/* Which dword of the descriptor each register holds, counted from 1. */
struct held {
    bool reached;
    uint8_t word[FOLLOWED];
};

static uint8_t word_in(const struct held *held, const struct wl_operand *op, unsigned half) {
    return op->kind == WL_OPERAND_SGPR && op->reg + half < FOLLOWED ? held->word[op->reg + half] : (uint8_t)NONE;
}

/* What an instruction leaves in the lower and the upper register of its result. */
static void result_of(const struct held *held, const struct wl_inst *inst, uint8_t result[2]) {
    const struct wl_operand *op = inst->operands;
    result[0] = result[1] = NONE;
    if (!strcmp(inst->mnemonic, "s_mov_b32")) {
        result[0] = word_in(held, &op[1], 0);
    } else if (!strcmp(inst->mnemonic, "s_mov_b64")) {
        result[0] = word_in(held, &op[1], 0);
        result[1] = word_in(held, &op[1], 1);
    } else if (!strcmp(inst->mnemonic, "s_add_u32")) {
        if (word_in(held, &op[1], 0) == BASE_LOW || word_in(held, &op[2], 0) == BASE_LOW)
            result[0] = BASE_LOW;
    } else if (!strcmp(inst->mnemonic, "s_addc_u32")) { /* the base has 48 bits, and does not carry beyond them */
        if (word_in(held, &op[1], 0) == BASE_HIGH && op[2].kind == WL_OPERAND_IMM && op[2].bits == 0)
            result[0] = BASE_HIGH;
    }
}

static void step(const struct wl_unit *unit, struct held *held, const struct wl_inst *inst) {
    struct wl_effects effects;
    uint8_t result[2];
    result_of(held, inst, result);
    wl_inst_effects(inst, unit->request->wave_size, &effects);
    for (unsigned reg = 0; reg < FOLLOWED; reg++)
        if (wl_bit(effects.touch.scalar, reg))
            held->word[reg] = NONE;
    for (unsigned i = 0; i < 2; i++)
        if (result[i] && inst->operands[0].kind == WL_OPERAND_SGPR && inst->operands[0].reg + i < FOLLOWED)
            held->word[inst->operands[0].reg + i] = result[i];
}

static bool join(struct held *into, const struct held *from) {
    bool changed = !into->reached;
    if (changed)
        *into = *from;
    for (unsigned reg = 0; reg < FOLLOWED; reg++)
        if (into->word[reg] && into->word[reg] != from->word[reg]) {
            into->word[reg] = NONE;
            changed = true;
        }
    return changed;
}

static bool is_private(const struct held *held, const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    if (!isa || isa->space != WL_SPACE_BUFFER || (isa->class != WL_ISA_LOAD && isa->class != WL_ISA_STORE) ||
        wl_inst_needs_descriptor(inst) || inst->wide_buffer)
        return false;
    for (unsigned i = 0; i < DWORDS; i++)
        if (word_in(held, &inst->operands[2], i) != i + 1)
            return false;
    return true;
}

static bool has_buffers(const struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (unit->insts[i].isa && unit->insts[i].isa->space == WL_SPACE_BUFFER)
            return true;
    return false;
}

void wl_unit_find_private(struct wl_unit *unit, uint32_t entry) {
    const uint32_t first = unit->request->private_register;
    if (!unit->request->has_private_register || first + DWORDS > FOLLOWED || entry == WL_NO_BLOCK || !has_buffers(unit))
        return;
    struct held *start = calloc(unit->block_count, sizeof *start);
    if (!start)
        return; /* nothing is known then */
    start[entry].reached = true;
    for (unsigned i = 0; i < DWORDS; i++)
        start[entry].word[first + i] = (uint8_t)(i + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            const uint32_t to[2] = {block->next, block->target};
            struct held now = start[p];
            if (!now.reached)
                continue;
            for (uint32_t i = 0; i < block->count; i++) {
                unit->insts[block->first + i].is_private = is_private(&now, &unit->insts[block->first + i]);
                step(unit, &now, &unit->insts[block->first + i]);
            }
            if (block->end == WL_BLOCK_CALL)
                memset(now.word, NONE, sizeof now.word);
            for (unsigned i = 0; i < 2; i++)
                if (to[i] != WL_NO_BLOCK)
                    changed |= join(&start[to[i]], &now);
        }
    }
    free(start);
}
