/* Divisions of unsigned numbers of 32 bits.
 *
 * Compilers divide x by a y that they do not know by an estimate that they refine: z is about 2^32 / y, by v_rcp_iflag_f32 and one step of
 * Newton's; q = mul_hi(x, z) is the quotient or up to two less; and twice, where the remainder r = x - q * y is not less than y, q is
 * one more and r is y less. If q is the whole quotient, no lane chooses in either of the two steps. So the product becomes the division
 * (v_quotient_u32), and the choices become moves; nothing uses the rest of the sequence then. */
#include "translate/rewrite/rewrite.h"
#include "translate/rewrite/trace.h"

#include "translate/isa/sem.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FORMS = 16, MOST_MOVES = 4 };

struct search {
    const struct wl_unit *unit;
    const struct wl_block *block;
    bool *by_first_lane; /* set where v_readfirstlane is on the way */
};

static bool is_any(const struct wl_inst *inst, const char *const *names) {
    for (; inst && *names; names++)
        if (wl_trace_is_plain(inst, *names, 3))
            return true;
    return false;
}
static bool is_add(const struct wl_inst *inst) {
    static const char *const names[] = {"v_add_u32", "v_add_nc_u32", "s_add_i32", "s_add_u32", NULL};
    return is_any(inst, names);
}
static bool is_low_product(const struct wl_inst *inst) {
    static const char *const names[] = {"v_mul_lo_u32", "s_mul_i32", NULL};
    return is_any(inst, names);
}
static bool is_high_product(const struct wl_inst *inst) {
    static const char *const names[] = {"v_mul_hi_u32", "s_mul_hi_u32", NULL};
    return is_any(inst, names);
}

/* What a difference is taken from, and what is taken away; false: the instruction is another. */
static bool is_difference(const struct wl_inst *inst, const struct wl_operand **from, const struct wl_operand **less) {
    static const char *const names[] = {"v_sub_u32", "v_sub_nc_u32", "s_sub_i32", "s_sub_u32", NULL};
    static const char *const reversed[] = {"v_subrev_u32", "v_subrev_nc_u32", NULL};
    const bool is_reversed = is_any(inst, reversed);
    if (!is_reversed && !is_any(inst, names))
        return false;
    *from = &inst->operands[is_reversed ? 2 : 1];
    *less = &inst->operands[is_reversed ? 1 : 2];
    return true;
}

/* The instruction of the basic block that makes what an operand of `inst` is, also by way of v_readfirstlane; NULL: there is none. */
static const struct wl_inst *origin(const struct search *s, const struct wl_inst *inst, const struct wl_operand *operand) {
    if (operand->kind != WL_OPERAND_VGPR && operand->kind != WL_OPERAND_SGPR)
        return NULL;
    const struct wl_inst *made = wl_trace_writer(s->unit, s->block, inst, operand);
    if (made && !strcmp(made->mnemonic, "v_readfirstlane_b32")) {
        *s->by_first_lane = true;
        made = wl_trace_writer(s->unit, s->block, made, &made->operands[1]);
    }
    return made;
}

/* Whether operands of two instructions are one value. */
static bool is_same(const struct search *s, const struct wl_inst *a, const struct wl_operand *x, const struct wl_inst *b,
                    const struct wl_operand *y) {
    if (x->neg || x->abs || y->neg || y->abs || !wl_operand_same(x, y))
        return false;
    return (x->kind != WL_OPERAND_VGPR && x->kind != WL_OPERAND_SGPR) ||
           wl_trace_writer(s->unit, s->block, a, x) == wl_trace_writer(s->unit, s->block, b, y);
}

static bool is_number(const struct search *s, const struct wl_inst *inst, const struct wl_operand *operand, uint32_t bits) {
    const struct wl_inst *move = origin(s, inst, operand);
    if (move && (wl_trace_is_plain(move, "v_mov_b32", 2) || wl_trace_is_plain(move, "s_mov_b32", 2)))
        operand = &move->operands[1];
    return operand->kind == WL_OPERAND_IMM && (uint32_t)wl_operand_bits(operand, 32, false, true) == bits;
}

/* If `made` is the first estimate of 2^32 / y: the instruction that converts y; else NULL. */
static const struct wl_inst *converted(const struct search *s, const struct wl_inst *made) {
    enum { NEARLY_2_32 = 0x4f7ffffe };
    const struct wl_inst *scaled = made && wl_trace_is_plain(made, "v_cvt_u32_f32", 2) ? origin(s, made, &made->operands[1]) : NULL;
    for (unsigned i = 1; scaled && wl_trace_is_plain(scaled, "v_mul_f32", 3) && i <= 2; i++) {
        const struct wl_inst *inverse = origin(s, scaled, &scaled->operands[i]);
        if (!inverse || !wl_trace_is_plain(inverse, "v_rcp_iflag_f32", 2) || !is_number(s, scaled, &scaled->operands[3 - i], NEARLY_2_32))
            continue;
        const struct wl_inst *number = origin(s, inverse, &inverse->operands[1]);
        return number && wl_trace_is_plain(number, "v_cvt_f32_u32", 2) ? number : NULL;
    }
    return NULL;
}

