/* Services that are not there: counters of the tool's own, sampling, traces of threads, OpenMP. */
#include "rocprofiler/profiler.h"

#define REFUSED(name)                                                                                                                      \
    WL_ROCPROFILER_API int name(void) { return WL_RP_NOT_IMPLEMENTED; }

REFUSED(rocprofiler_at_internal_thread_create)
REFUSED(rocprofiler_configure_device_thread_trace_service)
REFUSED(rocprofiler_configure_dispatch_thread_trace_service)
REFUSED(rocprofiler_configure_pc_sampling_service)
REFUSED(rocprofiler_configure_spm_service)
REFUSED(rocprofiler_create_counter)
REFUSED(rocprofiler_destroy_buffer)
REFUSED(rocprofiler_iterate_buffer_tracing_record_args)
REFUSED(rocprofiler_iterate_callback_tracing_kind_operation_args)
REFUSED(rocprofiler_load_counter_definition)
REFUSED(rocprofiler_ompt_is_finalized)
REFUSED(rocprofiler_ompt_is_initialized)
REFUSED(rocprofiler_query_pc_sampling_agent_configurations)
REFUSED(rocprofiler_thread_trace_decoder_codeobj_load)
REFUSED(rocprofiler_thread_trace_decoder_codeobj_unload)
REFUSED(rocprofiler_thread_trace_decoder_create)
REFUSED(rocprofiler_thread_trace_decoder_destroy)
REFUSED(rocprofiler_thread_trace_decoder_info_string)
REFUSED(rocprofiler_trace_decode)
