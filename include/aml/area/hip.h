/* AML areas of HIP memory (AML, "Area HIP Implementation API").
 *
 * The library needs nothing but HIP's public functions, so it works with any HIP runtime.
 *
 * Threads: areas are never written after they are made, so that any number of threads may use one. A mapping on another device
 * than the thread's current one makes that device current for a moment; HIP keeps a current device for each thread, so that other
 * threads do not notice. */
#ifndef AML_AREA_HIP_H
#define AML_AREA_HIP_H

#include <aml.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- flags ---------------------------------------------------------------------------------- */

/* Memory of one device, visible to that device alone, not mapped on the host: hipMalloc. */
#define AML_AREA_HIP_FLAG_DEFAULT 0
/* Memory of the host: hipHostAlloc. */
#define AML_AREA_HIP_FLAG_ALLOC_HOST (1 << 0)
/* Unified memory, for the host and devices at the same address: hipMallocManaged. ALLOC_HOST and ALLOC_MAPPED are ignored then. */
#define AML_AREA_HIP_FLAG_ALLOC_UNIFIED (1 << 1)
/* Host memory that is mapped on the device; hipHostGetDevicePointer tells where. With ALLOC_HOST the host memory is allocated, else
 * it is the `ptr` of the mapping's options: hipHostRegister. */
#define AML_AREA_HIP_FLAG_ALLOC_MAPPED (1 << 2)
/* Visible to all devices instead of one: hipMemAttachGlobal for unified memory (else hipMemAttachHost), hipHostAllocPortable or
 * hipHostRegisterPortable for host memory. */
#define AML_AREA_HIP_FLAG_ALLOC_GLOBAL (1 << 3)

/* ---- types ---------------------------------------------------------------------------------- */

/* What aml_area_mmap takes as options for these areas. */
struct aml_area_hip_mmap_options {
    int device; /* where to allocate; negative: on the area's device */
    void *ptr;  /* host memory to map: for ALLOC_MAPPED without ALLOC_HOST; else not looked at */
};

/* What an area keeps. */
struct aml_area_hip_data {
    int flags;  /* AML_AREA_HIP_FLAG_* */
    int device; /* negative: the thread's current device at the time of the mapping */
};

/* ---- areas ---------------------------------------------------------------------------------- */

/* The operations of all areas here. */
extern struct aml_area_ops aml_area_hip_ops;
/* Device memory of the current device. */
extern struct aml_area aml_area_hip;
/* Unified memory of the current device, visible to all devices. */
extern struct aml_area aml_area_hip_unified;

/* Makes an area.
 *
 * area: receives it; the caller destroys it with aml_area_hip_destroy. device: a HIP device, from 0 to their number less 1; negative:
 * the current device of each mapping. flags: AML_AREA_HIP_FLAG_*.
 *
 * Returns AML_SUCCESS; or, with *area as it was, -AML_FAILURE: HIP does not tell the number of devices; -AML_EINVAL: there is no such
 * device, or area is NULL; -AML_ENOMEM. Thread-safe. */
int aml_area_hip_create(struct aml_area **area, const int device, const int flags);

/* Destroys an area of aml_area_hip_create and sets *area to NULL. What it mapped stays mapped; it can be unmapped with any
 * area of this kind. area or *area may be NULL. No other thread may be using the area. */
void aml_area_hip_destroy(struct aml_area **area);

/* Maps memory: the mmap operation.
 *
 * area_data: of a HIP area (struct aml_area_hip_data). size: bytes. options: NULL, or a struct aml_area_hip_mmap_options, which stays as
 * it is.
 *
 * Returns by the area's flags: unified memory, usable on devices and the host; host memory mapped on the device; host memory; or
 * device memory. It is released with aml_area_hip_munmap; memory that was given as options->ptr still belongs to the caller then.
 * Returns NULL with aml_errno set:
 *   AML_EINVAL   no such device; size is 0; ALLOC_MAPPED without ALLOC_HOST and without options->ptr; memory that HIP cannot map
 *   AML_ENOMEM   not enough memory
 *   AML_EBUSY    the device is in use by another process, or the host memory is mapped already
 *   AML_ENOTSUP  there is no device, or its driver is too old, or it has no memory of this kind
 *   AML_FAILURE  HIP could not be initialized, or failed for another reason
 * When the mapping succeeds but the former device cannot be made current again, the memory is returned and aml_errno is set: set
 * it to AML_SUCCESS before the call to notice. */
void *aml_area_hip_mmap(const struct aml_area_data *area_data, size_t size, struct aml_area_mmap_options *options);

/* Unmaps memory: the munmap operation.
 *
 * area_data, size: not looked at. ptr: what aml_area_hip_mmap returned for any area.
 *
 * Returns AML_SUCCESS, or -AML_EINVAL: ptr is no such memory. Waits for work that uses the memory. Thread-safe, except for one ptr. */
int aml_area_hip_munmap(const struct aml_area_data *area_data, void *ptr, const size_t size);

/* Describes an area in one line: the fprintf operation. Returns AML_SUCCESS, or -AML_FAILURE: the stream took no more. */
int aml_area_hip_fprintf(const struct aml_area_data *area_data, FILE *stream, const char *prefix);

#ifdef __cplusplus
}
#endif

#endif
