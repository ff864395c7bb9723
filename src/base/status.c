#include "base/status.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* On the heap, for thread-local storage must stay small: a program that opens the library with dlopen has a few hundred
 * bytes of it to give. */
#define FAILURE_ROOM 1024

static _Thread_local char *last_failure; /* NULL: none, or no memory for one */
static pthread_key_t failure_key;
static pthread_once_t failure_once = PTHREAD_ONCE_INIT;

static void forget_failure(void *text) {
    last_failure = NULL;
    free(text);
}

static void make_failure_key(void) { (void)pthread_key_create(&failure_key, forget_failure); }

static char *failure_text(void) {
    if (!last_failure && (last_failure = calloc(1, FAILURE_ROOM))) {
        pthread_once(&failure_once, make_failure_key);
        (void)pthread_setspecific(failure_key, last_failure);
    }
    return last_failure;
}

enum wl_status wl_fail(enum wl_status status, const char *format, ...) {
    char message[FAILURE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char *text = failure_text(); /* only now: the arguments may quote wl_failure() */
    if (text)
        snprintf(text, FAILURE_ROOM, "%s", message);
    return status;
}

const char *wl_failure(void) { return last_failure ? last_failure : ""; }

const char *wl_status_name(enum wl_status status) {
    static const char *const names[] = {
        [WL_OK] = "success",
        [WL_INVALID_VALUE] = "invalid value",
        [WL_OUT_OF_MEMORY] = "out of memory",
        [WL_INVALID_IMAGE] = "invalid code object",
        [WL_NO_BINARY] = "no code for this device",
        [WL_NOT_FOUND] = "not found",
        [WL_FILE_NOT_FOUND] = "file not found",
        [WL_UNSUPPORTED] = "not supported",
        [WL_OUT_OF_RESOURCES] = "out of resources",
        [WL_NOT_READY] = "not ready",
        [WL_ILLEGAL_ADDRESS] = "illegal address",
        [WL_ILLEGAL_INSTRUCTION] = "illegal instruction",
        [WL_ASSERT] = "assertion failed",
        [WL_INVALID_SHAPE] = "impossible grid or workgroup",
        [WL_KERNEL_BOUNDS] = "workgroup beyond the kernel's bounds",
        [WL_INVALID_CLUSTER] = "an impossible cluster of workgroups",
        [WL_TOO_MANY_RESIDENT] = "too many workgroups for a cooperative launch",
        [WL_ABORTED] = "aborted",
        [WL_TIMED_OUT] = "timed out",
        [WL_INTERNAL] = "internal error",
        [WL_ILLEGAL_STATE] = "illegal state",
        [WL_CAPTURE_UNSUPPORTED] = "not permitted during stream capture",
        [WL_CAPTURE_INVALIDATED] = "the capture was invalidated",
        [WL_CAPTURE_MERGE] = "two captures would be joined",
        [WL_CAPTURE_UNMATCHED] = "the capture began in another stream",
        [WL_CAPTURE_UNJOINED] = "captured work was not joined",
        [WL_CAPTURE_ISOLATION] = "captured work would depend on work outside",
        [WL_CAPTURE_IMPLICIT] = "the null stream would depend on a capture",
        [WL_CAPTURED_EVENT] = "the event is part of a capture",
        [WL_CAPTURE_WRONG_THREAD] = "the capture belongs to another thread",
    };
    unsigned index = (unsigned)status;
    return index < sizeof names / sizeof *names && names[index] ? names[index] : "unknown status";
}
