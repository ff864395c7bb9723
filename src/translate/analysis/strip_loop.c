#include "translate/analysis/strip_loop.h"
#include "base/array.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 64,        /* of a loop */
    MOST_UNIT_BLOCKS = 1500, /* the search looks at each basic block for each header */
};

/* ---- the search ---- */

struct search {
    struct wl_unit *unit;
    unsigned registers; /* of a mask */
    struct wl_strip_loop loop;
    bool *member; /* by basic block */
    bool *marked; /* by basic block, scratch */
    uint32_t *stack;
    struct wl_effects *effects; /* of one instruction */
    bool failed;                /* the loop at hand is none */
};

static bool ends_plainly(const struct wl_block *block) {
    return block->end == WL_BLOCK_NEXT || block->end == WL_BLOCK_BRANCH || block->end == WL_BLOCK_CBRANCH || block->end == WL_BLOCK_EXEC;
}

/* The basic blocks that may follow: one or two. */
static unsigned successors(const struct wl_block *block, uint32_t to[2]) {
    unsigned count = 0;
    if (block->next != WL_NO_BLOCK)
        to[count++] = block->next;
    if (block->target != WL_NO_BLOCK)
        to[count++] = block->target;
    return count;
}

/* Marks the basic blocks that are reachable from the unit's entry without passing `without`. */
static void mark_reachable(struct search *s, uint32_t without) {
    uint32_t depth = 0;
    memset(s->marked, 0, s->unit->block_count * sizeof *s->marked);
    if (s->unit->entry != without) {
        s->marked[s->unit->entry] = true;
        s->stack[depth++] = s->unit->entry;
    }
    while (depth) {
        uint32_t to[2];
        unsigned count = successors(&s->unit->blocks[s->stack[--depth]], to);
        for (unsigned i = 0; i < count; i++)
            if (to[i] != without && !s->marked[to[i]]) {
                s->marked[to[i]] = true;
                s->stack[depth++] = to[i];
            }
    }
}

static bool leads_to(const struct wl_block *block, uint32_t to) { return block->next == to || block->target == to; }

/* The natural loop of a header: the basic blocks that the header dominates and that lead back to it. False: there is none. */
static bool find_members(struct search *s, uint32_t header) {
    const struct wl_unit *unit = s->unit;
    mark_reachable(s, header);
    memset(s->member, 0, unit->block_count * sizeof *s->member);
    s->member[header] = true;
    for (bool grown = true; grown;) { /* small: a few rounds over the unit */
        grown = false;
        for (uint32_t p = unit->block_count; p-- > 0;) {
            uint32_t to[2];
            unsigned n = successors(&unit->blocks[p], to);
            bool joins = false;
            for (unsigned i = 0; i < n; i++)
                joins |= s->member[to[i]];
            if (s->marked[p] || s->member[p] || !joins)
                continue; /* basic blocks outside of the header's reach come from before it */
            s->member[p] = grown = true;
        }
    }
    bool returns = false;
    for (uint32_t p = 0; p < unit->block_count; p++)
        returns |= s->member[p] && leads_to(&unit->blocks[p], header);
    return returns;
}

bool wl_strip_on_exec(const struct wl_unit *unit, const struct wl_block *block, uint32_t *zero, uint32_t *some) {
    const struct wl_inst *last = &unit->insts[block->first + block->count - 1];
    if (block->end != WL_BLOCK_CBRANCH || (last->isa->detail != WL_IF_EXECZ && last->isa->detail != WL_IF_EXECNZ))
        return false;
    *zero = last->isa->detail == WL_IF_EXECZ ? block->target : block->next;
    *some = last->isa->detail == WL_IF_EXECZ ? block->next : block->target;
    return *zero != WL_NO_BLOCK && *some != WL_NO_BLOCK;
}

