/* The analysis of vector registers: what each mnemonic does to facts. The algebra of facts is in value.c; joins and the fixpoint are in
 * affine_flow.c. */
#include "translate/analysis/affine.h"

#include "translate/analysis/scalar.h"
#include "translate/analysis/value.h"
#include "translate/isa/isa.h"
#include "translate/isa/lane.h"
#include "translate/isa/sem.h"

#include <stdlib.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* ---- operands ---- */

enum { MAX_RESULTS = 2 };

struct step {
    struct wl_facts *facts;
    const struct wl_unit *unit;
    const struct wl_inst *inst;
    enum wl_mode mode;
    struct wl_value result[MAX_RESULTS];
    unsigned lanes;            /* the facts about the inputs all hold over so many lanes */
    unsigned limit;            /* the rule is asked about at most so many lanes */
    bool loaded;               /* some input comes from loads of groups of lanes (wl_fact.loaded) */
    bool complete;             /* all inputs are known, in the inactive lanes too */
    bool strips_same;          /* all inputs are the same in each strip */
    bool low_carries;          /* the first result is the low half of a sum whose carry goes to operand 1 */
    bool borrows;              /* the same for a difference and its borrow */
    bool exact;                /* the results are the halves of a 64-bit base + stride * lane */
    uint32_t of;               /* not 0: the result is the high half of the value with this number (number_of) */
    struct wl_value inputs[2]; /* what is added, or subtracted, if low_carries or borrows */
};

/* A number for the value that an instruction gives a row. It differs from the numbers of the values that rows hold at a basic block's
 * start (affine_flow.c). */
static uint32_t number_of(const struct step *s, unsigned result) {
    return WL_VGPR_COUNT + 1 + 2 * (uint32_t)(s->inst - s->unit->insts) + result;
}

static struct wl_value row_value(const struct step *s, unsigned row) {
    if (row >= s->unit->rows || row >= WL_VGPR_COUNT)
        return wl_value_unknown;
    /* The second of a VOPD pair reads before the first writes. */
    bool second = s->inst->size == 0 && row == s->facts->previous_row;
    struct wl_value v = {.fact = wl_fact_opened(second ? s->facts->previous : s->facts->row[row])};
    wl_fact_narrow(&v.fact, s->limit);
    return v;
}

/* Dword `d` of operand i. */
static struct wl_value operand(const struct step *s, unsigned i, unsigned d) {
    const struct wl_operand *op = &s->inst->operands[i];
    if (i >= s->inst->operand_count)
        return wl_value_unknown;
    switch ((enum wl_operand_kind)op->kind) {
    case WL_OPERAND_VGPR: {
        struct wl_value v = row_value(s, op->reg + d);
        return op->neg || op->abs || op->sext || op->sel ? (wl_value_is_uniform(v) ? wl_value_uniform() : wl_value_unknown) : v;
    }
    case WL_OPERAND_SGPR: {
        unsigned reg = op->reg + (op->count > 1 ? d : 0);
        if (d && op->count < 2)
            return wl_value_uniform();
        return wl_sgpr_value(s->facts, reg);
    }
    case WL_OPERAND_IMM:
        return wl_value_constant((uint32_t)(wl_operand_bits(op, d ? 64 : 32, false, true) >> (d ? 32 : 0)));
    case WL_OPERAND_SPECIAL:
        return op->reg == WL_SPECIAL_LDS_DIRECT ? wl_value_unknown : wl_value_uniform();
    default:
        return wl_value_unknown;
    }
}

static struct wl_value_pair pair_operand(const struct step *s, unsigned i) {
    return (struct wl_value_pair){.low = operand(s, i, 0), .high = operand(s, i, 1)};
}

/* ---- rules: one function a kind of instruction ---- */

static void rule_move(struct step *s) { s->result[0] = operand(s, 1, 0); }

static void rule_move64(struct step *s) {
    s->result[0] = operand(s, 1, 0);
    s->result[1] = operand(s, 1, 1);
}

static void rule_add(struct step *s) { s->result[0] = wl_value_add(operand(s, 1, 0), operand(s, 2, 0)); }
static void rule_sub(struct step *s) { s->result[0] = wl_value_sub(operand(s, 1, 0), operand(s, 2, 0)); }
static void rule_subrev(struct step *s) { s->result[0] = wl_value_sub(operand(s, 2, 0), operand(s, 1, 0)); }
static void rule_and(struct step *s) { s->result[0] = wl_value_and(operand(s, 1, 0), operand(s, 2, 0)); }
static void rule_or(struct step *s) { s->result[0] = wl_value_or(operand(s, 1, 0), operand(s, 2, 0)); }
static void rule_xor(struct step *s) { s->result[0] = wl_value_xor(operand(s, 1, 0), operand(s, 2, 0)); }
static void rule_mul(struct step *s) { s->result[0] = wl_value_mul(operand(s, 1, 0), operand(s, 2, 0)); }
static void rule_lshlrev(struct step *s) { s->result[0] = wl_value_shl(operand(s, 2, 0), operand(s, 1, 0)); }
static void rule_lshrrev(struct step *s) { s->result[0] = wl_value_shr(operand(s, 2, 0), operand(s, 1, 0), false); }

