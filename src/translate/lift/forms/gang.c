/* A workgroup as one wave (gang.h).
 *
 * One function has the FULL and the MASKED form of each piece; a change of EXEC is a branch between them, a barrier one to the next
 * piece. Masks are vectors of the waves' masks, in variables beside the scalar registers that hold them in a wave. A plain
 * write to such a register goes to both, so that what is read as a mask always is one. */
#include "translate/lift/forms/gang.h"
#include "translate/lift/forms/loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/stretch.h"
#include "translate/lift/values.h"

#include "translate/analysis/gang.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct wl_lift_gang {
    struct wl_gang *found;
    LLVMValueRef mask[WL_SGPR_COUNT];              /* variables of mask_type, by first register */
    uint64_t now[2];                               /* scalar registers that may hold masks, at the instruction at hand */
    LLVMBasicBlockRef *blocks[WL_MODE_MASKED + 1]; /* by form and piece */
    LLVMValueRef made[WL_SGPR_COUNT];              /* variables, by wave: masks that a loop over the waves makes */
    LLVMValueRef wave, exec;                       /* i64: the one at hand in such a loop; its EXEC in MASKED code */
    unsigned step;                                 /* waves side by side in it */
    LLVMValueRef state[WL_STRIPS_ABREAST];         /* their struct wl_wave */
    LLVMBasicBlockRef before;                      /* that loop's */
};

/* ---- masks ---- */

static unsigned first_of(const struct wl_lift *l, unsigned reg) { return l->wave_size == 64 ? reg & ~1u : reg; }

static unsigned waves_of(const struct wl_lift *l) { return l->gang_lanes / l->wave_size; }

LLVMValueRef wl_gang_spread(struct wl_lift *l, LLVMValueRef mask) {
    LLVMValueRef poison = LLVMGetPoison(l->mask_type), zeros = LLVMConstNull(LLVMVectorType(l->i32, waves_of(l)));
    LLVMValueRef one = LLVMBuildInsertElement(l->b, poison, mask, LLVMConstNull(l->i32), "");
    return LLVMBuildShuffleVector(l->b, one, poison, zeros, "");
}

static LLVMValueRef plain_mask(struct wl_lift *l, unsigned reg) {
    return l->wave_size == 64 ? wl_lift_sgpr64(l, reg) : wl_lift_sgpr(l, reg);
}

LLVMValueRef wl_gang_mask(struct wl_lift *l, unsigned reg) {
    if (wl_stretch_mask_pending(l, reg))
        wl_lift_flush(l);
    if (!wl_bit(l->gang->now, reg) || !l->gang->mask[reg])
        return wl_gang_spread(l, plain_mask(l, reg));
    return LLVMBuildLoad2(l->b, l->mask_type, l->gang->mask[reg], "");
}

void wl_gang_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    if (wl_stretch_mask_pending(l, reg) || reg == WL_SGPR_EXEC)
        wl_lift_flush(l); /* the stretch runs under the old EXEC */
    if (l->gang->mask[reg])
        LLVMBuildStore(l->b, mask, l->gang->mask[reg]);
    else if (!l->status)
        l->status = wl_fail(WL_INTERNAL, "%s: scalar register %u is no mask of a gang", l->request->name, reg);
}

void wl_gang_written(struct wl_lift *l, unsigned reg) {
    unsigned first = first_of(l, reg);
    if (l->gang->mask[first] && first != WL_SGPR_EXEC)
        LLVMBuildStore(l->b, wl_gang_spread(l, plain_mask(l, first)), l->gang->mask[first]);
}

/* ---- loops over the waves ---- */

/* A wave's word of a variable. */
static LLVMValueRef word_of(struct wl_lift *l, LLVMValueRef variable, LLVMValueRef wave) {
    return LLVMBuildGEP2(l->b, l->wave_mask, variable, &wave, 1, "");
}

static LLVMValueRef state_of(struct wl_lift *l, LLVMValueRef wave) {
    LLVMValueRef stride = wl_lift_wave_field(l, offsetof(struct wl_wave, gang_stride), l->i64);
    LLVMValueRef offset = LLVMBuildMul(l->b, wave, stride, "");
    return LLVMBuildGEP2(l->b, l->i8, l->wave, &offset, 1, "");
}

LLVMValueRef wl_gang_state(struct wl_lift *l, unsigned wave) { return l->gang->state[wave]; }

