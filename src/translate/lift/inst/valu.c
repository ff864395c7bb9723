/* Instructions with semantics: operands and modifiers around a call of the packed C function. */
#include "machine/processor.h"
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/region.h"
#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- the packed function ---- */

LLVMValueRef wl_lift_link_semantics(struct wl_lift *l, const struct wl_sem *sem) {
    LLVMValueRef function = LLVMGetNamedFunction(l->module, sem->name);
    if (function)
        return function;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(sem->bitcode, sem->bitcode_size, sem->name, 0);
    LLVMModuleRef module = NULL;
    bool failed = LLVMParseBitcodeInContext2(l->context, buffer, &module) != 0;
    LLVMDisposeMemoryBuffer(buffer);
    if (!failed) {
        LLVMSetTarget(module, LLVMGetTarget(l->module));
        LLVMSetDataLayout(module, LLVMGetDataLayoutStr(l->module));
        failed = LLVMLinkModules2(l->module, module) != 0;
    }
    function = failed ? NULL : LLVMGetNamedFunction(l->module, sem->name);
    if (!function) {
        l->status = wl_fail(WL_INTERNAL, "the semantics of %s cannot be linked", sem->name);
        return NULL;
    }
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}

static LLVMValueRef call(struct wl_lift *l, LLVMValueRef function, LLVMValueRef *arguments, unsigned count) {
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

static LLVMValueRef result_of(struct wl_lift *l, LLVMValueRef returned, const struct wl_sem *sem, unsigned index) {
    return sem->result_count == 1 ? returned : LLVMBuildExtractValue(l->b, returned, index, "");
}

static const struct wl_operand *printed_operand(const struct wl_inst *inst, unsigned *next) {
    static const struct wl_operand none;
    return *next < inst->operand_count ? &inst->operands[(*next)++] : &none;
}

/* ---- SALU ---- */

static unsigned mask_registers(const struct wl_lift *l) { return l->wave_size / 32; }

static LLVMValueRef wide_register(struct wl_lift *l, unsigned reg) {
    return l->wave_size == 64 ? wl_lift_sgpr64(l, reg) : LLVMBuildZExt(l->b, wl_lift_sgpr(l, reg), l->i64, "");
}

static void set_scalar(struct wl_lift *l, unsigned reg, unsigned count, LLVMValueRef value) {
    LLVMTypeRef type = LLVMIntTypeInContext(l->context, 32 * count);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind) {
        unsigned kind = LLVMGetTypeKind(LLVMTypeOf(value));
        LLVMTypeRef same = kind == LLVMDoubleTypeKind ? l->i64 : kind == LLVMFloatTypeKind ? l->i32 : l->i16;
        value = LLVMBuildBitCast(l->b, value, same, "");
    }
    if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) < 32 * count)
        value = LLVMBuildZExt(l->b, value, type, "");
    else if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32 * count)
        value = LLVMBuildTrunc(l->b, value, type, "");
    if (count == 2)
        wl_lift_set_sgpr64(l, reg, value);
    else
        wl_lift_set_sgpr(l, reg, value);
}

const struct wl_sem *wl_lift_find_semantics(const struct wl_lift *l, const char *mnemonic) { return l->form->find_semantics(l, mnemonic); }

/* The form of these semantics to use (wl_sem_choose). */
static const struct wl_sem *choose_form(const struct wl_lift *l, const struct wl_sem *sem) {
    const struct wl_translate_request *request = l->unit.request;
    const struct wl_sem_math math = {request->exact_math, request->matrix_sums == WL_SUMS_HARDWARE, request->processor,
                                     wl_processor_generation(request->processor), request->flushes_f32};
    const struct wl_sem *form = NULL;
    char name[96];
    for (unsigned i = 0; !form && wl_sem_form_name(sem, &math, i, name, sizeof name); i++)
        form = wl_lift_find_semantics(l, name);
    if (!form)
        form = wl_lift_find_semantics(l, sem->name);
    return form ? form : sem;
}

/* Output multiplier and clamp of v_s_*, the one kind of scalar instructions that has them. */
static LLVMValueRef modify_scalar(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value) {
    static const double factors[] = {1, 2, 4, 0.5};
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned kind = LLVMGetTypeKind(type);
    if (kind != LLVMFloatTypeKind && kind != LLVMHalfTypeKind)
        return value;
    if (inst->omod)
        value = LLVMBuildFMul(l->b, value, LLVMConstReal(type, factors[inst->omod & 3]), "");
    if (inst->clamp) {
        LLVMValueRef zero = LLVMConstNull(type), one = LLVMConstReal(type, 1.0);
        value = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOGT, value, zero, ""), value, zero, "");
        value = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOLT, value, one, ""), value, one, "");
    }
    return value;
}

