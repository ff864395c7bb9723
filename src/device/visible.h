/* Which of the machine's devices a program sees: what ROCR_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES and CUDA_VISIBLE_DEVICES say, with the
 * meaning that they have for AMD's runtimes. WAVELIFT_DEVICES says what the machine has; these choose from it, in their order.
 *
 *   ROCR_VISIBLE_DEVICES  is applied first. Numbers (decimal, 0x, or octal behind a 0) or the first characters of one device's UUID, in
 *                         either case, blanks around them; the list ends before what is wrong or comes twice. Set but empty: no device.
 *   HIP_VISIBLE_DEVICES   is applied to what is left, and counts that. Decimal numbers, or a part of a UUID that has "GPU-" in it; the
 *                         list ends before what is wrong, what comes twice counts once. Set but empty: no device.
 *   CUDA_VISIBLE_DEVICES  the same, where HIP_VISIBLE_DEVICES is not set. A CUDA driver that was opened has read it already.
 *
 * HIP programs on AMD's runtime do not heed GPU_DEVICE_ORDINAL (OpenCL's), nor do they here. */
#ifndef WL_DEVICE_VISIBLE_H
#define WL_DEVICE_VISIBLE_H

#include "device/device.h"

#define WL_DEVICE_UUID_TEXT 48 /* "GPU-" and 16 hexadecimal digits, or NVIDIA's 32 with hyphens */

/* A device's UUID as text: as AMD's tools print it, or, of a GPU of NVIDIA's, as nvidia-smi does. */
void wl_device_uuid_text(const struct wl_device_info *info, char text[WL_DEVICE_UUID_TEXT]);

/* Reads the environment. `chosen`, with room for `count`, receives the numbers of the devices to show, in their order; returns how many.
 * `cuda_opened`: leave CUDA_VISIBLE_DEVICES out. */
unsigned wl_devices_visible(const struct wl_device_info *infos, unsigned count, bool cuda_opened, unsigned *chosen);

/* How many ranks of an MPI program its launcher says to have started on this machine: Open MPI's, MPICH's, Slurm (of steps whose nodes have
 * different numbers, the first). 1 if none says so, at most WL_MAX_DEVICES. */
unsigned wl_devices_ranks(void);

#endif
