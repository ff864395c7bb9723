/* Which loops gain by being run for one strip after the other. */
#include "translate/analysis/strip_loop.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <string.h>

static const struct wl_inst *loop_inst(const struct wl_unit *unit, const struct wl_strip_loop *loop, uint32_t block, uint32_t n) {
    const struct wl_block *p = &unit->blocks[loop->blocks[block]];
    return n < p->count ? &unit->insts[p->first + n] : NULL;
}

/* If the last two operands are a vector register and a scalar: the vector register; else -1. `beside`: the scalar, or NULL. */
static int beside_scalar(const struct wl_inst *inst, const struct wl_operand **beside) {
    if (inst->operand_count < 2 || inst->is_dpp || inst->is_sdwa)
        return -1;
    const struct wl_operand *a = &inst->operands[inst->operand_count - 2], *b = a + 1;
    const struct wl_operand *vector = a->kind == WL_OPERAND_VGPR ? a : b, *scalar = vector == a ? b : a;
    bool fits =
        vector->kind == WL_OPERAND_VGPR && vector->count == 1 && (scalar->kind == WL_OPERAND_SGPR || scalar->kind == WL_OPERAND_IMM);
    if (beside)
        *beside = scalar;
    return fits ? vector->reg : -1;
}

/* Whether all that the loop does to a row is to add scalars to it, constants among them no less than `least`. */
static bool adds_to(const struct wl_unit *unit, const struct wl_strip_loop *loop, int row, int32_t least) {
    const struct wl_inst *inst;
    struct wl_effects effects;
    bool counts = false;
    for (uint32_t p = 0; p < loop->count; p++)
        for (uint32_t n = 0; (inst = loop_inst(unit, loop, p, n)); n++) {
            wl_inst_effects(inst, unit->request->wave_size, &effects);
            if (!wl_bit(effects.touch.vector, (unsigned)row))
                continue;
            bool adds = !strcmp(inst->mnemonic, "v_add_nc_u32") || !strcmp(inst->mnemonic, "v_add_co_u32");
            const struct wl_operand *step = NULL;
            if (!adds || inst->clamp || beside_scalar(inst, &step) != row)
                return false;
            if (step->kind == WL_OPERAND_IMM && (int32_t)step->bits < least)
                return false;
            counts = true;
        }
    return counts;
}

bool wl_strip_loop_counts(const struct wl_unit *unit, const struct wl_strip_loop *loop, int row) {
    return adds_to(unit, loop, row, INT32_MIN);
}

/* Adds to `rows` what the loop computes of them. */
static void add_computed(const struct wl_unit *unit, const struct wl_strip_loop *loop, uint64_t rows[WL_ROW_WORDS]) {
    const struct wl_inst *inst;
    struct wl_effects effects;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t p = 0; p < loop->count; p++)
            for (uint32_t n = 0; (inst = loop_inst(unit, loop, p, n)); n++) {
                uint64_t used = 0, added = 0;
                wl_inst_effects(inst, unit->request->wave_size, &effects);
                for (unsigned w = 0; w < WL_ROW_WORDS; w++)
                    used |= effects.use.vector[w] & rows[w];
                for (unsigned w = 0; w < WL_ROW_WORDS && used && inst->sem; w++) {
                    added |= effects.touch.vector[w] & ~rows[w];
                    rows[w] |= effects.touch.vector[w];
                }
                more |= added != 0;
            }
    }
}

/* Whether lanes count by the same steps to the same end and load from where their counters say, or from addresses that go on in step with
 * them, as compilers make them of counters. (A lane that counts down to 0 may have rounds of its own to do.) Such lanes leave the loop in
 * the same round, or nearly so, and what they load lies side by side in each round. */
