/* Counters of dispatches and of devices. */
#include "rocprofiler/counting.h"

#include "machine/counters.h"
#include "runtime/core.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what was counted of devices */

bool wl_rp_counts_dispatches(const struct wl_rp_context *context) {
    return context->dispatches.choose && atomic_load_explicit(&context->active, memory_order_relaxed);
}

bool wl_rp_wants_counters(void) {
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        if ((context->dispatches.choose || context->device.choose) && atomic_load_explicit(&context->active, memory_order_relaxed))
            return true;
    }
    return false;
}

/* ---- dispatches ---------------------------------------------------------------------------------------- */

/* The context, to count for. Code that counts has to be made from the beginning. */
static int find(struct wl_rp_id id, struct wl_rp_context **context) {
    const int status = wl_rp_find_configurable(id, context);
    if (status != WL_RP_SUCCESS)
        return status;
    if ((*context)->dispatches.choose || (*context)->device.choose)
        return WL_RP_ALREADY_CONFIGURED;
    return wl_core.count_launches() ? WL_RP_SUCCESS : WL_RP_NOT_AVAILABLE;
}

WL_ROCPROFILER_API int rocprofiler_configure_callback_dispatch_counting_service(struct wl_rp_id id, wl_rp_choose_counters choose,
                                                                                void *choose_data, wl_rp_take_counters take,
                                                                                void *take_data) {
    struct wl_rp_context *context = NULL;
    const int status = find(id, &context);
    if (status != WL_RP_SUCCESS)
        return status;
    if (!choose || !take)
        return WL_RP_INVALID_ARGUMENT;
    context->dispatches.choose = choose;
    context->dispatches.choose_data = choose_data;
    context->dispatches.take = take;
    context->dispatches.take_data = take_data;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_configure_buffer_dispatch_counting_service(struct wl_rp_id id, struct wl_rp_id buffer,
                                                                              wl_rp_choose_counters choose, void *data) {
    struct wl_rp_context *context = NULL;
    const int status = find(id, &context);
    if (status != WL_RP_SUCCESS)
        return status;
    if (!choose)
        return WL_RP_INVALID_ARGUMENT;
    if (!wl_rp_buffer(buffer))
        return WL_RP_BUFFER_NOT_FOUND;
    context->dispatches.choose = choose;
    context->dispatches.choose_data = data;
    context->dispatches.buffer = wl_rp_buffer(buffer);
    return WL_RP_SUCCESS;
}

const struct wl_rp_config *wl_rp_choose(unsigned number, const struct wl_rp_counted *dispatch, union wl_rp_user *user) {
    const struct wl_rp_context *context = wl_rp_context_at(number);
    struct wl_rp_id chosen = {0};
    *user = (union wl_rp_user){0};
    context->dispatches.choose(*dispatch, &chosen, user, context->dispatches.choose_data);
    return chosen.handle ? wl_rp_config(chosen) : NULL;
}

void wl_rp_give_counters(unsigned number, const struct wl_rp_counted *dispatch, const struct wl_rp_config *config, union wl_rp_user user,
                         const struct wl_counts *counts) {
    const struct wl_rp_context *context = wl_rp_context_at(number);
    struct wl_rp_buffer *buffer = context->dispatches.buffer;
    struct wl_rp_counter_record records[WL_MOST_COUNTERS];
    const size_t count = wl_rp_values(config, counts, records);
    for (size_t i = 0; i < count; i++) {
        records[i].dispatch = dispatch->info.dispatch;
        records[i].user = user;
    }
    if (context->dispatches.take) {
        context->dispatches.take(*dispatch, records, count, user, context->dispatches.take_data);
        return;
    }
    const struct wl_rp_counted_header header = {sizeof header,   count,         dispatch->correlation,
                                                dispatch->begin, dispatch->end, dispatch->info};
    wl_rp_write_of(buffer, WL_RP_CATEGORY_COUNTERS, WL_RP_COUNTER_DISPATCH, &header, sizeof header);
    for (size_t i = 0; i < count; i++)
        wl_rp_write_of(buffer, WL_RP_CATEGORY_COUNTERS, WL_RP_COUNTER_VALUE, &records[i], sizeof records[i]);
}

/* ---- devices --------------------------------------------------------------------------------------------- */

WL_ROCPROFILER_API int rocprofiler_configure_device_counting_service(struct wl_rp_id id, struct wl_rp_id buffer, struct wl_rp_id agent,
                                                                     wl_rp_choose_for_device choose, void *data) {
    struct wl_rp_context *context = NULL;
    int device, status = find(id, &context);
    if (status != WL_RP_SUCCESS)
        return status;
    if (!choose)
        return WL_RP_INVALID_ARGUMENT;
    if (!wl_rp_agent_device(agent, &device))
        return WL_RP_AGENT_NOT_FOUND;
    if (buffer.handle && !wl_rp_buffer(buffer))
        return WL_RP_BUFFER_NOT_FOUND;
    struct wl_counts *counts = calloc(1, sizeof *counts);
    if (!counts)
        return WL_RP_OUT_OF_RESOURCES;
    context->device.choose = choose;
    context->device.data = data;
    context->device.agent = agent;
    context->device.buffer = buffer.handle ? wl_rp_buffer(buffer) : NULL;
    context->device.counts = counts;
    return WL_RP_SUCCESS;
}

static int set_config(struct wl_rp_id id, struct wl_rp_id config_id) {
    struct wl_rp_context *context = wl_rp_context_at((unsigned)id.handle - 1);
    const struct wl_rp_config *config = wl_rp_config(config_id);
    if (!context || !context->device.choose)
        return WL_RP_CONTEXT_NOT_FOUND;
    if (!config)
        return WL_RP_PROFILE_NOT_FOUND;
    if (wl_rp_config_agent(config).handle != context->device.agent.handle)
        return WL_RP_AGENT_MISMATCH;
    context->device.chosen = config;
    return WL_RP_SUCCESS;
}

void wl_rp_counting_started(unsigned number) {
    const struct wl_rp_context *context = wl_rp_context_at(number);
    if (!context->device.choose)
        return;
    pthread_mutex_lock(&lock);
    *context->device.counts = (struct wl_counts){0};
    pthread_mutex_unlock(&lock);
    context->device.choose((struct wl_rp_id){number + 1}, context->device.agent, set_config, context->device.data);
}

void wl_rp_add_counts(int device, const struct wl_counts *counts) {
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        if (!context->device.choose || !atomic_load(&context->active) || context->device.agent.handle != wl_rp_agent(device).handle)
            continue;
        wl_counts_add(context->device.counts, counts);
        context->device.counts->wave_size = counts->wave_size;
    }
    pthread_mutex_unlock(&lock);
}

