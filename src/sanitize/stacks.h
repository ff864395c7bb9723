/* Stacks of the host's threads: recorded as addresses, named when they are printed. */
#ifndef WL_SANITIZE_STACKS_H
#define WL_SANITIZE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WL_SAN_MOST_FRAMES = 24 };

struct wl_san_frame {
    char function[256]; /* demangled; "" if it is not known */
    char place[512];    /* "file:line", else "library+0x123" */
};

/* The frames of a stack (wl_san_stack), from the innermost one of the program on: the runtime's own are left out. At most `most`; returns how
 * many. Opens libdw when it is first called; without it, functions that are exported have names and there are no lines. Thread-safe. */
unsigned wl_san_stack_frames(uint64_t stack, struct wl_san_frame *frames, unsigned most);

/* How libdw is called: `guard` returns false if what it called has crashed. From then on stacks have no lines. Without a guard it is called plainly, and
 * what it does with files that are damaged ends the process. To be set before any stack is named. */
void wl_san_stacks_guard(bool (*guard)(void (*body)(void *argument), void *argument));

#endif
