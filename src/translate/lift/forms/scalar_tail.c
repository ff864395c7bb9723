/* The few lanes that a strip has left in a loop (lift/forms/loop.c), one after the other.
 *
 * A round of a strip takes as long for one active lane as for all: it has gathers, and a branch that waits for what they load. For one lane
 * the code is scalar, and the host predicts its branches and runs ahead. So where a round begins with few active lanes, each of these lanes
 * goes through the loop to its end, one lane after the other.
 *
 * The loop's basic blocks are lifted once more. Registers are i32 allocas and masks have one bit; the emitters see vectors of which lane 0
 * is the one at hand, and passes make scalars of them. Memory is accessed by scalars. */
#include "translate/lift/forms/loop_state.h"
#include "translate/lift/forms/strip.h"
#include "translate/lift/frame.h"
#include "translate/lift/marks.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include <stdlib.h>
#include <string.h>

/* What belongs to the strip while its lanes go through the loop one after the other. */
struct turns {
    LLVMValueRef strip_row[WL_VGPR_COUNT], strip_mask[WL_SGPR_COUNT]; /* lift/forms/loop.c's */
    LLVMValueRef place[WL_VGPR_COUNT];                                /* allocas: the strip's rows in memory */
    LLVMValueRef scalar[WL_SGPR_COUNT];                               /* i32: the values with which each lane begins */
    LLVMValueRef left, index;                                         /* i32: lanes whose turn is still to come; i64 */
    bool vectors;                                                     /* whether the strip's masks are vectors */
};

/* Whether an operand is a scalar, or a row, that the loop does not write. */
static bool stays(struct wl_lift *l, const struct wl_operand *op) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    if (op->kind == WL_OPERAND_VGPR)
        return wl_loop_uniform(l, op->reg) != NULL;
    bool changes = wl_bit(loop->scalars_written, op->reg) || wl_bit(loop->masks, op->reg) || wl_region_mask_pending(l, op->reg) ||
                   (l->wave_size == 64 && op->reg && wl_bit(loop->masks, op->reg - 1));
    return op->kind == WL_OPERAND_SGPR && !changes && l->unit.sgpr[op->reg];
}

static LLVMValueRef half(struct wl_lift *l, const struct wl_operand *op) {
    LLVMValueRef value = op->kind == WL_OPERAND_VGPR ? wl_loop_uniform(l, op->reg) : wl_lift_sgpr(l, op->reg);
    return LLVMBuildZExt(l->b, value, l->i64, "");
}

/* The i64 whose halves are two operands that the loop does not change: scalars, or rows that the caller knows to be the same in all active
 * lanes. It is computed once, before the first lane's turn. */
static LLVMValueRef base_of(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high) {
    struct wl_lift_loop *in = l->in_loop;
    if (!stays(l, low) || !stays(l, high))
        return NULL;
    for (unsigned i = 0; i < in->base_count; i++)
        if (in->bases[i].low_kind == low->kind && in->bases[i].low == low->reg && in->bases[i].high_kind == high->kind &&
            in->bases[i].high == high->reg)
            return in->bases[i].value;
    const struct wl_lift_place here = wl_lift_detour(l, in->few);
    LLVMValueRef up = LLVMBuildShl(l->b, half(l, high), wl_lift_int(l, l->i64, 32), "");
    LLVMValueRef base = LLVMBuildOr(l->b, up, half(l, low), "");
    wl_lift_return(l, here);
    if (in->base_count < WL_LANE_BASES)
        in->bases[in->base_count++] = (struct wl_lane_base){low->kind, high->kind, low->reg, high->reg, base};
    return base;
}

LLVMValueRef wl_lane_vector(struct wl_lift *l, LLVMValueRef element) {
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(element), WL_STRIP);
    return LLVMBuildInsertElement(l->b, LLVMConstNull(type), element, LLVMConstNull(l->i32), ""); /* nothing is poison: some look at all */
}

LLVMValueRef wl_lane_value(struct wl_lift *l, LLVMValueRef vector) {
    return LLVMBuildExtractElement(l->b, vector, LLVMConstNull(l->i32), "");
}

/* The register with the mask that a basic block, at its end, removes from EXEC, so that no active lane is in that mask. WL_SGPR_COUNT: the
 * basic block does not end so. */
