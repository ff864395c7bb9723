/* A wave by itself, its strips one after the other: the form that others nest in, and that a unit is in unless it is a workgroup's.
 *
 * A unit is FULL or MASKED code. It starts at its resume points, and leaves for the other copy where EXEC says so (lift/exec.c). */
#include "translate/lift/forms/strip.h"
#include "translate/lift/frame.h"
#include "translate/lift/region.h"

#include "machine/helpers.h"

#include <stddef.h>
#include <string.h>

/* ---- the unit ---- */

static bool create(struct wl_lift *l) {
    for (uint32_t p = 0; p < l->unit.code->block_count; p++)
        l->unit.ir_blocks[p] = wl_lift_ir_block(l, "block");
    return true;
}

/* MASKED code that waited with a full EXEC, since little was left to do before. */
static void change_copy_if_full(struct wl_lift *l, uint32_t block) {
    if (wl_exec_stays_masked(l->unit.code, block))
        return;
    LLVMValueRef full = LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_exec(l), LLVMConstAllOnes(l->mask_type), "");
    LLVMBasicBlockRef change = wl_lift_ir_block(l, "change"), go_on = wl_lift_ir_block(l, "masked");
    LLVMBuildCondBr(l->b, full, change, go_on);
    LLVMPositionBuilderAtEnd(l->b, change);
    wl_lift_exit(l, WL_EXIT_MODE);
    LLVMPositionBuilderAtEnd(l->b, go_on);
}

static void enter(struct wl_lift *l, LLVMValueRef resume) {
    const struct wl_unit *unit = l->unit.code;
    LLVMBasicBlockRef nowhere = wl_lift_ir_block(l, "nowhere");
    LLVMValueRef choice = LLVMBuildSwitch(l->b, resume, nowhere, unit->resume_count);
    for (uint32_t p = 0; p < unit->block_count; p++) {
        if (unit->blocks[p].resume == UINT32_MAX)
            continue;
        LLVMBasicBlockRef ir_block = wl_lift_ir_block(l, "resume");
        LLVMAddCase(choice, wl_lift_int(l, l->i32, unit->blocks[p].resume), ir_block);
        LLVMPositionBuilderAtEnd(l->b, ir_block);
        uint64_t live[2] = {unit->blocks[p].live_in.scalar[0], unit->blocks[p].live_in.scalar[1]};
        wl_set(live, WL_SGPR_EXEC);
        wl_set(live, WL_SGPR_EXEC + 1);
        wl_lift_move_scalars(l, live, false);
        wl_rows_load(l, &unit->blocks[p], NULL);
        if (l->unit.mode == WL_MODE_MASKED && p != unit->entry)
            change_copy_if_full(l, p);
        LLVMBuildBr(l->b, l->unit.ir_blocks[p]);
    }
    LLVMPositionBuilderAtEnd(l->b, nowhere);
    wl_lift_exit(l, WL_EXIT_ILLEGAL);
}

static void lift_blocks(struct wl_lift *l) {
    enum { MANY_BLOCKS = 20000 }; /* passes leave some two of five; wl_emit_can_optimize_code */
    for (uint32_t p = 0; p < l->unit.code->block_count && !l->status; p++) {
        wl_lift_block_or_loop(l, p);
        if (l->unit.ir_block_count > MANY_BLOCKS && !l->unit.compact && !l->status)
            l->status = WL_OUT_OF_RESOURCES;
    }
}

/* All strips are unrolled, and what does not fit the host's registers is spilled. */
/* Whether a unit divides by multiplication: most of its code is scalar in waves of one quotient, if registers are values (native/quotient.c). */
static bool divides(const struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (!strcmp(unit->insts[i].mnemonic, "v_mul_hi_u32"))
            return true;
    return false;
}

static unsigned row_budget(const struct wl_lift *l) {
    enum { MAX_ITEMS = 320, MAX_DIVIDED = 640 };
    if (l->unit.mode != WL_MODE_FULL || l->unit.code->stops)
        return 0;
    return divides(l->unit.code) ? MAX_DIVIDED : MAX_ITEMS;
}

