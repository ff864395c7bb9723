/* The HIP runtime API for host programs in C and C++: the part of the HIP reference that this library implements.
 *
 * Order and names of the chapters follow the HIP reference ("HIP runtime API reference", Modules). Unless it says otherwise
 * a function
 *   - may be called from any thread;
 *   - returns hipSuccess or an error, which hipGetLastError also gives to the same thread;
 *   - acts on the calling thread's current device (hipSetDevice);
 *   - returns the device's sticky error (hipErrorIllegalAddress, hipErrorAssert, hipErrorLaunchFailure) after a kernel of
 *     that device has faulted, until hipDeviceReset.
 * Device memory is ordinary memory of the process: pointers may be read and written by the host as well.
 * A `stream` of NULL is the device's null stream, which waits for and is waited for by all streams but those made with
 * hipStreamNonBlocking. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count: they declare the device's side too. */
#include_next <hip/hip_runtime_api.h>
#else
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_API_H

#include <stddef.h>
#include <stdint.h>

#include <hip/driver_types.h>
#include <hip/hip_device.h>
#include <hip/hip_error.h>
#include <hip/hip_version.h>
#include <hip/texture_types.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
#define WL_DEFAULT(value) = value
extern "C" {
#else
#define WL_DEFAULT(value)
#endif

typedef int hipDevice_t;
typedef struct ihipCtx_t *hipCtx_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef void (*hipStreamCallback_t)(hipStream_t stream, hipError_t status, void *userData);
typedef void (*hipHostFn_t)(void *userData);
typedef struct textureReference textureReference;

#include <hip/hip_launch.h>

#define hipStreamDefault     0x00u
#define hipStreamNonBlocking 0x01u
#define hipStreamLegacy      ((hipStream_t)1) /* the null stream */
#define hipStreamPerThread   ((hipStream_t)2) /* the calling thread's default stream */

#ifndef HIP_IPC_HANDLE_SIZE
#define HIP_IPC_HANDLE_SIZE 64
#endif
typedef struct hipIpcEventHandle_st {
    char reserved[HIP_IPC_HANDLE_SIZE];
} hipIpcEventHandle_t;

#define hipEventRecordDefault  0x00u
#define hipEventRecordExternal 0x01u
#define hipEventWaitDefault    0x00u
#define hipEventWaitExternal   0x01u

#define hipEventDefault            0x0u
#define hipEventBlockingSync       0x1u
#define hipEventDisableTiming      0x2u
#define hipEventInterprocess       0x4u
#define hipEventDisableSystemFence 0x20000000u
#define hipEventReleaseToDevice    0x40000000u
#define hipEventReleaseToSystem    0x80000000u

#define hipHostMallocDefault       0x0u
#define hipHostMallocPortable      0x1u
#define hipHostMallocMapped        0x2u
#define hipHostMallocWriteCombined 0x4u
#define hipHostMallocUncached      0x10000000u
#define hipHostMallocNumaUser      0x20000000u
#define hipHostMallocCoherent      0x40000000u
#define hipHostMallocNonCoherent   0x80000000u
#define hipHostAllocDefault        hipHostMallocDefault
#define hipHostAllocPortable       hipHostMallocPortable
#define hipHostAllocMapped         hipHostMallocMapped
#define hipHostAllocWriteCombined  hipHostMallocWriteCombined

#define hipHostRegisterDefault  0x0u
#define hipHostRegisterPortable 0x1u
#define hipHostRegisterMapped   0x2u
#define hipHostRegisterIoMemory 0x4u
#define hipHostRegisterReadOnly 0x8u

#define hipMemAttachGlobal 0x01u
#define hipMemAttachHost   0x02u
#define hipMemAttachSingle 0x04u

#define hipDeviceMallocDefault     0x0u
#define hipDeviceMallocFinegrained 0x1u
#define hipMallocSignalMemory      0x2u
#define hipDeviceMallocUncached    0x3u
#define hipDeviceMallocContiguous  0x4u

#define hipDeviceScheduleAuto         0x0u
#define hipDeviceScheduleSpin         0x1u
#define hipDeviceScheduleYield        0x2u
#define hipDeviceScheduleBlockingSync 0x4u
#define hipDeviceScheduleMask         0x7u
#define hipDeviceMapHost              0x8u
#define hipDeviceLmemResizeToMax      0x10u

#define hipOccupancyDefault                0x00u
#define hipOccupancyDisableCachingOverride 0x01u
#define hipExtAnyOrderLaunch               0x01u
#define hipCpuDeviceId                     ((int)-1)
#define hipInvalidDeviceId                 ((int)-2)

#define HIP_LAUNCH_PARAM_BUFFER_POINTER         ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE            ((void *)0x02)
#define HIP_LAUNCH_PARAM_END                    ((void *)0x03)

/* ---- Initialization and version -------------------------------------------------------------- */

/* Starts the runtime, which every other call does too. hipErrorInvalidValue: `flags` is not 0; hipErrorNoDevice. */
hipError_t hipInit(unsigned int flags);
/* HIP_VERSION of this library, both. hipErrorInvalidValue: NULL. */
hipError_t hipDriverGetVersion(int *driverVersion);
hipError_t hipRuntimeGetVersion(int *runtimeVersion);

/* The address of a function of this library by its name. `hipVersion`, as HIP_VERSION or as 100 * major + minor, decides which
 * form of a function that changed is meant, and a function that came later is refused. `flags`: HIP_GET_PROC_ADDRESS_*; the forms
 * with _spt, and the flag for per-thread default streams, prefer the form whose NULL stream is the thread's own. `symbolStatus`
 * may be NULL. hipErrorInvalidValue, and a NULL address, if there is no such function. */
hipError_t hipGetProcAddress(const char *symbol, void **pfn, int hipVersion, uint64_t flags, hipDriverProcAddressQueryResult *symbolStatus);
hipError_t hipGetProcAddress_spt(const char *symbol, void **pfn, int hipVersion, uint64_t flags,
                                 hipDriverProcAddressQueryResult *symbolStatus);
/* The same for the newest version. */
hipError_t hipGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                  hipDriverEntryPointQueryResult *driverStatus);
hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **funcPtr, unsigned long long flags,
                                      hipDriverEntryPointQueryResult *driverStatus);

