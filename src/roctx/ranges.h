/* roctx/: ranges and marks of the program.
 *
 *   in    calls of roctx's functions by the program (include/roctracer/roctx.h, include/rocprofiler-sdk-roctx/roctx.h)
 *   out   records of trace/, as ranges end; calls of the tracer that registered itself
 *
 * Two libraries of their own, which need no HIP. Both have ranges.c. */
#ifndef WL_ROCTX_RANGES_H
#define WL_ROCTX_RANGES_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers by which tracers know the functions. */
enum wl_roctx_call { WL_ROCTX_MARK, WL_ROCTX_PUSH, WL_ROCTX_POP, WL_ROCTX_START, WL_ROCTX_STOP, WL_ROCTX_PAUSE = 16, WL_ROCTX_RESUME };

/* What a tracer is given: the text, and the number of a range that was started, or of a thread that pauses. Of PAUSE and RESUME, which take time,
 * it is told before and after. */
struct wl_roctx_data {
    const char *message;
    uint64_t id;
    bool after;
};

enum { WL_ROCTX_DOMAIN = 6 }; /* by which tracers know these functions from others */

typedef int (*wl_roctx_tracer)(uint32_t domain, uint32_t operation, void *data);

/* How tracers attach to a library: the function is called at each call from now on, before its work; NULL: no longer. No public header declares
 * them. There is a place for AMD's protocol (libroctracer64), and one for librocprofiler-sdk, which alone is told of PAUSE and RESUME. Thread-safe. */
void roctxRegisterTracerCallback(wl_roctx_tracer tracer);
void wl_roctx_watch(wl_roctx_tracer tracer);

/* Tells those who have attached. */
void wl_roctx_tell(enum wl_roctx_call call, const struct wl_roctx_data *data);

#endif
