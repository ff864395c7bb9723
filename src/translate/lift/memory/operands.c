/* What the operands of vector memory instructions mean. */
#include "translate/isa/isa.h"
#include "translate/lift/memory/record.h"
#include "translate/lift/memory/sanitize.h"

struct wl_memory_operands wl_memory_operands(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const struct wl_operand *op = inst->operands;
    struct wl_memory_operands found = {0};
    unsigned at = 0;
    if (isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER) { /* result and data are the same operand */
        if (!inst->lds)
            found.data = &op[at++];
        found.result = isa->class == WL_ISA_LOAD || inst->returns ? found.data : NULL;
        found.address = &op[at];
        return found;
    }
    if (isa->by_lane) {
        *(isa->class == WL_ISA_LOAD ? &found.result : &found.data) = &op[0];
        found.scalar = &op[1];
        return found;
    }
    if (isa->class == WL_ISA_LOAD ? !inst->lds : isa->class == WL_ISA_ATOMIC && inst->returns)
        found.result = &op[at++];
    found.address = &op[at++];
    if (isa->class != WL_ISA_LOAD)
        found.data = &op[at++];
    if (isa->space == WL_SPACE_LDS) {
        if (at < inst->operand_count && op[at].kind == WL_OPERAND_VGPR)
            found.data1 = &op[at];
    } else if (at < inst->operand_count) {
        found.scalar = &op[at];
    }
    return found;
}

bool wl_memory_is_private(const struct wl_lift *l, const struct wl_inst *inst) {
    return inst->isa->space == WL_SPACE_SCRATCH || (inst->is_private && !wl_sanitizes(l));
}
