/* HIP reference: Error handling. */
#include "api/api.h"

#include "base/options.h"
#include "runtime/context.h"

static _Thread_local hipError_t last_error, last_result;

/* ---- recording ------------------------------------------------------------------------------ */

static const hipError_t errors[] = {
    [WL_OK] = hipSuccess,
    [WL_INVALID_VALUE] = hipErrorInvalidValue,
    [WL_OUT_OF_MEMORY] = hipErrorOutOfMemory,
    [WL_INVALID_IMAGE] = hipErrorInvalidImage,
    [WL_NO_BINARY] = hipErrorNoBinaryForGpu,
    [WL_NOT_FOUND] = hipErrorNotFound,
    [WL_FILE_NOT_FOUND] = hipErrorFileNotFound,
    [WL_UNSUPPORTED] = hipErrorNotSupported,
    [WL_OUT_OF_RESOURCES] = hipErrorLaunchOutOfResources,
    [WL_NOT_READY] = hipErrorNotReady,
    [WL_ILLEGAL_ADDRESS] = hipErrorIllegalAddress,
    [WL_ILLEGAL_INSTRUCTION] = hipErrorLaunchFailure,
    [WL_ASSERT] = hipErrorAssert,
    [WL_INVALID_SHAPE] = hipErrorInvalidConfiguration,
    [WL_KERNEL_BOUNDS] = hipErrorLaunchFailure,
    [WL_INVALID_CLUSTER] = hipErrorInvalidClusterSize,
    [WL_TOO_MANY_RESIDENT] = hipErrorCooperativeLaunchTooLarge,
    [WL_ABORTED] = hipErrorLaunchFailure,
    [WL_TIMED_OUT] = hipErrorLaunchTimeOut,
    [WL_INTERNAL] = hipErrorUnknown,
    [WL_ILLEGAL_STATE] = hipErrorIllegalState,
    [WL_CAPTURE_UNSUPPORTED] = hipErrorStreamCaptureUnsupported,
    [WL_CAPTURE_INVALIDATED] = hipErrorStreamCaptureInvalidated,
    [WL_CAPTURE_MERGE] = hipErrorStreamCaptureMerge,
    [WL_CAPTURE_UNMATCHED] = hipErrorStreamCaptureUnmatched,
    [WL_CAPTURE_UNJOINED] = hipErrorStreamCaptureUnjoined,
    [WL_CAPTURE_ISOLATION] = hipErrorStreamCaptureIsolation,
    [WL_CAPTURE_IMPLICIT] = hipErrorStreamCaptureImplicit,
    [WL_CAPTURED_EVENT] = hipErrorCapturedEvent,
    [WL_CAPTURE_WRONG_THREAD] = hipErrorStreamCaptureWrongThread,
};

hipError_t wl_api_error_of(enum wl_status status) {
    unsigned index = (unsigned)status;
    return index < sizeof errors / sizeof *errors ? errors[index] : hipErrorUnknown;
}

/* What the user must hear of at the default level: his code cannot be loaded or run. The rest may be a probe. */
static unsigned log_level(hipError_t error) {
    switch (error) {
    case hipErrorInvalidImage:
    case hipErrorNoBinaryForGpu:
    case hipErrorNotSupported:
    case hipErrorInvalidDeviceFunction:
    case hipErrorNoDevice:
    case hipErrorUnknown:
        return 1;
    default:
        return 2;
    }
}

/* Whether there is a device; starts the runtime. */
static bool has_device(void) {
    static atomic_bool seen;
    if (atomic_load_explicit(&seen, memory_order_relaxed))
        return true;
    bool any = wl_context_count() > 0;
    atomic_store_explicit(&seen, any, memory_order_relaxed);
    return any;
}

hipError_t wl_api_fail_anyway(const char *function, hipError_t error, const char *why) {
    last_result = error;
    if (error == hipErrorNotReady)
        return error;
    last_error = error;
    wl_log(log_level(error), "%s: %s: %s", function, hipGetErrorName(error), why);
    return error;
}

