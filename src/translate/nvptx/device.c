/* Device code (device/device.h): calls of it, and its module. */
#include "translate/lift/values.h"
#include "translate/nvptx/inst.h"
#include "translate/nvptx/memory.h"
#include "translate/nvptx/ptx.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <string.h>

extern const char wl_ptx_device_code[], wl_ptx_device_code_end[];

static const char inlined[] = "wl_device_buffer_find";

/* ---- calls ---- */

LLVMValueRef wl_ptx_device_record(struct wl_lift *l, size_t size) {
    struct wl_ptx *p = l->ptx;
    if (!p->record || p->record_size < size) { /* one for the whole kernel, of the largest size met */
        LLVMBuilderRef b = LLVMCreateBuilderInContext(l->context);
        LLVMValueRef first = LLVMGetFirstInstruction(l->entry);
        if (first)
            LLVMPositionBuilderBefore(b, first);
        else
            LLVMPositionBuilderAtEnd(b, l->entry);
        p->record = LLVMBuildAlloca(b, LLVMArrayType2(l->i8, size), "record");
        p->record_size = size;
        LLVMSetAlignment(p->record, 16);
        LLVMDisposeBuilder(b);
    }
    return p->record;
}

static LLVMValueRef place_of(struct wl_lift *l, LLVMValueRef record, size_t offset) {
    LLVMValueRef index = wl_lift_int(l, l->i64, offset);
    return LLVMBuildGEP2(l->b, l->i8, record, &index, 1, "");
}

void wl_ptx_device_put(struct wl_lift *l, LLVMValueRef record, size_t offset, LLVMValueRef value) {
    LLVMSetAlignment(LLVMBuildStore(l->b, value, place_of(l, record, offset)), LLVMTypeOf(value) == l->i64 ? 8 : 4);
}

LLVMValueRef wl_ptx_device_get(struct wl_lift *l, LLVMValueRef record, size_t offset) {
    return LLVMBuildLoad2(l->b, l->i32, place_of(l, record, offset), "");
}

LLVMValueRef wl_ptx_device_call(struct wl_lift *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count) {
    static const char *const attributes[] = {"nounwind", "willreturn", "convergent"};
    const unsigned attribute_count = strncmp(name, WL_PTX_QUAD, strlen(WL_PTX_QUAD)) == 0 ? 3 : 2;
    LLVMTypeRef types[2];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);
    if (!function) {
        function = LLVMAddFunction(l->module, name, type);
        for (unsigned i = 0; i < attribute_count; i++) {
            unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i], strlen(attributes[i]));
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(l->context, kind, 0));
        }
    }
    if (strcmp(name, inlined) != 0)
        wl_ptx_meet(l);
    return LLVMBuildCall2(l->b, type, function, arguments, count, "");
}

/* ---- the module ---- */

static bool calls_device(LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!strncmp(LLVMGetValueName(f), "wl_device_", strlen("wl_device_")))
            return true;
    return false;
}

enum wl_status wl_ptx_link_device(LLVMModuleRef module) {
    if (!calls_device(module))
        return WL_OK;
    LLVMModuleRef device = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRange(wl_ptx_device_code, (size_t)(wl_ptx_device_code_end - wl_ptx_device_code), "device code", 0);
    const bool failed = LLVMParseBitcodeInContext2(LLVMGetModuleContext(module), buffer, &device);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
        return wl_fail(WL_INTERNAL, "the code for images on NVIDIA GPUs cannot be read");
    LLVMSetModuleDataLayout(device, LLVMGetModuleDataLayout(module));
    LLVMSetTarget(device, LLVMGetTarget(module));
    if (LLVMLinkModules2(module, device))
        return wl_fail(WL_INTERNAL, "the code for images on NVIDIA GPUs cannot be linked");
    /* Called, it gave other addresses in waves of 64 on an H200 with driver 580, unless that optimized nothing. */
    LLVMValueRef find = LLVMGetNamedFunction(module, inlined);
    unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
    if (find)
        LLVMAddAttributeAtIndex(find, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(LLVMGetModuleContext(module), always, 0));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && strcmp(LLVMGetValueName(f), WL_PTX_ENTRY) != 0)
            LLVMSetLinkage(f, LLVMInternalLinkage);
    return WL_OK;
}
