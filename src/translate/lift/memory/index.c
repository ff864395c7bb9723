/* Addresses as base + (index << shift): what compilers make of base[index] is 64-bit arithmetic on register pairs. Within a strip the
 * pair is known to be that again, so that lanes are compared, and gathered by, their indices of 32 bits.
 *
 *   v_ashrrev_i32 h, 31, l            (l, h): a signed index; with h known to be zero: an unsigned one
 *   v_lshlrev_b64 (a, b), n, (l, h)   the index, shifted
 *   v_add_co_u32 c, s, a              the low half of the sum with a base that is the same in all lanes
 *   v_add_co_ci_u32 d, t, b           and the high one
 *   v_lshl_add_u64 (c, d), (l, h), n, (s, t)
 *
 * The values of the registers are made all the same: passes drop them where nobody uses them. */
#include "translate/lift/memory/record.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <string.h>

enum { MOST_SHIFT = 3, FAR = 8 }; /* what the host's gathers scale by; instructions between the halves of a sum */

enum { SOURCE_FACTS = 2 };

/* ---- recording: which instructions they are, and what is known of their operands ---- */

static bool is_vgpr(const struct wl_operand *operand) { return operand->kind == WL_OPERAND_VGPR; }

static bool is_scalar(const struct wl_operand *operand) { return operand->kind == WL_OPERAND_SGPR || operand->kind == WL_OPERAND_IMM; }

static struct wl_fact fact_of(const struct wl_lift *l, unsigned row) {
    return row < WL_VGPR_COUNT ? l->unit.facts->row[row] : (struct wl_fact){0};
}

static bool is_zero(const struct wl_fact *fact) { return wl_fact_is_uniform(fact) && fact->zeros >= 32; }

/* Whether an operand is one value for all active lanes; `fact`: of a register. */
static bool is_base(const struct wl_operand *operand, const struct wl_fact *fact) {
    return is_vgpr(operand) ? wl_fact_is_uniform(fact) : is_scalar(operand);
}

static bool shifts_by_constant(const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_IMM && !operand->is_float && (operand->bits & 63) <= MOST_SHIFT;
}

/* The instruction before this one that made its carry: a sum of 32 bits. */
static const struct wl_inst *carry_maker(const struct wl_lift *l, unsigned reg) {
    const struct wl_inst *first = &l->unit.code->insts[l->unit.block->first];
    for (uint32_t n = 1; n <= FAR && n <= l->unit.at; n++) {
        const struct wl_inst *inst = &first[l->unit.at - n];
        if (wl_bit(l->unit.effects[l->unit.at - n].touch.scalar, reg))
            return !strcmp(inst->mnemonic, "v_add_co_u32") && is_vgpr(&inst->operands[0]) && inst->operands[1].reg == reg ? inst : NULL;
    }
    return NULL;
}

static enum wl_index_step find_step(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_operand *op = inst->operands;
    if (inst->is_dpp || inst->is_sdwa || inst->clamp || !is_vgpr(&op[0]))
        return WL_INDEX_NONE;
    if (!strcmp(inst->mnemonic, "v_ashrrev_i32")) {
        if (op[1].kind != WL_OPERAND_IMM || (op[1].bits & 31) != 31 || !is_vgpr(&op[2]) || op[0].reg != op[2].reg + 1u)
            return WL_INDEX_NONE;
        item->fact[0] = fact_of(l, op[2].reg);
        return WL_INDEX_SIGN;
    }
    if (!strcmp(inst->mnemonic, "v_lshlrev_b64")) {
        if (!is_vgpr(&op[2]) || !shifts_by_constant(&op[1]))
            return WL_INDEX_NONE;
        item->fact[0] = fact_of(l, op[2].reg + 1u);
        item->fact[1] = fact_of(l, op[2].reg);
        return WL_INDEX_SHIFT;
    }
    bool low = !strcmp(inst->mnemonic, "v_add_co_u32"), high = !strcmp(inst->mnemonic, "v_add_co_ci_u32");
    if (!low && !high)
        return WL_INDEX_NONE;
    for (unsigned i = 0; i < SOURCE_FACTS; i++)
        item->fact[i] = is_vgpr(&op[2 + i]) ? fact_of(l, op[2 + i].reg) : (struct wl_fact){0};
    if (low)
        return WL_INDEX_LOW;
    item->maker = inst->operand_count > 4 && op[4].kind == WL_OPERAND_SGPR ? carry_maker(l, op[4].reg) : NULL;
    return item->maker ? WL_INDEX_HIGH : WL_INDEX_NONE;
}

void wl_index_record(struct wl_lift *l) {
    struct wl_item *item = l->region.item_count ? &l->region.items[l->region.item_count - 1] : NULL;
    if (item && l->unit.facts && !item->paired && item->inst->sem)
        item->index_step = (uint8_t)find_step(l, item);
}

/* ---- emission ---- */

const struct wl_index *wl_index_find(const struct wl_lift *l, unsigned row) {
    for (unsigned i = 0; i < l->strip->index_count; i++)
        if (l->strip->index[i].row == row)
            return &l->strip->index[i];
    return NULL;
}

void wl_index_forget(struct wl_lift *l, unsigned row) {
    struct wl_strip *strip = l->strip;
    for (unsigned i = strip->index_count; i-- > 0;)
        if (strip->index[i].row == row || strip->index[i].row + 1 == row)
            strip->index[i] = strip->index[--strip->index_count];
    if (strip->sum.maker && (strip->sum.low_row == row || strip->sum.high_row == row))
        strip->sum.maker = NULL;
    if (strip->pair_sum.maker && strip->pair_sum.maker->operands[0].reg == row)
        strip->pair_sum.maker = NULL;
}

