/* AMD code objects on a GPU: their image in device memory, and their kernels. */
#include "base/options.h"
#include "base/page.h"
#include "device/cuda/cuda.h"
#include "device/translate_request.h"

#include <stdlib.h>
#include <string.h>

/* ---- the image ------------------------------------------------------------------------------------ */

/* Relocated on the host for the address that it will have. Scalar loads read whole cache lines past an object's end. */
static enum wl_status place_image(struct wl_device_module *module) {
    struct wl_device *device = &module->device->base;
    size_t mapped = module->image_size + WL_PAGE;
    void *memory = NULL, *staged = calloc(1, mapped);
    enum wl_status status = staged ? wl_cuda_allocate(device, &memory, mapped, WL_PAGE)
                                   : wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object of %zu bytes", mapped);
    module->image = (CUdeviceptr)(uintptr_t)memory;
    if (status == WL_OK)
        status = wl_codeobject_load(module->object, staged, module->image);
    if (status == WL_OK)
        status = wl_cuda_copy(device, memory, staged, mapped);
    free(staged);
    return status;
}

enum wl_status wl_cuda_module_load(struct wl_device *device, struct wl_codeobject *object, struct wl_device_module **result) {
    struct wl_device_module *module = calloc(1, sizeof *module);
    if (!module)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a module");
    pthread_mutex_init(&module->lock, NULL);
    module->device = wl_cuda(device);
    module->generation = atomic_load(&module->device->generation);
    module->object = object;
    module->target = wl_codeobject_target(object);
    module->image_size = wl_codeobject_image_size(object);
    wl_codeobject_hash(object, module->hash);
    enum wl_status status = place_image(module);
    if (status == WL_OK && !(module->functions = wl_translate_functions(object, &module->function_count)))
        status = WL_OUT_OF_MEMORY;
    if (status != WL_OK) {
        wl_cuda_module_unload(module);
        return status;
    }
    *result = module;
    return WL_OK;
}

/* The report of a fault must not name what is not there any more. */
static void forget_launches(const struct wl_device_module *module) {
    for (unsigned i = 0; i < WL_CUDA_RECENT; i++) {
        const struct wl_device_function *function = atomic_load(&module->device->recent[i]);
        if (function && function->module == module)
            atomic_store(&module->device->recent[i], NULL);
    }
}

void wl_cuda_module_unload(struct wl_device_module *module) {
    bool gone = module->generation != atomic_load(&module->device->generation);
    forget_launches(module);
    while (module->kernels) {
        struct wl_device_function *function = module->kernels;
        module->kernels = function->next;
        wl_cuda_variants_release(function, !gone);
        if (!module->object)
            free((void *)(uintptr_t)function->own.arguments);
        free((void *)(uintptr_t)function->own.name);
        free(function);
    }
    if (module->image && !gone)
        wl_cuda_release(&module->device->base, (void *)(uintptr_t)module->image, 0);
    if (module->native && !module->adopted && !gone && wl_cuda_enter(module->device) == WL_OK)
        (void)module->device->driver->cuModuleUnload(module->native);
    for (size_t i = 0; i < module->name_count; i++)
        free((void *)(uintptr_t)module->names[i]);
    free((void *)module->names);
    pthread_mutex_destroy(&module->lock);
    free(module->functions);
    free(module);
}

void *wl_cuda_module_address(struct wl_device_module *module, uint64_t virtual_address) {
    return module->object && virtual_address < module->image_size ? (void *)(uintptr_t)(module->image + virtual_address) : NULL;
}

static void list_hidden(struct wl_device_function *function) {
    const struct wl_kernel *kernel = function->kernel;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        function->uses_hostcall |= kernel->arguments[i].kind == WL_ARG_HIDDEN_HOSTCALL_BUFFER;
        function->uses_print_buffer |= kernel->arguments[i].kind == WL_ARG_HIDDEN_PRINTF_BUFFER;
        function->uses_heap |= kernel->arguments[i].kind == WL_ARG_HIDDEN_HEAP_V1;
        function->uses_sync |= kernel->arguments[i].kind == WL_ARG_HIDDEN_MULTIGRID_SYNC_ARG;
    }
}

