/* Names for what a program does: ranges and marks that profilers show (libroctx64.so.4). `wavelift profile --trace` has them beside the calls of
 * the threads that they belong to (docs/profiling.md). Without a profiler the functions only count.
 *
 * All functions may be called from any thread at any time, also before the first function of HIP. Texts are copied. */
#ifndef HIP_INCLUDE_ROCTRACER_ROCTX_H
#define HIP_INCLUDE_ROCTRACER_ROCTX_H

#include <stdint.h>

#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t roctx_range_id_t;

/* The library's version: ROCTX_VERSION_MAJOR and ROCTX_VERSION_MINOR when it was built. */
uint32_t roctx_version_major(void);
uint32_t roctx_version_minor(void);

/* Names this moment of the calling thread. */
void roctxMarkA(const char *message);
/* Begins a range of the calling thread, in the one that it is in. Returns how many ranges it is in: 0 for the outermost. */
int roctxRangePushA(const char *message);
/* Ends the range that the thread has begun last. Returns what roctxRangePushA returned for it; -1: the thread is in none. */
int roctxRangePop(void);
/* Begins a range that any thread may end, and that others may overlap. Returns its number, which is never 0. */
roctx_range_id_t roctxRangeStartA(const char *message);
/* Ends it. A number that no range has, or has no more, is ignored. */
void roctxRangeStop(roctx_range_id_t id);

#define roctxMark(message)       roctxMarkA(message)
#define roctxRangePush(message)  roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)

#ifdef __cplusplus
}
#endif
#endif
