/* Findings that are not to be reported: files of suppressions. docs/sanitizers.md describes the format for users:
 *
 *     # a comment
 *     {
 *         the name of the suppression
 *         memcheck:out-of-bounds-*
 *         kernel:scan*
 *         file:*_/scan.h:120
 *         call:hipMemcpy*
 *         stack:PyEval*
 *     }
 *
 * (without the underscore, which keeps this comment open). The second line is required: tools, separated by commas or "*", and a pattern of
 * kinds. All further lines must hold; each is true if it holds for either access of a race. */
#ifndef WL_SANITIZE_SUPPRESS_H
#define WL_SANITIZE_SUPPRESS_H

#include "base/status.h"
#include "sanitize/describe.h"

#include <stddef.h>

struct wl_san_suppressions;

/* Reads a file. WL_FILE_NOT_FOUND, WL_OUT_OF_MEMORY; WL_INVALID_VALUE: something in it is no suppression, and the message names the line. */
enum wl_status wl_san_suppressions_read(const char *path, struct wl_san_suppressions **suppressions);
void wl_san_suppressions_free(struct wl_san_suppressions *suppressions);

/* Whether one of them (NULL: none) stands for the finding. */
bool wl_san_suppressed(const struct wl_san_suppressions *suppressions, const struct wl_san_kept *kept);

/* Prints the suppression that stands for this finding. */
void wl_san_print_suppression(FILE *out, const struct wl_san_kept *kept);

#endif
