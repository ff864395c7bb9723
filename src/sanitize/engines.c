/* Tools that are not there yet. */
#include "sanitize/sync.h"

void wl_sync_group_begin(struct wl_san_group *group) { (void)group; }
void wl_sync_group_end(struct wl_san_group *group) { (void)group; }
void wl_sync_wave_end(struct wl_san_wave *wave) { (void)wave; }
void wl_sync_barrier_arrive(struct wl_san_wave *wave, uint64_t code, uint64_t exec) { (void)wave, (void)code, (void)exec; }
void wl_sync_barrier_done(struct wl_san_group *group) { (void)group; }
void wl_sync_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) { (void)wave, (void)fence; }
void wl_sync_stuck(struct wl_san_group *group) { (void)group; }
