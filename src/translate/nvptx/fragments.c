/* The GPU's layout of matrices: what gathers and scatters become, and how results stay in it between matrix instructions. */
#include "base/array.h"
#include "translate/nvptx/matrix.h"
#include "translate/nvptx/passes.h"

#include <stdlib.h>
#include <string.h>

enum { QUARTERS = 4 };

/* ---- the functions' bodies ---- */

struct body {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i32;
    LLVMValueRef lane, quad, thread;          /* quad: lane / 4, thread: lane % 4 */
    LLVMValueRef place, halves, pairs, flush; /* i32: the place and what is added to it */
};

static LLVMValueRef number(const struct body *x, uint64_t value) { return LLVMConstInt(x->i32, value, 0); }
static LLVMValueRef bits(const struct body *x, LLVMValueRef value, unsigned from, unsigned count) {
    return LLVMBuildAnd(x->b, LLVMBuildLShr(x->b, value, number(x, from), ""), number(x, (1u << count) - 1), "");
}
static LLVMValueRef times(const struct body *x, LLVMValueRef value, unsigned power) {
    return LLVMBuildShl(x->b, value, number(x, power), "");
}
static LLVMValueRef sum(const struct body *x, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildAdd(x->b, a, b, ""); }
static LLVMValueRef is_place(const struct body *x, enum wl_ptx_place place) {
    return LLVMBuildICmp(x->b, LLVMIntEQ, x->place, number(x, place), "");
}
static LLVMValueRef choose(const struct body *x, LLVMValueRef condition, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildSelect(x->b, condition, a, b, "");
}

static struct body begin(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function, unsigned registers) {
    struct body x = {.module = module, .b = b, .i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module))};
    LLVMValueRef place = LLVMGetParam(function, registers + 1);
    x.lane = LLVMGetParam(function, registers);
    x.place = bits(&x, place, 0, 2);
    x.halves = bits(&x, place, 2, 1);
    x.pairs = bits(&x, place, 3, 1);
    x.flush = bits(&x, place, 4, 1);
    x.quad = bits(&x, x.lane, 2, 3);
    x.thread = bits(&x, x.lane, 0, 2);
    return x;
}

