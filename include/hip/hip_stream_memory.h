/* Stream memory operations: wait for a word in memory, or write one, in stream order. Included by hip_runtime_api.h.
 * HIP reference: "Stream Memory Operations".
 *
 * A waiting stream needs no thread: many may wait at once. What makes the condition true may be a write of another stream, a
 * kernel, or the host. `ptr` must lie in memory that HIP knows (device, signal, managed, pinned or registered memory) and be
 * aligned to the word. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count. */
#else
#ifndef HIP_INCLUDE_HIP_HIP_STREAM_MEMORY_H
#define HIP_INCLUDE_HIP_HIP_STREAM_MEMORY_H

#define hipStreamWaitValueGte 0x0 /* (*ptr & mask) >= value, unsigned */
#define hipStreamWaitValueEq  0x1 /* (*ptr & mask) == value */
#define hipStreamWaitValueAnd 0x2 /* ((*ptr & mask) & value) != 0 */
#define hipStreamWaitValueNor 0x3 /* ~((*ptr & mask) | (value & mask)) != 0 */

typedef enum hipStreamBatchMemOpType {
    hipStreamMemOpWaitValue32 = 0x1,
    hipStreamMemOpWriteValue32 = 0x2,
    hipStreamMemOpFlushRemoteWrites = 0x3,
    hipStreamMemOpWaitValue64 = 0x4,
    hipStreamMemOpWriteValue64 = 0x5,
    hipStreamMemOpBarrier = 0x6
} hipStreamBatchMemOpType;

typedef union hipStreamBatchMemOpParams_union {
    hipStreamBatchMemOpType operation;
    struct hipStreamMemOpWaitValueParams_t {
        hipStreamBatchMemOpType operation;
        hipDeviceptr_t address;
        union {
            uint32_t value;
            uint64_t value64;
        };
        unsigned int flags; /* hipStreamWaitValue* */
        hipDeviceptr_t alias;
    } waitValue;
    struct hipStreamMemOpWriteValueParams_t {
        hipStreamBatchMemOpType operation;
        hipDeviceptr_t address;
        union {
            uint32_t value;
            uint64_t value64;
        };
        unsigned int flags;
        hipDeviceptr_t alias;
    } writeValue;
    struct hipStreamMemOpFlushRemoteWritesParams_t {
        hipStreamBatchMemOpType operation;
        unsigned int flags;
    } flushRemoteWrites;
    struct hipStreamMemOpMemoryBarrierParams_t {
        hipStreamBatchMemOpType operation;
        unsigned int flags;
    } memoryBarrier;
    uint64_t pad[6];
} hipStreamBatchMemOpParams;

/* All later work of the stream waits until the condition holds. hipErrorInvalidValue: `ptr` is NULL, not aligned or unknown,
 * or `flags` is none of hipStreamWaitValue*; hipErrorContextIsDestroyed: not a stream. Thread-safe. */
hipError_t hipStreamWaitValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags, uint32_t mask WL_DEFAULT(0xFFFFFFFF));
hipError_t hipStreamWaitValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags,
                                uint64_t mask WL_DEFAULT(0xFFFFFFFFFFFFFFFF));
/* Writes the word when all earlier work of the stream has finished. `flags` is ignored. Errors as above. */
hipError_t hipStreamWriteValue32(hipStream_t stream, void *ptr, uint32_t value, unsigned int flags);
hipError_t hipStreamWriteValue64(hipStream_t stream, void *ptr, uint64_t value, unsigned int flags);
/* Carries out `count` (1 to 256) of these one after the other. `flags` must be 0. */
hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned int count, hipStreamBatchMemOpParams *paramArray, unsigned int flags);

#endif
#endif