static unsigned mask_taken_off(const struct wl_lift *l, const struct wl_block *block) {
    struct wl_regs written = {0};
    for (uint32_t n = block->count; n-- > 0;) {
        const struct wl_inst *inst = &l->unit.code->insts[block->first + n];
        struct wl_effects effects;
        struct wl_mask_work work;
        wl_inst_effects(inst, l->wave_size, &effects);
        if (wl_bit(effects.touch.scalar, WL_SGPR_EXEC)) {
            bool takes = inst->on_strip_masks && wl_mask_work(inst, l->wave_size, &work) && work.to == WL_SGPR_EXEC &&
                         work.logic == WL_MASK_AND_NOT && !work.saves && work.a.kind == WL_OPERAND_SGPR && work.a.reg == WL_SGPR_EXEC &&
                         work.b.kind == WL_OPERAND_SGPR && work.b.reg != WL_SGPR_EXEC;
            return takes && !wl_any_bit(written.scalar, work.b.reg, l->wave_size / 32) ? work.b.reg : WL_SGPR_COUNT;
        }
        for (unsigned i = 0; i < 2; i++)
            written.scalar[i] |= effects.touch.scalar[i];
    }
    return WL_SGPR_COUNT;
}

static bool leads_to(const struct wl_block *block, uint32_t to) { return block->next == to || block->target == to; }

/* Finds in->left. There is such a mask if a round can follow another only through the branch that leaves the loop, and all basic blocks
 * before that branch remove the same mask from EXEC. */
static void find_left(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    unsigned mask = WL_SGPR_COUNT;
    memset(in->left, 0, sizeof in->left);
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_block *block = &l->unit.code->blocks[loop->blocks[i]];
        if (leads_to(block, loop->header) && loop->blocks[i] != loop->leave)
            return;
        if (!leads_to(block, loop->leave))
            continue;
        unsigned taken = mask_taken_off(l, block);
        if (taken == WL_SGPR_COUNT || (mask != WL_SGPR_COUNT && mask != taken))
            return;
        mask = taken;
    }
    if (mask != WL_SGPR_COUNT && loop->leave != loop->header && wl_bit(loop->masks, mask))
        wl_set(in->left, mask);
}

LLVMBasicBlockRef wl_lanes_branch(struct wl_lift *l, LLVMBasicBlockRef header, unsigned most) {
    struct wl_lift_loop *in = l->in_loop;
    LLVMBasicBlockRef round = wl_lift_ir_block(l, "round");
    in->few = wl_lift_ir_block(l, "few");
    LLVMPositionBuilderAtEnd(l->b, header);
    LLVMValueRef exec = wl_loop_load_mask(l, WL_SGPR_EXEC);
    LLVMValueRef lanes = wl_lift_intrinsic(l, "llvm.ctpop", &l->i32, 1, &exec, 1);
    LLVMValueRef few = LLVMBuildICmp(l->b, LLVMIntULE, lanes, wl_lift_int(l, l->i32, most), "");
    find_left(l);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(in->left, reg))
            continue;
        LLVMValueRef both = LLVMBuildAnd(l->b, exec, wl_loop_load_mask(l, reg), "");
        few = LLVMBuildAnd(l->b, few, LLVMBuildICmp(l->b, LLVMIntEQ, both, LLVMConstNull(l->i32), ""), "");
    }
    LLVMBuildCondBr(l->b, few, in->few, round);
    return round;
}

/* Whether a register is used at a basic block by lanes of the strip. */
static bool is_live(const struct wl_lift *l, uint32_t block, unsigned row) {
    const struct wl_live *live = &l->unit.code->blocks[block].live_in;
    return wl_bit(live->active, row) || wl_bit(live->inactive, row);
}

/* Whether the strip's row has to be as its lanes leave it. */
static bool is_left(const struct wl_lift *l, unsigned row) {
    return wl_bit(l->in_loop->loop->rows_written, row) && is_live(l, l->in_loop->loop->exit, row);
}

static LLVMValueRef place_of(struct wl_lift *l, const struct turns *t, unsigned row) {
    LLVMValueRef index = t->index;
    return LLVMBuildGEP2(l->b, l->i32, t->place[row], &index, 1, "");
}

static LLVMValueRef load_row(struct wl_lift *l, LLVMValueRef from) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, l->strip_i32, from, "");
    LLVMSetAlignment(value, 64);
    return value;
}

