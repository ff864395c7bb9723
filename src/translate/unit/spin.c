/* Which loops may wait for what other waves do. Such a loop has to let other waves run now and then.
 *
 * No instruction marks all of these loops: loads of LDS, and loads of what waves of one workgroup write for each other, are loads like any
 * other. A loop that waits ends by what it loads, and may load the same place again. So a loop waits for nobody if all of its
 * branches follow from registers, or if each load that decides whether it ends goes to another address in every round. This file follows
 * what depends on loads through registers, masks and branches, for the loop as a whole. It may find that more depends than really
 * does, never less.
 *
 * Loops that walk through a hash, a tree or a list count as waiting too: nothing tells them from a wave that looks at one flag after the
 * other. Their cost is small: the fuel takes one subtraction a round.
 *
 * Loads that are marked as coherent, and atomics, count whatever their addresses are: workgroups use them to wait for each other. */
#include "translate/isa/isa.h"
#include "translate/isa/lane.h"
#include "translate/isa/sem.h"
#include "translate/unit/frame.h"
#include "translate/unit/mask_work.h"
#include "translate/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_INSTS = 3000, /* of a loop; longer ones are not followed */
};

/* What is known at a place of the round. */
struct place {
    uint64_t reached;
    uint64_t all;           /* EXEC has all lanes that are in the loop */
    uint64_t saved[2];      /* registers that hold them all */
    struct wl_regs moves;   /* made of what moves on, in all of them */
    struct wl_regs depends; /* on what is looked at */
};

/* What an instruction's name says. The rounds ask for it again and again. */
struct named {
    struct wl_mask_work mask;
    bool is_mask;      /* `mask` holds */
    bool keeps_moving; /* its result changes in every round if its operand does */
};

struct flow {
    const struct wl_unit *unit;
    uint32_t header, latch;     /* basic blocks: the loop is what lies between */
    uint32_t first, count;      /* its instructions */
    struct wl_effects *effects; /* of each instruction */
    struct named *named;        /* of each instruction */
    bool *moving;               /* of each instruction: what it reads moves on with every round */
    struct place *start;        /* of each basic block */
    struct wl_regs *chosen;     /* of each basic block: written or not, by a branch that depends */
    uint32_t *stack;            /* of basic blocks */
    bool *seen;                 /* by basic block */
    struct wl_regs written, steps;
    bool private_depends;                       /* what is in private memory, or somewhere in it if cells are known */
    const struct wl_frame_access *frame;        /* of each instruction; NULL: not known */
    uint64_t cells_depend[WL_FRAME_CELLS / 64]; /* what is in these */
    bool frame_changed;                         /* more of it depends */
    bool invalidates;                           /* caches: any load looks anew then */
};

/* ---- sets ---- */

static bool has_exec(const struct wl_regs *regs) { return wl_any_bit(regs->scalar, WL_SGPR_EXEC, 2); }

/* ---- what instructions are ---- */

enum access { NO_ACCESS, PRIVATE, PLAIN, COHERENT };

static bool is_private(const struct flow *f, uint32_t n) {
    return wl_inst_is_of_lane(&f->unit->insts[f->first + n]) || (f->frame && wl_frame_is_private(&f->frame[n]));
}

/* How an instruction reads memory that others may write. */
static enum access reads(const struct flow *f, uint32_t n) {
    const struct wl_inst *inst = &f->unit->insts[f->first + n];
    if (!inst->isa)
        return NO_ACCESS;
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
        if (is_private(f, n))
            return PRIVATE;
        return wl_inst_is_coherent(inst) || f->invalidates ? COHERENT : PLAIN;
    case WL_ISA_SMEM_LOAD:
        return wl_inst_is_coherent(inst) || f->invalidates ? COHERENT : PLAIN;
    case WL_ISA_ATOMIC:
    case WL_ISA_SMEM_ATOMIC:
    case WL_ISA_TENSOR:
        return COHERENT;
    case WL_ISA_IMAGE:
        return wl_inst_is_coherent(inst) || f->invalidates ? COHERENT : PLAIN;
    case WL_ISA_LANE:
        switch ((enum wl_lane_loads)wl_lane_of(inst)->loads) {
        case WL_LANE_LOADS_NOTHING:
            return NO_ACCESS;
        case WL_LANE_LOADS:
            return wl_inst_is_coherent(inst) ? COHERENT : PLAIN;
        default:
            return COHERENT;
        }
    default:
        return NO_ACCESS;
    }
}

