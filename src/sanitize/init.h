/* The side of initcheck that is not translated code's: the undefined bits of memory, and findings. Registers, and what instructions make of
 * undefined bits, are threaded code's (translate/steps/init.h); both share struct wl_undefined. */
#ifndef WL_SANITIZE_INIT_H
#define WL_SANITIZE_INIT_H

#include "sanitize/allocations.h"
#include "sanitize/hooks.h"

/* Lives of workgroups and waves (hooks.h). At its begin nothing of a wave's registers is defined. */
void wl_init_group_begin(struct wl_san_group *group);
void wl_init_group_free(struct wl_san_group *group);
void wl_init_wave_begin(struct wl_san_wave *wave);
void wl_init_access(struct wl_san_wave *wave, const struct wl_san_access *access);
/* The same for native code. False: nothing was done. */
bool wl_init_run(struct wl_san_wave *wave, const struct wl_san_lanes *run, uint64_t extent);

/* Memory was given to a new block: what kernels may find in it depends on its kind. Or it was taken away. */
void wl_init_memory(uint64_t address, uint64_t size, enum wl_san_memory kind);
void wl_init_memory_gone(uint64_t address, uint64_t size);
/* A copy or a fill. */
void wl_init_copied(uint64_t target, uint64_t source, uint64_t size, const char *call, uint64_t stack);
void wl_init_filled(uint64_t target, uint64_t size);

#endif
