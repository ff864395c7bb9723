/* Loops that are run for one strip after the other (strip_loop.h), or for half of one.
 *
 * The loop's basic blocks are lifted as MASKED code for one strip, in either copy of a unit: registers are <16 x i32> allocas and masks
 * i32 ones, which passes turn into values; a strip takes them from the wave where it begins and leaves them there when it is
 * done. Where a round begins with few lanes, they go on one after the other (lift/forms/scalar_tail.c). The basic blocks are lifted as
 * parts of a wave too, since waves may resume within the loop; where those come to the header, they go on here. */
#include "base/assert.h"
#include "translate/lift/forms/loop_state.h"

#include "translate/lift/forms/loop.h"
#include "translate/lift/forms/strip.h"
#include "translate/lift/forms/workgroup.h"
#include "translate/lift/frame.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- masks ---- */

/* Clears all bits but those of the strip, which are the lowest ones; in the scalar tail all but bit 0, which is the one lane's. */
static LLVMValueRef own_bits(struct wl_lift *l, LLVMValueRef bits) {
    return LLVMBuildAnd(l->b, bits, wl_lift_int(l, l->i32, l->in_loop->lane ? 1 : (1u << l->strip_lanes) - 1), "");
}

/* The same for a mask_type. The result is an i32, since the host has no good instructions for fewer bits. */
static LLVMValueRef low_bits(struct wl_lift *l, LLVMValueRef mask) {
    return own_bits(l, l->wave_size == 64 ? LLVMBuildTrunc(l->b, mask, l->i32, "") : mask);
}

/* The strip's bits of a wave's mask, as i32. */
static LLVMValueRef slice(struct wl_lift *l, LLVMValueRef mask) {
    const struct wl_lift_loop *in = l->in_loop;
    LLVMValueRef shift = LLVMBuildTrunc(l->b, in->lane ? in->lane_in_wave : in->first_lane, l->mask_type, "");
    return low_bits(l, LLVMBuildLShr(l->b, mask, shift, ""));
}

static LLVMValueRef to_wave(struct wl_lift *l, LLVMValueRef bits) {
    return l->wave_size == 64 ? LLVMBuildZExt(l->b, bits, l->mask_type, "") : bits;
}

/* A wave's mask with this strip's bits replaced. */
static LLVMValueRef put_slice(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef bits) {
    LLVMValueRef shift = LLVMBuildTrunc(l->b, l->in_loop->first_lane, l->mask_type, "");
    LLVMValueRef hole = LLVMBuildNot(l->b, LLVMBuildShl(l->b, wl_lift_int(l, l->mask_type, (1u << l->strip_lanes) - 1), shift, ""), "");
    LLVMValueRef put = LLVMBuildShl(l->b, to_wave(l, bits), shift, "");
    return LLVMBuildOr(l->b, LLVMBuildAnd(l->b, mask, hole, ""), put, "");
}

static void settle(struct wl_lift *l, unsigned reg) {
    if (wl_region_mask_pending(l, reg))
        wl_lift_flush(l);
}

/* Masks lie in the host's mask registers where it has such, as <16 x i1>: from round to round they need not come out of them. */
static LLVMTypeRef mask_slot(const struct wl_lift *l) { return l->in_loop->vectors ? l->strip_i1 : l->i32; }

LLVMValueRef wl_loop_to_slot(struct wl_lift *l, bool vectors, LLVMValueRef bits) {
    return vectors ? LLVMBuildBitCast(l->b, LLVMBuildTrunc(l->b, bits, l->i16, ""), l->strip_i1, "") : bits;
}

LLVMValueRef wl_loop_from_slot(struct wl_lift *l, bool vectors, LLVMValueRef mask) {
    return vectors ? LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, mask, l->i16, ""), l->i32, "") : mask;
}

LLVMValueRef wl_loop_load_slot(struct wl_lift *l, unsigned reg) {
    settle(l, reg);
    return LLVMBuildLoad2(l->b, mask_slot(l), l->in_loop->mask[reg], "");
}

