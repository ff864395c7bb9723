/* What is enabled, and what becomes of a call or of work. */
#include "roctracer/tracer.h"

#include "api/traced_call.h"
#include "base/clock.h"

#include <roctracer/roctracer_roctx.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(activity_record_t) == sizeof(struct wl_api_activity), "HIP's activities are records");

/* ---- what is enabled ----------------------------------------------------------------------------- */

enum { MOST_CALLS = 1024 }; /* functions of HIP by their numbers */

/* A callback. One that was replaced stays, because a thread may be about to call it. */
struct callback {
    activity_rtapi_callback_t function;
    void *argument;
    struct callback *older;
};

typedef _Atomic(struct callback *) callback_place;
typedef _Atomic(struct wl_roctracer_pool *) pool_place;

static struct {
    pthread_mutex_t lock;     /* guards changes */
    pthread_rwlock_t writing; /* read-locked while a record is written: pools go under the other lock */
    callback_place calls[MOST_CALLS], ranges[ROCTX_API_ID_NUMBER];
    pool_place call_records[MOST_CALLS], operation_records[WL_TRACED_OPERATION_COUNT];
    unsigned enabled[WL_ROCTRACER_LIBRARIES]; /* places that are not empty */
    struct callback *old;
    atomic_bool stopped;
    roctracer_ext_properties_t properties;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .writing = PTHREAD_RWLOCK_INITIALIZER};

static int hip_traced(uint32_t domain, uint32_t operation, void *data);
static int roctx_traced(uint32_t domain, uint32_t operation, void *data);

/* A place of a library becomes filled or empty. The lock is held. */
static void count(unsigned library, bool was, bool is) {
    const unsigned before = state.enabled[library];
    state.enabled[library] += (unsigned)is - (unsigned)was;
    if (!before != !state.enabled[library])
        (void)wl_roctracer_register(library, !state.enabled[library] ? NULL : library == WL_ROCTRACER_HIP ? hip_traced : roctx_traced);
}

/* The places of a domain, from operation 0 on; NULL: it has no callbacks, or no records. */
static callback_place *callbacks_of(uint32_t domain, uint32_t *operations, unsigned *library) {
    *library = domain == ACTIVITY_DOMAIN_ROCTX ? WL_ROCTRACER_ROCTX : WL_ROCTRACER_HIP;
    *operations = domain == ACTIVITY_DOMAIN_ROCTX ? ROCTX_API_ID_NUMBER : MOST_CALLS;
    return domain == ACTIVITY_DOMAIN_HIP_API ? state.calls : domain == ACTIVITY_DOMAIN_ROCTX ? state.ranges : NULL;
}

static pool_place *pools_of(uint32_t domain, uint32_t *operations) {
    *operations = domain == ACTIVITY_DOMAIN_HIP_OPS ? WL_TRACED_OPERATION_COUNT : MOST_CALLS;
    return domain == ACTIVITY_DOMAIN_HIP_API ? state.call_records : domain == ACTIVITY_DOMAIN_HIP_OPS ? state.operation_records : NULL;
}

static bool set_callback(callback_place *place, unsigned library, activity_rtapi_callback_t function, void *argument) {
    struct callback *made = NULL, *before = atomic_load(place);
    if (function) {
        made = malloc(sizeof *made);
        if (!made)
            return false;
        *made = (struct callback){function, argument, NULL};
    }
    atomic_store(place, made);
    if (before) {
        before->older = state.old;
        state.old = before;
    }
    count(library, before, made);
    return true;
}

/* Whether a domain has the operations from `first` to before *end; UINT32_MAX: up to its last one. In a domain in which nothing happens
 * (`operations` is 0) they become none. */
static roctracer_status_t check_operations(uint32_t domain, uint32_t operations, uint32_t first, uint32_t *end) {
    if (domain >= ACTIVITY_DOMAIN_NUMBER)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no such domain");
    if (operations == 0 || *end == UINT32_MAX)
        *end = operations;
    if (operations && (first >= operations || *end > operations))
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "the domain has no such operation");
    return ROCTRACER_STATUS_SUCCESS;
}

