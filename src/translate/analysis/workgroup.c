#include "translate/analysis/workgroup.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTRUCTIONS = 2000, /* each is translated in both forms */
    LEAST_WAITS = 12,         /* of waves at barriers, each of those counted once: with fewer, what lies between them is what counts */
    FEWER_WAITS = 6,          /* the same where there are no more than so many instructions for a wait: */
    FEW_INSTRUCTIONS = 24,
    USUAL_LANES = 256,
    LONG_LOOP = 24, /* vector instructions */
};

/* ---- which scalar registers hold masks ---- */

bool wl_workgroup_mask_work(const struct wl_inst *inst, unsigned wave_size, const uint64_t masks[2], struct wl_mask_work *work) {
    unsigned registers = wave_size / 32;
    if (!wl_mask_work(inst, wave_size, work))
        return false;
    return work->saves || work->to == WL_SGPR_EXEC || (work->a.kind == WL_OPERAND_SGPR && wl_any_bit(masks, work->a.reg, registers)) ||
           (work->b.kind == WL_OPERAND_SGPR && wl_any_bit(masks, work->b.reg, registers));
}

static bool operand_is_plain(const struct wl_operand *operand, const uint64_t masks[2]) {
    if (operand->kind == WL_OPERAND_SGPR)
        return !wl_any_bit(masks, operand->reg, operand->count ? operand->count : 1);
    return operand->kind != WL_OPERAND_SPECIAL || operand->reg <= WL_SPECIAL_PRIVATE_LIMIT;
}

/* A vector instruction's scalar operands: masks where the semantics say so, else plain numbers. */
static bool vector_step(const struct wl_inst *inst, unsigned registers, uint64_t masks[2]) {
    const struct wl_sem *sem = inst->sem;
    unsigned printed = 0;
    uint64_t made[2] = {0};
    for (unsigned i = 0; i < sem->result_count; i++) {
        const struct wl_slot *slot = &sem->results[i];
        const struct wl_operand *operand = NULL;
        if (slot->role == WL_ROLE_PRINTED && printed < inst->operand_count)
            operand = &inst->operands[printed++];
        bool scalar = slot->role == WL_ROLE_VCC || (operand && operand->kind == WL_OPERAND_SGPR);
        if ((scalar && slot->type != WL_MASK) || (slot->role != WL_ROLE_VCC && slot->role != WL_ROLE_PRINTED))
            return false;
        if (scalar)
            wl_put_bits(made, operand ? operand->reg : WL_SGPR_VCC, registers, true);
    }
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_slot *slot = &sem->inputs[i];
        const struct wl_operand *operand = NULL;
        if (slot->role == WL_ROLE_PRINTED && printed < inst->operand_count)
            operand = &inst->operands[printed++];
        if (slot->role != WL_ROLE_PRINTED && slot->role != WL_ROLE_OLD && slot->role != WL_ROLE_MODE &&
            !(slot->role == WL_ROLE_VCC && slot->type == WL_MASK))
            return false;
        if (operand && slot->type != WL_MASK && !operand_is_plain(operand, masks))
            return false;
    }
    for (unsigned w = 0; w < 2; w++)
        masks[w] |= made[w];
    return true;
}

/* The instruction reads scalars as plain numbers, and what it writes is the same in all waves. */
static bool plain_step(const struct wl_inst *inst, const struct wl_effects *effects, uint64_t masks[2]) {
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_SPECIAL && !operand_is_plain(&inst->operands[i], masks) &&
            inst->operands[i].reg != WL_SPECIAL_SCC)
            return false;
    uint64_t exec[2] = {0};
    wl_put_bits(exec, WL_SGPR_EXEC, 2, true);
    for (unsigned w = 0; w < 2; w++) {
        bool scalar = wl_inst_is_scalar(inst);
        if (effects->use.scalar[w] & masks[w] & (scalar ? UINT64_MAX : ~exec[w]))
            return false;
        if (effects->touch.scalar[w] & exec[w])
            return false;
    }
    for (unsigned w = 0; w < 2; w++)
        masks[w] &= ~effects->touch.scalar[w];
    return true;
}

