/* Memory: of the device, pinned, managed, of peers and of other processes. */
#include "base/options.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

#define DRIVER_ALIGNMENT 256

static CUdeviceptr address_of(const void *memory) { return (CUdeviceptr)(uintptr_t)memory; }

/* ---- device memory --------------------------------------------------------------------------------- */

struct wl_cuda_block {
    void *memory;     /* as it was handed out */
    CUdeviceptr base; /* as the driver knows it */
    struct wl_cuda_block *next;
};

/* The driver aligns to 256 bytes, large blocks to their pages; what needs more gets a larger block. */
static enum wl_status allocate_around(struct wl_cuda_device *device, void **memory, size_t size, size_t alignment) {
    struct wl_cuda_block *block = malloc(sizeof *block);
    if (!block)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the description of a block");
    enum wl_status status =
        wl_cuda_check(device->driver->cuMemAlloc(&block->base, size + alignment), "cuMemAlloc of %zu bytes", size + alignment);
    if (status != WL_OK) {
        free(block);
        return status;
    }
    block->memory = *memory = (void *)(uintptr_t)((block->base + alignment - 1) / alignment * alignment);
    pthread_mutex_lock(&device->lock);
    block->next = device->blocks;
    device->blocks = block;
    pthread_mutex_unlock(&device->lock);
    return WL_OK;
}

enum wl_status wl_cuda_allocate(struct wl_device *base, void **memory, size_t size, size_t alignment) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUdeviceptr address = 0;
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemAlloc(&address, size), "cuMemAlloc of %zu bytes", size);
    if (status != WL_OK)
        return status;
    if (alignment <= DRIVER_ALIGNMENT || address % alignment == 0) {
        *memory = (void *)(uintptr_t)address;
        return WL_OK;
    }
    (void)device->driver->cuMemFree(address);
    return allocate_around(device, memory, size, alignment);
}

/* Takes a block's entry out. 0: the memory has none. */
static CUdeviceptr forget_block(struct wl_cuda_device *device, const void *memory) {
    CUdeviceptr base = 0;
    pthread_mutex_lock(&device->lock);
    for (struct wl_cuda_block **link = &device->blocks; *link && !base; link = &(*link)->next)
        if ((*link)->memory == memory) {
            struct wl_cuda_block *block = *link;
            base = block->base;
            *link = block->next;
            free(block);
            break;
        }
    pthread_mutex_unlock(&device->lock);
    return base;
}

void wl_cuda_release(struct wl_device *base, void *memory, size_t size) {
    struct wl_cuda_device *device = wl_cuda(base);
    (void)size;
    if (wl_cuda_enter(device) != WL_OK)
        return;
    CUdeviceptr address = device->blocks ? forget_block(device, memory) : 0;
    if (wl_cuda_check(device->driver->cuMemFree(address ? address : address_of(memory)), "cuMemFree of %p", memory) != WL_OK)
        wl_log(2, "%s", wl_failure());
}

/* The driver tells from the addresses what memory it is; host memory that it does not know is copied through its own buffers. Not in the
 * null stream: a kernel that waits for something may be in front there. */
enum wl_status wl_cuda_copy(struct wl_device *base, void *target, const void *source, size_t size) {
    struct wl_cuda_device *device = wl_cuda(base);
    const struct wl_rows rows = {.target = target, .source = source, .width = size, .rows = 1};
    if (size == 0)
        return WL_OK;
    enum wl_status status = wl_cuda_queue_ops.copy(&device->work, &rows);
    return status == WL_OK ? wl_cuda_queue_ops.synchronize(&device->work) : status;
}

enum wl_status wl_cuda_fill(struct wl_device *base, void *target, uint32_t pattern, unsigned pattern_size, size_t count) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = wl_cuda_queue_ops.fill(&device->work, target, pattern, pattern_size, count);
    return status == WL_OK ? wl_cuda_queue_ops.synchronize(&device->work) : status;
}

/* Whether the address is in memory that the program has freed. */
static bool is_spare(struct wl_cuda_device *device, const void *address) {
    const uintptr_t at = (uintptr_t)address;
    bool found = false;
    pthread_mutex_lock(&device->lock);
    for (unsigned i = 0; i < device->spare_count && !found; i++)
        found = at - (uintptr_t)device->spares[i].memory < device->spares[i].size;
    pthread_mutex_unlock(&device->lock);
    return found;
}

bool wl_cuda_find(struct wl_device *base, const void *address, void **begin, size_t *size) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUdeviceptr first = 0;
    if (!device->driver->cuMemGetAddressRange || is_spare(device, address) || wl_cuda_enter(device) != WL_OK ||
        device->driver->cuMemGetAddressRange(&first, size, address_of(address)) != CUDA_SUCCESS)
        return false;
    *begin = (void *)(uintptr_t)first;
    return true;
}

