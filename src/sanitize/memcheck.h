/* memcheck: whether the lanes of an access may make it. */
#ifndef WL_SANITIZE_MEMCHECK_H
#define WL_SANITIZE_MEMCHECK_H

#include "sanitize/hooks.h"

/* Returns the lanes that may; reports the first of the others. */
uint64_t wl_memcheck_access(struct wl_san_wave *wave, const struct wl_san_access *access);

#endif
