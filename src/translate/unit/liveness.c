/* Liveness over both forms of a unit at once: FULL code may go on as MASKED code behind every change of EXEC, and back. */
#include "translate/unit/unit.h"

#include <stdlib.h>
#include <string.h>

void wl_live_step(struct wl_live *live, const struct wl_effects *effects) {
    for (unsigned i = 0; i < 2; i++)
        live->scalar[i] = (live->scalar[i] & ~effects->def.scalar[i]) | effects->use.scalar[i];
    for (unsigned i = 0; i < WL_ROW_WORDS; i++) {
        uint64_t use = effects->use.vector[i] | effects->use_lanes[i];
        live->full[i] = (live->full[i] & ~effects->def.vector[i]) | use;
        live->active[i] = (live->active[i] & ~effects->def.vector[i]) | use;
        live->inactive[i] |= effects->use_lanes[i];
    }
}

static void everything(struct wl_live *live) { memset(live, 0xff, sizeof *live); }

static void merge(struct wl_live *into, const struct wl_live *from) {
    for (unsigned i = 0; i < 2; i++)
        into->scalar[i] |= from->scalar[i];
    for (unsigned i = 0; i < WL_ROW_WORDS; i++) {
        into->full[i] |= from->full[i];
        into->active[i] |= from->active[i];
        into->inactive[i] |= from->inactive[i];
    }
}

/* What is live before EXEC changes, given what is live after. */
static void change_exec(struct wl_live *live, bool narrows) {
    for (unsigned i = 0; i < WL_ROW_WORDS; i++) {
        uint64_t full = live->full[i], any = live->active[i] | live->inactive[i];
        live->full[i] = full | any;
        if (narrows) { /* lanes that are off behind this were on or off before it; MASKED code stays MASKED */
            live->active[i] = any;
        } else {
            live->active[i] = any | full;
            live->inactive[i] = any | full;
        }
    }
}

static void live_behind(const struct wl_unit *unit, const struct wl_block *block, struct wl_live *live) {
    *live = (struct wl_live){0};
    switch (block->end) {
    case WL_BLOCK_CALL:
    case WL_BLOCK_JUMP:
        everything(live);
        return;
    case WL_BLOCK_FINISH:
    case WL_BLOCK_FALL_OFF:
        return;
    default:
        break;
    }
    if (block->next != WL_NO_BLOCK)
        merge(live, &unit->blocks[block->next].live_in);
    if (block->target != WL_NO_BLOCK)
        merge(live, &unit->blocks[block->target].live_in);
    if (block->end == WL_BLOCK_EXEC)
        change_exec(live, block->narrows);
}

void wl_unit_liveness_within(struct wl_unit *unit, const uint64_t (*limits)[WL_ROW_WORDS]) {
    for (uint32_t p = 0; p < unit->block_count; p++)
        unit->blocks[p].live_in = (struct wl_live){0};
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = unit->block_count; p-- > 0;) {
            struct wl_block *block = &unit->blocks[p];
            struct wl_live live;
            live_behind(unit, block, &live);
            for (unsigned i = 0; i < WL_ROW_WORDS && limits; i++)
                live.inactive[i] &= limits[p][i];
            block->live_out = live;
            struct wl_effects effects;
            for (uint32_t i = block->count; i-- > 0;) {
                wl_inst_effects(&unit->insts[block->first + i], unit->request->wave_size, &effects);
                wl_live_step(&live, &effects);
            }
            if (memcmp(&live, &block->live_in, sizeof live) != 0) {
                block->live_in = live;
                changed = true;
            }
        }
    }
}

void wl_unit_liveness(struct wl_unit *unit) { wl_unit_liveness_within(unit, NULL); }
