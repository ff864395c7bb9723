/* What loops that only look count (unit.h, struct wl_counting).
 *
 * Such a loop may look at something else, or give up, after so many rounds. Who waits in it can be told how many rounds it would have made
 * meanwhile, if nothing but its counters tells one round from the next one: a register of 32 bits to which one instruction adds a constant,
 * which others compare with what stays the same, or set to something else, and which nothing else reads. */
#include "translate/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CANDIDATES = 8, MOST_STEP = 1 << 16 };

struct candidate {
    const struct wl_inst *adds;
    struct wl_counter counter;
    bool bad;
    bool gone; /* at this place of a basic block the register has something else, in lanes that are on */
};

struct area {
    const struct wl_unit *unit;
    const uint32_t *of_block;
    uint32_t number;
    struct wl_regs written;
    struct candidate candidates[MOST_CANDIDATES];
    unsigned count;
};

static bool is_plain(const struct wl_inst *inst) { return !inst->is_dpp && !inst->is_sdwa && !inst->clamp && !inst->omod; }

static bool is_register(const struct wl_operand *operand) {
    return (operand->kind == WL_OPERAND_SGPR && operand->reg < WL_SGPR_VCC) || operand->kind == WL_OPERAND_VGPR;
}

static uint32_t number_of(const struct wl_operand *operand) {
    return operand->kind == WL_OPERAND_VGPR ? WL_COUNTER_VECTOR + operand->reg : operand->reg;
}

static bool has(const uint64_t *scalar, const uint64_t *vector, uint32_t reg) {
    return reg < WL_COUNTER_VECTOR ? scalar && wl_bit(scalar, reg) : wl_bit(vector, reg - WL_COUNTER_VECTOR);
}

/* Whether an instruction adds a constant to a register. */
static bool adds_constant(const struct wl_inst *inst, struct wl_counter *counter) {
    static const struct {
        const char *name;
        bool subtracts;
    } names[] = {{"s_add_i32", false},    {"s_add_u32", false},    {"s_addk_i32", false},  {"s_sub_i32", true},   {"s_sub_u32", true},
                 {"v_add_nc_u32", false}, {"v_add_co_u32", false}, {"v_sub_nc_u32", true}, {"v_sub_co_u32", true}};
    size_t n = 0;
    while (n < sizeof names / sizeof *names && strcmp(inst->mnemonic, names[n].name) != 0)
        n++;
    if (n == sizeof names / sizeof *names || !is_plain(inst) || inst->operand_count < 2 || !is_register(&inst->operands[0]))
        return false;
    const struct wl_operand *to = &inst->operands[0], *second = &inst->operands[inst->operand_count - 1],
                            *first = inst->operand_count == 2 ? to : second - 1;
    const struct wl_operand *constant = second->kind == WL_OPERAND_IMM ? second : first, *from = constant == second ? first : second;
    const int32_t value = (int32_t)constant->bits;
    if (constant->kind != WL_OPERAND_IMM || constant->is_float || from->kind != to->kind || from->reg != to->reg || from->count > 1 ||
        (names[n].subtracts && constant != second) || value == 0 || value > MOST_STEP || value < -MOST_STEP)
        return false;
    *counter = (struct wl_counter){.reg = number_of(to), .step = names[n].subtracts ? -value : value};
    return true;
}

/* Whether an instruction reads the counter to compare it with what stays the same in the loops, which is added to its bounds then. */
static bool compares(const struct area *a, const struct wl_inst *inst, struct wl_counter *counter) {
    static const char *const names[] = {"s_cmp_", "s_cmpk_", "v_cmp_", "v_cmpx_"}, *const types[] = {"_i32", "_u32", "_i64", "_u64"};
    bool named = false, typed = false;
    for (unsigned i = 0; i < 4; i++) {
        named |= strncmp(inst->mnemonic, names[i], strlen(names[i])) == 0;
        const size_t length = strlen(inst->mnemonic);
        typed |= length > 4 && strcmp(inst->mnemonic + length - 4, types[i]) == 0;
    }
    if (!named || !typed || !is_plain(inst) || inst->operand_count < 2 || counter->bound_count == WL_LOOP_BOUNDS)
        return false;
    const struct wl_operand *pair = &inst->operands[inst->operand_count - 2];
    const struct wl_operand *other = is_register(&pair[0]) && number_of(&pair[0]) == counter->reg ? &pair[1] : &pair[0];
    const struct wl_operand *own = other == &pair[1] ? &pair[0] : &pair[1];
    if (!is_register(own) || number_of(own) != counter->reg)
        return false; /* the high half of something */
    if (other->kind == WL_OPERAND_IMM && !other->is_float)
        counter->bounds[counter->bound_count++] = (struct wl_bound){.value = (uint32_t)other->bits};
    else if (is_register(other) && !wl_regs_has(&a->written, other))
        counter->bounds[counter->bound_count++] = (struct wl_bound){.is_register = 1, .value = number_of(other)};
    else
        return false;
    return true;
}

