/* The runtime: everything between the HIP functions (api/) and the devices (device/). It knows no HIP types;
 * errors are wl_status values with a sentence (base/status.h), printed here only where no call is left to return them.
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
 * already running that stream. Work for a queue is given by the thread that calls, if nothing is before it. Streams that nobody waits for are run by a small pool of executor threads (executor.c). A
 * stream whose next command is not ready is parked and occupies no thread.
 *
 * Locks, outermost first: program lock > module lock > context lock > stream lock > executor lock; memory.h's and
 * the handle table's are innermost. No lock is held while a command runs. */
#ifndef WL_RUNTIME_H
#define WL_RUNTIME_H

#include "base/clock.h"
#include "base/status.h"
#include "codeobject/codeobject.h"
#include "device/device.h"
#include "runtime/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- contexts (runtime.c) ------------------------------------------------------------------- */

struct wl_stream;

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
/* Lanes of a wave of that target as HIP reports it: 64, or 32 from gfx10 on. */
unsigned wl_runtime_wave_size(void);

/* ---- handles (handles.c) -------------------------------------------------------------------- */

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

/* ---- streams and commands (stream.c, thread_stream.c, command.c, executor.c) ------------------- */

#define WL_STREAM_NON_BLOCKING 1u /* does not order itself with the null stream */

enum wl_stream_state { WL_STREAM_IDLE, WL_STREAM_READY, WL_STREAM_RUNNING, WL_STREAM_PARKED, WL_STREAM_WATCHED };

struct wl_point {
    struct wl_stream *stream; /* referenced */
    uint64_t sequence;
};

struct wl_parked;  /* a stream that waits for a point of another one */
struct wl_capture; /* runtime/capture.h */

/* What a stream has waited for: commands of `other` up to `sequence`, since its own command `since`. */
struct wl_known {
    uint64_t other; /* the stream's id; 0: none */
    uint64_t sequence, since;
};
#define WL_STREAM_KNOWN 8 /* the latest ones; forgetting one only costs the reuse of a freed block */

struct wl_stream {
    struct wl_context *context;
    struct wl_device_queue *queue; /* of a device that has them; else NULL */
    uint64_t id;                   /* never used again */
    unsigned flags;
    int priority;
    bool per_thread;          /* a thread's default stream */
    uint64_t worker_mask;     /* hipExtStreamCreateWithCUMask; 0: all */
    struct wl_stream_window { /* hipStreamSetAttribute's hints: how caches should treat a range */
        void *base;
        size_t size;
        float ratio;
        unsigned hit, miss;
    } window;
    unsigned waiting; /* and how to wait; 0: not said */
    struct wl_stream *context_next, *context_previous;
    struct wl_stream *busy_next;
    atomic_bool busy;                     /* in the context's list of busy streams */
    _Atomic(struct wl_capture *) capture; /* NULL: not capturing. Changed under the lock of captures */
    _Atomic uint64_t observed;            /* sequence number up to which the program was told that the stream has finished */
    struct wl_command *forgotten;         /* in a forked child: what the parent had queued */

    /* What whoever queues writes, and the thread that runs the stream only where it begins and ends. */
    _Alignas(64) pthread_mutex_t lock; /* guards the fields up to `known_next`, and `head` of a stream that is not RUNNING */
    struct wl_command *tail;
    enum wl_stream_state state; /* IDLE: empty; READY: in the executor's queue; RUNNING: a thread runs it; WATCHED: the watcher's */
    struct wl_known known[WL_STREAM_KNOWN];
    unsigned known_next;                /* the entry to replace */
    _Atomic uint64_t submitted;         /* sequence number of the last queued command */
    _Atomic(struct wl_command *) spare; /* for whoever queues next: commands whose memory can be used again */
    atomic_uint references;
    struct wl_stream *ready_next; /* executor's queue; guarded by its lock */
    struct wl_stream *watch_next; /* watcher's list; guarded by its lock */

