/* Modules: code objects loaded in a context, their kernels and variables. (module.c) */
#ifndef WL_RUNTIME_MODULE_H
#define WL_RUNTIME_MODULE_H

#include "base/status.h"
#include "codeobject/codeobject.h"
#include "device/device.h"
#include "runtime/context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_module;

/* One kernel of a module: what a hipFunction_t is. Lives as long as its module. */
struct wl_loaded_kernel {
    struct wl_module *module;
    const struct wl_kernel *kernel;
    struct wl_device_function *function;
    uint32_t explicit_count;     /* arguments that the program passes: the first ones of the table */
    uint32_t explicit_size;      /* bytes of the kernarg segment they take */
    uint32_t max_dynamic_lds;    /* hipFuncSetAttribute's; UINT32_MAX: not set */
    int carveout;                /* the same; a hint */
    _Atomic uint32_t trace_name; /* the number of its name where launches are recorded (trace/trace.h); 0: none yet */
    struct wl_loaded_kernel *next;
};

/* A module that stands for one of the device's driver, which stays the caller's. WL_UNSUPPORTED: the device has none. */
enum wl_status wl_module_adopt(struct wl_context *context, void *native, struct wl_module **module);
/* The driver's module; NULL: it has none, as of a code object. */
void *wl_module_native(const struct wl_module *module);
/* Loads the best entry of an image (container or ELF; `size` may be WL_SIZE_UNKNOWN) into a context, or an image in the device's
 * own format (PTX, cubin, CUDA fat binary), for which `jit` (may be NULL) counts. The image may go away afterwards.
 * WL_NO_BINARY: it is for other devices. */
enum wl_status wl_module_load(struct wl_context *context, const void *image, size_t size, const struct wl_jit *jit,
                              struct wl_module **module);
enum wl_status wl_module_load_file(struct wl_context *context, const char *path, struct wl_module **module);
/* Waits for the context's work and unloads. */
void wl_module_unload(struct wl_module *module);
/* WL_NOT_FOUND if the module has no such kernel. */
enum wl_status wl_module_kernel(struct wl_module *module, const char *name, struct wl_loaded_kernel **kernel);
/* A variable's address and size; of a managed variable, the managed memory. WL_NOT_FOUND if there is none. */
enum wl_status wl_module_variable(struct wl_module *module, const char *name, void **address, size_t *size);
/* The module's code object; NULL: it is an image in the device's own format. */
const struct wl_codeobject *wl_module_object(const struct wl_module *module);
/* Where an address of that code object is on the device. */
void *wl_module_address(const struct wl_module *module, uint64_t virtual_address);
struct wl_context *wl_module_context(const struct wl_module *module);
/* Bytes of LDS that a workgroup of its kernels may have: what the presented architecture gives, or that of its code, if that is more. */
uint32_t wl_module_lds(const struct wl_module *module);
/* Of these, what a launch may ask for without hipFuncSetAttribute: what the processor of its code has. A GPU may have more. */
uint32_t wl_module_usual_lds(const struct wl_module *module);
/* Whether the processor that its code is for has `what` (WL_HAS_*). */
bool wl_module_has(const struct wl_module *module, uint32_t what);
size_t wl_module_kernel_count(const struct wl_module *module);
/* The name of kernel `index`, in the order of names; NULL from the count on. */
const char *wl_module_kernel_name(const struct wl_module *module, size_t index);
/* The entry of a container that devices use: the presented architecture's, else the best one there is. */
enum wl_status wl_module_select(struct wl_container *container, struct wl_entry *entry);
void wl_module_after_fork(void);

/* For programs: loads one entry of an open container. `managed` is asked for the memory of managed variables that the
 * host side owns; it returns NULL for others, which the module then allocates itself. */
typedef void *(*wl_managed_lookup)(void *argument, const char *name);
enum wl_status wl_module_load_container(struct wl_context *context, struct wl_container *container, wl_managed_lookup managed,
                                        void *argument, struct wl_module **module);

#endif
