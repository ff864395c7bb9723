/* Which counters there are, and lists of them that tools make. A counter's id is its number (machine/counters.h) + 1; each has one instance, of the
 * same id. */
#include "rocprofiler/counting.h"

#include "machine/counters.h"
#include "runtime/core.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- counters ---------------------------------------------------------------------------------------- */

/* Whether things are counted on an agent's device: WL_RP_SUCCESS, else why not. */
static int check_agent(struct wl_rp_id agent) {
    int device;
    if (!wl_rp_agent_device(agent, &device))
        return WL_RP_AGENT_NOT_FOUND;
    const bool counts = device >= 0 && strcmp(wl_core.context_at((unsigned)device)->device->ops->kind, "cpu") == 0;
    return counts ? WL_RP_SUCCESS : WL_RP_ARCHITECTURE_NOT_SUPPORTED;
}

static bool is_counter(uint64_t id) { return id > 0 && id <= wl_counter_count(); }

WL_ROCPROFILER_API int rocprofiler_iterate_agent_supported_counters(struct wl_rp_id agent, wl_rp_counters_callback callback, void *data) {
    struct wl_rp_id ids[WL_MOST_COUNTERS];
    const int status = check_agent(agent);
    if (!callback)
        return WL_RP_INVALID_ARGUMENT;
    if (status != WL_RP_SUCCESS)
        return status;
    for (unsigned i = 0; i < wl_counter_count(); i++)
        ids[i].handle = i + 1;
    return callback(agent, ids, wl_counter_count(), data);
}

/* The one dimension, and the one instance of each counter in it. */
static const struct wl_rp_dimension dimension = {"DIMENSION_INSTANCE", 1, 1};
static const struct wl_rp_position position = {sizeof position, "DIMENSION_INSTANCE", 0};
static const struct wl_rp_dimension *dimensions[] = {&dimension};
static const struct wl_rp_position *positions[] = {&position};
static struct wl_rp_instance instances[WL_MOST_COUNTERS];
static const struct wl_rp_instance *places[WL_MOST_COUNTERS];

static void make_instances(void) {
    for (unsigned i = 0; i < wl_counter_count(); i++) {
        instances[i] = (struct wl_rp_instance){sizeof instances[i], i + 1, i + 1, 1, positions};
        places[i] = &instances[i];
    }
}

WL_ROCPROFILER_API int rocprofiler_query_counter_info(struct wl_rp_id counter, int version, void *info) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!info)
        return WL_RP_INVALID_ARGUMENT;
    if (!is_counter(counter.handle))
        return WL_RP_COUNTER_NOT_FOUND;
    if (version != 1 && version != 2) /* AMD's numbers of versions 0 and 1 */
        return WL_RP_INCOMPATIBLE_ABI;
    pthread_once(&once, make_instances);
    const unsigned number = (unsigned)counter.handle - 1;
    const struct wl_rp_counter_info short_info = {counter, wl_counter_name(number), wl_counter_text(number), "WAVELIFT", "", 0};
    if (version == 1)
        memcpy(info, &short_info, sizeof short_info);
    else
        *(struct wl_rp_full_counter_info *)info =
            (struct wl_rp_full_counter_info){sizeof(struct wl_rp_full_counter_info), short_info, 1, dimensions, 1, &places[number]};
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_iterate_counter_dimensions(struct wl_rp_id counter, wl_rp_dimensions_callback callback, void *data) {
    if (!callback)
        return WL_RP_INVALID_ARGUMENT;
    return is_counter(counter.handle) ? callback(counter, &dimension, 1, data) : WL_RP_COUNTER_NOT_FOUND;
}

WL_ROCPROFILER_API int rocprofiler_query_counter_instance_count(struct wl_rp_id agent, struct wl_rp_id counter, size_t *count) {
    if (!count)
        return WL_RP_INVALID_ARGUMENT;
    *count = 1;
    return is_counter(counter.handle) ? check_agent(agent) : WL_RP_COUNTER_NOT_FOUND;
}

WL_ROCPROFILER_API int rocprofiler_query_record_counter_id(uint64_t instance, struct wl_rp_id *counter) {
    if (!counter)
        return WL_RP_INVALID_ARGUMENT;
    counter->handle = instance;
    return is_counter(instance) ? WL_RP_SUCCESS : WL_RP_COUNTER_NOT_FOUND;
}