    /* What the thread that runs the stream writes with every command. */
    _Alignas(64) struct wl_command *head; /* of a RUNNING stream that thread's alone, but for the first command of an empty one */
    _Atomic uint64_t completed;           /* sequence number of the last finished command; with a queue: of the last one given to it */
    _Atomic uint64_t emptied;             /* with a queue: up to which it is known to have done what it was given */
    _Atomic(struct wl_parked *) parked;   /* streams that wait for a point of this one; changed under the lock */
    _Atomic uint64_t wake_at;             /* the smallest `completed` that a sleeping thread waits for; UINT64_MAX: none */
    atomic_uint progress;                 /* futex: changes when sleeping threads are woken */
    uint64_t batch;                       /* the last command that was queued when the batch of launches at hand began */
    _Atomic(struct wl_command *) used;    /* what becomes `spare` */
    atomic_uint used_count;
};

/* A queued piece of work. `run` executes it; `dispose`, if not NULL, drops what it refers to, whether it ran or not.
 * The command itself is freed by the stream. Derived structs begin with it. */
struct wl_command {
    enum wl_status (*run)(struct wl_command *command, struct wl_stream *stream);
    void (*dispose)(struct wl_command *command);
    _Atomic(struct wl_command *) next;
    uint64_t sequence;
    struct wl_stream *home; /* the stream that keeps the command's memory when it is done; NULL: it is freed */
    /* NULL, or a condition on memory that must hold before `run` may be called. The watcher asks until it does (watch.c). */
    bool (*ready)(struct wl_command *command);
    enum wl_status *result; /* not NULL: somebody waits for it and takes its status; NULL: a failure is the device's fault */
    bool gives;             /* `run` only gives work to the stream's queue, if the stream has one, and never waits */
    bool follows;           /* `run` makes the queue wait for what the points stand for */
    bool always;            /* runs even when the context has a fault (event records, host functions that free) */
    unsigned point_count, point_room;
    struct wl_point *points; /* what it waits for */
    struct wl_point inline_points[2];
};

/* Makes a stream in `context` and its handle; WL_STREAM_* flags. */
enum wl_status wl_stream_create(struct wl_context *context, unsigned flags, int priority, struct wl_stream **stream);
/* Makes a stream that gives its work to a queue of the device's driver, which stays the caller's. WL_NOT_FOUND: another device's. */
enum wl_status wl_stream_adopt(struct wl_context *context, void *native, struct wl_stream **stream);
/* Gives the handle up. Queued commands still run. */
void wl_stream_destroy(struct wl_stream *stream);
/* The calling thread's default stream in the context (hipStreamPerThread), made at the first call. NULL: out of memory. */
struct wl_stream *wl_stream_per_thread(struct wl_context *context);
void wl_stream_retain(struct wl_stream *stream);
void wl_stream_release(struct wl_stream *stream);

/* Allocates a zeroed command of `size` bytes (at least sizeof(struct wl_command)). NULL: out of memory. */
void *wl_command_new(size_t size, enum wl_status (*run)(struct wl_command *, struct wl_stream *), void (*dispose)(struct wl_command *));
void wl_command_free(struct wl_command *command);
/* Memory for a command of this stream of up to WL_SPARE_BYTES, not zeroed, whose `home` the caller sets to the stream: taken from
 * commands that are done, else allocated. NULL: out of memory. Thread-safe. */
#define WL_SPARE_BYTES 640
void *wl_stream_spare(struct wl_stream *stream);
/* Makes the command wait for a point. Points that are already reached are skipped. */
enum wl_status wl_command_wait_for(struct wl_command *command, struct wl_stream *stream, uint64_t sequence);
/* Makes it wait for what is in the null stream of a context now, and in the streams that one waits for. */
enum wl_status wl_command_wait_for_null(struct wl_command *command, struct wl_context *context);

/* Queues a command, which the stream then owns, behind everything HIP's stream order puts before it. On failure the
 * command is freed. `sequence` (may be NULL) receives its number. Thread-safe. */
enum wl_status wl_stream_enqueue(struct wl_stream *stream, struct wl_command *command, uint64_t *sequence);
/* Queues command i on stream i, all at one moment: on none of the streams, which all differ, another thread's command comes
 * between. With `wait_before` every command waits for what is queued on all the streams by then. `after` (may be NULL) has
 * commands that follow, each of which waits for all of `commands`. Takes all commands over, also when it fails. */
