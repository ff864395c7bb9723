/* Joined additions in loops that are run strip by strip: a strip's own lanes are counted (strip_loop_aggregate.c). */
#include "translate/lift/forms/loop_state.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "translate/analysis/strip_loop.h"

enum { BITS }; /* slot of item->scalar: i32: the strip's lanes that add */

/* Each lane's rank among the strip's. */
static void emit_rank(struct wl_lift *l, struct wl_item *item) {
    LLVMValueRef below[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        below[i] = wl_lift_int(l, l->i32, (UINT64_C(1) << i) - 1);
    LLVMValueRef others = LLVMBuildAnd(l->b, wl_strip_splat(l, item->scalar[BITS]), LLVMConstVector(below, WL_STRIP), "");
    wl_strip_set_row(l, item->inst->operands[0].reg, wl_lift_intrinsic(l, "llvm.ctpop", &l->strip_i32, 1, &others, 1));
}

static void emit_move(struct wl_lift *l, struct wl_item *item) {
    wl_strip_set_row(l, item->inst->operands[0].reg, wl_strip_row(l, item->inst->operands[2].reg));
}

static LLVMValueRef lanes_of(struct wl_lift *l, unsigned reg) {
    LLVMValueRef mask = wl_loop_mask(l, reg);
    return l->wave_size == 64 ? LLVMBuildTrunc(l->b, mask, l->i32, "") : mask;
}

static void count(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef lanes = lanes_of(l, inst->operands[1].reg), number = wl_lift_intrinsic(l, "llvm.ctpop", &l->i32, 1, &lanes, 1);
    wl_lift_set_sgpr(l, inst->operands[0].reg, number);
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, number, LLVMConstNull(l->i32), "");
    wl_lift_set_sgpr(l, WL_SGPR_SCC, LLVMBuildZExt(l->b, some, l->i32, ""));
}

/* i32: the value that the strip's first active lane has in a row. */
static void take_first(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    LLVMValueRef arguments[2] = {lanes_of(l, WL_SGPR_EXEC), LLVMConstNull(l->i1)};
    LLVMValueRef lane = wl_lift_intrinsic(l, "llvm.cttz", &l->i32, 1, arguments, 2);
    lane = LLVMBuildAnd(l->b, lane, wl_lift_int(l, l->i32, WL_STRIP - 1), ""); /* no lane active: nobody looks */
    LLVMValueRef row = l->form->load_row(l, inst->operands[1].reg);
    wl_lift_set_sgpr(l, inst->operands[0].reg, l->in_loop->lane ? wl_lane_value(l, row) : LLVMBuildExtractElement(l->b, row, lane, ""));
}

void wl_loop_aggregate(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects) {
    switch ((enum wl_aggregate)inst->aggregate) {
    case WL_AGGREGATE_RANK: {
        LLVMValueRef lanes = lanes_of(l, inst->operands[1].reg);
        struct wl_item *item = wl_region_add(l, inst, effects);
        item->scalar[BITS] = lanes;
        item->emit = emit_rank;
        break;
    }
    case WL_AGGREGATE_RANK_HIGH:
        wl_region_add(l, inst, effects)->emit = emit_move;
        break;
    case WL_AGGREGATE_COUNT:
        count(l, inst);
        break;
    case WL_AGGREGATE_FIRST:
        take_first(l, inst);
        break;
    case WL_AGGREGATE_NONE:
    case WL_AGGREGATE_STORE:
        break;
    }
}
