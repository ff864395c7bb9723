/* Memory management, managed memory, arrays and copies (HIP reference, "Memory Management" and "Managed Memory"). Included by
 * hip_runtime_api.h, whose opening comment says what holds for every function.
 *
 * Sizes and pitches are bytes unless it says elements. Whoever allocates frees, with the function named here. Functions
 * without "Async" in their name have finished when they return; the others are done in the order of their stream.
 *
 * Which device memory belongs to matters only for hipMemGetInfo and for the questions about pointers: every kernel and the
 * host can reach all of it. */
#ifndef HIP_INCLUDE_HIP_HIP_MEMORY_H
#define HIP_INCLUDE_HIP_HIP_MEMORY_H

/* ---- Device memory --------------------------------------------------------------------------- */

/* Allocates memory of the current device, aligned to a page, not zeroed. A size of 0 gives NULL and hipSuccess.
 * hipErrorInvalidValue: no `ptr`. hipErrorOutOfMemory. Free with hipFree. */
hipError_t hipMalloc(void **ptr, size_t size);
/* The same; `flags`: one of hipDeviceMalloc*, or hipMallocSignalMemory, whose size must be 8 and which is the host's memory, for both
 * to access. All memory here is coherent, so the flags change no access; pointer attributes give them back. hipErrorInvalidValue: another
 * flag or size. */
hipError_t hipExtMallocWithFlags(void **ptr, size_t size, unsigned int flags);
/* Allocates `height` rows of at least `width` bytes. `pitch` receives the bytes from row to row. */
hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
/* The same for elements of 4, 8 or 16 bytes; hipErrorInvalidValue for other sizes, and for rows or heights of 0. */
hipError_t hipMemAllocPitch(hipDeviceptr_t *ptr, size_t *pitch, size_t width, size_t height, unsigned int elementSize);
/* Allocates extent.depth planes of extent.height rows of at least extent.width bytes, and describes them. */
hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent);
/* Waits for all queued work and frees what hipMalloc*, hipMemAllocPitch, hipMallocManaged, hipMallocAsync or the functions for pinned
 * memory gave. NULL is accepted. hipErrorInvalidValue: not the start of such an allocation. */
hipError_t hipFree(void *ptr);
/* Bytes of the current device's memory that can be allocated, and all of them. Either may be NULL. Where it is the host's memory a
 * device has three quarters of it. Taken off are what this and other processes of the user have allocated there, of whichever kind, and
 * what others use of the machine, the cgroup or the process's limit; less HIP_HIDDEN_FREE_MEM MiB. WAVELIFT_MEMORY=own counts this process alone. */
hipError_t hipMemGetInfo(size_t *free, size_t *total);

/* ---- Pinned host memory ------------------------------------------------------------------------ */

/* Allocates zeroed host memory that devices can use: any of hipHostMallocPortable, Mapped, WriteCombined, Uncached, NumaUser,
 * and one of Coherent and NonCoherent. The pages are placed by the calling thread's NUMA policy; what the other flags promise
 * always holds. hipErrorInvalidValue: Coherent and NonCoherent. Other flags are only remembered. Free with hipHostFree. */
hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags);
/* The same under the name that HIP 6.3 gave it. */
hipError_t hipExtHostAlloc(void **ptr, size_t size, unsigned int flags);
/* The same under CUDA's name: Portable, Mapped and WriteCombined only. */
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipMallocHost(void **ptr, size_t size);
hipError_t hipMemAllocHost(void **ptr, size_t size);
/* The same as hipFree. */
hipError_t hipHostFree(void *ptr);
hipError_t hipFreeHost(void *ptr);
/* Makes the program's own memory known as pinned. hipErrorInvalidValue: NULL, a size of 0, unknown flags, or addresses
 * without memory. Registering again what starts at the same address succeeds, and one hipHostUnregister ends it; a longer range takes
 * the place of the earlier one. hipErrorHostMemoryAlreadyRegistered: a part of the range is known otherwise. The program keeps the memory
 * until hipHostUnregister, which waits for queued work; hipErrorHostMemoryNotRegistered: no registered range starts there. */
