/* What all threads have in common that are at a place together, if threads part wherever they may: a thread that goes on behind a branch on
 * EXEC alone is on, and one that skips is off. Where all are on, and each has the same bit of VCC because scalars chose it, a branch on
 * VCC is each thread's own; so is one on EXEC. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 32 };

/* Each thread that is there is in one of these states. In each its lane is on or off. */
struct place {
    unsigned count;                          /* 0: not reached */
    bool lost;                               /* there are too many: nothing is known */
    uint8_t bit[MOST_STATES][WL_SGPR_COUNT]; /* by a mask's first register: enum wl_ptx_bit; VARIES where nobody reads it */
    uint64_t same[WL_ROW_WORDS];             /* vector registers that hold the same number in all threads */
};

static void lose(struct place *s) {
    s->count = 1;
    s->lost = true;
    memset(s->bit[0], WL_PTX_VARIES, sizeof s->bit[0]);
}

static bool all_on(const struct place *s) {
    for (unsigned i = 0; i < s->count; i++)
        if (s->bit[i][WL_SGPR_EXEC] != WL_PTX_ONE)
            return false;
    return true;
}

/* What all states say of a mask. */
static uint8_t common_bit(const struct place *s, unsigned registers, const struct wl_operand *op) {
    const uint8_t bit = wl_ptx_bits_of(s->bit[0], registers, op);
    for (unsigned i = 1; i < s->count; i++)
        if (wl_ptx_bits_of(s->bit[i], registers, op) != bit)
            return WL_PTX_VARIES;
    return bit;
}

/* Lanes that are on become a state, and those that are off another one. */
static void split(struct place *s, unsigned registers, const struct wl_inst *inst) {
    const bool narrows = inst->isa && inst->isa->class == WL_ISA_SAVEEXEC && inst->isa->detail == WL_SAVE_AND;
    const struct wl_operand *source = &inst->operands[1];
    for (unsigned i = 0; i < s->count && !s->lost; i++) {
        if (s->bit[i][WL_SGPR_EXEC] <= WL_PTX_ONE)
            continue;
        if (s->count == MOST_STATES) {
            lose(s);
            return;
        }
        uint8_t *on = s->bit[i], *off = s->bit[s->count++];
        memcpy(off, on, sizeof s->bit[0]);
        on[WL_SGPR_EXEC] = WL_PTX_ONE;
        off[WL_SGPR_EXEC] = WL_PTX_ZERO;
        if (narrows && source->kind == WL_OPERAND_SGPR && source->count == registers && source->reg != inst->operands[0].reg)
            on[source->reg] = WL_PTX_ONE;
    }
}

static bool is_same(const struct place *s, const struct wl_operand *op) {
    return op->kind == WL_OPERAND_IMM || op->kind == WL_OPERAND_SGPR ||
           (op->kind == WL_OPERAND_VGPR && op->reg < WL_VGPR_COUNT && wl_bit(s->same, op->reg));
}

/* Whether all operands from `first` on, before `end`, are the same in all threads. */
static bool all_same(const struct place *s, const struct wl_inst *inst, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (!is_same(s, &inst->operands[i]))
            return false;
    return true;
}

static bool makes_same(const struct place *s, const struct wl_inst *inst, unsigned registers) {
    const struct wl_operand *op = inst->operands;
    if (!all_on(s) || inst->is_dpp || inst->is_sdwa || inst->index_mode || !inst->sem)
        return false;
    if (!strcmp(inst->mnemonic, "v_mov_b32"))
        return all_same(s, inst, 1, 2);
    return !strcmp(inst->mnemonic, "v_cndmask_b32") && inst->operand_count == 4 && all_same(s, inst, 1, 3) &&
           common_bit(s, registers, &op[3]) != WL_PTX_VARIES;
}

static void step(struct place *s, const struct wl_inst *inst, unsigned registers) {
    const bool same = makes_same(s, inst, registers);
    const bool compared = !inst->is_dpp && !inst->is_sdwa && all_on(s) && all_same(s, inst, 1, inst->operand_count);
    struct wl_effects effects;
    wl_inst_effects(inst, registers * 32, &effects);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        s->same[w] &= ~effects.touch.vector[w];
    if (same)
        wl_set(s->same, inst->operands[0].reg);
    for (unsigned i = 0; i < s->count && !s->lost; i++)
        wl_ptx_bits_step(s->bit[i], registers, inst, compared ? WL_PTX_SAME : WL_PTX_VARIES);
    split(s, registers, inst);
}

/* Adds a state; true: it is new. */
static bool add_state(struct place *to, const uint8_t *bit) {
    for (unsigned i = 0; i < to->count; i++)
        if (to->lost || !memcmp(to->bit[i], bit, sizeof to->bit[i]))
            return false;
    if (to->count == MOST_STATES)
        lose(to);
    else
        memcpy(to->bit[to->count++], bit, sizeof to->bit[0]);
    return true;
}

