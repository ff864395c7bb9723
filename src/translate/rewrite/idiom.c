/* Replaces known sequences of instructions, before the unit is analysed, by single operations with the same result. */
#include "translate/rewrite/rewrite.h"
#include "translate/rewrite/trace.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <math.h>
#include <stdio.h>
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

/* The last instruction of the basic block before `inst` that writes the operand; NULL if there is none. */
static const struct wl_inst *writer(const struct wl_unit *unit, const struct wl_block *block, const struct wl_inst *inst,
                                    const struct wl_operand *operand) {
    for (const struct wl_inst *before = inst; before-- > unit->insts + block->first;)
        if (touches(before, operand, unit->request->wave_size))
            return before;
    return NULL;
}

/* v_div_fixup of a v_div_fmas result becomes the whole division. It does not read its first operand any more, so that nothing of the
 * sequence before it stays live. EXEC does not change within a basic block. */
static void simplify_division(const struct wl_unit *unit, const struct wl_block *block, struct wl_inst *inst) {
    bool is_double = !strcmp(inst->mnemonic, "v_div_fixup_f64");
    if ((!is_double && strcmp(inst->mnemonic, "v_div_fixup_f32") != 0) || inst->operand_count != 4)
        return;
    struct wl_operand *quotient = &inst->operands[1];
    if (quotient->kind != WL_OPERAND_VGPR || quotient->neg || quotient->abs)
        return;
    const struct wl_inst *fmas = writer(unit, block, inst, quotient);
    if (!fmas || strcmp(fmas->mnemonic, is_double ? "v_div_fmas_f64" : "v_div_fmas_f32") != 0 || !same_row(&fmas->operands[0], quotient) ||
        fmas->omod || fmas->clamp)
        return;
    const struct wl_sem *whole = wl_sem_find(is_double ? "v_div_fixup_f64_after_fmas" : "v_div_fixup_f32_after_fmas", NULL);
    if (!whole)
        return;
    inst->sem = whole;
    *quotient = (struct wl_operand){.kind = WL_OPERAND_IMM, .count = 1};
}

/* ---- scales around v_rsq_f32: the hardware's instruction flushes denormals and needs them; the function here does not ---- */

bool wl_trace_is_plain(const struct wl_inst *inst, const char *mnemonic, unsigned operands) {
    if (strcmp(inst->mnemonic, mnemonic) != 0 || inst->operand_count != operands || inst->omod || inst->clamp || inst->is_dpp ||
        inst->is_sdwa || inst->paired || !inst->size || inst->index_mode)
        return false;
    for (unsigned i = 0; i < operands; i++)
        if (inst->operands[i].neg || inst->operands[i].abs)
            return false;
    return true;
}

static bool writes_scalar(const struct wl_effects *effects, const struct wl_operand *operand) {
    for (unsigned i = 0; i < operand->count; i++)
        if (wl_bit(effects->touch.scalar, operand->reg + i))
            return true;
    return false;
}

static bool writes(const struct wl_unit *unit, const struct wl_inst *inst, const struct wl_operand *operand) {
    struct wl_effects effects;
    if (operand->kind == WL_OPERAND_VGPR)
        return touches(inst, operand, unit->request->wave_size);
    wl_inst_effects(inst, unit->request->wave_size, &effects);
    return writes_scalar(&effects, operand);
}

const struct wl_inst *wl_trace_writer(const struct wl_unit *unit, const struct wl_block *block, const struct wl_inst *inst,
                                      const struct wl_operand *operand) {
    for (const struct wl_inst *before = inst; before-- > unit->insts + block->first;)
        if (writes(unit, before, operand))
            return before;
    return NULL;
}

/* The one instruction of a kernel that writes a register, if it stands at the kernel's begin: all other instructions see what it wrote. */
static const struct wl_inst *only_writer(const struct wl_unit *unit, const struct wl_operand *operand) {
    const struct wl_block *entry = &unit->blocks[unit->entry];
    const struct wl_inst *found = NULL;
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (writes(unit, &unit->insts[i], operand)) {
            if (found || i < entry->first || i >= entry->first + entry->count)
                return NULL;
            found = &unit->insts[i];
        }
    return unit->request->is_kernel ? found : NULL;
}

