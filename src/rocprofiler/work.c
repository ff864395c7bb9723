/* Kernels and copies: what was asked for when they were queued, and a record when they end. */
#include "rocprofiler/counting.h"

#include "trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- work that is queued --------------------------------------------------------------------------- */

/* A piece of work from when it is queued until it ends; of a graph: until all of its pieces have ended. Its index + 1 is
 * what libamdhip64 keeps with the work. */
struct queued {
    uint64_t call, thread, dispatch;
    uint32_t contexts; /* active when it was queued */
    bool graph;
    uint32_t kernels, copies; /* of a graph: its pieces */
    _Atomic uint32_t kernels_ended, copies_ended, ended;
    union wl_rp_user (*pieces)[WL_RP_CONTEXTS]; /* what `external` is to be for each, the kernels first; NULL: what it is */
    union wl_rp_user external[WL_RP_CONTEXTS];
    const struct wl_rp_config *counters[WL_RP_CONTEXTS]; /* that the context wants of the dispatch; NULL: none */
    union wl_rp_user counters_user[WL_RP_CONTEXTS];
    union wl_rp_user own[WL_RP_CONTEXTS]; /* what callbacks leave for later ones */
    struct queued *next_free;
    uint32_t index;
};

enum { CHUNK = 1024, CHUNKS = 4096 };

static struct {
    pthread_mutex_t lock;
    struct queued *_Atomic chunks[CHUNKS];
    _Atomic uint32_t count;
    struct queued *free;
    _Atomic uint64_t outstanding;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct queued *take(void) {
    pthread_mutex_lock(&all.lock);
    struct queued *taken = all.free;
    const uint32_t count = atomic_load(&all.count);
    if (taken) {
        all.free = taken->next_free;
    } else if (count < CHUNK * CHUNKS) {
        struct queued *chunk = count % CHUNK ? all.chunks[count / CHUNK] : calloc(CHUNK, sizeof *chunk);
        if (chunk) {
            all.chunks[count / CHUNK] = chunk;
            taken = &chunk[count % CHUNK];
            taken->index = count;
            atomic_store(&all.count, count + 1);
        }
    }
    pthread_mutex_unlock(&all.lock);
    return taken;
}

static void give_back(struct queued *queued) {
    free(queued->pieces);
    queued->pieces = NULL;
    pthread_mutex_lock(&all.lock);
    queued->next_free = all.free;
    all.free = queued;
    pthread_mutex_unlock(&all.lock);
    if (atomic_fetch_sub(&all.outstanding, 1) == 1 && !wl_rp_wants_work())
        wl_rp_attach(); /* it was the last one for contexts that have stopped */
}

static struct queued *find(uint64_t number) {
    const uint64_t index = number - 1;
    return index < atomic_load(&all.count) ? &all.chunks[index / CHUNK][index % CHUNK] : NULL;
}

bool wl_rp_outstanding(void) { return atomic_load(&all.outstanding); }

bool wl_rp_wants_work(void) {
    return wl_rp_buffers_wanted() & (UINT64_C(1) << WL_RP_BUFFER_COPY | UINT64_C(1) << WL_RP_BUFFER_DISPATCH) ||
           wl_rp_callbacks_wanted() & (1u << WL_RP_CALLBACK_COPY | 1u << WL_RP_CALLBACK_DISPATCH) || wl_rp_wants_counters();
}

void wl_rp_describe_dispatch(const struct wl_trace_work *work, uint64_t number, struct wl_rp_dispatch_info *info) {
    *info = (struct wl_rp_dispatch_info){.size = sizeof *info - sizeof info->reserved,
                                         .agent = wl_rp_agent((int)work->device),
                                         .queue = {work->stream},
                                         .kernel = wl_rp_kernel(work->loaded),
                                         .dispatch = number,
                                         .scratch = work->scratch,
                                         .lds = work->lds,
                                         .block = {work->block[0], work->block[1], work->block[2]},
                                         .items = {work->items[0], work->items[1], work->items[2]}};
}

static uint64_t next_dispatch(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add(&last, 1) + 1;
}

static const int copy_operations[] = {
    [WL_TRACE_HOST_TO_HOST] = 1, [WL_TRACE_HOST_TO_DEVICE] = 2, [WL_TRACE_DEVICE_TO_HOST] = 3, [WL_TRACE_DEVICE_TO_DEVICE] = 4};

/* Calls the contexts that were active when the work was queued and want to be called. */
static void call_back(struct queued *queued, int kind, int operation, int phase, void *payload) {
    struct wl_rp_callback_record record = {.thread = queued->thread,
                                           .correlation = {queued->call, {0}, 0},
                                           .kind = kind,
                                           .operation = operation,
                                           .phase = phase,
                                           .payload = payload};
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++) {
        const struct wl_rp_context *context = queued->contexts >> i & 1 ? wl_rp_context_at(i) : NULL;
        if (!context || !context->callbacks[kind].function || !wl_rp_wants(&context->callbacks[kind].operations, operation))
            continue;
        record.context.handle = i + 1;
        record.correlation.external = queued->external[i];
        context->callbacks[kind].function(record, &queued->own[i], context->callbacks[kind].data);
    }
}