static bool counts_evenly(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    const struct wl_inst *inst;
    uint64_t rows[WL_ROW_WORDS] = {0};
    bool loads = false, up = true;
    for (uint32_t p = 0; p < loop->count; p++)
        for (uint32_t n = 0; (inst = loop_inst(unit, loop, p, n)); n++) {
            if (strncmp(inst->mnemonic, "v_cmp", 5) != 0)
                continue;
            int counter = beside_scalar(inst, NULL);
            if (counter < 0 || !wl_strip_loop_counts(unit, loop, counter))
                return false;
            up = up && adds_to(unit, loop, counter, 1);
            wl_set(rows, (unsigned)counter);
        }
    add_computed(unit, loop, rows);
    for (uint32_t p = 0; p < loop->count; p++)
        for (uint32_t n = 0; (inst = loop_inst(unit, loop, p, n)); n++) {
            if (!inst->isa || inst->isa->class != WL_ISA_LOAD)
                continue;
            const struct wl_operand *address = &inst->operands[1];
            if (inst->operand_count < 2 || address->kind != WL_OPERAND_VGPR)
                return false;
            if (!wl_bit(rows, address->reg) && !(up && wl_strip_loop_counts(unit, loop, address->reg)))
                return false;
            loads = true;
        }
    return loads;
}

/* Running strip by strip pays for work that waits for memory; arithmetic gains more from strips side by side. */
bool wl_strip_loop_pays(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    enum {
        MOST_WORK = 32, /* vector instructions for each load */
        MOST_INSTS = 400,
    };
    uint32_t insts = 0, loads = 0, work = 0;
    for (uint32_t i = 0; i < loop->count; i++) {
        const struct wl_block *block = &unit->blocks[loop->blocks[i]];
        insts += block->count;
        for (uint32_t n = 0; n < block->count; n++) {
            const struct wl_inst *inst = &unit->insts[block->first + n];
            loads += inst->isa && inst->isa->class == WL_ISA_LOAD;
            work += inst->sem && !inst->sem->scalar;
        }
    }
    return work <= loads * MOST_WORK && loads && insts <= MOST_INSTS && !counts_evenly(unit, loop);
}

/* The scalar tail gains where time goes into the lanes' own accesses; vectors gain where much is computed for each access. Accesses
 * of private memory at places of the lanes' own, and loads of fewer than 32 bits, are made lane by lane in a strip as well. Aggregated atomics
 * all add to one counter, for which all threads wait: a strip adds once for its lanes, single lanes add one by one. */
unsigned wl_strip_loop_few(const struct wl_unit *unit, const struct wl_strip_loop *loop) {
    enum { MOST_INSTS = 120, MOST_WORK = 12, LITTLE_WORK = 5 }; /* work: vector instructions for each access */
    enum { FEW_WITH_AGGREGATES = 8, FEW = 10, ALL = 16 };
    bool has_aggregates = false, has_private = false;
    const struct wl_inst *inst;
    uint32_t insts = 0, accesses = 0, narrow = 0, work = 0;
    for (uint32_t p = 0; p < loop->count; p++)
        for (uint32_t n = 0; (inst = loop_inst(unit, loop, p, n)); n++) {
            bool access =
                inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
            if (access && !wl_inst_is_of_lane(inst) && (inst->isa->space != WL_SPACE_GLOBAL || inst->lds || inst->isa->detail))
                return 0;
            has_private |= wl_inst_is_of_lane(inst) && inst->isa->class == WL_ISA_STORE;
            insts++;
            accesses += access;
            narrow += access && inst->isa->bits < 32;
            work += inst->sem && !inst->sem->scalar;
            has_aggregates |= inst->aggregate != WL_AGGREGATE_NONE;
        }
    const bool apart = loop->writes || has_private || narrow * 2 > accesses;
    if (!apart || insts > MOST_INSTS || work > accesses * MOST_WORK)
        return 0;
    if (has_aggregates)
        return FEW_WITH_AGGREGATES;
    return work > accesses * LITTLE_WORK && narrow * 2 <= accesses ? FEW : ALL;
}
