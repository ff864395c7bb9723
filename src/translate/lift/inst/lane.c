/* Cross-lane instructions: moves between lanes, between lanes and scalar registers, and lanes chosen at run time. A row of
 * isa/lane_rows.inc names the function that lifts one: record_* leave an item in the vector region, others are done at once. */
#include "translate/isa/lane.h"
#include "base/assert.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/memory/sanitize.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"

#include <stddef.h>
#include <string.h>

/* What the rows name. */
typedef void lift_fn(struct wl_lift *l, const struct wl_inst *inst);

/* ---- lanes of a row that stays as it was ---- */

LLVMValueRef wl_lane_snapshot(struct wl_lift *l, unsigned row, bool zero_inactive) {
    wl_lift_flush(l);
    LLVMTypeRef whole = LLVMVectorType(l->i32, l->wave_size);
    LLVMValueRef copy = wl_lift_alloca(l, whole, 64, "snapshot");
    LLVMValueRef value = LLVMBuildLoad2(l->b, whole, wl_lift_row_address(l, row), "");
    LLVMSetAlignment(value, 64);
    if (zero_inactive && l->unit.mode == WL_MODE_MASKED) {
        LLVMValueRef on = wl_lift_lanes(l, wl_lift_exec(l), l->wave_size);
        value = LLVMBuildSelect(l->b, on, value, LLVMConstNull(whole), "");
    }
    LLVMSetAlignment(LLVMBuildStore(l->b, value, copy), 64);
    return copy;
}

static LLVMValueRef snapshot_strip(struct wl_lift *l, LLVMValueRef snapshot, unsigned strip) {
    LLVMValueRef offset = wl_lift_int(l, l->i64, strip * 64);
    LLVMValueRef value = LLVMBuildLoad2(l->b, l->strip_i32, LLVMBuildGEP2(l->b, l->i8, snapshot, &offset, 1, ""), "");
    LLVMSetAlignment(value, 64);
    return value;
}

/* One two-register permutation finds any of 32 lanes; a wave64 needs two and a choice. */
static LLVMValueRef permute_avx512(struct wl_lift *l, LLVMValueRef snapshot, LLVMValueRef index) {
    LLVMValueRef halves[2];
    for (unsigned half = 0; half < l->wave_size / 32; half++) {
        LLVMValueRef arguments[] = {snapshot_strip(l, snapshot, 2 * half), index, snapshot_strip(l, snapshot, 2 * half + 1)};
        halves[half] = wl_lift_intrinsic(l, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, arguments, 3);
    }
    if (l->wave_size == 32)
        return halves[0];
    LLVMValueRef upper = LLVMBuildICmp(l->b, LLVMIntUGE, index, wl_lift_int(l, l->strip_i32, 32), "");
    return LLVMBuildSelect(l->b, upper, halves[1], halves[0], "");
}

LLVMValueRef wl_lane_gather(struct wl_lift *l, LLVMValueRef snapshot, LLVMValueRef index) {
    if (l->has_avx512)
        return permute_avx512(l, snapshot, index);
    LLVMValueRef value = LLVMGetPoison(l->strip_i32);
    for (unsigned lane = 0; lane < WL_STRIP; lane++) {
        LLVMValueRef n = wl_lift_int(l, l->i32, lane);
        LLVMValueRef source = LLVMBuildExtractElement(l->b, index, n, "");
        LLVMValueRef pointer = LLVMBuildGEP2(l->b, l->i32, snapshot, &source, 1, "");
        value = LLVMBuildInsertElement(l->b, value, LLVMBuildLoad2(l->b, l->i32, pointer, ""), n, "");
    }
    return value;
}

/* ---- items that read other lanes ---- */

enum { SNAPSHOT, FIRST, SECOND }; /* slots of item->scalar */

static LLVMValueRef lane_in_wave(struct wl_lift *l) {
    LLVMValueRef first = LLVMBuildTrunc(l->b, l->strip->first_lane, l->i32, "");
    return LLVMBuildAdd(l->b, wl_strip_splat(l, first), wl_strip_lane_numbers(l), "");
}

