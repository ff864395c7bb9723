/* Scalar registers that a thread does not write where it skips code alone. On the hardware the wave writes them while any lane is in that code,
 * and reads them behind it: a loop's counter, counted on in a branch that lanes skip which leave the loop. A stale value does no harm where
 * the lane that skipped is off until the register is written again or no longer needed. That is found out for one such lane: which bit it
 * has in each mask, as far as that follows from its being off at the branch, and which registers are stale. A lane that is on may compute with
 * stale values as long as nothing but its own registers comes of it. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

struct lane {
    bool known;                 /* the place is reached so */
    uint8_t bit[WL_SGPR_COUNT]; /* by a mask's first register: enum wl_ptx_bit; VARIES where nobody reads it */
    uint64_t stale[2];
    uint64_t rows[WL_ROW_WORDS]; /* vector registers that were computed from stale ones */
};

enum { MOST_STATES = 6 }; /* in which the lane comes to a basic block: with other bits each time */

struct walk {
    const struct wl_unit *unit;
    unsigned registers; /* of a mask */
    uint32_t branch;    /* the basic block at whose end the lane skips */
    struct lane (*starts)[MOST_STATES];
    uint8_t *seen; /* by basic block: see was_loaded */
};

static bool meets(const uint64_t a[2], const uint64_t b[2]) { return (a[0] & b[0]) | (a[1] & b[1]); }

enum found { NOT_THERE, THERE, OTHERWISE };

/* Whether the last thing that a basic block does with a scalar load's address is that load, or something else. */
static enum found find_load(const struct walk *w, uint32_t block, const struct wl_inst *load, const struct wl_effects *effects) {
    const struct wl_block *p = &w->unit->blocks[block];
    for (uint32_t i = p->count; i-- > 0;) {
        const struct wl_inst *inst = &w->unit->insts[p->first + i];
        struct wl_effects other;
        if (inst == load)
            return THERE;
        wl_inst_effects(inst, w->registers * 32, &other);
        if (meets(other.touch.scalar, effects->use.scalar))
            return OTHERWISE;
    }
    return block == w->unit->entry || p->is_return ? OTHERWISE : NOT_THERE;
}

/* Whether the thread has done a scalar load from the address that is stale now, on every way to the branch. */
static bool was_loaded(const struct walk *w, const struct wl_inst *load) {
    struct wl_effects effects;
    wl_inst_effects(load, w->registers * 32, &effects);
    memset(w->seen, 0, w->unit->block_count);
    w->seen[w->branch] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < w->unit->block_count; p++) {
            if (w->seen[p] != 1)
                continue;
            w->seen[p] = 2;
            changed = true;
            const enum found found = find_load(w, p, load, &effects);
            if (found == OTHERWISE)
                return false;
            for (uint32_t q = 0; q < w->unit->block_count && found == NOT_THERE; q++)
                if (!w->seen[q] && (w->unit->blocks[q].next == p || w->unit->blocks[q].target == p))
                    w->seen[q] = 1;
        }
    }
    return true;
}

/* Whether the lane's thread may do an instruction that reads stale registers. */
static bool may_read(const struct walk *w, const struct lane *s, const struct wl_inst *inst) {
    switch (inst->isa ? inst->isa->class : WL_ISA_NOP) {
    case WL_ISA_NOP:
    case WL_ISA_SAVEEXEC:
    case WL_ISA_CMPX:
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        return wl_inst_is_scalar(inst) || s->bit[WL_SGPR_EXEC] == WL_PTX_ZERO;
    case WL_ISA_SMEM_LOAD:
        return was_loaded(w, inst);
    default:
        return false;
    }
}

/* Follows the vector registers that hold what was computed from stale ones. False: such a value would matter. */
static bool step_rows(struct lane *s, const struct wl_inst *inst, const struct wl_effects *effects, bool reads_stale, bool *passes_on) {
    const uint8_t exec = s->bit[WL_SGPR_EXEC];
    const bool reads = exec != WL_PTX_ZERO && (reads_stale || wl_sets_meet(effects->use.vector, s->rows, WL_ROW_WORDS));
    const bool computes = !inst->isa && inst->sem && !inst->sem->scalar && !(effects->touch.scalar[0] | effects->touch.scalar[1]);
    *passes_on = reads && computes;
    if (wl_sets_meet(effects->use_lanes, s->rows, WL_ROW_WORDS) ||
        (reads && !computes && wl_sets_meet(effects->use.vector, s->rows, WL_ROW_WORDS)))
        return false;
    for (unsigned i = 0; i < WL_ROW_WORDS; i++)
        s->rows[i] = *passes_on           ? s->rows[i] | effects->touch.vector[i]
                     : exec == WL_PTX_ONE ? s->rows[i] & ~effects->def.vector[i]
                                          : s->rows[i];
    return true;
}