hipError_t hipHostRegister(void *hostPtr, size_t size, unsigned int flags);
hipError_t hipHostUnregister(void *hostPtr);
/* The address that kernels use for memory that HIP knows: the same one. `flags` must be 0. hipErrorInvalidValue: other memory. */
hipError_t hipHostGetDevicePointer(void **devPtr, void *hostPtr, unsigned int flags);
/* The flags that pinned memory was allocated with; 0 for managed memory. hipErrorInvalidValue: other memory, also registered memory. */
hipError_t hipHostGetFlags(unsigned int *flags, void *hostPtr);

/* ---- What is at an address --------------------------------------------------------------------- */

/* Size of the allocation that holds `ptr`. hipErrorInvalidValue: none does. */
hipError_t hipMemPtrGetInfo(void *ptr, size_t *size);
/* Start and size of the allocation that holds `ptr`; either may be NULL. hipErrorNotFound: none does. */
hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t ptr);
/* Describes any address but NULL, which is hipErrorInvalidValue. One that nobody registered gives hipSuccess and
 * hipMemoryTypeUnregistered (in programs of HIP 5: hipErrorInvalidValue). */
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);
/* One attribute into `data`, in as many bytes as AMD's runtime writes: pointers; an unsigned char for SYNC_MEMOPS, IS_MANAGED and MAPPED;
 * 4 bytes for the others, RANGE_SIZE and BUFFER_ID too. MEMORY_TYPE calls managed memory the host's, and tells of a hipArray_t that it is
 * one; ACCESS_FLAGS are the flags of the allocation. hipErrorInvalidValue: NULL, nothing is known at `ptr`, or the host pointer of device
 * memory (`data` receives 0, NULL or hipInvalidDeviceId), or an unknown attribute. hipErrorNotSupported: CONTEXT, P2P_TOKENS,
 * IS_LEGACY_HIP_IPC_CAPABLE, ALLOWED_HANDLE_TYPES, IS_GPU_DIRECT_RDMA_CAPABLE, MEMPOOL_HANDLE. */
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
/* Several at once, each as above; what that would refuse is no error here. hipErrorInvalidValue: no attributes, or NULL. */
hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute *attributes, void **data, hipDeviceptr_t ptr);
/* HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, an unsigned int, can be set to 0 or 1; synchronous copies between two allocations that have it
 * wait, as do fills of one. hipErrorInvalidValue: another attribute or value, or NULL. hipErrorInvalidDevicePointer: nothing is known at `ptr`. */
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute, hipDeviceptr_t ptr);

/* ---- Managed memory ------------------------------------------------------------------------------ */

/* Allocates zeroed memory for host and devices. `flags`: hipMemAttachGlobal or hipMemAttachHost. The memory comes in pages of
 * 4 KiB. hipErrorInvalidValue: no `ptr`, a size of 0, other flags. hipErrorOutOfMemory. Free with hipFree. */
hipError_t hipMallocManaged(void **ptr, size_t size, unsigned int flags WL_DEFAULT(hipMemAttachGlobal));
/* Makes the pages of the range present, in stream order, and remembers `device` (hipCpuDeviceId: the host) as where they were
 * last prefetched to. The range lies in one managed allocation, or is ordinary memory of the program, for which nothing is
 * remembered. hipErrorInvalidValue: other memory, or no memory; hipErrorInvalidDevice; hipErrorContextIsDestroyed: the stream. */
hipError_t hipMemPrefetchAsync(const void *ptr, size_t count, int device, hipStream_t stream WL_DEFAULT(0));
/* The same with a location: a device, or any of the host's. `flags` must be 0. */
hipError_t hipMemPrefetchAsync_v2(const void *ptr, size_t count, hipMemLocation location, unsigned int flags,
                                  hipStream_t stream WL_DEFAULT(0));
