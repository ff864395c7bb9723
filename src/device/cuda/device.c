/* GPUs: creation, properties, and the table of operations. */
#include "base/options.h"
#include "device/cuda/cuda.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_SM 70 /* what translated code needs: independent threads of a warp, shuffles and votes with masks */
#define MIN_STACK 16384u
#define MAX_STACK (512u << 10) /* the driver's own limit for local memory a thread */

/* ---- contexts and faults ------------------------------------------------------------------------- */

/* Asked each time: a program that uses the driver as well may have changed it. */
enum wl_status wl_cuda_enter(const struct wl_cuda_device *device) {
    CUcontext current = NULL;
    if (wl_cuda_forked())
        return wl_fail(WL_ILLEGAL_STATE, "a child of fork cannot use GPU %d", device->handle);
    if (device->driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == device->context)
        return WL_OK;
    return wl_cuda_check(device->driver->cuCtxSetCurrent(device->context), "the context of GPU %d", device->handle);
}

bool wl_cuda_is_fault(enum wl_status status) {
    return status == WL_ILLEGAL_ADDRESS || status == WL_ILLEGAL_INSTRUCTION || status == WL_ASSERT || status == WL_ABORTED;
}

/* "kernel a" or "one of the kernels a, b, c" (the latest first): those of which nobody knows yet that they ended well. */
static void name_suspects(const struct wl_cuda_device *device, char *text, size_t size) {
    uint64_t made = atomic_load(&device->launches), settled = atomic_load(&device->settled);
    uint64_t count = made - settled < WL_CUDA_RECENT ? made - settled : WL_CUDA_RECENT;
    size_t used = (size_t)snprintf(text, size, count == 1 ? "kernel" : "one of the kernels");
    for (uint64_t i = 0; i < count && used < size; i++) {
        const struct wl_device_function *function = atomic_load(&device->recent[(made - 1 - i) % WL_CUDA_RECENT]);
        if (function)
            used += (size_t)snprintf(text + used, size - used, "%s %.160s", i ? "," : "", function->kernel->name);
    }
    if (made - settled > WL_CUDA_RECENT && used < size)
        snprintf(text + used, size - used, ", or an earlier one");
}

enum wl_status wl_cuda_result(struct wl_cuda_device *device, CUresult result, const char *what) {
    if (result == CUDA_SUCCESS)
        return WL_OK;
    enum wl_status status = wl_cuda_check(result, "%s", what);
    if (wl_cuda_is_fault(status) && wl_cuda_services_asserted(device))
        status = wl_fail(WL_ASSERT, "a kernel on GPU %d stopped behind a failed assertion", device->handle);
    if (status == WL_ASSERT)
        wl_cuda_services_flush(device);
    if (wl_cuda_is_fault(status) && atomic_compare_exchange_strong(&device->fault, &(int){WL_OK}, (int)status)) {
        char suspects[1024];
        name_suspects(device, suspects, sizeof suspects);
        wl_log(0, "%s failed on GPU %d, found by %s. The driver does not say where; with WAVELIFT_DEVICES=cpu the same program reports it",
               suspects, device->handle, wl_failure());
    }
    return status;
}

static enum wl_status synchronize(struct wl_device *device) {
    struct wl_cuda_device *cuda = wl_cuda(device);
    enum wl_status status = wl_cuda_enter(cuda);
    uint64_t launches = atomic_load(&cuda->launches);
    if (status == WL_OK)
        status = wl_cuda_result(cuda, cuda->driver->cuCtxSynchronize(), "waiting for the device");
    if (status == WL_OK)
        atomic_store(&cuda->settled, launches);
    wl_cuda_services_flush(cuda);
    return status;
}

static enum wl_status open_work(struct wl_cuda_device *device) {
    return wl_cuda_check(device->driver->cuStreamCreateWithPriority(&device->work.stream, CU_STREAM_NON_BLOCKING, 0), "a stream");
}

