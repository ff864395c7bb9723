/* Vector code for strips of 16 lanes, one strip of a wave or of a workgroup's waves at a time: the form of the CPU (form.h). */
#include "translate/lift/forms/gang.h"
#include "translate/lift/forms/loop.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"

#include <stddef.h>
#include <string.h>

/* ---- vector registers ---- */

LLVMValueRef wl_strip_row_pointer(struct wl_lift *l, unsigned row) {
    if (l->row_slots)
        return wl_rows_slot(l, row, (unsigned)LLVMConstIntGetZExtValue(l->strip->number));
    LLVMValueRef base = wl_lift_int(l, l->i64, offsetof(struct wl_wave, vgpr) + (uint64_t)row * l->wave_size * 4);
    LLVMValueRef offset = LLVMBuildAdd(l->b, base, LLVMBuildShl(l->b, l->strip->in_wave, wl_lift_int(l, l->i64, 6), ""), "");
    return LLVMBuildGEP2(l->b, l->i8, l->gang ? wl_gang_state(l, l->strip->wave) : l->wave, &offset, 1, "");
}

static LLVMValueRef load_in_place(struct wl_lift *l, unsigned row, bool pair) {
    const struct wl_lift_place here = wl_lift_detour(l, l->strip->start);
    LLVMValueRef value;
    if (pair) {
        value = wl_pairs_load(l, row);
    } else if (l->in_loop) {
        value = wl_loop_load_row(l, row);
    } else {
        value = LLVMBuildLoad2(l->b, l->strip_i32, wl_strip_row_pointer(l, row), "");
        LLVMSetAlignment(value, 64);
        wl_lift_mark_wave(l, value);
    }
    wl_lift_return(l, here);
    return value;
}

LLVMValueRef wl_strip_load_row(struct wl_lift *l, unsigned row) { return load_in_place(l, row, false); }

/* A register that is the same in all strips: one value for them, so that the passes see that what is computed of it, and loaded by
 * it, is the same as well. */
static LLVMValueRef shared_row(struct wl_lift *l, unsigned row) {
    if (!l->shared_row[row])
        l->shared_row[row] = wl_strip_load_row(l, row);
    return l->shared_row[row];
}

LLVMValueRef wl_strip_join(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    if (wl_lane_alone(l)) {
        LLVMValueRef upper = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, wl_lane_value(l, high), l->i64, ""), wl_lift_int(l, l->i64, 32), "");
        return wl_lane_vector(l, LLVMBuildOr(l->b, upper, LLVMBuildZExt(l->b, wl_lane_value(l, low), l->i64, ""), ""));
    }
    LLVMValueRef order[32];
    for (unsigned i = 0; i < 32; i++)
        order[i] = wl_lift_int(l, l->i32, i / 2 + (i & 1) * 16);
    return LLVMBuildBitCast(l->b, LLVMBuildShuffleVector(l->b, low, high, LLVMConstVector(order, 32), ""), l->strip_i64, "");
}

static LLVMValueRef half_of(struct wl_lift *l, LLVMValueRef pair, unsigned high) {
    if (wl_lane_alone(l)) {
        LLVMValueRef half = LLVMBuildLShr(l->b, wl_lane_value(l, pair), wl_lift_int(l, l->i64, 32 * high), "");
        return wl_lane_vector(l, LLVMBuildTrunc(l->b, half, l->i32, ""));
    }
    LLVMValueRef dwords = LLVMBuildBitCast(l->b, pair, LLVMVectorType(l->i32, 32), "");
    LLVMValueRef order[16];
    for (unsigned i = 0; i < 16; i++)
        order[i] = wl_lift_int(l, l->i32, 2 * i + high);
    return LLVMBuildShuffleVector(l->b, dwords, LLVMGetUndef(LLVMTypeOf(dwords)), LLVMConstVector(order, 16), "");
}

static LLVMValueRef row_value(struct wl_lift *l, unsigned row) {
    if (!l->strip->row_value[row])
        l->strip->row_value[row] = wl_bit(l->same_rows, row) ? shared_row(l, row) : wl_strip_load_row(l, row);
    return l->strip->row_value[row];
}

static LLVMValueRef row_all_lanes(struct wl_lift *l, unsigned row) {
    LLVMValueRef value = row_value(l, row);
    return l->exec && wl_bit(l->strip->row_dirty, row) ? LLVMBuildSelect(l->b, l->exec, value, wl_strip_load_row(l, row), "") : value;
}

