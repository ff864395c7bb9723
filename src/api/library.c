/* HIP reference: Module management, libraries and their kernels. */
#include "runtime/library.h"
#include "api/api.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/module.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): a name to declare */
#define API_LIBRARY(name, handle)                                                                                                          \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_LIBRARY), hipErrorInvalidHandle);                                                         \
    struct wl_library *name = (struct wl_library *)(handle)
#define API_LIBRARY_KERNEL(name, handle)                                                                                                   \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_LIBRARY_KERNEL), hipErrorInvalidHandle);                                                  \
    struct wl_library_kernel *name = (struct wl_library_kernel *)(handle)
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---- loading --------------------------------------------------------------------------------- */

/* Whether the image stays; an option that there is not is an error. */
static hipError_t read_options(const char *function, const hipLibraryOption *options, void *const *values, unsigned count,
                               bool *preserved) {
    *preserved = false;
    if (count && (!options || !values))
        return wl_api_fail(function, hipErrorInvalidValue, "no options where some are counted");
    for (unsigned i = 0; i < count; i++) {
        if (options[i] != hipLibraryHostUniversalFunctionAndDataTable && options[i] != hipLibraryBinaryIsPreserved)
            return wl_api_fail(function, hipErrorInvalidValue, "an unknown option of a library");
        if (options[i] == hipLibraryBinaryIsPreserved)
            *preserved = values[i] != NULL;
    }
    return hipSuccess;
}

hipError_t hipLibraryLoadData(hipLibrary_t *library, const void *code, hipJitOption *jitOptions, void **jitOptionsValues,
                              unsigned int numJitOptions, hipLibraryOption *libraryOptions, void **libraryOptionValues,
                              unsigned int numLibraryOptions) {
    API_DEVICES();
    bool preserved = false;
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    API_REQUIRE(library != NULL && code != NULL, hipErrorInvalidValue);
    hipError_t error = read_options(__func__, libraryOptions, libraryOptionValues, numLibraryOptions, &preserved);
    if (error != hipSuccess)
        return error;
    API_CONTEXT(context);
    API_HEALTHY(context);
    API_RETURN(wl_library_load(code, preserved, (struct wl_library **)library));
}

hipError_t hipLibraryLoadFromFile(hipLibrary_t *library, const char *fileName, hipJitOption *jitOptions, void **jitOptionsValues,
                                  unsigned int numJitOptions, hipLibraryOption *libraryOptions, void **libraryOptionValues,
                                  unsigned int numLibraryOptions) {
    API_DEVICES();
    bool preserved = false;
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    API_REQUIRE(library != NULL && fileName != NULL, hipErrorInvalidValue);
    hipError_t error = read_options(__func__, libraryOptions, libraryOptionValues, numLibraryOptions, &preserved);
    if (error != hipSuccess)
        return error;
    API_CONTEXT(context);
    API_HEALTHY(context);
    API_RETURN(wl_library_load_file(fileName, (struct wl_library **)library));
}

hipError_t hipLibraryUnload(hipLibrary_t library) {
    API_LIBRARY(loaded, library);
    wl_library_unload(loaded);
    API_SUCCESS();
}

/* ---- kernels of a library ---------------------------------------------------------------------- */

hipError_t hipLibraryGetKernel(hipKernel_t *kernel, hipLibrary_t library, const char *name) {
    API_REQUIRE(kernel != NULL && name != NULL && *name, hipErrorInvalidValue);
    API_LIBRARY(loaded, library);
    API_CONTEXT(context);
    API_RETURN(wl_library_kernel(loaded, context, name, (struct wl_library_kernel **)kernel));
}

hipError_t hipLibraryGetKernelCount(unsigned int *count, hipLibrary_t library) {
    struct wl_module *module = NULL;
    API_REQUIRE(count != NULL, hipErrorInvalidValue);
    API_LIBRARY(loaded, library);
    API_CONTEXT(context);
    API_TRY(wl_library_module(loaded, context, &module));
    *count = (unsigned)wl_module_kernel_count(module);
    API_SUCCESS();
}