/* Several prefetches in the stream's order. `locIdxs[k]` is the first range that goes to `locs[k]`, ascending from 0; `flags`
 * must be 0. Those before one that fails are done. */
hipError_t hipMemPrefetchBatchAsync(void **ptrs, size_t *sizes, size_t count, hipMemLocation *locs, size_t *locIdxs, size_t numLocs,
                                    unsigned long long flags, hipStream_t stream);
/* Advice for all pages that the range touches; the range lies in one managed allocation, or is ordinary memory of the program.
 * Accesses are as fast with any advice; it is remembered for hipMemRangeGetAttribute. `device` says nothing where the advice is about
 * reading. hipErrorInvalidValue: other memory or advice; hipErrorInvalidDevice. */
hipError_t hipMemAdvise(const void *ptr, size_t count, hipMemoryAdvise advice, int device);
hipError_t hipMemAdvise_v2(const void *ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location);
/* What was said about the pages that the range touches. `data` receives an int:
 *   ReadMostly            1 if it was advised for all of them
 *   PreferredLocation     the device (hipCpuDeviceId) that all of them prefer; hipInvalidDeviceId if some differ or have none
 *   LastPrefetchLocation  likewise, by hipMemPrefetchAsync
 *   CoherencyMode         hipMemRangeCoherencyMode: fine-grained unless hipMemAdviseSetCoarseGrain was given; also of other memory:
 *                         coarse-grained but for pinned memory without hipHostMallocNonCoherent and fine-grained device memory
 *   AccessedBy            an array of ints: the devices, then the host, advised for all pages; hipInvalidDeviceId in the rest
 * hipErrorInvalidValue: memory that is not managed, an unknown attribute, a size that is not the attribute's. The second function
 * takes managed and pinned memory only. */
hipError_t hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute, const void *ptr, size_t count);
hipError_t hipMemRangeGetAttributes(void **data, size_t *data_sizes, hipMemRangeAttribute *attributes, size_t num_attributes,
                                    const void *ptr, size_t count);
/* Attaches managed memory (`length` 0 or the allocation's size) to a stream, in its order: hipMemAttachGlobal, Host or Single,
 * afterwards the allocation's flags. Accesses stay possible from everywhere. Ordinary memory of the program needs a length;
 * nothing is noted for it. hipErrorInvalidValue: other memory, flags or length, or Single with the null stream.
 * hipErrorContextIsDestroyed: not a stream. */
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *ptr, size_t length WL_DEFAULT(0),
                                   unsigned int flags WL_DEFAULT(hipMemAttachSingle));

/* ---- Arrays ---------------------------------------------------------------------------------------- */

/* Arrays hold elements of 1, 2 or 4 channels of 8, 16 or 32 bits in one to three dimensions, or in layers or cube faces. Their
 * layout is not the program's business; copies reach their contents. A function that is given something else than a live
 * array, or NULL, returns hipErrorInvalidHandle; those that free return hipErrorContextIsDestroyed, and hipErrorInvalidValue for NULL. */

/* A description of an element, from the bits of its components and their kind. */
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f);
hipError_t hipGetChannelDesc(hipChannelFormatDesc *desc, hipArray_const_t array);
/* Makes an array of `width` by `height` elements (a height of 0: one dimension) on the current device. hipErrorInvalidValue:
 * a width of 0, unknown flags, an element that arrays cannot have, more than hipDeviceProp_t's limits of textures.
 * hipErrorOutOfMemory. Free with hipFreeArray. */
hipError_t hipMallocArray(hipArray_t *array, const hipChannelFormatDesc *desc, size_t width, size_t height WL_DEFAULT(0),
                          unsigned int flags WL_DEFAULT(hipArrayDefault));
/* The same in up to three dimensions. With hipArrayLayered the depth counts layers; with hipArrayCubemap it counts faces, 6 of
 * them (times the layers, if both are given), which must be square. */
hipError_t hipMalloc3DArray(hipArray_t *array, const hipChannelFormatDesc *desc, hipExtent extent, unsigned int flags);
/* Waits for queued work and frees. A level of a mipmapped array may be freed as often as it was asked for; its memory goes with the
 * mipmapped array. */
