#include "translate/isa/helper_words.h"

#include "machine/helpers.h"
#include "machine/image_instruction.h"
#include "machine/matrix.h"
#include "machine/processor.h"

/* ---- images ---- */

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

/* ---- matrices ---- */

uint64_t wl_matrix_constant(const struct wl_operand *operand, unsigned kind) {
    switch (kind) {
    case WL_MATRIX_F64:
        return wl_operand_bits(operand, 64, true, false);
    case WL_MATRIX_F16:
        return wl_operand_bits(operand, 16, true, false);
    case WL_MATRIX_BF16_OF_F32:
        return wl_operand_bits(operand, 32, true, false);
    case WL_MATRIX_BF16:
        return operand->is_float ? wl_operand_bits(operand, 32, true, false) >> 16 : wl_operand_bits(operand, 16, true, false);
    default:
        return wl_operand_bits(operand, 32, kind == WL_MATRIX_F32, kind == WL_MATRIX_I32);
    }
}

const struct wl_matrix *wl_matrix_row(const struct wl_inst *inst, unsigned generation) {
    return generation == 11 ? wl_matrix_of_gfx11(inst->isa->matrix) : inst->isa->matrix;
}

/* Which byte of its dword is the scale of A (0) or B (1). */
static uint32_t scale_byte(const struct wl_inst *inst, unsigned operand) {
    return (uint32_t)(inst->op_sel >> operand & 1) | (uint32_t)(inst->op_sel_hi >> operand & 1) << 1;
}

/* How the processor sums the products of a row, as far as that is asked for; 0: as machine/matrix.h has it, or it is not known. docs/NUMERICS.md
 * has what it costs: CDNA2 alone is cheap. */
static uint32_t hardware_sums(const char *processor, enum wl_matrix_sums sums, const struct wl_matrix *row) {
    if (row->sparse || row->scale_block || row->d != WL_MATRIX_F32 || row->a == WL_MATRIX_F32 || sums == WL_SUMS_IN_ORDER)
        return 0;
    if (sums == WL_SUMS_CHEAP && !wl_processor_has(processor, WL_FLUSHES_MATRICES))
        return 0;
    if (wl_processor_has(processor, WL_PAIRS_PRODUCTS))
        return WL_MATRIX_PAIRED;
    return wl_processor_has(processor, WL_ALIGNS_PRODUCTS) ? WL_MATRIX_ALIGNED : 0;
}

/* Whether WMMA's products are summed as dot instructions do it: where that is asked for and was measured. */
static bool sums_dots(const struct wl_translate_request *request, const struct wl_matrix *row) {
    return request->matrix_sums == WL_SUMS_HARDWARE && wl_processor_has(request->processor, WL_SUMS_DOTS) && !row->sparse &&
           (row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16) && row->b == row->a && row->d != WL_MATRIX_BF16_OF_F32;
}

static uint32_t mfma_modifiers(const struct wl_inst *inst, const char *processor, const struct wl_matrix *row) {
    uint32_t modifiers = (uint32_t)inst->cbsz << WL_MATRIX_CBSZ | (uint32_t)inst->blgp << WL_MATRIX_BLGP;
    if (row->scale_block)
        return modifiers | scale_byte(inst, 0) << WL_MATRIX_SCALE_A | scale_byte(inst, 1) << WL_MATRIX_SCALE_B | WL_MATRIX_OCP;
    modifiers |= (uint32_t)inst->abid << WL_MATRIX_ABID;
    if (wl_processor_has(processor, WL_FLUSHES_MATRICES) && (row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16))
        modifiers |= WL_MATRIX_FLUSH;
    if (wl_processor_has(processor, WL_HAS_OCP_FP8))
        modifiers |= WL_MATRIX_OCP;
    return modifiers;
}

