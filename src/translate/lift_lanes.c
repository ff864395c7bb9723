/* The few lanes that a strip has left in a loop (lift_loop.c), one after the other.
 *
 * A round of a strip takes as long for one lane as for all: gathers, and a branch that waits for what they bring. Lanes by themselves
 * are plain scalar code, which the host runs ahead of what it waits for. So where a strip's round begins with few lanes, each of those
 * goes through the loop to its end.
 *
 * The loop's pieces are lifted once more. Registers are i32 allocas and masks have one bit; the emitters see vectors of which lane 0 is
 * the one at hand, and passes make scalars of them. Memory is accessed by scalars. */
#include "translate/isa.h"
#include "translate/lift_loop.h"
#include "translate/sem.h"

#include <stdlib.h>
#include <string.h>

enum {
    FEW = 10,       /* lanes */
    MOST_WORK = 12, /* vector instructions for each access: beyond, a strip's vectors gain more */
    MOST_INSTS = 120,
};

/* What the strip has while its lanes have their turns. */
struct turns {
    LLVMValueRef strip_row[WL_VGPR_COUNT], strip_mask[WL_SGPR_COUNT]; /* lift_loop.c's */
    LLVMValueRef place[WL_VGPR_COUNT];                                /* allocas: the strip's rows in memory */
    LLVMValueRef scalar[WL_SGPR_COUNT];                               /* i32: what each lane begins with */
    LLVMValueRef left, index;                                         /* i32: lanes whose turn is still to come; i64 */
};

bool wl_lane_alone(const struct wl_lift *l) { return l->in_loop && l->in_loop->lane; }

LLVMValueRef wl_lane_number(const struct wl_lift *l) { return l->in_loop->lane; }

LLVMValueRef wl_lane_bit(const struct wl_lift *l) { return l->in_loop->lane_bit; }

LLVMValueRef wl_lane_vector(struct wl_lift *l, LLVMValueRef element) {
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(element), WL_STRIP);
    return LLVMBuildInsertElement(l->b, LLVMConstNull(type), element, LLVMConstNull(l->i32), ""); /* nothing is poison: some look at all */
}

LLVMValueRef wl_lane_value(struct wl_lift *l, LLVMValueRef vector) {
    return LLVMBuildExtractElement(l->b, vector, LLVMConstNull(l->i32), "");
}

bool wl_lanes_pay(const struct wl_lift *l) {
    const struct wl_strip_loop *loop = l->in_loop->loop;
    uint32_t insts = 0, accesses = 0, work = 0;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_piece *piece = &l->unit->pieces[loop->pieces[i]];
        insts += piece->count;
        for (uint32_t n = 0; n < piece->count; n++) {
            const struct wl_inst *inst = &l->unit->insts[piece->first + n];
            bool access =
                inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
            if (access && (inst->isa->space != WL_SPACE_GLOBAL || inst->lds || inst->isa->detail))
                return false;
            accesses += access;
            work += inst->sem && !inst->sem->scalar;
        }
    }
    return loop->writes && insts <= MOST_INSTS && work <= accesses * MOST_WORK;
}

LLVMBasicBlockRef wl_lanes_branch(struct wl_lift *l, LLVMBasicBlockRef header) {
    struct wl_lift_loop *in = l->in_loop;
    LLVMBasicBlockRef round = wl_lift_block(l, "round");
    in->few = wl_lift_block(l, "few");
    LLVMPositionBuilderAtEnd(l->b, header);
    LLVMValueRef exec = LLVMBuildLoad2(l->b, l->i32, in->mask[WL_SGPR_EXEC], "");
    LLVMValueRef lanes = wl_lift_intrinsic(l, "llvm.ctpop", &l->i32, 1, &exec, 1);
    LLVMBuildCondBr(l->b, LLVMBuildICmp(l->b, LLVMIntULE, lanes, wl_lift_int(l, l->i32, FEW), ""), in->few, round);
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
        in->row[row] = wl_lift_alloca(l, l->i32, 4, "element");
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
        LLVMBuildStore(l->b, starts ? LLVMBuildLoad2(l->b, l->i32, place_of(l, t, row), "") : LLVMConstNull(l->i32), in->row[row]);
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
            LLVMBuildStore(l->b, LLVMBuildLoad2(l->b, l->i32, in->row[row], ""), place_of(l, t, row));
}

static void take_up(struct wl_lift *l, const struct turns *t) {
    struct wl_lift_loop *in = l->in_loop;
    memcpy(in->row, t->strip_row, sizeof in->row);
    memcpy(in->mask, t->strip_mask, sizeof in->mask);
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
    LLVMValueRef of_all = LLVMBuildShl(l->b, in->of_all, wl_lift_int(l, l->i64, 4), "");
    in->lane = LLVMBuildAdd(l->b, of_all, t->index, "");
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
