/* Changes of EXEC: where code goes on, in which form. */
#include "translate/analysis/strip_loop.h"
#include "translate/lift/forms/gang.h"
#include "translate/lift/frame.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

enum {
    SHORT_STAY = 8, /* vector instructions that MASKED code does for a full EXEC rather than change the copy twice */
};

bool wl_exec_stays_masked(const struct wl_unit *unit, uint32_t piece) {
    for (unsigned vectors = 0; piece != WL_NO_PIECE; piece = unit->pieces[piece].next) {
        const struct wl_piece *p = &unit->pieces[piece];
        for (uint32_t i = 0; i < p->count; i++)
            vectors += !wl_inst_is_scalar(&unit->insts[p->first + i]);
        if (vectors > SHORT_STAY)
            return false;
        if (p->end == WL_PIECE_EXEC || p->end == WL_PIECE_WAIT || p->end == WL_PIECE_FINISH)
            return true;
        if (p->end != WL_PIECE_NEXT)
            return false;
    }
    return false;
}

/* ---- FULL code without lanes ----
 *
 * Where FULL code loses all lanes it does itself what is left to do until some come back: the scalar instructions, and the zeros of
 * masks that vector instructions make. Blocks of a few instructions have no branch on EXECZ around them. */

enum {
    MAX_IDLE_INSTS = 16, /* of those that do something, to the same place */
    MAX_IDLE_CHANGES = 4,
};

enum idle_work { IDLE_NOTHING, IDLE_LIFT, IDLE_CLEARS, IDLE_NOT_KNOWN };

/* What an instruction does without active lanes: nothing, what it always does, or clears the masks that it makes. */
static enum idle_work idle_work(const struct wl_inst *inst, const struct wl_effects *effects) {
    if (inst->sem && inst->sem->scalar)
        return IDLE_LIFT;
    if (wl_inst_is_scalar(inst))
        return inst->sem || (inst->isa->class != WL_ISA_MOVREL && inst->isa->class != WL_ISA_SETREG) ? IDLE_LIFT : IDLE_NOT_KNOWN;
    for (unsigned i = 0; i < 8; i++)
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

/* Whether the piece can be gone through; adds what it costs. */
static bool is_idle_piece(const struct wl_lift *l, const struct wl_piece *piece, unsigned *cost) {
    for (uint32_t i = 0; i < piece->count; i++) {
        const struct wl_inst *inst = &l->unit->insts[piece->first + i];
        struct wl_effects effects;
        wl_inst_effects(inst, l->wave_size, &effects);
        enum idle_work work = idle_work(inst, &effects);
        if (work == IDLE_NOT_KNOWN)
            return false;
        *cost += work != IDLE_NOTHING;
    }
    return *cost <= MAX_IDLE_INSTS;
}

static uint32_t idle_next(const struct wl_unit *unit, const struct wl_piece *piece) {
    if (piece->end == WL_PIECE_BRANCH)
        return piece->target;
    if (piece->end != WL_PIECE_CBRANCH)
        return piece->end == WL_PIECE_NEXT ? piece->next : WL_NO_PIECE;
    switch (unit->insts[piece->first + piece->count - 1].isa->detail) {
    case WL_IF_EXECZ:
        return piece->target;
    case WL_IF_EXECNZ:
        return piece->next;
    default:
        return WL_NO_PIECE;
    }
}

bool wl_idle_find(const struct wl_lift *l, uint32_t from, struct wl_idle *idle) {
    unsigned cost = 0;
    for (idle->count = 0; from != WL_NO_PIECE && idle->count < WL_IDLE_PIECES;) {
        const struct wl_piece *piece = &l->unit->pieces[from];
        idle->piece[idle->count++] = from;
        if (!piece->count || !is_idle_piece(l, piece, &cost))
            return false;
        if (piece->end == WL_PIECE_EXEC || piece->end == WL_PIECE_FINISH)
            return piece->end == WL_PIECE_FINISH || piece->next != WL_NO_PIECE;
        from = idle_next(l->unit, piece);
    }
    return false;
}

static void lift_idle_piece(struct wl_lift *l, const struct wl_piece *piece) {
    for (uint32_t i = 0; i < piece->count; i++) {
        const struct wl_inst *inst = &l->unit->insts[piece->first + i];
        struct wl_effects effects;
        wl_inst_effects(inst, l->wave_size, &effects);
        enum idle_work work = idle_work(inst, &effects);
        l->descriptor.base = NULL;
        if (work == IDLE_LIFT)
            wl_lift_inst(l, inst, &effects);
        for (unsigned reg = 0; work == IDLE_CLEARS && reg < WL_SGPR_COUNT; reg++)
            if (wl_bit(effects.touch.scalar, reg))
                wl_lift_set_sgpr(l, reg, LLVMConstNull(l->i32));
    }
}

/* Goes such a way, and on as long as no lanes come back; `left`: so many changes of EXEC may still be. */
static void go_idle(struct wl_lift *l, const struct wl_idle *idle, unsigned left) {
    for (unsigned i = 0; i < idle->count; i++) {
        if (l->unit->pieces[idle->piece[i]].is_spin_header)
            wl_lift_spend_fuel(l, idle->piece[i]);
        lift_idle_piece(l, &l->unit->pieces[idle->piece[i]]);
    }
    const struct wl_piece *last = &l->unit->pieces[idle->piece[idle->count - 1]];
    if (last->end == WL_PIECE_FINISH) {
        wl_lift_exit(l, WL_EXIT_END);
        return;
    }
    LLVMBasicBlockRef leave = wl_lift_block(l, "leave");
    LLVMValueRef exec = wl_lift_exec(l), full = LLVMBuildICmp(l->b, LLVMIntEQ, exec, LLVMConstAllOnes(l->mask_type), "");
    LLVMBuildCondBr(l->b, full, l->blocks[last->next], leave);
    LLVMPositionBuilderAtEnd(l->b, leave);
    struct wl_idle more;
    if (left && wl_idle_find(l, last->next, &more)) {
        LLVMBasicBlockRef none = wl_lift_block(l, "none"), some = wl_lift_block(l, "some");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, exec, LLVMConstNull(l->mask_type), ""), none, some);
        LLVMPositionBuilderAtEnd(l->b, none);
        go_idle(l, &more, left - 1);
        LLVMPositionBuilderAtEnd(l->b, some);
    }
    wl_lift_exit_to_piece(l, WL_EXIT_MODE, last->next);
}

