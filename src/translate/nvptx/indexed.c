/* Registers chosen at run time. A thread cannot index its registers, so all that may be meant are looked at. */
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/ptx.h"

#include <string.h>

static LLVMValueRef number(struct wl_lift *l, uint64_t value) { return wl_lift_int(l, l->i32, value); }

/* Behind the last VGPR that any code of the kernel names. */
static unsigned row_limit(const struct wl_lift *l) {
    unsigned limit = 0;
    for (unsigned u = 0; u < l->ptx->unit_count; u++)
        limit = l->ptx->units[u].rows > limit ? l->ptx->units[u].rows : limit;
    return limit < WL_AGPR ? limit : WL_AGPR;
}

static LLVMValueRef is_index(struct wl_lift *l, LLVMValueRef index, unsigned value) {
    return LLVMBuildICmp(l->b, LLVMIntEQ, index, number(l, value), "");
}

/* The strip's value of row + index; `row`'s where there is no such register. */
static LLVMValueRef read_relative(struct wl_lift *l, unsigned row, LLVMValueRef index) {
    LLVMValueRef value = wl_ptx_dword(l, row);
    for (unsigned r = row + 1, limit = row_limit(l); r < limit; r++)
        value = LLVMBuildSelect(l->b, is_index(l, index, r - row), wl_ptx_dword(l, r), value, "");
    return value;
}

static void write_relative(struct wl_lift *l, unsigned row, LLVMValueRef index, LLVMValueRef value) {
    unsigned limit = row_limit(l);
    LLVMValueRef outside = LLVMBuildICmp(l->b, LLVMIntUGE, index, number(l, limit > row ? limit - row : 1), "");
    for (unsigned r = row; r < limit || r == row; r++) {
        LLVMValueRef here = is_index(l, index, r - row);
        if (r == row)
            here = LLVMBuildOr(l->b, here, outside, "");
        here = LLVMBuildAnd(l->b, here, wl_ptx_exec(l), "");
        value = LLVMBuildFreeze(l->b, value, "");
        LLVMValueRef kept = LLVMBuildSelect(l->b, here, value, wl_ptx_dword(l, r), "");
        LLVMBuildStore(l->b, wl_ptx_vector(l, kept), l->ptx->row[wl_ptx_strip(l)][r]);
    }
}

static LLVMValueRef bits_of_m0(struct wl_lift *l, unsigned shift, uint32_t mask) {
    LLVMValueRef m0 = LLVMBuildLShr(l->b, wl_lift_sgpr(l, WL_SGPR_M0), number(l, shift), "");
    return LLVMBuildAnd(l->b, m0, number(l, mask), "");
}

/* M0 = (M0 & ~mask) | (value << shift & mask) */
static void set_bits_of_m0(struct wl_lift *l, LLVMValueRef value, unsigned shift, uint32_t mask) {
    LLVMValueRef kept = LLVMBuildAnd(l->b, wl_lift_sgpr(l, WL_SGPR_M0), number(l, ~mask), "");
    value = LLVMBuildAnd(l->b, LLVMBuildShl(l->b, value, number(l, shift), ""), number(l, mask), "");
    wl_lift_set_sgpr(l, WL_SGPR_M0, LLVMBuildOr(l->b, kept, value, ""));
}

struct indices {
    LLVMValueRef source, destination; /* 0 where the operand is not relative */
};

static struct indices find_indices(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef zero = LLVMConstNull(l->i32), plain = l->generation == 9 ? bits_of_m0(l, 0, 0xff) : wl_lift_sgpr(l, WL_SGPR_M0);
    switch (inst->isa->detail) {
    case WL_MOVREL_VGPR_TO:
        return (struct indices){zero, plain};
    case WL_MOVREL_VGPR_FROM:
        return (struct indices){plain, zero};
    case WL_MOVREL_VGPR_BOTH:
        return (struct indices){plain, plain};
    case WL_MOVREL_SGPR_TO:
        return (struct indices){zero, wl_lift_sgpr(l, WL_SGPR_M0)};
    case WL_MOVREL_SGPR_FROM:
        return (struct indices){wl_lift_sgpr(l, WL_SGPR_M0), zero};
    default:
        return (struct indices){bits_of_m0(l, 0, 0x3ff), bits_of_m0(l, 16, 0x3ff)};
    }
}

static void move_vector(struct wl_lift *l, const struct wl_inst *inst, bool swap) {
    const struct wl_operand *to = &inst->operands[0], *from = &inst->operands[1];
    struct indices by = find_indices(l, inst);
    for (unsigned s = 0; s < l->strips; s++) {
        wl_ptx_enter_strip(l, s);
        LLVMValueRef value =
            from->kind == WL_OPERAND_VGPR ? read_relative(l, from->reg, by.source) : wl_lift_scalar_operand(l, from, WL_U32);
        LLVMValueRef other = swap ? read_relative(l, to->reg, by.destination) : NULL;
        write_relative(l, to->reg, by.destination, value);
        if (swap)
            write_relative(l, from->reg, by.source, other);
    }
}

static LLVMValueRef read_scalar(struct wl_lift *l, const struct wl_operand *op, unsigned word, LLVMValueRef index) {
    LLVMValueRef value = wl_lift_sgpr(l, op->reg + word);
    for (unsigned r = op->reg + 1; r + op->count <= WL_SGPR_VCC; r++)
        value = LLVMBuildSelect(l->b, is_index(l, index, r - op->reg), wl_lift_sgpr(l, r + word), value, "");
    return value;
}