/* Sets or, with NULL, clears the callbacks of operations from `first` to before `end`. */
static roctracer_status_t set_callbacks(uint32_t domain, uint32_t first, uint32_t end, activity_rtapi_callback_t function, void *argument) {
    uint32_t operations;
    unsigned library;
    bool ok = true;
    callback_place *places = callbacks_of(domain, &operations, &library);
    const roctracer_status_t status = check_operations(domain, places ? operations : 0, first, &end);
    if (status != ROCTRACER_STATUS_SUCCESS)
        return status;
    pthread_mutex_lock(&state.lock);
    for (uint32_t i = first; i < end && ok; i++)
        ok = set_callback(&places[i], library, function, argument);
    pthread_mutex_unlock(&state.lock);
    return ok ? ROCTRACER_STATUS_SUCCESS : wl_roctracer_fail(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for a callback");
}

static roctracer_status_t set_pools(uint32_t domain, uint32_t first, uint32_t end, struct wl_roctracer_pool *pool) {
    uint32_t operations;
    pool_place *places = pools_of(domain, &operations);
    const roctracer_status_t status = check_operations(domain, places ? operations : 0, first, &end);
    if (status != ROCTRACER_STATUS_SUCCESS)
        return status;
    pthread_mutex_lock(&state.lock);
    for (uint32_t i = first; i < end; i++) {
        const bool was = atomic_load(&places[i]);
        atomic_store(&places[i], pool);
        count(WL_ROCTRACER_HIP, was, pool);
    }
    pthread_mutex_unlock(&state.lock);
    return ROCTRACER_STATUS_SUCCESS;
}

static roctracer_status_t enable_records(uint32_t domain, uint32_t first, uint32_t end, roctracer_pool_t *pool) {
    struct wl_roctracer_pool *used = pool ? pool : wl_roctracer_default();
    if (!used)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "there is no default pool");
    return set_pools(domain, first, end, used);
}

void wl_roctracer_forget(const struct wl_roctracer_pool *pool) {
    pthread_mutex_lock(&state.lock);
    pthread_rwlock_wrlock(&state.writing);
    for (uint32_t i = 0; i < MOST_CALLS + WL_TRACED_OPERATION_COUNT; i++) {
        pool_place *place = i < MOST_CALLS ? &state.call_records[i] : &state.operation_records[i - MOST_CALLS];
        if (atomic_load(place) != pool)
            continue;
        atomic_store(place, NULL);
        count(WL_ROCTRACER_HIP, true, false);
    }
    pthread_rwlock_unlock(&state.writing);
    pthread_mutex_unlock(&state.lock);
}

/* Writes records to the pool in a place, if there is one. */
static void write_records(pool_place *place, const activity_record_t *records, unsigned count, const char *name) {
    pthread_rwlock_rdlock(&state.writing);
    struct wl_roctracer_pool *pool = atomic_load(place);
    if (pool)
        wl_roctracer_write(pool, records, count, name);
    pthread_rwlock_unlock(&state.writing);
}

/* ---- calls --------------------------------------------------------------------------------------- */

/* Numbers of the program's own that a thread has pushed. */
static _Thread_local struct external {
    struct external *outer;
    activity_correlation_id_t id;
} *external;

static void record_call(uint32_t number, const struct wl_api_traced *call) {
    activity_record_t records[2];
    memset(records, 0, sizeof records);
    unsigned used = 0;
    if (external)
        records[used++] = (activity_record_t){.domain = ACTIVITY_DOMAIN_EXT_API,
                                              .op = ACTIVITY_EXT_OP_EXTERN_ID,
                                              .correlation_id = call->data.correlation,
                                              .external_id = external->id};
    records[used++] = (activity_record_t){.domain = ACTIVITY_DOMAIN_HIP_API,
                                          .op = number,
                                          .correlation_id = call->data.correlation,
                                          .begin_ns = call->begin,
                                          .end_ns = wl_now(),
                                          .process_id = (uint32_t)getpid(),
                                          .thread_id = (uint32_t)syscall(SYS_gettid)};
    write_records(&state.call_records[number], records, used, NULL);
}

static void call_back(uint32_t number, struct wl_api_traced *call, activity_api_phase_t phase) {
    const struct callback *callback = atomic_load(&state.calls[number]);
    call->data.phase = (uint32_t)phase;
    call->data.phase_data = &call->own;
    if (callback)
        callback->function(ACTIVITY_DOMAIN_HIP_API, number, &call->data, callback->argument);
}

static void call_begins(uint32_t number, struct wl_api_traced *call) { call_back(number, call, ACTIVITY_API_PHASE_ENTER); }

