/* The frame of a unit's function: basic blocks, changes of EXEC, exits, and where vector registers are between them. */
#ifndef WL_TRANSLATE_LIFT_FRAME_H
#define WL_TRANSLATE_LIFT_FRAME_H

#include "translate/lift/state.h"

/* ---- lift.c ---- */
/* Lifts an instruction that is not the basic block's exit or branch, into the vector region or at once. `inst` must live until the next
 * flush. */
void wl_lift_inst(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Scalar registers to the wave, or from there, if they are in variables. */
void wl_lift_move_scalars(struct wl_lift *l, const uint64_t set[2], bool store);
/* All scalar registers to the wave, and back. The vector region must be flushed. */
void wl_lift_spill_scalars(struct wl_lift *l);
void wl_lift_reload_scalars(struct wl_lift *l);
/* Finds what each instruction of l->unit.block reads and writes (`effects` has room for one more than the block has instructions), and from
 * that what is live after each (l->unit.live_after). False, with l->status: no memory. */
bool wl_lift_liveness(struct wl_lift *l, struct wl_effects *effects);
/* Lifts a basic block into its LLVM block (l->unit.ir_blocks). */
void wl_lift_block(struct wl_lift *l, uint32_t block);
/* At the header of a spinning loop, which runs on for a while, then lets other waves run. */
void wl_lift_spend_fuel(struct wl_lift *l, uint32_t block);
/* At the start of a basic block: if a loop that only looks may end there, the wave has moved (wl_wave.moved). */
void wl_lift_end_looks(struct wl_lift *l, uint32_t block);
/* Lifts a basic block, or the loop that begins there if it is run strip by strip. */
void wl_lift_block_or_loop(struct wl_lift *l, uint32_t block);
/* Lifts a basic block's instructions where the builder stands, without what its end does; l->unit.block is the basic block then. `facts`
 * is used as long as l->unit.facts is set, which is the caller's to clear. False, with l->status: no memory. */
bool wl_lift_body(struct wl_lift *l, uint32_t block, struct wl_facts *facts);
/* Leaves the unit. */
void wl_lift_exit(struct wl_lift *l, enum wl_exit why);
/* Leaves it with the registers that are live at `block` stored, to come back there. */
void wl_lift_exit_to_block(struct wl_lift *l, enum wl_exit why, uint32_t block);
/* A basic block's LLVM block; for WL_NO_BLOCK a new one that exits. */
LLVMBasicBlockRef wl_lift_ir_block_of(struct wl_lift *l, uint32_t block);
/* Records the first error; lifting goes on harmlessly and the unit is dropped. */
void wl_lift_error(struct wl_lift *l, const struct wl_inst *inst, const char *what);
/* Lets the instructions built from now on carry this instruction's address (NULL: none), for fault reports; `column`: which
 * lanes, see machine/wave.h, or 0. */
void wl_lift_locate(struct wl_lift *l, const struct wl_inst *inst, unsigned column);
/* Fills in the types, once context, wave_size and lanes are set. */
void wl_lift_make_types(struct wl_lift *l);

/* ---- rows.c ---- */
/* Chooses whether vector registers are values between the unit's exits, and makes their places in the entry block (l->unit.row_slots). */
void wl_rows_create(struct wl_lift *l);
/* What is known that a register has in a strip where the unit starts; NULL: what the wave has. */
typedef LLVMValueRef wl_row_start(struct wl_lift *l, unsigned row, unsigned strip);
/* Loads what is live at a basic block from the wave (start: NULL, nothing is known), or stores it there. Nothing if registers are in the
 * wave. */
void wl_rows_load(struct wl_lift *l, const struct wl_block *block, wl_row_start *start);
void wl_rows_store(struct wl_lift *l, const struct wl_block *block);
/* With l->unit.row_slots: the place of a register in a strip, one of the workgroup's if it is one. */
LLVMValueRef wl_rows_slot(const struct wl_lift *l, unsigned row, unsigned strip);

/* ---- exec.c ---- */
/* Whether MASKED code that comes to a basic block with a full EXEC goes on: EXEC will change, or the wave wait or end, soon. */
bool wl_exec_stays_masked(const struct wl_unit *unit, uint32_t block);
/* The end of a wave's l->unit.block, which changed EXEC. FULL code goes on while all lanes are active. MASKED code goes on until all lanes
 * are active again for long. */
void wl_exec_finish(struct wl_lift *l);
enum { WL_IDLE_BLOCKS = 4 };
/* The basic blocks that a wave without active lanes goes through up to the next change of EXEC, or its end. */
struct wl_idle {
    uint32_t block[WL_IDLE_BLOCKS];
    unsigned count;
};
/* The way from a basic block; false: FULL code cannot go it. */
bool wl_idle_find(const struct wl_lift *l, uint32_t from, struct wl_idle *idle);
/* FULL code goes such a way, and on: the builder's block ends. */
void wl_idle_go(struct wl_lift *l, const struct wl_idle *idle);

#endif
