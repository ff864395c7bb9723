/* Computes before a condition what both of its arms begin with.
 *
 * Compilers copy an instruction to both arms of a condition on lanes. Each arm then writes the register in its own lanes, under a partial
 * EXEC, and nothing says that both have written the same. In front of the condition one instruction does it for all lanes. */
#include "translate/rewrite/rewrite.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <string.h>

/* Basic blocks, one behind the other: `before` ends where EXEC loses the lanes of the second arm, `first` is the first arm, and ends where EXEC
 * takes the others; then maybe a branch over the second arm, if it has no lanes; `second`. */
struct arms {
    struct wl_block *before, *first, *second;
};

static struct wl_inst *last_of(const struct wl_unit *unit, const struct wl_block *block) {
    return &unit->insts[block->first + block->count - 1];
}

static bool is_nothing(const struct wl_inst *inst) { return inst->isa && inst->isa->class == WL_ISA_NOP; }

static bool saves(const struct wl_inst *inst, enum wl_saveexec_op how) {
    return inst->isa && inst->isa->class == WL_ISA_SAVEEXEC && inst->isa->detail == how && inst->operands[0].kind == WL_OPERAND_SGPR;
}

static bool is_register(const struct wl_operand *op, unsigned reg) { return op->kind == WL_OPERAND_SGPR && op->reg == reg; }

/* Whether the block is reached from the one before it alone, and lies behind it. */
static bool follows_alone(const struct wl_unit *unit, uint32_t p) {
    const struct wl_block *block = &unit->blocks[p];
    if (unit->entry == p || unit->blocks[p - 1].next != p || !block->count ||
        block->first != unit->blocks[p - 1].first + unit->blocks[p - 1].count)
        return false;
    for (uint32_t q = 0; q < unit->block_count; q++)
        if (unit->blocks[q].target == p || (q != p - 1 && unit->blocks[q].next == p))
            return false;
    return true;
}

/* Whether the first arm turns the saved EXEC into the lanes that it does not have, and gives these to EXEC at its end. */
static bool takes_the_others(const struct wl_unit *unit, const struct wl_block *block, unsigned saved) {
    const struct wl_inst *inst = &unit->insts[block->first], *last = last_of(unit, block);
    while (inst < last && is_nothing(inst))
        inst++;
    if (strncmp(inst->mnemonic, "s_xor_b", 7) != 0 || !is_register(&inst->operands[0], saved))
        return false;
    const bool straight = is_register(&inst->operands[1], WL_SGPR_EXEC) && is_register(&inst->operands[2], saved);
    const bool reverse = is_register(&inst->operands[2], WL_SGPR_EXEC) && is_register(&inst->operands[1], saved);
    return (straight || reverse) && block->end == WL_BLOCK_EXEC && saves(last, WL_SAVE_ANDN2) && is_register(&last->operands[1], saved);
}

static bool find_arms(struct wl_unit *unit, uint32_t p, struct arms *arms) {
    if (unit->blocks[p].end != WL_BLOCK_EXEC || p + 2 >= unit->block_count || !follows_alone(unit, p + 1) || !follows_alone(unit, p + 2))
        return false;
    const struct wl_inst *narrows = last_of(unit, &unit->blocks[p]);
    if (!saves(narrows, WL_SAVE_AND) || !takes_the_others(unit, &unit->blocks[p + 1], narrows->operands[0].reg))
        return false;
    const struct wl_block *third = &unit->blocks[p + 2];
    const bool branches = third->count == 1 && third->end == WL_BLOCK_CBRANCH && last_of(unit, third)->isa->detail == WL_IF_EXECZ;
    if (branches && (p + 3 >= unit->block_count || !follows_alone(unit, p + 3)))
        return false;
    *arms = (struct arms){&unit->blocks[p], &unit->blocks[p + 1], &unit->blocks[p + (branches ? 3 : 2)]};
    return true;
}

/* Whether an instruction only computes whole vector registers, lane by lane. */
static bool computes(const struct wl_inst *inst, const struct wl_effects *effects) {
    if (!inst->sem || inst->sem->scalar || inst->index_mode || inst->is_dpp || inst->paired || !inst->size)
        return false;
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_SPECIAL)
            return false;
    return !(effects->touch.scalar[0] | effects->touch.scalar[1]) &&
           memcmp(effects->touch.vector, effects->def.vector, sizeof effects->def.vector) == 0;
}