LLVMValueRef wl_loop_load_mask(struct wl_lift *l, unsigned reg) {
    return wl_loop_from_slot(l, l->in_loop->vectors, wl_loop_load_slot(l, reg));
}

/* Stores a mask in its variable. In EXEC the bits that stand for no lane, in half a strip, are cleared. Other masks may have such bits set
 * where masks are vectors. */
static void store_slot(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    wl_assert(l->in_loop->mask[reg]);
    if (reg == WL_SGPR_EXEC && l->in_loop->vectors && l->strip_lanes == WL_GROUP) {
        LLVMValueRef own[WL_STRIP];
        for (unsigned i = 0; i < WL_STRIP; i++)
            own[i] = LLVMConstInt(l->i1, i < WL_GROUP, false);
        mask = LLVMBuildAnd(l->b, mask, LLVMConstVector(own, WL_STRIP), "");
    }
    LLVMBuildStore(l->b, mask, l->in_loop->mask[reg]);
}

LLVMValueRef wl_loop_mask(struct wl_lift *l, unsigned reg) {
    settle(l, reg);
    if (!l->in_loop->mask[reg]) {
        l->status = wl_fail(WL_INTERNAL, "%s: scalar register %u is no mask of a strip", l->unit.request->name, reg);
        return LLVMConstNull(l->mask_type);
    }
    return to_wave(l, wl_loop_load_mask(l, reg));
}

void wl_loop_take_mask(struct wl_lift *l, unsigned reg, LLVMValueRef sum) {
    LLVMValueRef mask = LLVMBuildLoad2(l->b, l->mask_type, sum, "");
    settle(l, reg);
    if (reg == WL_SGPR_EXEC)
        wl_lift_flush(l); /* the vector region runs under the old EXEC */
    store_slot(l, reg, wl_loop_to_slot(l, l->in_loop->vectors, l->in_loop->vectors ? mask : low_bits(l, mask)));
}

/* Stores the result of logic on masks. `part`: it has no lanes that EXEC did not have, so that no bits have to be cleared. */
static void set_slot(struct wl_lift *l, unsigned reg, LLVMValueRef mask, bool part) {
    settle(l, reg);
    if (reg == WL_SGPR_EXEC)
        wl_lift_flush(l);
    if (part)
        LLVMBuildStore(l->b, mask, l->in_loop->mask[reg]);
    else
        store_slot(l, reg, l->in_loop->vectors ? mask : own_bits(l, mask));
}

static bool is_exec(const struct wl_operand *operand) { return operand->kind == WL_OPERAND_SGPR && operand->reg == WL_SGPR_EXEC; }

/* Whether the result of logic has no lanes that EXEC does not have. */
static bool narrows(const struct wl_mask_work *work) {
    return (work->logic == WL_MASK_AND && (is_exec(&work->a) || is_exec(&work->b))) ||
           (work->logic == WL_MASK_AND_NOT && is_exec(&work->a));
}

LLVMValueRef wl_loop_spread(struct wl_lift *l, LLVMValueRef mask) { return to_wave(l, slice(l, mask)); }

static LLVMValueRef operand_mask(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SGPR)
        return wl_loop_load_slot(l, operand->reg);
    LLVMValueRef constant = wl_lift_scalar_operand(l, operand, l->wave_size == 64 ? WL_U64 : WL_U32);
    return wl_loop_to_slot(l, l->in_loop->vectors, slice(l, constant));
}

/* Lifts an instruction that works on the strip's masks. */
static void mask_work(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_mask_work work;
    (void)wl_mask_work(inst, l->wave_size, &work);
    if (work.to == WL_SGPR_EXEC)
        wl_lift_flush(l);
    LLVMValueRef a = operand_mask(l, &work.a), b = operand_mask(l, &work.b), exec = wl_loop_load_slot(l, WL_SGPR_EXEC);
    LLVMValueRef result = wl_mask_combine(l, work.logic, a, b);
    if (work.to == WL_SGPR_EXEC && l->in_loop->stay)
        result = wl_rounds_still_on(l, exec);
    if (work.saves)
        set_slot(l, work.saved, work.saves_new ? result : exec, !work.saves_new || narrows(&work));
    set_slot(l, work.to, result, narrows(&work));
}

