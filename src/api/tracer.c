#include "api/tracer.h"

#include "api/table.h"
#include "base/options.h"
#include "trace/trace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

_Static_assert((int)WL_API_TRACERS == (int)WL_TRACE_PLACES, "one for each place");

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

/* The tracer that calls them. */
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
    for (enum wl_trace_place place = 0; place < WL_TRACE_CALLBACKS; place++) {
        wl_api_tracer tracer = wl_trace_tracer_at(place);
        if (tracer && tracer(WL_TRACED_OPERATIONS, operation, NULL) == 0)
            (void)tracer(WL_TRACED_OPERATIONS, operation, &told);
    }
}

/* ---- tracers --------------------------------------------------------------------------------------- */

static atomic_bool awaited; /* tools are to be started at the first call */

static void tracers_changed(void) {
    const bool works = wl_trace_tracer_at(WL_TRACE_REGISTERED) || wl_trace_tracer_at(WL_TRACE_SDK);
    wl_trace_tell_with(works ? tell : NULL);
    wl_api_table_trace(works || wl_trace_tracer_at(WL_TRACE_CALLBACKS) || atomic_load(&awaited));
}

/* ---- tools of rocprofiler-sdk -------------------------------------------------------------------- */

enum { HIP_VERSION_NUMBER_OF_TOOLS = 7 * 10000 + 1 * 100 };

typedef int (*set_table)(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t count);
typedef int (*register_table)(const char *name, uint32_t (*version)(void), uint32_t number, void **tables, uint64_t count, uint64_t *id);

static uint32_t version_of_tables(void) { return HIP_VERSION_NUMBER_OF_TOOLS; }

/* Hands a table to AMD's librocprofiler-register, which looks for tools and hands it on, or to librocprofiler-sdk. */
static void hand(register_table to_register, set_table to_sdk, const char *name, void *table) {
    uint64_t id = 0;
    if (to_register)
        (void)to_register(name, version_of_tables, HIP_VERSION_NUMBER_OF_TOOLS, &table, 1, &id);
    else
        (void)to_sdk(name, HIP_VERSION_NUMBER_OF_TOOLS, 0, &table, 1);
}

/* The librocprofiler-sdk that the user has chosen, else the one that is found; librocprofiler-register then takes that. It ends the process where
 * there is none, so it is not asked then. Libraries stay open. */
static void start_tools(void) {
    const char *chosen = getenv("ROCPROFILER_REGISTER_LIBRARY"); /* NOLINT(concurrency-mt-unsafe): read once */
    void *sdk = dlopen(chosen && *chosen ? chosen : "librocprofiler-sdk.so.1", RTLD_LAZY | RTLD_GLOBAL);
    void *door = sdk ? dlopen("librocprofiler-register.so.0", RTLD_LAZY) : NULL;
    set_table to_sdk = sdk ? (set_table)(uintptr_t)dlsym(sdk, "rocprofiler_set_api_table") : NULL;
    register_table to_register = to_sdk && door ? (register_table)(uintptr_t)dlsym(door, "rocprofiler_register_library_api_table") : NULL;
    if (!to_sdk) {
        wl_log(1, "a tool for rocprofiler-sdk cannot be started: librocprofiler-sdk.so.1 is missing");
        return;
    }
    hand(to_register, to_sdk, "hip", &wl_api_table);
    hand(to_register, to_sdk, "hip_compiler", &wl_api_compiler_table);
}

/* At the first call. Other threads' calls wait; those that the tools make do not, nor do registrations: they may be made while a library is
 * loaded, for which whoever starts the tools may wait. */
static void start_awaited(bool wait) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Thread_local bool starting;
    if (starting)
        return;
    if (!wait && pthread_mutex_trylock(&lock) != 0)
        return;
    if (wait)
        pthread_mutex_lock(&lock);
    if (atomic_load(&awaited)) {
        starting = true;
        start_tools();
        starting = false;
        atomic_store(&awaited, false);
        wl_trace_set_tracer(WL_TRACE_REGISTERED, wl_trace_tracer_at(WL_TRACE_REGISTERED)); /* looks again who is there */
    }
    pthread_mutex_unlock(&lock);
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable); /* NOLINT(concurrency-mt-unsafe): read once */
    return value && *value;
}

__attribute__((constructor)) static void watch(void) {
    wl_trace_watch_tracers(tracers_changed, (void *const[]){&wl_api_table, &wl_api_compiler_table});
    if (!is_set("ROCP_TOOL_LIBRARIES") && !is_set("ROCPROFILER_REGISTER_LIBRARY") && !dlsym(RTLD_DEFAULT, "rocprofiler_configure"))
        return;
    atomic_store(&awaited, true);
    tracers_changed();
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
    const unsigned before = callbacks.count;
    callbacks.count += (unsigned)(made != NULL) - (unsigned)was;
    if (!before != !callbacks.count)
        wl_trace_set_tracer(WL_TRACE_CALLBACKS, callbacks.count ? call_back : NULL);
    pthread_mutex_unlock(&callbacks.lock);
    return true;
}

/* ---- a call ---------------------------------------------------------------------------------------- */

/* What a tracer left with the call, and puts there for the next time. */
static void load(struct wl_api_traced *call, const struct wl_api_seen *seen) {
    call->data.correlation = seen->correlation;
    call->begin = seen->begin;
    call->own = seen->own;
    call->before = seen->before;
    call->after = seen->after;
}

static void save(const struct wl_api_traced *call, struct wl_api_seen *seen) {
    *seen = (struct wl_api_seen){call->data.correlation, call->begin, call->own, call->before, call->after, true};
}

enum wl_api_traced_as wl_api_tracer_begin(uint32_t number, struct wl_api_traced *call) {
    enum wl_api_traced_as as = WL_TRACED_UNSEEN;
    uint64_t correlation = 0;
    if (__builtin_expect(atomic_load_explicit(&awaited, memory_order_relaxed), 0))
        start_awaited(number < WL_TRACED_REGISTRATIONS);
    call->data.phase = 0;
    call->data.phase_data = NULL;
    for (enum wl_trace_place place = 0; place < WL_TRACE_PLACES; place++) {
        wl_api_tracer tracer = wl_trace_tracer_at(place);
        struct wl_api_seen *seen = &call->seen[place];
        load(call, &(struct wl_api_seen){0});
        seen->wanted = false;
        if (!tracer || tracer(WL_TRACED_CALLS, number, call) != 0)
            continue;
        save(call, seen);
        as = call->before || as == WL_TRACED_ARGUMENTS ? WL_TRACED_ARGUMENTS : WL_TRACED_SEEN;
        if (place == WL_TRACE_REGISTERED)
            correlation = call->data.correlation;
    }
    if (as == WL_TRACED_UNSEEN)
        return as;
    call->outer = wl_trace_asker();
    wl_trace_set_asker(correlation);
    return as;
}

void wl_api_tracer_before(uint32_t number, struct wl_api_traced *call) {
    for (enum wl_trace_place place = 0; place < WL_TRACE_PLACES; place++) {
        struct wl_api_seen *seen = &call->seen[place];
        if (!seen->wanted || !seen->before)
            continue;
        load(call, seen);
        call->before(number, call);
        save(call, seen);
    }
}

void wl_api_tracer_end(uint32_t number, struct wl_api_traced *call) {
    for (unsigned place = WL_TRACE_PLACES; place-- > 0;) {
        if (!call->seen[place].wanted || !call->seen[place].after)
            continue;
        load(call, &call->seen[place]);
        call->after(number, call);
    }
    wl_trace_set_asker(call->outer);
}
