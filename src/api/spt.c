/* The per-thread forms that programs call when they are compiled with -fgpu-default-stream=per-thread: a stream of NULL
 * means the calling thread's default stream. */
#include "api/copy.h"
#include "runtime/capture.h"
#include "runtime/work.h"

#define OWN(stream) ((stream) ? (stream) : hipStreamPerThread)

/* The synchronous copies and fills, for which no stream may be capturing. They wait where their namesakes of the null stream do. */
#define IN_OWN(call)                                                                                                                       \
    do {                                                                                                                                   \
        API_TRY(wl_capture_excludes(WL_CAPTURE_IMPLICIT));                                                                                 \
        return (call);                                                                                                                     \
    } while (0)
/* Those that always wait for the thread's stream. */
#define THEN_WAIT(call)                                                                                                                    \
    do {                                                                                                                                   \
        API_TRY(wl_capture_excludes(WL_CAPTURE_IMPLICIT));                                                                                 \
        hipError_t error_ = (call);                                                                                                        \
        return error_ ? error_ : hipStreamSynchronize(hipStreamPerThread);                                                                 \
    } while (0)

#define SPT __attribute__((visibility("default"))) hipError_t
#define DEFINE(name, parameters, ...)                                                                                                      \
    SPT name##_spt parameters;                                                                                                             \
    SPT name##_spt parameters { __VA_ARGS__; }

DEFINE(hipLaunchKernel, (const void *f, dim3 grid, dim3 block, void **args, size_t lds, hipStream_t stream),
       return hipLaunchKernel(f, grid, block, args, lds, OWN(stream)))
DEFINE(hipLaunchCooperativeKernel, (const void *f, dim3 grid, dim3 block, void **args, uint32_t lds, hipStream_t stream),
       return hipLaunchCooperativeKernel(f, grid, block, args, lds, OWN(stream)))
DEFINE(hipMemcpy, (void *dst, const void *src, size_t size, hipMemcpyKind kind),
       IN_OWN(hipMemcpyWithStream(dst, src, size, kind, hipStreamPerThread)))
DEFINE(hipMemcpyAsync, (void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream),
       return hipMemcpyAsync(dst, src, size, kind, OWN(stream)))
DEFINE(hipMemcpy2D, (void *dst, size_t dp, const void *src, size_t sp, size_t width, size_t height, hipMemcpyKind kind),
       IN_OWN(wl_api_copy_plane(__func__, dst, dp, src, sp, width, height, kind, hipStreamPerThread, false)))
DEFINE(hipMemcpy2DAsync,
       (void *dst, size_t dp, const void *src, size_t sp, size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream),
       return hipMemcpy2DAsync(dst, dp, src, sp, width, height, kind, OWN(stream)))
DEFINE(hipMemcpy3D, (const struct hipMemcpy3DParms *copy), IN_OWN(wl_api_copy_volume(__func__, copy, hipStreamPerThread, false)))
DEFINE(hipMemcpy3DAsync, (const struct hipMemcpy3DParms *copy, hipStream_t stream), return hipMemcpy3DAsync(copy, OWN(stream)))
DEFINE(hipMemcpyToSymbol, (const void *symbol, const void *src, size_t size, size_t offset, hipMemcpyKind kind),
       IN_OWN(wl_api_copy_symbol(__func__, symbol, true, (void *)(uintptr_t)src, size, offset, kind, hipStreamPerThread, false)))
DEFINE(hipMemcpyToSymbolAsync, (const void *symbol, const void *src, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream),
       return hipMemcpyToSymbolAsync(symbol, src, size, offset, kind, OWN(stream)))
DEFINE(hipMemcpyFromSymbol, (void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind),
       IN_OWN(wl_api_copy_symbol(__func__, symbol, false, dst, size, offset, kind, hipStreamPerThread, false)))
DEFINE(hipMemcpyFromSymbolAsync, (void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind, hipStream_t stream),
       return hipMemcpyFromSymbolAsync(dst, symbol, size, offset, kind, OWN(stream)))
DEFINE(hipMemcpy2DToArray,
       (hipArray_t dst, size_t x, size_t y, const void *src, size_t sp, size_t width, size_t height, hipMemcpyKind kind),
       THEN_WAIT(hipMemcpy2DToArrayAsync(dst, x, y, src, sp, width, height, kind, hipStreamPerThread)))
DEFINE(hipMemcpy2DToArrayAsync,
       (hipArray_t dst, size_t x, size_t y, const void *src, size_t sp, size_t width, size_t height, hipMemcpyKind kind,
        hipStream_t stream),
       return hipMemcpy2DToArrayAsync(dst, x, y, src, sp, width, height, kind, OWN(stream)))
