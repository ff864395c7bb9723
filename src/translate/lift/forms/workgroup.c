/* Workgroup mode: all waves of a workgroup as one (analysis/workgroup.h).
 *
 * One function has the FULL and the MASKED form of each basic block; a change of EXEC is a branch between them, a barrier one to the next
 * basic block. Masks are vectors of the waves' masks, in variables beside the scalar registers that hold them in a wave. A plain
 * write to such a register goes to both, so that what is read as a mask always is one. */
#include "translate/lift/forms/workgroup.h"
#include "base/assert.h"
#include "translate/lift/forms/strip.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "translate/analysis/workgroup.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct wl_lift_workgroup {
    struct wl_workgroup *found;
    LLVMValueRef mask[WL_SGPR_COUNT];                 /* variables of mask_type, by first register */
    uint64_t now[2];                                  /* scalar registers that may hold masks, at the instruction at hand */
    LLVMBasicBlockRef *ir_blocks[WL_MODE_MASKED + 1]; /* by mode and basic block */
    LLVMValueRef made[WL_SGPR_COUNT];                 /* variables, by wave: masks that a loop over the waves makes */
    LLVMValueRef wave, exec;                          /* i64: the one at hand in such a loop; its EXEC in MASKED code */
    unsigned step;                                    /* waves side by side in it */
    LLVMValueRef state[WL_STRIPS_ABREAST];            /* their struct wl_wave */
    LLVMBasicBlockRef before;                         /* that loop's */
};

/* ---- masks ---- */

static unsigned first_of(const struct wl_lift *l, unsigned reg) { return l->wave_size == 64 ? reg & ~1u : reg; }

static unsigned waves_of(const struct wl_lift *l) { return l->unit.workgroup_lanes / l->wave_size; }

static LLVMValueRef spread(struct wl_lift *l, LLVMValueRef mask) {
    LLVMValueRef poison = LLVMGetPoison(l->mask_type), zeros = LLVMConstNull(LLVMVectorType(l->i32, waves_of(l)));
    LLVMValueRef one = LLVMBuildInsertElement(l->b, poison, mask, LLVMConstNull(l->i32), "");
    return LLVMBuildShuffleVector(l->b, one, poison, zeros, "");
}

static LLVMValueRef load_mask(struct wl_lift *l, unsigned reg) {
    if (wl_region_mask_pending(l, reg))
        wl_lift_flush(l);
    if (!wl_bit(l->workgroup->now, reg) || !l->workgroup->mask[reg])
        return spread(l, wl_lift_wide_scalar(l, reg));
    return LLVMBuildLoad2(l->b, l->mask_type, l->workgroup->mask[reg], "");
}

static void set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    if (wl_region_mask_pending(l, reg) || reg == WL_SGPR_EXEC)
        wl_lift_flush(l); /* the vector region runs under the old EXEC */
    if (l->workgroup->mask[reg])
        LLVMBuildStore(l->b, mask, l->workgroup->mask[reg]);
    else if (!l->status)
        l->status = wl_fail(WL_INTERNAL, "%s: scalar register %u is no mask in workgroup mode", l->unit.request->name, reg);
}

/* A plain write to a scalar register that may hold a mask. */
static void scalar_written(struct wl_lift *l, unsigned reg, LLVMValueRef value) {
    (void)value;
    unsigned first = first_of(l, reg);
    if (l->workgroup->mask[first] && first != WL_SGPR_EXEC)
        LLVMBuildStore(l->b, spread(l, wl_lift_wide_scalar(l, first)), l->workgroup->mask[first]);
}

/* ---- loops over the waves ---- */

/* A wave's word of a variable. */
static LLVMValueRef word_of(struct wl_lift *l, LLVMValueRef variable, LLVMValueRef wave) {
    return LLVMBuildGEP2(l->b, l->wave_mask, variable, &wave, 1, "");
}

static LLVMValueRef state_of(struct wl_lift *l, LLVMValueRef wave) {
    LLVMValueRef stride = wl_lift_wave_field(l, offsetof(struct wl_wave, workgroup_stride), l->i64);
    LLVMValueRef offset = LLVMBuildMul(l->b, wave, stride, "");
    return LLVMBuildGEP2(l->b, l->i8, l->wave, &offset, 1, "");
}