LLVMValueRef wl_gang_state_of(struct wl_lift *l, unsigned wave) { return state_of(l, wl_lift_int(l, l->i64, wave)); }

LLVMBasicBlockRef wl_gang_begin_wave(struct wl_lift *l, unsigned wave) {
    struct wl_lift_gang *gang = l->gang;
    LLVMBasicBlockRef some = wl_lift_block(l, "wave"), after = wl_lift_block(l, "after");
    gang->wave = wl_lift_int(l, l->i64, wave);
    if (!wave)
        gang->before = LLVMGetInsertBlock(l->b);
    if (l->mode == WL_MODE_MASKED) {
        gang->exec = LLVMBuildExtractElement(l->b, wl_lift_exec(l), gang->wave, "");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, gang->exec, LLVMConstNull(l->wave_mask), ""), after, some);
    } else {
        LLVMBuildBr(l->b, some);
    }
    LLVMPositionBuilderAtEnd(l->b, some);
    return after;
}

void wl_gang_end_wave(struct wl_lift *l, LLVMBasicBlockRef after) {
    LLVMBuildBr(l->b, after);
    LLVMPositionBuilderAtEnd(l->b, after);
    l->gang->wave = l->gang->exec = NULL;
}

LLVMBasicBlockRef wl_gang_begin_waves(struct wl_lift *l, unsigned step) {
    struct wl_lift_gang *gang = l->gang;
    LLVMBasicBlockRef header = wl_lift_block(l, "waves"), latch = wl_lift_block(l, "wave");
    LLVMValueRef zero = LLVMConstNull(l->i64), exec = NULL;
    if (l->mode == WL_MODE_MASKED) {
        exec = wl_lift_alloca(l, l->mask_type, 64, "exec");
        LLVMSetAlignment(LLVMBuildStore(l->b, wl_lift_exec(l), exec), 64);
    }
    gang->before = LLVMGetInsertBlock(l->b);
    LLVMBuildBr(l->b, header);
    LLVMPositionBuilderAtEnd(l->b, header);
    gang->wave = LLVMBuildPhi(l->b, l->i64, "w");
    LLVMAddIncoming(gang->wave, &zero, &gang->before, 1);
    gang->step = step;
    for (unsigned i = 0; i < step; i++)
        gang->state[i] = state_of(l, LLVMBuildAdd(l->b, gang->wave, wl_lift_int(l, l->i64, i), ""));
    if (exec) {
        LLVMBasicBlockRef some = wl_lift_block(l, "lanes");
        gang->exec = LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, exec, gang->wave), "");
        LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, gang->exec, LLVMConstNull(l->wave_mask), ""), latch, some);
        LLVMPositionBuilderAtEnd(l->b, some);
    }
    return latch;
}

void wl_gang_end_waves(struct wl_lift *l, LLVMBasicBlockRef latch) {
    struct wl_lift_gang *gang = l->gang;
    LLVMBasicBlockRef after = wl_lift_block(l, "after"), header = LLVMGetInstructionParent(gang->wave);
    LLVMBuildBr(l->b, latch);
    LLVMPositionBuilderAtEnd(l->b, latch);
    LLVMValueRef next = LLVMBuildAdd(l->b, gang->wave, wl_lift_int(l, l->i64, gang->step), "");
    LLVMValueRef more = LLVMBuildICmp(l->b, LLVMIntULT, next, wl_lift_int(l, l->i64, waves_of(l)), "");
    LLVMBuildCondBr(l->b, more, header, after);
    LLVMAddIncoming(gang->wave, &next, &latch, 1);
    LLVMPositionBuilderAtEnd(l->b, after);
    gang->wave = gang->exec = NULL;
    gang->step = 0;
}

LLVMValueRef wl_gang_strip(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave) {
    LLVMValueRef before = LLVMBuildAdd(l->b, l->gang->wave, wl_lift_int(l, l->i64, wave), "");
    return LLVMBuildAdd(l->b, LLVMBuildMul(l->b, before, wl_lift_int(l, l->i64, l->strips), ""), in_wave, "");
}

LLVMValueRef wl_gang_wave_exec(struct wl_lift *l) { return l->gang->exec; }

