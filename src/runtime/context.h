/* runtime/: everything between the HIP functions (api/) and the devices (device/). It knows no HIP types.
 *
 *   in    calls of api/, with checked arguments
 *   out   commands for devices, each stream's in order; errors as wl_status values with a sentence (base/status.h), printed here only
 *         where no call is left to return them
 *
 *   runtime    the one object of the process: devices, handles, allocations, registered programs. Made at first use.
 *   context    a device's primary context: its null stream, its streams, its loaded modules, its sticky fault.
 *   stream     an in-order queue of commands. The null stream of a context orders itself with all streams of the context
 *              that are not WL_STREAM_NON_BLOCKING (HIP's legacy rules).
 *   command    a kernel, copy, fill, host function or event record that waits in a stream, with the points it depends on.
 *   point      "stream S has finished its n-th command". Commands refer only to points that were queued before them, so
 *              that waiting never makes a cycle.
 *   record     the result of one event record: a point and the time at which it was reached.
 *   event      a handle to its latest record.
 *   allocation a range of addresses the runtime handed out or was told about (memory.h).
 *   module     a code object loaded in one context, with its loaded kernels and variables.
 *   program    a registered fat binary (one HIPF wrapper): opened, selected and loaded at the first use of one of its
 *              symbols, once per context.
 *   symbol     a host address (kernel stub, shadow variable) that the compiler registered for a program.
 *
 * A device with queues of its own (device.h) is given the work of kernels, copies, fills and events; the stream has `finished` such a
 * command when it is given, and its later commands wait only if they are the host's (`gives` says which are not). Points on such
 * streams say that work was given; what depends on it is made to follow in the device, or waits for the queue.
 *
 * Who executes: a thread that waits for a point runs the commands before it itself ("helps"), unless another thread is
 * already running that stream. Work for a queue is given by the thread that calls, if nothing is before it. Streams that nobody waits for
 * are run by a small pool of executor threads (executor.c). A stream whose next command is not ready is parked and occupies no thread.
 *
 * Locks, outermost first: program lock > module lock > context lock > stream lock > executor lock; memory.h's and
 * the handle table's are innermost. No lock is held while a command runs. */
#ifndef WL_RUNTIME_CONTEXT_H
#define WL_RUNTIME_CONTEXT_H

#include "base/clock.h"
#include "base/status.h"
#include "codeobject/codeobject.h"
#include "device/device.h"
#include "runtime/memory.h"
#include "runtime/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_mempool; /* runtime/pool.h */

/* hipDeviceSetLimit's: bytes of stack a lane, and of the heap. The latter is kept for the program that asks: the heap grows as it must. */
enum wl_limit { WL_LIMIT_STACK, WL_LIMIT_HEAP, WL_LIMIT_COUNT };

#define WL_CONTEXT_FLAGS 1u /* what hipGetDeviceFlags tells of a device for which none were set: hipDeviceScheduleSpin */

struct wl_context {
    struct wl_device *device;
    struct wl_device_info info;
    unsigned index;
    unsigned flags;     /* hipSetDeviceFlags' */
    atomic_bool active; /* a thread made it current, or a program retained it */
    _Atomic size_t limits[WL_LIMIT_COUNT];
    _Atomic unsigned retained;    /* hipDevicePrimaryCtxRetain's count */
    _Atomic int fault;            /* enum wl_status of the first kernel fault; WL_OK: none. Sticky until reset */
    _Atomic uint64_t memory_used; /* bytes of device allocations */
    _Atomic int64_t heap_used;    /* bytes that device code allocated; they count beside, without a limit */
    struct wl_memory_cache cache; /* freed blocks of device memory */
    struct wl_stream *null_stream;
    pthread_mutex_t lock;      /* guards `streams` and `busy` */
    struct wl_stream *streams; /* all but the null stream, linked through context_next */
    /* Those of `streams` that may have unfinished commands, linked through busy_next: each enters with its first command
     * and is taken out by whoever finds it idle, so that idle streams cost nothing. */
    _Atomic(struct wl_stream *) busy;
    _Atomic(struct wl_mempool *) pool_default, pool_current; /* NULL: not made yet; the default one */
};

/* Starts the runtime at the first call. Returns the number of devices; 0 with a message in wl_failure() if none could be
 * made. Thread-safe. */
unsigned wl_context_count(void);
/* The context of device `index`; NULL if there is no such device. Thread-safe. */
struct wl_context *wl_context_at(unsigned index);
/* The calling thread's current context; device 0 until wl_context_set. NULL only if there is no device. */
struct wl_context *wl_context_current(void);
void wl_context_set(struct wl_context *context);
/* The context of threads that never set one (hipSetValidDevices). */
void wl_context_set_default(struct wl_context *context);
/* Sets a limit. WL_INVALID_VALUE: more than the device can give. */
enum wl_status wl_context_limit(struct wl_context *context, enum wl_limit limit, size_t value);
/* Whether the runtime has been started (for calls that must not start it). */
bool wl_runtime_started(void);
/* The status of the context's first kernel fault, WL_OK if there was none. */
enum wl_status wl_context_fault(const struct wl_context *context);
/* Waits for all streams of the context, running their commands in this thread. Returns the sticky fault. */
enum wl_status wl_context_synchronize(struct wl_context *context);
/* hipDeviceReset: waits, frees allocations of the context, destroys its streams, unloads its programs, clears the fault. */
enum wl_status wl_context_reset(struct wl_context *context);
/* Waits for every stream of every context (used before code or memory goes away). */
void wl_runtime_drain(void);
/* The target that devices present: WAVELIFT_ARCH, else what the registered programs offer, else gfx942. Decided at the
 * first call. `target` is the process's. */
const struct wl_target *wl_runtime_target(void);
/* The architecture that a program's images are for, where they are none of HIP's (an OpenMP program's): it counts as long as nothing else
 * decides. `target` is copied. */
void wl_runtime_suggest_target(const struct wl_target *target);
/* Bytes of LDS that a workgroup of the presented architecture may have. */
uint32_t wl_context_lds(const struct wl_context *context);
/* Lanes of a wave of that target as HIP reports it: 64, or 32 from gfx10 on. */
unsigned wl_runtime_wave_size(void);

#endif
