/* Moves barriers to where few registers are live.
 *
 * At a barrier a wave's live vector registers go to memory and come back. Compilers for GPUs often place a barrier before the last
 * work on what was loaded ahead of the barrier, since that costs a GPU nothing. The operands of that work are then live at the barrier, and
 * would be dead behind the work. Work that reads and writes vector registers alone can as well be done before the barrier. Threaded code
 * sees the same order, because a wave may change between threaded and native code at any barrier. */
#include "translate/rewrite/rewrite.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <string.h>

enum { LONGEST_RUN = 64 }; /* instructions that are looked at behind a barrier */

/* Whether an instruction only computes vector registers from vector registers. */
static bool may_go_first(const struct wl_inst *inst, const struct wl_effects *effects) {
    if (!inst->sem || inst->sem->scalar || inst->index_mode || inst->is_dpp)
        return false;
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_SPECIAL && inst->operands[i].reg == WL_SPECIAL_LDS_DIRECT)
            return false;
    return !(effects->touch.scalar[0] | effects->touch.scalar[1]);
}

static bool is_nothing(const struct wl_inst *inst) { return inst->isa && inst->isa->class == WL_ISA_NOP; }

bool wl_unit_barrier_leads_on(const struct wl_unit *unit, uint32_t p) {
    const struct wl_block *block = &unit->blocks[p];
    if (p + 1 >= unit->block_count || block->end != WL_BLOCK_WAIT || block->next != p + 1 || block->next == unit->entry || !block->count)
        return false;
    const struct wl_inst *last = &unit->insts[block->first + block->count - 1];
    const struct wl_block *next = &unit->blocks[block->next];
    if (!last->isa || last->isa->class != WL_ISA_BARRIER || next->first != block->first + block->count || next->is_header || next->is_cut)
        return false;
    for (uint32_t q = 0; q < unit->block_count; q++)
        if (unit->blocks[q].target == block->next || (q != p && unit->blocks[q].next == block->next))
            return false;
    return true;
}

static unsigned live_rows(const struct wl_live *live) {
    unsigned count = 0;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        count += (unsigned)__builtin_popcountll(live->full[w]);
    return count;
}

/* How many instructions behind the barrier are to go before it, those that do nothing included. Chosen so that the fewest registers are
 * live at the barrier, and of equal choices the one with the fewest instructions. */
static uint32_t choose(const struct wl_unit *unit, const struct wl_block *next) {
    const struct wl_inst *insts = unit->insts + next->first;
    struct wl_effects effects;
    uint32_t run = 0, best = 0;
    for (; run + 1 < next->count && run < LONGEST_RUN; run++) {
        wl_inst_effects(&insts[run], unit->request->wave_size, &effects);
        if (!is_nothing(&insts[run]) && !may_go_first(&insts[run], &effects))
            break;
    }
    while (run && insts[run - 1].paired)
        run--;
    struct wl_live live = next->live_out;
    unsigned least = UINT32_MAX;
    for (uint32_t i = next->count; run && i-- > 0;) {
        wl_inst_effects(&insts[i], unit->request->wave_size, &effects);
        wl_live_step(&live, &effects);
        unsigned rows = live_rows(&live);
        if (i <= run && !(i && insts[i - 1].paired) && rows <= least) {
            least = rows;
            best = i;
        }
    }
    return best;
}

/* Moves the vector instructions among the first `count` behind a barrier before it. `spare` has room for them. */
static void move(struct wl_unit *unit, uint32_t p, uint32_t count, struct wl_inst *spare) {
    struct wl_block *block = &unit->blocks[p], *next = &unit->blocks[p + 1];
    struct wl_inst *barrier = &unit->insts[block->first + block->count - 1];
    uint32_t moved = 0, kept = 0;
    spare[kept++] = *barrier;
    for (uint32_t i = 1; i <= count; i++)
        if (is_nothing(&barrier[i]))
            spare[kept++] = barrier[i];
        else
            barrier[moved++] = barrier[i];
    memcpy(barrier + moved, spare, kept * sizeof *spare);
    block->count += moved;
    next->first += moved;
    next->count -= moved;
}

void wl_unit_settle_barriers(struct wl_unit *unit) {
    struct wl_inst spare[LONGEST_RUN + 1];
    struct wl_effects effects;
    bool lively = false;
    for (uint32_t p = 0; p + 1 < unit->block_count; p++) {
        const struct wl_block *next = &unit->blocks[p + 1];
        if (!wl_unit_barrier_leads_on(unit, p))
            continue;
        uint32_t first = 0;
        while (first + 1 < next->count && is_nothing(&unit->insts[next->first + first]))
            first++;
        if (first + 1 >= next->count)
            continue;
        wl_inst_effects(&unit->insts[next->first + first], unit->request->wave_size, &effects);
        if (!may_go_first(&unit->insts[next->first + first], &effects))
            continue;
        if (!lively)
            wl_unit_liveness(unit);
        lively = true;
        uint32_t count = choose(unit, next);
        if (count)
            move(unit, p, count, spare);
    }
}
