/* Vector registers as values: small FULL code keeps them out of the wave between its exits, as scalars are kept. A wave that such
 * code runs to its end is never written to. In workgroup mode small workgroups keep those of all their waves, in both forms of their code.
 */
#include "base/assert.h"
#include "translate/isa/lane.h"
#include "translate/lift/frame.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdlib.h>

/* Instructions whose lifters find registers by wl_strip_row alone. */
static bool works_on_strips(const struct wl_lift *l, const struct wl_inst *inst) {
    if (inst->index_mode || inst->is_dpp)
        return false;
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_SPECIAL && inst->operands[i].reg == WL_SPECIAL_LDS_DIRECT)
            return false;
    if (inst->sem)
        return true;
    switch ((enum wl_isa_class)inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        return (inst->isa->space != WL_SPACE_BUFFER || wl_memory_is_private(l, inst)) && inst->isa->space != WL_SPACE_TBUFFER;
    case WL_ISA_LANE:
        return wl_lane_of(inst)->by_strip;
    case WL_ISA_MATRIX:
    case WL_ISA_IMAGE:
    case WL_ISA_TENSOR:
    case WL_ISA_MOVREL:
        return false;
    default:
        return true;
    }
}

static bool fits(const struct wl_lift *l) {
    const struct wl_unit *unit = l->unit.code;
    unsigned items = 0;
    const unsigned most = l->form->row_budget(l);
    if (unit->strip_loop_count || l->unit.in_memory || !l->unit.request->is_kernel || !most)
        return false;
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        if (!works_on_strips(l, &unit->insts[i]))
            return false;
        items += !wl_inst_is_scalar(&unit->insts[i]);
    }
    for (uint32_t p = 0; p < unit->block_count; p++)
        if (unit->blocks[p].end == WL_BLOCK_CALL || unit->blocks[p].end == WL_BLOCK_JUMP)
            return false;
    return items * l->unit.all_strips <= most;
}

void wl_rows_create(struct wl_lift *l) {
    struct wl_effects effects;
    uint64_t used[WL_ROW_WORDS] = {0};
    if (!fits(l))
        return;
    l->unit.row_slots = calloc((size_t)WL_VGPR_COUNT * l->unit.all_strips, sizeof(LLVMValueRef));
    if (!l->unit.row_slots)
        return; /* it works without */
    for (uint32_t i = 0; i < l->unit.code->inst_count; i++) {
        wl_inst_effects(&l->unit.code->insts[i], l->wave_size, &effects);
        for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
            used[w] |= effects.use.vector[w] | effects.touch.vector[w];
            l->unit.rows_written[w] |= effects.touch.vector[w];
        }
    }
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        for (unsigned s = 0; wl_bit(used, row) && s < l->unit.all_strips; s++)
            l->unit.row_slots[row * l->unit.all_strips + s] = wl_lift_alloca(l, l->strip_i32, 64, "v");
}

LLVMValueRef wl_rows_slot(const struct wl_lift *l, unsigned row, unsigned strip) {
    wl_assert(row < WL_VGPR_COUNT && strip < l->unit.all_strips && l->unit.row_slots[row * l->unit.all_strips + strip]);
    return l->unit.row_slots[row * l->unit.all_strips + strip];
}

/* Where a strip's part of a row is while nobody runs. */
static LLVMValueRef strip_place(struct wl_lift *l, unsigned row, unsigned strip) {
    uint64_t bytes = offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4 + (uint64_t)(strip % l->strips) * 64;
    LLVMValueRef offset = wl_lift_int(l, l->i64, bytes);
    return LLVMBuildGEP2(l->b, l->i8, l->form->state_of(l, strip / l->strips), &offset, 1, "");
}

static void load_row(struct wl_lift *l, unsigned row, wl_row_start *start) {
    for (unsigned s = 0; s < l->unit.all_strips; s++) {
        LLVMValueRef slot = l->unit.row_slots[row * l->unit.all_strips + s], place = strip_place(l, row, s);
        LLVMValueRef known = start ? start(l, row, s) : NULL;
        LLVMValueRef value = known ? known : LLVMBuildLoad2(l->b, l->strip_i32, place, "");
        if (!known)
            LLVMSetAlignment(value, 64);
        LLVMSetAlignment(LLVMBuildStore(l->b, value, slot), 64);
    }
}

static void store_row(struct wl_lift *l, unsigned row) {
    for (unsigned s = 0; s < l->unit.all_strips; s++) {
        LLVMValueRef slot = l->unit.row_slots[row * l->unit.all_strips + s], place = strip_place(l, row, s);
        LLVMValueRef value = LLVMBuildLoad2(l->b, l->strip_i32, slot, "");
        LLVMSetAlignment(value, 64);
        LLVMSetAlignment(LLVMBuildStore(l->b, value, place), 64);
    }
}

void wl_rows_load(struct wl_lift *l, const struct wl_block *block, wl_row_start *start) {
    for (unsigned row = 0; l->unit.row_slots && row < WL_VGPR_COUNT; row++)
        if (wl_bit(block->live_in.full, row) && l->unit.row_slots[row * l->unit.all_strips])
            load_row(l, row, start);
}

void wl_rows_store(struct wl_lift *l, const struct wl_block *block) {
    const struct wl_live *live = &block->live_in;
    for (unsigned row = 0; l->unit.row_slots && row < WL_VGPR_COUNT; row++) {
        /* What is left may go on with other lanes off. */
        const bool wanted = wl_bit(live->full, row) || wl_bit(live->active, row) || wl_bit(live->inactive, row);
        if (wanted && l->unit.row_slots[row * l->unit.all_strips] && wl_bit(l->unit.rows_written, row))
            store_row(l, row);
    }
}