static void end(const struct body *x, LLVMValueRef function, LLVMValueRef values[QUARTERS]) {
    LLVMValueRef result = LLVMGetUndef(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
    for (unsigned i = 0; i < QUARTERS; i++)
        result = LLVMBuildInsertValue(x->b, result, values[i], i, "");
    LLVMBuildRet(x->b, result);
}

/* values[i] = values[(i - by) % 4]. */
static void rotate(const struct body *x, LLVMValueRef values[QUARTERS], LLVMValueRef by) {
    for (unsigned bit = 2; bit-- > 0;) { /* bit 1 first: what callers chose by the lane's upper bit is then chosen once */
        LLVMValueRef on = LLVMBuildICmp(x->b, LLVMIntNE, LLVMBuildAnd(x->b, by, number(x, 1u << bit), ""), number(x, 0), "");
        LLVMValueRef before[QUARTERS];
        memcpy((void *)before, (const void *)values, sizeof before);
        for (unsigned i = 0; i < QUARTERS; i++)
            values[i] = choose(x, on, before[(i + QUARTERS - (1u << bit)) % QUARTERS], before[i]);
    }
}

/* values[i] = values[(by - i) % 4]. */
static void reflect(const struct body *x, LLVMValueRef values[QUARTERS], LLVMValueRef by) {
    LLVMValueRef third = values[3];
    values[3] = values[1];
    values[1] = third;
    rotate(x, values, by);
}

/* The lane of quarter `q` that quad `g` wants. */
static LLVMValueRef place_of(const struct body *x, LLVMValueRef q, LLVMValueRef g) {
    LLVMValueRef swapped = sum(x, times(x, bits(x, g, 0, 1), 2), bits(x, g, 1, 2)); /* 4 (g % 2) + g / 2 */
    LLVMValueRef plain = sum(x, times(x, q, 3), g), mfma = sum(x, times(x, q, 3), swapped);
    LLVMValueRef wmma12 = sum(x, sum(x, times(x, bits(x, q, 1, 1), 4), times(x, bits(x, g, 0, 1), 3)),
                              sum(x, times(x, bits(x, q, 0, 1), 2), bits(x, g, 1, 2)));
    return choose(x, is_place(x, WL_PTX_PLACE_PLAIN), plain, choose(x, is_place(x, WL_PTX_PLACE_MFMA), mfma, wmma12));
}

/* Whether the two quarters in the middle change places. */
static LLVMValueRef changes_pairs(const struct body *x) { return LLVMBuildICmp(x->b, LLVMIntNE, x->pairs, number(x, 0), ""); }

/* The quarter that this lane is in. */
static LLVMValueRef quarter(const struct body *x) {
    LLVMValueRef wmma12 = sum(x, bits(x, x->lane, 2, 1), times(x, bits(x, x->lane, 4, 1), 1));
    return choose(x, is_place(x, WL_PTX_PLACE_WMMA12), wmma12, bits(x, x->lane, 3, 2));
}

/* The bits of an f32, or of a zero with its sign. */
static LLVMValueRef flushed(const struct body *x, LLVMValueRef value) {
    LLVMTypeRef f32 = LLVMFloatTypeInContext(LLVMGetModuleContext(x->module));
    LLVMValueRef arguments[] = {LLVMBuildBitCast(x->b, value, f32, ""), LLVMConstReal(f32, 1)};
    LLVMValueRef product = wl_ptx_build_intrinsic(x->module, x->b, "llvm.nvvm.mul.rn.ftz.f", arguments, 2);
    return LLVMBuildBitCast(x->b, product, x->i32, "");
}

/* In step i thread t reads from quarter t + i, so that each lane is read by one thread of its quad alone, who wants register t.
 * `turned`: by how much the registers are further on, E2, E3, E0, E1 if 2. */
static void gather(const struct body *x, LLVMValueRef function, LLVMValueRef values[QUARTERS], LLVMValueRef turned) {
    LLVMBuilderRef b = x->b;
    reflect(x, values, LLVMBuildSub(b, quarter(x), turned, ""));
    for (unsigned i = 0; i < QUARTERS; i++) {
        LLVMValueRef from = bits(x, sum(x, x->thread, number(x, i)), 0, 2);
        values[i] = wl_ptx_build_shuffle(x->module, b, values[i], place_of(x, from, x->quad));
    }
    /* Turning by 2 is what swaps the halves. */
    rotate(x, values, LLVMBuildSub(b, x->thread, LLVMBuildMul(b, x->halves, LLVMBuildAnd(b, x->thread, number(x, 2), ""), ""), ""));
    LLVMValueRef pairs = changes_pairs(x), second = values[1];
    values[1] = choose(x, pairs, values[2], second);
    values[2] = choose(x, pairs, second, values[2]);
    for (unsigned i = 0; i < QUARTERS; i++)
        values[i] = choose(x, LLVMBuildICmp(b, LLVMIntNE, x->flush, number(x, 0), ""), flushed(x, values[i]), values[i]);
    end(x, function, values);
}

void wl_ptx_body_gather(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    struct body x = begin(module, b, function, QUARTERS);
    LLVMValueRef values[QUARTERS];
    for (unsigned i = 0; i < QUARTERS; i++)
        values[i] = LLVMGetParam(function, i);
    gather(&x, function, values, number(&x, 0));
}

/* The upper lanes' registers are chosen turned, which spares them half of the turning. */
void wl_ptx_body_gather_both(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    struct body x = begin(module, b, function, 2 * QUARTERS);
    LLVMValueRef values[QUARTERS], upper = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, x.lane, number(&x, 16), ""), number(&x, 0), "");
    for (unsigned i = 0; i < QUARTERS; i++)
        values[i] = choose(&x, upper, LLVMGetParam(function, QUARTERS + (i + 2) % QUARTERS), LLVMGetParam(function, i));
    gather(&x, function, values, LLVMBuildAnd(b, quarter(&x), number(&x, 2), ""));
}

void wl_ptx_body_permute(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    struct body x = begin(module, b, function, 1);
    LLVMValueRef own = bits(&x, x.lane, 3, 2), swapped = sum(&x, times(&x, bits(&x, own, 0, 1), 1), bits(&x, own, 1, 1));
    LLVMValueRef from = place_of(&x, choose(&x, changes_pairs(&x), swapped, own), bits(&x, x.lane, 0, 3));
    LLVMBuildRet(b, wl_ptx_build_shuffle(module, b, LLVMGetParam(function, 0), from));
}

