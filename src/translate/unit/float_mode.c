/* Units whose floating-point modes the host's one mode cannot be. */
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"
#include "translate/unit/unit.h"

#include <string.h>

/* ---- denormals ---- */

static bool has_f64(const struct wl_inst *inst) {
    const struct wl_sem *sem = inst->sem;
    if (inst->isa)
        return inst->isa->class == WL_ISA_ATOMIC && inst->isa->bits == 64 && strstr(inst->mnemonic, "_f64");
    for (unsigned i = 0; sem && i < sem->input_count; i++)
        if (sem->inputs[i].type == WL_F64)
            return true;
    for (unsigned i = 0; sem && i < sem->result_count; i++)
        if (sem->results[i].type == WL_F64)
            return true;
    return false;
}

bool wl_denormal_split(const struct wl_unit *unit) {
    for (uint32_t i = 0; unit->request->flushes_f32 && i < unit->inst_count; i++)
        if (has_f64(&unit->insts[i]))
            return true;
    return false;
}

/* ---- rounding ---- */

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