/* ---- Device management -----------------------------------------------------------------------
 * hipErrorInvalidDevice: there is no device of that number; hipErrorInvalidValue: NULL for a result, and what is said below. Without
 * any device all functions of HIP return hipErrorNoDevice, but for those that tell versions and names. */

/* The number of devices, as WAVELIFT_DEVICES asks for them; by default all NVIDIA GPUs and one CPU device behind them. Of these
 * ROCR_VISIBLE_DEVICES and then HIP_VISIBLE_DEVICES, or else CUDA_VISIBLE_DEVICES, choose. hipErrorNoDevice if there is none. */
hipError_t hipGetDeviceCount(int *count);
/* Makes a device the calling thread's current one; no other thread notices. Never waits. */
hipError_t hipSetDevice(int deviceId);
/* The calling thread's current device; 0, or hipSetValidDevices' first, in a thread that never chose. */
hipError_t hipGetDevice(int *deviceId);
/* The handle of device `ordinal`, which is its number. */
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
/* Writes the device's name, cut to `len` bytes with the end mark. */
hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device);
/* 16 hexadecimal digits, without an end mark, or the 16 bytes of an NVIDIA GPU's; the same in every process. */
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
/* "domain:bus:device.function" in hexadecimal; each device has a bus of its own, whichever are visible. hipErrorInvalidValue: `len` is
 * below 13; what has room is written then. */
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);
/* The device of such a name: four hexadecimal numbers with ':', ':' and '.' between them. hipErrorInvalidValue if there is none. */
hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId);
/* Bytes of memory. */
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
/* Major and minor version of the presented architecture: 9 and 0 for gfx90a. */
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
/* One property as an int; sizes that do not fit are INT_MAX. hipErrorInvalidValue: no such attribute. */
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int deviceId);
/* All properties. The architecture is WAVELIFT_ARCH, else what the program's code is for, else gfx942. */
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int deviceId);
/* The first device that has at least as much as `properties` asks for, in what is not 0 there: major and minor version, memory (global,
 * constant, LDS), registers, work items (of a block, of a compute unit), compute units, lanes of a wave, clock and width of the memory, L2.
 * Device 0 if none has. */
hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *properties);
/* Waits for everything that was queued on the device, in this thread's help. Returns the sticky error. */
hipError_t hipDeviceSynchronize(void);
/* Waits, gives back all memory and streams of the device and the variables of the program's own code, restores limits and flags,
 * and clears the sticky error. Modules and libraries stay loaded; streams of threads stay. */
hipError_t hipDeviceReset(void);
/* Lets `wavelift profile` record again, and not record for a while; for the whole process. Without it they do nothing. */
hipError_t hipProfilerStart(void);
hipError_t hipProfilerStop(void);
/* hipDeviceSchedule* (one of them), hipDeviceMapHost, hipDeviceLmemResizeToMax: hints, of which hipGetDeviceFlags gives back the first;
 * hipDeviceScheduleSpin before any was set. hipErrorInvalidValue: other flags, or two ways to wait. */
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipGetDeviceFlags(unsigned int *flags);
/* Bytes: the stack of a lane in kernels with recursion or calls through pointers; and of the heap of device-side malloc, which grows as
 * it must, so that this is only remembered. hipErrorUnsupportedLimit: the buffer of printf; hipErrorInvalidValue: no limit, more than
 * 4 MiB of stack, or all memory as heap. hipDeviceReset restores all. */
hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
/* The device of threads that never choose one: the first of the list, device 0 for an empty list. hipErrorInvalidValue: a negative
 * length, one above the number of devices, or a NULL list of some. */
hipError_t hipSetValidDevices(int *deviceArray, int length);
/* HSA's type of the link between two different devices (4: XGMI), and the number of hops. hipErrorInvalidValue: one device twice, or a
 * negative number; hipErrorInvalidDevice: one that is too large. */
hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype, uint32_t *hopcount);
/* Stream priorities from the lowest to the highest, which is the smaller number. Either pointer may be NULL. */
hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
/* Hints, which are checked and ignored: hipErrorInvalidValue for none of the enumeration. What is asked for is always
 * hipFuncCachePreferNone and hipSharedMemBankSizeFourByte. */
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config);

/* ---- Error handling --------------------------------------------------------------------------
 * Each thread has its own errors. These functions never fail for want of a device. */

/* The calling thread's last error; set back to hipSuccess. hipErrorNotReady is not kept; successes do not hide it. */
hipError_t hipGetLastError(void);
/* The same without setting it back. */
hipError_t hipPeekAtLastError(void);
/* The result of the calling thread's last call, hipSuccess included; set back to hipSuccess. */
hipError_t hipExtGetLastError(void);
/* The enumerator's name and a sentence; "hipErrorUnknown" and "unknown error" for numbers that are none. Never NULL, never freed. */
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
/* The same through `text`; hipErrorInvalidValue, and NULL, for numbers that are no errors. */
hipError_t hipDrvGetErrorName(hipError_t error, const char **text);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);

/* Wavelift's log on stderr: the level for hipExtEnableLogging, 0 (kernel faults alone) to 3, as in WAVELIFT_LOG; `size` and `mask`
 * have no effect. hipExtDisableLogging leaves kernel faults. */
hipError_t hipExtSetLoggingParams(size_t level, size_t size, size_t mask);
hipError_t hipExtEnableLogging(void);
hipError_t hipExtDisableLogging(void);

/* ---- Stream management ----------------------------------------------------------------------- */

/* A stream runs what is queued in it in order; HIP reference: "Stream Management". hipErrorContextIsDestroyed: not a live
 * stream (hipStreamWaitEvent: hipErrorInvalidHandle); hipErrorInvalidValue: no place for the result, or unknown flags. All of these are
 * thread-safe.
 *
 * New streams belong to the current device, until hipStreamDestroy or hipDeviceReset. `flags`: hipStreamDefault, or
 * hipStreamNonBlocking for a stream that does not order itself with the null stream. */
hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
/* A priority outside hipDeviceGetStreamPriorityRange is taken for the nearest one within; lower numbers go first. */
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
/* `cuMask`: `cuMaskSize` words; bit n lets the stream's kernels use compute unit n. Bits of units that the device does not have
 * are ignored; a mask without any other lets all units be used. hipErrorInvalidHandle: `stream` is NULL. */
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize, const uint32_t *cuMask);
/* All units of a stream without a mask. `cuMaskSize` words, enough for the device's units. */
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask);
/* Returns at once; what is queued still runs. A capture that began in the stream ends; one that it joined goes on without it. Not for
 * the null stream and hipStreamPerThread (hipErrorInvalidHandle). */
hipError_t hipStreamDestroy(hipStream_t stream);
/* hipSuccess if everything queued has finished, else hipErrorNotReady. */
hipError_t hipStreamQuery(hipStream_t stream);
/* Waits for everything queued; with the null stream also for the blocking streams of the device. hipErrorIllegalState in a host
 * function that runs in the stream. */
