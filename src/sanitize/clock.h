/* Sparse vector clocks: from keys to times. They are trees that share what they have in common, so that a wave that learns all that
 * another one knows copies nothing, and never change once they are made. NULL: the clock that knows nothing. Thread-safe. */
#ifndef WL_SANITIZE_CLOCK_H
#define WL_SANITIZE_CLOCK_H

#include <stdint.h>

struct wl_clock;

struct wl_clock *wl_clock_keep(struct wl_clock *clock);
void wl_clock_drop(struct wl_clock *clock);
/* The time of `key`; 0 if it is not known. */
uint32_t wl_clock_get(const struct wl_clock *clock, uint64_t key);
/* *clock also knows `key` at `time`, if it knows no later one. Without memory it stays what it was. */
void wl_clock_add(struct wl_clock **clock, uint64_t key, uint32_t time);
/* *clock also knows what `other` knows. Without memory it stays what it was. */
void wl_clock_join(struct wl_clock **clock, struct wl_clock *other);

#endif
