/* Every function that is exported and not implemented: unsupported.inc is the table. Callers on the CPU targets that Wavelift
 * builds for pass and drop arguments themselves, so that one function without parameters serves all signatures. */
#include "api/api.h"

/* The header must not declare them: these are not their types. */
#define HIP(name)                                                                                                                          \
    __attribute__((visibility("default"))) int name(void);                                                                                 \
    int name(void) { return (int)wl_api_fail(#name, hipErrorNotSupported, "not supported yet; docs/API.md lists what is"); }
#include "api/unsupported.inc"
#undef HIP

#define HIP(name) #name,
const char *const wl_api_unsupported[] = {
#include "api/unsupported.inc"
    NULL};
