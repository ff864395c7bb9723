/* In which order a workgroup's waves do what lies between two barriers.
 *
 * The waves of a GPU run side by side. Kernels that lack a barrier get away with it there: what happens early in one wave is done before
 * what happens late in another. On the CPU device one wave after the other runs to the next barrier. The first wave usually runs last,
 * because its first work item often writes what all others have read.
 *
 * One kind of code needs the other order (a reduction's last steps, and the next reduction behind it): the first waves alone, under a
 * condition on EXEC, begin with loads from LDS, and code that stores to LDS follows without a barrier. If other waves ran first, these
 * loads would find what those waves stored too early. So the first wave runs first there.
 *
 * No order of turns suffices where each wave loads what all have stored in LDS, waits for global memory, and stores to LDS, without a
 * barrier in between: on a GPU all waves have loaded it long before the first one has what it waits for. There a wave's turn ends at the
 * wait, and the other waves have their turns before it goes on. What is common to all waves is told by loads
 * from one address for all lanes, which a scalar register holds: all waves go through an array.
 *
 * Kernels with all their barriers do the same in any order. */
#ifndef WL_TRANSLATE_UNIT_TURNS_H
#define WL_TRANSLATE_UNIT_TURNS_H

#include "translate/unit/unit.h"

/* Whether the first wave goes first where waves go on at this basic block. */
bool wl_first_wave_leads(const struct wl_unit *unit, uint32_t block);
/* Marks the waits at which a wave's turn ends (wl_inst.ends_turn). *found: there are some; basic blocks have to be cut behind them.
 * WL_OUT_OF_MEMORY. */
enum wl_status wl_find_turn_ends(struct wl_unit *unit, bool *found);

#endif
