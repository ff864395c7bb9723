/* Native code of a module, by address: made once, kept until the module goes.
 *
 * A copy comes from memory, else from the disk cache, else from the translator, which is a shared object beside the one that
 * this code is in and is opened when it is first needed. What the cache does not have runs as threaded code until native code has
 * been made in the background (tiers.h); what has no threaded code waits for native code. */
#ifndef WL_DEVICE_CPU_CODE_UNITS_H
#define WL_DEVICE_CPU_CODE_UNITS_H

#include "device/cpu/cpu.h"

/* Where to enter for a jump to `address` of a wave of 32 or 64 lanes whose workgroup has `shape`: a return point or a unit's entry, *resume
 * says which; makes the unit (not its copies) if the address is code that no unit starts at. NULL: no code there, or no
 * memory. Without a lock where the address is known. Thread-safe. */
struct wl_cpu_unit *wl_units_target(struct wl_device_module *module, uint64_t address, enum wl_shape shape, uint32_t wave_size,
                                    uint32_t *resume);

/* One copy of a unit, made if need be; *code receives it. Errors: of the translator; a copy that failed once fails again
 * with the same sentence. Thread-safe; two threads never make the same copy twice. */
enum wl_status wl_units_copy(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, wl_unit_code **code);

/* The copy that runs a workgroup of this size (x, y and z) as one wave, made or asked for if need be; *gang receives the unit that it is of,
 * which is the module's. NULL: there is none, or not yet, or there are copies for other sizes enough. Only for units whose FULL copy says
 * that there can be one. Thread-safe. */
wl_unit_code *wl_units_gang(struct wl_device_module *module, struct wl_cpu_unit *unit, const uint32_t block[3], struct wl_cpu_unit **gang);

/* Makes a native copy in place of threaded code, or, with `loops`, one that can be entered at loop headers. What goes wrong is
 * logged. For tiers.c: once for each copy, by one thread, while the module stays. */
void wl_units_promote(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, bool loops);

/* Notes in the cache that a copy was still to be made when the process ended, and whether that was noted before: such a copy is worth
 * waiting for. */
void wl_units_note_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode);
bool wl_units_was_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode);
void wl_units_forget_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode);

/* Puts ready code in place, as the translator would: for tests of everything else. `info` must stay. Before any launch. */
enum wl_status wl_units_install(struct wl_device_module *module, uint64_t address, enum wl_mode mode, enum wl_shape shape,
                                uint32_t wave_size, wl_unit_code *code, const struct wl_unit_info *info);

/* Frees all units of a module. */
void wl_units_release(struct wl_device_module *module);

#endif
