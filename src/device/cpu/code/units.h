/* code/: finds or makes the code of a module's units.
 *
 *   in    an address in a code object, the shape of workgroups, the wave's size, the mode
 *   out   a wl_unit_code (machine/wave.h) to call. It stays until the module goes
 *
 *   units.h   the way in: the module's units by address (struct wl_cpu_unit), and their copies
 *   cache.h   the disk cache of native objects
 *   loader.h  a native object becomes executable memory: struct wl_native
 *   tiers.h   native code made in the background
 *
 * A copy comes from memory, else from the disk cache, else from the translator. The translator is a shared object beside this library; it
 * is opened when it is first needed. What the cache does not have runs as threaded code until native code has
 * been made in the background. What has no threaded code waits for native code. */
#ifndef WL_DEVICE_CPU_CODE_UNITS_H
#define WL_DEVICE_CPU_CODE_UNITS_H

#include "device/cpu/cpu.h"

/* Where a wave of 32 or 64 lanes, whose workgroup has `shape`, goes on after a jump to `address`: at a unit's entry or behind a call in it,
 * *resume says which. Makes the unit (not its copies) if the address is code and no unit starts there. NULL: there is no code, or no
 * memory. Takes no lock if the address is known. Thread-safe. */
struct wl_cpu_unit *wl_units_target(struct wl_device_module *module, uint64_t address, enum wl_shape shape, uint32_t wave_size,
                                    uint32_t *resume);

/* One copy of a unit, made if need be; *code receives it. Errors: of the translator; a copy that failed once fails again
 * with the same sentence. Thread-safe; two threads never make the same copy twice. */
enum wl_status wl_units_copy(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, wl_unit_code **code);
/* The unit's threaded code, which any wave of it may go on with; NULL: there is none. In launches that initcheck watches. */
wl_unit_code *wl_units_threaded(const struct wl_cpu_unit *unit);

/* Threaded code of a unit that stops in front of each instruction (device/cpu/debug/debug.h), made if need be. NULL: there is none, since
 * some instruction has no threaded code. *info is what is to be known of it. Thread-safe. */
wl_unit_code *wl_units_marked(struct wl_device_module *module, struct wl_cpu_unit *unit, const struct wl_unit_info **info);

/* The copy in workgroup mode for workgroups of this size (x, y and z), made or asked for if need be; *workgroup receives its unit, which is
 * the module's. NULL: there is none, or not yet, or there are copies for enough other sizes. To be called only for units whose FULL copy
 * says that there can be one. Thread-safe. */
wl_unit_code *wl_units_workgroup(struct wl_device_module *module, struct wl_cpu_unit *unit, const uint32_t block[3],
                                 struct wl_cpu_unit **workgroup);

/* Makes a native copy in place of threaded code, or, with `loops`, one that can be entered at loop headers. What goes wrong is
 * logged. With `yields`, false: another process is making it. For tiers.c: once for each copy, by one thread, while the module stays. */
bool wl_units_promote(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, bool loops, bool yields);

/* Notes in the cache that a copy was still to be made when the process ended, and whether that was noted before: such a copy is worth
 * waiting for. */
void wl_units_note_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode);
bool wl_units_was_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode);
void wl_units_forget_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode);

/* Puts ready code in place, as the translator would: for tests of everything but the translator. `info` must stay. To be called before any
 * launch. */
enum wl_status wl_units_install(struct wl_device_module *module, uint64_t address, enum wl_mode mode, enum wl_shape shape,
                                uint32_t wave_size, wl_unit_code *code, const struct wl_unit_info *info);

/* Frees all units of a module. */
void wl_units_release(struct wl_device_module *module);

#endif