hipError_t hipFreeArray(hipArray_t array);
/* The same with the driver's descriptions. */
hipError_t hipArrayCreate(hipArray_t *array, const HIP_ARRAY_DESCRIPTOR *descriptor);
hipError_t hipArray3DCreate(hipArray_t *array, const HIP_ARRAY3D_DESCRIPTOR *descriptor);
hipError_t hipArrayDestroy(hipArray_t array);
/* What it was made with; each of the results may be NULL. */
hipError_t hipArrayGetInfo(hipChannelFormatDesc *desc, hipExtent *extent, unsigned int *flags, hipArray_t array);
hipError_t hipArrayGetDescriptor(HIP_ARRAY_DESCRIPTOR *descriptor, hipArray_t array);
hipError_t hipArray3DGetDescriptor(HIP_ARRAY3D_DESCRIPTOR *descriptor, hipArray_t array);
/* An array with smaller copies of itself: each level has half of each dimension, at least 1.
 * hipErrorInvalidValue: more levels than there can be, or none. The levels are arrays that live as long as the whole. */
hipError_t hipMallocMipmappedArray(hipMipmappedArray_t *mipmap, const hipChannelFormatDesc *desc, hipExtent extent, unsigned int levels,
                                   unsigned int flags WL_DEFAULT(0));
hipError_t hipMipmappedArrayCreate(hipMipmappedArray_t *mipmap, HIP_ARRAY3D_DESCRIPTOR *descriptor, unsigned int levels);
hipError_t hipFreeMipmappedArray(hipMipmappedArray_t mipmap);
hipError_t hipMipmappedArrayDestroy(hipMipmappedArray_t mipmap);
hipError_t hipGetMipmappedArrayLevel(hipArray_t *array, hipMipmappedArray_const_t mipmap, unsigned int level);
hipError_t hipMipmappedArrayGetLevel(hipArray_t *array, hipMipmappedArray_t mipmap, unsigned int level);

/* ---- Copies ----------------------------------------------------------------------------------------- */

/* Rules of every copy:
 *   - The Async forms return before the copy is done only where the host side is pinned (hipHostMalloc, hipHostRegister) or
 *     was copied aside; ordinary host memory may be reused at once.
 *   - The others return when the copy is done, but not where both sides are memory of one device (not the host's, managed, or arrays):
 *     those may return before, and are in the stream's order.
 *   - Sizes, heights or depths of 0 copy nothing and give hipSuccess.
 *   - hipErrorInvalidValue: NULL, addresses without memory, a range that leaves its allocation or array, virtual memory that is not mapped or may not be
 *     used, two ordinary host pointers with a kind that is neither HostToHost nor Default; with rows also memory that HIP does not
 *     know where the kind says that it is a device's, and a pitch smaller than the width in descriptions of copies.
 *     hipErrorInvalidMemcpyDirection: not a kind, or one that contradicts a symbol. hipErrorInvalidPitchValue: a pitch smaller
 *     than the width in hipMemcpy2D*. hipErrorContextIsDestroyed: not a stream;
 *     hipErrorInvalidHandle: not an array.
 *   - Between devices any copy works; one that waits comes after what both devices' null streams hold. */
hipError_t hipMemcpy(void *dst, const void *src, size_t size, hipMemcpyKind kind);
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t size);
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t size);
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void *src, size_t size, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t size, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size, hipStream_t stream);
/* Comes after what the null streams of both devices hold, and before what they are given later. May return before the copy is done.
 * hipErrorInvalidDevice: no such device. */
