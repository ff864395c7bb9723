/* Structures of launches, of the run-time linker and of libraries (HIP reference, "Module management", "Execution control").
 * Included by hip_runtime_api.h; never alone. */
#ifndef HIP_INCLUDE_HIP_HIP_LAUNCH_H
#define HIP_INCLUDE_HIP_HIP_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

/* ---- launches on several devices --------------------------------------------------------------- */

/* One grid of hipLaunchCooperativeKernelMultiDevice: a kernel by its host stub. */
typedef struct hipLaunchParams_t {
    void *func;
    dim3 gridDim, blockDim; /* blocks; work items */
    void **args;            /* a pointer to each argument */
    size_t sharedMem;       /* bytes of dynamic LDS */
    hipStream_t stream;
} hipLaunchParams;

/* The same for a kernel of a module. */
typedef struct hipFunctionLaunchParams_t {
    hipFunction_t function;
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    hipStream_t hStream;
    void **kernelParams;
} hipFunctionLaunchParams;

#define hipCooperativeLaunchMultiDeviceNoPreSync  0x01u /* do not wait for earlier work of the other streams */
#define hipCooperativeLaunchMultiDeviceNoPostSync 0x02u /* later work of a stream does not wait for the other grids */

/* ---- launch attributes ------------------------------------------------------------------------- */

typedef enum hipLaunchAttributeID {
    hipLaunchAttributeIgnore = 0,
    hipLaunchAttributeAccessPolicyWindow = 1,
    hipLaunchAttributeCooperative = 2,
    hipLaunchAttributeSynchronizationPolicy = 3,
    hipLaunchAttributeClusterDimension = 4,
    hipLaunchAttributeClusterSchedulingPolicyPreference = 5,
    hipLaunchAttributePriority = 8,
    hipLaunchAttributeMemSyncDomainMap = 9,
    hipLaunchAttributeMemSyncDomain = 10,
    hipLaunchAttributeMax
} hipLaunchAttributeID;

typedef enum hipAccessProperty {
    hipAccessPropertyNormal = 0,
    hipAccessPropertyStreaming = 1,
    hipAccessPropertyPersisting = 2
} hipAccessProperty;

/* A range of addresses and how caches should treat it. */
typedef struct hipAccessPolicyWindow {
    void *base_ptr;
    hipAccessProperty hitProp;
    float hitRatio;
    hipAccessProperty missProp;
    size_t num_bytes;
} hipAccessPolicyWindow;

typedef enum hipSynchronizationPolicy {
    hipSyncPolicyAuto = 1,
    hipSyncPolicySpin = 2,
    hipSyncPolicyYield = 3,
    hipSyncPolicyBlockingSync = 4
} hipSynchronizationPolicy;

typedef struct hipLaunchMemSyncDomainMap {
    unsigned char default_, remote;
} hipLaunchMemSyncDomainMap;

typedef enum hipLaunchMemSyncDomain { hipLaunchMemSyncDomainDefault = 0, hipLaunchMemSyncDomainRemote = 1 } hipLaunchMemSyncDomain;

typedef union hipLaunchAttributeValue {
    char pad[64];
    hipAccessPolicyWindow accessPolicyWindow;
    int cooperative; /* not 0: a cooperative launch */
    int priority;
    hipSynchronizationPolicy syncPolicy;
    hipLaunchMemSyncDomainMap memSyncDomainMap;
    hipLaunchMemSyncDomain memSyncDomain;
    struct {
        unsigned int x, y, z;
    } clusterDim;
} hipLaunchAttributeValue;

typedef struct hipLaunchAttribute_st {
    hipLaunchAttributeID id;
    char pad[8 - sizeof(hipLaunchAttributeID)];
    union {
        hipLaunchAttributeValue val;
        hipLaunchAttributeValue value;
    };
} hipLaunchAttribute;

/* hipLaunchKernelExC's launch. */
typedef struct hipLaunchConfig_st {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    hipStream_t stream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} hipLaunchConfig_t;