static void write_scalar(struct wl_lift *l, const struct wl_operand *op, unsigned word, LLVMValueRef index, LLVMValueRef value) {
    LLVMValueRef outside = LLVMBuildICmp(l->b, LLVMIntUGT, index, number(l, WL_SGPR_VCC - op->count - op->reg), "");
    for (unsigned r = op->reg; r + op->count <= WL_SGPR_VCC; r++) {
        LLVMValueRef here = is_index(l, index, r - op->reg);
        if (r == op->reg)
            here = LLVMBuildOr(l->b, here, outside, "");
        wl_lift_set_sgpr(l, r + word, LLVMBuildSelect(l->b, here, value, wl_lift_sgpr(l, r + word), ""));
    }
}

static void move_scalar(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *to = &inst->operands[0], *from = &inst->operands[1];
    struct indices by = find_indices(l, inst);
    LLVMValueRef values[2];
    for (unsigned w = 0; w < to->count && w < 2; w++) {
        if (from->kind == WL_OPERAND_SGPR) {
            values[w] = read_scalar(l, from, w, by.source);
        } else {
            values[w] = wl_lift_scalar_operand(l, from, to->count == 2 ? WL_U64 : WL_U32);
            if (to->count == 2)
                values[w] = LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, values[w], wl_lift_int(l, l->i64, 32 * w), ""), l->i32, "");
        }
    }
    for (unsigned w = 0; w < to->count && w < 2; w++)
        write_scalar(l, to, w, by.destination, values[w]);
}

void wl_ptx_lift_indexed(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    switch (inst->isa->detail) {
    case WL_MOVREL_INDEX_ON:
        set_bits_of_m0(l, wl_lift_scalar_operand(l, &op[0], WL_U32), 0, 0xff);
        set_bits_of_m0(l, number(l, op[1].bits & 15), 12, 0xf000);
        return;
    case WL_MOVREL_INDEX_SET:
        set_bits_of_m0(l, wl_lift_scalar_operand(l, &op[0], WL_U32), 0, 0xff);
        return;
    case WL_MOVREL_INDEX_MODE:
        set_bits_of_m0(l, number(l, op[0].bits & 15), 12, 0xf000);
        return;
    case WL_MOVREL_INDEX_OFF:
        return;
    default:
        break;
    }
    if (inst->is_dpp || inst->is_sdwa)
        wl_ptx_unsupported(l, inst);
    else if (inst->isa->detail <= WL_MOVREL_VGPR_SWAP)
        move_vector(l, inst, inst->isa->detail == WL_MOVREL_VGPR_SWAP);
    else
        move_scalar(l, inst);
}

/* ---- gfx9's indexing mode: the instruction works on copies of relative operands, in registers that nobody names ---- */

enum { MAX_COPIES = 4 * WL_MAX_OPERANDS };

struct copies {
    unsigned count, next;
    struct {
        unsigned row, relative; /* the copy, and the register that it goes back to, by the index */
        bool writes;
    } of[MAX_COPIES];
};

static void copy_operand(struct wl_lift *l, struct wl_operand *operand, LLVMValueRef index, bool writes, struct copies *copies) {
    copies->next -= operand->count;
    for (unsigned i = 0; i < operand->count; i++) {
        unsigned row = copies->next + i, n = copies->count++;
        copies->of[n].row = row;
        copies->of[n].relative = operand->reg + i;
        copies->of[n].writes = writes;
        for (unsigned s = 0; s < l->strips; s++) {
            wl_ptx_enter_strip(l, s);
            LLVMBuildStore(l->b, wl_ptx_vector(l, read_relative(l, operand->reg + i, index)), l->ptx->row[s][row]);
        }
    }
    operand->reg = (uint16_t)copies->next;
}

bool wl_ptx_lift_relative(struct wl_lift *l, const struct wl_inst *inst) {
    struct copies copies = {.next = WL_VGPR_COUNT};
    struct wl_inst copy = *inst;
    LLVMValueRef index = bits_of_m0(l, 0, 0xff);
    unsigned first = inst->sem ? 0 : 1;
    for (unsigned i = 0; inst->sem && i < inst->sem->result_count; i++)
        first += inst->sem->results[i].role == WL_ROLE_PRINTED;
    for (unsigned u = 0; u < l->ptx->unit_count; u++) /* the last AGPRs serve as copies */
        if (l->ptx->units[u].rows + MAX_COPIES > WL_VGPR_COUNT)
            return false;
    for (unsigned i = 0; i < copy.operand_count; i++) {
        struct wl_operand *operand = &copy.operands[i];
        bool source = i >= first;
        bool relative = source ? i - first < 3 && inst->index_mode >> (i - first) & 1 : inst->index_mode & WL_INDEX_DST;
        if (relative && operand->kind == WL_OPERAND_VGPR)
            copy_operand(l, operand, index, !source, &copies);
    }
    copy.index_mode = 0;
    wl_ptx_lift_inst(l, &copy);
    for (unsigned n = 0; n < copies.count; n++)
        for (unsigned s = 0; s < l->strips && copies.of[n].writes; s++) {
            wl_ptx_enter_strip(l, s);
            write_relative(l, copies.of[n].relative, index, wl_ptx_dword(l, copies.of[n].row));
        }
    return true;
}
