/* HIP reference: Module management, loading and symbols. */
#include "runtime/module.h"
#include "api/api.h"
#include "api/texture.h"
#include "runtime/handles.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): a name to declare */
#define API_MODULE(name, handle)                                                                                                           \
    API_REQUIRE((handle) != NULL, hipErrorInvalidHandle);                                                                                  \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_MODULE), hipErrorNotFound);                                                               \
    struct wl_module *name = (struct wl_module *)(handle)
/* NOLINTEND(bugprone-macro-parentheses) */

hipError_t hipModuleLoad(hipModule_t *module, const char *fileName) {
    API_REQUIRE(module != NULL && fileName != NULL && *fileName, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    API_RETURN(wl_module_load_file(context, fileName, (struct wl_module **)module));
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
    API_REQUIRE(module != NULL && image != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    API_RETURN(wl_module_load(context, image, WL_SIZE_UNKNOWN, NULL, (struct wl_module **)module));
}

/* Code objects need no compiler, so that options mean nothing for them. */
hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image, unsigned int numOptions, hipJitOption *options,
                               void **optionValues) {
    API_REQUIRE(module != NULL && image != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_HEALTHY(context);
    bool listed = numOptions && options && optionValues;
    struct wl_jit jit = {.count = listed ? numOptions : 0, .options = (const int *)options, .values = optionValues};
    API_RETURN(wl_module_load(context, image, WL_SIZE_UNKNOWN, &jit, (struct wl_module **)module));
}

hipError_t hipModuleLoadFatBinary(hipModule_t *module, const void *fatbin) { return hipModuleLoadData(module, fatbin); }

hipError_t hipModuleUnload(hipModule_t module) {
    API_MODULE(loaded, module);
    wl_texture_disown(loaded);
    wl_module_unload(loaded);
    API_SUCCESS();
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
    API_REQUIRE(function != NULL && name != NULL && *name, hipErrorInvalidValue);
    API_MODULE(loaded, module);
    API_RETURN(wl_module_kernel(loaded, name, (struct wl_loaded_kernel **)function));
}

hipError_t hipModuleGetFunctionCount(unsigned int *count, hipModule_t module) {
    API_REQUIRE(count != NULL, hipErrorInvalidValue);
    API_MODULE(loaded, module);
    *count = (unsigned)wl_module_kernel_count(loaded);
    API_SUCCESS();
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *ptr, size_t *size, hipModule_t module, const char *name) {
    void *address = NULL;
    size_t bytes = 0;
    API_REQUIRE(name != NULL && *name && (ptr != NULL || size != NULL), hipErrorInvalidValue);
    API_MODULE(loaded, module);
    API_TRY(wl_module_variable(loaded, name, &address, &bytes));
    if (ptr)
        *ptr = address;
    if (size)
        *size = bytes;
    API_SUCCESS();
}

hipError_t hipModuleGetTexRef(textureReference **texRef, hipModule_t module, const char *name) {
    void *address = NULL;
    size_t size = 0;
    API_REQUIRE(texRef != NULL && name != NULL && *name, hipErrorInvalidValue);
    API_MODULE(loaded, module);
    API_TRY(wl_module_variable(loaded, name, &address, &size));
    API_REQUIRE(size >= sizeof(textureReference), hipErrorNotFound); /* a variable of another kind */
    return wl_texture_of_module(__func__, address, loaded, wl_module_context(loaded), texRef);
}
