/* The frame of a unit's function: pieces, changes of EXEC, exits, and where vector registers are between them. */
#ifndef WL_TRANSLATE_LIFT_FRAME_H
#define WL_TRANSLATE_LIFT_FRAME_H

#include "translate/lift/state.h"

/* ---- lift.c ---- */
/* Lifts an instruction that is not the piece's exit or branch, into the stretch or at once. `inst` must live until the next flush. */
void wl_lift_inst(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Scalar registers to the wave, or from there, if they are in variables. */
void wl_lift_move_scalars(struct wl_lift *l, const uint64_t set[2], bool store);
/* All scalar registers to the wave, and back. The stretch must be flushed. */
void wl_lift_spill_scalars(struct wl_lift *l);
void wl_lift_reload_scalars(struct wl_lift *l);
/* What each instruction of l->piece reads and writes (`effects`, one for each and one more), and from it what is live after each
 * (l->live_after). False, with l->status: no memory. */
bool wl_lift_liveness(struct wl_lift *l, struct wl_effects *effects);
/* Lifts a piece into its block (l->blocks). */
void wl_lift_piece(struct wl_lift *l, uint32_t piece);
/* At the header of a spinning loop, which runs on for a while, then lets other waves run. */
void wl_lift_spend_fuel(struct wl_lift *l, uint32_t piece);
/* The same, or the loop that begins there if it is run strip by strip. */
void wl_lift_piece_or_loop(struct wl_lift *l, uint32_t piece);
/* Lifts a piece's instructions where the builder stands, without what its end does; l->piece is the piece then. `facts` is used as long
 * as l->facts is set, which is the caller's to clear. False, with l->status: no memory. */
bool wl_lift_body(struct wl_lift *l, uint32_t piece, struct wl_facts *facts);
/* Leaves the unit. */
void wl_lift_exit(struct wl_lift *l, enum wl_exit why);
/* Leaves it with the registers that are live at `piece` stored, to come back there. */
void wl_lift_exit_to_piece(struct wl_lift *l, enum wl_exit why, uint32_t piece);
/* A piece's block; for WL_NO_PIECE a new one that exits. */
LLVMBasicBlockRef wl_lift_block_of(struct wl_lift *l, uint32_t piece);
/* Records the first error; lifting goes on harmlessly and the unit is dropped. */
void wl_lift_error(struct wl_lift *l, const struct wl_inst *inst, const char *what);
/* Lets the instructions built from now on carry this instruction's address (NULL: none), for fault reports; `column`: which
 * lanes, see machine/wave.h, or 0. */
void wl_lift_locate(struct wl_lift *l, const struct wl_inst *inst, unsigned column);
/* Fills in the types, once context, wave_size and lanes are set. */
void wl_lift_make_types(struct wl_lift *l);

/* ---- rows.c ---- */
/* Chooses whether vector registers are values between the unit's exits, and makes their places in the entry block (l->row_slots). */
void wl_rows_create(struct wl_lift *l);
/* Loads what is live at a piece from the wave, or stores it there. Nothing if registers are in the wave. */
void wl_rows_move(struct wl_lift *l, const struct wl_piece *piece, bool store);
/* With l->row_slots: the place of a register in a strip, one of the gang's if it is one. */
LLVMValueRef wl_rows_slot(const struct wl_lift *l, unsigned row, unsigned strip);

/* ---- exec.c ---- */
/* Whether MASKED code that comes to a piece with a full EXEC goes on: EXEC will change, or the wave wait or end, soon. */
bool wl_exec_stays_masked(const struct wl_unit *unit, uint32_t piece);
/* The end of l->piece, which changed EXEC: FULL code goes on while all lanes are active, MASKED code until they are again for long. */
void wl_exec_finish(struct wl_lift *l);
enum { WL_IDLE_PIECES = 4 };
/* The pieces that a wave without active lanes goes through up to the next change of EXEC, or its end. */
struct wl_idle {
    uint32_t piece[WL_IDLE_PIECES];
    unsigned count;
};
/* The way from a piece; false: FULL code cannot go it. */
bool wl_idle_find(const struct wl_lift *l, uint32_t from, struct wl_idle *idle);
/* FULL code goes such a way, and on: the builder's block ends. */
void wl_idle_go(struct wl_lift *l, const struct wl_idle *idle);

#endif
