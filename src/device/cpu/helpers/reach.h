/* Where rare memory instructions access memory (machine/helpers.h). */
#ifndef WL_DEVICE_CPU_HELPERS_REACH_H
#define WL_DEVICE_CPU_HELPERS_REACH_H

#include "machine/wave.h"

#include <stdint.h>

/* ds_*_src2_*: the offsets in LDS of a lane's operands; the first one is changed. */
void wl_help_src2_places(uint32_t address, uint32_t offset, uint32_t *first, uint32_t *second);
/* A lane's address: of the host, or an offset in scratch. `rows`: of addresses, or NULL. `kind`: WL_REACH_*. */
uint64_t wl_help_reach(const struct wl_wave *wave, const uint32_t *rows, uint64_t base, uint32_t kind, uint32_t lane);

#endif
