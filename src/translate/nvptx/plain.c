/* Accesses whose predicate turned out to be always true lose it, and what they would leave where it is false. ptxas makes predicated
 * instructions of short branches, but not of instructions that have a predicate. */
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 8, MOST_TEXT = 200 };

static bool is_true(LLVMValueRef value) { return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 1; }

/* The number of an access's predicate among the call's operands; -1: it is no access of memory.c. */
static int find_predicate(const char *text, const char *constraints) {
    char *rest;
    unsigned results = 0;
    if (strncmp(text, "@$", 2) != 0)
        return -1;
    const unsigned long number = strtoul(text + 2, &rest, 10);
    if (strncmp(rest, " ld.", 4) != 0 && strncmp(rest, " st.", 4) != 0)
        return -1;
    for (const char *c = constraints; *c; c++)
        results += *c == '=';
    return number >= results && number < MOST_OPERANDS + results ? (int)(number - results) : -1;
}

static void drop_predicate(LLVMBuilderRef b, LLVMValueRef call) {
    LLVMValueRef code = LLVMGetCalledValue(call), arguments[MOST_OPERANDS];
    LLVMTypeRef types[MOST_OPERANDS];
    size_t length = 0, constraints_length = 0;
    const char *text = LLVMGetInlineAsmAsmString(code, &length), *constraints = LLVMGetInlineAsmConstraintString(code, &constraints_length);
    char plain[MOST_TEXT], fewer[MOST_TEXT];
    if (length >= sizeof plain || constraints_length + sizeof ",~{memory}" >= sizeof fewer)
        return;
    snprintf(plain, sizeof plain, "%.*s", (int)length, text);
    snprintf(fewer, sizeof fewer, "%.*s", (int)constraints_length, constraints);
    const int predicate = find_predicate(plain, fewer);
    if (predicate < 0 || !is_true(LLVMGetOperand(call, (unsigned)predicate)))
        return;
    for (int i = 0; i < predicate; i++) {
        arguments[i] = LLVMGetOperand(call, (unsigned)i);
        types[i] = LLVMTypeOf(arguments[i]);
    }
    memcpy(strstr(fewer, ",b"), ",~{memory}", sizeof ",~{memory}");
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, (unsigned)predicate, 0);
    char *start = strchr(plain, ' ') + 1;
    LLVMValueRef without = LLVMGetInlineAsm(type, start, strlen(start), fewer, strlen(fewer), 1, 0, LLVMInlineAsmDialectATT, 0);
    LLVMPositionBuilderBefore(b, call);
    LLVMReplaceAllUsesWith(call, LLVMBuildCall2(b, type, without, arguments, (unsigned)predicate, ""));
    LLVMInstructionEraseFromParent(call);
}

void wl_ptx_drop_predicates(LLVMModuleRef module) {
    LLVMValueRef kernel = LLVMGetNamedFunction(module, WL_PTX_ENTRY);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
            next = LLVMGetNextInstruction(inst);
            if (LLVMIsACallInst(inst) && LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
                drop_predicate(b, inst);
        }
    LLVMDisposeBuilder(b);
}