bool wl_loop_instruction(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    if (inst->on_strip_masks)
        mask_work(l, inst);
    else if (inst->aggregate && inst->aggregate != WL_AGGREGATE_STORE)
        wl_loop_aggregate(l, inst, effects);
    else
        return false;
    return true;
}

void wl_loop_step(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    bool scalar = inst->sem ? inst->sem->scalar : wl_inst_is_scalar(inst);
    if (!scalar || inst->on_strip_masks)
        return;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        bool touched =
            wl_bit(effects->touch.scalar, reg) || (l->wave_size == 64 && wl_bit(effects->touch.scalar, (reg + 1) % WL_SGPR_COUNT));
        if (touched && wl_bit(loop->masks, reg))
            LLVMBuildStore(l->b, wl_loop_to_slot(l, l->in_loop->vectors, slice(l, wl_lift_wide_scalar(l, reg))), l->in_loop->mask[reg]);
    }
}

/* ---- rows ---- */

static LLVMTypeRef row_type(const struct wl_lift *l) { return LLVMVectorType(l->i32, l->strip_lanes); }

/* The strip's lanes of a row, as the emitters see them, and as memory has them. */
static LLVMValueRef widened(struct wl_lift *l, LLVMValueRef value) {
    LLVMValueRef order[WL_STRIP];
    if (l->strip_lanes == WL_STRIP)
        return value;
    for (unsigned i = 0; i < WL_STRIP; i++)
        order[i] = wl_lift_int(l, l->i32, i);
    return LLVMBuildShuffleVector(l->b, value, LLVMConstNull(row_type(l)), LLVMConstVector(order, WL_STRIP), "");
}

static LLVMValueRef narrowed(struct wl_lift *l, LLVMValueRef value) {
    LLVMValueRef order[WL_GROUP];
    if (l->strip_lanes == WL_STRIP)
        return value;
    for (unsigned i = 0; i < WL_GROUP; i++)
        order[i] = wl_lift_int(l, l->i32, i);
    return LLVMBuildShuffleVector(l->b, value, LLVMGetPoison(LLVMTypeOf(value)), LLVMConstVector(order, WL_GROUP), "");
}

LLVMValueRef wl_loop_load_lanes(struct wl_lift *l, LLVMValueRef from) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, row_type(l), from, "");
    LLVMSetAlignment(value, 4 * l->strip_lanes);
    return widened(l, value);
}

static void store_lanes(struct wl_lift *l, LLVMValueRef value, LLVMValueRef to) {
    LLVMSetAlignment(LLVMBuildStore(l->b, narrowed(l, value), to), 4 * l->strip_lanes);
}

static LLVMValueRef load_row(struct wl_lift *l, unsigned row) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, l->strip_i32, l->in_loop->row[row], "");
    LLVMSetAlignment(value, 64);
    return value;
}

LLVMValueRef wl_loop_uniform(struct wl_lift *l, unsigned row) { return l->in_loop->uniform[row]; }

LLVMValueRef wl_loop_first_index(struct wl_lift *l, unsigned row) {
    const struct wl_lift_loop *in = l->in_loop;
    if (!in->head || row != in->loop->rounds.counter)
        return NULL;
    LLVMValueRef head = LLVMBuildLoad2(l->b, l->i32, in->head, "");
    return wl_bit(l->strip->row_dirty, row) ? LLVMBuildAdd(l->b, head, wl_lift_int(l, l->i32, in->loop->rounds.step), "") : head;
}

