/* Handles: which pointers that a program gives are streams, events, modules of this process. (handles.c) */
#ifndef WL_RUNTIME_HANDLES_H
#define WL_RUNTIME_HANDLES_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* At most 15 kinds: they share a word with the address, which is a multiple of 16. */
enum wl_handle_kind {
    WL_HANDLE_STREAM = 1,
    WL_HANDLE_EVENT,
    WL_HANDLE_MODULE,
    WL_HANDLE_KERNEL,
    WL_HANDLE_LIBRARY,
    WL_HANDLE_LIBRARY_KERNEL,
    WL_HANDLE_POOL,
    WL_HANDLE_GRAPH,
    WL_HANDLE_NODE,
    WL_HANDLE_GRAPH_EXEC,
    WL_HANDLE_USER_OBJECT,
    WL_HANDLE_ARRAY,
    WL_HANDLE_MIPMAP,
    WL_HANDLE_PHYSICAL,
    WL_HANDLE_TEXTURE /* and surfaces */
};

/* The table of live handles, so that a stale or foreign handle is an error and not a crash. Thread-safe; asking takes no
 * lock. */
enum wl_status wl_handle_add(const void *handle, enum wl_handle_kind kind);
void wl_handle_remove(const void *handle);
bool wl_handle_is(const void *handle, enum wl_handle_kind kind);
/* Visits all handles of a kind. Not beside changes of the table: for the child of a fork, which is alone. */
void wl_handle_each(enum wl_handle_kind kind, void (*visit)(const void *handle));
void wl_handle_after_fork(void);

#endif