LLVMValueRef wl_workgroup_state(struct wl_lift *l) { return l->workgroup->state[0]; }

static LLVMValueRef state_anywhere(struct wl_lift *l, unsigned wave) { return state_of(l, wl_lift_int(l, l->i64, wave)); }

/* With l->unit.row_slots the waves' code stands one behind the other, each wave's between these two: the wave's number is a constant. The
 * first function returns the block behind the wave's code, which the second is given. */
static LLVMBasicBlockRef begin_wave(struct wl_lift *l, unsigned wave) {
    wl_assert(!l->workgroup->wave && wave < waves_of(l));
    struct wl_lift_workgroup *workgroup = l->workgroup;
    LLVMBasicBlockRef some = wl_lift_ir_block(l, "wave"), after = wl_lift_ir_block(l, "after");
    workgroup->wave = wl_lift_int(l, l->i64, wave);
    if (!wave)
        workgroup->before = LLVMGetInsertBlock(l->b);
    if (l->unit.mode == WL_MODE_MASKED) {
        workgroup->exec = LLVMBuildExtractElement(l->b, wl_lift_exec(l), workgroup->wave, "");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, workgroup->exec, LLVMConstNull(l->wave_mask), ""), after, some);
    } else {
        LLVMBuildBr(l->b, some);
    }
    LLVMPositionBuilderAtEnd(l->b, some);
    return after;
}

static void end_wave(struct wl_lift *l, LLVMBasicBlockRef after) {
    wl_assert(l->workgroup->wave);
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    l->workgroup->wave = l->workgroup->exec = NULL;
}

LLVMBasicBlockRef wl_workgroup_begin_waves(struct wl_lift *l, unsigned step) {
    wl_assert(!l->workgroup->wave && step > 0 && step * l->strips <= WL_STRIPS_ABREAST);
    struct wl_lift_workgroup *workgroup = l->workgroup;
    LLVMBasicBlockRef header = wl_lift_ir_block(l, "waves"), latch = wl_lift_ir_block(l, "wave");
    LLVMValueRef zero = LLVMConstNull(l->i64), exec = NULL;
    if (l->unit.mode == WL_MODE_MASKED) {
        exec = wl_lift_alloca(l, l->mask_type, 64, "exec");
        LLVMSetAlignment(LLVMBuildStore(l->b, wl_lift_exec(l), exec), 64);
    }
    workgroup->before = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, header);
    LLVMPositionBuilderAtEnd(l->b, header);
    workgroup->wave = LLVMBuildPhi(l->b, l->i64, "w");
    LLVMAddIncoming(workgroup->wave, &zero, &workgroup->before, 1);
    workgroup->step = step;
    for (unsigned i = 0; i < step; i++)
        workgroup->state[i] = state_of(l, LLVMBuildAdd(l->b, workgroup->wave, wl_lift_int(l, l->i64, i), ""));
    if (exec) {
        LLVMBasicBlockRef some = wl_lift_ir_block(l, "lanes");
        workgroup->exec = LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, exec, workgroup->wave), "");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, workgroup->exec, LLVMConstNull(l->wave_mask), ""), latch, some);
        LLVMPositionBuilderAtEnd(l->b, some);
    }
    return latch;
}

void wl_workgroup_end_waves(struct wl_lift *l, LLVMBasicBlockRef latch) {
    wl_assert(l->workgroup->wave && l->workgroup->step > 0);
    struct wl_lift_workgroup *workgroup = l->workgroup;
    LLVMBasicBlockRef after = wl_lift_ir_block(l, "after"), header = LLVMGetInstructionParent(workgroup->wave);
    LLVMBuildBr(l->b, latch);
    LLVMPositionBuilderAtEnd(l->b, latch);
    LLVMValueRef next = LLVMBuildAdd(l->b, workgroup->wave, wl_lift_int(l, l->i64, workgroup->step), "");
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntULT, next, wl_lift_int(l, l->i64, waves_of(l)), "");
    LLVMBuildCondBr(l->b, more, header, after);
    LLVMAddIncoming(workgroup->wave, &next, &latch, 1);
    LLVMPositionBuilderAtEnd(l->b, after);
    workgroup->wave = workgroup->exec = NULL;
    workgroup->step = 0;
}

