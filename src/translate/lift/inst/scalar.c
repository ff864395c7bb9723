/* Scalar registers, and the scalar instructions that have no semantics function: EXEC, hardware registers, time. */
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "base/cpu.h"
#include "machine/helpers.h"

#include <stddef.h>
#include <string.h>

/* ---- scalar registers ---- */

/* A scalar instruction must not see, or overwrite early, what the vector region still has to make. */
static void settle(struct wl_lift *l, unsigned reg) {
    if (wl_bit(l->region.pending_masks, reg))
        wl_lift_flush(l);
}

static LLVMValueRef scalar_pointer(struct wl_lift *l, unsigned reg) {
    if (!l->unit.sgpr[reg]) {
        wl_set(l->unit.scalars_used, reg);
        l->unit.sgpr[reg] = wl_lift_wave_pointer(l, offsetof(struct wl_wave, sgpr) + reg * 4);
    }
    return l->unit.sgpr[reg];
}

LLVMValueRef wl_lift_sgpr(struct wl_lift *l, unsigned reg) {
    settle(l, reg);
    return LLVMBuildLoad2(l->b, l->i32, scalar_pointer(l, reg), "");
}

LLVMValueRef wl_lift_sgpr64(struct wl_lift *l, unsigned reg) {
    const struct wl_operand halves[2] = {{.kind = WL_OPERAND_SGPR, .reg = reg, .count = 1},
                                         {.kind = WL_OPERAND_SGPR, .reg = reg + 1, .count = 1}};
    LLVMValueRef kept = wl_known_base(l, &halves[0], &halves[1]);
    if (kept)
        return kept;
    LLVMValueRef low = LLVMBuildZExt(l->b, wl_lift_sgpr(l, reg), l->i64, "");
    LLVMValueRef high = LLVMBuildZExt(l->b, wl_lift_sgpr(l, reg + 1), l->i64, "");
    return LLVMBuildOr(l->b, low, LLVMBuildShl(l->b, high, wl_lift_int(l, l->i64, 32), ""), "");
}

void wl_lift_set_sgpr(struct wl_lift *l, unsigned reg, LLVMValueRef value) {
    settle(l, reg);
    if (reg == WL_SGPR_EXEC || reg == WL_SGPR_EXEC + 1)
        wl_lift_flush(l); /* the vector region runs under the old EXEC */
    LLVMBuildStore(l->b, value, scalar_pointer(l, reg));
    if (l->form->scalar_written)
        l->form->scalar_written(l, reg, value);
}

void wl_lift_set_sgpr64(struct wl_lift *l, unsigned reg, LLVMValueRef value) {
    wl_lift_set_sgpr(l, reg, LLVMBuildTrunc(l->b, value, l->i32, ""));
    LLVMValueRef high = LLVMBuildLShr(l->b, value, wl_lift_int(l, l->i64, 32), "");
    wl_lift_set_sgpr(l, reg + 1, LLVMBuildTrunc(l->b, high, l->i32, ""));
}

LLVMValueRef wl_lift_wide_scalar(struct wl_lift *l, unsigned reg) {
    return l->wave_size == 64 ? wl_lift_sgpr64(l, reg) : wl_lift_sgpr(l, reg);
}

void wl_lift_set_wide_scalar(struct wl_lift *l, unsigned reg, LLVMValueRef value) {
    if (LLVMTypeOf(value) == l->i64)
        wl_lift_set_sgpr64(l, reg, value);
    else
        wl_lift_set_sgpr(l, reg, value);
}

LLVMValueRef wl_lift_exec(struct wl_lift *l) { return wl_lift_mask(l, WL_SGPR_EXEC); }

