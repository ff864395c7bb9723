#include "device/cpu/code/units.h"
#include "base/assert.h"
#include "base/options.h"
#include "device/cpu/abi.h"
#include "device/cpu/code/cache.h"
#include "device/cpu/code/perf.h"
#include "device/cpu/code/tiers.h"
#include "device/cpu/debug/debug.h"
#include "device/cpu/run/counters.h"
#include "device/translate_request.h"
#include "device/translator.h"
#include "machine/sanitize.h"
#include "sanitize/allocations.h"
#include "trace/trace.h"

#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORKGROUP_SIZES = 4,  /* sizes of workgroups for which a kernel has code in workgroup mode */
    LONG_DECODE_NS = 50000000, /* of a kernel with thousands of functions */
};

/* ---- the table of targets ------------------------------------------------------------------- */

static uint64_t target_key(uint64_t address, enum wl_shape shape, uint32_t wave_size) {
    _Static_assert(WL_SHAPE_COUNT <= 8, "a shape takes three bits of the key");
    return (address << 4 | (uint64_t)shape << 1 | (wave_size == 32)) + 1;
}

static size_t target_slot(uint64_t key, size_t capacity) { return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (capacity - 1); }

static struct wl_target_point *find_target(struct wl_target_table *table, uint64_t key) {
    if (!table)
        return NULL;
    for (size_t i = target_slot(key, table->capacity);; i = (i + 1) & (table->capacity - 1)) {
        uint64_t present = __atomic_load_n(&table->points[i].key, __ATOMIC_ACQUIRE);
        if (present == key)
            return &table->points[i];
        if (present == 0)
            return NULL;
    }
}

static void put_target(struct wl_target_table *table, uint64_t key, struct wl_cpu_unit *unit, uint32_t resume) {
    wl_assert(key && table->used < table->capacity);
    size_t i = target_slot(key, table->capacity);
    while (table->points[i].key)
        i = (i + 1) & (table->capacity - 1);
    table->points[i].unit = unit;
    table->points[i].resume = resume;
    table->used++;
    __atomic_store_n(&table->points[i].key, key, __ATOMIC_RELEASE); /* readers have no lock */
}

/* Adds a target unless it is known. Under the module's lock. */
static bool add_target(struct wl_device_module *module, uint64_t key, struct wl_cpu_unit *unit, uint32_t resume) {
    wl_assert_held(&module->lock);
    struct wl_target_table *table = atomic_load_explicit(&module->targets, memory_order_relaxed);
    if (find_target(table, key))
        return true;
    if (!table || table->used * 2 >= table->capacity) {
        size_t capacity = table ? table->capacity * 2 : 64;
        struct wl_target_table *larger = calloc(1, sizeof *larger + capacity * sizeof *larger->points);
        if (!larger)
            return false;
        larger->capacity = capacity;
        larger->older = table;
        for (size_t i = 0; table && i < table->capacity; i++)
            if (table->points[i].key)
                put_target(larger, table->points[i].key, table->points[i].unit, table->points[i].resume);
        atomic_store_explicit(&module->targets, larger, memory_order_release);
        table = larger;
    }
    put_target(table, key, unit, resume);
    return true;
}

/* The unit of a kernel serves one shape, that of a device function all shapes. Both serve waves of one size. */
static bool add_targets(struct wl_device_module *module, struct wl_cpu_unit *unit, uint64_t address, uint32_t resume) {
    for (int shape = 0; shape < WL_SHAPE_COUNT; shape++)
        if ((!unit->kernel || shape == (int)unit->shape) &&
            !add_target(module, target_key(address, (enum wl_shape)shape, unit->wave_size), unit, resume))
            return false;
    return true;
}

/* ---- units ---------------------------------------------------------------------------------- */

static const struct wl_kernel *kernel_at(const struct wl_device_module *module, uint64_t address) {
    for (size_t i = 0; i < wl_codeobject_kernel_count(module->object); i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(module->object, i);
        if (kernel->entry == address)
            return kernel;
    }
    return NULL;
}

