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

#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)
#define HIP_LAUNCH_PARAM_END            ((void *)0x03)

/* ---- Initialization and version -------------------------------------------------------------- */

/* Starts the runtime, which every other call does too. `flags` must be 0. */
hipError_t hipInit(unsigned int flags);
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

/* ---- Device management ----------------------------------------------------------------------- */

hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int deviceId);
hipError_t hipGetDevice(int *deviceId);
hipError_t hipDeviceGet(hipDevice_t *device, int ordinal);
hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device);
hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device);
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device);
hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId);
hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device);
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device);
hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int deviceId);
hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int deviceId);
/* The device that fits the non-zero fields of `properties` best. */
hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *properties);
/* Waits for everything that was queued on the device. */
hipError_t hipDeviceSynchronize(void);
/* Waits, then gives back all memory, streams and modules of the device and clears its sticky error. */
hipError_t hipDeviceReset(void);
hipError_t hipSetDeviceFlags(unsigned flags);
hipError_t hipGetDeviceFlags(unsigned int *flags);
/* Bytes: the stack of a lane in kernels with recursion or calls through pointers; of device-side printf's buffer and of the heap
 * of device-side malloc, which grow as they must, so that these two are only remembered. hipErrorUnsupportedLimit: another limit;
 * hipErrorInvalidValue: more than 4 MiB of stack. hipDeviceReset restores all. */
hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit);
hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value);
/* The device of threads that never choose one: the first of the list, device 0 for an empty list. */
hipError_t hipSetValidDevices(int *deviceArray, int length);
/* HSA's type of the link between two different devices, and the number of hops. */
hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype, uint32_t *hopcount);
hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority);
/* Hints; they have no effect. */
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config);
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config);
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config);
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config);

/* ---- Error handling -------------------------------------------------------------------------- */

/* The calling thread's last error; set back to hipSuccess. hipErrorNotReady is not kept. */
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
/* The result of the calling thread's last call, hipSuccess included. */
hipError_t hipExtGetLastError(void);
const char *hipGetErrorName(hipError_t error);
const char *hipGetErrorString(hipError_t error);
hipError_t hipDrvGetErrorName(hipError_t error, const char **text);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text);

/* Wavelift's log on stderr: the level for hipExtEnableLogging, 0 (kernel faults alone) to 3, as in WAVELIFT_LOG; `size` and `mask`
 * have no effect. hipExtDisableLogging leaves kernel faults. */
hipError_t hipExtSetLoggingParams(size_t level, size_t size, size_t mask);
hipError_t hipExtEnableLogging(void);
hipError_t hipExtDisableLogging(void);

/* ---- Stream management ----------------------------------------------------------------------- */

hipError_t hipStreamCreate(hipStream_t *stream);
hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *stream, unsigned int flags, int priority);
/* `cuMask`: `cuMaskSize` words; bit n lets the stream's kernels use compute unit n. */
hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream, uint32_t cuMaskSize, const uint32_t *cuMask);
hipError_t hipExtStreamGetCUMask(hipStream_t stream, uint32_t cuMaskSize, uint32_t *cuMask);
/* What is queued still runs. */
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags WL_DEFAULT(0));
hipError_t hipStreamGetFlags(hipStream_t stream, unsigned int *flags);
hipError_t hipStreamGetPriority(hipStream_t stream, int *priority);
hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t *device);
int hipGetStreamDeviceId(hipStream_t stream);
/* Call a host function in stream order. Callbacks must not call HIP functions that wait for their own stream. */
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void *userData, unsigned int flags);
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t fn, void *userData);
/* A number that no other stream of the process has or had. */
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *streamId);

#include <hip/hip_stream_memory.h>

/* ---- Event management ------------------------------------------------------------------------ */

hipError_t hipEventCreate(hipEvent_t *event);
hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned flags);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream WL_DEFAULT(NULL));
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
/* Milliseconds from one record to the other; negative if they were reached in the other order. */
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

/* ---- Peer device access ---------------------------------------------------------------------- */

hipError_t hipDeviceCanAccessPeer(int *canAccess, int deviceId, int peerDeviceId);
hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags);
hipError_t hipDeviceDisablePeerAccess(int peerDeviceId);
hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int srcDevice, int dstDevice);

/* ---- Contexts: each device has one, its primary context --------------------------------------
 * Deprecated by HIP. A hipCtx_t is a device's primary context; each thread has a stack of contexts whose top is its current
 * device, as hipSetDevice sets it. A thread that chose nothing has the primary context of device 0. Errors: hipErrorInvalidDevice
 * for a device that there is not, hipErrorInvalidContext for what is no context and for an empty stack, hipErrorInvalidValue for
 * NULL results and unknown flags. */

