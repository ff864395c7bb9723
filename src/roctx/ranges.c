#include "roctx/ranges.h"

#include "trace/trace.h"

#include <roctracer/roctx.h>

#include <pthread.h>
#include <stdlib.h>

#define PUBLIC __attribute__((visibility("default")))

enum { DEEPEST = 256 }; /* of ranges in each other that are recorded; those within are counted alone */

struct range {
    uint64_t begin; /* 0: not recorded */
    uint32_t name;
};

/* A thread's ranges. Made at its first one. */
struct stack {
    int depth;
    struct range ranges[DEEPEST];
};

/* Ranges that were started. */
struct started {
    struct started *next;
    roctx_range_id_t id;
    struct range range;
};

static _Atomic wl_roctx_tracer registered, watching;
static _Thread_local struct stack *own;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    pthread_mutex_t lock;
    struct started *list;
} started = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((constructor)) static void attach(void) { (void)wl_trace_begin(); }

PUBLIC void roctxRegisterTracerCallback(wl_roctx_tracer function) { atomic_store(&registered, function); }
PUBLIC void wl_roctx_watch(wl_roctx_tracer function) { atomic_store(&watching, function); }

void wl_roctx_tell(enum wl_roctx_call call, const struct wl_roctx_data *data) {
    wl_roctx_tracer first = call < WL_ROCTX_PAUSE ? atomic_load_explicit(&registered, memory_order_relaxed) : NULL;
    wl_roctx_tracer second = atomic_load_explicit(&watching, memory_order_relaxed);
    if (first)
        (void)first(WL_ROCTX_DOMAIN, (uint32_t)call, (void *)(uintptr_t)data);
    if (second)
        (void)second(WL_ROCTX_DOMAIN, (uint32_t)call, (void *)(uintptr_t)data);
}

static void tell(enum wl_roctx_call call, const char *message, uint64_t id) {
    wl_roctx_tell(call, &(struct wl_roctx_data){message, id, false});
}

static void put(enum wl_trace_kind kind, struct range range, uint64_t end, uint64_t id) {
    struct wl_trace_record *record = wl_trace_take();
    if (!record)
        return;
    record->begin = range.begin;
    record->end = end;
    record->name = range.name;
    record->correlation = id;
    wl_trace_put(record, kind);
}

static struct range begin(const char *message) {
    if (!wl_trace_runs())
        return (struct range){0};
    const uint32_t name = wl_trace_name(message ? message : "");
    return (struct range){wl_trace_now(), name};
}

/* ---- of a thread --------------------------------------------------------------------------------- */

static void forget(void *stack) {
    own = NULL;
    free(stack);
}

static void make_key(void) { (void)pthread_key_create(&key, forget); }

static struct stack *stack(void) {
    if (own)
        return own;
    pthread_once(&once, make_key);
    own = calloc(1, sizeof *own);
    if (own)
        (void)pthread_setspecific(key, own);
    return own;
}

PUBLIC void roctxMarkA(const char *message) {
    tell(WL_ROCTX_MARK, message, 0);
    const struct range mark = begin(message);
    if (mark.begin)
        put(WL_TRACE_MARK, mark, mark.begin, 0);
}

PUBLIC int roctxRangePushA(const char *message) {
    tell(WL_ROCTX_PUSH, message, 0);
    struct stack *ranges = stack();
    if (!ranges)
        return -1;
    if (ranges->depth < DEEPEST)
        ranges->ranges[ranges->depth] = begin(message);
    return ranges->depth++;
}

PUBLIC int roctxRangePop(void) {
    tell(WL_ROCTX_POP, NULL, 0);
    struct stack *ranges = stack();
    if (!ranges || ranges->depth == 0)
        return -1;
    const int depth = --ranges->depth;
    if (depth < DEEPEST && ranges->ranges[depth].begin)
        put(WL_TRACE_RANGE, ranges->ranges[depth], wl_trace_now(), 0);
    return depth;
}

/* ---- of the process -------------------------------------------------------------------------------- */

PUBLIC roctx_range_id_t roctxRangeStartA(const char *message) {
    static _Atomic roctx_range_id_t last;
    const roctx_range_id_t id = atomic_fetch_add(&last, 1) + 1;
    tell(WL_ROCTX_START, message, id);
    struct started *range = wl_trace_runs() ? malloc(sizeof *range) : NULL;
    if (range) {
        *range = (struct started){.id = id, .range = begin(message)};
        pthread_mutex_lock(&started.lock);
        range->next = started.list;
        started.list = range;
        pthread_mutex_unlock(&started.lock);
    }
    return id;
}

PUBLIC void roctxRangeStop(roctx_range_id_t id) {
    tell(WL_ROCTX_STOP, NULL, id);
    pthread_mutex_lock(&started.lock);
    struct started **at = &started.list;
    while (*at && (*at)->id != id)
        at = &(*at)->next;
    struct started *range = *at;
    if (range)
        *at = range->next;
    pthread_mutex_unlock(&started.lock);
    if (range && range->range.begin)
        put(WL_TRACE_RANGE, range->range, wl_trace_now(), id);
    free(range);
}
