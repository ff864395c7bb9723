/* What is known of the bits of an instruction's results (docs/NUMERICS.md). */
#include "translate/interface/check.h"

#include "machine/matrix.h"
#include "machine/processor.h"
#include "translate/isa/helper_words.h"
#include "translate/isa/isa.h"

#include <string.h>

static enum wl_numerics of_matrix(const struct wl_inst *inst, const struct wl_translate_request *request) {
    const struct wl_matrix *row = wl_matrix_row(inst, wl_processor_generation(request->processor));
    const bool mfma = row->layout == WL_MATRIX_MFMA, of_halves = row->a == WL_MATRIX_F16 || row->a == WL_MATRIX_BF16;
    const bool followed = mfma ? wl_processor_has(request->processor, WL_PAIRS_PRODUCTS | WL_ALIGNS_PRODUCTS)
                               : of_halves && wl_processor_has(request->processor, WL_SUMS_DOTS);
    if (row->d == WL_MATRIX_I32)
        return WL_NUMERICS_HARDWARE;
    if (!followed || row->sparse || row->scale_block)
        return WL_NUMERICS_UNDOCUMENTED;
    if (row->a == WL_MATRIX_F32 || row->a == WL_MATRIX_F64)
        return WL_NUMERICS_HARDWARE;
    const bool asked = wl_matrix_modifiers(inst, request, row) & (WL_MATRIX_PAIRED | WL_MATRIX_ALIGNED | WL_MATRIX_DOTS);
    return asked ? WL_NUMERICS_HARDWARE : WL_NUMERICS_ERROR;
}

/* Additions, whose result is another one in another order. */
static bool adds_floats(const struct wl_isa *isa) {
    return isa->class == WL_ISA_ATOMIC && (isa->atomic == WL_ATOMIC_FADD || isa->atomic == WL_ATOMIC_FADD_FLUSH ||
                                           isa->atomic == WL_ATOMIC_PK_ADD_F16 || isa->atomic == WL_ATOMIC_PK_ADD_BF16);
}

/* Dot products of floats. */
static bool is_dot(const char *mnemonic) {
    static const char *const floats[] = {"f16", "f32", "fp8", "bf8"};
    bool has_floats = false;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        has_floats |= strstr(mnemonic, floats[i]) != NULL;
    return strncmp(mnemonic, "v_dot", 5) == 0 && has_floats;
}

static enum wl_numerics of_dot(const struct wl_translate_request *request) {
    if (!wl_processor_has(request->processor, WL_SUMS_DOTS))
        return WL_NUMERICS_UNDOCUMENTED;
    return request->matrix_sums == WL_SUMS_HARDWARE ? WL_NUMERICS_HARDWARE : WL_NUMERICS_ERROR;
}

enum wl_numerics wl_numerics_of(const struct wl_inst *inst, const struct wl_translate_request *request) {
    const enum wl_coverage_status status = wl_coverage_of(inst);
    if (status != WL_COVERAGE_EXACT && status != WL_COVERAGE_ULP)
        return WL_NUMERICS_NONE;
    if (inst->isa && inst->isa->class == WL_ISA_MATRIX)
        return of_matrix(inst, request);
    if (inst->isa && adds_floats(inst->isa))
        return WL_NUMERICS_ORDER;
    if (is_dot(inst->mnemonic))
        return of_dot(request);
    if (strncmp(inst->mnemonic, "v_tanh_", 7) == 0) /* of which AMD documents no error */
        return WL_NUMERICS_UNDOCUMENTED;
    return status == WL_COVERAGE_ULP ? WL_NUMERICS_ERROR : WL_NUMERICS_HARDWARE;
}