/* Finds the one way out of the loop. It must be one on which FULL code can leave: with EXEC 0, at the branch. */
static bool find_exit(struct search *s) {
    const struct wl_unit *unit = s->unit;
    struct wl_strip_loop *loop = &s->loop;
    unsigned ways = 0;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_block *block = &unit->blocks[loop->blocks[i]];
        uint32_t to[2], zero, some;
        unsigned count = successors(block, to);
        if (!ends_plainly(block) || block->is_cut || (block->end == WL_BLOCK_CBRANCH && count != 2))
            return false;
        for (unsigned n = 0; n < count; n++) {
            if (s->member[to[n]])
                continue;
            if (ways++ || !wl_strip_on_exec(unit, block, &zero, &some) || zero != to[n] || block->count != 1 || block->resume == UINT32_MAX)
                return false;
            loop->leave = loop->blocks[i];
            loop->exit = zero;
        }
        if (loop->blocks[i] != loop->header && block->is_spin_header && !loop->writes)
            return false; /* in a loop that writes, wl_strip_loop_may_write looks for loops within it */
    }
    return ways == 1;
}

/* ---- which scalars are masks ---- */

/* What scalar registers hold where a basic block starts, if they do not hold what they held before the loop: masks, of which only this
 * strip's lanes count; or numbers that may differ from round to round. A bit for each register. */
struct kinds {
    uint64_t mask[2], changing[2];
    uint64_t own[2]; /* numbers that belong to this strip alone (enum wl_aggregate), and the other half of a mask that one overwrote */
};

static void add_mask(struct search *s, unsigned reg) {
    wl_set(s->loop.masks, reg);
    if (reg + s->registers > WL_SGPR_COUNT)
        s->failed = true;
}

static void set_kind(struct search *s, struct kinds *k, unsigned reg, bool mask, bool changing) {
    wl_put_bits(k->mask, reg, s->registers, mask);
    wl_put_bits(k->changing, reg, s->registers, changing);
    wl_put_bits(k->own, reg, s->registers, false);
}

/* Steps over any other instruction: it reads scalars as plain numbers, and what it writes may differ from round to round. */
static void other_scalars(struct search *s, struct kinds *k) {
    const struct wl_effects *e = s->effects;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT && s->registers == 2; reg++) /* half of a mask */
        s->failed |= wl_bit(e->touch.scalar, reg) && wl_bit(k->mask, reg ^ 1) && !wl_bit(e->touch.scalar, reg ^ 1);
    for (unsigned w = 0; w < 2; w++) {
        s->failed |= (e->use.scalar[w] & k->mask[w]) != 0;
        k->mask[w] &= ~e->touch.scalar[w];
        k->changing[w] |= e->touch.scalar[w];
        k->own[w] &= ~e->touch.scalar[w];
    }
    s->failed |= wl_any_bit(e->touch.scalar, WL_SGPR_EXEC, 2);
}

static void mask_step(struct search *s, struct kinds *k, struct wl_inst *inst, const struct wl_mask_work *work) {
    const struct wl_operand *operands[2] = {&work->a, &work->b};
    bool mask = work->saves || work->to == WL_SGPR_EXEC, changing = false;
    for (unsigned i = 0; i < 2; i++)
        if (operands[i]->kind == WL_OPERAND_SGPR) {
            mask |= wl_any_bit(k->mask, operands[i]->reg, s->registers);
            s->failed |= wl_any_bit(k->own, operands[i]->reg, s->registers);
            changing |= wl_any_bit(k->changing, operands[i]->reg, s->registers);
        }
    if (work->logic == WL_MASK_SELECT) {
        s->failed |= wl_bit(k->mask, WL_SGPR_SCC);
        changing |= wl_bit(k->changing, WL_SGPR_SCC);
    }
    for (unsigned i = 0; i < 2 && mask; i++)
        if (operands[i]->kind == WL_OPERAND_SGPR)
            add_mask(s, operands[i]->reg);
    if (work->saves) {
        add_mask(s, work->saved);
        set_kind(s, k, work->saved, true, changing);
    }
    if (mask)
        add_mask(s, work->to);
    set_kind(s, k, work->to, mask, changing);
    if (wl_bit(s->effects->touch.scalar, WL_SGPR_SCC)) {
        wl_put_bits(k->mask, WL_SGPR_SCC, 1, mask);
        wl_put_bits(k->changing, WL_SGPR_SCC, 1, true);
    }
    inst->on_strip_masks = mask;
}

