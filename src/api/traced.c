/* The functions of calls.inc with a record of each call. They stand in the table while a run is recorded. */
#include "api/api.h"
#include "api/table.h"
#include "trace/trace.h"

#include <string.h>

/* Functions that give no hipError_t have no result that a record could tell. */
static int32_t error_of(const void *value) {
    hipError_t error;
    memcpy(&error, value, sizeof error);
    return (int32_t)error;
}
static int32_t no_error(const void *value) {
    (void)value;
    return 0;
}
#define RESULT(value) _Generic((value), hipError_t: error_of, default: no_error)(&(value))

/* NOLINTBEGIN(bugprone-macro-parentheses): types, parameters and names to declare */
#define CALL(name, type, parameters, arguments)                                                                                            \
    static type traced_##name parameters {                                                                                                 \
        static _Atomic uint32_t number_;                                                                                                   \
        struct wl_trace_call call_;                                                                                                        \
        wl_trace_call_begin(&call_);                                                                                                       \
        type value_ = name arguments;                                                                                                      \
        if (call_.number)                                                                                                                  \
            wl_trace_call_end(&call_, wl_trace_name_kept(&number_, #name), RESULT(value_));                                                \
        return value_;                                                                                                                     \
    }
#define OTHER(name)
#include "api/calls.inc"
#undef CALL
#undef OTHER
/* NOLINTEND(bugprone-macro-parentheses) */

static void *const traced[] = {
#define CALL(name, ...) (void *)(uintptr_t)traced_##name,
#define OTHER(name)     NULL,
#include "api/calls.inc"
#undef CALL
#undef OTHER
};

/* Before main: programs may make their first call at any time later. */
__attribute__((constructor)) static void attach(void) {
    if (!wl_trace_begin())
        return;
    for (size_t i = 0; i < sizeof traced / sizeof *traced; i++)
        if (traced[i])
            wl_api_table.functions[i] = traced[i];
}
