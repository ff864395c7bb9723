/* Vector memory instructions, and addresses that are base + (index << shift), as the rest of the lifter sees them. */
#ifndef WL_TRANSLATE_LIFT_MEMORY_RECORD_H
#define WL_TRANSLATE_LIFT_MEMORY_RECORD_H

#include "translate/lift/state.h"

/* ---- memory.c: record is called with the vector region ready to take the item ---- */
/* The operands of a memory instruction; NULL: it has none. */
struct wl_memory_operands {
    const struct wl_operand *result, *address, *data, *data1, *scalar;
};
struct wl_memory_operands wl_memory_operands(const struct wl_inst *inst);
/* Fills item->scalar, item->fact and item->emit for a LOAD, STORE or ATOMIC. An access too rare for a strip form is
 * done at once through a helper: then it flushes the vector region itself and returns false (nothing to emit). */
bool wl_memory_record(struct wl_lift *l, struct wl_item *item);
/* Emits a wide access: the builder stands behind all strips of the items before. */
void wl_memory_emit_wide(struct wl_lift *l, struct wl_item *item);
/* Flushes the vector region without the item that is being recorded, which is taken out of it. */
void wl_memory_flush_before(struct wl_lift *l);

/* ---- ahead.c ---- */
/* Behind a scalar instruction that is lifted: if it advances the base by which a loop loads, prefetches what the next round will load. */
void wl_memory_ask_ahead(struct wl_lift *l, const struct wl_inst *inst);

/* ---- index.c ---- */
/* Looks whether the vector region's last item is a step of making one. */
void wl_index_record(struct wl_lift *l);
/* Emits an item (item->emit), and notes what it makes of addresses. */
void wl_index_emit(struct wl_lift *l, struct wl_item *item);
/* Within emit: the form of the pair that begins with this row; NULL: none is known. */
const struct wl_index *wl_index_find(const struct wl_lift *l, unsigned row);
/* Within emit: the row is written. */
void wl_index_forget(struct wl_lift *l, unsigned row);
/* Whether an access is lifted as one of private memory, for which it need not be known at run time that it is one. */
bool wl_memory_is_private(const struct wl_lift *l, const struct wl_inst *inst);

#endif