/* Whether an instruction adds the same number to a register in every round, and writes nothing else. The register is its first operand. */
static bool is_step(const struct flow *f, const struct wl_inst *inst) {
    static const char *const names[] = {"s_add_", "s_sub_", "s_addk_i32", "v_add_", "v_sub_", "v_lshl_add_u64"};
    const struct wl_operand *op = inst->operands;
    bool named = false, itself = !strcmp(inst->mnemonic, "s_addk_i32"), moves = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named |= !strncmp(inst->mnemonic, names[i], strlen(names[i]));
    if (!named || !inst->sem || inst->is_dpp || inst->is_sdwa || inst->clamp || inst->index_mode || inst->operand_count < 2 ||
        strstr(inst->mnemonic, "_ci_") || strstr(inst->mnemonic, "_f16") || strstr(inst->mnemonic, "_f32") ||
        strstr(inst->mnemonic, "_f64"))
        return false;
    const unsigned first = op[0].kind == WL_OPERAND_VGPR && strstr(inst->mnemonic, "_co_") ? 2 : 1; /* behind the carry */
    for (unsigned i = first; i < inst->operand_count; i++) {
        if (!itself && op[i].kind == op[0].kind && op[i].reg == op[0].reg && op[i].count == op[0].count) {
            itself = true;
            continue;
        }
        const bool constant = op[i].kind == WL_OPERAND_IMM,
                   invariant =
                       constant || ((op[i].kind == WL_OPERAND_SGPR || op[i].kind == WL_OPERAND_VGPR) && !wl_regs_has(&f->written, &op[i]));
        if (!invariant)
            return false;
        moves |= !constant || op[i].bits != 0;
    }
    return itself && moves;
}

static bool keeps_moving(const struct wl_inst *inst) {
    static const char *const losing[] = {"_and_", "_bfe_", "_lshr",   "_ashr",   "_min",  "_max",
                                         "_med",  "cmp",   "cndmask", "cselect", "_bfm_", "_cmov"};
    for (size_t i = 0; i < sizeof losing / sizeof *losing; i++)
        if (strstr(inst->mnemonic, losing[i]))
            return false;
    return true;
}

/* ---- what moves on ---- */

static bool is_inside(const struct flow *f, uint32_t block) { return block != WL_NO_BLOCK && block >= f->header && block <= f->latch; }

/* Whether every round passes a basic block. */
static bool is_passed(const struct flow *f, uint32_t needed) {
    bool *seen = f->seen;
    uint32_t *stack = f->stack;
    uint32_t depth = 0;
    if (needed == f->header)
        return true;
    memset(seen, 0, (f->latch - f->header + 1) * sizeof *seen);
    stack[depth++] = f->header;
    while (depth) {
        const struct wl_block *block = &f->unit->blocks[stack[--depth]];
        const uint32_t to[2] = {block->next, block->target};
        for (unsigned i = 0; i < 2; i++) {
            if (to[i] == f->header)
                return false;
            if (!is_inside(f, to[i]) || to[i] == needed || seen[to[i] - f->header])
                continue;
            seen[to[i] - f->header] = true;
            stack[depth++] = to[i];
        }
    }
    return true;
}

static void lanes_step(const struct flow *f, struct place *s, uint32_t n) {
    const struct wl_mask_work *work = &f->named[n].mask;
    const uint64_t all = s->all, saved[2] = {s->saved[0], s->saved[1]};
    for (unsigned w = 0; w < 2; w++) /* a mask's first register stands for it */
        s->saved[w] &= ~(f->effects[n].touch.scalar[w] | f->effects[n].touch.scalar[w] >> 1);
    s->saved[0] &= ~(f->effects[n].touch.scalar[1] << 63);
    if (!f->named[n].is_mask) {
        s->all = s->all && !has_exec(&f->effects[n].touch);
        return;
    }
    const struct wl_operand *operands[2] = {&work->a, &work->b};
    bool of_all[2];
    for (unsigned i = 0; i < 2; i++)
        of_all[i] = operands[i]->kind == WL_OPERAND_SGPR && (operands[i]->reg == WL_SGPR_EXEC ? all : wl_bit(saved, operands[i]->reg));
    const bool whole = work->logic == WL_MASK_MOVE ? of_all[0] : work->logic == WL_MASK_OR && (of_all[0] || of_all[1]);
    if (work->to == WL_SGPR_EXEC)
        s->all = whole;
    else if (whole)
        wl_set(s->saved, work->to);
    if (work->saves && !work->saves_new && all)
        wl_set(s->saved, work->saved);
}