static const char *function_name(const struct wl_device_module *module, uint64_t address) {
    for (size_t i = 0; i < wl_codeobject_function_count(module->object); i++) {
        const struct wl_function *function = wl_codeobject_function(module->object, i);
        if (function->address == address)
            return function->name;
    }
    return "a device function";
}

/* Under the module's lock. */
static struct wl_cpu_unit *make_unit(struct wl_device_module *module, uint64_t address, enum wl_shape shape, uint32_t wave_size) {
    wl_assert_held(&module->lock);
    struct wl_cpu_unit *unit = calloc(1, sizeof *unit);
    if (!unit)
        return NULL;
    unit->address = address;
    unit->wave_size = wave_size;
    unit->kernel = kernel_at(module, address);
    unit->name = unit->kernel ? unit->kernel->name : function_name(module, address);
    unit->shape = unit->kernel ? shape : WL_SHAPE_ANY;
    if (!add_targets(module, unit, address, 0)) {
        free(unit);
        return NULL;
    }
    unit->next = module->units;
    module->units = unit;
    return unit;
}

struct wl_cpu_unit *wl_units_target(struct wl_device_module *module, uint64_t address, enum wl_shape shape, uint32_t wave_size,
                                    uint32_t *resume) {
    uint64_t key = target_key(address, shape, wave_size);
    struct wl_target_point *point = find_target(atomic_load_explicit(&module->targets, memory_order_acquire), key);
    *resume = 0;
    if (!point) {
        if (!wl_codeobject_is_code(module->object, address, 4))
            return NULL;
        wl_module_lock(module);
        point = find_target(atomic_load_explicit(&module->targets, memory_order_relaxed), key);
        if (!point && make_unit(module, address, shape, wave_size))
            point = find_target(atomic_load_explicit(&module->targets, memory_order_relaxed), key);
        wl_module_unlock(module);
        if (!point)
            return NULL;
    }
    *resume = point->resume;
    return point->unit;
}

/* ---- copies --------------------------------------------------------------------------------- */

/* Where the kernel finds what the shape says something about. */
static struct wl_block_size block_size(const struct wl_kernel *kernel, const struct wl_abi *abi) {
    struct wl_block_size size = {.in_packet = abi->dispatch_ptr >= 0,
                                 .packet_register = (uint8_t)abi->dispatch_ptr,
                                 .packet_offset = offsetof(struct wl_dispatch_packet, workgroup_size)};
    for (uint32_t i = 0; i < kernel->argument_count && abi->kernarg_ptr >= 0; i++)
        if (kernel->arguments[i].kind == WL_ARG_HIDDEN_GROUP_SIZE_X) {
            size.in_kernarg = true;
            size.kernarg_register = (uint8_t)abi->kernarg_ptr;
            size.kernarg_offset = kernel->arguments[i].offset;
        }
    return size;
}

/* What code tells. Where there is no threaded code, native code has none to leave for: then initcheck takes the unit for one that has no undefined
 * bits. */
static unsigned tools_of(const struct wl_cpu_unit *unit, bool native) {
    if (wl_counters_on())
        return WL_SANITIZE_COUNT;
    return wl_san_tools() & (native && !unit->steps ? ~(unsigned)WL_SANITIZE_INITCHECK : WL_SANITIZE_ALL);
}

/* `translator`: NULL for threaded code. */
static struct wl_translate_request make_request(const struct wl_translator *translator, struct wl_device_module *module,
                                                const struct wl_cpu_unit *unit, enum wl_mode mode) {
    struct wl_translate_request request;
    wl_translate_request_fill(&request, module->object, unit->kernel, module->functions, module->function_count);
    request.wave_size = unit->wave_size;
    request.entry = unit->address;
    request.name = unit->name;
    request.shape = unit->shape;
    request.mode = mode;
    if (mode == WL_MODE_WORKGROUP) {
        memcpy(request.workgroup_size, unit->workgroup_size, sizeof request.workgroup_size);
        request.workgroup_lanes = unit->workgroup_size[0] * unit->workgroup_size[1] * unit->workgroup_size[2];
    }
    request.dump = wl_options()->dump;
    request.exact_math = wl_options()->exact_math;
    request.matrix_sums = wl_options()->hardware_math ? WL_SUMS_HARDWARE : wl_options()->exact_math ? WL_SUMS_IN_ORDER : WL_SUMS_CHEAP;
    request.sanitize = tools_of(unit, translator);
    request.all_lines = true; /* a debugger or a profiler that comes later finds them in the cache */
    if (unit->kernel) {
        struct wl_abi abi;
        wl_abi_init(&abi, unit->kernel, module->target);
        request.block_size = block_size(unit->kernel, &abi);
    }
    if (translator)
        translator->host(&request.cpu, &request.features);
    return request;
}

