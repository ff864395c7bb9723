#include "sanitize/stacks.h"

#include "base/array.h"
#include "codeobject/codeobject.h"
#include "codeobject/dwarf.h"
#include "sanitize/names.h"
#include "sanitize/report.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- recording ------------------------------------------------------------------------------- */

struct stack {
    void *frames[WL_SAN_MOST_FRAMES];
    unsigned count;
    uint64_t hash;
};

/* `places` is a table of open addressing with numbers of stacks, which are ids: 0 is free. */
static struct {
    pthread_mutex_t lock;
    struct stack *stacks;
    size_t count, capacity;
    uint32_t *places;
    size_t place_count; /* a power of 2 */
} recorded = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t hash_of(const struct stack *stack) {
    uint64_t hash = stack->count;
    for (unsigned i = 0; i < stack->count; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)stack->frames[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint32_t *place_of(const struct stack *stack) {
    size_t at = stack->hash & (recorded.place_count - 1);
    for (;; at = (at + 1) & (recorded.place_count - 1)) {
        uint32_t id = recorded.places[at];
        const struct stack *there = id ? &recorded.stacks[id - 1] : NULL;
        if (!there || (there->hash == stack->hash && there->count == stack->count &&
                       memcmp(there->frames, stack->frames, stack->count * sizeof *stack->frames) == 0))
            return &recorded.places[at];
    }
}

static bool make_room(void) {
    if (!WL_ARRAY_RESERVE(recorded.stacks, recorded.count, recorded.capacity, 64))
        return false;
    if (recorded.count * 2 < recorded.place_count)
        return true;
    size_t count = recorded.place_count ? recorded.place_count * 2 : 256;
    uint32_t *places = calloc(count, sizeof *places);
    if (!places)
        return false;
    free(recorded.places);
    recorded.places = places;
    recorded.place_count = count;
    for (size_t i = 0; i < recorded.count; i++)
        *place_of(&recorded.stacks[i]) = (uint32_t)i + 1;
    return true;
}

uint64_t wl_san_stack(void) {
    struct stack stack;
    memset(&stack, 0, sizeof stack);
    int count = backtrace(stack.frames, WL_SAN_MOST_FRAMES);
    stack.count = count > 0 ? (unsigned)count : 0;
    stack.hash = hash_of(&stack);
    if (!stack.count)
        return 0;
    uint64_t id = 0;
    pthread_mutex_lock(&recorded.lock);
    if (make_room()) {
        uint32_t *place = place_of(&stack);
        if (!*place) {
            recorded.stacks[recorded.count++] = stack;
            *place = (uint32_t)recorded.count;
        }
        id = *place;
    }
    pthread_mutex_unlock(&recorded.lock);
    return id;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Functions of libdwfl, which is in libdw. */
static struct {
    pthread_mutex_t lock; /* of all below: libdw is not thread-safe */
    bool tried, usable, crashed;
    Dwfl *modules; /* those of the process when it was last asked */
    Dwfl *(*begin)(const Dwfl_Callbacks *);
    void (*end)(Dwfl *);
    int (*linux_proc_report)(Dwfl *, pid_t);
    int (*report_end)(Dwfl *, int (*)(Dwfl_Module *, void *, const char *, Dwarf_Addr, void *), void *);
    Dwfl_Module *(*addrmodule)(Dwfl *, Dwarf_Addr);
    const char *(*addrname)(Dwfl_Module *, GElf_Addr);
    Dwarf_Die *(*nextcu)(Dwfl_Module *, Dwarf_Die *, Dwarf_Addr *);
    Dwfl_Callbacks callbacks;
} dwfl = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define FIND(field, name) found &= (*(void **)&(field) = dlsym(library, name)) != NULL

static void find_libdwfl(void) {
    void *library = wl_dwarf() ? wl_dwarf()->library : NULL;
    bool found = library != NULL;
    dwfl.tried = true;
    if (!found)
        return;
    FIND(dwfl.begin, "dwfl_begin");
    FIND(dwfl.end, "dwfl_end");
    FIND(dwfl.linux_proc_report, "dwfl_linux_proc_report");
    FIND(dwfl.report_end, "dwfl_report_end");
    FIND(dwfl.addrmodule, "dwfl_addrmodule");
    FIND(dwfl.addrname, "dwfl_module_addrname");
    FIND(dwfl.nextcu, "dwfl_module_nextcu");
    FIND(dwfl.callbacks.find_elf, "dwfl_linux_proc_find_elf");
    FIND(dwfl.callbacks.find_debuginfo, "dwfl_standard_find_debuginfo");
    dwfl.usable = found;
}

/* The process's libraries as they are now. */
static void ask_process(void) {
    if (dwfl.modules)
        dwfl.end(dwfl.modules);
    dwfl.modules = dwfl.begin(&dwfl.callbacks);
    if (dwfl.modules && (dwfl.linux_proc_report(dwfl.modules, getpid()) != 0 || dwfl.report_end(dwfl.modules, NULL, NULL) != 0)) {
        dwfl.end(dwfl.modules);
        dwfl.modules = NULL;
    }
}

static Dwfl_Module *module_of(Dwarf_Addr address) {
    if (!dwfl.tried)
        find_libdwfl();
    if (!dwfl.usable)
        return NULL;
    Dwfl_Module *module = dwfl.modules ? dwfl.addrmodule(dwfl.modules, address) : NULL;
    if (!module) {
        ask_process();
        module = dwfl.modules ? dwfl.addrmodule(dwfl.modules, address) : NULL;
    }
    return module;
}

/* The unit that an address is in. All are asked: clang writes no table that tells which one has it. */
static Dwarf_Die *unit_of(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias) {
    Dwarf_Die *unit = dwfl.nextcu(module, NULL, bias);
    while (unit && wl_dwarf()->haspc(unit, address - *bias) <= 0)
        unit = dwfl.nextcu(module, unit, bias);
    return unit;
}

static void set_function(struct wl_san_frame *frame, const char *symbol) {
    char *name = symbol ? wl_san_demangle(symbol) : NULL;
    snprintf(frame->function, sizeof frame->function, "%s", name ? name : "");
    free(name);
}

static void set_line(struct wl_san_frame *frame, const char *file, int line) {
    if (file && line > 0)
        snprintf(frame->place, sizeof frame->place, "%s:%d", file, line);
}

/* What the unit tells: the line, and a frame for each function that is inlined there. Returns the number of the frame whose function is
 * the one that has a symbol. */
static unsigned set_lines(Dwarf_Die *unit, Dwarf_Addr address, struct wl_san_frame *frames, unsigned most) {
    struct wl_inlined calls[WL_MOST_INLINED];
    Dwarf_Line *line = wl_dwarf()->getsrc_die(unit, address);
    int number = 0;
    if (line && wl_dwarf()->lineno(line, &number) == 0)
        set_line(frames, wl_dwarf()->linesrc(line, NULL, NULL), number);
    unsigned count = wl_dwarf_inlined(unit, address, calls, most - 1 < WL_MOST_INLINED ? most - 1 : WL_MOST_INLINED);
    for (unsigned i = 0; i < count; i++) {
        set_function(&frames[i], calls[i].function);
        frames[i + 1] = frames[i];
        set_line(&frames[i + 1], calls[i].file, calls[i].line);
    }
    return count;
}

/* What libdw knows of the place of a call. */
struct look {
    Dwarf_Addr call;
    struct wl_san_frame *frames;
    unsigned most, inlined;
    const char *symbol;
};

static void look_up(void *argument) {
    struct look *look = argument;
    Dwarf_Addr bias = 0;
    Dwfl_Module *module = module_of(look->call);
    Dwarf_Die *unit = module ? unit_of(module, look->call, &bias) : NULL;
    look->inlined = unit ? set_lines(unit, look->call - bias, look->frames, look->most) : 0;
    look->symbol = module ? dwfl.addrname(module, look->call) : NULL;
}

static bool (*guard)(void (*body)(void *argument), void *argument);

void wl_san_stacks_guard(bool (*how)(void (*body)(void *argument), void *argument)) {
    pthread_mutex_lock(&dwfl.lock);
    guard = how;
    pthread_mutex_unlock(&dwfl.lock);
}

/* False: libdw has crashed. What it was about to change may be half done, so that it is not called again. */
static bool try_look_up(struct look *look) {
    if (!guard) {
        look_up(look);
        return true;
    }
    const bool done = guard(look_up, look);
    if (!done)
        dwfl.crashed = true;
    return done;
}

/* A return address belongs to the call before it. Returns how many frames it is, at least one. */
static unsigned name_frames(void *address, struct wl_san_frame *frames, unsigned most) {
    const Dwarf_Addr call = (Dwarf_Addr)(uintptr_t)address - 1;
    struct look look = {.call = call, .frames = frames, .most = most};
    Dl_info info = {0};
    int known = dladdr((void *)(uintptr_t)call, &info);
    if (known && info.dli_fname)
        snprintf(frames->place, sizeof frames->place, "%s+0x%llx", info.dli_fname,
                 (unsigned long long)(call - (Dwarf_Addr)(uintptr_t)info.dli_fbase));
    else
        snprintf(frames->place, sizeof frames->place, "0x%llx", (unsigned long long)call);
    const struct wl_san_frame before = *frames;
    if (!dwfl.crashed && !try_look_up(&look)) {
        look.inlined = 0;
        look.symbol = NULL;
        *frames = before;
    }
    set_function(&frames[look.inlined], look.symbol ? look.symbol : known ? info.dli_sname : NULL);
    return look.inlined + 1;
}

static const void *library_of(const void *address) {
    Dl_info info = {0};
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Frames of the library that this code is in, unless there are no others. */
static unsigned own_frames(const struct stack *stack) {
    const void *own = library_of((const void *)(uintptr_t)&wl_san_stack);
    unsigned first = 0;
    while (first < stack->count && library_of(stack->frames[first]) == own)
        first++;
    return first < stack->count ? first : 0;
}

unsigned wl_san_stack_frames(uint64_t id, struct wl_san_frame *frames, unsigned most) {
    struct stack stack = {.count = 0};
    pthread_mutex_lock(&recorded.lock);
    if (id > 0 && id <= recorded.count)
        stack = recorded.stacks[id - 1];
    pthread_mutex_unlock(&recorded.lock);
    unsigned named = 0;
    pthread_mutex_lock(&dwfl.lock);
    for (unsigned i = own_frames(&stack); i < stack.count && named < most; i++) {
        named += name_frames(stack.frames[i], &frames[named], most - named);
        if (strcmp(frames[named - 1].function, "main") == 0)
            break;
    }
    pthread_mutex_unlock(&dwfl.lock);
    return named;
}
