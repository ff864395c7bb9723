/* Tools: how they are found, initialized and finalized, and what they are told of the HIP library itself. */
#include "rocprofiler/profiler.h"

#include "runtime/core.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 1, MINOR = 1, PATCH = 0, HIP_VERSION_NUMBER = 7 * 10000 + 1 * 100 };
enum phase { BEFORE, INITIALIZING, RUNNING, FINALIZED };
enum { TOOLS = 16, INTERCEPTS = 16 };

static struct {
    _Atomic unsigned phase;
    unsigned count;
    struct tool {
        wl_rp_configure configure;
        struct wl_rp_tool functions;
        struct wl_rp_client client; /* the tool may keep the address, and writes its name there */
        atomic_bool finalized;
    } tools[TOOLS];
    uint32_t current; /* the client that is being initialized */
    unsigned intercept_count;
    struct {
        wl_rp_intercept function;
        int tables;
        void *data;
    } intercepts[INTERCEPTS];
} all;

int wl_rp_configurable(void) { return atomic_load(&all.phase) == INITIALIZING ? WL_RP_SUCCESS : WL_RP_CONFIGURATION_LOCKED; }
uint32_t wl_rp_current_client(void) { return all.current; }
bool wl_rp_finalized(uint32_t client) {
    return atomic_load(&all.phase) == FINALIZED || (client < TOOLS && atomic_load(&all.tools[client].finalized));
}

/* ---- looking for tools ----------------------------------------------------------------------------- */

static void add(void *function) {
    wl_rp_configure configure = (wl_rp_configure)(uintptr_t)function;
    for (unsigned i = 0; i < all.count; i++)
        if (all.tools[i].configure == configure)
            return;
    if (configure && all.count < TOOLS)
        all.tools[all.count++].configure = configure;
}

static void add_from(void *library) {
    if (library)
        add(dlsym(library, "rocprofiler_configure"));
}

/* ROCP_TOOL_LIBRARIES: paths with colons between them. */
static void add_listed(void) {
    const char *list = getenv("ROCP_TOOL_LIBRARIES"); /* NOLINT(concurrency-mt-unsafe): read once */
    char *copy = list ? strdup(list) : NULL, *rest = NULL;
    for (char *path = copy ? strtok_r(copy, ":", &rest) : NULL; path; path = strtok_r(NULL, ":", &rest)) {
        void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL); /* stays open: its functions are called until the process ends */
        if (!library)
            fprintf(stderr, "wavelift: ROCP_TOOL_LIBRARIES: %s\n", dlerror()); /* NOLINT(concurrency-mt-unsafe): it is the thread's */
        add_from(library);
    }
    free(copy);
}