static enum wl_status translate(struct wl_device_module *module, const struct wl_cpu_unit *unit, enum wl_mode mode, bool loops,
                                struct wl_translate_result *result) {
    const struct wl_translator *translator = NULL;
    enum wl_status status = wl_translator_use(&translator);
    if (status != WL_OK)
        return status;
    const uint64_t begin = wl_trace_code_begin();
    struct wl_translate_request request = make_request(translator, module, unit, mode);
    request.loop_entries = loops;
    status = translator->translate(&request, result);
    if (status != WL_OK)
        return wl_fail(status, "%s", translator->failure());
    wl_trace_code_end(unit->name, WL_TRACE_MADE_NATIVE, begin, result->instructions);
    char copy[64];
    if (mode == WL_MODE_WORKGROUP)
        snprintf(copy, sizeof copy, "workgroup of %u x %u x %u", unit->workgroup_size[0], unit->workgroup_size[1], unit->workgroup_size[2]);
    else
        snprintf(copy, sizeof copy, "%s%s", mode == WL_MODE_FULL ? "full" : "masked", loops ? ", loops" : "");
    wl_log(3, "translated %s (%s, shape %d): %u instructions, decode %llu us, lift %llu us, optimize %llu us, code %llu us", unit->name,
           copy, (int)unit->shape, result->instructions, (unsigned long long)result->decode_ns / 1000,
           (unsigned long long)result->lift_ns / 1000, (unsigned long long)result->optimize_ns / 1000,
           (unsigned long long)result->codegen_ns / 1000);
    return WL_OK;
}

static struct wl_cache_key unit_key(const struct wl_device_module *module, const struct wl_cpu_unit *unit, enum wl_mode mode, bool loops) {
    struct wl_cache_subject subject;
    memset(&subject, 0, sizeof subject);
    subject.code_object[0] = module->hash[0];
    subject.code_object[1] = module->hash[1];
    subject.address = unit->address;
    subject.mode = (uint32_t)mode + (loops ? WL_COPY_COUNT : 0);
    memcpy(subject.workgroup_size, unit->workgroup_size, sizeof subject.workgroup_size);
    subject.shape = unit->shape;
    subject.is_kernel = unit->kernel != NULL;
    subject.wave_size = unit->wave_size;
    subject.math = wl_options()->exact_math ? 1 : wl_options()->hardware_math ? 2 : 0;
    subject.sanitize = tools_of(unit, true);
    subject.translator = wl_translator_id();
    return wl_cache_key(&subject);
}

/* WL_NOT_FOUND: the cache has no usable copy. */
static enum wl_status load_cached(const struct wl_cache_key *key, const struct wl_cpu_unit *unit, struct wl_native **native) {
    void *object;
    size_t size;
    const uint64_t begin = wl_trace_code_begin();
    enum wl_status status = wl_cache_read(key, &object, &size);
    if (status != WL_OK)
        return WL_NOT_FOUND;
    status = wl_native_load(native, object, size);
    free(object);
    if (status == WL_OK) {
        wl_trace_code_end(unit->name, WL_TRACE_MADE_CACHED, begin, (*native)->info->instructions);
        return WL_OK;
    }
    wl_log(2, "a cached object of %s is not usable (%s); it is made again", unit->name, wl_failure());
    wl_cache_remove(key);
    return WL_NOT_FOUND;
}

