/* Registers chosen at run time: moves relative to M0, and the state of gfx9's indexing mode. */
#include "translate/isa/relative.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include <stddef.h>
#include <string.h>

/* `row` + index, or `row` where the wave has no such register. */
static LLVMValueRef relative_row(struct wl_lift *l, unsigned row, LLVMValueRef index) {
    LLVMValueRef base = wl_lift_int(l, l->i32, row), sum = LLVMBuildAdd(l->b, index, base, "");
    LLVMValueRef rows = wl_lift_wave_field(l, offsetof(struct wl_wave, vgprs), l->i32), most = wl_lift_int(l, l->i32, WL_AGPR);
    rows = LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntULT, rows, most, ""), rows, most, "");
    LLVMValueRef outside = LLVMBuildICmp(l->b, LLVMIntUGE, sum, rows, "");
    sum = LLVMBuildZExt(l->b, LLVMBuildSelect(l->b, outside, base, sum, ""), l->i64, "");
    LLVMValueRef bytes = LLVMBuildMul(l->b, sum, wl_lift_int(l, l->i64, l->wave_size * 4), "");
    return LLVMBuildGEP2(l->b, l->i8, wl_lift_row_address(l, 0), &bytes, 1, "");
}

static LLVMValueRef bits_of_m0(struct wl_lift *l, unsigned shift, uint32_t mask) {
    LLVMValueRef m0 = LLVMBuildLShr(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, shift), "");
    return LLVMBuildAnd(l->b, m0, wl_lift_int(l, l->i32, mask), "");
}

/* The indices of source and destination. */
static LLVMValueRef source_index(struct wl_lift *l, const struct wl_inst *inst) {
    switch (inst->isa->detail) {
    case WL_MOVREL_VGPR_TO:
    case WL_MOVREL_SGPR_TO:
        return LLVMConstNull(l->i32);
    case WL_MOVREL_VGPR_BOTH_2:
    case WL_MOVREL_VGPR_SWAP:
    case WL_MOVREL_SGPR_BOTH_2:
        return bits_of_m0(l, 0, 0x3ff);
    case WL_MOVREL_SGPR_FROM:
        return wl_lift_sgpr(l, WL_SGPR_M0);
    default:
        return l->generation == 9 ? bits_of_m0(l, 0, 0xff) : wl_lift_sgpr(l, WL_SGPR_M0);
    }
}

static LLVMValueRef destination_index(struct wl_lift *l, const struct wl_inst *inst) {
    switch (inst->isa->detail) {
    case WL_MOVREL_VGPR_FROM:
    case WL_MOVREL_SGPR_FROM:
        return LLVMConstNull(l->i32);
    case WL_MOVREL_VGPR_BOTH_2:
    case WL_MOVREL_VGPR_SWAP:
    case WL_MOVREL_SGPR_BOTH_2:
        return bits_of_m0(l, 16, 0x3ff);
    case WL_MOVREL_SGPR_TO:
        return wl_lift_sgpr(l, WL_SGPR_M0);
    default:
        return l->generation == 9 ? bits_of_m0(l, 0, 0xff) : wl_lift_sgpr(l, WL_SGPR_M0);
    }
}

static LLVMValueRef load_row(struct wl_lift *l, LLVMValueRef pointer) {
    LLVMValueRef value = LLVMBuildLoad2(l->b, LLVMVectorType(l->i32, l->wave_size), pointer, "");
    LLVMSetAlignment(value, 64);
    return value;
}

/* In the active lanes; `old` is what the row holds. */
static void store_row(struct wl_lift *l, LLVMValueRef value, LLVMValueRef old, LLVMValueRef pointer) {
    if (l->unit.mode == WL_MODE_MASKED) {
        LLVMValueRef on = wl_lift_lanes(l, wl_lift_exec(l), l->wave_size);
        value = LLVMBuildSelect(l->b, on, value, old, "");
    }
    LLVMSetAlignment(LLVMBuildStore(l->b, value, pointer), 64);
}

static void swap_vector(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef first = relative_row(l, inst->operands[0].reg, destination_index(l, inst));
    LLVMValueRef second = relative_row(l, inst->operands[1].reg, source_index(l, inst));
    LLVMValueRef a = load_row(l, first), b = load_row(l, second);
    store_row(l, b, a, first);
    store_row(l, a, b, second);
}

