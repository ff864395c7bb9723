/* The CPU device's operations. */
#include "device/cpu/cpu.h"
#include "base/cpu.h"
#include "base/options.h"
#include "device/cpu/abi.h"
#include "device/cpu/code/tiers.h"
#include "device/cpu/code/units.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/debug/debug.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/dispatch.h"
#include "device/cpu/run/launch.h"
#include "device/cpu/run/sanitize.h"
#include "device/cpu/run/services.h"
#include "device/cpu/run/workers.h"
#include "device/translate_request.h"
#include "machine/processor.h"
#include "sanitize/allocations.h"
#include "sanitize/hooks.h"
#include "sanitize/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The pool is the process's, however many devices it is shown as. */
static struct {
    pthread_mutex_t lock;
    struct wl_pool *pool;
    unsigned users;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct wl_cpu_device *cpu(struct wl_device *device) { return (struct wl_cpu_device *)device; }

/* ---- devices -------------------------------------------------------------------------------- */

#define MEMORY_STEP ((uint64_t)2 << 20)

static void device_info(struct wl_device *device, struct wl_device_info *info) {
    long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    memset(info, 0, sizeof *info);
    wl_cpu_name(info->name, sizeof info->name);
    info->host_memory = wl_allowed_memory();
    info->memory_size = info->host_memory / MEMORY_STEP / 4 * 3 * MEMORY_STEP; /* a part stays the host's, as programs expect */
    if (wl_options()->device_memory)
        info->memory_size = wl_options()->device_memory;
    info->compute_units = wl_pool_size(cpu(device)->pool);
    info->max_workgroup_size = WL_MAX_WORKGROUP;
    for (int d = 0; d < 3; d++) {
        info->max_grid[d] = d == 0 ? INT32_MAX : 65536;
        info->max_block[d] = WL_MAX_WORKGROUP;
    }
    info->any_grid = true;
    info->pageable_access = true;
    info->lds_size = WL_LDS_BYTES;
    info->lds_by_code = true;
    info->registers = 65536;
    info->clock_khz = wl_ticks_khz();           /* that of clock64() */
    info->pci_bus = (int32_t)device->index + 1; /* each pretends to sit on a bus of its own */
    char uuid[sizeof info->uuid + 1];
    snprintf(uuid, sizeof uuid, "%016" PRIx64, UINT64_C(0x7761766500000000) | device->index); /* "wave" and its number */
    memcpy(info->uuid, uuid, sizeof info->uuid);
    info->memory_clock_khz = 1600000;
    info->memory_bus_bits = 128;
    info->l2_size = l2 > 0 ? (uint32_t)l2 : 1 << 20;
}

/* The free memory in steps: a program sees what the rest of the machine does, but not every page of it. */
static void memory_info(struct wl_device *device, uint64_t *free, uint64_t *total) {
    enum { STEP = 256 << 20 };
    (void)device;
    *free = wl_available_memory() / STEP * STEP;
    *total = wl_allowed_memory();
}

static void device_destroy(struct wl_device *device) {
    struct wl_cpu_device *d = cpu(device);
    wl_services_release(d);
    pthread_mutex_lock(&shared.lock);
    if (--shared.users == 0) {
        wl_pool_destroy(shared.pool);
        shared.pool = NULL;
    }
    pthread_mutex_unlock(&shared.lock);
    pthread_mutex_destroy(&d->lock);
    wl_pages_release(d->queue, sizeof(struct wl_queue));
    free(d);
}

/* ---- memory --------------------------------------------------------------------------------- */

static enum wl_status device_allocate(struct wl_device *device, void **memory, size_t size, size_t alignment) {
    (void)device;
    *memory = wl_pages_allocate(size, alignment);
    return *memory ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes", size);
}

static void device_release(struct wl_device *device, void *memory, size_t size) {
    (void)device;
    wl_pages_release(memory, size);
}

struct copy {
    void *target;
    const void *source;
    size_t size;
};

static void run_copy(void *argument) {
    const struct copy *copy = argument;
    memmove(copy->target, copy->source, copy->size);
}

static enum wl_status device_copy(struct wl_device *device, void *target, const void *source, size_t size) {
    struct copy copy = {target, source, size};
    (void)device;
    if (wl_fault_guard(run_copy, &copy))
        return WL_OK;
    return wl_fail(WL_INVALID_VALUE, "not all of the %zu bytes at %p and %p, source and target of a copy, are there", size, source, target);
}

static enum wl_status device_fill(struct wl_device *device, void *target, uint32_t pattern, unsigned pattern_size, size_t count) {
    (void)device;
    switch (pattern_size) {
    case 1:
        memset(target, (int)(pattern & 0xff), count);
        return WL_OK;
    case 2:
        for (size_t i = 0; i < count; i++)
            memcpy((uint8_t *)target + i * 2, &(uint16_t){(uint16_t)pattern}, 2);
        return WL_OK;
    case 4:
        for (size_t i = 0; i < count; i++)
            memcpy((uint8_t *)target + i * 4, &pattern, 4);
        return WL_OK;
    default:
        return wl_fail(WL_INVALID_VALUE, "a fill pattern of %u bytes", pattern_size);
    }
}

/* ---- forks ---------------------------------------------------------------------------------- */

/* Threads read-lock this lock while they hold a module's lock, and so while they translate. A thread that forks write-locks it.
 * Otherwise a child could find a module locked, or the translator at work, by a thread that the child does not have. */
static pthread_rwlock_t fork_guard = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP; /* whoever forks comes before new readers */

static void before_fork(void) {
    pthread_rwlock_wrlock(&fork_guard);
    wl_tiers_before_fork();
}

static void after_fork_in_parent(void) {
    wl_tiers_after_fork(false);
    pthread_rwlock_unlock(&fork_guard);
}

static void after_fork_in_child(void) {
    wl_tiers_after_fork(true);
    fork_guard = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    pthread_mutex_init(&shared.lock, NULL);
    if (shared.pool)
        wl_pool_after_fork(shared.pool);
}

static void watch_forks(void) { (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

void wl_module_lock(struct wl_device_module *module) {
    pthread_rwlock_rdlock(&fork_guard);
    pthread_mutex_lock(&module->lock);
}

void wl_module_unlock(struct wl_device_module *module) {
    pthread_mutex_unlock(&module->lock);
    pthread_rwlock_unlock(&fork_guard);
}

void wl_translation_begin(void) { pthread_rwlock_rdlock(&fork_guard); }

void wl_translation_end(void) { pthread_rwlock_unlock(&fork_guard); }

/* ---- modules -------------------------------------------------------------------------------- */

static void module_release(struct wl_device_module *module) {
    wl_debug_module_gone(module);
    wl_units_release(module);
    while (module->kernels) {
        struct wl_device_function *function = module->kernels;
        module->kernels = function->next;
        free(function);
    }
    wl_san_object_gone(module->object);
    wl_san_forgotten((uint64_t)(uintptr_t)module->image, module->image_mapped);
    wl_pages_release(module->image, module->image_mapped);
    pthread_mutex_destroy(&module->lock);
    free(module->functions);
    wl_codeobject_close(module->object);
    free(module);
}

static void module_unload(struct wl_device_module *module) {
    if (wl_tiers_forget(module, module_release))
        module_release(module);
}

static enum wl_status module_load(struct wl_device *device, struct wl_codeobject *object, struct wl_device_module **result) {
    struct wl_device_module *module = calloc(1, sizeof *module);
    if (!module)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a module");
    pthread_mutex_init(&module->lock, NULL);
    module->device = cpu(device);
    module->object = object;
    wl_codeobject_share(object); /* what is being translated may outlive the module's user */
    module->target = wl_codeobject_target(object);
    module->image_size = wl_codeobject_image_size(object);
    module->image_mapped = module->image_size + 4096; /* scalar loads read whole cache lines past an object's end */
    wl_codeobject_hash(object, module->hash);
    module->image = wl_pages_allocate(module->image_mapped, 4096);
    enum wl_status status =
        module->image ? WL_OK
                      : wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object of %llu bytes", (unsigned long long)module->image_size);
    if (status == WL_OK)
        status = wl_codeobject_load_pages(object, module->image);
    if (status == WL_OK && !(module->functions = wl_translate_functions(object, &module->function_count)))
        status = WL_OUT_OF_MEMORY;
    if (status != WL_OK) {
        module_unload(module);
        return status;
    }
    wl_sanitize_module(module);
    wl_debug_module_loaded(module);
    *result = module;
    return WL_OK;
}

static void *module_address(struct wl_device_module *module, uint64_t virtual_address) {
    return virtual_address < module->image_size ? module->image + virtual_address : NULL;
}

/* ---- functions ------------------------------------------------------------------------------ */

static _Atomic uint64_t last_function;

/* Registers and scratch. A unit without calls says itself how many VGPRs it uses; with calls, code that uses any of them may run. */
static void size_function(struct wl_device_function *f) {
    const struct wl_kernel *kernel = f->kernel;
    bool calls = wl_codeobject_function_count(f->module->object) > 0 || kernel->dynamic_stack;
    f->rows = !calls                                                                           ? f->abi.id_rows
              : kernel->vgprs > WL_AGPR && wl_target_has(f->module->target, WL_HAS_1024_VGPRS) ? WL_TEMPORARY
                                                                                               : WL_AGPR;
    if (kernel->agprs > 0 || (calls && wl_target_has(f->module->target, WL_HAS_AGPRS)))
        f->rows = WL_AGPR_END;
    f->scratch_size = (kernel->scratch_size + 15) & ~15u;
    f->calls = calls;
}

static bool is_empty(const struct wl_device_module *module, const struct wl_kernel *kernel) {
    enum { END_9 = 0xBF81, END_11 = 0xBFB0 }; /* s_endpgm without its operand, in gfx9 and gfx10 and in those after */
    const uint8_t *code = wl_codeobject_image(module->object) + kernel->entry;
    return (code[2] | code[3] << 8) == (module->target->major < 11 ? END_9 : END_11);
}

static enum wl_status module_function(struct wl_device_module *module, const struct wl_kernel *kernel, struct wl_device_function **result) {
    if (kernel->wave_size != 32 && kernel->wave_size != 64)
        return wl_fail(WL_INVALID_IMAGE, "kernel %s has a wave size of %u", kernel->name, kernel->wave_size);
    if (kernel->scratch_size > WL_MAX_STACK)
        return wl_fail(WL_OUT_OF_RESOURCES, "kernel %s needs %u bytes of private memory a lane", kernel->name, kernel->scratch_size);
    struct wl_abi abi;
    wl_abi_init(&abi, kernel, module->target);
    if (abi.sgpr_end > WL_TEMPLATE_SGPRS)
        return wl_fail(WL_INVALID_IMAGE, "kernel %s asks for %d initial SGPRs", kernel->name, abi.sgpr_end);
    wl_module_lock(module);
    struct wl_device_function *function = module->kernels;
    while (function && function->kernel != kernel)
        function = function->next;
    if (!function && (function = calloc(1, sizeof *function))) {
        function->module = module;
        function->kernel = kernel;
        function->abi = abi;
        function->id = atomic_fetch_add(&last_function, 1) + 1;
        function->lds_limit = wl_processor_find(module->target->processor)->lds_bytes;
        function->empty = is_empty(module, kernel);
        size_function(function);
        for (uint32_t i = 0; i < kernel->argument_count; i++) {
            function->uses_hostcall |= kernel->arguments[i].kind == WL_ARG_HIDDEN_HOSTCALL_BUFFER;
            function->uses_print_buffer |= kernel->arguments[i].kind == WL_ARG_HIDDEN_PRINTF_BUFFER;
            function->uses_heap |= kernel->arguments[i].kind == WL_ARG_HIDDEN_HEAP_V1;
        }
        function->next = module->kernels;
        module->kernels = function;
    }
    wl_module_unlock(module);
    *result = function;
    return function ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for kernel %s", kernel->name);
}

static enum wl_status function_prepare(struct wl_device_function *function, const uint32_t block[3], const uint32_t remainder[3]) {
    static const uint32_t whole[3] = {0, 0, 0};
    (void)remainder; /* partial workgroups run code for any shape, made when it is needed */
    struct wl_cpu_unit *unit;
    return wl_cpu_launch_prepare(function, wl_cpu_launch_shape(block, whole, function->kernel->wave_size), &unit);
}

static enum wl_status launch(struct wl_device *device, const struct wl_launch *l) { return wl_cpu_launch(cpu(device), l); }

static uint64_t estimate(const struct wl_launch *l) {
    uint64_t total = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t cost = atomic_load_explicit(&l->function->cost, memory_order_relaxed);
    return cost && total > UINT64_MAX / 2 / cost ? UINT64_MAX / 2 : total * cost;
}

static bool stops(const struct wl_device_function *function) { return wl_debug_module_stops(function->module); }

static bool may_poll(const struct wl_launch *l) {
    static const uint32_t whole[3] = {0, 0, 0};
    enum wl_shape shape = wl_cpu_launch_shape(l->block, whole, l->function->kernel->wave_size);
    const struct wl_cpu_unit *unit = atomic_load_explicit(&l->function->units[shape], memory_order_acquire);
    const struct wl_unit_info *info = unit ? atomic_load(&unit->info[WL_MODE_FULL]) : NULL;
    return !info || info->may_wait & WL_POLLS;
}

static void together(struct wl_device *device, unsigned threads, uint64_t worker_mask, void (*body)(void *context), void *context) {
    wl_pool_together(cpu(device)->pool, threads, worker_mask, body, context);
}

static enum wl_status limit_stack(struct wl_device *device, size_t bytes) {
    if (bytes > WL_MAX_STACK)
        return wl_fail(WL_INVALID_VALUE, "a stack of %zu bytes a lane; there can be %u", bytes, WL_MAX_STACK);
    atomic_store(&cpu(device)->stack_size, bytes < WL_MIN_STACK ? WL_MIN_STACK : (uint32_t)(bytes + 15) & ~15u);
    return WL_OK;
}

static uint32_t occupancy(struct wl_device_function *function, uint32_t block_size, size_t dynamic_lds) {
    return wl_cpu_occupancy(function, block_size, dynamic_lds);
}

static void finish(struct wl_device *device) {
    (void)device;
    wl_tiers_finish();
}

static const struct wl_device_ops operations = {
    .kind = "cpu",
    .info = device_info,
    .destroy = device_destroy,
    .allocate = device_allocate,
    .release = device_release,
    .copy = device_copy,
    .fill = device_fill,
    .module_load = module_load,
    .module_unload = module_unload,
    .module_address = module_address,
    .module_function = module_function,
    .prepare = function_prepare,
    .launch = launch,
    .estimate = estimate,
    .may_poll = may_poll,
    .stops = stops,
    .together = together,
    .limit_stack = limit_stack,
    .finish = finish,
    .occupancy = occupancy,
    .memory_info = memory_info,
};

/* ---- creation ------------------------------------------------------------------------------- */

static struct wl_queue *make_queue(void) {
    struct wl_queue *queue = wl_pages_allocate(sizeof *queue, 64);
    if (queue) {
        queue->size = 1;
        queue->group_segment_aperture_base_hi = WL_SHARED_APERTURE_HI;
        queue->private_segment_aperture_base_hi = WL_PRIVATE_APERTURE_HI;
    }
    return queue;
}

enum wl_status wl_cpu_device_create(struct wl_device **result, unsigned index) {
    static pthread_once_t forks = PTHREAD_ONCE_INIT;
    struct wl_cpu_device *device = calloc(1, sizeof *device);
    struct wl_queue *queue = make_queue();
    enum wl_status status = device && queue ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for a device");
    if (status == WL_OK) {
        pthread_mutex_lock(&shared.lock);
        if (!shared.pool)
            status = wl_pool_create(&shared.pool, wl_options()->threads ? wl_options()->threads : wl_allowed_cpus(), wl_dispatch_run);
        if (status == WL_OK)
            shared.users++;
        pthread_mutex_unlock(&shared.lock);
    }
    if (status != WL_OK) {
        wl_pages_release(queue, sizeof *queue);
        free(device);
        return status;
    }
    wl_fault_install();
    wl_san_stacks_guard(wl_fault_guard);
    pthread_once(&forks, watch_forks);
    pthread_mutex_init(&device->lock, NULL);
    device->base.ops = &operations;
    device->base.index = index;
    device->pool = shared.pool;
    device->queue = queue;
    atomic_init(&device->stack_size, WL_MIN_STACK);
    *result = &device->base;
    return WL_OK;
}
