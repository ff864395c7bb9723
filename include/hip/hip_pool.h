/* Stream-ordered allocation and memory pools. Included by hip_runtime_api.h.
 * HIP reference: "Stream Ordered Memory Allocator".
 *
 * Memory is allocated and freed in the order of streams: it may be used by work that is queued after hipMallocAsync and before
 * hipFreeAsync in the same stream, and by other streams that wait for the one and are waited for by the other. A device's pools
 * keep freed memory for the next allocation; what they hold beyond their release threshold goes back to the operating system
 * when the program synchronizes with a stream, an event or the device. All functions are thread-safe. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count. */
#else
#ifndef HIP_INCLUDE_HIP_HIP_POOL_H
#define HIP_INCLUDE_HIP_HIP_POOL_H

typedef struct ihipMemPoolHandle_t *hipMemPool_t;

typedef enum hipMemPoolAttr {
    hipMemPoolReuseFollowEventDependencies = 0x1,   /* int: reuse what another stream freed if the order makes it safe; 1 */
    hipMemPoolReuseAllowOpportunistic = 0x2,        /* int: reuse what another stream freed if that happens to be done; 1 */
    hipMemPoolReuseAllowInternalDependencies = 0x3, /* int: make the stream wait for a free rather than fail; 1 */
    hipMemPoolAttrReleaseThreshold = 0x4,           /* uint64_t: bytes to hold across synchronizations; 0 */
    hipMemPoolAttrReservedMemCurrent = 0x5,         /* uint64_t: bytes held; cannot be set */
    hipMemPoolAttrReservedMemHigh = 0x6,            /* uint64_t: the most ever held; may be set to 0, to begin anew */
    hipMemPoolAttrUsedMemCurrent = 0x7,             /* uint64_t: bytes in allocations; cannot be set */
    hipMemPoolAttrUsedMemHigh = 0x8                 /* uint64_t: as ReservedMemHigh */
} hipMemPoolAttr;

typedef struct hipMemPoolProps {
    hipMemAllocationType allocType;         /* hipMemAllocationTypePinned */
    hipMemAllocationHandleType handleTypes; /* hipMemHandleTypeNone, or PosixFileDescriptor for a pool to share */
    hipMemLocation location;                /* a device */
    void *win32SecurityAttributes;
    size_t maxSize; /* bytes, as they are asked for; 0: no limit of its own */
    unsigned char reserved[56];
} hipMemPoolProps;

typedef struct hipMemPoolPtrExportData {
    unsigned char reserved[64];
} hipMemPoolPtrExportData;

/* From the current pool of the stream's device. A size of 0 gives NULL. hipErrorInvalidValue, hipErrorInvalidHandle,
 * hipErrorOutOfMemory. While the stream captures: an allocation node, whose memory belongs to the graph. */
hipError_t hipMallocAsync(void **ptr, size_t size, hipStream_t stream);
/* From a pool of any device. hipErrorInvalidValue: `pool` is no pool, or an imported one. */
hipError_t hipMallocFromPoolAsync(void **ptr, size_t size, hipMemPool_t pool, hipStream_t stream);
/* Memory of hipMallocAsync, of an imported pointer, of a graph's allocation node, or of hipMalloc. hipErrorInvalidValue: NULL or
 * none of these; while the stream captures also if it was not allocated by a graph. */
hipError_t hipFreeAsync(void *ptr, hipStream_t stream);

/* The pool that a device always has; it cannot be destroyed. hipErrorInvalidDevice, hipErrorInvalidValue. */
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool, int device);
/* The pool of hipMallocAsync: the last one set, else the default pool. hipErrorInvalidValue: no such device. */
hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device);
/* hipErrorInvalidDevice: the pool is another device's; hipErrorInvalidValue: it was imported, or there is no such device. */
hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool);
/* The same for a location, which must be a device, and hipMemAllocationTypePinned. */
hipError_t hipMemGetMemPool(hipMemPool_t *pool, hipMemLocation *location, hipMemAllocationType type);
hipError_t hipMemSetMemPool(hipMemLocation *location, hipMemAllocationType type, hipMemPool_t pool);

/* hipErrorInvalidValue: NULL, or properties other than those described above. Types of handles other than file descriptors count as none. */
hipError_t hipMemPoolCreate(hipMemPool_t *pool, const hipMemPoolProps *props);
/* Returns at once; the memory goes when the last allocation has been freed. If the pool is its device's current pool, the
 * default pool becomes that. hipErrorInvalidValue: no pool, or a default one. */
hipError_t hipMemPoolDestroy(hipMemPool_t pool);
/* Gives memory that is not in use back to the operating system, but keeps at least `minBytesToHold` if there are as many. */
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t minBytesToHold);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void *value);
/* Lets devices use the pool's memory. The pool's own device has all access and keeps it. hipErrorInvalidDevice: no such device, more
 * entries than devices, or hipMemAccessFlagsProtNone, since access is not taken back; hipErrorInvalidValue: NULL, other flags, a
 * location that is no device, or a device that cannot reach the memory of the pool's device; hipErrorNotSupported: another GPU, and a pool
 * whose handles can be shared. */
hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const hipMemAccessDesc *list, size_t count);
hipError_t hipMemPoolGetAccess(hipMemAccessFlags *flags, hipMemPool_t pool, hipMemLocation *location);

/* Sharing between processes, by file descriptor. `handle` receives an int, which the caller closes. `flags` must be 0.
 * hipErrorInvalidValue: the pool was not made with this type of handle. */
hipError_t hipMemPoolExportToShareableHandle(void *handle, hipMemPool_t pool, hipMemAllocationHandleType type, unsigned int flags);
/* `handle` is the descriptor itself as a pointer, whose upper half does not count; it stays the caller's. The new pool allocates nothing: allocations of its
 * original are imported into it. hipErrorInvalidValue: not a pool's descriptor. */
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *pool, void *handle, hipMemAllocationHandleType type, unsigned int flags);
/* Describes one allocation of an exported pool; the description may be sent to other processes as bytes. */
hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *data, void *ptr);
/* Into an imported pool, or one that was made to be shared while the exporter lives. The memory must be freed here, by hipFree or
 * hipFreeAsync, before the exporter frees it. hipErrorInvalidValue: another pool, or not what hipMemPoolExportPointer wrote. */
hipError_t hipMemPoolImportPointer(void **ptr, hipMemPool_t pool, hipMemPoolPtrExportData *data);

#endif
#endif