/* A vector instruction's scalar operands: masks where the semantics say so, else plain numbers. */
static void vector_step(struct search *s, struct kinds *k, const struct wl_inst *inst) {
    const struct wl_sem *sem = inst->sem;
    unsigned printed = 0;
    uint64_t made[2] = {0};
    for (unsigned i = 0; i < sem->result_count; i++) {
        const struct wl_slot *slot = &sem->results[i];
        const struct wl_operand *operand = NULL;
        if (slot->role == WL_ROLE_PRINTED && printed < inst->operand_count)
            operand = &inst->operands[printed++];
        unsigned reg = slot->role == WL_ROLE_VCC ? WL_SGPR_VCC : operand ? operand->reg : 0;
        bool scalar = slot->role == WL_ROLE_VCC || (operand && operand->kind == WL_OPERAND_SGPR);
        s->failed |= (scalar && slot->type != WL_MASK) || (slot->role != WL_ROLE_VCC && slot->role != WL_ROLE_PRINTED);
        if (scalar && !s->failed)
            wl_set(made, reg);
    }
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_slot *slot = &sem->inputs[i];
        const struct wl_operand *operand = NULL;
        if (slot->role == WL_ROLE_PRINTED && printed < inst->operand_count)
            operand = &inst->operands[printed++];
        if (slot->role == WL_ROLE_VCC && slot->type == WL_MASK)
            add_mask(s, WL_SGPR_VCC);
        else if (slot->role != WL_ROLE_PRINTED && slot->role != WL_ROLE_OLD && slot->role != WL_ROLE_MODE)
            s->failed = true;
        if (!operand)
            continue;
        if (operand->kind == WL_OPERAND_SGPR && slot->type == WL_MASK)
            add_mask(s, operand->reg);
        else if (operand->kind == WL_OPERAND_SGPR)
            s->failed |= wl_any_bit(k->mask, operand->reg, operand->count);
        else if (operand->kind == WL_OPERAND_SPECIAL)
            s->failed |= operand->reg > WL_SPECIAL_PRIVATE_LIMIT;
    }
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(made, reg)) {
            add_mask(s, reg);
            set_kind(s, k, reg, true, false);
        }
}

static void compare_step(struct search *s, struct kinds *k, const struct wl_inst *inst) {
    bool named = inst->operand_count == 3;
    for (unsigned i = named; i < inst->operand_count; i++) {
        const struct wl_operand *operand = &inst->operands[i];
        if (operand->kind == WL_OPERAND_SGPR)
            s->failed |= wl_any_bit(k->mask, operand->reg, operand->count);
        s->failed |= operand->kind == WL_OPERAND_SPECIAL && operand->reg > WL_SPECIAL_PRIVATE_LIMIT;
    }
    if (named && inst->operands[0].kind == WL_OPERAND_SGPR) {
        add_mask(s, inst->operands[0].reg);
        set_kind(s, k, inst->operands[0].reg, true, false);
    }
}

static bool is_plain_load(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    return isa->class == WL_ISA_LOAD && !inst->lds && !inst->gds && !isa->detail && isa->space != WL_SPACE_TBUFFER;
}

static void class_step(struct search *s, struct kinds *k, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    switch (inst->isa->class) {
    case WL_ISA_NOP:
        s->failed |= inst->fence || wl_isa_caches(inst) & WL_CACHE_EMPTIES; /* what others wrote is to be seen */
        break;
    case WL_ISA_LOAD:
        s->failed |= !is_plain_load(inst);
        other_scalars(s, k);
        break;
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC: /* which of those: wl_strip_loop_may_write */
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_GETPC:
        other_scalars(s, k);
        break;
    case WL_ISA_CMPX:
        compare_step(s, k, inst);
        break;
    case WL_ISA_CBRANCH:
        if (inst->isa->detail == WL_IF_VCCZ || inst->isa->detail == WL_IF_VCCNZ)
            s->failed |= wl_any_bit(k->mask, WL_SGPR_VCC, s->registers);
        else if (inst->isa->detail == WL_IF_SCC0 || inst->isa->detail == WL_IF_SCC1)
            s->failed |= wl_bit(k->mask, WL_SGPR_SCC);
        break;
    case WL_ISA_BRANCH:
        break;
    default:
        s->failed = true;
    }
    for (unsigned i = 0; i < inst->operand_count; i++)
        s->failed |= op[i].kind == WL_OPERAND_SPECIAL && op[i].reg > WL_SPECIAL_PRIVATE_LIMIT;
}

