/* Sequences by which AMD's math library makes e^x and ln(x) out of 2^x and log2(x): one function each instead (semantics/fused.c),
 * no less accurate. Square roots and reciprocal roots lose what their arguments' ranges make superfluous. */
#include "translate/nvptx/math.h"
#include "translate/nvptx/passes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- patterns ---- */

/* An operand of a commutative operation that is not `known`; NULL: `known` is no operand. */
static LLVMValueRef other_operand(LLVMValueRef value, LLVMValueRef known) {
    for (unsigned i = 0; i < 2; i++)
        if (LLVMGetOperand(value, i) == known)
            return LLVMGetOperand(value, 1 - i);
    return NULL;
}

/* x, of x * constant. */
static LLVMValueRef find_product(LLVMValueRef value, double *constant) {
    if (!wl_ptx_is_op(value, LLVMFMul))
        return NULL;
    for (unsigned i = 0; i < 2; i++)
        if (LLVMIsAConstantFP(LLVMGetOperand(value, i))) {
            *constant = wl_ptx_number_of(LLVMGetOperand(value, i));
            return LLVMGetOperand(value, 1 - i);
        }
    return NULL;
}

/* x, of fma(x, constant, addend). */
static LLVMValueRef find_fma(LLVMValueRef value, double *constant, LLVMValueRef *addend) {
    if (!wl_ptx_is_call(value, "llvm.fma.f32"))
        return NULL;
    *addend = LLVMGetOperand(value, 2);
    for (unsigned i = 0; i < 2; i++)
        if (LLVMIsAConstantFP(LLVMGetOperand(value, i))) {
            *constant = wl_ptx_number_of(LLVMGetOperand(value, i));
            return LLVMGetOperand(value, 1 - i);
        }
    return NULL;
}

/* Whether `value` is what x * high lost by rounding to `product`, plus x * low; *sum: high + low. */
static bool is_rest(LLVMValueRef value, LLVMValueRef x, LLVMValueRef product, double high, double *sum) {
    double low = 0, again = 0;
    LLVMValueRef inner = NULL, negated = NULL;
    if (find_fma(value, &low, &inner) != x || find_fma(inner, &again, &negated) != x || again != high)
        return false;
    *sum = high + low;
    return wl_ptx_is_op(negated, LLVMFNeg) && LLVMGetOperand(negated, 0) == product;
}

/* ---- e^x: ldexp(exp2(p - round(p) + rest), round(p)), where p + rest = x * log2(e) ---- */

static bool is_rounded(LLVMValueRef value, LLVMValueRef of) {
    return wl_ptx_is_call(value, "llvm.roundeven.f32") && LLVMGetOperand(value, 0) == of;
}

/* Whether `value` is v_cvt_i32_f32 (semantics/convert.c) of its first operand. */
static bool is_truncated(LLVMValueRef value) {
    LLVMValueRef code = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    size_t length = 0;
    const char *text = code && LLVMIsAInlineAsm(code) ? LLVMGetInlineAsmAsmString(code, &length) : NULL;
    return text && strstr(text, "cvt.rzi.s32.f32");
}

/* x, of e^x, or of e^-x (negated). */
static LLVMValueRef find_exponential(LLVMValueRef ldexp_call, bool *negated) {
    LLVMValueRef power = LLVMGetOperand(ldexp_call, 0), count = LLVMGetOperand(ldexp_call, 1);
    bool is_power = wl_ptx_is_kept(power, "v_exp_f32") || wl_ptx_is_kept(power, "fused_exp2_f32");
    LLVMValueRef argument = is_power ? LLVMGetOperand(power, 0) : NULL;
    if (!argument || !is_truncated(count) || !wl_ptx_is_op(argument, LLVMFAdd))
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef difference = LLVMGetOperand(argument, i), rest = LLVMGetOperand(argument, 1 - i);
        if (!wl_ptx_is_op(difference, LLVMFSub))
            continue;
        LLVMValueRef product = LLVMGetOperand(difference, 0);
        double high, factor;
        LLVMValueRef x = find_product(product, &high);
        if (x && is_rounded(LLVMGetOperand(difference, 1), product) && is_rounded(LLVMGetOperand(count, 0), product) &&
            is_rest(rest, x, product, high, &factor) && fabs(fabs(factor) - M_LOG2E) < 1e-11) {
            *negated = factor < 0;
            return x;
        }
    }
    return NULL;
}

