/* Calls of roctx as roctracer's callbacks see them (ACTIVITY_DOMAIN_ROCTX). */
#ifndef HIP_INCLUDE_ROCTRACER_ROCTRACER_ROCTX_H
#define HIP_INCLUDE_ROCTRACER_ROCTRACER_ROCTX_H

#include <roctracer/roctx.h>

enum roctx_api_id_t {
    ROCTX_API_ID_roctxMarkA = 0,
    ROCTX_API_ID_roctxRangePushA = 1,
    ROCTX_API_ID_roctxRangePop = 2,
    ROCTX_API_ID_roctxRangeStartA = 3,
    ROCTX_API_ID_roctxRangeStop = 4,
    ROCTX_API_ID_NUMBER
};

typedef struct roctx_api_data_s {
    union {
        struct {
            const char *message; /* of MarkA, RangePushA, RangeStartA; else NULL */
            roctx_range_id_t id; /* of RangeStartA, RangeStop; else 0 */
        };
    } args;
} roctx_api_data_t;

#endif
