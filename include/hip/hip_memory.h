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
/* The same; `flags`: one of hipDeviceMalloc*, or hipMallocSignalMemory, whose size must be 8. All memory here is coherent, so
 * the flags change no access; pointer attributes give them back. hipErrorInvalidValue: another flag or size. */
hipError_t hipExtMallocWithFlags(void **ptr, size_t size, unsigned int flags);
/* Allocates `height` rows of at least `width` bytes. `pitch` receives the bytes from row to row. */
hipError_t hipMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
/* The same for elements of 4, 8 or 16 bytes; hipErrorInvalidValue for other sizes. */
hipError_t hipMemAllocPitch(hipDeviceptr_t *ptr, size_t *pitch, size_t width, size_t height, unsigned int elementSize);
/* Allocates extent.depth planes of extent.height rows of at least extent.width bytes, and describes them. */
hipError_t hipMalloc3D(hipPitchedPtr *pitchedDevPtr, hipExtent extent);
/* Waits for all queued work and frees what hipMalloc*, hipMemAllocPitch, hipMallocManaged or hipMallocAsync gave. NULL is
 * accepted. hipErrorInvalidValue: not the start of such an allocation. */
hipError_t hipFree(void *ptr);
/* Bytes of the current device's memory that are not allocated, and all of them. Either may be NULL. */
hipError_t hipMemGetInfo(size_t *free, size_t *total);

/* ---- Pinned host memory ------------------------------------------------------------------------ */

/* Allocates zeroed host memory that devices can use: any of hipHostMallocPortable, Mapped, WriteCombined, Uncached, NumaUser,
 * and one of Coherent and NonCoherent. The pages are placed by the calling thread's NUMA policy; what the other flags promise
 * always holds. hipErrorInvalidValue: unknown flags, or Coherent and NonCoherent. Free with hipHostFree. */
hipError_t hipHostMalloc(void **ptr, size_t size, unsigned int flags);
/* The same under CUDA's name: Portable, Mapped and WriteCombined only. */
hipError_t hipHostAlloc(void **ptr, size_t size, unsigned int flags);
hipError_t hipMallocHost(void **ptr, size_t size);
hipError_t hipMemAllocHost(void **ptr, size_t size);
/* Waits for all queued work and frees. hipErrorInvalidValue: not the start of such an allocation. */
hipError_t hipHostFree(void *ptr);
hipError_t hipFreeHost(void *ptr);
/* Makes the program's own memory known as pinned. hipErrorInvalidValue: NULL, a size of 0, unknown flags, or addresses
 * without memory. hipErrorHostMemoryAlreadyRegistered: a part of the range is known already. The program keeps the memory
 * until hipHostUnregister, which waits for queued work; hipErrorHostMemoryNotRegistered: no registered range starts there. */
hipError_t hipHostRegister(void *hostPtr, size_t size, unsigned int flags);
hipError_t hipHostUnregister(void *hostPtr);
/* The address that kernels use for pinned, registered or managed memory: the same one. `flags` must be 0.
 * hipErrorInvalidValue: other memory. */
hipError_t hipHostGetDevicePointer(void **devPtr, void *hostPtr, unsigned int flags);
/* The flags it was allocated or registered with. hipErrorInvalidValue: other memory. */
hipError_t hipHostGetFlags(unsigned int *flags, void *hostPtr);

/* ---- What is at an address --------------------------------------------------------------------- */

/* Size of the allocation that holds `ptr`. hipErrorInvalidValue: none does. */
hipError_t hipMemPtrGetInfo(void *ptr, size_t *size);
/* Start and size of the allocation that holds `ptr`; either may be NULL. hipErrorNotFound: none does. */
hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *size, hipDeviceptr_t ptr);
/* Describes any address. One that nobody registered gives hipSuccess and hipMemoryTypeUnregistered (in programs of HIP 5:
 * hipErrorInvalidValue). */
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *attributes, const void *ptr);
/* One attribute into `data`, which has that attribute's size. hipErrorInvalidValue: nothing is known at `ptr`, an unknown
 * attribute, or the host pointer of device memory. hipErrorNotSupported: peer-to-peer tokens. */
hipError_t hipPointerGetAttribute(void *data, hipPointer_attribute attribute, hipDeviceptr_t ptr);
/* Several at once; for an address that nobody registered each gets a default: 0, NULL, hipInvalidDeviceId. */
hipError_t hipDrvPointerGetAttributes(unsigned int count, hipPointer_attribute *attributes, void **data, hipDeviceptr_t ptr);
/* HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, an unsigned int, can be set; copies that the attribute is about always wait.
 * hipErrorInvalidValue: another attribute or NULL. hipErrorInvalidDevicePointer: nothing is known at `ptr`. */
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute, hipDeviceptr_t ptr);

/* ---- Managed memory ------------------------------------------------------------------------------ */

