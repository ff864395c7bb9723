/* Loops that are run strip by strip (lift/forms/loop.c) and whose lanes count up to a limit: how many rounds a strip makes, computed before
 * its first round; and whether the lanes' counters differ by known steps, so that what they address is consecutive. */
#include "translate/lift/forms/loop_state.h"
#include "translate/lift/frame.h"
#include "translate/lift/memory/memory.h"

/* For a row that the loop only counts up (rows_counting): the lanes, as the low bits of an i32, whose value is not that of the first lane
 * of their group of eight plus `step` for each lane behind it. These are the same lanes in all rounds, so that they are found once, before
 * the first round. NULL: the row is another one, or was asked about with another step. */
static LLVMValueRef lanes_apart(struct wl_lift *l, unsigned row, uint32_t step) {
    struct wl_lift_loop *in = l->in_loop;
    if (row >= WL_VGPR_COUNT || !in->entered[row] || (in->apart[row] && in->apart_step[row] != step))
        return NULL;
    if (in->apart[row])
        return in->apart[row];
    const struct wl_lift_place here = wl_lift_detour(l, in->run);
    LLVMValueRef expected = wl_lanes_group_expected(l, in->entered[row], step);
    LLVMValueRef differs = LLVMBuildICmp(l->b, LLVMIntNE, in->entered[row], expected, "");
    in->apart[row] = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, differs, l->i16, ""), l->i32, "");
    in->apart_step[row] = step;
    wl_lift_return(l, here);
    return in->apart[row];
}

/* An operand's value where the loop begins, as a vector of the strip's lanes. */
static LLVMValueRef begins_with_all(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_VGPR)
        return wl_loop_load_lanes(l, wl_loop_row_in_wave(l, operand->reg));
    return wl_strip_splat(l, wl_lift_scalar_operand(l, operand, WL_U32));
}

/* A vector of constants: `first` in the first lane of each group of eight, and `step` more in each lane behind it. */
static LLVMValueRef group_constants(struct wl_lift *l, uint64_t first, uint64_t step) {
    LLVMValueRef constants[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        constants[i] = wl_lift_int(l, l->i32, (uint32_t)(first + (i % WL_GROUP) * step));
    return LLVMConstVector(constants, WL_STRIP);
}

/* i32: the value of a row, or of an operand, in the strip's first lane before its first round. */
static LLVMValueRef begins_with_row(struct wl_lift *l, unsigned row) {
    return LLVMBuildLoad2(l->b, l->i32, wl_loop_row_in_wave(l, row), "");
}

static LLVMValueRef begins_with(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind != WL_OPERAND_VGPR)
        return wl_lift_scalar_operand(l, operand, WL_U32);
    return begins_with_row(l, operand->reg);
}

/* For the row that counts the loop's rounds, in half a strip: an i1, computed before the first round, whether in all rounds all active
 * lanes have the value of the first lane plus `step` for each lane behind it, without a wrap (of signed or unsigned numbers). NULL: it is
 * another row, or the question cannot be answered before the first round. */
static LLVMValueRef always_in_groups(struct wl_lift *l, unsigned row, uint32_t step, bool is_signed) {
    enum { MOST_LANE_STEP = 1 << 16 };
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    if (l->strip_lanes == WL_STRIP || !in->rounds || row != rounds->counter || is_signed != rounds->is_signed || step > MOST_LANE_STEP)
        return NULL;
    const struct wl_lift_place here = wl_lift_detour(l, in->run);
    /* After the first step, an active lane's counter is stepped only while it is below the limit; whoever asks may look at it before or
     * after a step. So it does not wrap if neither the limit nor its first value is near the largest number. */
    const uint64_t most = (rounds->is_signed ? INT32_MAX : UINT32_MAX) - 2 * (uint64_t)rounds->step - WL_STRIP * (uint64_t)step;
    LLVMIntPredicate above = rounds->is_signed ? LLVMIntSGT : LLVMIntUGT;
    LLVMValueRef first = begins_with_row(l, row);
    LLVMValueRef expected = LLVMBuildAdd(l->b, wl_strip_splat(l, first), group_constants(l, 0, step), "");
    LLVMValueRef bad =
        LLVMBuildICmp(l->b, LLVMIntNE, begins_with_all(l, &(struct wl_operand){.kind = WL_OPERAND_VGPR, .reg = row}), expected, "");
    bad = LLVMBuildOr(l->b, bad, LLVMBuildICmp(l->b, above, in->limit, group_constants(l, most, 0), ""), "");
    bad = LLVMBuildAnd(l->b, bad, LLVMBuildLoad2(l->b, l->strip_i1, in->mask[WL_SGPR_EXEC], ""), "");
    LLVMValueRef bits = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, bad, l->i16, ""), l->i32, "");
    bits =
        LLVMBuildOr(l->b, bits, LLVMBuildZExt(l->b, LLVMBuildICmp(l->b, above, first, wl_lift_int(l, l->i32, most), ""), l->i32, ""), "");
    LLVMValueRef good = LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstNull(l->i32), "");
    wl_lift_return(l, here);
    return good;
}

