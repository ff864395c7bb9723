/* What libroctx64.so.4 has besides ranges. */
#include "roctx/ranges.h"

#include <roctracer/roctx.h>

#define PUBLIC __attribute__((visibility("default")))

PUBLIC uint32_t roctx_version_major(void) { return ROCTX_VERSION_MAJOR; }
PUBLIC uint32_t roctx_version_minor(void) { return ROCTX_VERSION_MINOR; }
