/* Loops that write to memory: which of them may be run for one strip after the other (strip_loop.h says what that takes).
 *
 * How long a lane stays in the loop must not depend on what is in memory: the lane could wait for another lane of its wave, which would
 * not have begun. So this file follows what is loaded, and what is computed of that, through registers and masks: such a value *depends*.
 * Conditional code under a condition that depends must leave EXEC as it was before the condition, and the mask that ends the loop must
 * not depend. */
#include "translate/analysis/strip_loop.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdlib.h>
#include <string.h>

/* What depends where a basic block begins. */
struct depends {
    bool reached;
    bool exec;                   /* EXEC is part of what it would be */
    uint64_t rows[WL_ROW_WORDS]; /* vector registers, in some lane */
    uint64_t scalar[2];
    uint64_t whole[2]; /* registers that hold EXEC as it would be */
    uint64_t part[2];  /* registers that hold parts of it */
};

struct flow {
    const struct wl_unit *unit;
    const struct wl_strip_loop *loop;
    unsigned registers; /* of a mask */
    struct wl_effects effects;
    struct depends *start; /* by basic block of the loop */
    bool failed;
};

/* ---- what is written ---- */

static bool is_integer(unsigned atomic) {
    switch ((enum wl_atomic_op)atomic) {
    case WL_ATOMIC_SWAP:
    case WL_ATOMIC_CMPSWAP:
    case WL_ATOMIC_ADD:
    case WL_ATOMIC_SUB:
    case WL_ATOMIC_SMIN:
    case WL_ATOMIC_UMIN:
    case WL_ATOMIC_SMAX:
    case WL_ATOMIC_UMAX:
    case WL_ATOMIC_AND:
    case WL_ATOMIC_OR:
    case WL_ATOMIC_XOR:
        return true;
    default:
        return false;
    }
}

static bool may_touch_memory(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    if (!isa)
        return true;
    switch (isa->class) {
    case WL_ISA_STORE:
        return inst->aggregate == WL_AGGREGATE_STORE || wl_inst_is_of_lane(inst);
    case WL_ISA_ATOMIC:
        return isa->space == WL_SPACE_GLOBAL && is_integer(isa->atomic) && !inst->lds && !inst->gds;
    case WL_ISA_LOAD:
        return isa->space == WL_SPACE_GLOBAL || wl_inst_is_of_lane(inst);
    case WL_ISA_LANE:
        return inst->aggregate != WL_AGGREGATE_NONE;
    case WL_ISA_NOP: /* caches: an order */
        return !inst->fence && !(wl_isa_caches(inst) & (WL_CACHE_EMPTIES | WL_CACHE_WRITES));
    default:
        return true;
    }
}

bool wl_strip_loop_writes(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_block *block = &unit->blocks[loop->blocks[i]];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct wl_inst *inst = &unit->insts[block->first + n];
            const int class = inst->isa ? (int)inst->isa->class : -1;
            if ((class == WL_ISA_STORE && !wl_inst_is_of_lane(inst)) || class == WL_ISA_ATOMIC || class == WL_ISA_LANE)
                return true;
        }
    }
    return false;
}

/* ---- what depends ---- */

static bool is_exec(const struct wl_operand *operand) { return operand->kind == WL_OPERAND_SGPR && operand->reg == WL_SGPR_EXEC; }

static bool operand_depends(const struct flow *f, const struct depends *d, const struct wl_operand *operand) {
    return is_exec(operand) ? d->exec : operand->kind == WL_OPERAND_SGPR && wl_any_bit(d->scalar, operand->reg, f->registers);
}

/* Whether an operand has no lanes beyond EXEC as it would be. */
static bool is_part(const struct depends *d, const struct wl_operand *operand) {
    return is_exec(operand) || (operand->kind == WL_OPERAND_SGPR && (wl_bit(d->whole, operand->reg) || wl_bit(d->part, operand->reg)));
}

/* EXEC loses lanes: it becomes a part of itself, or another mask that does not depend. */
static void narrow(struct depends *d, bool by_what_depends) {
    if (d->exec)
        return;
    if (by_what_depends) {
        d->exec = true;
        return;
    }
    memset(d->whole, 0, sizeof d->whole);
    memset(d->part, 0, sizeof d->part);
}

/* EXEC gets the lanes of a register. */
static void restore(struct flow *f, struct depends *d, const struct wl_operand *from, bool adds) {
    bool sgpr = from->kind == WL_OPERAND_SGPR, whole = sgpr && wl_bit(d->whole, from->reg), part = sgpr && wl_bit(d->part, from->reg);
    if (whole) {
        d->exec = false;
        return;
    }
    if (part)
        d->exec |= !adds; /* a part and a part are one; all of it stays that */
    else
        f->failed = true; /* lanes that have left could come back */
}

