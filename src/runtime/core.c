#include "runtime/core.h"

#include "trace/trace.h"

__attribute__((visibility("default"))) const struct wl_core wl_core = {
    .failure = wl_failure,
    .started = wl_runtime_started,
    .context_count = wl_context_count,
    .context_at = wl_context_at,
    .context_lds = wl_context_lds,
    .target = wl_runtime_target,
    .suggest_target = wl_runtime_suggest_target,
    .memory_allocate = wl_memory_allocate,
    .memory_free = wl_memory_free,
    .memory_find = wl_memory_find,
    .memory_register = wl_memory_register,
    .memory_unregister = wl_memory_unregister,
    .memory_enroll = wl_memory_enroll,
    .memory_withdraw = wl_memory_withdraw,
    .memory_info = wl_memory_info,
    .usage_processes = wl_usage_processes,
    .module_load = wl_module_load,
    .module_unload = wl_module_unload,
    .module_kernel = wl_module_kernel,
    .module_object = wl_module_object,
    .module_address = wl_module_address,
    .module_context = wl_module_context,
    .launch_check = wl_launch_check,
    .launch_describe = wl_launch_describe,
    .watch_modules = wl_trace_modules_with,
    .watch_queued = wl_trace_queued_with,
};
