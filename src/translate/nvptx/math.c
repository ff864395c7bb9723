/* What compilers put around AMD's approximate instructions because those flush denormals or miss the last place, where the
 * semantics here do neither: scales that are undone, and the steps from a root to its neighbours. The functions stay calls until
 * then. */
#include "translate/nvptx/math.h"
#include "translate/lift/state.h"
#include "translate/nvptx/passes.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const functions[] = {"v_rcp_f32",
                                        "v_rcp_iflag_f32",
                                        "v_rsq_f32",
                                        "v_sqrt_f32",
                                        "v_exp_f32",
                                        "v_log_f32",
                                        "v_ldexp_f32",
                                        "v_cmp_class_f32",
                                        "fused_rcp_f32",
                                        "fused_rcp_normal_f32",
                                        "fused_rsq_normal_f32",
                                        "fused_sqrt_f32",
                                        "fused_sqrt_large_f32",
                                        "fused_exp2_f32",
                                        "fused_exp_f32",
                                        "fused_exp_nonpositive_f32",
                                        "fused_log_f32"};

static void add_attribute(LLVMValueRef function, const char *name) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
}

/* An internal function that does not touch memory, with a builder at its start. */
static LLVMValueRef start_function(LLVMModuleRef module, const char *name, LLVMTypeRef type, const char *inlining, LLVMBuilderRef *b) {
    static const char *const attributes[] = {"memory", "nounwind", "willreturn"};
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef function = LLVMAddFunction(module, name, type);
    LLVMSetLinkage(function, LLVMInternalLinkage);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        add_attribute(function, attributes[i]);
    add_attribute(function, inlining);
    *b = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(*b, LLVMAppendBasicBlockInContext(context, function, ""));
    return function;
}

enum { MOST_PARAMETERS = 4 };

/* A function of scalars that is not inlined, around one of vectors of one element. */
static LLVMValueRef make_kept(LLVMModuleRef module, const char *name, LLVMValueRef function) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function), types[MOST_PARAMETERS];
    unsigned count = LLVMCountParams(function);
    char kept_name[64];
    LLVMBuilderRef b;
    LLVMGetParamTypes(type, types);
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMGetElementType(types[i]);
    snprintf(kept_name, sizeof kept_name, WL_PTX_KEPT "%s", name);
    LLVMTypeRef scalar = LLVMFunctionType(LLVMGetElementType(LLVMGetReturnType(type)), types, count, 0);
    LLVMValueRef kept = start_function(module, kept_name, scalar, "noinline", &b), arguments[MOST_PARAMETERS];
    LLVMValueRef zero = LLVMConstNull(LLVMInt32TypeInContext(LLVMGetModuleContext(module)));
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMBuildInsertElement(b, LLVMGetPoison(LLVMTypeOf(LLVMGetParam(function, i))), LLVMGetParam(kept, i), zero, "");
    LLVMBuildRet(b, LLVMBuildExtractElement(b, LLVMBuildCall2(b, type, function, arguments, count, ""), zero, ""));
    LLVMDisposeBuilder(b);
    return kept;
}

LLVMValueRef wl_ptx_keep_call(struct wl_lift *l, const char *name, LLVMValueRef function) {
    bool known = false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        known |= !strcmp(functions[i], name);
    if (l->unit.request->exact_math && !strncmp(name, "v_rcp", 5)) /* stays a quotient */
        known = false;
    if (!known)
        return function;
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    unsigned count = LLVMCountParams(function);
    LLVMValueRef kept = make_kept(l->module, name, function), arguments[MOST_PARAMETERS];
    LLVMValueRef zero = LLVMConstNull(l->i32);
    char whole[64];
    LLVMBuilderRef b;
    snprintf(whole, sizeof whole, "whole.%s", name);
    LLVMSetValueName2(function, whole, strlen(whole));
    LLVMValueRef outer = start_function(l->module, name, type, "alwaysinline", &b);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMBuildExtractElement(b, LLVMGetParam(outer, i), zero, "");
    LLVMValueRef result = LLVMBuildCall2(b, LLVMGlobalGetValueType(kept), kept, arguments, count, "");
    LLVMBuildRet(b, LLVMBuildInsertElement(b, LLVMGetPoison(LLVMGetReturnType(type)), result, zero, ""));
    LLVMDisposeBuilder(b);
    return outer;
}