LLVMValueRef wl_gang_wave_mask(struct wl_lift *l, LLVMValueRef mask) {
    if (l->row_slots)
        return LLVMBuildExtractElement(l->b, mask, l->gang->wave, "");
    LLVMValueRef variable = wl_lift_alloca(l, l->mask_type, 64, "mask");
    LLVMSetAlignment(LLVMBuildStore(l->b, mask, variable), 64);
    return LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, variable, l->gang->wave), "");
}

/* Where the waves are laid out: one value. */
static void put_laid_out(struct wl_lift *l, LLVMValueRef made, LLVMValueRef mask) {
    LLVMValueRef all = LLVMBuildLoad2(l->b, l->mask_type, made, "");
    LLVMBuildStore(l->b, LLVMBuildInsertElement(l->b, all, mask, l->gang->wave, ""), made);
}

void wl_gang_put_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask) {
    if (!l->gang->made[reg]) {
        l->gang->made[reg] = wl_lift_alloca(l, l->mask_type, 64, "made");
        LLVMBasicBlockRef here = LLVMGetInsertBlock(l->b);
        LLVMPositionBuilderBefore(l->b, LLVMGetBasicBlockTerminator(l->gang->before));
        if (l->row_slots)
            LLVMBuildStore(l->b, LLVMConstNull(l->mask_type), l->gang->made[reg]);
        else
            for (unsigned w = 0; w < waves_of(l); w++)
                LLVMBuildStore(l->b, LLVMConstNull(l->wave_mask), word_of(l, l->gang->made[reg], wl_lift_int(l, l->i64, w)));
        LLVMPositionBuilderAtEnd(l->b, here);
    }
    if (l->row_slots)
        put_laid_out(l, l->gang->made[reg], mask);
    else
        LLVMBuildStore(l->b, mask, word_of(l, l->gang->made[reg], l->gang->wave));
}

void wl_gang_take_mask(struct wl_lift *l, unsigned reg) {
    const bool at_once = l->row_slots; /* else as they were stored: one load would wait for all stores */
    LLVMValueRef all = at_once ? LLVMBuildLoad2(l->b, l->mask_type, l->gang->made[reg], "") : LLVMGetPoison(l->mask_type);
    for (unsigned w = 0; w < waves_of(l) && !at_once; w++) {
        LLVMValueRef wave = wl_lift_int(l, l->i64, w);
        LLVMValueRef word = LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, l->gang->made[reg], wave), "");
        LLVMSetVolatile(word, true); /* else they become one load all the same */
        all = LLVMBuildInsertElement(l->b, all, word, wave, "");
    }
    l->gang->made[reg] = NULL;
    wl_gang_set_mask(l, reg, all);
}

/* ---- waves of a gang in a loop that is run strip by strip ---- */

void wl_gang_settle_mask(struct wl_lift *l, unsigned reg) {
    if (l->gang->mask[reg])
        LLVMBuildStore(l->b, wl_gang_mask(l, reg), l->gang->mask[reg]);
}

LLVMValueRef wl_gang_take_wave(struct wl_lift *l, const struct wl_lift_gang *gang, unsigned reg) {
    return gang->mask[reg] ? LLVMBuildLoad2(l->b, l->wave_mask, word_of(l, gang->mask[reg], gang->wave), "") : NULL;
}

void wl_gang_give_mask(struct wl_lift *l, const struct wl_lift_gang *gang, unsigned reg, LLVMValueRef mask) {
    if (gang->mask[reg])
        LLVMBuildStore(l->b, mask, word_of(l, gang->mask[reg], gang->wave));
}

LLVMBasicBlockRef wl_gang_masked_block(const struct wl_lift *l, uint32_t piece) { return l->gang->blocks[WL_MODE_MASKED][piece]; }

static LLVMValueRef operand_mask(struct wl_lift *l, const struct wl_operand *operand) {
    if (operand->kind == WL_OPERAND_SGPR)
        return wl_gang_mask(l, operand->reg);
    return wl_gang_spread(l, wl_lift_scalar_operand(l, operand, l->wave_size == 64 ? WL_U64 : WL_U32));
}

bool wl_gang_instruction(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_mask_work work;
    if (!wl_gang_mask_work(inst, l->wave_size, l->gang->now, &work))
        return false;
    if (work.to == WL_SGPR_EXEC)
        wl_lift_flush(l);
    LLVMValueRef a = operand_mask(l, &work.a), b = operand_mask(l, &work.b), exec = wl_gang_mask(l, WL_SGPR_EXEC);
    LLVMValueRef result = wl_mask_combine(l, work.logic, a, b);
    if (work.saves)
        wl_gang_set_mask(l, work.saved, work.saves_new ? result : exec);
    wl_gang_set_mask(l, work.to, result);
    return true;
}