/* A number shifted down by 31 is the high half of its own sign extension. */
static void rule_ashrrev(struct step *s) {
    struct wl_value count = operand(s, 1, 0), v = operand(s, 2, 0);
    s->result[0] = wl_value_shr(v, count, true);
    if (count.is_constant && (count.constant & 31) == 31 && wl_fact_fits(&v.fact))
        s->of = v.fact.own;
}

static void rule_add3(struct step *s) { s->result[0] = wl_value_add(wl_value_add(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0)); }
static void rule_or3(struct step *s) { s->result[0] = wl_value_or(wl_value_or(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0)); }
static void rule_lshl_add(struct step *s) {
    s->result[0] = wl_value_add(wl_value_shl(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0));
}
static void rule_lshl_or(struct step *s) { s->result[0] = wl_value_or(wl_value_shl(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0)); }
static void rule_add_lshl(struct step *s) {
    s->result[0] = wl_value_shl(wl_value_add(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0));
}
static void rule_and_or(struct step *s) { s->result[0] = wl_value_or(wl_value_and(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0)); }
static void rule_xad(struct step *s) { s->result[0] = wl_value_add(wl_value_xor(operand(s, 1, 0), operand(s, 2, 0)), operand(s, 3, 0)); }

/* ---- 16 bits: the low half of a result is known; on gfx9 the high half is known to be zero ---- */

static struct wl_value half_operand(const struct step *s, unsigned i) {
    struct wl_value v = operand(s, i, 0);
    if (v.fact.kind == WL_FACT_SHIFTED && v.fact.shift == 0)
        v.fact.kind = WL_FACT_AFFINE;
    return wl_value_and(v, wl_value_constant(0xffff));
}

static void set_half(struct step *s, struct wl_value v) {
    if (!s->inst->zero_high && wl_value_is_uniform(s->result[0]))
        return; /* so was the other half */
    v = wl_value_and(v, wl_value_constant(0xffff));
    if (s->inst->op_sel)
        v = wl_value_unknown;
    if (!s->inst->zero_high && wl_value_is_affine(v)) {
        v = (struct wl_value){.fact = v.fact};
        v.fact.kind = WL_FACT_SHIFTED;
        v.fact.own = v.fact.of = 0;
    }
    s->result[0] = v;
}

static void rule_add16(struct step *s) { set_half(s, wl_value_add(half_operand(s, 1), half_operand(s, 2))); }
static void rule_mul16(struct step *s) { set_half(s, wl_value_mul(half_operand(s, 1), half_operand(s, 2))); }
/* Of counts only the low four bits are looked at. */
static struct wl_value count16(const struct step *s) { return wl_value_and(operand(s, 1, 0), wl_value_constant(15)); }
static void rule_lshlrev16(struct step *s) { set_half(s, wl_value_shl(half_operand(s, 2), count16(s))); }
static void rule_lshrrev16(struct step *s) { set_half(s, wl_value_shr(half_operand(s, 2), count16(s), false)); }

/* A factor of a 24-bit product, whose upper bits must not count. */
static struct wl_value factor24(struct wl_value v, unsigned bits) {
    if (v.fact.bits <= bits)
        return v;
    return wl_value_is_uniform(v) ? wl_value_affine(v.fact.lanes, 0, v.fact.zeros >= 24 ? 32 : v.fact.zeros, bits == 24 ? 24 : 32)
                                  : wl_value_unknown;
}

static void rule_mul24(struct step *s) { s->result[0] = wl_value_mul(factor24(operand(s, 1, 0), 24), factor24(operand(s, 2, 0), 24)); }
static void rule_mul24i(struct step *s) { s->result[0] = wl_value_mul(factor24(operand(s, 1, 0), 23), factor24(operand(s, 2, 0), 23)); }

static void rule_mad24(struct step *s) {
    rule_mul24(s);
    s->result[0] = wl_value_add(s->result[0], operand(s, 3, 0));
}

static void rule_mad24i(struct step *s) {
    rule_mul24i(s);
    s->result[0] = wl_value_add(s->result[0], operand(s, 3, 0));
}

static void rule_bfe(struct step *s) {
    struct wl_value v = operand(s, 1, 0), first = operand(s, 2, 0), count = operand(s, 3, 0);
    if (!first.is_constant || !count.is_constant) {
        s->result[0] =
            wl_value_is_uniform(v) && wl_value_is_uniform(first) && wl_value_is_uniform(count) ? wl_value_uniform() : wl_value_unknown;
        return;
    }
    uint32_t mask = (UINT32_C(1) << (count.constant & 31)) - 1;
    s->result[0] = wl_value_and(wl_value_shr(v, first, false), wl_value_constant(mask));
}