void wl_idle_go(struct wl_lift *l, const struct wl_idle *idle) { go_idle(l, idle, MAX_IDLE_CHANGES); }

/* FULL code at the end of a piece that left some lanes, or none: goes on itself where there are none and it can; `idle` NULL: it cannot,
 * and that is for the other copy. The builder is left where there are some. */
static void skip_inactive(struct wl_lift *l, const struct wl_idle *idle, uint32_t next) {
    LLVMBasicBlockRef none = wl_lift_block(l, "none"), some = wl_lift_block(l, "some");
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstNull(l->mask_type), ""), none, some);
    LLVMPositionBuilderAtEnd(l->b, none);
    if (idle)
        go_idle(l, idle, MAX_IDLE_CHANGES);
    else
        wl_lift_exit_to_piece(l, WL_EXIT_MODE, next);
    LLVMPositionBuilderAtEnd(l->b, some);
}

/* ---- FULL code with some lanes ----
 *
 * Short code for the lanes that are left, up to the next change of EXEC or the wave's end, stands in FULL code too, in its MASKED form:
 * waves at the edges of a grid, and conditions around a few instructions, need no other copy. */

enum {
    MAX_ASIDE_PIECES = 4,
    MAX_ASIDE_ITEMS = 192, /* vector instructions * strips */
    MAX_ASIDE_UNIT = 768,  /* of all such code in a unit */
};

/* The pieces that a wave with some active lanes goes through up to the next change of EXEC, or its end. */
struct aside {
    uint32_t piece[MAX_ASIDE_PIECES];
    unsigned count, items;
};

static uint32_t aside_next(const struct wl_unit *unit, const struct wl_piece *piece) {
    if (piece->end == WL_PIECE_NEXT)
        return piece->next;
    if (piece->end == WL_PIECE_BRANCH)
        return piece->target;
    const unsigned condition = piece->end == WL_PIECE_CBRANCH ? unit->insts[piece->first + piece->count - 1].isa->detail : WL_IF_SCC0;
    return condition == WL_IF_EXECZ ? piece->next : condition == WL_IF_EXECNZ ? piece->target : WL_NO_PIECE;
}

