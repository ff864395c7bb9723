/* HIP reference: Device management, properties and attributes, in both layouts. */
#include "api/api.h"

#include "machine/image.h"
#include "runtime/context.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define WALL_CLOCK_KHZ 100000 /* s_memrealtime, wall_clock64() */
#define ITEMS_PER_UNIT 2048

static uint32_t or (uint32_t value, uint32_t fallback) { return value ? value : fallback; }

static int clip(uint64_t value) { return value > INT_MAX ? INT_MAX : (int)value; }

/* ---- the newer layout ------------------------------------------------------------------------ */

static void fill_limits(const struct wl_context *context, hipDeviceProp_tR0600 *properties) {
    const struct wl_device_info *info = &context->info;
    const uint32_t lds = wl_context_lds(context), usual = wl_processor_find(wl_runtime_target()->processor)->lds_bytes;
    for (int i = 0; i < 3; i++) {
        properties->maxThreadsDim[i] = clip(info->max_block[i]);
        properties->maxGridSize[i] = clip(info->max_grid[i]);
    }
    properties->totalGlobalMem = info->memory_size;
    properties->sharedMemPerBlock = lds < usual ? lds : usual; /* what a device has beyond it is opted in to */
    properties->sharedMemPerBlockOptin = lds;
    properties->sharedMemPerMultiprocessor = or (info->lds_per_unit, lds);
    properties->maxSharedMemoryPerMultiProcessor = or (info->lds_per_unit, lds);
    properties->regsPerBlock = clip(info->registers);
    properties->regsPerMultiprocessor = clip(or (info->registers_per_unit, info->registers));
    properties->maxThreadsPerBlock = clip(info->max_workgroup_size);
    properties->maxThreadsPerMultiProcessor = clip(or (info->items_per_unit, ITEMS_PER_UNIT));
    properties->maxBlocksPerMultiProcessor = clip(or (info->groups_per_unit, ITEMS_PER_UNIT / 64));
    properties->memPitch = INT_MAX;
    properties->totalConstMem = INT_MAX;
    properties->textureAlignment = 256;
    properties->texturePitchAlignment = 256;
    properties->surfaceAlignment = 256;
}

/* What textures and surfaces may measure; nothing where there are no image instructions. */
static void fill_images(hipDeviceProp_tR0600 *properties) {
    enum { SIZE = WL_IMAGE_MAX_SIZE, SLICES = WL_IMAGE_MAX_SLICES };
    if (!wl_target_has(wl_runtime_target(), WL_HAS_IMAGES))
        return;
    properties->maxTexture1D = properties->maxTexture1DMipmap = properties->maxSurface1D = SIZE;
    properties->maxTexture1DLinear = INT_MAX;
    properties->maxTextureCubemap = properties->maxSurfaceCubemap = SIZE;
    for (int i = 0; i < 2; i++) {
        const int limit = i ? SLICES : SIZE;
        properties->maxTexture2D[i] = properties->maxTexture2DMipmap[i] = properties->maxTexture2DGather[i] = SIZE;
        properties->maxSurface2D[i] = SIZE;
        properties->maxTexture1DLayered[i] = properties->maxTextureCubemapLayered[i] = limit;
        properties->maxSurface1DLayered[i] = properties->maxSurfaceCubemapLayered[i] = limit;
    }
    for (int i = 0; i < 3; i++) {
        const int limit = i == 2 ? SLICES : SIZE;
        properties->maxTexture3D[i] = properties->maxTexture3DAlt[i] = properties->maxTexture2DLayered[i] = limit;
        properties->maxSurface3D[i] = properties->maxSurface2DLayered[i] = limit;
        properties->maxTexture2DLinear[i] = SIZE; /* the third is the pitch */
    }
}

