/* What compilers put around AMD's approximate instructions because those flush denormals or miss the last place, where the
 * semantics here do neither: scales that are undone, and the steps from a root to its neighbours. The functions stay calls until
 * then. */
#include "translate/nvptx/ptx.h"

#include <stdio.h>
#include <string.h>

static const char *const functions[] = {"v_rsq_f32", "v_sqrt_f32", "v_exp_f32", "v_log_f32"};

static void set_inlining(LLVMContextRef context, LLVMValueRef function, const char *from, const char *to) {
    unsigned old = LLVMGetEnumAttributeKindForName(from, strlen(from)), new = LLVMGetEnumAttributeKindForName(to, strlen(to));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, old);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, new, 0));
}

void wl_ptx_keep_call(struct wl_lift *l, const char *name, LLVMValueRef function) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i], name))
            set_inlining(l->context, function, "alwaysinline", "noinline");
}

/* ---- patterns ---- */

static bool is_op(LLVMValueRef value, LLVMOpcode opcode) { return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode; }

static bool is_number(LLVMValueRef value, double number) {
    LLVMBool loses = 0;
    return LLVMIsAConstantFP(value) && LLVMConstRealGetDouble(value, &loses) == number;
}

static double number_of(LLVMValueRef value) {
    LLVMBool loses = 0;
    return LLVMIsAConstantFP(value) ? LLVMConstRealGetDouble(value, &loses) : 0;
}

/* A number that is `scale` where a condition holds and `plain` elsewhere. */
struct choice {
    LLVMValueRef condition;
    double scale;
};

static bool find_choice(LLVMValueRef value, double plain, struct choice *choice) {
    if (!is_op(value, LLVMSelect) || !LLVMIsAConstantFP(LLVMGetOperand(value, 1)) || !is_number(LLVMGetOperand(value, 2), plain))
        return false;
    *choice = (struct choice){LLVMGetOperand(value, 0), number_of(LLVMGetOperand(value, 1))};
    return true;
}

/* x, of x `opcode` choice, or of a selection between both results; NULL: it is something else. */
static LLVMValueRef find_scaled(LLVMValueRef value, LLVMOpcode opcode, double plain, struct choice *choice) {
    if (is_op(value, opcode)) {
        if (find_choice(LLVMGetOperand(value, 1), plain, choice))
            return LLVMGetOperand(value, 0);
        if (opcode != LLVMFSub && find_choice(LLVMGetOperand(value, 0), plain, choice))
            return LLVMGetOperand(value, 1);
    }
    if (is_op(value, LLVMSelect) && is_op(LLVMGetOperand(value, 1), opcode)) {
        LLVMValueRef scaled = LLVMGetOperand(value, 1), x = LLVMGetOperand(value, 2);
        if (LLVMGetOperand(scaled, 0) == x && LLVMIsAConstantFP(LLVMGetOperand(scaled, 1))) {
            *choice = (struct choice){LLVMGetOperand(value, 0), number_of(LLVMGetOperand(scaled, 1))};
            return x;
        }
    }
    return NULL;
}

/* A call's argument, and its result's one use as a scalar. */
static LLVMValueRef argument_of(LLVMValueRef call) {
    LLVMValueRef vector = LLVMGetOperand(call, 0);
    return is_op(vector, LLVMInsertElement) ? LLVMGetOperand(vector, 1) : NULL;
}

static LLVMValueRef result_of(LLVMValueRef call) {
    LLVMUseRef use = LLVMGetFirstUse(call);
    LLVMValueRef user = use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
    return user && is_op(user, LLVMExtractElement) ? user : NULL;
}

static LLVMValueRef call_again(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef x) {
    LLVMPositionBuilderBefore(b, call);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 0));
    LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(LLVMGetTypeContext(type)));
    LLVMValueRef vector = LLVMBuildInsertElement(b, LLVMGetPoison(type), x, zero, "");
    LLVMValueRef function = LLVMGetCalledValue(call);
    LLVMValueRef result = LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, &vector, 1, "");
    return LLVMBuildExtractElement(b, result, zero, "");
}

/* ---- scales ---- */

/* How a function's argument is scaled, and its result back. */
static const struct {
    const char *name;
    LLVMOpcode before, after;
} scales[] = {
    {"v_rsq_f32", LLVMFMul, LLVMFMul},  /* (x * s * s) -> y * s */
    {"v_sqrt_f32", LLVMFMul, LLVMFMul}, /* (x * s * s) -> y / s */
    {"v_exp_f32", LLVMFAdd, LLVMFMul},  /* (x + n) -> y * 2^-n */
    {"v_log_f32", LLVMFMul, LLVMFSub},  /* (x * 2^n) -> y - n */
};

