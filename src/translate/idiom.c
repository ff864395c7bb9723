/* Known sequences of instructions, replaced by what they amount to before the unit is analysed. */
#include "translate/isa.h"
#include "translate/sem.h"
#include "translate/unit.h"

#include <stdlib.h>
#include <string.h>

static bool touches(const struct wl_inst *inst, const struct wl_operand *operand, uint32_t wave_size) {
    struct wl_effects effects;
    wl_inst_effects(inst, wave_size, &effects);
    for (unsigned i = 0; i < operand->count; i++)
        if (wl_bit(effects.touch.vector, operand->reg + i) || wl_bit(effects.def_lanes, operand->reg + i))
            return true;
    return false;
}

static bool same_row(const struct wl_operand *a, const struct wl_operand *b) {
    return a->kind == WL_OPERAND_VGPR && b->kind == WL_OPERAND_VGPR && a->reg == b->reg && a->count == b->count;
}

/* The last instruction of the piece before `inst` that writes the operand; NULL if there is none. */
static const struct wl_inst *writer(const struct wl_unit *unit, const struct wl_piece *piece, const struct wl_inst *inst,
                                    const struct wl_operand *operand) {
    for (const struct wl_inst *before = inst; before-- > unit->insts + piece->first;)
        if (touches(before, operand, unit->request->wave_size))
            return before;
    return NULL;
}

/* v_div_fixup of a v_div_fmas result is the division itself; its first operand is not read any more, so that nothing of the
 * sequence before it stays alive. EXEC does not change within a piece. */
static void simplify_division(const struct wl_unit *unit, const struct wl_piece *piece, struct wl_inst *inst) {
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

/* ---- gfx9: between s_set_gpr_idx_on and _off VALU operands are relative to M0[7:0] ---- */

enum { INDEX_MODE = 15, INDEX_ON = 16, INDEX_UNKNOWN = 255 };

static uint8_t index_step(uint8_t state, const struct wl_inst *inst) {
    if (!inst->isa || inst->isa->class != WL_ISA_MOVREL)
        return state;
    switch (inst->isa->detail) {
    case WL_MOVREL_INDEX_ON:
        return (uint8_t)(INDEX_ON | (inst->operands[1].bits & INDEX_MODE));
    case WL_MOVREL_INDEX_MODE:
        return state & INDEX_ON ? (uint8_t)(INDEX_ON | (inst->operands[0].bits & INDEX_MODE)) : state;
    case WL_MOVREL_INDEX_OFF:
        return 0;
    default:
        return state;
    }
}

static enum wl_status cannot_index(const struct wl_unit *unit, const struct wl_inst *inst) {
    return wl_fail(WL_UNSUPPORTED, "%s: instruction %s at offset 0x%llx is not implemented in indexing mode (s_set_gpr_idx_on)",
                   unit->request->name, inst->mnemonic, (unsigned long long)(inst->address - unit->request->entry));
}

/* A plain v_mov_b32 in indexing mode is the relative move of other generations; others are lifted on copies of the registers
 * (lift_indexed.c). */
static enum wl_status index_inst(const struct wl_unit *unit, struct wl_inst *inst, uint8_t state) {
    bool vector = (inst->sem && !inst->sem->scalar) ||
                  (inst->isa && (inst->isa->class == WL_ISA_CMPX || inst->isa->class == WL_ISA_MATRIX)) ||
                  (inst->isa && inst->isa->class == WL_ISA_LANE && inst->mnemonic[0] == 'v');
    unsigned mode = state & INDEX_MODE;
    if (!vector || !mode)
        return WL_OK;
    if (inst->paired || !inst->size) /* v_swap_b32 */
        return cannot_index(unit, inst);
    if (!inst->sem && strncmp(inst->mnemonic, "v_cmpx", 6) != 0 && strcmp(inst->mnemonic, "v_readlane_b32") != 0 &&
        strcmp(inst->mnemonic, "v_readfirstlane_b32") != 0)
        return cannot_index(unit, inst);
    if (strcmp(inst->mnemonic, "v_mov_b32") != 0 || inst->is_dpp || inst->is_sdwa) {
        inst->index_mode = (uint8_t)mode;
        return WL_OK;
    }
    bool from = mode & WL_INDEX_SRC0 && inst->operands[1].kind == WL_OPERAND_VGPR, to = mode & WL_INDEX_DST;
    if (!from && !to)
        return WL_OK;
    inst->sem = NULL;
    inst->isa = wl_isa_find(from && to ? "v_movrelsd_b32" : from ? "v_movrels_b32" : "v_movreld_b32");
    return WL_OK;
}

static bool hand_on(uint8_t *states, uint32_t piece, uint8_t state) {
    if (piece == WL_NO_PIECE || states[piece] == state)
        return true;
    bool first = states[piece] == INDEX_UNKNOWN;
    states[piece] = state;
    return first;
}

/* Follows the mode from piece to piece; it must not depend on the way. */
static enum wl_status follow_index_mode(struct wl_unit *unit, uint8_t *states) {
    memset(states, INDEX_UNKNOWN, unit->piece_count);
    states[unit->entry] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->piece_count; p++) {
            const struct wl_piece *piece = &unit->pieces[p];
            uint8_t state = states[p];
            if (state == INDEX_UNKNOWN)
                continue;
            for (uint32_t i = 0; i < piece->count; i++)
                state = index_step(state, &unit->insts[piece->first + i]);
            bool fresh = (piece->next != WL_NO_PIECE && states[piece->next] == INDEX_UNKNOWN) ||
                         (piece->target != WL_NO_PIECE && states[piece->target] == INDEX_UNKNOWN);
            if (!hand_on(states, piece->next, state) || !hand_on(states, piece->target, state))
                return cannot_index(unit, &unit->insts[piece->first + piece->count - 1]);
            changed |= fresh;
        }
    }
    return WL_OK;
}

static enum wl_status resolve_indexing(struct wl_unit *unit) {
    uint8_t *states = malloc(unit->piece_count + 1);
    if (!states)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u pieces", unit->piece_count);
    enum wl_status status = follow_index_mode(unit, states);
    for (uint32_t p = 0; p < unit->piece_count && !status; p++) {
        uint8_t state = states[p] == INDEX_UNKNOWN ? 0 : states[p];
        for (uint32_t i = 0; i < unit->pieces[p].count && !status; i++) {
            struct wl_inst *inst = &unit->insts[unit->pieces[p].first + i];
            state = index_step(state, inst);
            status = index_inst(unit, inst, state);
        }
    }
    free(states);
    return status;
}

enum wl_status wl_unit_idioms(struct wl_unit *unit) {
    bool indexes = false;
    for (uint32_t p = 0; p < unit->piece_count; p++)
        for (uint32_t i = 0; i < unit->pieces[p].count; i++) {
            struct wl_inst *inst = &unit->insts[unit->pieces[p].first + i];
            indexes |= inst->isa && inst->isa->class == WL_ISA_MOVREL && inst->isa->detail == WL_MOVREL_INDEX_ON;
            simplify_division(unit, &unit->pieces[p], inst);
        }
    return indexes ? resolve_indexing(unit) : WL_OK;
}
