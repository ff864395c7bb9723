/* What callbacks and records of roctracer are about: kinds of activities, and a record. Included by roctracer/roctracer.h. */
#ifndef HIP_INCLUDE_ROCTRACER_EXT_PROF_PROTOCOL_H
#define HIP_INCLUDE_ROCTRACER_EXT_PROF_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

/* Domains. Wavelift has HIP_OPS (work of devices), HIP_API (calls), EXT_API (numbers of the program's own) and ROCTX; nothing happens in the
 * others. */
typedef enum {
    ACTIVITY_DOMAIN_HSA_API = 0,
    ACTIVITY_DOMAIN_HSA_OPS = 1,
    ACTIVITY_DOMAIN_HIP_OPS = 2,
    ACTIVITY_DOMAIN_HCC_OPS = ACTIVITY_DOMAIN_HIP_OPS,
    ACTIVITY_DOMAIN_HIP_VDI = ACTIVITY_DOMAIN_HIP_OPS,
    ACTIVITY_DOMAIN_HIP_API = 3,
    ACTIVITY_DOMAIN_KFD_API = 4,
    ACTIVITY_DOMAIN_EXT_API = 5,
    ACTIVITY_DOMAIN_ROCTX = 6,
    ACTIVITY_DOMAIN_HSA_EVT = 7,
    ACTIVITY_DOMAIN_NUMBER
} activity_domain_t;

/* Called at the beginning and at the end of a call, in its thread. `data`: hip_api_data_t of HIP_API, roctx_api_data_t of ROCTX; it is the
 * caller's and goes with the call. */
typedef void (*activity_rtapi_callback_t)(uint32_t domain, uint32_t cid, const void *data, void *arg);
typedef uint32_t activity_kind_t;
typedef uint32_t activity_op_t;

typedef enum { ACTIVITY_API_PHASE_ENTER = 0, ACTIVITY_API_PHASE_EXIT = 1 } activity_api_phase_t;

typedef uint64_t activity_correlation_id_t;
typedef uint64_t roctracer_timestamp_t; /* nanoseconds of CLOCK_MONOTONIC */

typedef struct activity_record_s {
    uint32_t domain;
    activity_kind_t kind; /* HIP_OPS: the command, as hipGetCmdName names it */
    activity_op_t op;     /* HIP_API: the function, as hipApiName names it; HIP_OPS: hip_op_id_t */
    union {
        struct {
            activity_correlation_id_t correlation_id; /* of the call, and of the work that it asked for */
            roctracer_timestamp_t begin_ns, end_ns;
        };
        struct {
            uint32_t se;
            uint64_t cycle, pc;
        } pc_sample;
    };
    union {
        struct { /* HIP_OPS */
            int device_id;
            uint64_t queue_id;
        };
        struct { /* HIP_API */
            uint32_t process_id, thread_id;
        };
        struct { /* EXT_API */
            activity_correlation_id_t external_id;
        };
    };
    union {
        size_t bytes;            /* copies and fills */
        const char *kernel_name; /* dispatches: the symbol; it goes with the buffer that the record is in */
        const char *mark_message;
    };
} activity_record_t;

#endif