/* Sums with a carry out: operand 1 is the carry's register. */
static void sum_with_carry(struct step *s, struct wl_value a, struct wl_value b, bool borrows) {
    s->result[0] = borrows ? wl_value_sub(a, b) : wl_value_add(a, b);
    s->low_carries = true;
    s->borrows = borrows;
    s->inputs[0] = a;
    s->inputs[1] = b;
}

static void rule_add_co(struct step *s) { sum_with_carry(s, operand(s, 2, 0), operand(s, 3, 0), false); }
static void rule_sub_co(struct step *s) { sum_with_carry(s, operand(s, 2, 0), operand(s, 3, 0), true); }
static void rule_subrev_co(struct step *s) { sum_with_carry(s, operand(s, 3, 0), operand(s, 2, 0), true); }

/* The high half of a sum with carry. The fact is exact if both addends are: on each side the halves of one 64-bit number. */
static void high_of_sum(struct step *s, struct wl_value a, struct wl_value b, bool borrows) {
    const struct wl_operand *mask = &s->inst->operands[4];
    const struct wl_fact *low = s->facts->carry_inputs;
    if (s->inst->operand_count < 5 || mask->kind != WL_OPERAND_SGPR || s->facts->carry != mask->reg + 1)
        return;
    bool exact = wl_fact_is_pair(&low[0], &a.fact) && wl_fact_is_pair(&low[1], &b.fact);
    exact |= !borrows && wl_fact_is_pair(&low[0], &b.fact) && wl_fact_is_pair(&low[1], &a.fact);
    if (wl_value_is_uniform(a) && wl_value_is_uniform(b))
        s->result[0] = s->facts->carry_uniform ? wl_value_uniform() : wl_value_carried();
    else if (exact || (wl_value_is_flat(a) && wl_value_is_flat(b) && (wl_value_is_uniform(a) || wl_value_is_uniform(b))))
        s->result[0] = wl_value_carried();
    if (exact && borrows == s->facts->carry_borrows)
        s->of = s->facts->carry_of;
}

static void rule_add_ci(struct step *s) { high_of_sum(s, operand(s, 2, 0), operand(s, 3, 0), false); }
static void rule_sub_ci(struct step *s) { high_of_sum(s, operand(s, 2, 0), operand(s, 3, 0), true); }
static void rule_subrev_ci(struct step *s) { high_of_sum(s, operand(s, 3, 0), operand(s, 2, 0), true); }

static void set_pair(struct step *s, struct wl_value_pair p) {
    s->result[0] = p.low;
    s->result[1] = p.high;
    s->exact = p.exact;
}

static void rule_lshlrev64(struct step *s) { set_pair(s, wl_value_pair_shl(pair_operand(s, 2), operand(s, 1, 0))); }
static void rule_lshl_add64(struct step *s) {
    set_pair(s, wl_value_pair_add(wl_value_pair_shl(pair_operand(s, 1), operand(s, 2, 0)), pair_operand(s, 3)));
}
static void rule_add64(struct step *s) { set_pair(s, wl_value_pair_add(pair_operand(s, 1), pair_operand(s, 2))); }
/* v_mad_u64_u32: operand 1 is a carry out that nobody uses. */
static void rule_mad64(struct step *s) {
    set_pair(s, wl_value_pair_add(wl_value_pair_mul(operand(s, 2, 0), operand(s, 3, 0)), pair_operand(s, 4)));
}

static void rule_mad64i(struct step *s) {
    struct wl_value a = operand(s, 2, 0), b = operand(s, 3, 0);
    struct wl_value_pair product = wl_value_pair_mul(a, b);
    bool positive = wl_value_is_affine(a) && wl_value_is_affine(b) && a.fact.bits < 32 && b.fact.bits < 32;
    if (wl_value_is_affine(product.low) && !positive)
        product.high = wl_value_is_uniform(a) && wl_value_is_uniform(b) ? wl_value_uniform() : wl_value_carried();
    set_pair(s, wl_value_pair_add(product, pair_operand(s, 4)));
}

