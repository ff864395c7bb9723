#include "api/tracer.h"

#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>

static _Atomic wl_api_tracer registered;

/* ---- callbacks of HIP's own ---------------------------------------------------------------------- */

enum { MOST_CALLS = 1024 };

struct callback {
    wl_api_callback function;
    void *argument;
};

static struct {
    pthread_mutex_t lock; /* guards changes */
    _Atomic(struct callback *) of[MOST_CALLS];
    unsigned count;
} callbacks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void call_phase(uint32_t number, struct wl_api_traced *call, uint32_t phase) {
    const struct callback *callback = atomic_load(&callbacks.of[number]);
    call->data.phase = phase;
    call->data.phase_data = &call->own;
    if (callback)
        callback->function(WL_TRACED_CALLS, number, &call->data, callback->argument);
}

static void call_begins(uint32_t number, struct wl_api_traced *call) { call_phase(number, call, 0); }
static void call_ends(uint32_t number, struct wl_api_traced *call) { call_phase(number, call, 1); }

/* The tracer while there is none but callbacks. */
static int call_back(uint32_t domain, uint32_t operation, void *data) {
    static _Atomic uint64_t last;
    struct wl_api_traced *call = data;
    if (domain != WL_TRACED_CALLS || operation >= MOST_CALLS || !call || !atomic_load(&callbacks.of[operation]))
        return -1;
    call->data.correlation = atomic_fetch_add(&last, 1) + 1;
    call->before = call_begins;
    call->after = call_ends;
    return 0;
}

/* ---- work of devices ------------------------------------------------------------------------------- */

/* OpenCL's numbers of commands, as in hipGetCmdName. */
static uint32_t kind_of(const struct wl_trace_work *work) {
    static const uint32_t copies[] = {[WL_TRACE_HOST_TO_HOST] = 0x11F5,
                                      [WL_TRACE_HOST_TO_DEVICE] = 0x11F4,
                                      [WL_TRACE_DEVICE_TO_HOST] = 0x11F3,
                                      [WL_TRACE_DEVICE_TO_DEVICE] = 0x11F5};
    return work->kind == WL_TRACE_KERNEL ? 0x11F0 : work->kind == WL_TRACE_FILL ? 0x1207 : copies[work->detail];
}

static void tell(const struct wl_trace_work *work) {
    const uint32_t operation = work->kind == WL_TRACE_KERNEL ? WL_TRACED_DISPATCH : WL_TRACED_COPY;
    wl_api_tracer tracer = atomic_load(&registered);
    if (!tracer || tracer(WL_TRACED_OPERATIONS, operation, NULL) != 0)
        return;
    struct wl_api_work told = {{.domain = WL_TRACED_OPERATIONS,
                                .kind = kind_of(work),
                                .operation = operation,
                                .correlation = work->asker,
                                .begin = work->begin,
                                .end = work->end,
                                .device = (int)work->device,
                                .queue = work->stream},
                               work};
    if (work->kind == WL_TRACE_KERNEL)
        told.activity.kernel = work->kernel;
    else
        told.activity.bytes = work->bytes;
    (void)tracer(WL_TRACED_OPERATIONS, operation, &told);
}

/* ---- the tracer ------------------------------------------------------------------------------------ */

/* The caller has the lock. */
static void set(wl_api_tracer tracer) {
    if (!tracer && callbacks.count)
        tracer = call_back;
    atomic_store(&registered, tracer);
    wl_trace_tell_with(tracer && tracer != call_back ? tell : NULL);
    wl_api_table_trace(tracer);
}

void wl_api_tracer_set(wl_api_tracer tracer) {
    pthread_mutex_lock(&callbacks.lock);
    set(tracer);
    pthread_mutex_unlock(&callbacks.lock);
}

bool wl_api_callback_set(uint32_t number, wl_api_callback callback, void *argument) {
    if (number >= MOST_CALLS)
        return false;
    struct callback *made = callback ? malloc(sizeof *made) : NULL;
    if (callback && !made)
        return false;
    if (made)
        *made = (struct callback){callback, argument};
    pthread_mutex_lock(&callbacks.lock);
    const bool was = atomic_exchange(&callbacks.of[number], made); /* the one before stays: a thread may be about to call it */
    callbacks.count += (unsigned)(made != NULL) - (unsigned)was;
    wl_api_tracer present = atomic_load(&registered);
    if (!present || present == call_back)
        set(NULL);
    pthread_mutex_unlock(&callbacks.lock);
    return true;
}

bool wl_api_tracer_begin(uint32_t number, struct wl_api_traced *call) {
    wl_api_tracer tracer = atomic_load(&registered);
    call->data.correlation = 0;
    call->data.phase = 0;
    call->data.phase_data = NULL;
    call->before = call->after = NULL;
    if (!tracer || tracer(WL_TRACED_CALLS, number, call) != 0)
        return false;
    call->outer = wl_trace_asker();
    wl_trace_set_asker(call->data.correlation);
    return true;
}

void wl_api_tracer_end(uint32_t number, struct wl_api_traced *call) {
    if (call->after)
        call->after(number, call);
    wl_trace_set_asker(call->outer);
}
