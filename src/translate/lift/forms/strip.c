/* Vector code for strips of 16 lanes: what the forms of the CPU share (form.h). */
#include "translate/lift/forms/strip.h"
#include "translate/analysis/strip_loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"

#include <stddef.h>

/* ---- vector registers ---- */

/* Where a row's strip lies in memory. */
static LLVMValueRef row_pointer(struct wl_lift *l, unsigned row) {
    if (l->unit.row_slots)
        return wl_rows_slot(l, row, (unsigned)LLVMConstIntGetZExtValue(l->strip->number));
    LLVMValueRef base = wl_lift_int(l, l->i64, offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4);
    LLVMValueRef offset = LLVMBuildAdd(l->b, base, LLVMBuildShl(l->b, l->strip->in_wave, wl_lift_int(l, l->i64, 6), ""), "");
    return LLVMBuildGEP2(l->b, l->i8, l->strip->state, &offset, 1, "");
}

LLVMValueRef wl_strip_load_row(struct wl_lift *l, unsigned row) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, l->strip_i32, row_pointer(l, row), "");
    LLVMSetAlignment(value, 64);
    wl_lift_mark_wave(l, value);
    return value;
}

/* Loads a row where the strip begins. */
static LLVMValueRef load_at_start(struct wl_lift *l, unsigned row) {
    const struct wl_lift_place here = wl_lift_detour(l, l->strip->start);
    LLVMValueRef value = l->form->load_row(l, row);
    wl_lift_return(l, here);
    return value;
}

static LLVMValueRef load_pair_at_start(struct wl_lift *l, unsigned row) {
    if (!l->form->load_pair)
        return NULL;
    const struct wl_lift_place here = wl_lift_detour(l, l->strip->start);
    LLVMValueRef value = l->form->load_pair(l, row);
    wl_lift_return(l, here);
    return value;
}

void wl_strip_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    LLVMValueRef pointer = row_pointer(l, row);
    if (l->exec && l->unit.row_slots) /* a masked store would keep the slot from becoming a value */
        value = LLVMBuildSelect(l->b, l->exec, value, load_at_start(l, row), "");
    if (l->exec && !l->unit.row_slots) {
        wl_lift_store_lanes(l, value, pointer, 64, l->exec);
    } else {
        LLVMValueRef store = LLVMBuildStore(l->b, value, pointer);
        LLVMSetAlignment(store, 64);
        wl_lift_mark_wave(l, store);
    }
}

/* A register that is the same in all strips: one value for them, so that the passes see that what is computed of it, and loaded by
 * it, is the same as well. */
static LLVMValueRef shared_row(struct wl_lift *l, unsigned row) {
    if (!l->region.shared_row[row])
        l->region.shared_row[row] = load_at_start(l, row);
    return l->region.shared_row[row];
}

LLVMValueRef wl_strip_join_rows(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef order[32];
    for (unsigned i = 0; i < 32; i++)
        order[i] = wl_lift_int(l, l->i32, i / 2 + (i & 1) * 16);
    return LLVMBuildBitCast(l->b, LLVMBuildShuffleVector(l->b, low, high, LLVMConstVector(order, 32), ""), l->strip_i64, "");
}

LLVMValueRef wl_strip_half(struct wl_lift *l, LLVMValueRef pair, bool high) {
    LLVMValueRef dwords = LLVMBuildBitCast(l->b, pair, LLVMVectorType(l->i32, 32), "");
    LLVMValueRef order[16];
    for (unsigned i = 0; i < 16; i++)
        order[i] = wl_lift_int(l, l->i32, 2 * i + (high ? 1 : 0));
    return LLVMBuildShuffleVector(l->b, dwords, LLVMGetUndef(LLVMTypeOf(dwords)), LLVMConstVector(order, 16), "");
}

