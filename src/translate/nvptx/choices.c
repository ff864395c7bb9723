/* Choices that nobody sees. Code that only some lanes run writes registers again and again, each time by a choice between the new value and what
 * the register holds in the other lanes. Only the last of them matters: where it takes the other lanes' value, what came before it was for
 * nothing, and there the earlier choices may be anything. */
#include "translate/nvptx/math.h"
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <string.h>

enum { MOST_DEPTH = 12, MOST_USES = 64 };

/* Operands of a choice. */
enum { CONDITION, IF_TRUE, IF_FALSE };

/* Whether an instruction does nothing but make a value, of any operands. */
static bool is_pure(LLVMValueRef inst) {
    static const char *const pure[] = {WL_PTX_KEPT,   "llvm.fma.",   "llvm.fabs.",  "llvm.sqrt.",  "llvm.roundeven.",
                                       "llvm.floor.", "llvm.trunc.", "llvm.minnum", "llvm.maxnum", "llvm.umin.",
                                       "llvm.umax.",  "llvm.smin.",  "llvm.smax.",  "llvm.fsh"};
    switch (LLVMGetInstructionOpcode(inst)) {
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return false;
    case LLVMICmp:
    case LLVMFCmp:
    case LLVMSelect:
    case LLVMFNeg:
        return true;
    case LLVMCall:
        break;
    default:
        return LLVMIsABinaryOperator(inst) || LLVMIsACastInst(inst);
    }
    LLVMValueRef called = LLVMGetCalledValue(inst);
    size_t length = 0;
    if (LLVMIsAInlineAsm(called)) /* conversions (semantics/convert.c) */
        return !strncmp(LLVMGetInlineAsmAsmString(called, &length), "cvt.", 4);
    for (size_t i = 0; LLVMIsAFunction(called) && i < sizeof pure / sizeof *pure; i++)
        if (!strncmp(LLVMGetValueName(called), pure[i], strlen(pure[i])))
            return true;
    return false;
}

/* Whether a value matters only where a condition is `truth`; *uses: how many more may be looked at. */
static bool matters_only(LLVMValueRef value, LLVMValueRef condition, bool truth, unsigned depth, unsigned *uses) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) || !(*uses)--)
            return false;
        if (LLVMIsASelectInst(user) && LLVMGetOperand(user, CONDITION) == condition && value != condition &&
            LLVMGetOperand(user, truth ? IF_FALSE : IF_TRUE) != value)
            continue;
        if (depth == MOST_DEPTH || !is_pure(user) || !matters_only(user, condition, truth, depth + 1, uses))
            return false;
    }
    return true;
}

bool wl_ptx_drop_choices(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    bool changed = false;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
            next = LLVMGetNextInstruction(inst);
            if (!LLVMIsASelectInst(inst) || LLVMIsConstant(LLVMGetOperand(inst, CONDITION)) || !LLVMGetFirstUse(inst))
                continue;
            for (unsigned arm = IF_TRUE; arm <= IF_FALSE; arm++) {
                unsigned uses = MOST_USES;
                if (!matters_only(inst, LLVMGetOperand(inst, CONDITION), arm == IF_TRUE, 0, &uses))
                    continue;
                LLVMReplaceAllUsesWith(inst, LLVMGetOperand(inst, arm));
                LLVMInstructionEraseFromParent(inst);
                changed = true;
                break;
            }
        }
    return changed;
}
