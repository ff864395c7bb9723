/* Contexts, what they want, and whether libamdhip64 is to tell it. */
#include "rocprofiler/counting.h"

#include "api/traced_call.h"
#include "base/clock.h"
#include "runtime/core.h"
#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock; /* guards what follows, and whether libamdhip64 tells of calls */
    _Atomic unsigned count;
    struct wl_rp_context *contexts[WL_RP_CONTEXTS];
    _Atomic uint32_t callbacks;
    _Atomic uint64_t buffers;
    bool attached, watching, marked;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct wl_rp_context *wl_rp_context_at(unsigned number) { return number < atomic_load(&state.count) ? state.contexts[number] : NULL; }
unsigned wl_rp_context_count(void) { return atomic_load(&state.count); }
uint32_t wl_rp_callbacks_wanted(void) { return atomic_load_explicit(&state.callbacks, memory_order_relaxed); }
uint64_t wl_rp_buffers_wanted(void) { return atomic_load_explicit(&state.buffers, memory_order_relaxed); }

int wl_rp_find_configurable(struct wl_rp_id id, struct wl_rp_context **context) {
    *context = wl_rp_context_at((unsigned)id.handle - 1);
    return wl_rp_configurable() != WL_RP_SUCCESS ? WL_RP_CONFIGURATION_LOCKED : *context ? WL_RP_SUCCESS : WL_RP_CONTEXT_NOT_FOUND;
}

static _Thread_local uint64_t known_thread;

uint64_t wl_rp_thread(void) {
    if (!known_thread)
        known_thread = (uint64_t)syscall(SYS_gettid);
    return known_thread;
}

void wl_rp_thread_forked(void) { known_thread = 0; }

bool wl_rp_wants(const struct wl_rp_operations *operations, int operation) {
    return operations->all || (operation >= 0 && operation < WL_RP_OPERATIONS && operations->bits[operation / 64] >> operation % 64 & 1);
}

bool wl_rp_calls_back(const struct wl_rp_context *context, int kind, int operation) {
    return context->callbacks[kind].function && atomic_load_explicit(&context->active, memory_order_relaxed) &&
           wl_rp_wants(&context->callbacks[kind].operations, operation);
}

bool wl_rp_records(const struct wl_rp_context *context, int kind, int operation) {
    return context->buffers[kind].buffer && atomic_load_explicit(&context->active, memory_order_relaxed) &&
           wl_rp_wants(&context->buffers[kind].operations, operation);
}

/* ---- numbers of the tool's own -------------------------------------------------------------------- */

/* What a thread has pushed. */
static _Thread_local struct pushed {
    struct pushed *outer;
    uint64_t context;
    union wl_rp_user value;
} *pushed;

union wl_rp_user wl_rp_external(unsigned number, int request, int operation, uint64_t internal) {
    const struct wl_rp_context *context = wl_rp_context_at(number);
    union wl_rp_user value = {0};
    for (const struct pushed *each = pushed; each; each = each->outer)
        if (each->context == number + 1) {
            value = each->value;
            break;
        }
    union wl_rp_user given = value;
    if (context->request.function && context->request.kinds >> request & 1 &&
        context->request.function(wl_rp_thread(), (struct wl_rp_id){number + 1}, request, operation, internal, &given,
                                  context->request.data) == 0)
        value = given;
    return value;
}

