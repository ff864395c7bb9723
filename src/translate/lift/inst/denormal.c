/* Code whose MODE flushes f32 denormals but keeps those of f64: what compilers make of "flush denormals to zero".
 *
 * The host's floating-point unit has one such switch for both. A unit with f64 arithmetic, of a code object that has a kernel
 * of that mode, works with the switch off and flushes the f32 operands and results of its arithmetic itself, as MODE asks at
 * run time. All other units leave it to the switch. f16 needs nothing: its arithmetic runs in f32, where its denormals are
 * normal numbers, and the host's conversions of halves do not look at the switch. */
#include "translate/lift/inst/inst.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"

#include <stddef.h>
#include <string.h>

enum { FLUSH_INPUTS = 0x10, FLUSH_RESULTS = 0x20 }; /* of MODE: flushed where the bit is 0 */

void wl_denormal_switch(struct wl_lift *l, bool inside) {
    if (!l->unit.splits_denormals)
        return;
    LLVMValueRef arguments[] = {l->wave, LLVMConstInt(l->i32, inside, false)};
    LLVMTypeRef types[] = {l->ptr, l->i32};
    LLVMValueRef table = wl_lift_wave_field(l, offsetof(struct wl_wave, helpers), l->ptr);
    LLVMValueRef index = LLVMConstInt(l->i64, offsetof(struct wl_helpers, denormals), false);
    LLVMValueRef function = LLVMBuildLoad2(l->b, l->ptr, LLVMBuildGEP2(l->b, l->i8, table, &index, 1, ""), "");
    LLVMBuildCall2(l->b, LLVMFunctionType(l->void_type, types, 2, false), function, arguments, 2, "");
}

/* Zeros with the sign of what is too small, if the bit of MODE is 0. The value is one or more f32, or their bits. */
static LLVMValueRef flush(struct wl_lift *l, LLVMValueRef value, uint32_t bit) {
    LLVMTypeRef given = LLVMTypeOf(value), type = l->i32;
    if (LLVMGetTypeKind(given) == LLVMVectorTypeKind) {
        LLVMTypeRef element = LLVMGetElementType(given);
        bool pairs = LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 64;
        type = LLVMVectorType(l->i32, LLVMGetVectorSize(given) * (pairs ? 2 : 1));
    }
    LLVMValueRef mode = l->form->mode_register(l);
    LLVMValueRef kept = LLVMBuildAnd(l->b, mode, LLVMConstInt(l->i32, bit, false), "");
    LLVMValueRef flushes = LLVMBuildICmp(l->b, LLVMIntEQ, kept, LLVMConstNull(l->i32), "");
    LLVMValueRef bits = LLVMBuildBitCast(l->b, value, type, "");
    LLVMValueRef exponent = LLVMBuildAnd(l->b, bits, wl_lift_int(l, type, 0x7f800000), "");
    LLVMValueRef small = LLVMBuildICmp(l->b, LLVMIntEQ, exponent, LLVMConstNull(type), "");
    LLVMValueRef zero = LLVMBuildAnd(l->b, bits, wl_lift_int(l, type, 0x80000000), "");
    LLVMValueRef flushed = LLVMBuildSelect(l->b, small, zero, bits, "");
    return LLVMBuildBitCast(l->b, LLVMBuildSelect(l->b, flushes, flushed, bits, ""), given, "");
}

/* Moves of two dwords are of such types as well, and classes are told of the numbers as they are. */
static bool flushes(const struct wl_lift *l, const struct wl_inst *inst, enum wl_type type) {
    return l->unit.splits_denormals && (type == WL_F32 || type == WL_PKF32) && !strstr(inst->mnemonic, "_class_") &&
           (strstr(inst->mnemonic, "f32") || strstr(inst->mnemonic, "_mix"));
}

LLVMValueRef wl_denormal_input(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type) {
    return flushes(l, inst, type) ? flush(l, value, FLUSH_INPUTS) : value;
}

LLVMValueRef wl_denormal_result(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type) {
    return flushes(l, inst, type) ? flush(l, value, FLUSH_RESULTS) : value;
}