static LLVMValueRef special_value(struct wl_lift *l, unsigned special) {
    switch (special) {
    case WL_SPECIAL_SHARED_BASE:
        return wl_lift_int(l, l->i64, (uint64_t)WL_SHARED_APERTURE_HI << 32);
    case WL_SPECIAL_SHARED_LIMIT:
        return wl_lift_int(l, l->i64, (uint64_t)WL_SHARED_APERTURE_HI << 32 | UINT32_MAX);
    case WL_SPECIAL_PRIVATE_BASE:
        return wl_lift_int(l, l->i64, (uint64_t)WL_PRIVATE_APERTURE_HI << 32);
    case WL_SPECIAL_PRIVATE_LIMIT:
        return wl_lift_int(l, l->i64, (uint64_t)WL_PRIVATE_APERTURE_HI << 32 | UINT32_MAX);
    case WL_SPECIAL_FLAT_SCRATCH_BASE_LO:
        return wl_lift_int(l, l->i64, (uint64_t)WL_FLAT_SCRATCH_HI << 32);
    case WL_SPECIAL_FLAT_SCRATCH_BASE_HI:
        return wl_lift_int(l, l->i64, WL_FLAT_SCRATCH_HI);
    case WL_SPECIAL_SCC:
        return LLVMBuildZExt(l->b, wl_lift_sgpr(l, WL_SGPR_SCC), l->i64, "");
    case WL_SPECIAL_VCCZ:
    case WL_SPECIAL_EXECZ:
        return LLVMBuildZExt(l->b, l->form->test_mask(l, special == WL_SPECIAL_VCCZ ? WL_SGPR_VCC : WL_SGPR_EXEC, false), l->i64, "");
    case WL_SPECIAL_LDS_DIRECT:
        return LLVMBuildZExt(l->b, l->form->lds_direct(l), l->i64, "");
    case WL_SPECIAL_POPS_EXITING_WAVE_ID: /* of pixel shaders in primitive order; there are none */
        return LLVMConstNull(l->i64);
    default:
        return NULL;
    }
}

LLVMValueRef wl_lift_scalar_operand(struct wl_lift *l, const struct wl_operand *operand, enum wl_type type) {
    unsigned bits = wl_type_bits(type);
    bool is_float = wl_type_is_float(type) && type != WL_PKF32, is_signed = type == WL_I32 || type == WL_I64 || type == WL_I16;
    LLVMTypeRef wanted = LLVMIntTypeInContext(l->context, bits);
    LLVMValueRef value;
    switch (operand->kind) {
    case WL_OPERAND_SGPR:
        if (bits <= 32) {
            value = wl_lift_sgpr(l, operand->reg);
            return bits == 32 ? value : LLVMBuildTrunc(l->b, value, wanted, "");
        }
        if (operand->count == 1) /* a 32-bit register given to a 64-bit type */
            return LLVMBuildZExt(l->b, wl_lift_sgpr(l, operand->reg), wanted, "");
        value = wl_lift_sgpr64(l, operand->reg);
        for (unsigned i = 2; i < bits / 32; i++) {
            LLVMValueRef part = LLVMBuildZExt(l->b, wl_lift_sgpr(l, operand->reg + i), wanted, "");
            if (i == 2)
                value = LLVMBuildZExt(l->b, value, wanted, "");
            value = LLVMBuildOr(l->b, value, LLVMBuildShl(l->b, part, wl_lift_int(l, wanted, 32 * i), ""), "");
        }
        return value;
    case WL_OPERAND_IMM:
        if (type == WL_PKF16 && operand->is_float) /* a constant's number fills the low half alone, an integer both */
            return wl_lift_int(l, wanted, wl_operand_bits(operand, 16, true, false));
        if ((type == WL_PKBF16 || type == WL_BF16) && operand->is_float)
            return wl_lift_int(l, wanted, wl_operand_bits(operand, 32, true, false) >> 16);
        if (type == WL_PKF16 || type == WL_PKBF16 || type == WL_PKU16 || type == WL_PKI16)
            return wl_lift_int(l, wanted, wl_operand_bits(operand, 32, false, true));
        if (type == WL_PKF32) /* both halves are the f32 */
            return wl_lift_int(l, wanted, (wl_operand_bits(operand, 32, true, false) & UINT32_MAX) * UINT64_C(0x100000001));
        return wl_lift_int(l, wanted, wl_operand_bits(operand, bits, is_float, is_signed));
    case WL_OPERAND_OFF:
        return LLVMConstNull(wanted);
    case WL_OPERAND_SPECIAL:
        value = special_value(l, operand->reg);
        if (value)
            return bits == 64 ? value : LLVMBuildTrunc(l->b, value, wanted, "");
        break;
    case WL_OPERAND_TEXT:
    case WL_OPERAND_LABEL:
        return wl_lift_int(l, wanted, operand->bits);
    default:
        break;
    }
    if (!l->status)
        l->status = wl_fail(WL_UNSUPPORTED, "%s: instruction %s at offset 0x%llx has a scalar operand of a kind that is not implemented",
                            l->unit.request->name, l->unit.code->insts[l->unit.block->first + l->unit.at].mnemonic,
                            (unsigned long long)(l->unit.code->insts[l->unit.block->first + l->unit.at].address - l->unit.request->entry));
    return LLVMConstNull(wanted);
}

/* ---- scalar instructions that have no semantics function ---- */

