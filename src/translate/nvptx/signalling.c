/* Minima and maxima. AMD's and NVIDIA's differ in signalling NaN alone, of which AMD's make a quiet one: the semantics look whether an operand
 * is one, x: (bits << 1) - 0xff000001 < 0x7fffff. That arithmetic gives none is known here; and compilers quiet what may be one beforehand
 * (max(x, x)), which the minimum of NVIDIA does not need: of a number and any NaN it is the number. */
#include "translate/nvptx/math.h"
#include "translate/nvptx/passes.h"

#include <string.h>

enum { MOST_DEPTH = 8 };

static bool is_integer(LLVMValueRef value, uint64_t number) {
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

static bool is_wide(LLVMValueRef value) { return LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64; }

/* The number, or its bits, of which `sum` is (bits << 1) - 0xff000001; NULL: it is something else. */
static LLVMValueRef looked_at(LLVMValueRef sum) {
    if (!wl_ptx_is_op(sum, LLVMAdd) || !is_integer(LLVMGetOperand(sum, 1), is_wide(sum) ? UINT64_C(0x001fffffffffffff) : 0x00ffffff))
        return NULL;
    LLVMValueRef doubled = LLVMGetOperand(sum, 0);
    if (!wl_ptx_is_op(doubled, LLVMShl) || !is_integer(LLVMGetOperand(doubled, 1), 1))
        return NULL;
    return wl_ptx_without_cast(LLVMGetOperand(doubled, 0));
}

static bool is_least_or_most(LLVMValueRef value) {
    static const char *const names[] = {"llvm.minnum.f32", "llvm.maxnum.f32", "llvm.minnum.f64", "llvm.maxnum.f64"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wl_ptx_is_call(value, names[i]))
            return true;
    return false;
}

/* x, of a choice between x + x where x is a signalling NaN, and x. */
static LLVMValueRef quieted(LLVMValueRef value) {
    value = wl_ptx_without_cast(value);
    if (!wl_ptx_is_op(value, LLVMSelect))
        return NULL;
    LLVMValueRef test = LLVMGetOperand(value, 0), twice = wl_ptx_without_cast(LLVMGetOperand(value, 1));
    LLVMValueRef x = wl_ptx_without_cast(LLVMGetOperand(value, 2));
    bool looks = LLVMIsAICmpInst(test) && LLVMGetICmpPredicate(test) == LLVMIntULT && looked_at(LLVMGetOperand(test, 0)) == x;
    return looks && wl_ptx_is_op(twice, LLVMFAdd) && wl_ptx_without_cast(LLVMGetOperand(twice, 0)) == x ? x : NULL;
}

static bool is_quiet_constant(LLVMValueRef value) {
    LLVMBool loses = 0;
    const double number = LLVMConstRealGetDouble(value, &loses);
    return number == number;
}

/* Whether a number is no signalling NaN. */
static bool is_quiet(LLVMValueRef value, unsigned depth) {
    value = wl_ptx_without_cast(value);
    if (LLVMIsAConstantFP(value))
        return is_quiet_constant(value);
    if (!LLVMIsAInstruction(value) || depth == MOST_DEPTH)
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFPExt:
    case LLVMFPTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
        return true;
    case LLVMFNeg:
        return is_quiet(LLVMGetOperand(value, 0), depth + 1);
    case LLVMSelect:
        return quieted(value) || (is_quiet(LLVMGetOperand(value, 1), depth + 1) && is_quiet(LLVMGetOperand(value, 2), depth + 1));
    case LLVMPHI:
        for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
            if (LLVMGetIncomingValue(value, i) != value && !is_quiet(LLVMGetIncomingValue(value, i), depth + 2))
                return false;
        return true;
    case LLVMCall: {
        LLVMValueRef called = LLVMGetCalledValue(value);
        const char *name = LLVMIsAFunction(called) ? LLVMGetValueName(called) : "";
        static const char *const computing[] = {"llvm.fma.f",   "llvm.sqrt.f", "llvm.floor.f",     "llvm.ceil.f",
                                                "llvm.trunc.f", "llvm.rint.f", "llvm.roundeven.f", WL_PTX_KEPT};
        for (size_t i = 0; i < sizeof computing / sizeof *computing; i++)
            if (!strncmp(name, computing[i], strlen(computing[i])))
                return true;
        return is_least_or_most(value) || (!strncmp(name, "llvm.fabs.f", 11) && is_quiet(LLVMGetOperand(value, 0), depth + 1));
    }
    default:
        return false;
    }
}

/* Whether the sum tells nothing but whether a number is a signalling NaN: it is compared, alone or the lesser of two. */
static bool only_compared(LLVMValueRef sum, unsigned depth) {
    const uint64_t limit = is_wide(sum) ? UINT64_C(0x000fffffffffffff) : 0x007fffff;
    for (LLVMUseRef use = LLVMGetFirstUse(sum); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAICmpInst(user) && LLVMGetICmpPredicate(user) == LLVMIntULT && is_integer(LLVMGetOperand(user, 1), limit))
            continue;
        bool least = wl_ptx_is_call(user, "llvm.umin.i32") || wl_ptx_is_call(user, "llvm.umin.i64");
        if (!least || depth == MOST_DEPTH || !only_compared(user, depth + 1))
            return false;
    }
    return true;
}

static bool simplify(LLVMValueRef inst) {
    bool changed = false;
    if (wl_ptx_is_op(inst, LLVMAdd)) {
        LLVMValueRef x = looked_at(inst);
        if (!x || !LLVMGetFirstUse(inst) || !is_quiet(x, 0) || !only_compared(inst, 0))
            return false;
        LLVMReplaceAllUsesWith(inst, LLVMConstAllOnes(LLVMTypeOf(inst)));
        return true;
    }
    for (unsigned i = 0; i < 2 && is_least_or_most(inst); i++) {
        LLVMValueRef x = quieted(LLVMGetOperand(inst, i));
        if (!x || LLVMTypeOf(x) != LLVMTypeOf(inst))
            continue;
        LLVMSetOperand(inst, i, x);
        changed = true;
    }
    return changed;
}

bool wl_ptx_simplify_signalling(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    bool changed = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
            changed |= simplify(inst);
    return changed;
}