static LLVMValueRef constant(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->strip_i32, value); }

static void emit_bpermute(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    LLVMValueRef address = LLVMBuildAdd(l->b, wl_strip_row(l, inst->operands[1].reg), constant(l, (uint32_t)inst->offset0), "");
    LLVMValueRef lane = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, address, constant(l, 2), ""), constant(l, l->wave_size - 1), "");
    wl_strip_set_row(l, inst->operands[0].reg, wl_lane_gather(l, item->scalar[SNAPSHOT], lane));
}

static unsigned reverse_bits(unsigned lane) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 5; bit++)
        reversed |= (lane >> bit & 1) << (4 - bit);
    return reversed;
}

/* The lane that lane `i` of 32 reads: an order for Fourier transforms, a rotation, any order of quads, or bit operations. */
static unsigned swizzled_lane(unsigned i, uint32_t pattern) {
    unsigned mask = pattern & 31, middle = pattern >> 5 & 31;
    if (pattern >= 0xe000)
        return (reverse_bits(i) >> __builtin_popcount(mask)) + (i & mask);
    if (pattern >= 0xc000)
        return (i & mask) | ((pattern & 0x400 ? i - middle : i + middle) & ~mask & 31);
    if (pattern & 0x8000)
        return (i & ~3u) | (pattern >> (i & 3) * 2 & 3);
    return ((i & mask) | middle) ^ (pattern >> 10 & 31);
}

static void emit_swizzle(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    LLVMValueRef lanes[2][WL_STRIP], lane = lane_in_wave(l);
    for (unsigned i = 0; i < 2 * WL_STRIP; i++)
        lanes[i / WL_STRIP][i % WL_STRIP] = wl_lift_int(l, l->i32, swizzled_lane(i, (uint32_t)inst->offset0) & 31);
    LLVMValueRef upper =
        LLVMBuildICmp(l->b, LLVMIntNE, LLVMBuildAnd(l->b, lane, constant(l, WL_STRIP), ""), LLVMConstNull(l->strip_i32), "");
    LLVMValueRef within = LLVMBuildSelect(l->b, upper, LLVMConstVector(lanes[1], WL_STRIP), LLVMConstVector(lanes[0], WL_STRIP), "");
    LLVMValueRef source = LLVMBuildOr(l->b, LLVMBuildAnd(l->b, lane, constant(l, (uint32_t)~31), ""), within, "");
    wl_strip_set_row(l, inst->operands[0].reg, wl_lane_gather(l, item->scalar[SNAPSHOT], source));
}

static LLVMValueRef nibble_of_lane(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef nibbles = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, l->i64, ""), wl_lift_int(l, l->i64, 32), "");
    nibbles = LLVMBuildOr(l->b, LLVMBuildZExt(l->b, low, l->i64, ""), nibbles, "");
    LLVMValueRef shift = LLVMBuildZExt(l->b, LLVMBuildShl(l->b, wl_strip_lane_numbers(l), constant(l, 2), ""), l->strip_i64, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, wl_strip_splat(l, nibbles), shift, ""), l->strip_i32, "");
}

/* What lanes get from their sources; from one that is off they get 0 or, without bound control, keep what they have. */
static LLVMValueRef from_active(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef source, LLVMValueRef value) {
    bool fetch_inactive = inst->op_sel & 1 || wl_lane_of(inst)->from_inactive, bound_control = inst->op_sel & 2;
    if (!l->exec || fetch_inactive)
        return value;
    LLVMValueRef exec = wl_lift_exec(l);
    LLVMValueRef wide = wl_strip_splat(l, l->wave_size == 64 ? exec : LLVMBuildZExt(l->b, exec, l->i64, ""));
    LLVMValueRef bits = LLVMBuildLShr(l->b, wide, LLVMBuildZExt(l->b, source, l->strip_i64, ""), "");
    LLVMValueRef on = LLVMBuildTrunc(l->b, bits, l->strip_i1, "");
    LLVMValueRef other = bound_control ? LLVMConstNull(l->strip_i32) : wl_strip_row(l, row);
    return LLVMBuildSelect(l->b, on, value, other, "");
}

