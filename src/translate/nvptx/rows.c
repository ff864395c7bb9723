/* Factors of matrix products straight from LDS. Where the four registers of a gather come from reads of LDS, 16 bytes of a row for
 * each of 32 lanes, ldmatrix does both: its lane 8 q + i names a place of 16 bytes, and thread 4 g + t gets, for each quarter q,
 * dword t of those that lane 8 q + g named. */
#include "translate/nvptx/math.h"
#include "translate/nvptx/matrix.h"
#include "translate/nvptx/passes.h"

#include <stdlib.h>
#include <string.h>

enum { QUARTERS = 4, MOST_TERMS = 8, ROW_BYTES = 16 };

struct rows {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    bool parts;            /* threads may part at branches */
    LLVMValueRef lane;     /* i32: its number, known everywhere */
    LLVMValueRef gather;   /* the call at hand */
    LLVMValueRef loads[2]; /* of its registers; equal: one load */
};

static LLVMTypeRef i32_type(const struct rows *x) { return LLVMInt32TypeInContext(LLVMGetModuleContext(x->module)); }
static LLVMValueRef number(const struct rows *x, uint64_t value) { return LLVMConstInt(i32_type(x), value, 0); }

/* ---- loads ---- */

/* The text of a call of inline PTX; NULL: it is something else. */
static const char *text_of(LLVMValueRef inst) {
    size_t length;
    if (!LLVMIsACallInst(inst) || !LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
        return NULL;
    return LLVMGetInlineAsmAsmString(LLVMGetCalledValue(inst), &length);
}

/* The load of LDS that `count` values are the first results of, in all lanes; NULL: there is none. Its arguments are the address, an offset
 * and the predicate (nvptx/memory.c). */
static LLVMValueRef vector_load(const struct rows *x, LLVMValueRef const *values, unsigned count) {
    LLVMValueRef load = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (!LLVMIsAExtractValueInst(values[i]) || LLVMGetIndices(values[i])[0] != i || (load && LLVMGetOperand(values[i], 0) != load))
            return NULL;
        load = LLVMGetOperand(values[i], 0);
    }
    const char *text = text_of(load);
    if (!text || !strstr(text, count == 4 ? " ld.shared.v4.b32 " : " ld.shared.v2.b32 "))
        return NULL;
    LLVMValueRef predicate = LLVMGetOperand(load, 2);
    if (!LLVMIsAConstantInt(predicate) || LLVMIsNull(predicate))
        return NULL;
    return x->parts && LLVMGetInstructionParent(load) != LLVMGetInstructionParent(x->gather) ? NULL : load;
}

static int64_t offset_of(LLVMValueRef load) { return (int32_t)LLVMConstIntGetSExtValue(LLVMGetOperand(load, 1)); }

/* Whether memory may be another behind an instruction, or other threads go on. */
static bool may_change_memory(LLVMValueRef inst) {
    const char *text = text_of(inst);
    if (text)
        return LLVMGetInlineAsmHasSideEffects(LLVMGetCalledValue(inst)) && !strstr(text, " ld.");
    if (LLVMIsACallInst(inst)) {
        LLVMValueRef called = LLVMGetCalledValue(inst);
        unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
        LLVMAttributeRef effects = LLVMIsAFunction(called) ? LLVMGetEnumAttributeAtIndex(called, LLVMAttributeFunctionIndex, memory) : NULL;
        return !effects || LLVMGetEnumAttributeValue(effects) != 0;
    }
    LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
    return opcode == LLVMStore || opcode == LLVMFence || opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg;
}

static bool reaches(LLVMValueRef from, LLVMValueRef to) {
    while (from && from != to && !may_change_memory(from))
        from = LLVMGetNextInstruction(from);
    return from == to;
}

/* The later one of the two loads, if both might as well be there; else NULL. */
static LLVMValueRef later_load(const struct rows *x) {
    LLVMValueRef a = x->loads[0], b = x->loads[1];
    if (LLVMGetInstructionParent(a) != LLVMGetInstructionParent(b))
        return NULL;
    return reaches(a, b) ? b : reaches(b, a) ? a : NULL;
}

