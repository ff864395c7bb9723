/* Moves scalar work on comparisons down to where its result is needed.
 *
 * A scalar instruction that reads what a vector instruction made (the mask of a comparison) ends a vector region: all strips must be
 * done first, and what is live in between goes to memory. Compilers for GPUs put such work early, to hide its latency. This
 * pass moves it down behind all instructions that do not depend on it, so that the vector region goes on. */
#include "translate/rewrite/rewrite.h"

#include "base/status.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdlib.h>
#include <string.h>

static bool meet(const uint64_t *a, const uint64_t *b) { return wl_sets_meet(a, b, 2); }

static bool is_vector(const struct wl_inst *inst) { return inst->sem && !inst->sem->scalar; }

/* Scalar arithmetic: registers in, registers out. */
static bool is_scalar(const struct wl_inst *inst) { return inst->sem && inst->sem->scalar; }

/* What a scalar instruction may pass, as far as registers allow. */
static bool may_pass(const struct wl_inst *inst) {
    if (inst->index_mode)
        return false;
    if (inst->sem)
        return true;
    return inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC ||
                         inst->isa->class == WL_ISA_NOP);
}

static bool independent(const struct wl_effects *moved, const struct wl_effects *passed) {
    return !meet(moved->use.scalar, passed->touch.scalar) && !meet(moved->touch.scalar, passed->use.scalar) &&
           !meet(moved->touch.scalar, passed->touch.scalar);
}

/* Marks the scalar instructions that depend on vector instructions of the basic block. */
static bool find_dependent(const struct wl_inst *insts, const struct wl_effects *effects, uint32_t count, bool *dependent) {
    uint64_t made[2] = {0};
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        dependent[i] = is_scalar(&insts[i]) && meet(effects[i].use.scalar, made);
        any |= dependent[i];
        for (unsigned w = 0; w < 2; w++)
            if (is_vector(&insts[i]) || dependent[i])
                made[w] |= effects[i].touch.scalar[w];
            else
                made[w] &= ~effects[i].def.scalar[w];
    }
    return any;
}

/* Moves instruction i down as far as it may go. The basic block's first and last instructions stay where they are, and nothing goes
 * between the two of a pair. */
static void sink(struct wl_inst *insts, struct wl_effects *effects, uint32_t count, uint32_t i) {
    uint32_t to = i;
    for (uint32_t j = i + 1; j + 1 < count && may_pass(&insts[j]) && independent(&effects[i], &effects[j]); j++)
        if (!insts[j].paired)
            to = j;
    if (to == i)
        return;
    struct wl_inst inst = insts[i];
    struct wl_effects its = effects[i];
    memmove(&insts[i], &insts[i + 1], (to - i) * sizeof *insts);
    memmove(&effects[i], &effects[i + 1], (to - i) * sizeof *effects);
    insts[to] = inst;
    effects[to] = its;
}

enum wl_status wl_unit_schedule(struct wl_unit *unit) {
    uint32_t longest = 0;
    for (uint32_t p = 0; p < unit->block_count; p++)
        longest = unit->blocks[p].count > longest ? unit->blocks[p].count : longest;
    struct wl_effects *effects = malloc((longest + 1) * sizeof *effects);
    bool *dependent = malloc(longest + 1);
    for (uint32_t p = 0; effects && dependent && p < unit->block_count; p++) {
        uint32_t count = unit->blocks[p].count;
        struct wl_inst *insts = unit->insts + unit->blocks[p].first;
        for (uint32_t i = 0; i < count; i++)
            wl_inst_effects(&insts[i], unit->request->wave_size, &effects[i]);
        if (!find_dependent(insts, effects, count, dependent))
            continue;
        for (uint32_t i = count; i-- > 1;)
            if (dependent[i])
                sink(insts, effects, count, i);
    }
    bool ok = effects && dependent;
    free(effects);
    free(dependent);
    return ok ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory to order instructions");
}
