/* Structures and numbers of AMD's profiler interface, rocprofiler-sdk 1.1 (ROCm 7.1 and 7.2), as its clients are compiled with them. */
#ifndef WL_ROCPROFILER_ABI_H
#define WL_ROCPROFILER_ABI_H

#include <hip/hip_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

/* Every function returns one of these. */
enum {
    WL_RP_SUCCESS,
    WL_RP_ERROR,
    WL_RP_CONTEXT_NOT_FOUND,
    WL_RP_BUFFER_NOT_FOUND,
    WL_RP_KIND_NOT_FOUND,
    WL_RP_OPERATION_NOT_FOUND,
    WL_RP_THREAD_NOT_FOUND,
    WL_RP_AGENT_NOT_FOUND,
    WL_RP_COUNTER_NOT_FOUND,
    WL_RP_CONTEXT_INVALID = 10,
    WL_RP_CONTEXT_NOT_STARTED,
    WL_RP_BUFFER_BUSY = 14,
    WL_RP_ALREADY_CONFIGURED,
    WL_RP_CONFIGURATION_LOCKED,
    WL_RP_NOT_IMPLEMENTED,
    WL_RP_INCOMPATIBLE_ABI,
    WL_RP_INVALID_ARGUMENT,
    WL_RP_FINALIZED = 21,
    WL_RP_PROFILE_NOT_FOUND = 30,
    WL_RP_OUT_OF_RESOURCES = 29,
    WL_RP_NO_COUNTERS = 35,
    WL_RP_AGENT_MISMATCH = 36,
    WL_RP_NOT_AVAILABLE = 37,
    WL_RP_ARCHITECTURE_NOT_SUPPORTED = 39
};

/* What callbacks are for. */
enum {
    WL_RP_CALLBACK_HIP = 5,
    WL_RP_CALLBACK_HIP_COMPILER = 6,
    WL_RP_CALLBACK_MARKER = 7,
    WL_RP_CALLBACK_MARKER_CONTROL = 8,
    WL_RP_CALLBACK_CODE_OBJECT = 10,
    WL_RP_CALLBACK_DISPATCH = 12,
    WL_RP_CALLBACK_COPY = 13,
    WL_RP_CALLBACK_RUNTIME = 17,
    WL_RP_CALLBACK_HIP_STREAM = 20,
    WL_RP_CALLBACK_MARKER_RANGE = 21,
    WL_RP_CALLBACK_KINDS = 22
};

/* What records are of. */
enum {
    WL_RP_BUFFER_HIP = 5,
    WL_RP_BUFFER_HIP_COMPILER = 6,
    WL_RP_BUFFER_MARKER = 7,
    WL_RP_BUFFER_MARKER_CONTROL = 8,
    WL_RP_BUFFER_COPY = 10,
    WL_RP_BUFFER_DISPATCH = 11,
    WL_RP_BUFFER_HIP_EXT = 21, /* with arguments and result */
    WL_RP_BUFFER_HIP_COMPILER_EXT = 22,
    WL_RP_BUFFER_MARKER_RANGE = 32,
    WL_RP_BUFFER_KINDS = 33
};

/* What numbers of the tool's own are asked for. */
enum {
    WL_RP_REQUEST_HIP = 5,
    WL_RP_REQUEST_HIP_COMPILER = 6,
    WL_RP_REQUEST_MARKER = 7,
    WL_RP_REQUEST_COPY = 10,
    WL_RP_REQUEST_DISPATCH = 11,
    WL_RP_REQUEST_MARKER_RANGE = 18,
    WL_RP_REQUEST_KINDS = 19
};

enum { WL_RP_PHASE_NONE, WL_RP_PHASE_ENTER, WL_RP_PHASE_EXIT };
enum { WL_RP_OBJECT_LOAD = 1, WL_RP_OBJECT_KERNEL };
enum { WL_RP_STREAM_CREATE = 1, WL_RP_STREAM_DESTROY, WL_RP_STREAM_SET };
enum { WL_RP_DISPATCH_ENQUEUE = 1, WL_RP_DISPATCH_COMPLETE };
enum { WL_RP_CATEGORY_TRACING = 1, WL_RP_CATEGORY_COUNTERS = 3 };
enum { WL_RP_COUNTER_DISPATCH = 1, WL_RP_COUNTER_VALUE };
enum { WL_RP_POLICY_DISCARD = 1, WL_RP_POLICY_LOSSLESS };
enum { WL_RP_STORAGE_MEMORY = 2 };
enum { WL_RP_AGENT_CPU = 1, WL_RP_AGENT_GPU };
enum { WL_RP_RUNTIME_HIP = 2 };
enum { WL_RP_HIP_TABLE = 1 << 1, WL_RP_HIP_COMPILER_TABLE = 1 << 2, WL_RP_TABLES = 9 };

struct wl_rp_id { /* of a context, a buffer, an agent, a queue, a stream, a thread for callbacks */
    uint64_t handle;
};

