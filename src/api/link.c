/* HIP reference: Module management, linking. The states are hiprtc's. */
#include "api/api.h"

#include <hip/hiprtc.h>

static hipError_t error_of(hiprtcResult result) {
    switch (result) {
    case HIPRTC_SUCCESS:
        return hipSuccess;
    case HIPRTC_ERROR_OUT_OF_MEMORY:
        return hipErrorOutOfMemory;
    case HIPRTC_ERROR_PROGRAM_CREATION_FAILURE:
        return hipErrorFileNotFound;
    case HIPRTC_ERROR_INVALID_INPUT:
        return hipErrorInvalidValue;
    default:
        return hipErrorSharedObjectInitFailed;
    }
}

#define RETURN_RTC(expression)                                                                                                             \
    do {                                                                                                                                   \
        API_DEVICES();                                                                                                                     \
        hiprtcResult result_ = (expression);                                                                                               \
        if (result_ == HIPRTC_SUCCESS)                                                                                                     \
            API_SUCCESS();                                                                                                                 \
        return wl_api_fail(__func__, error_of(result_), hiprtcGetErrorString(result_));                                                    \
    } while (0)

hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues, hipLinkState_t *state) {
    RETURN_RTC(hiprtcLinkCreate(numOptions, options, optionValues, (hiprtcLinkState *)state));
}

hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t size, const char *name, unsigned int numOptions,
                          hipJitOption *options, void **optionValues) {
    RETURN_RTC(hiprtcLinkAddData((hiprtcLinkState)state, type, data, size, name, numOptions, options, optionValues));
}

hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path, unsigned int numOptions, hipJitOption *options,
                          void **optionValues) {
    RETURN_RTC(hiprtcLinkAddFile((hiprtcLinkState)state, type, path, numOptions, options, optionValues));
}

hipError_t hipLinkComplete(hipLinkState_t state, void **binary, size_t *size) {
    RETURN_RTC(hiprtcLinkComplete((hiprtcLinkState)state, binary, size));
}

hipError_t hipLinkDestroy(hipLinkState_t state) { RETURN_RTC(hiprtcLinkDestroy((hiprtcLinkState)state)); }