/* Whether an instruction reads or writes lanes whatever EXEC says, such as registers of which compilers keep scalars in single lanes. */
static bool reaches_lanes(const struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_effects effects;
    uint64_t lanes = 0;
    wl_inst_effects(inst, l->wave_size, &effects);
    for (unsigned i = 0; i < 8; i++)
        lanes |= effects.use_lanes[i] | effects.def_lanes[i];
    return lanes != 0;
}

/* The way from a piece; false: it is left to the other copy. In loops registers are values (promote.c), and code beside the loop's own would
 * have to keep as many. */
static bool find_aside(const struct wl_lift *l, uint32_t from, struct aside *aside) {
    if (wl_is_one_lane(l) || l->in_memory || l->aside || wl_unit_is_unoptimized(l->unit) || wl_unit_is_in_loop(l->unit, from))
        return false;
    *aside = (struct aside){.count = 0};
    while (from != WL_NO_PIECE && aside->count < MAX_ASIDE_PIECES) {
        const struct wl_piece *piece = &l->unit->pieces[from];
        if (!piece->count || piece->is_spin_header || piece->is_cut || wl_strip_loop_at(l->unit, from))
            return false;
        aside->piece[aside->count++] = from;
        for (uint32_t i = 0; i < piece->count; i++) {
            const struct wl_inst *inst = &l->unit->insts[piece->first + i];
            if (reaches_lanes(l, inst))
                return false;
            aside->items += !wl_inst_is_scalar(inst) ? l->strips : 0;
        }
        if (aside->items > MAX_ASIDE_ITEMS || l->aside_items + aside->items > MAX_ASIDE_UNIT)
            return false;
        if (piece->end == WL_PIECE_EXEC || piece->end == WL_PIECE_FINISH)
            return piece->end == WL_PIECE_FINISH || piece->next != WL_NO_PIECE;
        from = aside_next(l->unit, piece);
    }
    return false;
}

static void go_aside(struct wl_lift *l, const struct aside *aside) {
    const struct wl_piece *here = l->piece;
    struct wl_facts *const known = l->facts, facts;
    l->aside = true;
    l->aside_items += aside->items;
    l->mode = WL_MODE_MASKED;
    for (unsigned i = 0; i < aside->count; i++)
        if (!wl_lift_body(l, aside->piece[i], &facts))
            break;
    l->facts = NULL;
    l->exec = l->exec_bits = NULL;
    l->mode = WL_MODE_FULL;
    if (l->piece->end == WL_PIECE_FINISH)
        wl_lift_exit(l, WL_EXIT_END);
    else
        wl_exec_finish(l);
    l->aside = false;
    l->piece = here;
    l->facts = known;
}

void wl_exec_finish(struct wl_lift *l) {
    uint32_t next = l->piece->next;
    bool masked = l->mode == WL_MODE_MASKED;
    if (l->gang && next != WL_NO_PIECE) {
        wl_gang_finish_exec(l);
        return;
    }
    if (next == WL_NO_PIECE || l->in_loop || (masked && (l->piece->narrows || wl_exec_stays_masked(l->unit, next)))) {
        LLVMBuildBr(l->b, wl_lift_block_of(l, next));
        return;
    }
    LLVMValueRef full = LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstAllOnes(l->mask_type), "");
    LLVMBasicBlockRef leave = wl_lift_block(l, "leave");
    LLVMBuildCondBr(l->b, full, masked ? leave : l->blocks[next], masked ? l->blocks[next] : leave);
    LLVMPositionBuilderAtEnd(l->b, leave);
    struct wl_idle idle;
    struct aside aside;
    bool goes_idle = !masked && wl_idle_find(l, next, &idle), goes_aside = !masked && find_aside(l, next, &aside);
    if (goes_idle || goes_aside)
        skip_inactive(l, goes_idle ? &idle : NULL, next);
    if (goes_aside)
        go_aside(l, &aside);
    else
        wl_lift_exit_to_piece(l, WL_EXIT_MODE, next);
}