static bool calls_back(int kind) { return wl_rp_callbacks_wanted() >> kind & 1; }

static void call_for_queued(const struct wl_trace_work *work, struct queued *queued) {
    if (work->kind == WL_TRACE_KERNEL && calls_back(WL_RP_CALLBACK_DISPATCH)) {
        struct wl_rp_dispatch_payload payload = {.size = sizeof payload};
        wl_rp_describe_dispatch(work, queued->dispatch, &payload.info);
        call_back(queued, WL_RP_CALLBACK_DISPATCH, WL_RP_DISPATCH_ENQUEUE, WL_RP_PHASE_ENTER, &payload);
        call_back(queued, WL_RP_CALLBACK_DISPATCH, WL_RP_DISPATCH_ENQUEUE, WL_RP_PHASE_EXIT, &payload);
    } else if (work->kind == WL_TRACE_COPY && calls_back(WL_RP_CALLBACK_COPY)) {
        struct wl_rp_copy_payload payload = {.size = sizeof payload,
                                             .target_agent = wl_rp_agent(work->target_device),
                                             .source_agent = wl_rp_agent(work->source_device),
                                             .bytes = work->bytes,
                                             .target = work->target,
                                             .source = work->source};
        call_back(queued, WL_RP_CALLBACK_COPY, copy_operations[work->detail], WL_RP_PHASE_ENTER, &payload);
    }
}

/* Asks the tools of contexts that count which counters they want. */
static void choose_counters(const struct wl_trace_work *work, struct queued *queued) {
    struct wl_rp_counted counted = {.size = sizeof counted, .correlation = {queued->call, {0}}};
    wl_rp_describe_dispatch(work, queued->dispatch, &counted.info);
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++) {
        queued->counters[i] = NULL;
        counted.correlation.external = queued->external[i];
        if (queued->contexts >> i & 1 && wl_rp_counts_dispatches(wl_rp_context_at(i)))
            queued->counters[i] = wl_rp_choose(i, &counted, &queued->counters_user[i]);
    }
}

/* Tools may give each piece of a graph a number of its own. */
static void ask_for_pieces(struct queued *queued) {
    bool asked = false;
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        asked |= queued->contexts >> i & 1 && wl_rp_context_at(i)->request.function;
    const size_t count = (size_t)queued->kernels + queued->copies;
    queued->pieces = asked && count ? calloc(count, sizeof *queued->pieces) : NULL;
    for (size_t p = 0; queued->pieces && p < count; p++)
        for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
            if (queued->contexts >> i & 1)
                queued->pieces[p][i] = p < queued->kernels ? wl_rp_external(i, WL_RP_REQUEST_DISPATCH, WL_RP_DISPATCH_ENQUEUE, queued->call)
                                                           : wl_rp_external(i, WL_RP_REQUEST_COPY, 0, queued->call);
}