hipError_t hipMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t size);
/* In the stream's order only. */
hipError_t hipMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t size, hipStream_t stream WL_DEFAULT(0));
/* `height` rows of `width` bytes. */
hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                            hipStream_t stream WL_DEFAULT(0));
/* The driver's descriptions. The memory type says which member counts: hipMemoryTypeHost the host pointer, Device the device pointer,
 * which HIP has to know, Unified the device pointer, of whatever memory, Array the array; hipErrorInvalidValue for other types. A pitch
 * or height of 0 means that rows or planes follow each other. */
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *copy);
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *copy, hipStream_t stream WL_DEFAULT(0));
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *copy);
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *copy);
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *copy, hipStream_t stream);
/* Blocks. Each side is an array or a pitched pointer (hipErrorInvalidValue: both or neither). If there is an array, the
 * extent's width counts its elements; positions count elements in arrays and bytes in memory. */
hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *copy);
hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *copy, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpy3DPeer(hipMemcpy3DPeerParms *copy);
hipError_t hipMemcpy3DPeerAsync(hipMemcpy3DPeerParms *copy, hipStream_t stream WL_DEFAULT(0));
/* Rectangles of arrays: `wOffset` and `width` are bytes, `hOffset` and `height` rows. */
hipError_t hipMemcpy2DToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height,
                              hipMemcpyKind kind);
