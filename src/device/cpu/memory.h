/* Memory that translated code works in: LDS, private memory (scratch), wave states.
 *
 * All of it is reserved with guards, so that an access outside faults instead of hitting something else. */
#ifndef WL_DEVICE_CPU_MEMORY_H
#define WL_DEVICE_CPU_MEMORY_H

#include "device/cpu/cpu.h"

/* A DS address is 32 bits plus a 16-bit offset plus up to 16 bytes. */
#define WL_LDS_RESERVED ((size_t)4 << 30 | 0x20000)

/* What a job needs of a group. */
struct wl_group_needs {
    uint32_t waves, rows, wave_size;
    uint32_t scratch_size; /* bytes a lane */
    uint32_t lds_size;
};

/* Makes a group (zeroed at first) ready for these needs; keeps what is already large enough. The waves' constant members are not
 * set. WL_OUT_OF_MEMORY leaves the group in a state that wl_group_release accepts. One thread at a time. */
enum wl_status wl_group_fit(struct wl_group *group, const struct wl_group_needs *needs);
/* Returns all memory of a group. */
void wl_group_release(struct wl_group *group);

static inline struct wl_wave *wl_group_wave(const struct wl_group *group, uint32_t index) {
    return (struct wl_wave *)(void *)(group->waves + index * group->wave_stride);
}

/* What of a group a faulting address belongs to, for reports: "LDS", "private memory", or NULL. */
const char *wl_group_describe(const struct wl_group *group, uint64_t address, char *text, size_t size);

/* Memory for device allocations and images: zeroed pages for large blocks. NULL: none. */
void *wl_pages_allocate(size_t size, size_t alignment);
void wl_pages_release(void *memory, size_t size);

#endif