uint64_t wl_rp_queued(const struct wl_trace_work *work) {
    const bool graph = work->kind == WL_TRACE_NONE, copy = work->kind == WL_TRACE_COPY;
    uint32_t contexts = 0;
    if (work->kind == WL_TRACE_FILL || (graph && !work->kernels && !work->copies) || !wl_rp_wants_work())
        return 0;
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        const bool kernels = context->buffers[WL_RP_BUFFER_DISPATCH].buffer || context->callbacks[WL_RP_CALLBACK_DISPATCH].function ||
                             wl_rp_counts_dispatches(context),
                   copies = context->buffers[WL_RP_BUFFER_COPY].buffer || context->callbacks[WL_RP_CALLBACK_COPY].function;
        contexts |= (uint32_t)(atomic_load(&context->active) && ((!copy && kernels) || ((copy || graph) && copies))) << i;
    }
    struct queued *queued = contexts ? take() : NULL;
    if (!queued)
        return 0;
    queued->call = wl_rp_current_call();
    queued->thread = wl_rp_thread();
    queued->contexts = contexts;
    queued->graph = graph;
    queued->kernels = work->kernels;
    queued->copies = work->copies;
    atomic_store(&queued->kernels_ended, 0);
    atomic_store(&queued->copies_ended, 0);
    atomic_store(&queued->ended, 0);
    if (graph)
        ask_for_pieces(queued);
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++)
        if (contexts >> i & 1 && !queued->pieces)
            queued->external[i] =
                wl_rp_external(i, copy ? WL_RP_REQUEST_COPY : WL_RP_REQUEST_DISPATCH, copy ? 0 : WL_RP_DISPATCH_ENQUEUE, queued->call);
    queued->dispatch = copy ? 0 : next_dispatch();
    if (work->kind == WL_TRACE_KERNEL && wl_rp_wants_counters())
        choose_counters(work, queued);
    memset(queued->own, 0, sizeof queued->own);
    call_for_queued(work, queued);
    atomic_fetch_add(&all.outstanding, 1);
    return queued->index + 1;
}

/* ---- work that has ended ----------------------------------------------------------------------------- */

static void record_dispatch(const struct wl_trace_work *work, struct queued *queued) {
    struct wl_rp_dispatch_record record = {.size = sizeof record,
                                           .kind = WL_RP_BUFFER_DISPATCH,
                                           .operation = WL_RP_DISPATCH_COMPLETE,
                                           .correlation = {queued->call, {0}},
                                           .thread = queued->thread,
                                           .begin = work->begin,
                                           .end = work->end};
    wl_rp_describe_dispatch(work, queued->dispatch, &record.info);
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++) {
        const struct wl_rp_context *context = queued->contexts >> i & 1 ? wl_rp_context_at(i) : NULL;
        if (!context || !context->buffers[WL_RP_BUFFER_DISPATCH].buffer ||
            !wl_rp_wants(&context->buffers[WL_RP_BUFFER_DISPATCH].operations, record.operation))
            continue;
        record.correlation.external = queued->external[i];
        wl_rp_write(context->buffers[WL_RP_BUFFER_DISPATCH].buffer, WL_RP_BUFFER_DISPATCH, &record, sizeof record);
    }
    struct wl_rp_dispatch_payload payload = {sizeof payload, work->begin, work->end, record.info};
    call_back(queued, WL_RP_CALLBACK_DISPATCH, WL_RP_DISPATCH_COMPLETE, WL_RP_PHASE_NONE, &payload);
}

