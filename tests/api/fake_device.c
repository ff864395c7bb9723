#include "fake_device.h"

#include "base/options.h"
#include "device/debugger.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_control fake;
volatile int wl_debugger;
const struct wl_jit_interface *wl_jit_interface;
void (*wl_device_describe_address)(uint64_t address, char *text, size_t size);
void (*wl_device_count_memory)(struct wl_device *device, int64_t bytes);

struct wl_device_module {
    unsigned char *image;
    struct wl_codeobject *object;
    struct wl_device_function *functions;
};

typedef enum wl_status (*body)(const struct wl_launch *launch, const unsigned char *kernarg);

struct wl_device_function {
    body run;
    struct wl_device_module *module;
    struct wl_device_function *next;
};

/* ---- the kernels of kernels.hip ---------------------------------------------------------------- */

static uint64_t items(const struct wl_launch *launch) {
    return (uint64_t)launch->grid[0] * launch->block[0] - (launch->remainder[0] ? launch->block[0] - launch->remainder[0] : 0);
}

static enum wl_status run_empty(const struct wl_launch *launch, const unsigned char *kernarg) {
    (void)launch, (void)kernarg;
    return WL_OK;
}

static enum wl_status run_add(const struct wl_launch *launch, const unsigned char *kernarg) {
    int *values = *(int *const *)kernarg, value = *(const int *)(kernarg + 8), count = *(const int *)(kernarg + 12);
    for (uint64_t i = 0; i < items(launch) && i < (uint64_t)count; i++)
        values[i] += value;
    return WL_OK;
}

struct mixed {
    char letters[5];
    double number;
};

static enum wl_status run_arguments(const struct wl_launch *launch, const unsigned char *kernarg) {
    (void)launch;
    double *out = *(double *const *)kernarg;
    const struct mixed *c = (const struct mixed *)(kernarg + 16);
    out[0] = *(const signed char *)(kernarg + 8);
    out[1] = *(const short *)(kernarg + 10);
    out[2] = c->letters[4];
    out[3] = c->number;
    out[4] = (double)*(const float *)(kernarg + 32);
    return WL_OK;
}

static enum wl_status run_wait_for(const struct wl_launch *launch, const unsigned char *kernarg) {
    (void)launch;
    atomic_int *flag = *(atomic_int *const *)kernarg;
    while (!atomic_load(flag))
        sched_yield();
    return WL_OK;
}

static enum wl_status run_set(const struct wl_launch *launch, const unsigned char *kernarg) {
    (void)launch;
    atomic_store(*(atomic_int *const *)kernarg, *(const int *)(kernarg + 8));
    return WL_OK;
}

static enum wl_status run_burn(const struct wl_launch *launch, const unsigned char *kernarg) {
    unsigned *out = *(unsigned *const *)kernarg;
    for (uint64_t item = 0; item < items(launch); item++) {
        unsigned value = (unsigned)item;
        for (int i = 0; i < *(const int *)(kernarg + 8); i++)
            value = value * 1664525u + 1013904223u;
        out[item] = value;
    }
    return WL_OK;
}

static enum wl_status run_fault(const struct wl_launch *launch, const unsigned char *kernarg) {
    (void)launch, (void)kernarg;
    return WL_ILLEGAL_ADDRESS;
}

static _Thread_local struct wl_device_module *running;

static void *variable(const char *name) { return running->image + wl_codeobject_find_variable(running->object, name)->address; }

static enum wl_status run_variables(const struct wl_launch *launch, const unsigned char *kernarg) {
    (void)launch;
    int *out = *(int *const *)kernarg;
    out[0] = (*(int *)variable("counter"))++;
    out[1] = ((int *)variable("table"))[2];
    out[2] = (**(int **)variable("shared_number"))++;
    return WL_OK;
}

static const struct {
    const char *name;
    body run;
} kernels[] = {{"empty", run_empty},       {"small_block", run_empty}, {"add", run_add},     {"arguments", run_arguments},
               {"wait_for", run_wait_for}, {"set", run_set},           {"fault", run_fault}, {"variables", run_variables},
               {"needs", run_empty},       {"burn", run_burn},         {"crowd", run_empty}};

/* ---- the operations --------------------------------------------------------------------------- */

static void info(struct wl_device *device, struct wl_device_info *info) {
    *info = (struct wl_device_info){.name = "fake",
                                    .pci_bus = (int32_t)device->index + 1,
                                    .uuid = {[15] = (uint8_t)device->index},
                                    .memory_size = UINT64_C(1) << 30,
                                    .compute_units = 4,
                                    .max_workgroup_size = 1024,
                                    .max_grid = {0x7fffffff, 65536, 65536},
                                    .any_grid = true,
                                    .pageable_access = true,
                                    .max_block = {1024, 1024, 1024},
                                    .lds_size = 65536,
                                    .registers = 65536,
                                    .clock_khz = 1000000,
                                    .memory_clock_khz = 1000000,
                                    .memory_bus_bits = 64,
                                    .l2_size = 1 << 20};
}

