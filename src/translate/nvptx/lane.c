/* Cross-lane instructions and the source lanes of DPP: shuffles. Wave lane n is lane n % 32 of strip n / 32. A row of isa/lane_rows.inc names
 * the function that lifts an instruction. */
#include "translate/isa/lane.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

#include <string.h>

static LLVMValueRef number(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->i32, value); }

static LLVMValueRef low_bits(struct wl_lift *l, LLVMValueRef value, uint32_t mask) {
    return LLVMBuildAnd(l->b, value, number(l, mask), "");
}

/* i32: this lane's number within the wave, for the strip at hand. */
LLVMValueRef wl_ptx_wave_lane(struct wl_lift *l) { return LLVMBuildOr(l->b, l->ptx->lane, number(l, 32 * wl_ptx_strip(l)), ""); }

LLVMValueRef wl_ptx_shuffle(struct wl_lift *l, LLVMValueRef value, LLVMValueRef lane) {
    LLVMValueRef arguments[] = {value, lane};
    return wl_ptx_marker(l, "wl.shuffle", l->i32, arguments, 2, true);
}

static LLVMValueRef upper_half(struct wl_lift *l, LLVMValueRef lane) {
    return LLVMBuildICmp(l->b, LLVMIntNE, low_bits(l, lane, 32), LLVMConstNull(l->i32), "");
}

LLVMValueRef wl_ptx_read_lane(struct wl_lift *l, LLVMValueRef values[2], LLVMValueRef lane) {
    if (l->strips == 1)
        return wl_ptx_shuffle(l, values[0], lane);
    if (LLVMIsConstant(lane))
        return wl_ptx_shuffle(l, values[LLVMConstIntGetZExtValue(lane) >> 5 & 1], low_bits(l, lane, 31));
    return LLVMBuildSelect(l->b, upper_half(l, lane), wl_ptx_shuffle(l, values[1], lane), wl_ptx_shuffle(l, values[0], lane), "");
}

/* i1: whether EXEC has wave lane `lane`. */
static LLVMValueRef is_active(struct wl_lift *l, LLVMValueRef lane) {
    LLVMValueRef bits = wl_lift_sgpr(l, WL_SGPR_EXEC);
    if (l->strips == 2)
        bits = LLVMBuildSelect(l->b, upper_half(l, lane), wl_lift_sgpr(l, WL_SGPR_EXEC + 1), bits, "");
    return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, bits, low_bits(l, lane, 31), ""), l->i1, "");
}

LLVMValueRef wl_ptx_first_lane(struct wl_lift *l) {
    LLVMValueRef exec = wl_lift_exec(l);
    if (l->wave_size == 32 && LLVMIsConstant(exec))
        return LLVMConstNull(l->i32);
    LLVMValueRef arguments[] = {exec, LLVMConstNull(l->i1)};
    LLVMValueRef lane = wl_lift_intrinsic(l, "llvm.cttz", &l->mask_type, 1, arguments, 2);
    if (l->wave_size == 64)
        lane = LLVMBuildTrunc(l->b, lane, l->i32, "");
    return low_bits(l, lane, l->wave_size - 1); /* none: lane 0 */
}

/* ---- DPP ---- */

static LLVMValueRef equals(struct wl_lift *l, LLVMIntPredicate predicate, LLVMValueRef a, uint64_t b) {
    return LLVMBuildICmp(l->b, predicate, a, number(l, b), "");
}