LLVMValueRef wl_workgroup_strip(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave) {
    LLVMValueRef before = LLVMBuildAdd(l->b, l->workgroup->wave, wl_lift_int(l, l->i64, wave), "");
    return LLVMBuildAdd(l->b, LLVMBuildMul(l->b, before, wl_lift_int(l, l->i64, l->strips), ""), in_wave, "");
}

static LLVMValueRef wave_exec(struct wl_lift *l) { return l->workgroup->exec; }

/* The wave's part of a mask. */
static LLVMValueRef wave_mask(struct wl_lift *l, LLVMValueRef mask) {
    if (l->unit.row_slots)
        return LLVMBuildExtractElement(l->b, mask, l->workgroup->wave, "");
    LLVMValueRef variable = wl_lift_alloca(l, l->mask_type, 64, "mask");
    LLVMSetAlignment(LLVMBuildStore(l->b, mask, variable), 64);
    return LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, variable, l->workgroup->wave), "");
}

/* Where the waves are unrolled: one value. */
static void put_laid_out(struct wl_lift *l, LLVMValueRef made, LLVMValueRef mask) {
    LLVMValueRef all = LLVMBuildLoad2(l->b, l->mask_type, made, "");
    LLVMBuildStore(l->b, LLVMBuildInsertElement(l->b, all, mask, l->workgroup->wave, ""), made);
}

/* Stores the wave's part of a mask that the loop over the waves makes. For waves that the loop leaves out, the part is 0. */
static void put_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    wl_assert(l->workgroup->wave);
    if (!l->workgroup->made[reg]) {
        l->workgroup->made[reg] = wl_lift_alloca(l, l->mask_type, 64, "made");
        LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
        LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->workgroup->before));
        if (l->unit.row_slots)
            LLVMBuildStore(l->b, LLVMConstNull(l->mask_type), l->workgroup->made[reg]);
        else
            for (unsigned w = 0; w < waves_of(l); w++)
                LLVMBuildStore(l->b, LLVMConstNull(l->wave_mask), word_of(l, l->workgroup->made[reg], wl_lift_int(l, l->i64, w)));
        LLVMPositionBuilderAtEnd(l->b, here);
    }
    if (l->unit.row_slots)
        put_laid_out(l, l->workgroup->made[reg], mask);
    else
        LLVMBuildStore(l->b, mask, word_of(l, l->workgroup->made[reg], l->workgroup->wave));
}

/* Behind the loop over the waves: the parts together become the register's mask. */
static void take_mask(struct wl_lift *l, unsigned reg, LLVMValueRef sum) {
    (void)sum; /* put_mask has stored it for each wave */
    wl_assert(!l->workgroup->wave && l->workgroup->made[reg]);
    const bool at_once = l->unit.row_slots; /* else as they were stored: one load would wait for all stores */
    LLVMValueRef all = at_once ? LLVMBuildLoad2(l->b, l->mask_type, l->workgroup->made[reg], "") : LLVMGetPoison(l->mask_type);
    for (unsigned w = 0; w < waves_of(l) && !at_once; w++) {
        LLVMValueRef wave = wl_lift_int(l, l->i64, w);
        LLVMValueRef word = LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, l->workgroup->made[reg], wave), "");
        LLVMSetVolatile(word, true); /* else they become one load all the same */
        all = LLVMBuildInsertElement(l->b, all, word, wave, "");
    }
    l->workgroup->made[reg] = NULL;
    set_mask(l, reg, all);
}

/* ---- waves of a workgroup in a loop that is run strip by strip ---- */

void wl_workgroup_settle_mask(struct wl_lift *l, unsigned reg) {
    if (l->workgroup->mask[reg])
        LLVMBuildStore(l->b, load_mask(l, reg), l->workgroup->mask[reg]);
}

LLVMValueRef wl_workgroup_take_wave(struct wl_lift *l, const struct wl_lift_workgroup *workgroup, unsigned reg) {
    return workgroup->mask[reg] ? LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, workgroup->mask[reg], workgroup->wave), "") : NULL;
}

void wl_workgroup_give_mask(struct wl_lift *l, const struct wl_lift_workgroup *workgroup, unsigned reg, LLVMValueRef mask) {
    if (workgroup->mask[reg])
        LLVMBuildStore(l->b, mask, word_of(l, workgroup->mask[reg], workgroup->wave));
}

