/* Modules: a code object loaded in one context. */
#include "runtime/module.h"
#include "base/array.h"
#include "base/options.h"
#include "base/page.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/managed.h"
#include "runtime/memory.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct managed {
    const char *name; /* behind the struct */
    void *memory;
    size_t size;
    bool owned;
    struct managed *next;
};

struct wl_module {
    struct wl_context *context;
    struct wl_codeobject *object; /* NULL: an image in the device's own format */
    uint32_t code_lds;            /* bytes of LDS that the processor of the code object has */
    struct wl_device_module *loaded;
    pthread_mutex_t lock;             /* guards `kernels` */
    struct wl_loaded_kernel *kernels; /* those asked for so far */
    struct managed *managed;
    bool variables_registered;
    void **found; /* addresses of variables of the device's own image that are in the map; guarded by `lock` */
    size_t found_count, found_capacity;
};

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint32_t wl_module_lds(const struct wl_module *module) {
    const struct wl_device_info *info = &module->context->info;
    const uint32_t presented = wl_context_lds(module->context);
    if (!info->lds_by_code || !module->object || module->code_lds <= presented)
        return presented;
    return least(module->code_lds, info->lds_size);
}

uint32_t wl_module_usual_lds(const struct wl_module *module) {
    const uint32_t most = wl_module_lds(module);
    return module->object ? least(module->code_lds, most) : most;
}

bool wl_module_has(const struct wl_module *module, uint32_t what) {
    return module->object && wl_target_has(wl_codeobject_target(module->object), what);
}

/* ---- variables ------------------------------------------------------------------------------ */

static void *variable_address(struct wl_module *module, const struct wl_variable *variable) {
    return module->context->device->ops->module_address(module->loaded, variable->address);
}

/* "x.managed" -> "x"; 0 if the name does not end so. */
static size_t managed_stem(const char *name) {
    static const char suffix[] = ".managed";
    size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0 ? length - tail : 0;
}

/* The memory of a program's managed variable was made before there were devices. */
static enum wl_status enroll_registered(struct wl_context *context, void *memory) {
    struct wl_allocation allocation;
    if (!context->device->ops->host || !wl_memory_find(memory, &allocation) || allocation.owner || allocation.enrolled)
        return WL_OK;
    enum wl_status status = wl_memory_enroll(context, memory, wl_page_up(allocation.size), 0);
    if (status == WL_OK)
        (void)wl_memory_set(memory, WL_MEMORY_ENROLLED, true);
    return status;
}

/* Gives one managed variable its memory and stores the address in the device's pointer variable. */
static enum wl_status bind_managed(struct wl_module *module, const struct wl_variable *initial, wl_managed_lookup lookup, void *argument) {
    struct wl_device *device = module->context->device;
    size_t stem = managed_stem(initial->name);
    struct managed *entry = calloc(1, sizeof *entry + stem + 1);
    if (!entry)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a managed variable");
    char *name = (char *)(entry + 1);
    memcpy(name, initial->name, stem);
    entry->name = name;
    entry->size = initial->size;
    entry->next = module->managed;
    module->managed = entry;

    entry->memory = lookup ? lookup(argument, name) : NULL;
    if (entry->memory) {
        enum wl_status status = enroll_registered(module->context, entry->memory);
        if (status != WL_OK)
            return status;
    }
    if (!entry->memory) {
        enum wl_status status =
            wl_memory_allocate(module->context, WL_MEMORY_MANAGED, entry->size ? entry->size : 1, WL_MANAGED_GLOBAL, &entry->memory);
        if (status != WL_OK)
            return status;
        entry->owned = true;
        status = device->ops->copy(device, entry->memory, variable_address(module, initial), entry->size);
        if (status != WL_OK)
            return status;
    }
    const struct wl_variable *pointer = wl_codeobject_find_variable(module->object, name);
    if (!pointer || pointer->size < sizeof entry->memory)
        return WL_OK; /* no kernel refers to it */
    return device->ops->copy(device, variable_address(module, pointer), (const void *)&entry->memory, sizeof entry->memory);
}