static void fill_abilities(hipDeviceProp_tR0600 *properties) {
    properties->canMapHostMemory = 1;
    properties->concurrentKernels = 1;
    properties->asyncEngineCount = 1;
    properties->deviceOverlap = 1;
    properties->unifiedAddressing = 1;
    properties->managedMemory = 1;
    properties->hostNativeAtomicSupported = 1;
    properties->pageableMemoryAccess = 1;
    properties->pageableMemoryAccessUsesHostPageTables = 1;
    properties->concurrentManagedAccess = 1;
    properties->directManagedMemAccessFromHost = 1;
    properties->canUseHostPointerForRegisteredMem = 1;
    properties->cooperativeLaunch = 1;
    properties->clusterLaunch = wl_target_has(wl_runtime_target(), WL_HAS_CLUSTERS);
    properties->cooperativeMultiDeviceLaunch = 1;
    properties->hostRegisterSupported = 1;
    properties->hostRegisterReadOnlySupported = 1;
    properties->isLargeBar = 1;
    properties->streamPrioritiesSupported = 1;
    properties->memoryPoolsSupported = 1;
    properties->memoryPoolSupportedHandleTypes = hipMemHandleTypePosixFileDescriptor;
    properties->ipcEventSupported = 1;
    properties->globalL1CacheSupported = 1;
    properties->localL1CacheSupported = 1;
    properties->arch = (hipDeviceArch_t){
        .hasGlobalInt32Atomics = 1,
        .hasGlobalFloatAtomicExch = 1,
        .hasSharedInt32Atomics = 1,
        .hasSharedFloatAtomicExch = 1,
        .hasFloatAtomicAdd = 1,
        .hasGlobalInt64Atomics = 1,
        .hasSharedInt64Atomics = 1,
        .hasDoubles = 1,
        .hasWarpVote = 1,
        .hasWarpBallot = 1,
        .hasWarpShuffle = 1,
        .hasThreadFenceSystem = 1,
        .has3dGrid = 1,
    };
}

/* What is different on a device with memory of its own. */
static void fill_discrete(const struct wl_device_info *info, hipDeviceProp_tR0600 *properties) {
    if (!info->discrete)
        return;
    properties->major = (int)info->compute_major;
    properties->minor = (int)info->compute_minor;
    properties->singleToDoublePrecisionPerfRatio = clip(or (info->double_ratio, 2));
    properties->asyncEngineCount = clip(or (info->copy_engines, 1));
    properties->isLargeBar = 0;
    properties->ECCEnabled = info->ecc;
    properties->kernelExecTimeoutEnabled = info->display;
    properties->managedMemory = info->managed;
    properties->concurrentManagedAccess = info->concurrent_managed;
    properties->pageableMemoryAccess = info->pageable_access;
    properties->pageableMemoryAccessUsesHostPageTables = info->host_page_tables;
    properties->directManagedMemAccessFromHost = info->direct_managed;
    properties->hostNativeAtomicSupported = info->host_atomics;
    properties->cooperativeLaunch = info->cooperative;
    properties->cooperativeMultiDeviceLaunch = info->cooperative;
}

void wl_api_properties(const struct wl_context *context, hipDeviceProp_tR0600 *properties) {
    const struct wl_device_info *info = &context->info;
    const struct wl_target *target = wl_runtime_target();
    memset(properties, 0, sizeof *properties);
    snprintf(properties->name, sizeof properties->name, "%s", info->name);
    memcpy(properties->uuid.bytes, info->uuid, sizeof properties->uuid.bytes);
    wl_target_format(target, properties->gcnArchName, sizeof properties->gcnArchName);
    properties->major = (int)target->major;
    properties->minor = (int)target->minor;
    properties->warpSize = (int)wl_runtime_wave_size();
    properties->multiProcessorCount = clip(info->compute_units);
    properties->clockRate = clip(info->clock_khz);
    properties->memoryClockRate = clip(info->memory_clock_khz);
    properties->memoryBusWidth = clip(info->memory_bus_bits);
    properties->l2CacheSize = clip(info->l2_size);
    properties->clockInstructionRate = WALL_CLOCK_KHZ;
    properties->singleToDoublePrecisionPerfRatio = 2;
    properties->pciDomainID = info->pci_domain;
    properties->pciBusID = info->pci_bus;
    properties->pciDeviceID = info->pci_device;
    fill_limits(context, properties);
    fill_abilities(properties);
    fill_images(properties);
    fill_discrete(info, properties);
}

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int deviceId) {
    API_REQUIRE(properties != NULL, hipErrorInvalidValue);
    struct wl_context *context = deviceId < 0 ? NULL : wl_context_at((unsigned)deviceId);
    API_REQUIRE(context != NULL, hipErrorInvalidDevice);
    wl_api_properties(context, properties);
    API_SUCCESS();
}