static LLVMValueRef pair_value(struct wl_lift *l, unsigned row) {
    bool written = wl_bit(l->strip->row_dirty, row) || wl_bit(l->strip->row_dirty, row + 1);
    if (!l->strip->pair_value[row] && !written && wl_pairs_has(l, row))
        l->strip->pair_value[row] = load_in_place(l, row, true);
    if (!l->strip->pair_value[row])
        l->strip->pair_value[row] = wl_strip_join(l, row_value(l, row), row_value(l, row + 1));
    return l->strip->pair_value[row];
}

LLVMValueRef wl_strip_known_pair(const struct wl_lift *l, unsigned row) { return l->strip->pair_value[row]; }

static void forget_pairs(struct wl_lift *l, unsigned row) {
    l->strip->pair_value[row] = NULL;
    if (row)
        l->strip->pair_value[row - 1] = NULL;
}

static void set_row(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    forget_pairs(l, row);
    wl_index_forget(l, row);
    l->strip->row_value[row] = value;
    wl_set(l->strip->row_dirty, row);
}

static void set_pair(struct wl_lift *l, unsigned row, LLVMValueRef value) {
    set_row(l, row, half_of(l, value, 0));
    set_row(l, row + 1, half_of(l, value, 1));
    l->strip->pair_value[row] = value;
}

/* ---- masks ---- */

LLVMValueRef wl_strip_slice(struct wl_lift *l, LLVMValueRef mask, LLVMValueRef strip) {
    LLVMValueRef first_lane = LLVMBuildTrunc(l->b, LLVMBuildShl(l->b, strip, wl_lift_int(l, l->i64, 4), ""), l->wave_mask, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, mask, first_lane, ""), l->i16, "");
}

static LLVMValueRef of_mask(struct wl_lift *l, LLVMValueRef mask) {
    if (wl_lane_alone(l))
        return wl_lane_vector(l, LLVMBuildTrunc(l->b, mask, l->i1, ""));
    if (l->in_loop)
        return wl_lift_lanes(l, LLVMBuildTrunc(l->b, mask, l->i16, ""), WL_STRIP);
    return wl_lift_lanes(l, wl_strip_slice(l, l->gang ? wl_gang_wave_mask(l, mask) : mask, l->strip->in_wave), WL_STRIP);
}

static void set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes) { l->strip->mask_value[reg] = lanes; }

static LLVMValueRef made_mask(struct wl_lift *l, unsigned reg) { return l->strip->mask_value[reg]; }

static void makes_mask(struct wl_lift *l, unsigned reg) {
    for (unsigned i = 0; i < l->wave_size / 32; i++)
        wl_set(l->pending_masks, reg + i);
}

static LLVMValueRef is_zero_mask(struct wl_lift *l, unsigned reg) {
    return LLVMBuildICmp(l->b, LLVMIntEQ, wl_lift_mask(l, reg), LLVMConstNull(l->mask_type), "");
}

/* ---- scalars ---- */

static void scalar_written(struct wl_lift *l, unsigned reg, LLVMValueRef value) {
    (void)value;
    if (l->gang)
        wl_gang_written(l, reg);
}

static LLVMValueRef image(struct wl_lift *l) { return wl_lift_wave_field(l, offsetof(struct wl_wave, image), l->i64); }

static LLVMValueRef mode_register(struct wl_lift *l) { return wl_lift_wave_field(l, offsetof(struct wl_wave, mode_register), l->i32); }

/* ---- instructions with semantics ---- */

static const struct wl_sem *find_semantics(const struct wl_lift *l, const char *mnemonic) {
    return wl_sem_find(mnemonic, l->request->features);
}

static LLVMValueRef change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate) {
    LLVMTypeRef type = LLVMTypeOf(value);
    if (absolute)
        value = wl_lift_intrinsic(l, "llvm.fabs", &type, 1, &value, 1);
    return negate ? LLVMBuildFNeg(l->b, value, "") : value;
}

/* LLVM computes in halves after all without the fence, which it does lane by lane. */
static LLVMValueRef keep_wide(struct wl_lift *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value);
    return wl_lift_intrinsic(l, "llvm.arithmetic.fence", &type, 1, &value, 1);
}

const struct wl_form wl_strip_form = {
    .row = row_value,
    .row_all_lanes = row_all_lanes,
    .pair = pair_value,
    .set_row = set_row,
    .set_pair = set_pair,
    .of_mask = of_mask,
    .made_mask = made_mask,
    .makes_mask = makes_mask,
    .set_mask = set_mask,
    .is_zero_mask = is_zero_mask,
    .scalar_written = scalar_written,
    .lds_direct = wl_lane_lds_direct,
    .image = image,
    .mode_register = mode_register,
    .find_semantics = find_semantics,
    .link_semantics = wl_lift_link_semantics,
    .change_sign = change_sign,
    .keep_wide = keep_wide,
    .dpp = wl_dpp_source,
    .dpp_enabled = wl_dpp_enabled,
};