/* The wave lane that DPP reads; *valid: i1, NULL: always. */
static LLVMValueRef dpp_lane(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef *valid) {
    LLVMBuilderRef b = l->b;
    LLVMValueRef lane = wl_ptx_wave_lane(l), in_row = low_bits(l, lane, 15), row = low_bits(l, lane, 0x30);
    uint32_t n = inst->dpp_control, last = l->wave_size - 1;
    LLVMValueRef source;
    *valid = NULL;
    switch (inst->dpp) {
    case WL_DPP_QUAD_PERM: {
        LLVMValueRef shift = LLVMBuildShl(b, low_bits(l, lane, 3), number(l, 1), "");
        return LLVMBuildOr(b, low_bits(l, lane, 0x3c), low_bits(l, LLVMBuildLShr(b, number(l, n), shift, ""), 3), "");
    }
    case WL_DPP_ROW_SHL:
        *valid = equals(l, LLVMIntULT, in_row, n < 16 ? 16 - n : 0);
        return LLVMBuildAnd(b, LLVMBuildAdd(b, lane, number(l, n), ""), number(l, last), "");
    case WL_DPP_ROW_SHR:
        *valid = equals(l, LLVMIntUGE, in_row, n);
        return LLVMBuildAnd(b, LLVMBuildSub(b, lane, number(l, n), ""), number(l, last), "");
    case WL_DPP_ROW_ROR:
        return LLVMBuildOr(b, row, low_bits(l, LLVMBuildSub(b, in_row, number(l, n), ""), 15), "");
    case WL_DPP_ROW_MIRROR:
        return LLVMBuildXor(b, lane, number(l, 15), "");
    case WL_DPP_ROW_HALF_MIRROR:
        return LLVMBuildXor(b, lane, number(l, 7), "");
    case WL_DPP_ROW_SHARE:
    case WL_DPP_ROW_NEWBCAST:
        return LLVMBuildOr(b, row, number(l, n & 15), "");
    case WL_DPP_ROW_XMASK:
        return LLVMBuildXor(b, lane, number(l, n & 15), "");
    case WL_DPP_DPP8: {
        LLVMValueRef shift = LLVMBuildMul(b, low_bits(l, lane, 7), number(l, 3), "");
        return LLVMBuildOr(b, low_bits(l, lane, 0x38), low_bits(l, LLVMBuildLShr(b, number(l, n), shift, ""), 7), "");
    }
    case WL_DPP_WAVE_SHL:
        *valid = equals(l, LLVMIntNE, lane, last);
        source = LLVMBuildAdd(b, lane, number(l, 1), "");
        break;
    case WL_DPP_WAVE_ROL:
        source = LLVMBuildAdd(b, lane, number(l, 1), "");
        break;
    case WL_DPP_WAVE_SHR:
        *valid = equals(l, LLVMIntNE, lane, 0);
        source = LLVMBuildSub(b, lane, number(l, 1), "");
        break;
    case WL_DPP_WAVE_ROR:
        source = LLVMBuildSub(b, lane, number(l, 1), "");
        break;
    case WL_DPP_ROW_BCAST15:
        *valid = equals(l, LLVMIntUGE, lane, 16);
        source = LLVMBuildSub(b, row, number(l, 1), "");
        break;
    default: /* WL_DPP_ROW_BCAST31 */
        *valid = equals(l, LLVMIntUGE, lane, 32);
        source = number(l, 31);
    }
    return low_bits(l, source, last);
}

static bool stays_in_half(const struct wl_inst *inst) {
    switch (inst->dpp) {
    case WL_DPP_WAVE_SHL:
    case WL_DPP_WAVE_ROL:
    case WL_DPP_WAVE_SHR:
    case WL_DPP_WAVE_ROR:
    case WL_DPP_ROW_BCAST15:
    case WL_DPP_ROW_BCAST31:
        return false;
    default:
        return true;
    }
}

LLVMValueRef wl_ptx_dpp(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid) {
    unsigned dword = row - l->ptx->dpp_row, strip = wl_ptx_strip(l);
    LLVMValueRef lane = dpp_lane(l, inst, valid);
    LLVMValueRef sources[2] = {l->ptx->dpp_source[0][dword], l->ptx->dpp_source[1][dword]};
    LLVMValueRef value = stays_in_half(inst) ? wl_ptx_shuffle(l, sources[strip], lane) : wl_ptx_read_lane(l, sources, lane);
    if (!inst->fetch_inactive) {
        LLVMValueRef on = is_active(l, lane);
        *valid = *valid ? LLVMBuildAnd(l->b, *valid, on, "") : on;
    }
    if (*valid)
        *valid = wl_ptx_vector(l, *valid);
    return wl_ptx_vector(l, value);
}