/* The strip's masks while its lanes have their turns, as i32. */
static LLVMValueRef load_mask(struct wl_lift *l, const struct turns *t, unsigned reg) {
    return wl_loop_from_slot(l, t->vectors, LLVMBuildLoad2(l->b, t->vectors ? l->strip_i1 : l->i32, t->strip_mask[reg], ""));
}

static void store_mask(struct wl_lift *l, const struct turns *t, unsigned reg, LLVMValueRef mask) {
    LLVMBuildStore(l->b, wl_loop_to_slot(l, t->vectors, mask), t->strip_mask[reg]);
}

/* Opens the loop over the lanes. Each lane's turn begins with the values that the strip has here. */
static void put_down(struct wl_lift *l, struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    t->vectors = in->vectors;
    in->vectors = false;
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++) {
        t->strip_row[row] = in->row[row];
        if (!wl_bit(in->loop->rows, row))
            continue;
        t->place[row] = wl_lift_alloca(l, l->strip_i32, 64, "place");
        LLVMSetAlignment(LLVMBuildStore(l->b, load_row(l, in->row[row]), t->place[row]), 64);
        wl_pairs_make_row(l, row);
    }
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        t->strip_mask[reg] = in->mask[reg];
        if (wl_bit(in->loop->masks, reg))
            in->mask[reg] = wl_lift_alloca(l, l->i32, 4, "bit");
        if (wl_bit(in->loop->scalars_written, reg) && l->unit.sgpr[reg])
            t->scalar[reg] = wl_lift_sgpr(l, reg);
    }
}

static void begin_turn(struct wl_lift *l, const struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (t->scalar[reg])
            LLVMBuildStore(l->b, t->scalar[reg], l->unit.sgpr[reg]);
        if (!wl_bit(in->loop->masks, reg))
            continue;
        LLVMValueRef bit = LLVMBuildLShr(l->b, load_mask(l, t, reg), LLVMBuildTrunc(l->b, t->index, l->i32, ""), "");
        LLVMBuildStore(l->b, LLVMBuildAnd(l->b, bit, wl_lift_int(l, l->i32, 1), ""), in->mask[reg]);
    }
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++) {
        if (!wl_bit(in->loop->rows, row))
            continue;
        bool starts = is_live(l, in->loop->header, row) || is_left(l, row);
        if (in->pair[row])
            LLVMBuildStore(l->b, LLVMConstNull(l->i64), in->pair[row]);
        wl_pairs_store_row(l, row, starts ? LLVMBuildLoad2(l->b, l->i32, place_of(l, t, row), "") : LLVMConstNull(l->i32));
    }
}

static void end_turn(struct wl_lift *l, const struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    LLVMValueRef shift = LLVMBuildTrunc(l->b, t->index, l->i32, "");
    LLVMValueRef others = LLVMBuildNot(l->b, LLVMBuildShl(l->b, wl_lift_int(l, l->i32, 1), shift, ""), "");
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(in->loop->masks, reg))
            continue;
        LLVMValueRef mask = LLVMBuildAnd(l->b, load_mask(l, t, reg), others, "");
        LLVMValueRef bit = LLVMBuildShl(l->b, LLVMBuildLoad2(l->b, l->i32, in->mask[reg], ""), shift, "");
        store_mask(l, t, reg, LLVMBuildOr(l->b, mask, bit, ""));
    }
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (is_left(l, row))
            LLVMBuildStore(l->b, wl_pairs_load_row(l, row), place_of(l, t, row));
}

static void take_up(struct wl_lift *l, const struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    memcpy(in->row, t->strip_row, sizeof in->row);
    memcpy(in->mask, t->strip_mask, sizeof in->mask);
    in->vectors = t->vectors;
    memset(in->pair, 0, sizeof in->pair);
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (is_left(l, row))
            LLVMSetAlignment(LLVMBuildStore(l->b, load_row(l, t->place[row]), in->row[row]), 64);
}