/* Parts of aggregated atomics. The copy of EXEC is a mask, of which a strip counts its own lanes; the count is a scalar of the strip
 * alone. If that scalar overwrites half of a mask's registers, the mask is gone. */
static void aggregate_step(struct search *s, struct kinds *k, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    if (inst->aggregate == WL_AGGREGATE_RANK || inst->aggregate == WL_AGGREGATE_COUNT) {
        s->failed |= !wl_any_bit(k->mask, op[1].reg, s->registers);
        add_mask(s, op[1].reg);
    }
    if (inst->aggregate != WL_AGGREGATE_COUNT && inst->aggregate != WL_AGGREGATE_FIRST)
        return;
    unsigned first = s->registers == 2 ? op[0].reg & ~1u : op[0].reg;
    set_kind(s, k, first, false, true);
    for (unsigned i = 0; i < s->registers; i++)
        wl_set(k->own, first + i);
    if (wl_bit(s->effects->touch.scalar, WL_SGPR_SCC)) {
        wl_put_bits(k->mask, WL_SGPR_SCC, 1, false);
        wl_put_bits(k->changing, WL_SGPR_SCC, 1, true);
    }
}

static void kinds_step(struct search *s, struct kinds *k, struct wl_inst *inst) {
    struct wl_mask_work work;
    wl_inst_effects(inst, s->unit->request->wave_size, s->effects);
    if (inst->index_mode || inst->is_dpp) {
        s->failed = true;
        return;
    }
    if (inst->aggregate && inst->aggregate != WL_AGGREGATE_STORE)
        aggregate_step(s, k, inst);
    else if (wl_mask_work(inst, s->unit->request->wave_size, &work))
        mask_step(s, k, inst, &work);
    else if (inst->sem && inst->sem->scalar)
        other_scalars(s, k);
    else if (inst->sem)
        vector_step(s, k, inst);
    else if (inst->isa)
        class_step(s, k, inst);
    else
        s->failed = true;
}

uint32_t wl_strip_loop_index(const struct wl_strip_loop *loop, uint32_t block) {
    for (uint32_t i = 0; i < loop->count; i++)
        if (loop->blocks[i] == block)
            return i;
    return UINT32_MAX;
}

/* Scalars that are live at `block` and written in the loop must be masks of which each strip has its own part. */
static bool is_settled(const struct search *s, const struct kinds *k, uint32_t block) {
    const uint64_t *live = s->unit->blocks[block].live_in.scalar;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(live, reg) || !wl_bit(s->loop.scalars_written, reg))
            continue;
        bool mask = wl_bit(s->loop.masks, reg) || (s->registers == 2 && reg && wl_bit(s->loop.masks, reg - 1));
        if (!mask || (wl_bit(k->changing, reg) && !wl_bit(k->mask, reg)))
            return false;
    }
    return true;
}

static void find_writes(struct search *s) {
    for (uint32_t i = 0; i < s->loop.count; i++) {
        const struct wl_block *block = &s->unit->blocks[s->loop.blocks[i]];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct wl_inst *inst = &s->unit->insts[block->first + n];
            wl_inst_effects(inst, s->unit->request->wave_size, s->effects);
            for (unsigned w = 0; w < 2; w++)
                s->loop.scalars_written[w] |= s->effects->touch.scalar[w];
            for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
                s->loop.rows_written[w] |= s->effects->touch.vector[w];
                s->loop.rows[w] |= s->effects->touch.vector[w] | s->effects->use.vector[w];
                s->failed |= (s->effects->use_lanes[w] && !inst->aggregate) || s->effects->def_lanes[w];
            }
        }
    }
}

