/* Checks of accesses, in code that memcheck asked for (wl_translate_request.sanitize): one look at the shadow of memory
 * (wl_helpers.sanitize_shadow) for all lanes of a strip whose elements follow each other, else one for each lane, all at once; where that
 * says that something is wrong, a call of a helper that finds out which lanes may make the access, and reports the others. */
#ifndef WL_TRANSLATE_LIFT_MEMORY_SANITIZE_H
#define WL_TRANSLATE_LIFT_MEMORY_SANITIZE_H

#include "translate/lift/memory/memory.h"

/* Whether accesses are checked. */
static inline bool wl_sanitizes(const struct wl_lift *l) { return l->unit.request->sanitize != 0; }

/* i1: whether the `bytes` bytes from `start` (i64, a host address) may be accessed. It may be false where they may. Places MEMORY and FLAT,
 * and BUFFER of linear buffers. */
LLVMValueRef wl_sanitize_extent(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, uint64_t bytes);
/* The same for an offset in scratch that all lanes have. */
LLVMValueRef wl_sanitize_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef offset);
/* The i16 of those of the strip's active lanes that may make the access; the others are reported. In a new block at the end. */
LLVMValueRef wl_sanitize_lanes(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);
/* Leaves the instruction's site in the wave, for a helper that accesses memory (machine/helpers.h). */
void wl_sanitize_leave_site(struct wl_lift *l, const struct wl_inst *inst, unsigned bytes);
/* Of the scalar unit's access of `bytes` bytes at a host address: i1, whether it may be made; else it has been reported. */
LLVMValueRef wl_sanitize_scalar(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef address, unsigned bytes);

#endif
