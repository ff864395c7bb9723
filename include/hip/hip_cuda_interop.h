/* HIP objects and the CUDA driver's (HIP documentation: Porting CUDA driver API, "Interoperation between HIP and CUDA driver").
 *
 * An extension of Wavelift's, for programs that call the CUDA driver beside HIP on an NVIDIA GPU. Device pointers are the same on
 * both sides, and a hipDevice_t is the CUdevice of the same number while all GPUs come first in WAVELIFT_DEVICES; for the other
 * types these functions lead from one side to the other:
 *
 *     hipCtx_t       CUcontext      both ways
 *     hipStream_t    CUstream       both ways
 *     hipEvent_t     CUevent        both ways
 *     hipModule_t    CUmodule       both ways; of a code object for AMD GPUs there is none
 *     hipFunction_t  CUfunction     to the driver's; of a code object for AMD GPUs there is none
 *
 * A hipArray_t is memory of Wavelift's own layout and has no CUarray.
 *
 * All functions may be called from any thread, and return hipErrorInvalidValue where the place for the result is missing,
 * hipErrorInvalidHandle, hipErrorContextIsDestroyed or hipErrorInvalidContext for what is not a handle, and hipErrorNotSupported for objects of CPU devices. A driver's
 * handle that is not valid is the driver's to find: it may crash. */
#ifndef HIP_INCLUDE_HIP_HIP_CUDA_INTEROP_H
#define HIP_INCLUDE_HIP_HIP_CUDA_INTEROP_H

#include <hip/hip_runtime_api.h>

/* As in CUDA's cuda.h, which may be included as well. */
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The GPU's primary context, which Wavelift works in. Wavelift holds it as long as the process lives. */
hipError_t waveliftGetCuContext(CUcontext *cuContext, hipCtx_t context);
/* hipErrorInvalidContext: no HIP device works in this one. */
hipError_t waveliftGetHipContext(hipCtx_t *context, CUcontext cuContext);

/* The stream's own CUstream; valid as long as the stream, and until hipDeviceReset. On return all that was queued is in it: this waits
 * for host functions and for what else only the host can do. Work given to the CUstream afterwards is behind that, and before what is queued
 * through HIP later; after queueing host functions, waits for words in host memory or for CPU devices, call this again. The null stream has
 * the driver's legacy stream. */
hipError_t waveliftGetCuStream(CUstream *cuStream, hipStream_t stream);
/* A stream that queues its work to `cuStream`, in the device whose primary context that is of (hipErrorInvalidContext: none). The CUstream
 * stays the caller's and has to live until hipStreamDestroy, which waits for nothing, and hipStreamSynchronize before that. NULL and the
 * driver's CU_STREAM_LEGACY are the current device's null stream. */
hipError_t waveliftGetHipStream(hipStream_t *stream, CUstream cuStream);

/* The CUevent of the event's latest record, which the driver has been given on return; valid until the event is recorded again, destroyed, or
 * the device reset. hipErrorCapturedEvent: it was recorded in a capture. */
hipError_t waveliftGetCuEvent(CUevent *cuEvent, hipEvent_t event);
/* An event that stands for `cuEvent`, of the current device: waiting, asking and timing are that event's, recording records it, in streams of that
 * device alone. The CUevent stays the caller's and has to live until hipEventDestroy. */
hipError_t waveliftGetHipEvent(hipEvent_t *event, CUevent cuEvent);

/* The CUmodule of PTX, a cubin or a CUDA fat binary; hipErrorNotSupported for code objects. Valid as long as the module. */
hipError_t waveliftGetCuModule(CUmodule *cuModule, hipModule_t module);
/* A module that stands for `cuModule`, of the current device. The CUmodule stays the caller's and has to live until hipModuleUnload. */
hipError_t waveliftGetHipModule(hipModule_t *module, CUmodule cuModule);
/* The CUfunction of a kernel of such a module; hipErrorNotSupported for code objects. */
hipError_t waveliftGetCuFunction(CUfunction *cuFunction, hipFunction_t function);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
