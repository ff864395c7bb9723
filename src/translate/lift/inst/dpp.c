/* DPP: operands that come from other lanes of the strip, or, on gfx9, from another strip. */
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"

/* The lane that a lane reads; -1: none. */
static int source_of(const struct wl_inst *inst, int lane) {
    int n = (int)inst->dpp_control, row = lane & ~15, in = lane & 15;
    switch (inst->dpp) {
    case WL_DPP_QUAD_PERM:
        return (lane & ~3) | (n >> 2 * (lane & 3) & 3);
    case WL_DPP_ROW_SHL:
        return in + n < 16 ? lane + n : -1;
    case WL_DPP_ROW_SHR:
        return in - n >= 0 ? lane - n : -1;
    case WL_DPP_ROW_ROR:
        return row | ((in - n) & 15);
    case WL_DPP_ROW_MIRROR:
        return row | (15 - in);
    case WL_DPP_ROW_HALF_MIRROR:
        return row | (in & 8) | (7 - (in & 7));
    case WL_DPP_ROW_SHARE:
    case WL_DPP_ROW_NEWBCAST:
        return row | (n & 15);
    case WL_DPP_ROW_XMASK:
        return row | ((in ^ n) & 15);
    case WL_DPP_DPP8:
        return (lane & ~7) | (n >> 3 * (lane & 7) & 7);
    default:
        return lane;
    }
}

bool wl_dpp_crosses_rows(const struct wl_inst *inst) {
    switch (inst->dpp) {
    case WL_DPP_WAVE_SHL:
    case WL_DPP_WAVE_ROL:
    case WL_DPP_WAVE_SHR:
    case WL_DPP_WAVE_ROR:
    case WL_DPP_ROW_BCAST15:
    case WL_DPP_ROW_BCAST31:
        return true;
    default:
        return false;
    }
}

static LLVMValueRef shuffle(struct wl_lift *l, LLVMValueRef value, const struct wl_inst *inst) {
    LLVMValueRef order[WL_STRIP];
    for (int lane = 0; lane < WL_STRIP; lane++) {
        int source = source_of(inst, lane);
        order[lane] = wl_lift_int(l, l->i32, source < 0 ? 0 : (unsigned)source);
    }
    return LLVMBuildShuffleVector(l->b, value, LLVMGetPoison(LLVMTypeOf(value)), LLVMConstVector(order, WL_STRIP), "");
}

LLVMValueRef wl_dpp_source(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid) {
    LLVMValueRef in_row[WL_STRIP];
    bool all = true;
    for (int lane = 0; lane < WL_STRIP; lane++) {
        bool has_source = source_of(inst, lane) >= 0;
        in_row[lane] = wl_lift_int(l, l->i1, has_source);
        all &= has_source;
    }
    LLVMValueRef value = shuffle(l, wl_strip_row_all_lanes(l, row), inst);
    *valid = all ? NULL : LLVMConstVector(in_row, WL_STRIP);
    if (l->exec && !inst->fetch_inactive) { /* lanes that are off are no source */
        LLVMValueRef on = shuffle(l, l->exec, inst);
        *valid = *valid ? LLVMBuildAnd(l->b, *valid, on, "") : on;
    }
    return value;
}

LLVMValueRef wl_dpp_across_rows(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef snapshot, LLVMValueRef *valid) {
    LLVMTypeRef t = l->strip_i32;
    LLVMValueRef first = LLVMBuildTrunc(l->b, l->strip->first_lane, l->i32, "");
    LLVMValueRef lane = LLVMBuildAdd(l->b, wl_strip_splat(l, first), wl_strip_lane_numbers(l), ""), source;
    LLVMValueRef last = wl_lift_int(l, t, l->wave_size - 1), one = wl_lift_int(l, t, 1);
    *valid = NULL;
    switch (inst->dpp) {
    case WL_DPP_WAVE_SHL:
        source = LLVMBuildAdd(l->b, lane, one, "");
        *valid = LLVMBuildICmp(l->b, LLVMIntULE, source, last, "");
        break;
    case WL_DPP_WAVE_ROL:
        source = LLVMBuildAdd(l->b, lane, one, "");
        break;
    case WL_DPP_WAVE_SHR:
        source = LLVMBuildSub(l->b, lane, one, "");
        *valid = LLVMBuildICmp(l->b, LLVMIntNE, lane, LLVMConstNull(t), "");
        break;
    case WL_DPP_WAVE_ROR:
        source = LLVMBuildSub(l->b, lane, one, "");
        break;
    case WL_DPP_ROW_BCAST15:
        source = LLVMBuildSub(l->b, LLVMBuildAnd(l->b, lane, wl_lift_int(l, t, (uint64_t)-16), ""), one, "");
        *valid = LLVMBuildICmp(l->b, LLVMIntUGE, lane, wl_lift_int(l, t, 16), "");
        break;
    default:
        source = wl_lift_int(l, t, 31);
        *valid = LLVMBuildICmp(l->b, LLVMIntUGE, lane, wl_lift_int(l, t, 32), "");
    }
    source = LLVMBuildAnd(l->b, source, last, "");
    LLVMValueRef value = wl_lane_gather(l, snapshot, source);
    if (l->exec) {
        LLVMValueRef exec = wl_lift_exec(l);
        LLVMValueRef wide = wl_strip_splat(l, l->wave_size == 64 ? exec : LLVMBuildZExt(l->b, exec, l->i64, ""));
        LLVMValueRef bits = LLVMBuildLShr(l->b, wide, LLVMBuildZExt(l->b, source, l->strip_i64, ""), "");
        LLVMValueRef on = LLVMBuildTrunc(l->b, bits, l->strip_i1, "");
        *valid = *valid ? LLVMBuildAnd(l->b, *valid, on, "") : on;
    }
    return value;
}

LLVMValueRef wl_dpp_enabled(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled) {
    if (inst->bank_mask != 0xf) {
        LLVMValueRef bank[WL_STRIP];
        for (unsigned lane = 0; lane < WL_STRIP; lane++)
            bank[lane] = wl_lift_int(l, l->i1, inst->bank_mask >> (lane / 4) & 1);
        LLVMValueRef banks = LLVMConstVector(bank, WL_STRIP);
        enabled = enabled ? LLVMBuildAnd(l->b, enabled, banks, "") : banks;
    }
    if (inst->row_mask != 0xf) {
        LLVMValueRef bit = LLVMBuildLShr(l->b, wl_lift_int(l, l->i64, inst->row_mask), l->strip->number, "");
        LLVMValueRef rows = wl_strip_splat(l, LLVMBuildTrunc(l->b, bit, l->i1, ""));
        enabled = enabled ? LLVMBuildAnd(l->b, enabled, rows, "") : rows;
    }
    return enabled;
}
