/* Modules, libraries, launches, functions' attributes, occupancy, and what compilers emit calls to (HIP reference, "Module
 * management", "Execution control", "Occupancy"). Included by hip_runtime_api.h; never alone. */
#ifndef HIP_INCLUDE_HIP_HIP_MODULE_H
#define HIP_INCLUDE_HIP_HIP_MODULE_H

/* ---- Module management -----------------------------------------------------------------------
 * A module is a code object on the device that was current when it was loaded. It lives until hipModuleUnload, beyond
 * hipDeviceReset. hipErrorInvalidHandle: the module is NULL; hipErrorNotFound: it is not loaded, or was unloaded; hipErrorInvalidValue:
 * NULL or an empty name. */

/* Loads a file: an AMDGPU ELF, an offload bundle, compressed or not, or a host program with a bundle in it. Of several entries
 * the presented architecture's is taken, else the best. The file is needed no more afterwards. hipErrorFileNotFound: it cannot be
 * read; hipErrorInvalidImage: it is none of these, or damaged; hipErrorNoBinaryForGpu: it has no code that can run here;
 * hipErrorOutOfMemory. */
hipError_t hipModuleLoad(hipModule_t *module, const char *fileName);
/* The same from memory, which is needed no more afterwards. When the current device is an NVIDIA GPU, PTX, cubin and CUDA fat binaries
 * are loaded as they are, here and from files (docs/NVIDIA.md); on other devices they are hipErrorNoBinaryForGpu. */
hipError_t hipModuleLoadData(hipModule_t *module, const void *image);
/* The options are for images that are compiled when they are loaded: on NVIDIA GPUs those of PTX reach the driver, which writes logs
 * and sizes to where they say. Else they are ignored. hipErrorInvalidValue: an option that the driver does not have. */
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions, hipJitOption *options, void **optionValues);
/* hipModuleLoadData. */
hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin);
/* Waits for what is queued on the module's device and unloads it; its functions and variables are gone. */
hipError_t hipModuleUnload(hipModule_t module);
/* A kernel by its symbol; the same handle each time, which lives as long as the module. hipErrorNotFound: no such kernel. */
hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name);
/* The number of kernels. */
hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t module);
/* Address and bytes of a variable, of a managed one of its managed memory. One of `ptr` and `size` may be NULL.
 * hipErrorNotFound: no such variable. */
hipError_t hipModuleGetGlobal(hipDeviceptr_t *ptr, size_t *size, hipModule_t module, const char *name);
/* The texture reference of this name, for the hipTexRef* functions. hipErrorNotFound: the module has no variable of this name;
 * hipErrorInvalidTexture: it is no texture reference. */
hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t module, const char *name);

/* Linking LLVM bitcode, plain or bundled (hipcc -fgpu-rdc), to one code object for the current device's architecture; the compiler
 * that include/hip/hiprtc.h describes does it. Calls for one state must not overlap. hipErrorInvalidValue: NULL, no link state, or
 * what is no bitcode; hipErrorFileNotFound; hipErrorSharedObjectInitFailed: it cannot be linked (WAVELIFT_LOG=1 says why);
 * hipErrorOutOfMemory. Options: hipJitOptionIRtoISAOptExt and its count reach the compiler; others are ignored. */
hipError_t hipLinkCreate(unsigned int numOptions, hipJitOption *options, void **optionValues, hipLinkState_t *state);
/* `data` is copied; `name` is for messages. */
hipError_t hipLinkAddData(hipLinkState_t state, hipJitInputType type, void *data, size_t size, const char *name, unsigned int numOptions,
                          hipJitOption *options, void **optionValues);
hipError_t hipLinkAddFile(hipLinkState_t state, hipJitInputType type, const char *path, unsigned int numOptions, hipJitOption *options,
                          void **optionValues);
/* *binary, for hipModuleLoadData, belongs to the state. */
hipError_t hipLinkComplete(hipLinkState_t state, void **binary, size_t *size);
hipError_t hipLinkDestroy(hipLinkState_t state);

