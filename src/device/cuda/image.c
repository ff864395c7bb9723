/* PTX, cubin and CUDA fat binaries as they are. A kernel's parameters are described as a code object's arguments, so that launches
 * are packed the same way: the buffer has the layout of the parameter space. */
#include "base/array.h"
#include "base/assert.h"
#include "base/options.h"
#include "device/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

#define LOG_BYTES 16384

/* ---- loading -------------------------------------------------------------------------------------- */

/* HIP's numbers are the driver's up to CU_JIT_FMA; the four behind were added later. 0xffff: unknown to the driver. */
static unsigned driver_option(int option) {
    enum { HIP_POSITION_INDEPENDENT_CODE = CU_JIT_FMA + 1, HIP_OVERRIDE_DIRECTIVE_VALUES = HIP_POSITION_INDEPENDENT_CODE + 3 };
    if (option >= 0 && option <= CU_JIT_FMA)
        return (unsigned)option;
    if (option >= HIP_POSITION_INDEPENDENT_CODE && option <= HIP_OVERRIDE_DIRECTIVE_VALUES)
        return (unsigned)(option - HIP_POSITION_INDEPENDENT_CODE) + CU_JIT_POSITION_INDEPENDENT_CODE;
    return 0xffff;
}

/* The driver's options: the caller's, and a log of our own where he asks for none. `values` of the caller come back to him: the
 * driver writes log sizes and the time into them. */
struct options {
    unsigned count;
    CUjit_option *names;
    void **values;
    char log[LOG_BYTES];
};

