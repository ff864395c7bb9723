/* Calls of HIP, and the streams that they are about. */
#include "rocprofiler/profiler.h"

#include "api/traced_call.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ------------------------------------------------------------------------------------ */

/* The stream that a call is about. */
struct stream_use {
    bool uses, makes;
    const void *value; /* if it makes one: where it will be */
};

struct function {
    const char *name;
    void (*describe)(const struct wl_api_data *call, struct wl_rp_hip_payload *payload, struct stream_use *stream);
    int kind, operation; /* operation -1: AMD's profiler has no such function */
};

#define STREAM(member)                                                                                                                     \
    *stream = (struct stream_use) { .uses = true, .value = from->member }
#define NEW_STREAM(member)                                                                                                                 \
    *stream = (struct stream_use) { .makes = true, .value = (const void *)from->member }
#define MEMBER(type, name) to->name = from->name;
#define NOTHING
#define ARGUMENTS(number, name, members, use)                                                                                              \
    static void describe_##name(const struct wl_api_data *call, struct wl_rp_hip_payload *payload, struct stream_use *stream) {            \
        const __typeof__(call->arguments.name) *from = &call->arguments.name;                                                              \
        __typeof__(payload->arguments.name) *to = &payload->arguments.name;                                                                \
        (void)from, (void)to, (void)stream;                                                                                                \
        members use;                                                                                                                       \
    }
#include "rocprofiler/hip_arguments.inc"
#undef ARGUMENTS
#undef NOTHING
#undef MEMBER

static struct function functions[WL_TRACED_NUMBERS] = {
#define ARGUMENTS(number, name, members, use) [number] = {#name, describe_##name, 0, -1},
#include "rocprofiler/hip_arguments.inc"
#undef ARGUMENTS
};

static void number_functions(void) {
    for (unsigned i = 0; i < WL_TRACED_NUMBERS; i++)
        if (functions[i].name)
            functions[i].operation = wl_rp_operation(functions[i].name, &functions[i].kind);
}

/* ---- streams ------------------------------------------------------------------------------------------ */

/* AMD numbers streams as they are made; 0 is the null stream. */
static struct {
    pthread_mutex_t lock;
    struct stream {
        struct stream *next;
        const void *value;
        uint64_t number;
    } *list;
    uint64_t last;
} streams = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t stream_number(const void *value, bool made) {
    uint64_t number = 0;
    if (!value)
        return 0;
    pthread_mutex_lock(&streams.lock);
    struct stream *found = streams.list;
    while (found && found->value != value)
        found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        *found = (struct stream){streams.list, value, 0};
        streams.list = found;
        made = true;
    }
    if (found && made)
        found->number = ++streams.last;
    number = found ? found->number : 0;
    pthread_mutex_unlock(&streams.lock);
    return number;
}

/* ---- a call while it lasts ------------------------------------------------------------------------------ */

static _Thread_local struct frame {
    struct frame *outer;
    uint64_t id, ancestor, begin;
    const struct function *function;
    struct stream_use stream;
    uint32_t callbacks, stream_callbacks; /* contexts that were called at the begin, and are at the end */
    uint32_t recorded, recorded_whole;    /* contexts whose buffers get a record; one with arguments and result */
    union wl_rp_user external[WL_RP_CONTEXTS], user[WL_RP_CONTEXTS], stream_user[WL_RP_CONTEXTS];
    struct wl_rp_hip_payload payload;
} *innermost;

uint64_t wl_rp_current_call(void) { return innermost ? innermost->id : 0; }

static void call_back(const struct frame *frame, unsigned number, int kind, int operation, int phase, void *payload,
                      union wl_rp_user *user) {
    const struct wl_rp_context *context = wl_rp_context_at(number);
    const bool api = kind != WL_RP_CALLBACK_HIP_STREAM;
    const struct wl_rp_callback_record record = {.context = {number + 1},
                                                 .thread = wl_rp_thread(),
                                                 .correlation = {api ? frame->id : 0, frame->external[number], api ? frame->ancestor : 0},
                                                 .kind = kind,
                                                 .operation = operation,
                                                 .phase = phase,
                                                 .payload = payload};
    context->callbacks[kind].function(record, user, context->callbacks[kind].data);
}

static void tell_stream(struct frame *frame, uint32_t contexts, int operation, int phase, const void *value, bool made) {
    if (!contexts)
        return;
    struct wl_rp_stream_payload payload = {sizeof payload, {stream_number(value, made)}, value};
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if (contexts >> i & 1)
            call_back(frame, i, WL_RP_CALLBACK_HIP_STREAM, operation, phase, &payload, &frame->stream_user[i]);
}

/* Contexts that want to know of the stream. */
static uint32_t wanting_streams(int operation) {
    uint32_t contexts = 0;
    if (wl_rp_callbacks_wanted() >> WL_RP_CALLBACK_HIP_STREAM & 1)
        for (unsigned i = 0; i < wl_rp_context_count(); i++)
            contexts |= (uint32_t)wl_rp_calls_back(wl_rp_context_at(i), WL_RP_CALLBACK_HIP_STREAM, operation) << i;
    return contexts;
}

/* The kind of records that have arguments and result. */
static int whole_kind(const struct function *function) {
    return function->kind == WL_RP_CALLBACK_HIP ? WL_RP_BUFFER_HIP_EXT : WL_RP_BUFFER_HIP_COMPILER_EXT;
}

