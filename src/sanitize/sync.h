/* synccheck: barriers that some do not reach, and waits that never end. The calls are those of hooks.h. */
#ifndef WL_SANITIZE_SYNC_H
#define WL_SANITIZE_SYNC_H

#include "sanitize/hooks.h"

void wl_sync_group_begin(struct wl_san_group *group);
void wl_sync_group_free(struct wl_san_group *group);
void wl_sync_wave_begin(struct wl_san_wave *wave);
void wl_sync_wave_end(struct wl_san_wave *wave);
void wl_sync_run(struct wl_san_wave *wave, const struct wl_san_lanes *run);
void wl_sync_access(struct wl_san_wave *wave, const struct wl_san_access *access);
void wl_sync_barrier_arrive(struct wl_san_wave *wave, uint64_t code, uint64_t exec);
void wl_sync_barrier_done(struct wl_san_group *group);
void wl_sync_gws(struct wl_san_wave *wave, uint64_t code, bool barrier);
bool wl_sync_stuck(struct wl_san_group *group);
/* Something was done that waves may wait for. Thread-safe. */
void wl_sync_progress(void);

#endif