static void move_vector(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMTypeRef whole = LLVMVectorType(l->i32, l->wave_size);
    const struct wl_operand *source = &inst->operands[1];
    LLVMValueRef target = relative_row(l, inst->operands[0].reg, destination_index(l, inst)), value;
    if (source->kind == WL_OPERAND_VGPR) {
        value = load_row(l, relative_row(l, source->reg, source_index(l, inst)));
    } else {
        LLVMValueRef scalar = wl_lift_scalar_operand(l, source, WL_U32);
        value = LLVMBuildInsertElement(l->b, LLVMGetPoison(whole), scalar, LLVMConstNull(l->i32), "");
        value = LLVMBuildShuffleVector(l->b, value, LLVMGetPoison(whole), LLVMConstNull(whole), "");
    }
    store_row(l, value, l->unit.mode == WL_MODE_MASKED ? load_row(l, target) : NULL, target);
}

/* The wave's copy of scalar register `reg` + index, or of `reg` where that is no general register. */
static LLVMValueRef relative_scalar(struct wl_lift *l, const struct wl_operand *operand, LLVMValueRef index) {
    LLVMValueRef base = wl_lift_int(l, l->i32, operand->reg), sum = LLVMBuildAdd(l->b, index, base, "");
    LLVMValueRef outside = LLVMBuildICmp(l->b, LLVMIntUGT, sum, wl_lift_int(l, l->i32, WL_SGPR_VCC - operand->count), "");
    LLVMValueRef bytes =
        LLVMBuildShl(l->b, LLVMBuildZExt(l->b, LLVMBuildSelect(l->b, outside, base, sum, ""), l->i64, ""), wl_lift_int(l, l->i64, 2), "");
    bytes = LLVMBuildAdd(l->b, bytes, wl_lift_int(l, l->i64, offsetof(struct wl_wave, sgpr)), "");
    return LLVMBuildGEP2(l->b, l->i8, l->wave, &bytes, 1, "");
}

static void move_scalar(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    unsigned bits = 32u * op[0].count;
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef from = source_index(l, inst), to = destination_index(l, inst), value;
    wl_lift_spill_scalars(l);
    if (op[1].kind == WL_OPERAND_SGPR) {
        value = LLVMBuildLoad2(l->b, type, relative_scalar(l, &op[1], from), "");
        LLVMSetAlignment(value, 4);
    } else {
        value = wl_lift_scalar_operand(l, &op[1], bits == 64 ? WL_U64 : WL_U32);
    }
    if (inst->isa->detail == WL_MOVREL_SGPR_FROM) {
        if (bits == 64)
            wl_lift_set_sgpr64(l, op[0].reg, value);
        else
            wl_lift_set_sgpr(l, op[0].reg, value);
        return;
    }
    LLVMSetAlignment(LLVMBuildStore(l->b, value, relative_scalar(l, &op[0], to)), 4);
    wl_lift_reload_scalars(l);
}

/* M0 = (M0 & ~mask) | (value << shift & mask) */
static void set_bits_of_m0(struct wl_lift *l, LLVMValueRef value, unsigned shift, uint32_t mask) {
    LLVMValueRef kept = LLVMBuildAnd(l->b, wl_lift_sgpr(l, WL_SGPR_M0), wl_lift_int(l, l->i32, ~mask), "");
    value = LLVMBuildAnd(l->b, LLVMBuildShl(l->b, value, wl_lift_int(l, l->i32, shift), ""), wl_lift_int(l, l->i32, mask), "");
    wl_lift_set_sgpr(l, WL_SGPR_M0, LLVMBuildOr(l->b, kept, value, ""));
}

/* ---- any instruction with relative operands: it works on copies, in registers that it does not name, which are put back ---- */

enum { MAX_COPIES = 4 * WL_MAX_OPERANDS };

struct copies {
    unsigned count, next; /* next: where to look for a register that is free for a copy */
    unsigned row[MAX_COPIES];
    LLVMValueRef saved[MAX_COPIES];
    LLVMValueRef target[MAX_COPIES]; /* pointer to the relative register that the copy goes back to, or NULL */
};

