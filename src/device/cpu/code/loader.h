/* Relocatable native objects -> executable memory, without LLVM.
 *
 * Knows what LLVM's code generator emits for translated units on x86-64 and AArch64, and nothing
 * else. Objects come from the disk cache and may be damaged: every offset and size is checked, and
 * anything unexpected is an error. Memory is never writable and executable at once. */
#ifndef WL_DEVICE_CPU_CODE_LOADER_H
#define WL_DEVICE_CPU_CODE_LOADER_H

#include "base/status.h"
#include "translate/interface/translate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded object. */
struct wl_native {
    uint8_t *memory; /* the mapping: code, constants, stubs */
    size_t size;
    wl_unit_code *code;
    const struct wl_unit_info *info;
    uint8_t *lines; /* .debug_line, relocated; NULL: none */
    size_t line_size;
    uint8_t *frames; /* .debug_frame, relocated: how a debugger finds the caller; NULL: none */
    size_t frame_size;
    struct wl_debug_code *debug; /* what a debugger is told (debug/natives.c); NULL: nothing */
};

/* Loads `object`, which may go away afterwards. WL_INVALID_IMAGE: the object is damaged, or of another kind or ABI version.
 * Thread-safe. */
enum wl_status wl_native_load(struct wl_native **native, const void *object, size_t size);
/* Unmaps it. None of its code may be running. NULL is allowed. */
void wl_native_unload(struct wl_native *native);

/* A thunk: a wl_unit_code that calls a function with one more argument. For threaded code, where that argument is the steps. */
struct wl_thunk;
/* NULL: no memory. */
struct wl_thunk *wl_thunk_create(wl_translate_steps_run_fn *run, const struct wl_steps *steps);
wl_unit_code *wl_thunk_code(const struct wl_thunk *thunk);
/* None of its code may be running. NULL is allowed. */
void wl_thunk_destroy(struct wl_thunk *thunk);

/* A run of native code that belongs to one AMD instruction: [begin, end), and the rest as wl_native_line has it. */
struct wl_native_row {
    uint64_t begin, end, offset;
    unsigned column;
    bool exact;
};
/* Calls visit(context, row) for each, in the table's order, until it returns true; returns whether it has. */
bool wl_native_rows(const struct wl_native *native, bool (*visit)(void *context, const struct wl_native_row *row), void *context);

/* The AMD instruction that a native address belongs to, as bytes from the unit's entry; false if the line table does not
 * say. Units carry it as line = bytes / 4 + 1. *column: see wave.h; 0: nothing is known. *exact is false where the optimizer merged the
 * code of several instructions; *offset is then that of one shortly before. */
bool wl_native_line(const struct wl_native *native, uint64_t native_pc, uint64_t *offset, unsigned *column, bool *exact);

#endif
