/* How tracers of the process see HIP: AMD's protocol between libamdhip64 and libroctracer64.
 *
 * A tracer registers one function (hipRegisterTracerCallback; there are places for others, which see the same: trace/trace.h). At the beginning of a call of HIP that function is given the call's number
 * (api_names.inc) and a struct wl_api_traced. If it returns 0 it wants to see the call: it has filled in what is to be called next, before
 * and after the call's work. When work of a device has ended it is given a struct wl_api_activity; with NULL instead it is asked whether
 * it wants to have such ones.
 *
 * A header for both sides; it needs HIP's public headers alone. */
#ifndef WL_API_TRACED_CALL_H
#define WL_API_TRACED_CALL_H

#include <hip/hip_runtime_api.h>

#include <stdbool.h>

enum { WL_API_TRACERS = 3 }; /* as many as enum wl_trace_place has places */

/* Domains, and operations of devices. */
enum { WL_TRACED_OPERATIONS = 2, WL_TRACED_CALLS = 3 };
enum { WL_TRACED_DISPATCH, WL_TRACED_COPY, WL_TRACED_OPERATION_COUNT = 3 };

/* Numbers from here on are those of registrations (compiler.inc), which are not AMD's. */
enum { WL_TRACED_REGISTRATIONS = 1024, WL_TRACED_NUMBERS = 1031 };

/* A call with its arguments: AMD's hip_api_data_t. */
struct wl_api_data {
    uint64_t correlation; /* the tracer's number of the call */
    uint32_t phase;       /* 0: before its work; 1: after it */
    union {
#define ARGUMENTS(number, name, type, parameters, names, members, fill)                                                                    \
    struct {                                                                                                                               \
        members                                                                                                                            \
    } name;
#define COMPILER                                             ARGUMENTS
#define VOID(number, name, parameters, names, members, fill) ARGUMENTS(number, name, void, parameters, names, members, fill)
#include "api/arguments.inc"
#include "api/compiler.inc"
#undef ARGUMENTS
#undef COMPILER
#undef VOID
    } arguments;
    uint64_t *phase_data; /* the tracer's */
};

struct wl_api_traced {
    struct wl_api_data data;
    uint64_t begin, own; /* the tracer's */
    void (*before)(uint32_t number, struct wl_api_traced *call);
    void (*after)(uint32_t number, struct wl_api_traced *call);
    const void *result; /* for `after`: the call's, of result_size bytes; 0: it has none */
    size_t result_size;
    /* libamdhip64's: what each of several tracers has of the members above, when it is not its turn; and the correlation of the call that this
     * one is made in, from a function of a tracer. */
    struct wl_api_seen {
        uint64_t correlation, begin, own;
        void (*before)(uint32_t number, struct wl_api_traced *call);
        void (*after)(uint32_t number, struct wl_api_traced *call);
        bool wanted;
    } seen[WL_API_TRACERS];
    uint64_t outer;
};

/* AMD's activity_record_t. */
struct wl_api_activity {
    uint32_t domain, kind, operation;
    uint64_t correlation, begin, end;
    int device;
    uint64_t queue;
    union {
        size_t bytes;
        const char *kernel;
    };
};

/* What a tracer is given of work: a struct wl_api_activity, and behind it what the runtime knows besides (trace/trace.h). */
struct wl_api_work {
    struct wl_api_activity activity;
    const struct wl_trace_work *work;
};

typedef int (*wl_api_tracer)(uint32_t domain, uint32_t operation, void *data);

#endif