/* ---- addresses as sums ---- */

struct sum {
    LLVMValueRef terms[MOST_TERMS];
    unsigned count;
    int64_t constant;
};

static bool is_sum(LLVMValueRef value) {
    if (LLVMIsAConstantExpr(value))
        return LLVMGetConstOpcode(value) == LLVMAdd;
    return wl_ptx_is_op(value, LLVMAdd) || (wl_ptx_is_op(value, LLVMOr) && LLVMGetIsDisjoint(value));
}

static bool add_terms(struct sum *sum, LLVMValueRef value, unsigned depth) {
    if (LLVMIsAConstantInt(value)) {
        sum->constant += (int32_t)LLVMConstIntGetZExtValue(value);
        return true;
    }
    if (is_sum(value) && depth < MOST_TERMS)
        return add_terms(sum, LLVMGetOperand(value, 0), depth + 1) && add_terms(sum, LLVMGetOperand(value, 1), depth + 1);
    if (sum->count == MOST_TERMS)
        return false;
    sum->terms[sum->count++] = value;
    return true;
}

/* Whether the second load's address is that of the first plus a constant. */
static bool find_distance(const struct rows *x, int64_t *distance) {
    struct sum a = {.constant = offset_of(x->loads[0])}, b = {.constant = offset_of(x->loads[1])};
    if (!add_terms(&a, LLVMGetOperand(x->loads[0], 0), 0) || !add_terms(&b, LLVMGetOperand(x->loads[1], 0), 0) || a.count != b.count)
        return false;
    for (unsigned i = 0; i < a.count; i++) {
        unsigned k = 0;
        while (k < b.count && b.terms[k] != a.terms[i])
            k++;
        if (k == b.count)
            return false;
        b.terms[k] = NULL;
    }
    *distance = b.constant - a.constant;
    return true;
}

/* Whether a number is known to be a multiple of a row's bytes. */
static bool is_multiple(LLVMValueRef value, unsigned depth) {
    enum { MOST_DEPTH = 8 };
    if (LLVMIsAConstantInt(value))
        return LLVMConstIntGetZExtValue(value) % ROW_BYTES == 0;
    if (depth == MOST_DEPTH || LLVMGetNumOperands(value) == 0)
        return false;
    LLVMValueRef first = LLVMGetOperand(value, 0);
    LLVMOpcode opcode = LLVMIsAConstantExpr(value)  ? LLVMGetConstOpcode(value)
                        : LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value)
                                                    : LLVMRet;
    switch (opcode) {
    case LLVMPtrToInt:
        return LLVMIsAGlobalVariable(first) && LLVMGetAlignment(first) % ROW_BYTES == 0 && LLVMGetAlignment(first) > 0;
    case LLVMAdd:
    case LLVMSub:
    case LLVMOr:
        return is_multiple(first, depth + 1) && is_multiple(LLVMGetOperand(value, 1), depth + 1);
    case LLVMMul:
    case LLVMAnd:
        return is_multiple(first, depth + 1) || is_multiple(LLVMGetOperand(value, 1), depth + 1);
    case LLVMShl:
        return is_multiple(first, depth + 1) || (LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
                                                 LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) >= (unsigned)__builtin_ctz(ROW_BYTES));
    default:
        return false;
    }
}

/* ---- the gathers ---- */

