/* The list of files for gdb's JIT interface (GDB's manual, "JIT Compilation Interface"). */
#ifndef WL_DEVICE_CPU_DEBUG_JIT_H
#define WL_DEVICE_CPU_DEBUG_JIT_H

#include <stdbool.h>
#include <stdint.h>

/* A file. The layout is gdb's. */
struct wl_jit_entry {
    struct wl_jit_entry *next, *previous;
    const char *file; /* an ELF file in memory, which stays */
    uint64_t size;
};

/* Guards the list. A leaf. */
void wl_jit_lock(void);
bool wl_jit_try_lock(void);
void wl_jit_unlock(void);

/* Adds a file to the list, and removes it; a debugger reads it at once. The lock is held. */
void wl_jit_tell(struct wl_jit_entry *entry);
void wl_jit_take_back(struct wl_jit_entry *entry);

/* Whether a debugger waits for files: it has a breakpoint where it is told of them. On x86-64 alone; elsewhere false. */
bool wl_jit_somebody_listens(void);

#endif
