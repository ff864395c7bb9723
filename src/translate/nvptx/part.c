/* Threads that part: of the branches on EXEC that AMD's code lets each thread take by itself (nvptx/exec.c), those between which
 * and the place where threads meet nothing is left that needs the whole warp. Votes and ballots that nobody reads are gone by
 * now. What remains are a thread's own branches: EXEC is true where it runs, and registers need no choice. */
#include "translate/nvptx/inst.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MARKERS = 512, MOST_BLOCKS = 2000, MOST_VALUES = 24, MOST_BRANCHES = 4 };

struct parting {
    LLVMValueRef call; /* of the marker */
    unsigned branches;
    LLVMValueRef branch[MOST_BRANCHES]; /* those that it decides, alone or with other conditions */
    bool same;                          /* a branch on VCC that all threads take alike, if all others can be taken alone */
    bool possible;
};

struct partings {
    LLVMModuleRef module;
    unsigned count;
    struct parting of[MOST_MARKERS];
};

static bool is_marker(LLVMValueRef inst, const char *name) {
    if (!LLVMIsACallInst(inst))
        return false;
    LLVMValueRef called = LLVMGetCalledValue(inst);
    return LLVMIsAFunction(called) && !strcmp(LLVMGetValueName(called), name);
}

/* Finds the branches that the marker has a part in. Other uses are a thread's own numbers: passes make a choice of a short branch. False:
 * there are too many. */
static bool find_branches(struct parting *parting) {
    LLVMValueRef values[MOST_VALUES] = {parting->call};
    unsigned count = 1;
    for (unsigned at = 0; at < count; at++)
        for (LLVMUseRef use = LLVMGetFirstUse(values[at]); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (LLVMIsABranchInst(user)) {
                if (parting->branches == MOST_BRANCHES)
                    return false;
                parting->branch[parting->branches++] = user;
            } else if (LLVMIsAInstruction(user) && LLVMTypeOf(user) == LLVMTypeOf(parting->call)) {
                bool known = false;
                for (unsigned i = 0; i < count; i++)
                    known |= values[i] == user;
                if (!known && count == MOST_VALUES)
                    return false;
                if (!known)
                    values[count++] = user;
            }
        }
    return true;
}

static bool is_crossing_asm(LLVMValueRef inst) {
    LLVMValueRef code = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    size_t length = 0;
    const char *text = code && LLVMIsAInlineAsm(code) ? LLVMGetInlineAsmAsmString(code, &length) : NULL;
    return text && strstr(text, ".sync");
}

/* Whether an instruction keeps threads from diverging: a marker, unless it stands for an address; barriers; code that
 * names threads. */
static bool needs_warp(const struct partings *all, LLVMValueRef inst) {
    static const char *const own[] = {"wl.any.own", "wl.any.same", "wl.kernarg", "wl.packet", "wl.queue", "wl.lds.within"};
    LLVMValueRef called = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    bool marker = called && LLVMIsAFunction(called) && !strncmp(LLVMGetValueName(called), "wl.", 3);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        marker &= !is_marker(inst, own[i]);
    marker |= called && LLVMIsAFunction(called) && !strncmp(LLVMGetValueName(called), WL_PTX_QUAD, strlen(WL_PTX_QUAD));
    if (marker || is_marker(inst, WL_PTX_BARRIER) || is_marker(inst, "llvm.trap") || is_crossing_asm(inst))
        return true;
    if (!is_marker(inst, "wl.any.own") && !is_marker(inst, "wl.any.same"))
        return false;
    for (unsigned i = 0; i < all->count; i++)
        if (all->of[i].call == inst)
            return !all->of[i].possible;
    return true;
}

static bool block_needs_warp(const struct partings *all, LLVMBasicBlockRef block) {
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
        if (needs_warp(all, inst))
            return true;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    return LLVMGetNumSuccessors(end) == 0; /* a return within */
}

static bool is_listed(LLVMBasicBlockRef *blocks, unsigned count, LLVMBasicBlockRef block) {
    for (unsigned i = 0; i < count; i++)
        if (blocks[i] == block)
            return true;
    return false;
}

/* Whether diverged threads can run all that is reachable from `go` before they meet at `join`. */
static bool can_run(const struct partings *all, LLVMBasicBlockRef go, LLVMBasicBlockRef join, LLVMBasicBlockRef *blocks) {
    unsigned count = 0;
    blocks[count++] = go;
    for (unsigned at = 0; at < count; at++) {
        if (block_needs_warp(all, blocks[at]))
            return false;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[at]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
            if (next == join || is_listed(blocks, count, next))
                continue;
            if (count == MOST_BLOCKS)
                return false;
            blocks[count++] = next;
        }
    }
    return true;
}