LLVMValueRef wl_ptx_dpp_enabled(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled) {
    const struct {
        uint32_t mask, shift;
    } parts[] = {{inst->bank_mask, 2}, {inst->row_mask, 4}};
    for (unsigned i = 0; i < 2; i++) {
        if (parts[i].mask == 0xf)
            continue;
        LLVMValueRef part = low_bits(l, LLVMBuildLShr(l->b, wl_ptx_wave_lane(l), number(l, parts[i].shift), ""), 3);
        LLVMValueRef on = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, number(l, parts[i].mask), part, ""), l->i1, "");
        on = wl_ptx_vector(l, on);
        enabled = enabled ? LLVMBuildAnd(l->b, enabled, on, "") : on;
    }
    return enabled;
}

/* ---- moves between lanes ---- */

/* A row's values in all strips; inactive lanes as they are, or 0. */
static void read_strips(struct wl_lift *l, unsigned row, bool zero_inactive, LLVMValueRef values[2]) {
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        values[s] = wl_ptx_dword(l, row);
        if (zero_inactive)
            values[s] = LLVMBuildSelect(l->b, wl_ptx_exec(l), values[s], LLVMConstNull(l->i32), "");
    }
}

static LLVMValueRef dword_operand(struct wl_lift *l, const struct wl_operand *op) {
    return op->kind == WL_OPERAND_VGPR ? wl_ptx_dword(l, op->reg) : wl_lift_scalar_operand(l, op, WL_U32);
}

static void read_to_scalar(struct wl_lift *l, const struct wl_inst *inst, bool first) {
    const struct wl_operand *op = inst->operands;
    LLVMValueRef values[2], value;
    if (op[1].kind == WL_OPERAND_VGPR) {
        LLVMValueRef lane = first ? wl_ptx_first_lane(l) : low_bits(l, wl_lift_scalar_operand(l, &op[2], WL_U32), l->wave_size - 1);
        read_strips(l, op[1].reg, false, values);
        value = wl_ptx_read_lane(l, values, lane);
    } else {
        value = wl_lift_scalar_operand(l, &op[1], WL_U32);
    }
    wl_lift_set_sgpr(l, op[0].reg, value);
}

static void read_first(struct wl_lift *l, const struct wl_inst *inst) { read_to_scalar(l, inst, true); }
static void read_lane(struct wl_lift *l, const struct wl_inst *inst) { read_to_scalar(l, inst, false); }

/* v_writelane writes its lane whatever EXEC is. */
static void write_lane(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    LLVMValueRef value = wl_lift_scalar_operand(l, &op[1], WL_U32);
    LLVMValueRef lane = low_bits(l, wl_lift_scalar_operand(l, &op[2], WL_U32), l->wave_size - 1);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef here = LLVMBuildICmp(l->b, LLVMIntEQ, wl_ptx_wave_lane(l), lane, "");
        LLVMValueRef row = LLVMBuildSelect(l->b, here, value, wl_ptx_dword(l, op[0].reg), "");
        LLVMBuildStore(l->b, wl_ptx_vector(l, row), l->ptx->row[s][op[0].reg]);
    }
}

typedef LLVMValueRef source_lane_fn(struct wl_lift *l, const struct wl_inst *inst);

/* Each lane reads a row of another lane, chosen by `choose`. */
static void gather(struct wl_lift *l, const struct wl_inst *inst, unsigned row, bool zero_inactive, source_lane_fn *choose) {
    LLVMValueRef values[2], results[2];
    read_strips(l, row, zero_inactive, values);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        results[s] = wl_ptx_read_lane(l, values, choose(l, inst));
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        wl_ptx_set_dword(l, inst->operands[0].reg, results[s]);
    }
}

static LLVMValueRef bpermute_lane(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef address = LLVMBuildAdd(l->b, wl_ptx_dword(l, inst->operands[1].reg), number(l, (uint32_t)inst->offset0), "");
    return low_bits(l, LLVMBuildLShr(l->b, address, number(l, 2), ""), l->wave_size - 1);
}

static void bpermute(struct wl_lift *l, const struct wl_inst *inst) {
    gather(l, inst, inst->operands[2].reg, !wl_lane_of(inst)->from_inactive, bpermute_lane);
}

