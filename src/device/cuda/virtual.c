/* Virtual memory management: the driver's. */
#include "base/options.h"
#include "device/cuda/cuda.h"

static CUdeviceptr address_of(const void *memory) { return (CUdeviceptr)(uintptr_t)memory; }

/* CUDA 10.2 brought the functions, all of them together. */
static enum wl_status enter(struct wl_cuda_device *device) {
    if (!device->driver->cuMemCreate || !device->driver->cuMemSetAccess)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver has no virtual memory management");
    return wl_cuda_enter(device);
}

static CUmemAllocationProp properties_of(const struct wl_cuda_device *device, bool exportable) {
    return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                 .requestedHandleTypes = exportable ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE,
                                 .location = {CU_MEM_LOCATION_TYPE_DEVICE, device->handle}};
}

static size_t granularity(struct wl_device *base, bool recommended) {
    const size_t usual = (size_t)2 << 20;
    struct wl_cuda_device *device = wl_cuda(base);
    const CUmemAllocationProp properties = properties_of(device, false);
    size_t bytes = 0;
    if (enter(device) != WL_OK ||
        device->driver->cuMemGetAllocationGranularity(
            &bytes, &properties, recommended ? CU_MEM_ALLOC_GRANULARITY_RECOMMENDED : CU_MEM_ALLOC_GRANULARITY_MINIMUM) != CUDA_SUCCESS)
        return usual;
    return bytes;
}

static enum wl_status create(struct wl_device *base, size_t size, bool exportable, uint64_t *memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    const CUmemAllocationProp properties = properties_of(device, exportable);
    CUmemGenericAllocationHandle made = 0;
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemCreate(&made, size, &properties, 0), "cuMemCreate of %zu bytes", size);
    *memory = made;
    return status;
}

static void release(struct wl_device *base, uint64_t memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    if (enter(device) == WL_OK && wl_cuda_check(device->driver->cuMemRelease(memory), "cuMemRelease") != WL_OK)
        wl_log(2, "%s", wl_failure());
}

static enum wl_status export_file(struct wl_device *base, uint64_t memory, int *file) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = enter(device);
    return status == WL_OK
               ? wl_cuda_check(device->driver->cuMemExportToShareableHandle(file, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                               "cuMemExportToShareableHandle")
               : status;
}

static enum wl_status import_file(struct wl_device *base, int file, uint64_t *memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUmemGenericAllocationHandle made = 0;
    enum wl_status status = enter(device);
    if (status != WL_OK)
        return status;
    CUresult result = device->driver->cuMemImportFromShareableHandle(&made, (void *)(intptr_t)file, /* NOLINT(performance-no-int-to-ptr) */
                                                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    *memory = made;
    if (result == CUDA_SUCCESS)
        return WL_OK;
    return wl_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? WL_OUT_OF_MEMORY : WL_INVALID_VALUE,
                   "descriptor %d is not memory that a GPU of this driver exported (error %d)", file, (int)result);
}

static enum wl_status reserve(struct wl_device *base, size_t size, size_t alignment, void *hint, void **address) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUdeviceptr place = 0;
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemAddressReserve(&place, size, alignment, address_of(hint), 0),
                               "cuMemAddressReserve of %zu bytes", size);
    *address = (void *)(uintptr_t)place;
    return status;
}

static enum wl_status unreserve(struct wl_device *base, void *address, size_t size) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = enter(device);
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemAddressFree(address_of(address), size), "cuMemAddressFree") : status;
}

static enum wl_status map(struct wl_device *base, void *address, size_t size, uint64_t memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = enter(device);
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemMap(address_of(address), size, 0, memory, 0), "cuMemMap of %zu bytes", size)
                           : status;
}

static enum wl_status unmap(struct wl_device *base, void *address, size_t size) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = enter(device);
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemUnmap(address_of(address), size), "cuMemUnmap of %zu bytes", size) : status;
}

static enum wl_status protect(struct wl_device *base, void *address, size_t size, bool readable, bool writable) {
    struct wl_cuda_device *device = wl_cuda(base);
    const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, device->handle},
                                    writable   ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                    : readable ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                               : CU_MEM_ACCESS_FLAGS_PROT_NONE};
    enum wl_status status = enter(device);
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemSetAccess(address_of(address), size, &access, 1), "cuMemSetAccess")
                           : status;
}

const struct wl_virtual_ops wl_cuda_virtual_ops = {
    .granularity = granularity,
    .create = create,
    .release = release,
    .export_file = export_file,
    .import_file = import_file,
    .reserve = reserve,
    .unreserve = unreserve,
    .map = map,
    .unmap = unmap,
    .protect = protect,
};