/* v_permlane16/x16: each lane's source within its row (or the row beside it) is a nibble of two scalars,
 * or of a vector (_var). */
static void emit_permlane16(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_lane *lane = wl_lane_of(inst);
    LLVMValueRef pick =
        lane->by_vector ? wl_strip_row(l, inst->operands[2].reg) : nibble_of_lane(l, item->scalar[FIRST], item->scalar[SECOND]);
    LLVMValueRef row = LLVMBuildAnd(l->b, lane_in_wave(l), constant(l, (uint32_t)~15), "");
    if (lane->crosses)
        row = LLVMBuildXor(l->b, row, constant(l, 16), "");
    LLVMValueRef source = LLVMBuildOr(l->b, row, LLVMBuildAnd(l->b, pick, constant(l, 15), ""), "");
    LLVMValueRef value = wl_lane_gather(l, item->scalar[SNAPSHOT], source);
    wl_strip_set_row(l, inst->operands[0].reg, from_active(l, inst, inst->operands[0].reg, source, value));
}

/* A bit of where a lane comes from, in all lanes of `lane`. `ones`: the lanes where it is set. */
static LLVMValueRef bit_of_source(struct wl_lift *l, uint64_t ones, LLVMValueRef lane) {
    LLVMTypeRef t = LLVMTypeOf(lane);
    LLVMValueRef low = wl_lift_int(l, t, (uint32_t)ones), high = wl_lift_int(l, t, (uint32_t)(ones >> 32));
    LLVMValueRef upper = LLVMBuildICmp(l->b, LLVMIntUGE, lane, wl_lift_int(l, t, 32), "");
    LLVMValueRef word = low == high ? low : LLVMBuildSelect(l->b, upper, high, low, "");
    LLVMValueRef shift = LLVMBuildAnd(l->b, lane, wl_lift_int(l, t, 31), "");
    return LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, word, shift, ""), wl_lift_int(l, t, 1), "");
}

LLVMValueRef wl_lane_source(struct wl_lift *l, const struct wl_lane *exchange, unsigned result, LLVMValueRef lane) {
    const uint64_t all = l->wave_size == 64 ? UINT64_MAX : UINT32_MAX;
    uint64_t bits[WL_LANE_FROM_BITS], own, kept = 0, flipped = 0;
    LLVMTypeRef t = LLVMTypeOf(lane);
    LLVMValueRef others = NULL;
    wl_lane_exchange_bits(exchange, result, l->wave_size, bits);
    for (unsigned b = 0; b < WL_LANE_FROM_BITS; b++) {
        own = 0;
        for (unsigned n = 0; n < l->wave_size; n++)
            own |= (uint64_t)(n >> b & 1) << n;
        if (bits[b] == own || bits[b] == (own ^ all)) { /* nearly all are the lane's own, or their opposite */
            kept |= UINT64_C(1) << b;
            flipped |= bits[b] == own ? 0 : UINT64_C(1) << b;
        } else if (bits[b]) {
            LLVMValueRef bit = LLVMBuildShl(l->b, bit_of_source(l, bits[b], lane), wl_lift_int(l, t, b), "");
            others = others ? LLVMBuildOr(l->b, others, bit, "") : bit;
        }
    }
    const uint64_t every = (UINT64_C(1) << WL_LANE_FROM_BITS) - 1;
    LLVMValueRef source = kept == every ? lane : LLVMBuildAnd(l->b, lane, wl_lift_int(l, t, kept), "");
    source = flipped ? LLVMBuildXor(l->b, source, wl_lift_int(l, t, flipped), "") : source;
    return others ? LLVMBuildOr(l->b, source, others, "") : source;
}