/* Writes a row's variable. Inactive lanes keep their old values if those are still used. */
static void store_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    if (l->in_loop->head && row == l->in_loop->loop->rounds.counter)
        LLVMBuildStore(l->b, wl_loop_first_index(l, row), l->in_loop->head);
    if (wl_bit(l->unit.live_after[l->region.end].inactive, row))
        value = LLVMBuildSelect(l->b, l->exec, value, load_row(l, row), "");
    LLVMSetAlignment(LLVMBuildStore(l->b, value, l->in_loop->row[row]), 64);
}

LLVMValueRef wl_loop_row_in_wave(struct wl_lift *l, unsigned row) {
    LLVMValueRef first = wl_lift_int(l, l->i64, offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4);
    LLVMValueRef offset = LLVMBuildShl(l->b, l->in_loop->first_lane, wl_lift_int(l, l->i64, 2), "");
    LLVMValueRef start = LLVMBuildGEP2(l->b, l->i8, l->in_loop->state, &first, 1, "");
    return LLVMBuildGEP2(l->b, l->i8, start, &offset, 1, "");
}

static void take_rows(struct wl_lift *l, LLVMValueRef exec) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    const struct wl_live *live = &l->unit.code->blocks[loop->header].live_in;
    LLVMValueRef bits[2] = {LLVMBuildZExt(l->b, slice(l, exec), l->i64, ""), LLVMConstInt(l->i1, 1, false)};
    LLVMValueRef lane = wl_lift_intrinsic(l, "llvm.cttz", &l->i64, 1, bits, 2);
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++) {
        if (!wl_bit(loop->rows, row))
            continue;
        LLVMValueRef value = LLVMConstNull(l->strip_i32);
        if (wl_bit(live->active, row) || wl_bit(live->inactive, row)) {
            LLVMValueRef from = wl_loop_row_in_wave(l, row);
            value = wl_loop_load_lanes(l, from);
            if (!wl_bit(loop->rows_written, row))
                l->in_loop->uniform[row] = LLVMBuildLoad2(l->b, l->i32, LLVMBuildGEP2(l->b, l->i32, from, &lane, 1, ""), "");
        }
        if (wl_bit(loop->rows_counting, row))
            l->in_loop->entered[row] = value;
        LLVMSetAlignment(LLVMBuildStore(l->b, value, l->in_loop->row[row]), 64);
    }
}

/* Stores the strip's rows to the wave. Their variables have right values for inactive lanes too, wherever those are still used. */
static void leave_rows(struct wl_lift *l, uint32_t block) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    const struct wl_live *live = &l->unit.code->blocks[block].live_in;
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(loop->rows_written, row) && (wl_bit(live->active, row) || wl_bit(live->inactive, row)))
            store_lanes(l, l->form->load_row(l, row), wl_loop_row_in_wave(l, row));
}

/* ---- the frame ---- */

static void make_slots(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (wl_bit(loop->rows, row))
            in->row[row] = wl_lift_alloca(l, l->strip_i32, 64, "row");
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(loop->masks, reg))
            continue;
        in->mask[reg] = wl_lift_alloca(l, mask_slot(l), 4, "mask");
        in->result[reg] = wl_lift_alloca(l, l->mask_type, 8, "masks");
        LLVMBuildStore(l->b, wl_lift_wide_scalar(l, reg), in->result[reg]);
    }
}

/* Whether a mask that the loop makes is used at a basic block. */
static bool mask_is_wanted(const struct wl_lift *l, unsigned reg, uint32_t block) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    bool wanted = false;
    for (unsigned i = 0; i < l->wave_size / 32; i++)
        wanted |= wl_bit(l->unit.code->blocks[block].live_in.scalar, reg + i) && wl_bit(loop->scalars_written, reg + i);
    return wl_bit(loop->masks, reg) && wanted && reg != WL_SGPR_EXEC;
}

/* Puts the strip's bits of a mask into the variable that gathers those of all strips. */
static void add_result(struct wl_lift *l, unsigned reg) {
    LLVMValueRef sum = LLVMBuildLoad2(l->b, l->mask_type, l->in_loop->result[reg], "");
    LLVMBuildStore(l->b, put_slice(l, sum, own_bits(l, wl_loop_load_mask(l, reg))), l->in_loop->result[reg]);
}