/* ---- kernels -------------------------------------------------------------------------------------- */

enum wl_status wl_cuda_module_function(struct wl_device_module *module, const struct wl_kernel *kernel,
                                       struct wl_device_function **result) {
    if (module->object && kernel->wave_size != 32 && kernel->wave_size != 64)
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has a wave size of %u", kernel->name, kernel->wave_size);
    if (wl_cuda_forked())
        return wl_cuda_enter(module->device);
    pthread_mutex_lock(&module->lock);
    struct wl_device_function *function = module->kernels;
    while (function && function->kernel != kernel)
        function = function->next;
    if (!function && (function = calloc(1, sizeof *function))) {
        function->module = module;
        function->kernel = kernel;
        list_hidden(function);
        function->next = module->kernels;
        module->kernels = function;
    }
    pthread_mutex_unlock(&module->lock);
    *result = function;
    return function ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for kernel %s", kernel->name);
}

enum wl_status wl_cuda_prepare(struct wl_device_function *function, const uint32_t block[3], const uint32_t remainder[3]) {
    struct wl_cuda_variant *variant = NULL;
    if (function->native)
        return WL_OK;
    return wl_cuda_variant(function, block, remainder[0] || remainder[1] || remainder[2], &variant);
}

/* What the driver says of the newest variant. */
bool wl_cuda_function_info(struct wl_device_function *function, struct wl_function_info *info) {
    struct wl_cuda_variant *variant = atomic_load_explicit(&function->variants, memory_order_acquire);
    const struct wl_cuda_driver *driver = function->module->device->driver;
    while (variant && variant->failed)
        variant = variant->next;
    CUfunction made = function->native ? function->native : variant ? variant->function : NULL;
    if (!made || wl_cuda_enter(function->module->device) != WL_OK)
        return false;
    const struct {
        uint32_t *field;
        CUfunction_attribute attribute;
    } table[] = {{&info->registers, CU_FUNC_ATTRIBUTE_NUM_REGS},
                 {&info->local_size, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
                 {&info->constant_size, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES},
                 {&info->ptx_version, CU_FUNC_ATTRIBUTE_PTX_VERSION},
                 {&info->binary_version, CU_FUNC_ATTRIBUTE_BINARY_VERSION},
                 {&info->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int value = 0;
        if (driver->cuFuncGetAttribute(&value, table[i].attribute, made) != CUDA_SUCCESS)
            return false;
        *table[i].field = value < 0 ? 0 : (uint32_t)value;
    }
    return true;
}

/* Of a kernel that was never prepared for such a block, code for a row of work items is asked. */
uint32_t wl_cuda_occupancy(struct wl_device_function *function, uint32_t block_size, size_t dynamic_lds) {
    const struct wl_cuda_device *device = function->module->device;
    CUfunction made = function->native;
    uint32_t threads = block_size, *given = &function->shared_given;
    size_t shared = dynamic_lds;
    int blocks = 0;
    if (!made) {
        const uint32_t block[3] = {block_size, 1, 1};
        struct wl_cuda_variant *variant = NULL;
        if (wl_cuda_variant(function, block, false, &variant) != WL_OK) {
            wl_log(2, "no occupancy of %s: %s", function->kernel->name, wl_failure());
            return 0;
        }
        made = variant->function;
        given = &variant->shared_given;
        threads = wl_ptx_threads(block_size, function->kernel->wave_size, variant->info.wave_threads);
        shared = variant->info.uses_lds ? dynamic_lds + variant->info.static_lds : 0;
    }
    if (wl_cuda_enter(device) != WL_OK || wl_cuda_allow_shared(device, made, (uint32_t)shared, given) != WL_OK ||
        device->driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, made, (int)threads, shared) != CUDA_SUCCESS || blocks < 0)
        return 0;
    return (uint32_t)blocks;
}