void wl_gang_step_over(struct wl_lift *l, const struct wl_inst *inst) { (void)wl_gang_step(inst, l->wave_size, l->gang->now); }

/* ---- the ways of a gang ---- */

/* Each wave's part of a mask becomes its scalar register. */
static void leave_mask(struct wl_lift *l, unsigned reg) {
    LLVMValueRef mask = LLVMBuildLoad2(l->b, l->mask_type, l->gang->mask[reg], "");
    for (unsigned w = 0; w < waves_of(l); w++) {
        LLVMValueRef wave = wl_lift_int(l, l->i64, w), offset = wl_lift_int(l, l->i64, offsetof(struct wl_wave, sgpr) + reg * 4);
        LLVMValueRef place = LLVMBuildGEP2(l->b, l->i8, state_of(l, wave), &offset, 1, "");
        LLVMSetAlignment(LLVMBuildStore(l->b, LLVMBuildExtractElement(l->b, mask, wave, ""), place), 4);
    }
}

/* Leaves for good: the waves go on by themselves at a piece. */
void wl_gang_split(struct wl_lift *l, uint32_t piece) {
    const struct wl_piece *to = &l->unit->pieces[piece];
    const uint64_t *masks = l->gang->found->masks[piece];
    uint64_t plain[2] = {to->live_in.scalar[0] & ~masks[0], to->live_in.scalar[1] & ~masks[1]};
    wl_lift_move_scalars(l, plain, true);
    wl_rows_move(l, to, true);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++)
        if (wl_bit(masks, reg) && l->gang->mask[reg])
            leave_mask(l, reg);
    for (unsigned w = 0; w < 2; w++)
        LLVMBuildStore(l->b, wl_lift_int(l, l->i64, masks[w]),
                       wl_lift_wave_pointer(l, offsetof(struct wl_wave, gang_masks) + w * sizeof(uint64_t)));
    LLVMBuildStore(l->b, wl_lift_int(l, l->i32, to->resume), wl_lift_wave_pointer(l, offsetof(struct wl_wave, resume)));
    wl_denormal_switch(l, false);
    LLVMBuildRet(l->b, wl_lift_int(l, l->i32, WL_EXIT_SPLIT));
}

/* Whether EXEC is all ones, or 0. */
static LLVMValueRef exec_is(struct wl_lift *l, bool ones) {
    LLVMTypeRef whole = LLVMIntTypeInContext(l->context, l->gang_lanes);
    LLVMValueRef exec = LLVMBuildBitCast(l->b, wl_lift_exec(l), whole, "");
    return LLVMBuildICmp(l->b, LLVMIntEQ, exec, ones ? LLVMConstAllOnes(whole) : LLVMConstNull(whole), "");
}

LLVMValueRef wl_gang_has_lanes(struct wl_lift *l, bool some) {
    LLVMValueRef none = exec_is(l, false);
    return some ? LLVMBuildNot(l->b, none, "") : none;
}

void wl_gang_finish_exec(struct wl_lift *l) {
    uint32_t next = l->piece->next;
    if (l->mode == WL_MODE_MASKED && l->piece->narrows)
        LLVMBuildBr(l->b, l->gang->blocks[WL_MODE_MASKED][next]);
    else
        LLVMBuildCondBr(l->b, exec_is(l, true), l->gang->blocks[WL_MODE_FULL][next], l->gang->blocks[WL_MODE_MASKED][next]);
}

/* At a branch on EXEC that waves with and without lanes leave in different ways. */
static void split_if_divided(struct wl_lift *l, uint32_t piece) {
    LLVMTypeRef each = LLVMIntTypeInContext(l->context, waves_of(l));
    LLVMValueRef without = LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstNull(l->mask_type), "");
    LLVMValueRef bits = LLVMBuildBitCast(l->b, without, each, "");
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, bits, LLVMConstNull(each), "");
    LLVMValueRef not_all = LLVMBuildICmp(l->b, LLVMIntNE, bits, LLVMConstAllOnes(each), "");
    LLVMBasicBlockRef split = wl_lift_block(l, "split"), on = wl_lift_block(l, "together");
    LLVMBuildCondBr(l->b, LLVMBuildAnd(l->b, some, not_all, ""), split, on);
    LLVMPositionBuilderAtEnd(l->b, split);
    wl_gang_split(l, piece);
    LLVMPositionBuilderAtEnd(l->b, on);
}

