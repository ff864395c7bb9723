/* Traces of accesses: what reports of faults find on the stack where lanes have unrelated addresses (machine/wave.h). */
#include "translate/lift/memory/memory.h"
#include "translate/lift/memory/scattered.h"
#include "translate/lift/values.h"

#include <llvm-c/DebugInfo.h>
#include <stddef.h>

static LLVMValueRef field_pointer(struct wl_lift *l, LLVMValueRef trace, size_t offset) {
    LLVMValueRef index = LLVMConstInt(l->i64, offset, false);
    return LLVMBuildGEP2(l->b, l->i8, trace, &index, 1, "");
}

static void trace_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef trace, size_t offset) {
    LLVMValueRef store = LLVMBuildStore(l->b, value, field_pointer(l, trace, offset));
    LLVMSetAlignment(store, 64);
    LLVMSetVolatile(store, true); /* only fault handlers read it, which LLVM does not see */
}

/* In two stores: they stand in the way of the lanes' own. */
LLVMValueRef wl_access_trace_write(struct wl_lift *l, LLVMValueRef trace, LLVMValueRef base, LLVMValueRef first_lane, LLVMValueRef mask,
                                   uint64_t size, LLVMValueRef addresses) {
    _Static_assert(offsetof(struct wl_access_trace, base) == 8 && offsetof(struct wl_access_trace, first_lane) == 16 &&
                       offsetof(struct wl_access_trace, size) == 24,
                   "the first fields are stored at once");
    LLVMValueRef lanes = LLVMBuildShl(l->b, LLVMBuildZExt(l->b, mask, l->i64, ""), LLVMConstInt(l->i64, 32, false), "");
    const LLVMValueRef fields[4] = {LLVMConstInt(l->i64, WL_ACCESS_TRACE, false), base, LLVMBuildOr(l->b, lanes, first_lane, ""),
                                    LLVMConstInt(l->i64, size, false)};
    LLVMValueRef head = LLVMGetPoison(LLVMVectorType(l->i64, 4));
    for (unsigned i = 0; i < 4; i++)
        head = LLVMBuildInsertElement(l->b, head, fields[i], LLVMConstInt(l->i32, i, false), "");
    trace_store(l, head, trace, 0);
    trace_store(l, addresses, trace, offsetof(struct wl_access_trace, address));
    return field_pointer(l, trace, offsetof(struct wl_access_trace, address));
}

LLVMValueRef wl_access_trace_begin(struct wl_lift *l, const struct wl_access *a, LLVMValueRef addresses) {
    enum { TRACE_ROWS = sizeof(struct wl_access_trace) / sizeof(uint32_t[WL_STRIP]) };
    if (!l->unit.access_trace)
        l->unit.access_trace = wl_lift_kept_alloca(l, LLVMArrayType2(l->strip_i32, TRACE_ROWS));
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(l->b);
    if (location) {
        l->unit.access_location = location;
        location =
            LLVMDIBuilderCreateDebugLocation(l->context, LLVMDILocationGetLine(location), WL_COLUMN_ACCESS, l->unit.subprogram, NULL);
        LLVMSetCurrentDebugLocation2(l->b, location);
    }
    return wl_access_trace_write(l, l->unit.access_trace, LLVMConstNull(l->i64), l->strip->first_lane, wl_memory_mask(l), wl_access_size(a),
                                 addresses);
}

void wl_access_trace_end(struct wl_lift *l) {
    trace_store(l, LLVMConstNull(l->i64), l->unit.access_trace, offsetof(struct wl_access_trace, magic));
    LLVMSetCurrentDebugLocation2(l->b, l->unit.access_location);
}

void wl_access_gather_begin(struct wl_lift *l, bool packed) {
    LLVMMetadataRef location = l->unit.access_location = LLVMGetCurrentDebugLocation2(l->b);
    if (!location)
        return;
    unsigned column = LLVMDILocationGetColumn(location);
    column = packed ? WL_COLUMN_PACKED : column == WL_COLUMN_TRACE ? WL_COLUMN_GATHER_TRACE : WL_COLUMN_GATHER + column - 1;
    location = LLVMDIBuilderCreateDebugLocation(l->context, LLVMDILocationGetLine(location), column, l->unit.subprogram, NULL);
    LLVMSetCurrentDebugLocation2(l->b, location);
}

void wl_access_gather_end(struct wl_lift *l) { LLVMSetCurrentDebugLocation2(l->b, l->unit.access_location); }
