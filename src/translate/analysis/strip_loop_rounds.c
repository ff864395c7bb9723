/* How many rounds a lane stays in a loop, where a counter tells.
 *
 *   0: ...
 *   v_add i, step, i
 *   v_cmp_ge vcc, i, limit
 *   s_or left, vcc, left
 *   s_andn2 exec, exec, left
 *   s_cbranch_execnz 0b
 *
 * What happens to one lane's bits of the masks is followed through a round, for a lane that is below the limit and for one that is not. */
#include "translate/analysis/strip_loop.h"

#include "translate/isa/isa.h"

#include <string.h>

enum { MAY_BE_0 = 1, MAY_BE_1 = 2, ANY = MAY_BE_0 | MAY_BE_1 }; /* a bit's values, as a set */

enum { MOST_STEP = 1 << 16 };

/* Comparisons as "counter below limit". */
static const struct {
    const char *name;
    bool swapped;    /* limit op counter rather than counter op limit */
    bool includes;   /* below, where both are equal */
    bool says_below; /* its bit, where it is below */
} comparisons[] = {
    {"lt", false, false, true}, {"ge", false, false, false}, {"le", false, true, true}, {"gt", false, true, false},
    {"gt", true, false, true},  {"le", true, false, false},  {"ge", true, true, true},  {"lt", true, true, false},
};

struct round {
    const struct wl_unit *unit;
    struct wl_strip_loop *loop;
    const struct wl_inst *comparison;
    bool says_below;             /* what the comparison's bit is for a lane below the limit */
    uint8_t bits[WL_SGPR_COUNT]; /* one lane's, of masks; by first register */
};

static bool is_limit(const struct wl_strip_loop *loop, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_IMM)
        return !operand->is_float;
    if (operand->kind == WL_OPERAND_SGPR)
        return operand->count == 1 && operand->reg < WL_SGPR_COUNT && !wl_bit(loop->scalars_written, operand->reg);
    return operand->kind == WL_OPERAND_VGPR && operand->count == 1 && operand->reg < WL_VGPR_COUNT &&
           !wl_bit(loop->rows_written, operand->reg);
}

static bool is_counter(const struct round *r, const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_VGPR && operand->count == 1 && operand->reg < WL_VGPR_COUNT &&
           wl_bit(r->loop->rows_written, operand->reg) && wl_strip_loop_counts(r->unit, r->loop, operand->reg);
}

static bool read_comparison(struct round *r, const struct wl_inst *inst, struct wl_strip_rounds *rounds) {
    if (strncmp(inst->mnemonic, "v_cmp_", 6) != 0 || inst->operand_count < 2 || inst->is_sdwa || inst->is_dpp)
        return false;
    const char *name = inst->mnemonic + 6, *type = name + (strlen(name) < 2 ? 0 : 2);
    const struct wl_operand *a = &inst->operands[inst->operand_count - 2], *b = a + 1;
    const bool swapped = !is_counter(r, a), is_signed = !strcmp(type, "_i32");
    if ((swapped && !is_counter(r, b)) || (!is_signed && strcmp(type, "_u32") != 0))
        return false;
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
        if (strncmp(name, comparisons[i].name, 2) != 0 || comparisons[i].swapped != swapped)
            continue;
        *rounds = (struct wl_strip_rounds){
            .is_signed = is_signed, .includes = comparisons[i].includes, .counter = (swapped ? b : a)->reg, .limit = swapped ? *a : *b};
        r->comparison = inst;
        r->says_below = comparisons[i].says_below;
        return is_limit(r->loop, &rounds->limit);
    }
    return false;
}

/* The constant that an instruction adds to a row; 0: it adds none, or does something else. */
static uint32_t step_of(const struct wl_inst *inst, unsigned row) {
    if (inst->operand_count < 2 || inst->operands[0].kind != WL_OPERAND_VGPR || inst->operands[0].reg != row)
        return 0;
    for (unsigned i = inst->operand_count - 2u; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_IMM && !inst->operands[i].is_float)
            return (uint32_t)inst->operands[i].bits;
    return 0;
}

