/* Stopping and starting roctracer, and numbers of the program's own for its calls. */
#ifndef HIP_INCLUDE_ROCTRACER_ROCTRACER_EXT_H
#define HIP_INCLUDE_ROCTRACER_ROCTRACER_EXT_H

#include <roctracer/roctracer.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { ACTIVITY_EXT_OP_MARK = 0, ACTIVITY_EXT_OP_EXTERN_ID = 1 } activity_ext_op_t;

typedef void (*roctracer_start_cb_t)(void);
typedef void (*roctracer_stop_cb_t)(void);
/* roctracer_set_properties of EXT_API: called by roctracer_start and roctracer_stop where these change something. */
typedef struct {
    roctracer_start_cb_t start_cb;
    roctracer_stop_cb_t stop_cb;
} roctracer_ext_properties_t;

/* Callbacks and records of HIP cease, and come again. */
void roctracer_start(void);
void roctracer_stop(void);
/* From now on a record of EXT_API with this number precedes each record of a call of the calling thread. They nest; `last_id` (may be NULL)
 * receives the number that is taken back. MISMATCHED_EXTERNAL_CORRELATION_ID: there is none. */
roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id);
roctracer_status_t roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id);

#ifdef __cplusplus
}
#endif
#endif