static void save_exec(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    bool wide = inst->isa->bits == 64; /* whatever the size of the wave */
    LLVMValueRef exec = wide ? wl_lift_sgpr64(l, WL_SGPR_EXEC) : wl_lift_sgpr(l, WL_SGPR_EXEC), result;
    LLVMValueRef source = wl_lift_scalar_operand(l, &op[1], wide ? WL_U64 : WL_U32);
    LLVMValueRef not_source = LLVMBuildNot(l->b, source, ""), not_exec = LLVMBuildNot(l->b, exec, "");
    switch (inst->isa->detail) {
    case WL_SAVE_AND:
        result = LLVMBuildAnd(l->b, source, exec, "");
        break;
    case WL_SAVE_OR:
        result = LLVMBuildOr(l->b, source, exec, "");
        break;
    case WL_SAVE_XOR:
        result = LLVMBuildXor(l->b, source, exec, "");
        break;
    case WL_SAVE_ANDN1:
    case WL_WREXEC_ANDN1:
        result = LLVMBuildAnd(l->b, not_source, exec, "");
        break;
    case WL_SAVE_ANDN2:
    case WL_WREXEC_ANDN2:
        result = LLVMBuildAnd(l->b, source, not_exec, "");
        break;
    case WL_SAVE_ORN1:
        result = LLVMBuildOr(l->b, not_source, exec, "");
        break;
    case WL_SAVE_ORN2:
        result = LLVMBuildOr(l->b, source, not_exec, "");
        break;
    case WL_SAVE_NAND:
        result = LLVMBuildNot(l->b, LLVMBuildAnd(l->b, source, exec, ""), "");
        break;
    case WL_SAVE_NOR:
        result = LLVMBuildNot(l->b, LLVMBuildOr(l->b, source, exec, ""), "");
        break;
    default:
        result = LLVMBuildNot(l->b, LLVMBuildXor(l->b, source, exec, ""), "");
        break;
    }
    bool wrexec = inst->isa->detail == WL_WREXEC_ANDN1 || inst->isa->detail == WL_WREXEC_ANDN2;
    wl_lift_set_wide_scalar(l, op[0].reg, wrexec ? result : exec);
    wl_lift_set_wide_scalar(l, WL_SGPR_EXEC, result);
    LLVMValueRef some = LLVMBuildICmp(l->b, LLVMIntNE, result, LLVMConstNull(LLVMTypeOf(result)), "");
    wl_lift_set_sgpr(l, WL_SGPR_SCC, LLVMBuildZExt(l->b, some, l->i32, ""));
}

LLVMValueRef wl_lift_next_address(struct wl_lift *l, const struct wl_inst *inst) {
    return LLVMBuildAdd(l->b, l->form->image(l), wl_lift_int(l, l->i64, inst->address + inst->size), "");
}

/* The 16-bit hwreg operand and the value of s_setreg*, s_round_mode, s_denorm_mode. */
static void set_register(struct wl_lift *l, const struct wl_inst *inst) {
    enum { HWREG_MODE = 1 };
    const struct wl_operand *op = inst->operands;
    LLVMValueRef hwreg, value;
    if (!strcmp(inst->mnemonic, "s_round_mode") || !strcmp(inst->mnemonic, "s_denorm_mode")) {
        unsigned offset = inst->mnemonic[2] == 'r' ? 0 : 4;
        hwreg = wl_lift_int(l, l->i32, HWREG_MODE | offset << 6 | 3 << 11);
        value = wl_lift_scalar_operand(l, &op[0], WL_U32);
    } else {
        hwreg = wl_lift_int(l, l->i32, op[0].bits);
        value = wl_lift_scalar_operand(l, &op[1], WL_U32);
    }
    wl_lift_flush(l);
    LLVMValueRef arguments[] = {l->wave, hwreg, value};
    wl_lift_call_helper(l, offsetof(struct wl_helpers, setreg), l->void_type, arguments, 3);
    wl_denormal_switch(l, true);
}

static void get_register(struct wl_lift *l, const struct wl_inst *inst) {
    enum { HWREG_SH_MEM_BASES = 15 };
    const struct wl_operand *op = inst->operands;
    uint32_t hwreg = (uint32_t)op[1].bits;
    LLVMValueRef value;
    if ((hwreg & 63) == HWREG_SH_MEM_BASES) {
        uint32_t bases = (WL_PRIVATE_APERTURE_HI >> 16) | (WL_SHARED_APERTURE_HI >> 16 << 16);
        unsigned width = (hwreg >> 11 & 31) + 1;
        value = wl_lift_int(l, l->i32, bases >> (hwreg >> 6 & 31) & (width == 32 ? UINT32_MAX : (1u << width) - 1));
    } else {
        LLVMValueRef arguments[] = {l->wave, wl_lift_int(l, l->i32, hwreg)};
        value = wl_lift_call_helper(l, offsetof(struct wl_helpers, getreg), l->i32, arguments, 2);
    }
    wl_lift_set_sgpr(l, op[0].reg, value);
}

