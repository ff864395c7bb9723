/* An ELF file for gdb's JIT interface while it is written. Its code is not in it: that is in memory. What fails for want of memory shows
 * in bytes.bad at the end. */
#ifndef WL_DEBUG_FILE_H
#define WL_DEBUG_FILE_H

#include "debug/bytes.h"

#include <elf.h>

struct wl_debug_file {
    struct wl_bytes bytes, names;
    Elf64_Shdr sections[WL_DEBUG_SECTIONS + 8];
    unsigned count;
};

/* The symbols of functions. */
struct wl_debug_symbols {
    struct wl_bytes symbols, names;
};

/* Begins a file about the code from `address` on. */
void wl_debug_file_begin(struct wl_debug_file *file, uint64_t address, uint64_t size);
/* Adds a section with these contents; NULL: without. The section's header stays where it is. */
Elf64_Shdr *wl_debug_file_section(struct wl_debug_file *file, const char *name, uint32_t type, const struct wl_bytes *contents);
/* Adds the table of sections. The file is bytes.data; the caller frees it, and names.data. */
void wl_debug_file_finish(struct wl_debug_file *file);

void wl_debug_symbols_add(struct wl_debug_symbols *symbols, const char *name, uint64_t address, uint64_t size);
/* Adds the symbols to a file that has just been begun, and frees them. */
void wl_debug_symbols_finish(struct wl_debug_symbols *symbols, struct wl_debug_file *file);

#endif