/* Lanes of a result, from the snapshots of the exchange's registers. */
static LLVMValueRef exchanged(struct wl_lift *l, struct wl_item *item, unsigned result) {
    const struct wl_inst *inst = item->inst;
    const struct wl_lane *exchange = wl_lane_of(inst);
    LLVMValueRef from = wl_lane_source(l, exchange, result, lane_in_wave(l));
    const bool two = wl_lane_exchanged(exchange) == 2;
    LLVMValueRef lane = two ? LLVMBuildAnd(l->b, from, constant(l, l->wave_size - 1), "") : from;
    LLVMValueRef value = wl_lane_gather(l, item->scalar[SNAPSHOT], lane);
    if (two) {
        LLVMValueRef second = LLVMBuildICmp(l->b, LLVMIntUGE, from, constant(l, WL_LANE_FROM(1, 0)), "");
        value = LLVMBuildSelect(l->b, second, wl_lane_gather(l, item->scalar[FIRST], lane), value, "");
    }
    return from_active(l, inst, inst->operands[result].reg, lane, value);
}

static void emit_exchange(struct wl_lift *l, struct wl_item *item) {
    const unsigned results = wl_lane_of(item->inst)->results;
    LLVMValueRef values[2];
    for (unsigned r = 0; r < results; r++)
        values[r] = exchanged(l, item, r);
    for (unsigned r = 0; r < results; r++)
        wl_strip_set_row(l, item->inst->operands[r].reg, values[r]);
}

/* v_mbcnt_{lo,hi}: set bits of a mask below this lane, in the wave's lower or upper 32 lanes, plus an addend. */
static void emit_mbcnt(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    bool high = inst->isa->detail == WL_LANE_MBCNT_HI;
    LLVMTypeRef t = l->strip_i32;
    LLVMValueRef mask, enabled = NULL;
    if (inst->is_dpp)
        mask = wl_valu_dpp_source(l, inst, inst->operands[1].reg, &enabled);
    else
        mask = item->scalar[FIRST] ? wl_strip_splat(l, item->scalar[FIRST]) : wl_strip_row(l, inst->operands[1].reg);
    LLVMValueRef addend = item->scalar[SECOND] ? wl_strip_splat(l, item->scalar[SECOND]) : wl_strip_row(l, inst->operands[2].reg);
    LLVMValueRef lane = lane_in_wave(l), all = LLVMConstAllOnes(t), below;
    LLVMValueRef bit = LLVMBuildShl(l->b, constant(l, 1), LLVMBuildAnd(l->b, lane, constant(l, 31), ""), "");
    LLVMValueRef low_bits = LLVMBuildSub(l->b, bit, constant(l, 1), "");
    LLVMValueRef upper = LLVMBuildICmp(l->b, LLVMIntUGE, lane, constant(l, 32), "");
    below = high ? LLVMBuildSelect(l->b, upper, low_bits, LLVMConstNull(t), "") : LLVMBuildSelect(l->b, upper, all, low_bits, "");
    LLVMValueRef masked = LLVMBuildAnd(l->b, mask, below, "");
    LLVMValueRef count = wl_lift_intrinsic(l, "llvm.ctpop", &t, 1, &masked, 1);
    LLVMValueRef sum = LLVMBuildAdd(l->b, count, addend, "");
    if (enabled)
        sum = LLVMBuildSelect(l->b, enabled, sum, wl_strip_row(l, inst->operands[0].reg), "");
    wl_strip_set_row(l, inst->operands[0].reg, sum);
}

static bool operand_pending(struct wl_lift *l, const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_SGPR && wl_region_mask_pending(l, operand->reg);
}

/* ---- at once ---- */

static LLVMValueRef lane_pointer(struct wl_lift *l, unsigned row, LLVMValueRef lane) {
    LLVMValueRef index = LLVMBuildZExt(l->b, lane, l->i64, "");
    return LLVMBuildGEP2(l->b, l->i32, wl_lift_row_address(l, row), &index, 1, "");
}

static LLVMValueRef lane_number(struct wl_lift *l, const struct wl_operand *operand) {
    return LLVMBuildAnd(l->b, wl_lift_scalar_operand(l, operand, WL_U32), wl_lift_int(l, l->i32, l->wave_size - 1), "");
}