/* ---- the older layout ------------------------------------------------------------------------ */

#define SAME(field) memcpy(&older->field, &newer.field, sizeof older->field)

static void fill_older(const struct wl_context *context, hipDeviceProp_tR0000 *older) {
    hipDeviceProp_tR0600 newer;
    const struct wl_target *target = wl_runtime_target();
    wl_api_properties(context, &newer);
    memset(older, 0, sizeof *older);
    SAME(name), SAME(totalGlobalMem), SAME(sharedMemPerBlock), SAME(regsPerBlock), SAME(warpSize);
    SAME(maxThreadsPerBlock), SAME(maxThreadsDim), SAME(maxGridSize), SAME(clockRate), SAME(memoryClockRate);
    SAME(memoryBusWidth), SAME(totalConstMem), SAME(major), SAME(minor), SAME(multiProcessorCount), SAME(l2CacheSize);
    SAME(maxThreadsPerMultiProcessor), SAME(computeMode), SAME(clockInstructionRate), SAME(arch);
    SAME(concurrentKernels), SAME(pciDomainID), SAME(pciBusID), SAME(pciDeviceID);
    SAME(maxSharedMemoryPerMultiProcessor), SAME(isMultiGpuBoard), SAME(canMapHostMemory), SAME(gcnArchName);
    SAME(integrated), SAME(cooperativeLaunch), SAME(cooperativeMultiDeviceLaunch), SAME(maxTexture1DLinear);
    SAME(maxTexture1D), SAME(maxTexture2D), SAME(maxTexture3D), SAME(memPitch), SAME(textureAlignment);
    SAME(texturePitchAlignment), SAME(kernelExecTimeoutEnabled), SAME(ECCEnabled), SAME(tccDriver);
    SAME(isLargeBar), SAME(asicRevision), SAME(managedMemory), SAME(directManagedMemAccessFromHost);
    SAME(concurrentManagedAccess), SAME(pageableMemoryAccess), SAME(pageableMemoryAccessUsesHostPageTables);
    older->gcnArch = (int)(target->major * 100 + target->minor * 10 + target->stepping);
}

#undef hipGetDeviceProperties
#undef hipChooseDevice
#define PUBLIC __attribute__((visibility("default"))) /* the header declares the newer names only */
PUBLIC hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int deviceId);
PUBLIC hipError_t hipChooseDevice(int *device, const hipDeviceProp_tR0000 *properties);

hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int deviceId) {
    API_REQUIRE(properties != NULL, hipErrorInvalidValue);
    struct wl_context *context = deviceId < 0 ? NULL : wl_context_at((unsigned)deviceId);
    API_REQUIRE(context != NULL, hipErrorInvalidDevice);
    fill_older(context, properties);
    API_SUCCESS();
}

/* The older layout by a name that says so. */
PUBLIC hipError_t hipGetDevicePropertiesR0000(hipDeviceProp_tR0000 *properties, int deviceId)
    __attribute__((alias("hipGetDeviceProperties")));
PUBLIC hipError_t hipChooseDeviceR0000(int *device, const hipDeviceProp_tR0000 *properties) __attribute__((alias("hipChooseDevice")));