/* Sign extension and scaling at once: 0 in the low half, an index in the high one, shifted down. */
static void rule_ashrrev64(struct step *s) {
    struct wl_value count = operand(s, 1, 0);
    struct wl_value_pair a = pair_operand(s, 2);
    if (wl_value_is_uniform(a.low) && wl_value_is_uniform(a.high) && wl_value_is_uniform(count)) {
        set_pair(s, (struct wl_value_pair){.low = wl_value_uniform(), .high = wl_value_uniform()});
    } else if (count.is_constant && count.constant >= 16 && count.constant <= 32 && wl_value_is_zero(a.low) && wl_value_is_affine(a.high)) {
        unsigned k = count.constant;
        struct wl_value high = k == 32 ? wl_value_shr(a.high, wl_value_constant(31), true) : wl_value_shr(a.high, count, true);
        set_pair(s, (struct wl_value_pair){.low = k == 32 ? a.high : wl_value_shl(a.high, wl_value_constant(32 - k)),
                                           .high = wl_value_is_uniform(high) ? high : wl_value_carried(),
                                           .exact = wl_fact_fits(&a.high.fact)});
    }
}

/* The lane's number: v_mbcnt_lo of all ones, then for wave64 v_mbcnt_hi of it. */
static void rule_mbcnt(struct step *s) {
    bool high = s->inst->isa->detail == WL_LANE_MBCNT_HI, wide = s->unit->request->wave_size == 64;
    struct wl_value mask = operand(s, 1, 0), base = operand(s, 2, 0);
    if (!mask.is_constant || mask.constant != UINT32_MAX)
        return;
    if (high && wide && base.fact.kind == WL_FACT_HALF_LANE)
        s->result[0] = wl_value_affine(WL_ALL_LANES, 1, 6, 6);
    else if (!high && wide && wl_value_is_zero(base))
        s->result[0] = (struct wl_value){.fact = {.kind = WL_FACT_HALF_LANE, .lanes = WL_ALL_LANES}};
    else if (!high && !wide && wl_value_is_affine(base))
        s->result[0] = wl_value_add(wl_value_affine(WL_ALL_LANES, 1, 5, 5), base);
    else if (high && !wide)
        s->result[0] = base;
}

/* The first register of the mask by which v_cndmask_b32 chooses. */
static unsigned choosing_mask(const struct wl_inst *inst) {
    const struct wl_operand *mask = &inst->operands[3];
    if (inst->operand_count < 4)
        return WL_SGPR_VCC;
    return mask->kind == WL_OPERAND_SGPR ? mask->reg : WL_SGPR_COUNT;
}

static void rule_cndmask(struct step *s) {
    const unsigned mask = choosing_mask(s->inst);
    const struct wl_value a = operand(s, 1, 0), b = operand(s, 2, 0);
    if (mask >= WL_SGPR_COUNT || !s->facts->breaks[mask] || !wl_value_is_affine(a) || !wl_value_is_affine(b) ||
        a.fact.stride != b.fact.stride)
        return;
    const unsigned breaks = s->facts->breaks[mask];
    s->result[0] = breaks & WL_BREAKS_NOWHERE ? wl_value_affine(a.fact.lanes, a.fact.stride, least(a.fact.zeros, b.fact.zeros), 32)
                                              : wl_value_broken(a);
    wl_fact_narrow(&s->result[0].fact, b.fact.lanes);
    wl_fact_narrow(&s->result[0].fact, breaks & WL_BREAKS_LANES);
    s->complete &= (breaks & WL_BREAKS_FRESH) != 0; /* else the mask is 0 in inactive lanes */
}

static const struct rule {
    const char *name;
    void (*apply)(struct step *s);
} rules[] = {
    /* sorted */
    {"v_add3_u32", rule_add3},
    {"v_add_co_ci_u32", rule_add_ci},
    {"v_add_co_u32", rule_add_co},
    {"v_add_lshl_u32", rule_add_lshl},
    {"v_add_nc_i32", rule_add},
    {"v_add_nc_u16", rule_add16},
    {"v_add_nc_u32", rule_add},
    {"v_add_nc_u64", rule_add64},
    {"v_and_b32", rule_and},
    {"v_and_or_b32", rule_and_or},
    {"v_ashrrev_i32", rule_ashrrev},
    {"v_ashrrev_i64", rule_ashrrev64},
    {"v_bfe_u32", rule_bfe},
    {"v_cndmask_b32", rule_cndmask},
    {"v_dual_add_nc_u32", rule_add},
    {"v_dual_and_b32", rule_and},
    {"v_dual_cndmask_b32", rule_cndmask},
    {"v_dual_lshlrev_b32", rule_lshlrev},
    {"v_dual_mov_b32", rule_move},
    {"v_lshl_add_u32", rule_lshl_add},
    {"v_lshl_add_u64", rule_lshl_add64},
    {"v_lshl_or_b32", rule_lshl_or},
    {"v_lshlrev_b16", rule_lshlrev16},
    {"v_lshlrev_b32", rule_lshlrev},
    {"v_lshlrev_b64", rule_lshlrev64},
    {"v_lshrrev_b16", rule_lshrrev16},
    {"v_lshrrev_b32", rule_lshrrev},
    {"v_mad_i32_i24", rule_mad24i},
    {"v_mad_i64_i32", rule_mad64i},
    {"v_mad_u32_u24", rule_mad24},
    {"v_mad_u64_u32", rule_mad64},
    {"v_mbcnt_hi_u32_b32", rule_mbcnt},
    {"v_mbcnt_lo_u32_b32", rule_mbcnt},
    {"v_mov_b32", rule_move},
    {"v_mov_b64", rule_move64},
    {"v_mul_i32_i24", rule_mul24i},
    {"v_mul_lo_u16", rule_mul16},
    {"v_mul_lo_u32", rule_mul},
    {"v_mul_u32_u24", rule_mul24},
    {"v_or3_b32", rule_or3},
    {"v_or_b32", rule_or},
    {"v_sub_co_ci_u32", rule_sub_ci},
    {"v_sub_co_u32", rule_sub_co},
    {"v_sub_nc_i32", rule_sub},
    {"v_sub_nc_u32", rule_sub},
    {"v_subrev_co_ci_u32", rule_subrev_ci},
    {"v_subrev_co_u32", rule_subrev_co},
    {"v_subrev_nc_u32", rule_subrev},
    {"v_xad_u32", rule_xad},
    {"v_xor_b32", rule_xor},
};