hipError_t hipLibraryEnumerateKernels(hipKernel_t *kernels, unsigned int numKernels, hipLibrary_t library) {
    struct wl_module *module = NULL;
    API_REQUIRE(kernels != NULL, hipErrorInvalidValue);
    API_LIBRARY(loaded, library);
    API_CONTEXT(context);
    API_TRY(wl_library_module(loaded, context, &module));
    for (unsigned i = 0; i < numKernels; i++) {
        const char *name = wl_module_kernel_name(module, i);
        if (!name)
            break;
        API_TRY(wl_library_kernel(loaded, context, name, (struct wl_library_kernel **)&kernels[i]));
    }
    API_SUCCESS();
}

hipError_t hipKernelGetLibrary(hipLibrary_t *library, hipKernel_t kernel) {
    API_REQUIRE(library != NULL, hipErrorInvalidValue);
    API_LIBRARY_KERNEL(known, kernel);
    *library = (hipLibrary_t)wl_library_kernel_owner(known);
    API_SUCCESS();
}

hipError_t hipKernelGetName(const char **name, hipKernel_t kernel) {
    API_REQUIRE(name != NULL, hipErrorInvalidValue);
    API_LIBRARY_KERNEL(known, kernel);
    *name = wl_library_kernel_name(known);
    API_SUCCESS();
}

hipError_t hipKernelGetFunction(hipFunction_t *function, hipKernel_t kernel) {
    API_REQUIRE(function != NULL, hipErrorInvalidValue);
    API_LIBRARY_KERNEL(known, kernel);
    API_CONTEXT(context);
    API_RETURN(wl_library_kernel_load(known, context, (struct wl_loaded_kernel **)function));
}

hipError_t hipKernelGetParamInfo(hipKernel_t kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize) {
    struct wl_loaded_kernel *loaded = NULL;
    API_REQUIRE(paramOffset != NULL, hipErrorInvalidValue);
    API_LIBRARY_KERNEL(known, kernel);
    API_CONTEXT(context);
    API_TRY(wl_library_kernel_load(known, context, &loaded));
    API_REQUIRE(paramIndex < loaded->explicit_count, hipErrorInvalidValue);
    const struct wl_argument *argument = loaded->kernel->arguments;
    for (size_t skip = paramIndex;; argument++)
        if (argument->kind < WL_ARG_HIDDEN_GLOBAL_OFFSET_X && skip-- == 0)
            break;
    *paramOffset = argument->offset;
    if (paramSize)
        *paramSize = argument->size;
    API_SUCCESS();
}

static hipError_t on_device(const char *name, hipKernel_t kernel, hipDevice_t device, struct wl_loaded_kernel **loaded) {
    struct wl_context *context = device < 0 ? NULL : wl_context_at((unsigned)device);
    if (!context)
        return wl_api_fail(name, hipErrorInvalidDevice, "there is no such device");
    if (!wl_handle_is(kernel, WL_HANDLE_LIBRARY_KERNEL))
        return wl_api_fail(name, hipErrorInvalidHandle, "not a kernel of a library");
    return wl_api_status(name, wl_library_kernel_load((struct wl_library_kernel *)kernel, context, loaded));
}

hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute attribute, hipKernel_t kernel, hipDevice_t device) {
    struct wl_loaded_kernel *loaded = NULL;
    API_REQUIRE(value != NULL, hipErrorInvalidValue);
    hipError_t error = on_device(__func__, kernel, device, &loaded);
    return error == hipSuccess ? hipFuncGetAttribute(value, attribute, (hipFunction_t)loaded) : error;
}

hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, hipKernel_t kernel, hipDevice_t device) {
    struct wl_loaded_kernel *loaded = NULL;
    hipError_t error = on_device(__func__, kernel, device, &loaded);
    return error == hipSuccess ? hipFuncSetAttribute(loaded, (hipFuncAttribute)attribute, value) : error;
}
