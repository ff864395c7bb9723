/* Fills in what the translator has to know of a code object, whatever the result is. Shared by the CPU device, ptx_request.c and
 * `wavelift check`. */
#ifndef WL_DEVICE_TRANSLATE_REQUEST_H
#define WL_DEVICE_TRANSLATE_REQUEST_H

#include "codeobject/codeobject.h"
#include "translate/interface/translate.h"

/* The addresses of the device functions that a pointer may lead to, sorted; the caller frees the array. NULL: no memory; wl_fail has
 * said so. Thread-safe. */
uint64_t *wl_translate_functions(const struct wl_codeobject *object, size_t *count);

/* Fills in what the code object and the kernel tell; all else, as what the host is and the mode, is 0 and the caller's to set, and
 * for a device function (`kernel` is NULL) its entry, name and wave size too. `functions` (of
 * wl_translate_functions) and `object` must live as long as the request. Thread-safe. */
void wl_translate_request_fill(struct wl_translate_request *request, const struct wl_codeobject *object, const struct wl_kernel *kernel,
                               const uint64_t *functions, size_t function_count);

#endif