/* Whether a mask is known behind the loop, so that it need not be gathered from the strips: EXEC is 0 there, and the mask that collects the
 * lanes that have left has all lanes that entered. */
static bool is_known_behind(const struct wl_lift *l, unsigned reg, uint32_t block) {
    const struct wl_lift_loop *in = l->in_loop;
    if (block != in->loop->exit)
        return false;
    return reg == WL_SGPR_EXEC || (in->rounds && in->loop->rounds.collects && reg == in->loop->rounds.left && !in->yields);
}

/* Makes the wave's EXEC where a strip leaves in the middle of the loop, to let other waves run: the strips before this one are done and
 * have no active lanes; the strips behind it have not begun, and have the lanes that entered the loop. */
static void add_exec(struct wl_lift *l) {
    LLVMValueRef *to = &l->in_loop->result[WL_SGPR_EXEC], first = LLVMBuildTrunc(l->b, l->in_loop->first_lane, l->mask_type, "");
    LLVMValueRef behind = LLVMBuildShl(l->b, LLVMConstAllOnes(l->mask_type), first, "");
    LLVMBuildStore(l->b, LLVMBuildAnd(l->b, LLVMBuildLoad2(l->b, l->mask_type, *to, ""), behind, ""), *to);
    add_result(l, WL_SGPR_EXEC);
}

static void add_results(struct wl_lift *l, uint32_t block) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (mask_is_wanted(l, reg, block) && !is_known_behind(l, reg, block))
            add_result(l, reg);
    if (!is_known_behind(l, WL_SGPR_EXEC, block))
        add_exec(l);
}

/* The masks of all strips become the wave's scalars. */
static void leave_scalars(struct wl_lift *l, uint32_t block) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (mask_is_wanted(l, reg, block) && is_known_behind(l, reg, block))
            wl_lift_set_wide_scalar(l, reg, LLVMBuildOr(l->b, l->in_loop->before[reg], l->in_loop->before[WL_SGPR_EXEC], ""));
        else if (mask_is_wanted(l, reg, block))
            wl_lift_set_wide_scalar(l, reg, LLVMBuildLoad2(l->b, l->mask_type, l->in_loop->result[reg], ""));
    const bool none = is_known_behind(l, WL_SGPR_EXEC, block);
    wl_lift_set_wide_scalar(l, WL_SGPR_EXEC,
                            none ? LLVMConstNull(l->mask_type) : LLVMBuildLoad2(l->b, l->mask_type, l->in_loop->result[WL_SGPR_EXEC], ""));
}

/* From a wave of a workgroup to the workgroup, and back. */
static void leave_wave(struct wl_lift *l) {
    l->form = l->in_loop->outer;
    l->mask_type = LLVMVectorType(l->wave_mask, l->unit.workgroup_lanes / l->wave_size);
}

static void enter_wave(struct wl_lift *l, const struct wl_form *form) {
    l->form = form;
    l->mask_type = l->wave_mask;
}

/* The wave's masks become its part of the workgroup's. */
static void give_masks(struct wl_lift *l) {
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(l->in_loop->loop->masks, reg))
            wl_workgroup_give_mask(l, l->in_loop->workgroup, reg, wl_lift_wide_scalar(l, reg));
}

void wl_loop_yield(struct wl_lift *l, uint32_t block) {
    const struct wl_form *form = l->form;
    leave_rows(l, block);
    add_results(l, block);
    leave_scalars(l, block);
    if (!l->in_loop->workgroup) {
        wl_lift_exit_to_block(l, WL_EXIT_YIELD, block);
        return;
    }
    give_masks(l);
    leave_wave(l);
    wl_workgroup_split(l, block);
    enter_wave(l, form);
}

