#include "base/assert.h"

#ifdef WL_ASSERTS
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void wl_assert_failed(const char *file, int line, const char *function, const char *condition) {
    dprintf(STDERR_FILENO, "wavelift: %s:%d: %s: violated: %s\n", file, line, function, condition);
    abort();
}

_Thread_local __attribute__((tls_model("initial-exec"))) int wl_thread_number;

/* The thread of a forked child has another number than the one that it is a copy of. */
static void forget_number(void) { wl_thread_number = 0; }
__attribute__((constructor)) static void watch_forks(void) { (void)pthread_atfork(NULL, NULL, forget_number); }

bool wl_is_this_thread(int number) {
    wl_thread_number = gettid();
    return wl_thread_number == number;
}
#endif
