/* Finds the instructions that have to be fences of the host.
 *
 * A wave that waits for its stores and then loads must load what is there once its stores are seen. So of two waves that each store and
 * then look at what the other one stored, at least one sees the other's store (HIP's fences, and sequentially consistent atomics). Hosts
 * let a load pass an earlier store that is still under way. x86-64 lets nothing else pass, AArch64 everything. Fences have to be:
 *   - an invalidation of caches for the device or wider, if stores may be under way
 *   - a wait for stores before a load that goes to memory, if stores may be under way
 *   - on AArch64 each such wait and each such invalidation: there the store that publishes and the load that looks are plain accesses
 * A wave's own atomics are fences already. */
#include "translate/rewrite/rewrite.h"

#include "machine/processor.h"
#include "translate/isa/isa.h"
#include "translate/rewrite/spread.h"

#include <string.h>

#if defined(__x86_64__)
static const bool host_is_weak = false;
#else
static const bool host_is_weak = true;
#endif

struct state {
    bool under_way;       /* stores may be */
    struct wl_inst *wait; /* the latest wait for stores, if no access behind it was met yet; else NULL */
};

/* Whether an instruction waits until all stores are done. */
static bool waits_for_stores(const struct wl_inst *inst, bool gfx9) {
    enum { STORES = 0x3f << 8 };
    const char *name = inst->mnemonic;
    const uint64_t bits = inst->operand_count ? inst->operands[inst->operand_count - 1].bits : 0;
    if (!strcmp(name, "s_waitcnt"))
        return gfx9 && !wl_waitcnt_vector((uint32_t)bits, 9);
    if (!strcmp(name, "s_wait_storecnt_dscnt"))
        return !(bits & STORES);
    return !strcmp(name, "s_wait_idle") || ((!strcmp(name, "s_waitcnt_vscnt") || !strcmp(name, "s_wait_storecnt")) && !(bits & 0xff));
}

static bool is_shared(const struct wl_isa *isa) {
    return isa->space == WL_SPACE_GLOBAL || isa->space == WL_SPACE_FLAT || isa->space == WL_SPACE_BUFFER || isa->space == WL_SPACE_TBUFFER;
}

static void nop(struct state *s, struct wl_inst *inst, bool gfx9) {
    if (waits_for_stores(inst, gfx9)) {
        inst->fence |= host_is_weak && s->under_way;
        if (s->under_way)
            s->wait = inst;
    } else if (wl_isa_caches(inst) & WL_CACHE_DEVICE) {
        inst->fence |= host_is_weak || s->under_way;
        *s = (struct state){0};
        return;
    }
    if (inst->fence)
        *s = (struct state){0};
}

static void step(struct state *s, struct wl_inst *inst, bool gfx9) {
    const struct wl_isa *isa = inst->isa;
    if (!isa)
        return;
    switch (isa->class) {
    case WL_ISA_NOP:
        nop(s, inst, gfx9);
        break;
    case WL_ISA_LOAD:
        if (!is_shared(isa))
            break;
        if (s->wait && wl_inst_is_coherent(inst)) {
            s->wait->fence = true;
            s->under_way = false;
        }
        s->wait = NULL;
        break;
    case WL_ISA_STORE:
        s->under_way |= is_shared(isa);
        s->wait = is_shared(isa) ? NULL : s->wait;
        break;
    case WL_ISA_IMAGE:
    case WL_ISA_TENSOR:
        *s = (struct state){.under_way = true};
        break;
    case WL_ISA_ATOMIC:
        if (is_shared(isa))
            *s = (struct state){0};
        break;
    default:
        break;
    }
}

/* Whether stores may be under way behind a basic block if stores were under way at its begin. */
static uint8_t follow(struct wl_unit *unit, const struct wl_block *block, uint8_t under_way) {
    struct state s = {.under_way = under_way};
    const bool gfx9 = wl_processor_generation(unit->request->processor) == 9;
    for (uint32_t i = 0; i < block->count; i++)
        step(&s, &unit->insts[block->first + i], gfx9);
    return s.under_way || block->end == WL_BLOCK_CALL;
}

enum wl_status wl_unit_find_fences(struct wl_unit *unit) { return wl_unit_spread(unit, true, follow); }