void wl_lift_salu(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_sem *sem = choose_form(l, inst->sem);
    LLVMValueRef function = wl_lift_semantics(l, sem), arguments[WL_SEM_SLOTS];
    if (!function)
        return;
    unsigned printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++)
        printed += sem->results[i].role == WL_ROLE_PRINTED;
    for (unsigned i = 0; i < sem->input_count; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));
        LLVMValueRef value;
        switch (sem->inputs[i].role) {
        case WL_ROLE_SCC:
            value = wl_lift_sgpr(l, WL_SGPR_SCC);
            break;
        case WL_ROLE_M0:
            value = wl_lift_sgpr(l, WL_SGPR_M0);
            break;
        case WL_ROLE_EXEC:
            value = wide_register(l, WL_SGPR_EXEC);
            break;
        case WL_ROLE_VCC:
        case WL_ROLE_VCC_SCALAR:
            value = wide_register(l, WL_SGPR_VCC);
            break;
        case WL_ROLE_OLD:
            value = wl_lift_scalar_operand(l, &inst->operands[0], sem->inputs[i].type);
            break;
        default: {
            const struct wl_operand *operand = printed_operand(inst, &printed);
            value = wl_lift_scalar_operand(l, operand, sem->inputs[i].type);
            LLVMTypeRef floating = LLVMTypeOf(LLVMGetParam(function, i));
            if (operand->neg || operand->abs) {
                value = LLVMBuildBitCast(l->b, value, floating, "");
                if (operand->abs)
                    value = wl_lift_intrinsic(l, "llvm.fabs", &floating, 1, &value, 1);
                if (operand->neg)
                    value = LLVMBuildFNeg(l->b, value, "");
            }
        }
        }
        if (LLVMTypeOf(value) != type)
            value = LLVMBuildBitCast(l->b, value, type, "");
        arguments[i] = wl_denormal_input(l, inst, value, sem->inputs[i].type);
    }
    LLVMValueRef returned = call(l, function, arguments, sem->input_count);
    printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++) {
        LLVMValueRef value = wl_denormal_result(l, inst, result_of(l, returned, sem, i), sem->results[i].type);
        if (inst->omod || inst->clamp)
            value = modify_scalar(l, inst, value);
        switch (sem->results[i].role) {
        case WL_ROLE_SCC:
            set_scalar(l, WL_SGPR_SCC, 1, value);
            break;
        case WL_ROLE_M0:
            set_scalar(l, WL_SGPR_M0, 1, value);
            break;
        case WL_ROLE_EXEC:
            set_scalar(l, WL_SGPR_EXEC, mask_registers(l), value);
            break;
        case WL_ROLE_VCC:
        case WL_ROLE_VCC_SCALAR:
            set_scalar(l, WL_SGPR_VCC, mask_registers(l), value);
            break;
        default: {
            const struct wl_operand *operand = printed_operand(inst, &printed);
            if (operand->kind == WL_OPERAND_SGPR)
                set_scalar(l, operand->reg, operand->count, value);
            else if (operand->kind != WL_OPERAND_OFF)
                wl_lift_error(l, inst, "has a destination that is no scalar register");
        }
        }
    }
}

/* ---- vector operands, at record time ---- */

/* The printed operand at which the inputs begin: behind the results. GFX10 and newer v_cmpx print no result. */
static unsigned first_input(const struct wl_item *item) {
    unsigned count = 0;
    for (unsigned i = 0; i < item->sem->result_count; i++)
        count += item->sem->results[i].role == WL_ROLE_PRINTED;
    bool unprinted = item->inst->isa && item->inst->isa->class == WL_ISA_CMPX && item->inst->operand_count < 3;
    return unprinted ? 0 : count;
}

static bool mixes(const struct wl_inst *inst) {
    return !strncmp(inst->mnemonic, "v_fma_mix", 9) || !strncmp(inst->mnemonic, "v_mad_mix", 9);
}

/* Its halves are bf16: v_fma_mix_f32_bf16, v_fma_mixlo_bf16, v_fma_mixhi_bf16. */
static bool mixes_bf16(const struct wl_inst *inst) { return strstr(inst->mnemonic, "_bf16") != NULL; }