static void lift_blocks(struct wl_lift *l, LLVMBasicBlockRef *own, LLVMBasicBlockRef end) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    LLVMBasicBlockRef *outer = l->unit.ir_blocks;
    for (uint32_t i = 0; i < loop->count; i++)
        own[loop->blocks[i]] = wl_lift_ir_block(l, "alone");
    own[loop->exit] = end;
    LLVMBuildBr(l->b, own[loop->header]);
    l->unit.ir_blocks = own;
    for (uint32_t i = 0; i < loop->count && !l->status; i++) {
        in->occupied = loop->occupied[i];
        LLVMPositionBuilderAtEnd(l->b, own[loop->blocks[i]]);
        if (in->occupied) /* EXEC has a lane here, which can only be this one */
            LLVMBuildStore(l->b, wl_lift_int(l, l->i32, 1), in->mask[WL_SGPR_EXEC]);
        for (unsigned reg = 0; reg < WL_SGPR_COUNT && loop->blocks[i] == loop->header; reg++)
            if (wl_bit(in->left, reg))
                LLVMBuildStore(l->b, LLVMConstNull(l->i32), in->mask[reg]);
        wl_lift_block(l, loop->blocks[i]);
    }
    l->unit.ir_blocks = outer;
}

/* ---- the form ---- */

static void emit(struct wl_lift *l, const struct wl_region_masks *masks) {
    LLVMBasicBlockRef after = wl_lift_ir_block(l, "after");
    LLVMValueRef lanes[WL_STRIP];
    l->strip = &l->region.strip_states[0];
    (void)wl_loop_enter_strip(l, after);
    for (unsigned i = 0; i < WL_STRIP; i++) /* code is entered only by a lane that is active */
        lanes[i] = LLVMConstInt(l->i1, i == 0, false);
    l->exec = LLVMConstVector(lanes, WL_STRIP);
    l->exec_bits = wl_lift_int(l, l->i16, 1);
    if (wl_region_has_accesses(l))
        wl_strip_trace_lanes(l, l->in_loop->lane_bit);
    wl_region_emit_strip(l, l->in_loop->number, masks);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
}

static void begin_strip(struct wl_lift *l) {
    l->strip->number = l->in_loop->of_all;
    l->strip->first_lane = l->in_loop->lane;
}

static LLVMValueRef lane_row(struct wl_lift *l, unsigned row) { return wl_lane_vector(l, wl_pairs_load_row(l, row)); }

static void store_row(struct wl_lift *l, unsigned row, LLVMValueRef value) { wl_pairs_store_row(l, row, wl_lane_value(l, value)); }

static LLVMValueRef join(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef upper = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, wl_lane_value(l, high), l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    return wl_lane_vector(l, LLVMBuildOr(l->b, upper, LLVMBuildZExt(l->b, wl_lane_value(l, low), l->i64, ""), ""));
}

static LLVMValueRef half_of_pair(struct wl_lift *l, LLVMValueRef pair, bool high) {
    LLVMValueRef half = LLVMBuildLShr(l->b, wl_lane_value(l, pair), wl_lift_int(l, l->i64, high ? 32 : 0), "");
    return wl_lane_vector(l, LLVMBuildTrunc(l->b, half, l->i32, ""));
}

static LLVMValueRef of_mask(struct wl_lift *l, LLVMValueRef mask) { return wl_lane_vector(l, LLVMBuildTrunc(l->b, mask, l->i1, "")); }

static void gather_mask(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef sum) {
    LLVMBuildStore(l->b, LLVMBuildZExt(l->b, wl_lane_value(l, lanes), l->wave_mask, ""), sum);
}

static void move_element(struct wl_lift *l, const struct wl_access *a, LLVMValueRef address, LLVMValueRef *rows) {
    LLVMValueRef words[WL_MAX_ROWS];
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, a->bits);
    const bool store = a->kind == WL_ACCESS_STORE;
    for (unsigned d = 0; store && d < a->dwords; d++)
        words[d] = wl_lane_value(l, rows[d]);
    if (store && a->bits < 32) {
        wl_memory_store(l, LLVMBuildTrunc(l->b, words[0], type, ""), address, a->is_volatile);
    } else if (store) {
        wl_memory_store_words(l, address, a->dwords, a->is_volatile, words);
    } else if (a->bits < 32) {
        LLVMValueRef value = wl_memory_load(l, type, address, a->is_volatile);
        words[0] = a->sign ? LLVMBuildSExt(l->b, value, l->i32, "") : LLVMBuildZExt(l->b, value, l->i32, "");
    } else {
        wl_memory_load_words(l, address, a->dwords, a->is_volatile, words);
    }
    for (unsigned d = 0; !store && d < a->dwords; d++)
        rows[d] = wl_lane_vector(l, words[d]);
}

