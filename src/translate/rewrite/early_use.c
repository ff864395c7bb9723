/* Finds what an instruction reads before it has been waited for: in units for sanitizers. Translated code loads at once, so nothing comes of
 * it here; on a processor the register holds anything.
 *
 * Each basic block is followed by itself, from its first instruction on: of what came before nothing is outstanding, so that nothing is said of
 * it. Counters are the processor's: a wait for a count of N leaves the last N outstanding where results come in order, which those of scalar
 * loads do not. */
#include "translate/rewrite/rewrite.h"

#include "base/text.h"
#include "machine/processor.h"
#include "translate/isa/isa.h"

#include <string.h>

enum counter { VECTOR, SAMPLES, RAYS, LOCAL, SCALAR, NONE };

enum { MOST = 64 };

/* The latest instructions that count. Those without registers are stores, and what only empties a cache. */
struct waits {
    struct {
        const struct wl_inst *inst;
        struct wl_regs regs;
        enum counter counter;
        bool orderless;
    } pending[MOST];
    unsigned count;
    uint64_t next; /* where the code goes on */
};

static bool has(const struct wl_inst *inst, const char *text) { return strstr(inst->mnemonic, text) != NULL; }
static bool is(const struct wl_inst *inst, const char *text) { return strcmp(inst->mnemonic, text) == 0; }

/* The counter that falls when the instruction's result is there. Before gfx12 one counter is for all vector memory, and one for LDS and
 * scalar memory; before gfx10 stores count as loads do. */
static enum counter counter_of(const struct wl_inst *inst, unsigned generation) {
    const bool stores = has(inst, "_store") || (has(inst, "_atomic") && !inst->returns);
    if (wl_starts_with(inst->mnemonic, "ds_"))
        return has(inst, "_gws_") || is(inst, "ds_nop") ? NONE : LOCAL;
    if (wl_starts_with(inst->mnemonic, "s_load") || wl_starts_with(inst->mnemonic, "s_buffer_load") ||
        wl_starts_with(inst->mnemonic, "s_scratch_load") || wl_starts_with(inst->mnemonic, "s_memtime") ||
        wl_starts_with(inst->mnemonic, "s_memrealtime"))
        return SCALAR;
    if (!wl_starts_with(inst->mnemonic, "global_") && !wl_starts_with(inst->mnemonic, "flat_") &&
        !wl_starts_with(inst->mnemonic, "scratch_") && !wl_starts_with(inst->mnemonic, "buffer_") &&
        !wl_starts_with(inst->mnemonic, "tbuffer_") && !wl_starts_with(inst->mnemonic, "image_"))
        return NONE;
    if (stores && generation >= 10)
        return NONE;
    if (generation >= 12 && (wl_starts_with(inst->mnemonic, "image_sample") || wl_starts_with(inst->mnemonic, "image_gather") ||
                             wl_starts_with(inst->mnemonic, "image_msaa_load")))
        return SAMPLES;
    return generation >= 12 && wl_starts_with(inst->mnemonic, "image_bvh") ? RAYS : VECTOR;
}

/* ---- waits ------------------------------------------------------------------------------------ */

static bool counts_to(enum counter counter, enum counter waited, unsigned generation) {
    return counter == waited || (generation < 12 && counter == SCALAR && waited == LOCAL);
}

/* At most `left` of those that count there are outstanding. */
static void wait_for(struct waits *waits, enum counter counter, uint32_t left, unsigned generation) {
    uint32_t newer = 0;
    unsigned kept = waits->count;
    for (unsigned i = waits->count; i-- > 0;) {
        const bool counts = counts_to(waits->pending[i].counter, counter, generation);
        if (counts && (left == 0 || (newer >= left && !waits->pending[i].orderless)))
            continue;
        newer += counts;
        waits->pending[--kept] = waits->pending[i];
    }
    waits->count -= kept;
    memmove(waits->pending, waits->pending + kept, waits->count * sizeof *waits->pending);
}