/* Whether a source of a mixed-precision instruction is a half. */
static bool mixes_half(const struct wl_inst *inst, unsigned source) { return mixes(inst) && inst->op_sel_hi >> source & 1; }

/* What a vector instruction reads of scalar state; NULL for vector registers and for masks that the vector region itself makes. */
static LLVMValueRef record_input(struct wl_lift *l, const struct wl_inst *inst, unsigned source, const struct wl_operand *operand,
                                 const struct wl_slot *slot) {
    if (slot->type == WL_MASK) {
        unsigned reg = slot->role == WL_ROLE_VCC ? WL_SGPR_VCC : operand->reg;
        if (slot->role != WL_ROLE_VCC && operand->kind != WL_OPERAND_SGPR)
            return l->form->spread(l, wl_lift_scalar_operand(l, operand, l->wave_size == 64 ? WL_U64 : WL_U32));
        return l->form->record_mask ? l->form->record_mask(l, reg) : NULL;
    }
    if (slot->role == WL_ROLE_MODE)
        return l->form->mode_register(l);
    if (operand->kind == WL_OPERAND_VGPR)
        return NULL;
    if (mixes_half(inst, source) && operand->kind == WL_OPERAND_IMM && !operand->literal) /* the low half holds the constant */
        return LLVMBuildZExt(l->b, wl_lift_scalar_operand(l, operand, mixes_bf16(inst) ? WL_BF16 : WL_F16), l->i32, "");
    bool high = wl_type_bits(slot->type) == 16 && operand->kind == WL_OPERAND_SGPR && inst->op_sel >> source & 1;
    if (high && slot->role == WL_ROLE_PRINTED)
        return LLVMBuildTrunc(l->b, LLVMBuildLShr(l->b, wl_lift_sgpr(l, operand->reg), wl_lift_int(l, l->i32, 16), ""), l->i16, "");
    return wl_lift_scalar_operand(l, operand, slot->type);
}

/* Whether the instruction reads, as plain data, a scalar register that the vector region still has to make. */
static bool reads_pending(struct wl_lift *l, const struct wl_item *item) {
    unsigned printed = first_input(item);
    for (unsigned i = 0; i < item->sem->input_count; i++) {
        if (item->sem->inputs[i].role != WL_ROLE_PRINTED)
            continue;
        const struct wl_operand *operand = printed_operand(item->inst, &printed);
        if (operand->kind == WL_OPERAND_SPECIAL && operand->reg == WL_SPECIAL_LDS_DIRECT)
            return true; /* behind the vector region's LDS stores */
        if (operand->kind != WL_OPERAND_SGPR || item->sem->inputs[i].type == WL_MASK)
            continue;
        for (unsigned r = 0; r < operand->count; r++)
            if (wl_region_mask_pending(l, operand->reg + r))
                return true;
    }
    return false;
}

/* ---- vector operands, at emit time ---- */

static LLVMValueRef select_part(struct wl_lift *l, LLVMValueRef dword, unsigned sel, bool sign) {
    if (sel == WL_SEL_DWORD)
        return dword;
    bool byte = sel <= WL_SEL_BYTE_3;
    unsigned shift = byte ? 8 * (sel - WL_SEL_BYTE_0) : 16 * (sel - WL_SEL_WORD_0);
    LLVMTypeRef part = byte ? l->strip_i8 : l->strip_i16;
    LLVMValueRef shifted = LLVMBuildLShr(l->b, dword, wl_lift_int(l, l->strip_i32, shift), "");
    LLVMValueRef cut = LLVMBuildTrunc(l->b, shifted, part, "");
    return sign ? LLVMBuildSExt(l->b, cut, l->strip_i32, "") : LLVMBuildZExt(l->b, cut, l->strip_i32, "");
}

/* Halves as floats. */
static LLVMValueRef widen_halves(struct wl_lift *l, LLVMValueRef halves) {
    LLVMTypeRef wide = LLVMVectorType(l->f32, LLVMGetVectorSize(LLVMTypeOf(halves)));
    return l->form->keep_wide(l, LLVMBuildFPExt(l->b, halves, wide, ""));
}

/* One half of each dword, as a float. */
static LLVMValueRef half_as_float(struct wl_lift *l, LLVMValueRef dwords, bool high) {
    if (high)
        dwords = LLVMBuildLShr(l->b, dwords, wl_lift_int(l, l->strip_i32, 16), "");
    return widen_halves(l, LLVMBuildBitCast(l->b, LLVMBuildTrunc(l->b, dwords, l->strip_i16, ""), l->strip_f16, ""));
}