/* What is compared, if the program asks for it with something else than 0: the device has to have at least as much. The device that
 * meets all wishes is taken, the first of several; if none does, device 0. */
#define WISHES(wanted, has)                                                                                                                \
    WISH(wanted, has, major)                                                                                                               \
    WISH(wanted, has, minor)                                                                                                               \
    WISH(wanted, has, totalGlobalMem)                                                                                                      \
    WISH(wanted, has, sharedMemPerBlock)                                                                                                   \
    WISH(wanted, has, maxThreadsPerBlock)                                                                                                  \
    WISH(wanted, has, totalConstMem)                                                                                                       \
    WISH(wanted, has, multiProcessorCount)                                                                                                 \
    WISH(wanted, has, maxThreadsPerMultiProcessor)                                                                                         \
    WISH(wanted, has, memoryClockRate)                                                                                                     \
    WISH(wanted, has, memoryBusWidth)                                                                                                      \
    WISH(wanted, has, l2CacheSize)                                                                                                         \
    WISH(wanted, has, regsPerBlock)                                                                                                        \
    WISH(wanted, has, maxSharedMemoryPerMultiProcessor)                                                                                    \
    WISH(wanted, has, warpSize)
#define WISH(wanted, has, field) &&((wanted)->field == 0 || (has)->field >= (wanted)->field)

hipError_t hipChooseDevice(int *device, const hipDeviceProp_tR0000 *properties) {
    API_REQUIRE(device != NULL && properties != NULL, hipErrorInvalidValue);
    *device = 0;
    for (unsigned i = 0; i < wl_context_count(); i++) {
        hipDeviceProp_tR0000 has;
        fill_older(wl_context_at(i), &has);
        if (true WISHES(properties, &has)) {
            *device = (int)i;
            break;
        }
    }
    API_SUCCESS();
}

hipError_t hipChooseDeviceR0600(int *device, const hipDeviceProp_tR0600 *properties) {
    API_REQUIRE(device != NULL && properties != NULL, hipErrorInvalidValue);
    *device = 0;
    for (unsigned i = 0; i < wl_context_count(); i++) {
        hipDeviceProp_tR0600 has;
        wl_api_properties(wl_context_at(i), &has);
        if (true WISHES(properties, &has)) {
            *device = (int)i;
            break;
        }
    }
    API_SUCCESS();
}

/* ---- attributes ------------------------------------------------------------------------------ */

struct attribute {
    unsigned id;
    uint16_t offset; /* in hipDeviceProp_tR0600 */
    bool wide;       /* size_t there; else int */
};