static void destroy(struct wl_device *device) { free(device); }

static enum wl_status allocate(struct wl_device *device, void **memory, size_t size, size_t alignment) {
    (void)device;
    if (atomic_load(&fake.allocate_status))
        return wl_fail((enum wl_status)atomic_load(&fake.allocate_status), "as the test wants");
    if (posix_memalign(memory, alignment < 64 ? 64 : alignment, size))
        return wl_fail(WL_OUT_OF_MEMORY, "no host memory");
    atomic_fetch_add(&fake.memory, (long)size);
    return WL_OK;
}

static void release(struct wl_device *device, void *memory, size_t size) {
    (void)device;
    free(memory);
    atomic_fetch_sub(&fake.memory, (long)size);
}

static enum wl_status copy(struct wl_device *device, void *target, const void *source, size_t size) {
    (void)device;
    memmove(target, source, size);
    return WL_OK;
}

static enum wl_status fill(struct wl_device *device, void *target, uint32_t pattern, unsigned pattern_size, size_t count) {
    (void)device;
    for (size_t i = 0; i < count; i++)
        memcpy((char *)target + i * pattern_size, &pattern, pattern_size);
    return WL_OK;
}

static enum wl_status module_load(struct wl_device *device, struct wl_codeobject *object, struct wl_device_module **module) {
    (void)device;
    if (atomic_load(&fake.module_status))
        return wl_fail((enum wl_status)atomic_load(&fake.module_status), "as the test wants");
    struct wl_device_module *made = calloc(1, sizeof *made);
    made->object = object;
    made->image = aligned_alloc(4096, (wl_codeobject_image_size(object) + 4095) / 4096 * 4096);
    enum wl_status status = wl_codeobject_load(object, made->image, (uint64_t)(uintptr_t)made->image);
    if (status != WL_OK) {
        free(made->image);
        free(made);
        return status;
    }
    atomic_fetch_add(&fake.modules, 1);
    *module = made;
    return WL_OK;
}

static void module_unload(struct wl_device_module *module) {
    atomic_fetch_sub(&fake.modules, 1);
    while (module->functions) {
        struct wl_device_function *next = module->functions->next;
        free(module->functions);
        module->functions = next;
    }
    free(module->image);
    free(module);
}

static void *module_address(struct wl_device_module *module, uint64_t virtual_address) { return module->image + virtual_address; }

static enum wl_status module_function(struct wl_device_module *module, const struct wl_kernel *kernel,
                                      struct wl_device_function **function) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, kernel->name) == 0) {
            struct wl_device_function *made = malloc(sizeof *made);
            *made = (struct wl_device_function){kernels[i].run, module, module->functions};
            module->functions = made; /* the runtime asks under the module's lock */
            *function = made;
            return WL_OK;
        }
    return wl_fail(WL_UNSUPPORTED, "the fake device has no kernel %s", kernel->name);
}

static enum wl_status prepare(struct wl_device_function *function, const uint32_t block[3], const uint32_t remainder[3]) {
    (void)function, (void)block, (void)remainder;
    enum wl_status status = (enum wl_status)atomic_load(&fake.prepare_status);
    return status == WL_OK ? WL_OK : wl_fail(status, "as the test wants");
}

static enum wl_status launch(struct wl_device *device, const struct wl_launch *launch) {
    (void)device;
    running = launch->function->module;
    enum wl_status status = launch->function->run(launch, launch->kernarg);
    atomic_fetch_add(&fake.launches, 1);
    return status;
}

static enum wl_status limit_stack(struct wl_device *device, size_t bytes) {
    (void)device;
    return bytes > 1u << 22 ? wl_fail(WL_INVALID_VALUE, "too much") : WL_OK;
}

static uint32_t occupancy(struct wl_device_function *function, uint32_t block_size, size_t dynamic_lds) {
    (void)function, (void)dynamic_lds;
    return 2048 / (block_size ? block_size : 1);
}

static const struct wl_device_ops operations = {
    .kind = "fake",
    .info = info,
    .destroy = destroy,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .module_load = module_load,
    .module_unload = module_unload,
    .module_address = module_address,
    .module_function = module_function,
    .prepare = prepare,
    .launch = launch,
    .limit_stack = limit_stack,
    .occupancy = occupancy,
};

enum wl_status wl_devices_create(struct wl_device ***devices, size_t *count) {
    *count = 0;
    for (unsigned i = 0; i < wl_options()->device_wishes; i++)
        if (!wl_options()->devices[i].cuda)
            *count += wl_options()->devices[i].count == UINT32_MAX ? 1 : wl_options()->devices[i].count;
    *devices = calloc(*count, sizeof **devices);
    for (size_t i = 0; i < *count; i++) {
        (*devices)[i] = calloc(1, sizeof(struct wl_device));
        *(*devices)[i] = (struct wl_device){.ops = &operations, .index = (unsigned)i};
    }
    return WL_OK;
}
