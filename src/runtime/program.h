/* Programs that compilers register, and their symbols. (program.c) */
#ifndef WL_RUNTIME_PROGRAM_H
#define WL_RUNTIME_PROGRAM_H

#include "base/status.h"
#include "runtime/module.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_program;
struct wl_symbol;

enum wl_symbol_kind { WL_SYMBOL_KERNEL, WL_SYMBOL_VARIABLE, WL_SYMBOL_MANAGED };

/* Registers a HIPF wrapper. Nothing is read from it yet. NULL: out of memory. */
struct wl_program *wl_program_register(const void *wrapper);
/* Waits for all work, unloads the program's modules and forgets its symbols. */
void wl_program_unregister(struct wl_program *program);
/* Registers a symbol; `host` is the address the host program will ask with, `name` must stay as long as the program. */
enum wl_status wl_program_add(struct wl_program *program, enum wl_symbol_kind kind, const void *host, const char *name, size_t size);
/* Registers a managed variable: allocates its memory, copies `initial`, stores the address in `*pointer`. */
enum wl_status wl_program_add_managed(struct wl_program *program, void **pointer, const void *initial, const char *name, size_t size,
                                      size_t align);
/* The kernel behind a host function in a context; loads its program at first use. WL_NOT_FOUND: never registered. */
enum wl_status wl_symbol_kernel(const void *host, struct wl_context *context, struct wl_loaded_kernel **kernel);
/* The variable behind a host address. WL_NOT_FOUND: never registered, or missing in the code object. */
enum wl_status wl_symbol_variable(const void *host, struct wl_context *context, void **address, size_t *size);
/* The registered name of a host address; NULL if there is none. */
const char *wl_symbol_name(const void *host);
/* Unloads all modules that programs have in a context (hipDeviceReset). */
void wl_program_unload_context(struct wl_context *context);
/* The target that the registered programs agree on; false if nothing is registered. Reads entry tables only. */
bool wl_program_target(struct wl_target *target);
void wl_program_after_fork(void);

#endif