/* From the translator; it goes to the cache too. */
static enum wl_status make_native(struct wl_device_module *module, const struct wl_cpu_unit *unit, enum wl_mode mode, bool loops,
                                  const struct wl_cache_key *key, struct wl_native **native) {
    struct wl_translate_result result = {0};
    enum wl_status status = translate(module, unit, mode, loops, &result);
    if (status != WL_OK)
        return status;
    status = wl_native_load(native, result.object, result.size);
    if (status == WL_OK)
        wl_cache_write(key, result.object, result.size);
    const struct wl_translator *translator = NULL;
    if (wl_translator_use(&translator) == WL_OK)
        translator->free(&result);
    return status == WL_INVALID_IMAGE
               ? wl_fail(WL_INTERNAL, "the translator's object for %s cannot be loaded: %s", unit->name, wl_failure())
               : status;
}

/* Makes a copy visible. The module's lock is held. A thread that sees the info of native code sees its code as well: otherwise it could
 * believe that waves are kept, and run code that does not keep them. */
static enum wl_status publish(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, wl_unit_code *code,
                              const struct wl_unit_info *info) {
    wl_assert_held(&module->lock);
    wl_assert(code && info->resume_count > 0);
    if (!atomic_load(&unit->info[mode]))
        atomic_store(&unit->info[mode], info);
    for (uint32_t i = 0; i < info->resume_count; i++)
        if (info->resume[i].is_return && !add_targets(module, unit, info->resume[i].address, i))
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for the return points of %s", unit->name);
    atomic_store_explicit(&unit->code[mode], code, memory_order_release);
    atomic_store(&unit->info[mode], info);
    return WL_OK;
}

/* ---- tiers ---------------------------------------------------------------------------------- */

struct asker {
    struct wl_device_module *module;
    struct wl_cpu_unit *unit;
};

static void ask_for_loops(void *context, enum wl_mode mode) {
    const struct asker *asker = context;
    wl_tiers_request(asker->module, asker->unit, mode, true);
}

/* Makes the unit's threaded code, if there can be any. The module's lock is held. */
static bool make_steps(struct wl_device_module *module, struct wl_cpu_unit *unit) {
    wl_assert_held(&module->lock);
    struct wl_steps_result result;
    struct asker *asker = NULL;
    if (unit->steps || unit->no_steps)
        return unit->steps;
    unit->no_steps = true;
    const struct wl_threaded *threaded = NULL;
    if (wl_threaded_use(&threaded) != WL_OK)
        return false;
    const uint64_t begin = wl_trace_code_begin();
    struct wl_translate_request request = make_request(NULL, module, unit, WL_MODE_FULL);
    if (threaded->steps(&request, &result) != WL_OK) {
        wl_log(3, "no threaded code: %s", threaded->failure());
        return false;
    }
    if (result.decode_ns > LONG_DECODE_NS) /* it leaves free memory behind */
        malloc_trim(0);
    unit->thunk = wl_thunk_create(threaded->run, result.steps);
    asker = malloc(sizeof *asker);
    if (!unit->thunk || !asker) {
        threaded->free(result.steps);
        free(asker);
        return false;
    }
    *asker = (struct asker){module, unit};
    if (wl_options()->tier == 0)
        result.control->ask = ask_for_loops;
    result.control->context = asker;
    unit->steps = result.steps;
    unit->steps_control = result.control;
    unit->steps_info = result.info;
    unit->no_steps = false;
    wl_trace_code_end(unit->name, WL_TRACE_MADE_THREADED, begin, result.info->instructions);
    wl_log(3, "threaded %s: %u instructions, decode %llu us, steps %llu us", unit->name, result.info->instructions,
           (unsigned long long)result.decode_ns / 1000, (unsigned long long)result.build_ns / 1000);
    return true;
}

/* The module's lock is held. */
static void make_marked(struct wl_device_module *module, struct wl_cpu_unit *unit) {
    wl_assert_held(&module->lock);
    struct wl_steps_result result;
    const struct wl_threaded *threaded = NULL;
    unit->no_marked = true;
    if (wl_threaded_use(&threaded) != WL_OK)
        return;
    struct wl_translate_request request = make_request(NULL, module, unit, WL_MODE_FULL);
    request.sanitize = WL_STEPS_MARKED;
    if (threaded->steps(&request, &result) != WL_OK) {
        wl_log(1, "the debugger cannot stop in %s: %s", unit->name, threaded->failure());
        return;
    }
    struct wl_thunk *thunk = wl_thunk_create(wl_debug_run, result.steps);
    bool good = thunk;
    for (uint32_t i = 0; good && i < result.info->resume_count; i++)
        good = !result.info->resume[i].is_return || add_targets(module, unit, result.info->resume[i].address, i);
    if (!good) {
        wl_thunk_destroy(thunk);
        threaded->free(result.steps);
        return;
    }
    unit->marked = result.steps;
    unit->marked_info = result.info;
    unit->no_marked = false;
    atomic_store_explicit(&unit->marked_thunk, thunk, memory_order_release);
}