static void look_at(struct area *a, const struct wl_inst *inst) {
    struct wl_effects effects;
    wl_inst_effects(inst, a->unit->request->wave_size, &effects);
    for (unsigned c = 0; c < a->count; c++) {
        struct candidate *candidate = &a->candidates[c];
        const uint32_t reg = candidate->counter.reg;
        if (candidate->adds == inst) {
            candidate->bad |= candidate->gone;
            continue;
        }
        if (has(effects.use.scalar, effects.use.vector, reg) && !candidate->gone)
            candidate->bad |= !compares(a, inst, &candidate->counter);
        candidate->gone |= has(effects.def.scalar, effects.def.vector, reg);
        candidate->bad |= has(NULL, effects.use_lanes, reg) || has(NULL, effects.def_lanes, reg) ||
                          (has(effects.touch.scalar, effects.touch.vector, reg) && !has(effects.def.scalar, effects.def.vector, reg));
    }
}

static void note_written(struct area *a, const struct wl_inst *inst) {
    struct wl_effects effects;
    struct candidate *next = &a->candidates[a->count];
    wl_inst_effects(inst, a->unit->request->wave_size, &effects);
    (void)wl_regs_add(&a->written, &effects.touch);
    wl_rows_add(a->written.vector, effects.def_lanes);
    if (a->count < MOST_CANDIDATES && adds_constant(inst, &next->counter)) {
        next->adds = inst;
        a->count++;
    }
}

static void for_each(struct area *a, void (*function)(struct area *a, const struct wl_inst *inst)) {
    for (uint32_t p = 0; p < a->unit->block_count; p++) {
        const struct wl_block *block = &a->unit->blocks[p];
        for (unsigned c = 0; c < a->count; c++)
            a->candidates[c].gone = false;
        for (uint32_t i = 0; a->of_block[p] == a->number && i < block->count; i++)
            function(a, &a->unit->insts[block->first + i]);
    }
}

/* False: nothing is counted. */
static bool find_counters(const struct wl_unit *unit, const uint32_t *of_block, uint32_t number, struct wl_counting *counting) {
    struct area a = {.unit = unit, .of_block = of_block, .number = number};
    for_each(&a, note_written);
    for_each(&a, look_at);
    memset(counting, 0, sizeof *counting);
    for (unsigned c = 0; c < a.count && counting->counter_count < WL_LOOP_COUNTERS; c++)
        if (!a.candidates[c].bad)
            counting->counters[counting->counter_count++] = a.candidates[c].counter;
    memcpy(counting->scalars, a.written.scalar, sizeof counting->scalars);
    memcpy(counting->rows, a.written.vector, sizeof counting->rows);
    return counting->counter_count;
}

/* Gives basic blocks between which waves go without leaving such loops the same number: 1 + that of the first. */
static void number_areas(const struct wl_unit *unit, uint32_t *of_block) {
    for (uint32_t p = 0; p < unit->block_count; p++)
        of_block[p] = unit->blocks[p].only_looks ? p + 1 : 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const uint32_t to[2] = {unit->blocks[p].next, unit->blocks[p].target};
            for (unsigned i = 0; of_block[p] && i < 2; i++) {
                if (to[i] == WL_NO_BLOCK || !of_block[to[i]] || of_block[to[i]] == of_block[p])
                    continue;
                const uint32_t least = of_block[p] < of_block[to[i]] ? of_block[p] : of_block[to[i]];
                of_block[p] = of_block[to[i]] = least;
                changed = true;
            }
        }
    }
}

uint32_t wl_unit_find_counting(const struct wl_unit *unit, uint16_t *looks, struct wl_counting **counting) {
    uint32_t *of_block = calloc(unit->block_count + 1, sizeof *of_block), count = 0, areas = 0;
    *counting = NULL;
    for (uint32_t p = 0; p < unit->block_count; p++)
        looks[p] = unit->blocks[p].only_looks;
    if (of_block)
        number_areas(unit, of_block);
    for (uint32_t p = 0; of_block && p < unit->block_count; p++)
        areas += of_block[p] == p + 1;
    *counting = areas ? calloc(areas, sizeof **counting) : NULL;
    for (uint32_t first = 0; *counting && first < unit->block_count; first++) {
        if (of_block[first] != first + 1 || count == UINT16_MAX - 2 || !find_counters(unit, of_block, first + 1, &(*counting)[count]))
            continue;
        for (uint32_t p = 0; p < unit->block_count; p++)
            if (of_block[p] == first + 1)
                looks[p] = (uint16_t)(2 + count);
        count++;
    }
    free(of_block);
    return count;
}