/* The same of bf16, which is the upper half of the float. */
static LLVMValueRef bf16_as_float(struct wl_lift *l, LLVMValueRef value, bool high) {
    LLVMValueRef sixteen = wl_lift_int(l, l->strip_i32, 16);
    return high ? LLVMBuildAnd(l->b, value, wl_lift_int(l, l->strip_i32, 0xffff0000), "") : LLVMBuildShl(l->b, value, sixteen, "");
}

/* -v and |v| of a strip of floats or of their bits; halves are changed as bits, since LLVM does it lane by lane else. */
static LLVMValueRef modify_source(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate) {
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned kind = LLVMGetTypeKind(LLVMGetElementType(type));
    if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
        return l->form->change_sign(l, value, absolute, negate);
    LLVMTypeRef bits = kind == LLVMIntegerTypeKind ? type : l->strip_i16;
    uint64_t sign = UINT64_C(1) << (LLVMGetIntTypeWidth(LLVMGetElementType(bits)) - 1);
    value = LLVMBuildBitCast(l->b, value, bits, "");
    if (absolute)
        value = LLVMBuildAnd(l->b, value, wl_lift_int(l, bits, sign - 1), "");
    if (negate)
        value = LLVMBuildXor(l->b, value, wl_lift_int(l, bits, sign), "");
    return LLVMBuildBitCast(l->b, value, type, "");
}

/* A strip of raw dwords or pairs -> the packed function's parameter type. */
static LLVMValueRef to_parameter(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type, unsigned source,
                                 const struct wl_operand *operand, LLVMTypeRef parameter) {
    bool half = wl_type_bits(type) == 16;
    bool packed = type == WL_PKU16 || type == WL_PKI16 || type == WL_PKF16 || type == WL_PKBF16;
    if (half && LLVMTypeOf(value) == l->strip_i32) {
        if (inst->op_sel >> source & 1)
            value = LLVMBuildLShr(l->b, value, wl_lift_int(l, l->strip_i32, 16), "");
        value = LLVMBuildTrunc(l->b, value, l->strip_i16, "");
    }
    if (packed) {
        unsigned low = inst->op_sel >> source & 1, high = inst->has_op_sel_hi ? inst->op_sel_hi >> source & 1 : 1;
        LLVMTypeRef halves = LLVMVectorType(l->i16, 2 * l->lanes);
        if (low || !high) {
            LLVMValueRef order[2 * WL_STRIP];
            for (unsigned i = 0; i < l->lanes; i++) {
                order[2 * i] = wl_lift_int(l, l->i32, 2 * i + low);
                order[2 * i + 1] = wl_lift_int(l, l->i32, 2 * i + high);
            }
            LLVMValueRef cut = LLVMBuildBitCast(l->b, value, halves, "");
            cut = LLVMBuildShuffleVector(l->b, cut, LLVMGetPoison(halves), LLVMConstVector(order, 2 * l->lanes), "");
            value = LLVMBuildBitCast(l->b, cut, l->strip_i32, "");
        }
        if (type == WL_PKF16 || type == WL_PKBF16) {
            uint32_t flip = (inst->neg_lo >> source & 1 ? 0x8000u : 0) | (inst->neg_hi >> source & 1 ? 0x80000000u : 0);
            if (flip)
                value = LLVMBuildXor(l->b, value, wl_lift_int(l, l->strip_i32, flip), "");
        }
    }
    if (type == WL_PKF32) {
        unsigned low = inst->op_sel >> source & 1, high = inst->has_op_sel_hi ? inst->op_sel_hi >> source & 1 : 1;
        LLVMValueRef shift = wl_lift_int(l, l->strip_i64, 32), keep = wl_lift_int(l, l->strip_i64, UINT32_MAX);
        LLVMValueRef bottom = LLVMBuildAnd(l->b, value, keep, ""), top = LLVMBuildLShr(l->b, value, shift, "");
        if (low || !high)
            value = LLVMBuildOr(l->b, low ? top : bottom, LLVMBuildShl(l->b, high ? top : bottom, shift, ""), "");
        uint64_t flip = (inst->neg_lo >> source & 1 ? UINT64_C(1) << 31 : 0) | (inst->neg_hi >> source & 1 ? UINT64_C(1) << 63 : 0);
        if (flip)
            value = LLVMBuildXor(l->b, value, wl_lift_int(l, l->strip_i64, flip), "");
    }
    if (mixes_half(inst, source))
        value =
            mixes_bf16(inst) ? bf16_as_float(l, value, inst->op_sel >> source & 1) : half_as_float(l, value, inst->op_sel >> source & 1);
    if (LLVMTypeOf(value) != parameter)
        value = LLVMBuildBitCast(l->b, value, parameter, "");
    bool packed_negate = type == WL_F32 && inst->neg_lo >> source & 1; /* the f32 addend of a dot product */
    return operand->neg || operand->abs || packed_negate ? modify_source(l, value, operand->abs, operand->neg != packed_negate) : value;
}