WL_ROCPROFILER_API int rocprofiler_query_record_dimension_position(uint64_t instance, uint64_t of, size_t *index) {
    (void)of;
    if (!index)
        return WL_RP_INVALID_ARGUMENT;
    *index = 0;
    return is_counter(instance) ? WL_RP_SUCCESS : WL_RP_COUNTER_NOT_FOUND;
}

/* ---- lists ---------------------------------------------------------------------------------------------- */

struct wl_rp_config {
    struct wl_rp_id agent;
    unsigned count;
    uint8_t counters[WL_MOST_COUNTERS];
};

enum { CONFIGS = 1024 };
static struct {
    pthread_mutex_t lock;
    _Atomic unsigned count;
    struct wl_rp_config *list[CONFIGS]; /* none is ever freed: a dispatch may still have it */
} configs = {.lock = PTHREAD_MUTEX_INITIALIZER};

const struct wl_rp_config *wl_rp_config(struct wl_rp_id id) {
    return id.handle - 1 < atomic_load(&configs.count) ? configs.list[id.handle - 1] : NULL;
}

struct wl_rp_id wl_rp_config_agent(const struct wl_rp_config *config) { return config->agent; }

static bool has(const struct wl_rp_config *config, uint64_t id) {
    for (unsigned i = 0; i < config->count; i++)
        if (config->counters[i] == id - 1)
            return true;
    return false;
}

/* Adds the counters to the list of `id`, if there is one, and gives the whole as a new list. */
WL_ROCPROFILER_API int rocprofiler_create_counter_config(struct wl_rp_id agent, struct wl_rp_id *counters, size_t count,
                                                         struct wl_rp_id *id) {
    const int status = check_agent(agent);
    struct wl_rp_config made = {.agent = agent};
    if (!id || (count && !counters))
        return WL_RP_INVALID_ARGUMENT;
    if (status != WL_RP_SUCCESS)
        return status;
    const struct wl_rp_config *before = id->handle ? wl_rp_config(*id) : NULL;
    if (id->handle && !before)
        return WL_RP_PROFILE_NOT_FOUND;
    if (before)
        made = *before;
    for (size_t i = 0; i < count; i++) {
        if (!is_counter(counters[i].handle))
            return WL_RP_COUNTER_NOT_FOUND;
        if (!has(&made, counters[i].handle))
            made.counters[made.count++] = (uint8_t)(counters[i].handle - 1);
    }
    struct wl_rp_config *kept = malloc(sizeof *kept);
    pthread_mutex_lock(&configs.lock);
    const unsigned number = atomic_load(&configs.count);
    const bool room = kept && number < CONFIGS;
    if (room) {
        *kept = made;
        configs.list[number] = kept;
        atomic_store(&configs.count, number + 1);
        id->handle = number + 1;
    }
    pthread_mutex_unlock(&configs.lock);
    if (!room)
        free(kept);
    return room ? WL_RP_SUCCESS : WL_RP_OUT_OF_RESOURCES;
}

WL_ROCPROFILER_API int rocprofiler_destroy_counter_config(struct wl_rp_id id) {
    return wl_rp_config(id) ? WL_RP_SUCCESS : WL_RP_PROFILE_NOT_FOUND;
}

/* The same under their names before version 1.0. */
WL_ROCPROFILER_API int rocprofiler_create_profile_config(struct wl_rp_id agent, struct wl_rp_id *counters, size_t count,
                                                         struct wl_rp_id *id) {
    return rocprofiler_create_counter_config(agent, counters, count, id);
}
WL_ROCPROFILER_API int rocprofiler_destroy_profile_config(struct wl_rp_id id) { return rocprofiler_destroy_counter_config(id); }

size_t wl_rp_values(const struct wl_rp_config *config, const struct wl_counts *counts, struct wl_rp_counter_record *records) {
    for (unsigned i = 0; i < config->count; i++)
        records[i] = (struct wl_rp_counter_record){
            .instance = config->counters[i] + 1u, .value = wl_counter_value(counts, config->counters[i]), .agent = config->agent};
    return config->count;
}