static void call_ends(uint32_t number, struct wl_api_traced *call) {
    if (call->before)
        call_back(number, call, ACTIVITY_API_PHASE_EXIT);
    if (atomic_load(&state.call_records[number]))
        record_call(number, call);
}

static int hip_traced(uint32_t domain, uint32_t operation, void *data) {
    static _Atomic uint64_t last;
    if (atomic_load_explicit(&state.stopped, memory_order_relaxed))
        return -1;
    if (domain == WL_TRACED_OPERATIONS && operation < WL_TRACED_OPERATION_COUNT) {
        const activity_record_t *record = data;
        const bool wanted = atomic_load_explicit(&state.operation_records[operation], memory_order_relaxed);
        if (wanted && record)
            write_records(&state.operation_records[operation], record, 1, operation == WL_TRACED_DISPATCH ? record->kernel_name : NULL);
        return wanted ? 0 : -1;
    }
    if (domain != WL_TRACED_CALLS || operation >= MOST_CALLS)
        return -1;
    const bool called = atomic_load_explicit(&state.calls[operation], memory_order_relaxed),
               recorded = atomic_load_explicit(&state.call_records[operation], memory_order_relaxed);
    struct wl_api_traced *call = data;
    if (!called && !recorded && !atomic_load_explicit(&state.operation_records[WL_TRACED_DISPATCH], memory_order_relaxed) &&
        !atomic_load_explicit(&state.operation_records[WL_TRACED_COPY], memory_order_relaxed))
        return -1;
    if (call) {
        call->data.correlation = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
        call->begin = wl_now();
        call->before = called ? call_begins : NULL;
        call->after = called || recorded ? call_ends : NULL;
    }
    return 0;
}

static int roctx_traced(uint32_t domain, uint32_t operation, void *data) {
    const struct callback *callback = operation < ROCTX_API_ID_NUMBER ? atomic_load(&state.ranges[operation]) : NULL;
    if (!callback)
        return -1;
    callback->function(domain, operation, data, callback->argument);
    return 0;
}

/* ---- the interface ------------------------------------------------------------------------------- */

WL_ROCTRACER_API roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op, activity_rtapi_callback_t callback,
                                                                 void *arg) {
    if (!callback || op == UINT32_MAX)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no callback, or no such operation");
    return set_callbacks((uint32_t)domain, op, op + 1, callback, arg);
}

WL_ROCTRACER_API roctracer_status_t roctracer_enable_domain_callback(activity_domain_t domain, activity_rtapi_callback_t callback,
                                                                     void *arg) {
    if (!callback)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no callback");
    return set_callbacks((uint32_t)domain, 0, UINT32_MAX, callback, arg);
}

WL_ROCTRACER_API roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain, uint32_t op) {
    return op == UINT32_MAX ? wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no such operation")
                            : set_callbacks((uint32_t)domain, op, op + 1, NULL, NULL);
}

WL_ROCTRACER_API roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain) {
    return set_callbacks((uint32_t)domain, 0, UINT32_MAX, NULL, NULL);
}

WL_ROCTRACER_API roctracer_status_t roctracer_enable_op_activity_expl(activity_domain_t domain, uint32_t op, roctracer_pool_t *pool) {
    return op == UINT32_MAX ? wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no such operation")
                            : enable_records((uint32_t)domain, op, op + 1, pool);
}

WL_ROCTRACER_API roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain, uint32_t op) {
    return roctracer_enable_op_activity_expl(domain, op, NULL);
}

WL_ROCTRACER_API roctracer_status_t roctracer_enable_domain_activity_expl(activity_domain_t domain, roctracer_pool_t *pool) {
    return enable_records((uint32_t)domain, 0, UINT32_MAX, pool);
}

WL_ROCTRACER_API roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain) {
    return roctracer_enable_domain_activity_expl(domain, NULL);
}

WL_ROCTRACER_API roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain, uint32_t op) {
    return op == UINT32_MAX ? wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no such operation")
                            : set_pools((uint32_t)domain, op, op + 1, NULL);
}

WL_ROCTRACER_API roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain) {
    return set_pools((uint32_t)domain, 0, UINT32_MAX, NULL);
}

