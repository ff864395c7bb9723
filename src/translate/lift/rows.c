/* Vector registers as values: small FULL code keeps them out of the wave between its exits, as scalars are kept. A wave that such
 * code runs to its end is never written to. Small gangs keep those of all their waves, in both forms of their code. */
#include "translate/lift/forms/gang.h"
#include "translate/lift/frame.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <stdlib.h>

enum {
    MAX_ITEMS = 320, /* vector instructions * strips; all strips are laid out, and what does not fit the host's registers is spilled */
    MAX_GANG_ITEMS = 1600, /* the same of a gang's strips: where a register waits for its next use costs the same there */
};

/* Instructions whose lifters find registers by wl_strip_row alone. */
static bool works_on_strips(const struct wl_inst *inst) {
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
        return inst->isa->space != WL_SPACE_BUFFER && inst->isa->space != WL_SPACE_TBUFFER;
    case WL_ISA_LANE:
        return inst->isa->detail == WL_LANE_MBCNT_LO || inst->isa->detail == WL_LANE_MBCNT_HI;
    case WL_ISA_MATRIX:
    case WL_ISA_IMAGE:
    case WL_ISA_MOVREL:
        return false;
    default:
        return true;
    }
}

/* Strips whose registers are kept. */
static unsigned slots(const struct wl_lift *l) { return l->gang ? l->gang_lanes / WL_STRIP : l->strips; }

static bool fits(const struct wl_lift *l) {
    const struct wl_unit *unit = l->unit;
    unsigned items = 0;
    if (unit->strip_loop_count || wl_is_one_lane(l) || l->in_memory || !l->request->is_kernel)
        return false;
    if (l->gang ? !l->lays_out : l->mode != WL_MODE_FULL || unit->stops)
        return false;
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        if (!works_on_strips(&unit->insts[i]))
            return false;
        items += !wl_inst_is_scalar(&unit->insts[i]);
    }
    for (uint32_t p = 0; p < unit->piece_count; p++)
        if (unit->pieces[p].end == WL_PIECE_CALL || unit->pieces[p].end == WL_PIECE_JUMP)
            return false;
    return items * slots(l) <= (l->gang ? MAX_GANG_ITEMS : MAX_ITEMS);
}

void wl_rows_create(struct wl_lift *l) {
    struct wl_effects effects;
    uint64_t used[8] = {0};
    if (!fits(l))
        return;
    l->row_slots = calloc((size_t)WL_VGPR_COUNT * slots(l), sizeof(LLVMValueRef));
    if (!l->row_slots)
        return; /* it works without */
    for (uint32_t i = 0; i < l->unit->inst_count; i++) {
        wl_inst_effects(&l->unit->insts[i], l->wave_size, &effects);
        for (unsigned w = 0; w < 8; w++) {
            used[w] |= effects.use.vector[w] | effects.touch.vector[w];
            l->rows_written[w] |= effects.touch.vector[w];
        }
    }
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++)
        for (unsigned s = 0; wl_bit(used, row) && s < slots(l); s++)
            l->row_slots[row * slots(l) + s] = wl_lift_alloca(l, l->strip_i32, 64, "v");
}

LLVMValueRef wl_rows_slot(const struct wl_lift *l, unsigned row, unsigned strip) { return l->row_slots[row * slots(l) + strip]; }

/* Where a strip's part of a row is while nobody runs. */
static LLVMValueRef strip_place(struct wl_lift *l, unsigned row, unsigned strip) {
    uint64_t bytes = offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4 + (uint64_t)(strip % l->strips) * 64;
    if (!l->gang)
        return wl_lift_wave_pointer(l, bytes);
    LLVMValueRef offset = wl_lift_int(l, l->i64, bytes);
    return LLVMBuildGEP2(l->b, l->i8, wl_gang_state_of(l, strip / l->strips), &offset, 1, "");
}

void wl_rows_move(struct wl_lift *l, const struct wl_piece *piece, bool store) {
    const struct wl_live *live = &piece->live_in;
    if (!l->row_slots)
        return;
    for (unsigned row = 0; row < WL_VGPR_COUNT; row++) {
        /* What is left may go on with other lanes off. */
        bool wanted = wl_bit(live->full, row) || (store && (wl_bit(live->active, row) || wl_bit(live->inactive, row)));
        if (!wanted || !l->row_slots[row * slots(l)] || (store && !wl_bit(l->rows_written, row)))
            continue;
        for (unsigned s = 0; s < slots(l); s++) {
            LLVMValueRef slot = l->row_slots[row * slots(l) + s];
            LLVMValueRef place = strip_place(l, row, s);
            LLVMValueRef ids = l->gang && !store ? wl_gang_ids(l, row, s) : NULL; /* a gang starts nowhere but at its entry */
            LLVMValueRef value = ids ? ids : LLVMBuildLoad2(l->b, l->strip_i32, store ? slot : place, "");
            if (!ids)
                LLVMSetAlignment(value, 64);
            LLVMSetAlignment(LLVMBuildStore(l->b, value, store ? place : slot), 64);
        }
    }
}