/* ---- patterns ---- */

bool wl_ptx_is_op(LLVMValueRef value, LLVMOpcode opcode) { return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode; }

double wl_ptx_number_of(LLVMValueRef value) {
    LLVMBool loses = 0;
    return LLVMIsAConstantFP(value) ? LLVMConstRealGetDouble(value, &loses) : 0;
}

bool wl_ptx_is_call(LLVMValueRef value, const char *name) {
    LLVMValueRef called = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
    return called && LLVMIsAFunction(called) && !strcmp(LLVMGetValueName(called), name);
}

bool wl_ptx_is_kept(LLVMValueRef value, const char *name) {
    char kept[64];
    snprintf(kept, sizeof kept, WL_PTX_KEPT "%s", name);
    return wl_ptx_is_call(value, kept);
}

/* A number that is `scale` where a condition is `when`, and `plain` elsewhere. */
struct choice {
    LLVMValueRef condition;
    bool when;
    double scale;
};

/* The number that a constant, or the bits of one, stand for. */
static bool find_constant(LLVMValueRef value, double *number) {
    union {
        uint32_t bits;
        float value;
    } f32;
    if (LLVMIsAConstantInt(value)) {
        f32.bits = (uint32_t)LLVMConstIntGetZExtValue(value);
        *number = (double)f32.value;
        return true;
    }
    *number = wl_ptx_number_of(value);
    return LLVMIsAConstantFP(value);
}

LLVMValueRef wl_ptx_without_cast(LLVMValueRef value) { return wl_ptx_is_op(value, LLVMBitCast) ? LLVMGetOperand(value, 0) : value; }

static bool find_choice(LLVMValueRef value, double plain, struct choice *choice) {
    double arms[2];
    value = wl_ptx_without_cast(value);
    if (!wl_ptx_is_op(value, LLVMSelect) || !find_constant(LLVMGetOperand(value, 1), &arms[0]) ||
        !find_constant(LLVMGetOperand(value, 2), &arms[1]) || (arms[0] != plain && arms[1] != plain))
        return false;
    bool when = arms[1] == plain;
    *choice = (struct choice){LLVMGetOperand(value, 0), when, arms[when ? 0 : 1]};
    return true;
}

/* x, of x `opcode` choice, or of a selection between both results; NULL: it is something else. */
static LLVMValueRef find_scaled(LLVMValueRef value, LLVMOpcode opcode, double plain, struct choice *choice) {
    value = wl_ptx_without_cast(value);
    if (wl_ptx_is_op(value, opcode)) {
        if (find_choice(LLVMGetOperand(value, 1), plain, choice))
            return LLVMGetOperand(value, 0);
        if (opcode != LLVMFSub && find_choice(LLVMGetOperand(value, 0), plain, choice))
            return LLVMGetOperand(value, 1);
    }
    for (unsigned arm = 1; arm <= 2 && wl_ptx_is_op(value, LLVMSelect); arm++) {
        LLVMValueRef scaled = wl_ptx_without_cast(LLVMGetOperand(value, arm)), other = LLVMGetOperand(value, 3 - arm);
        if (!wl_ptx_is_op(scaled, opcode) || !LLVMIsAConstantFP(LLVMGetOperand(scaled, 1)))
            continue;
        LLVMValueRef x = LLVMGetOperand(scaled, 0);
        if (wl_ptx_without_cast(x) == wl_ptx_without_cast(other)) {
            *choice = (struct choice){LLVMGetOperand(value, 0), arm == 1, wl_ptx_number_of(LLVMGetOperand(scaled, 1))};
            return x;
        }
    }
    return NULL;
}

