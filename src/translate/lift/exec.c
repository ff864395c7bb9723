/* The end of a basic block that changed EXEC: where code goes on, and whether as FULL or as MASKED code. */
#include "base/assert.h"
#include "translate/analysis/strip_loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/region.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

enum {
    SHORT_STAY = 8, /* so many vector instructions are left to MASKED code though EXEC is full: two changes of the copy would cost more */
};

bool wl_exec_stays_masked(const struct wl_unit *unit, uint32_t block) {
    for (unsigned vectors = 0; block != WL_NO_BLOCK; block = unit->blocks[block].next) {
        const struct wl_block *p = &unit->blocks[block];
        for (uint32_t i = 0; i < p->count; i++)
            vectors += !wl_inst_is_scalar(&unit->insts[p->first + i]);
        if (vectors > SHORT_STAY)
            return false;
        if (p->end == WL_BLOCK_EXEC || p->end == WL_BLOCK_WAIT || p->end == WL_BLOCK_FINISH)
            return true;
        if (p->end != WL_BLOCK_NEXT)
            return false;
    }
    return false;
}

/* ---- FULL code without lanes ----
 *
 * Compilers put no branch on EXECZ around a few instructions, so that a wave without active lanes goes through them. FULL code that has
 * lost all lanes does not leave for MASKED code to do so, but does here what such basic blocks still do: scalar instructions work as
 * always, comparisons make masks of 0, and other vector instructions do nothing. */

enum {
    MAX_IDLE_INSTS = 16,  /* instructions that do something, up to the next change of EXEC */
    MAX_IDLE_CHANGES = 4, /* changes of EXEC, one after the other, behind which there is still no lane */
};

enum idle_work { IDLE_NOTHING, IDLE_LIFT, IDLE_CLEARS, IDLE_NOT_KNOWN };

/* What an instruction does without active lanes: nothing; what it always does (IDLE_LIFT); or it clears the masks that it makes. */
static enum idle_work idle_work(const struct wl_inst *inst, const struct wl_effects *effects) {
    if (inst->sem && inst->sem->scalar)
        return IDLE_LIFT;
    if (wl_inst_is_scalar(inst))
        return inst->sem || (inst->isa->class != WL_ISA_MOVREL && inst->isa->class != WL_ISA_SETREG) ? IDLE_LIFT : IDLE_NOT_KNOWN;
    for (unsigned i = 0; i < WL_ROW_WORDS; i++)
        if (effects->def_lanes[i])
            return IDLE_NOT_KNOWN;
    bool clears = effects->touch.scalar[0] || effects->touch.scalar[1];
    if (inst->index_mode)
        return IDLE_NOT_KNOWN;
    if (inst->sem)
        return clears ? IDLE_CLEARS : IDLE_NOTHING;
    bool moves = inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC;
    return moves && !clears ? IDLE_NOTHING : IDLE_NOT_KNOWN;
}

/* Whether a basic block can be done here without active lanes. Adds its instructions that do something to *cost. */
static bool is_idle_block(const struct wl_lift *l, const struct wl_block *block, unsigned *cost) {
    for (uint32_t i = 0; i < block->count; i++) {
        const struct wl_inst *inst = &l->unit.code->insts[block->first + i];
        struct wl_effects effects;
        wl_inst_effects(inst, l->wave_size, &effects);
        enum idle_work work = idle_work(inst, &effects);
        if (work == IDLE_NOT_KNOWN)
            return false;
        *cost += work != IDLE_NOTHING;
    }
    return *cost <= MAX_IDLE_INSTS;
}

static uint32_t idle_next(const struct wl_unit *unit, const struct wl_block *block) {
    if (block->end == WL_BLOCK_BRANCH)
        return block->target;
    if (block->end != WL_BLOCK_CBRANCH)
        return block->end == WL_BLOCK_NEXT ? block->next : WL_NO_BLOCK;
    switch (unit->insts[block->first + block->count - 1].isa->detail) {
    case WL_IF_EXECZ:
        return block->target;
    case WL_IF_EXECNZ:
        return block->next;
    default:
        return WL_NO_BLOCK;
    }
}

bool wl_idle_find(const struct wl_lift *l, uint32_t from, struct wl_idle *idle) {
    unsigned cost = 0;
    for (idle->count = 0; from != WL_NO_BLOCK && idle->count < WL_IDLE_BLOCKS;) {
        const struct wl_block *block = &l->unit.code->blocks[from];
        idle->block[idle->count++] = from;
        if (!block->count || !is_idle_block(l, block, &cost))
            return false;
        if (block->end == WL_BLOCK_EXEC || block->end == WL_BLOCK_FINISH)
            return block->end == WL_BLOCK_FINISH || block->next != WL_NO_BLOCK;
        from = idle_next(l->unit.code, block);
    }
    return false;
}