union wl_rp_user { /* the tool's */
    uint64_t value;
    void *pointer;
};

struct wl_rp_correlation {
    uint64_t internal;
    union wl_rp_user external;
    uint64_t ancestor; /* the call that this one is made in */
};

struct wl_rp_async_correlation {
    uint64_t internal;
    union wl_rp_user external;
};

struct wl_rp_dim3 {
    uint32_t x, y, z;
};

/* ---- callbacks ---- */

struct wl_rp_callback_record {
    struct wl_rp_id context;
    uint64_t thread;
    struct wl_rp_correlation correlation;
    int kind, operation, phase;
    void *payload;
};
typedef void (*wl_rp_callback)(struct wl_rp_callback_record record, union wl_rp_user *user, void *data);

union wl_rp_hip_arguments {
#define MEMBER(type, name) type name;
#define NOTHING            char none;
#define ARGUMENTS(number, name, members, stream)                                                                                           \
    struct {                                                                                                                               \
        members                                                                                                                            \
    } name;
#include "rocprofiler/hip_arguments.inc"
#undef ARGUMENTS
#undef NOTHING
#undef MEMBER
};

union wl_rp_hip_result {
    uint64_t word;
    hipError_t error;
    const char *text;
    hipChannelFormatDesc format;
    uint64_t room[3];
};

struct wl_rp_hip_payload {
    uint64_t size;
    union wl_rp_hip_arguments arguments;
    union wl_rp_hip_result result;
};

struct wl_rp_marker_payload {
    uint64_t size;
    union {
        const char *message;
        uint64_t range;
        uint64_t room[2];
    } arguments;
    uint64_t result; /* of a range that is started: its number */
};

struct wl_rp_stream_payload {
    uint64_t size;
    struct wl_rp_id stream;
    const void *value;
};

struct wl_rp_runtime_payload {
    uint64_t size, version, instance;
};

struct wl_rp_object_payload {
    uint64_t size, object;
    struct wl_rp_id agent, hsa_agent;
    const char *uri;
    uint64_t load_base, load_size;
    int64_t load_delta;
    int storage;
    uint64_t memory_base, memory_size;
};

struct wl_rp_kernel_payload {
    uint64_t size, kernel, object;
    const char *name;
    uint64_t kernel_object;
    uint32_t kernarg_size, kernarg_align, lds, scratch, sgprs, vgprs, agprs;
    int64_t entry_offset;
    uint64_t address;
};

/* ---- records ---- */

struct wl_rp_header {
    uint32_t category, kind;
    void *payload;
};
/* Called for each argument of a call; 0: goes on. `stars` tells how far it is a pointer, `followed` how far the text is of what it points to. */
typedef int (*wl_rp_argument_callback)(int kind, int operation, uint32_t number, const void *value, int32_t stars, const char *type,
                                       const char *name, const char *text, int32_t followed, void *data);
typedef int (*wl_rp_record_argument_callback)(int kind, int operation, uint32_t number, const void *value, int32_t stars, const char *type,
                                              const char *name, const char *text, void *data);
typedef void (*wl_rp_buffer_callback)(struct wl_rp_id context, struct wl_rp_id buffer, struct wl_rp_header **headers, size_t count,
                                      void *data, uint64_t dropped);

struct wl_rp_call_record {
    uint64_t size;
    int kind, operation;
    struct wl_rp_correlation correlation;
    uint64_t begin, end, thread;
};

struct wl_rp_full_call_record { /* of the kinds with _EXT */
    struct wl_rp_call_record call;
    union wl_rp_hip_arguments arguments;
    union wl_rp_hip_result result;
};

struct wl_rp_copy_record {
    uint64_t size;
    int kind, operation;
    struct wl_rp_async_correlation correlation;
    uint64_t thread, begin, end;
    struct wl_rp_id target_agent, source_agent;
    uint64_t bytes;
    const void *target, *source;
};

struct wl_rp_dispatch_info {
    uint64_t size;
    struct wl_rp_id agent, queue;
    uint64_t kernel, dispatch;
    uint32_t scratch, lds;
    struct wl_rp_dim3 block, items;
    uint8_t reserved[56];
};

struct wl_rp_dispatch_payload { /* of callbacks; times are 0 before its end */
    uint64_t size, begin, end;
    struct wl_rp_dispatch_info info;
};

struct wl_rp_copy_payload {
    uint64_t size, begin, end;
    struct wl_rp_id target_agent, source_agent;
    uint64_t bytes;
    const void *target, *source;
};

struct wl_rp_dispatch_record {
    uint64_t size;
    int kind, operation;
    struct wl_rp_async_correlation correlation;
    uint64_t thread, begin, end;
    struct wl_rp_dispatch_info info;
};

/* ---- counters ---- */

