/* Accesses behind a workgroup's LDS, which the hardware answers itself: reads give 0, stores are dropped, and so are atomics, which
 * return 0.
 *
 * Nothing is compared for that. The part of the reservation (memory.h) that is not LDS is not mapped; the first access there makes
 * all of it readable, so that further reads cost nothing. It also shows the LDS a second time behind 4 GiB, since a vector access
 * begins at its first lane's address, which may be a little below 4 GiB while other lanes' have wrapped around to 0. (Where it is known
 * that they may, vector accesses take the last KiB of the addresses for the page before the LDS, which is readable from the start.) A store gets pages of its own for the one instruction: the handler makes
 * them writable and lets the processor trap behind it, which then makes them empty and readable again. Where the processor cannot be
 * asked for that (not x86-64), such an access stays a fault. What lies within the memory that is always mapped (64 KiB, or the most
 * that a workgroup on this thread had) goes through. */
#ifndef WL_DEVICE_CPU_FAULT_BEYOND_H
#define WL_DEVICE_CPU_FAULT_BEYOND_H

#include "device/cpu/cpu.h"

#include <ucontext.h>

/* For handlers of signals of `thread`, which runs translated code of `group`. All take and change the state of the interrupted
 * instruction, call no function that a handler must not, and may be called when there is nothing to do. */

/* SIGSEGV at `address`. True: the instruction may run again. */
bool wl_beyond_fault(struct wl_thread *thread, struct wl_group *group, uint64_t address, ucontext_t *context);
/* SIGTRAP. True: it was the trap behind a store. */
bool wl_beyond_trap(struct wl_thread *thread, ucontext_t *context);
/* The instruction will not run to its end. */
void wl_beyond_leave(struct wl_thread *thread);

#endif
