/* Code that lets f64 and f16 round otherwise than f32, as MODE can.
 *
 * The host's floating-point unit has one rounding mode, which is f32's. In a unit that changes MODE's rounding so that the two
 * may differ, each instruction with a result of the other formats is lifted alone, between switches to its mode and back. */
#include "translate/lift.h"

#include "device/cpu/helpers.h"

#include <stddef.h>

enum { HWREG_MODE = 1 }; /* f32 in bits 1:0, f64 and f16 in bits 3:2 */

/* Whether the instruction may make the two fields differ. */
static bool parts_fields(const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands, *value = &op[inst->operand_count - 1];
    if (!inst->isa || inst->isa->class != WL_ISA_SETREG || inst->isa->detail == WL_REG_DENORM_MODE || !inst->operand_count)
        return false;
    uint32_t hwreg = inst->isa->detail == WL_REG_ROUND_MODE ? HWREG_MODE | 3 << 11 : (uint32_t)op[0].bits;
    uint32_t offset = hwreg >> 6 & 31, width = (hwreg >> 11 & 31) + 1;
    if ((hwreg & 63) != HWREG_MODE || offset > 3)
        return false;
    bool whole = offset == 0 && width >= 4 && (value->kind == WL_OPERAND_IMM || value->kind == WL_OPERAND_TEXT);
    return !whole || (value->bits & 3) != (value->bits >> 2 & 3);
}

bool wl_rounding_split(const struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (parts_fields(&unit->insts[i]))
            return true;
    return false;
}

bool wl_rounding_differs(const struct wl_lift *l, const struct wl_inst *inst) {
    if (!l->splits_rounding || !inst->sem || !inst->size)
        return false;
    enum wl_type type = inst->sem->results[0].type;
    return type == WL_F64 || type == WL_F16 || type == WL_PKF16;
}

void wl_rounding_switch(struct wl_lift *l, bool other) {
    LLVMValueRef arguments[] = {l->wave, wl_lift_int(l, l->i32, other)};
    wl_lift_flush(l);
    wl_lift_call_helper(l, offsetof(struct wl_helpers, rounding), l->void_type, arguments, 2);
}