/* The result of an instruction changes in every round if its operand does, in the lanes that write; the other lanes keep what they have. */
static void place_step(struct flow *f, struct place *s, uint32_t n) {
    const struct wl_inst *inst = &f->unit->insts[f->first + n];
    const struct wl_regs used = wl_regs_without_exec(f->effects[n].use), *touch = &f->effects[n].touch;
    const bool moves = f->named[n].keeps_moving && wl_regs_meet(&used, &s->moves), all = s->all || wl_inst_is_scalar(inst);
    if (!moves)
        (void)wl_regs_remove(&s->moves, touch);
    else if (all)
        (void)wl_regs_add(&s->moves, touch);
    (void)wl_regs_add(&s->moves, &f->steps);
    lanes_step(f, s, n);
}

/* Whether an instruction is the only one of the loop that writes to a register. */
static bool is_only_writer(const struct flow *f, const struct wl_regs *of) {
    uint32_t writers = 0;
    for (uint32_t n = 0; n < f->count; n++)
        writers += wl_regs_meet(&f->effects[n].touch, of);
    return writers == 1;
}

/* ---- what depends ---- */

/* Whether what an instruction loads of private memory depends. */
static bool frame_depends(const struct flow *f, uint32_t n) {
    const struct wl_frame_access *access = f->frame ? &f->frame[n] : NULL;
    bool depends = f->private_depends;
    if (access && access->kind == WL_FRAME_PLACE)
        for (unsigned i = 0; i < access->count; i++)
            depends |= wl_bit(f->cells_depend, access->cell + i);
    else
        for (unsigned w = 0; access && w < WL_FRAME_CELLS / 64; w++)
            depends |= f->cells_depend[w] != 0;
    return depends;
}

/* What an instruction stores to private memory depends. True: more does than before. */
static bool store_depends(struct flow *f, uint32_t n) {
    const struct wl_inst *inst = &f->unit->insts[f->first + n];
    const struct wl_frame_access *access = f->frame ? &f->frame[n] : NULL;
    bool changed = false;
    if (!inst->isa || inst->isa->class != WL_ISA_STORE || !is_private(f, n) || f->private_depends)
        return false;
    if (!access || access->kind != WL_FRAME_PLACE)
        return f->private_depends = true;
    for (unsigned i = 0; i < access->count; i++) {
        changed |= !wl_bit(f->cells_depend, access->cell + i);
        wl_set(f->cells_depend, access->cell + i);
    }
    return changed;
}

/* Whether what an instruction loads may be what the loop waits for. */
static bool is_looked_at(const struct flow *f, uint32_t n) {
    switch (reads(f, n)) {
    case COHERENT:
        return true;
    case PLAIN:
        return !f->moving[n];
    case PRIVATE:
        return frame_depends(f, n);
    default:
        return false;
    }
}

static void mask_depends(struct place *s, const struct wl_mask_work *work, unsigned registers, bool to_scc) {
    const struct wl_operand *operands[2] = {&work->a, &work->b};
    const bool exec = has_exec(&s->depends);
    bool depends = work->logic == WL_MASK_SELECT && wl_bit(s->depends.scalar, WL_SGPR_SCC);
    for (unsigned i = 0; i < 2; i++)
        depends |= operands[i]->kind == WL_OPERAND_SGPR && wl_any_bit(s->depends.scalar, operands[i]->reg, registers);
    if (work->saves)
        wl_put_bits(s->depends.scalar, work->saved, registers, work->saves_new ? depends : exec);
    if (to_scc)
        wl_put_bits(s->depends.scalar, WL_SGPR_SCC, 1, depends);
    wl_put_bits(s->depends.scalar, work->to, registers, depends);
}