DEFINE(hipMemcpy2DFromArray,
       (void *dst, size_t dp, hipArray_const_t src, size_t x, size_t y, size_t width, size_t height, hipMemcpyKind kind),
       THEN_WAIT(hipMemcpy2DFromArrayAsync(dst, dp, src, x, y, width, height, kind, hipStreamPerThread)))
DEFINE(hipMemcpy2DFromArrayAsync,
       (void *dst, size_t dp, hipArray_const_t src, size_t x, size_t y, size_t width, size_t height, hipMemcpyKind kind,
        hipStream_t stream),
       return hipMemcpy2DFromArrayAsync(dst, dp, src, x, y, width, height, kind, OWN(stream)))
DEFINE(hipMemcpyFromArray, (void *dst, hipArray_const_t src, size_t x, size_t y, size_t count, hipMemcpyKind kind), {
    API_TRY(wl_capture_excludes(WL_CAPTURE_IMPLICIT));
    hipError_t error = hipStreamSynchronize(hipStreamPerThread); /* the copy itself waits */
    return error ? error : hipMemcpyFromArray(dst, src, x, y, count, kind);
})
DEFINE(hipMemset, (void *dst, int value, size_t size), {
    struct wl_fill fill = {.target = dst, .pattern = (uint8_t)value, .pattern_size = 1, .width = size, .rows = 1, .slices = 1};
    IN_OWN(wl_api_fill(__func__, &fill, hipStreamPerThread, false));
})
DEFINE(hipMemsetAsync, (void *dst, int value, size_t size, hipStream_t stream), return hipMemsetAsync(dst, value, size, OWN(stream)))
DEFINE(hipMemset2D, (void *dst, size_t pitch, int value, size_t width, size_t height), {
    hipPitchedPtr pointer = {dst, pitch, width, height};
    hipExtent extent = {width, height, 1};
    IN_OWN(wl_api_fill_volume(__func__, &pointer, value, &extent, hipStreamPerThread, false));
})
DEFINE(hipMemset2DAsync, (void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream),
       return hipMemset2DAsync(dst, pitch, value, width, height, OWN(stream)))
DEFINE(hipMemset3D, (hipPitchedPtr pointer, int value, hipExtent extent),
       IN_OWN(wl_api_fill_volume(__func__, &pointer, value, &extent, hipStreamPerThread, false)))
DEFINE(hipMemset3DAsync, (hipPitchedPtr pointer, int value, hipExtent extent, hipStream_t stream),
       return hipMemset3DAsync(pointer, value, extent, OWN(stream)))
DEFINE(hipStreamSynchronize, (hipStream_t stream), return hipStreamSynchronize(OWN(stream)))
DEFINE(hipStreamQuery, (hipStream_t stream), return hipStreamQuery(OWN(stream)))
DEFINE(hipStreamGetFlags, (hipStream_t stream, unsigned *flags), return hipStreamGetFlags(OWN(stream), flags))
DEFINE(hipStreamGetPriority, (hipStream_t stream, int *priority), return hipStreamGetPriority(OWN(stream), priority))
DEFINE(hipStreamWaitEvent, (hipStream_t stream, hipEvent_t event, unsigned flags), return hipStreamWaitEvent(OWN(stream), event, flags))
DEFINE(hipStreamAddCallback, (hipStream_t stream, hipStreamCallback_t callback, void *data, unsigned flags),
       return hipStreamAddCallback(OWN(stream), callback, data, flags))
DEFINE(hipLaunchHostFunc, (hipStream_t stream, hipHostFn_t fn, void *data), return hipLaunchHostFunc(OWN(stream), fn, data))
DEFINE(hipEventRecord, (hipEvent_t event, hipStream_t stream), return hipEventRecord(event, OWN(stream)))
DEFINE(hipGraphLaunch, (hipGraphExec_t exec, hipStream_t stream), return hipGraphLaunch(exec, OWN(stream)))
DEFINE(hipStreamBeginCapture, (hipStream_t stream, hipStreamCaptureMode mode), return hipStreamBeginCapture(OWN(stream), mode))
DEFINE(hipStreamEndCapture, (hipStream_t stream, hipGraph_t *graph), return hipStreamEndCapture(OWN(stream), graph))
DEFINE(hipStreamIsCapturing, (hipStream_t stream, hipStreamCaptureStatus *status), return hipStreamIsCapturing(OWN(stream), status))
DEFINE(hipStreamGetCaptureInfo, (hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id),
       return hipStreamGetCaptureInfo(OWN(stream), status, id))
DEFINE(hipStreamGetCaptureInfo_v2,
       (hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id, hipGraph_t *graph, const hipGraphNode_t **dependencies,
        size_t *count),
       return hipStreamGetCaptureInfo_v2(OWN(stream), status, id, graph, dependencies, count))
