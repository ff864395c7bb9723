/* The program that a command watches. */
#ifndef WL_TOOLS_PROGRAM_H
#define WL_TOOLS_PROGRAM_H

#include <stdbool.h>

/* Sets a variable to the absolute name of a file, because the program may change its folder. False: there is no folder. */
bool wl_program_set_path(const char *variable, const char *path);

/* Runs a program as `wavelift run` does, and waits for it. Signals of the terminal reach the program by themselves; SIGTERM and SIGHUP are
 * passed on. `look` (may be NULL) is called with `context` a few times a second meanwhile. Returns the program's exit status, 128 and the
 * number of a signal that ended it, which is then told on stderr in the name of `command`, or 1 if it cannot be started. */
int wl_program_run(const char *command, char **operands, void (*look)(void *context), void *context);

#endif
