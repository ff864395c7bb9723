/* What libroctx64.so.4 has besides ranges. */
#include "roctx/ranges.h"

#include <roctracer/roctx.h>

#define PUBLIC __attribute__((visibility("default")))

PUBLIC uint32_t roctx_version_major(void) { return ROCTX_VERSION_MAJOR; }
PUBLIC uint32_t roctx_version_minor(void) { return ROCTX_VERSION_MINOR; }

/* How a tracer attaches; no public header declares it. */
PUBLIC void roctxRegisterTracerCallback(wl_roctx_tracer tracer);
PUBLIC void roctxRegisterTracerCallback(wl_roctx_tracer tracer) { wl_roctx_set_tracer(tracer); }
