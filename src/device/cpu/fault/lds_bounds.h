/* Accesses behind the end of a workgroup's LDS. The hardware answers them itself: reads give 0, stores are dropped, and so are atomics,
 * which return 0.
 *
 * Translated code compares nothing for that. The part of the reservation (memory.h) behind the LDS is not mapped, so that the first access
 * there faults. The handler then makes all of it readable as zeros, so that further reads cost nothing. A vector access begins at
 * the address of its first lane, which may lie a little below 4 GiB while other lanes' addresses have wrapped around to 0; for that case
 * the handler maps the LDS a second time behind 4 GiB. (Where it is known that addresses may wrap so, vector accesses take the last KiB of
 * the addresses for the page before the LDS, which is readable from the start.)
 *
 * A store gets pages for the one instruction: the handler makes them writable and lets the processor trap behind the store; the trap
 * empties them and makes them readable again. Where the processor has no such trap (not x86-64), the store stays a fault. What lies within
 * the memory that is always mapped (64 KiB, or the most that a workgroup on this thread had) goes through. */
#ifndef WL_DEVICE_CPU_FAULT_LDS_BOUNDS_H
#define WL_DEVICE_CPU_FAULT_LDS_BOUNDS_H

#include "device/cpu/cpu.h"

#include <ucontext.h>

/* Functions for signal handlers, for a `thread` that runs translated code of `group`. All read and change the state of the interrupted
 * instruction. They call nothing that a handler must not call, and may be called when there is nothing to do. */

/* SIGSEGV at `address`. True: the instruction may run again. */
bool wl_lds_bounds_fault(struct wl_thread *thread, struct wl_group *group, uint64_t address, ucontext_t *context);
/* SIGTRAP. True: it was the trap behind a store. */
bool wl_lds_bounds_trap(struct wl_thread *thread, ucontext_t *context);
/* The instruction will not run to its end. */
void wl_lds_bounds_leave(struct wl_thread *thread);

#endif
