/* Lets 64-bit sums read scalars that compilers have copied to vector registers.
 *
 * An instruction of gfx9 can read one scalar besides the carry, so compilers first move the high half of a base to a vector register. It is
 * known what such a register holds, and the sum can read the scalar itself. Most such registers are dead then: no loop stores or loads
 * them any more.
 *
 * A forward analysis over basic blocks: from the move on, register R holds scalar S in all active lanes, as long as neither is written and
 * EXEC only loses lanes. Threaded code goes through the same instructions, so that all forms of a unit agree on what is live at a resume
 * point. */
#include "translate/rewrite/rewrite.h"

#include "translate/isa/isa.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_BLOCKS = 2000,
    LAST_SGPR = 101, /* those behind it have other uses */
};

/* Which scalar register each vector register holds a copy of. */
struct copies {
    uint64_t held[WL_ROW_WORDS]; /* a bit for each vector register that holds one: few, so that they are soon gone through */
    uint8_t of[WL_VGPR_COUNT];   /* the scalar register, where the bit is set */
};

struct search {
    struct wl_unit *unit;
    struct copies *start; /* by basic block */
    bool *reached, *pending;
};

static bool is_plain(const struct wl_inst *inst, const struct wl_operand *op) {
    return inst->size && !inst->paired && !inst->is_dpp && !inst->is_sdwa && !inst->clamp && !inst->omod && !inst->op_sel &&
           !inst->index_mode && op->count <= 1 && !op->neg && !op->abs && !op->sext && !op->sel && !op->upper;
}

/* Whether the instruction moves a scalar register to a vector register. */
static bool is_copy(const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    return !strcmp(inst->mnemonic, "v_mov_b32") && inst->operand_count == 2 && op[0].kind == WL_OPERAND_VGPR && is_plain(inst, &op[0]) &&
           op[1].kind == WL_OPERAND_SGPR && op[1].reg <= LAST_SGPR && is_plain(inst, &op[1]);
}

/* Replaces copies by what they are of. */
static void read_scalars(struct wl_inst *inst, const struct copies *copies) {
    if (strcmp(inst->mnemonic, "v_add_co_ci_u32") != 0 && strcmp(inst->mnemonic, "v_add_co_u32") != 0)
        return;
    for (unsigned i = 2; i < 4 && i < inst->operand_count; i++) {
        struct wl_operand *op = &inst->operands[i];
        if (op->kind != WL_OPERAND_VGPR || op->reg >= WL_VGPR_COUNT || !wl_bit(copies->held, op->reg) || !is_plain(inst, op))
            continue;
        op->kind = WL_OPERAND_SGPR;
        op->reg = copies->of[op->reg];
    }
}

static void set_copy(struct copies *copies, unsigned row, unsigned scalar) {
    copies->of[row] = (uint8_t)scalar;
    wl_set(copies->held, row);
}

static void forget(struct copies *copies, unsigned row) { copies->held[row / 64] &= ~(UINT64_C(1) << row % 64); }

/* The next register from `row` on that holds a copy; WL_VGPR_COUNT: there is none. */
static unsigned next_copy(const struct copies *copies, unsigned row) {
    for (unsigned word = row / 64; word < WL_ROW_WORDS; word++) {
        uint64_t bits = copies->held[word] & (word == row / 64 ? UINT64_MAX << row % 64 : UINT64_MAX);
        if (bits)
            return word * 64 + (unsigned)__builtin_ctzll(bits);
    }
    return WL_VGPR_COUNT;
}

static void step(const struct wl_unit *unit, const struct wl_inst *inst, struct copies *copies) {
    struct wl_effects effects;
    if (inst->index_mode || (!inst->sem && !inst->isa)) { /* may write any register */
        memset(copies, 0, sizeof *copies);
        return;
    }
    unsigned row = next_copy(copies, 0);
    if (row < WL_VGPR_COUNT)
        wl_inst_effects(inst, unit->request->wave_size, &effects);
    for (; row < WL_VGPR_COUNT; row = next_copy(copies, row + 1))
        if (wl_bit(effects.touch.vector, row) || wl_bit(effects.def_lanes, row) || wl_bit(effects.touch.scalar, copies->of[row]))
            forget(copies, row);
    if (is_copy(inst) && inst->operands[0].reg < WL_VGPR_COUNT)
        set_copy(copies, inst->operands[0].reg, inst->operands[1].reg);
}

static void flow(struct search *s, const struct copies *copies, uint32_t to) {
    if (to == WL_NO_BLOCK)
        return;
    bool changed = !s->reached[to];
    if (changed)
        s->start[to] = *copies;
    for (unsigned row = next_copy(&s->start[to], 0); row < WL_VGPR_COUNT; row = next_copy(&s->start[to], row + 1))
        if (!wl_bit(copies->held, row) || s->start[to].of[row] != copies->of[row]) {
            forget(&s->start[to], row);
            changed = true;
        }
    s->reached[to] = true;
    s->pending[to] |= changed;
}

static void leave(struct search *s, const struct wl_block *block, struct copies *copies) {
    static const struct copies none;
    switch (block->end) {
    case WL_BLOCK_NEXT:
    case WL_BLOCK_WAIT:
        flow(s, copies, block->next);
        break;
    case WL_BLOCK_BRANCH:
        flow(s, copies, block->target);
        break;
    case WL_BLOCK_CBRANCH:
        flow(s, copies, block->next);
        flow(s, copies, block->target);
        break;
    case WL_BLOCK_EXEC:
        flow(s, block->narrows ? copies : &none, block->next);
        break;
    case WL_BLOCK_CALL:
        flow(s, &none, block->next);
        break;
    case WL_BLOCK_JUMP:
    case WL_BLOCK_FINISH:
    case WL_BLOCK_FALL_OFF:
        break;
    }
}

static void solve(struct search *s) {
    static const struct copies none;
    const struct wl_unit *unit = s->unit;
    flow(s, &none, unit->entry);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            if (!s->pending[p])
                continue;
            s->pending[p] = false;
            more = true;
            struct copies now = s->start[p];
            for (uint32_t n = 0; n < unit->blocks[p].count; n++)
                step(unit, &unit->insts[unit->blocks[p].first + n], &now);
            leave(s, &unit->blocks[p], &now);
        }
    }
}

static bool has_copies(const struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (is_copy(&unit->insts[i]))
            return true;
    return false;
}

enum wl_status wl_unit_read_scalars(struct wl_unit *unit) {
    if (unit->block_count > MOST_BLOCKS || !has_copies(unit))
        return WL_OK;
    struct search s = {.unit = unit};
    s.start = calloc(unit->block_count, sizeof *s.start);
    s.reached = calloc(unit->block_count, sizeof *s.reached);
    s.pending = calloc(unit->block_count, sizeof *s.pending);
    bool enough = s.start && s.reached && s.pending;
    if (enough)
        solve(&s);
    for (uint32_t p = 0; enough && p < unit->block_count; p++)
        for (uint32_t n = 0; s.reached[p] && n < unit->blocks[p].count; n++) {
            struct wl_inst *inst = &unit->insts[unit->blocks[p].first + n];
            read_scalars(inst, &s.start[p]);
            step(unit, inst, &s.start[p]);
        }
    free(s.start);
    free(s.reached);
    free(s.pending);
    return enough ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for copies of scalars");
}