/* False: a stale value would matter. */
static bool step(const struct walk *w, struct lane *s, const struct wl_inst *inst) {
    struct wl_effects effects;
    bool passes_on;
    wl_inst_effects(inst, w->registers * 32, &effects);
    const bool reads = meets(effects.use.scalar, s->stale);
    if (!step_rows(s, inst, &effects, reads, &passes_on) || (reads && !passes_on && !may_read(w, s, inst)))
        return false;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (wl_bit(effects.touch.scalar, reg) && reads && wl_inst_is_scalar(inst))
            wl_set(s->stale, reg);
        else if (wl_bit(effects.def.scalar, reg))
            wl_put_bits(s->stale, reg, 1, false);
    }
    wl_ptx_bits_step(s->bit, w->registers, inst, WL_PTX_VARIES);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(effects.touch.scalar, reg) && s->bit[reg] <= WL_PTX_ONE) /* as far as this lane goes */
            wl_put_bits(s->stale, reg, w->registers, false);
    return !wl_any_bit(s->stale, WL_SGPR_EXEC, w->registers);
}

enum change { NOTHING_NEW, SOMETHING_NEW, TOO_MUCH };

/* Adds bits to a set; true: some are new. */
static bool add(uint64_t *to, const uint64_t *from, unsigned words) {
    bool some = false;
    for (unsigned i = 0; i < words; i++) {
        some |= (from[i] & ~to[i]) != 0;
        to[i] |= from[i];
    }
    return some;
}

static enum change hand_on(struct walk *w, uint32_t block, const struct lane *s) {
    struct lane now = *s;
    const struct wl_live *live = &w->unit->blocks[block].live_in;
    uint64_t some = 0;
    for (unsigned i = 0; i < 2; i++)
        some |= now.stale[i] &= live->scalar[i];
    for (unsigned i = 0; i < WL_ROW_WORDS; i++)
        some |= now.rows[i] &= live->full[i] | live->active[i] | live->inactive[i];
    if (!some)
        return NOTHING_NEW;
    wl_ptx_bits_forget(now.bit, live->scalar);
    for (unsigned i = 0; i < MOST_STATES; i++) {
        struct lane *to = &w->starts[block][i];
        if (!to->known) {
            *to = now;
            return SOMETHING_NEW;
        }
        if (memcmp(to->bit, now.bit, sizeof to->bit) != 0)
            continue;
        const bool scalars = add(to->stale, now.stale, 2), rows = add(to->rows, now.rows, WL_ROW_WORDS);
        return scalars || rows ? SOMETHING_NEW : NOTHING_NEW;
    }
    return TOO_MUCH;
}

/* Whether a basic block's end does not go to `next`, or to `target`, because the lane is on: a branch on EXEC. */
static bool never_goes(const struct walk *w, const struct wl_block *block, const struct lane *s, bool to_target) {
    if (block->end != WL_BLOCK_CBRANCH || s->bit[WL_SGPR_EXEC] != WL_PTX_ONE)
        return false;
    return w->unit->insts[block->first + block->count - 1].isa->detail == (to_target ? WL_IF_EXECZ : WL_IF_EXECNZ);
}

/* Follows the lane through a basic block, and hands on what it leaves. False: a stale value would matter. */
static bool follow_block(struct walk *w, uint32_t p, struct lane s, bool *changed) {
    const struct wl_block *block = &w->unit->blocks[p];
    const uint32_t next[2] = {block->next, block->target};
    for (uint32_t i = 0; i < block->count; i++)
        if (!step(w, &s, &w->unit->insts[block->first + i]))
            return false;
    if (block->end == WL_BLOCK_CALL || block->end == WL_BLOCK_JUMP)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        enum change change = next[i] == WL_NO_BLOCK || never_goes(w, block, &s, i) ? NOTHING_NEW : hand_on(w, next[i], &s);
        if (change == TOO_MUCH)
            return false;
        *changed |= change == SOMETHING_NEW;
    }
    return true;
}

/* Follows the lane from basic block `join` on. */
static bool follow(struct walk *w, uint32_t join, const struct lane *start) {
    memset(w->starts, 0, w->unit->block_count * sizeof *w->starts);
    bool harmless = true;
    for (bool changed = hand_on(w, join, start) == SOMETHING_NEW; changed && harmless;) {
        changed = false;
        for (uint32_t p = 0; p < w->unit->block_count; p++)
            for (unsigned i = 0; i < MOST_STATES && harmless && w->starts[p][i].known; i++)
                harmless = follow_block(w, p, w->starts[p][i], &changed);
    }
    return harmless;
}