WL_ROCPROFILER_API int rocprofiler_push_external_correlation_id(struct wl_rp_id context, uint64_t thread, union wl_rp_user value) {
    if (!wl_rp_context_at((unsigned)context.handle - 1))
        return WL_RP_CONTEXT_NOT_FOUND;
    if (thread && thread != wl_rp_thread())
        return WL_RP_NOT_AVAILABLE; /* another thread's */
    struct pushed *made = malloc(sizeof *made);
    if (!made)
        return WL_RP_OUT_OF_RESOURCES;
    *made = (struct pushed){pushed, context.handle, value};
    pushed = made;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_pop_external_correlation_id(struct wl_rp_id context, uint64_t thread, union wl_rp_user *value) {
    if (!wl_rp_context_at((unsigned)context.handle - 1))
        return WL_RP_CONTEXT_NOT_FOUND;
    if (thread && thread != wl_rp_thread())
        return WL_RP_NOT_AVAILABLE;
    for (struct pushed **place = &pushed; *place; place = &(*place)->outer)
        if ((*place)->context == context.handle) {
            struct pushed *found = *place;
            if (value)
                *value = found->value;
            *place = found->outer;
            free(found);
            return WL_RP_SUCCESS;
        }
    return WL_RP_INVALID_ARGUMENT;
}

WL_ROCPROFILER_API int rocprofiler_configure_external_correlation_id_request_service(struct wl_rp_id id, const int *kinds, size_t count,
                                                                                     wl_rp_request function, void *data) {
    struct wl_rp_context *context = NULL;
    const int status = wl_rp_find_configurable(id, &context);
    if (status != WL_RP_SUCCESS)
        return status;
    if (!function)
        return WL_RP_INVALID_ARGUMENT;
    if (context->request.function)
        return WL_RP_ALREADY_CONFIGURED;
    uint32_t bits = count ? 0 : UINT32_MAX;
    for (size_t i = 0; i < count; i++) {
        if (kinds[i] <= 0 || kinds[i] >= WL_RP_REQUEST_KINDS)
            return WL_RP_KIND_NOT_FOUND;
        bits |= 1u << kinds[i];
    }
    context->request.function = function;
    context->request.data = data;
    context->request.kinds = bits;
    return WL_RP_SUCCESS;
}

/* ---- contexts --------------------------------------------------------------------------------------- */

WL_ROCPROFILER_API int rocprofiler_create_context(struct wl_rp_id *id) {
    if (!id)
        return WL_RP_INVALID_ARGUMENT;
    if (wl_rp_configurable() != WL_RP_SUCCESS)
        return WL_RP_CONFIGURATION_LOCKED;
    int status = WL_RP_OUT_OF_RESOURCES;
    pthread_mutex_lock(&state.lock);
    const unsigned count = atomic_load(&state.count);
    struct wl_rp_context *made = count < WL_RP_CONTEXTS ? calloc(1, sizeof *made) : NULL;
    if (made) {
        made->client = wl_rp_current_client();
        state.contexts[count] = made;
        atomic_store(&state.count, count + 1);
        id->handle = count + 1;
        status = WL_RP_SUCCESS;
    }
    pthread_mutex_unlock(&state.lock);
    return status;
}

/* What a tool asks for; an empty list stands for all operations. */
static int set_operations(struct wl_rp_operations *operations, const int *list, size_t count) {
    *operations = (struct wl_rp_operations){.all = count == 0};
    for (size_t i = 0; i < count; i++) {
        if (list[i] < 0 || list[i] >= WL_RP_OPERATIONS)
            return WL_RP_OPERATION_NOT_FOUND;
        operations->bits[list[i] / 64] |= UINT64_C(1) << list[i] % 64;
    }
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_configure_callback_tracing_service(struct wl_rp_id id, int kind, const int *operations, size_t count,
                                                                      wl_rp_callback function, void *data) {
    struct wl_rp_context *context = NULL;
    int status = wl_rp_find_configurable(id, &context);
    if (status == WL_RP_SUCCESS)
        status = wl_rp_callback_kind(kind);
    if (status != WL_RP_SUCCESS)
        return status;
    if (!function)
        return WL_RP_INVALID_ARGUMENT;
    if (context->callbacks[kind].function)
        return WL_RP_ALREADY_CONFIGURED;
    status = set_operations(&context->callbacks[kind].operations, operations, count);
    if (status == WL_RP_SUCCESS) {
        context->callbacks[kind].function = function;
        context->callbacks[kind].data = data;
    }
    return status;
}

WL_ROCPROFILER_API int rocprofiler_configure_buffer_tracing_service(struct wl_rp_id id, int kind, const int *operations, size_t count,
                                                                    struct wl_rp_id buffer_id) {
    struct wl_rp_buffer *buffer = wl_rp_buffer(buffer_id);
    struct wl_rp_context *context = NULL;
    int status = wl_rp_find_configurable(id, &context);
    if (status == WL_RP_SUCCESS)
        status = wl_rp_buffer_kind(kind);
    if (status != WL_RP_SUCCESS)
        return status;
    if (!buffer)
        return WL_RP_BUFFER_NOT_FOUND;
    if (context->buffers[kind].buffer)
        return WL_RP_ALREADY_CONFIGURED;
    status = set_operations(&context->buffers[kind].operations, operations, count);
    if (status == WL_RP_SUCCESS)
        context->buffers[kind].buffer = buffer;
    return status;
}

/* Kinds that roctx's libraries tell of; kinds for which calls of HIP have to be followed. */
#define MARKER_CALLBACKS (1u << WL_RP_CALLBACK_MARKER | 1u << WL_RP_CALLBACK_MARKER_CONTROL | 1u << WL_RP_CALLBACK_MARKER_RANGE)
#define MARKER_BUFFERS                                                                                                                     \
    (UINT64_C(1) << WL_RP_BUFFER_MARKER | UINT64_C(1) << WL_RP_BUFFER_MARKER_CONTROL | UINT64_C(1) << WL_RP_BUFFER_MARKER_RANGE)
#define CALL_CALLBACKS (1u << WL_RP_CALLBACK_HIP | 1u << WL_RP_CALLBACK_HIP_COMPILER | 1u << WL_RP_CALLBACK_HIP_STREAM)
#define CALL_BUFFERS                                                                                                                       \
    (UINT64_C(1) << WL_RP_BUFFER_HIP | UINT64_C(1) << WL_RP_BUFFER_HIP_COMPILER | UINT64_C(1) << WL_RP_BUFFER_HIP_EXT |                    \
     UINT64_C(1) << WL_RP_BUFFER_HIP_COMPILER_EXT)

void wl_rp_attach(void) {
    pthread_mutex_lock(&state.lock);
    uint32_t callbacks = 0;
    uint64_t buffers = 0;
    for (unsigned i = 0; i < atomic_load(&state.count); i++) {
        const struct wl_rp_context *context = state.contexts[i];
        for (unsigned kind = 0; kind < WL_RP_CALLBACK_KINDS && atomic_load(&context->active); kind++)
            callbacks |= (context->callbacks[kind].function ? 1u : 0u) << kind;
        for (unsigned kind = 0; kind < WL_RP_BUFFER_KINDS && atomic_load(&context->active); kind++)
            buffers |= (context->buffers[kind].buffer ? UINT64_C(1) : 0) << kind;
    }
    atomic_store(&state.callbacks, callbacks);
    atomic_store(&state.buffers, buffers);
    if (!state.watching && (callbacks & (1u << WL_RP_CALLBACK_CODE_OBJECT | 1u << WL_RP_CALLBACK_DISPATCH) ||
                            buffers >> WL_RP_BUFFER_DISPATCH & 1 || wl_rp_wants_counters())) {
        state.watching = true;
        wl_core.watch_modules(wl_rp_module);
    }
    const bool marked = callbacks & MARKER_CALLBACKS || buffers & MARKER_BUFFERS;
    if (marked != state.marked)
        wl_rp_mark(state.marked = marked);
    const bool attached = callbacks & CALL_CALLBACKS || buffers & CALL_BUFFERS || wl_rp_wants_work() || wl_rp_outstanding();
    if (attached != state.attached) {
        state.attached = attached;
        wl_core.watch_queued(attached ? wl_rp_queued : NULL);
        wl_core.set_tracer(WL_TRACE_SDK, attached ? wl_rp_traced : NULL);
    }
    pthread_mutex_unlock(&state.lock);
}

static int set_active(struct wl_rp_id id, bool active) {
    struct wl_rp_context *context = wl_rp_context_at((unsigned)id.handle - 1);
    if (!context)
        return WL_RP_CONTEXT_NOT_FOUND;
    if (active && wl_rp_finalized(context->client))
        return WL_RP_FINALIZED;
    if (active && !atomic_load(&context->active))
        wl_rp_counting_started((unsigned)id.handle - 1);
    if (atomic_exchange(&context->active, active) == active)
        return active ? WL_RP_SUCCESS : WL_RP_CONTEXT_NOT_STARTED;
    wl_rp_attach();
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_start_context(struct wl_rp_id id) { return set_active(id, true); }
WL_ROCPROFILER_API int rocprofiler_stop_context(struct wl_rp_id id) { return set_active(id, false); }

WL_ROCPROFILER_API int rocprofiler_context_is_active(struct wl_rp_id id, int *active) {
    const struct wl_rp_context *context = wl_rp_context_at((unsigned)id.handle - 1);
    if (active)
        *active = context && atomic_load(&context->active);
    return !active ? WL_RP_INVALID_ARGUMENT : context ? WL_RP_SUCCESS : WL_RP_CONTEXT_NOT_FOUND;
}

WL_ROCPROFILER_API int rocprofiler_context_is_valid(struct wl_rp_id id, int *valid) {
    const struct wl_rp_context *context = wl_rp_context_at((unsigned)id.handle - 1);
    if (valid)
        *valid = context != NULL;
    return !valid ? WL_RP_INVALID_ARGUMENT : context ? WL_RP_SUCCESS : WL_RP_CONTEXT_NOT_FOUND;
}

void wl_rp_stop(uint32_t client) {
    for (unsigned i = 0; i < wl_rp_context_count(); i++)
        if (state.contexts[i]->client == client)
            atomic_store(&state.contexts[i]->active, false);
    wl_rp_attach();
}

WL_ROCPROFILER_API int rocprofiler_get_timestamp(uint64_t *time) {
    if (!time)
        return WL_RP_INVALID_ARGUMENT;
    *time = wl_now();
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_get_thread_id(uint64_t *thread) {
    if (!thread)
        return WL_RP_INVALID_ARGUMENT;
    *thread = wl_rp_thread();
    return WL_RP_SUCCESS;
}
