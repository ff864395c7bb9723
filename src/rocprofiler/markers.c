/* roctx's calls. Its libraries tell of those of the core before their work; both phases are told then, because the work takes no time. */
#include "rocprofiler/profiler.h"

#include "base/clock.h"
#include "roctx/ranges.h"

#include <dlfcn.h>

static void call_back(unsigned number, struct wl_rp_callback_record *record, int phase, union wl_rp_user *user) {
    const struct wl_rp_context *context = wl_rp_context_at(number);
    record->phase = phase;
    context->callbacks[record->kind].function(*record, user, context->callbacks[record->kind].data);
}

/* A call of the core, all at once. */
static void tell_core(uint32_t operation, const struct wl_roctx_data *call, uint64_t number) {
    const uint64_t now = wl_now(), ancestor = wl_rp_current_call();
    struct wl_rp_marker_payload payload = {.size = sizeof payload};
    if (operation == WL_ROCTX_STOP)
        payload.arguments.range = call->id;
    else
        payload.arguments.message = call->message;
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        const bool called = wl_rp_calls_back(context, WL_RP_CALLBACK_MARKER, (int)operation),
                   recorded = wl_rp_records(context, WL_RP_BUFFER_MARKER, (int)operation);
        if (!called && !recorded)
            continue;
        union wl_rp_user user = {0};
        const struct wl_rp_correlation correlation = {number, wl_rp_external(i, WL_RP_REQUEST_MARKER, (int)operation, number), ancestor};
        struct wl_rp_callback_record told = {.context = {i + 1},
                                             .thread = wl_rp_thread(),
                                             .correlation = correlation,
                                             .kind = WL_RP_CALLBACK_MARKER,
                                             .operation = (int)operation,
                                             .payload = &payload};
        if (called) {
            call_back(i, &told, WL_RP_PHASE_ENTER, &user);
            payload.result = operation == WL_ROCTX_START ? call->id : 0;
            call_back(i, &told, WL_RP_PHASE_EXIT, &user);
            payload.result = 0;
        }
        const struct wl_rp_call_record record = {.size = sizeof record,
                                                 .kind = WL_RP_BUFFER_MARKER,
                                                 .operation = (int)operation,
                                                 .correlation = correlation,
                                                 .begin = now,
                                                 .end = wl_now(),
                                                 .thread = wl_rp_thread()};
        if (recorded)
            wl_rp_write(context->buffers[WL_RP_BUFFER_MARKER].buffer, WL_RP_BUFFER_MARKER, &record, sizeof record);
    }
}

/* A pause or its end. The tool's callback may start and stop contexts, whichever of them is told of the other phase. */
static void tell_control(int operation, const struct wl_roctx_data *call) {
    static _Thread_local struct control {
        uint64_t number, begin;
        union wl_rp_user user[WL_RP_CONTEXTS];
    } own;
    if (!call->after)
        own = (struct control){.number = wl_rp_next_call(), .begin = wl_now()};
    struct wl_rp_marker_payload payload = {.size = sizeof payload, .arguments = {.range = call->id}};
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        const union wl_rp_user external = {0};
        const struct wl_rp_correlation correlation = {own.number, external, wl_rp_current_call()};
        struct wl_rp_callback_record told = {.context = {i + 1},
                                             .thread = wl_rp_thread(),
                                             .correlation = correlation,
                                             .kind = WL_RP_CALLBACK_MARKER_CONTROL,
                                             .operation = operation,
                                             .payload = &payload};
        const struct wl_rp_call_record record = {.size = sizeof record,
                                                 .kind = WL_RP_BUFFER_MARKER_CONTROL,
                                                 .operation = operation,
                                                 .correlation = correlation,
                                                 .begin = own.begin,
                                                 .end = wl_now(),
                                                 .thread = wl_rp_thread()};
        if (wl_rp_calls_back(context, WL_RP_CALLBACK_MARKER_CONTROL, operation))
            call_back(i, &told, call->after ? WL_RP_PHASE_EXIT : WL_RP_PHASE_ENTER, &own.user[i]);
        if (call->after && wl_rp_records(context, WL_RP_BUFFER_MARKER_CONTROL, operation))
            wl_rp_write(context->buffers[WL_RP_BUFFER_MARKER_CONTROL].buffer, WL_RP_BUFFER_MARKER_CONTROL, &record, sizeof record);
    }
}

static int marked(uint32_t domain, uint32_t operation, void *data) {
    if (domain != WL_ROCTX_DOMAIN)
        return -1;
    if (operation >= WL_ROCTX_PAUSE) {
        tell_control((int)(operation - WL_ROCTX_PAUSE), data);
        return 0;
    }
    const uint64_t number = wl_rp_next_call();
    tell_core(operation, data, number);
    wl_rp_range(operation, data, number);
    return 0;
}

void wl_rp_mark(bool attached) {
    static const char *const libraries[] = {"libroctx64.so.4", "librocprofiler-sdk-roctx.so.1"};
    for (unsigned i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY); /* stays: it is never unloaded */
        void (*attach)(wl_roctx_tracer) = library ? (void (*)(wl_roctx_tracer))(uintptr_t)dlsym(library, "wl_roctx_watch") : NULL;
        if (attach)
            attach(attached ? marked : NULL);
    }
}
