/* The few lanes that a strip has left in a loop (lift/forms/loop.c), one after the other.
 *
 * A round of a strip takes as long for one lane as for all: gathers, and a branch that waits for what they bring. Lanes by themselves
 * are plain scalar code, which the host runs ahead of what it waits for. So where a strip's round begins with few lanes, each of those
 * goes through the loop to its end.
 *
 * The loop's pieces are lifted once more. Registers are i32 allocas and masks have one bit; the emitters see vectors of which lane 0 is
 * the one at hand, and passes make scalars of them. Memory is accessed by scalars. */
#include "translate/lift/forms/loop.h"
#include "translate/lift/forms/loop_state.h"
#include "translate/lift/frame.h"
#include "translate/lift/stretch.h"
#include "translate/lift/values.h"

#include <stdlib.h>
#include <string.h>

/* What the strip has while its lanes have their turns. */
struct turns {
    LLVMValueRef strip_row[WL_VGPR_COUNT], strip_mask[WL_SGPR_COUNT]; /* lift/forms/loop.c's */
    LLVMValueRef place[WL_VGPR_COUNT];                                /* allocas: the strip's rows in memory */
    LLVMValueRef scalar[WL_SGPR_COUNT];                               /* i32: what each lane begins with */
    LLVMValueRef left, index;                                         /* i32: lanes whose turn is still to come; i64 */
};

bool wl_lane_alone(const struct wl_lift *l) { return l->in_loop && l->in_loop->lane; }

LLVMValueRef wl_lane_number(const struct wl_lift *l) { return l->in_loop->lane; }

LLVMValueRef wl_lane_bit(const struct wl_lift *l) { return l->in_loop->lane_bit; }

/* Whether an operand is a scalar, or a row, that the loop does not write. */
static bool stays(const struct wl_lift *l, const struct wl_operand *op) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    if (op->kind == WL_OPERAND_VGPR)
        return wl_loop_uniform(l, op->reg);
    bool changes = wl_bit(loop->scalars_written, op->reg) || wl_bit(loop->masks, op->reg) || wl_stretch_mask_pending(l, op->reg) ||
                   (l->wave_size == 64 && op->reg && wl_bit(loop->masks, op->reg - 1));
    return op->kind == WL_OPERAND_SGPR && !changes && l->sgpr[op->reg];
}

static LLVMValueRef half(struct wl_lift *l, const struct wl_operand *op) {
    LLVMValueRef value = op->kind == WL_OPERAND_VGPR ? wl_loop_uniform(l, op->reg) : wl_lift_sgpr(l, op->reg);
    return LLVMBuildZExt(l->b, value, l->i64, "");
}

LLVMValueRef wl_lane_base(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high) {
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

/* The mask that a piece takes off EXEC where it ends: no lane that is still on is in it. WL_SGPR_COUNT: there is none. */
static unsigned mask_taken_off(const struct wl_lift *l, const struct wl_piece *piece) {
    struct wl_regs written = {0};
    for (uint32_t n = piece->count; n-- > 0;) {
        const struct wl_inst *inst = &l->unit->insts[piece->first + n];
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

static bool leads_to(const struct wl_piece *piece, uint32_t to) { return piece->next == to || piece->target == to; }

/* Finds in->left: rounds follow each other by way of the branch that leaves the loop alone, and all ways to that take the mask off EXEC. */
static void find_left(struct wl_lift *l) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    unsigned mask = WL_SGPR_COUNT;
    memset(in->left, 0, sizeof in->left);
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_piece *piece = &l->unit->pieces[loop->pieces[i]];
        if (leads_to(piece, loop->header) && loop->pieces[i] != loop->leave)
            return;
        if (!leads_to(piece, loop->leave))
            continue;
        unsigned taken = mask_taken_off(l, piece);
        if (taken == WL_SGPR_COUNT || (mask != WL_SGPR_COUNT && mask != taken))
            return;
        mask = taken;
    }
    if (mask != WL_SGPR_COUNT && loop->leave != loop->header && wl_bit(loop->masks, mask))
        wl_set(in->left, mask);
}

LLVMBasicBlockRef wl_lanes_branch(struct wl_lift *l, LLVMBasicBlockRef header, unsigned most) {
    struct wl_lift_loop *in = l->in_loop;
    LLVMBasicBlockRef round = wl_lift_block(l, "round");
    in->few = wl_lift_block(l, "few");
    LLVMPositionBuilderAtEnd(l->b, header);
    LLVMValueRef exec = LLVMBuildLoad2(l->b, l->i32, in->mask[WL_SGPR_EXEC], "");
    LLVMValueRef lanes = wl_lift_intrinsic(l, "llvm.ctpop", &l->i32, 1, &exec, 1);
    LLVMValueRef few = LLVMBuildICmp(l->b, LLVMIntULE, lanes, wl_lift_int(l, l->i32, most), "");
    find_left(l);
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (!wl_bit(in->left, reg))
            continue;
        LLVMValueRef both = LLVMBuildAnd(l->b, exec, LLVMBuildLoad2(l->b, l->i32, in->mask[reg], ""), "");
        few = LLVMBuildAnd(l->b, few, LLVMBuildICmp(l->b, LLVMIntEQ, both, LLVMConstNull(l->i32), ""), "");
    }
    LLVMBuildCondBr(l->b, few, in->few, round);
    return round;
}