static enum wl_status bind_all_managed(struct wl_module *module, wl_managed_lookup lookup, void *argument) {
    size_t count = wl_codeobject_variable_count(module->object);
    for (size_t i = 0; i < count; i++) {
        const struct wl_variable *variable = wl_codeobject_variable(module->object, i);
        if (!managed_stem(variable->name))
            continue;
        enum wl_status status = bind_managed(module, variable, lookup, argument);
        if (status != WL_OK)
            return status;
    }
    return WL_OK;
}

/* A variable of an image of the device's own, which enters the map with the first question. */
static enum wl_status image_variable(struct wl_module *module, const char *name, void **address, size_t *size) {
    enum wl_status status = module->context->device->ops->images->variable(module->loaded, name, address, size);
    if (status != WL_OK || *size == 0)
        return status;
    pthread_mutex_lock(&module->lock);
    size_t i = 0;
    while (i < module->found_count && module->found[i] != *address)
        i++;
    if (i == module->found_count && WL_ARRAY_RESERVE(module->found, i, module->found_capacity, 4) &&
        wl_memory_register(module->context, WL_MEMORY_VARIABLE, *address, *size, 0) == WL_OK)
        module->found[module->found_count++] = *address;
    pthread_mutex_unlock(&module->lock);
    return WL_OK;
}

enum wl_status wl_module_variable(struct wl_module *module, const char *name, void **address, size_t *size) {
    if (!module->object)
        return image_variable(module, name, address, size);
    for (const struct managed *entry = module->managed; entry; entry = entry->next)
        if (strcmp(entry->name, name) == 0) {
            *address = entry->memory;
            *size = entry->size;
            return WL_OK;
        }
    const struct wl_variable *variable = wl_codeobject_find_variable(module->object, name);
    if (!variable)
        return wl_fail(WL_NOT_FOUND, "the code object has no variable %s", name);
    *address = variable_address(module, variable);
    *size = variable->size;
    return WL_OK;
}

/* Variables appear in the allocation map, so that pointer queries and fault reports know them. */
static void register_variables(struct wl_module *module, bool add) {
    size_t count = wl_codeobject_variable_count(module->object);
    for (size_t i = 0; i < count; i++) {
        const struct wl_variable *variable = wl_codeobject_variable(module->object, i);
        void *address = variable->size ? variable_address(module, variable) : NULL;
        if (!address)
            continue;
        if (add) /* overlaps are possible (aliases) and harmless */
            (void)wl_memory_register(module->context, WL_MEMORY_VARIABLE, address, variable->size, 0);
        else
            (void)wl_memory_unregister(address, WL_MEMORY_VARIABLE);
    }
    module->variables_registered = add;
}

/* ---- loading -------------------------------------------------------------------------------- */

static void module_free(struct wl_module *module) {
    if (module->variables_registered)
        register_variables(module, false);
    for (size_t i = 0; i < module->found_count; i++)
        (void)wl_memory_unregister(module->found[i], WL_MEMORY_VARIABLE);
    free((void *)module->found);
    while (module->kernels) {
        struct wl_loaded_kernel *next = module->kernels->next;
        wl_handle_remove(module->kernels);
        free(module->kernels);
        module->kernels = next;
    }
    while (module->managed) {
        struct managed *next = module->managed->next;
        if (module->managed->owned)
            (void)wl_memory_free(module->managed->memory, 1u << WL_MEMORY_MANAGED);
        free(module->managed);
        module->managed = next;
    }
    if (module->loaded)
        module->context->device->ops->module_unload(module->loaded);
    if (module->object)
        wl_codeobject_close(module->object);
    pthread_mutex_destroy(&module->lock);
    free(module);
}

static struct wl_module *module_new(struct wl_context *context) {
    struct wl_module *made = calloc(1, sizeof *made);
    if (!made) {
        wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a module");
        return NULL;
    }
    made->context = context;
    pthread_mutex_init(&made->lock, NULL);
    return made;
}

static enum wl_status load_entry(struct wl_context *context, const struct wl_entry *entry, wl_managed_lookup managed, void *argument,
                                 struct wl_module **module) {
    struct wl_module *made = module_new(context);
    if (!made)
        return WL_OUT_OF_MEMORY;
    enum wl_status status = wl_codeobject_open(&made->object, entry->data, entry->size);
    if (status == WL_OK) {
        made->code_lds = wl_processor_find(wl_codeobject_target(made->object)->processor)->lds_bytes;
        status = context->device->ops->module_load(context->device, made->object, &made->loaded);
    }
    if (status == WL_OK)
        status = bind_all_managed(made, managed, argument);
    if (status == WL_OK)
        status = wl_handle_add(made, WL_HANDLE_MODULE);
    if (status != WL_OK) {
        module_free(made);
        return status;
    }
    register_variables(made, true);
    *module = made;
    wl_trace_module(made, true);
    return WL_OK;
}