/* The f32 number that an operand of an instruction is known to be; NaN: it is not known. */
static double known_number(const struct wl_unit *unit, const struct wl_block *block, const struct wl_inst *inst,
                           const struct wl_operand *operand) {
    union {
        uint32_t bits;
        float value;
    } f32 = {.bits = UINT32_MAX};
    if (operand->kind == WL_OPERAND_VGPR || operand->kind == WL_OPERAND_SGPR) {
        const struct wl_inst *move = wl_trace_writer(unit, block, inst, operand);
        if (!move)
            move = only_writer(unit, operand);
        operand = move && (wl_trace_is_plain(move, "v_mov_b32", 2) || wl_trace_is_plain(move, "s_mov_b32", 2)) ? &move->operands[1] : NULL;
    }
    if (operand && operand->kind == WL_OPERAND_IMM)
        f32.bits = (uint32_t)wl_operand_bits(operand, 32, true, false);
    return (double)f32.value;
}

/* A multiplication by `scale` in the lanes where a comparison holds, and by 1 in the others. */
struct scaled {
    const struct wl_inst *comparison;
    const struct wl_operand *value; /* what is scaled */
    double scale;
};

static bool find_scaled(const struct wl_unit *unit, const struct wl_block *block, const struct wl_inst *product, struct scaled *found) {
    if (!product || !wl_trace_is_plain(product, "v_mul_f32", 3))
        return false;
    for (unsigned i = 1; i <= 2; i++) {
        const struct wl_operand *factor = &product->operands[i];
        const struct wl_inst *choice = factor->kind == WL_OPERAND_VGPR ? wl_trace_writer(unit, block, product, factor) : NULL;
        if (!choice || !wl_trace_is_plain(choice, "v_cndmask_b32", 4) || !same_row(&choice->operands[0], factor) ||
            choice->operands[3].kind != WL_OPERAND_SGPR || known_number(unit, block, choice, &choice->operands[1]) != 1)
            continue;
        *found = (struct scaled){.comparison = wl_trace_writer(unit, block, choice, &choice->operands[3]),
                                 .value = &product->operands[3 - i],
                                 .scale = known_number(unit, block, choice, &choice->operands[2])};
        return found->comparison && found->scale > 1;
    }
    return false;
}

/* The limit below which a comparison of a row holds, if the row does not change from there to `until`; NaN: it is another comparison. */
static double upper_limit(const struct wl_unit *unit, const struct wl_block *block, const struct wl_inst *comparison,
                          const struct wl_operand *row, const struct wl_inst *until) {
    bool greater = wl_trace_is_plain(comparison, "v_cmp_gt_f32", 3);
    if (!greater && !wl_trace_is_plain(comparison, "v_cmp_lt_f32", 3))
        return (double)NAN;
    const struct wl_operand *compared = &comparison->operands[greater ? 2 : 1], *limit = &comparison->operands[greater ? 1 : 2];
    if (!same_row(compared, row) || wl_trace_writer(unit, block, until, row) > comparison)
        return (double)NAN;
    return known_number(unit, block, comparison, limit);
}

/* The next instruction that reads the row that `inst` wrote, if that instruction also overwrites the row: nobody else sees the row's
 * value. */
static struct wl_inst *replacing_reader(const struct wl_unit *unit, const struct wl_block *block, struct wl_inst *inst,
                                        const struct wl_operand *row) {
    struct wl_effects effects;
    for (struct wl_inst *next = inst + 1; next < unit->insts + block->first + block->count; next++) {
        wl_inst_effects(next, unit->request->wave_size, &effects);
        if (wl_bit(effects.use.vector, row->reg) || wl_bit(effects.use_lanes, row->reg))
            return same_row(&next->operands[0], row) ? next : NULL;
        if (wl_bit(effects.touch.vector, row->reg) || wl_bit(effects.def_lanes, row->reg))
            return NULL;
    }
    return NULL;
}

static void make_move(struct wl_inst *inst, const struct wl_operand *from, const struct wl_sem *move) {
    struct wl_operand source = *from;
    snprintf(inst->mnemonic, sizeof inst->mnemonic, "v_mov_b32");
    inst->sem = move;
    inst->isa = NULL;
    inst->operand_count = 2;
    inst->operands[1] = source;
}