/* In step i thread t sends to quarter t + i. For the plain place alone. */
void wl_ptx_body_scatter(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef function) {
    struct body x = begin(module, b, function, QUARTERS);
    LLVMValueRef values[QUARTERS], own = bits(&x, x.lane, 3, 2), first = times(&x, bits(&x, x.lane, 0, 3), 2);
    for (unsigned i = 0; i < QUARTERS; i++)
        values[i] = LLVMGetParam(function, i);
    rotate(&x, values, LLVMBuildNeg(b, x.thread, ""));
    for (unsigned i = 0; i < QUARTERS; i++) {
        LLVMValueRef from = bits(&x, LLVMBuildSub(b, own, number(&x, i), ""), 0, 2);
        values[i] = wl_ptx_build_shuffle(module, b, values[i], sum(&x, first, from));
    }
    reflect(&x, values, own);
    end(&x, function, values);
}

/* ---- keeping fragments ---- */

/* Phis of scattered values that were resolved: they stay gathered in others. */
struct resolved {
    LLVMValueRef from[QUARTERS], to[QUARTERS];
    uint64_t place;
};
struct keeper {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef gather; /* the function */
    LLVMValueRef lane;   /* what its calls have */
    uint64_t place;      /* the plain one, perhaps with WL_PTX_PLACE_FLUSH */
    struct resolved *list;
    size_t count, capacity;
};

static bool equal(LLVMValueRef const a[QUARTERS], LLVMValueRef const b[QUARTERS]) {
    return memcmp((const void *)a, (const void *)b, QUARTERS * sizeof *a) == 0;
}

/* The call whose results these are, in order; NULL: they are something else. */
static LLVMValueRef source(LLVMValueRef const values[QUARTERS], const char *name) {
    LLVMValueRef call = NULL;
    for (unsigned i = 0; i < QUARTERS; i++) {
        if (!LLVMIsAExtractValueInst(values[i]) || LLVMGetIndices(values[i])[0] != i)
            return NULL;
        LLVMValueRef from = LLVMGetOperand(values[i], 0);
        if (!LLVMIsACallInst(from) || (call && from != call) || !LLVMIsAFunction(LLVMGetCalledValue(from)))
            return NULL;
        call = from;
    }
    size_t length = 0;
    return strcmp(LLVMGetValueName2(LLVMGetCalledValue(call), &length), name) == 0 ? call : NULL;
}

static bool all_same_constant(LLVMValueRef const values[QUARTERS]) {
    return LLVMIsConstant(values[0]) && values[1] == values[0] && values[2] == values[0] && values[3] == values[0];
}

static bool are_phis(LLVMValueRef const values[QUARTERS]) {
    for (unsigned i = 0; i < QUARTERS; i++)
        if (!LLVMIsAPHINode(values[i]) || LLVMGetInstructionParent(values[i]) != LLVMGetInstructionParent(values[0]))
            return false;
    return true;
}

/* What four phis get from a predecessor. */
static void incoming(LLVMValueRef const phis[QUARTERS], LLVMBasicBlockRef block, LLVMValueRef values[QUARTERS]) {
    for (unsigned i = 0; i < QUARTERS; i++)
        for (unsigned k = 0; k < LLVMCountIncoming(phis[i]); k++)
            if (LLVMGetIncomingBlock(phis[i], k) == block)
                values[i] = LLVMGetIncomingValue(phis[i], k);
}

static bool has_scattered(LLVMValueRef const phis[QUARTERS]) {
    for (unsigned k = 0; k < LLVMCountIncoming(phis[0]); k++) {
        LLVMValueRef values[QUARTERS];
        incoming(phis, LLVMGetIncomingBlock(phis[0], k), values);
        if (source(values, WL_PTX_SCATTER))
            return true;
    }
    return false;
}