static LLVMValueRef operand_mask(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SGPR)
        return load_mask(l, operand->reg);
    return spread(l, wl_lift_scalar_operand(l, operand, l->wave_size == 64 ? WL_U64 : WL_U32));
}

/* Lifts an instruction if it works on masks. */
static bool instruction(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    (void)effects;
    struct wl_mask_work work;
    if (!wl_workgroup_mask_work(inst, l->wave_size, l->workgroup->now, &work))
        return false;
    if (work.to == WL_SGPR_EXEC)
        wl_lift_flush(l);
    LLVMValueRef a = operand_mask(l, &work.a), b = operand_mask(l, &work.b), exec = load_mask(l, WL_SGPR_EXEC);
    LLVMValueRef result = wl_mask_combine(l, work.logic, a, b);
    if (work.saves)
        set_mask(l, work.saved, work.saves_new ? result : exec);
    set_mask(l, work.to, result);
    return true;
}

static void step_over(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    (void)effects;
    (void)wl_workgroup_step(inst, l->wave_size, l->workgroup->now);
}

/* ---- the ways of a workgroup ---- */

/* Each wave's part of a mask becomes its scalar register. */
static void leave_mask(struct wl_lift *l, unsigned reg) {
    LLVMValueRef mask = LLVMBuildLoad2(l->b, l->mask_type, l->workgroup->mask[reg], "");
    for (unsigned w = 0; w < waves_of(l); w++) {
        LLVMValueRef wave = wl_lift_int(l, l->i64, w), offset = wl_lift_int(l, l->i64, offsetof(struct wl_wave, sgpr) + reg * 4);
        LLVMValueRef place = LLVMBuildGEP2(l->b, l->i8, state_of(l, wave), &offset, 1, "");
        LLVMSetAlignment(LLVMBuildStore(l->b, LLVMBuildExtractElement(l->b, mask, wave, ""), place), 4);
    }
}

/* Leaves for good: the waves go on by themselves at a basic block. */
void wl_workgroup_split(struct wl_lift *l, uint32_t block) {
    wl_assert(wl_region_is_flushed(l) && l->unit.code->blocks[block].resume < l->unit.code->resume_count);
    const struct wl_block *to = &l->unit.code->blocks[block];
    const uint64_t *masks = l->workgroup->found->masks[block];
    uint64_t plain[2] = {to->live_in.scalar[0] & ~masks[0], to->live_in.scalar[1] & ~masks[1]};
    wl_lift_move_scalars(l, plain, true);
    wl_rows_store(l, to);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(masks, reg) && l->workgroup->mask[reg])
            leave_mask(l, reg);
    for (unsigned w = 0; w < 2; w++)
        LLVMBuildStore(l->b, wl_lift_int(l, l->i64, masks[w]),
                       wl_lift_wave_pointer(l, offsetof(struct wl_wave, workgroup_masks) + w * sizeof(uint64_t)));
    LLVMBuildStore(l->b, wl_lift_int(l, l->i32, to->resume), wl_lift_wave_pointer(l, offsetof(struct wl_wave, resume)));
    wl_denormal_switch(l, false);
    LLVMBuildRet(l->b, wl_lift_int(l, l->i32, WL_EXIT_SPLIT));
}

