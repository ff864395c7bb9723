/* What is known about scalar registers (affine.h): constants, and which bits are zero in what is computed from the workgroup's size. For
 * affine.c and scalar.c only. */
#ifndef WL_TRANSLATE_ANALYSIS_SCALAR_H
#define WL_TRANSLATE_ANALYSIS_SCALAR_H

#include "translate/analysis/value.h"

/* What a register is, as an operand of a vector instruction. */
struct wl_value wl_sgpr_value(const struct wl_facts *facts, unsigned reg);
/* What a kernel finds when it starts. */
void wl_sgpr_seed(struct wl_facts *facts, const struct wl_translate_request *request);
/* The operand is written by an instruction that says nothing about its value. */
void wl_sgpr_forget(struct wl_facts *facts, const struct wl_operand *operand);
/* Steps over an instruction that is no vector instruction. */
void wl_sgpr_step(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst);
/* `to` are all registers at a basic block's start: weakens them to what also holds for `from` (NULL: nothing is known). `first`: no way
 * to the basic block was followed before. True if `to` changed. */
bool wl_sgpr_join(struct wl_sgpr *to, const struct wl_sgpr *from, bool first);

#endif