LLVMValueRef wl_strip_row_value(struct wl_lift *l, unsigned row) {
    if (!l->strip->row_value[row])
        l->strip->row_value[row] = wl_bit(l->region.same_rows, row) ? shared_row(l, row) : load_at_start(l, row);
    return l->strip->row_value[row];
}

LLVMValueRef wl_strip_every_lane(struct wl_lift *l, unsigned row) {
    LLVMValueRef value = wl_strip_row_value(l, row);
    return l->exec && wl_bit(l->strip->row_dirty, row) ? LLVMBuildSelect(l->b, l->exec, value, load_at_start(l, row), "") : value;
}

LLVMValueRef wl_strip_pair_value(struct wl_lift *l, unsigned row) {
    bool written = wl_bit(l->strip->row_dirty, row) || wl_bit(l->strip->row_dirty, row + 1);
    if (!l->strip->pair_value[row] && !written)
        l->strip->pair_value[row] = load_pair_at_start(l, row);
    if (!l->strip->pair_value[row])
        l->strip->pair_value[row] = wl_strip_join(l, wl_strip_row_value(l, row), wl_strip_row_value(l, row + 1));
    return l->strip->pair_value[row];
}

LLVMValueRef wl_strip_known_pair(const struct wl_lift *l, unsigned row) { return l->strip->pair_value[row]; }

static void forget_pairs(struct wl_lift *l, unsigned row) {
    l->strip->pair_value[row] = NULL;
    if (row)
        l->strip->pair_value[row - 1] = NULL;
}

void wl_strip_put_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    forget_pairs(l, row);
    wl_index_forget(l, row);
    l->strip->row_value[row] = value;
    wl_set(l->strip->row_dirty, row);
}

void wl_strip_put_pair(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    wl_strip_put_row(l, row, l->form->half(l, value, false));
    wl_strip_put_row(l, row + 1, l->form->half(l, value, true));
    l->strip->pair_value[row] = value;
}

/* ---- masks ---- */

LLVMValueRef wl_strip_slice(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef strip) {
    LLVMValueRef first_lane = LLVMBuildTrunc(l->b, LLVMBuildShl(l->b, strip, wl_lift_int(l, l->i64, 4), ""), l->wave_mask, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, mask, first_lane, ""), l->i16, "");
}

LLVMValueRef wl_strip_spread_none(struct wl_lift *l, LLVMValueRef mask) {
    (void)l;
    return mask;
}

LLVMValueRef wl_strip_test_mask(struct wl_lift *l, unsigned reg, bool some) {
    return LLVMBuildICmp(l->b, some ? LLVMIntNE : LLVMIntEQ, wl_lift_mask(l, reg), LLVMConstNull(l->mask_type), "");
}

LLVMValueRef wl_strip_record_mask(struct wl_lift *l, unsigned reg) { return wl_region_mask_pending(l, reg) ? NULL : wl_lift_mask(l, reg); }

void wl_strip_note_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes) { l->strip->mask_value[reg] = lanes; }

LLVMValueRef wl_strip_made_mask(struct wl_lift *l, unsigned reg) { return l->strip->mask_value[reg]; }

void wl_strip_makes_mask(struct wl_lift *l, unsigned reg) {
    for (unsigned i = 0; i < l->wave_size / 32; i++)
        wl_set(l->region.pending_masks, reg + i);
}

bool wl_strip_wants_mask(const struct wl_lift *l, unsigned reg) {
    (void)l;
    (void)reg;
    return true;
}

LLVMValueRef wl_strip_mask_bits(struct wl_lift *l, LLVMValueRef lanes) {
    if (l->exec && l->has_avx512)
        lanes = LLVMBuildAnd(l->b, lanes, l->exec, "");
    LLVMValueRef bits = LLVMBuildBitCast(l->b, lanes, l->i16, "");
    if (l->exec && !l->has_avx512)
        bits = LLVMBuildAnd(l->b, bits, l->exec_bits, "");
    return bits;
}

