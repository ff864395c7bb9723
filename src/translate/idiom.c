/* Known sequences of instructions, replaced by what they amount to before the unit is analysed. */
#include "translate/sem.h"
#include "translate/unit.h"

#include <string.h>

static bool touches(const struct wl_inst *inst, const struct wl_operand *operand, uint32_t wave_size)
{
    struct wl_effects effects;
    wl_inst_effects(inst, wave_size, &effects);
    for (unsigned i = 0; i < operand->count; i++)
        if (wl_bit(effects.touch.vector, operand->reg + i) || wl_bit(effects.def_lanes, operand->reg + i))
            return true;
    return false;
}

static bool same_row(const struct wl_operand *a, const struct wl_operand *b)
{
    return a->kind == WL_OPERAND_VGPR && b->kind == WL_OPERAND_VGPR && a->reg == b->reg && a->count == b->count;
}

/* The last instruction of the piece before `inst` that writes the operand; NULL if there is none. */
static const struct wl_inst *writer(const struct wl_unit *unit, const struct wl_piece *piece, const struct wl_inst *inst,
                                    const struct wl_operand *operand)
{
    for (const struct wl_inst *before = inst; before-- > unit->insts + piece->first;)
        if (touches(before, operand, unit->request->wave_size))
            return before;
    return NULL;
}

/* v_div_fixup of a v_div_fmas result is the division itself; its first operand is not read any more, so that nothing of the
 * sequence before it stays alive. EXEC does not change within a piece. */
static void simplify_division(const struct wl_unit *unit, const struct wl_piece *piece, struct wl_inst *inst)
{
    bool is_double = !strcmp(inst->mnemonic, "v_div_fixup_f64");
    if ((!is_double && strcmp(inst->mnemonic, "v_div_fixup_f32") != 0) || inst->operand_count != 4)
        return;
    struct wl_operand *quotient = &inst->operands[1];
    if (quotient->kind != WL_OPERAND_VGPR || quotient->neg || quotient->abs)
        return;
    const struct wl_inst *fmas = writer(unit, piece, inst, quotient);
    if (!fmas || strcmp(fmas->mnemonic, is_double ? "v_div_fmas_f64" : "v_div_fmas_f32") != 0 || !same_row(&fmas->operands[0], quotient) ||
        fmas->omod || fmas->clamp)
        return;
    const struct wl_sem *whole = wl_sem_find(is_double ? "v_div_fixup_f64_after_fmas" : "v_div_fixup_f32_after_fmas", NULL);
    if (!whole)
        return;
    inst->sem = whole;
    *quotient = (struct wl_operand){.kind = WL_OPERAND_IMM, .count = 1};
}

void wl_unit_idioms(struct wl_unit *unit)
{
    for (uint32_t p = 0; p < unit->piece_count; p++)
        for (uint32_t i = 0; i < unit->pieces[p].count; i++)
            simplify_division(unit, &unit->pieces[p], &unit->insts[unit->pieces[p].first + i]);
}