enum wl_status wl_stream_enqueue_together(struct wl_stream *const *streams, struct wl_command **commands, struct wl_command **after,
                                          unsigned count, bool wait_before);
/* Queues a command and waits for it; returns the command's own status, which is not made sticky. */
enum wl_status wl_stream_execute(struct wl_stream *stream, struct wl_command *command);
/* Waits until the stream has finished command `sequence`, running commands in this thread where no other thread does. Returns
 * the fault of its queue, if it has one. */
enum wl_status wl_stream_wait(struct wl_stream *stream, uint64_t sequence);
/* The same up to where the work is given to the queue. */
void wl_stream_wait_given(struct wl_stream *stream, uint64_t sequence);
/* Whether it has finished command `sequence`, its queue's part included. Exact with `ask`, which asks the device; without, false may
 * mean that nobody knows. */
bool wl_stream_has_finished(struct wl_stream *stream, uint64_t sequence, bool ask);
/* Gives work to a stream's queue without a command, if nothing is queued before it: true, and the stream is the caller's until he
 * says that he has given it. `sequence` receives its number. */
bool wl_stream_give_begin(struct wl_stream *stream, uint64_t *sequence);
void wl_stream_give_end(struct wl_stream *stream, uint64_t sequence);
/* A status that a queue gave back: a fault becomes the context's. Returns it. */
enum wl_status wl_stream_given(const struct wl_stream *stream, enum wl_status status);
/* hipStreamSynchronize: all that is queued now; for the null stream also what its context's blocking streams have. */
enum wl_status wl_stream_synchronize(struct wl_stream *stream);
/* Waits for all streams of the context but the null stream. */
void wl_stream_wait_others(struct wl_context *context);
/* WL_OK if everything queued has finished, else WL_NOT_READY, or the sticky fault. */
enum wl_status wl_stream_query(struct wl_stream *stream);
/* Whether a command queued now would run at once: the stream has nothing unfinished, nor have those it must wait for. */
bool wl_stream_is_free(struct wl_stream *stream);
/* The program was told that the stream has finished command `sequence`. */
void wl_stream_observe(struct wl_stream *stream, uint64_t sequence);
/* Whether commands queued in `stream` from now on run after command `sequence` of `other`, by stream order, event waits or the
 * null stream. May be false where the order does exist. */
bool wl_stream_follows(struct wl_stream *stream, struct wl_stream *other, uint64_t sequence);
/* The stream's later commands run after command `sequence` of `other`. */
enum wl_status wl_stream_wait_for(struct wl_stream *stream, struct wl_stream *other, uint64_t sequence);
/* The same with a command of the caller's, which is taken over: it `follows`, or does nothing. */
enum wl_status wl_stream_wait_by(struct wl_stream *stream, struct wl_command *command, struct wl_stream *other, uint64_t sequence);
/* Queues a command that does nothing: what waits for it waits for everything before it in HIP's stream order. */
enum wl_status wl_stream_mark(struct wl_stream *stream, uint64_t *sequence);
/* Called once at exit: nobody can make watched conditions true any more, so waiting for such a stream gives up. */
void wl_stream_exiting(void);
/* WL_ILLEGAL_STATE in a host function that would wait for ever if it waited for command `sequence` of the stream, because it
 * runs in that stream, or in one that the stream waits for by the rules of the null stream. */
enum wl_status wl_stream_may_wait(const struct wl_stream *stream, uint64_t sequence);
/* The same for all streams of a context. */
enum wl_status wl_context_may_wait(const struct wl_context *context);
/* Whether one of two streams is the null stream of their context and waits for the other. */
bool wl_stream_is_legacy_pair(const struct wl_stream *a, const struct wl_stream *b);
/* Around a command's `run`; the frame lives on the caller's stack. */
struct wl_frame {
    struct wl_stream *stream;
    uint64_t sequence;
    struct wl_frame *outer;
};
void wl_frame_enter(struct wl_frame *frame);
void wl_frame_leave(const struct wl_frame *frame);
/* True in a thread that is inside a command's `run`. */
bool wl_stream_inside_command(void);

