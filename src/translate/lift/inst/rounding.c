/* Code that lets f64 and f16 round otherwise than f32, as MODE can.
 *
 * The host's floating-point unit has one rounding mode, which is f32's. In a unit that changes MODE's rounding so that the two
 * may differ, each instruction with a result of the other formats is lifted alone, between switches to its mode and back. */
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"

#include <stddef.h>

bool wl_rounding_differs(const struct wl_lift *l, const struct wl_inst *inst) {
    if (!l->unit.splits_rounding || !inst->sem || !inst->size)
        return false;
    enum wl_type type = inst->sem->results[0].type;
    return type == WL_F64 || type == WL_F16 || type == WL_PKF16;
}

void wl_rounding_switch(struct wl_lift *l, bool other) {
    LLVMValueRef arguments[] = {l->wave, wl_lift_int(l, l->i32, other)};
    wl_lift_flush(l);
    wl_lift_call_helper(l, offsetof(struct wl_helpers, rounding), l->void_type, arguments, 2);
}
