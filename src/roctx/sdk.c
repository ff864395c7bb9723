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

/* ---- names ---- */

static int record_name(enum wl_trace_kind kind, const char *name, int device, const void *stream) {
    if (!wl_trace_runs())
        return 0;
    if (!name || device < 0)
        return -1;
    const uint64_t now = wl_trace_now();
    const uint32_t number = wl_trace_name(name);
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return -1;
    record->begin = record->end = now;
    record->name = number;
    record->device = (uint16_t)device;
    record->bytes = (uintptr_t)stream;
    wl_trace_put(record, kind);
    return 0;
}

PUBLIC int roctxNameOsThread(const char *name) { return record_name(WL_TRACE_THREAD, name ? name : "", 0, NULL); }
PUBLIC int roctxNameHipDevice(const char *name, int device_id) { return record_name(WL_TRACE_DEVICE, name, device_id, NULL); }

/* The null stream has no handle of its own. */
PUBLIC int roctxNameHipStream(const char *name, const struct ihipStream_t *stream) {
    return record_name(WL_TRACE_STREAM, name, stream || !wl_trace_runs() ? 0 : -1, stream);
}

/* The host is node 0 of the driver's, and the devices follow. */
PUBLIC int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent) {
    enum { DRIVER_NODE = 0xa004 };
    int (*get_info)(uint64_t agent, int attribute, void *value) = NULL;
    uint32_t node = 0;
    if (!wl_trace_runs())
        return 0;
    void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (hsa && agent)
        get_info = (int (*)(uint64_t, int, void *))(uintptr_t)dlsym(hsa, "hsa_agent_get_info");
    const bool known = get_info && get_info(*(const uint64_t *)agent, DRIVER_NODE, &node) == 0 && node > 0;
    if (hsa)
        dlclose(hsa);
    return record_name(WL_TRACE_DEVICE, name, known ? (int)node - 1 : -1, NULL);
}

PUBLIC int roctxGetThreadId(roctx_thread_id_t *tid) {
    if (!tid)
        return -1;
    *tid = (roctx_thread_id_t)syscall(SYS_gettid);
    return 0;
}
