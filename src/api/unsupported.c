/* Every function that is exported and not implemented: unsupported.inc is the table. Callers on the CPU targets that Wavelift
 * builds for pass and drop arguments themselves, so that one function without parameters serves all signatures. */
#include "api/api.h"

static int refuse(const char *function, int result) {
    (void)wl_api_fail(function, hipErrorNotSupported, "not supported yet; docs/API.md lists what is");
    return result;
}

#define HIPRTC_INTERNAL_ERROR 11

/* The header must not declare them: these are not their types. */
#define REFUSE(name, result)                                                                                                               \
    __attribute__((visibility("default"))) int name(void);                                                                                 \
    int name(void) { return refuse(#name, (result)); }
#define HIP(name) REFUSE(name, hipErrorNotSupported)
#define RTC(name) REFUSE(name, HIPRTC_INTERNAL_ERROR)
#include "api/unsupported.inc"
#undef HIP
#undef RTC

#define HIP(name) #name,
#define RTC(name) #name,
const char *const wl_api_unsupported[] = {
#include "api/unsupported.inc"
    NULL};
