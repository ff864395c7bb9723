/* Which of a workgroup's waves goes on first behind a barrier.
 *
 * The waves of a GPU run side by side, and kernels get away with barriers that they lack: what happens early in one wave is done before
 * what happens late in another. Here one wave after the other runs to the next barrier, usually the first one last, because its first
 * work item often writes what all have read. Where the first waves only, under a condition on EXEC, begin with loads from LDS and code
 * that stores to LDS follows without a barrier, those loads would find what other waves stored too early: there the first wave goes first
 * (a reduction's last steps, and the next reduction behind it). Kernels with all their barriers do the same either way. */
#ifndef WL_TRANSLATE_UNIT_TURNS_H
#define WL_TRANSLATE_UNIT_TURNS_H

#include "translate/unit/unit.h"

/* Whether the first wave goes first where waves go on at a piece. */
bool wl_first_wave_leads(const struct wl_unit *unit, uint32_t piece);

#endif