LLVMValueRef wl_ptx_scaled_of(LLVMValueRef value) {
    struct choice choice;
    return find_scaled(value, LLVMFMul, 1, &choice);
}

LLVMValueRef wl_ptx_call_kept(LLVMBuilderRef b, LLVMValueRef function, LLVMValueRef x) {
    return LLVMBuildCall2(b, LLVMGlobalGetValueType(function), function, &x, 1, "");
}

static LLVMValueRef kept_function(LLVMModuleRef module, const char *name) {
    char kept[64];
    snprintf(kept, sizeof kept, WL_PTX_KEPT "%s", name);
    return LLVMGetNamedFunction(module, kept);
}

LLVMValueRef wl_ptx_link_kept(LLVMModuleRef module, const char *name) {
    LLVMValueRef kept = kept_function(module, name), function = NULL;
    const struct wl_sem *sem = kept ? NULL : wl_sem_find_lane(name);
    LLVMModuleRef part = NULL;
    if (kept || !sem)
        return kept;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(sem->bitcode, sem->bitcode_size, name, 0);
    bool failed = LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), buffer, &part) != 0;
    LLVMDisposeMemoryBuffer(buffer);
    if (!failed) {
        LLVMSetTarget(part, LLVMGetTarget(module));
        LLVMSetDataLayout(part, LLVMGetDataLayoutStr(module));
        function = LLVMLinkModules2(module, part) ? NULL : LLVMGetNamedFunction(module, name);
    }
    if (!function)
        return NULL;
    LLVMSetLinkage(function, LLVMInternalLinkage);
    return make_kept(module, name, function);
}

/* ---- scales ---- */

/* How a function's argument is scaled, and its result back; what computes the same of the argument itself. */
static const struct {
    const char *name;
    LLVMOpcode before, after;
    const char *unscaled;
} scales[] = {
    {"v_rsq_f32", LLVMFMul, LLVMFMul, "v_rsq_f32"},         /* (x * s * s) -> y * s */
    {"v_sqrt_f32", LLVMFMul, LLVMFMul, "v_sqrt_f32"},       /* (x * s * s) -> y / s */
    {"v_exp_f32", LLVMFAdd, LLVMFMul, "fused_exp2_f32"},    /* (x + n) -> y * 2^-n */
    {"v_log_f32", LLVMFMul, LLVMFSub, "v_log_f32"},         /* (x * 2^n) -> y - n */
    {"fused_log_f32", LLVMFMul, LLVMFSub, "fused_log_f32"}, /* (x * 2^n) -> y - n ln(2) */
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
    case 3:
        return after > 0 && after < 200 && before == power_of_2(after);
    default:
        return after > 0 && fabs(after - log(before)) < after * 1e-6;
    }
}

static double plain_number(LLVMOpcode opcode) { return opcode == LLVMFMul ? 1 : 0; }

/* Replaces a result of scaling back, of a value, its bits, or a value of the other type. */
static void replace_value(LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef with) {
    if (LLVMTypeOf(value) != LLVMTypeOf(with))
        with = LLVMBuildBitCast(b, with, LLVMTypeOf(value), "");
    LLVMReplaceAllUsesWith(value, with);
}