uint32_t wl_matrix_modifiers(const struct wl_inst *inst, const struct wl_translate_request *request, const struct wl_matrix *row) {
    if (row->layout == WL_MATRIX_MFMA)
        return mfma_modifiers(inst, request->processor, row) | hardware_sums(request->processor, request->matrix_sums, row);
    uint32_t modifiers = (uint32_t)(inst->neg_lo & 7) << WL_MATRIX_NEG_LO | (uint32_t)(inst->neg_hi & 7) << WL_MATRIX_NEG_HI;
    if (row->scale_block)
        return modifiers | (uint32_t)inst->cbsz << WL_MATRIX_CBSZ | (uint32_t)inst->blgp << WL_MATRIX_BLGP |
               (uint32_t)inst->scale_kind_a << WL_MATRIX_SCALE_A | (uint32_t)inst->scale_kind_b << WL_MATRIX_SCALE_B |
               (uint32_t)inst->scale_rows << WL_MATRIX_ROWS;
    if (row->sparse)
        modifiers |= (uint32_t)(inst->abid & 3) << WL_MATRIX_KEY;
    if (inst->clamp)
        modifiers |= WL_MATRIX_CLAMP;
    if (sums_dots(request, row))
        modifiers |= WL_MATRIX_DOTS;
    if (row->layout == WL_MATRIX_WMMA11 && (inst->op_sel & 4))
        modifiers |= WL_MATRIX_HIGH;
    return modifiers;
}

bool wl_matrix_is_known(const struct wl_inst *inst, unsigned generation) {
    const struct wl_matrix *row = wl_matrix_row(inst, generation);
    const struct wl_operand *op = inst->operands;
    if (!row || inst->operand_count != (row->scale_block ? 6 : 4))
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (op[i].kind != WL_OPERAND_VGPR)
            return false;
    if (row->scale_block && (inst->cbsz > 4 || inst->blgp > 4 || inst->scale_kind_a > 2 || inst->scale_kind_b > 2))
        return false; /* no kinds */
    for (unsigned i = 4; i < inst->operand_count; i++)
        if (op[i].kind != WL_OPERAND_VGPR && op[i].kind != WL_OPERAND_SGPR && op[i].kind != WL_OPERAND_IMM)
            return false;
    return op[3].kind == WL_OPERAND_VGPR || (op[3].kind == WL_OPERAND_IMM && !row->sparse);
}

/* ---- memory ---- */

uint32_t wl_buffer_element(const struct wl_inst *inst, unsigned generation) {
    const struct wl_isa *isa = inst->isa;
    bool typed = isa->detail != 0, atomic = isa->class == WL_ISA_ATOMIC;
    unsigned bits = typed || (isa->bits > 32 && !atomic) ? 32 : isa->bits;
    uint32_t flags = (isa->sign ? WL_ELEMENT_SIGNED : 0) | (isa->d16 ? WL_ELEMENT_D16 : 0) | (isa->hi ? WL_ELEMENT_HIGH : 0) |
                     (inst->returns ? WL_ELEMENT_RETURN : 0) | (inst->idxen ? WL_ELEMENT_IDXEN : 0) | (inst->offen ? WL_ELEMENT_OFFEN : 0) |
                     (inst->lds ? WL_ELEMENT_LDS : 0) | (inst->tfe ? WL_ELEMENT_TFE : 0) | (typed ? WL_ELEMENT_TYPED : 0) |
                     (inst->zeroes_half ? WL_ELEMENT_ZEROES_HALF : 0) | (inst->wide_buffer ? WL_ELEMENT_WIDE : 0);
    if (isa->space == WL_SPACE_TBUFFER)
        flags |= WL_ELEMENT_WITH_FORMAT(inst->format);
    return WL_ELEMENT(bits, typed ? isa->detail : atomic ? 1 : isa->dwords, flags) | WL_ELEMENT_GENERATION(generation);
}

uint8_t wl_memory_atomic(const char *processor, const struct wl_isa *isa) {
    const bool flushes = wl_processor_has(processor, WL_FLUSHES_ATOMICS);
    if (flushes && isa->atomic == WL_ATOMIC_FADD && isa->bits == 32 && isa->space != WL_SPACE_LDS)
        return WL_ATOMIC_FADD_FLUSH;
    return isa->atomic;
}