/* hipDrvLaunchKernelEx's launch. */
typedef struct HIP_LAUNCH_CONFIG_st {
    unsigned int gridDimX, gridDimY, gridDimZ;
    unsigned int blockDimX, blockDimY, blockDimZ;
    unsigned int sharedMemBytes;
    hipStream_t hStream;
    hipLaunchAttribute *attrs;
    unsigned int numAttrs;
} HIP_LAUNCH_CONFIG;

/* ---- the run-time linker ----------------------------------------------------------------------- */

/* Options of compilers for other processors' images: hipModuleLoadDataEx says what becomes of them. The last two are HIP's. */
typedef enum hipJitOption {
    hipJitOptionMaxRegisters = 0,
    hipJitOptionThreadsPerBlock,
    hipJitOptionWallTime,
    hipJitOptionInfoLogBuffer,
    hipJitOptionInfoLogBufferSizeBytes,
    hipJitOptionErrorLogBuffer,
    hipJitOptionErrorLogBufferSizeBytes,
    hipJitOptionOptimizationLevel,
    hipJitOptionTargetFromContext,
    hipJitOptionTarget,
    hipJitOptionFallbackStrategy,
    hipJitOptionGenerateDebugInfo,
    hipJitOptionLogVerbose,
    hipJitOptionGenerateLineInfo,
    hipJitOptionCacheMode,
    hipJitOptionSm3xOpt,
    hipJitOptionFastCompile,
    hipJitOptionGlobalSymbolNames,
    hipJitOptionGlobalSymbolAddresses,
    hipJitOptionGlobalSymbolCount,
    hipJitOptionLto,
    hipJitOptionFtz,
    hipJitOptionPrecDiv,
    hipJitOptionPrecSqrt,
    hipJitOptionFma,
    hipJitOptionPositionIndependentCode,
    hipJitOptionMinCTAPerSM,
    hipJitOptionMaxThreadsPerBlock,
    hipJitOptionOverrideDirectiveValues,
    hipJitOptionNumOptions,
    hipJitOptionIRtoISAOptExt = 10000,
    hipJitOptionIRtoISAOptCountExt
} hipJitOption;

/* What hipLinkAddData and hiprtcLinkAddData get. */
typedef enum hipJitInputType {
    hipJitInputCubin = 0,
    hipJitInputPtx,
    hipJitInputFatBinary,
    hipJitInputObject,
    hipJitInputLibrary,
    hipJitInputNvvm,
    hipJitNumLegacyInputTypes,
    hipJitInputLLVMBitcode = 100,
    hipJitInputLLVMBundledBitcode = 101,
    hipJitInputLLVMArchivesOfBundledBitcode = 102,
    hipJitInputSpirv = 103,
    hipJitNumInputTypes = 10
} hipJitInputType;
typedef struct ihipLinkState_t *hipLinkState_t;

/* ---- libraries --------------------------------------------------------------------------------- */

/* A code object that is loaded on every device that uses it, and a kernel of it. A hipKernel_t may stand where the address of a
 * host stub or a hipFunction_t is asked for. */
typedef struct ihipLibrary_t *hipLibrary_t;
typedef struct ihipKernel_t *hipKernel_t;

typedef enum hipLibraryOption_e {
    hipLibraryHostUniversalFunctionAndDataTable = 0,
    hipLibraryBinaryIsPreserved = 1 /* the image stays as long as the library */
} hipLibraryOption;

/* ---- addresses of functions -------------------------------------------------------------------- */

typedef enum hipDriverProcAddressQueryResult {
    HIP_GET_PROC_ADDRESS_SUCCESS = 0,
    HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
    HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2 /* the function came with a later version than the one asked for */
} hipDriverProcAddressQueryResult;

typedef enum hipDriverEntryPointQueryResult {
    hipDriverEntryPointSuccess = 0,
    hipDriverEntryPointSymbolNotFound = 1,
    hipDriverEntryPointVersionNotSufficent = 2
} hipDriverEntryPointQueryResult;

#define HIP_GET_PROC_ADDRESS_DEFAULT                   0x0
#define HIP_GET_PROC_ADDRESS_LEGACY_STREAM             0x1
#define HIP_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM 0x2
#define hipEnableDefault                               0x0
#define hipEnableLegacyStream                          0x1
#define hipEnablePerThreadDefaultStream                0x2

#endif
