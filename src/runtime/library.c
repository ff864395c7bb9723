/* Libraries: a code object for all devices, loaded on each when one of its kernels or variables is first used there. */
#include "runtime/library.h"
#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/module.h"

#include <stdlib.h>
#include <string.h>

struct wl_library {
    struct wl_container *container;
    void *image;                /* a copy of the program's; NULL: a file, or the program keeps it */
    pthread_mutex_t lock;       /* guards what follows */
    struct wl_module **modules; /* per context; NULL entries: not loaded */
    struct wl_library_kernel *kernels;
};

struct wl_library_kernel {
    struct wl_library *library;
    char *name;
    struct wl_library_kernel *next;
};

/* ---- loading -------------------------------------------------------------------------------- */

static enum wl_status finish(struct wl_library *made, enum wl_status status, struct wl_library **library) {
    if (status == WL_OK) {
        made->modules = (struct wl_module **)calloc(wl_context_count(), sizeof(struct wl_module *));
        status = made->modules ? wl_handle_add(made, WL_HANDLE_LIBRARY) : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a library");
    }
    if (status == WL_OK)
        *library = made;
    else
        wl_library_unload(made);
    return status;
}

static struct wl_library *make(void) {
    struct wl_library *made = calloc(1, sizeof *made);
    if (made)
        pthread_mutex_init(&made->lock, NULL);
    else
        wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a library");
    return made;
}

/* The entry that devices will use, as a container of its own. */
static enum wl_status copy_entry(struct wl_library *library, const void *image) {
    struct wl_container *container = NULL;
    struct wl_entry entry;
    enum wl_status status = wl_container_open(&container, image, WL_SIZE_UNKNOWN);
    if (status == WL_OK)
        status = wl_module_select(container, &entry);
    if (status == WL_OK) {
        library->image = malloc(entry.size);
        status = library->image ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for an image of %zu bytes", entry.size);
    }
    if (status == WL_OK) {
        memcpy(library->image, entry.data, entry.size);
        status = wl_container_open(&library->container, library->image, entry.size);
    }
    wl_container_close(container);
    return status;
}

enum wl_status wl_library_load(const void *image, bool preserved, struct wl_library **library) {
    struct wl_library *made = make();
    if (!made)
        return WL_OUT_OF_MEMORY;
    return finish(made, preserved ? wl_container_open(&made->container, image, WL_SIZE_UNKNOWN) : copy_entry(made, image), library);
}

enum wl_status wl_library_load_file(const char *path, struct wl_library **library) {
    struct wl_library *made = make();
    return made ? finish(made, wl_container_open_file(&made->container, path), library) : WL_OUT_OF_MEMORY;
}

void wl_library_unload(struct wl_library *library) {
    wl_handle_remove(library);
    for (unsigned i = 0; library->modules && i < wl_context_count(); i++)
        if (library->modules[i])
            wl_module_unload(library->modules[i]);
    while (library->kernels) {
        struct wl_library_kernel *next = library->kernels->next;
        wl_handle_remove(library->kernels);
        free(library->kernels->name);
        free(library->kernels);
        library->kernels = next;
    }
    free((void *)library->modules);
    if (library->container)
        wl_container_close(library->container);
    free(library->image);
    pthread_mutex_destroy(&library->lock);
    free(library);
}

enum wl_status wl_library_module(struct wl_library *library, struct wl_context *context, struct wl_module **module) {
    enum wl_status status = WL_OK;
    pthread_mutex_lock(&library->lock);
    struct wl_module **slot = &library->modules[context->index];
    if (!*slot)
        status = wl_module_load_container(context, library->container, NULL, NULL, slot);
    *module = *slot;
    pthread_mutex_unlock(&library->lock);
    return status;
}

/* ---- kernels -------------------------------------------------------------------------------- */

enum wl_status wl_library_kernel(struct wl_library *library, struct wl_context *context, const char *name,
                                 struct wl_library_kernel **kernel) {
    struct wl_module *module = NULL;
    struct wl_loaded_kernel *loaded = NULL;
    enum wl_status status = wl_library_module(library, context, &module);
    if (status == WL_OK)
        status = wl_module_kernel(module, name, &loaded);
    if (status != WL_OK)
        return status;
    pthread_mutex_lock(&library->lock);
    struct wl_library_kernel *known = library->kernels;
    while (known && strcmp(known->name, name) != 0)
        known = known->next;
    if (!known && (known = calloc(1, sizeof *known))) {
        known->library = library;
        known->name = strdup(name);
        known->next = library->kernels;
        library->kernels = known;
        status = known->name ? wl_handle_add(known, WL_HANDLE_LIBRARY_KERNEL) : WL_OUT_OF_MEMORY;
        if (status != WL_OK) {
            library->kernels = known->next;
            free(known->name);
            free(known);
        }
    } else if (!known) {
        status = WL_OUT_OF_MEMORY;
    }
    pthread_mutex_unlock(&library->lock);
    if (status == WL_OK)
        *kernel = known;
    return status == WL_OK ? WL_OK : wl_fail(status, "out of host memory for a kernel of a library");
}

enum wl_status wl_library_kernel_load(const struct wl_library_kernel *kernel, struct wl_context *context,
                                      struct wl_loaded_kernel **loaded) {
    struct wl_module *module = NULL;
    enum wl_status status = wl_library_module(kernel->library, context, &module);
    return status == WL_OK ? wl_module_kernel(module, kernel->name, loaded) : status;
}

struct wl_library *wl_library_kernel_owner(const struct wl_library_kernel *kernel) { return kernel->library; }

const char *wl_library_kernel_name(const struct wl_library_kernel *kernel) { return kernel->name; }

static void unlock_in_child(const void *handle) { pthread_mutex_init(&((struct wl_library *)(uintptr_t)handle)->lock, NULL); }

void wl_library_after_fork(void) { wl_handle_each(WL_HANDLE_LIBRARY, unlock_in_child); }