/* Finds rows that only count. A row does not qualify if lanes that are off are looked at again: they keep their values and do not count
 * with the others. */
static void find_counters(struct search *s) {
    struct wl_strip_loop *loop = &s->loop;
    uint64_t kept[WL_ROW_WORDS];
    memcpy(kept, s->unit->blocks[loop->exit].live_in.inactive, sizeof kept);
    for (uint32_t i = 0; i < loop->count; i++)
        for (unsigned w = 0; w < WL_ROW_WORDS; w++)
            kept[w] |= s->unit->blocks[loop->blocks[i]].live_in.inactive[w] | s->unit->blocks[loop->blocks[i]].live_out.inactive[w];
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(loop->rows_written, row) && !wl_bit(kept, row) && wl_strip_loop_counts(s->unit, loop, (int)row))
            wl_set(loop->rows_counting, row);
}

static bool merge_kinds(struct kinds *into, const struct kinds *from) {
    bool changed = false;
    for (unsigned w = 0; w < 2; w++) {
        changed |= (from->mask[w] & ~into->mask[w]) || (from->changing[w] & ~into->changing[w]) || (from->own[w] & ~into->own[w]);
        into->own[w] |= from->own[w];
        into->mask[w] |= from->mask[w];
        into->changing[w] |= from->changing[w];
    }
    return changed;
}

/* Pairs that hold masks must not overlap otherwise than wholly. */
static bool pairs_overlap(const struct search *s) {
    for (unsigned reg = 0; s->registers == 2 && reg + 1 < WL_SGPR_COUNT; reg++)
        if (wl_bit(s->loop.masks, reg) && wl_bit(s->loop.masks, reg + 1))
            return true;
    return false;
}

static bool find_masks(struct search *s) {
    struct kinds start[MOST_BLOCKS] = {0};
    bool reached[MOST_BLOCKS] = {false};
    uint32_t header = wl_strip_loop_index(&s->loop, s->loop.header);
    reached[header] = true;
    for (unsigned i = 0; i < 2; i++)
        wl_set(start[header].mask, WL_SGPR_EXEC + i);
    add_mask(s, WL_SGPR_EXEC);
    bool settled = true;
    for (bool changed = true; changed && !s->failed;) {
        changed = false;
        settled = true;
        for (uint32_t i = 0; i < s->loop.count && !s->failed; i++) {
            if (!reached[i])
                continue;
            const struct wl_block *block = &s->unit->blocks[s->loop.blocks[i]];
            struct kinds now = start[i];
            uint32_t to[2];
            if (block->is_spin_header && !s->loop.writes) /* the loop yields here: all strips' registers are put together */
                settled &= is_settled(s, &now, s->loop.blocks[i]);
            for (uint32_t n = 0; n < block->count && !s->failed; n++)
                kinds_step(s, &now, &s->unit->insts[block->first + n]);
            for (unsigned n = successors(block, to); n-- > 0;) {
                uint32_t index = wl_strip_loop_index(&s->loop, to[n]);
                if (index == UINT32_MAX) {
                    settled &= is_settled(s, &now, to[n]);
                    continue;
                }
                changed |= merge_kinds(&start[index], &now) || !reached[index];
                reached[index] = true;
            }
        }
    }
    return !s->failed && settled && !pairs_overlap(s);
}

/* ---- a strip without lanes ---- */

enum { VALUE_ZERO = WL_SGPR_COUNT, VALUE_ANY }; /* less: what that register held */

struct zero_state {
    uint8_t value[WL_SGPR_COUNT];
};

static uint8_t operand_value(const struct zero_state *z, const struct wl_operand *operand, unsigned half) {
    if (operand->kind == WL_OPERAND_SGPR)
        return z->value[operand->reg + half];
    return operand->bits == 0 && !operand->is_float ? VALUE_ZERO : VALUE_ANY;
}