static void lift_idle_block(struct wl_lift *l, const struct wl_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        const struct wl_inst *inst = &l->unit.code->insts[block->first + i];
        struct wl_effects effects;
        wl_inst_effects(inst, l->wave_size, &effects);
        enum idle_work work = idle_work(inst, &effects);
        l->unit.descriptor.base = NULL;
        if (work == IDLE_LIFT)
            wl_lift_inst(l, inst, &effects);
        for (unsigned reg = 0; work == IDLE_CLEARS && reg < WL_SGPR_COUNT; reg++)
            if (wl_bit(effects.touch.scalar, reg))
                wl_lift_set_sgpr(l, reg, LLVMConstNull(l->i32));
    }
}

/* Lifts the basic blocks of `idle`, and those that follow as long as EXEC stays 0. `left`: over how many further changes of EXEC. */
static void go_idle(struct wl_lift *l, const struct wl_idle *idle, unsigned left) {
    for (unsigned i = 0; i < idle->count; i++) {
        if (l->unit.code->blocks[idle->block[i]].is_spin_header)
            wl_lift_spend_fuel(l, idle->block[i]);
        wl_lift_end_looks(l, idle->block[i]);
        if (wl_counts(l))
            wl_sanitize_count(l, idle->block[i], LLVMConstNull(l->i64));
        if (wl_follows_values(l))
            wl_sanitize_piece(l, idle->block[i], LLVMConstNull(l->i64));
        lift_idle_block(l, &l->unit.code->blocks[idle->block[i]]);
    }
    const struct wl_block *last = &l->unit.code->blocks[idle->block[idle->count - 1]];
    if (last->end == WL_BLOCK_FINISH) {
        wl_lift_exit(l, WL_EXIT_END);
        return;
    }
    LLVMBasicBlockRef leave = wl_lift_ir_block(l, "leave");
    LLVMValueRef exec = wl_lift_exec(l), full = LLVMBuildICmp(l->b, LLVMIntEQ, exec, LLVMConstAllOnes(l->mask_type), "");
    LLVMBuildCondBr(l->b, full, l->unit.ir_blocks[last->next], leave);
    LLVMPositionBuilderAtEnd(l->b, leave);
    struct wl_idle more;
    if (left && wl_idle_find(l, last->next, &more)) {
        LLVMBasicBlockRef none = wl_lift_ir_block(l, "none"), some = wl_lift_ir_block(l, "some");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, exec, LLVMConstNull(l->mask_type), ""), none, some);
        LLVMPositionBuilderAtEnd(l->b, none);
        go_idle(l, &more, left - 1);
        LLVMPositionBuilderAtEnd(l->b, some);
    }
    wl_lift_exit_to_block(l, WL_EXIT_MODE, last->next);
}

void wl_idle_go(struct wl_lift *l, const struct wl_idle *idle) { go_idle(l, idle, MAX_IDLE_CHANGES); }

/* For FULL code at the end of a basic block behind which EXEC is not full. If EXEC is 0, goes through the basic blocks of `idle`, or, if
 * that is NULL, leaves for the MASKED copy at basic block `next`. The builder is left on the way for an EXEC with some lanes. */
static void skip_inactive(struct wl_lift *l, const struct wl_idle *idle, uint32_t next) {
    LLVMBasicBlockRef none = wl_lift_ir_block(l, "none"), some = wl_lift_ir_block(l, "some");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstNull(l->mask_type), ""), none, some);
    LLVMPositionBuilderAtEnd(l->b, none);
    if (idle)
        go_idle(l, idle, MAX_IDLE_CHANGES);
    else
        wl_lift_exit_to_block(l, WL_EXIT_MODE, next);
    LLVMPositionBuilderAtEnd(l->b, some);
}

/* ---- FULL code with some lanes ----
 *
 * Short code for the lanes that are left, up to the next change of EXEC or the wave's end, stands in FULL code too, in its MASKED form:
 * waves at the edges of a grid, and conditions around a few instructions, need no other copy. */

enum {
    MAX_ASIDE_BLOCKS = 4,
    MAX_ASIDE_ITEMS = 192, /* vector instructions * strips */
    MAX_ASIDE_UNIT = 768,  /* of all such code in a unit */
};

/* The basic blocks that a wave with some active lanes goes through up to the next change of EXEC, or its end. */
struct aside {
    uint32_t block[MAX_ASIDE_BLOCKS];
    unsigned count, items;
};