/* What was counted of dispatches that have ended since the context was started. */
WL_ROCPROFILER_API int rocprofiler_sample_device_counting_service(struct wl_rp_id id, union wl_rp_user user, int flags,
                                                                  struct wl_rp_counter_record *output, size_t *count) {
    const struct wl_rp_context *context = wl_rp_context_at((unsigned)id.handle - 1);
    struct wl_rp_counter_record records[WL_MOST_COUNTERS];
    (void)flags;
    if (!context || !context->device.choose)
        return WL_RP_CONTEXT_NOT_FOUND;
    if (!atomic_load(&context->active))
        return WL_RP_CONTEXT_NOT_STARTED;
    if (!context->device.chosen)
        return WL_RP_PROFILE_NOT_FOUND;
    pthread_mutex_lock(&lock);
    const struct wl_counts counts = *context->device.counts;
    pthread_mutex_unlock(&lock);
    const size_t found = wl_rp_values(context->device.chosen, &counts, records);
    if (output && (!count || *count < found))
        return WL_RP_OUT_OF_RESOURCES;
    for (size_t i = 0; i < found; i++) {
        records[i].user = user;
        if (output)
            output[i] = records[i];
        else if (context->device.buffer)
            wl_rp_write_of(context->device.buffer, WL_RP_CATEGORY_COUNTERS, WL_RP_COUNTER_VALUE, &records[i], sizeof records[i]);
    }
    if (count)
        *count = found;
    return WL_RP_SUCCESS;
}
