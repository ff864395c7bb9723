/* The runtime object: its start, its contexts, fork and exit. */
#include "runtime/context.h"
#include "runtime/debugger.h"
#include "runtime/handles.h"
#include "runtime/library.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/order.h"
#include "runtime/program.h"
#include "runtime/record.h"
#include "runtime/recording.h"
#include "runtime/stream.h"

#include "base/options.h"
#include "runtime/capture.h"
#include "runtime/pool.h"
#include "runtime/stream_run.h"
#include "runtime/user_object.h"
#include "sanitize/allocations.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    pthread_once_t once;
    struct wl_context *contexts;
    unsigned count;
    char failure[256]; /* why there are no contexts */
    atomic_bool started;
    pthread_mutex_t target_lock; /* guards the decision about `target` */
    atomic_bool target_decided;
    struct wl_target target;
    struct wl_target suggested;           /* guarded by `target_lock`; without a processor: none */
    _Atomic(struct wl_context *) initial; /* of threads that never set one; NULL: device 0 */
} runtime = {.once = PTHREAD_ONCE_INIT, .target_lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct wl_context *current;

/* ---- start, fork, exit ----------------------------------------------------------------------- */

/* In the child no thread but this one exists. Work of the parent is the parent's; locks may be in any state. */
static void after_fork(void) {
    wl_executor_after_fork();
    wl_watch_after_fork();
    wl_capture_after_fork();
    wl_user_object_after_fork();
    wl_mempool_after_fork();
    wl_memory_after_fork();
    wl_handle_after_fork();
    wl_module_after_fork();
    wl_library_after_fork();
    wl_program_after_fork();
    pthread_mutex_init(&runtime.target_lock, NULL);
    for (unsigned i = 0; i < runtime.count; i++) {
        struct wl_context *context = &runtime.contexts[i];
        pthread_mutex_init(&context->lock, NULL);
        wl_memory_cache_after_fork(&context->cache);
        atomic_store(&context->busy, NULL);
        wl_stream_after_fork(context->null_stream);
        for (struct wl_stream *stream = context->streams; stream; stream = stream->context_next)
            wl_stream_after_fork(stream);
    }
}

/* What a program queued and never waited for is still done, as on a GPU whose driver drains its queues. */
static void at_exit(void) {
    wl_stream_exiting();
    if (wl_stream_inside_command()) /* exit() called by a host function: its own stream can never finish */
        return;
    wl_runtime_drain();
    for (unsigned i = 0; i < runtime.count; i++)
        if (runtime.contexts[i].device->ops->finish)
            runtime.contexts[i].device->ops->finish(runtime.contexts[i].device);
}

static void default_limits(struct wl_context *context) {
    static const size_t limits[WL_LIMIT_COUNT] = {[WL_LIMIT_STACK] = 16384, [WL_LIMIT_HEAP] = 1u << 23};
    for (unsigned i = 0; i < WL_LIMIT_COUNT; i++)
        (void)wl_context_limit(context, (enum wl_limit)i, limits[i]);
}

static enum wl_status make_context(struct wl_context *context, struct wl_device *device, unsigned index) {
    wl_recording_begin(device);
    context->device = device;
    context->index = index;
    context->flags = WL_CONTEXT_FLAGS;
    device->ops->info(device, &context->info);
    pthread_mutex_init(&context->lock, NULL);
    wl_memory_cache_init(&context->cache);
    default_limits(context);
    return wl_stream_create(context, 0, 0, &context->null_stream);
}

static void start(void) {
    struct wl_device **devices = NULL;
    size_t count = 0;
    if (wl_san_tools())
        wl_san_begin();
    wl_debugger_begin();
    wl_device_describe_address = wl_memory_describe;
    wl_device_count_memory = wl_usage_add_heap;
    enum wl_status status = wl_devices_create(&devices, &count);
    if (status == WL_OK) {
        runtime.contexts = calloc(count ? count : 1, sizeof *runtime.contexts);
        if (!runtime.contexts)
            status = wl_fail(WL_OUT_OF_MEMORY, "out of host memory for %zu devices", count);
    }
    for (size_t i = 0; i < count && status == WL_OK; i++) {
        status = make_context(&runtime.contexts[i], devices[i], (unsigned)i);
        if (status == WL_OK)
            runtime.count++;
    }
    free((void *)devices);
    if (status != WL_OK)
        strncpy(runtime.failure, wl_failure(), sizeof runtime.failure - 1);
    pthread_atfork(NULL, NULL, after_fork);
    atexit(at_exit);
    atomic_store(&runtime.started, true);
}

bool wl_runtime_started(void) { return atomic_load(&runtime.started); }

unsigned wl_context_count(void) {
    pthread_once(&runtime.once, start);
    if (!runtime.count)
        wl_fail(WL_NOT_FOUND, "no device: %s", runtime.failure);
    return runtime.count;
}

void wl_runtime_drain(void) {
    if (!wl_runtime_started())
        return;
    for (unsigned i = 0; i < runtime.count; i++)
        if (&runtime.contexts[i] != current)
            (void)wl_context_synchronize(&runtime.contexts[i]);
    if (current)
        (void)wl_context_synchronize(current); /* last: a GPU's driver then has the caller's context current, as before */
}

/* ---- contexts ------------------------------------------------------------------------------- */

struct wl_context *wl_context_at(unsigned index) { return index < wl_context_count() ? &runtime.contexts[index] : NULL; }

struct wl_context *wl_context_current(void) {
    if (!current) {
        struct wl_context *initial = atomic_load(&runtime.initial);
        wl_context_set(initial ? initial : wl_context_at(0));
    }
    return current;
}

void wl_context_set(struct wl_context *context) {
    current = context;
    if (context && !atomic_load_explicit(&context->active, memory_order_relaxed))
        atomic_store(&context->active, true);
}

void wl_context_set_default(struct wl_context *context) { atomic_store(&runtime.initial, context); }

enum wl_status wl_context_limit(struct wl_context *context, enum wl_limit limit, size_t value) {
    enum wl_status status = limit == WL_LIMIT_STACK ? context->device->ops->limit_stack(context->device, value) : WL_OK;
    if (status == WL_OK)
        atomic_store(&context->limits[limit], value);
    return status;
}

enum wl_status wl_context_fault(const struct wl_context *context) {
    return (enum wl_status)atomic_load_explicit(&context->fault, memory_order_acquire);
}

enum wl_status wl_context_synchronize(struct wl_context *context) {
    enum wl_status status = wl_context_may_wait(context);
    if (status != WL_OK)
        return status;
    (void)wl_stream_synchronize(context->null_stream);
    wl_stream_wait_others(context);
    wl_order_seen_all(context);
    if (context->device->ops->queues)
        status = wl_stream_given(context->null_stream, context->device->ops->synchronize(context->device));
    if (wl_trace_on() && context->device->ops->queues)
        wl_record_ended(context);
    wl_mempool_synchronized();
    return wl_context_fault(context) != WL_OK ? wl_context_fault(context) : status;
}

enum wl_status wl_context_reset(struct wl_context *context) {
    (void)wl_context_synchronize(context);
    for (;;) {
        pthread_mutex_lock(&context->lock);
        struct wl_stream *stream = context->streams;
        while (stream && stream->per_thread) /* these belong to their threads */
            stream = stream->context_next;
        pthread_mutex_unlock(&context->lock);
        if (!stream)
            break;
        wl_stream_destroy(stream);
    }
    wl_program_unload_context(context);
    wl_mempool_reset(context);
    wl_memory_free_context(context);
    enum wl_status status = WL_OK;
    if (context->device->ops->reset && wl_context_fault(context) != WL_OK) {
        wl_memory_free_host(context); /* it goes with the device's context */
        status = context->device->ops->reset(context->device);
        if (status != WL_OK)
            return status;
    }
    context->flags = WL_CONTEXT_FLAGS;
    default_limits(context);
    atomic_store(&context->active, atomic_load(&context->retained) > 0);
    atomic_store(&context->fault, WL_OK);
    return status;
}

/* ---- the architecture that is shown ---------------------------------------------------------- */

static void decide_target(void) {
    const char *wanted = wl_options()->arch;
    if (wanted && wl_target_parse(&runtime.target, wanted) == WL_OK)
        return;
    if (wanted)
        wl_log(1, "WAVELIFT_ARCH=%s is not an architecture that Wavelift knows; ignored", wanted);
    if (wl_program_target(&runtime.target))
        return;
    if (runtime.suggested.processor[0])
        runtime.target = runtime.suggested;
    else
        (void)wl_target_parse(&runtime.target, wl_processor_at(0)->name);
}

const struct wl_target *wl_runtime_target(void) {
    if (!atomic_load_explicit(&runtime.target_decided, memory_order_acquire)) {
        pthread_mutex_lock(&runtime.target_lock);
        if (!atomic_load(&runtime.target_decided)) {
            decide_target();
            atomic_store(&runtime.target_decided, true);
        }
        pthread_mutex_unlock(&runtime.target_lock);
    }
    return &runtime.target;
}

void wl_runtime_suggest_target(const struct wl_target *target) {
    pthread_mutex_lock(&runtime.target_lock);
    runtime.suggested = *target;
    pthread_mutex_unlock(&runtime.target_lock);
}

uint32_t wl_context_lds(const struct wl_context *context) {
    const uint32_t most = context->info.lds_size, own = wl_processor_find(wl_runtime_target()->processor)->lds_bytes;
    return context->info.lds_by_code && own < most ? own : most;
}

unsigned wl_runtime_wave_size(void) { return wl_runtime_target()->major >= 10 ? 32 : 64; }
