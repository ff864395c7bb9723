/* roctx/: ranges and marks of the program.
 *
 *   in    calls of roctx's functions by the program (include/roctracer/roctx.h, include/rocprofiler-sdk-roctx/roctx.h)
 *   out   records of trace/, as ranges end; calls of the tracer that registered itself
 *
 * Two libraries of their own, which need no HIP. Both have ranges.c. */
#ifndef WL_ROCTX_RANGES_H
#define WL_ROCTX_RANGES_H

#include <stdint.h>

/* Numbers by which tracers know the functions. */
enum wl_roctx_call { WL_ROCTX_MARK, WL_ROCTX_PUSH, WL_ROCTX_POP, WL_ROCTX_START, WL_ROCTX_STOP };

/* What a tracer is given: the text, and the number of a range that was started. */
struct wl_roctx_data {
    const char *message;
    uint64_t id;
};

enum { WL_ROCTX_DOMAIN = 6 }; /* by which tracers know these functions from others */

typedef int (*wl_roctx_tracer)(uint32_t domain, uint32_t operation, void *data);

/* The tracer that is called at each call from now on, before its work; NULL: none. Thread-safe. */
void wl_roctx_set_tracer(wl_roctx_tracer tracer);
/* How a tracer attaches to a library; no public header declares it. */
void roctxRegisterTracerCallback(wl_roctx_tracer tracer);

#endif