/* Whether a choice takes `value` wherever e^x, or e^-x (negated), is neither 0 nor infinite, and that limit beyond. */
static bool is_guard(LLVMValueRef choice, LLVMValueRef value, LLVMValueRef x, bool negated) {
    LLVMValueRef condition = wl_ptx_is_op(choice, LLVMSelect) ? LLVMGetOperand(choice, 0) : NULL;
    if (!condition || !LLVMIsAFCmpInst(condition) || LLVMGetOperand(condition, 0) != x || !LLVMIsAConstantFP(LLVMGetOperand(condition, 1)))
        return false;
    bool first = LLVMGetOperand(choice, 1) == value;
    LLVMValueRef limit = LLVMGetOperand(choice, first ? 2 : 1);
    if ((!first && LLVMGetOperand(choice, 2) != value) || !LLVMIsAConstantFP(limit))
        return false;
    double bound = wl_ptx_number_of(LLVMGetOperand(condition, 1)), other = wl_ptx_number_of(limit);
    LLVMRealPredicate p = LLVMGetFCmpPredicate(condition);
    bool takes_above = first ? p == LLVMRealUGE || p == LLVMRealUGT : p == LLVMRealOLT || p == LLVMRealOLE;
    bool takes_below = first ? p == LLVMRealULE || p == LLVMRealULT : p == LLVMRealOGT || p == LLVMRealOGE;
    if (other == 0)
        return negated ? takes_below && bound > 103.2 : takes_above && bound < -103.2;
    return isinf(other) && other > 0 && (negated ? takes_above && bound < -88.722 : takes_below && bound > 88.722);
}

/* Takes away the choices between a power and its limits. The power may be multiplied by a positive number on the way. */
static void drop_guards(LLVMValueRef value, LLVMValueRef x, bool negated, unsigned depth) {
    enum { MAX_DEPTH = 4 };
    for (LLVMUseRef use = depth < MAX_DEPTH ? LLVMGetFirstUse(value) : NULL, next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        double factor = 0;
        next = LLVMGetNextUse(use);
        if (find_product(user, &factor) == value && factor > 0 && factor < FLT_MAX) {
            drop_guards(user, x, negated, depth + 1);
        } else if (is_guard(user, value, x, negated)) {
            drop_guards(user, x, negated, depth + 1);
            LLVMReplaceAllUsesWith(user, value);
            LLVMInstructionEraseFromParent(user);
            next = LLVMGetFirstUse(value); /* the list has changed */
        }
    }
}

/* ---- ln(x): y * ln(2) as product and rest, or y itself where it is no number; y = log2(x) ---- */

static LLVMValueRef find_logarithm(LLVMValueRef y, LLVMValueRef choice) {
    if (!wl_ptx_is_op(choice, LLVMSelect) || !LLVMIsAFCmpInst(LLVMGetOperand(choice, 0)))
        return NULL;
    LLVMValueRef sum = LLVMGetOperand(choice, LLVMGetOperand(choice, 1) == y ? 2 : 1);
    LLVMValueRef magnitude = LLVMGetOperand(LLVMGetOperand(choice, 0), 0), limit = LLVMGetOperand(LLVMGetOperand(choice, 0), 1);
    if (sum == y || !wl_ptx_is_op(sum, LLVMFAdd) || !wl_ptx_is_call(magnitude, "llvm.fabs.f32") || LLVMGetOperand(magnitude, 0) != y ||
        !LLVMIsAConstantFP(limit) || !isinf(wl_ptx_number_of(limit)))
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef product = LLVMGetOperand(sum, i);
        double high = 0, factor = 0;
        if (find_product(product, &high) == y && is_rest(other_operand(sum, product), y, product, high, &factor) &&
            fabs(factor - M_LN2) < 1e-11)
            return choice;
    }
    return NULL;
}

/* ---- square roots: zero and infinity are their own ---- */

