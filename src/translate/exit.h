/* What LLVM's calls of the C and C++ libraries lead to (exit.c). */
#ifndef WL_TRANSLATE_EXIT_H
#define WL_TRANSLATE_EXIT_H

/* Before an allocation: does not return if the process ends and the calling thread was translating. */
void wl_exit_pause(void);

#endif