/* Retains the device's primary context, gives it `flags` and pushes it on the calling thread's stack. */
hipError_t hipCtxCreate(hipCtx_t *context, unsigned int flags, hipDevice_t device);
hipError_t hipCtxDestroy(hipCtx_t context);
hipError_t hipCtxPushCurrent(hipCtx_t context);
hipError_t hipCtxPopCurrent(hipCtx_t *context);
hipError_t hipCtxSetCurrent(hipCtx_t context);
hipError_t hipCtxGetCurrent(hipCtx_t *context);
hipError_t hipCtxGetDevice(hipDevice_t *device);
hipError_t hipCtxGetApiVersion(hipCtx_t context, unsigned int *apiVersion);
hipError_t hipCtxGetFlags(unsigned int *flags);
hipError_t hipCtxSynchronize(void);
/* Hints; they have no effect. */
hipError_t hipCtxGetCacheConfig(hipFuncCache_t *config);
hipError_t hipCtxSetCacheConfig(hipFuncCache_t config);
hipError_t hipCtxGetSharedMemConfig(hipSharedMemConfig *config);
hipError_t hipCtxSetSharedMemConfig(hipSharedMemConfig config);
/* As hipDeviceEnablePeerAccess; hipErrorInvalidContext if `peer` is none. */
hipError_t hipCtxEnablePeerAccess(hipCtx_t peer, unsigned int flags);
hipError_t hipCtxDisablePeerAccess(hipCtx_t peer);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context, hipDevice_t device);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device);
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned int *flags, int *active);
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned int flags);
hipError_t hipDevicePrimaryCtxReset(hipDevice_t device);

/* ---- Modules and launches -------------------------------------------------------------------- */

hipError_t hipModuleLoad(hipModule_t *module, const char *fileName);
/* `image`: an AMDGPU ELF, an offload bundle or a compressed bundle, in memory. */
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
/* The options are for other compilers' images and are ignored. */
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions, hipJitOption *options, void **optionValues);
/* `fatbin`: an offload bundle, in memory. */
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin);
/* Waits for the kernels of the module that are queued or run, and unloads it. */
hipError_t hipModuleUnload(hipModule_t module);
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t module);
/* Textures cannot be sampled yet: hipErrorNotSupported for a name that the module has, hipErrorNotFound for others. */
hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t module, const char *name);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *ptr, size_t *size, hipModule_t module, const char *name);

/* Launches. All functions copy the arguments before they return, and return
 *   hipErrorInvalidHandle             not a function, stream or event; for multi-device launches also the null stream
 *   hipErrorInvalidValue              both or none of `kernelParams` and `extra` where the kernel has arguments; too few bytes in
 *                                     `extra`; more dynamic LDS than a block may have; a partial block of a kernel that was compiled
 *                                     for full ones; unknown flags
 *   hipErrorInvalidValue (functions of modules), hipErrorInvalidConfiguration (host stubs)
 *                                     a size of 0, a block larger than the device's, 2^32 or more work items in a dimension
 *   hipErrorLaunchFailure             a block larger than the kernel was compiled for
 *   hipErrorLaunchOutOfResources      static and dynamic LDS together are more than a block may have
 *   hipErrorCooperativeLaunchTooLarge more blocks than can be resident at once
 *   hipErrorInvalidDeviceFunction     an address that is not a registered host stub
 *   hipErrorNotSupported              the kernel has an instruction that cannot be translated; nothing runs
 *
 * The grid is counted in blocks. Arguments: `kernelParams`, one pointer each; or `extra`, the ready argument buffer. */
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                 unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                                 hipStream_t stream, void **kernelParams, void **extra);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t function, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                            unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                            unsigned int sharedMemBytes, hipStream_t stream, void **kernelParams);
/* The grid is counted in work items. A block is cut to the grid if that is smaller. The events, if not NULL, are recorded before
 * and after the kernel. `flags`: hipExtAnyOrderLaunch permits any order; the stream's order is kept all the same. */
hipError_t hipExtModuleLaunchKernel(hipFunction_t function, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t stream, void **kernelParams, void **extra, hipEvent_t startEvent WL_DEFAULT(NULL),
                                    hipEvent_t stopEvent WL_DEFAULT(NULL), uint32_t flags WL_DEFAULT(0));
/* Deprecated: hipExtModuleLaunchKernel without flags. */
hipError_t hipHccModuleLaunchKernel(hipFunction_t function, uint32_t globalWorkSizeX, uint32_t globalWorkSizeY, uint32_t globalWorkSizeZ,
                                    uint32_t localWorkSizeX, uint32_t localWorkSizeY, uint32_t localWorkSizeZ, size_t sharedMemBytes,
                                    hipStream_t stream, void **kernelParams, void **extra, hipEvent_t startEvent WL_DEFAULT(NULL),
                                    hipEvent_t stopEvent WL_DEFAULT(NULL));