/* Opens the loop over strips: the builder is left where one with active lanes begins. `before`: scalars that it may change. */
static void begin(struct wl_lift *l, LLVMValueRef *before) {
    struct wl_lift_loop *in = l->in_loop;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b), run = wl_lift_ir_block(l, "run");
    in->strips = wl_lift_ir_block(l, "strips");
    in->latch = wl_lift_ir_block(l, "latch");
    in->done = wl_lift_ir_block(l, "done");
    LLVMValueRef exec = wl_lift_wide_scalar(l, WL_SGPR_EXEC), zero = LLVMConstNull(l->i64), *masks = in->before;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        masks[reg] = wl_bit(in->loop->masks, reg) ? wl_lift_wide_scalar(l, reg) : NULL;
    LLVMValueRef first_count = in->rounds ? wl_rounds_count(l, masks, zero) : NULL, count = NULL;
    LLVMBuildBr(l->b, in->strips);
    LLVMPositionBuilderAtEnd(l->b, in->strips);
    in->number = LLVMBuildPhi(l->b, l->i64, "strip");
    LLVMAddIncoming(in->number, &zero, &here, 1);
    if (first_count) {
        count = LLVMBuildPhi(l->b, l->i64, "count");
        LLVMAddIncoming(count, &first_count, &here, 1);
    }
    in->first_lane = LLVMBuildMul(l->b, in->number, wl_lift_int(l, l->i64, l->strip_lanes), "");
    in->of_all = in->number;
    in->first_of_all = in->first_lane;
    if (in->workgroup) {
        leave_wave(l);
        in->of_all = wl_workgroup_strip(l, 0, in->number);
        LLVMValueRef wave = LLVMBuildMul(l->b, wl_workgroup_strip(l, 0, zero), wl_lift_int(l, l->i64, WL_STRIP), "");
        in->first_of_all = LLVMBuildAdd(l->b, wave, in->first_lane, "");
        enter_wave(l, &wl_loop_form);
    }
    if (count) { /* the next strip's number of rounds is computed one strip early, so that the host knows it when that strip begins */
        LLVMValueRef next = LLVMBuildAdd(l->b, in->first_lane, wl_lift_int(l, l->i64, l->strip_lanes), "");
        next = LLVMBuildAnd(l->b, next, wl_lift_int(l, l->i64, l->wave_size - 1), "");
        LLVMValueRef next_count = wl_rounds_count(l, masks, next);
        LLVMAddIncoming(count, &next_count, &in->latch, 1);
    }
    LLVMValueRef none = LLVMBuildICmp(l->b, LLVMIntEQ, slice(l, exec), LLVMConstNull(l->i32), "");
    LLVMBuildCondBr(l->b, none, in->latch, run);
    LLVMPositionBuilderAtEnd(l->b, run);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (before[reg])
            LLVMBuildStore(l->b, before[reg], l->unit.sgpr[reg]);
        if (masks[reg])
            LLVMBuildStore(l->b, wl_loop_to_slot(l, l->in_loop->vectors, slice(l, masks[reg])), in->mask[reg]);
    }
    wl_strip_trace_first(l, in->first_of_all);
    take_rows(l, exec);
    if (count)
        wl_rounds_begin(l, count);
}

/* Lifts the loop's basic blocks for a strip: control flow within it goes to blocks of their own, out of it to `done`. */
static void lift_blocks(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    LLVMBasicBlockRef *outer = l->unit.ir_blocks, *own = calloc(l->unit.code->block_count + 1, sizeof(LLVMBasicBlockRef));
    const struct wl_block *block = l->unit.block;
    enum wl_mode mode = l->unit.mode;
    if (!own) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for blocks of a loop");
        return;
    }
    for (uint32_t i = 0; i < loop->count; i++)
        own[loop->blocks[i]] = wl_lift_ir_block(l, "round");
    own[loop->exit] = in->done;
    in->run = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, own[loop->header]);
    l->unit.ir_blocks = own;
    l->unit.mode = WL_MODE_MASKED;
    LLVMBasicBlockRef header = own[loop->header], round = header;
    const unsigned few = wl_strip_loop_few(l->unit.code, loop);
    if (few)
        round = wl_lanes_branch(l, header, few);
    for (uint32_t i = 0; i < loop->count && !l->status; i++) {
        in->occupied = loop->occupied[i];
        own[loop->header] = loop->blocks[i] == loop->header ? round : header;
        wl_lift_block(l, loop->blocks[i]);
    }
    if (round != header && !l->status)
        wl_lanes_lift(l, own);
    l->unit.ir_blocks = outer;
    l->unit.mode = mode;
    l->unit.block = block;
    free(own);
}

