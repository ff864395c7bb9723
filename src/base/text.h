/* Questions about strings that end with a zero. */
#ifndef WL_BASE_TEXT_H
#define WL_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool wl_starts_with(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

#endif
