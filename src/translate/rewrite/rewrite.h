/* rewrite/: makes a better unit of a unit. It replaces known sequences of instructions by what they amount to, reads scalars where
 * compilers copied them to vector registers, moves work before barriers, and marks waits that must be fences of the host.
 *
 *   in    a unit as the code object has it (unit/unit.h)
 *   out   the same unit, its instructions replaced, marked or moved, mostly within their basic block; its basic blocks stay
 *
 * wl_unit_build does all of it but the last three, in the order of this header. */
#ifndef WL_TRANSLATE_REWRITE_H
#define WL_TRANSLATE_REWRITE_H

#include "translate/unit/unit.h"

/* Reads a unit (wl_unit_read), and rewrites it. WL_UNSUPPORTED, WL_INVALID_IMAGE, WL_OUT_OF_MEMORY: then there is no unit. */
enum wl_status wl_unit_build(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request, uint64_t entry);
/* Reads all that a kernel calls by name, so that nothing of it fails later; the kernel gets registers for all of it. (reach.c) */
enum wl_status wl_unit_verify_callees(struct wl_unit *kernel, struct wl_decoder *decoder);

/* idiom.c: replaces known sequences of instructions by what they amount to: IEEE division; v_rsq_f32 between scales; moves in gfx9's
 * indexing mode become relative moves, other instructions get an index_mode. WL_UNSUPPORTED: an instruction is used in indexing mode that
 * is not implemented there, or the mode depends on the way to an instruction. */
enum wl_status wl_unit_idioms(struct wl_unit *unit);

/* copies.c: lets sums with carries read scalars that were moved to vector registers for them, as far as EXEC has lost lanes only since.
 * WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_read_scalars(struct wl_unit *unit);

/* arms.c: moves vector instructions that both arms of a condition on lanes begin with in front of the condition. */
void wl_unit_join_arms(struct wl_unit *unit);

/* barrier.c: moves vector instructions that stand behind a barrier before it where fewer registers are live then: those of a basic block
 * are not in address order any more. All forms of a unit agree on what is done at a resume point, so it is done once. Leaves live_in and
 * live_out of basic blocks as they may be. */
void wl_unit_settle_barriers(struct wl_unit *unit);
/* Whether a basic block ends with a barrier, and the next one is reached from there alone and lies directly behind. */
bool wl_unit_barrier_leads_on(const struct wl_unit *unit, uint32_t block);

/* fence.c: marks the waits and cache instructions that have to be fences of the host. WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_find_fences(struct wl_unit *unit);

/* early_use.c: in units for racecheck, finds the instructions that use the result of a load before it has been waited for (wl_unit.early).
 * WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_find_early_uses(struct wl_unit *unit);

/* quiet_waits.c: in units for racecheck, marks the waits of which it learns nothing, and volatile stores. WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_find_quiet_waits(struct wl_unit *unit);

/* updates.c: in units for racecheck, marks stores of what was loaded at the same place and changed. */
void wl_unit_find_updates(struct wl_unit *unit);

/* schedule.c: moves scalar instructions that read what vector instructions of their basic block made down to where their results are
 * needed: the instructions of a basic block are not in address order then, its first and last aside. For native code, before
 * wl_unit_liveness. */
enum wl_status wl_unit_schedule(struct wl_unit *unit);

/* divide.c: makes one instruction, v_quotient_u32 (semantics/divide.c), of the product that estimates the quotient of two numbers of 32 bits,
 * and moves of what corrects it. For native and threaded code. Leaves live_in and live_out of basic blocks as they may be. */
void wl_unit_find_divisions(struct wl_unit *unit);

/* matrices.c: moves matrix instructions down to the next ones, also behind a barrier: basic blocks are not in address order then. Before
 * wl_unit_schedule and wl_unit_liveness; native and threaded code agree on it, as on barriers. WL_OUT_OF_MEMORY. */
enum wl_status wl_unit_join_matrices(struct wl_unit *unit);

#endif