static bool can_part(const struct partings *all, const struct parting *parting, LLVMBasicBlockRef *blocks) {
    for (unsigned i = 0; i < parting->branches; i++) {
        LLVMBasicBlockRef a = LLVMGetSuccessor(parting->branch[i], 0), b = LLVMGetSuccessor(parting->branch[i], 1);
        if (a != b && !can_run(all, a, b, blocks) && !can_run(all, b, a, blocks))
            return false;
    }
    return true;
}

/* A comparison of floats and its opposite are one, negated: else passes do not see that a branch on one decides the other. */
static void join_opposites(LLVMBuilderRef b, LLVMBasicBlockRef block) {
    static const LLVMRealPredicate opposite[] = {
        [LLVMRealOEQ] = LLVMRealUNE, [LLVMRealOGT] = LLVMRealULE, [LLVMRealOGE] = LLVMRealULT, [LLVMRealOLT] = LLVMRealUGE,
        [LLVMRealOLE] = LLVMRealUGT, [LLVMRealONE] = LLVMRealUEQ, [LLVMRealORD] = LLVMRealUNO, [LLVMRealUNO] = LLVMRealORD,
        [LLVMRealUEQ] = LLVMRealONE, [LLVMRealUGT] = LLVMRealOLE, [LLVMRealUGE] = LLVMRealOLT, [LLVMRealULT] = LLVMRealOGE,
        [LLVMRealULE] = LLVMRealOGT, [LLVMRealUNE] = LLVMRealOEQ};
    for (LLVMValueRef first = LLVMGetFirstInstruction(block); first; first = LLVMGetNextInstruction(first)) {
        if (LLVMGetInstructionOpcode(first) != LLVMFCmp)
            continue;
        for (LLVMValueRef second = LLVMGetNextInstruction(first); second; second = LLVMGetNextInstruction(second))
            if (LLVMGetInstructionOpcode(second) == LLVMFCmp && LLVMGetOperand(first, 0) == LLVMGetOperand(second, 0) &&
                LLVMGetOperand(first, 1) == LLVMGetOperand(second, 1) &&
                LLVMGetFCmpPredicate(second) == opposite[LLVMGetFCmpPredicate(first)]) {
                LLVMPositionBuilderBefore(b, second);
                LLVMReplaceAllUsesWith(second, LLVMBuildNot(b, first, ""));
            }
    }
}

static void join_all_opposites(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        join_opposites(b, block);
    LLVMDisposeBuilder(b);
}

static void list_markers(struct partings *all, LLVMModuleRef module, const char *name, bool same) {
    LLVMValueRef marker = LLVMGetNamedFunction(module, name);
    for (LLVMUseRef use = marker ? LLVMGetFirstUse(marker) : NULL; use && all->count < MOST_MARKERS; use = LLVMGetNextUse(use)) {
        struct parting *parting = &all->of[all->count++];
        parting->call = LLVMGetUser(use);
        parting->same = same;
        parting->possible = same || find_branches(parting);
    }
}

/* Finds those that are possible. One that is not keeps those around it, and all that need every other one. */
static void settle(struct partings *all, LLVMBasicBlockRef *blocks) {
    for (bool changed = true; changed;) {
        bool some_not = false;
        changed = false;
        for (unsigned i = 0; i < all->count; i++) {
            if (all->of[i].possible && !all->of[i].same && !can_part(all, &all->of[i], blocks)) {
                all->of[i].possible = false;
                changed = true;
            }
            some_not |= !all->of[i].same && !all->of[i].possible;
        }
        for (unsigned i = 0; i < all->count && some_not; i++)
            if (all->of[i].same && all->of[i].possible) {
                all->of[i].possible = false;
                changed = true;
            }
    }
}

bool wl_ptx_part_threads(LLVMModuleRef module) {
    struct partings *all = calloc(1, sizeof *all);
    LLVMBasicBlockRef *blocks = calloc(MOST_BLOCKS, sizeof *blocks);
    bool parted = false;
    if (all && blocks) {
        list_markers(all, module, "wl.any.own", false);
        list_markers(all, module, "wl.any.same", true);
        settle(all, blocks);
    }
    for (unsigned i = 0; all && blocks && i < all->count; i++)
        if (all->of[i].possible) {
            LLVMReplaceAllUsesWith(all->of[i].call, LLVMGetOperand(all->of[i].call, 0));
            LLVMInstructionEraseFromParent(all->of[i].call);
            parted = true;
        }
    free(all);
    free(blocks);
    if (parted)
        join_all_opposites(module);
    return parted;
}