static const struct wl_inst *inst_of(const struct round *r, uint32_t block, uint32_t n) {
    const struct wl_block *p = &r->unit->blocks[r->loop->blocks[block]];
    return n < p->count ? &r->unit->insts[p->first + n] : NULL;
}

/* Finds the round's one comparison and its one step, each done by all lanes of the round. There must be one way through the round, and
 * EXEC must change once on it. */
static bool find_parts(struct round *r, struct wl_strip_rounds *rounds) {
    const struct wl_strip_loop *loop = r->loop;
    const struct wl_inst *inst;
    unsigned found = 0, steps = 0;
    for (uint32_t p = 0; p < loop->count; p++) {
        const struct wl_block *block = &r->unit->blocks[loop->blocks[p]];
        if (p + 1 < loop->count ? block->end != WL_BLOCK_NEXT && block->end != WL_BLOCK_EXEC : loop->blocks[p] != loop->leave)
            return false;
        if (p + 1 < loop->count && block->next != loop->blocks[p + 1])
            return false;
        struct wl_strip_rounds read;
        for (uint32_t n = 0; (inst = inst_of(r, p, n)); n++)
            if (read_comparison(r, inst, &read)) {
                *rounds = read;
                found++;
            }
    }
    if (found != 1 || loop->blocks[0] != loop->header)
        return false;
    bool compared = false, narrowed = false;
    struct wl_effects effects;
    for (uint32_t p = 0; p < loop->count; p++)
        for (uint32_t n = 0; (inst = inst_of(r, p, n)); n++) {
            uint32_t step = step_of(inst, rounds->counter);
            wl_inst_effects(inst, r->unit->request->wave_size, &effects);
            const bool narrows = wl_any_bit(effects.touch.scalar, WL_SGPR_EXEC, 2);
            if (narrowed && (narrows || inst == r->comparison || wl_bit(effects.touch.vector, rounds->counter)))
                return false;
            compared |= inst == r->comparison;
            narrowed |= narrows;
            if (!step)
                continue;
            rounds->step = step;
            rounds->ahead = !compared;
            steps++;
        }
    return steps == 1 && rounds->step <= MOST_STEP;
}

static bool combined(enum wl_mask_logic logic, bool a, bool b) {
    switch (logic) {
    case WL_MASK_MOVE:
        return a;
    case WL_MASK_NOT:
        return !a;
    case WL_MASK_AND:
        return a && b;
    case WL_MASK_AND_NOT:
        return a && !b;
    case WL_MASK_OR:
        return a || b;
    case WL_MASK_OR_NOT:
        return a || !b;
    case WL_MASK_XOR:
        return a != b;
    case WL_MASK_NAND:
        return !(a && b);
    case WL_MASK_NOR:
        return !(a || b);
    case WL_MASK_XNOR:
    case WL_MASK_SELECT: /* not come to */
        break;
    }
    return a == b;
}

static uint8_t combine(enum wl_mask_logic logic, uint8_t a, uint8_t b) {
    uint8_t result = 0;
    if (logic == WL_MASK_SELECT)
        return a | b;
    for (unsigned i = 0; i < 4; i++)
        if ((a & (i & 1 ? MAY_BE_1 : MAY_BE_0)) && (b & (i & 2 ? MAY_BE_1 : MAY_BE_0)))
            result |= combined(logic, i & 1, i & 2) ? MAY_BE_1 : MAY_BE_0;
    return result;
}

static uint8_t bits_of(const struct round *r, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SGPR)
        return r->bits[operand->reg];
    return operand->is_float ? ANY : operand->bits == 0 ? MAY_BE_0 : (int64_t)operand->bits == -1 ? MAY_BE_1 : ANY;
}