WL_ROCTRACER_API const char *roctracer_op_string(uint32_t domain, uint32_t op, uint32_t kind) {
    if (domain == ACTIVITY_DOMAIN_HIP_API)
        return wl_roctracer_call_name(op);
    if (domain == ACTIVITY_DOMAIN_HIP_OPS)
        return wl_roctracer_command_name(kind);
    if (domain == ACTIVITY_DOMAIN_EXT_API)
        return "EXT_API";
    (void)wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "the domain has no names");
    return NULL;
}

WL_ROCTRACER_API roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op, uint32_t *kind) {
    if (domain != ACTIVITY_DOMAIN_HIP_API)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "the domain has no names");
    for (uint32_t i = 0; str && op && i < MOST_CALLS; i++) {
        const char *name = wl_roctracer_call_name(i);
        if (!name || strcmp(name, str) != 0 || strcmp(name, "unknown") == 0)
            continue;
        *op = i;
        if (kind)
            *kind = 0;
        return ROCTRACER_STATUS_SUCCESS;
    }
    return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no function of HIP has that name");
}

WL_ROCTRACER_API roctracer_status_t roctracer_set_properties(roctracer_domain_t domain, void *properties) {
    if ((uint32_t)domain >= ACTIVITY_DOMAIN_NUMBER)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID, "no such domain");
    if (domain == ACTIVITY_DOMAIN_EXT_API && properties)
        state.properties = *(const roctracer_ext_properties_t *)properties;
    return ROCTRACER_STATUS_SUCCESS;
}

WL_ROCTRACER_API void roctracer_start(void) {
    if (atomic_exchange(&state.stopped, false) && state.properties.start_cb)
        state.properties.start_cb();
}

WL_ROCTRACER_API void roctracer_stop(void) {
    if (!atomic_exchange(&state.stopped, true) && state.properties.stop_cb)
        state.properties.stop_cb();
}

WL_ROCTRACER_API roctracer_status_t roctracer_activity_push_external_correlation_id(activity_correlation_id_t id) {
    struct external *pushed = malloc(sizeof *pushed);
    if (!pushed)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for a number");
    *pushed = (struct external){external, id};
    external = pushed;
    return ROCTRACER_STATUS_SUCCESS;
}

WL_ROCTRACER_API roctracer_status_t roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id) {
    struct external *popped = external;
    if (last_id)
        *last_id = popped ? popped->id : 0;
    if (!popped)
        return wl_roctracer_fail(ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID, "no number was pushed");
    external = popped->outer;
    free(popped);
    return ROCTRACER_STATUS_SUCCESS;
}

/* ---- for clients of versions before 4: all domains at once; the last four do nothing in AMD's library either -------------------------- */

WL_ROCTRACER_API roctracer_status_t roctracer_enable_callback(activity_rtapi_callback_t callback, void *arg);
WL_ROCTRACER_API roctracer_status_t roctracer_disable_callback(void);
WL_ROCTRACER_API roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool);
WL_ROCTRACER_API roctracer_status_t roctracer_enable_activity(void);
WL_ROCTRACER_API roctracer_status_t roctracer_disable_activity(void);
WL_ROCTRACER_API int roctracer_load(void);
WL_ROCTRACER_API void roctracer_unload(void);
WL_ROCTRACER_API void roctracer_flush_buf(void);
WL_ROCTRACER_API void roctracer_mark(const char *message);

roctracer_status_t roctracer_enable_callback(activity_rtapi_callback_t callback, void *arg) {
    roctracer_status_t status = roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, callback, arg);
    return status ? status : roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, callback, arg);
}

roctracer_status_t roctracer_disable_callback(void) {
    roctracer_status_t status = roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API);
    return status ? status : roctracer_disable_domain_callback(ACTIVITY_DOMAIN_ROCTX);
}

roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool) {
    roctracer_status_t status = roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HIP_API, pool);
    return status ? status : roctracer_enable_domain_activity_expl(ACTIVITY_DOMAIN_HIP_OPS, pool);
}

roctracer_status_t roctracer_enable_activity(void) { return roctracer_enable_activity_expl(NULL); }

roctracer_status_t roctracer_disable_activity(void) {
    roctracer_status_t status = roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_API);
    return status ? status : roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS);
}

int roctracer_load(void) { return 1; }
void roctracer_unload(void) {}
void roctracer_flush_buf(void) {}
void roctracer_mark(const char *message) { (void)message; }
