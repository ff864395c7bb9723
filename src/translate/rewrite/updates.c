/* Finds the stores of what was loaded at the same place and changed since, as in `count[k] += 1`: in units for racecheck. Where lanes of one such
 * instruction have the same place, all but one of the changes are lost, though all lanes store the same. Looks within basic blocks. */
#include "translate/rewrite/rewrite.h"

#include "translate/isa/isa.h"

#include <string.h>

enum { FARTHEST = 128 /* instructions from the load to the store */ };

static void add_operand(struct wl_regs *regs, const struct wl_operand *op) {
    const unsigned count = op->count ? op->count : 1;
    if (op->kind == WL_OPERAND_SGPR)
        wl_put_bits(regs->scalar, op->reg, count, true);
    for (unsigned i = 0; op->kind == WL_OPERAND_VGPR && i < count && op->reg + i < WL_VGPR_COUNT; i++)
        wl_set(regs->vector, op->reg + i);
}

static void remove_regs(struct wl_regs *from, const struct wl_regs *regs) {
    for (unsigned w = 0; w < 2; w++)
        from->scalar[w] &= ~regs->scalar[w];
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        from->vector[w] &= ~regs->vector[w];
}

/* An address of vector memory: a store's operands but for the second, which is data; a load's but for the first, which is the result. */
static bool is_same_place(const struct wl_inst *store, const struct wl_inst *load) {
    bool same = load->isa->space == store->isa->space && load->operand_count == store->operand_count && load->offset0 == store->offset0 &&
                load->offset1 == store->offset1 && wl_operand_same(&load->operands[1], &store->operands[0]);
    for (unsigned i = 2; same && i < store->operand_count; i++)
        same = wl_operand_same(&load->operands[i], &store->operands[i]);
    return same;
}

static bool is_zero(const struct wl_unit *unit, uint32_t first, uint32_t at, const struct wl_operand *vector) {
    for (uint32_t n = at; n-- > first;) {
        const struct wl_inst *inst = &unit->insts[n];
        if (inst->operand_count && wl_operand_same(&inst->operands[0], vector))
            return strncmp(inst->mnemonic, "v_mov_b32", 9) == 0 && inst->operands[1].kind == WL_OPERAND_IMM && inst->operands[1].bits == 0;
    }
    return false;
}

/* A load by the scalar unit of the place that all lanes store to: a base, and an offset in the instruction. */
static bool is_scalar_place(const struct wl_unit *unit, uint32_t first, uint32_t at, const struct wl_inst *load) {
    const struct wl_inst *store = &unit->insts[at];
    const struct wl_operand *last = &load->operands[load->operand_count - 1u];
    const int64_t offset = last->kind == WL_OPERAND_IMM ? (int64_t)last->bits : 0;
    return store->isa->space == WL_SPACE_GLOBAL && store->operand_count == 3 && load->operand_count >= 2 &&
           store->operands[2].kind == WL_OPERAND_SGPR && wl_operand_same(&load->operands[1], &store->operands[2]) &&
           offset == (int64_t)store->offset0 && is_zero(unit, first, at, &store->operands[0]);
}

static bool updates(const struct wl_unit *unit, uint32_t first, uint32_t at) {
    const struct wl_inst *store = &unit->insts[at];
    struct wl_regs data = {0}, address = {0};
    bool changed = false, stays = true; /* the address in vector registers does */
    add_operand(&data, &store->operands[1]);
    add_operand(&address, &store->operands[0]);
    for (unsigned i = 2; i < store->operand_count; i++)
        add_operand(&address, &store->operands[i]);
    for (uint32_t n = at; n > first && at - n < FARTHEST; n--) {
        const struct wl_inst *inst = &unit->insts[n - 1];
        struct wl_effects effects;
        wl_inst_effects(inst, unit->request->wave_size, &effects);
        wl_put_bits(effects.use.scalar, WL_SGPR_EXEC, 2, false);
        const bool moves = strncmp(inst->mnemonic, "v_mov_b32", 9) == 0;
        if (wl_regs_meet(&effects.touch, &address) && !moves)
            return false;
        stays &= !wl_regs_meet(&effects.touch, &address);
        if (!wl_regs_meet(&effects.touch, &data))
            continue;
        if (inst->isa && inst->isa->class == WL_ISA_LOAD && stays && is_same_place(store, inst))
            return changed;
        if (inst->isa && inst->isa->class == WL_ISA_SMEM_LOAD && is_scalar_place(unit, first, at, inst))
            return changed;
        remove_regs(&data, &effects.touch);
        if (!inst->sem)
            continue; /* no arithmetic */
        changed |= !moves;
        (void)wl_regs_add(&data, &effects.use);
    }
    return false;
}

void wl_unit_find_updates(struct wl_unit *unit) {
    for (uint32_t b = 0; b < unit->block_count; b++) {
        const struct wl_block *block = &unit->blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            struct wl_inst *inst = &unit->insts[block->first + i];
            const bool stores = inst->isa && inst->isa->class == WL_ISA_STORE && inst->operand_count >= 2 && !wl_inst_is_of_lane(inst);
            if (stores && (inst->isa->space == WL_SPACE_GLOBAL || inst->isa->space == WL_SPACE_FLAT || inst->isa->space == WL_SPACE_LDS))
                inst->updates = updates(unit, block->first, block->first + i);
        }
    }
}
