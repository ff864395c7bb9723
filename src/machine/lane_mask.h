/* EXEC as the helpers see it. */
#ifndef WL_MACHINE_LANE_MASK_H
#define WL_MACHINE_LANE_MASK_H

#include "machine/wave.h"

#include <stdbool.h>

static inline uint64_t wl_exec(const struct wl_wave *wave) {
    uint64_t exec = wave->sgpr[WL_SGPR_EXEC];
    return wave->wave_size == 64 ? exec | (uint64_t)wave->sgpr[WL_SGPR_EXEC + 1] << 32 : exec;
}

static inline bool wl_lane_in(uint64_t mask, uint32_t lane) { return mask >> lane & 1; }

#endif
