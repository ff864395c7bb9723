/* Pools that are shared with other processes: the driver's. Other pools are the runtime's own (runtime/pool.h). */
#include "base/options.h"
#include "device/cuda/cuda.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(CUmemPoolPtrExportData) == WL_SHARED_HANDLE, "an exported allocation is as long as HIP has it");

static CUmemoryPool handle_of(uint64_t pool) { return (CUmemoryPool)(uintptr_t)pool; }

/* CUDA 11.3 brought them, all together. */
static enum wl_status enter(struct wl_cuda_device *device) {
    if (!device->driver->cuMemPoolExportPointer || !device->driver->cuMemAllocFromPoolAsync)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver has no pools that can be shared");
    return wl_cuda_enter(device);
}

static enum wl_status create(struct wl_device *base, uint64_t max_size, uint64_t *pool) {
    struct wl_cuda_device *device = wl_cuda(base);
    const CUmemPoolProps properties = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                       .handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                                       .location = {CU_MEM_LOCATION_TYPE_DEVICE, device->handle}};
    CUmemoryPool made = NULL;
    (void)max_size; /* the runtime counts; CUDA 12.2 brought the member */
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemPoolCreate(&made, &properties), "cuMemPoolCreate");
    *pool = (uint64_t)(uintptr_t)made;
    return status;
}

static void destroy(struct wl_device *base, uint64_t pool) {
    struct wl_cuda_device *device = wl_cuda(base);
    if (enter(device) == WL_OK && wl_cuda_check(device->driver->cuMemPoolDestroy(handle_of(pool)), "cuMemPoolDestroy") != WL_OK)
        wl_log(2, "%s", wl_failure());
}

static enum wl_status export_file(struct wl_device *base, uint64_t pool, int *file) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = enter(device);
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemPoolExportToShareableHandle(file, handle_of(pool),
                                                                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                                           "cuMemPoolExportToShareableHandle")
                           : status;
}

static enum wl_status import_file(struct wl_device *base, int file, uint64_t *pool) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUmemoryPool made = NULL;
    enum wl_status status = enter(device);
    if (status != WL_OK)
        return status;
    CUresult result = device->driver->cuMemPoolImportFromShareableHandle(
        &made, (void *)(intptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0); /* NOLINT(performance-no-int-to-ptr) */
    *pool = (uint64_t)(uintptr_t)made;
    if (result == CUDA_SUCCESS)
        return WL_OK;
    return wl_fail(result == CUDA_ERROR_OUT_OF_MEMORY ? WL_OUT_OF_MEMORY : WL_INVALID_VALUE,
                   "descriptor %d is not a pool that a GPU of this driver exported (error %d)", file, (int)result);
}

static enum wl_status allocate(struct wl_device *base, uint64_t pool, size_t size, void **memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUdeviceptr made = 0;
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemAllocFromPoolAsync(&made, size, handle_of(pool), device->work.stream),
                               "cuMemAllocFromPoolAsync of %zu bytes", size);
    *memory = (void *)(uintptr_t)made;
    return status == WL_OK ? wl_cuda_queue_ops.synchronize(&device->work) : status;
}

static void release(struct wl_device *base, void *memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    if (enter(device) != WL_OK)
        return;
    if (wl_cuda_check(device->driver->cuMemFreeAsync((CUdeviceptr)(uintptr_t)memory, device->work.stream), "cuMemFreeAsync") != WL_OK)
        wl_log(2, "%s", wl_failure());
    (void)wl_cuda_queue_ops.synchronize(&device->work);
}

static enum wl_status export_memory(struct wl_device *base, const void *memory, void *data) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUmemPoolPtrExportData exported;
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemPoolExportPointer(&exported, (CUdeviceptr)(uintptr_t)memory), "cuMemPoolExportPointer");
    if (status == WL_OK)
        memcpy(data, &exported, sizeof exported);
    return status;
}

static enum wl_status import_memory(struct wl_device *base, uint64_t pool, const void *data, void **memory, size_t *size) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUmemPoolPtrExportData exported;
    CUdeviceptr made = 0, begin = 0;
    memcpy(&exported, data, sizeof exported);
    enum wl_status status = enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemPoolImportPointer(&made, handle_of(pool), &exported), "cuMemPoolImportPointer");
    if (status == WL_OK && device->driver->cuMemGetAddressRange)
        status = wl_cuda_check(device->driver->cuMemGetAddressRange(&begin, size, made), "the size of a pool's memory");
    *memory = (void *)(uintptr_t)made;
    return status;
}

const struct wl_pool_ops wl_cuda_pool_ops = {
    .create = create,
    .destroy = destroy,
    .export_file = export_file,
    .import_file = import_file,
    .allocate = allocate,
    .release = release,
    .export_memory = export_memory,
    .import_memory = import_memory,
};