void wl_cuda_memory_info(struct wl_device *base, uint64_t *free, uint64_t *total) {
    struct wl_cuda_device *device = wl_cuda(base);
    size_t left = 0, all = 0;
    if (wl_cuda_enter(device) != WL_OK || device->driver->cuMemGetInfo(&left, &all) != CUDA_SUCCESS)
        return;
    *free = left;
    *total = all;
}

/* ---- pinned memory ------------------------------------------------------------------------------- */

/* The driver takes some 100 us to pin pages, and to give them back. Small blocks that were freed wait here for the next allocation. */

static void *take_spare(struct wl_cuda_device *device, size_t size) {
    void *memory = NULL;
    pthread_mutex_lock(&device->lock);
    for (unsigned i = device->spare_count; i-- > 0 && !memory;)
        if (device->spares[i].size == size) {
            memory = device->spares[i].memory;
            device->spares[i] = device->spares[--device->spare_count];
        }
    pthread_mutex_unlock(&device->lock);
    return memory;
}

static bool keep_spare(struct wl_cuda_device *device, void *memory, size_t size) {
    if (!size || size > WL_CUDA_SPARE_SIZE)
        return false;
    pthread_mutex_lock(&device->lock);
    const bool fits = device->spare_count < WL_CUDA_SPARES;
    if (fits)
        device->spares[device->spare_count++] = (struct wl_cuda_spare){memory, size};
    pthread_mutex_unlock(&device->lock);
    return fits;
}

static enum wl_status host_allocate(struct wl_device *base, void **memory, size_t size, unsigned flags) {
    struct wl_cuda_device *device = wl_cuda(base);
    unsigned how =
        CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | (flags & WL_HOST_WRITE_COMBINED ? CU_MEMHOSTALLOC_WRITECOMBINED : 0);
    enum wl_status status = wl_cuda_enter(device);
    void *spare = status == WL_OK && !(flags & WL_HOST_WRITE_COMBINED) ? take_spare(device, size) : NULL;
    if (spare) {
        *memory = spare;
        return WL_OK;
    }
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemHostAlloc(memory, size, how), "cuMemHostAlloc of %zu bytes", size) : status;
}

static void host_release(struct wl_device *base, void *memory, size_t size) {
    struct wl_cuda_device *device = wl_cuda(base);
    if (keep_spare(device, memory, size))
        return;
    if (wl_cuda_enter(device) == WL_OK && wl_cuda_check(device->driver->cuMemFreeHost(memory), "cuMemFreeHost of %p", memory) != WL_OK)
        wl_log(2, "%s", wl_failure());
}

static enum wl_status enroll(struct wl_device *base, void *memory, size_t size, unsigned flags) {
    struct wl_cuda_device *device = wl_cuda(base);
    const unsigned plain = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
    const unsigned how =
        plain | (flags & WL_HOST_IO ? CU_MEMHOSTREGISTER_IOMEMORY : 0) | (flags & WL_HOST_READ_ONLY ? CU_MEMHOSTREGISTER_READ_ONLY : 0);
    CUdeviceptr address = 0;
    enum wl_status status = wl_cuda_enter(device);
    if (status != WL_OK)
        return status;
    CUresult result = device->driver->cuMemHostRegister(memory, size, how);
    if (result != CUDA_SUCCESS && how != plain) /* to HIP these are hints; the driver refuses what is no I/O memory, or not read-only */
        result = device->driver->cuMemHostRegister(memory, size, plain);
    status = wl_cuda_check(result, "cuMemHostRegister of %zu bytes", size);
    if (status != WL_OK)
        return status;
    status = wl_cuda_check(device->driver->cuMemHostGetDevicePointer(&address, memory, 0), "the device's address of %p", memory);
    if (status == WL_OK && address != address_of(memory)) /* Linux on x86-64 and AArch64 has one address space */
        status = wl_fail(WL_UNSUPPORTED, "the GPU sees the host's memory at other addresses");
    if (status != WL_OK)
        (void)device->driver->cuMemHostUnregister(memory);
    return status;
}

static void withdraw(struct wl_device *base, void *memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    if (wl_cuda_enter(device) == WL_OK &&
        wl_cuda_check(device->driver->cuMemHostUnregister(memory), "cuMemHostUnregister of %p", memory) != WL_OK)
        wl_log(2, "%s", wl_failure());
}

/* ---- managed memory -------------------------------------------------------------------------------- */