void wl_strip_add_bits(struct wl_lift *l, LLVMValueRef bits, LLVMValueRef sum) {
    LLVMValueRef others = LLVMBuildLoad2(l->b, l->wave_mask, sum, "");
    LLVMBuildStore(l->b, LLVMBuildOr(l->b, others, bits, ""), sum);
}

void wl_strip_gather_mask(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef sum) {
    LLVMValueRef bits = wl_strip_mask_bits(l, lanes);
    LLVMValueRef place = LLVMBuildShl(l->b, l->strip->in_wave, wl_lift_int(l, l->i64, 4), "");
    bits = LLVMBuildZExt(l->b, bits, l->wave_mask, "");
    wl_strip_add_bits(l, LLVMBuildShl(l->b, bits, LLVMBuildTrunc(l->b, place, l->wave_mask, ""), ""), sum);
}

LLVMValueRef wl_mask_combine(struct wl_lift *l, unsigned logic, LLVMValueRef a, LLVMValueRef b) {
    switch ((enum wl_mask_logic)logic) {
    case WL_MASK_MOVE:
        return a;
    case WL_MASK_NOT:
        return LLVMBuildNot(l->b, a, "");
    case WL_MASK_AND:
        return LLVMBuildAnd(l->b, a, b, "");
    case WL_MASK_AND_NOT:
        return LLVMBuildAnd(l->b, a, LLVMBuildNot(l->b, b, ""), "");
    case WL_MASK_OR:
        return LLVMBuildOr(l->b, a, b, "");
    case WL_MASK_OR_NOT:
        return LLVMBuildOr(l->b, a, LLVMBuildNot(l->b, b, ""), "");
    case WL_MASK_XOR:
        return LLVMBuildXor(l->b, a, b, "");
    case WL_MASK_NAND:
        return LLVMBuildNot(l->b, LLVMBuildAnd(l->b, a, b, ""), "");
    case WL_MASK_NOR:
        return LLVMBuildNot(l->b, LLVMBuildOr(l->b, a, b, ""), "");
    case WL_MASK_XNOR:
        return LLVMBuildNot(l->b, LLVMBuildXor(l->b, a, b, ""), "");
    case WL_MASK_SELECT:
        break;
    }
    LLVMValueRef scc = LLVMBuildICmp(l->b, LLVMIntNE, wl_lift_sgpr(l, WL_SGPR_SCC), LLVMConstNull(l->i32), "");
    return LLVMBuildSelect(l->b, scc, a, b, "");
}

/* ---- scalars ---- */

LLVMValueRef wl_strip_image(struct wl_lift *l) { return wl_lift_wave_field(l, offsetof(struct wl_wave, image), l->i64); }

LLVMValueRef wl_strip_mode_register(struct wl_lift *l) { return wl_lift_wave_field(l, offsetof(struct wl_wave, mode_register), l->i32); }

/* ---- memory ---- */

enum wl_gathers wl_strip_gathers(const struct wl_lift *l) {
    enum { LARGE = 300 }; /* instructions of a unit: beyond, the code generator takes too long for what all strips would get */
    return l->unit.code->inst_count < LARGE ? WL_GATHERS_INLINE : WL_GATHERS_CALL;
}

/* ---- instructions with semantics ---- */

const struct wl_sem *wl_strip_find_semantics(const struct wl_lift *l, const char *mnemonic) {
    return wl_sem_find(mnemonic, l->unit.request->features);
}

LLVMValueRef wl_strip_change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (absolute)
        value = wl_lift_intrinsic(l, "llvm.fabs", &type, 1, &value, 1);
    return negate ? LLVMBuildFNeg(l->b, value, "") : value;
}

/* LLVM computes in halves after all without the fence, which it does lane by lane. */
LLVMValueRef wl_strip_keep_wide(struct wl_lift *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return wl_lift_intrinsic(l, "llvm.arithmetic.fence", &type, 1, &value, 1);
}
