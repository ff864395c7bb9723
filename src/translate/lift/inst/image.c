/* Images and tensors: calls of helpers, which read descriptors (machine/image_instruction.h; device/cpu/helpers/tensor.c). */
#include "translate/lift/frame.h"
#include "translate/lift/inst/inst.h"
#include "translate/lift/region.h"
#include "translate/lift/values.h"

#include "machine/helpers.h"
#include "machine/image_instruction.h"
#include "translate/isa/helper_words.h"
#include "translate/lift/memory/sanitize.h"

#include <stddef.h>

/* Descriptors lie in the wave, where the helper reads them. */
static LLVMValueRef descriptor_pointer(struct wl_lift *l, const struct wl_operand *operand, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = offsetof(struct wl_wave, sgpr) + UINT64_C(4) * (operand->reg + i);
        LLVMBuildStore(l->b, wl_lift_sgpr(l, operand->reg + i), wl_lift_wave_pointer(l, offset));
    }
    return wl_lift_wave_pointer(l, offsetof(struct wl_wave, sgpr) + UINT64_C(4) * operand->reg);
}

void wl_lift_image(struct wl_lift *l, const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const bool samples = wl_image_samples(inst);
    if (!wl_image_is_known(inst)) {
        wl_lift_error(l, inst, "has operands of an unknown form");
        return;
    }
    wl_lift_flush(l);
    uint64_t rows[2];
    wl_image_rows(inst, rows);
    if (wl_sanitizes(l))
        wl_sanitize_leave_site(l, inst, 1);
    LLVMValueRef arguments[] = {
        l->wave,
        wl_lift_row_address(l, op[0].reg),
        wl_lift_int(l, l->i64, rows[0]),
        wl_lift_int(l, l->i64, rows[1]),
        descriptor_pointer(l, &op[2], op[2].count),
        samples ? descriptor_pointer(l, &op[3], 4) : LLVMConstNull(l->ptr),
        wl_lift_int(l, l->i32, inst->isa->image | WL_IMAGE_WITH_ATOMIC(inst->isa->atomic)),
        wl_lift_int(l, l->i32, wl_image_modifiers(inst, l->generation)),
    };
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, image), arguments, sizeof arguments / sizeof *arguments);
}

void wl_lift_tensor(struct wl_lift *l, const struct wl_inst *inst) {
    LLVMValueRef arguments[6] = {l->wave};
    wl_lift_flush(l);
    for (unsigned i = 0; i < 4; i++) {
        const struct wl_operand *group = &inst->operands[i];
        const bool given = i < inst->operand_count && group->kind == WL_OPERAND_SGPR;
        arguments[1 + i] = given ? descriptor_pointer(l, group, group->count) : LLVMConstNull(l->ptr);
    }
    arguments[5] = wl_lift_int(l, l->i32, inst->isa->detail);
    wl_lift_call_on_rows(l, offsetof(struct wl_helpers, tensor), arguments, 6);
}
