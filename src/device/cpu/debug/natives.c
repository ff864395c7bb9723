/* Native code: what a debugger is told of it, when it asks. */
#include "device/cpu/debug/debug.h"

#include "base/array.h"
#include "base/options.h"
#include "debug/debug.h"
#include "device/cpu/code/loader.h"
#include "device/cpu/debug/jit.h"
#include "device/cpu/fault/fault.h"
#include "device/debugger.h"
#include "sanitize/names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("protected"))) /* the command `wavelift` has the same names, which must not take their place */

/* What a debugger is told of a copy. */
struct wl_debug_code {
    struct wl_debug_code *next; /* of those that it has not been told of */
    struct wl_jit_entry entry;
    bool told;
};

/* Guarded by the list's lock (jit.h), but for the debugger, which reads it while all threads stand. */
EXPORT struct wl_debug_code *wl_debug_untold;

/* ---- lines ------------------------------------------------------------------------------------------------------------------------ */

struct lines {
    const struct wl_device_module *module;
    const struct wl_cpu_unit *unit;
    const struct wl_native *native;
    struct wl_debug_native_row *rows;
    size_t count, capacity;
    bool bad;
};

static bool add_line(void *context, const struct wl_native_row *row) {
    struct lines *lines = context;
    char text[PATH_MAX + 32];
    const uint64_t at = (uint64_t)(uintptr_t)lines->native->memory;
    struct wl_debug_native_row *last = lines->count ? &lines->rows[lines->count - 1] : NULL;
    if (row->begin < at || row->end > at + lines->native->size || (last && row->begin < last->end) ||
        !wl_codeobject_source_line(lines->module->object, lines->unit->address + row->offset, text, sizeof text))
        return false;
    if (last && last->end == row->begin && strcmp(last->place, text) == 0) {
        last->end = row->end;
        return false;
    }
    char *place = WL_ARRAY_RESERVE(lines->rows, lines->count, lines->capacity, 64) ? strdup(text) : NULL;
    lines->bad = !place;
    if (place)
        lines->rows[lines->count++] = (struct wl_debug_native_row){row->begin, row->end, place};
    return lines->bad;
}

static void free_lines(struct lines *lines) {
    for (size_t i = 0; i < lines->count; i++)
        free((char *)lines->rows[i].place);
    free(lines->rows);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------------------- */

static enum wl_status make_file(struct wl_debug_code *code, struct lines *lines, const char *name) {
    const struct wl_native *native = lines->native;
    wl_native_rows(native, add_line, lines);
    if (lines->bad)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a debugger's lines");
    const struct wl_debug_native request = {.name = name,
                                            .address = (uint64_t)(uintptr_t)native->memory,
                                            .size = native->size,
                                            .frames = native->frames,
                                            .frame_size = native->frame_size,
                                            .rows = lines->rows,
                                            .row_count = lines->count};
    uint8_t *bytes = NULL;
    size_t size = 0;
    const enum wl_status status = wl_debug_native_object(&request, &bytes, &size);
    code->entry.file = (const char *)bytes;
    code->entry.size = size;
    return status;
}

/* The functions of the host that a debugger knows have no brackets, so that no breakpoint at a kernel's name is set in native code. */
static char *make_name(const char *function) {
    char *readable = wl_san_demangle(function), *name = NULL;
    if (asprintf(&name, "[native] %s", readable ? readable : function) < 0)
        name = NULL;
    free(readable);
    return name;
}

void wl_debug_native_made(const struct wl_device_module *module, const struct wl_cpu_unit *unit, struct wl_native *native) {
    if (!wl_debugger && !wl_jit_somebody_listens())
        return;
    struct wl_debug_code *code = calloc(1, sizeof *code);
    struct lines lines = {.module = module, .unit = unit, .native = native};
    char *name = make_name(unit->name);
    const bool made = code && name && make_file(code, &lines, name) == WL_OK;
    free_lines(&lines);
    free(name);
    if (!made) {
        wl_log(1, "the debugger is not told of native code of %s", unit->name);
        free(code);
        return;
    }
    native->debug = code;
    wl_jit_lock();
    if (wl_debugger) {
        code->next = wl_debug_untold;
        wl_debug_untold = code;
    } else {
        code->told = true;
        wl_jit_tell(&code->entry);
    }
    wl_jit_unlock();
}

void wl_debug_native_gone(struct wl_native *native) {
    struct wl_debug_code *code = native->debug;
    if (!code)
        return;
    wl_jit_lock();
    if (code->told) {
        wl_jit_take_back(&code->entry);
    } else {
        struct wl_debug_code **link = &wl_debug_untold;
        while (*link != code)
            link = &(*link)->next;
        *link = code->next;
    }
    wl_jit_unlock();
    free((char *)code->entry.file);
    free(code);
}

EXPORT int wl_debug_tell(void) {
    if (!wl_jit_try_lock())
        return 0;
    while (wl_debug_untold) {
        struct wl_debug_code *code = wl_debug_untold;
        wl_debug_untold = code->next;
        code->told = true;
        wl_jit_tell(&code->entry);
    }
    wl_jit_unlock();
    return 1;
}

/* ---- where a thread is ---------------------------------------------------------------------------------------------------------------- */

EXPORT struct wl_debug_place wl_debug_place;

EXPORT int wl_debug_find_place(void) {
    struct wl_fault_wave found;
    if (!wl_fault_find_wave(&found))
        return 0;
    const struct wl_device_module *module = found.function->module;
    wl_debug_place = (struct wl_debug_place){.kernel = found.function->kernel->name, .known = found.runner != NULL};
    if (found.runner) {
        memcpy(wl_debug_place.block, found.runner->group->id, sizeof wl_debug_place.block);
        wl_debug_place.wave = found.wave->wave_index;
        wl_debug_place.of_workgroup = found.runner->mode == WL_MODE_WORKGROUP;
        wl_debug_place.pc = found.pc && module->debug ? wl_debug_shadow(module, found.pc) : 0;
    }
    return 1;
}