static atomic_flag told = ATOMIC_FLAG_INIT; /* that code for another generation runs */

enum wl_status wl_module_select(struct wl_container *container, struct wl_entry *entry) {
    enum wl_status status = wl_container_select(container, wl_runtime_target(), entry);
    if (status != WL_NO_BINARY)
        return status;
    status = wl_container_select(container, NULL, entry); /* the code decides: one that was made for another architecture runs as well */
    if (status == WL_OK && entry->target.major != wl_runtime_target()->major && !atomic_flag_test_and_set(&told))
        wl_log(1,
               "the program has no code for %s, which the device presents: its code for %s runs; textures and surfaces are not laid out "
               "for it",
               wl_runtime_target()->processor, entry->target.processor);
    return status;
}

enum wl_status wl_module_load_container(struct wl_context *context, struct wl_container *container, wl_managed_lookup managed,
                                        void *argument, struct wl_module **module) {
    struct wl_entry entry;
    enum wl_status status = wl_module_select(container, &entry);
    return status == WL_OK ? load_entry(context, &entry, managed, argument, module) : status;
}

/* A module whose device part was made with this status becomes the program's, or goes. */
static enum wl_status publish(struct wl_module *made, enum wl_status status, struct wl_module **module) {
    if (status == WL_OK)
        status = wl_handle_add(made, WL_HANDLE_MODULE);
    if (status == WL_OK)
        *module = made;
    else
        module_free(made);
    return status;
}

/* An image in the format of the device's own driver, which `format` names. */
static enum wl_status load_image(struct wl_context *context, const char *format, const void *image, size_t size, const struct wl_jit *jit,
                                 struct wl_module **module) {
    const struct wl_image_ops *images = context->device->ops->images;
    if (!images)
        return wl_fail(WL_NO_BINARY, "the image is a %s, which only NVIDIA GPUs can run; the current device is a %s", format,
                       context->device->ops->kind);
    struct wl_module *made = module_new(context);
    if (!made)
        return WL_OUT_OF_MEMORY;
    return publish(made, images->load(context->device, image, size, jit, &made->loaded), module);
}

enum wl_status wl_module_adopt(struct wl_context *context, void *native, struct wl_module **module) {
    const struct wl_native_ops *ops = context->device->ops->native;
    if (!ops)
        return wl_fail(WL_UNSUPPORTED, "a %s has no modules of a driver's", context->device->ops->kind);
    struct wl_module *made = module_new(context);
    if (!made)
        return WL_OUT_OF_MEMORY;
    return publish(made, ops->adopt_module(context->device, native, &made->loaded), module);
}

void *wl_module_native(const struct wl_module *module) {
    const struct wl_native_ops *ops = module->context->device->ops->native;
    return ops ? ops->module(module->loaded) : NULL;
}

enum wl_status wl_module_load(struct wl_context *context, const void *image, size_t size, const struct wl_jit *jit,
                              struct wl_module **module) {
    struct wl_container *container = NULL;
    const void *inner = image;
    size_t inner_size = size;
    const char *format = wl_foreign_image(&inner, &inner_size, true);
    if (format)
        return load_image(context, format, inner, inner_size, jit, module);
    enum wl_status status = wl_container_open(&container, image, size);
    if (status != WL_OK)
        return status;
    status = wl_module_load_container(context, container, NULL, NULL, module);
    wl_container_close(container);
    return status;
}

/* True: the file is such an image, or cannot be read; `*status` says what came of it. */
static bool load_image_file(struct wl_context *context, const char *path, struct wl_module **module, enum wl_status *status) {
    struct wl_file file;
    *status = wl_file_map(&file, path);
    if (*status != WL_OK)
        return true;
    const void *image = file.data;
    size_t size = file.size;
    const char *format = wl_foreign_image(&image, &size, false);
    if (format)
        *status = load_image(context, format, image, size, NULL, module);
    wl_file_unmap(&file);
    return format != NULL;
}

