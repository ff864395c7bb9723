/* Image instructions: calls of one helper, which reads descriptors and addresses lane by lane (device/cpu/image.h). */
#include "translate/lift.h"

#include "device/cpu/helpers.h"
#include "device/cpu/image.h"

#include <stddef.h>

/* Descriptors lie in the wave, where the helper reads them. */
static LLVMValueRef descriptor_pointer(struct wl_lift *l, const struct wl_operand *operand, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        uint64_t offset = offsetof(struct wl_wave, sgpr) + UINT64_C(4) * (operand->reg + i);
        LLVMBuildStore(l->b, wl_lift_sgpr(l, operand->reg + i), wl_lift_wave_pointer(l, offset));
    }
    return wl_lift_wave_pointer(l, offsetof(struct wl_wave, sgpr) + UINT64_C(4) * operand->reg);
}

uint32_t wl_image_modifiers(const struct wl_inst *inst, unsigned generation) {
    return inst->dmask | (uint32_t)inst->dim << 4 | (inst->has_dim ? WL_IMAGE_HAS_DIM : 0) | (inst->unorm ? WL_IMAGE_UNORM : 0) |
           (inst->da ? WL_IMAGE_ARRAY : 0) | (inst->a16 ? WL_IMAGE_A16 : 0) | (inst->d16 ? WL_IMAGE_D16 : 0) |
           (inst->tfe || inst->lwe ? WL_IMAGE_STATUS : 0) | (inst->returns ? WL_IMAGE_RETURN : 0) | (inst->r128 ? WL_IMAGE_R128 : 0) |
           WL_IMAGE_GENERATION(generation);
}

void wl_image_rows(const struct wl_inst *inst, uint64_t rows[2]) {
    const struct wl_operand *address = &inst->operands[1];
    unsigned count = inst->address_count ? inst->address_count : address->count;
    rows[0] = rows[1] = 0;
    for (unsigned i = 0; i < count && i < WL_MAX_ADDRESSES; i++)
        rows[i / 8] |= (uint64_t)(uint8_t)(inst->address_count ? inst->addresses[i] : address->reg + i) << i % 8 * 8;
}

bool wl_image_samples(const struct wl_inst *inst) {
    const uint32_t kind = WL_IMAGE_KIND_OF(inst->isa->image);
    return kind == WL_IMAGE_SAMPLE || kind == WL_IMAGE_GATHER || kind == WL_IMAGE_LOD;
}

bool wl_image_is_known(const struct wl_inst *inst) {
    const struct wl_operand *op = inst->operands;
    const bool samples = wl_image_samples(inst);
    const unsigned resource = inst->r128 || WL_IMAGE_KIND_OF(inst->isa->image) == WL_IMAGE_BVH ? 4 : 8;
    return inst->operand_count == (samples ? 4 : 3) && op[0].kind == WL_OPERAND_VGPR && op[1].kind == WL_OPERAND_VGPR &&
           op[2].kind == WL_OPERAND_SGPR && op[2].count == resource && (!samples || (op[3].kind == WL_OPERAND_SGPR && op[3].count == 4));
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
    wl_lift_call_helper(l, offsetof(struct wl_helpers, image), l->void_type, arguments, sizeof arguments / sizeof *arguments);
}