LLVMValueRef wl_rounds_index_in_groups(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step) {
    LLVMValueRef always = always_in_groups(l, lanes->index_source, step, lanes->index_signed);
    if (always)
        return always;
    LLVMValueRef apart = l->has_avx512 ? lanes_apart(l, lanes->index_source, step) : NULL;
    if (!apart)
        return NULL;
    LLVMValueRef exec = LLVMBuildZExt(l->b, wl_memory_mask(l), l->i32, "");
    if (step) {
        LLVMValueRef wrapped = LLVMBuildBitCast(l->b, wl_lanes_index_wraps(l, lanes, step), l->i16, "");
        apart = LLVMBuildOr(l->b, apart, LLVMBuildZExt(l->b, wrapped, l->i32, ""), "");
    }
    return LLVMBuildICmp(l->b, LLVMIntEQ, LLVMBuildAnd(l->b, apart, exec, ""), LLVMConstNull(l->i32), "");
}

static LLVMIntPredicate below(const struct wl_strip_rounds *rounds) {
    if (rounds->includes)
        return rounds->is_signed ? LLVMIntSLE : LLVMIntULE;
    return rounds->is_signed ? LLVMIntSLT : LLVMIntULT;
}

/* EXEC after a round. The value is the one that the loop's instructions compute, but made without a dependence on the round before, so that
 * no round waits for the comparison of the previous one. */
LLVMValueRef wl_rounds_still_on(struct wl_lift *l, LLVMValueRef exec) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    LLVMValueRef counter = l->form->load_row(l, rounds->counter);
    if (!rounds->ahead)
        counter = LLVMBuildSub(l->b, counter, group_constants(l, rounds->step, 0), "");
    LLVMValueRef on = LLVMBuildICmp(l->b, below(rounds), counter, in->limit, "");
    return LLVMBuildAnd(l->b, exec, LLVMBuildAnd(l->b, on, in->stay, ""), "");
}

/* The bits of a wave's mask from lane `first_lane` on, as an i32. */
static LLVMValueRef bits_at(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef first_lane) {
    LLVMValueRef shift = LLVMBuildTrunc(l->b, first_lane, l->mask_type, "");
    LLVMValueRef bits = LLVMBuildLShr(l->b, mask, shift, "");
    return l->wave_size == 64 ? LLVMBuildTrunc(l->b, bits, l->i32, "") : bits;
}

/* i64: in how many rounds the first lane of a strip is still active at the round's end. So many rounds are run without a look at EXEC: the
 * host could not predict the branch, and EXEC is known only behind slow gathers. Where lanes share a row of data and take its elements in
 * turn, the first lane mostly is among the last that leave. */