/* Steps the lane's bits of masks over an instruction; `found`: the lane's result of the comparison. */
static void step_bits(struct round *r, const struct wl_inst *inst, uint8_t found) {
    const unsigned size = r->unit->request->wave_size;
    struct wl_mask_work work;
    struct wl_effects effects;
    uint8_t made = ANY, saved = ANY;
    wl_inst_effects(inst, size, &effects);
    const bool works = wl_mask_work(inst, size, &work);
    if (works)
        made = combine(work.logic, bits_of(r, &work.a), bits_of(r, &work.b));
    if (works && work.saves)
        saved = work.saves_new ? made : r->bits[WL_SGPR_EXEC];
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(effects.touch.scalar, reg)) {
            r->bits[reg] = ANY;
            if (size == 64 && reg)
                r->bits[reg - 1] = ANY;
        }
    if (works)
        r->bits[work.to] = made;
    if (works && work.saves)
        r->bits[work.saved] = saved;
    if (inst != r->comparison)
        return;
    const bool named = inst->operand_count == 3 && inst->operands[0].kind == WL_OPERAND_SGPR;
    r->bits[named ? inst->operands[0].reg : WL_SGPR_VCC] = found;
}

enum lane { OFF, BELOW, ABOVE };

/* Follows a lane through a round. `left` is its bit in the mask that one round hands to the next. Its bits of EXEC and of that mask at the
 * round's end are in r->bits. */
static void follow(struct round *r, const struct wl_strip_rounds *rounds, enum lane lane, uint8_t left) {
    const struct wl_inst *inst;
    const bool found = lane != OFF && (lane == BELOW) == r->says_below;
    memset(r->bits, ANY, sizeof r->bits);
    if (rounds->left)
        r->bits[rounds->left] = left;
    r->bits[WL_SGPR_EXEC] = lane == OFF ? MAY_BE_0 : MAY_BE_1;
    for (uint32_t p = 0; p < r->loop->count; p++)
        for (uint32_t n = 0; (inst = inst_of(r, p, n)); n++)
            step_bits(r, inst, found ? MAY_BE_1 : MAY_BE_0);
}

/* The mask that is carried from round to round. False: there are several. */
static bool find_left(const struct round *r, struct wl_strip_rounds *rounds) {
    const uint64_t *live = r->unit->blocks[r->loop->header].live_in.scalar;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (reg == WL_SGPR_EXEC || !wl_bit(r->loop->masks, reg) || !wl_bit(live, reg) || !wl_bit(r->loop->scalars_written, reg))
            continue;
        if (rounds->left || reg == 0)
            return false;
        rounds->left = (uint8_t)reg;
    }
    return true;
}

void wl_strip_loop_find_rounds(const struct wl_unit *unit, struct wl_strip_loop *loop) {
    static const struct {
        uint8_t lane, left, exec, left_then; /* left_then, ANY: of no account but for `collects` */
    } ways[] = {
        {BELOW, MAY_BE_0, MAY_BE_1, MAY_BE_0}, {BELOW, MAY_BE_1, MAY_BE_0, ANY}, {ABOVE, ANY, MAY_BE_0, ANY},
        {OFF, MAY_BE_0, MAY_BE_0, ANY},        {OFF, MAY_BE_1, MAY_BE_0, ANY},
    };
    struct round r = {.unit = unit, .loop = loop};
    struct wl_strip_rounds rounds = {0};
    loop->rounds = (struct wl_strip_rounds){0};
    if (!find_parts(&r, &rounds) || !find_left(&r, &rounds))
        return;
    rounds.collects = rounds.left;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!rounds.left && ways[i].left == MAY_BE_1)
            continue;
        follow(&r, &rounds, ways[i].lane, ways[i].left);
        if (r.bits[WL_SGPR_EXEC] != ways[i].exec || (rounds.left && (r.bits[rounds.left] & ~ways[i].left_then)))
            return;
        const uint8_t collected =
            ways[i].lane == ABOVE ? MAY_BE_1 : ways[i].left; /* lanes that were off, or left before, stay as they are */
        rounds.collects &= r.bits[rounds.left] == collected;
    }
    rounds.known = true;
    loop->rounds = rounds;
}