/* The operand of a choice that stands where the tested number is zero or plus infinity, and that number; 0: it is another choice. */
static unsigned special_arm(LLVMValueRef choice, LLVMValueRef *tested) {
    enum { ZEROS_AND_INFINITY = 0x260 };
    LLVMValueRef condition = LLVMGetOperand(choice, 0);
    if (!LLVMIsAICmpInst(condition) || !wl_ptx_is_kept(LLVMGetOperand(condition, 0), "v_cmp_class_f32"))
        return 0;
    LLVMValueRef call = LLVMGetOperand(condition, 0), classes = LLVMGetOperand(call, 1), zero = LLVMGetOperand(condition, 1);
    LLVMIntPredicate p = LLVMGetICmpPredicate(condition);
    if (!LLVMIsAConstantInt(classes) || LLVMConstIntGetZExtValue(classes) != ZEROS_AND_INFINITY || !LLVMIsConstant(zero) ||
        !LLVMIsNull(zero) || (p != LLVMIntEQ && p != LLVMIntNE))
        return 0;
    *tested = LLVMGetOperand(call, 0);
    return p == LLVMIntEQ ? 2 : 1;
}

/* choice(x is zero or infinite, x, root(x)) is root(x), also if the x there was scaled. */
static bool drop_special_root(LLVMValueRef root, LLVMValueRef form, LLVMValueRef choice) {
    LLVMValueRef x = LLVMGetOperand(root, 0), tested;
    unsigned arm = wl_ptx_is_op(choice, LLVMSelect) ? special_arm(choice, &tested) : 0;
    if (!arm || LLVMGetOperand(choice, 3 - arm) != form || wl_ptx_without_cast(LLVMGetOperand(choice, arm)) != wl_ptx_without_cast(tested))
        return false;
    LLVMValueRef unscaled = wl_ptx_scaled_of(tested);
    if (wl_ptx_without_cast(tested) != wl_ptx_without_cast(x) && (!unscaled || wl_ptx_without_cast(unscaled) != wl_ptx_without_cast(x)))
        return false;
    LLVMReplaceAllUsesWith(choice, form);
    return true;
}

static bool drop_special_roots(LLVMValueRef root) {
    bool dropped = false;
    for (LLVMUseRef use = LLVMGetFirstUse(root); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        dropped |= drop_special_root(root, root, user);
        for (LLVMUseRef of = wl_ptx_is_op(user, LLVMBitCast) ? LLVMGetFirstUse(user) : NULL; of; of = LLVMGetNextUse(of))
            dropped |= drop_special_root(root, user, LLVMGetUser(of));
    }
    return dropped;
}

/* ---- ranges ---- */

/* A number that the value is never less than, unless it is NaN: sums of squares and constants. */
static double least_value(LLVMValueRef value, unsigned depth) {
    enum { MAX_DEPTH = 8 };
    if (LLVMIsAConstantFP(value))
        return wl_ptx_number_of(value);
    if (depth == MAX_DEPTH)
        return -INFINITY;
    if (wl_ptx_is_call(value, "llvm.fma.f32") && LLVMGetOperand(value, 0) == LLVMGetOperand(value, 1))
        return least_value(LLVMGetOperand(value, 2), depth + 1);
    if (wl_ptx_is_op(value, LLVMFMul) && LLVMGetOperand(value, 0) == LLVMGetOperand(value, 1))
        return 0;
    if (wl_ptx_is_op(value, LLVMFAdd)) {
        double a = least_value(LLVMGetOperand(value, 0), depth + 1), b = least_value(LLVMGetOperand(value, 1), depth + 1);
        return a >= 0 && b >= 0 ? (a > b ? a : b) : -INFINITY;
    }
    return -INFINITY;
}

/* Whether a value is known not to be above zero, unless it is NaN: squares times numbers below zero. */
static bool is_nonpositive(LLVMValueRef value) {
    for (unsigned i = 0; i < 2 && wl_ptx_is_op(value, LLVMFMul); i++) {
        double factor = 1;
        LLVMValueRef x = LLVMGetOperand(value, i), other = LLVMGetOperand(value, 1 - i);
        if ((find_product(other, &factor) == x && factor <= 0) || (wl_ptx_is_op(other, LLVMFNeg) && LLVMGetOperand(other, 0) == x))
            return true;
        if (LLVMIsAConstantFP(other) && wl_ptx_number_of(other) <= 0 && wl_ptx_is_op(x, LLVMFMul) &&
            LLVMGetOperand(x, 0) == LLVMGetOperand(x, 1))
            return true;
    }
    return wl_ptx_is_op(value, LLVMFNeg) && least_value(LLVMGetOperand(value, 0), 0) >= 0;
}

/* ---- the passes ---- */

