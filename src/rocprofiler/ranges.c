/* roctx's ranges as wholes: one operation from its begin to its end, where markers.c tells of two calls. */
#include "rocprofiler/profiler.h"

#include "base/clock.h"
#include "roctx/ranges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MARK, THREAD_RANGE, PROCESS_RANGE };

/* A range while it lasts. */
struct range {
    struct range *next;
    int operation;
    uint64_t id, number, ancestor, begin, thread;
    uint32_t called, recorded; /* contexts that were told of its begin; that get a record */
    union wl_rp_user external[WL_RP_CONTEXTS], user[WL_RP_CONTEXTS];
    char *message; /* NULL: it has none */
};

static _Thread_local struct range *pushed; /* the innermost first */
static struct {
    pthread_mutex_t lock;
    struct range *list;
} started = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void call_back(struct range *range, int phase) {
    struct wl_rp_marker_payload payload = {.size = sizeof payload, .arguments = {.message = range->message}, .result = range->id};
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++) {
        const struct wl_rp_context *context = range->called >> i & 1 ? wl_rp_context_at(i) : NULL;
        const struct wl_rp_callback_record record = {.context = {i + 1},
                                                     .thread = range->thread,
                                                     .correlation = {range->number, range->external[i], range->ancestor},
                                                     .kind = WL_RP_CALLBACK_MARKER_RANGE,
                                                     .operation = range->operation,
                                                     .phase = phase,
                                                     .payload = &payload};
        if (context)
            context->callbacks[record.kind].function(record, &range->user[i], context->callbacks[record.kind].data);
    }
}

/* NULL: nobody wants to know of it, or there is no memory. */
static struct range *begin(int operation, const struct wl_roctx_data *call, uint64_t number) {
    uint32_t called = 0, recorded = 0;
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        called |= (uint32_t)wl_rp_calls_back(context, WL_RP_CALLBACK_MARKER_RANGE, operation) << i;
        recorded |= (uint32_t)wl_rp_records(context, WL_RP_BUFFER_MARKER_RANGE, operation) << i;
    }
    struct range *made = called | recorded ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return NULL;
    *made = (struct range){.operation = operation,
                           .id = call->id,
                           .number = number,
                           .ancestor = wl_rp_current_call(),
                           .thread = wl_rp_thread(),
                           .called = called,
                           .recorded = recorded,
                           .message = call->message ? strdup(call->message) : NULL};
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if ((called | recorded) >> i & 1)
            made->external[i] = wl_rp_external(i, WL_RP_REQUEST_MARKER_RANGE, operation, number);
    call_back(made, WL_RP_PHASE_ENTER);
    made->begin = wl_now();
    return made;
}

static void end(struct range *range) {
    if (!range)
        return;
    struct wl_rp_call_record record = {.size = sizeof record,
                                       .kind = WL_RP_BUFFER_MARKER_RANGE,
                                       .operation = range->operation,
                                       .correlation = {range->number, {0}, range->ancestor},
                                       .begin = range->begin,
                                       .end = wl_now(),
                                       .thread = range->thread};
    call_back(range, WL_RP_PHASE_EXIT);
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if (range->recorded >> i & 1) {
            record.correlation.external = range->external[i];
            wl_rp_write(wl_rp_context_at(i)->buffers[WL_RP_BUFFER_MARKER_RANGE].buffer, WL_RP_BUFFER_MARKER_RANGE, &record, sizeof record);
        }
    free(range->message);
    free(range);
}

static struct range *take(struct range **place, uint64_t id) {
    while (*place && (*place)->id != id)
        place = &(*place)->next;
    struct range *found = *place;
    if (found)
        *place = found->next;
    return found;
}

static void put(struct range **list, struct range *range) {
    if (!range)
        return;
    range->next = *list;
    *list = range;
}

void wl_rp_range(unsigned operation, const struct wl_roctx_data *call, uint64_t number) {
    static _Thread_local uint64_t depth; /* stands for the id of a range that is pushed */
    struct wl_roctx_data level = {.message = call->message};
    struct range *range;
    switch (operation) {
    case WL_ROCTX_MARK:
        end(begin(MARK, call, number));
        break;
    case WL_ROCTX_PUSH:
        level.id = ++depth;
        put(&pushed, begin(THREAD_RANGE, &level, number));
        break;
    case WL_ROCTX_POP:
        if (depth)
            end(take(&pushed, depth--));
        break;
    case WL_ROCTX_START:
        range = begin(PROCESS_RANGE, call, number);
        pthread_mutex_lock(&started.lock);
        put(&started.list, range);
        pthread_mutex_unlock(&started.lock);
        break;
    case WL_ROCTX_STOP:
        pthread_mutex_lock(&started.lock);
        range = take(&started.list, call->id);
        pthread_mutex_unlock(&started.lock);
        end(range);
        break;
    default:
        break;
    }
}
