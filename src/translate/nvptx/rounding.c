/* Rounding that MODE asks for. PTX has it in the instruction: where MODE's rounding is not to nearest, semantics are linked once more,
 * with their sums, products, quotients, roots and conversions replaced. What MODE is at a place is found by following its constants
 * through the unit: f32's rounding in bits 1:0, that of f64 and f16 in bits 3:2. */
#include "translate/lift/state.h"
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_SEEN = 0xff };

/* ---- MODE ---- */

static uint8_t join(uint8_t a, uint8_t b) { return a == NOT_SEEN || a == b ? b : WL_PTX_ROUNDING_UNKNOWN; }

uint8_t wl_ptx_rounding_step(uint8_t rounding, const struct wl_inst *inst) {
    enum { HWREG_MODE = 1, FIELDS = 4 };
    const struct wl_operand *op = inst->operands, *value = &op[inst->operand_count - 1];
    if (!inst->isa || inst->isa->class != WL_ISA_SETREG || inst->isa->detail == WL_REG_DENORM_MODE || !inst->operand_count)
        return rounding;
    uint32_t hwreg = inst->isa->detail == WL_REG_ROUND_MODE ? HWREG_MODE | (FIELDS - 1) << 11 : (uint32_t)op[0].bits;
    unsigned offset = hwreg >> 6 & 31, width = (hwreg >> 11 & 31) + 1;
    if ((hwreg & 63) != HWREG_MODE || offset >= FIELDS)
        return rounding;
    bool whole = offset == 0 && width >= FIELDS, constant = value->kind == WL_OPERAND_IMM || value->kind == WL_OPERAND_TEXT;
    if (!constant || (!whole && rounding == WL_PTX_ROUNDING_UNKNOWN))
        return WL_PTX_ROUNDING_UNKNOWN;
    unsigned mask = width >= FIELDS ? 15u << offset : ((1u << width) - 1) << offset;
    return (uint8_t)(((rounding & ~mask) | ((unsigned)value->bits << offset & mask)) & 15);
}

bool wl_ptx_rounding_find(const struct wl_unit *unit, uint8_t entry, uint8_t *starts) {
    bool other = entry != 0;
    memset(starts, NOT_SEEN, unit->block_count);
    starts[unit->entry] = entry;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            uint32_t behind[2] = {block->next, block->target};
            uint8_t now = starts[p];
            if (now == NOT_SEEN)
                continue;
            for (uint32_t i = 0; i < block->count; i++) {
                now = wl_ptx_rounding_step(now, &unit->insts[block->first + i]);
                other |= now != 0;
            }
            for (unsigned i = 0; i < 2; i++) {
                if (behind[i] == WL_NO_BLOCK)
                    continue;
                uint8_t joined = join(starts[behind[i]], now);
                changed |= joined != starts[behind[i]];
                starts[behind[i]] = joined;
            }
        }
    }
    return other;
}

/* ---- operations ---- */

/* One operation of an LLVM function being replaced. */
struct rounded {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMContextRef context;
    const char *suffix; /* ".rz" and the like */
    bool flush;         /* f32 denormals */
};

static LLVMTypeRef element_type(LLVMTypeRef type) { return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type; }

static LLVMValueRef intrinsic(struct rounded *r, const char *name, LLVMValueRef *arguments, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = id ? LLVMGetIntrinsicDeclaration(r->module, id, NULL, 0) : NULL;
    return function ? LLVMBuildCall2(r->b, LLVMGlobalGetValueType(function), function, arguments, count, "") : NULL;
}

static LLVMValueRef arithmetic(struct rounded *r, const char *operation, LLVMTypeRef type, LLVMValueRef *arguments, unsigned count);

/* f32 or f64 to f16 bits: only inline PTX has all roundings. */
static LLVMValueRef to_half(struct rounded *r, LLVMValueRef value) {
    LLVMTypeRef from = LLVMTypeOf(value), i16 = LLVMInt16TypeInContext(r->context);
    bool wide = LLVMGetTypeKind(from) == LLVMDoubleTypeKind;
    LLVMTypeRef type = LLVMFunctionType(i16, &from, 1, 0);
    const char *constraints = wide ? "=h,d" : "=h,f";
    char text[64];
    snprintf(text, sizeof text, "cvt%s.f16.%s $0, $1;", r->suffix, wide ? "f64" : "f32");
    LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
    LLVMValueRef bits = LLVMBuildCall2(r->b, type, code, &value, 1, "");
    return LLVMBuildBitCast(r->b, bits, LLVMHalfTypeInContext(r->context), "");
}