/* What lane 8 q + g names: what the lane has from which the gather at hand, of so many registers, reads quarter q in quad g. */
static LLVMValueRef permuted(const struct rows *x, LLVMValueRef address, unsigned registers) {
    const uint64_t order = LLVMConstIntGetZExtValue(LLVMGetOperand(x->gather, registers + 1)) & ~(uint64_t)WL_PTX_PLACE_HALVES;
    if (order == WL_PTX_PLACE_PLAIN)
        return address;
    LLVMTypeRef i32 = i32_type(x), types[] = {i32, i32, i32}, type = LLVMFunctionType(i32, types, 3, 0);
    LLVMValueRef function = LLVMGetNamedFunction(x->module, WL_PTX_PERMUTE), arguments[] = {address, x->lane, number(x, order)};
    if (!function) {
        static const char *const attributes[] = {"memory", "nounwind", "willreturn", "speculatable"}; /* to leave loops */
        function = LLVMAddFunction(x->module, WL_PTX_PERMUTE, type);
        for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
            LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(x->module), kind, 0);
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
        }
    }
    return LLVMBuildCall2(x->b, type, function, arguments, 3, "");
}

/* ldmatrix of the places that the lanes name, instead of the gather at hand. */
static void build_ldmatrix(const struct rows *x, LLVMValueRef address, int64_t offset) {
    static const char text[] = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0, $1, $2, $3}, [$4+$5];";
    static const char constraints[] = "=r,=r,=r,=r,r,n,~{memory}";
    LLVMContextRef context = LLVMGetModuleContext(x->module);
    LLVMTypeRef i32 = i32_type(x), types[] = {i32, i32}, type = LLVMFunctionType(LLVMTypeOf(x->gather), types, 2, 0);
    LLVMValueRef code =
        LLVMGetInlineAsm(type, text, sizeof text - 1, constraints, sizeof constraints - 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMValueRef arguments[] = {address, number(x, (uint32_t)offset)}, call = LLVMBuildCall2(x->b, type, code, arguments, 2, "");
    unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, convergent, 0));
    LLVMReplaceAllUsesWith(x->gather, call);
}

/* gfx11: lanes 16 to 31 want the second load's dwords. */
static bool load_both(struct rows *x) {
    LLVMValueRef values[2 * QUARTERS];
    int64_t distance, offset = 0;
    for (unsigned i = 0; i < 2 * QUARTERS; i++)
        values[i] = LLVMGetOperand(x->gather, i);
    x->loads[0] = vector_load(x, values, QUARTERS);
    x->loads[1] = vector_load(x, values + QUARTERS, QUARTERS);
    LLVMValueRef at = x->loads[0] && x->loads[1] ? later_load(x) : NULL;
    if (!at)
        return false;
    LLVMPositionBuilderBefore(x->b, at);
    LLVMValueRef bit = LLVMBuildAnd(x->b, x->lane, number(x, 16), ""), address = LLVMGetOperand(x->loads[0], 0);
    if (find_distance(x, &distance) && distance == ROW_BYTES) { /* the bit is the distance */
        offset = offset_of(x->loads[0]);
        address = LLVMBuildAdd(x->b, address, bit, "");
    } else {
        LLVMValueRef second = LLVMBuildAdd(x->b, LLVMGetOperand(x->loads[1], 0), LLVMGetOperand(x->loads[1], 1), "");
        address = LLVMBuildAdd(x->b, address, LLVMGetOperand(x->loads[0], 1), "");
        address = LLVMBuildSelect(x->b, LLVMBuildICmp(x->b, LLVMIntNE, bit, number(x, 0), ""), second, address, "");
    }
    build_ldmatrix(x, permuted(x, address, 2 * QUARTERS), offset);
    return true;
}

/* gfx12: a lane's 16 bytes are one load. gfx9: rows of 16 bytes, of which lanes t and t + 32 have halves. */
static bool load_own(struct rows *x) {
    LLVMValueRef values[QUARTERS], place = LLVMGetOperand(x->gather, QUARTERS + 1);
    int64_t distance;
    for (unsigned i = 0; i < QUARTERS; i++)
        values[i] = LLVMGetOperand(x->gather, i);
    LLVMValueRef at = vector_load(x, values, QUARTERS);
    if (!at) {
        x->loads[0] = vector_load(x, values, 2);
        x->loads[1] = vector_load(x, values + 2, 2);
        at = x->loads[0] && x->loads[1] ? later_load(x) : NULL;
        if (!at || LLVMConstIntGetZExtValue(place) != WL_PTX_PLACE_PLAIN || !find_distance(x, &distance) || distance != ROW_BYTES / 2 ||
            !is_multiple(LLVMGetOperand(x->loads[0], 0), 0) || offset_of(x->loads[0]) % ROW_BYTES != 0)
            return false;
    } else {
        x->loads[0] = x->loads[1] = at;
    }
    LLVMPositionBuilderBefore(x->b, at);
    build_ldmatrix(x, permuted(x, LLVMGetOperand(x->loads[0], 0), QUARTERS), offset_of(x->loads[0]));
    return true;
}