/* wl_ticks(). What LLVM calls a cycle counter elsewhere is one that programs may not read. */
#if defined(__x86_64__)
#define CLOCK "llvm.readcyclecounter"
#else
#define CLOCK "llvm.readsteadycounter"
#endif

static void read_time(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef value;
    if (!strcmp(inst->mnemonic, "s_get_waveid_in_workgroup"))
        value = LLVMBuildZExt(l->b, wl_lift_wave_field(l, offsetof(struct wl_wave, wave_index), l->i32), l->i64, "");
    else if (!strcmp(inst->mnemonic, "s_memrealtime"))
        value = wl_lift_call_helper(l, offsetof(struct wl_helpers, time), l->i64, &l->wave, 1);
    else
        value = LLVMBuildLShr(l->b, wl_lift_intrinsic(l, CLOCK, NULL, 0, NULL, 0), LLVMConstInt(l->i64, WL_TICKS_SHIFT, 0), "");
    if (inst->operands[0].count == 2)
        wl_lift_set_sgpr64(l, inst->operands[0].reg, value);
    else
        wl_lift_set_sgpr(l, inst->operands[0].reg, LLVMBuildTrunc(l->b, value, l->i32, ""));
}

static void message_return(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef arguments[] = {l->wave, wl_lift_int(l, l->i32, inst->operands[1].bits)};
    LLVMValueRef value = wl_lift_call_helper(l, offsetof(struct wl_helpers, message_return), l->i64, arguments, 2);
    if (inst->operands[0].count == 2)
        wl_lift_set_sgpr64(l, inst->operands[0].reg, value);
    else
        wl_lift_set_sgpr(l, inst->operands[0].reg, LLVMBuildTrunc(l->b, value, l->i32, ""));
}

/* Exactly one wave of the workgroup is the first; which one, no program can tell. */
static void signal_first(struct wl_lift *l) {
    LLVMValueRef index = wl_lift_wave_field(l, offsetof(struct wl_wave, wave_index), l->i32);
    LLVMValueRef first = LLVMBuildICmp(l->b, LLVMIntEQ, index, LLVMConstNull(l->i32), "");
    wl_lift_set_sgpr(l, WL_SGPR_SCC, LLVMBuildZExt(l->b, first, l->i32, ""));
}

static void split_barrier(struct wl_lift *l, const struct wl_inst *inst) {
    uint32_t number;
    const uint32_t operation = wl_inst_barrier(inst, &number);
    LLVMValueRef m0 = wl_lift_sgpr(l, WL_SGPR_M0);
    LLVMValueRef arguments[] = {l->wave, wl_lift_int(l, l->i32, operation),
                                operation & WL_BARRIER_BY_M0 ? m0 : wl_lift_int(l, l->i32, number), m0};
    LLVMValueRef value = wl_lift_call_helper(l, offsetof(struct wl_helpers, barrier), l->i32, arguments, 4);
    if (inst->isa->detail == WL_BARRIER_STATE)
        wl_lift_set_sgpr(l, inst->operands[0].reg, value);
    else if (inst->isa->detail == WL_BARRIER_FIRST || inst->isa->detail == WL_BARRIER_LEAVE)
        wl_lift_set_sgpr(l, WL_SGPR_SCC, value);
}

bool wl_lift_scalar(struct wl_lift *l, const struct wl_inst *inst) {
    switch (inst->isa->class) {
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_SMEM_STORE:
    case WL_ISA_SMEM_ATOMIC:
        wl_lift_smem(l, inst);
        return true;
    case WL_ISA_SAVEEXEC:
        wl_lift_flush(l);
        save_exec(l, inst);
        return true;
    case WL_ISA_GETPC:
        wl_lift_set_sgpr64(l, inst->operands[0].reg, wl_lift_next_address(l, inst));
        return true;
    case WL_ISA_SETREG:
        set_register(l, inst);
        return true;
    case WL_ISA_GETREG:
        get_register(l, inst);
        return true;
    case WL_ISA_TIME:
        read_time(l, inst);
        return true;
    case WL_ISA_MESSAGE_RETURN:
        message_return(l, inst);
        return true;
    case WL_ISA_SIGNAL_FIRST:
        signal_first(l);
        return true;
    case WL_ISA_SPLIT_BARRIER:
        wl_lift_flush(l);
        split_barrier(l, inst);
        return true;
    default:
        return false;
    }
}
