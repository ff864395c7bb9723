/* The address registers of image instructions where LLVM's text does not tell them.
 *
 * gfx9's encoding has the first register alone: how many follow depends on the resource. gfx12's has all of them, of which LLVM
 * prints one for loads, stores and atomics. */
#include "translate/decode/decode.h"

#include "machine/image_instruction.h"
#include "translate/isa/isa.h"

/* Registers that `count` addresses take, two of 16 bits each. */
static unsigned registers(unsigned count, bool half) { return half ? (count + 1) / 2 : count; }

/* Coordinates (slices aside) and slices of a dimension as encoded. Gradients have no slice. */
static const struct shape {
    uint8_t axes, slices;
} shapes[] = {{1, 0}, {2, 0}, {3, 0}, {2, 1}, {1, 1}, {2, 1}, {2, 1}, {2, 2}};
static const struct shape largest = {3, 0};

unsigned wl_image_address_count(const struct wl_inst *inst, unsigned generation) {
    const uint32_t image = inst->isa->image, kind = WL_IMAGE_KIND_OF(image);
    const struct shape shape = inst->has_dim ? shapes[inst->dim & 7] : largest;
    const bool half_gradients = image & WL_IMAGE_G16 || (inst->a16 && generation == 9);
    unsigned alone = 0, body = shape.axes + shape.slices;

    if (kind == WL_IMAGE_RESINFO)
        return 1;
    alone += (image & WL_IMAGE_OFFSET) != 0;
    alone += (image & WL_IMAGE_BIAS) != 0;
    alone += (image & WL_IMAGE_COMPARE) != 0;
    if (image & WL_IMAGE_GRADIENT)
        alone += 2 * registers(shape.axes, half_gradients);
    body += (image & WL_IMAGE_LEVEL) != 0;
    body += (image & WL_IMAGE_CLAMP) != 0;
    return alone + registers(body, inst->a16);
}

void wl_decode_image_addresses(struct wl_inst *inst, unsigned generation, uint32_t second, uint32_t third) {
    const unsigned count = wl_image_address_count(inst, generation);
    const uint32_t kind = WL_IMAGE_KIND_OF(inst->isa->image);
    const bool samples = kind == WL_IMAGE_SAMPLE || kind == WL_IMAGE_GATHER || kind == WL_IMAGE_LOD;
    const unsigned fields = samples ? 4 : 5;
    struct wl_operand *address = &inst->operands[1];

    if (inst->operand_count < 3 || address->kind != WL_OPERAND_VGPR || kind == WL_IMAGE_BVH)
        return;
    if (generation == 9) {
        address->count = (uint8_t)(address->reg + count > WL_AGPR ? (unsigned)WL_AGPR - address->reg : count);
        return;
    }
    if (generation < 12)
        return;
    inst->address_count = (uint8_t)count;
    for (unsigned i = 0; i < count && i < WL_MAX_ADDRESSES; i++) { /* the last field's registers follow one another */
        const unsigned field = i < fields ? i : fields - 1;
        const uint32_t reg = field == 4 ? second >> 24 : third >> field * 8 & 255;

        inst->addresses[i] = (uint8_t)(reg + (i - field));
    }
    address->reg = inst->addresses[0];
    address->count = 1;
}
