/* What both SMI libraries (rocm_smi.c, amd_smi.c) have in common: the count of their users, and what they tell of devices and processes beside
 * what a context has itself (runtime/context.h). Each library has a copy of its own. Thread-safe. */
#ifndef WL_SMI_DEVICES_H
#define WL_SMI_DEVICES_H

#include "runtime/core.h"
#include "topology/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns from a function with AMD's result where it cannot go on. */
#define WL_SMI_REQUIRE(condition, result)                                                                                                  \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            return result;                                                                                                                 \
    } while (0)

#define WL_SMI_VENDOR "Advanced Micro Devices, Inc. [AMD/ATI]"

/* The library works between a start and a stop, as often as it was started. wl_smi_stop: false if it is not started. */
void wl_smi_start(void);
bool wl_smi_stop(void);
bool wl_smi_is_started(void);

/* Kinds of memory, as both of AMD's headers number them. */
enum wl_smi_memory { WL_SMI_VRAM, WL_SMI_VISIBLE_VRAM, WL_SMI_GTT };

/* Copies a string; what does not fit is cut off. False: it did not fit. */
bool wl_smi_copy(char *target, size_t size, const char *source);

/* The PCI place as one number: function in bits 2:0, device 7:3, bus 15:8, domain from bit `domain`. */
uint64_t wl_smi_place(const struct wl_device_info *info, unsigned domain);

/* "gfx90a" as the number 0x90a, "gfx1100" as 0x1100. */
uint64_t wl_smi_graphics_version(const struct wl_target *target);

/* Whether device code of one reaches memory of the other. */
bool wl_smi_peers(const struct wl_context *from, const struct wl_context *to);

/* Bytes of a kind of a device's memory in use, by all of the user's processes where it is the host's. */
uint64_t wl_smi_memory_used(struct wl_context *context, enum wl_smi_memory kind);

/* The processes but this one that use memory of devices; `count` of them. The caller frees them. NULL: out of memory, and none. */
struct wl_usage_process *wl_smi_processes(unsigned *count);

/* Bytes of a process on one device, or on all with UINT32_MAX. */
uint64_t wl_smi_bytes_of(const struct wl_usage_process *process, uint32_t index);

/* The same of a process by its number. False: it is none of those. */
bool wl_smi_find_bytes(uint32_t process, uint32_t index, uint64_t *bytes);

/* The devices whose memory a process uses: as many as the array holds, if there is one, and how many there are. False: as above. */
bool wl_smi_devices_of(uint32_t process, uint32_t *devices, uint32_t capacity, uint32_t *number);

#endif