/* Whether EXEC is all ones, or 0. */
static LLVMValueRef exec_is(struct wl_lift *l, bool ones) {
    LLVMTypeRef whole = LLVMIntTypeInContext(l->context, l->unit.workgroup_lanes);
    LLVMValueRef exec = LLVMBuildBitCast(l->b, wl_lift_exec(l), whole, "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, exec, ones ? LLVMConstAllOnes(whole) : LLVMConstNull(whole), "");
}

/* Of EXEC alone: no branch goes by another mask of all waves (analysis/workgroup.h). */
static LLVMValueRef test_exec(struct wl_lift *l, unsigned reg, bool some) {
    if (reg != WL_SGPR_EXEC)
        return wl_strip_test_mask(l, reg, some);
    LLVMValueRef none = exec_is(l, false);
    return some ? LLVMBuildNot(l->b, none, "") : none;
}

static void finish_exec(struct wl_lift *l) {
    uint32_t next = l->unit.block->next;
    if (l->unit.mode == WL_MODE_MASKED && l->unit.block->narrows)
        LLVMBuildBr(l->b, l->workgroup->ir_blocks[WL_MODE_MASKED][next]);
    else
        LLVMBuildCondBr(l->b, exec_is(l, true), l->workgroup->ir_blocks[WL_MODE_FULL][next], l->workgroup->ir_blocks[WL_MODE_MASKED][next]);
}

/* Ends a basic block that waits. All waves come to a barrier at once, so that it needs no code. */
static bool finish_block(struct wl_lift *l) {
    if (l->unit.block->end == WL_BLOCK_WAIT)
        LLVMBuildBr(l->b, wl_lift_ir_block_of(l, l->unit.block->next));
    else if (l->unit.block->end == WL_BLOCK_EXEC && l->unit.block->next != WL_NO_BLOCK)
        finish_exec(l);
    else
        return false;
    return true;
}

static void go_without_lanes(struct wl_lift *l, uint32_t exit, uint32_t leave) {
    (void)leave;
    LLVMBuildBr(l->b, l->workgroup->ir_blocks[WL_MODE_MASKED][exit]);
}

/* At a branch on EXEC where waves without active lanes must not go the way of the others: splits the workgroup if there are both. */
static void split_if_divided(struct wl_lift *l, uint32_t block) {
    LLVMTypeRef each = LLVMIntTypeInContext(l->context, waves_of(l));
    LLVMValueRef without = LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstNull(l->mask_type), "");
    LLVMValueRef bits = LLVMBuildBitCast(l->b, without, each, "");
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, bits, LLVMConstNull(each), "");
    LLVMValueRef not_all = LLVMBuildICmp(l->b, LLVMIntNE, bits, LLVMConstAllOnes(each), "");
    LLVMBasicBlockRef split = wl_lift_ir_block(l, "split"), on = wl_lift_ir_block(l, "together");
    LLVMBuildCondBr(l->b, LLVMBuildAnd(l->b, some, not_all, ""), split, on);
    LLVMPositionBuilderAtEnd(l->b, split);
    wl_workgroup_split(l, block);
    LLVMPositionBuilderAtEnd(l->b, on);
}

void wl_workgroup_start_block(struct wl_lift *l, uint32_t p) {
    const struct wl_block *block = &l->unit.code->blocks[p];
    memcpy(l->workgroup->now, l->workgroup->found->masks[p], sizeof l->workgroup->now);
    if (l->unit.mode != WL_MODE_MASKED || block->end != WL_BLOCK_CBRANCH || l->workgroup->found->together[p])
        return;
    unsigned detail = l->unit.code->insts[block->first + block->count - 1].isa->detail;
    if (detail == WL_IF_EXECZ || detail == WL_IF_EXECNZ)
        split_if_divided(l, p);
}

static void begin_block(struct wl_lift *l, uint32_t block) {
    if (l->unit.code->blocks[block].is_spin_header)
        wl_lift_spend_fuel(l, block);
    wl_workgroup_start_block(l, block);
}

/* ---- vector regions ---- */

static void begin_strip(struct wl_lift *l) {
    l->strip->number = wl_workgroup_strip(l, l->strip->wave, l->strip->in_wave);
    l->strip->first_lane = LLVMBuildShl(l->b, l->strip->number, wl_lift_int(l, l->i64, 4), "");
    l->strip->state = l->workgroup->state[l->strip->wave];
}

static LLVMValueRef of_mask(struct wl_lift *l, LLVMValueRef mask) {
    return wl_lift_lanes(l, wl_strip_slice(l, wave_mask(l, mask), l->strip->in_wave), WL_STRIP);
}

/* Only masks that are still used: here masks lie in memory, where no pass would remove the stores of others. */
static bool wants_mask(const struct wl_lift *l, unsigned reg) {
    const uint64_t *live = l->unit.live_after[l->region.end].scalar;
    return reg == WL_SGPR_EXEC || wl_any_bit(live, reg, l->wave_size / 32);
}

/* How many waves go side by side. What is the same in all strips of a wave is the same in all waves if rows have 16 items. */
static unsigned waves_abreast(const struct wl_lift *l) {
    unsigned waves = 1;
    while (l->unit.request->shape == WL_SHAPE_SQUARES && waves_of(l) % (2 * waves) == 0 && wl_region_fits_abreast(l, 2 * waves))
        waves *= 2;
    return waves;
}

