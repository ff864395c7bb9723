/* What compilers emit calls to: registration of fat binaries, kernels and variables, and the <<<>>> configuration. */
#include "api/api.h"
#include "api/texture.h"

#include "base/options.h"
#include "runtime/program.h"

#include <stdlib.h>

/* The handle that the compiler keeps; it only passes it back. */
static struct wl_program *program_of(void **handle) { return (struct wl_program *)handle; }

void **__hipRegisterFatBinary(const void *wrapper) {
    struct wl_program *program = wl_program_register(wrapper);
    if (!program) { /* called by a constructor: nobody could be told */
        wl_log(0, "out of host memory while a fat binary was registered");
        abort();
    }
    return (void **)program;
}

void __hipUnregisterFatBinary(void **handle) {
    if (!handle)
        return;
    wl_texture_disown(program_of(handle));
    wl_program_unregister(program_of(handle));
}

static void report(enum wl_status status, const char *name) {
    if (status != WL_OK)
        wl_log(1, "%s cannot be registered: %s", name, wl_failure());
}

void __hipRegisterFunction(void **handle, const void *hostFunction, char *deviceFunction, const char *deviceName, unsigned int threadLimit,
                           void *tid, void *bid, dim3 *blockDim, dim3 *gridDim, int *wSize) {
    (void)deviceFunction, (void)threadLimit, (void)tid, (void)bid, (void)blockDim, (void)gridDim, (void)wSize;
    report(wl_program_add(program_of(handle), WL_SYMBOL_KERNEL, hostFunction, deviceName, 0), deviceName);
}

void __hipRegisterVar(void **handle, void *hostVar, char *deviceVar, const char *deviceName, int external, size_t size, int constant,
                      int global) {
    (void)deviceVar, (void)external, (void)constant, (void)global;
    report(wl_program_add(program_of(handle), WL_SYMBOL_VARIABLE, hostVar, deviceName, size), deviceName);
}

void __hipRegisterManagedVar(void **handle, void **pointer, void *init, const char *name, size_t size, unsigned align) {
    report(wl_program_add_managed(program_of(handle), pointer, init, name, size, align), name);
}

/* Texture and surface references are variables, which binding (texture_reference.c) fills. */
void __hipRegisterTexture(void **handle, void *hostVar, char *hostName, char *deviceName, int type, int normalized, int external) {
    (void)hostName, (void)type, (void)normalized, (void)external;
    report(wl_program_add(program_of(handle), WL_SYMBOL_VARIABLE, hostVar, deviceName, 0), deviceName);
    wl_texture_own(hostVar, program_of(handle));
}

void __hipRegisterSurface(void **handle, void *hostVar, char *hostName, char *deviceName, int type, int external) {
    (void)hostName, (void)type, (void)external;
    report(wl_program_add(program_of(handle), WL_SYMBOL_VARIABLE, hostVar, deviceName, 0), deviceName);
}

/* ---- the configuration of the launch that follows --------------------------------------------- */

hipError_t __hipPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, hipStream_t stream) {
    API_DEVICES(); /* the stub is not called then */
    API_THREAD(thread);
    API_REQUIRE(wl_api_configure(thread, gridDim, blockDim, sharedMem, stream), hipErrorOutOfMemory);
    return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, hipStream_t *stream) {
    API_THREAD(thread);
    API_REQUIRE(thread->configuration_count > 0, hipErrorMissingConfiguration);
    const struct wl_api_configuration *entry = &thread->configurations[--thread->configuration_count];
    free(entry->arguments);
    *gridDim = entry->grid;
    *blockDim = entry->block;
    *sharedMem = entry->shared;
    *stream = entry->stream;
    return hipSuccess;
}
