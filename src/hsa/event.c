/* HSA: handlers: of signals, which a thread calls when their condition holds; of the system's events; functions to run at some time. */
#include "hsa/hsa.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- signals' handlers ------------------------------------------------------------------------------- */

struct handlers {
    hsa_signal_t *signals;
    int *conditions;
    int64_t *values;
    hsa_amd_signal_handler *functions;
    void **arguments;
    unsigned count, capacity;
};

static struct {
    pthread_mutex_t lock;  /* over the members below */
    struct handlers fresh; /* not yet taken over by the thread */
    bool running;
    _Atomic bool changed; /* `fresh` is not empty */
} events = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool reserve(struct handlers *h) {
    if (h->count < h->capacity)
        return true;
    const unsigned capacity = h->capacity ? 2 * h->capacity : 16;
    void *signals = realloc(h->signals, capacity * sizeof *h->signals);
    if (signals)
        h->signals = signals;
    void *conditions = realloc(h->conditions, capacity * sizeof *h->conditions);
    if (conditions)
        h->conditions = conditions;
    void *values = realloc(h->values, capacity * sizeof *h->values);
    if (values)
        h->values = values;
    void *functions = realloc((void *)h->functions, capacity * sizeof *h->functions);
    if (functions)
        h->functions = functions;
    void *arguments = realloc((void *)h->arguments, capacity * sizeof *h->arguments);
    if (arguments)
        h->arguments = arguments;
    if (!signals || !conditions || !values || !functions || !arguments)
        return false;
    h->capacity = capacity;
    return true;
}

static bool add(struct handlers *h, hsa_signal_t signal, int condition, int64_t value, hsa_amd_signal_handler function, void *argument) {
    if (!reserve(h))
        return false;
    h->signals[h->count] = signal;
    h->conditions[h->count] = condition;
    h->values[h->count] = value;
    h->functions[h->count] = function;
    h->arguments[h->count++] = argument;
    return true;
}

static void forget(struct handlers *h, unsigned index) {
    h->count--;
    h->signals[index] = h->signals[h->count];
    h->conditions[index] = h->conditions[h->count];
    h->values[index] = h->values[h->count];
    h->functions[index] = h->functions[h->count];
    h->arguments[index] = h->arguments[h->count];
}

/* Takes over what was registered since the last time. */
static void take_fresh(struct handlers *own) {
    pthread_mutex_lock(&events.lock);
    struct handlers *fresh = &events.fresh;
    unsigned taken = 0;
    while (taken < fresh->count && add(own, fresh->signals[taken], fresh->conditions[taken], fresh->values[taken], fresh->functions[taken],
                                       fresh->arguments[taken]))
        taken++;
    while (taken-- > 0)
        forget(fresh, taken);
    atomic_store(&events.changed, fresh->count > 0);
    pthread_mutex_unlock(&events.lock);
}

static void *serve(void *argument) {
    struct handlers own = {0};
    (void)argument;
    for (;;) {
        int64_t value = 0;
        take_fresh(&own);
        const unsigned found =
            wl_hsa_wait_any(own.count, own.signals, own.conditions, own.values, UINT64_MAX, false, &events.changed, &value);
        if (found == own.count)
            continue;
        const hsa_amd_signal_handler function = own.functions[found];
        void *data = own.arguments[found];
        if (!own.signals[found].handle || !function(value, data))
            forget(&own, found);
    }
    return NULL;
}

HSA hsa_amd_signal_async_handler(hsa_signal_t signal, int cond, int64_t value, hsa_amd_signal_handler handler, void *arg) {
    HSA_STARTED();
    HSA_REQUIRE(handler, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(wl_hsa_signal(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&events.lock);
    if (!events.running)
        status = wl_hsa_thread(serve, NULL, "hsa-events");
    events.running = status == HSA_STATUS_SUCCESS;
    if (status == HSA_STATUS_SUCCESS && !add(&events.fresh, signal, cond, value, handler, arg))
        status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    atomic_store(&events.changed, events.fresh.count > 0);
    pthread_mutex_unlock(&events.lock);
    wl_hsa_wake_all();
    return status;
}

/* ---- functions to run ------------------------------------------------------------------------------------ */

struct call {
    void (*function)(void *argument);
    void *argument;
};

static void *run_call(void *argument) {
    const struct call call = *(struct call *)argument;
    free(argument);
    call.function(call.argument);
    return NULL;
}

HSA hsa_amd_async_function(void (*callback)(void *arg), void *arg) {
    HSA_STARTED();
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct call *call = malloc(sizeof *call);
    HSA_REQUIRE(call, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    *call = (struct call){callback, arg};
    const hsa_status_t status = wl_hsa_thread(run_call, call, "hsa-call");
    if (status != HSA_STATUS_SUCCESS)
        free(call);
    return status;
}

/* ---- the system's events ------------------------------------------------------------------------------------ */

enum { HANDLERS = 16 };

static struct {
    pthread_mutex_t lock;
    struct {
        hsa_amd_system_event_callback_t callback;
        void *data;
    } handlers[HANDLERS];
    unsigned count;
} system_events = {.lock = PTHREAD_MUTEX_INITIALIZER};

HSA hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void *data) {
    HSA_STARTED();
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_mutex_lock(&system_events.lock);
    if (system_events.count < HANDLERS) {
        system_events.handlers[system_events.count].callback = callback;
        system_events.handlers[system_events.count++].data = data;
        status = HSA_STATUS_SUCCESS;
    }
    pthread_mutex_unlock(&system_events.lock);
    return status;
}

bool wl_hsa_memory_fault(const struct wl_hsa_agent *agent) {
    hsa_amd_event_t event = {.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT};
    event.memory_fault.agent = (hsa_agent_t){(uint64_t)(uintptr_t)agent};
    event.memory_fault.fault_reason_mask = HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT;
    bool handled = false;
    pthread_mutex_lock(&system_events.lock);
    const unsigned count = system_events.count;
    pthread_mutex_unlock(&system_events.lock);
    for (unsigned i = 0; i < count; i++) /* entries never change */
        handled |= system_events.handlers[i].callback(&event, system_events.handlers[i].data) == HSA_STATUS_SUCCESS;
    return handled;
}
