/* Finds the waits of which racecheck learns nothing: nothing is under way that they wait for. In most kernels those are the waits for what
 * is loaded before the first store; each one told costs as much as an access. */
#include "translate/rewrite/rewrite.h"

#include "machine/processor.h"
#include "machine/sanitize.h"
#include "translate/isa/isa.h"
#include "translate/isa/sanitize_site.h"
#include "translate/rewrite/spread.h"

/* What may be under way. LOOKS: a load by which the wave may learn of others; it learns at the next wait (sanitize/race.c). */
enum { STORES = WL_SANITIZE_WAITS_STORES, LDS = WL_SANITIZE_WAITS_LDS, LOOKS = 128, ANYTHING = STORES | LDS | LOOKS };

static uint8_t begun_by_access(const struct wl_inst *inst) {
    const struct wl_isa *isa = inst->isa;
    const uint8_t stores = wl_inst_is_of_lane(inst)      ? 0
                           : isa->space == WL_SPACE_LDS  ? LDS
                           : isa->space == WL_SPACE_FLAT ? STORES | LDS
                                                         : STORES;
    const bool looks = wl_inst_is_coherent(inst) || inst->slc || inst->looks_again || inst->looks_first || inst->may_look;
    if (isa->class == WL_ISA_LOAD && inst->operand_count && !looks)
        return isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER ? LDS : 0; /* it may go to LDS */
    return isa->class == WL_ISA_LOAD ? LOOKS | LDS : isa->class == WL_ISA_STORE ? stores : (uint8_t)(stores | LOOKS);
}

/* What an instruction leaves under way beside what there was. */
static uint8_t begun_by(const struct wl_inst *inst) {
    if (!inst->isa)
        return ANYTHING;
    switch (inst->isa->class) {
    case WL_ISA_LOAD:
    case WL_ISA_STORE:
    case WL_ISA_ATOMIC:
        return begun_by_access(inst);
    case WL_ISA_SMEM_LOAD:
        return inst->looks_again || inst->looks_first || inst->may_look || wl_inst_is_coherent(inst) ? LOOKS : 0;
    case WL_ISA_NOP:
        return wl_isa_caches(inst) ? ANYTHING : 0; /* a write-back makes the next wait another one */
    case WL_ISA_SMEM_STORE:
    case WL_ISA_SMEM_ATOMIC:
    case WL_ISA_IMAGE:
    case WL_ISA_TENSOR:
    case WL_ISA_MESSAGE:
    case WL_ISA_BARRIER: /* stores of other waves count from there on, where they have to be written back */
    case WL_ISA_BARRIER_WAIT:
    case WL_ISA_SPLIT_BARRIER:
    case WL_ISA_SIGNAL_FIRST:
    case WL_ISA_SETPC:
    case WL_ISA_SWAPPC:
    case WL_ISA_CALL:
        return ANYTHING;
    default:
        return 0;
    }
}

/* Compilers wait for volatile stores at once. */
static void mark_volatile(struct wl_inst *before, const struct wl_sanitize_fence *wait) {
    if (before->isa && before->isa->class == WL_ISA_STORE && wait->effects & WL_SANITIZE_WAITS_STORES)
        before->is_volatile = true;
}

static uint8_t follow(struct wl_unit *unit, const struct wl_block *block, uint8_t under_way) {
    const unsigned generation = wl_processor_generation(unit->request->processor);
    for (uint32_t i = 0; i < block->count; i++) {
        struct wl_inst *inst = &unit->insts[block->first + i];
        struct wl_sanitize_fence fence;
        if (wl_sanitize_fence_fill(&fence, inst, generation) && fence.kind == WL_SANITIZE_WAIT) {
            inst->is_quiet = !(under_way & (LOOKS | fence.effects));
            under_way &= (uint8_t)~(LOOKS | fence.effects);
            if (i)
                mark_volatile(inst - 1, &fence);
        }
        under_way |= begun_by(inst);
    }
    return block->end == WL_BLOCK_CALL ? ANYTHING : under_way;
}

enum wl_status wl_unit_find_quiet_waits(struct wl_unit *unit) { return wl_unit_spread(unit, ANYTHING, follow); }