wl_unit_code *wl_units_marked(struct wl_device_module *module, struct wl_cpu_unit *unit, const struct wl_unit_info **info) {
    struct wl_thunk *thunk = atomic_load_explicit(&unit->marked_thunk, memory_order_acquire);
    if (!thunk) {
        wl_module_lock(module);
        if (!atomic_load_explicit(&unit->marked_thunk, memory_order_relaxed) && !unit->no_marked)
            make_marked(module, unit);
        wl_module_unlock(module);
        thunk = atomic_load_explicit(&unit->marked_thunk, memory_order_acquire);
    }
    if (!thunk)
        return NULL;
    *info = unit->marked_info;
    return wl_thunk_code(thunk);
}

/* Tells perf and debuggers of a native copy. */
static void tell(const struct wl_device_module *module, const struct wl_cpu_unit *unit, struct wl_native *native, enum wl_mode mode,
                 bool loops) {
    static const char *const copies[] = {[WL_MODE_FULL] = "full", [WL_MODE_MASKED] = "masked", [WL_MODE_WORKGROUP] = "workgroup"};
    if (wl_options()->perf)
        wl_perf_tell(module, unit, native, loops ? "loops" : copies[mode]);
    wl_debug_native_made(module, unit, native);
}

static enum wl_status publish_native(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode,
                                     struct wl_native *native) {
    tell(module, unit, native, mode, false);
    atomic_store_explicit(&unit->native[mode], native, memory_order_release); /* first: it is looked up for faults in the code */
    enum wl_status status = publish(module, unit, mode, native->code, native->info);
    if (status == WL_OK && unit->steps && mode != WL_MODE_WORKGROUP)
        atomic_store_explicit(&unit->steps_control->native[mode], 1, memory_order_release);
    return status;
}

/* The first copy of a mode. Under the module's lock. */
static enum wl_status make_copy(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode) {
    wl_assert_held(&module->lock);
    wl_assert(mode != WL_MODE_WORKGROUP);
    if (wl_san_tools() & WL_SANITIZE_INITCHECK)
        (void)make_steps(module, unit); /* native code leaves for it */
    struct wl_cache_key key = unit_key(module, unit, mode, false);
    struct wl_native *native;
    const unsigned tier = wl_options()->tier;
    enum wl_status status = tier == 1 ? WL_NOT_FOUND : load_cached(&key, unit, &native);
    if (status != WL_OK && tier != 2 && make_steps(module, unit)) {
        status = publish(module, unit, mode, wl_thunk_code(unit->thunk), unit->steps_info);
        if (status == WL_OK && tier == 0)
            wl_tiers_request(module, unit, mode, false);
        return status;
    }
    if (status != WL_OK)
        status = make_native(module, unit, mode, false, &key, &native);
    return status == WL_OK ? publish_native(module, unit, mode, native) : status;
}

enum wl_status wl_units_copy(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, wl_unit_code **code) {
    *code = atomic_load_explicit(&unit->code[mode], memory_order_acquire);
    if (*code)
        return WL_OK;
    enum wl_status status = WL_OK;
    wl_module_lock(module);
    if (unit->failed[mode] != WL_OK) {
        status = wl_fail(unit->failed[mode], "%s", unit->failure[mode] ? unit->failure[mode] : "translation failed");
    } else if (!atomic_load_explicit(&unit->code[mode], memory_order_relaxed)) {
        status = make_copy(module, unit, mode);
        if (status != WL_OK) {
            unit->failed[mode] = status;
            unit->failure[mode] = strdup(wl_failure());
        }
    }
    wl_module_unlock(module);
    *code = atomic_load_explicit(&unit->code[mode], memory_order_acquire);
    return status;
}