static void record_copy(const struct wl_trace_work *work, struct queued *queued) {
    struct wl_rp_copy_record record = {.size = sizeof record,
                                       .kind = WL_RP_BUFFER_COPY,
                                       .operation = copy_operations[work->detail],
                                       .correlation = {queued->call, {0}},
                                       .thread = queued->thread,
                                       .begin = work->begin,
                                       .end = work->end,
                                       .target_agent = wl_rp_agent(work->target_device),
                                       .source_agent = wl_rp_agent(work->source_device),
                                       .bytes = work->bytes,
                                       .target = work->target,
                                       .source = work->source};
    for (unsigned i = 0; i < WL_RP_CONTEXTS; i++) {
        const struct wl_rp_context *context = queued->contexts >> i & 1 ? wl_rp_context_at(i) : NULL;
        if (!context || !context->buffers[WL_RP_BUFFER_COPY].buffer ||
            !wl_rp_wants(&context->buffers[WL_RP_BUFFER_COPY].operations, record.operation))
            continue;
        record.correlation.external = queued->external[i];
        wl_rp_write(context->buffers[WL_RP_BUFFER_COPY].buffer, WL_RP_BUFFER_COPY, &record, sizeof record);
    }
    struct wl_rp_copy_payload payload = {.size = sizeof payload,
                                         .begin = work->begin,
                                         .end = work->end,
                                         .target_agent = record.target_agent,
                                         .source_agent = record.source_agent,
                                         .bytes = work->bytes,
                                         .target = work->target,
                                         .source = work->source};
    call_back(queued, WL_RP_CALLBACK_COPY, record.operation, WL_RP_PHASE_EXIT, &payload);
}

static void give_counters(const struct wl_trace_work *work, const struct queued *queued) {
    struct wl_rp_counted counted = {.size = sizeof counted, .correlation = {queued->call, {0}}, .begin = work->begin, .end = work->end};
    wl_rp_describe_dispatch(work, queued->dispatch, &counted.info);
    for (unsigned i = 0; work->counts && i < WL_RP_CONTEXTS; i++) {
        counted.correlation.external = queued->external[i];
        if (queued->contexts >> i & 1 && queued->counters[i])
            wl_rp_give_counters(i, &counted, queued->counters[i], queued->counters_user[i], work->counts);
    }
}

/* A piece of a graph has ended. A dispatch gets a number of its own and counters, and callbacks hear that the piece was queued, only now. Returns
 * whether it was the graph's last one. */
static bool end_piece(const struct wl_trace_work *work, struct queued *queued) {
    const bool kernel = work->kind == WL_TRACE_KERNEL;
    const uint32_t place = atomic_fetch_add(kernel ? &queued->kernels_ended : &queued->copies_ended, 1);
    struct queued own = {.call = queued->call, .thread = queued->thread, .contexts = queued->contexts};
    memcpy(own.external, queued->external, sizeof own.external);
    if (queued->pieces && place < (kernel ? queued->kernels : queued->copies))
        memcpy(own.external, queued->pieces[kernel ? place : queued->kernels + place], sizeof own.external);
    if (kernel) {
        own.dispatch = next_dispatch();
        if (wl_rp_wants_counters())
            choose_counters(work, &own);
        call_for_queued(work, &own);
        record_dispatch(work, &own);
        give_counters(work, &own);
    } else {
        call_for_queued(work, &own);
        record_copy(work, &own);
    }
    return atomic_fetch_add(&queued->ended, 1) + 1 == queued->kernels + queued->copies;
}

void wl_rp_worked(const struct wl_trace_work *work) {
    struct queued *queued = find(work->queued);
    bool last = true;
    if (work->counts)
        wl_rp_add_counts((int)work->device, work->counts);
    if (!queued || work->kind == WL_TRACE_FILL)
        return; /* a fill, or queued before anybody wanted to know */
    if (queued->graph) {
        last = end_piece(work, queued);
    } else if (work->kind == WL_TRACE_KERNEL) {
        record_dispatch(work, queued);
        give_counters(work, queued);
    } else {
        record_copy(work, queued);
    }
    if (last)
        give_back(queued);
}