enum { NO_RULE = 255 };

static int compare_rule(const void *name, const void *rule) { return strcmp(name, ((const struct rule *)rule)->name); }

uint8_t wl_affine_rule(const struct wl_inst *inst) {
    if (inst->mnemonic[0] != 'v')
        return NO_RULE;
    const struct rule *found = bsearch(inst->mnemonic, rules, sizeof rules / sizeof *rules, sizeof *rules, compare_rule);
    return found ? (uint8_t)(found - rules) : NO_RULE;
}

/* ---- one instruction ---- */

static unsigned printed_results(const struct wl_sem *sem) {
    unsigned count = 0;
    for (unsigned i = 0; i < sem->result_count; i++)
        count += sem->results[i].role == WL_ROLE_PRINTED;
    return count;
}

static bool is_half(unsigned type) { return type == WL_U16 || type == WL_I16 || type == WL_F16 || type == WL_BF16; }

static bool operand_uniform(const struct step *s, unsigned i) {
    const struct wl_operand *op = &s->inst->operands[i];
    for (unsigned d = 0; d < (op->count ? op->count : 1u); d++)
        if (!wl_value_is_uniform(operand(s, i, d)))
            return false;
    return true;
}

/* Whether a lane-wise instruction sees the same inputs in all lanes. */
static bool inputs_uniform(const struct step *s) {
    const struct wl_inst *inst = s->inst;
    const struct wl_sem *sem = inst->sem;
    unsigned printed = printed_results(sem);
    if (inst->is_dpp || (inst->is_sdwa && inst->dst_unused == 2))
        return false;
    for (unsigned i = 0; i < sem->result_count; i++)
        if (is_half(sem->results[i].type) && !inst->zero_high && !operand_uniform(s, 0))
            return false; /* the other half stays */
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_slot *slot = &sem->inputs[i];
        if (slot->type == WL_MASK || slot->role == WL_ROLE_VCC)
            return false;
        if (slot->role == WL_ROLE_OLD && !operand_uniform(s, 0))
            return false;
        if (slot->role == WL_ROLE_PRINTED && !operand_uniform(s, printed++))
            return false;
    }
    return true;
}

/* Loads of one address give every lane the same value. Not from scratch, where every lane has memory of its own. */
static bool load_uniform(const struct step *s) {
    const struct wl_isa *isa = s->inst->isa;
    return (isa->space == WL_SPACE_GLOBAL || isa->space == WL_SPACE_LDS) && !isa->d16 && !s->inst->lds && operand_uniform(s, 1);
}

static void set_row(struct step *s, unsigned row, struct wl_value v, unsigned number) {
    if (row >= s->unit->rows || row >= WL_VGPR_COUNT)
        return;
    s->facts->previous_row = (uint16_t)row;
    s->facts->previous = s->facts->row[row];
    wl_fact_narrow(&v.fact, s->lanes);
    if (v.fact.kind == WL_FACT_UNKNOWN)
        v.fact = (struct wl_fact){0};
    else
        v.fact.partial = s->mode == WL_MODE_MASKED && !s->facts->entry_exec;
    v.fact.loaded = v.fact.kind != WL_FACT_UNKNOWN && s->loaded;
    v.fact.since = v.fact.partial ? UINT8_MAX : 0;
    if (v.fact.kind == WL_FACT_AFFINE && !v.fact.own)
        v.fact.own = number;
    v.fact.fresh = v.fact.partial && s->complete;
    s->facts->row[row] = wl_fact_closed(v.fact);
}