hipError_t hipStreamSynchronize(hipStream_t stream);
/* What is queued in `stream` from now on waits for the event's latest record, on whichever device that is; nothing to wait for if
 * it has none. `flags` must be 0, or while capturing hipEventWaitExternal for a node of its own. For a record in a capture the stream
 * joins that capture, the null stream cannot: hipErrorInvalidHandle. hipErrorStreamCaptureIsolation: the event's stream has begun to capture
 * since. */
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags WL_DEFAULT(0));
/* hipErrorInvalidValue for NULL, which has no flags. */
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
/* -1: not a stream. */
int hipGetStreamDeviceId(hipStream_t stream);
/* Call a host function, once, when everything queued before has finished; what is queued later waits until it returns. After a
 * fault of the device callbacks are called with the error, functions of hipLaunchHostFunc are not called. They must not wait for
 * their own stream. `flags` must be 0. */
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData, unsigned int flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);
/* A number that no other stream of the process has or had. */
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId);
/* Attributes are those of launches: hipLaunchAttributeAccessPolicyWindow and SynchronizationPolicy, hints without effect here, and
 * hipLaunchAttributePriority, which can only be asked for. */
typedef hipLaunchAttributeID hipStreamAttrID;
typedef hipLaunchAttributeValue hipStreamAttrValue;
#define hipStreamAttributeAccessPolicyWindow    hipLaunchAttributeAccessPolicyWindow
#define hipStreamAttributeSynchronizationPolicy hipLaunchAttributeSynchronizationPolicy
#define hipStreamAttributePriority              hipLaunchAttributePriority
#define hipStreamAttributeMemSyncDomainMap      hipLaunchAttributeMemSyncDomainMap
#define hipStreamAttributeMemSyncDomain         hipLaunchAttributeMemSyncDomain
hipError_t hipStreamSetAttribute(hipStream_t stream, hipStreamAttrID attribute, const hipStreamAttrValue *value);
hipError_t hipStreamGetAttribute(hipStream_t stream, hipStreamAttrID attribute, hipStreamAttrValue *value);
hipError_t hipStreamCopyAttributes(hipStream_t dst, hipStream_t src);

#include <hip/hip_stream_memory.h>

/* ---- Event management ------------------------------------------------------------------------ */

/* An event marks a place in a stream. hipErrorInvalidHandle: NULL; hipErrorContextIsDestroyed: not a live event. Thread-safe.
 *
 * `flags`: hipEventDisableTiming for one that only orders; hipEventInterprocess, with that, for one that other processes open;
 * hipEventBlockingSync, hipEventDisableSystemFence, hipEventReleaseTo* are accepted (one release at most). */
hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
/* Replaces the event's latest record. While the stream captures the record is part of the capture. hipErrorInvalidHandle: the stream is of
 * another device than was current when the event was made. */
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream WL_DEFAULT(NULL));
/* Waits for nothing: streams that wait for the event, and its pending record, keep what they need. */
hipError_t hipEventDestroy(hipEvent_t event);
/* Both succeed for an event that was never recorded. hipErrorCapturedEvent: the latest record is in a capture, which becomes invalid; when
 * that is over, the record is none. */
hipError_t hipEventSynchronize(hipEvent_t event);
/* hipErrorNotReady: the latest record was not reached yet. */
hipError_t hipEventQuery(hipEvent_t event);
/* Milliseconds from one record to the other; negative if they were reached in the other order. hipErrorInvalidHandle: one was never recorded,
 * has no timing, or is of another device. */
hipError_t hipEventElapsedTime(float *ms, hipEvent_t start, hipEvent_t stop);
/* `flags`: hipEventRecordDefault, or hipEventRecordExternal: while capturing, a record node instead of an edge. */
hipError_t hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream WL_DEFAULT(NULL), unsigned int flags WL_DEFAULT(0));
/* Events of several processes. The handle of an event made with hipEventInterprocess (and hipEventDisableTiming) may be sent to
 * another process, which opens it while the event exists and may then record, wait for, and query it. */
hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t *handle, hipEvent_t event);
/* hipErrorInvalidContext: the handle is this process's own. The event is destroyed with hipEventDestroy. */
hipError_t hipIpcOpenEventHandle(hipEvent_t *event, hipIpcEventHandle_t handle);

#include <hip/hip_memory.h>

/* ---- Stream-ordered allocation ----------------------------------------------------------------- */

#include <hip/hip_graph.h>
#include <hip/hip_pool.h>

/* ---- Peer device access ----------------------------------------------------------------------
 * All devices share the process's memory: access is there from the start, and these functions keep the books that HIP asks for.
 * hipErrorInvalidDevice: no such device, or the device itself. */

/* 1 for two different devices, 0 for one and itself, even if there is none of that number. */
hipError_t hipDeviceCanAccessPeer(int *canAccess, int deviceId, int peerDeviceId);
/* The current device may access `peerDeviceId`'s memory. hipErrorPeerAccessAlreadyEnabled; hipErrorInvalidValue: `flags` is not 0. */
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
/* hipErrorPeerAccessNotEnabled if it was not. */
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);
/* 1 for access, native atomics and arrays; as the rank the type of the link. hipErrorInvalidValue: no such attribute. */
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int srcDevice, int dstDevice);