hipError_t wl_api_fail(const char *function, hipError_t error, const char *why) {
    bool any = has_device();
    return wl_api_fail_anyway(function, any ? error : hipErrorNoDevice, any ? why : wl_failure());
}

hipError_t wl_api_status(const char *function, enum wl_status status) {
    if (status == WL_OK)
        return wl_api_success_of(function);
    return wl_api_fail(function, wl_api_error_of(status), *wl_failure() ? wl_failure() : wl_status_name(status));
}

hipError_t wl_api_fault(const char *function, enum wl_status fault) {
    if (fault == WL_ILLEGAL_STATE) /* no kernel's: the call itself was refused */
        return wl_api_status(function, fault);
    hipError_t error = wl_api_error_of(fault);
    last_result = last_error = error; /* reported when it happened */
    wl_log(2, "%s: %s: an earlier kernel of the device failed: %s", function, hipGetErrorName(error), wl_status_name(fault));
    return error;
}

hipError_t wl_api_success_anyway(void) { return last_result = hipSuccess; }

hipError_t wl_api_success_of(const char *function) {
    return has_device() ? wl_api_success_anyway() : wl_api_fail_anyway(function, hipErrorNoDevice, wl_failure());
}

/* ---- functions ------------------------------------------------------------------------------ */

/* These too say that there is no device, whatever the last error was. */
hipError_t hipGetLastError(void) {
    hipError_t error = last_error;
    if (!has_device())
        return hipErrorNoDevice;
    last_error = hipSuccess;
    return error;
}

hipError_t hipPeekAtLastError(void) { return has_device() ? last_error : hipErrorNoDevice; }

hipError_t hipExtGetLastError(void) {
    hipError_t error = last_result;
    if (!has_device())
        return hipErrorNoDevice;
    last_result = hipSuccess;
    return error;
}

struct error_text {
    hipError_t error;
    const char *name, *text;
};

