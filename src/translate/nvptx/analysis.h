/* What is known about a unit before it is lifted for the threads of a GPU: where EXEC is full, the order of LDS accesses, rounding. */
#ifndef WL_TRANSLATE_NVPTX_ANALYSIS_H
#define WL_TRANSLATE_NVPTX_ANALYSIS_H

#include "translate/nvptx/ptx.h"

/* ---- nvptx/exec.c ---- */
/* What is known of EXEC and of masks throughout a unit. NULL: no memory. The unit must outlive it. */
struct wl_ptx_flow *wl_ptx_flow_create(const struct wl_unit *unit, unsigned wave_size);
void wl_ptx_flow_destroy(struct wl_ptx_flow *flow); /* NULL does nothing */
/* Whether a mask register, before instruction `at` of a basic block, has all lanes of the wave or none. */
bool wl_ptx_flow_whole(const struct wl_ptx_flow *flow, uint32_t block, uint32_t at, const struct wl_operand *op);
/* Whether EXEC is at a basic block's start what it was at the unit's entry. */
bool wl_ptx_flow_full(const struct wl_ptx_flow *flow, uint32_t block);
/* Whether threads whose lane is off may take the branch on EXEC that ends a basic block without the others, as far as AMD's code
 * tells; changed: what the code between writes, of which masks' have to be made again from the threads' predicates where
 * threads meet. */
bool wl_ptx_may_part(const struct wl_ptx_flow *flow, uint32_t block, struct wl_ptx_changed *changed);

/* Whether EXEC, on all ways from a basic block to another, without the first one in between, has got no lane that it had not there. */
bool wl_ptx_exec_gets_no_lane(const struct wl_unit *unit, uint32_t from, uint32_t to);

/* Fills in what is live as wl_unit_liveness does, but follows the lanes that are off: what is behind the place where they are on again counts,
 * and not what other lanes get on that were off longer. Long units get the plain liveness. */
void wl_ptx_find_live(struct wl_unit *unit);

/* ---- nvptx/division.c ---- */
/* Makes divisions one operation whose last step is in a basic block of its own, before anything is known of the unit's registers. */
void wl_ptx_join_divisions(const struct wl_unit *unit);

/* ---- nvptx/data.c ---- */
/* Finds, by basic block (`data`: block_count entries), the scalar registers that may be read as numbers, not as masks, from its start on. */
void wl_ptx_find_data(const struct wl_unit *unit, unsigned mask_registers, uint64_t (*data)[2]);

/* ---- nvptx/lane_per_thread.c ---- */
/* Whether a unit was compiled at -O0: of what has much private memory (wl_unit_is_unoptimized), code that reaches it through a frame
 * pointer. Optimized code keeps arrays there. */
bool wl_ptx_is_unoptimized(const struct wl_unit *unit);
/* Whether waves of 64 may have a thread for each lane, as far as AMD's code tells: lanes part in loops, or in much code, and nothing in it,
 * but for masks, crosses lanes or needs them in step. */
bool wl_ptx_may_have_lane_per_thread(const struct wl_unit *unit);

/* ---- nvptx/bits.c ---- */
/* What is known of lanes' bits in a mask: 0, 1, the same in all lanes, nothing. Of a single lane SAME is nothing. */
enum wl_ptx_bit { WL_PTX_ZERO, WL_PTX_ONE, WL_PTX_SAME, WL_PTX_VARIES };
/* `bits`: of each mask, by its first register (WL_SGPR_COUNT). */
uint8_t wl_ptx_bits_of(const uint8_t *bits, unsigned mask_registers, const struct wl_operand *op);
/* Steps over an instruction; `comparison`: the result in lanes that are on, if it is one. */
void wl_ptx_bits_step(uint8_t *bits, unsigned mask_registers, const struct wl_inst *inst, uint8_t comparison);

/* Forgets what is known of registers that nobody reads, EXEC aside. `live`: bits of those that somebody does. */
void wl_ptx_bits_forget(uint8_t *bits, const uint64_t *live);

/* ---- nvptx/present.c ---- */
/* Finds the branches on VCC or EXEC that each thread can take by its own bit (own: by basic block), if threads part at the branches of `parts` and
 * meet as in `met` (struct wl_ptx); is_on: every thread's lane is on at the entry. False: no memory; nothing is found. */
bool wl_ptx_find_own_branches(const struct wl_unit *unit, unsigned mask_registers, bool is_on, const bool *parts,
                              const struct wl_ptx_changed *met, bool *own);

/* ---- nvptx/stale.c ---- */
/* Whether a thread whose lane is off may go from a branch to basic block `join` without the new values of these scalar registers. */
bool wl_ptx_is_stale_harmless(const struct wl_unit *unit, unsigned mask_registers, uint32_t branch, uint32_t join, const uint64_t stale[2]);

/* ---- nvptx/tails.c ---- */
/* Makes basic blocks that do the same one, before anything is known of the unit's registers. */
void wl_ptx_share_tails(struct wl_unit *unit);

/* ---- nvptx/order.c ---- */
/* Whether a unit's lanes may rely on the order of its LDS instructions: there are stores and loads without a barrier between them. */
bool wl_ptx_needs_order(const struct wl_unit *unit, bool is_kernel);

/* ---- nvptx/rounding.c ---- */
/* MODE's rounding behind an instruction. */
uint8_t wl_ptx_rounding_step(uint8_t rounding, const struct wl_inst *inst);
/* Fills in what it is at each basic block's start (`starts`: block_count bytes). False: to nearest everywhere. */
bool wl_ptx_rounding_find(const struct wl_unit *unit, uint8_t entry, uint8_t *starts);
/* By which rounding an instruction's semantics go now: 0 is to nearest; WL_PTX_ROUNDING_UNKNOWN. */
unsigned wl_ptx_rounding_of(const struct wl_lift *l, const struct wl_sem *sem);
/* The function of semantics with that rounding (1 to 3). NULL (and l->status set) if that fails. */
LLVMValueRef wl_ptx_rounded_semantics(struct wl_lift *l, const struct wl_sem *sem, unsigned rounding);

#endif