static bool compare_step(const struct wl_inst *inst, unsigned registers, uint64_t masks[2]) {
    bool named = inst->operand_count == 3;
    for (unsigned i = named; i < inst->operand_count; i++)
        if (!operand_is_plain(&inst->operands[i], masks))
            return false;
    if (named && inst->operands[0].kind == WL_OPERAND_SGPR)
        wl_put_bits(masks, inst->operands[0].reg, registers, true);
    return true;
}

static bool access_is_plain(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    bool space = isa->space == WL_SPACE_GLOBAL || isa->space == WL_SPACE_LDS || isa->space == WL_SPACE_FLAT;
    if (!space || inst->lds || inst->gds || isa->detail)
        return false;
    for (unsigned i = 0; i < inst->operand_count; i++) /* EXEC as an address */
        if (inst->operands[i].kind == WL_OPERAND_SGPR && inst->operands[i].reg + inst->operands[i].count > WL_SGPR_EXEC)
            return false;
    return true;
}

/* Registers are given back before the end: nothing to do here. */
static bool gives_back(const struct wl_inst *inst) {
    enum { DEALLOCATE_VGPRS = 3 };
    return inst->isa->class == WL_ISA_MESSAGE && !inst->isa->detail && inst->operand_count &&
           (inst->operands[0].bits & 0xffff) == DEALLOCATE_VGPRS;
}

static bool class_step(const struct wl_inst *inst, unsigned registers, const struct wl_effects *effects, uint64_t masks[2]) {
    switch (inst->isa->class) {
    case WL_ISA_NOP:
    case WL_ISA_BRANCH:
    case WL_ISA_BARRIER:
    case WL_ISA_END:
        return true;
    case WL_ISA_CBRANCH:
        if (inst->isa->detail == WL_IF_EXECZ || inst->isa->detail == WL_IF_EXECNZ)
            return true;
        if (inst->isa->detail == WL_IF_VCCZ || inst->isa->detail == WL_IF_VCCNZ)
            return !wl_any_bit(masks, WL_SGPR_VCC, registers);
        return !wl_any_bit(masks, WL_SGPR_SCC, 1);
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        return access_is_plain(inst) && plain_step(inst, effects, masks);
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_GETPC:
        return plain_step(inst, effects, masks);
    case WL_ISA_CMPX:
        return compare_step(inst, registers, masks);
    case WL_ISA_MESSAGE:
        return gives_back(inst);
    default:
        return false;
    }
}

static void mask_step(const struct wl_mask_work *work, unsigned registers, const struct wl_effects *effects, uint64_t masks[2]) {
    if (work->saves)
        wl_put_bits(masks, work->saved, registers, true);
    wl_put_bits(masks, work->to, registers, true);
    if (wl_bit(effects->touch.scalar, WL_SGPR_SCC))
        wl_put_bits(masks, WL_SGPR_SCC, 1, true);
}

bool wl_workgroup_step(const struct wl_inst *inst, unsigned wave_size, uint64_t masks[2]) {
    struct wl_mask_work work;
    struct wl_effects effects;
    unsigned registers = wave_size / 32;
    if (inst->index_mode || inst->is_dpp || (!inst->sem && !inst->isa))
        return false;
    wl_inst_effects(inst, wave_size, &effects);
    if (wl_workgroup_mask_work(inst, wave_size, masks, &work)) {
        if (work.logic == WL_MASK_SELECT && wl_any_bit(masks, WL_SGPR_SCC, 1))
            return false;
        mask_step(&work, registers, &effects, masks);
        return true;
    }
    if (inst->sem)
        return inst->sem->scalar ? plain_step(inst, &effects, masks) : vector_step(inst, registers, masks);
    return class_step(inst, registers, &effects, masks);
}

/* ---- the unit ---- */