LLVMValueRef wl_rounds_count(struct wl_lift *l, LLVMValueRef *masks, LLVMValueRef first_lane) {
    const struct wl_strip_rounds *rounds = &l->in_loop->loop->rounds;
    LLVMValueRef own = l->in_loop->first_lane, zero = LLVMConstNull(l->i64), step = wl_lift_int(l, l->i64, rounds->step);
    l->in_loop->first_lane = first_lane;
    LLVMValueRef limit = begins_with(l, &rounds->limit), first = begins_with_row(l, rounds->counter);
    l->in_loop->first_lane = own;
    LLVMValueRef on = bits_at(l, masks[WL_SGPR_EXEC], first_lane);
    if (rounds->left)
        on = LLVMBuildAnd(l->b, on, LLVMBuildNot(l->b, bits_at(l, masks[rounds->left], first_lane), ""), "");
    on = LLVMBuildAnd(l->b, LLVMBuildTrunc(l->b, on, l->i1, ""), LLVMBuildICmp(l->b, below(rounds), first, limit, ""), "");
    LLVMValueRef left = LLVMBuildZExt(l->b, LLVMBuildSub(l->b, limit, first, ""), l->i64, "");
    left = LLVMBuildAdd(l->b, left, wl_lift_int(l, l->i64, rounds->step - !rounds->includes), "");
    left = LLVMBuildSub(l->b, LLVMBuildUDiv(l->b, left, step, ""), wl_lift_int(l, l->i64, rounds->ahead), "");
    return LLVMBuildSelect(l->b, on, left, zero, "");
}

void wl_rounds_begin(struct wl_lift *l, LLVMValueRef count) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    LLVMBuildStore(l->b, count, in->rounds);
    LLVMBuildStore(l->b, begins_with_row(l, rounds->counter), in->head);
    in->limit = begins_with_all(l, &rounds->limit);
    in->stay = rounds->left ? LLVMBuildNot(l->b, wl_loop_load_slot(l, rounds->left), "") : LLVMConstAllOnes(l->strip_i1);
}

bool wl_rounds_leave(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    if (!in->rounds || l->unit.block != &l->unit.code->blocks[in->loop->leave])
        return false;
    LLVMBasicBlockRef look = wl_lift_ir_block(l, "look");
    const uint32_t again = l->unit.block->target == in->loop->exit ? l->unit.block->next : l->unit.block->target;
    LLVMValueRef left = LLVMBuildLoad2(l->b, l->i64, in->rounds, ""), zero = LLVMConstNull(l->i64);
    LLVMBuildStore(l->b, LLVMBuildSub(l->b, left, wl_lift_int(l, l->i64, 1), ""), in->rounds);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntSGT, left, zero, ""), wl_lift_ir_block_of(l, again), look);
    LLVMPositionBuilderAtEnd(l->b, look);
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, wl_loop_load_mask(l, WL_SGPR_EXEC), LLVMConstNull(l->i32), "");
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, none, wl_lift_ir_block_of(l, in->loop->exit), wl_lift_ir_block_of(l, again)));
    return true;
}

/* The kind of fact that is known of an operand; of constants and scalars, which are the same in all lanes, WL_FACT_AFFINE. */
static enum wl_fact_kind kind_of(const struct wl_facts *facts, const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_VGPR ? facts->row[operand->reg].kind : WL_FACT_AFFINE;
}

/* Decides how the loop is run. Where each group of eight lanes shares a row of data, a strip is run as two halves, one after the other, so
 * that neither group makes rounds for the other one. */
void wl_rounds_choose(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_rounds *rounds = &in->loop->rounds;
    const struct wl_operand counter = {.kind = WL_OPERAND_VGPR, .reg = rounds->counter, .count = 1};
    struct wl_facts facts;
    const unsigned few = wl_strip_loop_few(l->unit.code, in->loop);
    in->vectors = l->has_avx512 && !in->loop->writes && few < WL_STRIP;
    for (uint32_t i = 0; i < in->loop->count; i++)
        in->yields |= l->unit.code->blocks[in->loop->blocks[i]].is_spin_header && !in->loop->writes;
    if (!rounds->known || !in->vectors || few || !l->unit.affine || !wl_bit(in->loop->rows_counting, rounds->counter))
        return;
    wl_affine_start(l->unit.affine, in->loop->header, WL_MODE_MASKED, &facts);
    const enum wl_fact_kind counts = kind_of(&facts, &counter), ends = kind_of(&facts, &rounds->limit);
    const bool halves = counts == WL_FACT_GROUPS && (ends == WL_FACT_GROUPS || ends == WL_FACT_AFFINE);
    l->strip_lanes = halves ? WL_GROUP : WL_STRIP;
    if (!halves && (counts != WL_FACT_AFFINE || ends != WL_FACT_AFFINE))
        return;
    in->rounds = wl_lift_alloca(l, l->i64, 8, "rounds");
    in->head = wl_lift_alloca(l, l->i32, 4, "head");
}