static void depends_step(struct flow *f, struct place *s, uint32_t n) {
    const struct wl_inst *inst = &f->unit->insts[f->first + n];
    const struct wl_effects *e = &f->effects[n];
    struct wl_regs used = e->use;
    wl_rows_add(used.vector, e->use_lanes);
    if (f->named[n].is_mask) {
        mask_depends(s, &f->named[n].mask, f->unit->request->wave_size / 32, wl_bit(e->touch.scalar, WL_SGPR_SCC));
        place_step(f, s, n);
        if (s->all) /* EXEC as it was where the round began. If that depends on loads, the loop counts as waiting */
            wl_put_bits(s->depends.scalar, WL_SGPR_EXEC, 2, false);
        return;
    }
    if (is_looked_at(f, n) || wl_regs_meet(&used, &s->depends) || (!wl_inst_is_scalar(inst) && has_exec(&s->depends))) {
        (void)wl_regs_add(&s->depends, &e->touch);
        wl_rows_add(s->depends.vector, e->def_lanes);
        f->frame_changed |= store_depends(f, n);
    } else {
        struct wl_regs made = e->def;
        if (!s->all)
            memset(made.vector, 0, sizeof made.vector);
        (void)wl_regs_remove(&s->depends, &made);
    }
    place_step(f, s, n);
}

static bool condition_depends(const struct flow *f, const struct wl_block *block, const struct place *at) {
    const struct wl_inst *last = &f->unit->insts[block->first + block->count - 1];
    if (last->isa->detail == WL_IF_EXECZ || last->isa->detail == WL_IF_EXECNZ)
        return has_exec(&at->depends);
    return wl_regs_meet(&f->effects[block->first - f->first + block->count - 1].use, &at->depends);
}

/* A branch whose condition depends on loads: finds the basic blocks that it lets run or not. True: one of them leaves the round. */
static bool follow_branch(struct flow *f, uint32_t p, bool *changed) {
    const struct wl_block *block = &f->unit->blocks[p];
    const uint32_t target = block->target;
    struct wl_regs chosen = {0};
    if (!is_inside(f, target) || !is_inside(f, block->next) || target == f->header)
        return true;
    uint32_t end = target > p ? target : p + 1; /* the first behind them */
    for (uint32_t at = target > p ? p + 1 : target; at < end; at++) {
        const struct wl_block *inside = &f->unit->blocks[at];
        if (inside->end == WL_BLOCK_FINISH || inside->end == WL_BLOCK_JUMP || inside->end == WL_BLOCK_FALL_OFF)
            return true;
        if (inside->end == WL_BLOCK_BRANCH && (!is_inside(f, inside->target) || inside->target == f->header))
            return true;
        if (inside->end == WL_BLOCK_BRANCH && inside->target > end)
            end = inside->target; /* the other side of it */
        for (uint32_t i = 0; i < inside->count; i++)
            (void)wl_regs_add(&chosen, &f->effects[inside->first - f->first + i].touch);
    }
    wl_put_bits(chosen.scalar, WL_SGPR_EXEC, 2, false); /* it is followed by itself */
    if (end > f->latch)
        return true;
    *changed |= wl_regs_add(&f->chosen[end - f->header], &chosen);
    return false;
}

/* ---- rounds ---- */

static bool join_places(struct place *into, const struct place *from) {
    const struct place was = *into;
    if (!into->reached) {
        *into = *from;
        return true;
    }
    into->all &= from->all;
    for (unsigned w = 0; w < 2; w++)
        into->saved[w] &= from->saved[w];
    (void)wl_regs_keep(&into->moves, &from->moves);
    (void)wl_regs_add(&into->depends, &from->depends);
    return memcmp(&was, into, sizeof was) != 0;
}

/* Goes through a basic block, and on to those that follow it. `ends` becomes true if what depends on loads decides whether the loop ends
 * or goes into the next round; NULL: nobody asks. Returns true if it found more that depends. */
static bool follow_block(struct flow *f, uint32_t p, bool *ends) {
    const struct wl_block *block = &f->unit->blocks[p];
    const uint32_t to[2] = {block->next, block->target};
    f->frame_changed = false;
    struct place now = f->start[p - f->header];
    bool changed = false;
    (void)wl_regs_add(&now.depends, &f->chosen[p - f->header]);
    for (uint32_t i = 0; i < block->count; i++)
        (ends ? depends_step : place_step)(f, &now, block->first - f->first + i);
    if (ends && block->end == WL_BLOCK_CBRANCH && condition_depends(f, block, &now))
        *ends = follow_branch(f, p, &changed);
    for (unsigned i = 0; i < 2; i++) {
        if (to[i] == f->header) {
            changed |= wl_regs_add(&f->start[0].depends, &now.depends);
            if (ends)
                *ends |= has_exec(&now.depends);
        } else if (is_inside(f, to[i])) {
            changed |= join_places(&f->start[to[i] - f->header], &now);
        }
    }
    return changed || f->frame_changed;
}

