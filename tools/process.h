/* Other programs, run for what they print. */
#ifndef WL_TOOLS_PROCESS_H
#define WL_TOOLS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Runs a program, `arguments` ending with NULL, and waits for it, a minute at most. `settings` ("NAME=value", ending with NULL; NULL: none) are
 * added to its environment. `text` receives the beginning of what it prints to stdout, and with `errors` to stderr. Returns its exit status,
 * 128 and a signal's number, or -1 if it cannot be started. */
int wl_process_run(const char *const *arguments, const char *const *settings, bool errors, char *text, size_t size);

#endif