/* Finds what scales a call's result back, or its bits: itself, or a choice behind it. */
static bool undo_scale(LLVMBuilderRef b, unsigned which, LLVMValueRef call, LLVMValueRef value, LLVMValueRef x, const struct choice *before,
                       unsigned depth) {
    enum { MAX_DEPTH = 4 };
    LLVMOpcode back = scales[which].after;
    for (LLVMUseRef use = depth < MAX_DEPTH ? LLVMGetFirstUse(value) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        struct choice after;
        LLVMValueRef scaled = find_scaled(user, back, plain_number(back), &after);
        if (scaled && wl_ptx_without_cast(scaled) == call && after.condition == before->condition && after.when == before->when &&
            is_undone(which, before->scale, after.scale)) {
            LLVMValueRef function = wl_ptx_link_kept(LLVMGetGlobalParent(LLVMGetCalledValue(call)), scales[which].unscaled);
            if (!function)
                return false;
            LLVMPositionBuilderBefore(b, user);
            replace_value(b, user, wl_ptx_call_kept(b, function, x));
            return true;
        }
        bool passes_on = wl_ptx_is_op(user, LLVMBitCast) || (wl_ptx_is_op(user, back) && LLVMIsAConstantFP(LLVMGetOperand(user, 1)));
        if (passes_on && undo_scale(b, which, call, user, x, before, depth + 1))
            return true;
    }
    return false;
}

static bool replace_scaled(LLVMBuilderRef b, unsigned which, LLVMValueRef call) {
    struct choice before;
    LLVMValueRef argument = LLVMGetOperand(call, 0);
    LLVMOpcode forth = scales[which].before;
    LLVMValueRef x = find_scaled(argument, forth, plain_number(forth), &before);
    if (!x)
        return false;
    return undo_scale(b, which, call, call, x, &before, 0);
}

/* ---- roots: the neighbours of one that is rounded correctly are no better ---- */

/* Whether a value is the root's bits, one further up or down. */
static bool is_neighbour(LLVMValueRef value, LLVMValueRef root) {
    value = wl_ptx_without_cast(value);
    if (!wl_ptx_is_op(value, LLVMAdd) || !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return false;
    long long step = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
    return (step == 1 || step == -1) && wl_ptx_without_cast(LLVMGetOperand(value, 0)) == root;
}

/* select(the neighbour's residue says so, the neighbour, other) is the other. */
static bool drop_neighbours(LLVMValueRef root) {
    bool dropped = false;
    LLVMValueRef bits = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(root); use; use = LLVMGetNextUse(use))
        if (wl_ptx_is_op(LLVMGetUser(use), LLVMBitCast))
            bits = LLVMGetUser(use);
    for (LLVMUseRef use = bits ? LLVMGetFirstUse(bits) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef neighbour = LLVMGetUser(use);
        if (!is_neighbour(neighbour, root))
            continue;
        for (LLVMUseRef inner = LLVMGetFirstUse(neighbour); inner; inner = LLVMGetNextUse(inner)) {
            LLVMValueRef choice = LLVMGetUser(inner);
            if (wl_ptx_is_op(choice, LLVMSelect) && LLVMGetOperand(choice, 1) == neighbour &&
                wl_ptx_is_op(LLVMGetOperand(choice, 0), LLVMFCmp)) {
                LLVMReplaceAllUsesWith(choice, LLVMGetOperand(choice, 2));
                dropped = true;
            }
        }
    }
    return dropped;
}

bool wl_ptx_simplify_roots(LLVMModuleRef module) {
    LLVMValueRef function = kept_function(module, "v_sqrt_f32");
    bool changed = false;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use))
        changed |= wl_ptx_is_kept(LLVMGetUser(use), "v_sqrt_f32") && drop_neighbours(LLVMGetUser(use));
    return changed;
}

bool wl_ptx_simplify_scales(LLVMModuleRef module) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool changed = false;
    for (unsigned i = 0; i < sizeof scales / sizeof *scales; i++) {
        LLVMValueRef function = kept_function(module, scales[i].name);
        for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
            next = LLVMGetNextUse(use);
            changed |= wl_ptx_is_kept(LLVMGetUser(use), scales[i].name) && replace_scaled(b, i, LLVMGetUser(use));
        }
    }
    LLVMDisposeBuilder(b);
    return changed;
}

void wl_ptx_inline_math(LLVMModuleRef module) {
    unsigned noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        LLVMValueRef function = kept_function(module, functions[i]);
        if (!function)
            continue;
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, noinline);
        add_attribute(function, "alwaysinline");
    }
}