/* ---- the strip whose turn it is ---- */

LLVMValueRef wl_loop_enter_strip(struct wl_lift *l, LLVMBasicBlockRef after) {
    wl_assert(l->in_loop->mask[WL_SGPR_EXEC]);
    LLVMValueRef bits = wl_loop_load_mask(l, WL_SGPR_EXEC);
    if (!l->in_loop->occupied) {
        LLVMBasicBlockRef some = wl_lift_ir_block(l, "active");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, bits, LLVMConstNull(l->i32), ""), after, some);
        LLVMPositionBuilderAtEnd(l->b, some);
    }
    return bits;
}

static void emit(struct wl_lift *l, const struct wl_region_masks *masks) {
    LLVMBasicBlockRef after = wl_lift_ir_block(l, "after");
    l->strip = &l->region.strip_states[0];
    l->exec_bits = LLVMBuildTrunc(l->b, wl_loop_enter_strip(l, after), l->i16, "");
    l->exec = wl_lift_lanes(l, l->exec_bits, WL_STRIP);
    if (wl_region_has_accesses(l))
        wl_strip_trace_lanes(l, LLVMBuildZExt(l->b, l->exec_bits, l->i32, ""));
    wl_region_emit_strip(l, l->in_loop->number, masks);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
}

static void begin_strip(struct wl_lift *l) {
    l->strip->number = l->in_loop->of_all;
    l->strip->first_lane = l->in_loop->first_of_all;
}

static LLVMValueRef of_mask(struct wl_lift *l, LLVMValueRef mask) {
    return wl_lift_lanes(l, LLVMBuildTrunc(l->b, mask, l->i16, ""), WL_STRIP);
}

static void gather_mask(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef sum) {
    wl_strip_add_bits(l, LLVMBuildZExt(l->b, wl_strip_mask_bits(l, lanes), l->wave_mask, ""), sum);
}

void wl_loop_begin_block(struct wl_lift *l, uint32_t block) {
    if (l->unit.code->blocks[block].is_spin_header && !l->in_loop->loop->writes)
        wl_lift_spend_fuel(l, block);
    wl_lift_end_looks(l, block);
}

bool wl_loop_finish_exec(struct wl_lift *l) {
    if (l->unit.block->end != WL_BLOCK_EXEC)
        return false;
    LLVMBuildBr(l->b, wl_lift_ir_block_of(l, l->unit.block->next));
    return true;
}

static bool finish_block(struct wl_lift *l) { return l->unit.block->end == WL_BLOCK_CBRANCH ? wl_rounds_leave(l) : wl_loop_finish_exec(l); }

enum wl_gathers wl_loop_gathers(const struct wl_lift *l) {
    (void)l;
    return WL_GATHERS_BY_COUNT;
}

const struct wl_form wl_loop_form = {
    WL_FORM_OF_STRIPS,
    .begin_block = wl_loop_begin_block,
    .instruction = wl_loop_instruction,
    .step = wl_loop_step,
    .finish_block = finish_block,
    .yield = wl_loop_yield,
    .emit = emit,
    .begin_strip = begin_strip,
    .wants_mask = wl_strip_wants_mask,
    .gather_mask = gather_mask,
    .take_mask = wl_loop_take_mask,
    .load_row = load_row,
    .store_row = store_row,
    .join = wl_strip_join_rows,
    .half = wl_strip_half,
    .mask = wl_loop_mask,
    .spread = wl_loop_spread,
    .test_mask = wl_strip_test_mask,
    .of_mask = of_mask,
    .uniform = wl_loop_uniform,
    .first_index = wl_loop_first_index,
    .index_in_groups = wl_rounds_index_in_groups,
    .gathers = wl_loop_gathers,
};

