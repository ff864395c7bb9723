/* Workgroups that can be run as one wave.
 *
 * At a barrier a wave's registers go to memory and come back. That costs more than the few instructions between two barriers of a
 * tree or a prefix sum. In *workgroup mode* one call of the code runs a whole workgroup: a row has a value for each of its work items, a
 * mask a bit for each, and scalar registers, which compilers keep the same in all waves, exist once. A barrier needs no code then.
 *
 * In this mode all waves of a workgroup go the same way. Two things may tell waves apart:
 *
 *   - scalars that are made of single lanes (v_readfirstlane), of the wave's number or of masks. A unit that has such scalars cannot run
 *     in workgroup mode
 *   - branches on masks. If the code that is branched over changes nothing where EXEC is 0, waves with and without lanes run it alike. At
 *     other branches the workgroup is *split* if its waves disagree: they go on as single waves, from a resume point. Loops that run
 *     strip by strip (strip_loop.h) do so in this mode too: all waves come out of them without lanes */
#ifndef WL_TRANSLATE_ANALYSIS_WORKGROUP_H
#define WL_TRANSLATE_ANALYSIS_WORKGROUP_H

#include "translate/analysis/strip_loop.h"
#include "translate/unit/unit.h"

/* What is known of a unit that can be run so. */
struct wl_workgroup {
    uint64_t (*masks)[2]; /* by basic block: scalar registers that may hold masks where it starts, EXEC among them */
    bool *together;       /* by basic block: waves with and without lanes go the same way at its branch on EXEC */
    uint64_t ever[2];     /* registers that hold masks somewhere */
};

/* Looks whether a unit can run in workgroup mode. NULL: it cannot, or there is no memory. Call it after wl_unit_liveness. Free the result
 * with wl_workgroup_destroy. */
struct wl_workgroup *wl_workgroup_find(const struct wl_unit *unit);
void wl_workgroup_destroy(struct wl_workgroup *workgroup);

/* Whether an instruction works on masks, given the registers that may hold masks; *work receives what it does. */
bool wl_workgroup_mask_work(const struct wl_inst *inst, unsigned wave_size, const uint64_t masks[2], struct wl_mask_work *work);
/* Steps the set of registers that may hold masks over an instruction. False: it cannot be in workgroup mode. */
bool wl_workgroup_step(const struct wl_inst *inst, unsigned wave_size, uint64_t masks[2]);

#endif