static void change_exec(struct flow *f, struct depends *d, const struct wl_mask_work *work) {
    const struct wl_operand *other = is_exec(&work->a) ? &work->b : &work->a;
    bool depends = operand_depends(f, d, other), with_exec = is_exec(&work->a) || is_exec(&work->b);
    if ((work->logic == WL_MASK_AND && with_exec) || (work->logic == WL_MASK_AND_NOT && is_exec(&work->a)))
        narrow(d, depends || work->saves); /* what is saved will be restored */
    else if (work->logic == WL_MASK_OR && with_exec)
        restore(f, d, other, true);
    else if (work->logic == WL_MASK_MOVE)
        restore(f, d, &work->a, false);
    else if (is_part(d, &work->a) && is_part(d, &work->b) && (work->logic == WL_MASK_XOR || work->logic == WL_MASK_AND_NOT))
        d->exec = true; /* an else branch */
    else
        f->failed = true;
}

static void mask_step(struct flow *f, struct depends *d, const struct wl_mask_work *work) {
    const struct depends before = *d;
    bool depends = operand_depends(f, d, &work->a) || operand_depends(f, d, &work->b);
    if (work->logic == WL_MASK_SELECT)
        depends |= wl_bit(d->scalar, WL_SGPR_SCC);
    if (work->to == WL_SGPR_EXEC) {
        if (work->saves && !work->saves_new) { /* first, since the change asks what EXEC is a part of */
            wl_put_bits(d->scalar, work->saved, f->registers, before.exec);
            wl_put_bits(d->whole, work->saved, f->registers, false);
            wl_put_bits(d->part, work->saved, f->registers, false);
            wl_set(before.exec ? d->part : d->whole, work->saved);
        }
        f->failed |= work->saves &&
                     (work->saves_new || (work->a.kind == WL_OPERAND_SGPR && work->a.reg == work->saved) ||
                      (work->b.kind == WL_OPERAND_SGPR && work->b.reg == work->saved)) &&
                     work->logic != WL_MASK_AND;
        struct wl_mask_work now = *work;
        struct depends state = *d;
        memcpy(d->scalar, before.scalar, sizeof d->scalar); /* operands are read before */
        change_exec(f, d, &now);
        memcpy(d->scalar, state.scalar, sizeof d->scalar);
    } else {
        bool moves = work->logic == WL_MASK_MOVE && is_exec(&work->a), parts = is_part(&before, &work->a) && is_part(&before, &work->b);
        wl_put_bits(d->whole, work->to, f->registers, false);
        wl_put_bits(d->part, work->to, f->registers, false);
        wl_put_bits(d->scalar, work->to, f->registers, depends);
        if (moves && !before.exec)
            wl_set(d->whole, work->to);
        else if (parts && work->logic <= WL_MASK_XOR && work->logic != WL_MASK_NOT && work->logic != WL_MASK_OR_NOT)
            wl_set(d->part, work->to);
    }
    if (wl_bit(f->effects.touch.scalar, WL_SGPR_SCC))
        wl_put_bits(d->scalar, WL_SGPR_SCC, 1, depends || before.exec);
}

/* All results of an instruction depend if one of its inputs does, or if they come from memory. */
static void other_step(struct flow *f, struct depends *d, const struct wl_inst *inst) {
    const struct wl_effects *e = &f->effects;
    const struct wl_isa *isa = inst->isa;
    bool depends =
        isa && (isa->class == WL_ISA_LOAD || isa->class == WL_ISA_ATOMIC || isa->class == WL_ISA_SMEM_LOAD || isa->class == WL_ISA_LANE);
    bool vector = !wl_inst_is_scalar(inst);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        depends |= ((e->use.vector[w] | e->use_lanes[w]) & d->rows[w]) != 0;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        bool exec = reg == WL_SGPR_EXEC || reg == WL_SGPR_EXEC + 1;
        depends |= wl_bit(e->use.scalar, reg) && (exec ? !vector && d->exec : wl_bit(d->scalar, reg));
    }
    if (isa && isa->class == WL_ISA_CBRANCH) {
        f->failed |= depends && isa->detail != WL_IF_EXECZ && isa->detail != WL_IF_EXECNZ;
        return;
    }
    if (isa && isa->class == WL_ISA_CMPX)
        narrow(d, depends || d->whole[0] || d->whole[1]);
    depends |= vector && d->exec; /* in some lanes only */
    for (unsigned w = 0; w < WL_ROW_WORDS && depends; w++)
        d->rows[w] |= e->touch.vector[w];
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(e->touch.scalar, reg) || reg == WL_SGPR_EXEC || reg == WL_SGPR_EXEC + 1)
            continue;
        const unsigned first = reg + 1 < f->registers ? 0 : reg + 1 - f->registers; /* a half takes the mask with it */
        wl_put_bits(d->whole, first, reg + 1 - first, false);
        wl_put_bits(d->part, first, reg + 1 - first, false);
        wl_put_bits(d->scalar, reg, 1, depends);
    }
    f->failed |=
        (wl_bit(e->touch.scalar, WL_SGPR_EXEC) || wl_bit(e->touch.scalar, WL_SGPR_EXEC + 1)) && !(isa && isa->class == WL_ISA_CMPX);
}

