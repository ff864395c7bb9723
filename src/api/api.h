/* api/: the HIP functions.
 *
 *   in    calls of HIP's functions by the program (include/hip/hip_runtime_api.h)
 *   out   calls of runtime/ with checked arguments; a hipError_t, which hipGetLastError repeats
 *
 * One file a chapter of the HIP reference. Each function checks its arguments, calls runtime/ and
 * translates the status. Nothing here owns state but that of threads (last error, context stack, pending launches).
 *
 * A function is written with the macros below, so that every way out records the error for hipGetLastError and
 * WAVELIFT_LOG. */
#ifndef WL_API_H
#define WL_API_H

#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/stream.h"
#include "runtime/work.h"

#include <hip/hip_runtime_api.h>

/* The functions of calls.inc and compiler.inc that this layer defines have other symbols: what programs call jumps to them (table.h). */
#define CALL(name, type, parameters, arguments)       type name parameters __asm__("wl_api_" #name);
#define COMPILER(number, name, type, parameters, ...) type name parameters __asm__("wl_api_" #name);
#define VOID(number, name, parameters, ...)           void name parameters __asm__("wl_api_" #name);
#define OTHER(name)
#include "api/calls.inc"
#include "api/compiler.inc"
#undef CALL
#undef COMPILER
#undef VOID
#undef OTHER

/* Records `error` as the thread's last error and as the last result; logs it. Returns it. Without a device it is hipErrorNoDevice
 * instead, whatever is wrong: AMD's runtime asks for that first in every function. */
hipError_t wl_api_fail(const char *function, hipError_t error, const char *why);
/* The same for a status of the runtime, whose sentence is wl_failure(). WL_OK gives hipSuccess. */
hipError_t wl_api_status(const char *function, enum wl_status status);
/* The same for a device's sticky fault, which another thread may have met. */
hipError_t wl_api_fault(const char *function, enum wl_status fault);
/* Records hipSuccess; without a device hipErrorNoDevice, since what a function did was for none. */
#define wl_api_success() wl_api_success_of(__func__)
hipError_t wl_api_success_of(const char *function);
/* The same for functions that answer without a device. */
hipError_t wl_api_fail_anyway(const char *function, hipError_t error, const char *why);
hipError_t wl_api_success_anyway(void);
/* The HIP error for a status, without recording anything. */
hipError_t wl_api_error_of(enum wl_status status);