static struct wl_effects effects_of(const struct wl_unit *unit, const struct wl_inst *inst) {
    struct wl_effects effects;
    wl_inst_effects(inst, unit->request->wave_size, &effects);
    wl_put_bits(effects.use.scalar, WL_SGPR_EXEC, 2, false);
    return effects;
}

/* Whether `moved` may go before `other`, or be done before it. */
static bool may_pass(const struct wl_effects *moved, const struct wl_effects *other) {
    return !wl_regs_meet(&other->touch, &moved->use) && !wl_regs_meet(&other->touch, &moved->touch) &&
           !wl_regs_meet(&other->use, &moved->touch) && !wl_effects_reach_lanes(other);
}

/* Whether `moved` may pass all instructions of a basic block from `from` to `to`. */
static bool may_pass_all(const struct wl_unit *unit, const struct wl_effects *moved, const struct wl_inst *from, const struct wl_inst *to) {
    for (const struct wl_inst *inst = from; inst < to; inst++) {
        const struct wl_effects effects = effects_of(unit, inst);
        if (!may_pass(moved, &effects))
            return false;
    }
    return true;
}

/* Whether what `moved` gives the lanes of the second arm stays, and what it reads, over the rest of the first arm, which has other lanes. */
static bool stays(const struct wl_unit *unit, const struct wl_effects *moved, const struct wl_inst *from, const struct wl_inst *to) {
    for (const struct wl_inst *inst = from; inst <= to; inst++) {
        const struct wl_effects effects = effects_of(unit, inst);
        if (wl_sets_meet(effects.touch.scalar, moved->use.scalar, 2) || wl_effects_reach_lanes(&effects))
            return false;
    }
    return true;
}

/* Whether two instructions that only compute do the same. Those with modifiers are not looked at. */
static bool is_plain(const struct wl_inst *inst) {
    bool plain = !inst->is_sdwa && !inst->clamp && !inst->omod && !inst->op_sel && !inst->neg_lo && !inst->neg_hi && !inst->has_op_sel_hi;
    for (unsigned i = 0; i < inst->operand_count; i++)
        plain &= !inst->operands[i].neg && !inst->operands[i].abs && !inst->operands[i].is_float;
    return plain;
}

static bool same(const struct wl_inst *a, const struct wl_inst *b) {
    bool same =
        a->sem == b->sem && a->operand_count == b->operand_count && is_plain(a) && is_plain(b) && b->size && !b->is_dpp && !b->paired;
    for (unsigned i = 0; same && i < a->operand_count; i++)
        same = wl_operand_same(&a->operands[i], &b->operands[i]);
    return same;
}

/* The instruction of the second arm that is the same, and may be done before the arm; NULL: there is none. */
static struct wl_inst *find_same(const struct wl_unit *unit, const struct arms *arms, const struct wl_inst *inst,
                                 const struct wl_effects *effects) {
    struct wl_inst *begin = &unit->insts[arms->second->first], *end = begin + arms->second->count;
    for (struct wl_inst *other = begin; other < end; other++)
        if (same(inst, other))
            return (other == begin || !other[-1].paired) && may_pass_all(unit, effects, begin, other) ? other : NULL;
    return NULL;
}

static void join(struct wl_unit *unit, const struct arms *arms) {
    struct wl_inst *narrows = last_of(unit, arms->before), *end = last_of(unit, arms->first);
    const struct wl_effects change = effects_of(unit, narrows);
    const struct wl_isa *nothing = wl_isa_find("s_nop");
    for (struct wl_inst *inst = narrows + 1; inst < end; inst++) {
        const struct wl_effects effects = effects_of(unit, inst);
        if (!computes(inst, &effects) || inst[-1].paired || wl_sets_meet(change.touch.scalar, effects.use.scalar, 2) ||
            !may_pass_all(unit, &effects, narrows + 1, inst) || !stays(unit, &effects, inst + 1, end))
            continue;
        struct wl_inst *other = find_same(unit, arms, inst, &effects);
        if (!other || !nothing)
            continue;
        const struct wl_inst moved = *inst;
        memmove(narrows + 1, narrows, (size_t)(inst - narrows) * sizeof *inst);
        *narrows++ = moved;
        arms->before->count++;
        arms->first->first++;
        arms->first->count--;
        *other =
            (struct wl_inst){.offset = other->offset, .address = other->address, .size = other->size, .mnemonic = "s_nop", .isa = nothing};
    }
}

void wl_unit_join_arms(struct wl_unit *unit) {
    struct arms arms;
    for (uint32_t p = 0; p + 2 < unit->block_count; p++)
        if (find_arms(unit, p, &arms))
            join(unit, &arms);
}
