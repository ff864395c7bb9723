#include "runtime/recording.h"

#include "base/array.h"
#include "base/options.h"
#include "base/page.h"
#include "base/peek.h"
#include "base/table.h"
#include "codeobject/codeobject.h"
#include "runtime/context.h"
#include "runtime/map.h"
#include "runtime/memory.h"
#include "sanitize/names.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PATIENCE = 10 /* seconds that a launch waits for the one before */ };

/* Modules and functions as the device made them. */
struct module {
    struct wl_device_module *loaded;
    const struct wl_codeobject *object;
    uint64_t number;
    bool written;
};

struct function {
    struct wl_device_function *made;
    struct wl_device_module *module;
    const struct wl_kernel *kernel;
};

/* A hash of what the file has of a page. */
struct page {
    uint64_t hash;
};

/* Guarded by `lock`, but for what is set when the first device comes. */
static struct {
    pthread_mutex_t lock;
    const struct wl_device_ops *plain; /* the device's own */
    struct wl_device_ops ops;
    FILE *file;
    bool failed;
    struct module *modules;
    size_t module_count, module_capacity;
    struct function *functions;
    size_t function_count, function_capacity;
    struct wl_table pages; /* struct page, by address / WL_PAGE */
    struct wl_recording_allocation *allocations;
    size_t allocation_count, allocation_capacity;
    uint64_t launches, modules_made;
} recording = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t wl_recording_hash(const void *memory, uint64_t size) { return XXH3_64bits(memory, size); }

/* ---- writing ------------------------------------------------------------------------------------ */

/* What is in the file already stays good; nothing is added to it any more. */
static void end_for(int error) {
    if (!recording.failed)
        wl_log(0, "the recording ends: %s: %s", wl_options()->record, strerror(error)); /* NOLINT(concurrency-mt-unsafe) */
    recording.failed = true;
}

static void put(const void *bytes, size_t size) {
    if (!recording.failed && size && fwrite(bytes, size, 1, recording.file) != 1)
        end_for(errno);
}

static void pad(uint64_t size) { put("\0\0\0\0\0\0\0", (8 - size % 8) % 8); }

static void begin_section(enum wl_recording_kind kind, uint64_t size) {
    const struct wl_recording_section section = {.kind = kind, .size = size};
    put(&section, sizeof section);
}

