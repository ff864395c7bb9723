/* HSA: extensions (images and AMD's loader), and times and settings that AMD's extension of the interface has. */
#include "hsa/hsa.h"
#include "hsa/loader.h"

#include "base/clock.h"

#include <string.h>

enum { LOADER_MINOR = 3 };

static const void *const loader[] = {
    (const void *)(uintptr_t)wl_hsa_query_host_address, (const void *)(uintptr_t)wl_hsa_query_segments,
    (const void *)(uintptr_t)wl_hsa_query_executable,   (const void *)(uintptr_t)wl_hsa_each_loaded,
    (const void *)(uintptr_t)wl_hsa_loaded_info,        (const void *)(uintptr_t)wl_hsa_read_file_part,
    (const void *)(uintptr_t)wl_hsa_each_executable,
};

/* What there is, in version 1: the newest minor version, how many functions each minor version has, and how many the whole table has. */
static const struct extension {
    uint16_t number;
    uint8_t minor, lengths[LOADER_MINOR + 1], length;
    const char *name;
    const void *const *functions;
} extensions[] = {
    {HSA_EXTENSION_IMAGES, 0, {10}, WL_HSA_IMAGE_FUNCTIONS, "HSA_EXTENSION_IMAGES", wl_hsa_image_functions},
    {HSA_EXTENSION_AMD_LOADER, LOADER_MINOR, {3, 5, 6, 7}, sizeof loader / sizeof *loader, "HSA_EXTENSION_AMD_LOADER", loader},
};

static const struct extension *extension_of(uint16_t number) {
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (extensions[i].number == number)
            return &extensions[i];
    return NULL;
}

HSA hsa_extension_get_name(uint16_t extension, const char **name) {
    HSA_STARTED();
    const struct extension *e = extension_of(extension);
    HSA_REQUIRE(name && e, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *name = e->name;
    return HSA_STATUS_SUCCESS;
}

static bool is_known(uint16_t extension) {
    return extension <= HSA_EXTENSION_PROFILING_EVENTS ||
           (extension >= HSA_EXTENSION_AMD_PROFILER && extension <= HSA_EXTENSION_AMD_PC_SAMPLING);
}

HSA hsa_system_extension_supported(uint16_t extension, uint16_t version_major, uint16_t version_minor, bool *result) {
    HSA_STARTED();
    HSA_REQUIRE(result && is_known(extension), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const struct extension *e = extension_of(extension);
    *result = e && version_major == 1 && version_minor <= e->minor;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_system_major_extension_supported(uint16_t extension, uint16_t version_major, uint16_t *version_minor, bool *result) {
    HSA_STARTED();
    HSA_REQUIRE(version_minor && result && is_known(extension), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const struct extension *e = extension_of(extension);
    *result = e && version_major == 1;
    if (*result)
        *version_minor = e->minor;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_agent_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major, uint16_t version_minor, bool *result) {
    HSA_STARTED();
    const struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(result && is_known(extension), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *result = extension == HSA_EXTENSION_IMAGES && version_major == 1 && version_minor == 0 && wl_hsa_has_images(a);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_agent_major_extension_supported(uint16_t extension, hsa_agent_t agent, uint16_t version_major, uint16_t *version_minor,
                                        bool *result) {
    HSA_REQUIRE(version_minor, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *version_minor = 0;
    return hsa_agent_extension_supported(extension, agent, version_major, 0, result);
}

HSA hsa_system_get_major_extension_table(uint16_t extension, uint16_t version_major, size_t table_length, void *table) {
    HSA_STARTED();
    HSA_REQUIRE(table && table_length > 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const struct extension *e = extension_of(extension);
    HSA_REQUIRE(e && version_major == 1, HSA_STATUS_ERROR);
    const size_t length = sizeof(void *) * e->length;
    memcpy(table, (const void *)e->functions, table_length < length ? table_length : length);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_system_get_extension_table(uint16_t extension, uint16_t version_major, uint16_t version_minor, void *table) {
    const struct extension *e = extension_of(extension);
    HSA_REQUIRE(e && version_minor <= e->minor, HSA_STATUS_ERROR);
    return hsa_system_get_major_extension_table(extension, version_major, e->lengths[version_minor] * sizeof(void *), table);
}

/* ---- times --------------------------------------------------------------------------------------------------- */

struct times {
    uint64_t start, end;
};

static hsa_status_t times_of(hsa_signal_t signal, struct times *times) {
    HSA_STARTED();
    const struct wl_hsa_signal *s = wl_hsa_signal(signal);
    HSA_REQUIRE(s, HSA_STATUS_ERROR_INVALID_SIGNAL);
    HSA_REQUIRE(times, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *times = (struct times){s->start, s->end};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal, struct times *time) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    return times_of(signal, time);
}

HSA hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, struct times *time) { return times_of(signal, time); }

/* Times are always kept. */
HSA hsa_amd_profiling_async_copy_enable(bool enable) {
    HSA_STARTED();
    (void)enable;
    return HSA_STATUS_SUCCESS;
}

/* There is one clock. */
HSA hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t agent_tick, uint64_t *system_tick) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(system_tick, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *system_tick = agent_tick;
    return HSA_STATUS_SUCCESS;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

/* All memory is coherent. */
HSA hsa_amd_coherency_get_type(hsa_agent_t agent, int *type) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(type, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *type = 0;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_amd_coherency_set_type(hsa_agent_t agent, int type) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(type == 0 || type == 1, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

/* A hint: scratch memory is the waves'. */
HSA hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t threshold) {
    HSA_STARTED();
    (void)threshold;
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    return HSA_STATUS_SUCCESS;
}