static uint32_t aside_next(const struct wl_unit *unit, const struct wl_block *block) {
    if (block->end == WL_BLOCK_NEXT)
        return block->next;
    if (block->end == WL_BLOCK_BRANCH)
        return block->target;
    const unsigned condition = block->end == WL_BLOCK_CBRANCH ? unit->insts[block->first + block->count - 1].isa->detail : WL_IF_SCC0;
    return condition == WL_IF_EXECZ ? block->next : condition == WL_IF_EXECNZ ? block->target : WL_NO_BLOCK;
}

static bool reaches_lanes(const struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_effects effects;
    wl_inst_effects(inst, l->wave_size, &effects);
    return wl_effects_reach_lanes(&effects);
}

/* The way from a basic block; false: it is left to the other copy. In loops registers are values (promote.c), and code beside the loop's
 * own would have to keep as many. */
static bool find_aside(const struct wl_lift *l, uint32_t from, struct aside *aside) {
    if (l->unit.in_memory || l->unit.aside || l->unit.unoptimized || wl_unit_is_in_loop(l->unit.code, from))
        return false;
    *aside = (struct aside){.count = 0};
    while (from != WL_NO_BLOCK && aside->count < MAX_ASIDE_BLOCKS) {
        const struct wl_block *block = &l->unit.code->blocks[from];
        if (!block->count || block->is_spin_header || block->is_cut || wl_strip_loop_at(l->unit.code, from))
            return false;
        aside->block[aside->count++] = from;
        for (uint32_t i = 0; i < block->count; i++) {
            const struct wl_inst *inst = &l->unit.code->insts[block->first + i];
            if (reaches_lanes(l, inst))
                return false;
            aside->items += !wl_inst_is_scalar(inst) ? l->strips : 0;
        }
        if (aside->items > MAX_ASIDE_ITEMS || l->unit.aside_items + aside->items > MAX_ASIDE_UNIT)
            return false;
        if (block->end == WL_BLOCK_EXEC || block->end == WL_BLOCK_FINISH)
            return block->end == WL_BLOCK_FINISH || block->next != WL_NO_BLOCK;
        from = aside_next(l->unit.code, block);
    }
    return false;
}

static void go_aside(struct wl_lift *l, const struct aside *aside) {
    wl_assert(l->unit.mode == WL_MODE_FULL && !l->unit.aside && aside->count > 0);
    const struct wl_block *here = l->unit.block;
    struct wl_facts *const known = l->unit.facts, facts;
    l->unit.aside = true;
    l->unit.aside_items += aside->items;
    l->unit.mode = WL_MODE_MASKED;
    for (unsigned i = 0; i < aside->count; i++)
        if (!wl_lift_body(l, aside->block[i], &facts))
            break;
    l->unit.facts = NULL;
    l->exec = l->exec_bits = NULL;
    l->unit.mode = WL_MODE_FULL;
    if (l->unit.block->end == WL_BLOCK_FINISH)
        wl_lift_exit(l, WL_EXIT_END);
    else
        wl_exec_finish(l);
    l->unit.aside = false;
    l->unit.block = here;
    l->unit.facts = known;
}

void wl_exec_finish(struct wl_lift *l) {
    wl_assert(l->unit.block->end == WL_BLOCK_EXEC && wl_region_is_flushed(l));
    uint32_t next = l->unit.block->next;
    bool masked = l->unit.mode == WL_MODE_MASKED;
    if (next == WL_NO_BLOCK || (masked && (l->unit.block->narrows || wl_exec_stays_masked(l->unit.code, next)))) {
        LLVMBuildBr(l->b, wl_lift_ir_block_of(l, next));
        return;
    }
    LLVMValueRef full = LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstAllOnes(l->mask_type), "");
    LLVMBasicBlockRef leave = wl_lift_ir_block(l, "leave");
    LLVMBuildCondBr(l->b, full, masked ? leave : l->unit.ir_blocks[next], masked ? l->unit.ir_blocks[next] : leave);
    LLVMPositionBuilderAtEnd(l->b, leave);
    struct wl_idle idle;
    struct aside aside;
    bool goes_idle = !masked && wl_idle_find(l, next, &idle), goes_aside = !masked && find_aside(l, next, &aside);
    if (goes_idle || goes_aside)
        skip_inactive(l, goes_idle ? &idle : NULL, next);
    if (goes_aside)
        go_aside(l, &aside);
    else
        wl_lift_exit_to_block(l, WL_EXIT_MODE, next);
}