static LLVMValueRef first_active_lane(struct wl_lift *l) {
    if (l->unit.mode == WL_MODE_FULL)
        return LLVMConstNull(l->i32);
    LLVMValueRef arguments[] = {wl_lift_exec(l), LLVMConstNull(l->i1)};
    LLVMValueRef lane = wl_lift_intrinsic(l, "llvm.cttz", &l->mask_type, 1, arguments, 2);
    if (l->wave_size == 64)
        lane = LLVMBuildTrunc(l->b, lane, l->i32, "");
    return LLVMBuildAnd(l->b, lane, wl_lift_int(l, l->i32, l->wave_size - 1), ""); /* no lane active: lane 0 */
}

LLVMValueRef wl_lane_first(struct wl_lift *l, unsigned row) {
    wl_assert(wl_region_is_flushed(l));
    return LLVMBuildLoad2(l->b, l->i32, lane_pointer(l, row, first_active_lane(l)), "");
}

static void read_to_scalar(struct wl_lift *l, const struct wl_inst *inst, bool first) {
    const struct wl_operand *source = &inst->operands[1];
    LLVMValueRef value;
    wl_lift_flush(l);
    if (source->kind == WL_OPERAND_VGPR) {
        LLVMValueRef lane = first ? first_active_lane(l) : lane_number(l, &inst->operands[2]);
        value = LLVMBuildLoad2(l->b, l->i32, lane_pointer(l, source->reg, lane), "");
    } else {
        value = wl_lift_scalar_operand(l, source, WL_U32);
    }
    wl_lift_set_sgpr(l, inst->operands[0].reg, value);
}

static void read_first(struct wl_lift *l, const struct wl_inst *inst) { read_to_scalar(l, inst, true); }
static void read_lane(struct wl_lift *l, const struct wl_inst *inst) { read_to_scalar(l, inst, false); }

static void write_lane(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    wl_lift_flush(l);
    LLVMBuildStore(l->b, wl_lift_scalar_operand(l, &op[1], WL_U32), lane_pointer(l, op[0].reg, lane_number(l, &op[2])));
}

/* The row's helper, on whole registers. */
static void call_rows(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    LLVMValueRef arguments[] = {l->wave, wl_lift_row_address(l, inst->operands[0].reg), wl_lift_row_address(l, inst->operands[1].reg),
                                wl_lift_row_address(l, inst->operands[2].reg), wl_lift_int(l, l->i32, (uint32_t)inst->offset0)};
    wl_lift_call_on_rows(l, wl_lane_of(inst)->helper, arguments, 5);
}

static void add_item(struct wl_lift *l, const struct wl_inst *inst, void (*emit)(struct wl_lift *, struct wl_item *), LLVMValueRef snapshot,
                     LLVMValueRef first, LLVMValueRef second) {
    static const struct wl_effects no_memory = {0};
    struct wl_item *item = wl_region_add(l, inst, &no_memory);
    item->emit = emit;
    item->scalar[SNAPSHOT] = snapshot;
    item->scalar[FIRST] = first;
    item->scalar[SECOND] = second;
}

static LLVMValueRef scalar_or_null(struct wl_lift *l, const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_VGPR ? NULL : wl_lift_scalar_operand(l, operand, WL_U32);
}

static void record_mbcnt(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    if (operand_pending(l, &op[1]) || operand_pending(l, &op[2]))
        wl_lift_flush(l);
    add_item(l, inst, emit_mbcnt, NULL, scalar_or_null(l, &op[1]), scalar_or_null(l, &op[2]));
}

static void record_bpermute(struct wl_lift *l, const struct wl_inst *inst) {
    add_item(l, inst, emit_bpermute, wl_lane_snapshot(l, inst->operands[2].reg, !wl_lane_of(inst)->from_inactive), NULL, NULL);
}

static void record_swizzle(struct wl_lift *l, const struct wl_inst *inst) {
    add_item(l, inst, emit_swizzle, wl_lane_snapshot(l, inst->operands[1].reg, true), NULL, NULL);
}

