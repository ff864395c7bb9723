/* Divisions whose last step is in another basic block than those before it: compilers move v_div_fixup to where the quotient is needed. Like
 * those within a basic block (rewrite/idiom.c), they become the whole division. What the step reads is then what v_div_fmas wrote, in all
 * lanes that are on, if every way to it comes from there and EXEC has got no lane meanwhile. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

/* The row or rows of a quotient between v_div_fmas and v_div_fixup, and where it is looked for. */
struct quotient {
    const struct wl_unit *unit;
    const struct wl_operand *row;
    const char *maker; /* v_div_fmas_f32 or _f64 */
    uint32_t made_in;  /* a basic block; WL_NO_BLOCK: not found yet */
    uint8_t *seen;     /* by basic block: 1: its end is to be looked at; 2: it was */
};

static bool writes(const struct quotient *q, const struct wl_inst *inst) {
    struct wl_effects effects;
    wl_inst_effects(inst, q->unit->request->wave_size, &effects);
    for (unsigned i = 0; i < q->row->count; i++)
        if (wl_bit(effects.touch.vector, q->row->reg + i) || wl_bit(effects.def_lanes, q->row->reg + i))
            return true;
    return false;
}

static bool makes(const struct quotient *q, const struct wl_inst *inst) {
    const struct wl_operand *to = &inst->operands[0];
    return !strcmp(inst->mnemonic, q->maker) && !inst->omod && !inst->clamp && to->kind == WL_OPERAND_VGPR && to->reg == q->row->reg &&
           to->count == q->row->count;
}

enum found { NOT_THERE, THERE, OTHERWISE };

/* What the last of the first `count` instructions of a basic block is that writes the quotient's row. */
static enum found look(const struct quotient *q, uint32_t block, uint32_t count) {
    for (uint32_t i = count; i-- > 0;) {
        const struct wl_inst *inst = &q->unit->insts[q->unit->blocks[block].first + i];
        if (writes(q, inst))
            return makes(q, inst) ? THERE : OTHERWISE;
    }
    return block == q->unit->entry || q->unit->blocks[block].is_return ? OTHERWISE : NOT_THERE;
}

/* Marks what goes on with a basic block. */
static void mark_before(struct quotient *q, uint32_t block) {
    for (uint32_t p = 0; p < q->unit->block_count; p++)
        if ((q->unit->blocks[p].next == block || q->unit->blocks[p].target == block) && !q->seen[p])
            q->seen[p] = 1;
}

/* Whether every way to an instruction's basic block comes from one that makes the quotient, with nothing that changes it between. */
static bool find_maker(struct quotient *q, uint32_t block) {
    memset(q->seen, 0, q->unit->block_count);
    bool known = true;
    mark_before(q, block);
    for (bool changed = true; changed && known;) {
        changed = false;
        for (uint32_t p = 0; p < q->unit->block_count && known; p++) {
            if (q->seen[p] != 1)
                continue;
            q->seen[p] = 2;
            changed = true;
            const enum found found = look(q, p, q->unit->blocks[p].count);
            if (found == NOT_THERE) {
                mark_before(q, p);
                continue;
            }
            known = found == THERE && (q->made_in == WL_NO_BLOCK || q->made_in == p);
            q->made_in = p;
        }
    }
    return known && q->made_in != WL_NO_BLOCK;
}

static void join_division(const struct wl_unit *unit, uint32_t block, uint32_t at, uint8_t *seen) {
    struct wl_inst *inst = &unit->insts[unit->blocks[block].first + at];
    const bool is_double = !strcmp(inst->mnemonic, "v_div_fixup_f64");
    struct wl_operand *row = &inst->operands[1];
    if ((!is_double && strcmp(inst->mnemonic, "v_div_fixup_f32") != 0) || inst->operand_count != 4 || row->kind != WL_OPERAND_VGPR ||
        row->neg || row->abs)
        return;
    struct quotient q = {unit, row, is_double ? "v_div_fmas_f64" : "v_div_fmas_f32", WL_NO_BLOCK, seen};
    const struct wl_sem *whole = wl_sem_find(is_double ? "v_div_fixup_f64_after_fmas" : "v_div_fixup_f32_after_fmas", NULL);
    if (!whole || look(&q, block, at) != NOT_THERE || !find_maker(&q, block) || q.made_in == block ||
        !wl_ptx_exec_gets_no_lane(unit, q.made_in, block))
        return;
    inst->sem = whole;
    *row = (struct wl_operand){.kind = WL_OPERAND_IMM, .count = 1};
}

void wl_ptx_join_divisions(const struct wl_unit *unit) {
    uint8_t *seen = malloc(unit->block_count + 1);
    for (uint32_t p = 0; p < unit->block_count && seen; p++)
        for (uint32_t i = 0; i < unit->blocks[p].count; i++)
            join_division(unit, p, i, seen);
    free(seen);
}
