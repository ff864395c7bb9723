/* The CUDA driver's binary interface, as far as Wavelift uses it: types, constants and functions under the driver API's own names.
 * No header of CUDA's is needed to build, and the library is opened at run time (driver.c), never linked.
 *
 * Facts of the ABI that are easy to miss: the exported symbol of a function may carry a version that its name in the manual does
 * not (cuMemAlloc is cuMemAlloc_v2), a CUdeviceptr is 64 bits wide, enums are ints. tests/device/cuda_abi compares all of this
 * with cuda.h where there is one. */
#ifndef WL_DEVICE_CUDA_DRIVER_H
#define WL_DEVICE_CUDA_DRIVER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __cuda_cuda_h__ /* CUDA's own header, in the test that compares the two */

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;
typedef struct CUipcMemHandle_st {
    char reserved[64];
} CUipcMemHandle;

typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUmemPoolPtrExportData_st {
    unsigned char reserved[64];
} CUmemPoolPtrExportData;

/* Of each enum the values that are used. */
typedef enum cudaError_enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_UNSUPPORTED_LIMIT = 215,
    CUDA_ERROR_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_ERROR_NOT_SUPPORTED = 801,
    CUDA_ERROR_UNKNOWN = 999
} CUresult;

typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
    CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
    CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123
} CUdevice_attribute;

typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
    CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;

typedef enum CUjit_option_enum {
    CU_JIT_MAX_REGISTERS = 0,
    CU_JIT_INFO_LOG_BUFFER = 3,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CU_JIT_FMA = 24,
    CU_JIT_POSITION_INDEPENDENT_CODE = 30,
    CU_JIT_MIN_CTA_PER_SM = 31,
    CU_JIT_MAX_THREADS_PER_BLOCK = 32,
    CU_JIT_OVERRIDE_DIRECTIVE_VALUES = 33
} CUjit_option;

typedef enum CUjitInputType_enum { CU_JIT_INPUT_PTX = 1 } CUjitInputType;
typedef enum CUlimit_enum { CU_LIMIT_STACK_SIZE = 0 } CUlimit;
typedef enum CUmem_advise_enum {
    CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
    CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
    CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
    CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
    CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6
} CUmem_advise;