/* Executor pool. `wl_executor_push` takes over a reference to a READY stream. */
void wl_executor_push(struct wl_stream *stream);
/* Runs a READY stream until it is empty or parked; for the executor threads. Consumes the reference. */
void wl_stream_run_ready(struct wl_stream *stream);
void wl_executor_after_fork(void);

/* Watcher (watch.c): one thread for all streams whose next command waits for a condition on memory. It sleeps between looks,
 * longer each time nothing has changed. wl_watch_add takes over a reference to a WATCHED stream; wl_stream_watched_ready
 * gives the stream back to the executor. */
void wl_watch_add(struct wl_stream *stream);
void wl_stream_watched_ready(struct wl_stream *stream);
/* Something may have written what streams wait for. Cheap when none does. */
void wl_watch_kick(void);
void wl_watch_after_fork(void);
/* In a forked child: no other thread exists, what was queued or running is dropped. */
void wl_stream_after_fork(struct wl_stream *stream);

/* Commands of general use. All return WL_OUT_OF_MEMORY or what wl_stream_enqueue returns. `wait`: run now and return the
 * command's status. */
struct wl_copy { /* `rows` rows of `width` bytes, `slices` such planes; a plain copy has one row */
    void *target;
    const void *source;
    size_t width, rows, slices;
    size_t target_pitch, source_pitch; /* bytes from row to row */
    size_t target_slice, source_slice; /* bytes from plane to plane */
    int given;                         /* HIP's kind of the copy as the program gave it; only kept, for graphs */
    bool stage;                        /* the source may change after the call: a private copy is queued */
    struct wl_context *via;            /* the context whose device copies; NULL: the stream's */
    struct wl_context *also[2];        /* contexts whose null stream it waits for as well; may be NULL */
};
enum wl_status wl_command_copy(struct wl_stream *stream, const struct wl_copy *copy, bool wait);
/* Copies at once, in the calling thread; for a stream without a queue. */
enum wl_status wl_copy_run(struct wl_stream *stream, const struct wl_copy *copy);

struct wl_fill {
    void *target;
    uint32_t pattern;
    unsigned pattern_size; /* 1, 2, 4 */
    size_t width /* elements */, rows, slices, pitch, slice;
    struct wl_context *via; /* the context whose device fills; NULL: the stream's */
};
enum wl_status wl_command_fill(struct wl_stream *stream, const struct wl_fill *fill, bool wait);
/* Fills at once, in the calling thread, or gives the fill to the stream's queue. */
enum wl_status wl_fill_run(struct wl_stream *stream, const struct wl_fill *fill);

/* Moves managed memory, which came from the stream's device, to a device or WL_LOCATION_HOST. The stream has a queue. */
enum wl_status wl_command_prefetch(struct wl_stream *stream, const void *memory, size_t size, int location);

/* Calls `function(argument, fault)` in stream order; `fault` is the context's sticky status. The stream waits for it. With
 * `always` false it is skipped once the context has a fault. */
enum wl_status wl_command_host(struct wl_stream *stream, void (*function)(void *argument, enum wl_status fault), void *argument,
                               bool always);

/* Stream memory operations (value.c): wait for, or write, a 32- or 64-bit word in stream order. */
struct wl_stream_value {
    enum wl_value_operation operation;
    unsigned size; /* 4 or 8 */
    void *address; /* aligned to `size` */
    uint64_t value, mask;
};
/* Queues `count` operations, which are carried out one after the other; a wait holds no thread. */
enum wl_status wl_value_enqueue(struct wl_stream *stream, const struct wl_stream_value *values, unsigned count);

/* ---- events (event.c) ----------------------------------------------------------------------- */

#define WL_EVENT_NO_TIMING    1u
#define WL_EVENT_INTERPROCESS 2u

struct wl_record;
struct wl_event;

