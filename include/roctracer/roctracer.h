/* Callbacks at calls of HIP and records of what devices do, for profilers (libroctracer64.so.4). docs/profiling.md tells what Wavelift's library
 * does differently from AMD's.
 *
 * All functions may be called from any thread. They return ROCTRACER_STATUS_SUCCESS or an error; roctracer_error_string then tells more to the same
 * thread. What is enabled counts from then on for all threads. */
#ifndef HIP_INCLUDE_ROCTRACER_ROCTRACER_H
#define HIP_INCLUDE_ROCTRACER_ROCTRACER_H

#include <roctracer/ext/prof_protocol.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROCTRACER_VERSION_MAJOR 4
#define ROCTRACER_VERSION_MINOR 1

typedef enum {
    ROCTRACER_STATUS_SUCCESS = 0,
    ROCTRACER_STATUS_ERROR = -1,
    ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID = -2,
    ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT = -3,
    ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED = -4,
    ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED = -5,
    ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION = -6,
    ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID = -7,
    ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED = -8,
    ROCTRACER_STATUS_BAD_DOMAIN = ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
    ROCTRACER_STATUS_BAD_PARAMETER = ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT
} roctracer_status_t;

typedef activity_domain_t roctracer_domain_t;
typedef activity_rtapi_callback_t roctracer_rtapi_callback_t;
typedef activity_record_t roctracer_record_t;
typedef void roctracer_pool_t;

/* Work of devices: the `op` of records of HIP_OPS. There are no records of BARRIER. */
enum { ROCTRACER_HIP_OP_DISPATCH = 0, ROCTRACER_HIP_OP_COPY = 1, ROCTRACER_HIP_OP_BARRIER = 2 };

uint32_t roctracer_version_major(void);
uint32_t roctracer_version_minor(void);
/* The sentence about the calling thread's last error, which free() frees. */
const char *roctracer_error_string(void);
/* The name of a function (HIP_API) or of a command (HIP_OPS, by `kind`). NULL: the domain has no names. */
const char *roctracer_op_string(uint32_t domain, uint32_t op, uint32_t kind);
/* The number of a function of HIP_API by its name; `kind` (may be NULL) receives 0. INVALID_ARGUMENT: there is none. */
roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op, uint32_t *kind);
/* Properties of EXT_API: roctracer_ext_properties_t; of other domains they are ignored. */
roctracer_status_t roctracer_set_properties(roctracer_domain_t domain, void *properties);

/* ---- callbacks ----------------------------------------------------------------------------------- */

/* `callback` is called at the begin and the end of calls: of one function, or of all of a domain (HIP_API, ROCTX). One callback for each; the last
 * one counts. INVALID_ARGUMENT: no callback, or no such function. */
roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op, activity_rtapi_callback_t callback, void *arg);
roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain, activity_rtapi_callback_t callback, void *arg);
roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain);

/* ---- records ------------------------------------------------------------------------------------- */

/* Gives `*ptr` a buffer of `size` bytes, or frees it if that is 0. */
typedef void (*roctracer_allocator_t)(char **ptr, size_t size, void *arg);
/* Is given the records [begin, end), which go when it returns. Calls of it never overlap. */
typedef void (*roctracer_buffer_callback_t)(const char *begin, const char *end, void *arg);

typedef struct {
    uint32_t mode;                   /* ignored */
    size_t buffer_size;              /* bytes */
    roctracer_allocator_t alloc_fun; /* NULL: malloc */
    void *alloc_arg;
    roctracer_buffer_callback_t buffer_callback_fun; /* called when a buffer is full, in the thread that filled it, and by flushing */
    void *buffer_callback_arg;
} roctracer_properties_t;

/* Makes a pool: buffers that records go to. The forms without a pool make, close and flush the default one. MEMORY_ALLOCATION;
 * INVALID_ARGUMENT: buffers that hold no record; DEFAULT_POOL_ALREADY_DEFINED. */
roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties, roctracer_pool_t **pool);
roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties);
/* Flushes a pool and closes it; records for it stop. NULL: the default one. */
roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_close_pool(void);
/* The default pool; `pool`, if not NULL, becomes it. */
roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool);
roctracer_pool_t *roctracer_default_pool(void);
/* Records of calls (HIP_API) or of devices' work (HIP_OPS) go to a pool; NULL: the default one. DEFAULT_POOL_UNDEFINED: there is none. */
roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op, roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain, roctracer_pool_t *pool);
roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain);
roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op);
roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain);
/* Gives all records so far to the pool's callback, before it returns. */
roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool);
roctracer_status_t roctracer_flush_activity(void);
/* The record behind a record of the same buffer. */
roctracer_status_t roctracer_next_record(const activity_record_t *record, const activity_record_t **next);
/* The time, as records have it. */
roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp);

#ifdef __cplusplus
}
#endif
#endif