enum wl_status wl_module_load_file(struct wl_context *context, const char *path, struct wl_module **module) {
    struct wl_container *container = NULL;
    enum wl_status status = WL_OK;
    if (load_image_file(context, path, module, &status))
        return status;
    status = wl_container_open_file(&container, path);
    if (status != WL_OK)
        return status;
    status = wl_module_load_container(context, container, NULL, NULL, module);
    wl_container_close(container);
    return status;
}

void wl_module_unload(struct wl_module *module) {
    wl_handle_remove(module);
    (void)wl_context_synchronize(module->context);
    wl_trace_module(module, false);
    module_free(module);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* The explicit arguments are those before the first hidden one. */
static enum wl_status measure_arguments(struct wl_loaded_kernel *loaded) {
    const struct wl_kernel *kernel = loaded->kernel;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct wl_argument *argument = &kernel->arguments[i];
        if (argument->kind >= WL_ARG_HIDDEN_GLOBAL_OFFSET_X)
            continue;
        uint64_t end = (uint64_t)argument->offset + argument->size;
        if (end > kernel->kernarg_size)
            return wl_fail(WL_INVALID_IMAGE, "%s: argument %u lies outside the %u bytes of the kernarg segment", kernel->name, i,
                           kernel->kernarg_size);
        loaded->explicit_count++;
        if (end > loaded->explicit_size)
            loaded->explicit_size = (uint32_t)end;
    }
    return WL_OK;
}

static enum wl_status find_kernel(const struct wl_module *module, const char *name, const struct wl_kernel **kernel) {
    if (!module->object)
        return module->context->device->ops->images->kernel(module->loaded, name, kernel);
    *kernel = wl_codeobject_find_kernel(module->object, name);
    return *kernel ? WL_OK : wl_fail(WL_NOT_FOUND, "the code object has no kernel %s", name);
}

static enum wl_status load_kernel(struct wl_module *module, const char *name, struct wl_loaded_kernel **result) {
    const struct wl_kernel *kernel = NULL;
    enum wl_status found = find_kernel(module, name, &kernel);
    if (found != WL_OK)
        return found;
    struct wl_loaded_kernel *loaded = calloc(1, sizeof *loaded);
    if (!loaded)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a kernel");
    loaded->module = module;
    loaded->kernel = kernel;
    loaded->max_dynamic_lds = UINT32_MAX;
    enum wl_status status = measure_arguments(loaded);
    if (status == WL_OK)
        status = module->context->device->ops->module_function(module->loaded, kernel, &loaded->function);
    if (status == WL_OK)
        status = wl_handle_add(loaded, WL_HANDLE_KERNEL);
    if (status != WL_OK) {
        free(loaded);
        return status;
    }
    loaded->next = module->kernels;
    module->kernels = *result = loaded;
    return WL_OK;
}

enum wl_status wl_module_kernel(struct wl_module *module, const char *name, struct wl_loaded_kernel **kernel) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&module->lock);
    struct wl_loaded_kernel *known = module->kernels;
    while (known && strcmp(known->kernel->name, name) != 0)
        known = known->next;
    if (known)
        *kernel = known;
    else
        status = load_kernel(module, name, kernel);
    pthread_mutex_unlock(&module->lock);
    return status;
}

struct wl_context *wl_module_context(const struct wl_module *module) { return module->context; }

const struct wl_codeobject *wl_module_object(const struct wl_module *module) { return module->object; }

void *wl_module_address(const struct wl_module *module, uint64_t virtual_address) {
    return module->context->device->ops->module_address(module->loaded, virtual_address);
}

size_t wl_module_kernel_count(const struct wl_module *module) {
    return module->object ? wl_codeobject_kernel_count(module->object) : module->context->device->ops->images->kernel_count(module->loaded);
}

const char *wl_module_kernel_name(const struct wl_module *module, size_t index) {
    if (!module->object)
        return module->context->device->ops->images->kernel_name(module->loaded, index);
    const struct wl_kernel *kernel = wl_codeobject_kernel(module->object, index);
    return kernel ? kernel->name : NULL;
}

static void unlock_in_child(const void *handle) { pthread_mutex_init(&((struct wl_module *)(uintptr_t)handle)->lock, NULL); }

void wl_module_after_fork(void) { wl_handle_each(WL_HANDLE_MODULE, unlock_in_child); }