/* The process's libraries, where one of them has the function. */
static void add_loaded(void) {
    struct link_map *map = NULL;
    void *program = dlopen(NULL, RTLD_LAZY), *first = dlsym(RTLD_DEFAULT, "rocprofiler_configure");
    add(first);
    if (!first || !program || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
        return;
    for (map = map->l_next; map; map = map->l_next) {
        void *library = *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        add_from(library);
        if (library)
            dlclose(library);
    }
}

/* ---- from their begin to their end ------------------------------------------------------------------ */

static void finalize(struct tool *tool) {
    if (atomic_exchange(&tool->finalized, true))
        return;
    wl_rp_stop(tool->client.handle);
    wl_rp_flush_all();
    if (tool->functions.finalize)
        tool->functions.finalize(tool->functions.data);
}

static void finalize_all(void) {
    unsigned running = RUNNING;
    for (unsigned i = 0; atomic_load(&all.phase) == RUNNING && i < all.count; i++)
        finalize(&all.tools[i]);
    atomic_compare_exchange_strong(&all.phase, &running, FINALIZED);
}

static void finalize_client(struct wl_rp_client client) {
    if (client.handle < all.count && atomic_load(&all.phase) == RUNNING)
        finalize(&all.tools[client.handle]);
}

static void configure(unsigned number) {
    struct tool *tool = &all.tools[number];
    all.current = number;
    tool->client = (struct wl_rp_client){.size = sizeof tool->client, .handle = number};
    const struct wl_rp_tool *functions = tool->configure(MAJOR * 10000 + MINOR * 100 + PATCH, "1.1.0", number, &tool->client);
    if (functions)
        tool->functions = *functions;
    tool->client.handle = number;
}

static void initialize(unsigned number) {
    struct tool *tool = &all.tools[number];
    all.current = number;
    if (tool->functions.initialize && tool->functions.initialize(finalize_client, tool->functions.data) != 0)
        wl_rp_stop(number); /* the tool does not want to go on */
}

/* The HIP library is there, with its tables of functions. */
static void tell_of_hip(void) {
    static const int kinds[] = {WL_RP_HIP_TABLE, WL_RP_HIP_COMPILER_TABLE}; /* in the order of enum wl_trace_table */
    for (unsigned which = 0; which < sizeof kinds / sizeof *kinds; which++) {
        void *table = wl_core.function_table(which);
        for (unsigned i = 0; i < all.intercept_count; i++)
            if (all.intercepts[i].tables & kinds[which])
                all.intercepts[i].function(kinds[which], HIP_VERSION_NUMBER, 0, &table, 1, all.intercepts[i].data);
    }
    struct wl_rp_runtime_payload payload = {.size = sizeof payload, .version = HIP_VERSION_NUMBER};
    for (unsigned i = 0; i < wl_rp_context_count(); i++) {
        const struct wl_rp_context *context = wl_rp_context_at(i);
        union wl_rp_user user = {0};
        const struct wl_rp_callback_record record = {.context = {i + 1},
                                                     .thread = wl_rp_thread(),
                                                     .kind = WL_RP_CALLBACK_RUNTIME,
                                                     .operation = WL_RP_RUNTIME_HIP,
                                                     .payload = &payload};
        if (wl_rp_calls_back(context, WL_RP_CALLBACK_RUNTIME, WL_RP_RUNTIME_HIP))
            context->callbacks[WL_RP_CALLBACK_RUNTIME].function(record, &user, context->callbacks[WL_RP_CALLBACK_RUNTIME].data);
    }
}

static void forked(void) {
    wl_rp_thread_forked();
    wl_rp_buffers_forked();
}

/* Finds and initializes the tools; `forced` comes first, if it is not NULL. False: that has been done. */
static bool start(wl_rp_configure forced) {
    unsigned before = BEFORE;
    if (!atomic_compare_exchange_strong(&all.phase, &before, INITIALIZING))
        return false;
    add((void *)(uintptr_t)forced);
    add_listed();
    add_loaded();
    for (unsigned i = 0; i < all.count; i++)
        configure(i);
    for (unsigned i = 0; i < all.count; i++)
        initialize(i);
    atomic_store(&all.phase, RUNNING);
    (void)atexit(finalize_all);
    (void)pthread_atfork(NULL, NULL, forked);
    if (all.count)
        tell_of_hip();
    return true;
}

WL_ROCPROFILER_API int rocprofiler_force_configure(wl_rp_configure configure_tool) {
    if (!configure_tool)
        return WL_RP_INVALID_ARGUMENT;
    return start(configure_tool) ? WL_RP_SUCCESS : WL_RP_CONFIGURATION_LOCKED;
}

/* By which libraries tell that they are there; libamdhip64 does, at its first call (api/tracer.c), and AMD's librocprofiler-register. */
WL_ROCPROFILER_API int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables, uint64_t count) {
    (void)version, (void)instance, (void)tables, (void)count;
    if (name && strcmp(name, "hip") == 0)
        (void)start(NULL);
    return 0;
}

WL_ROCPROFILER_API int rocprofiler_at_intercept_table_registration(wl_rp_intercept function, int tables, void *data) {
    if (wl_rp_configurable() != WL_RP_SUCCESS)
        return WL_RP_CONFIGURATION_LOCKED;
    if (!function)
        return WL_RP_INVALID_ARGUMENT;
    if (all.intercept_count == INTERCEPTS)
        return WL_RP_OUT_OF_RESOURCES;
    all.intercepts[all.intercept_count].function = function;
    all.intercepts[all.intercept_count].tables = tables;
    all.intercepts[all.intercept_count++].data = data;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_is_initialized(int *status) {
    const unsigned phase = atomic_load(&all.phase);
    if (!status)
        return WL_RP_INVALID_ARGUMENT;
    *status = phase == INITIALIZING ? -1 : phase != BEFORE;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_is_finalized(int *status) {
    if (!status)
        return WL_RP_INVALID_ARGUMENT;
    *status = atomic_load(&all.phase) == FINALIZED;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch) {
    if (major)
        *major = MAJOR;
    if (minor)
        *minor = MINOR;
    if (patch)
        *patch = PATCH;
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_get_version_triplet(uint32_t version[3]) {
    return version ? rocprofiler_get_version(&version[0], &version[1], &version[2]) : WL_RP_INVALID_ARGUMENT;
}
