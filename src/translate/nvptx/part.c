/* Threads that part: of the branches on EXEC that AMD's code lets each thread take by itself (nvptx/exec.c), those between which
 * and the place where threads meet nothing is left that needs the whole warp. Votes and ballots that nobody reads are gone by
 * now. What remains are a thread's own branches: EXEC is true where it runs, and registers need no choice. */
#include "translate/nvptx/inst.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BRANCHES = 512, MOST_BLOCKS = 2000 };

struct parting {
    LLVMValueRef call;          /* of the marker */
    LLVMBasicBlockRef go, join; /* where threads go whose lane is on, and the others */
    bool possible;
};

struct partings {
    LLVMModuleRef module;
    unsigned count;
    struct parting of[MOST_BRANCHES];
};

static bool is_marker(LLVMValueRef inst, const char *name) {
    if (!LLVMIsACallInst(inst))
        return false;
    LLVMValueRef called = LLVMGetCalledValue(inst);
    return LLVMIsAFunction(called) && !strcmp(LLVMGetValueName(called), name);
}

/* The branch that the marker decides, directly or negated; NULL: it is used in another way. */
static bool find_branch(struct parting *parting) {
    LLVMValueRef value = parting->call;
    bool negated = false;
    for (unsigned depth = 0; depth < 2; depth++) {
        LLVMUseRef use = LLVMGetFirstUse(value);
        if (!use || LLVMGetNextUse(use))
            return false;
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsABranchInst(user)) {
            parting->go = LLVMGetSuccessor(user, negated ? 1 : 0);
            parting->join = LLVMGetSuccessor(user, negated ? 0 : 1);
            return parting->go != parting->join;
        }
        if (!LLVMIsAInstruction(user) || LLVMGetInstructionOpcode(user) != LLVMXor)
            return false;
        negated = !negated;
        value = user;
    }
    return false;
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
    static const char *const own[] = {"wl.any.own", "wl.kernarg", "wl.packet", "wl.queue", "wl.lds.within"};
    LLVMValueRef called = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    bool marker = called && LLVMIsAFunction(called) && !strncmp(LLVMGetValueName(called), "wl.", 3);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        marker &= !is_marker(inst, own[i]);
    marker |= called && LLVMIsAFunction(called) && !strncmp(LLVMGetValueName(called), WL_PTX_QUAD, strlen(WL_PTX_QUAD));
    if (marker || is_marker(inst, WL_PTX_BARRIER) || is_marker(inst, "llvm.trap") || is_crossing_asm(inst))
        return true;
    if (!is_marker(inst, "wl.any.own"))
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

/* Whether diverged threads can run all that is reachable from `go` before `join`. */
static bool can_part(const struct partings *all, const struct parting *parting, LLVMBasicBlockRef *blocks) {
    unsigned count = 0;
    blocks[count++] = parting->go;
    for (unsigned at = 0; at < count; at++) {
        if (block_needs_warp(all, blocks[at]))
            return false;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[at]);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
            if (next == parting->join || is_listed(blocks, count, next))
                continue;
            if (count == MOST_BLOCKS)
                return false;
            blocks[count++] = next;
        }
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

bool wl_ptx_part_threads(LLVMModuleRef module) {
    LLVMValueRef marker = LLVMGetNamedFunction(module, "wl.any.own");
    struct partings *all = calloc(1, sizeof *all);
    LLVMBasicBlockRef *blocks = calloc(MOST_BLOCKS, sizeof *blocks);
    bool parted = false;
    for (LLVMUseRef use = all && blocks && marker ? LLVMGetFirstUse(marker) : NULL; use; use = LLVMGetNextUse(use)) {
        if (all->count == MOST_BRANCHES)
            break;
        struct parting *parting = &all->of[all->count++];
        parting->call = LLVMGetUser(use);
        parting->possible = find_branch(parting);
    }
    for (bool changed = true; all && blocks && changed;) { /* one that is not possible keeps those around it */
        changed = false;
        for (unsigned i = 0; i < all->count; i++)
            if (all->of[i].possible && !can_part(all, &all->of[i], blocks)) {
                all->of[i].possible = false;
                changed = true;
            }
    }
    for (unsigned i = 0; all && i < all->count; i++)
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
