/* Instructions that make many numbers at once, in pieces: instructions that each make one number, or a dword of the result.
 *
 *   in    a decoded instruction of class WL_ISA_PIECES
 *   out   instructions with semantics (semantics/scaled.c), one behind the other */
#ifndef WL_TRANSLATE_PIECES_H
#define WL_TRANSLATE_PIECES_H

#include "translate/isa/inst.h"

enum { WL_MOST_PIECES = 80 };

/* Fills `pieces` and returns their number. They share the instruction's bytes: the first piece has its first dword, all others the second one.
 * Rows from `temporary` on, WL_TEMPORARIES at most, keep sources that the result overlaps. 0: a modifier's value is reserved. */
unsigned wl_inst_pieces(const struct wl_inst *inst, struct wl_inst pieces[WL_MOST_PIECES], unsigned temporary);

#endif