static void record_permlane16(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const bool by_vector = wl_lane_of(inst)->by_vector;
    LLVMValueRef snapshot = wl_lane_snapshot(l, op[1].reg, false);
    LLVMValueRef low = by_vector ? NULL : wl_lift_scalar_operand(l, &op[2], WL_U32);
    LLVMValueRef high = by_vector ? NULL : wl_lift_scalar_operand(l, &op[3], WL_U32);
    add_item(l, inst, emit_permlane16, snapshot, low, high);
}

static void record_exchange(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_lane *exchange = wl_lane_of(inst);
    const struct wl_operand *op = inst->operands + wl_lane_first_exchanged(exchange);
    LLVMValueRef first = wl_lane_snapshot(l, op[0].reg, false);
    LLVMValueRef second = wl_lane_exchanged(exchange) == 2 ? wl_lane_snapshot(l, op[1].reg, false) : NULL;
    add_item(l, inst, emit_exchange, first, second, NULL);
}

LLVMValueRef wl_lane_lds_direct(struct wl_lift *l) {
    enum { SIGNED = 4 }; /* types: 0 byte, 1 half, 2 dword; 4 and 5 sign-extended */
    LLVMValueRef m0 = wl_lift_sgpr(l, WL_SGPR_M0), three = wl_lift_int(l, l->i32, 3);
    LLVMValueRef address = LLVMBuildAnd(l->b, m0, wl_lift_int(l, l->i32, 0xfffc), "");
    LLVMValueRef type = LLVMBuildAnd(l->b, LLVMBuildLShr(l->b, m0, wl_lift_int(l, l->i32, 16), ""), wl_lift_int(l, l->i32, 7), "");
    LLVMValueRef offset = LLVMBuildZExt(l->b, address, l->i64, "");
    LLVMValueRef pointer = LLVMBuildGEP2(l->b, l->i8, wl_lift_wave_field(l, offsetof(struct wl_wave, lds), l->ptr), &offset, 1, "");
    LLVMValueRef dword = LLVMBuildLoad2(l->b, l->i32, pointer, "");
    LLVMValueRef shift = LLVMBuildShl(l->b, LLVMBuildAnd(l->b, m0, three, ""), three, "");
    LLVMValueRef part = LLVMBuildLShr(l->b, dword, shift, ""), size = LLVMBuildAnd(l->b, type, three, "");
    LLVMValueRef is_byte = LLVMBuildICmp(l->b, LLVMIntEQ, size, LLVMConstNull(l->i32), "");
    LLVMValueRef unused = LLVMBuildSelect(l->b, is_byte, wl_lift_int(l, l->i32, 24), wl_lift_int(l, l->i32, 16), "");
    LLVMValueRef up = LLVMBuildShl(l->b, part, unused, "");
    LLVMValueRef is_signed = LLVMBuildICmp(l->b, LLVMIntUGE, type, wl_lift_int(l, l->i32, SIGNED), "");
    part = LLVMBuildSelect(l->b, is_signed, LLVMBuildAShr(l->b, up, unused, ""), LLVMBuildLShr(l->b, up, unused, ""), "");
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntUGE, size, wl_lift_int(l, l->i32, 2), ""), dword, part, "");
}

/* A pointer into LDS at the instruction's offset + M0[15:0]. */
static LLVMValueRef lds_at_m0(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef m0 = LLVMBuildAnd(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, 0xffff), "");
    LLVMValueRef offset = LLVMBuildAdd(l->b, m0, wl_lift_int(l, l->i32, (uint32_t)inst->offset0), "");
    offset = LLVMBuildZExt(l->b, offset, l->i64, "");
    return LLVMBuildGEP2(l->b, l->i8, wl_lift_wave_field(l, offsetof(struct wl_wave, lds), l->ptr), &offset, 1, "");
}

static LLVMValueRef wave_lanes(struct wl_lift *l) {
    LLVMTypeRef lanes = LLVMVectorType(l->i1, l->wave_size);
    return l->unit.mode == WL_MODE_FULL ? LLVMConstAllOnes(lanes) : wl_lift_lanes(l, wl_lift_exec(l), l->wave_size);
}