static enum wl_status managed_allocate(struct wl_device *base, void **memory, size_t size) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUdeviceptr address = 0;
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status =
            wl_cuda_check(device->driver->cuMemAllocManaged(&address, size, CU_MEM_ATTACH_GLOBAL), "cuMemAllocManaged of %zu bytes", size);
    *memory = (void *)(uintptr_t)address;
    return status;
}

static void managed_release(struct wl_device *base, void *memory) { wl_cuda_release(base, memory, 0); }

static enum wl_status managed_advise(struct wl_device *base, const void *memory, size_t size, enum wl_advice advice,
                                     const struct wl_device *location, bool on) {
    static const CUmem_advise table[][2] = {
        [WL_ADVICE_READ_MOSTLY] = {CU_MEM_ADVISE_UNSET_READ_MOSTLY, CU_MEM_ADVISE_SET_READ_MOSTLY},
        [WL_ADVICE_PREFERRED] = {CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, CU_MEM_ADVISE_SET_PREFERRED_LOCATION},
        [WL_ADVICE_ACCESSED_BY] = {CU_MEM_ADVISE_UNSET_ACCESSED_BY, CU_MEM_ADVISE_SET_ACCESSED_BY},
    };
    struct wl_cuda_device *device = wl_cuda(base);
    if (!device->driver->cuMemAdvise || (size_t)advice >= sizeof table / sizeof *table)
        return WL_OK; /* advice that the driver does not know */
    enum wl_status status = wl_cuda_enter(device);
    CUdevice place = location ? wl_cuda(location)->handle : CU_DEVICE_CPU;
    return status == WL_OK ? wl_cuda_check(device->driver->cuMemAdvise(address_of(memory), size, table[advice][on], place), "cuMemAdvise")
                           : status;
}

/* ---- peers ------------------------------------------------------------------------------------- */

static bool peer_possible(const struct wl_device *base, const struct wl_device *peer) {
    const struct wl_cuda_device *device = wl_cuda(base);
    int possible = 0;
    return device->driver->cuDeviceCanAccessPeer(&possible, device->handle, wl_cuda(peer)->handle) == CUDA_SUCCESS && possible;
}

static enum wl_status peer_access(struct wl_device *base, struct wl_device *peer) {
    struct wl_cuda_device *device = wl_cuda(base);
    enum wl_status status = wl_cuda_enter(device);
    if (status != WL_OK)
        return status;
    CUresult result = device->driver->cuCtxEnablePeerAccess(wl_cuda(peer)->context, 0);
    return result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? WL_OK : wl_cuda_check(result, "access to a peer");
}

/* ---- between processes --------------------------------------------------------------------------- */

static enum wl_status share(struct wl_device *base, const void *memory, void *handle) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUipcMemHandle shared;
    if (!device->driver->cuIpcGetMemHandle)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver cannot share memory");
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuIpcGetMemHandle(&shared, address_of(memory)), "cuIpcGetMemHandle of %p", memory);
    if (status == WL_OK)
        memcpy(handle, shared.reserved, WL_SHARED_HANDLE);
    return status;
}

static enum wl_status shared_open(struct wl_device *base, const void *handle, void **memory, size_t *size) {
    struct wl_cuda_device *device = wl_cuda(base);
    CUipcMemHandle shared;
    CUdeviceptr address = 0, begin = 0;
    if (!device->driver->cuIpcOpenMemHandle || !device->driver->cuMemGetAddressRange)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver cannot share memory");
    memcpy(shared.reserved, handle, WL_SHARED_HANDLE);
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status =
            wl_cuda_check(device->driver->cuIpcOpenMemHandle(&address, shared, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), "cuIpcOpenMemHandle");
    if (status == WL_INTERNAL) /* CUDA_ERROR_UNKNOWN: the process, or the memory, is no more */
        status = wl_fail(WL_NOT_FOUND, "%s", wl_failure());
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuMemGetAddressRange(&begin, size, address), "the size of shared memory");
    if (status == WL_OK)
        *size -= (size_t)(address - begin);
    *memory = (void *)(uintptr_t)address;
    return status;
}

static void shared_close(struct wl_device *base, void *memory) {
    struct wl_cuda_device *device = wl_cuda(base);
    if (device->driver->cuIpcCloseMemHandle && wl_cuda_enter(device) == WL_OK)
        (void)device->driver->cuIpcCloseMemHandle(address_of(memory));
}

const struct wl_host_memory_ops wl_cuda_host_ops = {
    .allocate = host_allocate,
    .release = host_release,
    .enroll = enroll,
    .withdraw = withdraw,
    .managed_allocate = managed_allocate,
    .managed_release = managed_release,
    .managed_advise = managed_advise,
    .peer_possible = peer_possible,
    .peer_access = peer_access,
    .share = share,
    .shared_open = shared_open,
    .shared_close = shared_close,
};
