/* What is known of the bits of an instruction's results (docs/NUMERICS.md). */
#include "translate/interface/check.h"

#include "machine/matrix.h"
#include "machine/processor.h"
#include "translate/isa/helper_words.h"
#include "translate/isa/isa.h"

#include <string.h>

static enum wl_numerics of_matrix(const struct wl_inst *inst, const struct wl_translate_request *request) {
    const struct wl_matrix *row = wl_matrix_row(inst, wl_processor_generation(request->processor));
    const bool followed =
        wl_processor_has(request->processor, WL_PAIRS_PRODUCTS) || wl_processor_has(request->processor, WL_ALIGNS_PRODUCTS);
    if (row->d == WL_MATRIX_I32)
        return WL_NUMERICS_HARDWARE;
    if (!followed || row->layout != WL_MATRIX_MFMA || row->sparse || row->scale_block)
        return WL_NUMERICS_UNDOCUMENTED;
    if (row->a == WL_MATRIX_F32 || row->a == WL_MATRIX_F64)
        return WL_NUMERICS_HARDWARE;
    const bool asked = wl_matrix_modifiers(inst, request, row) & (WL_MATRIX_PAIRED | WL_MATRIX_ALIGNED);
    return asked ? WL_NUMERICS_HARDWARE : WL_NUMERICS_ERROR;
}

/* Additions, whose result is another one in another order. */
static bool adds_floats(const struct wl_isa *isa) {
    return isa->class == WL_ISA_ATOMIC && (isa->atomic == WL_ATOMIC_FADD || isa->atomic == WL_ATOMIC_FADD_FLUSH ||
                                           isa->atomic == WL_ATOMIC_PK_ADD_F16 || isa->atomic == WL_ATOMIC_PK_ADD_BF16);
}

/* Products of floats that are added to another; and gfx1250's tangent, of which AMD documents no error. */
static bool is_undocumented(const char *mnemonic) {
    static const char *const floats[] = {"f16", "f32", "fp8", "bf8"};
    bool has_floats = false;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        has_floats |= strstr(mnemonic, floats[i]) != NULL;
    return (strncmp(mnemonic, "v_dot", 5) == 0 && has_floats) || strncmp(mnemonic, "v_tanh_", 7) == 0;
}

enum wl_numerics wl_numerics_of(const struct wl_inst *inst, const struct wl_translate_request *request) {
    const enum wl_coverage_status status = wl_coverage_of(inst);
    if (status != WL_COVERAGE_EXACT && status != WL_COVERAGE_ULP)
        return WL_NUMERICS_NONE;
    if (inst->isa && inst->isa->class == WL_ISA_MATRIX)
        return of_matrix(inst, request);
    if (inst->isa && adds_floats(inst->isa))
        return WL_NUMERICS_ORDER;
    if (is_undocumented(inst->mnemonic))
        return WL_NUMERICS_UNDOCUMENTED;
    return status == WL_COVERAGE_ULP ? WL_NUMERICS_ERROR : WL_NUMERICS_HARDWARE;
}
