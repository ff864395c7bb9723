/* Counters: which there are, and who wants them of dispatches and devices. */
#ifndef WL_ROCPROFILER_COUNTING_H
#define WL_ROCPROFILER_COUNTING_H

#include "rocprofiler/profiler.h"

/* ---- counters.c ---- */
/* A list of counters of a device that a tool has made; NULL: there is no such list. */
const struct wl_rp_config *wl_rp_config(struct wl_rp_id id);
struct wl_rp_id wl_rp_config_agent(const struct wl_rp_config *config);
/* Writes their values; returns how many there are. `records` has room for WL_MOST_COUNTERS. */
size_t wl_rp_values(const struct wl_rp_config *config, const struct wl_counts *counts, struct wl_rp_counter_record *records);

/* ---- counting.c ---- */
/* Whether counters are wanted by the context, which is active; by any. */
bool wl_rp_counts_dispatches(const struct wl_rp_context *context);
bool wl_rp_wants_counters(void);
/* Asks the tool of context `number` which counters it wants of a dispatch. NULL: none. */
const struct wl_rp_config *wl_rp_choose(unsigned number, const struct wl_rp_counted *dispatch, union wl_rp_user *user);
/* Gives the tool the counters that it wanted. */
void wl_rp_give_counters(unsigned number, const struct wl_rp_counted *dispatch, const struct wl_rp_config *config, union wl_rp_user user,
                         const struct wl_counts *counts);
/* Adds what was counted to the sums of contexts that count for the device. */
void wl_rp_add_counts(int device, const struct wl_counts *counts);
/* A context was started: its tool chooses the counters of the device. */
void wl_rp_counting_started(unsigned number);

#endif
