/* The names of roctracer/roctx.h as newer programs have them (librocprofiler-sdk-roctx.so.1), and what they may ask of a profiler. Whatever
 * roctracer/roctx.h says of the functions that both have holds here.
 *
 * The others return 0 if they did what they say, or if there is nothing to do since no profiler is there; else -1. */
#ifndef HIP_INCLUDE_ROCPROFILER_SDK_ROCTX_ROCTX_H
#define HIP_INCLUDE_ROCPROFILER_SDK_ROCTX_ROCTX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t roctx_range_id_t;
typedef uint64_t roctx_thread_id_t;
struct hsa_agent_s;
struct ihipStream_t;

void roctxMarkA(const char *message);
int roctxRangePushA(const char *message);
int roctxRangePop(void);
roctx_range_id_t roctxRangeStartA(const char *message);
void roctxRangeStop(roctx_range_id_t id);

/* Stops and resumes recording, of this process. Only for all threads (`tid` 0); -1 for one. */
int roctxProfilerPause(roctx_thread_id_t tid);
int roctxProfilerResume(roctx_thread_id_t tid);
/* Names the calling thread where a profiler shows it. The system's name of the thread stays. */
int roctxNameOsThread(const char *name);
/* Name a device, by HSA's agent or HIP's number of it, or a stream, where a profiler shows them. -1: there is no such agent, it is the host's, or the
 * stream is the null stream, and a profiler is there. */
int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent);
int roctxNameHipDevice(const char *name, int device_id);
int roctxNameHipStream(const char *name, const struct ihipStream_t *stream);
/* The number of the calling thread: the system's. -1: no `tid`. */
int roctxGetThreadId(roctx_thread_id_t *tid);

#define roctxMark(message)       roctxMarkA(message)
#define roctxRangePush(message)  roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)

#ifdef __cplusplus
}
#endif
#endif
