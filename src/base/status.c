#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_failure[1024];

enum wl_status wl_fail(enum wl_status status, const char *format, ...)
{
    char message[sizeof last_failure];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(last_failure, sizeof last_failure, "%s", message); /* arguments may quote wl_failure() */
    return status;
}

const char *wl_failure(void)
{
    return last_failure;
}

const char *wl_status_name(enum wl_status status)
{
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
        [WL_ABORTED] = "aborted",
        [WL_INTERNAL] = "internal error",
    };
    unsigned index = (unsigned)status;
    return index < sizeof names / sizeof *names && names[index] ? names[index] : "unknown status";
}
