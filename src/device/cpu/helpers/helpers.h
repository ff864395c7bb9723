/* What the CPU device gives translated code to call: the table that machine/helpers.h describes, and the floating-point control that
 * translated code runs under. */
#ifndef WL_DEVICE_CPU_HELPERS_H
#define WL_DEVICE_CPU_HELPERS_H

#include "machine/helpers.h"

/* The one table. Constant for the life of the process. */
extern const struct wl_helpers wl_helpers_table;

/* Sets the calling thread's floating-point control from a MODE register (FTZ and DAZ when f32 denormals are flushed,
 * rounding) and returns the previous control word; wl_float_restore sets that again. Cheap. */
uint32_t wl_float_enter(uint32_t mode_register);
void wl_float_restore(uint32_t control);
/* The same between translated code's instructions, where nobody looks at the exceptions that were recorded meanwhile: those stay. Setting
 * the control word waits for all that is under way. */
void wl_float_leave(uint32_t control);

/* Translates a flat address of one lane to a host pointer: LDS and scratch apertures, else the address itself. For scratch,
 * only the dword that holds the byte is contiguous. */
void *wl_flat_pointer(const struct wl_wave *wave, uint64_t address, uint32_t lane);

#endif