struct search {
    const struct wl_unit *unit;
    struct wl_workgroup *workgroup;
    bool *queued;
    uint32_t *work;
    uint32_t count;
    uint64_t (*saved)[2]; /* of can_go_along */
};

static void flow(struct search *s, uint32_t to, const uint64_t masks[2], bool first) {
    if (to == WL_NO_BLOCK)
        return;
    uint64_t *there = s->workgroup->masks[to];
    bool grows = first;
    for (unsigned w = 0; w < 2; w++) {
        grows |= (masks[w] & ~there[w]) != 0;
        there[w] |= masks[w];
        s->workgroup->ever[w] |= masks[w];
    }
    if (grows && !s->queued[to]) {
        s->queued[to] = true;
        s->work[s->count++] = to;
    }
}

static bool ends_well(const struct wl_unit *unit, const struct wl_block *block) {
    const struct wl_inst *last = block->count ? &unit->insts[block->first + block->count - 1] : NULL;
    switch (block->end) {
    case WL_BLOCK_WAIT:
        return block->next != WL_NO_BLOCK && (last->isa->class == WL_ISA_BARRIER || last->ends_turn || gives_back(last));
    case WL_BLOCK_CALL:
    case WL_BLOCK_JUMP:
    case WL_BLOCK_FALL_OFF:
        return false;
    default:
        return true;
    }
}

static bool find_masks(struct search *s) {
    const struct wl_unit *unit = s->unit;
    unsigned wave_size = unit->request->wave_size;
    uint64_t start[2] = {0};
    wl_put_bits(start, WL_SGPR_EXEC, wave_size / 32, true);
    wl_put_bits(start, WL_SGPR_TTMP + 8, 1, true); /* the wave's number */
    flow(s, unit->entry, start, true);
    while (s->count) {
        uint32_t p = s->work[--s->count];
        const struct wl_block *block = &unit->blocks[p];
        uint64_t masks[2] = {s->workgroup->masks[p][0], s->workgroup->masks[p][1]};
        s->queued[p] = false;
        if (!ends_well(unit, block))
            return false;
        for (uint32_t i = 0; i < block->count; i++) {
            if (!wl_workgroup_step(&unit->insts[block->first + i], wave_size, masks))
                return false;
            s->workgroup->ever[0] |= masks[0];
            s->workgroup->ever[1] |= masks[1];
        }
        flow(s, block->next, masks, false);
        flow(s, block->target, masks, false);
    }
    return true;
}

/* ---- branches on EXEC ---- */

static bool on_exec(const struct wl_unit *unit, const struct wl_block *block, uint32_t *zero) {
    if (block->end != WL_BLOCK_CBRANCH)
        return false;
    const struct wl_inst *last = &unit->insts[block->first + block->count - 1];
    *zero = last->isa->detail == WL_IF_EXECZ ? block->target : block->next;
    return last->isa->detail == WL_IF_EXECZ || last->isa->detail == WL_IF_EXECNZ;
}

/* Whether EXEC stays 0 over an instruction if it was 0: the instruction takes lanes away, or gives back lanes that EXEC had earlier in the
 * same code (`saved`: registers with such masks). */
static bool keeps_none(const struct wl_inst *inst, unsigned wave_size, uint64_t saved[2]) {
    struct wl_mask_work work;
    struct wl_effects effects;
    unsigned registers = wave_size / 32;
    wl_inst_effects(inst, wave_size, &effects);
    bool changes = wl_any_bit(effects.touch.scalar, WL_SGPR_EXEC, registers) || (inst->isa && inst->isa->class == WL_ISA_CMPX);
    if (!wl_mask_work(inst, wave_size, &work)) {
        for (unsigned w = 0; w < 2; w++)
            saved[w] &= ~effects.touch.scalar[w];
        return !changes || (inst->isa && inst->isa->class == WL_ISA_CMPX);
    }
    bool a = work.a.kind == WL_OPERAND_SGPR && (work.a.reg == WL_SGPR_EXEC || wl_any_bit(saved, work.a.reg, registers));
    bool b = work.b.kind == WL_OPERAND_SGPR && (work.b.reg == WL_SGPR_EXEC || wl_any_bit(saved, work.b.reg, registers));
    bool none; /* the result, where EXEC is 0 */
    switch (work.logic) {
    case WL_MASK_MOVE:
    case WL_MASK_AND_NOT:
        none = a;
        break;
    case WL_MASK_AND:
        none = a || b;
        break;
    case WL_MASK_OR:
    case WL_MASK_XOR:
        none = a && b;
        break;
    default:
        none = false;
    }
    for (unsigned w = 0; w < 2; w++)
        saved[w] &= ~effects.touch.scalar[w];
    if (work.saves)
        wl_put_bits(saved, work.saved, registers, !work.saves_new || none);
    if (work.to != WL_SGPR_EXEC)
        wl_put_bits(saved, work.to, registers, none);
    return work.to != WL_SGPR_EXEC || none;
}