/* ---- Launches --------------------------------------------------------------------------------
 * A kernel is made ready (translated, if need be) before the call returns, and runs in stream order. All functions copy the
 * arguments, and return
 *   hipErrorInvalidHandle             not a function; for multi-device launches also the null stream
 *   hipErrorInvalidValue              not a stream or event; both or none of `kernelParams` and `extra` where the kernel has
 *                                     arguments; a size of 0; a block larger than the device's; hipModuleLaunchKernel: a grid
 *                                     larger than the device's; more dynamic LDS than a block may have (hipLaunchCooperativeKernel:
 *                                     hipErrorCooperativeLaunchTooLarge); a partial block of a kernel that was compiled for full ones;
 *                                     unknown flags
 *   hipErrorContextIsDestroyed        hipLaunchCooperativeKernel: not a stream
 *   hipErrorInvalidConfiguration      2^32 or more work items in a dimension; hipLaunchCooperativeKernel: a block larger than the device's
 *   hipErrorLaunchFailure             a block larger than the kernel was compiled for
 *   hipErrorLaunchOutOfResources      static and dynamic LDS together are more than a block may have
 *   hipErrorCooperativeLaunchTooLarge more blocks than can be resident at once
 *   hipErrorInvalidDeviceFunction     an address that is not a registered host stub
 *   hipErrorNotSupported              the kernel, or what it calls by address, has an instruction that cannot be translated; nothing runs.
 *                                     If it is in a function that is called through a pointer, the kernel fails there, as by a fault
 *
 * The grid is counted in blocks. Arguments: `kernelParams`, one pointer each; or `extra`, the ready argument buffer, of which the
 * kernel's arguments are read whatever size `extra` tells. */
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                 unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                                 hipStream_t stream, void **kernelParams, void **extra);
/* All blocks are resident at once and may synchronize with each other. */
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
/* With events that are recorded before and after the kernel, or NULL, and hipExtAnyOrderLaunch or 0 for `flags`. */
hipError_t hipExtLaunchKernel(const void *function, dim3 numBlocks, dim3 dimBlocks, void **args, size_t sharedMemBytes, hipStream_t stream,
                              hipEvent_t startEvent, hipEvent_t stopEvent, int flags);
/* All blocks are resident at once and may synchronize with each other. */
hipError_t hipLaunchCooperativeKernel(const void *function, dim3 gridDim, dim3 blockDim, void **kernelParams, unsigned int sharedMemBytes,
                                      hipStream_t stream);

/* With attributes: hipLaunchAttributeCooperative and hipLaunchAttributeClusterDimension are known, priorities are hints, others give
 * hipErrorInvalidValue. hipErrorInvalidClusterSize: clusters that the kernel's processor has not, of no or more than 16 workgroups, of
 * another size than the kernel was compiled for, or of which the grid is no whole number. */
hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config, const void *function, void **args);
hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t function, void **params, void **extra);

/* One grid on each of several devices: entry i of the list goes to the device of its stream, which is no null stream
 * (hipErrorInvalidHandle); no device comes twice (hipErrorInvalidDevice). Kernels and sizes may differ. Cooperative: the grids
 * synchronize with each other; unless `flags` say otherwise they start after all earlier work of all the streams, and later work
 * waits for all of them. If a grid fails, so do the others. Extended: on none of the streams another thread's work comes between. Either all grids are queued or, with an error, none. */
hipError_t hipLaunchCooperativeKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices, unsigned int flags);
hipError_t hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams *launchParamsList, unsigned int numDevices,
                                                       unsigned int flags);
hipError_t hipExtLaunchMultiKernelMultiDevice(hipLaunchParams *launchParamsList, int numDevices, unsigned int flags);

/* The older way, for the calling thread: configure a launch, one call for each argument (`size` bytes at `offset` of the argument
 * buffer, 4096 bytes in all), launch. Configurations nest, in one stack with those of <<<>>>; a launch uses the latest one up.
 * hipErrorMissingConfiguration: nothing is configured. */
hipError_t hipConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem WL_DEFAULT(0), hipStream_t stream WL_DEFAULT(0));
hipError_t hipSetupArgument(const void *arg, size_t size, size_t offset);
hipError_t hipLaunchByPtr(const void *function);

/* ---- Libraries -------------------------------------------------------------------------------
 * A code object for all devices. hipErrorInvalidHandle: not a library or a kernel of one; hipErrorNotFound: no kernel of that name;
 * hipErrorInvalidValue: NULL results and empty names. */

/* Selects the image's entry, as hipModuleLoadData does; each device loads it at its first use. JIT options are ignored. The image
 * is copied unless the option hipLibraryBinaryIsPreserved says that the caller keeps it. Errors of hipModuleLoad. */
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
/* The number of kernels. */
hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library);
/* At most `numKernels` handles, in the order of the kernels' names. */
hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels, hipLibrary_t library);
/* The library that a kernel belongs to. */
hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel);
/* The name lives as long as the library. */
hipError_t hipKernelGetName(const char **name, hipKernel_t kernel);
/* The kernel on the current device. */
hipError_t hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel);
/* Offset and size, in bytes, of an argument; `paramSize` may be NULL. hipErrorInvalidValue: there are
 * not so many. */
hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize);
/* hipFuncGetAttribute and hipFuncSetAttribute for the kernel on a device; hipErrorInvalidDevice. */
hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute attribute, hipKernel_t kernel, hipDevice_t device);
hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, hipKernel_t kernel, hipDevice_t device);