static LLVMValueRef half_arithmetic(struct rounded *r, const char *operation, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef f32 = LLVMFloatTypeInContext(r->context);
    LLVMValueRef wide[3];
    for (unsigned i = 0; i < count; i++)
        wide[i] = LLVMBuildFPExt(r->b, arguments[i], f32, "");
    LLVMValueRef result = arithmetic(r, operation, f32, wide, count);
    return result ? to_half(r, result) : NULL;
}

static LLVMValueRef arithmetic(struct rounded *r, const char *operation, LLVMTypeRef type, LLVMValueRef *arguments, unsigned count) {
    char name[64];
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMHalfTypeKind)
        return half_arithmetic(r, operation, arguments, count);
    if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
        return NULL;
    bool single = kind == LLVMFloatTypeKind;
    snprintf(name, sizeof name, "llvm.nvvm.%s%s%s.%c", operation, r->suffix, single && r->flush ? ".ftz" : "", single ? 'f' : 'd');
    return intrinsic(r, name, arguments, count);
}

/* Inline PTX: LLVM 19 takes the intrinsics that round towards zero for others. */
static LLVMValueRef of_integer(struct rounded *r, LLVMValueRef value, LLVMTypeRef to, bool is_signed) {
    LLVMTypeRef from = LLVMTypeOf(value), type = LLVMFunctionType(to, &from, 1, 0);
    unsigned bits = LLVMGetIntTypeWidth(from);
    bool single = LLVMGetTypeKind(to) == LLVMFloatTypeKind, wide = bits == 64;
    char text[64], constraints[8];
    if ((bits != 32 && bits != 64) || (!single && !wide) || (!single && LLVMGetTypeKind(to) != LLVMDoubleTypeKind))
        return NULL; /* exact, or none that there is */
    snprintf(text, sizeof text, "cvt%s.f%d.%c%u $0, $1;", r->suffix, single ? 32 : 64, is_signed ? 's' : 'u', bits);
    snprintf(constraints, sizeof constraints, "=%c,%c", single ? 'f' : 'd', wide ? 'l' : 'r');
    LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
    return LLVMBuildCall2(r->b, type, code, &value, 1, "");
}

static LLVMValueRef narrowed(struct rounded *r, LLVMValueRef value, LLVMTypeRef to) {
    if (LLVMGetTypeKind(to) == LLVMHalfTypeKind)
        return to_half(r, value);
    char name[64];
    snprintf(name, sizeof name, "llvm.nvvm.d2f%s%s", r->suffix, r->flush ? ".ftz" : "");
    bool known = LLVMGetTypeKind(to) == LLVMFloatTypeKind && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMDoubleTypeKind;
    return known ? intrinsic(r, name, &value, 1) : NULL;
}

/* What the operation on elements becomes; NULL: it stays. */
static LLVMValueRef build_rounded(struct rounded *r, LLVMValueRef inst, LLVMValueRef *arguments, LLVMTypeRef type) {
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMFAdd:
        return arithmetic(r, "add", type, arguments, 2);
    case LLVMFSub:
        arguments[1] = LLVMBuildFNeg(r->b, arguments[1], "");
        return arithmetic(r, "add", type, arguments, 2);
    case LLVMFMul:
        return arithmetic(r, "mul", type, arguments, 2);
    case LLVMFDiv:
        return arithmetic(r, "div", type, arguments, 2);
    case LLVMFPTrunc:
        return narrowed(r, arguments[0], type);
    case LLVMSIToFP:
    case LLVMUIToFP:
        return of_integer(r, arguments[0], type, LLVMGetInstructionOpcode(inst) == LLVMSIToFP);
    case LLVMCall: {
        LLVMValueRef called = LLVMGetCalledValue(inst);
        const char *name = LLVMIsAFunction(called) ? LLVMGetValueName(called) : "";
        if (!strncmp(name, "llvm.fma.", 9))
            return arithmetic(r, "fma", type, arguments, 3);
        return !strncmp(name, "llvm.sqrt.", 10) ? arithmetic(r, "sqrt", type, arguments, 1) : NULL;
    }
    default:
        return NULL;
    }
}

static bool may_round(LLVMValueRef inst) {
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    return opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul || opcode == LLVMFDiv || opcode == LLVMFPTrunc ||
           opcode == LLVMSIToFP || opcode == LLVMUIToFP || opcode == LLVMCall;
}