static LLVMValueRef state_of(struct wl_lift *l, unsigned wave) {
    (void)wave;
    return l->wave;
}

/* ---- basic blocks ---- */

static void begin_block(struct wl_lift *l, uint32_t block) {
    if (l->unit.code->blocks[block].is_spin_header)
        wl_lift_spend_fuel(l, block);
    wl_lift_end_looks(l, block);
}

static void yield(struct wl_lift *l, uint32_t block) { wl_lift_exit_to_block(l, WL_EXIT_YIELD, block); }

static void go_without_lanes(struct wl_lift *l, uint32_t exit, uint32_t leave) {
    struct wl_idle idle;
    if (l->unit.mode == WL_MODE_MASKED)
        LLVMBuildBr(l->b, l->unit.ir_blocks[exit]);
    else if (wl_idle_find(l, exit, &idle))
        wl_idle_go(l, &idle);
    else
        wl_lift_exit_to_block(l, WL_EXIT_MODE, leave);
}

/* ---- vector regions ---- */

static LLVMValueRef strip_number(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave) {
    (void)l;
    (void)wave;
    return in_wave;
}

static void begin_strip(struct wl_lift *l) {
    l->strip->number = l->strip->in_wave;
    l->strip->first_lane = LLVMBuildShl(l->b, l->strip->number, wl_lift_int(l, l->i64, 4), "");
    l->strip->state = l->wave;
}

static void take_mask(struct wl_lift *l, unsigned reg, LLVMValueRef sum) {
    wl_lift_set_wide_scalar(l, reg, LLVMBuildLoad2(l->b, l->mask_type, sum, ""));
}

/* ---- masks and memory ---- */

static LLVMValueRef of_mask(struct wl_lift *l, LLVMValueRef mask) {
    return wl_lift_lanes(l, wl_strip_slice(l, mask, l->strip->in_wave), WL_STRIP);
}

/* Of tiles: the next workgroup's rows go on where those of this one end. */
static LLVMValueRef to_next_workgroup(struct wl_lift *l, uint64_t size, bool tiled) {
    (void)tiled;
    const bool in_loop = wl_unit_is_in_loop(l->unit.code, (uint32_t)(l->unit.block - l->unit.code->blocks));
    if (in_loop || l->unit.mode != WL_MODE_FULL || !l->unit.request->is_kernel || !l->unit.code->stops || l->exec)
        return NULL;
    LLVMValueRef items = LLVMBuildZExt(l->b, wl_lift_wave_field(l, offsetof(struct wl_wave, row_items), l->i32), l->i64, "");
    return LLVMBuildMul(l->b, items, wl_lift_int(l, l->i64, size), "");
}

const struct wl_form wl_wave_form = {
    WL_FORM_OF_STRIPS,
    .create = create,
    .enter = enter,
    .lift_blocks = lift_blocks,
    .row_budget = row_budget,
    .state_of = state_of,
    .begin_block = begin_block,
    .yield = yield,
    .go_without_lanes = go_without_lanes,
    .emit = wl_region_emit_wave,
    .begin_strip = begin_strip,
    .strip_number = strip_number,
    .wave_exec = wl_lift_exec,
    .wants_mask = wl_strip_wants_mask,
    .gather_mask = wl_strip_gather_mask,
    .take_mask = take_mask,
    .load_row = wl_strip_load_row,
    .store_row = wl_strip_store_row,
    .join = wl_strip_join_rows,
    .half = wl_strip_half,
    .mask = wl_lift_wide_scalar,
    .spread = wl_strip_spread_none,
    .test_mask = wl_strip_test_mask,
    .of_mask = of_mask,
    .gathers = wl_strip_gathers,
    .asks_ahead = true,
    .to_next_workgroup = to_next_workgroup,
};
