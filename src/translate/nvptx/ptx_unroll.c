/* Short loops of one block that count: a few turns at once, which spares steps of counters and branches. AMD's compiler unrolls less than
 * NVIDIA's, and ptxas leaves loops alone whose accesses are inline PTX. */
#include "translate/nvptx/ptx.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { MOST_TURNS = 8, MOST_INSTRUCTIONS = 640 };

/* What a number is at a loop's first turn, and how much is added in each. */
static bool find_counter(LLVMBasicBlockRef block, LLVMValueRef next, int64_t *first, int64_t *step) {
    if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
        return false;
    LLVMValueRef counter = LLVMGetOperand(next, 0);
    if (!LLVMIsAPHINode(counter) || LLVMGetInstructionParent(counter) != block || LLVMCountIncoming(counter) != 2)
        return false;
    unsigned inside = LLVMGetIncomingBlock(counter, 0) == block ? 0 : 1;
    LLVMValueRef start = LLVMGetIncomingValue(counter, 1 - inside);
    if (LLVMGetIncomingValue(counter, inside) != next || !LLVMIsAConstantInt(start))
        return false;
    *first = LLVMConstIntGetSExtValue(start);
    *step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
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

/* !{itself, !{"llvm.loop.unroll.count", i32 turns}} */
static void ask(LLVMContextRef context, LLVMValueRef branch, unsigned turns) {
    static const char name[] = "llvm.loop.unroll.count";
    LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(context), turns, 0);
    LLVMMetadataRef parts[2] = {LLVMMDStringInContext2(context, name, sizeof name - 1), LLVMValueAsMetadata(number)};
    LLVMMetadataRef wish = LLVMMDNodeInContext2(context, parts, 2), both[2] = {wish, wish}, loop = LLVMMDNodeInContext2(context, both, 2);
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