/* `owner`: the device that the event is of, for wl_event_owner; NULL: of none. */
enum wl_status wl_event_create(struct wl_context *owner, unsigned flags, struct wl_event **event);
void wl_event_destroy(struct wl_event *event);
unsigned wl_event_flags(const struct wl_event *event);
struct wl_context *wl_event_owner(const struct wl_event *event);
enum wl_status wl_event_record(struct wl_event *event, struct wl_stream *stream);
/* For calls that make a stream wait. WL_CAPTURE_ISOLATION: the stream of the latest record captures, but not that record. */
enum wl_status wl_event_may_wait(struct wl_event *event);
/* The stream's later commands wait for the event's latest record; nothing to wait for if it has none. In a capture that goes on the stream
 * joins it, WL_CAPTURE_IMPLICIT: the null stream cannot. */
enum wl_status wl_event_wait(struct wl_event *event, struct wl_stream *stream);
/* WL_OK if the latest record was reached or there is none, else WL_NOT_READY. WL_CAPTURED_EVENT: the record is in a capture, which is
 * invalid now. */
enum wl_status wl_event_query(struct wl_event *event);
/* For calls of the program that wait for the event: WL_CAPTURED_EVENT as above, or what wl_capture_may_wait says. */
enum wl_status wl_event_may_synchronize(struct wl_event *event);
enum wl_status wl_event_synchronize(struct wl_event *event);
/* WL_INVALID_VALUE if one was never recorded or has no timing; WL_NOT_READY if one was not reached yet. */
enum wl_status wl_event_elapsed(struct wl_event *start, struct wl_event *stop, double *milliseconds);
/* A description of an interprocess event that another process can open while this one lives and has the event; `size` bytes
 * of room, at least 32. WL_INVALID_VALUE: not an interprocess event. */
enum wl_status wl_event_export(struct wl_event *event, void *handle, size_t size);
/* WL_INVALID_VALUE: not such a description, or its event is gone; WL_ILLEGAL_STATE: it is of this process. */
enum wl_status wl_event_import(struct wl_context *owner, const void *handle, struct wl_event **event);
/* An event that stands for one of the device's driver, which stays the caller's: recording it records that one. WL_UNSUPPORTED: the device has none. */
enum wl_status wl_event_adopt(struct wl_context *context, void *native, struct wl_event **event);
/* The driver's event for the latest record, which has been given to the driver on return; until the event is recorded again or
 * destroyed. `context` is for events that were never recorded. WL_UNSUPPORTED: the device has none. */
enum wl_status wl_event_native(struct wl_event *event, struct wl_context *context, void **native);

/* ---- modules (module.c) --------------------------------------------------------------------- */

struct wl_module;

/* One kernel of a module: what a hipFunction_t is. Lives as long as its module. */
struct wl_loaded_kernel {
    struct wl_module *module;
    const struct wl_kernel *kernel;
    struct wl_device_function *function;
    uint32_t explicit_count;  /* arguments that the program passes: the first ones of the table */
    uint32_t explicit_size;   /* bytes of the kernarg segment they take */
    uint32_t max_dynamic_lds; /* hipFuncSetAttribute's; UINT32_MAX: not set */
    int carveout;             /* the same; a hint */
    struct wl_loaded_kernel *next;
};

/* A module that stands for one of the device's driver, which stays the caller's. WL_UNSUPPORTED: the device has none. */
enum wl_status wl_module_adopt(struct wl_context *context, void *native, struct wl_module **module);
/* The driver's module; NULL: it has none, as of a code object. */
void *wl_module_native(const struct wl_module *module);
/* Loads the best entry of an image (container or ELF; `size` may be WL_SIZE_UNKNOWN) into a context, or an image in the device's
 * own format (PTX, cubin, CUDA fat binary), for which `jit` (may be NULL) counts. The image may go away afterwards.
 * WL_NO_BINARY: it is for other devices. */
enum wl_status wl_module_load(struct wl_context *context, const void *image, size_t size, const struct wl_jit *jit,
                              struct wl_module **module);
