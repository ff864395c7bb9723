/* Code objects and their kernels, which get numbers as they are loaded. */
#include "rocprofiler/profiler.h"

#include "codeobject/codeobject.h"
#include "runtime/core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct object {
        struct object *next;
        const void *module;
        const struct wl_codeobject *code;
        uint64_t number, first; /* its own, and that of its first kernel */
    } *list;
    uint64_t objects, kernels;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct object *find(const void *module) {
    struct object *found = all.list;
    while (found && found->module != module)
        found = found->next;
    return found;
}

/* The module's numbers, new ones if it has none. `made` says so. */
static struct object enter(const void *module, bool *made) {
    const struct wl_codeobject *code = wl_core.module_object(module);
    struct object copy = {0};
    pthread_mutex_lock(&all.lock);
    struct object *found = find(module);
    *made = false;
    if (!found && code && (found = calloc(1, sizeof *found))) {
        *found = (struct object){all.list, module, code, ++all.objects, all.kernels + 1};
        all.kernels += wl_codeobject_kernel_count(code);
        all.list = found;
        *made = true;
    }
    if (found)
        copy = *found;
    pthread_mutex_unlock(&all.lock);
    return copy;
}

static void leave(const void *module) {
    pthread_mutex_lock(&all.lock);
    struct object **place = &all.list;
    while (*place && (*place)->module != module)
        place = &(*place)->next;
    struct object *found = *place;
    if (found)
        *place = found->next;
    pthread_mutex_unlock(&all.lock);
    free(found);
}

static void call_back(int operation, int phase, void *payload) {
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        if (!wl_rp_calls_back(context, WL_RP_CALLBACK_CODE_OBJECT, operation))
            continue;
        union wl_rp_user user = {0};
        const struct wl_rp_callback_record record = {.context = {i + 1},
                                                     .thread = wl_rp_thread(),
                                                     .kind = WL_RP_CALLBACK_CODE_OBJECT,
                                                     .operation = operation,
                                                     .phase = phase,
                                                     .payload = payload};
        context->callbacks[WL_RP_CALLBACK_CODE_OBJECT].function(record, &user, context->callbacks[WL_RP_CALLBACK_CODE_OBJECT].data);
    }
}

static void tell_object(const struct object *object, int phase) {
    size_t size = 0;
    const void *elf = wl_codeobject_elf(object->code, &size);
    const uint64_t base = (uint64_t)(uintptr_t)wl_core.module_address(object->module, 0);
    char uri[128];
    snprintf(uri, sizeof uri, "memory://%d#offset=0x%llx&size=%zu", (int)getpid(), (unsigned long long)(uintptr_t)elf, size);
    struct wl_rp_object_payload payload = {.size = sizeof payload,
                                           .object = object->number,
                                           .agent = wl_rp_agent((int)wl_core.module_context(object->module)->index),
                                           .uri = uri,
                                           .load_base = base,
                                           .load_size = wl_codeobject_image_size(object->code),
                                           .load_delta = (int64_t)base,
                                           .storage = WL_RP_STORAGE_MEMORY,
                                           .memory_base = (uint64_t)(uintptr_t)elf,
                                           .memory_size = size};
    call_back(WL_RP_OBJECT_LOAD, phase, &payload);
}

static void tell_kernels(const struct object *object, int phase) {
    for (size_t i = 0; i < wl_codeobject_kernel_count(object->code); i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object->code, i);
        const uint64_t descriptor = (uint64_t)(uintptr_t)wl_core.module_address(object->module, kernel->descriptor),
                       start = (uint64_t)(uintptr_t)wl_core.module_address(object->module, kernel->start);
        struct wl_rp_kernel_payload payload = {.size = sizeof payload,
                                               .kernel = object->first + i,
                                               .object = object->number,
                                               .name = kernel->name,
                                               .kernel_object = descriptor,
                                               .kernarg_size = kernel->kernarg_size,
                                               .kernarg_align = kernel->kernarg_align,
                                               .lds = kernel->lds_size,
                                               .scratch = kernel->scratch_size,
                                               .sgprs = kernel->sgprs,
                                               .vgprs = kernel->vgprs,
                                               .agprs = kernel->agprs,
                                               .entry_offset = (int64_t)(start - descriptor),
                                               .address = start};
        call_back(WL_RP_OBJECT_KERNEL, phase, &payload);
    }
}

void wl_rp_module(const void *module, bool loaded) {
    bool made = false;
    const struct object object = enter(module, &made);
    if (!object.code)
        return; /* an image in a device's own format, which tells nothing of its kernels */
    if (loaded && made) {
        tell_object(&object, WL_RP_PHASE_ENTER);
        tell_kernels(&object, WL_RP_PHASE_ENTER);
    }
    if (!loaded) {
        tell_kernels(&object, WL_RP_PHASE_EXIT);
        tell_object(&object, WL_RP_PHASE_EXIT);
        leave(module);
    }
}

uint64_t wl_rp_kernel(const void *loaded) {
    const struct wl_loaded_kernel *kernel = loaded;
    bool made = false;
    wl_rp_module(kernel->module, true); /* one that was loaded before anybody wanted to know */
    const struct object object = enter(kernel->module, &made);
    return object.code ? object.first + (uint64_t)(kernel->kernel - wl_codeobject_kernel(object.code, 0)) : 0;
}
