/* roctracer/: AMD's interface for profilers.
 *
 *   in    calls of include/roctracer/roctracer.h by a profiler; calls and work that libamdhip64 and libroctx64 tell of
 *   out   the profiler's callbacks; records in its buffers
 *
 *   attach.c     registers with the other libraries, while something is enabled
 *   callbacks.c  what is enabled, and what becomes of a call or of work
 *   pool.c       buffers of records
 *
 * A library of its own, which knows of the others what AMD's protocol says (api/traced_call.h). */
#ifndef WL_ROCTRACER_TRACER_H
#define WL_ROCTRACER_TRACER_H

#include <roctracer/roctracer_ext.h>

#include <stdbool.h>

#define WL_ROCTRACER_API __attribute__((visibility("default")))

/* Notes the calling thread's error, with its sentence; returns it. (attach.c) */
roctracer_status_t wl_roctracer_fail(roctracer_status_t status, const char *why);

/* ---- attach.c ---- */
enum { WL_ROCTRACER_HIP, WL_ROCTRACER_ROCTX, WL_ROCTRACER_LIBRARIES };
typedef int (*wl_roctracer_function)(uint32_t domain, uint32_t operation, void *data);
/* Registers `function` with one of the libraries, which is opened if the process has none; NULL: nobody. False: there is no such library. */
bool wl_roctracer_register(unsigned library, wl_roctracer_function function);
/* Names of HIP's functions and commands; NULL: there is no HIP. */
const char *wl_roctracer_call_name(uint32_t number);
const char *wl_roctracer_command_name(uint32_t kind);

/* ---- pool.c ---- */
struct wl_roctracer_pool;
/* Adds records that belong together, the last of which has a kernel's name, if `name` is not NULL. */
void wl_roctracer_write(struct wl_roctracer_pool *pool, const activity_record_t *records, unsigned count, const char *name);
/* The default pool; NULL: there is none. */
struct wl_roctracer_pool *wl_roctracer_default(void);

/* ---- callbacks.c ---- */
/* Disables all records for this pool. When it returns, none is being written to the pool any more. */
void wl_roctracer_forget(const struct wl_roctracer_pool *pool);

#endif