/* Whether `made` is -y * z, where `estimate` makes z and `number` converts y. */
static bool is_negative_product(const struct search *s, const struct wl_inst *made, const struct wl_inst *estimate,
                                const struct wl_inst *number) {
    for (unsigned i = 1; is_low_product(made) && i <= 2; i++) {
        const struct wl_inst *negated = origin(s, made, &made->operands[i]);
        const struct wl_operand *from, *less;
        if (origin(s, made, &made->operands[3 - i]) == estimate && is_difference(negated, &from, &less) && is_number(s, negated, from, 0) &&
            is_same(s, negated, less, number, &number->operands[1]))
            return true;
    }
    return false;
}

/* If an operand of `inst` is the refined estimate z + mul_hi(z, -y * z): the instruction that converts y; else NULL. */
static const struct wl_inst *divisor_of(const struct search *s, const struct wl_inst *inst, const struct wl_operand *operand) {
    const struct wl_inst *sum = origin(s, inst, operand);
    for (unsigned i = 1; is_add(sum) && i <= 2; i++) {
        const struct wl_inst *estimate = origin(s, sum, &sum->operands[i]), *step = origin(s, sum, &sum->operands[3 - i]);
        const struct wl_inst *number = is_high_product(step) ? converted(s, estimate) : NULL;
        for (unsigned j = 1; number && j <= 2; j++)
            if (origin(s, step, &step->operands[j]) == estimate &&
                is_negative_product(s, origin(s, step, &step->operands[3 - j]), estimate, number))
                return number;
    }
    return NULL;
}

/* ---- what follows ---- */

enum kind {
    QUOTIENT,    /* after `step` corrections; after two it is exact */
    QUOTIENT_1,  /* that quotient + 1 */
    PRODUCT,     /* of y and the quotient before its first correction */
    REMAINDER,   /* of the division by that quotient: after `step` corrections, too */
    REMAINDER_Y, /* that remainder - y */
    CHOICE,      /* the mask of lanes to correct: their remainder is not less than y */
};

struct form {
    enum kind kind;
    unsigned step;
    uint16_t reg; /* of a CHOICE scalar, else vector */
};

struct walk {
    struct search s;
    struct wl_inst *first; /* the product that becomes the division */
    const struct wl_operand *x, *y;
    struct form form[MOST_FORMS];
    unsigned forms;
    struct wl_inst *move[MOST_MOVES];
    unsigned moves;
};

static const struct form *form_of(const struct walk *w, const struct wl_operand *operand) {
    const bool scalar = operand->kind == WL_OPERAND_SGPR;
    for (unsigned i = 0; (scalar || operand->kind == WL_OPERAND_VGPR) && i < w->forms; i++)
        if (w->form[i].reg == operand->reg && (w->form[i].kind == CHOICE) == scalar)
            return &w->form[i];
    return NULL;
}

static bool is_form(const struct form *form, enum kind kind, unsigned step) { return form && form->kind == kind && form->step == step; }

static bool is_y(const struct walk *w, const struct wl_inst *inst, const struct wl_operand *operand) {
    return is_same(&w->s, inst, operand, w->first, w->y);
}

/* What an instruction makes of the forms that it reads; false: something else. */
static bool makes(struct walk *w, struct wl_inst *inst, struct form *made) {
    const struct wl_operand *op = inst->operands, *from, *less;
    const struct form *a = inst->operand_count > 1 ? form_of(w, &op[1]) : NULL, *b = inst->operand_count > 2 ? form_of(w, &op[2]) : NULL;
    if (is_low_product(inst) &&
        ((is_form(a, QUOTIENT, 0) && is_y(w, inst, &op[2])) || (is_form(b, QUOTIENT, 0) && is_y(w, inst, &op[1])))) {
        made->kind = PRODUCT;
        return true;
    }
    if (is_add(inst) && ((a && a->kind == QUOTIENT && is_number(&w->s, inst, &op[2], 1)) ||
                         (b && b->kind == QUOTIENT && is_number(&w->s, inst, &op[1], 1)))) {
        *made = (struct form){QUOTIENT_1, (a ? a : b)->step, 0};
        return true;
    }
    if (is_difference(inst, &from, &less)) {
        const struct form *f = form_of(w, from);
        made->kind = f ? REMAINDER_Y : REMAINDER;
        made->step = f ? f->step : 0;
        return f ? f->kind == REMAINDER && is_y(w, inst, less)
                 : is_form(form_of(w, less), PRODUCT, 0) && is_same(&w->s, inst, from, w->first, w->x);
    }
    const bool greater = wl_trace_is_plain(inst, "v_cmp_ge_u32", 3);
    if (greater || wl_trace_is_plain(inst, "v_cmp_le_u32", 3)) {
        const struct form *f = greater ? a : b;
        *made = (struct form){CHOICE, f ? f->step : 0, 0};
        return f && f->kind == REMAINDER && f->step < 2 && is_y(w, inst, &op[greater ? 2 : 1]);
    }
    if (!wl_trace_is_plain(inst, "v_cndmask_b32", 4) || !a || !b || a->step > 1 || !is_form(form_of(w, &op[3]), CHOICE, a->step) ||
        b->step != a->step || w->moves == MOST_MOVES)
        return false;
    *made = (struct form){a->kind, a->step + 1, 0};
    w->move[w->moves++] = inst;
    return (a->kind == QUOTIENT && b->kind == QUOTIENT_1) || (a->kind == REMAINDER && b->kind == REMAINDER_Y);
}

