/* What the translator would make of a kernel, without generating code: `wavelift check`. */
#ifndef WL_TRANSLATE_INTERFACE_CHECK_H
#define WL_TRANSLATE_INTERFACE_CHECK_H

#include "translate/interface/coverage.h"
#include "translate/interface/translate.h"

enum { WL_CHECK_NAMES = 32 };

struct wl_check {
    uint32_t instructions;                        /* that the kernel can reach, callees included */
    uint32_t counts[WL_COVERAGE_UNSUPPORTED + 1]; /* by enum wl_coverage_status */
    uint32_t functions;                           /* device functions among them */
    uint32_t missing_count; /* unsupported mnemonics, and words that are no instructions; no more than WL_CHECK_NAMES are kept */
    struct {
        char mnemonic[40];
        uint32_t count;
    } missing[WL_CHECK_NAMES];
    char failure[400]; /* why it does not translate; "" if it does */
};

/* Follows the kernel of `request` and everything that it may call as a launch does, counts, and makes threaded code of each
 * unit. Returns WL_OK also if something is unsupported (`check` says so); WL_OUT_OF_MEMORY, WL_INVALID_IMAGE and others if
 * the kernel could not be looked at. Thread-safe. */
__attribute__((visibility("default"))) enum wl_status wl_check_kernel(const struct wl_translate_request *request, struct wl_check *check);

#endif