static LLVMValueRef mask_input(struct wl_lift *l, LLVMValueRef recorded, unsigned reg) {
    LLVMValueRef lanes = recorded ? wl_strip_of_mask(l, recorded) : l->form->made_mask(l, reg);
    if (!lanes)
        lanes = LLVMConstNull(l->strip_i1);
    return LLVMBuildSExt(l->b, lanes, l->strip_i32, "");
}

/* ---- results ---- */

static LLVMValueRef clamp_float(struct wl_lift *l, LLVMValueRef value) {
    LLVMTypeRef type = LLVMTypeOf(value), element = LLVMGetElementType(type);
    LLVMValueRef zero = LLVMConstNull(type), ones[2 * WL_STRIP];
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
        ones[i] = LLVMConstReal(element, 1.0);
    LLVMValueRef one = LLVMConstVector(ones, LLVMGetVectorSize(type));
    value = LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOGT, value, zero, ""), value, zero, ""); /* NaN becomes 0 */
    return LLVMBuildSelect(l->b, LLVMBuildFCmp(l->b, LLVMRealOLT, value, one, ""), value, one, "");
}

static LLVMValueRef scale_and_clamp(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value) {
    static const double factors[] = {1, 2, 4, 0.5};
    if (inst->omod) {
        LLVMValueRef factor[WL_STRIP];
        for (unsigned i = 0; i < l->lanes; i++)
            factor[i] = LLVMConstReal(LLVMGetElementType(LLVMTypeOf(value)), factors[inst->omod & 3]);
        value = LLVMBuildFMul(l->b, value, LLVMConstVector(factor, l->lanes), "");
    }
    return inst->clamp ? clamp_float(l, value) : value;
}

static LLVMValueRef modify_result(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type) {
    LLVMTypeRef result = LLVMTypeOf(value);
    bool pairs = type == WL_PKF16 || type == WL_PKF32; /* have no output multiplier */
    if (!inst->clamp && (!inst->omod || pairs))
        return value;
    switch (type) {
    case WL_F32:
    case WL_F64:
        return LLVMGetTypeKind(LLVMGetElementType(result)) == LLVMIntegerTypeKind ? value : scale_and_clamp(l, inst, value);
    case WL_F16:
        value = scale_and_clamp(l, inst, widen_halves(l, LLVMBuildBitCast(l->b, value, l->strip_f16, "")));
        return LLVMBuildBitCast(l->b, LLVMBuildFPTrunc(l->b, value, l->strip_f16, ""), result, "");
    case WL_PKF16: {
        LLVMTypeRef halves = LLVMVectorType(l->f16, 2 * l->lanes);
        value = clamp_float(l, widen_halves(l, LLVMBuildBitCast(l->b, value, halves, "")));
        return LLVMBuildBitCast(l->b, LLVMBuildFPTrunc(l->b, value, halves, ""), result, "");
    }
    case WL_PKF32:
        value = clamp_float(l, LLVMBuildBitCast(l->b, value, LLVMVectorType(l->f32, 2 * l->lanes), ""));
        return LLVMBuildBitCast(l->b, value, result, "");
    default:
        return value; /* integers have saturating semantics of their own */
    }
}

