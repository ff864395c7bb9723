/* Fills in what a translation to PTX has to know of a kernel, from its code object. Shared by the CUDA device and `wavelift ptx`. */
#ifndef WL_DEVICE_PTX_REQUEST_H
#define WL_DEVICE_PTX_REQUEST_H

#include "codeobject/codeobject.h"
#include "translate/interface/translate.h"

/* Fills all but request->sm, block, partial_groups, code.exact_math, code.matrix_sums and code.dump, which it sets to 0. `stack` is the private
 * memory a lane gets in kernels whose need nobody knows. `functions` (of wl_translate_functions) and `object` must live as long as the
 * request. Thread-safe. */
void wl_ptx_request_fill(struct wl_ptx_request *request, const struct wl_codeobject *object, const struct wl_kernel *kernel,
                         const uint64_t *functions, size_t function_count, uint32_t stack);

#endif