/* At `offset` of a lane's private memory. `aligned`: the offset is known to be a multiple of four. */
static void move_private_at(struct wl_lift *l, const struct wl_access *a, LLVMValueRef base, LLVMValueRef offset, bool aligned,
                            LLVMValueRef *rows) {
    const unsigned bytes = a->bits < 32 ? a->bits / 8 : 4;
    LLVMValueRef first = l->strip->first_lane;
    if (aligned)
        offset = LLVMBuildAnd(l->b, offset, wl_lift_int(l, l->i32, ~3u), "");
    for (unsigned d = 0; d < a->dwords; d++) {
        LLVMValueRef at = d ? LLVMBuildAdd(l->b, offset, wl_lift_int(l, l->i32, UINT64_C(4) * d), "") : offset;
        if (a->kind == WL_ACCESS_STORE) {
            wl_private_store(l, base, at, first, wl_lane_value(l, rows[d]), bytes, a->is_volatile);
            continue;
        }
        LLVMValueRef value = wl_private_load(l, base, at, first, bytes, a->is_volatile);
        if (bytes < 4) {
            value = LLVMBuildTrunc(l->b, value, LLVMIntTypeInContext(l->context, a->bits), "");
            value = a->sign ? LLVMBuildSExt(l->b, value, l->i32, "") : LLVMBuildZExt(l->b, value, l->i32, "");
        }
        rows[d] = wl_lane_vector(l, value);
    }
}

static void move_private(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMValueRef offset = lanes->scalar_offset ? lanes->scalar_offset : wl_lane_value(l, lanes->offset), slow[WL_MAX_ROWS];
    if (a->bits < 32) {
        move_private_at(l, a, lanes->base, offset, false, rows);
        return;
    }
    LLVMBasicBlockRef way[2] = {wl_memory_block(l, "aligned"), wl_memory_block(l, WL_COLD_BLOCK)}, done = wl_memory_block(l, "moved");
    LLVMValueRef low = LLVMBuildAnd(l->b, offset, wl_lift_int(l, l->i32, 3), "");
    LLVMValueRef whole = LLVMBuildICmp(l->b, LLVMIntEQ, low, LLVMConstNull(l->i32), "");
    memcpy(slow, rows, a->dwords * sizeof *slow);
    wl_memory_mark_likely(l, LLVMBuildCondBr(l->b, whole, way[0], way[1]));
    for (unsigned i = 0; i < 2; i++) {
        LLVMPositionBuilderAtEnd(l->b, way[i]);
        move_private_at(l, a, lanes->base, offset, i == 0, i ? slow : rows);
        way[i] = LLVMGetInsertBlock(l->b);
        LLVMBuildBr(l->b, done);
    }
    LLVMPositionBuilderAtEnd(l->b, done);
    for (unsigned d = 0; d < a->dwords && a->kind == WL_ACCESS_LOAD; d++) {
        LLVMValueRef values[2] = {rows[d], slow[d]};
        rows[d] = LLVMBuildPhi(l->b, l->strip_i32, "");
        LLVMAddIncoming(rows[d], values, way, 2);
    }
}

static LLVMValueRef atomic_operand(struct wl_lift *l, const struct wl_access *a, const LLVMValueRef *rows, unsigned i) {
    return wl_lane_value(l, a->dwords == 2 ? join(l, rows[2 * i], rows[2 * i + 1]) : rows[i]);
}

static void do_atomic(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    LLVMValueRef data = atomic_operand(l, a, rows, 0);
    LLVMValueRef compared = a->atomic == WL_ATOMIC_CMPSWAP ? atomic_operand(l, a, rows, 1) : NULL;
    LLVMValueRef old = wl_atomic_at(l, a, wl_lanes_address(l, lanes, LLVMConstInt(l->i32, 0, false)), data, compared);
    for (unsigned d = 0; d < a->dwords; d++) {
        LLVMValueRef dword = d ? LLVMBuildLShr(l->b, old, LLVMConstInt(l->i64, 32, false), "") : old;
        rows[d] = wl_lane_vector(l, LLVMBuildTruncOrBitCast(l->b, dword, l->i32, ""));
    }
}