/* Whether the context really works: after some faults the driver hands one out that is already destroyed. */
static CUresult try_context(const struct wl_cuda_driver *driver, CUcontext context) {
    CUdeviceptr memory = 0;
    CUresult result = driver->cuCtxSetCurrent(context);
    if (result == CUDA_SUCCESS)
        result = driver->cuCtxSynchronize();
    if (result == CUDA_SUCCESS)
        result = driver->cuMemAlloc(&memory, 1);
    if (result == CUDA_SUCCESS) {
        result = driver->cuMemsetD8Async(memory, 0, 1, CU_STREAM_LEGACY);
        CUresult waited = driver->cuCtxSynchronize();
        (void)driver->cuMemFree(memory);
        result = result == CUDA_SUCCESS ? waited : result;
    }
    return result;
}

/* The driver throws the context away and makes a new one; throwing it away may report the fault once more. Not every fault lets the
 * driver go on in the process: then the new context has it too. What still refers to the old one knows it by its generation. */
static enum wl_status reset(struct wl_device *device) {
    enum { ATTEMPTS = 3 };
    struct wl_cuda_device *cuda = wl_cuda(device);
    CUresult result = CUDA_ERROR_UNKNOWN;
    for (int i = 0; i < ATTEMPTS && result != CUDA_SUCCESS; i++) {
        (void)cuda->driver->cuCtxSetCurrent(NULL);
        (void)cuda->driver->cuDevicePrimaryCtxReset(cuda->handle);
        (void)cuda->driver->cuDevicePrimaryCtxRelease(cuda->handle);
        result = cuda->driver->cuDevicePrimaryCtxRetain(&cuda->context, cuda->handle);
        if (result == CUDA_SUCCESS)
            result = try_context(cuda->driver, cuda->context);
    }
    enum wl_status status = wl_cuda_check(result, "GPU %d after a reset: the process has to be started again", cuda->handle);
    if (status != WL_OK)
        return status;
    pthread_mutex_lock(&cuda->lock);
    atomic_fetch_add(&cuda->generation, 1);
    wl_cuda_ring_forget(cuda);
    cuda->spare_count = 0; /* the driver has freed them */
    pthread_mutex_unlock(&cuda->lock);
    wl_cuda_services_forget(cuda);
    wl_cuda_borders_forget(cuda);
    wl_cuda_wait_forget(cuda);
    atomic_store(&cuda->settled, atomic_load(&cuda->launches));
    atomic_store(&cuda->fault, WL_OK);
    status = wl_cuda_enter(cuda);
    cuda->work.generation = atomic_load(&cuda->generation);
    return status == WL_OK ? open_work(cuda) : status;
}

/* ---- properties ------------------------------------------------------------------------------- */

static uint32_t attribute(const struct wl_cuda_device *device, int which) {
    int value = 0;
    if (device->driver->cuDeviceGetAttribute(&value, (CUdevice_attribute)which, device->handle) != CUDA_SUCCESS || value < 0)
        return 0;
    return (uint32_t)value;
}