static LLVMValueRef place_sdwa(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, unsigned row) {
    unsigned sel = inst->dst_sel;
    if (sel == WL_SEL_DWORD)
        return value;
    bool byte = sel <= WL_SEL_BYTE_3;
    unsigned shift = byte ? 8 * (sel - WL_SEL_BYTE_0) : 16 * (sel - WL_SEL_WORD_0), bits = byte ? 8 : 16;
    uint32_t field = ((1u << bits) - 1) << shift;
    if (inst->dst_unused == 1) { /* sign-extend upwards */
        LLVMValueRef up = LLVMBuildShl(l->b, value, wl_lift_int(l, l->strip_i32, 32 - bits), "");
        return LLVMBuildAnd(l->b, LLVMBuildAShr(l->b, up, wl_lift_int(l, l->strip_i32, 32 - bits - shift), ""),
                            wl_lift_int(l, l->strip_i32, ~((1u << shift) - 1)), "");
    }
    value = LLVMBuildAnd(l->b, LLVMBuildShl(l->b, value, wl_lift_int(l, l->strip_i32, shift), ""), wl_lift_int(l, l->strip_i32, field), "");
    if (inst->dst_unused == 2)
        value = LLVMBuildOr(l->b, value, LLVMBuildAnd(l->b, wl_strip_row(l, row), wl_lift_int(l, l->strip_i32, ~field), ""), "");
    return value;
}

static LLVMValueRef place_half(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, unsigned row) {
    bool high =
        mixes(inst) ? inst->mnemonic[9] == 'h' : inst->op_sel >> (inst->operand_count - 1) & 1; /* op_sel's last bit is the destination's */
    value = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, value, l->strip_i16, ""), l->strip_i32, "");
    if (inst->is_sdwa)
        return place_sdwa(l, inst, value, row);
    if (!high && inst->zero_high)
        return value;
    LLVMValueRef keep = wl_lift_int(l, l->strip_i32, high ? 0xffffu : 0xffff0000u);
    LLVMValueRef old = LLVMBuildAnd(l->b, wl_strip_row(l, row), keep, "");
    if (high)
        value = LLVMBuildShl(l->b, value, wl_lift_int(l, l->strip_i32, 16), "");
    return LLVMBuildOr(l->b, old, value, "");
}

static void write_lanes(struct wl_lift *l, unsigned row, LLVMValueRef value, LLVMValueRef enabled) {
    wl_strip_set_row(l, row, enabled ? LLVMBuildSelect(l->b, enabled, value, wl_strip_row(l, row), "") : value);
}

static void write_result(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *operand, enum wl_type type,
                         LLVMValueRef value, LLVMValueRef enabled) {
    if (operand->kind == WL_OPERAND_OFF)
        return;
    if (operand->kind != WL_OPERAND_VGPR) {
        wl_lift_error(l, inst, "has a vector result that goes to no vector register");
        return;
    }
    value = wl_denormal_result(l, inst, modify_result(l, inst, value, type), type);
    unsigned row = operand->reg, bits = wl_type_bits(type);
    if (bits == 16) {
        write_lanes(l, row, place_half(l, inst, value, row), enabled);
    } else if (bits == 32) {
        value = LLVMBuildBitCast(l->b, value, l->strip_i32, "");
        write_lanes(l, row, inst->is_sdwa ? place_sdwa(l, inst, value, row) : value, enabled);
    } else if (bits == 64) {
        value = LLVMBuildBitCast(l->b, value, l->strip_i64, "");
        wl_strip_set_pair(l, row, enabled ? LLVMBuildSelect(l->b, enabled, value, wl_strip_pair(l, row), "") : value);
    } else {
        unsigned count = bits / 32;
        LLVMTypeRef wide = LLVMVectorType(LLVMIntTypeInContext(l->context, bits), l->lanes);
        for (unsigned i = 0; i < count; i++) {
            LLVMValueRef part = LLVMBuildLShr(l->b, value, wl_lift_int(l, wide, 32 * i), "");
            write_lanes(l, row + i, LLVMBuildTrunc(l->b, part, l->strip_i32, ""), enabled);
        }
    }
}

/* ---- the item ---- */

enum { DPP_SNAPSHOT = WL_ITEM_SCALARS - 1 }; /* slot of the source row's copy */

static LLVMValueRef read_dwords(struct wl_lift *l, const struct wl_operand *operand, enum wl_type type) {
    unsigned count = wl_type_registers(type);
    if (count == 1)
        return wl_strip_row(l, operand->reg);
    if (count == 2)
        return wl_strip_pair(l, operand->reg);
    LLVMTypeRef wide = LLVMVectorType(LLVMIntTypeInContext(l->context, 32 * count), l->lanes);
    LLVMValueRef value = LLVMConstNull(wide);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef part = LLVMBuildZExt(l->b, wl_strip_row(l, operand->reg + i), wide, "");
        value = LLVMBuildOr(l->b, value, LLVMBuildShl(l->b, part, wl_lift_int(l, wide, 32 * i), ""), "");
    }
    return value;
}

