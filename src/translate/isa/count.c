#include "translate/isa/count.h"

#include "base/text.h"
#include "machine/matrix.h"
#include "translate/isa/inst.h"
#include "translate/isa/isa.h"

#include <stdbool.h>
#include <string.h>

static bool has(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* ---- which part of the processor -------------------------------------------------------------- */

static enum wl_count_unit scalar_unit(const struct wl_inst *inst) {
    if (!inst->isa)
        return WL_COUNT_SALU;
    switch (inst->isa->class) {
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_SMEM_STORE:
    case WL_ISA_SMEM_ATOMIC:
        return WL_COUNT_SMEM;
    case WL_ISA_TIME:
        return wl_starts_with(inst->mnemonic, "s_mem") ? WL_COUNT_SMEM : WL_COUNT_SALU;
    case WL_ISA_BRANCH:
    case WL_ISA_CBRANCH:
    case WL_ISA_SETPC:
    case WL_ISA_SWAPPC:
    case WL_ISA_CALL:
        return WL_COUNT_BRANCH;
    case WL_ISA_MESSAGE:
    case WL_ISA_MESSAGE_RETURN:
        return WL_COUNT_MESSAGE;
    case WL_ISA_NOP:
    case WL_ISA_END:
    case WL_ISA_BARRIER:
    case WL_ISA_BARRIER_WAIT:
    case WL_ISA_SPLIT_BARRIER:
    case WL_ISA_SLEEP:
    case WL_ISA_TRAP:
    case WL_ISA_HALT:
        return WL_COUNT_OTHER;
    default:
        return WL_COUNT_SALU;
    }
}

static enum wl_count_unit unit_of(const struct wl_inst *inst) {
    const char *name = inst->mnemonic;
    if (wl_starts_with(name, "v_"))
        return inst->isa && inst->isa->class == WL_ISA_NOP ? WL_COUNT_OTHER : WL_COUNT_VALU;
    if (wl_starts_with(name, "s_"))
        return scalar_unit(inst);
    if (wl_starts_with(name, "ds_"))
        return inst->gds || has(name, "_gws_") ? WL_COUNT_GDS : WL_COUNT_LDS;
    if (!inst->isa || inst->isa->class == WL_ISA_NOP)
        return WL_COUNT_OTHER;
    return has(name, "_store") || has(name, "_atomic") ? WL_COUNT_VMEM_WRITE : WL_COUNT_VMEM_READ;
}

/* ---- floating point ----------------------------------------------------------------------------- */

static enum wl_count_type type_of(const char *name) {
    const size_t length = strlen(name);
    const char *end = length > 4 ? name + length - 4 : "";
    if (has(name, "fma_mix") || has(name, "mad_mix"))
        return WL_COUNT_F32;
    return strcmp(end, "_f16") == 0   ? WL_COUNT_F16
           : strcmp(end, "_f32") == 0 ? WL_COUNT_F32
           : strcmp(end, "_f64") == 0 ? WL_COUNT_F64
                                      : WL_COUNT_OTHER_TYPE;
}

/* `name`: without v_ and pk_. */
static enum wl_count_operation operation_of(const char *name) {
    static const struct {
        const char *start;
        enum wl_count_operation operation;
    } all[] = {
        {"add_", WL_COUNT_ADD},
        {"sub_", WL_COUNT_ADD},
        {"subrev_", WL_COUNT_ADD},
        {"mul_", WL_COUNT_MULTIPLY},
        {"fma", WL_COUNT_FMA}, /* fmac, fmamk, fmaak as well */
        {"mad_", WL_COUNT_FMA},
        {"madmk_", WL_COUNT_FMA},
        {"madak_", WL_COUNT_FMA},
        {"mac_", WL_COUNT_FMA},
        {"div_fmas_", WL_COUNT_FMA},
        {"rcp_", WL_COUNT_TRANSCENDENTAL},
        {"rsq_", WL_COUNT_TRANSCENDENTAL},
        {"sqrt_", WL_COUNT_TRANSCENDENTAL},
        {"exp_", WL_COUNT_TRANSCENDENTAL},
        {"log_", WL_COUNT_TRANSCENDENTAL},
        {"sin_", WL_COUNT_TRANSCENDENTAL},
        {"cos_", WL_COUNT_TRANSCENDENTAL},
        {"tanh_", WL_COUNT_TRANSCENDENTAL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (wl_starts_with(name, all[i].start))
            return all[i].operation;
    return WL_COUNT_NO_FLOATS;
}

static void fill_floats(struct wl_count_inst *counted, const char *mnemonic) {
    const bool packed = wl_starts_with(mnemonic, "v_pk_");
    const char *name = mnemonic + (packed ? strlen("v_pk_") : strlen("v_"));
    const enum wl_count_type type = type_of(name);
    const enum wl_count_operation operation = operation_of(name);
    if (type == WL_COUNT_OTHER_TYPE || operation == WL_COUNT_NO_FLOATS)
        return;
    counted->type = (uint8_t)type;
    counted->operation = (uint8_t)operation;
    counted->flops = (operation == WL_COUNT_FMA ? 2 : 1) * (packed ? 2 : 1);
}

void wl_count_inst_fill(struct wl_count_inst *counted, const struct wl_inst *inst) {
    const struct wl_matrix *matrix = inst->isa && inst->isa->class == WL_ISA_MATRIX ? inst->isa->matrix : NULL;
    *counted = (struct wl_count_inst){.unit = (uint8_t)unit_of(inst),
                                      .type = WL_COUNT_OTHER_TYPE,
                                      .flat = wl_starts_with(inst->mnemonic, "flat_"),
                                      .second = !inst->size || inst->piece};
    if (matrix) {
        counted->operation = WL_COUNT_MATRIX;
        counted->flops = has(inst->mnemonic, "_i32_") ? 0 : 2u * matrix->m * matrix->m * matrix->k * matrix->blocks;
    } else if (counted->unit == WL_COUNT_VALU) {
        fill_floats(counted, inst->mnemonic);
    }
}