static void set_operand(struct step *s, unsigned i, struct wl_value v) {
    const struct wl_operand *op = &s->inst->operands[i];
    for (unsigned d = 0; i < s->inst->operand_count && op->kind == WL_OPERAND_VGPR && d < op->count; d++)
        set_row(s, op->reg + d, v, 0);
}

static unsigned first_input(const struct wl_inst *inst);

/* The facts of the registers that the instruction reads each hold over some number of lanes: returns the least of these numbers. */
static unsigned known_lanes(const struct step *s) {
    const struct wl_inst *inst = s->inst;
    unsigned lanes = s->limit,
             first = inst->isa && inst->isa->class == WL_ISA_LOAD && !inst->lds && !inst->isa->d16 ? 1 : first_input(inst);
    for (unsigned i = first; i < inst->operand_count; i++) {
        const struct wl_operand *op = &s->inst->operands[i];
        for (unsigned d = 0; op->kind == WL_OPERAND_VGPR && d < op->count; d++) {
            struct wl_value v = row_value(s, op->reg + d);
            if (v.fact.kind != WL_FACT_UNKNOWN)
                lanes = least(lanes, v.fact.lanes);
        }
        if (op->kind == WL_OPERAND_SGPR && s->facts->carry == op->reg + 1)
            lanes = least(lanes, s->facts->carry_lanes);
    }
    return lanes;
}

/* The first printed operand whose value the result depends on. */
static unsigned first_input(const struct wl_inst *inst) {
    const struct wl_sem *sem = inst->sem;
    if (!sem)
        return 0;
    for (unsigned i = 0; i < sem->input_count; i++)
        if (sem->inputs[i].role == WL_ROLE_OLD)
            return 0;
    for (unsigned i = 0; i < sem->result_count; i++)
        if (is_half(sem->results[i].type) && !inst->zero_high)
            return 0;
    return printed_results(sem);
}

/* Whether the fact about a register that the instruction names follows from loads of groups of lanes (wl_fact.loaded). */
static bool has_loaded(const struct step *s) {
    for (unsigned i = 0; i < s->inst->operand_count; i++) {
        const struct wl_operand *op = &s->inst->operands[i];
        for (unsigned d = 0; op->kind == WL_OPERAND_VGPR && d < op->count; d++)
            if (row_value(s, op->reg + d).fact.loaded)
                return true;
    }
    return false;
}

static bool is_complete(const struct step *s) {
    for (unsigned i = first_input(s->inst); i < s->inst->operand_count; i++) {
        const struct wl_operand *op = &s->inst->operands[i];
        for (unsigned d = 0; op->kind == WL_OPERAND_VGPR && d < op->count; d++) {
            struct wl_value v = row_value(s, op->reg + d);
            if (v.fact.kind == WL_FACT_UNKNOWN || !wl_fact_in_all_lanes(&v.fact))
                return false;
        }
        if (op->kind == WL_OPERAND_SGPR && s->facts->carry == op->reg + 1 && !s->facts->carry_fresh)
            return false;
    }
    return !s->inst->is_dpp && !s->inst->is_sdwa;
}

/* Whether a lane-wise instruction sees the same inputs in each strip. */
static bool inputs_same(const struct step *s) {
    const struct wl_sem *sem = s->inst->sem;
    if (!sem || s->inst->is_dpp || s->inst->is_sdwa)
        return false;
    for (unsigned i = 0; i < sem->input_count; i++)
        if (sem->inputs[i].type == WL_MASK || sem->inputs[i].role == WL_ROLE_VCC)
            return false;
    for (unsigned i = first_input(s->inst); i < s->inst->operand_count; i++) {
        const struct wl_operand *op = &s->inst->operands[i];
        for (unsigned d = 0; d < op->count; d++)
            if (op->kind == WL_OPERAND_VGPR && wl_value_same(row_value(s, op->reg + d)) < 32)
                return false;
    }
    return true;
}

static void forget_all(struct wl_facts *facts, unsigned rows) {
    memset(facts->row, 0, rows * sizeof facts->row[0]);
    memset(facts->constant_known, 0, sizeof facts->constant_known);
    memset(facts->scalar, 0, sizeof facts->scalar);
    memset(facts->breaks, 0, sizeof facts->breaks);
    facts->carry = 0;
    facts->previous_row = UINT16_MAX;
}

/* The halves of a pair say so. */
static void number_results(struct step *s) {
    if (wl_value_is_affine(s->result[0]) && !s->result[0].fact.own)
        s->result[0].fact.own = number_of(s, 0);
    if (s->of)
        s->result[0].fact.of = s->of;
    if (s->exact)
        s->result[1].fact.of = s->result[0].fact.own;
}

static bool says_much(struct wl_value v) { return v.fact.kind != WL_FACT_UNKNOWN && v.fact.kind != WL_FACT_SHIFTED; }

/* Whether more may be known of the result if it is asked for `lanes` lanes alone: some input varies over the lanes, and its fact holds for
 * more lanes than that. */
