/* helpers/: the functions that translated code calls on a CPU (machine/helpers.h documents each).
 *
 *   in    a wave (struct wl_wave), and pointers to its register rows
 *   out   its registers and memory, as the instruction leaves them
 *
 *   helpers.h     the table of all of them, and the floating-point control that translated code runs under
 *   lanes.h       the table's members, and the files that they are in
 *   barriers.h    which waves gfx12's barriers let pass
 *   image_wave.h  image instructions for all lanes at once (image_kernels.c); else image.c goes lane by lane
 *   matrix_dot.h  a part of matrix_kernels.c, as are matrix_scaled.h and matrix_hardware.h
 *
 * matrix_kernels.c and image_kernels.c are compiled once for each kind of host. */
#ifndef WL_DEVICE_CPU_HELPERS_H
#define WL_DEVICE_CPU_HELPERS_H

#include "machine/helpers.h"

/* The one table. Constant for the life of the process. */
extern const struct wl_helpers wl_helpers_table;

/* Sets the calling thread's floating-point control from a MODE register (FTZ and DAZ when f32 denormals are flushed,
 * rounding) and returns the previous control word; wl_float_restore sets that again. Cheap. */
uint32_t wl_float_enter(uint32_t mode_register);
void wl_float_restore(uint32_t control);
/* As wl_float_restore, for use between instructions of translated code: exceptions that were recorded meanwhile stay, since nobody looks
 * at them there. Setting the control word waits for all instructions that are under way. */
void wl_float_leave(uint32_t control);

/* Translates a flat address of one lane to a host pointer: LDS and scratch apertures, else the address itself. For scratch,
 * only the dword that holds the byte is contiguous. */
void *wl_flat_pointer(const struct wl_wave *wave, uint64_t address, uint32_t lane);

#endif