/* A dispatch for whose counters the tool asks, and gets them. */
struct wl_rp_counted {
    uint64_t size;
    struct wl_rp_async_correlation correlation;
    uint64_t begin, end;
    struct wl_rp_dispatch_info info;
};

struct wl_rp_counted_header { /* of the counters in a buffer */
    uint64_t size, records;
    struct wl_rp_async_correlation correlation;
    uint64_t begin, end;
    struct wl_rp_dispatch_info info;
};

struct wl_rp_counter_record {
    uint64_t instance;
    double value;
    uint64_t dispatch;
    union wl_rp_user user;
    struct wl_rp_id agent;
};

typedef void (*wl_rp_choose_counters)(struct wl_rp_counted dispatch, struct wl_rp_id *config, union wl_rp_user *user, void *data);
typedef void (*wl_rp_take_counters)(struct wl_rp_counted dispatch, struct wl_rp_counter_record *records, size_t count,
                                    union wl_rp_user user, void *data);
typedef int (*wl_rp_set_config)(struct wl_rp_id context, struct wl_rp_id config);
typedef void (*wl_rp_choose_for_device)(struct wl_rp_id context, struct wl_rp_id agent, wl_rp_set_config set, void *data);
typedef int (*wl_rp_counters_callback)(struct wl_rp_id agent, struct wl_rp_id *counters, size_t count, void *data);

/* What a counter differs by in itself: here nothing, so that there is one instance. */
struct wl_rp_dimension {
    const char *name;
    size_t instances;
    uint64_t id;
};
typedef int (*wl_rp_dimensions_callback)(struct wl_rp_id counter, const struct wl_rp_dimension *dimensions, size_t count, void *data);

struct wl_rp_position {
    uint64_t size;
    const char *dimension;
    size_t index;
};

struct wl_rp_instance {
    uint64_t size, instance, counter, count;
    const struct wl_rp_position **positions;
};

struct wl_rp_counter_info { /* AMD's version 0 */
    struct wl_rp_id id;
    const char *name, *text, *block, *expression;
    uint8_t bits; /* 1: constant; 2: derived */
};

struct wl_rp_full_counter_info { /* version 1 */
    uint64_t size;
    struct wl_rp_counter_info counter;
    uint64_t dimension_count;
    const struct wl_rp_dimension **dimensions;
    uint64_t instance_count;
    const struct wl_rp_instance **instances;
};

/* ---- tools ---- */

struct wl_rp_client {
    size_t size;
    const char *name;
    uint32_t handle;
};
typedef void (*wl_rp_finalizer)(struct wl_rp_client client);

struct wl_rp_tool {
    size_t size;
    int (*initialize)(wl_rp_finalizer finalize, void *data);
    void (*finalize)(void *data);
    void *data;
};
typedef struct wl_rp_tool *(*wl_rp_configure)(uint32_t version, const char *runtime, uint32_t priority, struct wl_rp_client *client);

typedef void (*wl_rp_intercept)(int table, uint64_t version, uint64_t instance, void **tables, uint64_t count, void *data);

typedef int (*wl_rp_request)(uint64_t thread, struct wl_rp_id context, int kind, int operation, uint64_t internal,
                             union wl_rp_user *external, void *data);

/* ---- agents ---- */

struct wl_rp_agent {
    uint64_t size;
    struct wl_rp_id id;
    int type;
    uint32_t cpu_cores, simds, memory_banks, caches_count, links_count, cpu_core_base, simd_base, waves_per_simd, lds_kib, gds_kib, gws,
        wave_size, xccs, compute_units, arrays, shader_banks, arrays_per_engine, units_per_array, simds_per_unit, scratch_slots,
        target_version;
    uint16_t vendor, device;
    uint32_t location, domain, render_minor, sdma_engines, sdma_xgmi_engines, sdma_queues, compute_queues, cpu_clock, clock, sdma_firmware,
        firmware, capability, units_per_engine, waves_per_unit, family, workgroup_size, grid_size;
    uint64_t local_memory, hive, gpu_id;
    struct wl_rp_dim3 workgroup, grid;
    const void *banks, *caches, *links;
    const char *name, *vendor_name, *product_name, *model_name;
    uint32_t node;
    int32_t logical_node, logical_node_of_type;
    uint32_t visible; /* to HSA, HIP, RCCL, rocDecode: bits 0 to 3 */
    uint8_t uuid[16];
};
typedef int (*wl_rp_agents_callback)(int version, const void **agents, size_t count, void *data);

_Static_assert(sizeof(struct wl_rp_hip_payload) == 8 + 88 + 24, "as AMD's");
_Static_assert(sizeof(struct wl_rp_callback_record) == 64, "as AMD's");
_Static_assert(sizeof(struct wl_rp_dispatch_record) == 56 + 128, "as AMD's");
_Static_assert(sizeof(struct wl_rp_counter_record) == 40, "as AMD's");
_Static_assert(sizeof(struct wl_rp_full_counter_info) == 88, "as AMD's");

#endif