static bool reads(const struct form *form, const struct wl_effects *e) {
    return form->kind == CHOICE ? wl_bit(e->use.scalar, form->reg) || wl_bit(e->use.scalar, form->reg + 1u)
                                : wl_bit(e->use.vector, form->reg) || wl_bit(e->use_lanes, form->reg);
}
static bool writes(const struct form *form, const struct wl_effects *e) {
    return form->kind == CHOICE ? wl_bit(e->touch.scalar, form->reg) || wl_bit(e->touch.scalar, form->reg + 1u)
                                : wl_bit(e->touch.vector, form->reg) || wl_bit(e->def_lanes, form->reg);
}

static bool is_whole(const struct form *form) { return (form->kind == QUOTIENT || form->kind == REMAINDER) && form->step == 2; }

/* Follows what is made of the product to the end of the basic block. Whether all of it is as the compiler makes it: nothing else reads a number
 * that is not whole. */
static bool follow(struct walk *w) {
    const struct wl_inst *end = w->s.unit->insts + w->s.block->first + w->s.block->count;
    w->form[w->forms++] = (struct form){QUOTIENT, 0, w->first->operands[0].reg};
    for (struct wl_inst *inst = w->first + 1; inst < end; inst++) {
        struct wl_effects e;
        struct form made = {0};
        bool used = false;
        wl_inst_effects(inst, w->s.unit->request->wave_size, &e);
        for (unsigned i = 0; i < w->forms; i++)
            used |= reads(&w->form[i], &e) && !is_whole(&w->form[i]);
        if (used && !makes(w, inst, &made))
            return false;
        unsigned kept = 0;
        for (unsigned i = 0; i < w->forms; i++)
            if (!writes(&w->form[i], &e))
                w->form[kept++] = w->form[i];
        w->forms = kept;
        if (used && w->forms == MOST_FORMS)
            return false;
        made.reg = inst->operands[0].reg;
        if (used)
            w->form[w->forms++] = made;
    }
    return w->moves;
}

/* Whether a number that is not whole, and that the rest of the sequence would need, may be read behind the basic block. */
static bool leaves_some(const struct walk *w) {
    const struct wl_live *live = &w->s.block->live_out;
    for (unsigned i = 0; i < w->forms; i++) {
        const struct form *form = &w->form[i];
        const bool matters = (form->kind == QUOTIENT || form->kind == REMAINDER || form->kind == PRODUCT) && !is_whole(form);
        if (matters && (wl_bit(live->full, form->reg) || wl_bit(live->active, form->reg) || wl_bit(live->inactive, form->reg)))
            return true;
    }
    return false;
}

static void become(struct wl_inst *inst, const char *name, const struct wl_sem *sem) {
    snprintf(inst->mnemonic, sizeof inst->mnemonic, "%s", name);
    inst->sem = sem;
    inst->isa = NULL;
}

/* Whether the product is of a sequence that can be replaced. */
static bool is_division(struct walk *w, unsigned estimate) {
    bool by_first_lane = false;
    w->s.by_first_lane = &by_first_lane;
    const struct wl_inst *number = divisor_of(&w->s, w->first, &w->first->operands[estimate]);
    w->x = &w->first->operands[3 - estimate];
    w->y = number ? &number->operands[1] : NULL;
    if (!number || (by_first_lane && w->y->kind == WL_OPERAND_VGPR) || !is_same(&w->s, number, w->y, w->first, w->y))
        return false;
    return follow(w);
}

void wl_unit_find_divisions(struct wl_unit *unit) {
    const struct wl_sem *division = wl_sem_find("v_quotient_u32", NULL), *move = wl_sem_find("v_mov_b32", NULL);
    bool lively = false;
    for (uint32_t i = 0; division && move && i < unit->inst_count; i++) {
        struct wl_inst *inst = &unit->insts[i];
        if (!wl_trace_is_plain(inst, "v_mul_hi_u32", 3))
            continue;
        const struct wl_block *block = unit->blocks;
        while (i < block->first || i >= block->first + block->count)
            block++;
        for (unsigned z = 1; z <= 2; z++) {
            struct walk w = {.s = {.unit = unit, .block = block}, .first = inst};
            if (!is_division(&w, z))
                continue;
            if (!lively)
                wl_unit_liveness(unit);
            lively = true;
            if (leaves_some(&w))
                continue;
            const struct wl_operand x = *w.x, y = *w.y;
            become(inst, "v_quotient_u32", division);
            inst->operands[1] = x;
            inst->operands[2] = y;
            for (unsigned m = 0; m < w.moves; m++) {
                become(w.move[m], "v_mov_b32", move);
                w.move[m]->operand_count = 2;
            }
            break;
        }
    }
}
