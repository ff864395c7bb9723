/* Libraries: code that is loaded in each context that asks for it. (library.c) */
#ifndef WL_RUNTIME_LIBRARY_H
#define WL_RUNTIME_LIBRARY_H

#include "base/status.h"
#include "runtime/module.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_library;
struct wl_library_kernel; /* a kernel of a library on whichever device asks; lives as long as the library */

/* Opens an image or a file; nothing is loaded on a device yet. With `preserved` the caller keeps the image, else the part of
 * it that devices use is copied. All functions are thread-safe but wl_library_unload. */
enum wl_status wl_library_load(const void *image, bool preserved, struct wl_library **library);
enum wl_status wl_library_load_file(const char *path, struct wl_library **library);
/* Waits for work and unloads from all devices; also frees what a failed load left. */
void wl_library_unload(struct wl_library *library);
/* The library's module in a context, loaded at the first call. */
enum wl_status wl_library_module(struct wl_library *library, struct wl_context *context, struct wl_module **module);
/* A kernel by name; the same handle each time. WL_NOT_FOUND if there is none. */
enum wl_status wl_library_kernel(struct wl_library *library, struct wl_context *context, const char *name,
                                 struct wl_library_kernel **kernel);
/* The kernel in a context. */
enum wl_status wl_library_kernel_load(const struct wl_library_kernel *kernel, struct wl_context *context, struct wl_loaded_kernel **loaded);
struct wl_library *wl_library_kernel_owner(const struct wl_library_kernel *kernel);
const char *wl_library_kernel_name(const struct wl_library_kernel *kernel);
void wl_library_after_fork(void);

#endif