static void step(struct flow *f, struct depends *d, const struct wl_inst *inst) {
    struct wl_mask_work work;
    wl_inst_effects(inst, f->unit->request->wave_size, &f->effects);
    if (wl_mask_work(inst, f->unit->request->wave_size, &work))
        mask_step(f, d, &work);
    else
        other_step(f, d, inst);
}

static bool is_same(const struct depends *a, const struct depends *b) {
    return a->exec == b->exec && !memcmp(a->rows, b->rows, sizeof a->rows) && !memcmp(a->scalar, b->scalar, sizeof a->scalar) &&
           !memcmp(a->whole, b->whole, sizeof a->whole) && !memcmp(a->part, b->part, sizeof a->part);
}

static bool join(struct depends *into, const struct depends *from) {
    const struct depends was = *into;
    if (!into->reached) {
        *into = *from;
        into->reached = true;
        return true;
    }
    into->exec |= from->exec;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        into->rows[w] |= from->rows[w];
    for (unsigned w = 0; w < 2; w++) {
        into->scalar[w] |= from->scalar[w];
        into->part[w] = (into->part[w] | into->whole[w]) & (from->part[w] | from->whole[w]);
        into->whole[w] &= from->whole[w];
        into->part[w] &= ~into->whole[w];
    }
    return !is_same(&was, into);
}

/* Whether all lanes leave for reasons that do not depend. */
static bool ends_by_itself(struct flow *f) {
    const struct wl_unit *unit = f->unit;
    uint32_t header = wl_strip_loop_index(f->loop, f->loop->header);
    f->start[header].reached = true;
    for (bool changed = true; changed && !f->failed;) {
        changed = false;
        for (uint32_t i = 0; i < f->loop->count; i++) {
            const struct wl_block *block = &unit->blocks[f->loop->blocks[i]];
            struct depends now = f->start[i];
            const uint32_t to[2] = {block->next, block->target};
            if (!now.reached)
                continue;
            for (uint32_t n = 0; n < block->count; n++)
                step(f, &now, &unit->insts[block->first + n]);
            f->failed |= f->loop->blocks[i] == f->loop->leave && now.exec;
            for (unsigned n = 0; n < 2; n++) {
                uint32_t index = wl_strip_loop_index(f->loop, to[n]);
                if (index != UINT32_MAX)
                    changed |= join(&f->start[index], &now);
            }
        }
    }
    return !f->failed;
}

/* Whether there is no loop within the loop: an inner loop could wait for other lanes. */
static bool is_innermost(const struct flow *f) {
    const struct wl_strip_loop *loop = f->loop;
    bool *done = calloc(loop->count, sizeof *done); /* leads to the header or out of the loop, whichever way is taken */
    for (bool changed = done; changed;) {
        changed = false;
        for (uint32_t i = 0; i < loop->count; i++) {
            const struct wl_block *block = &f->unit->blocks[loop->blocks[i]];
            const uint32_t to[2] = {block->next, block->target};
            bool leads = !done[i];
            for (unsigned n = 0; n < 2; n++) {
                uint32_t index = to[n] == loop->header ? UINT32_MAX : wl_strip_loop_index(loop, to[n]);
                leads &= index == UINT32_MAX || done[index];
            }
            done[i] |= leads;
            changed |= leads;
        }
    }
    bool all = done;
    for (uint32_t i = 0; all && i < loop->count; i++)
        all = done[i];
    free(done);
    return all;
}

bool wl_strip_loop_may_write(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_block *block = &unit->blocks[loop->blocks[i]];
        for (uint32_t n = 0; n < block->count; n++)
            if (!may_touch_memory(&unit->insts[block->first + n]))
                return false;
    }
    struct flow f = {.unit = unit, .loop = loop, .registers = unit->request->wave_size / 32};
    f.start = calloc(loop->count, sizeof *f.start);
    bool may = f.start && is_innermost(&f) && ends_by_itself(&f);
    free(f.start);
    return may;
}
