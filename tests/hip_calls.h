/* What a call of HIP has to return: ok(call), or fails(error, call). */
#ifndef WL_TEST_HIP_CALLS_H
#define WL_TEST_HIP_CALLS_H

#include <hip/hip_runtime_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define fails(expected, call)                                                                                                              \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != (expected))                                                                                                          \
            fail_msg("%s: %s instead of %s", #call, hipGetErrorName(error_), hipGetErrorName(expected));                                   \
    } while (0)
#define ok(call) fails(hipSuccess, call)

#endif