static bool destroys(const struct frame *frame) { return strcmp(frame->function->name, "hipStreamDestroy") == 0; }

static void call_begins(uint32_t number, struct wl_api_traced *call) {
    struct frame *frame = innermost;
    const struct function *function = frame->function;
    (void)number;
    frame->payload.size = sizeof frame->payload;
    function->describe(&call->data, &frame->payload, &frame->stream);
    if (frame->stream.uses && !destroys(frame)) {
        frame->stream_callbacks = wanting_streams(WL_RP_STREAM_SET);
        tell_stream(frame, frame->stream_callbacks, WL_RP_STREAM_SET, WL_RP_PHASE_ENTER, frame->stream.value, false);
    }
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        if (wl_rp_calls_back(context, function->kind, function->operation))
            frame->callbacks |= 1u << i;
        if (wl_rp_records(context, function->kind, function->operation))
            frame->recorded |= 1u << i;
        if (wl_rp_records(context, whole_kind(function), function->operation))
            frame->recorded_whole |= 1u << i;
        if ((frame->callbacks | frame->recorded | frame->recorded_whole) >> i & 1)
            frame->external[i] = wl_rp_external(i, function->kind, function->operation, frame->id);
    }
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if (frame->callbacks >> i & 1)
            call_back(frame, i, function->kind, function->operation, WL_RP_PHASE_ENTER, &frame->payload, &frame->user[i]);
    frame->begin = wl_now();
}

static void record_call(const struct frame *frame, uint64_t end) {
    struct wl_rp_call_record record = {.size = sizeof record,
                                       .kind = frame->function->kind,
                                       .operation = frame->function->operation,
                                       .correlation = {frame->id, {0}, frame->ancestor},
                                       .begin = frame->begin,
                                       .end = end,
                                       .thread = wl_rp_thread()};
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if (frame->recorded >> i & 1) {
            record.correlation.external = frame->external[i];
            wl_rp_write(wl_rp_context_at(i)->buffers[record.kind].buffer, (uint32_t)record.kind, &record, sizeof record);
        }
    if (!frame->recorded_whole)
        return;
    struct wl_rp_full_call_record whole = {.call = record, .arguments = frame->payload.arguments, .result = frame->payload.result};
    whole.call.size = sizeof whole;
    whole.call.kind = whole_kind(frame->function);
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if (frame->recorded_whole >> i & 1) {
            whole.call.correlation.external = frame->external[i];
            wl_rp_write(wl_rp_context_at(i)->buffers[whole.call.kind].buffer, (uint32_t)whole.call.kind, &whole, sizeof whole);
        }
}

static void call_ends(uint32_t number, struct wl_api_traced *call) {
    struct frame *frame = innermost;
    const struct function *function = frame->function;
    const uint64_t end = wl_now();
    (void)number;
    if (call->result_size && call->result_size <= sizeof frame->payload.result)
        memcpy(&frame->payload.result, call->result, call->result_size);
    for (unsigned i = WL_RP_CONTEXTS; i-- > 0;)
        if (frame->callbacks >> i & 1)
            call_back(frame, i, function->kind, function->operation, WL_RP_PHASE_EXIT, &frame->payload, &frame->user[i]);
    tell_stream(frame, frame->stream_callbacks, WL_RP_STREAM_SET, WL_RP_PHASE_EXIT, frame->stream.value, false);
    if (frame->payload.result.error == hipSuccess && frame->stream.makes)
        tell_stream(frame, wanting_streams(WL_RP_STREAM_CREATE), WL_RP_STREAM_CREATE, WL_RP_PHASE_NONE,
                    *(const void *const *)frame->stream.value, true);
    if (frame->stream.uses && destroys(frame))
        tell_stream(frame, wanting_streams(WL_RP_STREAM_DESTROY), WL_RP_STREAM_DESTROY, WL_RP_PHASE_NONE, frame->stream.value, false);
    record_call(frame, end);
    innermost = frame->outer;
    free(frame);
}

/* Whether anybody wants to know of a call of that function, or of work that it may ask for. */
static bool wanted(const struct function *function) {
    const uint32_t callbacks = wl_rp_callbacks_wanted();
    return (callbacks >> function->kind | callbacks >> WL_RP_CALLBACK_HIP_STREAM) & 1 ||
           (wl_rp_buffers_wanted() >> function->kind | wl_rp_buffers_wanted() >> whole_kind(function)) & 1 || wl_rp_wants_work();
}

uint64_t wl_rp_next_call(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static int call_traced(uint32_t number, struct wl_api_traced *call) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, number_functions);
    const struct function *function = number < WL_TRACED_NUMBERS && functions[number].operation >= 0 ? &functions[number] : NULL;
    struct frame *frame = function && wanted(function) ? calloc(1, sizeof *frame) : NULL;
    if (!frame)
        return -1;
    *frame = (struct frame){.outer = innermost, .id = wl_rp_next_call(), .ancestor = wl_rp_current_call(), .function = function};
    innermost = frame;
    call->data.correlation = frame->id;
    call->before = call_begins;
    call->after = call_ends;
    return 0;
}

int wl_rp_traced(uint32_t domain, uint32_t operation, void *data) {
    if (domain == WL_TRACED_CALLS)
        return call_traced(operation, data);
    if (domain != WL_TRACED_OPERATIONS)
        return -1;
    if (data)
        wl_rp_worked(((const struct wl_api_work *)data)->work);
    return wl_rp_wants_work() || wl_rp_outstanding() ? 0 : -1;
}
