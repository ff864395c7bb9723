/* Whether the lanes of a wave of 64 may have a thread each, in two warps that nothing keeps in step.
 *
 * With two lanes a thread, a thread goes on in a loop until both of its lanes are done. With a thread for each lane, the lanes' loops are
 * the threads' own; but nothing may cross from one half of the wave to the other: no LDS, whose readers may rely on the wave's order where the workgroup
 * is one wave, no reading of global memory behind a store, no instruction across lanes. That nobody reads masks as bits is seen
 * only behind the passes (nvptx/emit.c). */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>

static bool accesses_memory(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
}

static bool is_own(const struct wl_inst *inst) {
    if (inst->is_dpp || inst->index_mode || inst->lds || inst->gds)
        return false;
    if (!inst->isa)
        return true;
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        return inst->isa->space == WL_SPACE_GLOBAL || inst->isa->space == WL_SPACE_BUFFER || inst->isa->space == WL_SPACE_SCRATCH;
    case WL_ISA_SMEM_LOAD:
    case WL_ISA_SAVEEXEC:
    case WL_ISA_CMPX:
    case WL_ISA_NOP:
    case WL_ISA_BRANCH:
    case WL_ISA_CBRANCH:
    case WL_ISA_END:
        return true;
    default:
        return false;
    }
}

static void visit(const struct wl_unit *unit, uint32_t block, uint8_t *seen, uint32_t *work, uint32_t *count) {
    if (block != WL_NO_BLOCK && !seen[block]) {
        seen[block] = 1;
        work[(*count)++] = block;
    }
    (void)unit;
}

/* Marks in `seen` what is reachable behind a basic block's end. */
static void follow(const struct wl_unit *unit, uint32_t from, uint8_t *seen, uint32_t *work) {
    uint32_t count = 0;
    visit(unit, unit->blocks[from].next, seen, work, &count);
    visit(unit, unit->blocks[from].target, seen, work, &count);
    for (uint32_t at = 0; at < count; at++) {
        visit(unit, unit->blocks[work[at]].next, seen, work, &count);
        visit(unit, unit->blocks[work[at]].target, seen, work, &count);
    }
}

/* Whether memory is read behind a store, within the basic block or in those that follow it. */
static bool reads_behind(const struct wl_unit *unit, uint32_t block, const uint8_t *reachable) {
    bool stored = false;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        if (p != block && !reachable[p])
            continue;
        stored = p != block || reachable[p]; /* in a loop all of the basic block is behind the store */
        for (uint32_t i = 0; i < unit->blocks[p].count; i++) {
            const struct wl_inst *inst = &unit->insts[unit->blocks[p].first + i];
            if (!accesses_memory(inst) || inst->isa->space == WL_SPACE_SCRATCH)
                continue;
            if (stored && inst->isa->class != WL_ISA_STORE)
                return true;
            stored |= inst->isa->class != WL_ISA_LOAD;
        }
    }
    return false;
}

static bool stores(const struct wl_unit *unit, uint32_t block) {
    for (uint32_t i = 0; i < unit->blocks[block].count; i++) {
        const struct wl_inst *inst = &unit->insts[unit->blocks[block].first + i];
        if (accesses_memory(inst) && inst->isa->class != WL_ISA_LOAD && inst->isa->space != WL_SPACE_SCRATCH)
            return true;
    }
    return false;
}

static bool branches_on_exec(const struct wl_unit *unit, uint32_t block) {
    const struct wl_block *p = &unit->blocks[block];
    if (p->end != WL_BLOCK_CBRANCH || !p->count)
        return false;
    unsigned detail = unit->insts[p->first + p->count - 1].isa->detail;
    return detail == WL_IF_EXECZ || detail == WL_IF_EXECNZ;
}

bool wl_ptx_may_have_lane_per_thread(const struct wl_unit *unit) {
    uint8_t *reachable = malloc(unit->block_count + 1);
    uint32_t *work = malloc((unit->block_count + 1) * sizeof *work);
    bool own = reachable && work && !wl_unit_is_unoptimized(unit), loops = false;
    for (uint32_t i = 0; i < unit->inst_count && own; i++)
        own = is_own(&unit->insts[i]);
    for (uint32_t p = 0; p < unit->block_count && own; p++) {
        enum wl_block_end end = unit->blocks[p].end;
        if (end == WL_BLOCK_CALL || end == WL_BLOCK_JUMP || end == WL_BLOCK_WAIT) {
            own = false;
        } else if (stores(unit, p) || branches_on_exec(unit, p)) {
            for (uint32_t i = 0; i < unit->block_count; i++)
                reachable[i] = 0;
            follow(unit, p, reachable, work);
            loops |= branches_on_exec(unit, p) && reachable[p];
            own = !stores(unit, p) || !reads_behind(unit, p, reachable);
        }
    }
    free(reachable);
    free(work);
    return own && loops;
}