/* Adds those states of `from` whose lane is on, off (go: ONE, ZERO), or all (VARIES). */
static bool join(struct place *to, const struct place *from, uint8_t go, const uint64_t *live) {
    bool changed = false, first = !to->count;
    for (unsigned i = 0; i < from->count; i++) {
        uint8_t bit[WL_SGPR_COUNT];
        memcpy(bit, from->bit[i], sizeof bit);
        if (from->lost)
            bit[WL_SGPR_EXEC] = go;
        else if (go != WL_PTX_VARIES && bit[WL_SGPR_EXEC] != go)
            continue;
        wl_ptx_bits_forget(bit, live);
        changed |= add_state(to, bit);
    }
    if (from->lost && go == WL_PTX_VARIES && !to->lost) {
        lose(to);
        changed = true;
    }
    for (unsigned w = 0; w < WL_ROW_WORDS && to->count; w++) {
        const uint64_t same = first ? from->same[w] : to->same[w] & from->same[w];
        changed |= same != to->same[w];
        to->same[w] = same;
    }
    return changed;
}

static bool skips(const struct wl_unit *unit, uint32_t block) {
    const struct wl_block *p = &unit->blocks[block];
    return unit->insts[p->first + p->count - 1].isa->detail == WL_IF_EXECZ;
}

/* Where threads meet that parted, the masks and vector registers that some of them changed meanwhile may differ. */
static void meet(struct place *s, const struct wl_ptx_changed *met) {
    for (unsigned i = 0; i < s->count; i++)
        for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
            if (wl_bit(met->masks, reg) && s->bit[i][reg] == WL_PTX_SAME)
                s->bit[i][reg] = WL_PTX_VARIES;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        s->same[w] &= ~met->rows[w];
}

static bool hand_on(const struct wl_unit *unit, const bool *parts, uint32_t p, const struct place *s, struct place *starts) {
    const struct wl_block *block = &unit->blocks[p];
    const uint32_t next[2] = {block->next, block->target};
    bool changed = false;
    for (unsigned i = 0; i < 2; i++) {
        if (next[i] == WL_NO_BLOCK)
            continue;
        const bool goes = parts[p] && (i == 0) == skips(unit, p);
        const uint8_t go = !parts[p] ? WL_PTX_VARIES : goes ? WL_PTX_ONE : WL_PTX_ZERO;
        changed |= join(&starts[next[i]], s, go, unit->blocks[next[i]].live_in.scalar);
    }
    return changed;
}

/* Whether the threads agree on the branch that ends a basic block. */
static bool agree(const struct wl_unit *unit, const struct wl_block *block, unsigned registers, const struct place *s) {
    const struct wl_operand vcc = {.kind = WL_OPERAND_SGPR, .reg = WL_SGPR_VCC, .count = (uint8_t)registers};
    if (block->end != WL_BLOCK_CBRANCH || s->lost || !all_on(s))
        return false;
    switch (unit->insts[block->first + block->count - 1].isa->detail) {
    case WL_IF_EXECZ:
    case WL_IF_EXECNZ:
        return true;
    case WL_IF_VCCZ:
    case WL_IF_VCCNZ:
        return common_bit(s, registers, &vcc) != WL_PTX_VARIES;
    default:
        return false;
    }
}

bool wl_ptx_find_own_branches(const struct wl_unit *unit, unsigned registers, bool is_on, const bool *parts,
                              const struct wl_ptx_changed *met, bool *own) {
    struct place *starts = calloc(unit->block_count + 1, sizeof *starts);
    bool *meets = calloc(unit->block_count + 1, sizeof *meets), some = starts && meets;
    if (some) {
        starts[unit->entry].count = 1;
        memset(starts[unit->entry].bit[0], WL_PTX_VARIES, sizeof starts[unit->entry].bit[0]);
        starts[unit->entry].lost = !is_on;
        starts[unit->entry].bit[0][WL_SGPR_EXEC] = is_on ? WL_PTX_ONE : WL_PTX_VARIES;
    }
    for (uint32_t p = 0; p < unit->block_count && some; p++)
        if (parts[p])
            meets[skips(unit, p) ? unit->blocks[p].target : unit->blocks[p].next] = true;
    for (bool changed = some; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            struct place s = starts[p];
            if (!s.count)
                continue;
            if (meets[p])
                meet(&s, &met[p]);
            for (uint32_t i = 0; i < block->count; i++)
                step(&s, &unit->insts[block->first + i], registers);
            own[p] = agree(unit, block, registers, &s);
            if (block->end == WL_BLOCK_CALL)
                lose(&s);
            changed |= hand_on(unit, parts, p, &s, starts);
        }
    }
    free(starts);
    free(meets);
    return some;
}
