/* A kernel of a code object, compiled for a shape of workgroups: from the cache on disk, else through the translator and the
 * driver's compiler. What is kept is the cubin, so that a warm start needs neither. */
#include "base/options.h"
#include "device/cpu/code/cache.h"
#include "device/cuda/cuda.h"
#include "device/ptx_request.h"
#include "device/translator.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define LOG_BYTES   16384
#define FREE_SHARED 49152u /* what a function may have without being asked for */

/* ---- the driver's compiler -------------------------------------------------------------------------- */

enum wl_status wl_cuda_compile(const struct wl_cuda_device *device, const char *name, const char *ptx, size_t size, void **cubin,
                               size_t *cubin_size) {
    const struct wl_cuda_driver *driver = device->driver;
    char *log = calloc(2, LOG_BYTES);
    if (!log)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a compiler's log");
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)LOG_BYTES, log + LOG_BYTES, (void *)(uintptr_t)LOG_BYTES};
    CUlinkState state = NULL;
    void *made = NULL;
    size_t made_size = 0;
    enum wl_status status = wl_cuda_check(driver->cuLinkCreate(4, options, values, &state), "cuLinkCreate");
    if (status == WL_OK)
        status = wl_cuda_check(driver->cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, size, name, 0, NULL, NULL),
                               "compiling %s", name);
    if (status == WL_OK)
        status = wl_cuda_check(driver->cuLinkComplete(state, &made, &made_size), "linking %s", name);
    if (status == WL_OK && log[0])
        wl_log(3, "%s: %.1800s", name, log);
    if (status == WL_OK && !(*cubin = malloc(made_size)))
        status = wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of code", made_size);
    if (status == WL_OK) {
        memcpy(*cubin, made, made_size);
        *cubin_size = made_size;
    } else if (log[LOG_BYTES]) {
        status = wl_fail(status, "%s: %.700s", wl_failure(), log + LOG_BYTES);
    }
    if (state)
        (void)driver->cuLinkDestroy(state);
    free(log);
    return status;
}

enum wl_status wl_cuda_allow_shared(const struct wl_cuda_device *device, CUfunction function, uint32_t bytes, uint32_t *given) {
    if (bytes <= FREE_SHARED || bytes <= __atomic_load_n(given, __ATOMIC_RELAXED))
        return WL_OK;
    enum wl_status status =
        wl_cuda_check(device->driver->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes),
                      "%u bytes of shared memory", bytes);
    if (status == WL_OK)
        __atomic_store_n(given, bytes, __ATOMIC_RELAXED);
    return status == WL_INVALID_VALUE ? wl_fail(WL_OUT_OF_RESOURCES, "%s", wl_failure()) : status;
}

/* ---- translation -------------------------------------------------------------------------------------- */

/* Bytes a lane where calls make the need unknown. */
static uint32_t stack_size(const struct wl_device_function *function) {
    return function->kernel->dynamic_stack ? atomic_load(&function->module->device->stack_size) : 0;
}

static void make_request(struct wl_device_function *function, const struct wl_cuda_variant *variant, struct wl_ptx_request *request) {
    struct wl_device_module *module = function->module;
    wl_ptx_request_fill(request, module->object, function->kernel, module->functions, module->function_count, variant->stack);
    request->code.function_count = module->function_count;
    request->code.exact_math = wl_options()->exact_math;
    request->code.matrix_sums = wl_options()->hardware_math ? WL_SUMS_HARDWARE : WL_SUMS_IN_ORDER;
    request->code.dump = wl_options()->dump;
    request->sm = module->device->sm;
    request->partial_groups = variant->partial;
    memcpy(request->block, variant->block, sizeof request->block);
}

static enum wl_status translate(const struct wl_ptx_request *request, struct wl_ptx_result *result) {
    const struct wl_translator *translator = NULL;
    void *function = NULL;
    enum wl_status status = wl_translator_use(&translator);
    if (status == WL_OK)
        status = wl_translator_symbol("wl_translate_ptx", &function);
    if (status != WL_OK)
        return status;
    status = ((wl_translate_ptx_fn *)(uintptr_t)function)(request, result);
    if (status != WL_OK)
        return wl_fail(status, "%s", translator->failure());
    wl_log(3, "translated %s (%u x %u x %u%s): %u instructions, %zu bytes of PTX", request->code.name, request->block[0], request->block[1],
           request->block[2], request->partial_groups ? ", partial" : "", result->info.instructions, result->size);
    return WL_OK;
}

