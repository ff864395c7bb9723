/* Vectors of a strip's lanes: splats, masks as vectors of bits, stores under a mask. */
#include "translate/lift/state.h"
#include "translate/lift/values.h"

LLVMValueRef wl_strip_splat(struct wl_lift *l, LLVMValueRef scalar) {
    LLVMTypeRef vector = LLVMVectorType(LLVMTypeOf(scalar), l->lanes);
    LLVMValueRef zero = LLVMConstInt(l->i32, 0, 0);
    LLVMValueRef one = LLVMBuildInsertElement(l->b, LLVMGetPoison(vector), scalar, zero, "");
    return LLVMBuildShuffleVector(l->b, one, LLVMGetPoison(vector), LLVMConstNull(LLVMVectorType(l->i32, l->lanes)), "");
}

LLVMValueRef wl_strip_lane_numbers(struct wl_lift *l) {
    LLVMValueRef lanes[WL_STRIP];
    for (unsigned i = 0; i < WL_STRIP; i++)
        lanes[i] = wl_lift_int(l, l->i32, i);
    return LLVMConstVector(lanes, WL_STRIP);
}

/* Hosts without mask registers select and move lanes by their signs. Vectors of i1, which they hold as bytes, would be taken apart wherever
 * they are used, and LLVM would take the cast apart bit by bit on AArch64; comparisons with 0 cost nothing. */
LLVMValueRef wl_lift_pick_lanes(struct wl_lift *l, LLVMValueRef bits, const unsigned *index, unsigned count) {
    LLVMTypeRef vector = LLVMVectorType(l->i32, count);
    LLVMValueRef shift[2 * WL_STRIP], zero[2 * WL_STRIP];
    for (unsigned i = 0; i < count; i++) {
        shift[i] = wl_lift_int(l, l->i32, 31 - index[i]);
        zero[i] = wl_lift_int(l, l->i32, 0);
    }
    LLVMValueRef all = LLVMBuildInsertElement(l->b, LLVMGetPoison(vector), LLVMBuildZExtOrBitCast(l->b, bits, l->i32, ""), zero[0], "");
    all = LLVMBuildShuffleVector(l->b, all, LLVMGetPoison(vector), LLVMConstVector(zero, count), "");
    LLVMValueRef own = LLVMBuildShl(l->b, all, LLVMConstVector(shift, count), "");
    return LLVMBuildICmp(l->b, LLVMIntSLT, own, LLVMConstNull(vector), "exec");
}

LLVMValueRef wl_lift_lanes(struct wl_lift *l, LLVMValueRef bits, unsigned count) {
    enum { HALF = 2 * WL_STRIP };
    unsigned index[HALF];
    if (l->has_avx512)
        return LLVMBuildBitCast(l->b, bits, LLVMVectorType(l->i1, count), "exec");
    for (unsigned i = 0; i < HALF; i++)
        index[i] = i;
    if (count <= HALF)
        return wl_lift_pick_lanes(l, bits, index, count);
    LLVMValueRef order[2 * HALF], low = LLVMBuildTrunc(l->b, bits, l->i32, "");
    LLVMValueRef high = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, bits, LLVMConstInt(l->i64, HALF, 0), ""), l->i32, "");
    for (unsigned i = 0; i < 2 * HALF; i++)
        order[i] = wl_lift_int(l, l->i32, i);
    return LLVMBuildShuffleVector(l->b, wl_lift_pick_lanes(l, low, index, HALF), wl_lift_pick_lanes(l, high, index, HALF),
                                  LLVMConstVector(order, 2 * HALF), "");
}

void wl_lift_store_lanes(struct wl_lift *l, LLVMValueRef value, LLVMValueRef pointer, unsigned alignment, LLVMValueRef lanes) {
    if (l->has_avx512) {
        wl_lift_masked_store(l, value, pointer, alignment, lanes);
        return;
    }
    /* AVX2's masked stores are no quicker on Intel's hosts, ten times as slow on AMD's, and what they wrote cannot be loaded at once. */
    LLVMValueRef old = LLVMBuildLoad2(l->b, LLVMTypeOf(value), pointer, ""), store;
    LLVMSetAlignment(old, alignment);
    wl_lift_mark_wave(l, old);
    store = LLVMBuildStore(l->b, LLVMBuildSelect(l->b, lanes, value, old, ""), pointer);
    LLVMSetAlignment(store, alignment);
    wl_lift_mark_wave(l, store);
}

LLVMValueRef wl_strip_exec(struct wl_lift *l) { return l->exec ? l->exec : LLVMConstAllOnes(l->strip_i1); }