/* Makes v_rsq(x) of s * v_rsq(x * s * s), where s is 1 or, for small x, a power of 2. The products become moves. Not where denormals are flushed as
 * on the hardware. */
static void simplify_root(const struct wl_unit *unit, const struct wl_block *block, struct wl_inst *root) {
    enum { LARGEST = 100 }; /* exponents that cannot overflow: of the squared scale, and of the limit times the squared scale */
    struct scaled before, after;
    if (unit->request->matrix_sums == WL_SUMS_HARDWARE || !wl_trace_is_plain(root, "v_rsq_f32", 2) ||
        !same_row(&root->operands[0], &root->operands[1]))
        return;
    const struct wl_operand *row = &root->operands[0];
    const struct wl_inst *up = wl_trace_writer(unit, block, root, row);
    if (!find_scaled(unit, block, up, &before))
        return;
    struct wl_inst *product = &unit->insts[up - unit->insts], *down = replacing_reader(unit, block, root, row);
    if (replacing_reader(unit, block, product, row) != root || !find_scaled(unit, block, down, &after) || !same_row(after.value, row) ||
        after.comparison != before.comparison || before.value->kind != WL_OPERAND_VGPR)
        return;
    double limit = upper_limit(unit, block, before.comparison, before.value, up), most = ldexp(1, LARGEST);
    int exponent;
    const struct wl_sem *move = wl_sem_find("v_mov_b32", NULL);
    if (frexp(after.scale, &exponent) != 0.5 || before.scale != after.scale * after.scale || !(before.scale <= most) || !(limit <= 1) ||
        !move)
        return;
    make_move(product, before.value, move);
    make_move(down, row, move);
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
 * (lift/inst/indexed.c). */
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

static bool hand_on(uint8_t *states, uint32_t block, uint8_t state) {
    if (block == WL_NO_BLOCK || states[block] == state)
        return true;
    bool first = states[block] == INDEX_UNKNOWN;
    states[block] = state;
    return first;
}

/* Follows the indexing mode from basic block to basic block. At each basic block it must be the same on all ways to there. */
static enum wl_status follow_index_mode(struct wl_unit *unit, uint8_t *states) {
    memset(states, INDEX_UNKNOWN, unit->block_count);
    states[unit->entry] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            uint8_t state = states[p];
            if (state == INDEX_UNKNOWN)
                continue;
            for (uint32_t i = 0; i < block->count; i++)
                state = index_step(state, &unit->insts[block->first + i]);
            bool fresh = (block->next != WL_NO_BLOCK && states[block->next] == INDEX_UNKNOWN) ||
                         (block->target != WL_NO_BLOCK && states[block->target] == INDEX_UNKNOWN);
            if (!hand_on(states, block->next, state) || !hand_on(states, block->target, state))
                return cannot_index(unit, &unit->insts[block->first + block->count - 1]);
            changed |= fresh;
        }
    }
    return WL_OK;
}

static enum wl_status resolve_indexing(struct wl_unit *unit) {
    uint8_t *states = malloc(unit->block_count + 1);
    if (!states)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u basic blocks", unit->block_count);
    enum wl_status status = follow_index_mode(unit, states);
    for (uint32_t p = 0; p < unit->block_count && !status; p++) {
        uint8_t state = states[p] == INDEX_UNKNOWN ? 0 : states[p];
        for (uint32_t i = 0; i < unit->blocks[p].count && !status; i++) {
            struct wl_inst *inst = &unit->insts[unit->blocks[p].first + i];
            state = index_step(state, inst);
            status = index_inst(unit, inst, state);
        }
    }
    free(states);
    return status;
}

enum wl_status wl_unit_idioms(struct wl_unit *unit) {
    bool indexes = false;
    for (uint32_t p = 0; p < unit->block_count; p++)
        for (uint32_t i = 0; i < unit->blocks[p].count; i++) {
            struct wl_inst *inst = &unit->insts[unit->blocks[p].first + i];
            indexes |= inst->isa && inst->isa->class == WL_ISA_MOVREL && inst->isa->detail == WL_MOVREL_INDEX_ON;
            simplify_division(unit, &unit->blocks[p], inst);
            simplify_root(unit, &unit->blocks[p], inst);
        }
    return indexes ? resolve_indexing(unit) : WL_OK;
}
