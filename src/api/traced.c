/* Two more functions for each one of HIP: one that records the call in the run (all of calls.inc), and one around it that also tells the tracer
 * (those of arguments.inc). The first stands in the table while there is a run, the second while there is a tracer. */
#include "api/api.h"
#include "api/table.h"
#include "api/tracer.h"
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

/* ---- the same for a tracer of the process --------------------------------------------------------- */

/* NOLINTBEGIN(bugprone-macro-parentheses): types, parameters and names to declare */
#define ARGUMENTS(number, name, type, parameters, names, members, fill)                                                                    \
    static type observed_##name parameters {                                                                                               \
        struct wl_api_traced call_;                                                                                                        \
        const enum wl_api_traced_as seen_ = wl_api_tracer_begin(number, &call_);                                                           \
        if (seen_ == WL_TRACED_ARGUMENTS) {                                                                                                \
            __typeof__(call_.data.arguments.name) *arguments_ = &call_.data.arguments.name;                                                \
            (void)arguments_;                                                                                                              \
            fill wl_api_tracer_before(number, &call_);                                                                                     \
        }                                                                                                                                  \
        type value_ = CALLED(name) names;                                                                                                  \
        call_.result = &value_;                                                                                                            \
        call_.result_size = sizeof value_;                                                                                                 \
        if (seen_)                                                                                                                         \
            wl_api_tracer_end(number, &call_);                                                                                             \
        return value_;                                                                                                                     \
    }
#define CALLED(name) traced_##name
#include "api/arguments.inc"
#undef CALLED

/* What compilers emit calls to is not recorded in the run. */
#define CALLED(name) name
#define COMPILER     ARGUMENTS
#define VOID(number, name, parameters, names, members, fill)                                                                               \
    static void observed_##name parameters {                                                                                               \
        struct wl_api_traced call_;                                                                                                        \
        const enum wl_api_traced_as seen_ = wl_api_tracer_begin(number, &call_);                                                           \
        if (seen_ == WL_TRACED_ARGUMENTS) {                                                                                                \
            __typeof__(call_.data.arguments.name) *arguments_ = &call_.data.arguments.name;                                                \
            fill wl_api_tracer_before(number, &call_);                                                                                     \
        }                                                                                                                                  \
        name names;                                                                                                                        \
        call_.result = NULL;                                                                                                               \
        call_.result_size = 0;                                                                                                             \
        if (seen_)                                                                                                                         \
            wl_api_tracer_end(number, &call_);                                                                                             \
    }
#include "api/compiler.inc"
#undef CALLED
#undef COMPILER
#undef VOID
#undef ARGUMENTS
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- the table ------------------------------------------------------------------------------------- */

/* Places in the table. */
enum {
#define CALL(name, ...) PLACE_##name,
#define OTHER(name)     PLACE_##name,
#include "api/calls.inc"
#undef CALL
#undef OTHER
    PLACES
};

static void *const traced[PLACES] = {
#define CALL(name, ...) [PLACE_##name] = (void *)(uintptr_t)traced_##name,
#define OTHER(name)
#include "api/calls.inc"
#undef CALL
#undef OTHER
};

static void *const observed[PLACES] = {
#define ARGUMENTS(number, name, ...) [PLACE_##name] = (void *)(uintptr_t)observed_##name,
#include "api/arguments.inc"
#undef ARGUMENTS
};

static void *const plain[PLACES] = {
#define CALL(name, ...) [PLACE_##name] = (void *)(uintptr_t)name,
#define OTHER(name)
#include "api/calls.inc"
#undef CALL
#undef OTHER
};

/* Of what compilers emit calls to. */
#define COMPILER(number, name, ...) (void *)(uintptr_t)observed_##name,
#define VOID                        COMPILER
static void *const compiler_observed[] = {
#include "api/compiler.inc"
};
#undef COMPILER
#define COMPILER(number, name, ...) (void *)(uintptr_t)name,
static void *const compiler_plain[] = {
#include "api/compiler.inc"
};
#undef COMPILER
#undef VOID

static bool recorded; /* a run is: the table has the functions that record */

/* What another tool has put into the table stays. */
static void put(void **place, void *function, const void *first, const void *second, const void *third) {
    const void *present = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (function && (present == first || present == second || present == third))
        __atomic_store_n(place, function, __ATOMIC_RELEASE);
}

void wl_api_table_trace(bool on) {
    for (size_t i = 0; i < PLACES; i++)
        put(&wl_api_table.functions[i],
            on && observed[i] ? observed[i]
            : recorded        ? traced[i]
                              : plain[i],
            plain[i], traced[i], observed[i]);
    for (size_t i = 0; i < sizeof compiler_plain / sizeof *compiler_plain; i++)
        put(&wl_api_compiler_table.functions[i], on ? compiler_observed[i] : compiler_plain[i], compiler_plain[i], compiler_observed[i],
            NULL);
}

/* Before main: programs may make their first call at any time later. */
__attribute__((constructor)) static void attach(void) {
    recorded = wl_trace_begin();
    if (recorded)
        wl_api_table_trace(false);
}