/* ds_swizzle: see lift/inst/lane.c for the patterns. */
static LLVMValueRef swizzle_lane(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMBuilderRef b = l->b;
    uint32_t pattern = (uint32_t)inst->offset0, mask = pattern & 31, middle = pattern >> 5 & 31;
    LLVMValueRef lane = wl_ptx_wave_lane(l), i = low_bits(l, lane, 31), upper = low_bits(l, lane, 32), kept = low_bits(l, i, mask), source;
    if (pattern >= 0xe000) {
        LLVMValueRef reversed = wl_lift_intrinsic(l, "llvm.bitreverse", &l->i32, 1, &i, 1);
        source = LLVMBuildLShr(b, reversed, number(l, 27), "");
        source = low_bits(l, LLVMBuildAdd(b, LLVMBuildLShr(b, source, number(l, (unsigned)__builtin_popcount(mask)), ""), kept, ""), 31);
    } else if (pattern >= 0xc000) {
        LLVMValueRef moved = pattern & 0x400 ? LLVMBuildSub(b, i, number(l, middle), "") : LLVMBuildAdd(b, i, number(l, middle), "");
        source = LLVMBuildOr(b, kept, low_bits(l, moved, ~mask & 31), "");
    } else if (pattern & 0x8000) {
        LLVMValueRef shift = LLVMBuildShl(b, low_bits(l, i, 3), number(l, 1), "");
        source = LLVMBuildOr(b, low_bits(l, i, 28), low_bits(l, LLVMBuildLShr(b, number(l, pattern & 0xff), shift, ""), 3), "");
    } else {
        source = LLVMBuildXor(b, LLVMBuildOr(b, kept, number(l, middle), ""), number(l, pattern >> 10 & 31), "");
    }
    return LLVMBuildOr(b, source, upper, "");
}

static void swizzle(struct wl_lift *l, const struct wl_inst *inst) { gather(l, inst, inst->operands[1].reg, true, swizzle_lane); }

/* What a lane gets from lane `source`; if that is off, 0 or, without bound control, what it has. */
static LLVMValueRef from_active(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef source, LLVMValueRef value) {
    bool fetch_inactive = inst->op_sel & 1 || wl_lane_of(inst)->from_inactive, bound_control = inst->op_sel & 2;
    if (fetch_inactive)
        return value;
    LLVMValueRef other = bound_control ? LLVMConstNull(l->i32) : wl_ptx_dword(l, row);
    return LLVMBuildSelect(l->b, is_active(l, source), value, other, "");
}

/* v_permlane16, v_permlanex16: the source within the row (or the row beside it) is a nibble of two scalars, or a vector's. */
static void permute_row(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    bool by_vector = wl_lane_of(inst)->by_vector, crosses = wl_lane_of(inst)->crosses;
    LLVMValueRef values[2], results[2], low = NULL, high = NULL;
    if (!by_vector) {
        low = wl_lift_scalar_operand(l, &op[2], WL_U32);
        high = wl_lift_scalar_operand(l, &op[3], WL_U32);
    }
    read_strips(l, op[1].reg, false, values);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef lane = wl_ptx_wave_lane(l), pick;
        if (by_vector) {
            pick = wl_ptx_dword(l, op[2].reg);
        } else {
            LLVMValueRef is_high = LLVMBuildICmp(l->b, LLVMIntNE, low_bits(l, lane, 8), LLVMConstNull(l->i32), "");
            LLVMValueRef shift = LLVMBuildShl(l->b, low_bits(l, lane, 7), number(l, 2), "");
            pick = LLVMBuildLShr(l->b, LLVMBuildSelect(l->b, is_high, high, low, ""), shift, "");
        }
        LLVMValueRef row = low_bits(l, lane, 0x30);
        if (crosses)
            row = LLVMBuildXor(l->b, row, number(l, 16), "");
        LLVMValueRef source = LLVMBuildOr(l->b, row, low_bits(l, pick, 15), "");
        results[s] = from_active(l, inst, op[0].reg, source, wl_ptx_shuffle(l, values[s], source));
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        wl_ptx_set_dword(l, op[0].reg, results[s]);
    }
}