/* Replaces `value` by `name` of the argument x of f32; NULL: the name is unknown. */
static LLVMValueRef replace_by(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef value, const char *name, LLVMValueRef x) {
    LLVMValueRef function = wl_ptx_link_kept(module, name);
    if (!function)
        return NULL;
    LLVMPositionBuilderBefore(b, value);
    LLVMValueRef result = wl_ptx_call_kept(b, function, x);
    LLVMReplaceAllUsesWith(value, result);
    return result;
}

static bool fuse_exponential(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
    bool negated = false;
    LLVMValueRef x = find_exponential(call, &negated), argument = x, power = NULL;
    if (x && negated) {
        LLVMPositionBuilderBefore(b, call);
        argument = LLVMBuildFNeg(b, x, "");
    }
    if (x)
        power = replace_by(module, b, call, is_nonpositive(argument) ? "fused_exp_nonpositive_f32" : "fused_exp_f32", argument);
    if (power)
        drop_guards(power, x, negated, 0);
    return power != NULL;
}

static bool fuse_logarithm(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
    LLVMValueRef choice = NULL;
    for (LLVMUseRef of = LLVMGetFirstUse(call); of && !choice; of = LLVMGetNextUse(of))
        choice = find_logarithm(call, LLVMGetUser(of));
    return choice && replace_by(module, b, choice, "fused_log_f32", LLVMGetOperand(call, 0)) != NULL;
}

static bool narrow_root(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
    LLVMValueRef x = LLVMGetOperand(call, 0);
    return least_value(x, 0) >= (double)FLT_MIN && replace_by(module, b, call, "fused_rsq_normal_f32", x) != NULL;
}

static bool narrow_square_root(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
    (void)module;
    (void)b;
    return drop_special_roots(call);
}

static bool choose_root(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
    LLVMValueRef x = LLVMGetOperand(call, 0);
    return replace_by(module, b, call, least_value(x, 0) >= 0x1p-101 ? "fused_sqrt_large_f32" : "fused_sqrt_f32", x) != NULL;
}

/* Whether a step of Newton's method for 1 / x begins with y: 1 - x * y. IEEE division takes such steps, and needs a y that is rounded
 * correctly where all bits of x's mantissa are ones. */
static bool is_refined(LLVMValueRef y) {
    for (LLVMUseRef use = LLVMGetFirstUse(y); use; use = LLVMGetNextUse(use))
        if (wl_ptx_is_call(LLVMGetUser(use), "llvm.fma.f32") && wl_ptx_number_of(LLVMGetOperand(LLVMGetUser(use), 2)) == 1)
            return true;
    return false;
}

static bool choose_reciprocal(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call) {
    LLVMValueRef x = LLVMGetOperand(call, 0);
    bool is_integer = wl_ptx_is_op(x, LLVMUIToFP) || wl_ptx_is_op(x, LLVMSIToFP);
    return !is_refined(call) && replace_by(module, b, call, is_integer ? "fused_rcp_normal_f32" : "fused_rcp_f32", x) != NULL;
}

/* What is to be done about the calls of a kept function. */
struct change {
    const char *name;
    bool (*change)(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef call);
};

static bool change_calls(LLVMModuleRef module, const struct change *changes, size_t count) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        char kept[64] = WL_PTX_KEPT;
        LLVMValueRef function = LLVMGetNamedFunction(module, strcat(kept, changes[i].name));
        for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use))
            if (LLVMIsACallInst(LLVMGetUser(use)))
                changed |= changes[i].change(module, b, LLVMGetUser(use));
    }
    LLVMDisposeBuilder(b);
    return changed;
}

bool wl_ptx_choose_roots(LLVMModuleRef module) {
    static const struct change changes[] = {
        {"v_sqrt_f32", choose_root}, {"v_rcp_f32", choose_reciprocal}, {"v_rcp_iflag_f32", choose_reciprocal}};
    return change_calls(module, changes, sizeof changes / sizeof *changes);
}

bool wl_ptx_fuse_math(LLVMModuleRef module) {
    static const struct change changes[] = {
        {"v_ldexp_f32", fuse_exponential}, {"v_log_f32", fuse_logarithm}, {"v_rsq_f32", narrow_root}, {"v_sqrt_f32", narrow_square_root}};
    return change_calls(module, changes, sizeof changes / sizeof *changes);
}
