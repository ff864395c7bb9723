/* Porting CUDA driver API, "Interoperation between HIP and CUDA driver": Wavelift's functions between HIP's handles and the driver's. */
#include "api/api.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/handles.h"
#include "runtime/module.h"
#include "runtime/stream.h"

#include <hip/hip_cuda_interop.h>

#define CU_STREAM_LEGACY ((CUstream)1)

static const struct wl_native_ops *ops_of(const struct wl_context *context) { return context->device->ops->native; }

/* ---- contexts -------------------------------------------------------------------------------- */

hipError_t waveliftGetCuContext(CUcontext *cuContext, hipCtx_t context) {
    API_REQUIRE(cuContext != NULL, hipErrorInvalidValue);
    struct wl_context *found = wl_api_context(context);
    API_REQUIRE(found != NULL, hipErrorInvalidContext);
    API_REQUIRE(ops_of(found) != NULL, hipErrorNotSupported);
    *cuContext = ops_of(found)->context(found->device);
    API_SUCCESS();
}

hipError_t waveliftGetHipContext(hipCtx_t *context, CUcontext cuContext) {
    API_REQUIRE(context != NULL, hipErrorInvalidValue);
    for (unsigned i = 0; i < wl_context_count(); i++) {
        struct wl_context *at = wl_context_at(i);
        if (ops_of(at) && ops_of(at)->context(at->device) == (void *)cuContext) {
            *context = (hipCtx_t)at;
            API_SUCCESS();
        }
    }
    return wl_api_fail(__func__, hipErrorInvalidContext, "no device works in this CUcontext");
}

/* ---- streams --------------------------------------------------------------------------------- */

hipError_t waveliftGetCuStream(CUstream *cuStream, hipStream_t stream) {
    API_REQUIRE(cuStream != NULL, hipErrorInvalidValue);
    API_STREAM(queue, stream);
    const struct wl_native_ops *ops = ops_of(queue->context);
    uint64_t sequence = 0;
    API_REQUIRE(ops != NULL && queue->queue != NULL, hipErrorNotSupported);
    API_TRY(wl_capture_active(queue) ? wl_fail(WL_CAPTURE_UNSUPPORTED, "the stream is capturing") : WL_OK);
    API_TRY(wl_stream_mark(queue, &sequence));
    API_TRY(wl_stream_may_wait(queue, sequence));
    wl_stream_wait_given(queue, sequence);
    *cuStream = ops->queue(queue->queue);
    API_SUCCESS();
}

hipError_t waveliftGetHipStream(hipStream_t *stream, CUstream cuStream) {
    API_REQUIRE(stream != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    if (cuStream == NULL || cuStream == CU_STREAM_LEGACY) {
        API_REQUIRE(ops_of(context) != NULL, hipErrorNotSupported);
        *stream = hipStreamLegacy;
        API_SUCCESS();
    }
    enum wl_status status = WL_NOT_FOUND;
    for (unsigned i = 0; i < wl_context_count() && status == WL_NOT_FOUND; i++)
        status = wl_stream_adopt(wl_context_at(i), cuStream, (struct wl_stream **)stream);
    if (status == WL_NOT_FOUND)
        return wl_api_fail(__func__, hipErrorInvalidContext, "no device works in this CUstream's context");
    API_RETURN(status);
}

/* ---- events ---------------------------------------------------------------------------------- */

hipError_t waveliftGetCuEvent(CUevent *cuEvent, hipEvent_t event) {
    API_REQUIRE(cuEvent != NULL, hipErrorInvalidValue);
    API_EVENT(found, event);
    API_CONTEXT(context);
    API_RETURN(wl_event_native(found, context, (void **)cuEvent));
}

hipError_t waveliftGetHipEvent(hipEvent_t *event, CUevent cuEvent) {
    API_REQUIRE(event != NULL, hipErrorInvalidValue);
    API_REQUIRE(cuEvent != NULL, hipErrorInvalidHandle);
    API_CONTEXT(context);
    API_RETURN(wl_event_adopt(context, cuEvent, (struct wl_event **)event));
}

/* ---- modules --------------------------------------------------------------------------------- */

hipError_t waveliftGetCuModule(CUmodule *cuModule, hipModule_t module) {
    API_REQUIRE(cuModule != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_handle_is(module, WL_HANDLE_MODULE), hipErrorInvalidHandle);
    void *native = wl_module_native((struct wl_module *)module);
    API_REQUIRE(native != NULL, hipErrorNotSupported);
    *cuModule = native;
    API_SUCCESS();
}

hipError_t waveliftGetHipModule(hipModule_t *module, CUmodule cuModule) {
    API_REQUIRE(module != NULL, hipErrorInvalidValue);
    API_REQUIRE(cuModule != NULL, hipErrorInvalidHandle);
    API_CONTEXT(context);
    API_RETURN(wl_module_adopt(context, cuModule, (struct wl_module **)module));
}

hipError_t waveliftGetCuFunction(CUfunction *cuFunction, hipFunction_t function) {
    API_REQUIRE(cuFunction != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_handle_is(function, WL_HANDLE_KERNEL), hipErrorInvalidHandle);
    const struct wl_loaded_kernel *kernel = (const struct wl_loaded_kernel *)function;
    const struct wl_native_ops *ops = ops_of(wl_module_context(kernel->module));
    void *native = ops ? ops->function(kernel->function) : NULL;
    API_REQUIRE(native != NULL, hipErrorNotSupported);
    *cuFunction = native;
    API_SUCCESS();
}
