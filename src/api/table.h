/* The table that calls of HIP functions go through.
 *
 * What programs call is a jump to an address in the table, for every function of calls.inc and of compiler.inc. So a tool that is attached changes the address,
 * and a call costs one instruction more where none is. Within this layer functions call each other without the table: tools see what the
 * program calls. */
#ifndef WL_API_TABLE_H
#define WL_API_TABLE_H

#include <stddef.h>

/* As AMD's libraries hand it to tools: the size of the part that is AMD's in bytes, then the functions in the order of calls.inc. (table.c) */
extern struct wl_api_table {
    size_t size;
    void *functions[];
} wl_api_table __attribute__((visibility("hidden")));
/* The same for compiler.inc. */
extern struct wl_api_table wl_api_compiler_table __attribute__((visibility("hidden")));

#endif