/* `function` is the address of the kernel's host stub, or a hipFunction_t or hipKernel_t. */
hipError_t hipLaunchKernel(const void *function, dim3 numBlocks, dim3 dimBlocks, void **args, size_t sharedMemBytes, hipStream_t stream);
hipError_t hipExtLaunchKernel(const void *function, dim3 numBlocks, dim3 dimBlocks, void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags);
hipError_t hipLaunchCooperativeKernel(const void *function, dim3 gridDim, dim3 blockDim, void **kernelParams, unsigned int sharedMemBytes,
                                      hipStream_t stream);

/* With attributes: hipLaunchAttributeCooperative and a hipLaunchAttributeClusterDimension of 1 x 1 x 1 are known (larger clusters
 * give hipErrorInvalidClusterSize), priorities are hints, others give hipErrorInvalidValue. */
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *function, void **args);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t function, void **params, void **extra);

/* One grid on each of several devices: entry i of the list goes to the device of its stream, which is no null stream
 * (hipErrorInvalidHandle); no device comes twice (hipErrorInvalidDevice). Cooperative: the grids are alike in kernel, sizes and LDS
 * (hipErrorInvalidValue) and synchronize with each other; unless `flags` say otherwise they start after all earlier work of all the
 * streams, and later work waits for all of them. If a grid fails, so do the others. Extended: kernels and sizes may differ; on
 * none of the streams another thread's work comes between. Either all grids are queued or, with an error, none. */
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices, unsigned int flags);
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList, unsigned int numDevices,
                                                       unsigned int flags);
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices, unsigned int flags);
/* The older way: configure, one call per argument, launch. */
hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem WL_DEFAULT(0), hipStream_t stream WL_DEFAULT(0));
hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset);
hipError_t hipLaunchByPtr(const void *function);

/* Libraries: a code object for all devices. Loading selects the image's entry; each device loads it at its first use. JIT options
 * are ignored. hipErrorInvalidHandle: not a library or a kernel of one; hipErrorNotFound: no kernel of that name. */
hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jitOptions, void **jitOptionsValues,
                              unsigned int numJitOptions, hipLibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions);
hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *fileName, hipJitOption *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions, hipLibraryOption *libraryOptions, void **libraryOptionValues,
                                  unsigned int numLibraryOptions);
/* Waits as hipModuleUnload does; kernels of the library are invalid afterwards. */
hipError_t hipLibraryUnload(hipLibrary_t library);
/* The same handle for the same name. */
hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library, const char *name);
hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library);
/* At most `numKernels` handles, in the order of the kernels' names. */
hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels, hipLibrary_t library);
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
/* The name lives as long as the library. */
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
/* The kernel on the current device. */
hipError_t hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel);
/* Offset and size, in bytes, of an argument; `paramSize` may be NULL. */
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize);
hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute attribute, hipKernel_t kernel, hipDevice_t device);
hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, hipKernel_t kernel, hipDevice_t device);

hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attributes, const void *function);
hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function);
hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value);
/* Hints; they have no effect. */
hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config);
hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol);
const char *hipKernelNameRef(const hipFunction_t function);
const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream);

/* ---- Occupancy ------------------------------------------------------------------------------- */

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *function, int blockSize, size_t dynamicSharedMem);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *function, int blockSize,
                                                                 size_t dynamicSharedMem, unsigned int flags);
hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function, size_t dynamicSharedMem,
                                             int blockSizeLimit);
/* The dynamic LDS, in bytes, that each of `numBlocks` blocks on a compute unit can have; hipErrorInvalidValue if so many do not fit. */
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *function, int numBlocks, int blockSize);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, hipFunction_t function, int blockSize,
                                                              size_t dynamicSharedMem);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, hipFunction_t function, int blockSize,
                                                                       size_t dynamicSharedMem, unsigned int flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicSharedMem,
                                                   int blockSizeLimit);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicSharedMem,
                                                            int blockSizeLimit, unsigned int flags);

/* ---- What the compiler emits calls to -------------------------------------------------------- */

void **__hipRegisterFatBinary(const void *wrapper);
void __hipUnregisterFatBinary(void **handle);
void __hipRegisterFunction(void **handle, const void *hostFunction, char *deviceFunction, const char *deviceName, unsigned int threadLimit,
                           void *tid, void *bid, dim3 *blockDim, dim3 *gridDim, int *wSize);
void __hipRegisterVar(void **handle, void *hostVar, char *deviceVar, const char *deviceName, int external, size_t size, int constant,
                      int global);
void __hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name, size_t size, unsigned align);
void __hipRegisterTexture(void **handle, void *hostVar, char *hostName, char *deviceName, int type, int normalized, int external);
void __hipRegisterSurface(void **handle, void *hostVar, char *hostName, char *deviceName, int type, int external);
hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem WL_DEFAULT(0), hipStream_t stream WL_DEFAULT(0));
hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, hipStream_t *stream);

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
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
#endif