/* A lane of an exchange's result, in the strip at hand. `values`: of its registers. */
static LLVMValueRef exchanged(struct wl_lift *l, const struct wl_inst *inst, unsigned result, LLVMValueRef values[2][2]) {
    const struct wl_lane *exchange = wl_lane_of(inst);
    LLVMValueRef from = wl_lane_source(l, exchange, result, wl_ptx_wave_lane(l));
    const bool two = wl_lane_exchanged(exchange) == 2;
    LLVMValueRef lane = two ? low_bits(l, from, l->wave_size - 1) : from;
    LLVMValueRef value = wl_ptx_read_lane(l, values[0], lane);
    if (two) {
        LLVMValueRef second = LLVMBuildICmp(l->b, LLVMIntUGE, from, number(l, WL_LANE_FROM(1, 0)), "");
        value = LLVMBuildSelect(l->b, second, wl_ptx_read_lane(l, values[1], lane), value, "");
    }
    return from_active(l, inst, inst->operands[result].reg, lane, value);
}

static void exchange(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_lane *facts = wl_lane_of(inst);
    const struct wl_operand *op = inst->operands + wl_lane_first_exchanged(facts);
    LLVMValueRef values[2][2], results[2][2];
    for (unsigned i = 0; i < wl_lane_exchanged(facts); i++)
        read_strips(l, op[i].reg, false, values[i]);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        for (unsigned r = 0; r < facts->results; r++)
            results[r][s] = exchanged(l, inst, r, values);
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        for (unsigned r = 0; r < facts->results; r++)
            wl_ptx_set_dword(l, inst->operands[r].reg, results[r][s]);
    }
}

/* ds_permute: lanes push. Each lane looks at all lanes that are on, the highest one last. */
static void push(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef targets[2], data[2], results[2] = {LLVMConstNull(l->i32), LLVMConstNull(l->i32)};
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef none = number(l, l->wave_size); /* of lanes that are off */
        targets[s] = LLVMBuildSelect(l->b, wl_ptx_exec(l), bpermute_lane(l, inst), none, "");
        data[s] = wl_ptx_dword(l, inst->operands[2].reg);
    }
    for (unsigned lane = 0; lane < l->wave_size; lane++) {
        LLVMValueRef source = number(l, lane);
        LLVMValueRef target = wl_ptx_read_lane(l, targets, source), value = wl_ptx_read_lane(l, data, source);
        for (unsigned s = 0; s < l->strips; s++) {
            wl_ptx_enter_strip(l, s);
            LLVMValueRef mine = LLVMBuildICmp(l->b, LLVMIntEQ, target, wl_ptx_wave_lane(l), "");
            results[s] = LLVMBuildSelect(l->b, mine, value, results[s], "");
        }
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        wl_ptx_set_dword(l, inst->operands[0].reg, results[s]);
    }
}

/* v_mbcnt_{lo,hi}: set bits of a mask below this lane, in the wave's lower or upper 32 lanes, plus an addend. */
static void count_below(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    bool high = inst->isa->detail == WL_LANE_MBCNT_HI;
    LLVMValueRef results[2];
    for (unsigned s = 0; s < l->strips && inst->is_dpp; s++) { /* the sources before anything is written */
        wl_ptx_enter_strip(l, s);
        l->ptx->dpp_source[s][0] = wl_ptx_dword(l, op[1].reg);
    }
    l->ptx->dpp_row = op[1].reg;
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef enabled = NULL, addend = dword_operand(l, &op[2]);
        LLVMValueRef mask = inst->is_dpp ? wl_ptx_scalar(l, wl_valu_dpp_source(l, inst, op[1].reg, &enabled)) : dword_operand(l, &op[1]);
        LLVMValueRef bit = LLVMBuildShl(l->b, number(l, 1), l->ptx->lane, ""), below = LLVMBuildSub(l->b, bit, number(l, 1), "");
        if (high)
            below = s ? below : LLVMConstNull(l->i32);
        else
            below = s ? LLVMConstAllOnes(l->i32) : below;
        LLVMValueRef counted = LLVMBuildAnd(l->b, mask, below, "");
        LLVMValueRef count = wl_lift_intrinsic(l, "llvm.ctpop", &l->i32, 1, &counted, 1);
        bool all = LLVMIsConstant(mask) && mask == LLVMConstAllOnes(l->i32);
        if (all) /* the lane's own number */
            count = high ? (s ? l->ptx->lane : LLVMConstNull(l->i32)) : (s ? number(l, 32) : l->ptx->lane);
        results[s] = LLVMBuildAdd(l->b, count, addend, "");
        if (enabled)
            results[s] = LLVMBuildSelect(l->b, wl_ptx_scalar(l, enabled), results[s], wl_ptx_dword(l, op[0].reg), "");
    }
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        wl_ptx_set_dword(l, op[0].reg, results[s]);
    }
}