/* The wave at hand. */
static void emit_wave(struct wl_lift *l, const struct wl_region_masks *masks) {
    for (unsigned i = 0; i < masks->count; i++)
        LLVMBuildStore(l->b, LLVMConstNull(l->wave_mask), masks->sum[i]);
    l->exec = NULL;
    wl_strip_trace(l, wl_workgroup_strip(l, 0, LLVMConstNull(l->i64))); /* columns say which strip of the wave */
    memset(l->region.shared_row, 0, sizeof l->region.shared_row);
    wl_region_emit_wave(l, masks);
    for (unsigned i = 0; i < masks->count; i++)
        put_mask(l, masks->reg[i], LLVMBuildLoad2(l->b, l->wave_mask, masks->sum[i], ""));
}

/* The waves, one after the other: each unrolled where their registers are values, else in a loop, of several side by side where that is
 * possible. */
static void emit(struct wl_lift *l, const struct wl_region_masks *masks) {
    for (unsigned wave = 0; l->unit.row_slots && wave < waves_of(l); wave++) {
        LLVMBasicBlockRef after = begin_wave(l, wave);
        emit_wave(l, masks);
        end_wave(l, after);
    }
    if (l->unit.row_slots)
        return;
    const bool abreast = wl_region_goes_abreast(l, masks);
    const unsigned waves = abreast ? waves_abreast(l) : 1;
    LLVMBasicBlockRef latch = wl_workgroup_begin_waves(l, waves);
    if (abreast)
        wl_region_emit_abreast(l, masks, waves);
    else
        emit_wave(l, masks);
    wl_workgroup_end_waves(l, latch);
}

/* Known in loops alone: there a workgroup mostly steps over the data of other workgroups, and the next workgroup's lie behind its own. */
static LLVMValueRef to_next_workgroup(struct wl_lift *l, uint64_t size, bool tiled) {
    if (tiled || !wl_unit_is_in_loop(l->unit.code, (uint32_t)(l->unit.block - l->unit.code->blocks)))
        return NULL;
    return wl_lift_int(l, l->i64, l->unit.workgroup_lanes * size);
}

/* ---- the unit ---- */

/* The work items' ids that a register has in a strip when the kernel starts; NULL: it has none. */
static LLVMValueRef ids_of(struct wl_lift *l, unsigned row, unsigned strip) {
    const uint32_t *size = l->unit.request->workgroup_size;
    const bool packed = l->unit.request->packed_workitem_ids;
    LLVMValueRef lanes[WL_STRIP];
    if (row >= (packed ? 1 : l->unit.request->workitem_id_dimensions))
        return NULL;
    for (unsigned i = 0; i < WL_STRIP; i++) {
        uint32_t item = strip * WL_STRIP + i;
        uint32_t id[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
        lanes[i] = wl_lift_int(l, l->i32, packed ? id[0] | id[1] << 10 | id[2] << 20 : id[row]);
    }
    return LLVMConstVector(lanes, WL_STRIP);
}

static void enter(struct wl_lift *l, LLVMValueRef resume) {
    (void)resume; /* waves that run on by themselves have another function */
    unsigned step = l->wave_size / 32;
    const uint32_t entry = l->unit.code->entry;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg += step)
        if (wl_bit(l->workgroup->found->ever, reg))
            l->workgroup->mask[reg] = wl_lift_alloca(l, l->mask_type, 64, "masks");
    l->workgroup->mask[WL_SGPR_SCC] = l->workgroup->mask[WL_SGPR_TTMP + 8] = NULL; /* nobody reads these */
    wl_lift_move_scalars(l, l->unit.code->blocks[entry].live_in.scalar, false);
    wl_rows_load(l, &l->unit.code->blocks[entry], ids_of);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg += step)
        if (l->workgroup->mask[reg] && reg != WL_SGPR_EXEC)
            LLVMBuildStore(l->b, LLVMConstNull(l->mask_type), l->workgroup->mask[reg]);
    LLVMBuildStore(l->b, LLVMConstAllOnes(l->mask_type), l->workgroup->mask[WL_SGPR_EXEC]);
    LLVMBuildBr(l->b, l->workgroup->ir_blocks[WL_MODE_FULL][entry]);
}