static void set_active_lanes(struct wl_lift *l, LLVMValueRef value, LLVMValueRef pointer, unsigned alignment) {
    wl_lift_store_lanes(l, value, pointer, alignment, wave_lanes(l));
}

/* A row's active lanes become one value. */
static void set_all_lanes(struct wl_lift *l, LLVMValueRef scalar, unsigned row) {
    LLVMTypeRef whole = LLVMVectorType(l->i32, l->wave_size);
    LLVMValueRef value = LLVMBuildInsertElement(l->b, LLVMGetPoison(whole), scalar, LLVMConstNull(l->i32), "");
    value = LLVMBuildShuffleVector(l->b, value, LLVMGetPoison(whole), LLVMConstNull(whole), "");
    set_active_lanes(l, value, wl_lift_row_address(l, row), 64);
}

/* ds_append, ds_consume: the number of active lanes is added to, or taken from, one dword; all get its old value. */
static void append_or_consume(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    LLVMValueRef exec = wl_lift_exec(l), count = wl_lift_intrinsic(l, "llvm.ctpop", &l->mask_type, 1, &exec, 1);
    if (l->wave_size == 64)
        count = LLVMBuildTrunc(l->b, count, l->i32, "");
    LLVMAtomicRMWBinOp operation = inst->isa->detail == WL_LANE_APPEND ? LLVMAtomicRMWBinOpAdd : LLVMAtomicRMWBinOpSub;
    LLVMValueRef old = LLVMBuildAtomicRMW(l->b, operation, lds_at_m0(l, inst), count, LLVMAtomicOrderingMonotonic, 0);
    set_all_lanes(l, old, inst->operands[0].reg);
}

static void load_lds_direct(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    set_all_lanes(l, wl_lane_lds_direct(l), inst->operands[0].reg);
}

/* ds_load_addtid_b32, ds_store_addtid_b32: consecutive lanes, consecutive dwords. */
static void access_by_lane(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    LLVMTypeRef whole = LLVMVectorType(l->i32, l->wave_size);
    LLVMValueRef row = wl_lift_row_address(l, inst->operands[0].reg), lds = lds_at_m0(l, inst);
    if (wl_lane_of(inst)->results) {
        set_active_lanes(l, wl_lift_masked_load(l, whole, lds, 1, wave_lanes(l)), row, 64);
    } else {
        LLVMValueRef value = LLVMBuildLoad2(l->b, whole, row, "");
        LLVMSetAlignment(value, 64);
        set_active_lanes(l, value, lds, 1);
    }
}

static void call_src2(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    LLVMValueRef arguments[] = {l->wave, wl_lift_row_address(l, inst->operands[0].reg), wl_lift_int(l, l->i32, (uint32_t)inst->offset0),
                                wl_lift_int(l, l->i32, inst->isa->bits), wl_lift_int(l, l->i32, inst->isa->atomic)};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, ds_src2), arguments, 5);
}

/* Copies to LDS end where they start: there is nothing to wait for. */
static void call_arrive(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    LLVMValueRef arguments[] = {l->wave, LLVMConstNull(l->ptr), wl_lift_row_address(l, inst->operands[0].reg), LLVMConstNull(l->ptr),
                                wl_lift_int(l, l->i32, (uint32_t)inst->offset0)};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, ds_arrive), arguments, 5);
}

/* The rows of an address operand (NULL: none), and the scalar part that all lanes add. */
static LLVMValueRef address_rows(struct wl_lift *l, const struct wl_operand *address) {
    return address->kind == WL_OPERAND_VGPR ? wl_lift_row_address(l, address->reg) : LLVMConstNull(l->ptr);
}

static LLVMValueRef scalar_part(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *scalar) {
    LLVMValueRef offset = wl_lift_int(l, l->i64, (uint64_t)(int64_t)inst->offset0);
    if (scalar->kind != WL_OPERAND_SGPR)
        return offset;
    LLVMValueRef base = scalar->count >= 2 ? wl_lift_sgpr64(l, scalar->reg) : LLVMBuildZExt(l->b, wl_lift_sgpr(l, scalar->reg), l->i64, "");
    return LLVMBuildAdd(l->b, base, offset, "");
}

