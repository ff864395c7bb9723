/* Functions of the module that the unit's code calls rarely. */
#include "translate/lift/memory/memory.h"

static void copy_attributes(struct wl_lift *l, LLVMValueRef function) {
    static const char *const names[] = {
        "target-cpu",           "target-features", "prefer-vector-width", "min-legal-vector-width", "denormal-fp-math",
        "denormal-fp-math-f32", "strictfp"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unsigned length = 0;
        while (names[i][length])
            length++;
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(l->function, LLVMAttributeFunctionIndex, names[i], length);
        if (attribute)
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
    }
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateStringAttribute(l->context, "frame-pointer", 13, "all", 3));
    static const char *const kinds[] = {"noinline", "nounwind"};
    for (unsigned i = 0; i < 2; i++)
        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(l->context, LLVMGetEnumAttributeKindForName(kinds[i], 8), 0));
}

/* LLVM's calling convention that keeps general registers, so that the hot path pays nothing for a call that it does not make. On
 * AArch64, functions that align their stack overwrite x9, which the convention says they keep (LLVM 19): there it is C's. */
#if defined(__aarch64__)
enum { CONVENTION = 0 };
#else
enum { CONVENTION = 14 };
#endif

void wl_memory_make_slow(struct wl_lift *l, LLVMValueRef function) {
    LLVMSetFunctionCallConv(function, CONVENTION);
    copy_attributes(l, function);
}
