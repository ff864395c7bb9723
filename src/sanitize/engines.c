/* Tools that are not there yet. */
#include "sanitize/race.h"
#include "sanitize/sync.h"

void wl_race_launch_begin(struct wl_san_launch *launch) { (void)launch; }
void wl_race_launch_end(struct wl_san_launch *launch) { (void)launch; }
void wl_race_group_begin(struct wl_san_group *group) { (void)group; }
void wl_race_group_end(struct wl_san_group *group) { (void)group; }
void wl_race_wave_begin(struct wl_san_wave *wave) { (void)wave; }
void wl_race_wave_end(struct wl_san_wave *wave) { (void)wave; }
void wl_race_access(struct wl_san_wave *wave, const struct wl_san_access *access) { (void)wave, (void)access; }
void wl_race_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) { (void)wave, (void)fence; }
void wl_race_barrier_arrive(struct wl_san_wave *wave) { (void)wave; }
void wl_race_barrier_done(struct wl_san_group *group) { (void)group; }
void wl_race_grid_barrier_done(struct wl_san_launch *launch) { (void)launch; }
void wl_race_order(enum wl_san_edge edge, uint64_t line, uint64_t mark) { (void)edge, (void)line, (void)mark; }
void wl_race_host_access(uint64_t line, enum wl_sanitize_kind kind, uint64_t address, uint64_t size, const char *call) {
    (void)line, (void)kind, (void)address, (void)size, (void)call;
}
void wl_race_memory(uint64_t address, uint64_t size) { (void)address, (void)size; }

void wl_sync_group_begin(struct wl_san_group *group) { (void)group; }
void wl_sync_group_end(struct wl_san_group *group) { (void)group; }
void wl_sync_wave_end(struct wl_san_wave *wave) { (void)wave; }
void wl_sync_barrier_arrive(struct wl_san_wave *wave, uint64_t code, uint64_t exec) { (void)wave, (void)code, (void)exec; }
void wl_sync_barrier_done(struct wl_san_group *group) { (void)group; }
void wl_sync_fence(struct wl_san_wave *wave, const struct wl_sanitize_fence *fence) { (void)wave, (void)fence; }
void wl_sync_stuck(struct wl_san_group *group) { (void)group; }