typedef enum CUmemAllocationType_enum { CU_MEM_ALLOCATION_TYPE_PINNED = 1 } CUmemAllocationType;
typedef enum CUmemAllocationHandleType_enum {
    CU_MEM_HANDLE_TYPE_NONE = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1
} CUmemAllocationHandleType;
typedef enum CUmemLocationType_enum { CU_MEM_LOCATION_TYPE_DEVICE = 1 } CUmemLocationType;
typedef enum CUmemAccess_flags_enum {
    CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
    CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;
typedef enum CUmemAllocationGranularity_flags_enum {
    CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;
typedef struct CUmemLocation_st {
    CUmemLocationType type;
    int id;
} CUmemLocation;
typedef struct CUmemAllocationProp_st {
    CUmemAllocationType type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} CUmemAllocationProp;
typedef struct CUmemPoolProps_st {
    CUmemAllocationType allocType;
    CUmemAllocationHandleType handleTypes;
    CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUmemAccessDesc_st {
    CUmemLocation location;
    CUmemAccess_flags flags;
} CUmemAccessDesc;

typedef struct CUextMemory_st *CUexternalMemory;
typedef enum CUexternalMemoryHandleType_enum { CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1 } CUexternalMemoryHandleType;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st {
    CUexternalMemoryHandleType type;
    union {
        int fd;
        struct {
            void *handle;
            const void *name;
        } win32;
        const void *nvSciBufObject;
    } handle;
    unsigned long long size;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC_st {
    unsigned long long offset, size;
    unsigned flags, reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

typedef struct CUarray_st *CUarray;
typedef enum CUmemorytype_enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 } CUmemorytype;
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

#define CU_DEVICE_CPU                      ((CUdevice) - 1)
#define CUDA_EXTERNAL_MEMORY_DEDICATED     1
#define CU_STREAM_LEGACY                   ((CUstream)0x1)
#define CU_STREAM_DEFAULT                  0
#define CU_STREAM_NON_BLOCKING             1
#define CU_EVENT_DISABLE_TIMING            2
#define CU_MEMHOSTALLOC_PORTABLE           1
#define CU_MEMHOSTALLOC_DEVICEMAP          2
#define CU_MEMHOSTALLOC_WRITECOMBINED      4
#define CU_MEMHOSTREGISTER_PORTABLE        1
#define CU_MEMHOSTREGISTER_DEVICEMAP       2
#define CU_MEMHOSTREGISTER_IOMEMORY        4
#define CU_MEMHOSTREGISTER_READ_ONLY       8
#define CU_MEM_ATTACH_GLOBAL               1
#define CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS 1
#define CU_STREAM_WAIT_VALUE_GEQ           0
#define CU_STREAM_WAIT_VALUE_EQ            1
#define CU_STREAM_WAIT_VALUE_AND           2
#define CU_STREAM_WAIT_VALUE_NOR           3
#define CU_LAUNCH_PARAM_END                ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER     ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE        ((void *)2)

#endif

/* Every function: whether the device can do without it, its name, the symbol, the parameters. */
#define WL_CUDA_FUNCTIONS(F)                                                                                                               \
    F(NEEDED, cuInit, cuInit, (unsigned flags))                                                                                            \
    F(NEEDED, cuDriverGetVersion, cuDriverGetVersion, (int *version))                                                                      \
    F(NEEDED, cuGetErrorName, cuGetErrorName, (CUresult error, const char **text))                                                         \
    F(NEEDED, cuGetErrorString, cuGetErrorString, (CUresult error, const char **text))                                                     \
    F(NEEDED, cuDeviceGetCount, cuDeviceGetCount, (int *count))                                                                            \
    F(NEEDED, cuDeviceGet, cuDeviceGet, (CUdevice * device, int ordinal))                                                                  \
    F(NEEDED, cuDeviceGetName, cuDeviceGetName, (char *name, int size, CUdevice device))                                                   \
    F(OPTIONAL, cuDeviceGetUuid, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                                     \
    F(NEEDED, cuDeviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device))                                                     \
    F(NEEDED, cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, CUdevice_attribute attribute, CUdevice device))                     \
    F(NEEDED, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                  \
    F(NEEDED, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                                  \
    F(NEEDED, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, (CUdevice device))                                                      \
    F(NEEDED, cuCtxGetCurrent, cuCtxGetCurrent, (CUcontext * context))                                                                     \
    F(NEEDED, cuCtxSetCurrent, cuCtxSetCurrent, (CUcontext context))                                                                       \
    F(NEEDED, cuCtxSynchronize, cuCtxSynchronize, (void))                                                                                  \
    F(NEEDED, cuCtxSetLimit, cuCtxSetLimit, (CUlimit limit, size_t value))                                                                 \
    F(NEEDED, cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))                                    \
    F(NEEDED, cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags))                                              \
    F(NEEDED, cuMemGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                                                                \
    F(NEEDED, cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr * memory, size_t size))                                                              \
    F(NEEDED, cuMemFree, cuMemFree_v2, (CUdeviceptr memory))                                                                               \
    F(NEEDED, cuMemAllocManaged, cuMemAllocManaged, (CUdeviceptr * memory, size_t size, unsigned flags))                                   \
    F(NEEDED, cuMemHostAlloc, cuMemHostAlloc, (void **memory, size_t size, unsigned flags))                                                \
    F(NEEDED, cuMemFreeHost, cuMemFreeHost, (void *memory))                                                                                \
    F(NEEDED, cuMemHostRegister, cuMemHostRegister_v2, (void *memory, size_t size, unsigned flags))                                        \
    F(NEEDED, cuMemHostUnregister, cuMemHostUnregister, (void *memory))                                                                    \
    F(NEEDED, cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, (CUdeviceptr * device, void *memory, unsigned flags))               \
    F(OPTIONAL, cuMemAdvise, cuMemAdvise, (CUdeviceptr memory, size_t size, CUmem_advise advice, CUdevice device))                         \
    F(OPTIONAL, cuMemPrefetchAsync, cuMemPrefetchAsync, (CUdeviceptr memory, size_t size, CUdevice device, CUstream stream))               \
    F(OPTIONAL, cuMemGetAddressRange, cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t *size, CUdeviceptr address))                    \
    F(OPTIONAL, cuIpcGetMemHandle, cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr memory))                                       \
    F(OPTIONAL, cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2, (CUdeviceptr * memory, CUipcMemHandle handle, unsigned flags))                  \
    F(OPTIONAL, cuIpcCloseMemHandle, cuIpcCloseMemHandle, (CUdeviceptr memory))                                                            \
    F(OPTIONAL, cuMemGetAllocationGranularity, cuMemGetAllocationGranularity,                                                              \
      (size_t *granularity, const CUmemAllocationProp *properties, CUmemAllocationGranularity_flags option))                               \
    F(OPTIONAL, cuMemCreate, cuMemCreate,                                                                                                  \
      (CUmemGenericAllocationHandle * memory, size_t size, const CUmemAllocationProp *properties, unsigned long long flags))               \
    F(OPTIONAL, cuMemRelease, cuMemRelease, (CUmemGenericAllocationHandle memory))                                                         \
    F(OPTIONAL, cuMemExportToShareableHandle, cuMemExportToShareableHandle,                                                                \
      (void *handle, CUmemGenericAllocationHandle memory, CUmemAllocationHandleType type, unsigned long long flags))                       \
    F(OPTIONAL, cuMemImportFromShareableHandle, cuMemImportFromShareableHandle,                                                            \
      (CUmemGenericAllocationHandle * memory, void *handle, CUmemAllocationHandleType type))                                               \
    F(OPTIONAL, cuMemAddressReserve, cuMemAddressReserve,                                                                                  \
      (CUdeviceptr * address, size_t size, size_t alignment, CUdeviceptr hint, unsigned long long flags))                                  \
    F(OPTIONAL, cuMemAddressFree, cuMemAddressFree, (CUdeviceptr address, size_t size))                                                    \
    F(OPTIONAL, cuMemMap, cuMemMap,                                                                                                        \
      (CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle memory, unsigned long long flags))                    \
    F(OPTIONAL, cuMemUnmap, cuMemUnmap, (CUdeviceptr address, size_t size))                                                                \
    F(OPTIONAL, cuMemSetAccess, cuMemSetAccess, (CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count))           \
    F(OPTIONAL, cuMemPoolCreate, cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *properties))                                 \
    F(OPTIONAL, cuMemPoolDestroy, cuMemPoolDestroy, (CUmemoryPool pool))                                                                   \
    F(OPTIONAL, cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle,                                                        \
      (void *handle, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags))                                         \
    F(OPTIONAL, cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle,                                                    \
      (CUmemoryPool * pool, void *handle, CUmemAllocationHandleType type, unsigned long long flags))                                       \
    F(OPTIONAL, cuMemPoolExportPointer, cuMemPoolExportPointer, (CUmemPoolPtrExportData * data, CUdeviceptr memory))                       \
    F(OPTIONAL, cuMemPoolImportPointer, cuMemPoolImportPointer, (CUdeviceptr * memory, CUmemoryPool pool, CUmemPoolPtrExportData * data))  \
    F(OPTIONAL, cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, (CUdeviceptr * memory, size_t size, CUmemoryPool pool, CUstream stream)) \
    F(OPTIONAL, cuMemAllocAsync, cuMemAllocAsync, (CUdeviceptr * memory, size_t size, CUstream stream))                                    \
    F(OPTIONAL, cuMemFreeAsync, cuMemFreeAsync, (CUdeviceptr memory, CUstream stream))                                                     \
    F(OPTIONAL, cuImportExternalMemory, cuImportExternalMemory, (CUexternalMemory * memory, const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc)) \
    F(OPTIONAL, cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer,                                                          \
      (CUdeviceptr * address, CUexternalMemory memory, const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc))                                      \
    F(OPTIONAL, cuDestroyExternalMemory, cuDestroyExternalMemory, (CUexternalMemory memory))                                               \
    F(NEEDED, cuMemcpy, cuMemcpy, (CUdeviceptr target, CUdeviceptr source, size_t size))                                                   \
    F(NEEDED, cuMemcpyAsync, cuMemcpyAsync, (CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream))                        \
    F(OPTIONAL, cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream))                                         \
    F(NEEDED, cuMemsetD8Async, cuMemsetD8Async, (CUdeviceptr target, unsigned char value, size_t count, CUstream stream))                  \
    F(NEEDED, cuMemsetD16Async, cuMemsetD16Async, (CUdeviceptr target, unsigned short value, size_t count, CUstream stream))               \
    F(NEEDED, cuMemsetD32Async, cuMemsetD32Async, (CUdeviceptr target, unsigned value, size_t count, CUstream stream))                     \
    F(NEEDED, cuModuleLoadDataEx, cuModuleLoadDataEx,                                                                                      \
      (CUmodule * module, const void *image, unsigned count, CUjit_option *options, void **values))                                        \
    F(NEEDED, cuModuleUnload, cuModuleUnload, (CUmodule module))                                                                           \
    F(NEEDED, cuModuleGetFunction, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                        \
    F(NEEDED, cuModuleGetGlobal, cuModuleGetGlobal_v2, (CUdeviceptr * memory, size_t *size, CUmodule module, const char *name))            \
    F(OPTIONAL, cuModuleGetFunctionCount, cuModuleGetFunctionCount, (unsigned *count, CUmodule module))                                    \
    F(OPTIONAL, cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, (CUfunction * functions, unsigned count, CUmodule module))         \
    F(OPTIONAL, cuFuncGetName, cuFuncGetName, (const char **name, CUfunction function))                                                    \
    F(OPTIONAL, cuFuncGetParamInfo, cuFuncGetParamInfo, (CUfunction function, size_t index, size_t *offset, size_t *size))                 \
    F(NEEDED, cuFuncGetAttribute, cuFuncGetAttribute, (int *value, CUfunction_attribute attribute, CUfunction function))                   \
    F(NEEDED, cuFuncSetAttribute, cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))                    \
    F(NEEDED, cuLinkCreate, cuLinkCreate_v2, (unsigned count, CUjit_option *options, void **values, CUlinkState *state))                   \
    F(NEEDED, cuLinkAddData, cuLinkAddData_v2,                                                                                             \
      (CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned count, CUjit_option *options,           \
       void **values))                                                                                                                     \
    F(NEEDED, cuLinkComplete, cuLinkComplete, (CUlinkState state, void **cubin, size_t *size))                                             \
    F(NEEDED, cuLinkDestroy, cuLinkDestroy, (CUlinkState state))                                                                           \
    F(NEEDED, cuLaunchKernel, cuLaunchKernel,                                                                                              \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,       \
       unsigned shared, CUstream stream, void **arguments, void **extra))                                                                  \
    F(NEEDED, cuLaunchCooperativeKernel, cuLaunchCooperativeKernel,                                                                        \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,       \
       unsigned shared, CUstream stream, void **arguments))                                                                                \
    F(NEEDED, cuLaunchHostFunc, cuLaunchHostFunc, (CUstream stream, void (*function)(void *), void *data))                                 \
    F(NEEDED, cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                    \
      (int *blocks, CUfunction function, int block_size, size_t shared))                                                                   \
    F(NEEDED, cuStreamCreateWithPriority, cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))                   \
    F(NEEDED, cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream))                                                                      \
    F(NEEDED, cuStreamSynchronize, cuStreamSynchronize, (CUstream stream))                                                                 \
    F(NEEDED, cuStreamQuery, cuStreamQuery, (CUstream stream))                                                                             \
    F(OPTIONAL, cuStreamGetCtx, cuStreamGetCtx, (CUstream stream, CUcontext * context))                                                    \
    F(NEEDED, cuStreamGetFlags, cuStreamGetFlags, (CUstream stream, unsigned *flags))                                                      \
    F(NEEDED, cuStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                                      \
    F(OPTIONAL, cuStreamWaitValue32, cuStreamWaitValue32_v2, (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags))       \
    F(OPTIONAL, cuStreamWaitValue64, cuStreamWaitValue64_v2, (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags))       \
    F(OPTIONAL, cuStreamWriteValue32, cuStreamWriteValue32_v2, (CUstream stream, CUdeviceptr address, uint32_t value, unsigned flags))     \
    F(OPTIONAL, cuStreamWriteValue64, cuStreamWriteValue64_v2, (CUstream stream, CUdeviceptr address, uint64_t value, unsigned flags))     \
    F(NEEDED, cuEventCreate, cuEventCreate, (CUevent * event, unsigned flags))                                                             \
    F(NEEDED, cuEventDestroy, cuEventDestroy_v2, (CUevent event))                                                                          \
    F(NEEDED, cuEventRecord, cuEventRecord, (CUevent event, CUstream stream))                                                              \
    F(NEEDED, cuEventQuery, cuEventQuery, (CUevent event))                                                                                 \
    F(NEEDED, cuEventSynchronize, cuEventSynchronize, (CUevent event))                                                                     \
    F(NEEDED, cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent stop))

