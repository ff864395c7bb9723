#include "translate/analysis/saved_exec.h"

#include "translate/isa/isa.h"

#include <stdlib.h>
#include <string.h>

struct wl_saves {
    uint8_t *kills;    /* by instruction: places that it writes to */
    uint8_t *saves;    /* the place in which it leaves EXEC as it was before */
    uint8_t *restores; /* the place whose value EXEC has behind it, if the place is valid */
    uint8_t *turns;    /* the place from which it takes the lanes of EXEC away */
    uint8_t *takes;    /* the place whose lanes it gives EXEC, without those that EXEC had */
};

/* The first places of a unit, in the order in which they are found; further ones are not looked at. */
struct places {
    unsigned count, registers; /* registers of a mask */
    unsigned reg[WL_SAVED_PLACES];
};

static bool is_mask(const struct wl_operand *operand, const struct places *p) {
    return operand->kind == WL_OPERAND_SGPR && operand->count >= p->registers;
}
static bool is_exec(const struct wl_operand *operand, const struct places *p) {
    return is_mask(operand, p) && operand->reg == WL_SGPR_EXEC;
}

/* The operand that receives EXEC as it was before the instruction, or NULL. */
static const struct wl_operand *saved_to(const struct wl_inst *inst, const struct places *p) {
    const struct wl_operand *op = inst->operands;
    const bool saveexec = inst->isa && inst->isa->class == WL_ISA_SAVEEXEC && inst->isa->detail <= WL_SAVE_XNOR;
    const bool move = inst->operand_count == 2 && !strncmp(inst->mnemonic, "s_mov_b", 7) && is_exec(&op[1], p);
    return (saveexec || move) && is_mask(&op[0], p) && op[0].reg < WL_SGPR_EXEC ? &op[0] : NULL;
}

/* The register from which an instruction may restore EXEC: EXEC takes its value, or gets the lanes in it added. */
static const struct wl_operand *restored_from(const struct wl_inst *inst, const struct places *p) {
    const struct wl_operand *op = inst->operands;
    if (inst->operand_count < 2 || !is_exec(&op[0], p))
        return NULL;
    if (inst->operand_count == 2 && !strncmp(inst->mnemonic, "s_mov_b", 7))
        return is_mask(&op[1], p) ? &op[1] : NULL;
    if (inst->operand_count != 3 || strncmp(inst->mnemonic, "s_or_b", 6) != 0)
        return NULL;
    const unsigned other = is_exec(&op[1], p) ? 2 : 1;
    return is_exec(&op[3 - other], p) && is_mask(&op[other], p) ? &op[other] : NULL;
}

/* The register that holds an earlier EXEC, and behind the instruction its lanes that EXEC has not. */
static const struct wl_operand *turned(const struct wl_inst *inst, const struct places *p) {
    const struct wl_operand *op = inst->operands;
    if (inst->operand_count != 3 || strncmp(inst->mnemonic, "s_xor_b", 7) != 0 || !is_mask(&op[0], p))
        return NULL;
    const unsigned other = is_exec(&op[1], p) ? 2 : 1;
    return is_exec(&op[3 - other], p) && is_mask(&op[other], p) && op[other].reg == op[0].reg ? &op[0] : NULL;
}

/* The register with such lanes, which EXEC has behind the instruction. */
static const struct wl_operand *taken_from(const struct wl_inst *inst, const struct places *p) {
    const bool takes = inst->isa && inst->isa->class == WL_ISA_SAVEEXEC && inst->isa->detail == WL_SAVE_ANDN2;
    return takes && is_mask(&inst->operands[1], p) ? &inst->operands[1] : NULL;
}

static uint8_t place_of(const struct places *p, unsigned reg) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->reg[i] == reg)
            return (uint8_t)(1u << i);
    return 0;
}

static uint8_t places_written(const struct places *p, const struct wl_effects *effects) {
    uint8_t written = 0;
    for (unsigned i = 0; i < p->count; i++)
        for (unsigned r = 0; r < p->registers; r++)
            if (wl_bit(effects->touch.scalar, p->reg[i] + r))
                written |= (uint8_t)(1u << i);
    return written;
}

static void find_places(const struct wl_unit *unit, struct places *p) {
    for (uint32_t i = 0; i < unit->inst_count && p->count < WL_SAVED_PLACES; i++) {
        const struct wl_operand *to = saved_to(&unit->insts[i], p);
        if (to && !place_of(p, to->reg))
            p->reg[p->count++] = to->reg;
    }
}

