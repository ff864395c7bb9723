/* Register pairs in code for one lane (lift/forms/scalar_tail.c), kept as numbers of 64 bits.
 *
 * Addresses are made and kept in halves. A lane's code is scalar code, in which a sum of halves takes six instructions for one, and joining
 * them three for each access. So where a loop makes sums of 64 bits, the two rows lie in one variable, which is loaded and stored as a
 * whole where both are known as one number; passes make a value of it. */
#include "translate/lift/forms/loop_state.h"
#include "translate/lift/values.h"

#include <string.h>

static bool is_vgpr(const struct wl_operand *operand) { return operand->kind == WL_OPERAND_VGPR; }

/* Whether the loop makes sums of 64 bits in this row and the next. */
static bool makes_sums(const struct wl_lift *l, unsigned row) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_block *block = &l->unit.code->blocks[loop->blocks[i]];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct wl_inst *inst = &l->unit.code->insts[block->first + n];
            bool high = !strcmp(inst->mnemonic, "v_add_co_ci_u32"), whole = !strcmp(inst->mnemonic, "v_lshl_add_u64");
            if ((high || whole) && is_vgpr(&inst->operands[0]) && inst->operands[0].reg == row + high)
                return true;
        }
    }
    return false;
}

void wl_pairs_make_row(struct wl_lift *l, unsigned row) {
    struct wl_lift_loop *in = l->in_loop;
    if (row && in->pair[row - 1])
        in->row[row] = NULL;
    else if (row + 1 < WL_VGPR_COUNT && wl_bit(in->loop->rows, row) && wl_bit(in->loop->rows, row + 1) && makes_sums(l, row))
        in->pair[row] = wl_lift_alloca(l, l->i64, 8, "pair");
    else
        in->row[row] = wl_lift_alloca(l, l->i32, 4, "element");
}

/* The variable of the pair that a row belongs to, and by how many bits the row is shifted in it. */
static LLVMValueRef pair_of(const struct wl_lift *l, unsigned row, unsigned *shift) {
    const struct wl_lift_loop *in = l->in_loop;
    *shift = in->pair[row] ? 0 : 32;
    return in->pair[row] ? in->pair[row] : row ? in->pair[row - 1] : NULL;
}

LLVMValueRef wl_pairs_load_row(struct wl_lift *l, unsigned row) {
    unsigned shift;
    LLVMValueRef pair = pair_of(l, row, &shift);
    if (!pair)
        return LLVMBuildLoad2(l->b, l->i32, l->in_loop->row[row], "");
    LLVMValueRef both = LLVMBuildLoad2(l->b, l->i64, pair, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, both, wl_lift_int(l, l->i64, shift), ""), l->i32, "");
}

/* Reads and writes the whole variable even for one half: accesses to halves would make passes split it into two values again. */
void wl_pairs_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    unsigned shift;
    LLVMValueRef pair = pair_of(l, row, &shift);
    if (!pair) {
        LLVMBuildStore(l->b, value, l->in_loop->row[row]);
        return;
    }
    LLVMValueRef other = wl_lift_int(l, l->i64, UINT64_C(0xffffffff) << (32 - shift));
    LLVMValueRef rest = LLVMBuildAnd(l->b, LLVMBuildLoad2(l->b, l->i64, pair, ""), other, "");
    LLVMValueRef half = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, value, l->i64, ""), wl_lift_int(l, l->i64, shift), "");
    LLVMBuildStore(l->b, LLVMBuildOr(l->b, rest, half, ""), pair);
}

LLVMValueRef wl_pairs_load(struct wl_lift *l, unsigned row) {
    LLVMValueRef place = l->in_loop->pair[row];
    return place ? wl_lane_vector(l, LLVMBuildLoad2(l->b, l->i64, place, "")) : NULL;
}

bool wl_pairs_store(struct wl_lift *l, unsigned row, LLVMValueRef pair) {
    LLVMValueRef place = l->in_loop->pair[row];
    if (place)
        LLVMBuildStore(l->b, wl_lane_value(l, pair), place);
    return place != NULL;
}

/* i32: the value of an operand of a sum. */
static LLVMValueRef addend(struct wl_lift *l, const struct wl_item *item, unsigned source) {
    const struct wl_operand *op = &item->inst->operands[2 + source];
    return is_vgpr(op) ? wl_lane_value(l, wl_strip_row(l, op->reg)) : item->scalar[source];
}

void wl_pairs_sum_low(struct wl_lift *l, const struct wl_item *item, struct wl_pair_sum *sum) {
    *sum = (struct wl_pair_sum){.maker = item->inst};
    for (unsigned i = 0; i < 2; i++) {
        const struct wl_operand *op = &item->inst->operands[2 + i];
        sum->low[i] = addend(l, item, i);
        if (!is_vgpr(op) || op->reg + 1u >= WL_VGPR_COUNT || !wl_bit(l->in_loop->loop->rows, op->reg + 1))
            continue;
        sum->whole[i] = wl_lane_value(l, wl_strip_pair(l, op->reg));
        sum->high[i] = wl_strip_row(l, op->reg + 1);
    }
}

/* Whether `high`, an operand of the instruction for the high half, is in one pair with operand `source` of the one for the low half. */
static bool belongs(struct wl_lift *l, const struct wl_pair_sum *sum, unsigned source, const struct wl_operand *high) {
    const struct wl_operand *low = &sum->maker->operands[2 + source];
    return sum->whole[source] && is_vgpr(high) && high->reg == low->reg + 1u && wl_strip_row(l, high->reg) == sum->high[source];
}

static LLVMValueRef joined(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef up = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    return LLVMBuildOr(l->b, up, LLVMBuildZExt(l->b, low, l->i64, ""), "");
}

static LLVMValueRef index_value(struct wl_lift *l, const struct wl_index *known) {
    LLVMValueRef index = wl_lane_value(l, known->index);
    index = known->is_signed ? LLVMBuildSExt(l->b, index, l->i64, "") : LLVMBuildZExt(l->b, index, l->i64, "");
    return LLVMBuildAdd(l->b, LLVMBuildShl(l->b, index, wl_lift_int(l, l->i64, known->shift), ""), known->base, "");
}

/* It does not matter for the sum which high half goes with which low one; where they are of one pair, nothing has to be joined. */
LLVMValueRef wl_pairs_sum_high(struct wl_lift *l, const struct wl_item *item, const struct wl_index *known) {
    const struct wl_pair_sum *sum = &l->strip->pair_sum;
    const struct wl_operand *op = item->inst->operands;
    if (sum->maker != item->maker || op[0].reg != sum->maker->operands[0].reg + 1u)
        return NULL;
    if (known && known->base)
        return wl_lane_vector(l, index_value(l, known));
    bool crossed = belongs(l, sum, 0, &op[3]) || belongs(l, sum, 1, &op[2]);
    LLVMValueRef part[2];
    for (unsigned i = 0; i < 2; i++)
        part[i] = belongs(l, sum, i, &op[2 + (i ^ crossed)]) ? sum->whole[i] : joined(l, sum->low[i], addend(l, item, i ^ crossed));
    return wl_lane_vector(l, LLVMBuildAdd(l->b, part[0], part[1], ""));
}