static void free_text(struct wl_ptx_result *result) {
    void *function = NULL;
    if (result->text && wl_translator_symbol("wl_translate_ptx_free", &function) == WL_OK)
        ((wl_translate_ptx_free_fn *)(uintptr_t)function)(result);
}

/* ---- the cache on disk ---------------------------------------------------------------------------------- */

/* An entry: this, then the cubin. */
struct kept {
    struct wl_ptx_info info;
    uint32_t reserved[3];
};

/* The driver's version counts because a cubin of a newer compiler may be too new for an older driver. */
static struct wl_cache_key variant_key(const struct wl_device_function *function, const struct wl_cuda_variant *variant) {
    const struct wl_cuda_device *device = function->module->device;
    struct {
        char kind[8], version[32];
        uint64_t code_object[2], entry, translator;
        uint32_t block[3], partial, wave_size, sm, driver, math, stack_size, layout;
    } all;
    memset(&all, 0, sizeof all);
    memcpy(all.kind, "cubin", 5);
    snprintf(all.version, sizeof all.version, "%s", WL_VERSION);
    memcpy(all.code_object, function->module->hash, sizeof all.code_object);
    all.entry = function->kernel->entry;
    all.translator = wl_translator_id();
    memcpy(all.block, variant->block, sizeof all.block);
    all.partial = variant->partial;
    all.wave_size = function->kernel->wave_size;
    all.sm = device->sm;
    all.driver = (uint32_t)device->driver->version;
    all.math = wl_options()->exact_math ? 1 : wl_options()->hardware_math ? 2 : 0;
    all.stack_size = variant->stack;
    all.layout = sizeof(struct kept);
    XXH128_hash_t hash = XXH3_128bits(&all, sizeof all);
    return (struct wl_cache_key){{hash.low64, hash.high64}};
}

static void keep(const struct wl_cache_key *key, const struct wl_ptx_info *info, const void *cubin, size_t size) {
    struct kept *entry = calloc(1, sizeof *entry + size);
    if (!entry)
        return;
    entry->info = *info;
    memcpy(entry + 1, cubin, size);
    wl_cache_write(key, entry, sizeof *entry + size);
    free(entry);
}

/* ---- variants --------------------------------------------------------------------------------------------- */

static enum wl_status load_cubin(const struct wl_device_function *function, struct wl_cuda_variant *variant, const void *cubin) {
    const struct wl_cuda_driver *driver = function->module->device->driver;
    const char *name = function->kernel->name;
    enum wl_status status =
        wl_cuda_check(driver->cuModuleLoadDataEx(&variant->module, cubin, 0, NULL, NULL), "loading the code of %s", name);
    if (status == WL_OK)
        status = wl_cuda_check(driver->cuModuleGetFunction(&variant->function, variant->module, WL_PTX_ENTRY), "the entry of %s", name);
    return status;
}

/* WL_NOT_FOUND: there is none that can be used. */
static enum wl_status take_kept(const struct wl_device_function *function, struct wl_cuda_variant *variant,
                                const struct wl_cache_key *key) {
    void *object = NULL;
    size_t size = 0;
    if (wl_cache_read(key, &object, &size) != WL_OK)
        return WL_NOT_FOUND;
    const struct kept *entry = object;
    enum wl_status status = size > sizeof *entry ? load_cubin(function, variant, entry + 1) : wl_fail(WL_INVALID_IMAGE, "it is cut off");
    if (wl_cuda_is_fault(status)) { /* of a kernel before */
        free(object);
        return status;
    }
    if (status == WL_OK) {
        variant->info = entry->info;
    } else {
        wl_log(2, "the cached code of %s is not usable (%s); it is made again", function->kernel->name, wl_failure());
        if (variant->module)
            (void)function->module->device->driver->cuModuleUnload(variant->module);
        variant->module = NULL;
        wl_cache_remove(key);
        status = WL_NOT_FOUND;
    }
    free(object);
    return status;
}

