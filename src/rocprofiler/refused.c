/* Services that are not there: counters of the tool's own, sampling, traces of threads, OpenMP. Sampling says what AMD's library says of devices
 * that cannot be sampled. */
#include "rocprofiler/profiler.h"

#define REFUSED(name)                                                                                                                      \
    WL_ROCPROFILER_API int name(void) { return WL_RP_NOT_IMPLEMENTED; }

REFUSED(rocprofiler_at_internal_thread_create)
REFUSED(rocprofiler_configure_device_thread_trace_service)
REFUSED(rocprofiler_configure_dispatch_thread_trace_service)
REFUSED(rocprofiler_configure_spm_service)
REFUSED(rocprofiler_create_counter)
REFUSED(rocprofiler_destroy_buffer)
REFUSED(rocprofiler_load_counter_definition)
REFUSED(rocprofiler_ompt_is_finalized)
REFUSED(rocprofiler_ompt_is_initialized)
REFUSED(rocprofiler_thread_trace_decoder_codeobj_load)
REFUSED(rocprofiler_thread_trace_decoder_codeobj_unload)
REFUSED(rocprofiler_thread_trace_decoder_create)
REFUSED(rocprofiler_thread_trace_decoder_destroy)
REFUSED(rocprofiler_thread_trace_decoder_info_string)
REFUSED(rocprofiler_trace_decode)

typedef int (*sampling_callback)(const void *configurations, size_t count, void *data);

WL_ROCPROFILER_API int rocprofiler_query_pc_sampling_agent_configurations(struct wl_rp_id agent, sampling_callback callback, void *data) {
    int device = 0;
    (void)callback, (void)data;
    return wl_rp_agent_device(agent, &device) ? WL_RP_NOT_AVAILABLE : WL_RP_AGENT_NOT_FOUND;
}

WL_ROCPROFILER_API int rocprofiler_configure_pc_sampling_service(struct wl_rp_id context, struct wl_rp_id agent, int method, int unit,
                                                                 uint64_t interval, struct wl_rp_id buffer, int flags) {
    struct wl_rp_context *found = NULL;
    int device = 0, status = wl_rp_find_configurable(context, &found);
    (void)method, (void)unit, (void)interval, (void)flags;
    if (status != WL_RP_SUCCESS)
        return status;
    if (!wl_rp_agent_device(agent, &device))
        return WL_RP_AGENT_NOT_FOUND;
    return wl_rp_buffer(buffer) ? WL_RP_NOT_AVAILABLE : WL_RP_BUFFER_NOT_FOUND;
}