/* Returns from the calling function with `error` unless the condition holds. */
#define API_REQUIRE(condition, error)                                                                                                      \
    do {                                                                                                                                   \
        if (!(condition))                                                                                                                  \
            return wl_api_fail(__func__, (error), "not: " #condition);                                                                     \
    } while (0)
/* Returns from the calling function if the status is not WL_OK. */
#define API_TRY(expression)                                                                                                                \
    do {                                                                                                                                   \
        enum wl_status status_ = (expression);                                                                                             \
        if (status_ != WL_OK)                                                                                                              \
            return wl_api_status(__func__, status_);                                                                                       \
    } while (0)
/* Returns from the calling function if there is no device; for those that would make or change something first. */
#define API_DEVICES()          API_REQUIRE(wl_context_count() > 0, hipErrorNoDevice)
#define API_RETURN(expression) return wl_api_status(__func__, (expression))
#define API_SUCCESS()          return wl_api_success()
/* NOLINTBEGIN(bugprone-macro-parentheses): the first argument of what follows is the name of a variable to declare. */
/* Declares the current context. */
#define API_CONTEXT(name)                                                                                                                  \
    struct wl_context *name = wl_context_current();                                                                                        \
    API_REQUIRE(name != NULL, hipErrorNoDevice)
/* Returns the context's sticky error, if there is one. */
#define API_HEALTHY(context)                                                                                                               \
    do {                                                                                                                                   \
        enum wl_status fault_ = wl_context_fault(context);                                                                                 \
        if (fault_ != WL_OK)                                                                                                               \
            return wl_api_fault(__func__, fault_);                                                                                         \
    } while (0)
/* Declares the stream behind a handle. A stream that was destroyed, or never created, is hipErrorContextIsDestroyed in most functions. */
#define API_STREAM(name, handle) API_STREAM_OR(name, handle, hipErrorContextIsDestroyed)
#define API_STREAM_OR(name, handle, error)                                                                                                 \
    struct wl_stream *name = wl_api_stream(handle);                                                                                        \
    API_REQUIRE(name != NULL, error)
/* Declares the event behind a handle. Events have no NULL; one that was destroyed is the same error as such a stream. */
#define API_EVENT(name, handle)                                                                                                            \
    API_REQUIRE((handle) != NULL, hipErrorInvalidHandle);                                                                                  \
    API_REQUIRE(wl_handle_is((handle), WL_HANDLE_EVENT), hipErrorContextIsDestroyed);                                                      \
    struct wl_event *name = (struct wl_event *)(handle)
/* NOLINTEND(bugprone-macro-parentheses) */

/* The context behind a handle; NULL if it is not one. */
struct wl_context *wl_api_context(hipCtx_t handle);
/* The stream behind a handle, the special ones included; NULL if it is not one. */
struct wl_stream *wl_api_stream(hipStream_t handle);

/* The kernel behind the address of a host stub, or behind a hipFunction_t or hipKernel_t, in a context. Errors are recorded:
 * hipErrorInvalidDeviceFunction if it is none of them. */
hipError_t wl_api_kernel(const char *function, const void *host, struct wl_context *context, struct wl_loaded_kernel **kernel);

/* `extra` of a launch as the request's buffer; false: not the list that HIP describes. */
bool wl_api_read_extra(void **extra, struct wl_launch_request *request);

/* Whether it is one of HIP's directions. */
bool wl_api_is_kind(hipMemcpyKind kind);
/* A copy of `rows` rows as HIP functions describe it; `async`: the call may return early. */
hipError_t wl_api_copy(const char *function, const struct wl_copy *copy, hipMemcpyKind kind, struct wl_stream *stream, bool async);

/* Between wl_api_copy_resolve(true) and (false) the thread's copies are checked and left here instead of being queued: for the
 * nodes of graphs, which take every form of copy. A width of 0: there was nothing to copy. */
void wl_api_copy_resolve(bool on);
const struct wl_copy *wl_api_copy_resolved(void);

/* ---- a thread's state ------------------------------------------------------------------------ */

#define WL_API_CONFIGURATIONS 64   /* <<<>>> and hipConfigureCall nest when a kernel's arguments launch kernels */
#define WL_API_CONTEXTS       64   /* hipCtxPushCurrent */
#define WL_API_ARGUMENTS      4096 /* bytes of hipSetupArgument */

struct wl_api_configuration {
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    unsigned char *arguments; /* of hipSetupArgument, WL_API_ARGUMENTS bytes; NULL: none so far */
    size_t argument_size;     /* those that were set up */
};

struct wl_api_thread {
    struct wl_api_configuration configurations[WL_API_CONFIGURATIONS]; /* pushed and not yet popped */
    unsigned configuration_count;
    struct wl_context *contexts[WL_API_CONTEXTS]; /* under the current one */
    unsigned context_count;
    bool resolving; /* wl_api_copy_resolve */
    struct wl_copy resolved;
};

/* The calling thread's state, made at the first call. NULL: out of memory. */
struct wl_api_thread *wl_api_thread(void);
/* Declares it. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a name to declare */
#define API_THREAD(name)                                                                                                                   \
    struct wl_api_thread *name = wl_api_thread();                                                                                          \
    API_REQUIRE(name != NULL, hipErrorOutOfMemory)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Pushes the configuration of the launch that follows: of hipConfigureCall and of <<<>>> alike. False: there are too many. */
bool wl_api_configure(struct wl_api_thread *thread, dim3 grid, dim3 block, size_t shared, hipStream_t stream);

/* Fills the newer properties of a device. */
void wl_api_properties(const struct wl_context *context, hipDeviceProp_tR0600 *properties);

/* Resets a context, and unbinds the texture references whose resource went with it. Thread-safe as hipDeviceReset is. */
enum wl_status wl_api_reset(struct wl_context *context);

#endif