wl_unit_code *wl_units_threaded(const struct wl_cpu_unit *unit) { return unit->steps ? wl_thunk_code(unit->thunk) : NULL; }

/* The module's lock is held. WL_NOT_FOUND: the copy is being made in the background. */
static enum wl_status make_workgroup_unit(struct wl_device_module *module, struct wl_cpu_unit *unit) {
    wl_assert_held(&module->lock);
    wl_assert(unit->kernel && unit->workgroup_size[0]);
    struct wl_cache_key key = unit_key(module, unit, WL_MODE_WORKGROUP, false);
    struct wl_native *native;
    enum wl_status status = load_cached(&key, unit, &native);
    if (status != WL_OK && wl_options()->tier != 2) {
        wl_tiers_request(module, unit, WL_MODE_WORKGROUP, false);
        return WL_NOT_FOUND;
    }
    if (status != WL_OK)
        status = make_native(module, unit, WL_MODE_WORKGROUP, false, &key, &native);
    return status == WL_OK ? publish_native(module, unit, WL_MODE_WORKGROUP, native) : status;
}

/* The unit in workgroup mode for a size of workgroups; NULL: there is none yet. *count: how many such units there are. */
static struct wl_cpu_unit *find_workgroup_unit(const struct wl_cpu_unit *unit, const uint32_t block[3], unsigned *count) {
    struct wl_cpu_unit *made = atomic_load_explicit(&unit->workgroup_units, memory_order_acquire);
    for (*count = 0; made && memcmp(made->workgroup_size, block, sizeof made->workgroup_size) != 0; made = made->older_workgroup_unit)
        ++*count;
    return made;
}

/* Makes the unit in workgroup mode for a size of workgroups, unless there are units for enough other sizes, and asks for its code. The
 * module's lock is held. */
static struct wl_cpu_unit *add_workgroup_unit(struct wl_device_module *module, struct wl_cpu_unit *unit, const uint32_t block[3]) {
    wl_assert_held(&module->lock);
    unsigned count;
    struct wl_cpu_unit *made = find_workgroup_unit(unit, block, &count);
    if (made || count == MOST_WORKGROUP_SIZES)
        return made;
    made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->address = unit->address;
    made->name = unit->name;
    made->kernel = unit->kernel;
    made->shape = unit->shape;
    made->wave_size = unit->wave_size;
    memcpy(made->workgroup_size, block, sizeof made->workgroup_size);
    atomic_init(&made->info[WL_MODE_FULL], atomic_load(&unit->info[WL_MODE_FULL])); /* what it costs to make */
    made->next = module->units;
    module->units = made;
    enum wl_status status = make_workgroup_unit(module, made);
    if (status != WL_OK && status != WL_NOT_FOUND)
        wl_log(1, "%s is not run in workgroup mode: %s", unit->name, wl_failure());
    made->older_workgroup_unit = atomic_load_explicit(&unit->workgroup_units, memory_order_relaxed);
    atomic_store_explicit(&unit->workgroup_units, made, memory_order_release);
    return made;
}

wl_unit_code *wl_units_workgroup(struct wl_device_module *module, struct wl_cpu_unit *unit, const uint32_t block[3],
                                 struct wl_cpu_unit **workgroup) {
    unsigned count;
    if (wl_options()->tier == 1)
        return NULL;
    *workgroup = find_workgroup_unit(unit, block, &count);
    if (!*workgroup && count < MOST_WORKGROUP_SIZES) {
        wl_module_lock(module);
        *workgroup = add_workgroup_unit(module, unit, block);
        wl_module_unlock(module);
    }
    if (!*workgroup || atomic_load_explicit(&(*workgroup)->workgroup_mode_off, memory_order_relaxed))
        return NULL;
    return atomic_load_explicit(&(*workgroup)->code[WL_MODE_WORKGROUP], memory_order_acquire);
}