hipError_t hipMemcpy2DToArrayAsync(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width,
                                   size_t height, hipMemcpyKind kind, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpy2DFromArray(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
                                hipMemcpyKind kind);
hipError_t hipMemcpy2DFromArrayAsync(void *dst, size_t dpitch, hipArray_const_t src, size_t wOffset, size_t hOffset, size_t width,
                                     size_t height, hipMemcpyKind kind, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpy2DArrayToArray(hipArray_t dst, size_t wOffsetDst, size_t hOffsetDst, hipArray_const_t src, size_t wOffsetSrc,
                                   size_t hOffsetSrc, size_t width, size_t height, hipMemcpyKind kind);
/* `count` bytes in the order of rows, going on in the next one: the first two. The others copy within the first row;
 * hipErrorInvalidValue for more than that, and for 0 bytes. */
hipError_t hipMemcpyToArray(hipArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, hipMemcpyKind kind);
hipError_t hipMemcpyFromArray(void *dst, hipArray_const_t srcArray, size_t wOffset, size_t hOffset, size_t count, hipMemcpyKind kind);
hipError_t hipMemcpyAtoH(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count);
hipError_t hipMemcpyAtoHAsync(void *dst, hipArray_t srcArray, size_t srcOffset, size_t count, hipStream_t stream);
hipError_t hipMemcpyHtoA(hipArray_t dstArray, size_t dstOffset, const void *src, size_t count);
hipError_t hipMemcpyHtoAAsync(hipArray_t dstArray, size_t dstOffset, const void *src, size_t count, hipStream_t stream);
hipError_t hipMemcpyAtoD(hipDeviceptr_t dst, hipArray_t srcArray, size_t srcOffset, size_t count);
hipError_t hipMemcpyDtoA(hipArray_t dstArray, size_t dstOffset, hipDeviceptr_t src, size_t count);
hipError_t hipMemcpyAtoA(hipArray_t dstArray, size_t dstOffset, hipArray_t srcArray, size_t srcOffset, size_t count);
/* Several copies in the stream's order. `attrsIdxs[k]` is the first copy that has `attrs[k]`, ascending from 0. Those before a
 * copy that fails are done; `failIdx` (may be NULL) receives its number, or SIZE_MAX. Location hints have no effect. */
hipError_t hipMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count, hipMemcpyAttributes *attrs, size_t *attrsIdxs,
                               size_t numAttrs, size_t *failIdx, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpy3DBatchAsync(size_t numOps, struct hipMemcpy3DBatchOp *opList, size_t *failIdx, unsigned long long flags,
                                 hipStream_t stream WL_DEFAULT(0));

/* ---- Fills ------------------------------------------------------------------------------------------ */

/* Counts and widths are elements of 1, 2 or 4 bytes; `value` is cut to the element's size. hipErrorInvalidValue: NULL, memory
 * that HIP does not know, a range that leaves its allocation, a pointer or pitch that is not a multiple of the element, a pitch
 * smaller than the width. Counts of 0 fill nothing. Where `dst` is the start of coarse-grained device memory, the synchronous forms may
 * return before the fill is done, which is in the stream's order. */
hipError_t hipMemset(void *dst, int value, size_t size);
hipError_t hipMemsetAsync(void *dst, int value, size_t size, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemsetD8(hipDeviceptr_t dst, unsigned char value, size_t count);
hipError_t hipMemsetD8Async(hipDeviceptr_t dst, unsigned char value, size_t count, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemsetD16(hipDeviceptr_t dst, unsigned short value, size_t count);
hipError_t hipMemsetD16Async(hipDeviceptr_t dst, unsigned short value, size_t count, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemsetD32(hipDeviceptr_t dst, int value, size_t count);
hipError_t hipMemsetD32Async(hipDeviceptr_t dst, int value, size_t count, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
hipError_t hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemset3D(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent);
hipError_t hipMemset3DAsync(hipPitchedPtr pitchedDevPtr, int value, hipExtent extent, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemsetD2D8(hipDeviceptr_t dst, size_t pitch, unsigned char value, size_t width, size_t height);
hipError_t hipMemsetD2D8Async(hipDeviceptr_t dst, size_t pitch, unsigned char value, size_t width, size_t height,
                              hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemsetD2D16(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width, size_t height);
hipError_t hipMemsetD2D16Async(hipDeviceptr_t dst, size_t pitch, unsigned short value, size_t width, size_t height,
                               hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemsetD2D32(hipDeviceptr_t dst, size_t pitch, unsigned int value, size_t width, size_t height);
hipError_t hipMemsetD2D32Async(hipDeviceptr_t dst, size_t pitch, unsigned int value, size_t width, size_t height,
                               hipStream_t stream WL_DEFAULT(0));

/* ---- Device variables ------------------------------------------------------------------------------- */

/* Device variables: `symbol` is the address of the host-side shadow, as HIP_SYMBOL gives it.
 * hipErrorInvalidSymbol: NULL, or nobody registered it. hipErrorInvalidValue: the range does not lie in the variable.
 * hipErrorInvalidMemcpyDirection: a kind whose side of the symbol is the host. */
hipError_t hipGetSymbolAddress(void **devPtr, const void *symbol);
hipError_t hipGetSymbolSize(size_t *size, const void *symbol);
hipError_t hipMemcpyToSymbol(const void *symbol, const void *src, size_t size, size_t offset WL_DEFAULT(0),
                             hipMemcpyKind kind WL_DEFAULT(hipMemcpyHostToDevice));
hipError_t hipMemcpyToSymbolAsync(const void *symbol, const void *src, size_t size, size_t offset, hipMemcpyKind kind,
                                  hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpyFromSymbol(void *dst, const void *symbol, size_t size, size_t offset WL_DEFAULT(0),
                               hipMemcpyKind kind WL_DEFAULT(hipMemcpyDeviceToHost));
hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind,
                                    hipStream_t stream WL_DEFAULT(0));

/* ---- Virtual memory management ------------------------------------------------------------------- */

/* Addresses, memory and access one by one: reserve addresses, create memory, map it there, give access. Addresses and sizes
 * are multiples of the granularity; hipErrorInvalidValue if they are not (hipErrorOutOfMemory where addresses are reserved), or `flags`
 * is not 0. */

/* Reserves addresses, at `addr` if they are free there. `alignment`: 0 or a power of two. hipErrorOutOfMemory. */
hipError_t hipMemAddressReserve(void **ptr, size_t size, size_t alignment, void *addr, unsigned long long flags);
/* Gives a whole reservation back. hipErrorInvalidValue: not one, or something is still mapped there. */
hipError_t hipMemAddressFree(void *devPtr, size_t size);
/* The granularity: 4 KiB at least, 2 MiB recommended. hipErrorInvalidValue: properties that hipMemCreate would refuse. */
hipError_t hipMemGetAllocationGranularity(size_t *granularity, const hipMemAllocationProp *prop, hipMemAllocationGranularity_flags option);
/* Makes zeroed memory of a device. `prop`: hipMemAllocationTypePinned (or Uncached), a device as the location, and as the
 * handle type none or hipMemHandleTypePosixFileDescriptor, with which it can be exported. hipErrorNotSupported: other handle
 * types. hipErrorOutOfMemory. Release with hipMemRelease. */
hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *handle, size_t size, const hipMemAllocationProp *prop, unsigned long long flags);
/* Gives one handle back; the memory goes with its last handle and mapping. hipErrorInvalidValue: no handle is left. */
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle);
/* One more handle of the memory that is mapped at `addr`. hipErrorInvalidValue: none is. */
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *handle, void *addr);
hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *prop, hipMemGenericAllocationHandle_t handle);
/* Writes a new file descriptor, an int, which the caller owns and may pass to other processes. hipErrorInvalidValue: another
 * type, or memory that was not made for it. */
hipError_t hipMemExportToShareableHandle(void *shareableHandle, hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType handleType, unsigned long long flags);
/* A handle of the memory behind such a descriptor, given as the address of an int (AMD's way) or as (void *)(intptr_t)descriptor
 * (CUDA's); it stays the caller's. Release with hipMemRelease. hipErrorInvalidValue: not such a descriptor. */
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *handle, void *osHandle,
                                           hipMemAllocationHandleType shHandleType);
/* Maps the first `size` bytes of the memory at reserved addresses that are free, without access. `offset` must be 0. */
hipError_t hipMemMap(void *ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle, unsigned long long flags);
/* Waits for queued work and unmaps a range that consists of whole mappings. */
hipError_t hipMemUnmap(void *ptr, size_t size);
/* Sets what devices (and hipMemLocationTypeHost) may do with a range that consists of whole mappings. Kernels of all devices
 * and the host share their addresses, so that each may do what any of them may; hipMemGetAccess tells each one's own. */
hipError_t hipMemSetAccess(void *ptr, size_t size, const hipMemAccessDesc *desc, size_t count);
hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *ptr);

/* ---- Memory of other processes -------------------------------------------------------------------- */

/* A handle with which other processes of the same user can open memory of hipMalloc, at any address in it, as long as it is
 * allocated. Waits for queued work: the memory's pages are exchanged at the first time, so that the host must not write it
 * meanwhile. hipErrorInvalidValue: other memory. */
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *devPtr);
/* Maps it. The same memory gives the same address again, to be closed as often; it stays usable when its process has freed it
 * or ended. `flags`: hipIpcMemLazyEnablePeerAccess, or 0, its value in HIP 5. hipErrorInvalidValue: other flags, or a handle of zeros. hipErrorInvalidContext: this
 * process's own. hipErrorInvalidDevicePointer: not a handle, the memory was freed, or its process has ended. */
hipError_t hipIpcOpenMemHandle(void **devPtr, hipIpcMemHandle_t handle, unsigned int flags);
/* Waits for queued work and unmaps. hipErrorInvalidValue: not opened memory. */
hipError_t hipIpcCloseMemHandle(void *devPtr);

/* Memory of another interface, given as a file descriptor that can be mapped: hipExternalMemoryHandleTypeOpaqueFd, at least
 * `size` bytes, `flags` 0 or hipExternalMemoryDedicated. On success the descriptor belongs to the runtime. hipErrorInvalidValue:
 * no such file, too small; hipErrorNotSupported: other types of handles. */
hipError_t hipImportExternalMemory(hipExternalMemory_t *extMem, const hipExternalMemoryHandleDesc *memHandleDesc);
/* Maps a part of it; `offset` is a multiple of 4 KiB. Free with hipFree, before or after hipDestroyExternalMemory.
 * hipErrorInvalidValue: not within it; hipErrorInvalidHandle: not imported memory. */
hipError_t hipExternalMemoryGetMappedBuffer(void **devPtr, hipExternalMemory_t extMem, const hipExternalMemoryBufferDesc *bufferDesc);
hipError_t hipDestroyExternalMemory(hipExternalMemory_t extMem);

#endif