#define ERROR(error, text) {error, #error, text}
static const struct error_text texts[] = {
    ERROR(hipSuccess, "no error"),
    ERROR(hipErrorInvalidValue, "invalid argument"),
    ERROR(hipErrorOutOfMemory, "out of memory"),
    ERROR(hipErrorNotInitialized, "initialization error"),
    ERROR(hipErrorDeinitialized, "driver shutting down"),
    ERROR(hipErrorProfilerDisabled, "profiler disabled while using external profiling tool"),
    ERROR(hipErrorProfilerNotInitialized, "profiler is not initialized"),
    ERROR(hipErrorProfilerAlreadyStarted, "profiler already started"),
    ERROR(hipErrorProfilerAlreadyStopped, "profiler already stopped"),
    ERROR(hipErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(hipErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR(hipErrorInvalidSymbol, "invalid device symbol"),
    ERROR(hipErrorInvalidDevicePointer, "invalid device pointer"),
    ERROR(hipErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(hipErrorInsufficientDriver, "driver version is insufficient for runtime version"),
    ERROR(hipErrorMissingConfiguration, "__global__ function call is not configured"),
    ERROR(hipErrorPriorLaunchFailure, "unspecified launch failure in prior launch"),
    ERROR(hipErrorInvalidDeviceFunction, "invalid device function"),
    ERROR(hipErrorNoDevice, "no ROCm-capable device is detected"),
    ERROR(hipErrorInvalidDevice, "invalid device ordinal"),
    ERROR(hipErrorInvalidImage, "device kernel image is invalid"),
    ERROR(hipErrorInvalidContext, "invalid device context"),
    ERROR(hipErrorContextAlreadyCurrent, "context is already current context"),
    ERROR(hipErrorMapFailed, "mapping of buffer object failed"),
    ERROR(hipErrorUnmapFailed, "unmapping of buffer object failed"),
    ERROR(hipErrorArrayIsMapped, "array is mapped"),
    ERROR(hipErrorAlreadyMapped, "resource already mapped"),
    ERROR(hipErrorNoBinaryForGpu, "no kernel image is available for execution on the device"),
    ERROR(hipErrorAlreadyAcquired, "resource already acquired"),
    ERROR(hipErrorNotMapped, "resource not mapped"),
    ERROR(hipErrorNotMappedAsArray, "resource not mapped as array"),
    ERROR(hipErrorNotMappedAsPointer, "resource not mapped as pointer"),
    ERROR(hipErrorECCNotCorrectable, "uncorrectable ECC error encountered"),
    ERROR(hipErrorUnsupportedLimit, "limit is not supported on this architecture"),
    ERROR(hipErrorContextAlreadyInUse, "exclusive-thread device already in use by a different thread"),
    ERROR(hipErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    ERROR(hipErrorInvalidKernelFile, "invalid kernel file"),
    ERROR(hipErrorInvalidGraphicsContext, "invalid OpenGL or DirectX context"),
    ERROR(hipErrorInvalidSource, "device kernel image is invalid"),
    ERROR(hipErrorFileNotFound, "file not found"),
    ERROR(hipErrorSharedObjectSymbolNotFound, "shared object symbol not found"),
    ERROR(hipErrorSharedObjectInitFailed, "shared object initialization failed"),
    ERROR(hipErrorOperatingSystem, "OS call failed or operation not supported on this OS"),
    ERROR(hipErrorInvalidHandle, "invalid resource handle"),
    ERROR(hipErrorIllegalState, "the operation cannot be performed in the present state"),
    ERROR(hipErrorNotFound, "named symbol not found"),
    ERROR(hipErrorNotReady, "device not ready"),
    ERROR(hipErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR(hipErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR(hipErrorLaunchTimeOut, "the launch timed out and was terminated"),
    ERROR(hipErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR(hipErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR(hipErrorSetOnActiveProcess, "cannot set while device is active in this process"),
    ERROR(hipErrorContextIsDestroyed, "context is destroyed"),
    ERROR(hipErrorAssert, "device-side assert triggered"),
    ERROR(hipErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    ERROR(hipErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    ERROR(hipErrorLaunchFailure, "unspecified launch failure"),
    ERROR(hipErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    ERROR(hipErrorNotSupported, "operation not supported"),
    ERROR(hipErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    ERROR(hipErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    ERROR(hipErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    ERROR(hipErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    ERROR(hipErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    ERROR(hipErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    ERROR(hipErrorStreamCaptureImplicit, "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR(hipErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    ERROR(hipErrorStreamCaptureWrongThread, "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR(hipErrorGraphExecUpdateFailure, "the graph update was not performed because it included changes which violated "
                                          "constraints specific to instantiated graph update"),
    ERROR(hipErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    ERROR(hipErrorInvalidTexture, "invalid texture"),
    ERROR(hipErrorInvalidResourceType, "invalid resource type"),
    ERROR(hipErrorInvalidResourceConfiguration, "invalid resource configuration"),
    ERROR(hipErrorStreamDetached, "the stream is detached"),
    ERROR(hipErrorUnknown, "unknown error"),
    ERROR(hipErrorRuntimeMemory, "runtime memory call returned error"),
    ERROR(hipErrorRuntimeOther, "runtime call other than memory returned error"),
    ERROR(hipErrorInvalidClusterSize, "invalid cluster size"),
};

static const struct error_text *text_of(hipError_t error) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error)
            return &texts[i];
    return NULL;
}

const char *hipGetErrorName(hipError_t error) {
    const struct error_text *entry = text_of(error);
    return entry ? entry->name : "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error) {
    const struct error_text *entry = text_of(error);
    return entry ? entry->text : "unknown error";
}

hipError_t hipDrvGetErrorName(hipError_t error, const char **text) {
    API_REQUIRE(text != NULL, hipErrorInvalidValue);
    const struct error_text *entry = text_of(error);
    *text = entry ? entry->name : NULL;
    API_REQUIRE(entry != NULL, hipErrorInvalidValue);
    API_SUCCESS();
}

hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
    API_REQUIRE(text != NULL, hipErrorInvalidValue);
    const struct error_text *entry = text_of(error);
    *text = entry ? entry->text : NULL;
    API_REQUIRE(entry != NULL, hipErrorInvalidValue);
    API_SUCCESS();
}
