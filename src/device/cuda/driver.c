/* Opening the driver, and what its errors mean. */
#include "device/cuda/driver.h"
#include "device/cuda/cuda_device.h"

#include "base/options.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NEEDED   true
#define OPTIONAL false

static struct {
    pthread_once_t once;
    struct wl_cuda_driver functions;
    bool opened, usable;
    char failure[320]; /* why it is not usable */
    atomic_bool forked;
} driver = {.once = PTHREAD_ONCE_INIT};

/* ---- opening --------------------------------------------------------------------------------- */

/* Fills the table. False: a needed function is missing. */
static bool find_functions(void *library) {
    static const struct {
        const char *symbol;
        size_t offset;
        bool needed;
    } table[] = {
#define ENTRY(need, name, symbol, parameters) {#symbol, offsetof(struct wl_cuda_driver, name), need},
        WL_CUDA_FUNCTIONS(ENTRY)
#undef ENTRY
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *address = dlsym(library, table[i].symbol);
        if (!address && table[i].needed) {
            snprintf(driver.failure, sizeof driver.failure, "the CUDA driver has no %s", table[i].symbol);
            return false;
        }
        *(void **)((char *)&driver.functions + table[i].offset) = address;
    }
    return true;
}

static void after_fork(void) { atomic_store(&driver.forked, true); }

bool wl_cuda_forked(void) { return atomic_load_explicit(&driver.forked, memory_order_relaxed); }

static void open_driver(void) {
    /* Kernels that are loaded with their first launch may have to wait for kernels that run, and these for them. */
    (void)setenv("CUDA_MODULE_LOADING", "EAGER", 0); /* NOLINT(concurrency-mt-unsafe): once, before the driver starts */
    const char *path = wl_options()->cuda_library ? wl_options()->cuda_library : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(driver.failure, sizeof driver.failure, "no CUDA driver: %.280s",
                 dlerror()); /* NOLINT(concurrency-mt-unsafe): glibc keeps it per thread */
        return;
    }
    driver.opened = true;
    if (!find_functions(library))
        return;
    CUresult result = driver.functions.cuInit(0);
    if (result == CUDA_SUCCESS)
        result = driver.functions.cuDriverGetVersion(&driver.functions.version);
    driver.usable = result == CUDA_SUCCESS;
    if (driver.usable)
        pthread_atfork(NULL, NULL, after_fork);
    if (!driver.usable)
        snprintf(driver.failure, sizeof driver.failure, "the CUDA driver does not start: error %d", (int)result);
}

bool wl_cuda_driver_opened(void) {
    pthread_once(&driver.once, open_driver);
    return driver.opened;
}

enum wl_status wl_cuda_driver(const struct wl_cuda_driver **functions) {
    pthread_once(&driver.once, open_driver);
    if (!driver.usable)
        return wl_fail(WL_NOT_FOUND, "%s", driver.failure);
    *functions = &driver.functions;
    return WL_OK;
}

/* ---- errors ---------------------------------------------------------------------------------- */

enum wl_status wl_cuda_status(CUresult result) {
    static const struct {
        CUresult result;
        enum wl_status status;
    } table[] = {
        {CUDA_SUCCESS, WL_OK},
        {CUDA_ERROR_INVALID_VALUE, WL_INVALID_VALUE},
        {CUDA_ERROR_OUT_OF_MEMORY, WL_OUT_OF_MEMORY},
        {CUDA_ERROR_INVALID_IMAGE, WL_INVALID_IMAGE},
        {CUDA_ERROR_NO_BINARY_FOR_GPU, WL_NO_BINARY},
        {CUDA_ERROR_UNSUPPORTED_LIMIT, WL_UNSUPPORTED},
        {CUDA_ERROR_INVALID_PTX, WL_INVALID_IMAGE},
        {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, WL_UNSUPPORTED},
        {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, WL_NO_BINARY},
        {CUDA_ERROR_INVALID_SOURCE, WL_INVALID_IMAGE},
        {CUDA_ERROR_FILE_NOT_FOUND, WL_FILE_NOT_FOUND},
        {CUDA_ERROR_NOT_FOUND, WL_NOT_FOUND},
        {CUDA_ERROR_INVALID_CONTEXT, WL_ILLEGAL_STATE},
        {CUDA_ERROR_NOT_READY, WL_NOT_READY},
        {CUDA_ERROR_ILLEGAL_ADDRESS, WL_ILLEGAL_ADDRESS},
        {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, WL_OUT_OF_RESOURCES},
        {CUDA_ERROR_LAUNCH_TIMEOUT, WL_ABORTED},
        {CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, WL_UNSUPPORTED},
        {CUDA_ERROR_ASSERT, WL_ASSERT},
        {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, WL_ILLEGAL_STATE},
        {CUDA_ERROR_HARDWARE_STACK_ERROR, WL_ABORTED},
        {CUDA_ERROR_ILLEGAL_INSTRUCTION, WL_ILLEGAL_INSTRUCTION},
        {CUDA_ERROR_MISALIGNED_ADDRESS, WL_ILLEGAL_ADDRESS},
        {CUDA_ERROR_INVALID_ADDRESS_SPACE, WL_ILLEGAL_ADDRESS},
        {CUDA_ERROR_INVALID_PC, WL_ILLEGAL_INSTRUCTION},
        {CUDA_ERROR_LAUNCH_FAILED, WL_ABORTED},
        {CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, WL_TOO_MANY_RESIDENT},
        {CUDA_ERROR_NOT_SUPPORTED, WL_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].result == result)
            return table[i].status;
    return WL_INTERNAL;
}

enum wl_status wl_cuda_check(CUresult result, const char *what, ...) {
    if (result == CUDA_SUCCESS)
        return WL_OK;
    const char *name = NULL, *text = NULL;
    (void)driver.functions.cuGetErrorName(result, &name);
    (void)driver.functions.cuGetErrorString(result, &text);
    char subject[256];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(subject, sizeof subject, what, arguments);
    va_end(arguments);
    return wl_fail(wl_cuda_status(result), "%s: %s (%s)", subject, name ? name : "unknown error", text ? text : "no description");
}
