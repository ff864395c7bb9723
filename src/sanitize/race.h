/* The race checker's side of hooks.h. All functions may be called by several threads at once for different workgroups. */
#ifndef WL_SANITIZE_RACE_H
#define WL_SANITIZE_RACE_H

#include "sanitize/hooks.h"

void wl_race_launch_begin(struct wl_san_launch *launch);
void wl_race_launch_end(struct wl_san_launch *launch);
void wl_race_object_gone(const struct wl_codeobject *object);
void wl_race_group_begin(struct wl_san_group *group);
void wl_race_group_end(struct wl_san_group *group);
void wl_race_group_free(struct wl_san_group *group);
void wl_race_wave_begin(struct wl_san_wave *wave);
void wl_race_wave_end(struct wl_san_wave *wave);
void wl_race_access(struct wl_san_wave *wave, const struct wl_san_access *access);
bool wl_race_run(struct wl_san_wave *wave, const struct wl_san_lanes *run);
/* Gets what is known of global memory from `address` on on its way, for an access that is about to be told. */
void wl_race_expect(uint64_t address);
void wl_race_anew(struct wl_san_wave *wave);
void wl_race_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence);
void wl_race_early_use(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence);
void wl_race_barrier_arrive(struct wl_san_wave *wave);
void wl_race_barrier_done(struct wl_san_group *group);
void wl_race_grid_barrier_done(struct wl_san_launch *launch);
void wl_race_gws(struct wl_san_wave *wave, uint32_t resource);
void wl_race_gws_done(struct wl_san_wave *wave, uint32_t resource);
void wl_race_order(enum wl_san_edge edge, uint64_t line, uint64_t mark);
void wl_race_done(uint64_t line, uint64_t sequence);
void wl_race_behind(uint64_t line, uint64_t of, uint64_t sequence);
void wl_race_stream_made(void);
void wl_race_host_access(uint64_t line, enum wl_sanitize_kind kind, uint64_t address, uint64_t size, const char *call);
/* Memory was given to a new block, or taken away: what was accessed there before is no part of a race any more. */
void wl_race_memory(uint64_t address, uint64_t size);

#endif