/* ---- the loop ---- */

/* In a workgroup, opens the loop over its waves, each of which finds its masks in its scalar registers, and other scalars as they were. */
static LLVMBasicBlockRef begin_wave(struct wl_lift *l, LLVMValueRef *before) {
    struct wl_lift_loop *in = l->in_loop;
    in->state = l->wave;
    in->workgroup = l->workgroup;
    if (!in->workgroup) {
        l->form = &wl_loop_form;
        return NULL;
    }
    wl_workgroup_start_block(l, in->loop->header);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(in->loop->masks, reg))
            wl_workgroup_settle_mask(l, reg);
    LLVMBasicBlockRef latch = wl_workgroup_begin_waves(l, 1);
    in->state = wl_workgroup_state(l);
    enter_wave(l, &wl_loop_form);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (before[reg])
            LLVMBuildStore(l->b, before[reg], l->unit.sgpr[reg]);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        LLVMValueRef own = wl_bit(in->loop->masks, reg) ? wl_workgroup_take_wave(l, in->workgroup, reg) : NULL;
        if (!own)
            continue;
        wl_lift_set_wide_scalar(l, reg, own);
        for (unsigned i = 0; i < l->wave_size / 32; i++) /* what a strip begins with */
            if (before[reg + i])
                before[reg + i] = wl_lift_sgpr(l, reg + i);
    }
    return latch;
}

static void lift_strip_loop(struct wl_lift *l, const struct wl_strip_loop *loop) {
    wl_assert(!l->in_loop && wl_region_is_flushed(l));
    struct wl_lift_loop *in = calloc(1, sizeof *in);
    LLVMValueRef before[WL_SGPR_COUNT] = {NULL};
    if (!in) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for a loop");
        return;
    }
    in->loop = loop;
    in->outer = l->form;
    l->in_loop = in;
    LLVMPositionBuilderAtEnd(l->b, l->unit.ir_blocks[loop->header]);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(loop->scalars_written, reg) && l->unit.sgpr[reg])
            before[reg] = wl_lift_sgpr(l, reg);
    LLVMBasicBlockRef next_wave = begin_wave(l, before);
    wl_rounds_choose(l);
    make_slots(l);
    begin(l, before);
    lift_blocks(l);
    LLVMPositionBuilderAtEnd(l->b, in->done);
    leave_rows(l, loop->exit);
    add_results(l, loop->exit);
    LLVMBuildBr(l->b, in->latch);
    LLVMPositionBuilderAtEnd(l->b, in->latch);
    LLVMBasicBlockRef after = wl_lift_ir_block(l, "after");
    LLVMValueRef next = LLVMBuildAdd(l->b, in->number, wl_lift_int(l, l->i64, 1), "");
    LLVMAddIncoming(in->number, &next, &in->latch, 1);
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntULT, next, wl_lift_int(l, l->i64, l->wave_size / l->strip_lanes), "");
    LLVMBuildCondBr(l->b, more, in->strips, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    leave_scalars(l, loop->exit);
    if (in->workgroup) {
        give_masks(l);
        leave_wave(l);
        wl_workgroup_end_waves(l, next_wave);
    }
    l->form = in->outer;
    l->in_loop = NULL;
    l->strip_lanes = WL_STRIP;
    free(in);
}

void wl_lift_strip_loop(struct wl_lift *l, const struct wl_strip_loop *loop) {
    lift_strip_loop(l, loop);
    l->unit.block = &l->unit.code->blocks[loop->leave];
    l->form->go_without_lanes(l, loop->exit, loop->leave);
}