/* The only basic block that leads to another one; WL_NO_BLOCK: there are others, or none. */
static uint32_t only_predecessor(const struct wl_unit *unit, uint32_t of) {
    uint32_t found = WL_NO_BLOCK;
    if (of == unit->entry || unit->blocks[of].is_return)
        return WL_NO_BLOCK;
    for (uint32_t p = 0; p < unit->block_count; p++)
        if (unit->blocks[p].next == of || unit->blocks[p].target == of) {
            if (found != WL_NO_BLOCK)
                return WL_NO_BLOCK;
            found = p;
        }
    return found;
}

/* Fills in what is known of any lane at the start of basic block `at`, EXEC aside. */
static void find_constants(const struct walk *w, uint32_t at, uint8_t *bit) {
    const struct wl_unit *unit = w->unit;
    memset(w->starts, 0, unit->block_count * sizeof *w->starts);
    struct lane *entry = &w->starts[unit->entry][0];
    entry->known = true;
    memset(entry->bit, WL_PTX_VARIES, sizeof entry->bit);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            const uint32_t next[2] = {block->next, block->target};
            struct lane s = w->starts[p][0];
            if (!s.known)
                continue;
            s.bit[WL_SGPR_EXEC] = WL_PTX_VARIES;
            for (uint32_t i = 0; i < block->count; i++)
                wl_ptx_bits_step(s.bit, w->registers, &unit->insts[block->first + i], WL_PTX_VARIES);
            if (block->end == WL_BLOCK_CALL)
                memset(s.bit, WL_PTX_VARIES, sizeof s.bit);
            for (unsigned n = 0; n < 2; n++) {
                struct lane *to = next[n] == WL_NO_BLOCK ? NULL : &w->starts[next[n]][0];
                for (unsigned reg = 0; to && to->known && reg < WL_SGPR_COUNT; reg++)
                    if (to->bit[reg] != WL_PTX_VARIES && to->bit[reg] != s.bit[reg]) {
                        to->bit[reg] = WL_PTX_VARIES;
                        changed = true;
                    }
                if (to && !to->known) {
                    *to = s;
                    changed = true;
                }
            }
        }
    }
    if (w->starts[at][0].known)
        memcpy(bit, w->starts[at][0].bit, sizeof w->starts[at][0].bit);
    else
        memset(bit, WL_PTX_VARIES, sizeof w->starts[at][0].bit);
}

bool wl_ptx_is_stale_harmless(const struct wl_unit *unit, unsigned registers, uint32_t branch, uint32_t join, const uint64_t stale[2]) {
    enum { MOST_BEFORE = 6 };
    struct walk w = {.unit = unit,
                     .registers = registers,
                     .branch = branch,
                     .starts = calloc(unit->block_count + 1, sizeof *w.starts),
                     .seen = calloc(unit->block_count + 1, 1)};
    uint32_t before[MOST_BEFORE] = {branch}, count = 1, changes = 0; /* from where EXEC was changed last but once */
    for (uint32_t p; count < MOST_BEFORE && (p = only_predecessor(unit, before[count - 1])) != WL_NO_BLOCK; count++) {
        changes += unit->blocks[p].end == WL_BLOCK_EXEC;
        if (changes > 1)
            break;
        before[count] = p;
    }
    uint32_t last = 1; /* the basic block that EXEC was changed in last, as a place in `before` */
    while (last < count && unit->blocks[before[last]].end != WL_BLOCK_EXEC)
        last++;
    bool harmless = w.starts && w.seen;
    for (uint8_t exec = WL_PTX_ZERO; exec <= WL_PTX_ONE && harmless; exec++) { /* the lane was off before, or on */
        struct lane s = {.known = true};
        find_constants(&w, before[count - 1], s.bit);
        s.bit[WL_SGPR_EXEC] = exec;
        for (uint32_t i = count; i-- > 0;) {
            for (uint32_t j = 0; j < unit->blocks[before[i]].count; j++)
                step(&w, &s, &unit->insts[unit->blocks[before[i]].first + j]);
            if (i == last)
                s.bit[WL_SGPR_EXEC] = WL_PTX_ZERO;
        }
        s.bit[WL_SGPR_EXEC] = WL_PTX_ZERO;
        memcpy(s.stale, stale, sizeof s.stale);
        memset(s.rows, 0, sizeof s.rows);
        harmless = follow(&w, join, &s);
    }
    free(w.starts);
    free(w.seen);
    return harmless;
}