/* Without this, the oldest goes. */
static void keep(struct wl_lift *l, struct wl_index made) {
    struct wl_strip *strip = l->strip;
    if (strip->index_count == WL_INDEX_FORMS)
        memmove(strip->index, strip->index + 1, --strip->index_count * sizeof *strip->index);
    strip->index[strip->index_count++] = made;
}

/* The one value that an operand has in all active lanes, as i32. */
static LLVMValueRef base_value(struct wl_lift *l, const struct wl_item *item, unsigned source) {
    const struct wl_operand *op = &item->inst->operands[2 + source];
    if (!is_vgpr(op))
        return item->scalar[source];
    LLVMValueRef known = wl_known_uniform(l, op->reg);
    if (known)
        return known;
    LLVMValueRef row = wl_strip_row(l, op->reg), lane = wl_lift_int(l, l->i32, 0);
    if (l->exec && !wl_fact_in_all_lanes(&item->fact[source])) {
        LLVMValueRef arguments[2] = {LLVMBuildZExt(l->b, l->exec_bits, l->i32, ""), LLVMConstInt(l->i1, 1, false)};
        lane = wl_lift_intrinsic(l, "llvm.cttz", &l->i32, 1, arguments, 2);
    }
    return LLVMBuildExtractElement(l->b, row, lane, "");
}

static LLVMValueRef base64(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef up = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    return LLVMBuildOr(l->b, up, LLVMBuildZExt(l->b, low, l->i64, ""), "");
}

/* An index that a row has, of 32 bits. */
static struct wl_index index_in(struct wl_lift *l, unsigned row, const struct wl_fact *fact) {
    LLVMValueRef head = wl_known_first_index(l, row);
    return (struct wl_index){.index = wl_strip_row(l, row), .head = head, .source = row, .fact = *fact};
}

/* (l, h), shifted: an index if it was one, or if the high half is zero. */
static bool shifted(struct wl_lift *l, const struct wl_item *item, struct wl_index *made) {
    const struct wl_operand *op = item->inst->operands;
    const struct wl_index *known = wl_index_find(l, op[2].reg);
    unsigned by = op[1].bits & 63;
    if (known && !known->base && known->shift + by <= MOST_SHIFT)
        *made = *known;
    else if (is_zero(&item->fact[0]))
        *made = index_in(l, op[2].reg, &item->fact[1]);
    else
        return false;
    made->shift += by;
    made->row = op[0].reg;
    return true;
}

/* The low half of a sum: which source is the index, and what the other is. */
static bool low_half(struct wl_lift *l, const struct wl_item *item, struct wl_index_sum *sum) {
    const struct wl_operand *op = item->inst->operands;
    for (unsigned i = 0; i < 2; i++) {
        const struct wl_index *known = is_vgpr(&op[3 - i]) ? wl_index_find(l, op[3 - i].reg) : NULL;
        if (!known || !is_base(&op[2 + i], &item->fact[i]))
            continue;
        *sum = (struct wl_index_sum){item->inst, op[0].reg, known->row + 1, *known, base_value(l, item, i), &op[2 + i]};
        return true;
    }
    return false;
}

static bool high_half(struct wl_lift *l, const struct wl_item *item, struct wl_index *made) {
    const struct wl_operand *op = item->inst->operands;
    const struct wl_index_sum *sum = &l->strip->sum;
    if (sum->maker != item->maker || op[0].reg != sum->low_row + 1)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (!is_vgpr(&op[3 - i]) || op[3 - i].reg != sum->high_row || !is_base(&op[2 + i], &item->fact[i]))
            continue;
        LLVMValueRef base = wl_known_base(l, sum->of, &op[2 + i]);
        if (!base)
            base = base64(l, sum->low, base_value(l, item, i));
        *made = sum->index;
        made->row = sum->low_row;
        made->base = made->base ? LLVMBuildAdd(l->b, made->base, base, "") : base;
        return true;
    }
    return false;
}

void wl_index_emit(struct wl_lift *l, struct wl_item *item) {
    const struct wl_operand *op = item->inst->operands;
    struct wl_index made = {0};
    struct wl_index_sum sum = {0};
    struct wl_pair_sum pair_sum = {0};
    LLVMValueRef pair = NULL;
    bool is_form = false;
    switch ((enum wl_index_step)item->index_step) {
    case WL_INDEX_NONE:
        break;
    case WL_INDEX_SIGN:
        is_form = true;
        made = index_in(l, op[2].reg, &item->fact[0]);
        made.row = op[2].reg;
        made.is_signed = true;
        break;
    case WL_INDEX_SHIFT:
        is_form = shifted(l, item, &made);
        break;
    case WL_INDEX_LOW:
        (void)low_half(l, item, &sum);
        if (l->form->sum_low)
            l->form->sum_low(l, item, &pair_sum);
        break;
    case WL_INDEX_HIGH:
        is_form = high_half(l, item, &made);
        if (l->form->sum_high)
            pair = l->form->sum_high(l, item, is_form ? &made : NULL);
        break;
    }
    item->emit(l, item);
    if (pair)
        wl_strip_set_pair(l, op[0].reg - 1u, pair);
    if (pair_sum.maker)
        l->strip->pair_sum = pair_sum;
    if (is_form)
        keep(l, made);
    if (sum.maker) {
        l->strip->sum = sum;
        if (sum.high_row == sum.low_row) /* the sum took the place of the high half */
            l->strip->sum.maker = NULL;
    }
}