static enum wl_status make(struct wl_device_function *function, struct wl_cuda_variant *variant) {
    const struct wl_cuda_device *device = function->module->device;
    struct wl_cache_key key = variant_key(function, variant);
    const uint64_t begin = wl_trace_code_begin();
    enum wl_status status = wl_cuda_enter(device);
    if (status != WL_OK)
        return status;
    status = take_kept(function, variant, &key);
    if (status == WL_OK)
        wl_trace_code_end(function->kernel->name, WL_TRACE_MADE_CACHED, begin, variant->info.instructions);
    if (status != WL_NOT_FOUND)
        return status;
    struct wl_ptx_request request;
    struct wl_ptx_result result = {0};
    void *cubin = NULL;
    size_t size = 0;
    make_request(function, variant, &request);
    status = translate(&request, &result);
    if (status == WL_OK)
        status = wl_cuda_compile(device, function->kernel->name, result.text, strlen(result.text) + 1, &cubin, &size);
    if (status == WL_OK)
        status = load_cubin(function, variant, cubin);
    if (status == WL_OK) {
        variant->info = result.info;
        keep(&key, &result.info, cubin, size);
        wl_trace_code_end(function->kernel->name, WL_TRACE_MADE_NATIVE, begin, result.info.instructions);
    } else if ((cubin || result.text) && !wl_cuda_is_fault(status)) { /* the driver refuses what the translator made */
        status = wl_fail(status == WL_OUT_OF_MEMORY ? status : WL_INTERNAL, "%s", wl_failure());
    }
    free_text(&result);
    free(cubin);
    return status;
}

static struct wl_cuda_variant *find(const struct wl_device_function *function, const uint32_t block[3], bool partial) {
    struct wl_cuda_variant *variant = atomic_load_explicit(&function->variants, memory_order_acquire);
    const uint32_t stack = stack_size(function); /* the program may have set another limit since */
    while (variant && (variant->partial != partial || variant->stack != stack || memcmp(variant->block, block, sizeof variant->block) != 0))
        variant = variant->next;
    return variant;
}

static enum wl_status add(struct wl_device_function *function, const uint32_t block[3], bool partial, struct wl_cuda_variant **result) {
    struct wl_cuda_variant *variant = calloc(1, sizeof *variant);
    if (!variant)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for kernel %s", function->kernel->name);
    memcpy(variant->block, block, sizeof variant->block);
    variant->partial = partial;
    variant->stack = stack_size(function);
    variant->failed = make(function, variant);
    if (wl_cuda_is_fault(variant->failed)) { /* not this kernel's: once the device is reset it can be made */
        enum wl_status status = variant->failed;
        free(variant);
        return status;
    }
    if (variant->failed)
        variant->failure = strdup(wl_failure());
    function->variant_count++;
    variant->next = atomic_load_explicit(&function->variants, memory_order_relaxed);
    atomic_store_explicit(&function->variants, variant, memory_order_release);
    *result = variant;
    return WL_OK;
}

enum wl_status wl_cuda_variant(struct wl_device_function *function, const uint32_t block[3], bool partial,
                               struct wl_cuda_variant **result) {
    static const uint32_t any[3] = {0, 0, 0};
    struct wl_cuda_variant *variant = find(function, block, partial);
    enum wl_status status = WL_OK;
    if (!variant && wl_cuda_forked()) /* the lock may be held by a thread that is not here */
        return wl_cuda_enter(function->module->device);
    if (!variant) {
        pthread_mutex_lock(&function->module->lock);
        variant = find(function, block, partial);
        if (!variant) {
            if (function->variant_count >= WL_CUDA_SHAPES && (variant = find(function, any, partial)) == NULL)
                status = add(function, any, partial, &variant);
            else if (!variant)
                status = add(function, block, partial, &variant);
        }
        pthread_mutex_unlock(&function->module->lock);
    }
    if (status != WL_OK)
        return status;
    if (variant->failed)
        return wl_fail(variant->failed, "%s", variant->failure ? variant->failure : "translation failed");
    *result = variant;
    return WL_OK;
}

void wl_cuda_variants_release(struct wl_device_function *function, bool loaded) {
    struct wl_cuda_variant *variant = atomic_load(&function->variants);
    bool entered = loaded && wl_cuda_enter(function->module->device) == WL_OK;
    while (variant) {
        struct wl_cuda_variant *next = variant->next;
        if (variant->module && entered)
            (void)function->module->device->driver->cuModuleUnload(variant->module);
        free(variant->failure);
        free(variant);
        variant = next;
    }
}