/* Whether a basic block between a branch and `zero` goes on to code between them, or to `zero`. Branches back must be on scalars: the waves
 * with lanes decide for all. */
static bool leads_inside(const struct wl_unit *unit, uint32_t from, uint32_t p, uint32_t zero) {
    const struct wl_block *block = &unit->blocks[p];
    uint32_t none;
    switch (block->end) {
    case WL_BLOCK_NEXT:
    case WL_BLOCK_EXEC:
        return block->next == p + 1;
    case WL_BLOCK_BRANCH:
        return block->target > from && block->target <= zero;
    case WL_BLOCK_CBRANCH:
        return block->next == p + 1 && block->target <= zero && block->target > (on_exec(unit, block, &none) ? p : from);
    default:
        return false;
    }
}

/* Whether a basic block changes nothing for waves without lanes. Steps the set of registers whose masks are empty for such waves
 * (keeps_none) over the basic block. */
static bool block_keeps_none(const struct wl_unit *unit, uint32_t p, uint64_t saved[2], uint64_t written[2]) {
    const struct wl_block *block = &unit->blocks[p];
    unsigned wave_size = unit->request->wave_size;
    for (uint32_t i = 0; i < block->count; i++) {
        struct wl_effects effects;
        wl_inst_effects(&unit->insts[block->first + i], wave_size, &effects);
        for (unsigned w = 0; w < 2; w++)
            written[w] |= effects.touch.scalar[w];
        if (!keeps_none(&unit->insts[block->first + i], wave_size, saved))
            return false;
    }
    return true;
}

/* Joins at a basic block: removes from its set the registers that are not in the set on one of the ways to there. */
static bool narrow(uint64_t (*at)[2], uint32_t to, uint32_t zero, const uint64_t saved[2]) {
    bool changes = false;
    for (unsigned w = 0; w < 2 && to < zero; w++) {
        changes |= (at[to][w] & ~saved[w]) != 0;
        at[to][w] &= saved[w];
    }
    return changes;
}

/* A basic block branches to `zero` if EXEC is 0. Whether waves without lanes may run the code between instead: the code changes nothing for
 * them, and scalars that it writes are not used at `zero`. `at` is memory for a set of registers for each basic block. */
static bool can_go_along(const struct wl_unit *unit, uint32_t from, uint32_t zero, uint64_t (*at)[2]) {
    uint64_t written[2] = {0};
    if (zero == WL_NO_BLOCK || zero <= from || unit->blocks[from].next != from + 1)
        return false;
    for (uint32_t p = from + 1; p < zero; p++) {
        if (!leads_inside(unit, from, p, zero))
            return false;
        at[p][0] = at[p][1] = p == from + 1 ? 0 : UINT64_MAX;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t p = from + 1; p < zero; p++) {
            const struct wl_block *block = &unit->blocks[p];
            uint64_t saved[2] = {at[p][0], at[p][1]};
            if (!block_keeps_none(unit, p, saved, written))
                return false;
            if (block->end != WL_BLOCK_BRANCH)
                again |= narrow(at, block->next, zero, saved);
            if (block->end == WL_BLOCK_BRANCH || block->end == WL_BLOCK_CBRANCH)
                again |= narrow(at, block->target, zero, saved);
        }
    }
    wl_put_bits(written, WL_SGPR_EXEC, 2, false);
    const uint64_t *live = unit->blocks[zero].live_in.scalar;
    return !(written[0] & live[0]) && !(written[1] & live[1]);
}