static void round_instruction(struct rounded *r, LLVMValueRef inst) {
    enum { MOST = 3 };
    LLVMTypeRef type = LLVMTypeOf(inst);
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    unsigned count = (unsigned)LLVMGetNumOperands(inst) - (LLVMIsACallInst(inst) ? 1 : 0), lanes = vector ? LLVMGetVectorSize(type) : 1;
    if (!may_round(inst) || count > MOST || count == 0)
        return;
    LLVMPositionBuilderBefore(r->b, inst);
    LLVMValueRef whole = vector ? LLVMGetPoison(type) : NULL;
    for (unsigned lane = 0; lane < lanes; lane++) {
        LLVMValueRef arguments[MOST], index = LLVMConstInt(LLVMInt32TypeInContext(r->context), lane, 0);
        for (unsigned i = 0; i < count; i++) {
            arguments[i] = LLVMGetOperand(inst, i);
            if (vector && LLVMGetTypeKind(LLVMTypeOf(arguments[i])) == LLVMVectorTypeKind)
                arguments[i] = LLVMBuildExtractElement(r->b, arguments[i], index, "");
        }
        LLVMValueRef made = build_rounded(r, inst, arguments, element_type(type));
        if (!made)
            return;
        whole = vector ? LLVMBuildInsertElement(r->b, whole, made, index, "") : made;
    }
    LLVMReplaceAllUsesWith(inst, whole);
    LLVMInstructionEraseFromParent(inst);
}

static void round_module(struct rounded *r) {
    for (LLVMValueRef f = LLVMGetFirstFunction(r->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
                next = LLVMGetNextInstruction(inst);
                round_instruction(r, inst);
            }
}

/* Approximations, which are what they are, and conversions with a rounding of their own. */
static bool rounds_by_itself(const char *name) {
    static const char *const parts[] = {"v_exp_",  "v_log_",  "v_rsq_", "v_sin_", "v_cos_", "v_s_exp",
                                        "v_s_log", "v_s_rsq", "rtz",    "_sr_",   "fp8",    "bf8"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static bool is_other_field(enum wl_type type) { return type == WL_F64 || type == WL_F16 || type == WL_PKF16; }

unsigned wl_ptx_rounding_of(const struct wl_lift *l, const struct wl_sem *sem) {
    if (rounds_by_itself(sem->name))
        return 0;
    if (l->ptx->rounding == WL_PTX_ROUNDING_UNKNOWN) {
        enum wl_type type = sem->results[0].type;
        return is_other_field(type) || type == WL_F32 || type == WL_PKF32 ? WL_PTX_ROUNDING_UNKNOWN : 0;
    }
    return is_other_field(sem->results[0].type) ? l->ptx->rounding >> 2 & 3 : l->ptx->rounding & 3;
}

LLVMValueRef wl_ptx_rounded_semantics(struct wl_lift *l, const struct wl_sem *sem, unsigned rounding) {
    static const char *const suffixes[] = {"", ".rp", ".rm", ".rz"};
    enum { F32_DENORMALS = 3 << 4 };
    char name[80];
    snprintf(name, sizeof name, "%s%s", sem->name, suffixes[rounding & 3]);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    if (function)
        return function;
    struct rounded r = {.context = l->context, .suffix = suffixes[rounding & 3]};
    r.flush = !(l->ptx->request->float_mode & F32_DENORMALS) && !l->unit.splits_denormals;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(sem->bitcode, sem->bitcode_size, sem->name, 0);
    bool failed = LLVMParseBitcodeInContext2(l->context, buffer, &r.module) != 0;
    LLVMDisposeMemoryBuffer(buffer);
    function = failed ? NULL : LLVMGetNamedFunction(r.module, sem->name);
    if (function) {
        LLVMSetValueName2(function, name, strlen(name));
        LLVMSetTarget(r.module, LLVMGetTarget(l->module));
        LLVMSetDataLayout(r.module, LLVMGetDataLayoutStr(l->module));
        r.b = LLVMCreateBuilderInContext(l->context);
        round_module(&r);
        LLVMDisposeBuilder(r.b);
        failed = LLVMLinkModules2(l->module, r.module) != 0;
    }
    function = failed ? NULL : LLVMGetNamedFunction(l->module, name);
    if (!function) {
        l->status = wl_fail(WL_INTERNAL, "the semantics of %s cannot be linked", name);
        return NULL;
    }
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return function;
}