struct wl_saves *wl_saves_create(const struct wl_unit *unit) {
    struct wl_saves *saves = calloc(1, sizeof *saves);
    struct places p = {.registers = unit->request->wave_size / 32};
    struct wl_effects effects;
    uint8_t *tables = calloc((size_t)unit->inst_count + 1, 5);
    if (!saves || !tables) {
        free(saves);
        free(tables);
        return NULL;
    }
    saves->kills = tables;
    saves->saves = tables + unit->inst_count;
    saves->restores = saves->saves + unit->inst_count;
    saves->turns = saves->restores + unit->inst_count;
    saves->takes = saves->turns + unit->inst_count;
    find_places(unit, &p);
    for (uint32_t i = 0; p.count && i < unit->inst_count; i++) {
        const struct wl_operand *to = saved_to(&unit->insts[i], &p), *from = restored_from(&unit->insts[i], &p);
        wl_inst_effects(&unit->insts[i], unit->request->wave_size, &effects);
        saves->kills[i] = places_written(&p, &effects);
        saves->saves[i] = to ? place_of(&p, to->reg) : 0;
        saves->restores[i] = from ? place_of(&p, from->reg) : 0;
        from = turned(&unit->insts[i], &p);
        saves->turns[i] = from ? place_of(&p, from->reg) : 0;
        from = taken_from(&unit->insts[i], &p);
        saves->takes[i] = from && to ? place_of(&p, from->reg) : 0;
    }
    return saves;
}

void wl_saves_destroy(struct wl_saves *saves) {
    if (!saves)
        return;
    free(saves->kills);
    free(saves);
}

static unsigned number(uint8_t place) { return (unsigned)__builtin_ctz(place); }

/* EXEC gets the lanes that `from` holds, and `place` those that EXEC had. Both together are what `from` held before it was turned, and what is
 * known of that is known of `place` now. */
static void take_others(struct wl_facts *facts, uint8_t from, uint8_t place, unsigned rows) {
    struct wl_saved *saved = &facts->saved;
    saved->outer[number(place)] = saved->outer[number(from)];
    saved->entry = (uint8_t)((saved->entry & ~place) | (saved->entry & from ? place : 0));
    saved->valid |= place;
    saved->partly |= place;
    saved->rest |= place;
    for (unsigned row = 0; row < rows; row++)
        facts->row[row].since = (uint8_t)((facts->row[row].since & ~place) | (facts->row[row].since & from ? place : 0));
}

void wl_saves_step(const struct wl_saves *saves, uint32_t index, struct wl_facts *facts, unsigned rows) {
    struct wl_saved *saved = &facts->saved;
    const uint8_t place = saves->saves[index], kept = (uint8_t)~saves->kills[index];
    const uint8_t turned = saves->turns[index] & saved->valid & (uint8_t)~saved->partly, taken = saves->takes[index] & saved->others;
    saved->valid &= kept;
    saved->others = (uint8_t)((saved->others & kept) | turned);
    saved->rest &= kept;
    if (!place)
        return;
    if (taken) {
        take_others(facts, taken, place, rows);
        return;
    }
    saved->outer[number(place)] = saved->valid;
    saved->valid |= place;
    saved->partly &= (uint8_t)~place;
    saved->entry = (uint8_t)((saved->entry & ~place) | (facts->entry_exec ? place : 0));
    for (unsigned row = 0; row < rows; row++)
        facts->row[row].since &= (uint8_t)~place;
}

uint8_t wl_saves_taken(const struct wl_saves *saves, uint32_t index, const struct wl_facts *facts) {
    return saves->takes[index] ? saves->saves[index] & facts->saved.rest : 0;
}

bool wl_saved_is_entry(const struct wl_saved *saved, uint8_t place) {
    return saved->entry & place && (!(saved->partly & place) || saved->rest & place);
}

uint8_t wl_saves_restored(const struct wl_saves *saves, uint32_t index, const struct wl_facts *facts) {
    return saves->restores[index] & facts->saved.valid;
}

void wl_saved_change(struct wl_saved *saved, uint8_t place) {
    const uint8_t all = saved->valid & saved->entry; /* EXEC never has lanes beyond those of the kernel's entry */
    saved->valid = (place ? (saved->outer[number(place)] & saved->valid) | place : 0) | all;
}

bool wl_saved_join(struct wl_saved *to, const struct wl_saved *from) {
    const struct wl_saved was = *to;
    to->valid &= from->valid;
    to->entry &= from->entry;
    to->others &= from->others;
    to->partly |= from->partly;
    to->rest &= from->rest;
    for (unsigned i = 0; i < WL_SAVED_PLACES; i++)
        to->outer[i] &= from->outer[i];
    return memcmp(&was, to, sizeof was) != 0;
}