/* Allocates zeroed memory for host and devices. `flags`: hipMemAttachGlobal or hipMemAttachHost. The memory comes in pages of
 * 4 KiB. hipErrorInvalidValue: no `ptr`, a size of 0, other flags. hipErrorOutOfMemory. Free with hipFree. */
hipError_t hipMallocManaged(void **ptr, size_t size, unsigned int flags WL_DEFAULT(hipMemAttachGlobal));
/* Makes the pages of the range present, in stream order, and remembers `device` (hipCpuDeviceId: the host) as where they were
 * last prefetched to. The range lies in one managed allocation, or is ordinary memory of the program, for which nothing is
 * remembered. hipErrorInvalidValue: other memory, or no memory; hipErrorInvalidDevice; hipErrorInvalidHandle: the stream. */
hipError_t hipMemPrefetchAsync(const void *ptr, size_t count, int device, hipStream_t stream WL_DEFAULT(0));
/* The same with a location: a device, or any of the host's. `flags` must be 0. */
hipError_t hipMemPrefetchAsync_v2(const void *ptr, size_t count, hipMemLocation location, unsigned int flags,
                                  hipStream_t stream WL_DEFAULT(0));
/* Advice for all pages that the range touches; the range must lie in one managed allocation. Accesses are as fast with any
 * advice; it is remembered for hipMemRangeGetAttribute. hipErrorInvalidValue: other memory or advice; hipErrorInvalidDevice. */
hipError_t hipMemAdvise(const void *ptr, size_t count, hipMemoryAdvise advice, int device);
hipError_t hipMemAdvise_v2(const void *ptr, size_t count, hipMemoryAdvise advice, hipMemLocation location);
/* What was said about the pages that the range touches. `data` receives an int:
 *   ReadMostly            1 if it was advised for all of them
 *   PreferredLocation     the device (hipCpuDeviceId) that all of them prefer; hipInvalidDeviceId if some differ or have none
 *   LastPrefetchLocation  likewise, by hipMemPrefetchAsync
 *   CoherencyMode         hipMemRangeCoherencyMode: fine-grained unless hipMemAdviseSetCoarseGrain was given
 *   AccessedBy            an array of ints: the devices, then the host, advised for all pages; hipInvalidDeviceId in the rest
 * hipErrorInvalidValue: memory that is not managed, an unknown attribute, a size that is not the attribute's. */
hipError_t hipMemRangeGetAttribute(void *data, size_t data_size, hipMemRangeAttribute attribute, const void *ptr, size_t count);
hipError_t hipMemRangeGetAttributes(void **data, size_t *data_sizes, hipMemRangeAttribute *attributes, size_t num_attributes,
                                    const void *ptr, size_t count);
/* Attaches managed memory (`length` 0 or the allocation's size) to a stream, in its order: hipMemAttachGlobal, Host or Single,
 * afterwards the allocation's flags. Accesses stay possible from everywhere. Ordinary memory of the program needs a length;
 * nothing is noted for it. hipErrorInvalidValue: other memory, flags or length, or Single with the null stream. */
hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *ptr, size_t length WL_DEFAULT(0),
                                   unsigned int flags WL_DEFAULT(hipMemAttachSingle));

/* ---- Arrays ---------------------------------------------------------------------------------------- */

/* A description of an element, from the bits of its components and their kind. */
hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f);

/* ---- Copies ----------------------------------------------------------------------------------------- */

/* Copies. The Async forms return before the copy is done only where the host side is pinned (hipHostMalloc,
 * hipHostRegister) or was copied aside; ordinary host memory may be reused at once. */
hipError_t hipMemcpy(void *dst, const void *src, size_t size, hipMemcpyKind kind);
hipError_t hipMemcpyWithStream(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream);
hipError_t hipMemcpyAsync(void *dst, const void *src, size_t size, hipMemcpyKind kind, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpyHtoD(hipDeviceptr_t dst, const void *src, size_t size);
hipError_t hipMemcpyDtoH(void *dst, hipDeviceptr_t src, size_t size);
hipError_t hipMemcpyDtoD(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t dst, const void *src, size_t size, hipStream_t stream);
hipError_t hipMemcpyDtoHAsync(void *dst, hipDeviceptr_t src, size_t size, hipStream_t stream);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t dst, hipDeviceptr_t src, size_t size, hipStream_t stream);
hipError_t hipMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t size);
hipError_t hipMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t size, hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind);
hipError_t hipMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, hipMemcpyKind kind,
                            hipStream_t stream WL_DEFAULT(0));
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *copy);
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *copy, hipStream_t stream WL_DEFAULT(0));
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *copy);
hipError_t hipMemcpy3D(const struct hipMemcpy3DParms *copy);
hipError_t hipMemcpy3DAsync(const struct hipMemcpy3DParms *copy, hipStream_t stream WL_DEFAULT(0));

/* Fills; `value` is cut to the element's size. */
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

/* Device variables: `symbol` is the address of the host-side shadow, as HIP_SYMBOL gives it. */
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

#endif