static uint8_t combine(enum wl_mask_logic logic, uint8_t a, uint8_t b) {
    bool same = a == b && a != VALUE_ANY;
    switch (logic) {
    case WL_MASK_MOVE:
        return a;
    case WL_MASK_AND:
        return a == VALUE_ZERO || b == VALUE_ZERO ? VALUE_ZERO : same ? a : VALUE_ANY;
    case WL_MASK_AND_NOT:
        return a == VALUE_ZERO || same ? VALUE_ZERO : b == VALUE_ZERO ? a : VALUE_ANY;
    case WL_MASK_OR:
        return a == VALUE_ZERO ? b : b == VALUE_ZERO || same ? a : VALUE_ANY;
    case WL_MASK_XOR:
        return same ? VALUE_ZERO : a == VALUE_ZERO ? b : b == VALUE_ZERO ? a : VALUE_ANY;
    case WL_MASK_SELECT:
        return same ? a : VALUE_ANY;
    default:
        return VALUE_ANY;
    }
}

/* What an instruction does to a strip's part of scalar registers while EXEC is 0: comparisons give 0. */
static void zero_step(struct search *s, struct zero_state *z, const struct wl_inst *inst) {
    struct wl_mask_work work;
    const struct zero_state before = *z;
    wl_inst_effects(inst, s->unit->request->wave_size, s->effects);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(s->effects->touch.scalar, reg))
            z->value[reg] = inst->mnemonic[0] == 'v' && !inst->aggregate ? VALUE_ZERO : VALUE_ANY;
    if (!wl_mask_work(inst, s->unit->request->wave_size, &work))
        return;
    for (unsigned i = 0; i < s->registers; i++) {
        uint8_t result = combine(work.logic, operand_value(&before, &work.a, i), operand_value(&before, &work.b, i));
        if (work.saves)
            z->value[work.saved + i] = work.saves_new ? result : before.value[WL_SGPR_EXEC + i];
        z->value[work.to + i] = result;
    }
}

static bool merge_zero(struct zero_state *into, const struct zero_state *from) {
    bool changed = false;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (into->value[reg] != from->value[reg] && into->value[reg] != VALUE_ANY) {
            into->value[reg] = VALUE_ANY;
            changed = true;
        }
    return changed;
}

static bool exec_is_zero(const struct search *s, const struct zero_state *z) {
    for (unsigned i = 0; i < s->registers; i++)
        if (z->value[WL_SGPR_EXEC + i] != VALUE_ZERO)
            return false;
    return true;
}

/* Whether all that is used from `block` on is as it was. */
static bool is_unchanged(const struct search *s, const struct zero_state *z, uint32_t block) {
    const uint64_t *live = s->unit->blocks[block].live_in.scalar;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        bool exec = reg >= WL_SGPR_EXEC && reg < WL_SGPR_EXEC + 2;
        if (!exec && wl_bit(live, reg) && z->value[reg] != reg)
            return false;
    }
    return true;
}

/* A strip whose EXEC is 0 takes the branch to `zero`, where a wave may go on to `some` because other strips have lanes. Whether the strip
 * has the same state at `zero`, whichever way the wave would have taken to there. */
static bool may_skip(struct search *s, uint32_t zero, uint32_t some) {
    struct zero_state start[MOST_BLOCKS];
    bool reached[MOST_BLOCKS] = {false}, pending[MOST_BLOCKS] = {false};
    uint32_t first = wl_strip_loop_index(&s->loop, some);
    if (first == UINT32_MAX)
        return false;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        start[first].value[reg] = (uint8_t)reg;
    for (unsigned i = 0; i < s->registers; i++)
        start[first].value[WL_SGPR_EXEC + i] = VALUE_ZERO;
    reached[first] = pending[first] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->loop.count; i++) {
            if (!pending[i])
                continue;
            pending[i] = false;
            more = true;
            const struct wl_block *block = &s->unit->blocks[s->loop.blocks[i]];
            struct zero_state now = start[i];
            uint32_t to[2];
            for (uint32_t n = 0; n < block->count; n++) {
                zero_step(s, &now, &s->unit->insts[block->first + n]);
                if (!exec_is_zero(s, &now))
                    return false;
            }
            for (unsigned n = successors(block, to); n-- > 0;) {
                if (to[n] == zero) {
                    if (!is_unchanged(s, &now, zero))
                        return false;
                    continue;
                }
                uint32_t index = wl_strip_loop_index(&s->loop, to[n]);
                if (index == UINT32_MAX)
                    return false;
                if (!reached[index]) {
                    start[index] = now;
                    reached[index] = pending[index] = true;
                } else if (merge_zero(&start[index], &now)) {
                    pending[index] = true;
                }
            }
        }
    }
    return true;
}

