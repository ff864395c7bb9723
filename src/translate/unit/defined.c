/* For initcheck in native code, which does not follow undefined bits: it runs a basic block where all that the block reads is defined, and leaves
 * for threaded code where something is not (machine/sanitize.h). So what loads bring must not be used in their basic block. */
#include "translate/unit/unit.h"

#include "base/status.h"
#include "machine/sanitize.h"
#include "translate/isa/isa.h"

#include <stdlib.h>
#include <string.h>

/* Whether an instruction may put undefined bits into registers though those that it reads are defined. */
static bool loads(const struct wl_inst *inst) {
    if (!inst->isa)
        return false;
    const unsigned class = inst->isa->class;
    return class == WL_ISA_LOAD || class == WL_ISA_SMEM_LOAD || class == WL_ISA_ATOMIC || class == WL_ISA_SMEM_ATOMIC;
}

/* Whether an instruction reads or writes one of the registers. */
static bool meets(const struct wl_regs *regs, const struct wl_effects *effects) {
    struct wl_regs all = effects->use;
    (void)wl_regs_add(&all, &effects->touch);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        all.vector[w] |= effects->use_lanes[w] | effects->def_lanes[w];
    return wl_regs_meet(regs, &all);
}

/* Marks the instructions in cuts[] that begin a basic block of their own. Returns how many there are. */
static uint32_t find_cuts(const struct wl_unit *unit, bool *cuts) {
    uint32_t count = 0;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        struct wl_regs loaded = {0};
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            const struct wl_inst *inst = &unit->insts[i];
            const bool together = i == block->first || !inst->size || inst->piece || inst[-1].paired;
            struct wl_effects effects;
            wl_inst_effects(inst, unit->request->wave_size, &effects);
            if (!together && meets(&loaded, &effects)) {
                cuts[i] = true;
                count++;
                loaded = (struct wl_regs){0};
            }
            if (loads(inst))
                (void)wl_regs_add(&loaded, &effects.touch);
        }
    }
    return count;
}

/* Appends the parts of a basic block. The first one is what the others branch to, the last one ends as the whole did. */
static void add_parts(struct wl_block *parts, uint32_t *count, const struct wl_block *whole, const bool *cuts) {
    struct wl_block *part = &parts[(*count)++];
    *part = *whole;
    for (uint32_t i = whole->first + 1; i < whole->first + whole->count; i++) {
        if (!cuts[i])
            continue;
        part->count = i - part->first;
        part->end = WL_BLOCK_NEXT;
        part->next = *count;
        part->target = WL_NO_BLOCK;
        part->narrows = false;
        part = &parts[(*count)++];
        *part = (struct wl_block){.first = i,
                                  .count = whole->first + whole->count - i,
                                  .end = whole->end,
                                  .next = whole->next,
                                  .target = whole->target,
                                  .resume = UINT32_MAX,
                                  .loop_entry = UINT32_MAX,
                                  .in_loop = whole->in_loop,
                                  .narrows = whole->narrows};
    }
}

static uint32_t moved(const uint32_t *first, uint32_t block) { return block == WL_NO_BLOCK ? block : first[block]; }

enum wl_status wl_unit_cut_loads(struct wl_unit *unit) {
    bool *cuts = calloc(unit->inst_count + 1, sizeof *cuts);
    uint32_t *first = calloc(unit->block_count + 1, sizeof *first), count = 0;
    const uint32_t more = cuts ? find_cuts(unit, cuts) : 0;
    struct wl_block *parts = calloc(unit->block_count + more + 1, sizeof *parts);
    if (!cuts || !first || !parts) {
        free(cuts);
        free(first);
        free(parts);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u basic blocks", unit->block_count + more);
    }
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const uint32_t from = first[p] = count;
        add_parts(parts, &count, &unit->blocks[p], cuts);
        for (uint32_t q = from; q + 1 < count; q++)
            parts[q].end = WL_BLOCK_NEXT;
    }
    for (uint32_t p = 0; p < unit->block_count; p++) {
        struct wl_block *last = &parts[(p + 1 < unit->block_count ? first[p + 1] : count) - 1];
        last->next = moved(first, unit->blocks[p].next);
        last->target = moved(first, unit->blocks[p].target);
    }
    unit->entry = first[unit->entry];
    free(unit->blocks);
    unit->blocks = parts;
    unit->block_count = count;
    free(cuts);
    free(first);
    return WL_OK;
}

void wl_unit_piece(const struct wl_unit *unit, const struct wl_block *block, struct wl_defined_piece *piece) {
    struct wl_effects effects;
    *piece = (struct wl_defined_piece){0};
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        wl_inst_effects(&unit->insts[i], unit->request->wave_size, &effects);
        for (unsigned w = 0; w < 2; w++) {
            const uint64_t partly = effects.touch.scalar[w] & ~effects.def.scalar[w];
            piece->read_scalars[w] |= (effects.use.scalar[w] | partly) & ~piece->written_scalars[w];
            piece->written_scalars[w] |= effects.def.scalar[w];
        }
        for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
            const uint64_t partly = effects.touch.vector[w] & ~effects.def.vector[w];
            piece->read[w] |= (effects.use.vector[w] | partly) & ~piece->written[w];
            piece->crossed[w] |= effects.use_lanes[w] | effects.def_lanes[w];
            piece->written[w] |= effects.def.vector[w];
        }
    }
    wl_put_bits(piece->read_scalars, WL_SGPR_EXEC, 2, false);
}
