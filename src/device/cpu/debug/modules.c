#include "device/cpu/debug/debug.h"

#include "base/options.h"
#include "debug/debug.h"
#include "device/cpu/debug/jit.h"
#include "device/cpu/run/counters.h"
#include "device/debugger.h"
#include "device/translator.h"
#include "sanitize/allocations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("protected"))) /* the command `wavelift` has the same names, which must not take their place */

EXPORT volatile int wl_debugger;

EXPORT struct wl_debug_module *wl_debug_modules;
EXPORT char wl_debug_instruction[256];

/* ---- shadows ---------------------------------------------------------------------------------------------------------------------- */

/* The debugger's extension goes through the list, and knows the places of the first four members. */
struct wl_debug_module {
    struct wl_debug_module *next;
    uint8_t *shadows;
    size_t size;
    uint64_t begin; /* the address of the first one's instruction */
    const struct wl_device_module *module;
    struct wl_jit_entry entry;
};

static void add_module(struct wl_debug_module *debug) {
    wl_jit_lock();
    debug->next = wl_debug_modules;
    wl_debug_modules = debug;
    wl_jit_tell(&debug->entry);
    wl_jit_unlock();
}

static void remove_module(struct wl_debug_module *debug) {
    wl_jit_lock();
    struct wl_debug_module **link = &wl_debug_modules;
    while (*link != debug)
        link = &(*link)->next;
    *link = debug->next;
    wl_jit_take_back(&debug->entry);
    wl_jit_unlock();
}

#ifdef __x86_64__
/* call *(%rbx); jmp *%rdx */
static const uint8_t shadow[4] = {0xff, 0x13, 0xff, 0xe2};
enum { BREAKPOINT = 0xcc, ENTRY = sizeof shadow /* of wl_debug_entry, behind those of the code */ };

static bool make_shadows(struct wl_debug_module *debug) {
    const size_t size = debug->size + ENTRY;
    debug->shadows = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (debug->shadows == MAP_FAILED)
        return false;
    for (size_t i = 0; i + sizeof shadow <= size; i += sizeof shadow)
        memcpy(debug->shadows + i, shadow, sizeof shadow);
    if (mprotect(debug->shadows, size, PROT_READ | PROT_EXEC) == 0)
        return true;
    munmap(debug->shadows, size);
    return false;
}

static bool is_possible(void) { return !wl_san_tools() && !wl_counters_on(); }
#else
enum { BREAKPOINT = 0, ENTRY = 0 };
static bool make_shadows(struct wl_debug_module *debug) {
    (void)debug;
    return false;
}

static bool is_possible(void) { return false; }
#endif

static enum wl_status make_file(const struct wl_device_module *module, struct wl_debug_module *debug) {
    const struct wl_debug_request request = {.object = module->object,
                                             .code = (uint64_t)(uintptr_t)debug->shadows - debug->begin,
                                             .data = (uint64_t)(uintptr_t)module->image,
                                             .builtins = {[WL_DEBUG_THREAD_IDX] = (uintptr_t)&wl_debug_here.thread,
                                                          [WL_DEBUG_BLOCK_IDX] = (uintptr_t)&wl_debug_here.block,
                                                          [WL_DEBUG_BLOCK_DIM] = (uintptr_t)&wl_debug_here.block_dim,
                                                          [WL_DEBUG_GRID_DIM] = (uintptr_t)&wl_debug_here.grid_dim,
                                                          [WL_DEBUG_WARP_SIZE] = (uintptr_t)&wl_debug_here.wave_size}};
    uint8_t *bytes = NULL;
    size_t size = 0;
    enum wl_status status = wl_debug_object(&request, false, &bytes, &size);
    if (status != WL_OK) {
        wl_log(1, "the debugger gets no lines and variables of a code object: %s", wl_failure());
        status = wl_debug_object(&request, true, &bytes, &size);
    }
    if (status == WL_OK) {
        debug->entry.file = (const char *)bytes;
        debug->entry.size = size;
    }
    return status;
}

static void tell_of_module(struct wl_device_module *module) {
    uint64_t begin, end;
    wl_debug_code(module->object, &begin, &end);
    if (!is_possible() || begin >= end)
        return;
    struct wl_debug_module *debug = calloc(1, sizeof *debug);
    if (!debug)
        return;
    debug->module = module;
    debug->begin = begin;
    debug->size = end - begin;
    if (!make_shadows(debug)) {
        wl_log(1, "the debugger cannot stop in a code object: no memory for %zu bytes of code", debug->size);
        free(debug);
        return;
    }
    if (make_file(module, debug) != WL_OK) {
        wl_log(1, "the debugger cannot stop in a code object: %s", wl_failure());
        munmap(debug->shadows, debug->size + ENTRY);
        free(debug);
        return;
    }
    module->debug = debug;
    add_module(debug);
}

void wl_debug_module_loaded(struct wl_device_module *module) {
    if (wl_debugger)
        tell_of_module(module);
}

/* A debugger may have come after the module. */
static void tell_late(struct wl_device_module *module) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!module->debug)
        tell_of_module(module);
    pthread_mutex_unlock(&lock);
}

void wl_debug_module_gone(struct wl_device_module *module) {
    struct wl_debug_module *debug = module->debug;
    if (!debug)
        return;
    remove_module(debug);
    munmap(debug->shadows, debug->size + ENTRY);
    free((void *)debug->entry.file);
    free(debug);
}

bool wl_debug_module_stops(struct wl_device_module *module) {
    if (!module->debug)
        tell_late(module);
    const struct wl_debug_module *debug = module->debug;
    return debug && (wl_debug_goal.launch || memchr(debug->shadows, BREAKPOINT, debug->size));
}

bool wl_debug_launch_stops(struct wl_device_module *module) {
    wl_debug_here.launch++;
    wl_debug_here.step = 0;
    return wl_debug_module_stops(module);
}

uint64_t wl_debug_shadow(const struct wl_device_module *module, uint64_t address) {
    return (uint64_t)(uintptr_t)module->debug->shadows + (address - module->debug->begin);
}

uint64_t wl_debug_entry(const struct wl_device_module *module) { return (uint64_t)(uintptr_t)module->debug->shadows + module->debug->size; }

/* ---- instructions as text ----------------------------------------------------------------------------------------------------------- */

/* The waves' size, for instructions that differ by it. */
static uint32_t wave_size_of(const struct wl_device_module *module) {
    const struct wl_kernel *kernel = wl_codeobject_kernel(module->object, 0);
    return kernel ? kernel->wave_size : 64;
}

EXPORT int wl_debug_disassemble(uint64_t address) {
    const struct wl_debug_module *debug = wl_debug_modules;
    const struct wl_threaded *threaded = NULL;
    struct wl_decoder *decoder = NULL;
    while (debug && address - (uint64_t)(uintptr_t)debug->shadows >= debug->size)
        debug = debug->next;
    if (!debug || wl_threaded_use(&threaded) != WL_OK)
        return 0;
    const uint64_t at = address - (uint64_t)(uintptr_t)debug->shadows + debug->begin;
    if (threaded->decoder_create(&decoder, debug->module->target->processor, wave_size_of(debug->module)) != WL_OK)
        return 0;
    const unsigned size = threaded->disassemble(decoder, wl_codeobject_image(debug->module->object) + at, debug->size - (at - debug->begin),
                                                at, wl_debug_instruction, sizeof wl_debug_instruction);
    threaded->decoder_destroy(decoder);
    return (int)size;
}