static void open_file(void) {
    struct wl_recording_header header = {.version = WL_RECORDING_VERSION};
    memcpy(header.magic, WL_RECORDING_MAGIC, sizeof header.magic);
    recording.file = fopen(wl_options()->record, "we");
    if (!recording.file) {
        recording.failed = true;
        wl_log(0, "nothing is recorded: %s: %s", wl_options()->record, strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return;
    }
    snprintf(header.arch, sizeof header.arch, "%s", wl_runtime_target()->processor);
    put(&header, sizeof header);
}

/* ---- memory --------------------------------------------------------------------------------------- */

static void put_data(uint64_t address, uint64_t size) {
    const struct wl_recording_data data = {.address = address};
    begin_section(WL_RECORDING_DATA, sizeof data + size);
    put(&data, sizeof data);
    put((const void *)(uintptr_t)address, size);
    pad(size);
}

/* Writes what of an allocation the file does not have. Pages that lie beside each other go together. */
static void put_changes(const struct wl_recording_allocation *allocation) {
    const uint64_t end = allocation->address + allocation->size;
    uint64_t from = 0; /* of the pages to be written; 0: none */
    for (uint64_t at = allocation->address, next; at < end; at = next) {
        next = wl_page_down(at) + WL_PAGE;
        next = next < end ? next : end;
        struct page *page = wl_table_find(&recording.pages, at / WL_PAGE);
        const bool known = page;
        if (!page && !(page = wl_table_make(&recording.pages, at / WL_PAGE, sizeof *page))) {
            end_for(ENOMEM);
            return;
        }
        const uint64_t hash = XXH3_64bits_withSeed((const void *)(uintptr_t)at, next - at, at << 12 ^ (next - at));
        const bool changed = !known || page->hash != hash;
        page->hash = hash;
        if (changed && !from)
            from = at;
        if (!changed && from) {
            put_data(from, at - from);
            from = 0;
        }
    }
    if (from)
        put_data(from, end - from);
}

/* Whether all pages can be read: reservations and other processes' memory may have holes. */
static bool is_readable(uint64_t address, uint64_t size) {
    for (uint64_t at = address; at < address + size; at = wl_page_down(at) + WL_PAGE) {
        char byte;
        if (!wl_peek((const void *)(uintptr_t)at, &byte, 1))
            return false;
    }
    return true;
}

static void add_allocation(uint64_t address, uint64_t size, enum wl_memory_kind kind, bool is_image) {
    if (!WL_ARRAY_RESERVE(recording.allocations, recording.allocation_count, recording.allocation_capacity, 64)) {
        end_for(ENOMEM);
        return;
    }
    recording.allocations[recording.allocation_count++] =
        (struct wl_recording_allocation){.address = address, .size = size, .kind = (uint32_t)kind, .is_image = is_image};
}

static void visit_allocation(void *context, const struct wl_allocation *allocation) {
    const enum wl_memory_kind kind = allocation->kind;
    const bool sure = kind == WL_MEMORY_DEVICE || kind == WL_MEMORY_HOST || kind == WL_MEMORY_MANAGED || kind == WL_MEMORY_ARRAY;
    (void)context;
    if (kind != WL_MEMORY_VARIABLE && (sure || is_readable(allocation->address, allocation->size)))
        add_allocation(allocation->address, allocation->size, kind, false);
}

/* ---- launches --------------------------------------------------------------------------------------- */

static void put_module(struct module *module) {
    size_t size = 0;
    const uint8_t *elf = wl_codeobject_elf(module->object, &size);
    const struct wl_recording_module head = {.number = module->number,
                                             .image = (uint64_t)(uintptr_t)recording.plain->module_address(module->loaded, 0),
                                             .image_size = wl_codeobject_image_size(module->object)};
    begin_section(WL_RECORDING_MODULE, sizeof head + size);
    put(&head, sizeof head);
    put(elf, size);
    pad(size);
    module->written = true;
}

static void put_launch(const struct wl_launch *launch, const struct wl_kernel *kernel, uint64_t module) {
    struct wl_recording_launch head = {.number = recording.launches,
                                       .module = module,
                                       .dynamic_lds = launch->dynamic_lds,
                                       .cooperative = launch->cooperative,
                                       .argument_size = launch->kernarg_size,
                                       .name_size = strlen(kernel->name) + 1,
                                       .allocation_count = recording.allocation_count};
    const uint64_t list = recording.allocation_count * sizeof *recording.allocations;
    memcpy(head.grid, launch->grid, sizeof head.grid);
    memcpy(head.block, launch->block, sizeof head.block);
    memcpy(head.cluster, launch->cluster, sizeof head.cluster);
    memcpy(head.remainder, launch->remainder, sizeof head.remainder);
    begin_section(WL_RECORDING_LAUNCH, sizeof head + (head.argument_size + 7) / 8 * 8 + (head.name_size + 7) / 8 * 8 + list);
    put(&head, sizeof head);
    put(launch->kernarg, head.argument_size);
    pad(head.argument_size);
    put(kernel->name, head.name_size);
    pad(head.name_size);
    put(recording.allocations, list);
}

static void put_result(enum wl_status status) {
    const struct wl_recording_result head = {.status = (uint64_t)status};
    begin_section(WL_RECORDING_RESULT, sizeof head + recording.allocation_count * sizeof(uint64_t));
    put(&head, sizeof head);
    for (size_t i = 0; i < recording.allocation_count; i++) {
        const struct wl_recording_allocation *allocation = &recording.allocations[i];
        const uint64_t hash = wl_recording_hash((const void *)(uintptr_t)allocation->address, allocation->size);
        put(&hash, sizeof hash);
    }
    if (!recording.failed)
        fflush(recording.file);
}

static struct module *find_module(const struct wl_device_module *loaded) {
    for (size_t i = 0; i < recording.module_count; i++)
        if (recording.modules[i].loaded == loaded)
            return &recording.modules[i];
    return NULL;
}

static const struct function *find_function(const struct wl_device_function *made) {
    for (size_t i = recording.function_count; i-- > 0;)
        if (recording.functions[i].made == made)
            return &recording.functions[i];
    return NULL;
}

static bool is_wanted(const struct wl_kernel *kernel) {
    const char *pattern = wl_options()->record_kernel;
    if (!pattern)
        return true;
    char *readable = wl_san_demangle(kernel->name);
    const bool wanted = wl_san_names_function(pattern, kernel->name, readable ? readable : kernel->name);
    free(readable);
    return wanted;
}

/* Takes the lock; false: a launch before it is still running, which may wait for this one. */
static bool take_lock(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    return pthread_mutex_timedlock(&recording.lock, &until) == 0;
}

static enum wl_status launch_recorded(struct wl_device *device, const struct wl_launch *launch) {
    if (launch->packet || launch->multigrid || recording.failed)
        return recording.plain->launch(device, launch);
    if (!take_lock()) {
        wl_log(1, "a launch is not recorded: it runs beside another one, which may wait for it");
        return recording.plain->launch(device, launch);
    }
    const struct function *function = find_function(launch->function);
    struct module *module = function ? find_module(function->module) : NULL;
    if (!module || !is_wanted(function->kernel)) {
        pthread_mutex_unlock(&recording.lock);
        return recording.plain->launch(device, launch);
    }
    if (!recording.file)
        open_file();
    recording.launches++;
    recording.allocation_count = 0;
    if (!module->written)
        put_module(module);
    for (size_t i = 0; i < recording.module_count; i++)
        if (recording.modules[i].written)
            add_allocation((uint64_t)(uintptr_t)recording.plain->module_address(recording.modules[i].loaded, 0),
                           wl_codeobject_image_size(recording.modules[i].object), WL_MEMORY_VARIABLE, true);
    wl_map_visit(visit_allocation, NULL);
    for (size_t i = 0; i < recording.allocation_count; i++)
        put_changes(&recording.allocations[i]);
    put_launch(launch, function->kernel, module->number);
    if (!recording.failed)
        fflush(recording.file);
    struct wl_launch alone = *launch;
    alone.alone = true;
    const enum wl_status status = recording.plain->launch(device, &alone);
    put_result(status);
    pthread_mutex_unlock(&recording.lock);
    return status;
}

/* ---- what the device makes ------------------------------------------------------------------------------ */

static enum wl_status load_module(struct wl_device *device, struct wl_codeobject *object, struct wl_device_module **module) {
    const enum wl_status status = recording.plain->module_load(device, object, module);
    if (status != WL_OK)
        return status;
    pthread_mutex_lock(&recording.lock);
    if (WL_ARRAY_RESERVE(recording.modules, recording.module_count, recording.module_capacity, 16))
        recording.modules[recording.module_count++] = (struct module){*module, object, ++recording.modules_made, false};
    else
        end_for(ENOMEM);
    pthread_mutex_unlock(&recording.lock);
    return WL_OK;
}

static void unload_module(struct wl_device_module *module) {
    pthread_mutex_lock(&recording.lock);
    struct module *known = find_module(module);
    if (known)
        *known = recording.modules[--recording.module_count];
    for (size_t i = 0; i < recording.function_count;)
        if (recording.functions[i].module == module)
            recording.functions[i] = recording.functions[--recording.function_count];
        else
            i++;
    pthread_mutex_unlock(&recording.lock);
    recording.plain->module_unload(module);
}

static enum wl_status make_function(struct wl_device_module *module, const struct wl_kernel *kernel, struct wl_device_function **function) {
    const enum wl_status status = recording.plain->module_function(module, kernel, function);
    if (status != WL_OK)
        return status;
    pthread_mutex_lock(&recording.lock);
    if (!find_function(*function)) {
        if (WL_ARRAY_RESERVE(recording.functions, recording.function_count, recording.function_capacity, 64))
            recording.functions[recording.function_count++] = (struct function){*function, module, kernel};
        else
            end_for(ENOMEM);
    }
    pthread_mutex_unlock(&recording.lock);
    return WL_OK;
}

void wl_recording_begin(struct wl_device *device) {
    if (!wl_options()->record || device->ops->queues)
        return;
    if (!recording.plain) {
        recording.plain = device->ops;
        recording.ops = *device->ops;
        recording.ops.launch = launch_recorded;
        recording.ops.module_load = load_module;
        recording.ops.module_unload = unload_module;
        recording.ops.module_function = make_function;
    }
    if (device->ops == recording.plain)
        device->ops = &recording.ops;
}
