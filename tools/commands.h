/* Commands of `wavelift` that stand in files of their own, and what they share with wavelift.c. */
#ifndef WL_TOOLS_COMMANDS_H
#define WL_TOOLS_COMMANDS_H

/* Each takes the arguments from its own name on and returns the exit code: 0, 1 (failed), 2 (wrong usage). */
int wl_command_isa(int argc, char **argv);
int wl_command_check(int argc, char **argv);
int wl_command_ptx(int argc, char **argv);

/* Print a message and return the exit code of a failure (1), and of wrong usage (2). */
int wl_tool_fail(const char *what);
int wl_tool_usage(const char *what);
/* Opens the translator's library, which lies beside the runtime's; NULL, with a message on stderr, if it cannot be. Stays open. */
void *wl_tool_open_translator(void);

#endif
