/* Workgroups that can be run as one wave.
 *
 * At a barrier a wave's registers go to memory and come back, which costs more than the few instructions between the barriers of a
 * tree or a prefix sum. A *gang* is a whole workgroup in one wave state: a row has all of its work items, a mask all of their bits, and
 * scalar registers, which compilers keep the same in all waves, exist once. A barrier is nothing then.
 *
 * The waves of a gang take the same way. What may tell them apart:
 *
 *   - scalars made of single lanes (v_readfirstlane), of the wave's number or of masks: such units are none
 *   - branches on masks. Those over code that changes nothing where EXEC is 0 are taken by waves with and without lanes alike;
 *     at others the gang is *split* if its waves disagree: they go on as waves of their own, from a resume point. Loops that are run
 *     strip by strip (strip_loop.h) are so in gangs: their waves all come out of them without lanes */
#ifndef WL_TRANSLATE_ANALYSIS_GANG_H
#define WL_TRANSLATE_ANALYSIS_GANG_H

#include "translate/analysis/strip_loop.h"
#include "translate/unit/unit.h"

/* What is known of a unit that can be run so. */
struct wl_gang {
    uint64_t (*masks)[2]; /* by piece: scalar registers that may hold masks where it starts, EXEC among them */
    bool *together;       /* by piece: waves with and without lanes go the same way at its branch on EXEC */
    uint64_t ever[2];     /* registers that hold masks somewhere */
};

/* Looks whether a unit can be. NULL: it cannot, or there is no memory. After wl_unit_liveness. Free with wl_gang_destroy. */
struct wl_gang *wl_gang_find(const struct wl_unit *unit);
void wl_gang_destroy(struct wl_gang *gang);

/* Whether an instruction works on masks, given the registers that may hold some; what it does then. */
bool wl_gang_mask_work(const struct wl_inst *inst, unsigned wave_size, const uint64_t masks[2], struct wl_mask_work *work);
/* Steps the set of registers that may hold masks over an instruction. False: it cannot be in a gang. */
bool wl_gang_step(const struct wl_inst *inst, unsigned wave_size, uint64_t masks[2]);

#endif