/* By scalars. */
static bool access_element(struct wl_lift *l, const struct wl_access *a, const struct wl_lanes *lanes, LLVMValueRef *rows) {
    if (a->kind == WL_ACCESS_ATOMIC)
        do_atomic(l, a, lanes, rows);
    else if (a->place == WL_PLACE_PRIVATE)
        move_private(l, a, lanes, rows);
    else
        move_element(l, a, wl_lanes_address(l, lanes, LLVMConstInt(l->i32, 0, false)), rows);
    return true;
}

const struct wl_form wl_tail_form = {
    WL_FORM_OF_STRIPS,
    .begin_block = wl_loop_begin_block,
    .instruction = wl_loop_instruction,
    .step = wl_loop_step,
    .finish_block = wl_loop_finish_exec,
    .yield = wl_loop_yield,
    .emit = emit,
    .begin_strip = begin_strip,
    .wants_mask = wl_strip_wants_mask,
    .gather_mask = gather_mask,
    .take_mask = wl_loop_take_mask,
    .load_row = lane_row,
    .store_row = store_row,
    .load_pair = wl_pairs_load,
    .store_pair = wl_pairs_store,
    .join = join,
    .half = half_of_pair,
    .mask = wl_loop_mask,
    .spread = wl_loop_spread,
    .test_mask = wl_strip_test_mask,
    .of_mask = of_mask,
    .uniform = wl_loop_uniform,
    .first_index = wl_loop_first_index,
    .base = base_of,
    .sum_low = wl_pairs_sum_low,
    .sum_high = wl_pairs_sum_high,
    .access = access_element,
    .gathers = wl_loop_gathers,
};

/* ---- the turns ---- */

void wl_lanes_lift(struct wl_lift *l, const LLVMBasicBlockRef *ir_blocks) {
    struct wl_lift_loop *in = l->in_loop;
    struct turns *t = calloc(1, sizeof *t);
    LLVMBasicBlockRef *own = calloc(l->unit.code->block_count + 1, sizeof(LLVMBasicBlockRef));
    if (!t || !own) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for blocks of a loop");
        free(t);
        free(own);
        return;
    }
    LLVMBasicBlockRef turn = wl_lift_ir_block(l, "turn"), end = wl_lift_ir_block(l, "turned"), all = wl_lift_ir_block(l, "all");
    LLVMPositionBuilderAtEnd(l->b, in->few);
    put_down(l, t);
    LLVMValueRef exec = load_mask(l, t, WL_SGPR_EXEC);
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, exec, LLVMConstNull(l->i32), "");
    LLVMBuildCondBr(l->b, none, all, turn);
    LLVMPositionBuilderAtEnd(l->b, turn);
    t->left = LLVMBuildPhi(l->b, l->i32, "left");
    LLVMAddIncoming(t->left, &exec, &in->few, 1);
    LLVMValueRef arguments[2] = {t->left, LLVMConstInt(l->i1, 1, false)};
    t->index = LLVMBuildZExt(l->b, wl_lift_intrinsic(l, "llvm.cttz", &l->i32, 1, arguments, 2), l->i64, "");
    begin_turn(l, t);
    in->lane = LLVMBuildAdd(l->b, in->first_of_all, t->index, "");
    in->lane_bit = LLVMBuildShl(l->b, wl_lift_int(l, l->i32, 1), LLVMBuildTrunc(l->b, t->index, l->i32, ""), "");
    in->lane_in_wave = LLVMBuildAdd(l->b, in->first_lane, t->index, "");
    l->form = &wl_tail_form;
    lift_blocks(l, own, end);
    l->form = &wl_loop_form;
    in->lane = NULL;
    LLVMPositionBuilderAtEnd(l->b, end);
    end_turn(l, t);
    LLVMValueRef left = LLVMBuildAnd(l->b, t->left, LLVMBuildSub(l->b, t->left, wl_lift_int(l, l->i32, 1), ""), "");
    LLVMAddIncoming(t->left, &left, &end, 1);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, left, LLVMConstNull(l->i32), ""), all, turn);
    LLVMPositionBuilderAtEnd(l->b, all);
    take_up(l, t);
    LLVMBuildBr(l->b, ir_blocks[in->loop->exit]);
    free(t);
    free(own);
}
