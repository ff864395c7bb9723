/* Instructions whose operands are registers chosen at run time (gfx9's indexing mode, v_movrel with DPP or SDWA): what their threaded code and
 * their native code have in common. Both run such an instruction on copies of the chosen registers, which stand for that time in registers that
 * it does not name. */
#ifndef WL_TRANSLATE_RELATIVE_H
#define WL_TRANSLATE_RELATIVE_H

#include "translate/isa/inst.h"

/* Whether operand `i` is such a register. `mode`: WL_INDEX_* of the operands that are. *result: it is a result, else a source. */
bool wl_relative_operand(const struct wl_inst *inst, unsigned mode, unsigned i, bool *result);
/* The first of `count` registers in a row, all below `limit`, that the instruction does not name. */
unsigned wl_relative_copy(const struct wl_inst *inst, unsigned count, unsigned limit);
/* A v_movrel as v_mov_b32. Returns WL_INDEX_* of the operands that are chosen at run time. */
unsigned wl_relative_move(struct wl_inst *move, const struct wl_inst *inst);

#endif
