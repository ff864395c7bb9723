/* What the profiler counts of a unit. */
#include "translate/isa/count.h"
#include "translate/isa/isa.h"
#include "translate/unit/unit.h"

#include <stdlib.h>

size_t wl_unit_counted_size(const struct wl_count_block *counted) { return sizeof *counted + counted->count * sizeof *counted->inst; }

/* The pointers and the lists lie in one piece of memory. */
enum wl_status wl_unit_count(struct wl_unit *unit) {
    const size_t pointers = (unit->block_count + 1) * sizeof *unit->counted, list = sizeof(struct wl_count_block);
    uint8_t *memory = calloc(1, pointers + unit->block_count * list + unit->inst_count * sizeof(struct wl_count_inst));
    if (!memory)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to count the instructions of %s", unit->request->name);
    unit->counted = (struct wl_count_block **)(void *)memory;
    memory += pointers;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        struct wl_count_block *counted = unit->counted[p] = (struct wl_count_block *)(void *)memory;
        counted->address = block->count ? unit->insts[block->first].address : 0;
        counted->count = block->count;
        counted->changes = block->end == WL_BLOCK_EXEC;
        for (uint32_t i = 0; i < block->count; i++) {
            const struct wl_inst *inst = &unit->insts[block->first + i];
            wl_count_inst_fill(&counted->inst[i], inst);
            counted->inst[i].offset = (uint32_t)(inst->address - counted->address);
        }
        memory += wl_unit_counted_size(counted);
    }
    return WL_OK;
}
