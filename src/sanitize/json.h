/* Findings for programs to read. docs/sanitizers.md describes the members. */
#ifndef WL_SANITIZE_JSON_H
#define WL_SANITIZE_JSON_H

#include "sanitize/describe.h"

#include <stddef.h>
#include <stdio.h>

/* Writes a text as a string of JSON, with its quotes. Control characters are escaped; bytes of UTF-8 stay. */
void wl_san_write_string(FILE *out, const char *text);
/* Writes an object with all findings. */
void wl_san_write_json(FILE *out, struct wl_san_kept *const *findings, size_t count, uint64_t suppressed, uint64_t not_shown);

#endif