/* Follows rounds through the loop until nothing more is found. */
static void follow_rounds(struct flow *f, bool *ends) {
    memset(f->start, 0, (f->latch - f->header + 1) * sizeof *f->start);
    f->start[0].reached = f->start[0].all = true;
    f->start[0].moves = f->steps;
    for (bool changed = true; changed && !(ends && *ends);) {
        changed = false;
        for (uint32_t p = f->header; p <= f->latch && !(ends && *ends); p++)
            if (f->start[p - f->header].reached)
                changed |= follow_block(f, p, ends);
    }
}

/* Finds the registers to which each round adds something, in each lane, and the registers that change with these. */
static void find_moving(struct flow *f) {
    bool again = true;
    for (unsigned round = 0; round < 2 && again; round++) { /* the steps, then what is made of them */
        again = false;
        follow_rounds(f, NULL);
        for (uint32_t p = f->header; p <= f->latch; p++) {
            const struct wl_block *block = &f->unit->blocks[p];
            struct place now = f->start[p - f->header];
            for (uint32_t i = 0; i < block->count; i++) {
                const uint32_t n = block->first - f->first + i;
                const struct wl_inst *inst = &f->unit->insts[f->first + n];
                const struct wl_regs used = wl_regs_without_exec(f->effects[n].use);
                const bool is_scalar = inst->operand_count && inst->operands[0].kind == WL_OPERAND_SGPR;
                f->moving[n] = wl_regs_meet(&used, &now.moves);
                if (round == 0 && is_step(f, inst) && (is_scalar || now.all) && is_passed(f, p)) {
                    struct wl_regs stepped = {0};
                    wl_set(is_scalar ? stepped.scalar : stepped.vector, inst->operands[0].reg);
                    if (is_only_writer(f, &stepped))
                        again |= wl_regs_add(&f->steps, &stepped);
                }
                place_step(f, &now, n);
            }
        }
    }
}

/* ---- loops ---- */

bool wl_loop_waits(const struct wl_unit *unit, uint32_t header, uint32_t latch, const struct wl_frame_access *frame, bool *for_others) {
    struct flow f = {.unit = unit, .header = header, .latch = latch};
    bool loads = false, waits;
    f.first = unit->blocks[header].first;
    f.count = unit->blocks[latch].first + unit->blocks[latch].count - f.first;
    f.frame = frame ? frame + f.first : NULL;
    for (uint32_t n = 0; n < f.count; n++)
        f.invalidates |= (wl_isa_caches(&unit->insts[f.first + n]) & WL_CACHE_EMPTIES) != 0;
    *for_others = false;
    for (uint32_t n = 0; n < f.count; n++) {
        const enum access access = reads(&f, n);
        loads |= access > PRIVATE;
        *for_others |= access == COHERENT;
    }
    if (!loads || f.count > MOST_INSTS)
        return loads;
    const uint32_t blocks = latch - header + 1;
    f.effects = malloc(f.count * sizeof *f.effects);
    f.named = malloc(f.count * sizeof *f.named);
    f.moving = calloc(f.count, sizeof *f.moving);
    f.start = calloc(blocks, sizeof *f.start);
    f.chosen = calloc(blocks, sizeof *f.chosen);
    f.stack = calloc(blocks, sizeof *f.stack);
    f.seen = calloc(blocks, sizeof *f.seen);
    waits = true;
    if (f.effects && f.named && f.moving && f.start && f.chosen && f.stack && f.seen) {
        for (uint32_t n = 0; n < f.count; n++) {
            wl_inst_effects(&unit->insts[f.first + n], unit->request->wave_size, &f.effects[n]);
            (void)wl_regs_add(&f.written, &f.effects[n].touch);
            f.named[n].is_mask = wl_mask_work(&unit->insts[f.first + n], unit->request->wave_size, &f.named[n].mask);
            f.named[n].keeps_moving = keeps_moving(&unit->insts[f.first + n]);
        }
        find_moving(&f);
        waits = false;
        follow_rounds(&f, &waits);
    }
    free(f.effects);
    free(f.named);
    free(f.moving);
    free(f.start);
    free(f.chosen);
    free(f.stack);
    free(f.seen);
    return waits;
}