static void call_lds_transposed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    wl_lift_flush(l);
    LLVMValueRef arguments[] = {l->wave, wl_lift_row_address(l, op[0].reg), wl_lift_row_address(l, op[1].reg),
                                wl_lift_int(l, l->i32, (uint32_t)inst->offset0), wl_lift_int(l, l->i32, inst->isa->bits)};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, ds_transposed), arguments, 5);
}

static void call_transposed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    wl_lift_flush(l);
    if (l->wave_size != 32) {
        wl_lift_error(l, inst, "has no known arrangement of lanes in a wave of 64");
        return;
    }
    LLVMValueRef arguments[] = {l->wave, wl_lift_row_address(l, op[0].reg), address_rows(l, &op[1]), scalar_part(l, inst, &op[2]),
                                wl_lift_int(l, l->i32, wl_lane_reach(inst))};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, load_transposed), arguments, 5);
}

static void call_copy(struct wl_lift *l, const struct wl_inst *inst) {
    const bool stores = wl_lane_of(inst)->stores;
    const struct wl_operand *local = &inst->operands[stores ? 1 : 0], *address = &inst->operands[stores ? 0 : 1];
    wl_lift_flush(l);
    if (wl_lane_of(inst)->reads_m0)
        LLVMBuildStore(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_wave_pointer(l, offsetof(struct wl_wave, sgpr) + WL_SGPR_M0 * 4));
    LLVMValueRef arguments[] = {l->wave,
                                wl_lift_row_address(l, local->reg),
                                address_rows(l, address),
                                scalar_part(l, inst, &inst->operands[2]),
                                wl_lift_int(l, l->i32, (uint32_t)inst->offset0),
                                wl_lift_int(l, l->i32, wl_lane_reach(inst))};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, copy_lds), arguments, 6);
}

static void call_permlane(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    wl_lift_flush(l);
    LLVMValueRef select = wl_lift_scalar_operand(l, &op[2], WL_U32);
    LLVMValueRef width = inst->operand_count == 3 ? select : wl_lift_scalar_operand(l, &op[3], WL_U32);
    LLVMValueRef arguments[] = {l->wave,
                                wl_lift_row_address(l, op[0].reg),
                                wl_lift_row_address(l, op[1].reg),
                                select,
                                width,
                                wl_lift_int(l, l->i32, (uint32_t)inst->isa->detail - WL_LANE_PERMLANE_BCAST)};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, permlane), arguments, 6);
}

static void call_block(struct wl_lift *l, const struct wl_inst *inst) {
    wl_lift_flush(l);
    const bool store = wl_lane_of(inst)->stores;
    const struct wl_operand *data = &inst->operands[store ? 1 : 0], *address = &inst->operands[store ? 0 : 1];
    LLVMValueRef arguments[] = {l->wave,
                                wl_lift_row_address(l, data->reg),
                                address_rows(l, address),
                                scalar_part(l, inst, &inst->operands[2]),
                                wl_lift_int(l, l->i32, wl_lane_reach(inst)),
                                wl_lift_sgpr(l, WL_SGPR_M0)};
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, block), arguments, 6);
}

static lift_fn *const emitters[WL_LANE_COUNT] = {
#define LANE(MNEMONIC, OPERATION, EMIT, ...) [WL_LANE_##OPERATION] = EMIT,
#define LANE_KIND(OPERATION, EMIT, ...)      [WL_LANE_##OPERATION] = EMIT,
#include "translate/isa/lane_rows.inc"
};

void wl_lift_lane(struct wl_lift *l, const struct wl_inst *inst) {
    if (wl_lane_of(inst)->needs_row && inst->operands[1].kind != WL_OPERAND_VGPR) {
        wl_lift_error(l, inst, "has a source that is no vector register");
        return;
    }
    if (wl_sanitizes(l) && wl_lane_accesses(inst)) {
        wl_lift_flush(l); /* what leaves sites of its own */
        wl_sanitize_leave_site(l, inst, 0);
    }
    emitters[inst->isa->detail](l, inst);
}
