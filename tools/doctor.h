/* `wavelift doctor`: what its parts share. doctor.c has the report and what running programs needs, doctor_compile.c what compiling needs,
 * self_test.c the kernel that is run. */
#ifndef WL_TOOLS_DOCTOR_H
#define WL_TOOLS_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

/* A line of the report: what was looked at, and what was found; printf-style. */
__attribute__((format(printf, 2, 3))) void wl_doctor_good(const char *subject, const char *format, ...);
/* Worth knowing, and nothing to mend. */
__attribute__((format(printf, 2, 3))) void wl_doctor_note(const char *subject, const char *format, ...);
/* Something that has to be mended, and how: the exit status will be 1. */
__attribute__((format(printf, 3, 4))) void wl_doctor_bad(const char *subject, const char *remedy, const char *format, ...);

/* As wl_process_run (process.h), with errors, for a command of this program. */
int wl_doctor_run_self(const char *const *arguments, const char *const *settings, char *text, size_t size);
/* The last line of a text that has more than blanks, in place. */
char *wl_doctor_last_line(char *text);

void wl_doctor_compile(void);
/* Runs the kernel on device 0 in this process: the exit status, with a sentence on stderr if it is not 0. */
int wl_doctor_self_test(void);

#endif