static enum wl_status make_options(const struct wl_jit *jit, struct options *options) {
    unsigned given = jit ? jit->count : 0;
    bool wants_log = false;
    options->names = calloc(given + 2, sizeof *options->names);
    options->values = (void **)calloc(given + 2, sizeof *options->values);
    if (!options->names || !options->values)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u options", given);
    for (unsigned i = 0; i < given; i++) {
        unsigned option = driver_option(jit->options[i]);
        if (option == 0xffff)
            return wl_fail(WL_INVALID_VALUE, "the CUDA driver has no option like hipJitOption %d", jit->options[i]);
        wants_log |= option == CU_JIT_ERROR_LOG_BUFFER;
        options->names[i] = (CUjit_option)option;
        options->values[i] = jit->values[i];
    }
    options->count = given;
    if (!wants_log) {
        options->names[given] = CU_JIT_ERROR_LOG_BUFFER;
        options->values[given] = options->log;
        options->names[given + 1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
        options->values[given + 1] = (void *)(uintptr_t)LOG_BYTES;
        options->count += 2;
    }
    return WL_OK;
}

static enum wl_status load(struct wl_cuda_device *device, const void *image, const struct wl_jit *jit, CUmodule *native) {
    struct options *options = calloc(1, sizeof *options);
    enum wl_status status = options ? make_options(jit, options) : wl_fail(WL_OUT_OF_MEMORY, "no memory for options");
    if (status == WL_OK) {
        status = wl_cuda_check(device->driver->cuModuleLoadDataEx(native, image, options->count, options->names, options->values),
                               "loading an image for the GPU");
        if (status != WL_OK && options->log[0])
            status = wl_fail(status, "%s: %.800s", wl_failure(), options->log);
        for (unsigned i = 0; jit && i < jit->count; i++)
            jit->values[i] = options->values[i];
    }
    if (options) {
        free(options->names);
        free((void *)options->values);
    }
    free(options);
    return status;
}

/* The driver reads text up to its NUL; the image's own may be missing where it came from a file. */
static enum wl_status image_load(struct wl_device *base, const void *image, size_t size, const struct wl_jit *jit,
                                 struct wl_device_module **result) {
    struct wl_cuda_device *device = wl_cuda(base);
    struct wl_device_module *module = calloc(1, sizeof *module);
    char *copy = malloc(size + 1);
    enum wl_status status = module && copy ? wl_cuda_enter(device) : wl_fail(WL_OUT_OF_MEMORY, "no memory for an image of %zu bytes", size);
    if (status == WL_OK) {
        memcpy(copy, image, size);
        copy[size] = 0;
        pthread_mutex_init(&module->lock, NULL);
        module->device = device;
        module->generation = atomic_load(&device->generation);
        status = load(device, copy, jit, &module->native);
        if (status != WL_OK)
            pthread_mutex_destroy(&module->lock);
    }
    free(copy);
    if (status != WL_OK) {
        free(module);
        return status;
    }
    *result = module;
    return WL_OK;
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

static uint32_t function_attribute(const struct wl_cuda_device *device, CUfunction function, CUfunction_attribute attribute) {
    int value = 0;
    return device->driver->cuFuncGetAttribute(&value, attribute, function) == CUDA_SUCCESS && value > 0 ? (uint32_t)value : 0;
}

static enum wl_status describe_arguments(const struct wl_cuda_device *device, CUfunction function, struct wl_kernel *kernel) {
    const struct wl_cuda_driver *driver = device->driver;
    struct wl_argument *arguments = NULL;
    uint32_t count = 0, capacity = 0;
    size_t offset = 0, size = 0;
    if (!driver->cuFuncGetParamInfo)
        return wl_fail(WL_UNSUPPORTED, "the CUDA driver (version %d.%d) does not tell a kernel's parameters; 12.4 and later do",
                       driver->version / 1000, driver->version % 1000 / 10);
    CUresult result;
    while ((result = driver->cuFuncGetParamInfo(function, count, &offset, &size)) == CUDA_SUCCESS) {
        if (!WL_ARRAY_RESERVE(arguments, count, capacity, 8)) {
            free(arguments);
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u parameters", count + 1);
        }
        arguments[count++] =
            (struct wl_argument){.name = "", .type_name = "", .offset = (uint32_t)offset, .size = (uint32_t)size, .kind = WL_ARG_BY_VALUE};
        if (offset + size > kernel->kernarg_size)
            kernel->kernarg_size = (uint32_t)(offset + size);
    }
    if (result != CUDA_ERROR_INVALID_VALUE) { /* which means that there are no more */
        free(arguments);
        return wl_cuda_check(result, "the parameters of a kernel");
    }
    kernel->arguments = arguments;
    kernel->argument_count = count;
    return WL_OK;
}

static enum wl_status describe(struct wl_device_module *module, const char *name, struct wl_device_function *function) {
    const struct wl_cuda_device *device = module->device;
    struct wl_kernel *kernel = &function->own;
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuModuleGetFunction(&function->native, module->native, name), "kernel %s", name);
    if (status == WL_OK)
        status = describe_arguments(device, function->native, kernel);
    if (status != WL_OK)
        return status;
    function->module = module;
    function->kernel = kernel;
    kernel->name = strdup(name);
    kernel->wave_size = 32;
    kernel->kernarg_align = 16;
    kernel->lds_size = function_attribute(device, function->native, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    kernel->scratch_size = function_attribute(device, function->native, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    kernel->vgprs = function_attribute(device, function->native, CU_FUNC_ATTRIBUTE_NUM_REGS);
    kernel->max_workgroup_size = function_attribute(device, function->native, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    return kernel->name ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for a kernel's name");
}

static enum wl_status image_kernel(struct wl_device_module *module, const char *name, const struct wl_kernel **kernel) {
    enum wl_status status = WL_OK;
    if (wl_cuda_forked())
        return wl_cuda_enter(module->device);
    pthread_mutex_lock(&module->lock);
    struct wl_device_function *function = module->kernels;
    while (function && strcmp(function->own.name, name) != 0)
        function = function->next;
    if (!function) {
        function = calloc(1, sizeof *function);
        status = function ? describe(module, name, function) : wl_fail(WL_OUT_OF_MEMORY, "no memory for a kernel");
        if (status == WL_OK) {
            function->next = module->kernels;
            module->kernels = function;
        } else if (function) {
            free((void *)(uintptr_t)function->own.arguments);
            free(function);
        }
    }
    if (status == WL_OK)
        *kernel = &function->own;
    pthread_mutex_unlock(&module->lock);
    return status;
}

static enum wl_status image_variable(struct wl_device_module *module, const char *name, void **address, size_t *size) {
    const struct wl_cuda_device *device = module->device;
    CUdeviceptr memory = 0;
    enum wl_status status = wl_cuda_enter(device);
    if (status == WL_OK)
        status = wl_cuda_check(device->driver->cuModuleGetGlobal(&memory, size, module->native, name), "variable %s", name);
    *address = (void *)(uintptr_t)memory;
    return status;
}

/* ---- lists -------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Under the module's lock. An older driver cannot tell: then there are none. */
static void list_names(struct wl_device_module *module) {
    wl_assert_held(&module->lock);
    const struct wl_cuda_driver *driver = module->device->driver;
    unsigned count = 0;
    if (module->names || !driver->cuModuleGetFunctionCount || !driver->cuModuleEnumerateFunctions || !driver->cuFuncGetName ||
        wl_cuda_enter(module->device) != WL_OK || driver->cuModuleGetFunctionCount(&count, module->native) != CUDA_SUCCESS)
        return;
    CUfunction *functions = (CUfunction *)calloc(count + 1, sizeof *functions);
    module->names = (const char **)calloc(count + 1, sizeof *module->names);
    if (functions && module->names && driver->cuModuleEnumerateFunctions(functions, count, module->native) == CUDA_SUCCESS)
        for (unsigned i = 0; i < count; i++) {
            const char *name = NULL;
            if (driver->cuFuncGetName(&name, functions[i]) == CUDA_SUCCESS && name && (module->names[module->name_count] = strdup(name)))
                module->name_count++;
        }
    if (module->name_count)
        qsort((void *)module->names, module->name_count, sizeof *module->names, compare_names);
    free((void *)functions);
}

static size_t image_kernel_count(struct wl_device_module *module) {
    if (wl_cuda_forked())
        return 0;
    pthread_mutex_lock(&module->lock);
    list_names(module);
    size_t count = module->name_count;
    pthread_mutex_unlock(&module->lock);
    return count;
}

static const char *image_kernel_name(struct wl_device_module *module, size_t index) {
    return index < image_kernel_count(module) ? module->names[index] : NULL;
}

const struct wl_image_ops wl_cuda_image_ops = {
    .load = image_load,
    .kernel = image_kernel,
    .variable = image_variable,
    .kernel_count = image_kernel_count,
    .kernel_name = image_kernel_name,
};
