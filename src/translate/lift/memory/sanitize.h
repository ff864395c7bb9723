/* Checks of accesses, in code that sanitizers asked for (wl_translate_request.sanitize). For memcheck alone: one look at the shadow of memory
 * (wl_helpers.sanitize_shadow) for all lanes of a strip whose elements follow each other, else one for each lane, all at once; where that
 * says that something is wrong, a call of a helper that finds out which lanes may make the access, and reports the others. For tools that
 * follow waves, which want to know of all accesses: a call for lanes whose elements follow each other, else one for each strip. */
#ifndef WL_TRANSLATE_LIFT_MEMORY_SANITIZE_H
#define WL_TRANSLATE_LIFT_MEMORY_SANITIZE_H

#include "machine/sanitize.h"
#include "translate/lift/memory/memory.h"

/* Whether instructions are counted (machine/count.h): each access is told, and all may be made. */
static inline bool wl_counts(const struct wl_lift *l) { return l->unit.request->sanitize & WL_SANITIZE_COUNT; }

/* Whether accesses are checked. */
static inline bool wl_sanitizes(const struct wl_lift *l) { return l->unit.request->sanitize != 0; }

/* Whether each access is told; whether waits are, too. */
static inline bool wl_sanitizes_waves(const struct wl_lift *l) {
    return l->unit.request->sanitize & ~(unsigned)(WL_SANITIZE_MEMCHECK | WL_SANITIZE_INITCHECK);
}
static inline bool wl_sanitizes_order(const struct wl_lift *l) { return l->unit.request->sanitize & WL_SANITIZE_RACECHECK; }

/* Whether the code is for initcheck, which follows values that nobody wrote. */
static inline bool wl_follows_values(const struct wl_lift *l) { return l->unit.request->sanitize & WL_SANITIZE_INITCHECK; }

/* For tools that follow waves, i1: whether the active lanes of `strips` strips may make the access: at `start`, and each `step` bytes behind the
 * one before (wl_helpers.sanitize_run). `check`: i1: whether they lie so; NULL: they do. NULL: that has to be asked strip by strip. */
LLVMValueRef wl_sanitize_run(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, unsigned strips, uint32_t step,
                             LLVMValueRef check);
/* Counts basic block p, which begins with lanes `exec` (i64). */
void wl_sanitize_count(struct wl_lift *l, uint32_t block, LLVMValueRef exec);
/* For initcheck: leaves for threaded code if something is undefined that basic block p reads, which begins with lanes `exec` (i64); else what it
 * writes becomes defined. Goes on in a new block. */
void wl_sanitize_piece(struct wl_lift *l, uint32_t block, LLVMValueRef exec);
/* Tells of a wait, of cache control, of what the instruction uses too early, or that strips begin anew. Behind a flush, if need be. */
void wl_sanitize_fence(struct wl_lift *l, const struct wl_inst *inst);
void wl_sanitize_early_use(struct wl_lift *l, const struct wl_inst *inst);
void wl_sanitize_anew(struct wl_lift *l);
/* i1: whether the `bytes` bytes from `start` (i64, a host address) may be accessed. It may be false where they may. Places MEMORY and FLAT,
 * and BUFFER of linear buffers. */
LLVMValueRef wl_sanitize_extent(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, uint64_t bytes);
/* The same for an offset in scratch that all lanes have. `start`: of the first lane's dword; `shift`: bits from there to its first byte. */
LLVMValueRef wl_sanitize_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef shift);
/* i1: whether the whole strip may make the access, whose pattern is known (wl_lanes_pattern). NULL: that has to be found out lane by lane. */
LLVMValueRef wl_sanitize_pattern(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, enum wl_pattern pattern,
                                 LLVMValueRef start, LLVMValueRef check);
/* The same of a strip's lanes in LDS that load at equal steps, for tools that follow waves; NULL: they are no such lanes. */
LLVMValueRef wl_sanitize_steps(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);
/* Whether wl_sanitize_local does for lanes in LDS that have nothing in common: initcheck defines what is stored only in dwords. */
static inline bool wl_sanitize_has_local(const struct wl_lift *l, const struct wl_access *access) {
    return !wl_follows_values(l) || (!access->told && (access->kind == WL_ACCESS_LOAD || (wl_access_size(access) >= 4 && l->has_avx512)));
}
/* i64: for initcheck, the distance from a byte of LDS (of scratch, if `is_private`) to the byte that holds its undefined bits. */
LLVMValueRef wl_sanitize_skip(struct wl_lift *l, bool is_private);
/* For initcheck: says that the lanes' bytes in LDS are defined, for lanes that have nothing in common. */
void wl_sanitize_define(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);
/* The same for lanes in LDS that have nothing in common. */
LLVMValueRef wl_sanitize_local(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);
/* ptr: the access's site, a constant of the module. */
LLVMValueRef wl_sanitize_site(struct wl_lift *l, const struct wl_access *access);
/* The i16 of those of the active lanes (l->exec) that may make the access; the others are reported. `places` (<16 x i64>), `base` and
 * `limit` (i64), and `data` (ptr) are as wl_helpers.sanitize_strip has them. Within a slow function, with l->wave its wave; goes on in a new block. */
LLVMValueRef wl_sanitize_lanes(struct wl_lift *l, const struct wl_access *access, LLVMValueRef site, LLVMValueRef first_lane,
                               LLVMValueRef places, LLVMValueRef base, LLVMValueRef limit, LLVMValueRef data);
/* Leaves the instruction's site in the wave, for a helper that accesses memory (machine/helpers.h). */
void wl_sanitize_leave_site(struct wl_lift *l, const struct wl_inst *inst, unsigned bytes);
/* Of the scalar unit's access of `bytes` bytes at a host address: i1, whether it may be made; else it has been reported. */
LLVMValueRef wl_sanitize_scalar(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef address, unsigned bytes);

#endif
