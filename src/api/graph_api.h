/* What the files of the graph chapter share. */
#ifndef WL_API_GRAPH_API_H
#define WL_API_GRAPH_API_H

#include "api/api.h"
#include "runtime/capture.h"

#define WL_API_BATCH 256 /* operations of hipStreamBatchMemOp */

/* HIP's operations as the runtime's. False: one of them is unknown. */
bool wl_api_values(const hipStreamBatchMemOpParams *params, unsigned count, struct wl_value *values);

#endif
