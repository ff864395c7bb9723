/* Areas of HIP memory, on HIP's public functions alone. */
#include <aml/area/hip.h>
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- errors --------------------------------------------------------------------------------- */

static int error_of(hipError_t status) {
    switch (status) {
    case hipSuccess:
        return AML_SUCCESS;
    case hipErrorInvalidValue:
    case hipErrorInvalidDevice:
        return AML_EINVAL;
    case hipErrorMemoryAllocation:
        return AML_ENOMEM;
    case hipErrorContextAlreadyInUse:
    case hipErrorHostMemoryAlreadyRegistered:
        return AML_EBUSY;
    case hipErrorInsufficientDriver:
    case hipErrorNoDevice:
    case hipErrorNotSupported:
        return AML_ENOTSUP;
    default:
        return AML_FAILURE;
    }
}

/* ---- devices -------------------------------------------------------------------------------- */

/* Makes `device` current (negative: stays) and tells in *former what was; negative if nothing has to be undone. */
static int enter_device(int device, int *former) {
    *former = -1;
    if (device < 0)
        return AML_SUCCESS;
    int current;
    hipError_t status = hipGetDevice(&current);
    if (status == hipSuccess && current != device) {
        status = hipSetDevice(device);
        if (status == hipSuccess)
            *former = current;
    }
    return error_of(status);
}

static int leave_device(int former) { return former < 0 ? AML_SUCCESS : error_of(hipSetDevice(former)); }

/* ---- mappings ------------------------------------------------------------------------------- */

/* The caller's memory. HIP may take it twice, for which one release would do; an area takes it once. */
static hipError_t map_host(void *ptr, size_t size, bool global) {
    void *known;
    if (!ptr)
        return hipErrorInvalidValue;
    bool clean = hipPeekAtLastError() == hipSuccess;
    if (hipHostGetDevicePointer(&known, ptr, 0) == hipSuccess)
        return hipErrorHostMemoryAlreadyRegistered;
    if (clean) /* that nothing is known there is no error of the program's */
        (void)hipGetLastError();
    return hipHostRegister(ptr, size, hipHostRegisterMapped | (global ? hipHostRegisterPortable : 0));
}

static hipError_t allocate(int flags, size_t size, void **ptr) {
    bool global = flags & AML_AREA_HIP_FLAG_ALLOC_GLOBAL;
    if (flags & AML_AREA_HIP_FLAG_ALLOC_UNIFIED)
        return hipMallocManaged(ptr, size, global ? hipMemAttachGlobal : hipMemAttachHost);
    bool mapped = flags & AML_AREA_HIP_FLAG_ALLOC_MAPPED;
    if (flags & AML_AREA_HIP_FLAG_ALLOC_HOST)
        return hipHostAlloc(ptr, size, (mapped ? hipHostAllocMapped : 0) | (global ? hipHostAllocPortable : 0));
    if (mapped)
        return map_host(*ptr, size, global);
    return hipMalloc(ptr, size);
}

void *aml_area_hip_mmap(const struct aml_area_data *area_data, size_t size, struct aml_area_mmap_options *options) {
    const struct aml_area_hip_data *area = (const struct aml_area_hip_data *)area_data;
    const struct aml_area_hip_mmap_options *wish = (const struct aml_area_hip_mmap_options *)options;
    void *ptr = wish ? wish->ptr : NULL;
    if (size == 0) {
        aml_errno = AML_EINVAL;
        return NULL;
    }
    int former, error = enter_device(wish && wish->device >= 0 ? wish->device : area->device, &former);
    if (error == AML_SUCCESS)
        error = error_of(allocate(area->flags, size, &ptr));
    if (error != AML_SUCCESS)
        ptr = NULL;
    int left = leave_device(former);
    if (error != AML_SUCCESS || left != AML_SUCCESS)
        aml_errno = error != AML_SUCCESS ? error : left;
    return ptr;
}

/* Some HIPs free each kind of memory by its own function only. Asking what kind it is would need hipPointerGetAttributes, whose
 * result has another layout in programs of HIP 5. */
static hipError_t release(void *ptr) {
    if (hipHostUnregister(ptr) == hipSuccess || hipHostFree(ptr) == hipSuccess)
        return hipSuccess;
    return hipFree(ptr);
}

int aml_area_hip_munmap(const struct aml_area_data *area_data, void *ptr, const size_t size) {
    (void)area_data;
    (void)size;
    bool clean = hipPeekAtLastError() == hipSuccess;
    hipError_t status = release(ptr);
    if (clean) /* the refusals are none of the program's */
        (void)hipGetLastError();
    return status == hipErrorInvalidValue ? -AML_EINVAL : AML_SUCCESS;
}

int aml_area_hip_fprintf(const struct aml_area_data *area_data, FILE *stream, const char *prefix) {
    const struct aml_area_hip_data *area = (const struct aml_area_hip_data *)area_data;
    static const char *const names[] = {"host", "unified", "mapped", "global"};
    fprintf(stream, "%sarea-hip: %p: device %d, flags", prefix, (const void *)area, area->device);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (area->flags & 1 << i)
            fprintf(stream, " %s", names[i]);
    return fputc('\n', stream) == EOF ? -AML_FAILURE : AML_SUCCESS;
}

/* ---- areas ---------------------------------------------------------------------------------- */

struct aml_area_ops aml_area_hip_ops = {
    .mmap = aml_area_hip_mmap,
    .munmap = aml_area_hip_munmap,
    .fprintf = aml_area_hip_fprintf,
};

static struct aml_area_hip_data device_data = {.flags = AML_AREA_HIP_FLAG_DEFAULT, .device = -1};
static struct aml_area_hip_data unified_data = {.flags = AML_AREA_HIP_FLAG_ALLOC_UNIFIED | AML_AREA_HIP_FLAG_ALLOC_GLOBAL, .device = -1};

struct aml_area aml_area_hip = {.ops = &aml_area_hip_ops, .data = (struct aml_area_data *)&device_data};
struct aml_area aml_area_hip_unified = {.ops = &aml_area_hip_ops, .data = (struct aml_area_data *)&unified_data};

/* An area and its data in one piece. */
struct owned_area {
    struct aml_area area;
    struct aml_area_hip_data data;
};

int aml_area_hip_create(struct aml_area **area, const int device, const int flags) {
    int count;
    if (!area)
        return -AML_EINVAL;
    if (hipGetDeviceCount(&count) != hipSuccess)
        return -AML_FAILURE;
    if (device >= count)
        return -AML_EINVAL;
    struct owned_area *owned = malloc(sizeof *owned);
    if (!owned)
        return -AML_ENOMEM;
    owned->data = (struct aml_area_hip_data){.flags = flags, .device = device};
    owned->area = (struct aml_area){.ops = &aml_area_hip_ops, .data = (struct aml_area_data *)&owned->data};
    *area = &owned->area;
    return AML_SUCCESS;
}

void aml_area_hip_destroy(struct aml_area **area) {
    if (!area)
        return;
    free(*area); /* the first member of its owned_area */
    *area = NULL;
}

/* ---- features --------------------------------------------------------------------------------- */

int aml_support_backends(const unsigned long backends) {
    int devices = 0;
    if (backends & ~AML_BACKEND_HIP)
        return 0;
    return !(backends & AML_BACKEND_HIP) || (hipGetDeviceCount(&devices) == hipSuccess && devices > 0);
}