enum wl_status wl_module_load_file(struct wl_context *context, const char *path, struct wl_module **module);
/* Waits for the context's work and unloads. */
void wl_module_unload(struct wl_module *module);
/* WL_NOT_FOUND if the module has no such kernel. */
enum wl_status wl_module_kernel(struct wl_module *module, const char *name, struct wl_loaded_kernel **kernel);
/* A variable's address and size; of a managed variable, the managed memory. WL_NOT_FOUND if there is none. */
enum wl_status wl_module_variable(struct wl_module *module, const char *name, void **address, size_t *size);
struct wl_context *wl_module_context(const struct wl_module *module);
size_t wl_module_kernel_count(const struct wl_module *module);
/* The name of kernel `index`, in the order of names; NULL from the count on. */
const char *wl_module_kernel_name(const struct wl_module *module, size_t index);
/* The entry of a container that devices use: the presented architecture's, else the best one there is. */
enum wl_status wl_module_select(struct wl_container *container, struct wl_entry *entry);
void wl_module_after_fork(void);

/* For programs: loads one entry of an open container. `managed` is asked for the memory of managed variables that the
 * host side owns; it returns NULL for others, which the module then allocates itself. */
typedef void *(*wl_managed_lookup)(void *argument, const char *name);
enum wl_status wl_module_load_container(struct wl_context *context, struct wl_container *container, wl_managed_lookup managed,
                                        void *argument, struct wl_module **module);

/* ---- libraries (library.c) ------------------------------------------------------------------ */

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

/* ---- programs and symbols (program.c) ------------------------------------------------------- */

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

/* ---- launches (launch.c) -------------------------------------------------------------------- */

struct wl_launch_request {
    struct wl_loaded_kernel *kernel;
    uint32_t grid[3], block[3], remainder[3]; /* as in struct wl_launch */
    size_t dynamic_lds;
    void **arguments;   /* one pointer per explicit argument; or NULL and */
    const void *buffer; /* the ready kernarg bytes */
    size_t buffer_size;
    bool cooperative;
    struct wl_event *start, *stop; /* may be NULL: recorded before and after */
    const void *handle;            /* how the program names the kernel: a host function or a handle; for graphs */
};

/* Checks the launch against the kernel's and the device's limits, makes the kernel ready and queues it. WL_INVALID_SHAPE,
 * WL_KERNEL_BOUNDS, WL_TOO_MANY_RESIDENT; WL_OUT_OF_RESOURCES: too much LDS; WL_INVALID_VALUE: missing or too few arguments, a
 * partial workgroup that the kernel cannot have, more dynamic LDS than there is at all, another device's kernel; translation
 * errors. Arguments are copied before it returns. Thread-safe. */
enum wl_status wl_launch_enqueue(struct wl_stream *stream, const struct wl_launch_request *request);

#define WL_LAUNCH_WAIT_BEFORE 1u /* no kernel starts before all that was queued on any of the streams is done */
#define WL_LAUNCH_WAIT_AFTER  2u /* what is queued later on any of the streams waits for all kernels */

/* Request i goes to stream i; the streams all differ, and nothing of another thread comes between on any of them. If one is
 * wrong none is queued. With `cooperative` set (in all or none) the grids are one multi-grid: they synchronize with each other,
 * and if one fails the others end with WL_ABORTED. Events of requests are not recorded. */
enum wl_status wl_launch_enqueue_all(struct wl_stream *const *streams, const struct wl_launch_request *requests, unsigned count,
                                     unsigned flags);
/* The checks of wl_launch_enqueue, and making the kernel ready, without queueing it. */
enum wl_status wl_launch_check(struct wl_context *context, const struct wl_launch_request *request);
/* What the device is told; `kernarg` stays the caller's. The stream's part is left to the caller. */
void wl_launch_describe(const struct wl_launch_request *request, const unsigned char *kernarg, size_t size, struct wl_launch *launch);
/* Writes the arguments as the kernel finds them: `size` bytes, the kernel's explicit_size. */
enum wl_status wl_launch_pack(const struct wl_launch_request *request, unsigned char *kernarg, size_t size);
/* Workgroups of `block_size` work items that a compute unit holds at once; 0: the block cannot run. */
uint32_t wl_launch_occupancy(struct wl_loaded_kernel *kernel, uint32_t block_size, size_t dynamic_lds);

#endif