/* Lets an operand of `copy` name registers that hold what the relative ones do. */
static void copy_operand(struct wl_lift *l, const struct wl_inst *inst, struct wl_operand *operand, LLVMValueRef index, bool writes,
                         struct copies *copies) {
    const unsigned count = operand->count, row = wl_relative_copy(inst, count, copies->next);
    for (unsigned i = 0; i < count; i++) {
        unsigned n = copies->count++;
        LLVMValueRef relative = relative_row(l, operand->reg + i, index), place = wl_lift_row_address(l, row + i);
        LLVMValueRef value = load_row(l, relative);
        copies->row[n] = row + i;
        copies->saved[n] = load_row(l, place);
        copies->target[n] = writes ? relative : NULL;
        LLVMSetAlignment(LLVMBuildStore(l->b, value, place), 64);
        wl_set(l->unit.live_after[l->unit.at].full, row + i); /* so that the vector region leaves it in memory */
        wl_set(l->unit.live_after[l->unit.at].active, row + i);
        wl_set(l->unit.live_after[l->unit.at].inactive, row + i);
    }
    copies->next = row;
    operand->reg = (uint16_t)row;
}

static void put_back(struct wl_lift *l, const struct copies *copies) {
    LLVMValueRef results[MAX_COPIES];
    for (unsigned n = 0; n < copies->count; n++)
        results[n] = copies->target[n] ? load_row(l, wl_lift_row_address(l, copies->row[n])) : NULL;
    for (unsigned n = 0; n < copies->count; n++)
        LLVMSetAlignment(LLVMBuildStore(l->b, copies->saved[n], wl_lift_row_address(l, copies->row[n])), 64);
    for (unsigned n = 0; n < copies->count; n++) /* behind these: a result may belong where a copy was */
        if (results[n])
            LLVMSetAlignment(LLVMBuildStore(l->b, results[n], copies->target[n]), 64);
}

/* `mode`: WL_INDEX_* of the operands that are relative. */
static void lift_on_copies(struct wl_lift *l, struct wl_inst *copy, const struct wl_inst *inst, unsigned mode, LLVMValueRef source_by,
                           LLVMValueRef destination_by) {
    struct copies copies = {.next = WL_AGPR};
    bool result;
    wl_lift_flush(l);
    for (unsigned i = 0; i < copy->operand_count; i++)
        if (wl_relative_operand(inst, mode, i, &result))
            copy_operand(l, inst, &copy->operands[i], result ? destination_by : source_by, result, &copies);
    struct wl_effects effects;
    copy->index_mode = 0;
    wl_inst_effects(copy, l->wave_size, &effects);
    wl_lift_inst(l, copy, &effects);
    wl_lift_flush(l);
    put_back(l, &copies);
}

void wl_lift_relative(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_inst copy = *inst;
    LLVMValueRef index = bits_of_m0(l, 0, 0xff);
    lift_on_copies(l, &copy, inst, inst->index_mode, index, index);
}

/* v_movrel with DPP or SDWA: a move on copies. */
static void move_modified(struct wl_lift *l, const struct wl_inst *inst) {
    struct wl_inst move;
    const unsigned mode = wl_relative_move(&move, inst);
    struct wl_inst named = move;
    lift_on_copies(l, &move, &named, mode, source_index(l, inst), destination_index(l, inst));
}

void wl_lift_indexed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    switch (inst->isa->detail) {
    case WL_MOVREL_INDEX_ON:
        set_bits_of_m0(l, wl_lift_scalar_operand(l, &op[0], WL_U32), 0, 0xff);
        set_bits_of_m0(l, wl_lift_int(l, l->i32, op[1].bits & 15), 12, 0xf000);
        return;
    case WL_MOVREL_INDEX_SET:
        set_bits_of_m0(l, wl_lift_scalar_operand(l, &op[0], WL_U32), 0, 0xff);
        return;
    case WL_MOVREL_INDEX_MODE:
        set_bits_of_m0(l, wl_lift_int(l, l->i32, op[0].bits & 15), 12, 0xf000);
        return;
    case WL_MOVREL_INDEX_OFF:
        return;
    default:
        break;
    }
    wl_lift_flush(l);
    if ((inst->is_dpp || inst->is_sdwa) && inst->isa->detail <= WL_MOVREL_VGPR_BOTH_2)
        move_modified(l, inst);
    else if (inst->isa->detail == WL_MOVREL_VGPR_SWAP)
        swap_vector(l, inst);
    else if (inst->isa->detail <= WL_MOVREL_VGPR_BOTH_2)
        move_vector(l, inst);
    else
        move_scalar(l, inst);
}