/* The lanes that a DPP instruction writes, of those that have a source; NULL: all. */
static LLVMValueRef dpp_written(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef valid) {
    return inst->dpp == WL_DPP_DPP8 ? NULL : l->form->dpp_enabled(l, inst, inst->bound_ctrl ? NULL : valid);
}

LLVMValueRef wl_valu_dpp_source(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *enabled) {
    LLVMValueRef valid, value = l->form->dpp(l, inst, row, &valid);
    *enabled = dpp_written(l, inst, valid);
    return valid ? LLVMBuildSelect(l->b, valid, value, LLVMConstNull(l->strip_i32), "") : value;
}

static LLVMValueRef join_dwords(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high) {
    LLVMValueRef top = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, high, l->strip_i64, ""), wl_lift_int(l, l->strip_i64, 32), "");
    return LLVMBuildOr(l->b, LLVMBuildZExt(l->b, low, l->strip_i64, ""), top, "");
}

static LLVMValueRef input_value(struct wl_lift *l, struct wl_item *item, unsigned slot, unsigned source, const struct wl_operand *operand,
                                LLVMTypeRef parameter, LLVMValueRef *enabled) {
    const struct wl_inst *inst = item->inst;
    enum wl_type type = item->sem->inputs[slot].type;
    enum wl_role role = item->sem->inputs[slot].role;
    if (type == WL_MASK)
        return mask_input(l, item->scalar[slot], role == WL_ROLE_VCC ? WL_SGPR_VCC : operand->reg);
    LLVMValueRef value;
    if (item->scalar[slot]) {
        value = wl_strip_splat(l, item->scalar[slot]);
    } else if (inst->is_dpp && source == 0 && role == WL_ROLE_PRINTED) {
        LLVMValueRef valid, unused;
        LLVMValueRef snapshot = wl_dpp_crosses_rows(inst) ? item->scalar[DPP_SNAPSHOT] : NULL;
        value = snapshot ? wl_dpp_across_rows(l, inst, snapshot, &valid) : l->form->dpp(l, inst, operand->reg, &valid);
        if (wl_type_registers(type) == 2) /* within rows alone */
            value = join_dwords(l, value, l->form->dpp(l, inst, operand->reg + 1u, &unused));
        if (valid)
            value = LLVMBuildSelect(l->b, valid, value, LLVMConstNull(LLVMTypeOf(value)), "");
        *enabled = dpp_written(l, inst, valid);
    } else {
        value = read_dwords(l, operand, type);
    }
    if (inst->is_sdwa && operand->sel != WL_SEL_DWORD && role == WL_ROLE_PRINTED) {
        if (LLVMTypeOf(value) == l->strip_i16)
            value = LLVMBuildZExt(l->b, value, l->strip_i32, "");
        value = select_part(l, value, operand->sel, operand->sext);
    }
    if (role == WL_ROLE_MODE)
        return value;
    if (role == WL_ROLE_OLD) { /* modifiers belong to printed operands */
        static const struct wl_operand plain;
        struct wl_inst bare = *inst;
        bool high = inst->op_sel >> (inst->operand_count - 1) & 1;
        bare.op_sel = high && wl_type_bits(type) == 16;
        bare.has_op_sel_hi = false;
        bare.neg_lo = bare.neg_hi = 0;
        return to_parameter(l, &bare, value, type, 0, &plain, parameter);
    }
    return to_parameter(l, inst, value, type, source, operand, parameter);
}