static void gather_at(const struct keeper *x, LLVMBasicBlockRef block, LLVMValueRef const values[QUARTERS], LLVMValueRef to[QUARTERS]) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(x->module));
    LLVMValueRef arguments[] = {values[0], values[1], values[2], values[3], x->lane, LLVMConstInt(i32, x->place, 0)};
    LLVMPositionBuilderBefore(x->b, LLVMGetBasicBlockTerminator(block));
    LLVMValueRef call = LLVMBuildCall2(x->b, LLVMGlobalGetValueType(x->gather), x->gather, arguments, QUARTERS + 2, "");
    for (unsigned i = 0; i < QUARTERS; i++)
        to[i] = LLVMBuildExtractValue(x->b, call, i, "");
}

static bool resolve(struct keeper *x, LLVMValueRef const values[QUARTERS], LLVMValueRef to[QUARTERS]);

/* Phis in the GPU's layout beside the given ones. */
static bool resolve_phis(struct keeper *x, LLVMValueRef const phis[QUARTERS], LLVMValueRef to[QUARTERS]) {
    if (!WL_ARRAY_RESERVE(x->list, x->count, x->capacity, 16))
        return false;
    LLVMPositionBuilderBefore(x->b, LLVMGetFirstInstruction(LLVMGetInstructionParent(phis[0])));
    for (unsigned i = 0; i < QUARTERS; i++)
        to[i] = LLVMBuildPhi(x->b, LLVMTypeOf(phis[0]), "");
    struct resolved *entry = &x->list[x->count++];
    entry->place = x->place;
    memcpy((void *)entry->from, (const void *)phis, sizeof entry->from);
    memcpy((void *)entry->to, (const void *)to, sizeof entry->to);
    for (unsigned k = 0; k < LLVMCountIncoming(phis[0]); k++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phis[0], k);
        LLVMValueRef values[QUARTERS], there[QUARTERS];
        incoming(phis, block, values);
        if (!resolve(x, values, there))
            gather_at(x, block, values, there);
        for (unsigned i = 0; i < QUARTERS; i++)
            LLVMAddIncoming(to[i], &there[i], &block, 1);
    }
    return true;
}

/* The values as they were before they were scattered. */
static bool resolve(struct keeper *x, LLVMValueRef const values[QUARTERS], LLVMValueRef to[QUARTERS]) {
    LLVMValueRef call = source(values, WL_PTX_SCATTER);
    if (call) {
        for (unsigned i = 0; i < QUARTERS; i++)
            to[i] = LLVMGetOperand(call, i);
        return true;
    }
    if (all_same_constant(values) && (x->place == WL_PTX_PLACE_PLAIN || LLVMIsNull(values[0]))) {
        memcpy((void *)to, (const void *)values, QUARTERS * sizeof *to);
        return true;
    }
    for (size_t i = 0; i < x->count; i++)
        if (x->list[i].place == x->place && equal(x->list[i].from, values)) {
            memcpy((void *)to, (const void *)x->list[i].to, QUARTERS * sizeof *to);
            return true;
        }
    return are_phis(values) && has_scattered(values) && resolve_phis(x, values, to);
}

static bool replace(struct keeper *x, LLVMValueRef call) {
    LLVMValueRef values[QUARTERS], to[QUARTERS];
    LLVMValueRef place = LLVMGetOperand(call, QUARTERS + 1);
    x->lane = LLVMGetOperand(call, QUARTERS);
    for (unsigned i = 0; i < QUARTERS; i++)
        values[i] = LLVMGetOperand(call, i);
    x->place = LLVMConstIntGetZExtValue(place);
    if ((x->place & ~(uint64_t)WL_PTX_PLACE_FLUSH) != WL_PTX_PLACE_PLAIN || !resolve(x, values, to))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(call), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsAExtractValueInst(user))
            LLVMReplaceAllUsesWith(user, to[LLVMGetIndices(user)[0]]);
    }
    return true;
}

bool wl_ptx_keep_fragments(LLVMModuleRef module) {
    struct keeper x = {.module = module, .gather = LLVMGetNamedFunction(module, WL_PTX_GATHER)};
    if (!x.gather || !LLVMGetNamedFunction(module, WL_PTX_SCATTER))
        return false;
    bool changed = false;
    x.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMUseRef use = LLVMGetFirstUse(x.gather), next; use; use = next) {
        next = LLVMGetNextUse(use); /* calls made meanwhile come in front */
        changed |= replace(&x, LLVMGetUser(use));
    }
    LLVMDisposeBuilder(x.b);
    free(x.list);
    return changed;
}
