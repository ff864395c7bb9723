/* Values of EXEC that are kept in scalar registers, and when EXEC is one of them again.
 *
 * Compilers narrow EXEC around a conditional block and restore it behind: s_and_saveexec of a register, the block, s_or of it. What is
 * known of vector registers in the lanes that were active at the first (struct wl_fact's `partial`) is known behind the second, of
 * those that were not written in between. A place is such a register: while EXEC has only lost lanes since it was saved there, or
 * was restored to what it had then or later, it is valid. Facts have a bit for each place: written under a partial EXEC since.
 *
 * For affine_flow.c only. */
#ifndef WL_TRANSLATE_ANALYSIS_SAVED_EXEC_H
#define WL_TRANSLATE_ANALYSIS_SAVED_EXEC_H

#include "translate/analysis/affine.h"

struct wl_saves; /* what each of a unit's instructions does to the places; read-only when made */

/* NULL if memory is exhausted; destroy accepts that. */
struct wl_saves *wl_saves_create(const struct wl_unit *unit);
void wl_saves_destroy(struct wl_saves *saves);

/* Steps facts->saved, and the bits of the facts about `rows` rows, over instruction `index`, but not over a change of EXEC that it
 * makes. */
void wl_saves_step(const struct wl_saves *saves, uint32_t index, struct wl_facts *facts, unsigned rows);
/* The places' bits that are cleared from facts which hold where EXEC changes with instruction `index`: the one that it is restored
 * from. 0: it is not restored from a valid one. */
uint8_t wl_saves_restored(const struct wl_saves *saves, uint32_t index, const struct wl_facts *facts);
/* What is valid behind a change of EXEC: places that hold EXEC as it was at the kernel's entry, and where it was restored from `place`,
 * that and what was valid when it was saved. */
void wl_saved_change(struct wl_saved *saved, uint8_t place);
/* Moves `to` down to what also holds for `from`; true if it changed. */
bool wl_saved_join(struct wl_saved *to, const struct wl_saved *from);

#endif
