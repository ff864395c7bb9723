/* What librocprofiler-sdk-roctx.so.1 has besides ranges. */
#include "roctx/ranges.h"

#include "trace/trace.h"

#include <rocprofiler-sdk-roctx/roctx.h>

#include <dlfcn.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

/* Pauses this library's records and those of HIP, if the process has it. */
static int pause_all(bool paused) {
    void *hip = dlopen("libamdhip64.so.7", RTLD_LAZY | RTLD_NOLOAD);
    int (*function)(void) = NULL;
    if (hip)
        function = (int (*)(void))(uintptr_t)dlsym(hip, paused ? "hipProfilerStop" : "hipProfilerStart");
    if (hip)
        dlclose(hip);
    wl_trace_pause(paused);
    return function && function() != 0 ? -1 : 0;
}

static int control(enum wl_roctx_call call, roctx_thread_id_t tid) {
    struct wl_roctx_data data = {NULL, tid, false};
    wl_roctx_tell(call, &data);
    const int result = tid ? -1 : pause_all(call == WL_ROCTX_PAUSE);
    data.after = true;
    wl_roctx_tell(call, &data);
    return result;
}

PUBLIC int roctxProfilerPause(roctx_thread_id_t tid) { return control(WL_ROCTX_PAUSE, tid); }
PUBLIC int roctxProfilerResume(roctx_thread_id_t tid) { return control(WL_ROCTX_RESUME, tid); }

PUBLIC int roctxNameOsThread(const char *name) {
    if (!wl_trace_runs())
        return 0;
    const uint32_t number = wl_trace_name(name ? name : "");
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return -1;
    record->name = number;
    wl_trace_put(record, WL_TRACE_THREAD);
    return 0;
}

static int unnamed(void) { return wl_trace_runs() ? -1 : 0; }

PUBLIC int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent) {
    (void)name, (void)agent;
    return unnamed();
}

PUBLIC int roctxNameHipDevice(const char *name, int device_id) {
    (void)name, (void)device_id;
    return unnamed();
}

PUBLIC int roctxNameHipStream(const char *name, const struct ihipStream_t *stream) {
    (void)name, (void)stream;
    return unnamed();
}

PUBLIC int roctxGetThreadId(roctx_thread_id_t *tid) {
    if (!tid)
        return -1;
    *tid = (roctx_thread_id_t)syscall(SYS_gettid);
    return 0;
}