/* The driver's functions. Those that it does not have are NULL; the needed ones are always there. */
struct wl_cuda_driver {
/* NOLINTBEGIN(bugprone-macro-parentheses): a declaration */
#define WL_CUDA_MEMBER(need, name, symbol, parameters) CUresult(*name) parameters;
    WL_CUDA_FUNCTIONS(WL_CUDA_MEMBER)
#undef WL_CUDA_MEMBER
    /* NOLINTEND(bugprone-macro-parentheses) */
    int version; /* 12040 is CUDA 12.4 */
};

/* Opens and starts the driver at the first call: libcuda.so.1, or what WAVELIFT_CUDA_LIBRARY names. WL_NOT_FOUND with the reason:
 * there is none, or it does not work. It is never closed. Thread-safe. */
enum wl_status wl_cuda_driver(const struct wl_cuda_driver **driver);

/* Whether this process is a child of fork whose parent had opened the driver: no call of the driver may be made here, as its threads
 * and locks are the parent's. */
bool wl_cuda_forked(void);

/* The status that stands for a driver's error, without recording anything. */
enum wl_status wl_cuda_status(CUresult result);
/* WL_OK, or the status of `result` with a sentence: what failed ("cuMemAlloc of 4096 bytes"), the error's name and text. */
__attribute__((format(printf, 2, 3))) enum wl_status wl_cuda_check(CUresult result, const char *what, ...);

#endif