static void read_numbers(const struct wl_cuda_device *device, struct wl_device_info *info) {
    const struct {
        uint32_t *field;
        int attribute;
    } numbers[] = {
        {&info->compute_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {&info->registers, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
        {&info->clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {&info->memory_clock_khz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {&info->memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {&info->l2_size, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {&info->lds_per_unit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR},
        {&info->registers_per_unit, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR},
        {&info->items_per_unit, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {&info->groups_per_unit, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR},
        {&info->compute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {&info->compute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {&info->copy_engines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
        {&info->double_ratio, CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO},
    };
    const struct {
        bool *field;
        int attribute;
    } abilities[] = {
        {&info->managed, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
        {&info->concurrent_managed, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS},
        {&info->pageable_access, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
        {&info->host_page_tables, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES},
        {&info->direct_managed, CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST},
        {&info->host_atomics, CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED},
        {&info->cooperative, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH},
        {&info->ecc, CU_DEVICE_ATTRIBUTE_ECC_ENABLED},
        {&info->display, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i].field = attribute(device, numbers[i].attribute);
    for (size_t i = 0; i < sizeof abilities / sizeof *abilities; i++)
        *abilities[i].field = attribute(device, abilities[i].attribute) != 0;
}

static void device_info(struct wl_device *device, struct wl_device_info *info) {
    const struct wl_cuda_device *cuda = wl_cuda(device);
    const struct wl_cuda_driver *driver = cuda->driver;
    size_t memory = 0;
    CUuuid uuid;
    memset(info, 0, sizeof *info);
    info->discrete = true;
    if (driver->cuDeviceGetName(info->name, sizeof info->name, cuda->handle) != CUDA_SUCCESS)
        snprintf(info->name, sizeof info->name, "NVIDIA GPU");
    if (driver->cuDeviceTotalMem(&memory, cuda->handle) == CUDA_SUCCESS)
        info->memory_size = memory;
    read_numbers(cuda, info);
    for (int d = 0; d < 3; d++) {
        info->max_block[d] = 1024; /* a block of work items is laid out as one row of threads */
        info->max_grid[d] = attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + d);
    }
    info->max_workgroup_size = attribute(cuda, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    info->lds_size = cuda->shared_limit;
    info->pci_domain = (int32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
    info->pci_bus = (int32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
    info->pci_device = (int32_t)attribute(cuda, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
    if (driver->cuDeviceGetUuid && driver->cuDeviceGetUuid(&uuid, cuda->handle) == CUDA_SUCCESS)
        memcpy(info->uuid, uuid.bytes, sizeof info->uuid);
}

/* ---- the interface without queues ---------------------------------------------------------------- */

static enum wl_status launch_and_wait(struct wl_device *device, const struct wl_launch *launch) {
    enum wl_status status = wl_cuda_launch(wl_cuda(device), CU_STREAM_LEGACY, launch);
    return status == WL_OK ? synchronize(device) : status;
}

static enum wl_status limit_stack(struct wl_device *device, size_t bytes) {
    if (bytes > MAX_STACK)
        return wl_fail(WL_INVALID_VALUE, "a stack of %zu bytes a lane; a thread of the GPU has at most %u", bytes, MAX_STACK);
    atomic_store(&wl_cuda(device)->stack_size, bytes < MIN_STACK ? MIN_STACK : (uint32_t)(bytes + 15) & ~15u);
    return WL_OK;
}

/* ---- fork: in the child no thread but this one exists, and the driver is its parent's ----------------------- */

enum { MOST_DEVICES = 64 };
static struct wl_cuda_device *_Atomic devices[MOST_DEVICES]; /* all that were made */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void after_fork(void) {
    for (unsigned i = 0; i < MOST_DEVICES; i++) {
        struct wl_cuda_device *device = atomic_load(&devices[i]);
        if (!device)
            continue;
        pthread_mutex_init(&device->lock, NULL);
        pthread_mutex_init(&device->services_lock, NULL);
        pthread_mutex_init(&device->print_lock, NULL);
        atomic_store(&device->services, NULL); /* what kernels print is for the parent */
    }
}

static void register_fork(void) { pthread_atfork(NULL, NULL, after_fork); }

/* Notes a device, or forgets it. */
static void note_device(struct wl_cuda_device *device, bool alive) {
    pthread_once(&fork_once, register_fork);
    for (unsigned i = 0; i < MOST_DEVICES; i++) {
        struct wl_cuda_device *expected = alive ? NULL : device;
        if (atomic_compare_exchange_strong(&devices[i], &expected, alive ? device : NULL))
            return;
    }
}

/* ---- creation --------------------------------------------------------------------------------- */

static void destroy(struct wl_device *device) {
    struct wl_cuda_device *cuda = wl_cuda(device);
    note_device(cuda, false);
    while (cuda->marks) {
        struct wl_device_mark *mark = cuda->marks;
        cuda->marks = mark->next;
        (void)cuda->driver->cuEventDestroy(mark->event);
        free(mark);
    }
    wl_cuda_ring_release(cuda);
    wl_cuda_print_release(cuda);
    while (cuda->spare_count)
        (void)cuda->driver->cuMemFreeHost(cuda->spares[--cuda->spare_count].memory);
    if (cuda->context)
        (void)cuda->driver->cuDevicePrimaryCtxRelease(cuda->handle);
    pthread_mutex_destroy(&cuda->print_lock);
    pthread_mutex_destroy(&cuda->services_lock);
    pthread_mutex_destroy(&cuda->lock);
    free(cuda);
}

static const struct wl_device_ops operations = {
    .kind = "cuda",
    .info = device_info,
    .destroy = destroy,
    .allocate = wl_cuda_allocate,
    .release = wl_cuda_release,
    .copy = wl_cuda_copy,
    .fill = wl_cuda_fill,
    .module_load = wl_cuda_module_load,
    .module_unload = wl_cuda_module_unload,
    .module_address = wl_cuda_module_address,
    .module_function = wl_cuda_module_function,
    .prepare = wl_cuda_prepare,
    .launch = launch_and_wait,
    .limit_stack = limit_stack,
    .occupancy = wl_cuda_occupancy,
    .queues = &wl_cuda_queue_ops,
    .host = &wl_cuda_host_ops,
    .images = &wl_cuda_image_ops,
    .native = &wl_cuda_native_ops,
    .virtual_memory = &wl_cuda_virtual_ops,
    .pools = &wl_cuda_pool_ops,
    .external = &wl_cuda_external_ops,
    .synchronize = synchronize,
    .reset = reset,
    .find = wl_cuda_find,
    .memory_info = wl_cuda_memory_info,
    .function_info = wl_cuda_function_info,
};

static enum wl_status open_device(struct wl_cuda_device *device, unsigned ordinal) {
    int count = 0;
    enum wl_status status = wl_cuda_check(device->driver->cuDeviceGetCount(&count), "the number of GPUs");
    if (status == WL_OK && ordinal >= (unsigned)count)
        status = wl_fail(WL_NOT_FOUND, "there are %d GPUs", count);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuDeviceGet(&device->handle, (int)ordinal), "GPU %u", ordinal);
    if (status != WL_OK)
        return status;
    device->sm = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                 attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    if (device->sm < OLDEST_SM)
        return wl_fail(WL_NOT_FOUND, "GPU %u has compute capability %u.%u; Wavelift's code needs %u.%u", ordinal, device->sm / 10,
                       device->sm % 10, OLDEST_SM / 10, OLDEST_SM % 10);
    device->shared_limit = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (!device->shared_limit)
        device->shared_limit = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    CUresult result = device->driver->cuDevicePrimaryCtxRetain(&device->context, device->handle);
    if (result != CUDA_SUCCESS)
        device->context = NULL;
    status = wl_cuda_check(result, "a context on GPU %u", ordinal);
    if (status == WL_OK)
        status = wl_cuda_enter(device);
    device->work = (struct wl_device_queue){.device = device, .non_blocking = true, .generation = device->generation};
    return status == WL_OK ? open_work(device) : status;
}

enum wl_status wl_cuda_device_create(struct wl_device **result, unsigned ordinal, unsigned index) {
    const struct wl_cuda_driver *driver = NULL;
    enum wl_status status = wl_cuda_driver(&driver);
    if (status != WL_OK)
        return status;
    struct wl_cuda_device *device = calloc(1, sizeof *device);
    if (!device)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a device");
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->services_lock, NULL);
    pthread_mutex_init(&device->print_lock, NULL);
    device->base.ops = &operations;
    device->base.index = index;
    device->driver = driver;
    atomic_init(&device->stack_size, MIN_STACK);
    status = open_device(device, ordinal);
    if (status != WL_OK) {
        destroy(&device->base);
        return status == WL_NOT_FOUND ? status : wl_fail(WL_NOT_FOUND, "%s", wl_failure());
    }
    note_device(device, true);
    *result = &device->base;
    return WL_OK;
}
