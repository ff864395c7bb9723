/* Finds what may be under way at the begin of each basic block, from what each block leaves under way behind it. */
#include "translate/rewrite/spread.h"

#include <stdlib.h>

enum wl_status wl_unit_spread(struct wl_unit *unit, uint8_t anything, wl_unit_follow *follow) {
    uint8_t *before = calloc(unit->block_count + 1, 1);
    if (!before)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for what is under way in %s", unit->request->name);
    before[unit->entry] = unit->request->is_kernel ? 0 : anything;
    for (bool changed = true; changed;) { /* more may be under way than was found so far, never less */
        changed = false;
        for (uint32_t p = 0; p < unit->block_count; p++) {
            const struct wl_block *block = &unit->blocks[p];
            const uint8_t behind = follow(unit, block, before[p]);
            const uint32_t to[2] = {block->next, block->target};
            for (unsigned i = 0; i < 2; i++)
                if (to[i] != WL_NO_BLOCK && behind & ~before[to[i]]) {
                    before[to[i]] |= behind;
                    changed = true;
                }
        }
    }
    free(before);
    return WL_OK;
}
