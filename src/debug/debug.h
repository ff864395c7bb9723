/* debug/: what a debugger of the host is to know of a code object.
 *
 *   in    a code object (codeobject/codeobject.h), where the shadows of its instructions (debug/frame.h) and its data lie
 *   out   an ELF file of this machine, for gdb's JIT interface: symbols, line tables, call frames, types and variables
 *
 *   native.c      such a file about native code, whose lines are shown but have no breakpoints
 *   file.h        sections and symbols of either file
 *   object.c      a code object's file: line tables, call frames
 *   info.c        the tree of entries (.debug_info) and location lists, written anew
 *   expression.c  locations: AMD's registers and address spaces become places in struct wl_debug_frame
 *   bytes.h       reading bytes that may be damaged, and writing
 *
 * What the DWARF says stays as it is, but for addresses and locations. A location that has no translation becomes an empty one: the debugger
 * says "optimized out". The DWARF comes from outside: what is damaged is an error or is left out. Thread-safe; nothing is kept. */
#ifndef WL_DEBUG_H
#define WL_DEBUG_H

#include "base/status.h"
#include "codeobject/codeobject.h"

#include <stddef.h>
#include <stdint.h>

/* Variables of HIP that a debugger knows in all kernels: three numbers each, or one. */
enum wl_debug_builtin {
    WL_DEBUG_THREAD_IDX,
    WL_DEBUG_BLOCK_IDX,
    WL_DEBUG_BLOCK_DIM,
    WL_DEBUG_GRID_DIM,
    WL_DEBUG_WARP_SIZE,
    WL_DEBUG_BUILTINS
};

struct wl_debug_request {
    const struct wl_codeobject *object;
    uint64_t code;                        /* the shadow of the code object's address 0 */
    uint64_t data;                        /* where the image is loaded */
    uint64_t builtins[WL_DEBUG_BUILTINS]; /* where they are; 0: the debugger is not told of that one */
};

/* Makes the file; *bytes is freed by free(). WL_INVALID_IMAGE: the DWARF is damaged; a file without it is made all the same by
 * `without_dwarf`. */
enum wl_status wl_debug_object(const struct wl_debug_request *request, bool without_dwarf, uint8_t **bytes, size_t *size);

/* A line of native code: from an address on. */
struct wl_debug_native_row {
    uint64_t address, end;
    const char *place; /* "FILE:LINE" */
};

struct wl_debug_native {
    const char *name; /* as the debugger is to show it: a name that nobody sets a breakpoint at by accident */
    uint64_t address, size;
    const uint8_t *frames; /* .debug_frame, relocated */
    size_t frame_size;
    const struct wl_debug_native_row *rows; /* their addresses grow */
    size_t row_count;
};

/* Makes the file about native code; *bytes is freed by free(). */
enum wl_status wl_debug_native_object(const struct wl_debug_native *native, uint8_t **bytes, size_t *size);

/* The addresses of the code object's code: from *begin up to *end. */
void wl_debug_code(const struct wl_codeobject *object, uint64_t *begin, uint64_t *end);

#endif