static void wait_at_once(struct waits *waits, uint32_t i, unsigned generation) {
    wait_for(waits, VECTOR, wl_waitcnt_vector(i, generation), generation);
    wait_for(waits, LOCAL, wl_waitcnt_local(i, generation), generation);
}

/* True: the instruction waits, or does nothing else. */
static bool waits_here(struct waits *waits, const struct wl_inst *inst, unsigned generation) {
    if (!wl_starts_with(inst->mnemonic, "s_wait"))
        return false;
    const uint32_t i = inst->operand_count ? (uint32_t)inst->operands[inst->operand_count - 1u].bits : 0;
    if (is(inst, "s_waitcnt"))
        wait_at_once(waits, i, generation);
    else if (is(inst, "s_wait_idle"))
        waits->count = 0;
    else if (is(inst, "s_waitcnt_vmcnt") || is(inst, "s_wait_loadcnt"))
        wait_for(waits, VECTOR, i, generation);
    else if (is(inst, "s_waitcnt_lgkmcnt") || is(inst, "s_wait_dscnt") || is(inst, "s_wait_storecnt_dscnt"))
        wait_for(waits, LOCAL, i & 63, generation);
    else if (is(inst, "s_wait_kmcnt"))
        wait_for(waits, SCALAR, i, generation);
    else if (is(inst, "s_wait_samplecnt"))
        wait_for(waits, SAMPLES, i, generation);
    else if (is(inst, "s_wait_bvhcnt"))
        wait_for(waits, RAYS, i, generation);
    if (is(inst, "s_wait_loadcnt_dscnt")) {
        wait_for(waits, VECTOR, i >> 8 & 63, generation);
        wait_for(waits, LOCAL, i & 63, generation);
    }
    return true;
}

/* ---- uses ------------------------------------------------------------------------------------- */

static struct wl_regs without_exec(struct wl_regs regs) {
    wl_put_bits(regs.scalar, WL_SGPR_EXEC, 2, false);
    return regs;
}

/* The instruction of a basic block, behind those that the function was called for before. */
static void follow(struct waits *waits, struct wl_inst *inst, unsigned generation, uint32_t wave_size) {
    if (inst->address != waits->next) /* units move barriers, and the waits beside them */
        waits->count = 0;
    waits->next = inst->address + inst->size;
    const bool indexed = inst->index_mode || (inst->isa && inst->isa->class == WL_ISA_MOVREL); /* any register, it seems */
    if (indexed || waits_here(waits, inst, generation))
        return;
    struct wl_effects effects;
    wl_inst_effects(inst, wave_size, &effects);
    const enum counter counter = counter_of(inst, generation);
    const struct wl_regs use = without_exec(effects.use), touch = without_exec(effects.touch);
    for (unsigned i = waits->count; i-- > 0;) {
        const struct wl_regs *regs = &waits->pending[i].regs;
        const bool again =
            waits->pending[i].counter == counter; /* loads to one register come in order; halves of it say that they read it */
        if (again ? wl_regs_meet(regs, &touch) || !wl_regs_meet(regs, &use) : !wl_regs_meet(regs, &use) && !wl_regs_meet(regs, &touch))
            continue;
        inst->early_use = (uint32_t)(inst->address - waits->pending[i].inst->address);
        memset(&waits->pending[i].regs, 0, sizeof *regs); /* said once */
        break;
    }
    if (counter == NONE)
        return;
    if (waits->count == MOST)
        memmove(waits->pending, waits->pending + 1, --waits->count * sizeof *waits->pending);
    waits->pending[waits->count].inst = inst;
    waits->pending[waits->count].regs = touch;
    waits->pending[waits->count].counter = counter;
    waits->pending[waits->count++].orderless = counter == SCALAR;
}

void wl_unit_find_early_uses(struct wl_unit *unit) {
    const unsigned generation = wl_processor_generation(unit->request->processor);
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        struct waits waits = {.count = 0};
        for (uint32_t i = 0; i < block->count; i++)
            follow(&waits, &unit->insts[block->first + i], generation, unit->request->wave_size);
    }
}
