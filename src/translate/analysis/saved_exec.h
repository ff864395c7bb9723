/* Values of EXEC that are kept in scalar registers, and when EXEC is one of them again.
 *
 * Compilers narrow EXEC around a conditional block and restore it behind the block: s_and_saveexec saves EXEC in a register, and s_or
 * with that register restores it. A fact about a vector register may hold only in the lanes that were active at the save (`partial` of
 * struct wl_fact). Behind the restore it holds again, if the register was not written in between.
 *
 * A *place* is a scalar register that holds such a saved EXEC. A place is valid while EXEC has only lost lanes since it was saved there, or
 * was restored to the value that it had then or later. Each fact has a bit for each place: the register was written under a partial EXEC
 * since the save.
 *
 * A condition with two arms goes so: s_and_saveexec, as above; s_xor turns the saved EXEC into the lanes that the first arm has not;
 * s_and_not1_saveexec gives EXEC these lanes and saves those of the first arm; s_or adds them again. What was saved at first is remembered for
 * the second register.
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
/* Instruction `index` changes EXEC: the bit of the place from which it restores EXEC, which facts lose there. 0: it does not restore EXEC
 * from a valid place. */
uint8_t wl_saves_restored(const struct wl_saves *saves, uint32_t index, const struct wl_facts *facts);
/* The same: the bit of the place with the lanes that EXEC had, and which make what it was when it was saved together with those that it gets. 0: it
 * is no such change. */
uint8_t wl_saves_taken(const struct wl_saves *saves, uint32_t index, const struct wl_facts *facts);
/* Whether EXEC is what it was at the kernel's entry once it is restored from `place`. */
bool wl_saved_is_entry(const struct wl_saved *saved, uint8_t place);
/* Behind a change of EXEC these places stay valid: those that hold EXEC as it was at the kernel's entry; and, if EXEC was restored from
 * `place`, that place and those that were valid when it was saved. */
void wl_saved_change(struct wl_saved *saved, uint8_t place);
/* Weakens `to` to what also holds for `from`; true if it changed. */
bool wl_saved_join(struct wl_saved *to, const struct wl_saved *from);

#endif