void wl_gang_begin_piece(struct wl_lift *l, uint32_t p) {
    const struct wl_piece *piece = &l->unit->pieces[p];
    memcpy(l->gang->now, l->gang->found->masks[p], sizeof l->gang->now);
    if (l->mode != WL_MODE_MASKED || piece->end != WL_PIECE_CBRANCH || l->gang->found->together[p])
        return;
    unsigned detail = l->unit->insts[piece->first + piece->count - 1].isa->detail;
    if (detail == WL_IF_EXECZ || detail == WL_IF_EXECNZ)
        split_if_divided(l, p);
}

/* ---- the unit ---- */

LLVMValueRef wl_gang_ids(struct wl_lift *l, unsigned row, unsigned strip) {
    const uint32_t *size = l->request->gang_block;
    const bool packed = l->request->packed_workitem_ids;
    LLVMValueRef lanes[WL_STRIP];
    if (row >= (packed ? 1 : l->request->workitem_id_dimensions))
        return NULL;
    for (unsigned i = 0; i < WL_STRIP; i++) {
        uint32_t item = strip * WL_STRIP + i;
        uint32_t id[3] = {item % size[0], item / size[0] % size[1], item / size[0] / size[1]};
        lanes[i] = wl_lift_int(l, l->i32, packed ? id[0] | id[1] << 10 | id[2] << 20 : id[row]);
    }
    return LLVMConstVector(lanes, WL_STRIP);
}

void wl_gang_enter(struct wl_lift *l) {
    unsigned step = l->wave_size / 32;
    const uint32_t entry = l->unit->entry;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg += step)
        if (wl_bit(l->gang->found->ever, reg))
            l->gang->mask[reg] = wl_lift_alloca(l, l->mask_type, 64, "masks");
    l->gang->mask[WL_SGPR_SCC] = l->gang->mask[WL_SGPR_TTMP + 8] = NULL; /* nobody reads these */
    wl_lift_move_scalars(l, l->unit->pieces[entry].live_in.scalar, false);
    wl_rows_move(l, &l->unit->pieces[entry], false);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg += step)
        if (l->gang->mask[reg] && reg != WL_SGPR_EXEC)
            LLVMBuildStore(l->b, LLVMConstNull(l->mask_type), l->gang->mask[reg]);
    LLVMBuildStore(l->b, LLVMConstAllOnes(l->mask_type), l->gang->mask[WL_SGPR_EXEC]);
    LLVMBuildBr(l->b, l->gang->blocks[WL_MODE_FULL][entry]);
}

bool wl_gang_create(struct wl_lift *l) {
    uint32_t pieces = l->unit->piece_count;
    struct wl_lift_gang *gang = l->gang = calloc(1, sizeof *gang);
    if (!gang)
        return false;
    gang->found = wl_gang_find(l->unit);
    for (unsigned form = 0; form <= WL_MODE_MASKED; form++) {
        gang->blocks[form] = calloc(pieces + 1, sizeof(LLVMBasicBlockRef));
        for (uint32_t p = 0; gang->blocks[form] && p < pieces; p++)
            gang->blocks[form][p] = wl_lift_block(l, "piece");
    }
    if (gang->found && gang->blocks[0] && gang->blocks[1])
        return true;
    if (!gang->found)
        l->status = wl_fail(WL_UNSUPPORTED, "%s cannot run as a gang", l->request->name);
    return false;
}

void wl_gang_lift(struct wl_lift *l) {
    LLVMBasicBlockRef *blocks = l->blocks;
    for (unsigned form = 0; form <= WL_MODE_MASKED; form++) {
        l->mode = (enum wl_mode)form;
        l->blocks = l->gang->blocks[form];
        for (uint32_t p = 0; p < l->unit->piece_count && !l->status; p++)
            wl_lift_piece_or_loop(l, p);
    }
    l->blocks = blocks;
}

void wl_gang_release(struct wl_lift *l) {
    if (!l->gang)
        return;
    wl_gang_destroy(l->gang->found);
    free(l->gang->blocks[0]);
    free(l->gang->blocks[1]);
    free(l->gang);
    l->gang = NULL;
}
