/* Moves matrix instructions together.
 *
 * A matrix instruction is a call, for which all lanes' registers have to be in memory, and C and D as well. The lifter makes one call of
 * instructions that stand near each other, in which what is added to one D stays in registers (lift/inst/matrix.c). Compilers for GPUs put
 * barriers between matrix instructions, and loads whose results the next products need. So each matrix instruction is moved down, until an
 * instruction reads its result or writes what it reads: those that would have been moved to the same place stand one behind the other then. */
#include "translate/rewrite/rewrite.h"

#include "base/status.h"
#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 64 };

/* Matrix instructions that are still to be placed. */
struct waiting {
    struct wl_inst inst[MOST_WAITING];
    unsigned count;
    struct wl_regs use, touch; /* of all of them */
};

static bool is_matrix(const struct wl_inst *inst) { return inst->isa && inst->isa->class == WL_ISA_MATRIX && !inst->index_mode; }

/* What a matrix instruction may pass, as far as registers allow. */
static bool may_pass(const struct wl_inst *inst) {
    if (inst->index_mode)
        return false;
    if (inst->sem)
        return true;
    switch (inst->isa ? inst->isa->class : WL_ISA_END) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_LANE:
    case WL_ISA_NOP:
        return true;
    default:
        return false;
    }
}

static bool lanes_meet(const uint64_t *lanes, const struct wl_regs *regs) { return wl_sets_meet(lanes, regs->vector, WL_ROW_WORDS); }

/* Whether the instruction has to stay behind those that wait. */
static bool needs(const struct wl_inst *inst, const struct waiting *waiting, uint32_t wave_size) {
    struct wl_effects e;
    wl_inst_effects(inst, wave_size, &e);
    return !may_pass(inst) || wl_regs_meet(&e.use, &waiting->touch) || wl_regs_meet(&e.touch, &waiting->touch) ||
           wl_regs_meet(&e.touch, &waiting->use) || lanes_meet(e.use_lanes, &waiting->touch) || lanes_meet(e.def_lanes, &waiting->touch) ||
           lanes_meet(e.def_lanes, &waiting->use);
}

static void wait(struct waiting *waiting, const struct wl_inst *inst, uint32_t wave_size) {
    struct wl_effects e;
    wl_inst_effects(inst, wave_size, &e);
    waiting->inst[waiting->count++] = *inst;
    (void)wl_regs_add(&waiting->use, &e.use);
    (void)wl_regs_add(&waiting->touch, &e.touch);
    wl_rows_add(waiting->use.vector, e.use_lanes);
    wl_rows_add(waiting->touch.vector, e.def_lanes);
}

/* Places all that wait at `to`; returns the place behind them. */
static struct wl_inst *place(struct waiting *waiting, struct wl_inst *to) {
    memcpy(to, waiting->inst, waiting->count * sizeof *to);
    to += waiting->count;
    waiting->count = 0;
    memset(&waiting->use, 0, sizeof waiting->use);
    memset(&waiting->touch, 0, sizeof waiting->touch);
    return to;
}

/* The basic block's last instruction stays where it is, and so do those before `first`. Nothing goes between the two of a pair. */
static void join(struct wl_inst *insts, uint32_t first, uint32_t count, uint32_t wave_size, struct waiting *waiting) {
    struct wl_inst *to = insts + first;
    bool second = first && insts[first - 1].paired;
    for (uint32_t i = first; i + 1 < count; i++) {
        const struct wl_inst *inst = &insts[i]; /* a pair's effects are asked where its second half stands behind it */
        if (is_matrix(inst) && !inst->paired && waiting->count < MOST_WAITING) {
            wait(waiting, inst, wave_size);
            continue;
        }
        if (waiting->count && !second && (needs(inst, waiting, wave_size) || (inst->paired && needs(inst + 1, waiting, wave_size))))
            to = place(waiting, to);
        second = inst->paired;
        *to++ = *inst;
    }
    place(waiting, to);
}

static unsigned count_matrices(const struct wl_unit *unit, const struct wl_block *block) {
    unsigned count = 0;
    for (uint32_t i = 0; i < block->count; i++)
        count += is_matrix(&unit->insts[block->first + i]);
    return count;
}

/* Whether the basic block ends with a barrier behind which there are others. */
static bool has_others_behind(const struct wl_unit *unit, uint32_t p) {
    return wl_unit_barrier_leads_on(unit, p) && count_matrices(unit, &unit->blocks[p + 1]);
}

/* Moves the matrix instructions directly before a barrier behind it. Their registers are in memory anyway. Returns how many. */
static uint32_t pass_barrier(struct wl_unit *unit, uint32_t p) {
    struct wl_block *block = &unit->blocks[p], *next = &unit->blocks[p + 1];
    struct wl_inst *end = &unit->insts[block->first + block->count - 1];
    const struct wl_inst barrier = *end;
    uint32_t count = 0;
    while (count + 2 < block->count && is_matrix(end - count - 1))
        count++;
    memmove(end - count + 1, end - count, count * sizeof *end);
    end[-(ptrdiff_t)count] = barrier;
    block->count -= count;
    next->first -= count;
    next->count += count;
    return count;
}

enum wl_status wl_unit_join_matrices(struct wl_unit *unit) {
    struct waiting *waiting = NULL;
    uint32_t came = 0; /* from before the barrier that leads to the basic block at hand */
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const unsigned count = count_matrices(unit, &unit->blocks[p]);
        const bool passes = count && has_others_behind(unit, p);
        if (count > 1 || passes) {
            if (!waiting)
                waiting = calloc(1, sizeof *waiting);
            if (!waiting)
                return wl_fail(WL_OUT_OF_MEMORY, "no memory to order matrix instructions");
            join(unit->insts + unit->blocks[p].first, came ? 0 : 1, unit->blocks[p].count, unit->request->wave_size, waiting);
        }
        came = passes ? pass_barrier(unit, p) : 0;
    }
    free(waiting);
    return WL_OK;
}
