/* What the translator would make of a kernel, without generating code: `wavelift check`. */
#ifndef WL_TRANSLATE_INTERFACE_CHECK_H
#define WL_TRANSLATE_INTERFACE_CHECK_H

#include "translate/interface/coverage.h"
#include "translate/interface/translate.h"

enum { WL_CHECK_NAMES = 32 };

/* What is known of the bits of an instruction's results. docs/NUMERICS.md has the classes of instructions, and how it is known. */
enum wl_numerics {
    WL_NUMERICS_HARDWARE,     /* they are the hardware's, but for sign and payload of NaN */
    WL_NUMERICS_ERROR,        /* they are within a documented error */
    WL_NUMERICS_ORDER,        /* floats that several lanes add to one place: the GPU defines no order, and results depend on it */
    WL_NUMERICS_UNDOCUMENTED, /* AMD documents neither the order nor the rounding of the products' sum, and no error */
    WL_NUMERICS_NONE,         /* there are no results, or the instruction is not supported */
};
struct wl_inst;
/* Of a decoded instruction under a request's processor and way of summing. Thread-safe. */
enum wl_numerics wl_numerics_of(const struct wl_inst *inst, const struct wl_translate_request *request);

struct wl_check {
    uint32_t instructions;                        /* that the kernel can reach, callees included */
    uint32_t counts[WL_COVERAGE_UNSUPPORTED + 1]; /* by enum wl_coverage_status */
    uint32_t numerics[WL_NUMERICS_NONE];          /* of those that are supported and have results: by enum wl_numerics */
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