static bool create(struct wl_lift *l) {
    uint32_t blocks = l->unit.code->block_count;
    struct wl_lift_workgroup *workgroup = l->workgroup = calloc(1, sizeof *workgroup);
    if (!workgroup)
        return false;
    l->unit.workgroup_lanes = l->unit.request->workgroup_lanes;
    l->unit.all_strips = l->unit.workgroup_lanes / WL_STRIP;
    l->mask_type = LLVMVectorType(l->wave_mask, waves_of(l));
    workgroup->found = wl_workgroup_find(l->unit.code);
    for (unsigned mode = 0; mode <= WL_MODE_MASKED; mode++) {
        workgroup->ir_blocks[mode] = calloc(blocks + 1, sizeof(LLVMBasicBlockRef));
        for (uint32_t p = 0; workgroup->ir_blocks[mode] && p < blocks; p++)
            workgroup->ir_blocks[mode][p] = wl_lift_ir_block(l, "block");
    }
    if (workgroup->found && workgroup->ir_blocks[0] && workgroup->ir_blocks[1])
        return true;
    if (!workgroup->found)
        l->status = wl_fail(WL_UNSUPPORTED, "%s cannot run in workgroup mode", l->unit.request->name);
    return false;
}

/* Whether no work item ids are overwritten. */
static bool keeps_ids(const struct wl_lift *l) {
    unsigned ids = l->unit.request->packed_workitem_ids ? 1 : l->unit.request->workitem_id_dimensions;
    for (uint32_t i = 0; i < l->unit.code->inst_count; i++) {
        struct wl_effects effects;
        wl_inst_effects(&l->unit.code->insts[i], l->wave_size, &effects);
        if (effects.touch.vector[0] & ((UINT64_C(1) << ids) - 1))
            return false;
    }
    return true;
}

/* All basic blocks, in both modes. */
static void lift_blocks(struct wl_lift *l) {
    LLVMBasicBlockRef *ir_blocks = l->unit.ir_blocks;
    for (unsigned mode = 0; mode <= WL_MODE_MASKED; mode++) {
        l->unit.mode = (enum wl_mode)mode;
        l->unit.ir_blocks = l->workgroup->ir_blocks[mode];
        for (uint32_t p = 0; p < l->unit.code->block_count && !l->status; p++)
            wl_lift_block_or_loop(l, p);
    }
    l->unit.ir_blocks = ir_blocks;
    l->unit.keeps_wave = l->unit.row_slots || keeps_ids(l);
}

static void release(struct wl_lift *l) {
    if (!l->workgroup)
        return;
    wl_workgroup_destroy(l->workgroup->found);
    free(l->workgroup->ir_blocks[0]);
    free(l->workgroup->ir_blocks[1]);
    free(l->workgroup);
    l->workgroup = NULL;
}

/* The same for all units that may be unrolled: a register that waits for its next use costs no more in a spilled value than in memory. */
static unsigned row_budget(const struct wl_lift *l) {
    enum { MAX_ITEMS = 2000 };
    return l->unit.unrolls ? MAX_ITEMS : 0;
}

const struct wl_form wl_workgroup_form = {
    WL_FORM_OF_STRIPS,
    .create = create,
    .enter = enter,
    .lift_blocks = lift_blocks,
    .release = release,
    .row_budget = row_budget,
    .state_of = state_anywhere,
    .begin_block = begin_block,
    .instruction = instruction,
    .step = step_over,
    .finish_block = finish_block,
    .yield = wl_workgroup_split,
    .go_without_lanes = go_without_lanes,
    .emit = emit,
    .begin_strip = begin_strip,
    .strip_number = wl_workgroup_strip,
    .wave_exec = wave_exec,
    .wants_mask = wants_mask,
    .gather_mask = wl_strip_gather_mask,
    .take_mask = take_mask,
    .load_row = wl_strip_load_row,
    .store_row = wl_strip_store_row,
    .join = wl_strip_join_rows,
    .half = wl_strip_half,
    .mask = load_mask,
    .spread = spread,
    .test_mask = test_exec,
    .of_mask = of_mask,
    .scalar_written = scalar_written,
    .gathers = wl_strip_gathers,
    .to_next_workgroup = to_next_workgroup,
};
