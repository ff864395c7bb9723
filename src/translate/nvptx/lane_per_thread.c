/* Whether the lanes of a wave of 64 may have a thread each, in two warps that nothing keeps in step.
 *
 * With two lanes a thread, a thread goes on in a loop until both of its lanes are done, and does what either lane has to do. With a thread for each lane, the lanes' loops are
 * the threads' own; but nothing may cross from one half of the wave to the other without a barrier: no LDS whose readers may rely on the wave's
 * order (nvptx/order.c), no reading behind a store where accesses are volatile, no instruction across lanes. That nobody reads masks as bits
 * is seen only behind the passes (nvptx/emit.c). */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>

static bool accesses_memory(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_LOAD || inst->isa->class == WL_ISA_STORE || inst->isa->class == WL_ISA_ATOMIC);
}

static bool is_of_lds(const struct wl_inst *inst) { return accesses_memory(inst) && inst->isa->space == WL_SPACE_LDS; }

static bool is_own(const struct wl_inst *inst) {
    if (inst->is_dpp || inst->index_mode || inst->lds || inst->gds)
        return false;
    if (!inst->isa)
        return true;
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        return inst->isa->space != WL_SPACE_TBUFFER;
    case WL_ISA_BARRIER:
    case WL_ISA_GETPC:
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

/* Whether an access is one of memory, not of LDS or a lane's own. */
static bool reaches_others(const struct wl_inst *inst) { return accesses_memory(inst) && !is_of_lds(inst) && !wl_inst_is_of_lane(inst); }

/* Whether memory is read behind a store, within the basic block or in those that follow it. */
static bool reads_behind(const struct wl_unit *unit, uint32_t block, const uint8_t *reachable) {
    bool stored = false;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        if (p != block && !reachable[p])
            continue;
        stored = p != block || reachable[p]; /* in a loop all of the basic block is behind the store */
        for (uint32_t i = 0; i < unit->blocks[p].count; i++) {
            const struct wl_inst *inst = &unit->insts[unit->blocks[p].first + i];
            if (!reaches_others(inst))
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
        if (reaches_others(inst) && inst->isa->class != WL_ISA_LOAD)
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

static bool is_barrier(const struct wl_unit *unit, uint32_t block) {
    const struct wl_block *p = &unit->blocks[block];
    return p->count && unit->insts[p->first + p->count - 1].isa && unit->insts[p->first + p->count - 1].isa->class == WL_ISA_BARRIER;
}

/* Whether loads and stores are volatile: lanes may look at what others of their wave have just stored. */
static bool watches_memory(const struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        const struct wl_inst *inst = &unit->insts[i];
        if (reaches_others(inst) && inst->isa->class != WL_ISA_ATOMIC && wl_inst_is_coherent(inst))
            return true;
    }
    return false;
}

/* Whether LDS and flat addresses keep the wave's halves together. A flat address may be one of LDS, whose order nobody looks at. */
static bool shares_lds(const struct wl_unit *unit) {
    bool lds = false, flat = false;
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        lds |= is_of_lds(&unit->insts[i]);
        flat |= accesses_memory(&unit->insts[i]) && unit->insts[i].isa->space == WL_SPACE_FLAT;
    }
    return lds && (flat || wl_ptx_needs_order(unit, true));
}

bool wl_ptx_is_unoptimized(const struct wl_unit *unit) {
    enum { FRAME_POINTER = 33, SHARE = 4 };
    uint32_t own = 0, framed = 0;
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        const struct wl_inst *inst = &unit->insts[i];
        bool by_frame = false;
        if (!accesses_memory(inst) || (inst->isa->space != WL_SPACE_SCRATCH && inst->isa->space != WL_SPACE_BUFFER))
            continue;
        for (unsigned o = 0; o < inst->operand_count; o++)
            by_frame |= inst->operands[o].kind == WL_OPERAND_SGPR && inst->operands[o].reg == FRAME_POINTER && inst->operands[o].count == 1;
        own++;
        framed += by_frame;
    }
    return wl_unit_is_unoptimized(unit) && framed >= own / SHARE;
}

static bool ends_kernel(const struct wl_unit *unit, uint32_t block) {
    return block == WL_NO_BLOCK || unit->blocks[block].end == WL_BLOCK_FINISH;
}

/* Instructions between a branch on EXEC and where its lanes meet, as the code lies; 0: that is the kernel's end. */
static uint32_t parted_length(const struct wl_unit *unit, uint32_t block) {
    const struct wl_block *p = &unit->blocks[block];
    const bool skips = unit->insts[p->first + p->count - 1].isa->detail == WL_IF_EXECZ;
    uint32_t length = 0;
    if (ends_kernel(unit, skips ? p->target : p->next) || p->target == WL_NO_BLOCK)
        return 0;
    if (!skips)
        return unit->blocks[p->target].count;
    for (uint32_t i = block + 1; i < p->target; i++)
        length += unit->blocks[i].count;
    return length;
}

bool wl_ptx_may_have_lane_per_thread(const struct wl_unit *unit) {
    enum { MUCH = 64 }; /* instructions that only some lanes have to do */
    uint8_t *reachable = malloc(unit->block_count + 1);
    uint32_t *work = malloc((unit->block_count + 1) * sizeof *work);
    bool own = reachable && work && !wl_ptx_is_unoptimized(unit) && !shares_lds(unit), loops = false;
    uint32_t parted = 0;
    const bool watches = watches_memory(unit);
    for (uint32_t i = 0; i < unit->inst_count && own; i++)
        own = is_own(&unit->insts[i]);
    for (uint32_t p = 0; p < unit->block_count && own; p++) {
        enum wl_block_end end = unit->blocks[p].end;
        if (end == WL_BLOCK_CALL || end == WL_BLOCK_JUMP || (end == WL_BLOCK_WAIT && !is_barrier(unit, p))) {
            own = false;
        } else if (stores(unit, p) || branches_on_exec(unit, p)) {
            for (uint32_t i = 0; i < unit->block_count; i++)
                reachable[i] = 0;
            follow(unit, p, reachable, work);
            loops |= branches_on_exec(unit, p) && reachable[p];
            parted += branches_on_exec(unit, p) ? parted_length(unit, p) : 0;
            own = !watches || !stores(unit, p) || !reads_behind(unit, p, reachable);
        }
    }
    free(reachable);
    free(work);
    return own && (loops || parted >= MUCH);
}