static bool branches_may_skip(struct search *s) {
    for (uint32_t i = 0; i < s->loop.count; i++) {
        uint32_t zero, some;
        if (wl_strip_on_exec(s->unit, &s->unit->blocks[s->loop.blocks[i]], &zero, &some) && !may_skip(s, zero, some))
            return false;
    }
    return true;
}

/* ---- the loop ---- */

/* Finds where EXEC is known to have lanes: it has some where the loop starts, and until EXEC changes. */
static void find_occupied(struct search *s) {
    struct wl_strip_loop *loop = &s->loop;
    for (uint32_t i = 0; i < loop->count; i++)
        loop->occupied[i] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < loop->count; i++) {
            const struct wl_block *block = &s->unit->blocks[loop->blocks[i]];
            uint32_t to[2], zero = WL_NO_BLOCK, some = WL_NO_BLOCK;
            bool branch = wl_strip_on_exec(s->unit, block, &zero, &some);
            for (unsigned n = successors(block, to); n-- > 0;) {
                uint32_t index = wl_strip_loop_index(loop, to[n]);
                bool occupied = branch && zero != some ? to[n] == some : loop->occupied[i] && block->end != WL_BLOCK_EXEC;
                if (index != UINT32_MAX && loop->occupied[index] && !occupied) {
                    loop->occupied[index] = false;
                    changed = true;
                }
            }
        }
    }
}

static void forget_loop(struct wl_strip_loop *loop) {
    free(loop->blocks);
    free(loop->occupied);
    *loop = (struct wl_strip_loop){0};
}

static void unmark(struct search *s) {
    for (uint32_t i = 0; i < s->loop.count; i++) {
        const struct wl_block *block = &s->unit->blocks[s->loop.blocks[i]];
        for (uint32_t n = 0; n < block->count; n++) {
            struct wl_inst *inst = &s->unit->insts[block->first + n];
            inst->on_strip_masks = false;
            inst->aggregate = WL_AGGREGATE_NONE;
        }
    }
}

/* Whether the loop of this header can run strip by strip: s->loop describes it then. */
static enum wl_status examine(struct search *s, uint32_t header, bool *found) {
    const struct wl_unit *unit = s->unit;
    *found = false;
    if (!find_members(s, header))
        return WL_OK;
    for (uint32_t p = 0; p < unit->block_count; p++)
        s->unit->blocks[p].in_loop |= s->member[p];
    s->loop = (struct wl_strip_loop){.header = header};
    s->loop.blocks = calloc(MOST_BLOCKS, sizeof *s->loop.blocks);
    s->loop.occupied = calloc(MOST_BLOCKS, sizeof *s->loop.occupied);
    if (!s->loop.blocks || !s->loop.occupied) {
        forget_loop(&s->loop);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a loop");
    }
    s->failed = false;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        s->failed |= s->member[p] && s->loop.count == MOST_BLOCKS;
        if (s->member[p] && !s->failed)
            s->loop.blocks[s->loop.count++] = p;
    }
    s->loop.writes = wl_strip_loop_writes(unit, &s->loop);
    *found = !s->failed && wl_strip_loop_pays(s->unit, &s->loop) && find_exit(s);
    if (*found && s->loop.writes) {
        if (!wl_strip_aggregates_find(s->unit, &s->loop)) {
            forget_loop(&s->loop);
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for a loop");
        }
        *found = wl_strip_loop_may_write(unit, &s->loop);
    }
    if (*found)
        find_writes(s);
    *found = *found && !s->failed && find_masks(s) && branches_may_skip(s);
    unmark(s);
    if (*found) {
        find_occupied(s);
        find_counters(s);
        wl_strip_loop_find_rounds(unit, &s->loop);
    } else {
        forget_loop(&s->loop);
    }
    return WL_OK;
}

