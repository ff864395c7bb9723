/* Accesses of lanes whose addresses have nothing in common: slow functions, gathers and scatters, one lane's atomic. */
#ifndef WL_TRANSLATE_LIFT_MEMORY_SCATTERED_H
#define WL_TRANSLATE_LIFT_MEMORY_SCATTERED_H

#include "translate/lift/memory/memory.h"

/* ---- lift/memory/slow.c, lift/memory/atomic.c ---- */

/* `bytes` (1 to 4) at any offset of one lane's private memory, zero-extended; a store of the same. base: i64, the host's address of the wave's
 * private memory; offset: i32; lane: i64, in the wave. */
LLVMValueRef wl_private_load(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane, unsigned bytes,
                             bool is_volatile);
void wl_private_store(struct wl_lift *l, LLVMValueRef base, LLVMValueRef offset, LLVMValueRef lane, LLVMValueRef value, unsigned bytes,
                      bool is_volatile);
/* Calls the slow function of this kind of access. rows: data in (stores, atomics), results out (loads, returning atomics). */
void wl_memory_slow(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
/* Within a slow function: does the atomic on one lane's address and returns the old value; data and compare are iN. */
LLVMValueRef wl_atomic_at(struct wl_lift *l, const struct wl_access *access, LLVMValueRef address, LLVMValueRef data, LLVMValueRef compare);
/* The same where 64 bits may lie at a multiple of 4, which not every host's instructions take. `wave`: as the function got it. */
LLVMValueRef wl_atomic_anywhere(struct wl_lift *l, const struct wl_access *access, LLVMValueRef wave, LLVMValueRef address,
                                LLVMValueRef data, LLVMValueRef compare);
/* Whether wl_atomic_anywhere needs the wave for such an access. */
bool wl_atomic_splits(const struct wl_access *access);
/* The value that the operation leaves in memory. */
LLVMValueRef wl_atomic_apply(struct wl_lift *l, const struct wl_access *access, LLVMValueRef old, LLVMValueRef data, LLVMValueRef compare);
/* An atomic of all lanes of a strip in LDS of which nobody wants the old value, lane by lane in the unit; `data`: what is known of the
 * operand. False: it is of another kind. */
bool wl_atomic_local(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, const struct wl_fact *data,
                     LLVMValueRef *rows);
/* All active lanes name one address: one atomic for the whole strip. False (nothing is built) if the operation has no such form. */
bool wl_atomic_reduce(struct wl_lift *l, const struct wl_access *access, LLVMValueRef address, LLVMValueRef data, LLVMValueRef exec);

/* ---- lift/memory/trace.c ---- */

/* Writes a struct wl_access_trace to the stack at `trace`. base: i64, of narrow addresses; first_lane: i64; mask: i16; size: bytes a lane, with
 * `narrow` above bit 31. Returns where the addresses are (ptr). */
LLVMValueRef wl_access_trace_write(struct wl_lift *l, LLVMValueRef trace, LLVMValueRef base, LLVMValueRef first_lane, LLVMValueRef mask,
                                   uint64_t size, LLVMValueRef addresses);
/* To be called before and after an access in the unit's own code whose lanes have unrelated addresses: puts the addresses on the stack,
 * where the report of a fault finds them; returns the place (ptr). */
LLVMValueRef wl_access_trace_begin(struct wl_lift *l, const struct wl_access *access, LLVMValueRef addresses);
void wl_access_trace_end(struct wl_lift *l);
/* To be called before and after a gather or scatter instruction of the host: the instruction's mask register tells which lane faulted. The
 * instruction's lanes are those of the strip, or, if `packed`, the strip's active lanes side by side. */
void wl_access_gather_begin(struct wl_lift *l, bool packed);
void wl_access_gather_end(struct wl_lift *l);

/* ---- lift/memory/spread.c; but for the first within a slow function ---- */

/* In the unit itself: an access of LDS where the host's gathers and scatters can do it, which spares a call and what lives across
 * it. False: nothing is built. rows: data in or results out. */
bool wl_spread_local(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
/* Whether it does. */
bool wl_spread_has_local(const struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);
/* In the unit itself: an access of private memory at offsets that differ, where the host has gathers and scatters. False: nothing is built. */
bool wl_spread_private(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
/* Whether all lanes' addresses follow from the first one's, at a stride that is small enough for LDS. */
bool wl_spread_knows_stride(const struct wl_fact *fact);
/* Stores a dword of each lane of all strips: lane i's are one after the other at start + i * stride. rows: by strip. */
void wl_memory_store_columns(struct wl_lift *l, LLVMValueRef start, uint32_t stride, LLVMValueRef *rows);
/* Whether there is a form without a loop for the lanes of such an access. */
bool wl_spread_possible(const struct wl_access *access);
/* Addresses (<16 x i64>) of the lanes in exec (<16 x i1>), and of a spare place for the others. */
LLVMValueRef wl_spread_addresses(struct wl_lift *l, LLVMValueRef addresses, LLVMValueRef exec);
/* Does it: the access of the lanes in exec at such addresses, which are also in memory at `buffer`. rows: data in (stores), results out
 * (loads; those of other lanes are anything). */
void wl_spread_access(struct wl_lift *l, const struct wl_access *a, LLVMValueRef addresses, LLVMValueRef buffer, LLVMValueRef exec,
                      LLVMValueRef *rows);

/* In the unit itself, in a loop: a load of memory as wl_spread_local. Where the call of a slow function would be made in every round, it
 * costs more than its code. The first: whether it would be done. */
bool wl_spread_in_loop_possible(const struct wl_lift *l, const struct wl_access *access);
bool wl_spread_in_loop(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
/* In the unit itself, where it keeps registers as values (lift/rows.c): loads and stores of dwords of memory. A call would have to spill
 * them, and the host has fewer stores to other lines under way the more there are to its stack. */
bool wl_spread_in_unit(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
/* In the unit itself, in FULL code: a dword a lane stored by base and index with one instruction of the host, which goes from the lowest
 * lane to the highest. */
bool wl_spread_store_by_index(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);
/* A store of up to a dword, and a load, of pattern GROUPS. */
void wl_spread_store_groups(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef row);
void wl_spread_load_groups(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *rows);

#endif