/* ---- Contexts: each device has one, its primary context --------------------------------------
 * Deprecated by HIP. A hipCtx_t is a device's primary context; each thread has a stack of contexts whose top is its current
 * device, as hipSetDevice sets it. A thread that chose nothing has the primary context of device 0. Errors: hipErrorInvalidDevice
 * for a device that there is not (of hipCtxCreate hipErrorInvalidValue), hipErrorInvalidContext for what is no context and for an empty stack, hipErrorInvalidValue for
 * NULL results and unknown flags. */

/* Retains the device's primary context, gives it `flags` (as hipSetDeviceFlags) and pushes it on the calling thread's stack.
 * hipErrorOutOfMemory: 64 contexts are there. */
hipError_t hipCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device);
/* Releases it, and pops it where it is the calling thread's current one. hipErrorInvalidValue: not a context. */
hipError_t hipCtxDestroy(hipCtx_t context);
/* Makes a context current; the one before stays under it. */
hipError_t hipCtxPushCurrent(hipCtx_t context);
/* Takes the current context off the stack and gives it back; `context` may be NULL. */
hipError_t hipCtxPopCurrent(hipCtx_t *context);
/* Puts a context in place of the current one; NULL: takes that off the stack. */
hipError_t hipCtxSetCurrent(hipCtx_t context);
hipError_t hipCtxGetCurrent(hipCtx_t *context);
/* The device of the current context. */
hipError_t hipCtxGetDevice(hipDevice_t *device);
/* The version of the interface of contexts; `context` may be NULL. */
hipError_t hipCtxGetApiVersion(hipCtx_t context, unsigned int *apiVersion);
/* The current context's flags. */
hipError_t hipCtxGetFlags(unsigned int *flags);
/* hipDeviceSynchronize. */
hipError_t hipCtxSynchronize(void);
/* As the functions of the device, hints without effect. */
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *config);
hipError_t hipCtxSetCacheConfig(hipFuncCache_t config);
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config);
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);
/* As hipDeviceEnablePeerAccess and hipDeviceDisablePeerAccess with the device of `peer`. */
hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned int flags);
hipError_t hipCtxDisablePeerAccess(hipCtx_t peer);
/* The device's primary context, which is active from then on. */
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device);
/* Gives it back; the context and what belongs to it stay. Once too often does nothing. */
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device);
/* 0 as its flags, and whether it is active: a thread made it current or a program retained it, and it was not reset since. Either
 * pointer may be NULL. */
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int *flags, int *active);
/* Always hipErrorContextAlreadyInUse, as from AMD's runtime, whose primary contexts are in use from the start. */
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags);
/* hipDeviceReset for that device. */
hipError_t hipDevicePrimaryCtxReset(hipDevice_t device);

#include <hip/hip_module.h>
#include <hip/hip_texture.h>

#ifdef __cplusplus
}

/* Typed forms. */
template <typename T> static inline hipError_t hipMalloc(T **ptr, size_t size) { return hipMalloc(reinterpret_cast<void **>(ptr), size); }
template <typename T> static inline hipError_t hipHostMalloc(T **ptr, size_t size, unsigned int flags = hipHostMallocDefault) {
    return hipHostMalloc(reinterpret_cast<void **>(ptr), size, flags);
}
template <typename T> static inline hipError_t hipMallocManaged(T **ptr, size_t size, unsigned int flags = hipMemAttachGlobal) {
    return hipMallocManaged(reinterpret_cast<void **>(ptr), size, flags);
}
template <typename T> static inline hipError_t hipMallocAsync(T **ptr, size_t size, hipStream_t stream) {
    return hipMallocAsync(reinterpret_cast<void **>(ptr), size, stream);
}
template <typename T> static inline hipError_t hipMallocAsync(T **ptr, size_t size, hipMemPool_t pool, hipStream_t stream) {
    return hipMallocFromPoolAsync(reinterpret_cast<void **>(ptr), size, pool, stream);
}
template <typename T> static inline hipError_t hipMallocFromPoolAsync(T **ptr, size_t size, hipMemPool_t pool, hipStream_t stream) {
    return hipMallocFromPoolAsync(reinterpret_cast<void **>(ptr), size, pool, stream);
}
template <typename T> static inline hipError_t hipGetSymbolAddress(void **address, const T &symbol) {
    return hipGetSymbolAddress(address, static_cast<const void *>(&symbol));
}
template <typename T> static inline hipError_t hipGetSymbolSize(size_t *size, const T &symbol) {
    return hipGetSymbolSize(size, static_cast<const void *>(&symbol));
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
#endif