static bool varies(const struct step *s, unsigned lanes) {
    for (unsigned n = 1; n < s->inst->operand_count; n++) {
        struct wl_value v = s->inst->operands[n].kind == WL_OPERAND_VGPR ? operand(s, n, 0) : wl_value_unknown;
        bool moves = v.fact.kind == WL_FACT_SHIFTED || (wl_value_is_affine(v) && !wl_value_is_uniform(v));
        if (moves && v.fact.lanes > lanes)
            return true;
    }
    return false;
}

/* Asks about fewer lanes if nothing holds for more. */
static void apply_rule(struct step *s, uint8_t rule) {
    static const uint8_t limits[] = {32, WL_STRIP, WL_GROUP};
    rules[rule].apply(s);
    const struct step all = *s;
    for (unsigned i = 0; i < sizeof limits && !says_much(s->result[0]); i++) {
        if (!varies(s, limits[i]))
            continue;
        s->limit = limits[i];
        s->lanes = least(s->lanes, s->limit);
        s->exact = false;
        s->of = 0;
        rules[rule].apply(s);
    }
    if (!says_much(s->result[0]))
        *s = all;
}

/* Whether a comparison of a value with `limit` changes once at most from lane to lane. Around the circle of all values it changes at the limit,
 * and where the least value follows the greatest: the lanes must not pass both. `beyond`: the limit itself is on the lower side. */
static bool changes_once(const struct wl_fact *value, struct wl_value limit, bool is_signed, bool beyond) {
    const uint64_t least = is_signed ? UINT64_C(1) << 31 : 0, at = (uint32_t)(limit.constant - least) + (uint64_t)beyond;
    const uint64_t stride = (uint64_t)(value->stride < 0 ? -(int64_t)value->stride : value->stride), reach = (value->lanes - 1) * stride;
    if (!value->stride || (wl_fact_fits(value) && (!is_signed || value->bits < 32)))
        return true;
    return limit.is_constant && reach < at && reach < (UINT64_C(1) << 32) - at;
}

