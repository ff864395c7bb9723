/* Calls of LLVM's intrinsics, with what differs between LLVM's versions. */
#include "translate/lift/values.h"

#include <llvm/Config/llvm-config.h>
#include <string.h>

LLVMValueRef wl_lift_intrinsic(struct wl_lift *l, const char *name, LLVMTypeRef *types, unsigned type_count, LLVMValueRef *arguments,
                               unsigned argument_count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(l->module, id, types, type_count);
    LLVMTypeRef type = LLVMIntrinsicGetType(l->context, id, types, type_count);
    return LLVMBuildCall2(l->b, type, function, arguments, argument_count, "");
}

#if LLVM_VERSION_MAJOR < 22

static LLVMValueRef call_masked(struct wl_lift *l, const char *name, LLVMTypeRef *types, LLVMValueRef *arguments, unsigned pointer,
                                unsigned alignment) {
    LLVMValueRef all[4];
    for (unsigned i = 0; i < 4; i++)
        all[i] = i <= pointer ? arguments[i] : i == pointer + 1 ? LLVMConstInt(l->i32, alignment, 0) : arguments[i - 1];
    return wl_lift_intrinsic(l, name, types, 2, all, 4);
}

#else /* the alignment is an attribute of the pointer, no longer an argument behind it */

static LLVMValueRef call_masked(struct wl_lift *l, const char *name, LLVMTypeRef *types, LLVMValueRef *arguments, unsigned pointer,
                                unsigned alignment) {
    LLVMValueRef call = wl_lift_intrinsic(l, name, types, 2, arguments, 3);
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddCallSiteAttribute(call, pointer + 1, LLVMCreateEnumAttribute(l->context, align, alignment));
    return call;
}

#endif

LLVMValueRef wl_lift_masked_load(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef where, unsigned alignment, LLVMValueRef mask) {
    LLVMTypeRef types[] = {type, LLVMTypeOf(where)};
    LLVMValueRef arguments[] = {where, mask, LLVMConstNull(type)};
    bool gathers = LLVMGetTypeKind(types[1]) == LLVMVectorTypeKind;
    return call_masked(l, gathers ? "llvm.masked.gather" : "llvm.masked.load", types, arguments, 0, alignment);
}

LLVMValueRef wl_lift_masked_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef where, unsigned alignment, LLVMValueRef mask) {
    LLVMTypeRef types[] = {LLVMTypeOf(value), LLVMTypeOf(where)};
    LLVMValueRef arguments[] = {value, where, mask};
    bool scatters = LLVMGetTypeKind(types[1]) == LLVMVectorTypeKind;
    return call_masked(l, scatters ? "llvm.masked.scatter" : "llvm.masked.store", types, arguments, 1, alignment);
}
