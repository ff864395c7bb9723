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
/* The same for lanes in LDS that have nothing in common. */
LLVMValueRef wl_sanitize_local(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);
/* ptr: the access's site, a constant of the module. */
LLVMValueRef wl_sanitize_site(struct wl_lift *l, const struct wl_access *access);
/* The i16 of those of the active lanes (l->exec) that may make the access; the others are reported. `places` (<16 x i64>), `base` and
 * `limit` (i64) are as wl_helpers.sanitize_strip has them. Within a slow function, with l->wave its wave; goes on in a new block. */
LLVMValueRef wl_sanitize_lanes(struct wl_lift *l, const struct wl_access *access, LLVMValueRef site, LLVMValueRef first_lane,
                               LLVMValueRef places, LLVMValueRef base, LLVMValueRef limit);
/* Leaves the instruction's site in the wave, for a helper that accesses memory (machine/helpers.h). */
void wl_sanitize_leave_site(struct wl_lift *l, const struct wl_inst *inst, unsigned bytes);
/* Of the scalar unit's access of `bytes` bytes at a host address: i1, whether it may be made; else it has been reported. */
LLVMValueRef wl_sanitize_scalar(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef address, unsigned bytes);

#endif