/* ---- Attributes of functions -----------------------------------------------------------------
 * From the code object's metadata. hipErrorInvalidDeviceFunction: not a host stub or a hipFunction_t (or hipKernel_t); for
 * hipFuncGetAttribute: not a hipFunction_t. */

/* Bytes of static LDS and of private memory a lane, VGPRs, work items of a block. hipErrorInvalidValue: NULL. */
hipError_t hipFuncGetAttributes(struct hipFuncAttributes *attributes, const void *function);
/* One of them. hipErrorInvalidValue: NULL, or no such attribute. */
hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function);
/* The most dynamic LDS, in bytes, and the carveout, -1 to 100 percent: remembered, not enforced. hipErrorInvalidValue: another
 * attribute, or more than there is. */
hipError_t hipFuncSetAttribute(const void *function, hipFuncAttribute attribute, int value);
/* Hints, which are checked and ignored. hipErrorInvalidValue: none of the enumeration. */
hipError_t hipFuncSetCacheConfig(const void *function, hipFuncCache_t config);
hipError_t hipFuncSetSharedMemConfig(const void *function, hipSharedMemConfig config);
/* The function behind a host stub on the current device; it lives as long as the program's code. */
hipError_t hipGetFuncBySymbol(hipFunction_t *function, const void *symbol);
/* The symbol of a kernel; NULL if there is no such function. Lives as long as the function. */
const char *hipKernelNameRef(const hipFunction_t function);
const char *hipKernelNameRefByPtr(const void *hostFunction, hipStream_t stream);

/* ---- Occupancy -------------------------------------------------------------------------------
 * A compute unit holds 2048 work items and 64 KiB of LDS at once, as on the GPUs that it stands for. hipErrorInvalidValue: NULL, a
 * size that is not positive, or unknown flags; hipErrorInvalidDeviceFunction. */

/* Blocks of `blockSize` work items with `dynamicSharedMem` bytes that a compute unit holds; 0: the block cannot run. */
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *function, int blockSize, size_t dynamicSharedMem);
/* `flags`: hipOccupancyDefault or hipOccupancyDisableCachingOverride, which change nothing. */
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *function, int blockSize,
                                                                 size_t dynamicSharedMem, unsigned int flags);
/* The block size, at most `blockSizeLimit` if that is above 0, with the most work items at once, and the grid that fills the
 * device with such blocks. */
hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function, size_t dynamicSharedMem,
                                             int blockSizeLimit);
/* The dynamic LDS, in bytes, that each of `numBlocks` blocks on a compute unit can have; hipErrorInvalidValue if so many do not fit. */
hipError_t hipOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *function, int numBlocks, int blockSize);
/* The same questions about functions of modules. */
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, hipFunction_t function, int blockSize,
                                                              size_t dynamicSharedMem);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, hipFunction_t function, int blockSize,
                                                                       size_t dynamicSharedMem, unsigned int flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicSharedMem,
                                                   int blockSizeLimit);
hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize, hipFunction_t function, size_t dynamicSharedMem,
                                                            int blockSizeLimit, unsigned int flags);

/* ---- What compilers emit calls to ------------------------------------------------------------
 * A program's constructors register its fat binary and what is in it; nothing is read before the first use. */

/* `wrapper`: 24 bytes, "HIPF", version 1, the binary's address. Wrapper and binary stay until they are unregistered. Never NULL. */
void **__hipRegisterFatBinary(const void *wrapper);
/* Waits for all work, unloads the binary's modules and forgets its symbols (at exit, at dlclose). NULL is accepted. */
void __hipUnregisterFatBinary(void **handle);
/* A kernel: its host stub and its name, which stays until the binary is unregistered; the other arguments have no effect. */
void __hipRegisterFunction(void **handle, const void *hostFunction, char *deviceFunction, const char *deviceName, unsigned int threadLimit,
                           void *tid, void *bid, dim3 *blockDim, dim3 *gridDim, int *wSize);
/* A variable: its shadow on the host, its name and its bytes. */
void __hipRegisterVar(void **handle, void *hostVar, char *deviceVar, const char *deviceName, int external, size_t size, int constant,
                      int global);
/* A managed variable: allocates it, copies `init`, stores the address in `*pointer`. */
void __hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name, size_t size, unsigned align);
/* A texture or surface reference: a variable, which binding fills. */
void __hipRegisterTexture(void **handle, void *hostVar, char *hostName, char *deviceName, int type, int normalized, int external);
void __hipRegisterSurface(void **handle, void *hostVar, char *hostName, char *deviceName, int type, int external);
/* The configuration of the launch that follows in this thread; 64 may be pushed at once (hipErrorOutOfMemory).
 * hipErrorMissingConfiguration: none was pushed. */
hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem WL_DEFAULT(0), hipStream_t stream WL_DEFAULT(0));
hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, hipStream_t *stream);

#endif
