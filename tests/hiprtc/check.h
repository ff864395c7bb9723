/* What a call of run-time compilation, or of HIP, has to return. */
#ifndef WL_TEST_HIPRTC_CHECK_H
#define WL_TEST_HIPRTC_CHECK_H

#include "../hip_calls.h"

#include <hip/hiprtc.h>

#define rtc_fails(expected, call)                                                                                                          \
    do {                                                                                                                                   \
        hiprtcResult result_ = (call);                                                                                                     \
        if (result_ != (expected))                                                                                                         \
            fail_msg("%s: %s instead of %s", #call, hiprtcGetErrorString(result_), hiprtcGetErrorString(expected));                        \
    } while (0)
#define rtc_ok(call) rtc_fails(HIPRTC_SUCCESS, call)

#endif