/* The lanes over which the mask of a comparison changes once at most (wl_facts.breaks); 0: it is no such comparison. */
static unsigned comparison_breaks(const struct step *s) {
    static const struct {
        const char *name;
        bool is_signed, beyond[2]; /* beyond: by whether the limit comes first */
    } comparisons[] = {{"v_cmp_lt_u32", false, {false, true}}, {"v_cmp_ge_u32", false, {false, true}},
                       {"v_cmp_le_u32", false, {true, false}}, {"v_cmp_gt_u32", false, {true, false}},
                       {"v_cmp_lt_i32", true, {false, true}},  {"v_cmp_ge_i32", true, {false, true}},
                       {"v_cmp_le_i32", true, {true, false}},  {"v_cmp_gt_i32", true, {true, false}}};
    if (strncmp(s->inst->mnemonic, "v_cmp_", 6) != 0 || s->inst->is_dpp || s->inst->is_sdwa || s->inst->operand_count < 3)
        return 0;
    const struct wl_value a = operand(s, 1, 0), b = operand(s, 2, 0);
    const bool limit_first = wl_value_is_uniform(a);
    const struct wl_value limit = limit_first ? a : b, value = limit_first ? b : a;
    const unsigned lanes = least(value.fact.lanes, limit.fact.lanes);
    if (!wl_value_is_affine(value) || !wl_value_is_uniform(limit) || lanes < WL_STRIP)
        return 0;
    for (unsigned i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        if (strcmp(s->inst->mnemonic, comparisons[i].name) == 0 &&
            changes_once(&value.fact, limit, comparisons[i].is_signed, comparisons[i].beyond[limit_first]))
            return lanes | (wl_value_is_uniform(value) ? WL_BREAKS_NOWHERE : 0u);
    return 0;
}

static void vector_step(struct step *s, uint8_t rule) {
    const struct wl_inst *inst = s->inst;
    unsigned results = printed_results(inst->sem);
    struct wl_value rest = wl_value_unknown;
    s->result[0] = s->result[1] = wl_value_unknown;
    if (inputs_uniform(s))
        rest = s->result[0] = s->result[1] = wl_value_uniform();
    if (rule != NO_RULE && !inst->is_dpp && !inst->is_sdwa && !inst->clamp)
        apply_rule(s, rule);
    for (unsigned i = 0; i < MAX_RESULTS; i++)
        if (s->strips_same && wl_value_is_affine(s->result[i]))
            s->result[i].fact.same = 32;
    number_results(s);
    const unsigned breaks = comparison_breaks(s);
    bool low_known = wl_value_is_affine(s->result[0]), low_same = wl_value_is_uniform(s->result[0]);
    for (unsigned i = 0; i < inst->sem->result_count; i++)
        if (inst->sem->results[i].role == WL_ROLE_VCC || inst->sem->results[i].role == WL_ROLE_VCC_SCALAR)
            s->facts->carry = s->facts->breaks[WL_SGPR_VCC] = 0;
    for (unsigned i = 0; i < results && i < inst->operand_count; i++) {
        const struct wl_operand *op = &inst->operands[i];
        wl_sgpr_forget(s->facts, op);
        for (unsigned d = 0; op->kind == WL_OPERAND_VGPR && d < op->count; d++)
            set_row(s, op->reg + d, i == 0 && d < MAX_RESULTS ? s->result[d] : rest, i == 0 && d < MAX_RESULTS ? number_of(s, d) : 0);
    }
    if (breaks && inst->operands[0].kind == WL_OPERAND_SGPR && inst->operands[0].reg < WL_SGPR_COUNT)
        s->facts->breaks[inst->operands[0].reg] =
            (uint8_t)(breaks | (s->complete ? WL_BREAKS_FRESH : 0) | (s->unit->request->wave_size == 64 ? WL_BREAKS_PAIR : 0));
    if (s->low_carries && low_known && inst->operands[1].kind == WL_OPERAND_SGPR) {
        s->facts->carry = (uint16_t)(inst->operands[1].reg + 1);
        s->facts->carry_uniform = low_same && inputs_uniform(s);
        s->facts->carry_fresh = s->complete;
        s->facts->carry_lanes = s->lanes;
        s->facts->carry_borrows = s->borrows;
        s->facts->carry_of = s->result[0].fact.own;
        for (unsigned i = 0; i < 2; i++)
            s->facts->carry_inputs[i] = s->inputs[i].fact;
    }
}

/* Each strip loads for itself, and memory may change in between. */
static void set_load(struct step *s) {
    struct wl_value v = load_uniform(s) ? wl_value_uniform() : wl_value_unknown;
    wl_fact_narrow(&v.fact, WL_STRIP);
    s->complete = false;
    s->loaded |= s->lanes < WL_STRIP;
    set_operand(s, 0, v);
}

static void isa_step(struct step *s, uint8_t rule) {
    const struct wl_inst *inst = s->inst;
    switch ((enum wl_isa_class)inst->isa->class) {
    case WL_ISA_LOAD:
        if (!inst->lds)
            set_load(s);
        break;
    case WL_ISA_ATOMIC:
        if (inst->returns)
            set_operand(s, 0, wl_value_unknown);
        break;
    case WL_ISA_LANE:
        s->result[0] = wl_value_unknown;
        s->complete = false;
        if (rule != NO_RULE && !inst->is_dpp)
            rules[rule].apply(s);
        for (unsigned i = 0; i < wl_lane_of(inst)->results; i++)
            set_operand(s, i, i ? wl_value_unknown : s->result[0]);
        wl_sgpr_forget(s->facts, &inst->operands[0]);
        break;
    case WL_ISA_MATRIX:
    case WL_ISA_IMAGE:
        set_operand(s, 0, wl_value_unknown);
        break;
    case WL_ISA_MOVREL:
        forget_all(s->facts, s->unit->rows);
        break;
    case WL_ISA_CMPX:
        wl_sgpr_forget(s->facts, &inst->operands[0]);
        break;
    case WL_ISA_STORE:
        break;
    default:
        wl_sgpr_step(s->facts, s->unit, inst);
        break;
    }
}

void wl_affine_step_by(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst, enum wl_mode mode, uint8_t rule) {
    struct step s = {.facts = facts, .unit = unit, .inst = inst, .mode = mode, .limit = WL_ALL_LANES};
    s.lanes = known_lanes(&s);
    s.loaded = has_loaded(&s);
    s.complete = mode == WL_MODE_MASKED && is_complete(&s);
    s.strips_same = (mode == WL_MODE_FULL || facts->entry_exec) && inputs_same(&s);
    if (inst->index_mode) { /* may write any register */
        forget_all(facts, unit->rows);
        for (unsigned i = 0; i < inst->operand_count; i++)
            wl_sgpr_forget(facts, &inst->operands[i]);
    } else if (inst->sem && inst->sem->scalar)
        wl_sgpr_step(facts, unit, inst);
    else if (inst->sem)
        vector_step(&s, rule);
    else if (inst->isa)
        isa_step(&s, rule);
    else
        forget_all(facts, unit->rows);
}

void wl_affine_step(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst, enum wl_mode mode) {
    wl_affine_step_by(facts, unit, inst, mode, wl_affine_rule(inst));
}

void wl_affine_settle(struct wl_facts *facts) {
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        facts->row[row].fresh = false;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        facts->breaks[reg] &= (uint8_t)~WL_BREAKS_FRESH;
    facts->previous.fresh = false;
    facts->carry_fresh = false;
}
