/* The order of LDS accesses of a wave's lanes. On the hardware they happen in the order of instructions. ptxas knows one thread: it moves
 * an access past another one where the thread's addresses differ, whatever other lanes do there. Volatile ones stay in their order. Code
 * needs them where a store and a load can be beside each other without a barrier between them. Stores stay as they are among themselves,
 * and so do atomics. */
#include "translate/nvptx/analysis.h"
#include "translate/nvptx/ptx.h"

#include <stdlib.h>

enum { LOADED = 1, STORED = 2, COUNTED = 4, EVERYTHING = 7 /* what was done since the last barrier: by loads, stores, atomics */ };

/* What an instruction does to LDS. */
static uint8_t accesses(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    if (!isa || !inst->size)
        return 0;
    if (inst->lds)
        return isa->class == WL_ISA_LOAD ? STORED : LOADED;
    if (isa->space != WL_SPACE_LDS)
        return 0;
    return isa->class == WL_ISA_LOAD ? LOADED : isa->class == WL_ISA_STORE ? STORED : isa->class == WL_ISA_ATOMIC ? COUNTED : 0;
}

static bool conflicts(uint8_t before, uint8_t now) {
    static const uint8_t others[] = {[LOADED] = STORED | COUNTED, [STORED] = LOADED | COUNTED, [COUNTED] = LOADED | STORED};
    return now && before & others[now];
}

static uint8_t step(uint8_t before, const struct wl_inst *inst) {
    return inst->isa && inst->isa->class == WL_ISA_BARRIER ? 0 : before | accesses(inst);
}

/* Hands on what is known, until nothing changes. */
static void spread(const struct wl_unit *unit, uint8_t *starts, uint8_t *seen) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            const uint32_t behind[2] = {block->next, block->target};
            uint8_t now = starts[p];
            if (!seen[p])
                continue;
            for (uint32_t i = 0; i < block->count; i++)
                now = step(now, &unit->insts[block->first + i]);
            if (block->end == WL_BLOCK_CALL)
                now = EVERYTHING;
            for (unsigned i = 0; i < 2; i++) {
                if (behind[i] == WL_NO_BLOCK || (seen[behind[i]] && (starts[behind[i]] | now) == starts[behind[i]]))
                    continue;
                seen[behind[i]] = 1;
                starts[behind[i]] |= now;
                changed = true;
            }
        }
    }
}

static bool has_conflict(const struct wl_unit *unit, const struct wl_block *block, uint8_t now) {
    for (uint32_t i = 0; i < block->count; i++) {
        const struct wl_inst *inst = &unit->insts[block->first + i];
        if (conflicts(now, accesses(inst)))
            return true;
        now = step(now, inst);
    }
    return false;
}

bool wl_ptx_needs_order(const struct wl_unit *unit, bool is_kernel) {
    uint8_t *starts = calloc(2 * (size_t)unit->block_count + 2, 1);
    bool needs = false;
    if (!starts)
        return true;
    uint8_t *seen = starts + unit->block_count + 1;
    starts[unit->entry] = is_kernel ? 0 : EVERYTHING;
    seen[unit->entry] = 1;
    spread(unit, starts, seen);
    for (uint32_t p = 0; p < unit->block_count; p++)
        if (!seen[p]) { /* reached by its address */
            seen[p] = 1;
            starts[p] = EVERYTHING;
        }
    spread(unit, starts, seen);
    for (uint32_t p = 0; p < unit->block_count && !needs; p++)
        needs = has_conflict(unit, &unit->blocks[p], starts[p]);
    free(starts);
    return needs;
}