bool wl_units_promote(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode, bool loops, bool yields) {
    struct wl_cache_key key = unit_key(module, unit, mode, loops);
    struct wl_native *native = NULL;
    int claim = WL_CACHE_UNKNOWN;
    wl_translation_begin();
    enum wl_status status = load_cached(&key, unit, &native); /* another process may have made it meanwhile */
    if (status != WL_OK && yields) {
        claim = wl_cache_claim(&key);
        if (claim == WL_CACHE_TAKEN) {
            wl_translation_end();
            return false;
        }
        status = load_cached(&key, unit, &native); /* it may have ended its own claim meanwhile */
    }
    if (status != WL_OK)
        status = make_native(module, unit, mode, loops, &key, &native);
    wl_cache_unclaim(claim);
    wl_translation_end();
    if (status != WL_OK) {
        wl_log(1, "%s stays threaded code: %s", unit->name, wl_failure());
        return true;
    }
    wl_module_lock(module);
    if (loops) {
        wl_assert(unit->steps_control && mode != WL_MODE_WORKGROUP);
        tell(module, unit, native, mode, true);
        atomic_store_explicit(&unit->loop_native[mode], native, memory_order_release); /* first, as in publish_native */
        atomic_store_explicit(&unit->loop_code[mode], native->code, memory_order_release);
        atomic_store_explicit(&unit->steps_control->loops[mode], 1, memory_order_release);
    } else if (unit->native[mode]) {
        wl_native_unload(native);
    } else {
        (void)publish_native(module, unit, mode, native);
    }
    wl_module_unlock(module);
    return true;
}

/* The note that a copy was missed is an empty entry of the cache, beside the copy's own. */
static struct wl_cache_key missed_key(struct wl_device_module *module, const struct wl_cpu_unit *unit, enum wl_mode mode) {
    struct wl_cache_key key = unit_key(module, unit, mode, false);
    key.words[0] = ~key.words[0];
    return key;
}

void wl_units_note_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode) {
    struct wl_cache_key key = missed_key(module, unit, mode);
    wl_cache_write(&key, "", 1);
}

bool wl_units_was_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode) {
    struct wl_cache_key key = missed_key(module, unit, mode);
    void *object = NULL;
    size_t size = 0;
    bool found = wl_cache_read(&key, &object, &size) == WL_OK;
    free(object);
    return found;
}

void wl_units_forget_missed(struct wl_device_module *module, struct wl_cpu_unit *unit, enum wl_mode mode) {
    struct wl_cache_key key = missed_key(module, unit, mode);
    wl_cache_remove(&key);
}

enum wl_status wl_units_install(struct wl_device_module *module, uint64_t address, enum wl_mode mode, enum wl_shape shape,
                                uint32_t wave_size, wl_unit_code *code, const struct wl_unit_info *info) {
    uint32_t resume;
    struct wl_cpu_unit *unit = wl_units_target(module, address, shape, wave_size, &resume);
    if (!unit)
        return wl_fail(WL_NOT_FOUND, "no code at 0x%llx", (unsigned long long)address);
    wl_module_lock(module);
    enum wl_status status = publish(module, unit, mode, code, info);
    wl_module_unlock(module);
    return status;
}

static void unload(struct wl_native *native) {
    if (native)
        wl_debug_native_gone(native);
    wl_native_unload(native);
}

void wl_units_release(struct wl_device_module *module) {
    const struct wl_threaded *threaded = NULL;
    while (module->units) {
        struct wl_cpu_unit *unit = module->units;
        module->units = unit->next;
        for (int mode = 0; mode < WL_COPY_COUNT; mode++) {
            unload(unit->native[mode]);
            unload(unit->loop_native[mode]);
            free(unit->failure[mode]);
        }
        wl_thunk_destroy(unit->thunk);
        wl_thunk_destroy(atomic_load(&unit->marked_thunk));
        if (unit->marked && wl_threaded_use(&threaded) == WL_OK)
            threaded->free(unit->marked);
        if (unit->steps && wl_threaded_use(&threaded) == WL_OK) {
            free(unit->steps_control->context);
            threaded->free(unit->steps);
        }
        free(unit);
    }
    struct wl_target_table *table = atomic_load(&module->targets);
    while (table) {
        struct wl_target_table *older = table->older;
        free(table);
        table = older;
    }
    atomic_store(&module->targets, NULL);
}