/* i32: the instruction's offset + M0[15:0]. */
static LLVMValueRef offset_of_m0(struct wl_lift *l, const struct wl_inst *inst) {
    return LLVMBuildAdd(l->b, low_bits(l, wl_lift_sgpr(l, WL_SGPR_M0), 0xffff), number(l, (uint32_t)inst->offset0), "");
}

/* ds_append, ds_consume: one lane adds the number of active lanes to a dword, or takes it; all get the old value. */
static void append_or_consume(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef exec = wl_lift_exec(l), count = wl_lift_intrinsic(l, "llvm.ctpop", &l->mask_type, 1, &exec, 1);
    if (l->wave_size == 64)
        count = LLVMBuildTrunc(l->b, count, l->i32, "");
    l->ptx->info->uses_lds = true;
    LLVMValueRef place = offset_of_m0(l, inst);
    struct wl_ptx_access access = {.inst = inst, .space = WL_PTX_SHARED, .lds = place, .address = wl_ptx_lds_address(l, place)};
    access.predicate = LLVMBuildICmp(l->b, LLVMIntEQ, l->ptx->lane, LLVMConstNull(l->i32), "");
    unsigned operation = inst->isa->detail == WL_LANE_APPEND ? WL_ATOMIC_ADD : WL_ATOMIC_SUB;
    LLVMValueRef old = wl_ptx_atomic(l, &access, operation, 32, count, NULL, true);
    old = wl_ptx_shuffle(l, old, LLVMConstNull(l->i32));
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        wl_ptx_set_dword(l, inst->operands[0].reg, old);
    }
}

/* ds_load_addtid_b32, ds_store_addtid_b32: consecutive lanes, consecutive dwords. */
static void access_by_lane(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef base = offset_of_m0(l, inst);
    unsigned row = inst->operands[0].reg;
    l->ptx->info->uses_lds = true;
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef own = LLVMBuildShl(l->b, wl_ptx_wave_lane(l), number(l, 2), ""), value = wl_ptx_dword(l, row);
        struct wl_ptx_access access = {.inst = inst, .space = WL_PTX_SHARED, .predicate = wl_ptx_exec(l)};
        access.lds = LLVMBuildAdd(l->b, base, own, "");
        access.address = wl_ptx_lds_address(l, access.lds);
        if (!wl_lane_of(inst)->results) {
            wl_ptx_store(l, &access, 32, 1, &value);
            continue;
        }
        LLVMValueRef old = value;
        wl_ptx_load(l, &access, 32, false, 1, &old, &value);
        wl_ptx_set_dword(l, row, value);
    }
}

static void load_lds_direct(struct wl_lift *l, const struct wl_inst *inst) {
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        wl_ptx_set_dword(l, inst->operands[0].reg, wl_ptx_lds_direct(l));
    }
}

static void (*const emitters[WL_LANE_COUNT])(struct wl_lift *l, const struct wl_inst *inst) = {
#define LANE(MNEMONIC, OPERATION, EMIT, STEP, PTX, ...) [WL_LANE_##OPERATION] = PTX,
#define LANE_KIND(OPERATION, EMIT, STEP, PTX, ...)      [WL_LANE_##OPERATION] = PTX,
#include "translate/isa/lane_rows.inc"
};

void wl_ptx_lift_lane(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_lane *lane = wl_lane_of(inst);
    if ((inst->is_dpp && !lane->by_strip) || inst->is_sdwa || inst->index_mode ||
        (lane->needs_row && inst->operands[1].kind != WL_OPERAND_VGPR))
        wl_ptx_unsupported(l, inst);
    else
        emitters[inst->isa->detail](l, inst);
}
