/* memcheck: whether the lanes of an access may make it. */
#ifndef WL_SANITIZE_MEMCHECK_H
#define WL_SANITIZE_MEMCHECK_H

#include "sanitize/hooks.h"

/* The lanes that may make it; `limit`: bytes of LDS, or of a lane's scratch, where the access is there. */
uint64_t wl_memcheck_lanes(const struct wl_san_access *access, uint64_t limit);
/* Reports the first of the lanes `bad`, as bits of access->lanes. */
void wl_memcheck_report(const struct wl_san_wave *wave, const struct wl_san_access *access, uint64_t bad);
/* Of the lanes `bad`, which have been reported, those that make their access nevertheless: loads of LDS that begin within it. What they have
 * there is what the program uses, if it uses anything: behind LDS the device keeps room for them. */
uint64_t wl_memcheck_harmless(const struct wl_san_access *access, uint64_t bad, uint64_t limit);
/* All three. Returns the lanes that may. */
uint64_t wl_memcheck_access(const struct wl_san_wave *wave, const struct wl_san_access *access);

/* Whether `size` bytes from the run's start on may be accessed. */
bool wl_memcheck_run(const struct wl_san_launch *launch, const struct wl_san_lanes *run, uint64_t size);

#endif