static bool find_branches(struct search *s) {
    const struct wl_unit *unit = s->unit;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        uint32_t zero;
        if (!on_exec(unit, block, &zero))
            continue;
        bool forward = unit->insts[block->first + block->count - 1].isa->detail == WL_IF_EXECZ;
        s->workgroup->together[p] = forward && can_go_along(unit, p, zero, s->saved);
        if (!s->workgroup->together[p] && block->resume == UINT32_MAX)
            return false;
    }
    return true;
}

/* Not where only a wave's turn ends: in this mode there are none. */
static bool waits(const struct wl_unit *unit, const struct wl_block *block) {
    return block->end == WL_BLOCK_WAIT && !unit->insts[block->first + block->count - 1].ends_turn;
}

/* Whether the loop that ends at a basic block has no barrier, and has much to do or stores to memory. Such a loop is better run by single
 * waves, which keep registers as values in it (native/promote.c). */
static bool ends_long_loop(const struct wl_unit *unit, uint32_t latch) {
    uint32_t header = unit->blocks[latch].target, vectors = 0;
    bool stores = false;
    if (header == WL_NO_BLOCK || header > latch)
        return false;
    for (uint32_t p = header; p <= latch; p++) {
        const struct wl_block *block = &unit->blocks[p];
        if (waits(unit, block))
            return false;
        for (uint32_t i = 0; i < block->count; i++) {
            const struct wl_inst *inst = &unit->insts[block->first + i];
            vectors += !wl_inst_is_scalar(inst);
            stores |= inst->isa && inst->isa->class == WL_ISA_STORE && inst->isa->space != WL_SPACE_LDS;
        }
    }
    return stores || vectors > LONG_LOOP;
}

/* Whether the waves wait for each other often enough. */
static bool pays(const struct wl_unit *unit) {
    uint32_t barriers = 0;
    for (uint32_t p = 0; p < unit->block_count; p++)
        if (ends_long_loop(unit, p))
            return false;
    for (uint32_t p = 0; p < unit->block_count; p++)
        barriers += waits(unit, &unit->blocks[p]);
    const uint32_t waits = barriers * USUAL_LANES / unit->request->wave_size;
    return waits >= LEAST_WAITS || (barriers > 1 && waits >= FEWER_WAITS && unit->inst_count <= FEW_INSTRUCTIONS * waits);
}

struct wl_workgroup *wl_workgroup_find(const struct wl_unit *unit) {
    uint32_t blocks = unit->block_count;
    if (!unit->request->is_kernel || unit->inst_count > MOST_INSTRUCTIONS || !pays(unit))
        return NULL;
    struct wl_workgroup *workgroup = calloc(1, sizeof *workgroup);
    if (!workgroup)
        return NULL;
    workgroup->masks = calloc(blocks, sizeof *workgroup->masks);
    workgroup->together = calloc(blocks, sizeof *workgroup->together);
    struct search search = {
        unit, workgroup, calloc(blocks, sizeof(bool)), calloc(blocks, sizeof(uint32_t)), 0, calloc(blocks, sizeof *search.saved)};
    bool found = workgroup->masks && workgroup->together && search.queued && search.work && search.saved && find_masks(&search) &&
                 find_branches(&search);
    free(search.queued);
    free(search.work);
    free(search.saved);
    if (found)
        return workgroup;
    wl_workgroup_destroy(workgroup);
    return NULL;
}

void wl_workgroup_destroy(struct wl_workgroup *workgroup) {
    if (!workgroup)
        return;
    free(workgroup->masks);
    free(workgroup->together);
    free(workgroup);
}