static double power_of_2(double exponent) {
    double power = 1, whole = exponent < 0 ? -exponent : exponent;
    for (unsigned i = 0; i < (unsigned)whole; i++)
        power *= exponent < 0 ? 0.5 : 2.0;
    return power;
}

static bool is_undone(unsigned which, double before, double after) {
    if (before <= 0)
        return false;
    switch (which) {
    case 0:
        return before == after * after;
    case 1:
        return after > 0 && before * after * after == 1;
    case 2:
        return before < 200 && after == power_of_2(-before);
    default:
        return after > 0 && after < 200 && before == power_of_2(after);
    }
}

static double plain_number(LLVMOpcode opcode) { return opcode == LLVMFMul ? 1 : 0; }

/* The result of scaling back, of a use of the function's result. */
static bool replace_scaled(LLVMBuilderRef b, unsigned which, LLVMValueRef call) {
    struct choice before, after;
    LLVMValueRef argument = argument_of(call), result = result_of(call);
    LLVMOpcode forth = scales[which].before, back = scales[which].after;
    LLVMValueRef x = argument && result ? find_scaled(argument, forth, plain_number(forth), &before) : NULL;
    if (!x)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(result); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        for (unsigned depth = 0; depth < 2; depth++) { /* the product itself, or the choice behind it */
            if (find_scaled(user, back, plain_number(back), &after) == result && after.condition == before.condition &&
                is_undone(which, before.scale, after.scale)) {
                LLVMReplaceAllUsesWith(user, call_again(b, call, x));
                return true;
            }
            LLVMUseRef next = LLVMGetFirstUse(user);
            if (!next || LLVMGetNextUse(next))
                break;
            user = LLVMGetUser(next);
        }
    }
    return false;
}

/* ---- roots: the neighbours of one that is rounded correctly are no better ---- */

static LLVMValueRef without_cast(LLVMValueRef value) { return is_op(value, LLVMBitCast) ? LLVMGetOperand(value, 0) : value; }

/* Whether a value is the root's bits, one further up or down. */
static bool is_neighbour(LLVMValueRef value, LLVMValueRef root) {
    value = without_cast(value);
    if (!is_op(value, LLVMAdd) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return false;
    long long step = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
    return (step == 1 || step == -1) && without_cast(LLVMGetOperand(value, 0)) == root;
}

/* select(the neighbour's residue says so, the neighbour, other) is the other. */
static bool drop_neighbours(LLVMValueRef root) {
    bool dropped = false;
    LLVMValueRef bits = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(root); use; use = LLVMGetNextUse(use))
        if (is_op(LLVMGetUser(use), LLVMBitCast))
            bits = LLVMGetUser(use);
    for (LLVMUseRef use = bits ? LLVMGetFirstUse(bits) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef neighbour = LLVMGetUser(use);
        if (!is_neighbour(neighbour, root))
            continue;
        for (LLVMUseRef inner = LLVMGetFirstUse(neighbour); inner; inner = LLVMGetNextUse(inner)) {
            LLVMValueRef choice = LLVMGetUser(inner);
            if (is_op(choice, LLVMSelect) && LLVMGetOperand(choice, 1) == neighbour && is_op(LLVMGetOperand(choice, 0), LLVMFCmp)) {
                LLVMReplaceAllUsesWith(choice, LLVMGetOperand(choice, 2));
                dropped = true;
            }
        }
    }
    return dropped;
}

bool wl_ptx_simplify_roots(LLVMModuleRef module) {
    LLVMValueRef function = LLVMGetNamedFunction(module, "v_sqrt_f32");
    bool changed = false;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef root = result_of(LLVMGetUser(use));
        changed |= root && drop_neighbours(root);
    }
    return changed;
}

bool wl_ptx_simplify_scales(LLVMModuleRef module) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool changed = false;
    for (unsigned i = 0; i < sizeof scales / sizeof *scales; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, scales[i].name);
        for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
            next = LLVMGetNextUse(use);
            changed |= replace_scaled(b, i, LLVMGetUser(use));
        }
    }
    LLVMDisposeBuilder(b);
    return changed;
}

void wl_ptx_inline_math(LLVMModuleRef module) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, functions[i]);
        if (function)
            set_inlining(LLVMGetModuleContext(module), function, "noinline", "alwaysinline");
    }
}
