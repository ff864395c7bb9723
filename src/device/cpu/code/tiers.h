/* The second tier: native code made in the background.
 *
 * A unit without native code first runs as threaded code (units.h). Its native copies are asked for here. Threads that exist while there is
 * something to do make them one after the other. A wave changes over at its next start or resume point. The next unit to be
 * made is the one in whose threaded code most time was spent; a copy of a large unit is not made before a good deal of time was spent in it
 * since the last copy was made.
 * Everything that is made goes to the disk cache too.
 *
 * One lock, under which nothing else is taken. */
#ifndef WL_DEVICE_CPU_CODE_TIERS_H
#define WL_DEVICE_CPU_CODE_TIERS_H

#include "device/cpu/cpu.h"

/* Asks for a native copy of a unit; `loops`: one that can be entered at the headers of its loops. Each is made once however often
 * it is asked for. Thread-safe; may be called with the module's lock. */
void wl_tiers_request(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, bool loops);
/* Whether a launch whose full waves run native code is to be noted as well: the copy for other waves waits for that. Thread-safe. */
bool wl_tiers_wait_for_hotness(const struct wl_cpu_unit *unit);
/* Notes time that waves spent in a unit's threaded code. Thread-safe. */
void wl_tiers_add_hotness(struct wl_cpu_unit *unit, uint64_t nanoseconds);
/* A module goes: drops what was asked for of it. True: nothing of the module is being made. False: something is being made, which can take
 * LLVM minutes; `release` is called with the module when that is done, in the thread that made it (not if the process ends first). Do
 * not call it with the module's lock. */
bool wl_tiers_forget(const struct wl_device_module *module, void (*release)(struct wl_device_module *module));
/* To be called when the process ends. What is being made is given up after a moment, where the translator can be stopped, and the cache
 * notes that it was missed. What an earlier process had missed as well is finished if that takes about a second (at most ten on a busy
 * machine), so that the next process finds it. May be called again. */
void wl_tiers_finish(void);
/* To be called around fork(), while nothing is being translated: the child has none of the threads. */
void wl_tiers_before_fork(void);
void wl_tiers_after_fork(bool child);

#endif