/* Loads that nobody wants any more. */
static void erase_unused(LLVMValueRef load) {
    for (LLVMUseRef use = LLVMGetFirstUse(load), next; use; use = next) {
        next = LLVMGetNextUse(use);
        if (!LLVMGetFirstUse(LLVMGetUser(use)))
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
    }
    if (!LLVMGetFirstUse(load))
        LLVMInstructionEraseFromParent(load);
}

/* In waves of 64, gfx11's upper lanes read what the lower ones have, and nobody looks at it. */
static void erase_unused_loads(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
            const char *text = text_of(inst);
            next = LLVMGetNextInstruction(inst);
            if (text && strstr(text, " ld.shared.") && !LLVMGetFirstUse(inst))
                LLVMInstructionEraseFromParent(inst);
        }
}

/* The lane's number, at the kernel's entry. */
static LLVMValueRef entry_lane(const struct rows *x) {
    LLVMValueRef kernel = LLVMGetNamedFunction(x->module, WL_PTX_ENTRY);
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(kernel)));
    return LLVMBuildAnd(x->b, wl_ptx_build_intrinsic(x->module, x->b, "llvm.nvvm.read.ptx.sreg.tid.x", NULL, 0), number(x, 31), "");
}

static bool replace_gathers(struct rows *x, const char *name, bool (*replace)(struct rows *x)) {
    LLVMValueRef function = LLVMGetNamedFunction(x->module, name);
    bool changed = false;
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
        next = LLVMGetNextUse(use);
        x->gather = LLVMGetUser(use);
        if (!replace(x))
            continue;
        LLVMInstructionEraseFromParent(x->gather);
        erase_unused(x->loads[0]);
        if (x->loads[1] != x->loads[0])
            erase_unused(x->loads[1]);
        changed = true;
    }
    return changed;
}

/* Both factors of a product have to have K's elements in one order; ldmatrix has the plain one. */
static void keep_halves(struct rows *x, const char *name, unsigned registers) {
    LLVMValueRef function = LLVMGetNamedFunction(x->module, name);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef call = LLVMGetUser(use), place = LLVMGetOperand(call, registers + 1);
        LLVMSetOperand(call, registers + 1, number(x, LLVMConstIntGetZExtValue(place) & ~(uint64_t)WL_PTX_PLACE_HALVES));
    }
}

bool wl_ptx_load_rows(LLVMModuleRef module, bool parts) {
    struct rows x = {.module = module, .parts = parts, .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    if (!LLVMGetNamedFunction(module, WL_PTX_GATHER) && !LLVMGetNamedFunction(module, WL_PTX_GATHER_BOTH)) {
        LLVMDisposeBuilder(x.b);
        return false;
    }
    x.lane = entry_lane(&x);
    bool changed = replace_gathers(&x, WL_PTX_GATHER_BOTH, load_both);
    changed |= replace_gathers(&x, WL_PTX_GATHER, load_own);
    if (changed) {
        keep_halves(&x, WL_PTX_GATHER_BOTH, 2 * QUARTERS);
        keep_halves(&x, WL_PTX_GATHER, QUARTERS);
    }
    if (LLVMGetNamedFunction(module, WL_PTX_GATHER_BOTH))
        erase_unused_loads(module);
    LLVMDisposeBuilder(x.b);
    return changed;
}