#define INT(id, field)  {hipDeviceAttribute##id, offsetof(hipDeviceProp_tR0600, field), false}
#define WIDE(id, field) {hipDeviceAttribute##id, offsetof(hipDeviceProp_tR0600, field), true}
static const struct attribute attributes[] = {
    INT(EccEnabled, ECCEnabled),
    INT(AccessPolicyMaxWindowSize, accessPolicyMaxWindowSize),
    INT(AsyncEngineCount, asyncEngineCount),
    INT(CanMapHostMemory, canMapHostMemory),
    INT(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    INT(ClockRate, clockRate),
    INT(ComputeMode, computeMode),
    INT(ComputePreemptionSupported, computePreemptionSupported),
    INT(ConcurrentKernels, concurrentKernels),
    INT(ConcurrentManagedAccess, concurrentManagedAccess),
    INT(CooperativeLaunch, cooperativeLaunch),
    INT(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    INT(DeviceOverlap, deviceOverlap),
    INT(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    INT(GlobalL1CacheSupported, globalL1CacheSupported),
    INT(HostNativeAtomicSupported, hostNativeAtomicSupported),
    INT(Integrated, integrated),
    INT(IsMultiGpuBoard, isMultiGpuBoard),
    INT(KernelExecTimeout, kernelExecTimeoutEnabled),
    INT(L2CacheSize, l2CacheSize),
    INT(LocalL1CacheSupported, localL1CacheSupported),
    INT(LuidDeviceNodeMask, luidDeviceNodeMask),
    INT(ComputeCapabilityMajor, major),
    INT(ManagedMemory, managedMemory),
    INT(MaxBlocksPerMultiProcessor, maxBlocksPerMultiProcessor),
    INT(MaxBlockDimX, maxThreadsDim[0]),
    INT(MaxBlockDimY, maxThreadsDim[1]),
    INT(MaxBlockDimZ, maxThreadsDim[2]),
    INT(MaxGridDimX, maxGridSize[0]),
    INT(MaxGridDimY, maxGridSize[1]),
    INT(MaxGridDimZ, maxGridSize[2]),
    INT(MaxSurface1D, maxSurface1D),
    INT(MaxSurface1DLayered, maxSurface1DLayered),
    INT(MaxSurface2D, maxSurface2D),
    INT(MaxSurface2DLayered, maxSurface2DLayered),
    INT(MaxSurface3D, maxSurface3D),
    INT(MaxSurfaceCubemap, maxSurfaceCubemap),
    INT(MaxSurfaceCubemapLayered, maxSurfaceCubemapLayered),
    INT(MaxTexture1DWidth, maxTexture1D),
    INT(MaxTexture1DLayered, maxTexture1DLayered),
    INT(MaxTexture1DLinear, maxTexture1DLinear),
    INT(MaxTexture1DMipmap, maxTexture1DMipmap),
    INT(MaxTexture2DWidth, maxTexture2D[0]),
    INT(MaxTexture2DHeight, maxTexture2D[1]),
    INT(MaxTexture2DGather, maxTexture2DGather),
    INT(MaxTexture2DLayered, maxTexture2DLayered),
    INT(MaxTexture2DLinear, maxTexture2DLinear),
    INT(MaxTexture2DMipmap, maxTexture2DMipmap),
    INT(MaxTexture3DWidth, maxTexture3D[0]),
    INT(MaxTexture3DHeight, maxTexture3D[1]),
    INT(MaxTexture3DDepth, maxTexture3D[2]),
    INT(MaxTexture3DAlt, maxTexture3DAlt),
    INT(MaxTextureCubemap, maxTextureCubemap),
    INT(MaxTextureCubemapLayered, maxTextureCubemapLayered),
    INT(MaxThreadsDim, maxThreadsDim[0]),
    INT(MaxThreadsPerBlock, maxThreadsPerBlock),
    INT(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    WIDE(MaxPitch, memPitch),
    INT(MemoryBusWidth, memoryBusWidth),
    INT(MemoryClockRate, memoryClockRate),
    INT(ComputeCapabilityMinor, minor),
    INT(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    INT(MultiprocessorCount, multiProcessorCount),
    INT(PageableMemoryAccess, pageableMemoryAccess),
    INT(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    INT(PciBusId, pciBusID),
    INT(PciDeviceId, pciDeviceID),
    INT(PciDomainId, pciDomainID),
    INT(PersistingL2CacheMaxSize, persistingL2CacheMaxSize),
    INT(MaxRegistersPerBlock, regsPerBlock),
    INT(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    WIDE(ReservedSharedMemPerBlock, reservedSharedMemPerBlock),
    WIDE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    WIDE(SharedMemPerBlockOptin, sharedMemPerBlockOptin),
    WIDE(SharedMemPerMultiprocessor, sharedMemPerMultiprocessor),
    INT(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    INT(StreamPrioritiesSupported, streamPrioritiesSupported),
    WIDE(SurfaceAlignment, surfaceAlignment),
    INT(TccDriver, tccDriver),
    WIDE(TextureAlignment, textureAlignment),
    WIDE(TexturePitchAlignment, texturePitchAlignment),
    WIDE(TotalConstantMemory, totalConstMem),
    WIDE(TotalGlobalMem, totalGlobalMem),
    INT(UnifiedAddressing, unifiedAddressing),
    INT(WarpSize, warpSize),
    INT(MemoryPoolsSupported, memoryPoolsSupported),
    INT(HostRegisterSupported, hostRegisterSupported),
    INT(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    INT(ClockInstructionRate, clockInstructionRate),
    WIDE(MaxSharedMemoryPerMultiprocessor, maxSharedMemoryPerMultiProcessor),
    INT(CooperativeMultiDeviceUnmatchedFunc, cooperativeMultiDeviceUnmatchedFunc),
    INT(CooperativeMultiDeviceUnmatchedGridDim, cooperativeMultiDeviceUnmatchedGridDim),
    INT(CooperativeMultiDeviceUnmatchedBlockDim, cooperativeMultiDeviceUnmatchedBlockDim),
    INT(CooperativeMultiDeviceUnmatchedSharedMem, cooperativeMultiDeviceUnmatchedSharedMem),
    INT(IsLargeBar, isLargeBar),
    INT(AsicRevision, asicRevision),
    INT(PhysicalMultiProcessorCount, multiProcessorCount),
    INT(WallClockRate, clockInstructionRate),
    INT(PciChipId, pciDeviceID),
};

/* Attributes that the properties do not have. */
static const struct {
    unsigned id;
    int value;
} constants[] = {
    {hipDeviceAttributeVirtualMemoryManagementSupported, 1},
    {hipDeviceAttributeHostNumaId, -1},
    {hipDeviceAttributeDmaBufSupported, 0},
    {hipDeviceAttributeGPUDirectRDMAWithHipVMMSupported, 0},
    {hipDeviceAttributeHandleTypeFabricSupported, 0},
    {hipDeviceAttributeCanUseStreamWaitValue, 1},
    {hipDeviceAttributeFineGrainSupport, 1},
    {hipDeviceAttributeNumberOfXccs, 1},
    {hipDeviceAttributeExpertSchedMode, 0},
    {hipDeviceAttributeMaxDynDataPrefetchRegions, 0},
};

static bool read_attribute(const hipDeviceProp_tR0600 *properties, unsigned id, int *value) {
    if (id == hipDeviceAttributeImageSupport) {
        *value = wl_target_has(wl_runtime_target(), WL_HAS_IMAGES);
        return true;
    }
    if (id == hipDeviceAttributeMaxAvailableVgprsPerThread) {
        *value = wl_target_has(wl_runtime_target(), WL_HAS_1024_VGPRS) ? 1024 : 512;
        return true;
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (constants[i].id == id) {
            *value = constants[i].value;
            return true;
        }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].id != id)
            continue;
        const char *field = (const char *)properties + attributes[i].offset;
        size_t wide = 0;
        memcpy(attributes[i].wide ? (void *)&wide : (void *)value, field, attributes[i].wide ? sizeof wide : sizeof *value);
        if (attributes[i].wide)
            *value = clip(wide);
        return true;
    }
    return false;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int deviceId) {
    API_REQUIRE(value != NULL, hipErrorInvalidValue);
    struct wl_context *context = deviceId < 0 ? NULL : wl_context_at((unsigned)deviceId);
    API_REQUIRE(context != NULL, hipErrorInvalidDevice);
    if (attribute == hipDeviceAttributeHdpMemFlushCntl || attribute == hipDeviceAttributeHdpRegFlushCntl) {
        memset(value, 0, sizeof(unsigned *)); /* a pointer, for which the caller has room: there are no such registers */
        API_SUCCESS();
    }
    hipDeviceProp_tR0600 properties;
    wl_api_properties(context, &properties);
    API_REQUIRE(read_attribute(&properties, (unsigned)attribute, value), hipErrorInvalidValue);
    API_SUCCESS();
}
