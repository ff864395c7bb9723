/* driver.h against CUDA's own header: constants, sizes, and the type of each function. cuda.h first: driver.h then declares the
 * table of functions alone. */
#include <cuda.h>

#include "device/cuda/driver.h"

#include <stdio.h>

extern const intptr_t our_constants[], cuda_constants[];

#define C(name) #name,
static const char *const names[] = {
#include "abi_names.inc"
};

/* Pointers to structures, handles and enums are passed alike whatever they are called; what counts is the size of each parameter
 * and of the result, which compatible types imply. Functions that cuda.h has under newer versions only are left out. */
#define SAME(name, symbol) {#symbol, __builtin_types_compatible_p(__typeof__(((struct wl_cuda_driver *)0)->name), __typeof__(&symbol))}

int main(void) {
    static const struct {
        const char *name;
        int same;
    } functions[] = {
        SAME(cuInit, cuInit),
        SAME(cuDeviceGetName, cuDeviceGetName),
        SAME(cuDeviceGetUuid, cuDeviceGetUuid_v2),
        SAME(cuDeviceTotalMem, cuDeviceTotalMem_v2),
        SAME(cuDeviceGetAttribute, cuDeviceGetAttribute),
        SAME(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain),
        SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2),
        SAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2),
        SAME(cuCtxSetCurrent, cuCtxSetCurrent),
        SAME(cuCtxSynchronize, cuCtxSynchronize),
        SAME(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer),
        SAME(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess),
        SAME(cuMemGetInfo, cuMemGetInfo_v2),
        SAME(cuMemAlloc, cuMemAlloc_v2),
        SAME(cuMemFree, cuMemFree_v2),
        SAME(cuMemAllocManaged, cuMemAllocManaged),
        SAME(cuMemHostAlloc, cuMemHostAlloc),
        SAME(cuMemHostRegister, cuMemHostRegister_v2),
        SAME(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2),
        SAME(cuMemGetAddressRange, cuMemGetAddressRange_v2),
        SAME(cuIpcGetMemHandle, cuIpcGetMemHandle),
        SAME(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2),
        SAME(cuMemGetAllocationGranularity, cuMemGetAllocationGranularity),
        SAME(cuMemCreate, cuMemCreate),
        SAME(cuMemRelease, cuMemRelease),
        SAME(cuMemExportToShareableHandle, cuMemExportToShareableHandle),
        SAME(cuMemImportFromShareableHandle, cuMemImportFromShareableHandle),
        SAME(cuMemAddressReserve, cuMemAddressReserve),
        SAME(cuMemAddressFree, cuMemAddressFree),
        SAME(cuMemMap, cuMemMap),
        SAME(cuMemUnmap, cuMemUnmap),
        SAME(cuMemSetAccess, cuMemSetAccess),
        SAME(cuMemPoolCreate, cuMemPoolCreate),
        SAME(cuMemPoolExportToShareableHandle, cuMemPoolExportToShareableHandle),
        SAME(cuMemPoolImportFromShareableHandle, cuMemPoolImportFromShareableHandle),
        SAME(cuMemPoolExportPointer, cuMemPoolExportPointer),
        SAME(cuMemPoolImportPointer, cuMemPoolImportPointer),
        SAME(cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync),
        SAME(cuMemAllocAsync, cuMemAllocAsync),
        SAME(cuMemFreeAsync, cuMemFreeAsync),
        SAME(cuImportExternalMemory, cuImportExternalMemory),
        SAME(cuExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer),
        SAME(cuDestroyExternalMemory, cuDestroyExternalMemory),
        SAME(cuMemcpy, cuMemcpy),
        SAME(cuMemcpyAsync, cuMemcpyAsync),
        SAME(cuMemcpy2DAsync, cuMemcpy2DAsync_v2),
        SAME(cuMemsetD8Async, cuMemsetD8Async),
        SAME(cuMemsetD16Async, cuMemsetD16Async),
        SAME(cuMemsetD32Async, cuMemsetD32Async),
        SAME(cuModuleLoadDataEx, cuModuleLoadDataEx),
        SAME(cuModuleGetFunction, cuModuleGetFunction),
        SAME(cuModuleGetGlobal, cuModuleGetGlobal_v2),
        SAME(cuFuncGetParamInfo, cuFuncGetParamInfo),
        SAME(cuFuncGetAttribute, cuFuncGetAttribute),
        SAME(cuFuncSetAttribute, cuFuncSetAttribute),
        SAME(cuLinkCreate, cuLinkCreate_v2),
        SAME(cuLinkAddData, cuLinkAddData_v2),
        SAME(cuLinkComplete, cuLinkComplete),
        SAME(cuLaunchKernel, cuLaunchKernel),
        SAME(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel),
        SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor),
        SAME(cuStreamCreateWithPriority, cuStreamCreateWithPriority),
        SAME(cuStreamGetCtx, cuStreamGetCtx),
        SAME(cuStreamGetFlags, cuStreamGetFlags),
        SAME(cuStreamWaitEvent, cuStreamWaitEvent),
        SAME(cuStreamWaitValue32, cuStreamWaitValue32_v2),
        SAME(cuStreamWaitValue64, cuStreamWaitValue64_v2),
        SAME(cuStreamWriteValue32, cuStreamWriteValue32_v2),
        SAME(cuStreamWriteValue64, cuStreamWriteValue64_v2),
        SAME(cuEventCreate, cuEventCreate),
        SAME(cuEventRecord, cuEventRecord),
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (our_constants[i] != cuda_constants[i]) {
            printf("%s is %jd, not %jd\n", names[i], (intmax_t)cuda_constants[i], (intmax_t)our_constants[i]);
            wrong++;
        }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!functions[i].same) {
            printf("%s has another type\n", functions[i].name);
            wrong++;
        }
    printf("%zu constants and %zu functions compared, %d differ\n", sizeof names / sizeof *names, sizeof functions / sizeof *functions,
           wrong);
    return wrong != 0;
}