static void emit_valu(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_sem *sem = item->sem;
    LLVMValueRef function = wl_lift_semantics(l, sem), arguments[WL_SEM_SLOTS], enabled = NULL;
    if (!function)
        return;
    unsigned printed = first_input(item), source = 0;
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_operand *operand = &inst->operands[0];
        if (sem->inputs[i].role == WL_ROLE_PRINTED)
            operand = printed_operand(inst, &printed);
        LLVMValueRef value = input_value(l, item, i, source, operand, LLVMTypeOf(LLVMGetParam(function, i)), &enabled);
        arguments[i] = wl_denormal_input(l, inst, value, sem->inputs[i].type);
        source += sem->inputs[i].role == WL_ROLE_PRINTED;
    }
    LLVMValueRef returned = call(l, function, arguments, sem->input_count), results[WL_SEM_SLOTS];
    for (unsigned i = 0; i < sem->result_count; i++)
        results[i] = result_of(l, returned, sem, i);
    if (item->paired && item + 1 < l->region.items + l->region.item_count)
        (item + 1)->emit(l, item + 1); /* the second of a pair reads before the first writes */
    printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++) {
        const struct wl_operand *operand = &inst->operands[0];
        if (sem->results[i].role == WL_ROLE_PRINTED)
            operand = printed_operand(inst, &printed);
        if (sem->results[i].type == WL_MASK) {
            LLVMValueRef lanes = LLVMBuildICmp(l->b, LLVMIntNE, results[i], LLVMConstNull(l->strip_i32), "");
            if (inst->isa) { /* v_cmpx */
                wl_strip_set_mask(l, WL_SGPR_EXEC, lanes);
                if (inst->operand_count == 3)
                    wl_strip_set_mask(l, operand->reg, lanes);
            } else if (sem->results[i].role == WL_ROLE_VCC) {
                wl_strip_set_mask(l, WL_SGPR_VCC, lanes);
            } else if (operand->kind == WL_OPERAND_SGPR) {
                wl_strip_set_mask(l, operand->reg, lanes);
            }
        } else {
            write_result(l, inst, operand, sem->results[i].type, results[i], enabled);
        }
    }
}

static void record_inputs(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_sem *sem = item->sem;
    unsigned printed = first_input(item), source = 0;
    for (unsigned i = 0; i < sem->input_count; i++) {
        const struct wl_operand *operand = &inst->operands[0];
        if (sem->inputs[i].role == WL_ROLE_PRINTED)
            operand = printed_operand(inst, &printed);
        item->scalar[i] = record_input(l, inst, source, operand, &sem->inputs[i]);
        source += sem->inputs[i].role == WL_ROLE_PRINTED;
    }
}

/* The item was added last; the vector region before it is emitted, and the item starts a new one. */
static struct wl_item *flush_before(struct wl_lift *l, struct wl_item *item) {
    struct wl_item again = *item;
    wl_memory_flush_before(l); /* what the item alone reads is live behind that vector region */
    item = &l->region.items[l->region.item_count++];
    *item = again;
    return item;
}

void wl_valu_record(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    const struct wl_sem *sem = inst->sem;
    item->sem = choose_form(l, sem);
    item->emit = emit_valu;
    bool wait = reads_pending(l, item);
    if (item->paired) { /* nothing may come between the two */
        const struct wl_item second = {.inst = inst + 1, .sem = inst[1].sem};
        wait |= reads_pending(l, &second);
    }
    if (wait)
        item = flush_before(l, item);
    if (inst->is_dpp && wl_dpp_crosses_rows(inst) && l->form->snapshot) {
        item = flush_before(l, item);
        l->region.item_count--; /* the snapshot belongs before the item */
        item->scalar[DPP_SNAPSHOT] = l->form->snapshot(l, inst->operands[first_input(item)].reg, false);
        l->region.item_count++;
    }
    record_inputs(l, item);
    unsigned printed = 0;
    for (unsigned i = 0; i < sem->result_count; i++) {
        const struct wl_operand *operand = &inst->operands[0];
        if (sem->results[i].role == WL_ROLE_PRINTED)
            operand = printed_operand(inst, &printed);
        if (sem->results[i].type != WL_MASK)
            continue;
        if (sem->results[i].role == WL_ROLE_VCC)
            wl_region_makes_mask(l, WL_SGPR_VCC);
        else if (operand->kind == WL_OPERAND_SGPR)
            wl_region_makes_mask(l, operand->reg);
    }
}

void wl_cmpx_record(struct wl_lift *l, struct wl_item *item) {
    const struct wl_inst *inst = item->inst;
    char name[sizeof inst->mnemonic];
    snprintf(name, sizeof name, "v_cmp%s", inst->mnemonic + strlen("v_cmpx"));
    item->sem = wl_lift_find_semantics(l, name);
    item->emit = emit_valu;
    if (!item->sem) {
        wl_lift_error(l, inst, "has no comparison");
        l->region.item_count--;
        return;
    }
    if (reads_pending(l, item))
        item = flush_before(l, item);
    record_inputs(l, item);
    wl_region_makes_mask(l, WL_SGPR_EXEC);
    if (inst->operand_count == 3)
        wl_region_makes_mask(l, inst->operands[0].reg);
}
