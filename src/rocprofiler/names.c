/* Kinds, operations and statuses by name. */
#include "rocprofiler/profiler.h"

#include <string.h>

static const char *const hip[] = {
#define OPERATION(name) #name,
#include "rocprofiler/hip_operations.inc"
#undef OPERATION
};
static const char *const compiler[] = {"__hipPopCallConfiguration", "__hipPushCallConfiguration", "__hipRegisterFatBinary",
                                       "__hipRegisterFunction",     "__hipRegisterManagedVar",    "__hipRegisterSurface",
                                       "__hipRegisterTexture",      "__hipRegisterVar",           "__hipUnregisterFatBinary"};
static const char *const objects[] = {"CODE_OBJECT_NONE", "CODE_OBJECT_LOAD", "CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER",
                                      "CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER"};
static const char *const markers[] = {"roctxMarkA",       "roctxRangePushA", "roctxRangePop",
                                      "roctxRangeStartA", "roctxRangeStop",  "roctxGetThreadId"};
static const char *const streams[] = {"HIP_STREAM_NONE", "HIP_STREAM_CREATE", "HIP_STREAM_DESTROY", "HIP_STREAM_SET"};
static const char *const dispatches[] = {"KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"};
static const char *const copies[] = {"MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                                     "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"};

static const char *const controls[] = {"roctxProfilerPause", "roctxProfilerResume"};
static const char *const ranges[] = {"roctxMarkA", "roctxThreadRangeA", "roctxProcessRangeA", "roctxGetThreadId"};
static const char *const runtimes[] = {"RUNTIME_INITIALIZATION_NONE",   "RUNTIME_INITIALIZATION_HSA",  "RUNTIME_INITIALIZATION_HIP",
                                       "RUNTIME_INITIALIZATION_MARKER", "RUNTIME_INITIALIZATION_RCCL", "RUNTIME_INITIALIZATION_ROCDECODE",
                                       "RUNTIME_INITIALIZATION_ROCJPEG"};

struct kind {
    const char *name;
    const char *const *operations; /* NULL: it has none here */
    int count;
    bool silent; /* may be asked for, and nothing happens: HIP does not go through HSA here, the other libraries do not tell */
};
#define WITH(list) (list), sizeof(list) / sizeof *(list), false
#define REFUSED    NULL, 0, false
#define SILENT     NULL, 0, true

static const struct kind callbacks[] = {{"NONE", REFUSED},
                                        {"HSA_CORE_API", SILENT},
                                        {"HSA_AMD_EXT_API", SILENT},
                                        {"HSA_IMAGE_EXT_API", SILENT},
                                        {"HSA_FINALIZE_EXT_API", SILENT},
                                        {"HIP_RUNTIME_API", WITH(hip)},
                                        {"HIP_COMPILER_API", WITH(compiler)},
                                        {"MARKER_CORE_API", WITH(markers)},
                                        {"MARKER_CONTROL_API", WITH(controls)},
                                        {"MARKER_NAME_API", SILENT},
                                        {"CODE_OBJECT", WITH(objects)},
                                        {"SCRATCH_MEMORY", SILENT},
                                        {"KERNEL_DISPATCH", WITH(dispatches)},
                                        {"MEMORY_COPY", WITH(copies)},
                                        {"RCCL_API", SILENT},
                                        {"OMPT", REFUSED},
                                        {"MEMORY_ALLOCATION", SILENT},
                                        {"RUNTIME_INITIALIZATION", WITH(runtimes)},
                                        {"ROCDECODE_API", SILENT},
                                        {"ROCJPEG_API", SILENT},
                                        {"HIP_STREAM", WITH(streams)},
                                        {"MARKER_CORE_RANGE_API", WITH(ranges)}};
static const struct kind buffers[] = {{"NONE", REFUSED},
                                      {"HSA_CORE_API", SILENT},
                                      {"HSA_AMD_EXT_API", SILENT},
                                      {"HSA_IMAGE_EXT_API", SILENT},
                                      {"HSA_FINALIZE_EXT_API", SILENT},
                                      {"HIP_RUNTIME_API", WITH(hip)},
                                      {"HIP_COMPILER_API", WITH(compiler)},
                                      {"MARKER_CORE_API", WITH(markers)},
                                      {"MARKER_CONTROL_API", WITH(controls)},
                                      {"MARKER_NAME_API", SILENT},
                                      {"MEMORY_COPY", WITH(copies)},
                                      {"KERNEL_DISPATCH", WITH(dispatches)},
                                      {"SCRATCH_MEMORY", SILENT},
                                      {"CORRELATION_ID_RETIREMENT", REFUSED},
                                      {"RCCL_API", SILENT},
                                      {"OMPT", REFUSED},
                                      {"MEMORY_ALLOCATION", SILENT},
                                      {"RUNTIME_INITIALIZATION", REFUSED},
                                      {"ROCDECODE_API", SILENT},
                                      {"ROCJPEG_API", SILENT},
                                      {"HIP_STREAM", REFUSED},
                                      {"HIP_RUNTIME_API_EXT", WITH(hip)},
                                      {"HIP_COMPILER_API_EXT", WITH(compiler)},
                                      {"ROCDECODE_API_EXT", SILENT},
                                      {"KFD_EVENT_PAGE_MIGRATE", REFUSED},
                                      {"KFD_EVENT_PAGE_FAULT", REFUSED},
                                      {"KFD_EVENT_QUEUE", REFUSED},
                                      {"KFD_EVENT_UNMAP_FROM_GPU", REFUSED},
                                      {"KFD_EVENT_DROPPED_EVENTS", REFUSED},
                                      {"KFD_PAGE_MIGRATE", REFUSED},
                                      {"KFD_PAGE_FAULT", REFUSED},
                                      {"KFD_QUEUE", REFUSED},
                                      {"MARKER_CORE_RANGE_API", WITH(ranges)}};
_Static_assert(sizeof callbacks / sizeof *callbacks == WL_RP_CALLBACK_KINDS, "one for each kind");
_Static_assert(sizeof buffers / sizeof *buffers == WL_RP_BUFFER_KINDS, "one for each kind");

static int check_kind(const struct kind *kinds, int count, int kind) {
    if (kind <= 0 || kind >= count)
        return WL_RP_KIND_NOT_FOUND;
    return kinds[kind].operations || kinds[kind].silent ? WL_RP_SUCCESS : WL_RP_NOT_IMPLEMENTED;
}

int wl_rp_callback_kind(int kind) { return check_kind(callbacks, WL_RP_CALLBACK_KINDS, kind); }
int wl_rp_buffer_kind(int kind) { return check_kind(buffers, WL_RP_BUFFER_KINDS, kind); }

int wl_rp_operation(const char *name, int *kind) {
    for (int i = 0; i < (int)(sizeof hip / sizeof *hip); i++)
        if (strcmp(hip[i], name) == 0) {
            *kind = WL_RP_CALLBACK_HIP;
            return i;
        }
    for (int i = 0; i < (int)(sizeof compiler / sizeof *compiler); i++)
        if (strcmp(compiler[i], name) == 0) {
            *kind = WL_RP_CALLBACK_HIP_COMPILER;
            return i;
        }
    return -1;
}

static int give_name(const char *text, const char **name, uint64_t *length) {
    if (name)
        *name = text;
    if (length)
        *length = strlen(text);
    return WL_RP_SUCCESS;
}

static int kind_name(const struct kind *kinds, int count, int kind, const char **name, uint64_t *length) {
    return kind >= 0 && kind < count ? give_name(kinds[kind].name, name, length) : WL_RP_KIND_NOT_FOUND;
}

static int operation_name(const struct kind *kinds, int count, int kind, int operation, const char **name, uint64_t *length) {
    if (kind < 0 || kind >= count)
        return WL_RP_KIND_NOT_FOUND;
    if (operation < 0 || operation >= kinds[kind].count)
        return WL_RP_OPERATION_NOT_FOUND;
    return give_name(kinds[kind].operations[operation], name, length);
}

/* Callbacks return 0 to go on. */
static int each_kind(int count, int (*callback)(int kind, void *data), void *data) {
    if (!callback)
        return WL_RP_INVALID_ARGUMENT;
    for (int i = 0; i < count && callback(i, data) == 0; i++)
        ;
    return WL_RP_SUCCESS;
}

static int each_operation(const struct kind *kinds, int count, int kind, int (*callback)(int kind, int operation, void *data), void *data) {
    if (kind < 0 || kind >= count)
        return WL_RP_KIND_NOT_FOUND;
    if (!callback)
        return WL_RP_INVALID_ARGUMENT;
    for (int i = 0; i < kinds[kind].count && callback(kind, i, data) == 0; i++)
        ;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_query_callback_tracing_kind_name(int kind, const char **name, uint64_t *length) {
    return kind_name(callbacks, WL_RP_CALLBACK_KINDS, kind, name, length);
}
WL_ROCPROFILER_API int rocprofiler_query_buffer_tracing_kind_name(int kind, const char **name, uint64_t *length) {
    return kind_name(buffers, WL_RP_BUFFER_KINDS, kind, name, length);
}
WL_ROCPROFILER_API int rocprofiler_query_callback_tracing_kind_operation_name(int kind, int operation, const char **name,
                                                                              uint64_t *length) {
    return operation_name(callbacks, WL_RP_CALLBACK_KINDS, kind, operation, name, length);
}
WL_ROCPROFILER_API int rocprofiler_query_buffer_tracing_kind_operation_name(int kind, int operation, const char **name, uint64_t *length) {
    return operation_name(buffers, WL_RP_BUFFER_KINDS, kind, operation, name, length);
}
WL_ROCPROFILER_API int rocprofiler_iterate_callback_tracing_kinds(int (*callback)(int kind, void *data), void *data) {
    return each_kind(WL_RP_CALLBACK_KINDS, callback, data);
}
WL_ROCPROFILER_API int rocprofiler_iterate_buffer_tracing_kinds(int (*callback)(int kind, void *data), void *data) {
    return each_kind(WL_RP_BUFFER_KINDS, callback, data);
}
WL_ROCPROFILER_API int rocprofiler_iterate_callback_tracing_kind_operations(int kind, int (*callback)(int kind, int operation, void *data),
                                                                            void *data) {
    return each_operation(callbacks, WL_RP_CALLBACK_KINDS, kind, callback, data);
}
WL_ROCPROFILER_API int rocprofiler_iterate_buffer_tracing_kind_operations(int kind, int (*callback)(int kind, int operation, void *data),
                                                                          void *data) {
    return each_operation(buffers, WL_RP_BUFFER_KINDS, kind, callback, data);
}

static const char *const tables[] = {
    "HSA",  "HIP (runtime)", "HIP (compiler)", "MARKER (ROCTx)", "MARKER (ROCTx Control)", "MARKER (ROCTx Name)",
    "RCCL", "rocDecode",     "rocJPEG"};
static const char *const requests[] = {
    "NONE",
    "HSA_CORE_API",
    "HSA_AMD_EXT_API",
    "HSA_IMAGE_EXT_API",
    "HSA_FINALIZE_EXT_API",
    "HIP_RUNTIME_API",
    "HIP_COMPILER_API",
    "MARKER_CORE_API",
    "MARKER_CONTROL_API",
    "MARKER_NAME_API",
    "MEMORY_COPY",
    "KERNEL_DISPATCH",
    "SCRATCH_MEMORY",
    "RCCL_API",
    "OMPT",
    "MEMORY_ALLOCATION",
    "ROCDECODE_API",
    "ROCJPEG_API",
    "MARKER_CORE_RANGE_API",
};
_Static_assert(sizeof requests / sizeof *requests == WL_RP_REQUEST_KINDS, "one for each kind");
_Static_assert(sizeof tables / sizeof *tables == WL_RP_TABLES, "one for each table");

/* `table` is a bit. */
WL_ROCPROFILER_API int rocprofiler_query_intercept_table_name(int table, const char **name, uint64_t *length) {
    for (unsigned i = 0; i < WL_RP_TABLES; i++)
        if (table == 1 << i)
            return give_name(tables[i], name, length);
    return WL_RP_KIND_NOT_FOUND;
}

WL_ROCPROFILER_API int rocprofiler_query_external_correlation_id_request_kind_name(int kind, const char **name, uint64_t *length) {
    return kind >= 0 && kind < WL_RP_REQUEST_KINDS ? give_name(requests[kind], name, length) : WL_RP_KIND_NOT_FOUND;
}

/* ---- statuses ------------------------------------------------------------------------------------- */

static const char *const statuses[] = {"ROCPROFILER_STATUS_SUCCESS",
                                       "ROCPROFILER_STATUS_ERROR",
                                       "ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR",
                                       "ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID",
                                       "ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED",
                                       "ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT",
                                       "ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO",
                                       "ROCPROFILER_STATUS_ERROR_BUFFER_BUSY",
                                       "ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED",
                                       "ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED",
                                       "ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED",
                                       "ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI",
                                       "ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT",
                                       "ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT",
                                       "ROCPROFILER_STATUS_ERROR_FINALIZED",
                                       "ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED",
                                       "ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED",
                                       "ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_AQL_NO_EVENT_COORD",
                                       "ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL",
                                       "ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES",
                                       "ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND",
                                       "ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT",
                                       "ROCPROFILER_STATUS_INTERNAL_NO_AGENT_CONTEXT",
                                       "ROCPROFILER_STATUS_ERROR_SAMPLE_RATE_EXCEEDED",
                                       "ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE",
                                       "ROCPROFILER_STATUS_ERROR_NO_HARDWARE_COUNTERS",
                                       "ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH",
                                       "ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE",
                                       "ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT",
                                       "ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED",
                                       "ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED"};

WL_ROCPROFILER_API const char *rocprofiler_get_status_name(int status) {
    return status >= 0 && status < (int)(sizeof statuses / sizeof *statuses) ? statuses[status] : NULL;
}

WL_ROCPROFILER_API const char *rocprofiler_get_status_string(int status) {
    switch (status) {
    case WL_RP_SUCCESS:
        return "success";
    case WL_RP_CONTEXT_NOT_FOUND:
        return "there is no such context";
    case WL_RP_BUFFER_NOT_FOUND:
        return "there is no such buffer";
    case WL_RP_KIND_NOT_FOUND:
        return "there is no such kind";
    case WL_RP_OPERATION_NOT_FOUND:
        return "the kind has no such operation";
    case WL_RP_THREAD_NOT_FOUND:
        return "there is no such thread for callbacks";
    case WL_RP_CONTEXT_NOT_STARTED:
        return "the context is not active";
    case WL_RP_BUFFER_BUSY:
        return "the buffer's callback runs";
    case WL_RP_ALREADY_CONFIGURED:
        return "the context has that already";
    case WL_RP_CONFIGURATION_LOCKED:
        return "contexts are configured while a tool is initialized";
    case WL_RP_NOT_IMPLEMENTED:
        return "not implemented";
    case WL_RP_INCOMPATIBLE_ABI:
        return "a structure of another version";
    case WL_RP_INVALID_ARGUMENT:
        return "an invalid argument";
    case WL_RP_FINALIZED:
        return "the tool is finalized";
    case WL_RP_OUT_OF_RESOURCES:
        return "out of memory, or too many";
    case WL_RP_NOT_AVAILABLE:
        return "not available here";
    default:
        return rocprofiler_get_status_name(status);
    }
}
