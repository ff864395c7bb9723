/* Upper halves of products. ptxas (CUDA 13.0) gets (x * c >> 32) * d wrong in loops in which c and d do not change, where PTX computes the
 * 64-bit product by mul.lo.s64 and takes it apart by mov.b64: it multiplies x by a number of its own. LLVM writes that wherever an
 * operand was extended in another basic block. mul.hi and mul.wide are right. */
#include "translate/nvptx/passes.h"
#include "translate/nvptx/ptx.h"

#include <string.h>

enum { WORD = 32 };

static bool is_shift_of_word(LLVMValueRef value) {
    return wl_ptx_is_operation(value, LLVMLShr) && LLVMIsAConstantInt(LLVMGetOperand(value, 1)) &&
           LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1)) == WORD;
}

/* The product of 64 bits whose upper half an instruction takes; NULL: it does something else. */
static LLVMValueRef find_product(LLVMValueRef inst) {
    if (!wl_ptx_is_operation(inst, LLVMTrunc) || LLVMGetIntTypeWidth(LLVMTypeOf(inst)) != WORD ||
        !is_shift_of_word(LLVMGetOperand(inst, 0)))
        return NULL;
    LLVMValueRef product = LLVMGetOperand(LLVMGetOperand(inst, 0), 0);
    return wl_ptx_is_operation(product, LLVMMul) && LLVMGetIntTypeWidth(LLVMTypeOf(product)) == 2 * WORD ? product : NULL;
}

/* Whether a factor is the extension of a number of 32 bits, with zeros or with its sign. */
static bool is_extended(LLVMValueRef factor, bool with_sign) {
    if (!LLVMIsAConstantInt(factor))
        return wl_ptx_is_operation(factor, with_sign ? LLVMSExt : LLVMZExt) || (!with_sign && is_shift_of_word(factor));
    const int64_t number = LLVMConstIntGetSExtValue(factor);
    return with_sign ? number == (int32_t)number : number == (int64_t)(uint32_t)number;
}

static bool are_extended(LLVMValueRef product, bool with_sign) {
    return is_extended(LLVMGetOperand(product, 0), with_sign) && is_extended(LLVMGetOperand(product, 1), with_sign);
}

static LLVMValueRef high_word(LLVMBuilderRef b, LLVMValueRef value, LLVMTypeRef i32) {
    return LLVMBuildTrunc(b, LLVMBuildLShr(b, value, LLVMConstInt(LLVMTypeOf(value), WORD, 0), ""), i32, "");
}

/* The upper half of a product, at the product's place. */
static LLVMValueRef build_high(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef product) {
    const bool with_sign = !are_extended(product, false) && are_extended(product, true);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef first = LLVMGetOperand(product, 0), second = LLVMGetOperand(product, 1);
    LLVMPositionBuilderBefore(b, product);
    LLVMValueRef low[] = {LLVMBuildTrunc(b, first, i32, ""), LLVMBuildTrunc(b, second, i32, "")};
    LLVMValueRef high = wl_ptx_build_intrinsic(module, b, with_sign ? "llvm.nvvm.mulhi.i" : "llvm.nvvm.mulhi.ui", low, 2);
    if (with_sign || are_extended(product, false))
        return high;
    LLVMValueRef cross =
        LLVMBuildAdd(b, LLVMBuildMul(b, low[0], high_word(b, second, i32), ""), LLVMBuildMul(b, high_word(b, first, i32), low[1], ""), "");
    return LLVMBuildAdd(b, high, cross, "");
}

/* Whether anything but its upper half is needed of a product. */
static bool is_needed_whole(LLVMValueRef product) {
    for (LLVMUseRef use = LLVMGetFirstUse(product); use; use = LLVMGetNextUse(use))
        if (!is_shift_of_word(LLVMGetUser(use)))
            return true;
    return false;
}

/* mul.wide.u32 in the product's place. */
static void build_wide(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef product) {
    static const char text[] = "mul.wide.u32 $0, $1, $2;", constraints[] = "=l,r,r";
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module)), types[] = {i32, i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(product), types, 2, 0);
    LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
    LLVMPositionBuilderBefore(b, product);
    LLVMValueRef factors[] = {LLVMBuildTrunc(b, LLVMGetOperand(product, 0), i32, ""),
                              LLVMBuildTrunc(b, LLVMGetOperand(product, 1), i32, "")};
    LLVMReplaceAllUsesWith(product, LLVMBuildCall2(b, type, code, factors, 2, ""));
    LLVMInstructionEraseFromParent(product);
}

void wl_ptx_keep_upper_halves(LLVMModuleRef module) {
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function; function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
                LLVMValueRef product = find_product(inst);
                if (!product)
                    continue;
                if (are_extended(product, false) && is_needed_whole(product))
                    build_wide(module, b, product);
                else
                    LLVMReplaceAllUsesWith(inst, build_high(module, b, product));
            }
    LLVMDisposeBuilder(b);
}