static bool overlaps(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    for (uint32_t i = 0; i < unit->strip_loop_count; i++)
        for (uint32_t n = 0; n < loop->count; n++)
            if (wl_strip_loop_index(&unit->strip_loops[i], loop->blocks[n]) != UINT32_MAX)
                return true;
    return false;
}

/* Keeps the loop, in the place of those within it. */
static enum wl_status keep(struct search *s) {
    struct wl_unit *unit = s->unit;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < unit->strip_loop_count; i++)
        if (wl_strip_loop_index(&s->loop, unit->strip_loops[i].header) != UINT32_MAX)
            forget_loop(&unit->strip_loops[i]);
        else
            unit->strip_loops[kept++] = unit->strip_loops[i];
    unit->strip_loop_count = kept;
    if (overlaps(unit, &s->loop)) { /* it is within another: its instructions are marked for that */
        forget_loop(&s->loop);
        return WL_OK;
    }
    if (!WL_ARRAY_RESERVE(unit->strip_loops, kept, unit->strip_loop_capacity, 4)) {
        forget_loop(&s->loop);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a loop");
    }
    unit->strip_loops[unit->strip_loop_count++] = s->loop;
    return WL_OK;
}

static void forget_loops(struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->strip_loop_count; i++)
        forget_loop(&unit->strip_loops[i]);
    free(unit->strip_loops);
    unit->strip_loops = NULL;
    unit->strip_loop_count = unit->strip_loop_capacity = 0;
}

enum wl_status wl_strip_loops_find(struct wl_unit *unit) {
    uint32_t n = unit->block_count;
    if (n > MOST_UNIT_BLOCKS || wl_unit_is_unoptimized(unit))
        return WL_OK;
    struct wl_effects effects;
    unit->forget_loops = forget_loops;
    for (uint32_t p = 0; p < n; p++)
        unit->blocks[p].in_loop = false;
    struct search s = {.unit = unit, .registers = unit->request->wave_size / 32, .effects = &effects};
    s.member = calloc(n + 1, sizeof *s.member);
    s.marked = calloc(n + 1, sizeof *s.marked);
    s.stack = calloc(n + 1, sizeof *s.stack);
    uint8_t *ways = calloc(n + 1, sizeof *ways);
    enum wl_status status = s.member && s.marked && s.stack && ways ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for loops");
    for (uint32_t p = 0; p < n && !status; p++) {
        uint32_t to[2];
        for (unsigned i = successors(&unit->blocks[p], to); i-- > 0;)
            ways[to[i]] += ways[to[i]] < 2;
    }
    for (uint32_t p = 0; p < n && !status; p++) {
        bool found = false;
        if (ways[p] > (p == unit->entry ? 0 : 1))
            status = examine(&s, p, &found);
        if (!status && found)
            status = keep(&s);
    }
    for (uint32_t i = 0; i < unit->strip_loop_count && !status; i++) { /* marks the instructions of those that are left */
        s.loop = unit->strip_loops[i];
        s.failed = false; /* the last loop that was looked at may have been none */
        if (s.loop.writes && !wl_strip_aggregates_find(unit, &s.loop))
            status = wl_fail(WL_OUT_OF_MEMORY, "no memory for a loop");
        (void)find_masks(&s);
    }
    free(s.member);
    free(s.marked);
    free(s.stack);
    free(ways);
    return status;
}

const struct wl_strip_loop *wl_strip_loop_at(const struct wl_unit *unit, uint32_t header) {
    for (uint32_t i = 0; i < unit->strip_loop_count; i++)
        if (unit->strip_loops[i].header == header)
            return &unit->strip_loops[i];
    return NULL;
}