/* Whether a register is used at a piece by lanes of the strip. */
static bool is_live(const struct wl_lift *l, uint32_t piece, unsigned row) {
    const struct wl_live *live = &l->unit->pieces[piece].live_in;
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

/* All turns begin with what the strip has here. */
static void put_down(struct wl_lift *l, struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
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
        if (wl_bit(in->loop->scalars_written, reg) && l->sgpr[reg])
            t->scalar[reg] = wl_lift_sgpr(l, reg);
    }
}

static void begin_turn(struct wl_lift *l, const struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    for (unsigned reg = 0; reg < WL_SGPR_COUNT; reg++) {
        if (t->scalar[reg])
            LLVMBuildStore(l->b, t->scalar[reg], l->sgpr[reg]);
        if (!wl_bit(in->loop->masks, reg))
            continue;
        LLVMValueRef mask = LLVMBuildLoad2(l->b, l->i32, t->strip_mask[reg], "");
        LLVMValueRef bit = LLVMBuildLShr(l->b, mask, LLVMBuildTrunc(l->b, t->index, l->i32, ""), "");
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
        LLVMValueRef mask = LLVMBuildAnd(l->b, LLVMBuildLoad2(l->b, l->i32, t->strip_mask[reg], ""), others, "");
        LLVMValueRef bit = LLVMBuildShl(l->b, LLVMBuildLoad2(l->b, l->i32, in->mask[reg], ""), shift, "");
        LLVMBuildStore(l->b, LLVMBuildOr(l->b, mask, bit, ""), t->strip_mask[reg]);
    }
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (is_left(l, row))
            LLVMBuildStore(l->b, wl_pairs_load_row(l, row), place_of(l, t, row));
}

static void take_up(struct wl_lift *l, const struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    memcpy(in->row, t->strip_row, sizeof in->row);
    memcpy(in->mask, t->strip_mask, sizeof in->mask);
    memset(in->pair, 0, sizeof in->pair);
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        if (is_left(l, row))
            LLVMSetAlignment(LLVMBuildStore(l->b, load_row(l, t->place[row]), in->row[row]), 64);
}

static void lift_pieces(struct wl_lift *l, LLVMBasicBlockRef *own, LLVMBasicBlockRef end) {
    struct wl_lift_loop *in = l->in_loop;
    const struct wl_strip_loop *loop = in->loop;
    LLVMBasicBlockRef *outer = l->blocks;
    for (uint32_t i = 0; i < loop->count; i++)
        own[loop->pieces[i]] = wl_lift_block(l, "alone");
    own[loop->exit] = end;
    LLVMBuildBr(l->b, own[loop->header]);
    l->blocks = own;
    for (uint32_t i = 0; i < loop->count && !l->status; i++) {
        in->occupied = loop->occupied[i];
        LLVMPositionBuilderAtEnd(l->b, own[loop->pieces[i]]);
        if (in->occupied) /* it is this lane that is on */
            LLVMBuildStore(l->b, wl_lift_int(l, l->i32, 1), in->mask[WL_SGPR_EXEC]);
        for (unsigned reg = 0; reg < WL_SGPR_COUNT && loop->pieces[i] == loop->header; reg++)
            if (wl_bit(in->left, reg))
                LLVMBuildStore(l->b, LLVMConstNull(l->i32), in->mask[reg]);
        wl_lift_piece(l, loop->pieces[i]);
    }
    l->blocks = outer;
}

void wl_lanes_lift(struct wl_lift *l, const LLVMBasicBlockRef *blocks) {
    struct wl_lift_loop *in = l->in_loop;
    struct turns *t = calloc(1, sizeof *t);
    LLVMBasicBlockRef *own = calloc(l->unit->piece_count + 1, sizeof(LLVMBasicBlockRef));
    if (!t || !own) {
        l->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for blocks of a loop");
        free(t);
        free(own);
        return;
    }
    LLVMBasicBlockRef turn = wl_lift_block(l, "turn"), end = wl_lift_block(l, "turned"), all = wl_lift_block(l, "all");
    LLVMPositionBuilderAtEnd(l->b, in->few);
    put_down(l, t);
    LLVMValueRef exec = LLVMBuildLoad2(l->b, l->i32, t->strip_mask[WL_SGPR_EXEC], "");
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
    lift_pieces(l, own, end);
    in->lane = NULL;
    LLVMPositionBuilderAtEnd(l->b, end);
    end_turn(l, t);
    LLVMValueRef left = LLVMBuildAnd(l->b, t->left, LLVMBuildSub(l->b, t->left, wl_lift_int(l, l->i32, 1), ""), "");
    LLVMAddIncoming(t->left, &left, &end, 1);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntEQ, left, LLVMConstNull(l->i32), ""), all, turn);
    LLVMPositionBuilderAtEnd(l->b, all);
    take_up(l, t);
    LLVMBuildBr(l->b, blocks[in->loop->exit]);
    free(t);
    free(own);
}
