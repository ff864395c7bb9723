/* The second tier: native code made in the background.
 *
 * A unit without native code runs as threaded code at first (units.h); its native copies are asked for here and made one after
 * the other by threads that exist while there is something to do. Waves change over at their next start or resume point. The
 * unit in whose threaded code most time was spent is the next one; large ones are not made before a good deal was. Everything made goes to the disk cache too.
 *
 * One lock, under which nothing else is taken. */
#ifndef WL_DEVICE_CPU_CODE_TIERS_H
#define WL_DEVICE_CPU_CODE_TIERS_H

#include "device/cpu/cpu.h"

/* Asks for a native copy of a unit; `loops`: one that can be entered at the headers of its loops. Each is made once however often
 * it is asked for. Thread-safe; may be called with the module's lock. */
void wl_tiers_request(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, bool loops);
/* Notes time that waves spent in a unit's threaded code. Thread-safe. */
void wl_tiers_heat(struct wl_cpu_unit *unit, uint64_t nanoseconds);
/* Drops what is asked for of a module that goes. True: nothing of it is being made. False: something is, which can take LLVM minutes;
 * `release` gets the module when that is done, in the thread that made it (not if the process ends first). Not with the module's
 * lock. */
bool wl_tiers_forget(const struct wl_device_module *module, void (*release)(struct wl_device_module *module));
/* When the process ends: what is being made is given up after a moment, where the translator can be stopped, and the cache remembers
 * that it was missed. What an earlier process had missed already is made, as far as it takes about a second (at most ten where
 * the machine is busy), so that the next one finds it. May be called again. */
void wl_tiers_finish(void);
/* Around fork(), with nothing being translated: in the child there are no threads. */
void wl_tiers_before_fork(void);
void wl_tiers_after_fork(bool child);

#endif
