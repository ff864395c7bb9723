/* Short loops of one block that count: a few turns at once, which spares steps of counters and branches. AMD's compiler unrolls less than
 * NVIDIA's, and ptxas often leaves loops alone whose accesses are inline PTX. Loops that end where a counter wraps are kept from ptxas,
 * which counts their turns wrongly: of `do ... while ((x -= 8) < -2u)` from 23 it runs four (CUDA 13.0). */
#include "translate/nvptx/memory.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { MOST_TURNS = 8, MOST_INSTRUCTIONS = 640 };

/* What a constant is added to; NULL: `next` is no such sum. */
static LLVMValueRef stepped_from(LLVMValueRef next, int64_t *step) {
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return NULL;
    *step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
    return LLVMGetOperand(next, 0);
}

/* What a number is at a loop's first turn, and how much is added in each. */
static bool find_counter(LLVMBasicBlockRef block, LLVMValueRef next, int64_t *first, int64_t *step) {
    LLVMValueRef counter = stepped_from(next, step);
    if (!counter || !LLVMIsAPHINode(counter) || LLVMGetInstructionParent(counter) != block || LLVMCountIncoming(counter) != 2)
        return false;
    unsigned inside = LLVMGetIncomingBlock(counter, 0) == block ? 0 : 1;
    LLVMValueRef start = LLVMGetIncomingValue(counter, 1 - inside);
    if (LLVMGetIncomingValue(counter, inside) != next || !LLVMIsAConstantInt(start))
        return false;
    *first = LLVMConstIntGetSExtValue(start);
    return *step != 0;
}

/* How often a block is run that branches to itself while a counter is not at its end; 0: nobody knows. */
static uint64_t count_turns(LLVMBasicBlockRef block) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    int64_t first, step;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
        return 0;
    LLVMValueRef condition = LLVMGetCondition(branch);
    bool again = LLVMGetSuccessor(branch, 0) == block;
    if ((!again && LLVMGetSuccessor(branch, 1) != block) || !LLVMIsAICmpInst(condition) ||
        LLVMGetICmpPredicate(condition) != (again ? LLVMIntNE : LLVMIntEQ) || !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) ||
        !find_counter(block, LLVMGetOperand(condition, 0), &first, &step))
        return 0;
    int64_t distance = LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1)) - first;
    return distance % step == 0 && distance / step > 0 ? (uint64_t)(distance / step) : 0;
}

static unsigned count_instructions(LLVMBasicBlockRef block) {
    unsigned count = 0;
    for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
        count += !LLVMIsAPHINode(inst) && !LLVMIsAExtractValueInst(inst) && LLVMGetInstructionOpcode(inst) != LLVMBitCast;
    return count;
}

/* !{itself, !{"llvm.loop.unroll.count", i32 turns}}; of 1: !{itself, !{"llvm.loop.unroll.disable"}} */
static void ask(LLVMContextRef context, LLVMValueRef branch, unsigned turns) {
    const char *name = turns > 1 ? "llvm.loop.unroll.count" : "llvm.loop.unroll.disable";
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(context), turns, 0);
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(context, name, strlen(name)), LLVMValueAsMetadata(number)};
    LLVMMetadataRef wish = LLVMMDNodeInContext2(context, parts, turns > 1 ? 2 : 1), both[2] = {wish, wish};
    LLVMMetadataRef loop = LLVMMDNodeInContext2(context, both, 2);
    LLVMValueRef value = LLVMMetadataAsValue(context, loop);
    LLVMReplaceMDNodeOperandWith(value, 0, loop);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "llvm.loop", 9), value);
}

bool wl_ptx_ask_for_unrolling(LLVMModuleRef module) {
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    bool asked = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block)) {
        const uint64_t turns = count_turns(block);
        unsigned together = MOST_TURNS;
        if (!turns)
            continue;
        const unsigned instructions = count_instructions(block);
        while (together > 1 && (turns % together != 0 || instructions * together > MOST_INSTRUCTIONS))
            together /= 2;
        if (together > 1)
            ask(context, LLVMGetBasicBlockTerminator(block), together);
        asked |= together > 1;
    }
    return asked;
}

static bool is_unsigned_order(LLVMIntPredicate predicate) { return predicate >= LLVMIntUGT && predicate <= LLVMIntULE; }

/* Whether the comparison of a counter, which `step` is added to in each turn, may tell a loop's end by the counter's wrapping. */
static bool tells_wrapping(LLVMValueRef compare, LLVMValueRef counter, int64_t step, LLVMBasicBlockRef header, LLVMBasicBlockRef last) {
    if (!LLVMIsAICmpInst(compare) || !is_unsigned_order(LLVMGetICmpPredicate(compare)))
        return false;
    const bool left = LLVMGetOperand(compare, 0) == counter;
    LLVMValueRef limit = LLVMGetOperand(compare, left ? 1 : 0), branch = LLVMGetBasicBlockTerminator(last);
    if (LLVMIsAConstantInt(limit) && LLVMConstIntGetSExtValue(limit) < 0)
        return true;
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || LLVMGetCondition(branch) != compare)
        return false;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
    const bool below = (predicate == LLVMIntULT || predicate == LLVMIntULE) == left, again = LLVMGetSuccessor(branch, 0) == header;
    return (below == again) == (step < 0); /* it goes on below the limit, and downwards, or both the other way round */
}

static bool any_tells_wrapping(LLVMValueRef counter, int64_t step, LLVMBasicBlockRef header, LLVMBasicBlockRef last) {
    for (LLVMUseRef use = LLVMGetFirstUse(counter); use; use = LLVMGetNextUse(use))
        if (tells_wrapping(LLVMGetUser(use), counter, step, header, last))
            return true;
    return false;
}

void wl_ptx_forbid_unrolling(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
            for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
                LLVMValueRef next = LLVMGetIncomingValue(phi, i);
                LLVMBasicBlockRef last = LLVMGetIncomingBlock(phi, i);
                int64_t step;
                if (stepped_from(next, &step) == phi &&
                    (any_tells_wrapping(phi, step, block, last) || any_tells_wrapping(next, step, block, last)))
                    ask(LLVMGetModuleContext(module), LLVMGetBasicBlockTerminator(last), 1);
            }
}
