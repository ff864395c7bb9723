/* What rewriting asks of the instructions before one in a basic block (rewrite/idiom.c). */
#ifndef WL_TRANSLATE_REWRITE_TRACE_H
#define WL_TRANSLATE_REWRITE_TRACE_H

#include "translate/unit/unit.h"

/* Whether an instruction is exactly this one, without modifiers of its operands or its result. */
bool wl_trace_is_plain(const struct wl_inst *inst, const char *mnemonic, unsigned operands);
/* The last instruction of the basic block before `inst` that writes the operand's registers, or some of them; NULL: there is none. */
const struct wl_inst *wl_trace_writer(const struct wl_unit *unit, const struct wl_block *block, const struct wl_inst *inst,
                                      const struct wl_operand *operand);

#endif
